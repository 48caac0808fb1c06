"""The interface of a module in this folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ioadr.errors import Note
from ioadr.io.posed import Scene


@dataclass(frozen=True)
class Target:
    """A program to export to."""

    help: str
    names: tuple[str, ...]
    """Names of the files and folders at the top."""
    write: Callable[[Scene, Path], None]
    notes: Callable[[Scene], list[Note]] = lambda scene: []
    all_views: bool = False
    """Whether it needs the images of all views."""
    metres: bool = False
    """Whether its format promises metres."""
    every_view: bool = False
    """Whether it needs the maps of every view."""
    depth_of_views: bool = False
    """Whether it uses the depth of every view, if available."""
