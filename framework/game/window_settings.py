"""Set the title, the icon, the minimum size and the frame rate of a window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import checks
from ..arrays import Pixels
from ..checks import flag
from .pointer import Shown

if TYPE_CHECKING:  # only for type checkers: games without a screen do not import it
    from pyglet.window import BaseWindow

    from ..resources import Folder

_MAX_ICON = 256  # the maximum side in pixels; larger icons are scaled down
_MAX_FPS = 1e9


class ScreenInfo(NamedTuple):
    """A screen (monitor) of the machine. The attributes `width` and `height` are in units."""

    width: int
    height: int
    refresh_rate: float
    """The number of refreshes per second, or 60 if the number is unknown."""


def frames_per_second(name: str, value: object) -> float | None:
    """Check a maximum number of frames per second, and return it. With None, there is no
    maximum.
    """
    return None if value is None else checks.number(name, value, above=0, most=_MAX_FPS)


def smallest_size(name: str, value: object) -> tuple[int, int] | None:
    """Check the minimum size of a window, and return it. With None, there is no minimum size."""
    return None if value is None else checks.size(name, value)


def screen_index(name: str, value: object) -> int | None:
    """Check the index of a screen (monitor), and return it. With None, the operating system chooses
    a screen.
    """
    return None if value is None else checks.whole(name, value, 0)


def icon_images(value: Any, folders: Sequence[Folder]) -> list[Pixels]:
    """Load the images of an icon, scaled down to at most 256 pixels per side. ``value`` is an image
    or a list of images. Raises the same errors as the function `images.load`.
    """
    from PIL import Image

    from ..assets.images import checked_source, load

    images = []
    for source in value if isinstance(value, list | tuple) else [value]:
        pixels = load(checked_source("icon", source), folders)
        if max(pixels.shape[:2]) > _MAX_ICON:
            image = Image.fromarray(pixels)
            image.thumbnail((_MAX_ICON, _MAX_ICON))
            pixels = load(image)
        images.append(pixels)
    if not images:
        raise checks.wrong_value("icon", "an image or a list of images", value)
    return images


class WindowSettings:
    """The settings of a window. In a game without a window, the settings are stored but have no
    effect.
    """

    not_state = True

    title = Shown(checks.text, "The title of the window.")
    min_size = Shown(smallest_size, "The smallest size of the window in units, or None.")
    vsync = Shown(flag, "Whether frames wait for the display's refresh.")
    max_fps = Shown(frames_per_second, "The maximum number of frames per second, or None.")

    def __init__(self) -> None:
        self.window: BaseWindow | None = None
        self._title = ""
        self._min_size: tuple[int, int] | None = None
        self._vsync = True
        self._max_fps: float | None = None
        self.icon: Any = None
        """The image of the icon, or a list of images. None means that the operating system chooses
        an icon.
        """
        self._icon_images: list[Pixels] = []

    def set_icon(self, value: Any, folders: Sequence[Folder]) -> None:
        """Set the icon of the window. Image files are searched for in ``folders``."""
        self._icon_images = [] if value is None else icon_images(value, folders)
        self.icon = value
        self.show("icon")

    def show_again(self) -> None:
        """Apply the icon and the minimum size to the window again. Called after pyglet has replaced
        the window with a new window, for example for full screen.
        """
        self.show("icon")
        self.show("min_size")

    def show(self, name: str) -> None:
        """Apply the setting ``name`` to the window."""
        window = self.window
        if window is None:
            return
        if name == "title":
            window.set_caption(self.title)
        elif name == "vsync":
            window.set_vsync(self.vsync)
        elif name == "icon" and self._icon_images:
            window.set_icon(*map(_pyglet_image, self._icon_images))
        elif name == "min_size":
            width, height = self.min_size or (1, 1)
            window.set_minimum_size(width, height)
            was_width, was_height = window.get_size()
            if (was_width < width or was_height < height) and not window.fullscreen:
                window.set_size(max(was_width, width), max(was_height, height))


def _pyglet_image(pixels: Pixels) -> Any:
    from pyglet.image import ImageData

    height, width = pixels.shape[:2]
    return ImageData(width, height, "RGBA", pixels.tobytes(), -4 * width)
