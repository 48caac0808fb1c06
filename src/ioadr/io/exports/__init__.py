"""Writers for other programs, one module each."""

PROGRAMS = ("nerfstudio", "colmap", "open3d", "blender", "quilt")
"""The modules, each with its `TARGET`, in the order in which they are offered."""
DEVICES = ("portrait", "go", "16", "32", "65")
"""Displays for which quilts can be made; `quilt.SETTINGS` describes them."""
