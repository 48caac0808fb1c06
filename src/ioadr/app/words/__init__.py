"""What is said to a person, the same in the terminal and on pages."""

from ioadr.app.words.quantities import DEPTH, disparities, duration, optics, preset_name

__all__ = ["DEPTH", "disparities", "duration", "optics", "preset_name"]
