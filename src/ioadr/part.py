"""Windows and parts: rectangles of pixels, and the position of an image in a larger one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Window:
    """A rectangle of pixels.

    Parameters
    ----------
    top, left : int
        First row and column.
    bottom, right : int
        Row and column after the last.

    Examples
    --------
    >>> ioadr.Window(2, 4, 10, 16).moved(1, 0)
    Window(top=3, left=4, bottom=11, right=16)
    """

    top: int
    left: int
    bottom: int
    right: int

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def slices(self) -> tuple[slice, slice]:
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def moved(self, rows: int, columns: int) -> Window:
        """The window, `rows` lower and `columns` to the right."""
        return Window(self.top + rows, self.left + columns, self.bottom + rows, self.right + columns)


@dataclass(frozen=True)
class Part:
    """Position of an image in a larger one, whose camera and random numbers it shares, so that parts fit together.

    Parameters
    ----------
    window : Window
        The image, in pixels of the larger one.
    height, width : int
        Size of the larger image, px.

    Examples
    --------
    >>> part = ioadr.Part.whole(40, 60).crop(ioadr.Window(2, 4, 10, 16))
    >>> part.height, part.is_whole
    (40, False)
    """

    window: Window
    height: int
    width: int

    @classmethod
    def whole(cls, height: int, width: int) -> Part:
        """The part that is a whole image of `height`×`width` px."""
        return cls(Window(0, 0, height, width), height, width)

    @property
    def is_whole(self) -> bool:
        return self == Part.whole(self.height, self.width)

    def crop(self, window: Window) -> Part:
        """The part of this part inside `window`."""
        return Part(window.moved(self.window.top, self.window.left), self.height, self.width)
