"""Glossary: terms with a sentence each, shown by the explorer and listed in docs/concepts.md."""

from __future__ import annotations

GLOSSARY = {
    "disparity": "Pixels by which a point moves from one view to the next. Larger is nearer.",
    "EPI": "One row of pixels from each view of a line of views, stacked. A point draws a line whose slope is its "
    "disparity.",
    "4D-PPI": "What each view shows where it should see the point. One colour means that the views agree.",
    "cost": "What the sweeps minimise: how much the views disagree, plus how unlike its surroundings the pixel is.",
    "J_PD": "Mean difference to the reference view, in grey levels, if every view saw the point.",
    "J_oa": "The same over the views that see the point: those hidden by something nearer are left out.",
    "J_coc": "Distance from the mean of neighbours of similar colour; λ is its weight.",
    "J_pg": "Angle to the plane of the surroundings; γ is its weight.",
    "weights χ": "How much each neighbour counts in that mean: most where colour and disparity are alike.",
    "plane": "Fitted to the normals around the pixel that agree; needles are those normals.",
    "residual": "What a view differs by from the mean of those that see the pixel, in grey levels. Views that differ "
    "much count less.",
    "way": "The pixel's disparity after each step, and where it came from. Click a step to try its disparity.",
    "surface": "After the sweeps: a plane or curved surface through what the views want around the pixel, over the "
    "widest disc that they do not contradict.",
    "target": "The disparity that the views want at a pixel, from how their colours change with it.",
    "border": "Beside a jump a pixel shows two surfaces. All views together tell how much the near one covers.",
    "coverage": "Share of the pixel that the near surface covers; from one half on the pixel is the near one's.",
    "confidence": "Probability that the disparity is within 0.07 px of the true one.",
    "doubt": "A reason to trust the pixel less, and what it takes from the logarithm of the odds.",
    "second minimum": "Another disparity that explains the views nearly as well: repeated texture, mirrors.",
    "trial": "A disparity that you try out; it changes nothing.",
}
