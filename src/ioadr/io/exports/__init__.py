"""Writers for other programs, one module for each."""

PROGRAMS = ("nerfstudio", "colmap", "open3d", "blender")
"""The modules, each with its `TARGET`, in the order in which they are offered."""
