"""Refocus a light field after the capture, and render it from a new viewpoint.

python examples/05_refocus_and_new_views.py
"""

import numpy as np
from matplotlib import pyplot

import ioadr
from ioadr.evaluation.synthetic import demo
from ioadr.geometry.synthesis import refocus, synthesise

lightfield = demo(size=(160, 160), grid=(5, 5)).lightfield
estimate = ioadr.estimate(lightfield, ioadr.preset("best"))
near, far = np.percentile(estimate.disparity, [97, 3])

pictures = {
    f"focused near, d = {near:.1f}": refocus(lightfield, near),
    f"focused far, d = {far:.1f}": refocus(lightfield, far),
    "seen from 4 views to the right": synthesise(estimate.image, estimate.disparity, (0.0, 4.0)),
}
figure, plots = pyplot.subplots(1, 3, figsize=(10, 3.8), layout="constrained")
for axes, (title, picture) in zip(plots, pictures.items(), strict=True):
    axes.imshow(np.nan_to_num(picture).astype(np.uint8))  # NaN, black here: hidden from the reference view
    axes.set_title(title)
    axes.set_axis_off()
figure.savefig("refocus_and_new_views.png", dpi=80)
print(f"{np.isnan(picture).any(axis=-1).mean():.1%} of the new view were hidden from the reference view")
