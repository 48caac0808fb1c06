"""Normals and planes of a disparity map in compiled form (§ IV-D, Eqs. 17–19; § V-C, Eqs. 30–34)."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task


@kernel
def inverse_depth(d, rays):
    """1/Z of disparity d for a `RayModel` (Eq. 3)."""
    return rays.slope * d + rays.offset


@kernel
def direction(n, m, rays):
    """(x/Z, y/Z) of pixel (n, m)."""
    return (m - rays.m0) * rays.pitch_x, (n - rays.n0) * rays.pitch_y


@kernel
def point(n, m, d, rays):
    """3D point (x, y, z) of pixel (n, m) at disparity d (Eq. 2)."""
    z = 1.0 / inverse_depth(d, rays)
    x, y = direction(n, m, rays)
    return x * z, y * z, z


@kernel
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def plane_disparity(n, m, nx, ny, nz, offset, rays):
    """Disparity at which pixel (n, m) sees the plane ⟨x, ν⟩ = offset (Eq. 34)."""
    x, y = direction(n, m, rays)
    return ((x * nx + y * ny + nz) / offset - rays.offset) / rays.slope


@task
def smooth_normals(begin, end, disparity, rays, kernel_values, normals):
    """Fill rows begin … end − 1 with the normals ν_lg float32 [3, N, M] (Eq. 30).

    They follow from the separable difference kernel i·g(i)⊗g(j), with replicated edges. kernel_values float64
    [2, 2δ+1]: the difference and the smoothing factor.
    """
    height, width = disparity.shape
    half = kernel_values.shape[1] // 2
    for n in range(begin, end):
        rows = np.zeros((2, 3, width + 2 * half))
        for i in range(-half, half + 1):
            row = min(max(n + i, 0), height - 1)
            for c in range(width + 2 * half):
                m = min(max(c - half, 0), width - 1)
                x, y, z = point(row, m, np.float64(disparity[row, m]), rays)
                difference, smooth = kernel_values[0, i + half], kernel_values[1, i + half]
                rows[0, 0, c] += smooth * x
                rows[0, 1, c] += smooth * y
                rows[0, 2, c] += smooth * z
                rows[1, 0, c] += difference * x
                rows[1, 1, c] += difference * y
                rows[1, 2, c] += difference * z
        for m in range(width):
            hx, hy, hz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for j in range(2 * half + 1):
                difference, smooth = kernel_values[0, j], kernel_values[1, j]
                hx += difference * rows[0, 0, m + j]
                hy += difference * rows[0, 1, m + j]
                hz += difference * rows[0, 2, m + j]
                vx += smooth * rows[1, 0, m + j]
                vy += smooth * rows[1, 1, m + j]
                vz += smooth * rows[1, 2, m + j]
            nx, ny, nz = cross(vx, vy, vz, hx, hy, hz)
            length = np.sqrt(nx * nx + ny * ny + nz * nz)
            scale = 1.0 / length if length > 0 else 0.0
            normals[0, n, m] = nx * scale
            normals[1, n, m] = ny * scale
            normals[2, n, m] = nz * scale
