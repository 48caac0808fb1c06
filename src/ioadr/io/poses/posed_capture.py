"""Posed photographs as a capture: views of one orientation, resampled once on loading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera, matrix
from ioadr.consistency.outcome import FAR_APART
from ioadr.errors import InputError
from ioadr.io.capture import Capture
from ioadr.io.decoding.header import Header
from ioadr.io.decoding.images import read_header, read_image
from ioadr.io.file_places import listed
from ioadr.io.options import ReadOptions
from ioadr.io.poses.canvas import Canvas, fitted, sources
from ioadr.io.poses.lattice import arranged_views
from ioadr.io.poses.photographs import Photograph, PosedPhotographs
from ioadr.io.poses.rig import FEWEST, Rig, assembled
from ioadr.io.samples import resized
from ioadr.lightfield import WHITE, DisparityRange
from ioadr.part import Window

SENSOR = 36.0
"""Assumed sensor size, mm, of the longer side: poses define angles, and lengths only with the sensor's size."""
SMALLEST = 16
"""Smallest side of a common area that can be estimated, px."""
IN_PLANE = 1e-4
"""Largest distance from the plane, in steps between cameras, that counts as rounding."""
BAND = 1 << 18
"""Number of pixels that are resampled at a time."""
ASPECT = 0.01
"""Largest relative difference between the aspect ratios of an image and its calibration."""


def read_posed(name: str, posed: PosedPhotographs, options: ReadOptions) -> Capture:
    """The capture; its notes list decisions and omissions."""
    present, headers = _present(posed, options)
    rig, canvas, share = fitted(assembled(present))
    if options.reference is not None:
        rig, canvas, share = _with_reference(present, rig, options.reference)
    if len(rig.photographs) < FEWEST or min(canvas.width, canvas.height) < SMALLEST:
        raise InputError(
            f"{posed.path}: the photographs share no area that can be estimated: only "
            f"{listed([taken.name for taken in rig.photographs])} overlap enough. Left out: "
            f"{_left_out_words(rig) or 'none'}. Take photographs closer to each other."
        )
    index, positions = arranged_views(rig.places[:, [1, 0, 2]] / rig.step)
    if np.abs(positions[..., 2]).max() < IN_PLANE:
        positions = positions[..., :2]
    notes = tuple(_notes(rig, share, options))
    # The crop counts pixels before scaling, so that scaling has to wait for it.
    scale = min(options.scale, 1.0) if options.crop is None else 1.0
    if scale < 1.0:
        rig, canvas = rig.scaled(scale), canvas.scaled(scale)
    rig = rig.levelled()
    names = {taken.name: number for number, taken in enumerate(rig.photographs)}
    header = headers[rig.photographs[rig.reference].name]
    kind = np.dtype(np.float32) if header.dtype.kind == "f" else np.dtype(np.uint16)
    available = index >= 0
    capture = Capture(
        format=name,
        path=posed.path,
        index=np.where(available, index, len(names)),
        height=canvas.height,
        width=canvas.width,
        channels=header.channels,
        dtype=kind,
        load=_loader(rig, canvas, header, kind),
        names=[*names, "no view"],
        available=available,
        positions=positions,
        camera=_camera(rig, canvas, options),
        range=_range(rig),
        reference=rig.reference,
        white=WHITE[kind.name],
        trusted=True,
        counted=True,
        scaled=scale,
    )
    return capture.with_(notes=(*header.remarks, *present.notes, *notes))


def _left_out_words(rig: Rig) -> str:
    """Omitted photographs in words, grouped by reason."""
    reasons = dict.fromkeys(why for _, why in rig.left_out)
    names = {reason: [name for name, why in rig.left_out if why == reason] for reason in reasons}
    return "; ".join(f"{len(those)} {reason} ({listed(those)})" for reason, those in names.items())


def _with_reference(posed: PosedPhotographs, rig: Rig, place: tuple[int, int]) -> tuple[Rig, Canvas, float]:
    """The rig with another reference view; the other views stay."""
    index, _ = arranged_views(rig.places[:, [1, 0, 2]] / rig.step)
    there = 0 <= place[0] < index.shape[0] and 0 <= place[1] < index.shape[1] and index[place] >= 0
    wanted = rig.photographs[index[place]].name if there else None
    names = [taken.name for taken in posed.photographs]
    moved = fitted(assembled(posed, names.index(wanted) if wanted else None))
    if wanted is None or [p.name for p in moved[0].photographs] != [p.name for p in rig.photographs]:
        raise InputError(
            f"{posed.path}: view {place[0]} {place[1]} cannot be the reference: "
            + ("it would lose other views" if there else f"the grid has {index.shape[0]}×{index.shape[1]} places")
            + ". Choose one nearer to the middle with ⟦reference ROW COL⟧."
        )
    return moved


