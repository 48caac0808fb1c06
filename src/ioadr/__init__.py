"""Depth, surface normals and occlusions from 4D light fields, by explicit geometry."""

__version__ = "0.1.0"
