"""Cost curve of one pixel, compiled: the sweeps' cost terms over many disparities."""

from __future__ import annotations

from ioadr._jit import task
from ioadr.cost.congruence import neighbours_around
from ioadr.cost.occlusion import cost_and_visible
from ioadr.cost.total import cost_terms, look_around_pixel
from ioadr.cost.views import views_around


@task
def cost_curve(model, plain, state, n, m, disparities, back, terms):
    """Compute all terms and J_PD of each disparity [D] at (n, m), in grey levels: terms float32 [T + 1, D].

    `plain` holds the data weights with every view visible.
    """
    views = views_around(model.rays, model.occluders)
    near = neighbours_around(model.congruence)
    look_around_pixel(model, state, n, m, near)
    for i in range(disparities.size):
        d = disparities[i]
        data = cost_and_visible(model.rays, model.occluders, model.data, n, m, d, views)[0]
        cost_terms(model, state, n, m, d, back, data, near, terms[:-1, i])
        terms[-1, i] = cost_and_visible(model.rays, model.occluders, plain, n, m, d, views)[0]
