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
"""Number of a sweep that no estimation reaches; for phases that never begin."""


@dataclass(frozen=True)
class Initialise:
    """The first map (§ VI-A)."""

    method: Literal["auto", "structure-tensor", "plane-sweep", "cheapest"] = _option("auto", "method of the first map")
    sigma: float = _option(1.4, "px, standard deviation of the Gaussian for derivatives and smoothing", 0.5, 5)
    half_width: int = _option(3, "px, half width of the structure tensor's kernels", 1, 10)
    inpaint_beyond: float = _option(1.5, "inpaint values outside the range widened by this factor", 1, 10)


@dataclass(frozen=True)
class DataTerm:
    """J_oa, the occlusion-aware photo-consistency (§ V-A)."""

    occlusion_aware: bool = _option(True, "exclude occluded views (J_oa); false: use all views (J_PD)")
    plain_when_cheaper: bool = _option(True, "use min(J_PD, J_oa), so that wrong occluders cannot hide a good match")
    min_visible_share: float = _option(0.07, "use J_PD if a smaller share of the views is visible", 0, 1)
    min_visible_views: int = _option(3, "use J_PD if fewer views are visible, including the reference view", 0)
    occluder_step: float = _option(0.05, "px, truncate disparities of occluders to multiples of this", 0.001, 1)
    occluder_margin: float = _option(0.01, "px by which an occluder must be nearer than the candidate", 0, 1)
    write_hypothesis: bool = _option(True, "put the hypothesis into the map before looking for occluders (Algorithm 1)")
    view_step: int = _option(1, "use every n-th view of the grid in each direction, if at least 9 remain", 1, 8)
    least_span: float = _option(0.0, "stretch samples that span fewer grey levels to this many; 0: never", 0, 255)
    count_reference: bool = _option(False, "divide the data term by the number of views, not by one less")


@dataclass(frozen=True)
class CongruenceTerm:
    """λ J_coc, agreement with a colour-guided mean of the neighbourhood (§ V-B)."""

    weight: float = _option(100.0, "λ_0, weight of the term, grey levels per px²", 0)
    ramp: bool = _option(True, "λ grows: 0 for two sweeps, then 2·⌊q/2⌋·λ_0; false: λ_0 throughout")
    half_width: int = _option(4, "px, half width of the window W^c", 1, 20)
    colour_scale: float = _option(0.15, "ρ_c, scale of colour differences, per grey level", 0)
    disparity_scale: float = _option(20.0, "ρ_θ, scale of disparity differences, per px", 0)
    colour_limit: float = _option(3.0, "τ_c, neighbours with a larger scaled colour difference are ignored", 0)
    epsilon: float = _option(0.5, "ε_θ, smallest scaled disparity difference", 1e-6)
    epsilon_plus_cost: bool = _option(True, "add the pixel's cost to ε_θ where disparities differ strongly")
    include_centre: bool = _option(False, "include the pixel itself in its mean")
    plain_weight: float = _option(0.0, "lower limit of λ where there is no texture, grey levels per px²", 0)
    plain_contrast: float = _option(24.0, "contrast within W^c at which this limit has fallen to 0, grey levels", 1)


@dataclass(frozen=True)
class PlanarTerm:
    """γ J_pg, angle between a pixel's normal and its surroundings' (§ V-C)."""

    weight: float = _option(0.05, "γ_0, weight of the term, grey levels per degree; 0 keeps the planar sweeps", 0)
    first_sweep: int = _option(6, "first sweep of the planar phase, in which the plane is a candidate", 0)
    half_width: int = _option(18, "px, half width of the window W^avg", 1, 60)
    window_step: int = _option(2, "px between the samples of W^avg", 1, 8)
    refit_from: int = _option(8, "from this sweep on, planes are fitted twice, the second time to the first planes", 0)
    kernel_half_width: int = _option(5, "δ_a, px, half width of the large difference kernel", 1, 20)
    kernel_sigma: float = _option(11.0, "px, standard deviation of the large difference kernel", 0.5, 60)
    inlier_share: float = _option(0.9, "τ_a, inliers deviate by less than this multiple of the mean angle", 0, 10)
    tolerance: float = _option(0.031, "τ_ε, px, tolerance between a plane and the pixel's disparity", 0)
    gate_offsets: bool = _option(True, "average only planes that predict the pixel's disparity within the tolerance")
    small_kernel: Literal["one-sided", "central"] = _option("one-sided", "a candidate's normal: 2 visited px, or ±1 px")
    normals: Literal["benchmark", "pinhole"] = _option("benchmark", "camera model for the 3D points of normals")


