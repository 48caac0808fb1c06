"""Why a pixel has its depth: the cost of every other disparity, and the views that see its point.

python examples/04_why_this_depth.py
"""

from matplotlib import pyplot

import ioadr
from ioadr.evaluation.synthetic import demo
from ioadr.solver.explain import Explainer

lightfield = demo(size=(160, 160), grid=(5, 5)).lightfield
estimate = ioadr.estimate(lightfield)

row, column = lightfield.height // 2, lightfield.width // 6  # on the box, beside a bar of the trellis
reasons = Explainer(lightfield, estimate).explain(row, column)
print(f"d = {reasons.disparity:.2f} px, seen by {reasons.image.visible} of {lightfield.view_count} views")
print({name: round(cost, 2) for name, cost in reasons.curve.at(reasons.disparity).items()})

figure, (curve, image) = pyplot.subplots(1, 2, figsize=(10, 3.6), layout="constrained", width_ratios=[2, 1])
curve.plot(reasons.curve.disparities, reasons.curve.plain, color="silver", label="deviation of all views (J_PD)")
curve.plot(reasons.curve.disparities, reasons.curve.data, color="crimson", label="of the views that see it (J_oa)")
curve.axvline(reasons.disparity, color="black", linestyle="--", label="estimated")
curve.set(xlabel="disparity, px", ylabel="cost, grey levels", title=f"pixel ({row}, {column})")
curve.legend()
image.imshow(reasons.image.colours.astype("uint8"))
hidden_rows, hidden_columns = reasons.image.hidden.nonzero()
image.plot(hidden_columns, hidden_rows, "x", color="red", markersize=14, markeredgewidth=3)
image.set(title="hidden views crossed out", xlabel="view k", ylabel="view l")
figure.savefig("why_this_depth.png", dpi=80)