def _present(posed: PosedPhotographs, options: ReadOptions) -> tuple[PosedPhotographs, dict[str, Header]]:
    """Photographs whose file exists, calibrated for its size."""
    missing = [taken.name for taken in posed.photographs if taken.file is None]
    if missing and (options.skip != "missing" or len(missing) == len(posed.photographs)):
        raise InputError(
            f"{posed.path}: {len(missing)} of {len(posed.photographs)} images with poses are missing: "
            f"{listed(missing)}. Restore them, or continue without: ⟦skip missing⟧."
        )
    photographs = [_opened(taken, posed) for taken in posed.photographs if taken.file is not None]
    headers = {taken.name: header for taken, header in photographs}
    kinds = {(header.channels, header.dtype) for header in headers.values()}
    if len(kinds) > 1:
        raise InputError(
            f"{posed.path}: images differ in their samples: "
            f"{listed(sorted(f'{channels} × {kind}' for channels, kind in kinds))}. Export all of them in the same way."
        )
    there = [_calibrated(taken, header, posed) for taken, header in photographs]
    scaled = sum(new.size != old.size for new, (old, _) in zip(there, photographs, strict=True))
    notes = (f"{scaled} images differ in size from their calibration: cameras scaled accordingly",) if scaled else ()
    missed = (f"{len(missing)} images with poses are missing and left out",) if missing else ()
    return replace(posed, photographs=there, notes=(*posed.notes, *notes, *missed)), headers


def _opened(taken: Photograph, posed: PosedPhotographs) -> tuple[Photograph, Header]:
    """The photograph with the header of its image, in the orientation of the calibration.

    Structure from motion ignores orientation tags, some programs apply them: the size decides, or common practice.
    """
    assert taken.file is not None
    stored = read_header(taken.file, upright=False)
    if stored.orientation == 1:
        return taken, stored
    as_stored, turned = (_like(taken.size, header) for header in (stored, stored.upright()))
    if turned and (posed.upright or not as_stored):
        return replace(taken, upright=True), stored.upright()
    remark = f"images are used as stored, like their poses: orientation tags ({stored.orientation}) are ignored"
    return taken, replace(stored, remarks=(*stored.remarks, remark))


def _like(size: tuple[int, int], header: Header) -> bool:
    """Whether an image may be a scaled version of an image of that size."""
    return abs(header.width * size[1] / (header.height * size[0]) - 1.0) <= ASPECT


def _calibrated(taken: Photograph, header: Header, posed: PosedPhotographs) -> Photograph:
    """The photograph calibrated for the size of its image."""
    width, height = header.width, header.height
    if taken.size == (width, height):
        return taken
    if not _like(taken.size, header):
        raise InputError(
            f"{posed.path}: {taken.name} has {width}×{height} px, but its camera was calibrated for "
            f"{taken.size[0]}×{taken.size[1]}. Restore the images of the calibration, or calibrate again."
        )
    return taken.resized((width, height))


def _loader(rig: Rig, canvas: Canvas, header: Header, kind: np.dtype[Any]) -> Any:
    """Loader that reads and resamples views one by one. 8 bits become 16: rounding after resampling would add noise."""
    factor = WHITE[kind.name] / WHITE[header.dtype.name]

    def load(numbers: Sequence[int], window: Window) -> NDArray[Any]:
        views = np.empty((len(numbers), window.height, window.width, header.channels), kind)
        for view, number in zip(views, numbers, strict=True):
            view[:] = _resampled(rig, canvas, number, window, factor, kind)
        return views

    return load


