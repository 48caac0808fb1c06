"""Confidence: without the least trusted pixels, most errors are gone.

python examples/02_what_to_trust.py
"""

import numpy as np

import ioadr
from ioadr.evaluation.synthetic import demo

scene = demo(size=(160, 160), grid=(5, 5))
estimate = ioadr.estimate(scene.lightfield, ioadr.preset("best"))

# The built-in scene has ground truth. Your own has none; the confidence never uses it.
wrong = abs(estimate.disparity - scene.truth.disparity) > 0.07
for share in (0.0, 0.1, 0.2, 0.4):
    kept = estimate.confidence >= np.quantile(estimate.confidence, share)
    print(f"without the least trusted {share:4.0%}: {wrong[kept].mean():5.1%} of the rest are off by more than 0.07 px")

estimate.plot(["image", "disparity", "confidence"]).savefig("what_to_trust.png")
