"""A light field from an array in memory, with the axes [row, column, y, x, channel].

python examples/01_your_own_arrays.py
"""

import numpy as np

import ioadr

# A checked wall behind a striped post: 5×5 views, computed here to show the signs and the order of the axes.
rows, columns, height, width = 5, 5, 90, 120
y, x = np.mgrid[:height, :width].astype(float)
views = np.empty((rows, columns, height, width, 1), np.float32)
for row in range(rows):
    for column in range(columns):
        # A point of disparity d is at y0 − d·(row − 2), x0 − d·(column − 2). Solved for (y0, x0):
        wall_y, wall_x = y - 1.0 * (row - 2), x - 1.0 * (column - 2)  # d = −1, behind the focus plane
        post_y, post_x = y + 1.5 * (row - 2), x + 1.5 * (column - 2)  # d = +1.5, before it
        wall = 0.5 + 0.2 * np.sin(wall_x / 2.1) + 0.2 * np.cos(wall_y / 1.7 + wall_x / 5)
        post = 0.5 + 0.4 * np.sin(post_y / 1.3 + post_x / 3)
        views[row, column, ..., 0] = np.where(abs(post_x - 60) < 12, post, wall)

lightfield = ioadr.LightField(views, range=ioadr.DisparityRange(-2, 2), name="post")
estimate = ioadr.estimate(lightfield)
print(f"wall {np.median(estimate.disparity[:, :40]):.2f} px, post {np.median(estimate.disparity[:, 55:65]):.2f} px")
print("depth in metres" if estimate.metric else "no camera given: depth is relative, without a unit")
estimate.plot(["image", "disparity", "depth"]).savefig("your_own_arrays.png")
