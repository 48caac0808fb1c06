"""A depth map in three lines: read, estimate, save.

python examples/00_first_depth_map.py [SCENE]
"""

import sys

import ioadr
from ioadr.evaluation.synthetic import demo

# Any light field that `ioadr info` recognises; without an argument, a small rendering of the built-in scene.
lightfield = ioadr.read(sys.argv[1]) if len(sys.argv) > 1 else demo(size=(160, 160), grid=(5, 5)).lightfield

estimate = ioadr.estimate(lightfield)
files = estimate.save("first_depth_map", overwrite=True)

print(estimate)
print("\n".join(files))
estimate.plot(["image", "disparity", "normals"]).savefig("first_depth_map.png")
