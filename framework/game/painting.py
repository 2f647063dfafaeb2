"""Painting: what the passes of a picture know of it and do to it.

The `Painter` is the painting. Passes that not every game has are in modules of their own; each
knows this protocol and not the other passes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from ..gpu.gl import moderngl
    from ..gpu.graphics import Moment
    from ..gpu.passes import Over
    from ..gpu.scaled import ScaledPicture
    from .contents import Camera, Contents
    from .stage import Entry

Place: TypeAlias = tuple[int, int, int, int]
"""A viewport: x, y, width and height in pixels."""


class Driven(Protocol):
    """The works of a drawable, as frames draw them."""

    @property
    def face(self) -> object: ...
    @property
    def keeps_light(self) -> bool: ...
    @property
    def changes_below(self) -> bool: ...

    def notice_writes(self) -> None: ...

    def draw(self) -> None: ...


Drawn: TypeAlias = "Sequence[tuple[Driven, Camera]]"
"""Works in the order in which they are drawn, each with the camera that it is seen through."""


class Painting(Protocol):
    """A picture that is being painted."""

    moment: Moment
    """The frame's moment, with its alpha."""
    time: float
    """The moment in simulated seconds."""
    paused: bool
    """Whether no ticks run: what was written is then drawn at once."""
    background: tuple[float, float, float]
    seen: Sequence[Entry]
    """The scenes that are painted, the lowest first."""
    target: moderngl.Framebuffer
    """The framebuffer of the finished picture."""
    whole: Place
    """The viewport of the finished picture on `target`."""
    canvas: moderngl.Framebuffer
    """The framebuffer that scenes are brought to: `target`, or that of a transition."""
    place: Place
    """The viewport of the scenes on `canvas`."""
    viewport: Place
    """The viewport of what is painted now."""
    scaled: ScaledPicture | None
    """The picture that the world is painted to, until it was brought to `canvas`."""

    draw: Callable[[Drawn, Contents], None]
    """Draw some of the works of a scene, each through its camera."""

    def bind(self, camera: Camera, contents: Contents) -> None:
        """Have what is drawn next seen through a camera."""

    def bind_in(self, camera: Camera, contents: Contents, viewport: Place) -> None:
        """Have what is drawn next seen through a camera in another viewport."""

    def bring(self, contents: Contents | None, over: Over | None = None) -> None:
        """Bring the world of a scene, or of all, from `scaled` to `canvas`, through its effects."""

    def clear_depth(self) -> None:
        """Clear the depth of `target`, if it is of an earlier picture."""
