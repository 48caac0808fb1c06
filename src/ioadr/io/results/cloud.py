"""Point clouds of an estimate: PLY and XYZ.

All geometry files share one frame: x right, y up, z towards the viewer, origin in the reference camera, so
that viewers show the scene upright. Unit is the metre; without a camera, distances are relative.

PLY is not written by trimesh, because its PLY has no comments and no normals of a point cloud, and importing it takes
longer than writing the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ioadr.colours import Rgb, rgb8
from ioadr.errors import InputError
from ioadr.result import Estimate

PROVENANCE = "ioadr.provenance"
"""Start of the comment lines that together contain provenance.json."""
LONGEST_LINE = 200
"""Largest length of a header line, bytes. RPly, the reader of Open3D and others, fails or overflows beyond 1,024."""
AXES = np.array([1.0, -1.0, -1.0], np.float32)
"""From the estimate's axes (y down, z away) to those of the files."""
UPRIGHT = "x right, y up, z towards the viewer"
FRAME = f"axes: {UPRIGHT}; origin: reference camera"


@dataclass(frozen=True, eq=False)
class Cloud:
    """The pixels with a finite position, in the frame of the files."""

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]
    colours: Rgb
    confidence: NDArray[np.float32]
    index: NDArray[np.int32]
    """[N·M]: index of the pixel's point; −1 if there is none."""
    views: NDArray[np.uint16] | None = None
    """Number of views that see each point; None if only the reference view was estimated."""


def point_cloud(estimate: Estimate, min_confidence: float = 0.0) -> Cloud:
    """Points with unit normals that face the camera, display colours and confidence, above a minimum confidence."""
    positions = estimate.points.reshape(-1, 3)
    normals = estimate.normals.reshape(-1, 3)
    oriented = _finite(normals)
    # An image of one row or column has no normals: zeros say so.
    kept = _finite(positions) & (oriented | ~oriented.any())
    trusted = kept & (estimate.confidence.reshape(-1) >= min_confidence) if min_confidence else kept
    if kept.any() and not trusted.any():
        best = np.floor(1000 * float(np.nanmax(estimate.confidence))) / 1000  # rounded up, it might be enough
        raise InputError(f"⟦min-confidence {min_confidence:g}⟧: no pixel has that confidence; the highest is {best:g}.")
    kept = trusted
    if not kept.any():
        raise InputError("points: none lie in front of the camera. Check the camera's numbers.")
    index = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    chosen = slice(None) if kept.all() else kept  # a mask takes four times as long
    return Cloud(
        positions=positions[chosen] * AXES,
        normals=np.nan_to_num(normals[chosen] * AXES),
        colours=rgb8(estimate.image, estimate.white).reshape(-1, 3)[chosen],
        confidence=estimate.confidence.reshape(-1)[chosen],
        index=index,
    )


def _finite(vectors: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether all three components are finite; numpy's `all` over so short an axis takes four times as long."""
    finite: NDArray[np.bool_] = np.isfinite(vectors[:, 0]) & np.isfinite(vectors[:, 1]) & np.isfinite(vectors[:, 2])
    return finite


def write_ply(
    path: Path,
    points: Cloud,
    unit: str,
    provenance: str,
    frame: str = FRAME,
    triangles: NDArray[np.int32] | None = None,
) -> None:
    """Binary PLY: x y z nx ny nz red green blue confidence, views where they were counted, and triangles [T, 3]."""
    vertices = np.empty(
        len(points.positions),
        [(name, "<f4") for name in ("x", "y", "z", "nx", "ny", "nz")]
        + [(name, "u1") for name in ("red", "green", "blue")]
        + [("confidence", "<f4")]
        + ([] if points.views is None else [("views", "<u2")]),
    )
    for names, columns in (
        ("x y z", points.positions),
        ("nx ny nz", points.normals),
        ("red green blue", points.colours),
    ):
        for name, column in zip(names.split(), columns.T, strict=True):
            vertices[name] = column
    vertices["confidence"] = points.confidence
    if points.views is not None:
        vertices["views"] = points.views
    kinds = {"<f4": "float", "|u1": "uchar", "<u2": "ushort"}
    lines = [
        "ply",
        "format binary_little_endian 1.0",
        f"comment unit: {unit}; {frame}",
        *(f"comment {PROVENANCE} {piece}" for piece in _pieces(provenance)),
        f"element vertex {len(vertices)}",
        *(f"property {kinds[vertices.dtype[name].str]} {name}" for name in vertices.dtype.names or ()),
        *([] if triangles is None else [f"element face {len(triangles)}", "property list uchar int vertex_indices"]),
        "end_header",
    ]
    with path.open("wb") as file:
        file.write(("\n".join(lines) + "\n").encode("ascii"))
        file.write(vertices.tobytes())
        if triangles is not None:
            faces = np.empty(len(triangles), [("count", "u1"), ("corners", "<i4", 3)])
            faces["count"], faces["corners"] = 3, triangles
            file.write(faces.tobytes())


def write_xyz(path: Path, points: Cloud) -> None:
    """Text, one point per line: x y z red green blue. The format cannot hold more."""
    table = np.concatenate([points.positions, points.colours], axis=1)
    np.savetxt(path, table, fmt="%.6g %.6g %.6g %d %d %d")


def _pieces(text: str) -> list[str]:
    """Pieces of a line that fit into comments; none begins or ends with a space, which readers may strip."""
    longest, pieces = LONGEST_LINE - len(f"comment {PROVENANCE} "), []
    while text:
        size = longest
        while 1 < size < len(text) and " " in text[size - 1 : size + 1]:
            size -= 1
        pieces.append(text[:size])
        text = text[size:]
    return pieces
