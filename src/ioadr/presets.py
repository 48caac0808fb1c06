"""Parameters by name.

`PRESETS` are the sets that users choose from, `VARIATIONS` the paper's ablations, `FINISH_VARIATIONS` the ablations of
the steps that `best` adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ioadr.errors import unknown
from ioadr.parameters import NEVER, Parameters

DEFAULT = "best"
"""The default preset."""


def preset(name: str) -> Parameters:
    """Parameters by name.

    Parameters
    ----------
    name : str
        ``best`` (the default of `estimate`), ``paper`` (reproduces the paper's tables), ``fast`` (a preview) or
        ``text`` (follows the paper's text). ``paper/without-planar`` is a variation of a preset.

    Returns
    -------
    Parameters

    Raises
    ------
    InputError
        There is no such preset; the message lists them.

    Examples
    --------
    >>> import ioadr
    >>> ioadr.preset("paper").planar.weight
    0.05
    >>> ioadr.preset("bset")
    Traceback (most recent call last):
    ioadr.errors.InputError: unknown preset 'bset'. Did you mean 'best'? Available: paper, text, fast, best.
    """
    if not isinstance(name, str):
        raise TypeError(f"preset: expected a name such as 'best', not {type(name).__name__}.")
    base, _, variation = name.partition("/")
    if base not in PRESETS:
        raise unknown("preset", base, PRESETS)
    variations = {**VARIATIONS, **FINISH_VARIATIONS}
    if variation and variation not in variations:
        raise unknown("variation", variation, variations)
    return PRESETS[base].replace(variations[variation] if variation else {})


# What the paper's text says, where its published tables were made with something else.
_TEXT = {
    "data.plain_when_cheaper": False,
    "data.min_visible_share": 0.0,
    "data.min_visible_views": 2,
    "data.occluder_step": 0.005,
    "data.occluder_margin": 0.0,
    "data.write_hypothesis": False,
    "data.count_reference": True,
    "congruence.ramp": False,
    "congruence.disparity_scale": 10.0,
    "congruence.epsilon_plus_cost": False,
    "congruence.include_centre": True,
    "planar.first_sweep": 0,
    "planar.kernel_sigma": 7.7781745930520225,
    "planar.inlier_share": 1.3,
    "planar.gate_offsets": False,
    "planar.small_kernel": "central",
    "planar.refit_from": NEVER,
    "planar.window_step": 1,
    "planar.normals": "pinhole",
    "search.relative_perturbation": False,
    "search.late_perturbation": 1.0,
    "search.gate_plane": True,
    "search.phased": False,
}

# A preview: a better first map, a third of the views, coarser occluders, two sweeps without planes, tidied borders.
_FAST = {
    "initialise.method": "plane-sweep",
    "data.view_step": 2,
    "data.occluder_step": 0.1,
    "congruence.weight": 200.0,
    "congruence.ramp": False,
    "planar.weight": 0.0,
    "planar.first_sweep": NEVER,
    "search.sweeps": 2,
    "coverage.settle": True,
    "coverage.holes": False,
}

# The sweeps up to the planar ones, from a better first map; then surfaces fitted to the linearised data, and borders.
_BEST = {
    "initialise.method": "cheapest",
    "data.least_span": 170.0,
    "congruence.plain_weight": 50.0,
    "search.sweeps": 6,
    "search.temperature": 0.05,
    "search.hole_sweeps": 2,
    "search.few_view_sweeps": 2,
    "planar.weight": 0.0,
    "planar.first_sweep": NEVER,
    "finish.region_passes": 1,
    "finish.planes": 3,
    "finish.passes": 2,
    "coverage.settle": True,
    "coverage.contours": True,
}

_PAPER = Parameters()

PRESETS: Mapping[str, Parameters] = MappingProxyType(
    {
        "paper": _PAPER,
        "text": _PAPER.replace(_TEXT),
        "fast": _PAPER.replace(_FAST),
        "best": _PAPER.replace(_BEST),
    }
)

VARIATIONS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "occlusion-unaware": {"data.occlusion_aware": False},
        "without-congruence": {"congruence.weight": 0.0},
        "without-planar": {"planar.weight": 0.0},
        "data-only": {"congruence.weight": 0.0, "planar.weight": 0.0},
        "without-smooth-depth": {"search.smooth_depth": False},
        "without-congruence-candidate": {"search.congruence": False},
        "without-plane-candidate": {"search.smooth_plane": False},
        "without-random": {"search.random": False},
    }
)

FINISH_VARIATIONS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "without-finish": {"finish.passes": 0, "coverage.settle": False},
        "without-regions": {"finish.region_passes": 0},
        "without-planes": {"finish.planes": 0},
        "without-borders": {"coverage.settle": False},
        "without-holes": {"coverage.holes": False, "search.hole_sweeps": 0},
        "late-holes": {"search.hole_sweeps": 0},
        "without-gaps": {"coverage.gaps": False},
        "without-neighbours": {"coverage.neighbours": 0.0},
        "without-contours": {"coverage.contours": False},
        "one-pass": {"finish.passes": 1},
        "without-softening": {"finish.softening": 0.0},
        "without-growth": {"finish.occluder_growth": 0},
        "without-high-pass": {"finish.high_pass": 0.0},
        "without-discount": {"finish.border_rise": 1_000.0},
        "without-scatter": {"finish.scatter": 0.0},
        "without-sharing": {"finish.sharing": 0},
        "without-plain": {"congruence.plain_weight": 0.0},
        "without-stretch": {"data.least_span": 0.0},
        "structure-tensor-start": {"initialise.method": "structure-tensor"},
    }
)
