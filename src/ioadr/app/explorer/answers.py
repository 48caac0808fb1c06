"""Explanations and facts as JSON for the page."""

from __future__ import annotations

import base64
import math
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ioadr import __version__
from ioadr.app import why
from ioadr.app.explorer.pictures import epis
from ioadr.app.words.description import described
from ioadr.app.words.expectation import expected_seconds
from ioadr.app.words.glossary import GLOSSARY
from ioadr.camera import depth_unit
from ioadr.colours import scale
from ioadr.cost.total import TERMS
from ioadr.parameters import Parameters
from ioadr.presets import DEFAULT, PRESETS
from ioadr.solver.problem import used_views

if TYPE_CHECKING:
    from ioadr.app.explorer.study import Result, Study
    from ioadr.result import Estimate, SweepRecord
    from ioadr.solver.explanation import Ending, Explanation, PlaneFit, PointImage
    from ioadr.views.result import Views
    from ioadr.way import Stage

APART = 2.0
"""Smallest distance of another minimum from the estimate, in px of shift in the outermost view."""

WHAT_IF = {
    "data.occlusion_aware": "leave out hidden views",
    "congruence.weight": "pull towards similar neighbours, λ₀",
    "congruence.half_width": "window of the neighbours, Wᶜ",
    "congruence.disparity_scale": "penalty for other depths, ρ",
    "planar.weight": "pull towards the plane, γ₀",
    "planar.half_width": "window of the plane, Wᵃ",
    "planar.inlier_share": "tolerance of the plane, τ",
}
WHAT_IF |= {f"{term}.weight": f"weight of {term}" for term in TERMS[1:] if f"{term}.weight" not in WHAT_IF}
"""Parameters that the page offers to change, in words with the paper's letters, and the weights of other terms."""
PLANAR = "planar."
"""Parameters of the planar term, which has no effect if no planes are fitted."""


def scene(study: Study) -> dict[str, Any]:
    """Facts that the page needs once."""
    lightfield = study.lightfield
    limits = study.limits
    return {
        "version": __version__,
        "name": lightfield.name,
        "facts": described(lightfield),
        "width": lightfield.width,
        "height": lightfield.height,
        "present": lightfield.present.tolist(),
        "offsets": rounded(lightfield.offsets),
        "positions": rounded(np.where(lightfield.present[..., None], lightfield.positions[..., :2], np.nan)),
        "eta": list(lightfield.eta),
        "planar": lightfield.layout.planar,
        "reference": list(lightfield.reference),
        "views": lightfield.view_count,
        "rays": lightfield.camera_or_relative(limits).pinhole(lightfield.part.window)._asdict(),
        "unit": depth_unit(lightfield.camera),
        "range": [limits.minimum, limits.maximum],
        "terms": TERMS,
        "truth": study.truth is not None,
        "seconds": round(expected_seconds(lightfield), 1),
        "presets": sorted(PRESETS, key=lambda name: name != DEFAULT),
        "glossary": GLOSSARY,
        "scales": {name: scale(name).ravel().tolist() for name in ("depth", "confidence", "signed")},
        "results": [result(shown, study.views(shown.key)) for shown in study.results()],
    }


def result(shown: Result, views: Views | None = None) -> dict[str, Any]:
    """A result as the page needs it; `views` are the maps of all views, if it has them."""
    estimate = shown.estimate
    return {
        "key": shown.key,
        "label": shown.label,
        "every_view": views is not None,
        "seed": estimate.seed,
        "seconds": estimate.seconds.get("total"),
        "sweeps": [record(sweep) for sweep in estimate.history],
        "finished": estimate.parameters.finish.passes > 0,
        "parameters": adjustable(estimate.parameters),
        "views": int(used_views(shown.explainer.lightfield, estimate.parameters.data.view_step).sum()),
    }


def record(sweep: SweepRecord) -> dict[str, Any]:
    cost = None if math.isnan(sweep.mean_cost) else round(sweep.mean_cost, 4)
    return {"sweep": sweep.sweep, "kind": sweep.kind, "changed": sweep.changed, "cost": cost, "seconds": sweep.seconds}


