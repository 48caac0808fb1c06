"""Inputs of kernels: packed views, snapshots of the map, windows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr._lanes import WIDTH
from ioadr.camera import RayModel
from ioadr.cost.congruence import CongruenceWeights
from ioadr.cost.occlusion import TILE, DataWeights, Occluders, level_of, raise_ceiling, summarise_levels
from ioadr.cost.planar import Planes
from ioadr.cost.total import Model
from ioadr.errors import InputError
from ioadr.geometry.normals import smooth_normals
from ioadr.geometry.plane import robust_planes, surface_points
from ioadr.geometry.ppp import LEVELS, MISSING, Rays
from ioadr.geometry.windows import grow
from ioadr.layout import FEWEST_VIEWS
from ioadr.lightfield import DisparityRange, LightField
from ioadr.parameters import CongruenceTerm, DataTerm, Parameters, PlanarTerm
from ioadr.spilled import let_rest, trim_heap
from ioadr.tones import WHITE, Tones

FloatMap = NDArray[np.float32]
MOST_SAMPLES = 2**31 - 1
LARGE = 250_000_000
"""Size of packed views, bytes, above which steps filter them in place and pack them again instead of copying them."""
TOGETHER = 16
"""Number of views that are packed before their memory is freed."""
AT_ONCE = 32
"""Rows of a view that are packed together; what is computed in between then stays in the processor's cache."""
WIDE = 6.4
"""Range, px, above which levels of occluders get coarser in proportion, so that their number stays the same."""


def used_views(lightfield: LightField, view_step: int) -> NDArray[np.bool_]:
    """[L, K]: the views that take part in an estimation."""
    return lightfield.layout.thinned(view_step)


def pack_rays(lightfield: LightField, view_step: int = 1, tones: Tones | None = None) -> Rays:
    """All used views, packed (see `geometry.ppp`), in these tones; by default, contrast is not stretched."""
    used = used_views(lightfield, view_step)
    index = np.argwhere(used)
    # Padded: 81 views of exactly 512² px meet in the same cache sets, 649 instead of 277 ns per J_PD (decision 7).
    row_stride = lightfield.width + 1 + (17 - (lightfield.width + 1)) % 32
    rows = lightfield.height + 1 + (lightfield.height + 1) % 2 + 1
    if len(index) * rows * row_stride > MOST_SAMPLES:
        raise InputError(
            f"{lightfield.name}: {len(index)} views of {lightfield.width}×{lightfield.height} px exceed the limit of "
            f"{MOST_SAMPLES:,} samples. Use fewer views (⟦views⟧), a smaller ⟦scale⟧, or ⟦tiles⟧."
        )
    tones = tones or Tones(0.0, WHITE / lightfield.white)
    if 4 * len(index) * rows * row_stride > LARGE:
        trim_heap()  # after a semi-global match, 0.7 GB of the heap are free (17×17 views of 1280×960 px)
    samples = np.empty((len(index), rows, row_stride), np.uint32)
    for v, (row, column) in enumerate(index):
        if v % TOGETHER == 0:
            let_rest(lightfield.views)
        _pack_view(lightfield.views[row, column], tones, samples[v])
    let_rest(lightfield.views)
    offsets = lightfield.offsets[used].astype(np.float32)
    return Rays(
        samples=samples.reshape(-1),
        row_stride=np.int32(row_stride),
        view_stride=np.int32(rows * row_stride),
        height=lightfield.height,
        width=lightfield.width,
        dy=np.ascontiguousarray(offsets[:, 0]),
        dx=np.ascontiguousarray(offsets[:, 1]),
        reach=np.abs(offsets).max(axis=1),
        reference=int(np.flatnonzero((index == lightfield.reference).all(axis=1))[0]),
    )


def fewer_rays(lightfield: LightField, rays: Rays, spacing: int, enough: int) -> Rays:
    """Evenly spread views, at most `enough`, of rays that were packed with a `spacing`."""
    used, step = used_views(lightfield, spacing), spacing
    while np.count_nonzero(used_views(lightfield, step)) > enough and step < max(lightfield.grid):
        step += spacing
    kept = used_views(lightfield, step)[used]
    if kept.all() or np.count_nonzero(kept) < FEWEST_VIEWS:
        return rays
    return rays._replace(
        samples=rays.samples.reshape(rays.dy.size, -1)[kept].reshape(-1),
        dy=rays.dy[kept],
        dx=rays.dx[kept],
        reach=rays.reach[kept],
        reference=int(np.count_nonzero(kept[: rays.reference])),
    )


