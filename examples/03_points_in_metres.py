"""Points in metres, for a known camera: a cloud without doubtful pixels, and a textured mesh.

python examples/03_points_in_metres.py
"""

import numpy as np
from matplotlib import pyplot

import ioadr
from ioadr.evaluation.synthetic import demo

lightfield = demo(size=(160, 160), grid=(5, 5)).lightfield
print(lightfield.camera)  # for your own: ioadr.Camera(focal_length_mm, sensor_size_mm, baseline_mm, …)

estimate = ioadr.estimate(lightfield, ioadr.preset("best"))
estimate.save("points_in_metres", formats=["ply", "glb"], overwrite=True)  # open them in MeshLab or Blender

sure = estimate.confidence > np.quantile(estimate.confidence, 0.2)
points, colours = estimate.points[sure], estimate.image[sure] / 255
print(f"{len(points)} points between {points[:, 2].min():.2f} and {points[:, 2].max():.2f} m")

figure = pyplot.figure(figsize=(10, 4.5), layout="compressed")
for number, (across, up, name) in enumerate([(0, 2, "from above"), (2, 1, "from the left")]):
    axes = figure.add_subplot(1, 2, number + 1, aspect="equal", title=name)
    axes.scatter(points[:, across], points[:, up], c=colours, s=1.5)
    axes.set(xlabel=f"{'xyz'[across]}, m", ylabel=f"{'xyz'[up]}, m")
    if up == 1:
        axes.invert_yaxis()  # y points down
figure.savefig("points_in_metres.png", dpi=80)
