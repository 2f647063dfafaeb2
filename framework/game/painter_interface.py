"""The attributes and methods of the painter that its passes (drawing steps) use.

`Painter` implements the protocol `Painting`. Modules with passes import this protocol, so they do
not have to import the painter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from ..gpu.gl import moderngl
    from ..gpu.graphics import FrameMoment
    from ..gpu.passes import Over
    from ..gpu.scaled import ScaledFramebuffer
    from .scene_drawables import Camera, SceneDrawables
    from .stage import Entry

Place: TypeAlias = tuple[int, int, int, int]
"""A viewport: x, y, width and height in pixels."""


class PaintedBackend(Protocol):
    """The methods of a drawable's backend that the painter calls in each frame."""

    @property
    def frontend(self) -> object: ...
    @property
    def keeps_light(self) -> bool: ...
    @property
    def changes_below(self) -> bool: ...

    def notice_writes(self) -> None: ...

    def draw(self) -> None: ...


Drawn: TypeAlias = "Sequence[tuple[PaintedBackend, Camera]]"
"""Pairs of a drawable's backend and its camera, in drawing order."""


class Painting(Protocol):
    """The attributes and methods of the painter that passes (drawing steps) use. Through this
    interface, passes read the images, the scenes and the alpha of the current frame.
    """

    moment: FrameMoment
    """The alpha of the frame, and other values that depend on the time of the frame."""
    time: float
    """The game time that the frame shows, in seconds."""
    paused: bool
    """Whether the game is paused. During a pause, rows that the game changes are drawn without
    interpolation.
    """
    background: tuple[float, float, float]
    seen: Sequence[Entry]
    """The scenes that this frame paints, from the lowest to the topmost."""
    target: moderngl.Framebuffer
    """The framebuffer of the finished frame."""
    whole: Place
    """The viewport of the finished frame in `target`."""
    canvas: moderngl.Framebuffer
    """The framebuffer for the scenes: `target`, or the offscreen image of a transition."""
    place: Place
    """The viewport of the scenes in `canvas`."""
    viewport: Place
    """The viewport of the framebuffer to which passes are currently drawing."""
    scaled: ScaledFramebuffer | None
    """The offscreen image of the world. None if the frame has no world image, or if the image has
    already been copied to `canvas`.
    """

    draw: Callable[[Drawn, SceneDrawables], None]
    """A function that draws drawables of a scene, each with its camera."""

    def bind(self, camera: Camera, drawables: SceneDrawables) -> None:
        """Set the camera for all drawables that are drawn after this call."""

    def bind_in(self, camera: Camera, drawables: SceneDrawables, viewport: Place) -> None:
        """Set the camera and the viewport for all drawables that are drawn after this call."""

    def bring(self, drawables: SceneDrawables | None, over: Over | None = None) -> None:
        """Apply the effects of a scene to the offscreen image `scaled`, and copy it to the
        framebuffer `canvas`.
        """

    def clear_depth(self) -> None:
        """Clear the depth buffer of `target`, unless this frame has already cleared it."""