@dataclass(frozen=True)
class Search:
    """Candidates and their acceptance (§ VI-B, § VI-C)."""

    sweeps: int = _option(10, "q_max, number of sweeps", 0, 1000)
    warm_sweeps: int = _option(
        2, "sweeps before the planar ones after a warm start; half as many planar ones follow", 1, 1000
    )
    temperature: float = _option(10.0, "T_0, initial temperature for accepting worse candidates, grey levels", 0)
    cooling: float = _option(0.8, "α, factor on the temperature after every second sweep", 0, 1)
    perturbation: float = _option(0.04, "σ, standard deviation of the random candidate", 0)
    relative_perturbation: bool = _option(True, "σ is a share of the disparity range; false: in px")
    late_perturbation: float = _option(0.01, "factor on σ in the late sweeps", 0)
    late_after: int = _option(6, "sweeps after this one are late; with 6, the first planar sweep has the full σ", 0)
    smooth_depth: bool = _option(True, "try the disparities of neighbours already visited in this sweep")
    congruence: bool = _option(True, "try the colour-guided mean of the neighbourhood")
    smooth_plane: bool = _option(True, "try the disparity of the surrounding plane")
    random: bool = _option(True, "try a random perturbation")
    gate_plane: bool = _option(False, "try the plane's disparity only where the pixel's own is within planar.tolerance")
    phased: bool = _option(True, "planar sweeps try only plane and random candidate, others all but the plane")
    hole_sweeps: int = _option(0, "number of final sweeps that begin by opening small holes", 0, 1000)
    few_view_sweeps: int = _option(
        0, "first sweeps for which every second row and column of more than 81 views is enough", 0, 1000
    )


@dataclass(frozen=True)
class Finish:
    """Surfaces fitted to the linearised data after the sweeps; not in the paper (decision 0004).

    Shifts are in px of the outermost view: a disparity times the distance of that view.
    """

    passes: int = _option(0, "number of passes; each linearises the data and fits surfaces", 0, 10)
    softening: float = _option(0.1, "weight of each direct neighbour when the views are blurred", 0, 0.33)
    colour_scale: float = _option(4.0, "residual at which a view counts half, grey levels", 0.1)
    noise: float = _option(1.7, "smallest residual that is assumed, grey levels", 0.01)
    furthest: float = _option(0.1, "largest shift of a target in the first pass; later passes: 2/3, 2/4 … of it", 0)
    occluder_growth: int = _option(2, "px by which occluders are enlarged, as samples near edges mix colours", 0, 10)
    high_pass: float = _option(0.9, "share of low frequencies removed from high-pass data; 0: unfiltered only", 0, 1)
    finest: float = _option(0.01, "px, smallest standard deviation of a target", 0)
    scatter: float = _option(0.65, "usual scatter of targets, relative to standard deviations; 0 ignores it", 0)
    gate: float = _option(4.0, "ignore targets this many standard deviations off the surface", 0.1)
    widest_gate: float = _option(0.08, "px, ignore all targets this far off the surface", 0.001)
    caution: float = _option(2.5, "standard deviations by which patches of different widths may disagree", 0.1)
    widest: int = _option(32, "px, radius of the widest patch", 2, 64)
    sharing: int = _option(12, "px, radius within which the surfaces of pixels are averaged; 0 switches it off", 0, 32)
    border_rise: float = _option(0.25, "ignore data next to a neighbour that is nearer by more than this shift", 0)
    region_passes: int = _option(0, "number of semi-global matches before the passes, to fill false holes", 0, 10)
    planes: int = _option(0, "number of planes to try for each torn area of a texture-less surface", 0, 10)


@dataclass(frozen=True)
class Coverage:
    """Holes, and the surface that covers most of each pixel at a depth discontinuity (decision 0012)."""

    holes: bool = _option(True, "first open small holes that look like the background and cost no more at its depth")
    gaps: bool = _option(True, "also open narrow gaps that continue the background, if the coverage confirms it")
    settle: bool = _option(False, "assign pixels at depth discontinuities to one surface; false: measure no coverage")
    gamma: float = _option(2.2, "exponent that converts samples to linear light; 1 for linear samples", 1, 4)
    doubt: float = _option(2.0, "log-likelihood ratio needed to move a pixel to the other surface", 0)
    neighbours: float = _option(0.5, "weight of the evidence from neighbours of similar colour", 0, 1)
    contours: bool = _option(False, "where coverage is not clear, also fit a straight contour to single samples")


@dataclass(frozen=True, repr=False)
class Parameters:
    """All parameters of one estimation: a frozen tree of groups, one for each step of the method.

    Start from a `preset` and `replace` single values. ``Parameters()`` alone is the preset ``paper``.

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
        changed: dict[str, dict[str, Any]] = {}
        for name, value in changes.items():
            group, item = find(name, Parameters)
            changed.setdefault(group, {})[item.name] = convert(name, value, item)
        # All at once: every new tree is checked as a whole.
        groups = {group: dataclasses.replace(getattr(self, group), **values) for group, values in changed.items()}
        return dataclasses.replace(self, **groups) if groups else self

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
        """The parameters as TOML: one table per group, each value with a comment."""
        lines = []
        for group in fields(self):
            values = getattr(self, group.name)
            items = (f"{i.name} = {toml(getattr(values, i.name))}  # {i.metadata['help']}" for i in fields(values))
            lines += [f"[{group.name}]", *items, ""]
        return "\n".join(lines)
