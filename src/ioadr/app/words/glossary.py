"""Glossary: terms with a sentence each, shown by the explorer and listed in docs/concepts.md."""

from __future__ import annotations

GLOSSARY = {
    "disparity": "Number of pixels by which a point moves from one view to the next. Larger means nearer.",
    "EPI": "One row of pixels from each view of a line of views, stacked. A point traces a line whose slope is its "
    "disparity.",
    "4D-PPI": "The colour that each view shows where the point should be. If all are alike, the views agree.",
    "cost": "What the sweeps minimise: how much the views disagree, plus how much the pixel differs from its "
    "surroundings.",
    "J_PD": "Mean difference from the reference view, in grey levels, as if every view saw the point.",
    "J_oa": "The same for the views that see the point. Views where a nearer surface hides it are left out.",
    "J_coc": "Distance from the mean of neighbours of similar colour; λ is its weight.",
    "J_pg": "Angle to the plane fitted around the pixel; γ is its weight.",
    "weights χ": "How much each neighbour counts in the mean of J_coc: most where colour and disparity are similar.",
    "plane": "Fitted to those normals around the pixel that agree with each other, drawn as needles.",
    "residual": "Difference between a view and the mean of the views that see the pixel, in grey levels. Views with "
    "large residuals count less.",
    "history": "The pixel's disparity after each step, and where the value came from. Click a step to try its "
    "disparity.",
    "surface": "A plane or curved surface fitted after the sweeps to the targets around the pixel, over the widest "
    "disc that they support.",
    "target": "The disparity that the views favour at a pixel, found from how their colours change with disparity.",
    "border": "At an occlusion boundary, a pixel shows two surfaces. All views together determine how much of it the "
    "near one covers.",
    "coverage": "Share of the pixel that the near surface covers. If it is at least one half, the pixel is assigned "
    "to the near surface.",
    "confidence": "Probability that the disparity is within 0.07 px of the true one.",
    "doubt": "A reason to trust the pixel less, and by how much it lowers the log odds.",
    "second minimum": "Another disparity that explains the views nearly as well, as with repeated texture or mirrors.",
    "trial": "A disparity to try out. It does not change the result.",
}
