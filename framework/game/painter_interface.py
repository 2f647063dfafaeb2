"""Painter interface: the attributes and methods of the painter that the passes (steps of a frame)
use.

The class `Painter` implements the protocol `Painting`. A pass that only some games need is in a
module of its own. A module with a pass uses the protocol `Painting` and does not import the modules
of other passes.
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
    """The methods of a drawable's backend that are called in each frame."""

    @property
    def frontend(self) -> object: ...
    @property
    def keeps_light(self) -> bool: ...
    @property
    def changes_below(self) -> bool: ...

    def notice_writes(self) -> None: ...

    def draw(self) -> None: ...


Drawn: TypeAlias = "Sequence[tuple[PaintedBackend, Camera]]"
"""Backends in drawing order, each with its camera."""


class Painting(Protocol):
    """The interface by which a `Pass` reads the frame that the painter is drawing: its images,
    scenes and alpha.
    """

    moment: FrameMoment
    """The time at which the frame is drawn, with its alpha (the position between two ticks)."""
    time: float
    """The time at which the frame is drawn, in simulated seconds."""
    paused: bool
    """True while no ticks run. While no ticks run, rows that the game has changed are drawn without
    interpolation.
    """
    background: tuple[float, float, float]
    seen: Sequence[Entry]
    """The scenes that this frame paints, the lowest first."""
    target: moderngl.Framebuffer
    """The framebuffer of the finished frame."""
    whole: Place
    """The viewport of the finished frame on `target`."""
    canvas: moderngl.Framebuffer
    """The framebuffer that scenes are painted to: `target`, or the offscreen image of a transition.
    """
    place: Place
    """The viewport of the scenes on `canvas`."""
    viewport: Place
    """The viewport of the current drawing target."""
    scaled: ScaledFramebuffer | None
    """The offscreen image of the world, or None after the image was copied to `canvas`."""

    draw: Callable[[Drawn, SceneDrawables], None]
    """Draw the drawables of a scene, each through its camera."""

    def bind(self, camera: Camera, drawables: SceneDrawables) -> None:
        """Set the camera for everything that is drawn after this call."""

    def bind_in(self, camera: Camera, drawables: SceneDrawables, viewport: Place) -> None:
        """Set the camera and the viewport for everything that is drawn after this call."""

    def bring(self, drawables: SceneDrawables | None, over: Over | None = None) -> None:
        """Copy the image of one scene, or of all scenes, from the offscreen image `scaled` to the
        framebuffer `canvas`, and apply the scene's effects.
        """

    def clear_depth(self) -> None:
        """Clear the depth buffer of `target`, if the depth is of an earlier frame."""