def _pack_view(image: NDArray[Any], tones: Tones, samples: NDArray[np.uint32]) -> None:
    """Fill the padded samples of a view; its last row and column are repeated beyond it."""
    height, width = image.shape[:2]
    for begin in range(0, height, AT_ONCE):
        samples[begin : min(begin + AT_ONCE, height), :width] = pack_image(image[begin : begin + AT_ONCE], tones)
    samples[:height, width:] = samples[:height, width - 1 : width]
    samples[height:] = samples[height - 1]


def pack_image(image: NDArray[Any], tones: Tones) -> NDArray[np.uint32]:
    """[N, M, C] → uint32 [N, M]; grey counts as three equal channels."""
    if image.dtype == np.uint8 and tones == (0.0, 1.0):
        levels, unit = image, LEVELS
    else:
        shift, gain = np.float32(LEVELS * tones.offset + 0.5), np.float32(LEVELS * tones.gain)
        levels = np.clip(image * gain + shift, 0, 255.0 * LEVELS).astype(np.uint32)
        unit = 1.0
    packed = levels[..., -1].astype(np.uint32)
    for channel in (1, 0):
        packed <<= np.uint32(10)
        packed |= levels[..., min(channel, image.shape[2] - 1)]
    packed *= np.uint32(unit)
    return packed


def padded_guide(rays: Rays, pad: int) -> NDArray[np.uint32]:
    """The packed reference view with `pad` missing samples on each side."""
    start = rays.reference * rays.view_stride
    view = rays.samples[start : start + rays.view_stride].reshape(-1, rays.row_stride)
    return np.pad(view[: rays.height, : rays.width], pad, constant_values=MISSING)


def data_weights(rays: Rays, term: DataTerm) -> DataWeights:
    return DataWeights(
        occlusion_aware=term.occlusion_aware,
        plain_when_cheaper=term.plain_when_cheaper,
        min_visible=np.float32(max(term.min_visible_share * rays.dy.size, term.min_visible_views)),
        margin=np.float32(term.occluder_margin),
        uncounted=np.float32(0.0 if term.count_reference else 1.0),
        bounds=tuple(np.float32(b) for b in (rays.dy.min(), rays.dy.max(), rays.dx.min(), rays.dx.max())),
    )


def congruence_weights(term: CongruenceTerm, limits: DisparityRange, padded_width: int) -> CongruenceWeights:
    steps = np.arange(-term.half_width, term.half_width + 1)
    offsets = (steps[:, None] * padded_width + steps).ravel()
    if not term.include_centre:
        offsets = offsets[offsets != 0]
    return CongruenceWeights(
        offsets=offsets.astype(np.int32),
        lanes=np.pad(offsets, (0, -len(offsets) % WIDTH)).astype(np.int32),
        colour_scale=np.float32(term.colour_scale),
        disparity_scale=np.float32(term.disparity_scale),
        colour_limit=np.float32(term.colour_limit),
        disparity_limit=np.float32(limits.extent),
        epsilon=np.float32(term.epsilon),
        epsilon_plus_cost=term.epsilon_plus_cost,
    )


def least_weight(rays: Rays, term: CongruenceTerm) -> FloatMap:
    """Smallest λ of each pixel, [N, M]: the less the reference view's colours differ within W^c, the larger.

    The data constrain a texture-less surface weakly, and it drifts in sweeps without congruence.
    """
    if not term.plain_weight:
        return np.zeros((rays.height, rays.width), np.float32)
    return (term.plain_weight * np.clip(1.0 - contrast(rays, term.half_width) / term.plain_contrast, 0.0, 1.0)).astype(
        np.float32
    )


def contrast(rays: Rays, half_width: int) -> NDArray[np.float64]:
    """Range of the reference view's colours within a square, grey levels: the channel that has most, [N, M]."""
    view = padded_guide(rays, 0)
    channels = [((view >> np.uint32(10 * c)) & np.uint32(1023)).astype(np.int32) for c in range(3)]
    ranges: NDArray[np.float64] = (
        np.max([grow(c, half_width) + grow(-c, half_width) for c in channels], axis=0) / LEVELS
    )
    return ranges