def adjustable(parameters: Parameters) -> list[dict[str, Any]]:
    """The parameters of "what if": name, letter, meaning, value and bounds."""
    rows = []
    planes = parameters.planar.first_sweep < parameters.search.sweeps
    for name, letter in WHAT_IF.items():
        if name.startswith(PLANAR) and not planes:
            continue
        group, _, field = name.partition(".")
        term = getattr(parameters, group)
        entry = next(item.metadata for item in fields(term) if item.name == field)
        bounds = {"low": entry["low"], "high": entry["high"]}
        rows.append({"name": name, "letter": letter, "help": entry["help"], "value": getattr(term, field), **bounds})
    return rows


def pixel(study: Study, explanation: Explanation, estimate: Estimate | None) -> dict[str, Any]:
    """Everything about one pixel that is quick to compute."""
    curve = explanation.curve
    low, cost = curve.minimum
    curves = {"disparities": curve.disparities, **curve.terms, "plain": curve.plain, "total": curve.total}
    return {
        "row": explanation.row,
        "column": explanation.column,
        "disparity": explanation.disparity,
        "curve": {name: rounded(values) for name, values in curves.items()},
        "minimum": {"disparity": low, "cost": cost},
        "costs": None if explanation.disparity is None else curve.at(explanation.disparity),
        "image": point_image(explanation.image),
        "support": explanation.support
        and {"weights": rounded(explanation.support.weights), "smoothed": float(explanation.support.smoothed)},
        "plane": explanation.plane and plane_fit(explanation.plane),
        "candidates": [vars(candidate) for candidate in explanation.candidates],
        **(_way(explanation, estimate) if estimate else {"sentence": None, "way": [], "second": None}),
        "epis": epis(study.lightfield, explanation.row, explanation.column),
    }


def _way(explanation: Explanation, estimate: Estimate) -> dict[str, Any]:
    """The pixel's disparity after each step."""
    facts = why.facts(estimate, explanation.row, explanation.column)
    apart = APART / max(estimate.layout.reach)
    second = explanation.curve.second_minimum(facts.disparity, apart) if facts.two_minima else None
    return {
        "sentence": why.sentence(facts),
        "way": [stage_of(stage) for stage in facts.way],
        "second": second,
        "two_minima": facts.two_minima,
    }


def stage_of(stage: Stage) -> dict[str, Any]:
    return asdict(stage) | {"step": why.step_name(stage), "from": why.ORIGINS[stage.origin]}


def ending(estimate: Estimate, row: int, column: int, end: Ending) -> dict[str, Any]:
    """The steps after the sweeps."""
    surface, border = end.surface, end.border
    return {
        "row": row,
        "column": column,
        "sentence": why.sentence(why.facts(estimate, row, column, end)),
        "surface": surface
        and {
            **vars(surface),
            "members": surface.members.tolist(),
            "weights": rounded(surface.weights),
            "words": why.surface_words(surface),
        },
        "views": end.views
        and {
            "residuals": rounded(end.views.residuals),
            "weights": rounded(end.views.weights),
            "words": why.residual_words(end.views),
        },
        "border": border and {**vars(border), "views": border.views.tolist(), "words": why.border_words(border)},
        "trust": end.trust,
        "doubts": [asdict(doubt) | {"words": why.REASONS.get(doubt.name, doubt.name)} for doubt in end.doubts],
    }


def hypothesis(explanation: Explanation) -> dict[str, Any]:
    """What the views show at the trial disparity."""
    assert explanation.trial is not None
    return {"image": point_image(explanation.trial), "costs": explanation.curve.at(explanation.trial.disparity)}


def point_image(image: PointImage) -> dict[str, Any]:
    return {
        "disparity": image.disparity,
        "colours": rounded(image.colours),
        "inside": image.inside.tolist(),
        "hidden": image.hidden.tolist(),
        "visible": image.visible,
    }


def plane_fit(plane: PlaneFit) -> dict[str, Any]:
    return {
        "normal": rounded(plane.normal),
        "disparity": plane.disparity,
        "counts": plane.counts,
        "limit": plane.limit,
        "offsets": plane.offsets.tolist(),
        "normals": rounded(plane.normals),
        "inlier": plane.inlier.tolist(),
    }


def rounded(values: NDArray[Any]) -> Any:
    """Nested lists with five digits, null where there is no value."""
    if values.ndim > 1:
        return [rounded(part) for part in values]
    return [None if math.isnan(value) else float(f"{value:.5g}") for value in values.tolist()]


def raw(values: NDArray[np.float32]) -> str:
    """float32, little-endian, base64."""
    return base64.b64encode(values.astype("<f4").tobytes()).decode("ascii")
