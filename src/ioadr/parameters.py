"""Every number of the method, in one frozen tree.

Files, command-line options, report and provenance all derive from these classes; `presets` names sets of values.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from ioadr.parameter_fields import check_group, convert, find, toml
from ioadr.parameter_fields import option as _option

NEVER = 1_000
"""A sweep that no estimation reaches, for what begins with a sweep."""


@dataclass(frozen=True)
class Initialise:
    """The first map (§ VI-A)."""

    method: Literal["auto", "structure-tensor", "plane-sweep", "cheapest"] = _option("auto", "method of the first map")
    sigma: float = _option(1.4, "px, standard deviation of the Gaussian for derivatives and smoothing", 0.5, 5)
    half_width: int = _option(3, "px, half width of the structure tensor's kernels", 1, 10)
    inpaint_beyond: float = _option(1.5, "share of the range beyond which values are inpainted", 1, 10)


@dataclass(frozen=True)
class DataTerm:
    """J_oa, the occlusion-aware photo-consistency (§ V-A)."""

    occlusion_aware: bool = _option(True, "leave occluded views out (J_oa); False is J_PD")
    plain_when_cheaper: bool = _option(True, "use min(J_PD, J_oa), so that wrong occluders cannot hide a good match")
    min_visible_share: float = _option(0.07, "below this share of visible views J_PD is used", 0, 1)
    min_visible_views: int = _option(3, "also below this number of visible views, including the reference view", 0)
    occluder_step: float = _option(0.05, "px, disparities of occluders are truncated to multiples of this", 0.001, 1)
    occluder_margin: float = _option(0.01, "px by which an occluder must be nearer than the candidate", 0, 1)
    write_hypothesis: bool = _option(True, "Algorithm 1 reads the map with the hypothesis in place at its own pixel")
    view_step: int = _option(1, "use every n-th view of the grid in each direction, if at least 9 remain", 1, 8)
    count_reference: bool = _option(False, "divide by the number of views, not by one less")


@dataclass(frozen=True)
class CongruenceTerm:
    """λ J_coc, agreement with a colour-guided mean of the neighbourhood (§ V-B)."""

    weight: float = _option(100.0, "λ_0, grey levels per px²", 0)
    ramp: bool = _option(True, "λ grows: 0 for two sweeps, then 2·⌊q/2⌋·λ_0; False is λ_0 throughout")
    half_width: int = _option(4, "px, half of W^c", 1, 20)
    colour_scale: float = _option(0.15, "ρ_c, per grey level", 0)
    disparity_scale: float = _option(20.0, "ρ_θ, per px", 0)
    colour_limit: float = _option(3.0, "τ_c, neighbours with a larger scaled colour difference are ignored", 0)
    epsilon: float = _option(0.5, "ε_θ, smallest scaled difference", 1e-6)
    epsilon_plus_cost: bool = _option(True, "add the pixel's cost to ε_θ where disparities differ much")
    include_centre: bool = _option(False, "include the pixel itself in its mean")
    plain_weight: float = _option(0.0, "smallest λ where the reference view is plain, grey levels per px²", 0)
    plain_contrast: float = _option(24.0, "contrast within W^c at which that minimum reaches 0, grey levels", 1)


@dataclass(frozen=True)
class PlanarTerm:
    """γ J_pg, angle between a pixel's normal and its surroundings' (§ V-C)."""

    weight: float = _option(0.05, "γ_0, grey levels per degree; 0 drops the term, not its phase", 0)
    first_sweep: int = _option(6, "sweep that begins the planar phase, with the plane as candidate", 0)
    half_width: int = _option(18, "px, half of W^avg", 1, 60)
    window_step: int = _option(2, "px between the samples of W^avg", 1, 8)
    refit_from: int = _option(8, "sweep from which planes are fitted twice, the second time to the first ones", 0)
    kernel_half_width: int = _option(5, "δ_a, px, half of the large difference kernel", 1, 20)
    kernel_sigma: float = _option(11.0, "px, Gaussian of the large difference kernel", 0.5, 60)
    inlier_share: float = _option(0.9, "τ_a, share of the mean angle that still counts as inlier", 0, 10)
    tolerance: float = _option(0.031, "τ_ε, px, tolerance between a plane and the pixel's disparity", 0)
    gate_offsets: bool = _option(True, "average only planes that predict the pixel to within the tolerance")
    small_kernel: Literal["one-sided", "central"] = _option("one-sided", "a candidate's normal: 2 visited px, or ±1 px")
    normals: Literal["benchmark", "pinhole"] = _option("benchmark", "3D points from which normals are taken")


@dataclass(frozen=True)
class Search:
    """Candidates and their acceptance (§ VI-B, § VI-C)."""

    sweeps: int = _option(10, "q_max", 0, 1000)
    warm_sweeps: int = _option(
        2, "after a warm start, number of sweeps before the planar ones, and half as many planar ones", 1, 1000
    )
    temperature: float = _option(10.0, "T_0, grey levels", 0)
    cooling: float = _option(0.8, "α, factor every second sweep", 0, 1)
    perturbation: float = _option(0.04, "σ of the random candidate", 0)
    relative_perturbation: bool = _option(True, "σ as a share of the disparity range; False is px")
    late_perturbation: float = _option(0.01, "factor on σ in the late sweeps", 0)
    late_after: int = _option(6, "sweeps after this one are late; with 6, the first planar sweep has the full σ", 0)
    smooth_depth: bool = _option(True, "candidates from neighbours visited in this sweep")
    congruence: bool = _option(True, "the smoothed disparity as candidate")
    smooth_plane: bool = _option(True, "the surrounding plane's disparity as candidate")
    random: bool = _option(True, "a random perturbation as candidate")
    gate_plane: bool = _option(False, "try the plane's disparity only where the pixel's own is within planar.tolerance")
    phased: bool = _option(True, "planar sweeps try random and plane only, the others all but the plane")
    hole_sweeps: int = _option(0, "number of last sweeps that first open small holes", 0, 1000)


@dataclass(frozen=True)
class Finish:
    """Surfaces fitted to the linearised data after the sweeps; not in the paper (decision 0004).

    Shifts are in px of the outermost view: a disparity times the distance of that view.
    """

    passes: int = _option(0, "number of passes that linearise the data and fit surfaces", 0, 10)
    softening: float = _option(0.1, "weight of each direct neighbour when views are softened", 0, 0.33)
    colour_scale: float = _option(4.0, "grey levels at which a view's residual counts half", 0.1)
    noise: float = _option(1.7, "smallest residual, grey levels", 0.01)
    furthest: float = _option(0.1, "largest shift of a target in the first pass; 2/3, 2/4 … of it in the next ones", 0)
    occluder_growth: int = _option(2, "px by which occluders are grown: samples beside an edge are mixed", 0, 10)
    high_pass: float = _option(0.9, "share of low frequencies removed in high-pass data; 0: plain data only", 0, 1)
    finest: float = _option(0.01, "px, standard deviation of the best target", 0)
    scatter: float = _option(0.65, "usual scatter of targets, relative to their deviations; 0: not measured", 0)
    gate: float = _option(4.0, "standard deviations at which a target stops counting", 0.1)
    widest_gate: float = _option(0.08, "px at which a target always stops counting", 0.001)
    caution: float = _option(2.5, "standard deviations by which patches of different width may disagree", 0.1)
    widest: int = _option(32, "px, radius of the widest patch", 2, 64)
    sharing: int = _option(12, "px around a pixel within which surfaces are averaged; 0: only its own surface", 0, 32)
    border_rise: float = _option(0.25, "shift by which a neighbour must be nearer for data beside it to be ignored", 0)
    region_passes: int = _option(0, "number of semi-global matches to replace false holes before the passes", 0, 10)
    planes: int = _option(0, "planes tried for each torn area of a plain surface before such a match", 0, 10)


@dataclass(frozen=True)
class Coverage:
    """Opens holes; gives pixels beside a jump to the surface that covers most of them (decision 0012)."""

    holes: bool = _option(True, "first open small holes that look like the background and cost no more there")
    settle: bool = _option(False, "assign pixels beside a jump to a surface; False keeps them, without coverage")
    gamma: float = _option(2.2, "exponent that converts samples to linear light; 1 for linear samples", 1, 4)
    doubt: float = _option(2.0, "log likelihood ratio from which a pixel changes sides", 0)
    neighbours: float = _option(0.5, "weight of the evidence of neighbours of similar colour", 0, 1)


@dataclass(frozen=True, repr=False)
class Parameters:
    """All parameters of one estimation: a frozen tree of groups, one for each step of the method.

    Most people start from a `preset` and `replace` single values. ``Parameters()`` alone is the preset ``paper``.

    Examples
    --------
    >>> import ioadr
    >>> parameters = ioadr.preset("best")
    >>> parameters.search.sweeps
    6
    >>> parameters.replace({"search.sweeps": 8}).changes(parameters)
    {'search.sweeps': 8}
    """

    initialise: Initialise = field(default_factory=Initialise)
    data: DataTerm = field(default_factory=DataTerm)
    congruence: CongruenceTerm = field(default_factory=CongruenceTerm)
    planar: PlanarTerm = field(default_factory=PlanarTerm)
    search: Search = field(default_factory=Search)
    finish: Finish = field(default_factory=Finish)
    coverage: Coverage = field(default_factory=Coverage)

    def __post_init__(self) -> None:
        for group in fields(self):
            check_group(group.name, getattr(self, group.name))

    def replace(self, changes: Mapping[str, Any]) -> Parameters:
        """Return a copy with some values replaced.

        Parameters
        ----------
        changes : mapping of str to value
            New values by dotted name, such as ``{"congruence.weight": 50}``.

        Returns
        -------
        Parameters

        Raises
        ------
        InputError
            An unknown name, or a value of the wrong type or out of bounds.

        Examples
        --------
        >>> import ioadr
        >>> ioadr.preset("best").replace({"congruence.weight": 50, "search.sweeps": 8})
        preset('best').replace({'congruence.weight': 50.0, 'search.sweeps': 8})
        """
        result = self
        for name, value in changes.items():
            group_name, item = find(name, Parameters)
            group = dataclasses.replace(getattr(result, group_name), **{item.name: convert(name, value, item)})
            result = dataclasses.replace(result, **{group_name: group})
        return result

    vary = replace  # the earlier name

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Nested dictionaries, as in provenance.json."""
        return dataclasses.asdict(self)

    def changes(self, base: Parameters) -> dict[str, Any]:
        """Values that differ from those of `base`, by dotted name."""
        theirs = base.to_dict()
        return {
            f"{group}.{name}": value
            for group, values in self.to_dict().items()
            for name, value in values.items()
            if value != theirs[group][name]
        }

    def __repr__(self) -> str:
        """The nearest preset, and the values that differ from it."""
        from ioadr.presets import PRESETS

        name, changes = min(((n, self.changes(p)) for n, p in PRESETS.items()), key=lambda preset_: len(preset_[1]))
        return f"preset({name!r})" + (f".replace({changes!r})" if changes else "")

    def to_toml(self) -> str:
        """One table per term, each value with its meaning beside it."""
        lines = []
        for group in fields(self):
            values = getattr(self, group.name)
            items = (f"{i.name} = {toml(getattr(values, i.name))}  # {i.metadata['help']}" for i in fields(values))
            lines += [f"[{group.name}]", *items, ""]
        return "\n".join(lines)
