"""Analytic scenes: light fields with exact disparity, normals, visibility and regions.

`demo()` is the built-in scene, `random_light_field(seed)` makes scenes for tests and tuning, `render(scene, camera)`
renders any other, and `render_views` does so without holding all views in memory. Grid, positions, reference view,
image size, sample type and disparity range are free.
"""

from ioadr.evaluation.synthetic.folder import write_scene
from ioadr.evaluation.synthetic.pictures import Options
from ioadr.evaluation.synthetic.random_scenes import FAMILIES, random_light_field, random_scene
from ioadr.evaluation.synthetic.rendering import Rendered, camera_for, render, render_views
from ioadr.evaluation.synthetic.scenes import DEMO_SIZE, demo, demo_scene
from ioadr.evaluation.synthetic.shading import Scene

__all__ = [
    "DEMO_SIZE",
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
