"""Compiled loops that call one kernel for many hypotheses: what tests compare and benchmarks time.

Hypotheses are where int64 [H, 2] and d float32 [H].
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import task
from ioadr.cost.congruence import congruence_cost, neighbour_weights
from ioadr.cost.occlusion import count_visible, data_cost, find_hidden, pixel_deviation
from ioadr.cost.planar import angle_degrees, planar_cost, small_normal
from ioadr.cost.total import smoothed_around
from ioadr.geometry.normals import plane_disparity, point
from ioadr.geometry.ppp import all_inside, occluder_origin, point_projection_image, project
from ioadr.solver.candidates import propose, reflect
from ioadr.solver.plane_sweep import half_deviation
from ioadr.solver.sweep import acceptance_limit


@task
def projections(rays, where, d, d_other, out):
    """out float32 [H, V, 4]: where each view sees the hypothesis, and where the reference view sees what hides it."""
    for h in range(d.size):
        n, m = where[h, 0], where[h, 1]
        for v in range(rays.dy.size):
            out[h, v, 0], out[h, v, 1] = project(n, m, d[h], rays.dy[v], rays.dx[v])
            out[h, v, 2], out[h, v, 3] = occluder_origin(n, m, d[h], d_other[h], rays.dy[v], rays.dx[v])


@task
def images(rays, where, d, colours, inside):
    """colours float32 [H, V, 3], inside bool [H, V]."""
    for h in range(d.size):
        point_projection_image(rays, where[h, 0], where[h, 1], d[h], colours[h], inside[h])


@task
def deviations(rays, where, d, weights, out):
    """out float32 [H], J_PD where all views hold the hypothesis, NaN elsewhere."""
    for h in range(d.size):
        n, m = where[h, 0], where[h, 1]
        inside = all_inside(rays, n, m, d[h], weights.bounds)
        out[h] = pixel_deviation(rays, n, m, d[h], weights) if inside else np.nan


@task
def half_deviations(rays, where, d, out):
    for h in range(d.size):
        out[h] = half_deviation(rays, where[h, 0], where[h, 1], d[h])


@task
def hidden_views(model, where, d, out):
    """out bool [H, V]."""
    hidden = np.empty((model.rays.dy.size + 63) // 64, np.uint64)
    found = np.empty(model.occluders.levels.shape[2], np.uint64)
    for h in range(d.size):
        find_hidden(model.rays, model.occluders, where[h, 0], where[h, 1], d[h], model.data.margin, hidden, found)
        for v in range(model.rays.dy.size):
            out[h, v] = (hidden[v // 64] >> np.uint64(v % 64)) & np.uint64(1)


@task
def visible_counts(model, where, d, out):
    hidden = np.empty((model.rays.dy.size + 63) // 64, np.uint64)
    found = np.empty(model.occluders.levels.shape[2], np.uint64)
    for h in range(d.size):
        n, m = where[h, 0], where[h, 1]
        out[h] = count_visible(model.rays, model.occluders, model.data, n, m, d[h], hidden, found)


@task
def data_costs(model, where, d, out):
    hidden = np.empty((model.rays.dy.size + 63) // 64, np.uint64)
    found = np.empty(model.occluders.levels.shape[2], np.uint64)
    for h in range(d.size):
        out[h] = data_cost(model.rays, model.occluders, model.data, where[h, 0], where[h, 1], d[h], hidden, found)


@task
def window_weights(model, state, where, d, out):
    """out float32 [H, W]: χ."""
    for h in range(d.size):
        n, m = where[h, 0], where[h, 1]
        centre = (n + model.pad) * state.disparity.shape[1] + m + model.pad
        neighbour_weights(
            state.disparity.reshape(-1),
            model.guide.reshape(-1),
            model.congruence,
            centre,
            d[h],
            state.cost[n, m],
            out[h],
        )


@task
def smoothed_values(model, state, where, d, out):
    """out float32 [H, 2]: d_s and J_coc."""
    for h in range(d.size):
        out[h, 0] = smoothed_around(model, state, where[h, 0], where[h, 1], d[h])
        out[h, 1] = congruence_cost(d[h], out[h, 0])


@task
def points_and_planes(rays, where, d, normals, offsets, out):
    """out float64 [H, 4]: 3D point, and the disparity of the plane (normals [H, 3], offsets [H]) in that pixel."""
    for h in range(d.size):
        n, m = where[h, 0], where[h, 1]
        out[h, 0], out[h, 1], out[h, 2] = point(n, m, np.float64(d[h]), rays)
        out[h, 3] = plane_disparity(n, m, normals[h, 0], normals[h, 1], normals[h, 2], offsets[h], rays)


@task
def small_normals(model, state, where, d, back, out):
    """out float64 [H, 3], not normalised."""
    for h in range(d.size):
        out[h, 0], out[h, 1], out[h, 2] = small_normal(
            state.disparity, where[h, 0], where[h, 1], d[h], model.pad, back, model.planes
        )


@task
def planar_costs(model, state, where, d, back, out):
    for h in range(d.size):
        out[h] = planar_cost(state.disparity, where[h, 0], where[h, 1], d[h], model.pad, back, model.planes)


@task
def angles(gaps, out):
    for i in range(gaps.size):
        out[i] = angle_degrees(gaps[i])


@task
def reflections(d, minimum, maximum, out):
    for i in range(d.size):
        out[i] = reflect(d[i], minimum, maximum)


@task
def proposals(heuristics, disparity, where, pad, back, d_smoothed, d_plane, noise, out):
    """out float32 [H, MOST], filled as far as there are candidates."""
    for h in range(len(where)):
        n, m = where[h, 0], where[h, 1]
        propose(heuristics, disparity, n, m, pad, back, d_smoothed[h], d_plane[h], noise[h], out[h])


@task
def acceptances(j_old, j_new, temperature, chance, out):
    for i in range(j_old.size):
        out[i] = j_new[i] < acceptance_limit(j_old[i], temperature, chance[i])
