"""Compiled loops that call one kernel for many hypotheses: what tests compare and benchmarks time.

Hypotheses are where int64 [H, 2] and d float32 [H].
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import task
from ioadr.cost.congruence import congruence_cost, neighbour_weights, neighbours_around
from ioadr.cost.occlusion import cost_and_visible, data_cost, find_hidden, pixel_deviation
from ioadr.cost.planar import angle_degrees, planar_cost, small_normal
from ioadr.cost.total import look_around_pixel, smoothed_around
from ioadr.cost.views import is_hidden, views_around
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
def deviations(model, where, d, out):
    """out float32 [H], J_PD where all views hold the hypothesis, NaN elsewhere."""
    rays, weights, views = model.rays, model.data, views_around(model.rays, model.occluders)
    for h in range(d.size):
        n, m = where[h, 0], where[h, 1]
        inside = all_inside(rays, n, m, d[h], weights.bounds)
        out[h] = pixel_deviation(rays, views, n, m, d[h], weights, np.float32(np.inf)) if inside else np.nan


@task
def half_deviations(rays, where, d, out):
    for h in range(d.size):
        out[h] = half_deviation(rays, where[h, 0], where[h, 1], d[h])


@task
def hidden_views(model, where, d, out):
    """out bool [H, V]."""
    views = views_around(model.rays, model.occluders)
    for h in range(d.size):
        find_hidden(model.rays, model.occluders, where[h, 0], where[h, 1], d[h], model.data.margin, views)
        out[h] = False
        for i in range(views.index.size):
            out[h, views.index[i]] |= is_hidden(views, i)


@task
def visible_counts(model, where, d, out):
    views = views_around(model.rays, model.occluders)
    for h in range(d.size):
        n, m = where[h, 0], where[h, 1]
        out[h] = cost_and_visible(model.rays, model.occluders, model.data, n, m, d[h], views)[1]


@task
def data_costs(model, where, d, out):
    views = views_around(model.rays, model.occluders)
    for h in range(d.size):
        n, m = where[h, 0], where[h, 1]
        out[h] = data_cost(model.rays, model.occluders, model.data, n, m, d[h], np.float32(np.inf), views)


@task
def given_up_costs(model, where, d, rest, out):
    """out bool [H, 2]: whether a data term that may be given up is below rest [H], and whether the whole one is."""
    views = views_around(model.rays, model.occluders)
    for h in range(d.size):
        n, m = where[h, 0], where[h, 1]
        out[h, 0] = data_cost(model.rays, model.occluders, model.data, n, m, d[h], rest[h], views) < rest[h]
        out[h, 1] = cost_and_visible(model.rays, model.occluders, model.data, n, m, d[h], views)[0] < rest[h]


@task
def window_weights(model, state, where, d, out):
    """out float32 [H, W]: χ."""
    near = neighbours_around(model.congruence)
    chi = np.empty(model.congruence.lanes.size, np.float32)
    for h in range(d.size):
        n, m = where[h, 0], where[h, 1]
        look_around_pixel(model, state, n, m, near)
        neighbour_weights(near, model.congruence, d[h], state.cost[n, m], chi)
        out[h] = chi[: out.shape[1]]


@task
def smoothed_values(model, state, where, d, out):
    """out float32 [H, 2]: d_s and J_coc."""
    near = neighbours_around(model.congruence)
    for h in range(d.size):
        n, m = where[h, 0], where[h, 1]
        look_around_pixel(model, state, n, m, near)
        out[h, 0] = smoothed_around(model, state, n, m, d[h], near)
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