@lru_cache(8)
def model_numbers(parameters: Parameters) -> Mapping[str, Any]:
    """The fields of `Model` that are named after a parameter, `focus_weight` after `focus.weight`."""
    groups = parameters.to_dict().items()
    numbers = {f"{group}_{name}": value for group, values in groups for name, value in values.items()}
    kept = {name: numbers[name] for name in Model._fields if name in numbers}
    return MappingProxyType({n: np.float32(v) if isinstance(v, float) else v for n, v in kept.items()})


def snapshot_occluders(
    disparity: FloatMap, rays: Rays, limits: DisparityRange, term: DataTerm, workers: Workers
) -> Occluders:
    """Summaries of the map for Algorithm 1."""
    step = term.occluder_step * max(1.0, limits.extent / WIDE)
    first, last = int(level_of(limits.minimum, step)), int(level_of(limits.maximum, step))
    tiles = [-(-size // TILE) for size in disparity.shape]
    levels = np.zeros((*tiles, (last - first) // 64 + 1), np.uint64)
    ceiling = np.empty_like(disparity)
    reach, written = np.float32(rays.reach.max() + 0.5), np.float32(term.write_hypothesis)
    if term.occlusion_aware:
        workers.rows(summarise_levels, tiles[0], disparity, first, step, levels)
        raise_ceiling(disparity, np.float32(1.0) / reach, written, np.empty_like(disparity), ceiling)
    return Occluders(
        surface=np.pad(disparity, ((0, 1), (0, 1)), mode="edge"),
        ceiling=ceiling,
        levels=levels,
        first=first,
        step=step,
        reach=reach,
        maximum=np.float32(limits.maximum),
        written=written,
    )


def plane_geometry(lightfield: LightField, limits: DisparityRange, term: PlanarTerm) -> RayModel:
    """The geometry for plane fits; without a camera, derived from the range."""
    camera, window = lightfield.camera_or_relative(limits), lightfield.part.window
    return camera.benchmark(window) if term.normals == "benchmark" else camera.pinhole(window)


def fit_planes(disparity: FloatMap, rays: RayModel, term: PlanarTerm, fits: int, workers: Workers) -> Planes:
    """ν_rob and d_μ of the map, fitted `fits` times, each time to the planes of the last; empty without a fit."""
    height = disparity.shape[0]
    robust = np.zeros((3, *(disparity.shape if fits else (0, 0))), np.float32)
    plane = np.zeros(robust.shape[1:], np.float32)
    normals = np.empty_like(robust)
    if fits:
        points = np.empty_like(robust)
        tolerance = term.tolerance if term.gate_offsets else np.inf
        limits = plane_border(term), np.float32(term.inlier_share), tolerance
        surface = disparity
        for _ in range(fits):
            workers.rows(smooth_normals, height, surface, rays, _kernel(term), normals)
            workers.rows(surface_points, height, surface, rays, points)
            workers.rows(
                robust_planes, height, disparity, rays, points, normals, plane_window(term), *limits, robust, plane
            )
            surface = plane.copy()
    central = term.small_kernel == "central"
    return Planes(normals=normals, robust=robust, plane=plane, tolerance=term.tolerance, central=central, rays=rays)


def _kernel(term: PlanarTerm) -> NDArray[np.float64]:
    i = np.arange(-term.kernel_half_width, term.kernel_half_width + 1)
    smooth = np.exp(-0.5 * (i / term.kernel_sigma) ** 2)
    return np.stack([i * smooth, smooth])


def plane_window(term: PlanarTerm) -> NDArray[np.int32]:
    """W^avg: offsets (row, column) [W, 2] of the normals that a plane is fitted to."""
    most = term.half_width - term.half_width % term.window_step
    steps = np.arange(-most, most + 1, term.window_step)
    return np.stack(np.meshgrid(steps, steps, indexing="ij"), axis=-1).reshape(-1, 2).astype(np.int32)


def plane_border(term: PlanarTerm) -> int:
    """Width of the image's edge whose normals are not used, px."""
    return 2 * term.kernel_half_width + 1


def map_padding(parameters: Parameters) -> int:
    """Samples around the map that kernels may read: W^c and the small kernel."""
    return max(parameters.congruence.half_width, 2)