def _resampled(rig: Rig, canvas: Canvas, number: int, window: Window, factor: float, kind: np.dtype[Any]) -> Any:
    """Resample a photograph in bands of rows: positions in a large photograph take more memory than its samples."""
    # Here, as compiled code takes a second to import, which readers of other formats need not wait for.
    from ioadr._jit import Workers
    from ioadr.geometry.resample import resample_rows

    image = _image(rig.photographs[number])
    out = np.empty((window.height, window.width, image.shape[2]), np.float32)
    step = max(1, BAND // window.width)
    with Workers() as workers:
        for top in range(0, window.height, step):
            band = Window(window.top + top, window.left, min(window.top + top + step, window.bottom), window.right)
            rows, columns = (places.astype(np.float32) for places in sources(rig, canvas, number, band))
            # Between nodes at which the view was asked, a lens may bend the border of the image by part of a pixel.
            rows, columns = np.clip(rows, -0.5, image.shape[0] - 0.5), np.clip(columns, -0.5, image.shape[1] - 0.5)
            workers.rows(resample_rows, band.height, image, rows, columns, out[top : top + band.height])
    out *= np.float32(factor)
    return out if kind.kind == "f" else np.clip(np.rint(out), 0, np.iinfo(kind).max)


def _image(taken: Photograph) -> NDArray[Any]:
    """Samples of a photograph, reduced as requested."""
    assert taken.file is not None
    image = read_image(taken.file, upright=taken.upright)
    if taken.scale == 1.0:
        # Kernels would be compiled once more for turned images, and for those that must not be written to.
        return np.require(image, requirements=["C_CONTIGUOUS", "WRITEABLE"])
    return resized(image[None].astype(np.float32), taken.scale, (taken.size[1], taken.size[0]))[0]


def _camera(rig: Rig, canvas: Canvas, options: ReadOptions) -> Camera:
    """The camera of all views; `Camera` counts the sensor from pixel to pixel in depth and over all in rays."""
    metres, side = options.pose_unit or 1.0, max(canvas.width, canvas.height)
    taken = rig.photographs[rig.reference]
    turn = rig.axes.T / metres
    return Camera(
        focal_length_mm=SENSOR * rig.focal / (side - 1),
        sensor_size_mm=SENSOR,
        baseline_mm=1000.0 * metres * rig.step * (side - 1) / side,
        focus_distance_m=metres / rig.inverse_focus if rig.inverse_focus > 0 else float("inf"),
        width=canvas.width,
        height=canvas.height,
        axis_offset=(-canvas.top - 0.5 * (canvas.height - 1), -canvas.left - 0.5 * (canvas.width - 1)),
        world=matrix(np.column_stack([turn, taken.centre])),
        metric=options.pose_unit is not None,
    )


def _range(rig: Rig) -> DisparityRange | None:
    """d = f·B·(1/Z − 1/F), px per baseline unit."""
    if rig.inverse_depths is None:
        return None
    low, high = (rig.focal * rig.step * (value - rig.inverse_focus) for value in rig.inverse_depths)
    return DisparityRange(low, high, "file")


def _notes(rig: Rig, share: float, options: ReadOptions) -> Iterator[str]:
    turns, forward = rig.turns, np.abs(rig.places[:, 2])
    taken = rig.photographs[rig.reference]
    yield (
        f"{len(rig.photographs)} photographs undistorted and rotated by {turns.min():.1f}° … {turns.max():.1f}° to one "
        f"orientation, up to {100 * forward.max() / rig.extent:.0f} % of the cameras' extent out of one plane; "
        f"resampled once; the reference view is {taken.name}"
    )
    if rig.apart > FAR_APART:
        yield (
            f"neighbouring photographs are {rig.apart:.1f}° apart as seen from the scene: above {FAR_APART:.0f}°, "
            "depth is coarse, and many surfaces are hidden from some of them"
        )
    if rig.left_out:
        plural = "s" * (len(rig.left_out) > 1)
        yield f"{len(rig.left_out)} photograph{plural} left out: {_left_out_words(rig)}"
    yield f"{100 * share:.0f} % of the reference photograph, the area that all views share, is used"
    if rig.inverse_depths is None:
        yield "the poses come without scene points: the disparity range will be estimated"
    else:
        low, high = rig.inverse_depths
        far = f"{1 / low:.4g}" if low > 0 else "infinity"
        yield f"{rig.points} scene points lie {1 / high:.4g} … {far} units of the poses away"
    if options.pose_unit is None:
        yield "lengths are in the unit of the poses, which the files do not state (⟦pose-unit METRES⟧)"
