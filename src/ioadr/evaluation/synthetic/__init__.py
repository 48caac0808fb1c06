"""Analytic scenes: light fields with exact disparity, normals, visibility and regions.

`demo()` is the one to look at, `random_light_field(seed)` the many to test and tune with, `render(scene, camera)`
does any other, `render_views` without holding all views at once. Any grid, positions, reference view, image size,
sample type and range of disparities will do.
"""

from ioadr.evaluation.synthetic.folder import write_scene
from ioadr.evaluation.synthetic.random_scenes import FAMILIES, random_light_field, random_scene
from ioadr.evaluation.synthetic.rendering import Options, Rendered, camera_for, render, render_views
from ioadr.evaluation.synthetic.scenes import demo, demo_scene
from ioadr.evaluation.synthetic.shading import Scene

__all__ = [
    "FAMILIES",
    "Options",
    "Rendered",
    "Scene",
    "camera_for",
    "demo",
    "demo_scene",
    "random_light_field",
    "random_scene",
    "render",
    "render_views",
    "write_scene",
]
