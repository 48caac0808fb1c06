"""Depth, surface normals and occlusions from 4D light fields, by explicit geometry.

    import ioadr
    estimate = ioadr.estimate("scenes/cotton")
    estimate.save("out/cotton")

Names are imported when first used, so that `import ioadr` costs nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ioadr.alignment import align
    from ioadr.camera import Camera
    from ioadr.errors import InputError, IoadrError, OutputError
    from ioadr.estimation import estimate
    from ioadr.io import load_estimate, read
    from ioadr.io.diagnosis import diagnose
    from ioadr.io.results.view_files import load_views
    from ioadr.layout import Layout
    from ioadr.lightfield import DisparityRange, LightField, Source
    from ioadr.parameter_files import load_parameters
    from ioadr.parameters import Parameters
    from ioadr.part import Part, Window
    from ioadr.presets import preset
    from ioadr.result import Estimate
    from ioadr.solver.disparity_range import estimate_range
    from ioadr.views.estimation import estimate_views
    from ioadr.views.pose import Viewpoint
    from ioadr.views.result import Views

__version__ = "0.2.0"

__all__ = [
    "Camera",
    "DisparityRange",
    "Estimate",
    "InputError",
    "IoadrError",
    "Layout",
    "LightField",
    "OutputError",
    "Parameters",
    "Part",
    "Source",
    "Viewpoint",
    "Views",
    "Window",
    "__version__",
    "align",
    "diagnose",
    "estimate",
    "estimate_range",
    "estimate_views",
    "load_estimate",
    "load_parameters",
    "load_views",
    "preset",
    "read",
]

_HOME = {
    "Camera": "camera",
    "DisparityRange": "lightfield",
    "Estimate": "result",
    "InputError": "errors",
    "IoadrError": "errors",
    "Layout": "layout",
    "LightField": "lightfield",
    "OutputError": "errors",
    "Parameters": "parameters",
    "Part": "part",
    "Source": "lightfield",
    "Viewpoint": "views.pose",
    "Views": "views.result",
    "Window": "part",
    "align": "alignment",
    "diagnose": "io.diagnosis",
    "estimate": "estimation",
    "estimate_range": "solver.disparity_range",
    "estimate_views": "views.estimation",
    "load_estimate": "io",
    "load_parameters": "parameter_files",
    "load_views": "io.results.view_files",
    "preset": "presets",
    "read": "io",
}


if not TYPE_CHECKING:  # so that a type checker finds misspelt names

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'ioadr' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
        value = getattr(import_module(f"ioadr.{_HOME[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
