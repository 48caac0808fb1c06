"""glTF 2.0 in one binary file (GLB): the textured mesh, or the point cloud.

Not written by trimesh, whose clouds lose their normals and reduce linear colours to 8 bits; a GLB is a JSON text and
a block of arrays. glTF prescribes metres, y up, −z forward.
"""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr import __version__
from ioadr.colours import Rgb, linear_from_srgb
from ioadr.errors import InputError
from ioadr.io.results.cloud import Cloud

FLOAT, UINT32 = 5126, 5125
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963
POINTS, TRIANGLES = 0, 4
COMPONENTS = {np.dtype("<f4"): FLOAT, np.dtype("<u4"): UINT32}
# The photograph has its light in it already: show it unlit.
UNLIT = "KHR_materials_unlit"


class _Document:
    """The glTF document, and the binary data that it refers to."""

    def __init__(self, extras: dict[str, Any]) -> None:
        self.blocks: list[bytes] = []
        self.size = 0
        self.tree: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": f"ioadr {__version__}", "extras": extras},
            "extensionsUsed": [UNLIT],
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0, "name": "scene" if extras["unit"] == "m" else "scene, relative scale"}],
            "materials": [{"pbrMetallicRoughness": {"metallicFactor": 0}, "extensions": {UNLIT: {}}}],
            "accessors": [],
            "bufferViews": [],
        }

    def view(self, content: bytes, target: int | None = None) -> int:
        """Add bytes; returns the number of their buffer view."""
        entry = {"buffer": 0, "byteOffset": self.size, "byteLength": len(content)}
        self.tree["bufferViews"].append(entry | ({"target": target} if target else {}))
        padding = -len(content) % 4
        self.blocks += [content, bytes(padding)]
        self.size += len(content) + padding
        return len(self.tree["bufferViews"]) - 1

    def array(self, values: NDArray[Any], target: int = ARRAY_BUFFER, bounds: bool = False) -> int:
        """Add an array [n] or [n, size]; returns the number of its accessor."""
        accessor: dict[str, Any] = {
            "bufferView": self.view(values.tobytes(), target),
            "componentType": COMPONENTS[values.dtype],
            "count": len(values),
            "type": "SCALAR" if values.ndim == 1 else f"VEC{values.shape[1]}",
        }
        if bounds:
            accessor |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
        self.tree["accessors"].append(accessor)
        return len(self.tree["accessors"]) - 1

    def write(self, path: Path) -> None:
        self.tree["buffers"] = [{"byteLength": self.size}]
        text = json.dumps(self.tree, separators=(",", ":")).encode("ascii")
        text += b" " * (-len(text) % 4)
        total = 12 + 8 + len(text) + 8 + self.size
        with path.open("wb") as file:
            file.write(struct.pack("<4sII", b"glTF", 2, total))
            file.write(struct.pack("<I4s", len(text), b"JSON") + text)
            file.write(struct.pack("<I4s", self.size, b"BIN\0"))
            file.writelines(self.blocks)


def write_glb_points(path: Path, points: Cloud, extras: dict[str, Any]) -> None:
    """Points with normals and colours."""
    document = _Document(extras)
    attributes = _coloured(document, points)
    document.tree["meshes"] = [{"primitives": [{"attributes": attributes, "mode": POINTS, "material": 0}]}]
    document.write(path)


def write_glb_coloured(path: Path, points: Cloud, triangles: NDArray[np.int32], extras: dict[str, Any]) -> None:
    """Triangles [T, 3] of numbers of points, in the points' colours: several views have no common texture."""
    if not len(triangles):
        raise InputError("mesh: no surface has three pixels. Save a point cloud instead.")
    document = _Document(extras)
    attributes = _coloured(document, points)
    indices = document.array(triangles.reshape(-1).astype("<u4"), ELEMENT_ARRAY_BUFFER)
    primitive = {"attributes": attributes, "indices": indices, "mode": TRIANGLES, "material": 0}
    document.tree["meshes"] = [{"primitives": [primitive]}]
    document.write(path)


def _coloured(document: _Document, points: Cloud) -> dict[str, int]:
    """Positions, normals, linear colours (as floats: some readers read 16-bit colours as 8-bit)."""
    return {
        "POSITION": document.array(points.positions, bounds=True),
        "NORMAL": document.array(points.normals),
        "COLOR_0": document.array(linear_from_srgb(points.colours)),
    }


def write_glb_mesh(path: Path, points: Cloud, triangles: NDArray[np.int32], image: Rgb, extras: dict[str, Any]) -> None:
    """Triangles [T, 3] of pixel numbers, textured with the reference view."""
    faces = points.index[triangles]
    faces = faces[(faces >= 0).all(axis=1)]
    if not len(faces):
        raise InputError("mesh: no surface has three pixels. Save a point cloud instead.")
    used, corners = np.unique(faces, return_inverse=True)
    document = _Document(extras)
    attributes = {
        "POSITION": document.array(points.positions[used], bounds=True),
        "NORMAL": document.array(points.normals[used]),
        "TEXCOORD_0": document.array(_texture_places(points.index, image)[used]),
    }
    indices = document.array(corners.reshape(-1).astype("<u4"), ELEMENT_ARRAY_BUFFER)
    primitive = {"attributes": attributes, "indices": indices, "mode": TRIANGLES, "material": 0}
    document.tree["meshes"] = [{"primitives": [primitive]}]
    document.tree["images"] = [{"bufferView": document.view(_png(image)), "mimeType": "image/png"}]
    document.tree["textures"] = [{"source": 0}]
    document.tree["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    document.write(path)


def _texture_places(index: NDArray[np.int32], image: Rgb) -> NDArray[np.float32]:
    """(u, v) of each point: the middle of its pixel, v downwards."""
    height, width = image.shape[:2]
    row, column = np.divmod(np.flatnonzero(index >= 0), width)
    return np.stack([(column + 0.5) / width, (row + 0.5) / height], axis=-1).astype("<f4")


def _png(image: Rgb) -> bytes:
    from PIL import Image

    content = io.BytesIO()
    Image.fromarray(image).save(content, "PNG", compress_level=1)
    return content.getvalue()
