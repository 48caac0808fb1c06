"""Texts for people, shared by the terminal and the pages."""

from ioadr.app.words.quantities import DEPTH, disparities, duration, optics, percentage, preset_name

__all__ = ["DEPTH", "disparities", "duration", "optics", "percentage", "preset_name"]
