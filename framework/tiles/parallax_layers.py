"""The base class of tile layers and backdrops, which can move slower than the world (parallax)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

from ..checks import Sealed, Setting, flag, pair
from ..checks import color as rgba
from ..geometry.visible_tiles import ViewBox
from ..gpu.graphics import Graphics
from ..plane.camera2d import parallax_center
from ..state.backend import Backend, Frontend
from ..state.latched import Latched, LatchedValue, linear

# Nothing is drawn beyond this distance from the camera, in units. Maps may contain any numbers, but
# floats as large as this have no fractions.
_MAX_DISTANCE = 1e15


class LayerView(NamedTuple):
    """The values for drawing a parallax layer in one frame, such as the camera and the color."""

    eye: tuple[float, float]
    """The center of the screen in units, relative to the layer's bottom left corner."""
    rotation: float
    """The camera's angle in radians."""
    zoom: float
    screen_size: tuple[float, float]
    """The width and height of the screen in units, at a zoom of 1."""
    viewport: tuple[int, int, int, int]
    """The part of the framebuffer to which the game draws, in pixels: left, bottom, width and
    height.
    """
    milliseconds: int
    """The clock of the layer in milliseconds of game time. Animated tiles use the clock of their
    layer.
    """
    color: tuple[float, float, float, float]
    """The interpolated color of the layer, as sRGB numbers with alpha from 0 to 1."""

    def box(self) -> ViewBox:
        """Return the visible part of the layer, as a box around the screen. The sides of the box
        are parallel to the axes, even if the camera is rotated. The box is in units, relative to
        the bottom left corner of the layer.
        """
        sin = abs(math.sin(self.rotation))
        cos = abs(math.cos(self.rotation))
        width, height = (side / (2 * self.zoom) for side in self.screen_size)
        x = width * cos + height * sin
        y = width * sin + height * cos
        return ViewBox(self.eye[0] - x, self.eye[1] - y, self.eye[0] + x, self.eye[1] + y)

    def units(self) -> tuple[float, float]:
        """Return the width and the height of a pixel of the framebuffer, in units of the world."""
        _, _, width, height = self.viewport
        return self.screen_size[0] / (width * self.zoom), self.screen_size[1] / (height * self.zoom)

    def window(self) -> Uniforms:
        """Return the uniforms for the shader file include/window.glsl."""
        left, bottom, width, height = self.viewport
        red, green, blue, alpha = self.color
        x, y = self.units()
        cos = math.cos(self.rotation)
        sin = math.sin(self.rotation)
        return {
            "window": (left + width / 2, bottom + height / 2, x, y),
            "turned": (x * cos, x * sin, -y * sin, y * cos),
            "tint": (red * alpha, green * alpha, blue * alpha, alpha),
        }


Color = tuple[float, float, float, float]
State = tuple[tuple[float, float], Color, float]
"""The interpolated state of a layer: its position in units, its color, and its clock in seconds."""
Uniforms = dict[str, float | tuple[float, ...]]


def _maybe_pair(name: str, value: object) -> tuple[float, float] | None:
    return None if value is None else pair(name, value)


class ParallaxLayer(Frontend, Sealed):
    """The base class of `TileLayer` and `Backdrop`, with a position, a color, a parallax and a
    clock.

    The position and the color are interpolated between ticks. The clock decides which frame of an
    animated tile is visible. The clock stops while the scene is paused.
    """

    __slots__ = ("_parallax", "_parallax_origin", "_state", "_visible", "name", "properties")

    saved: ClassVar[tuple[str, ...]] = ("position", "color", "visible")
    _is_only_drawn = True

    position = LatchedValue(
        "_state", 0, pair, "The bottom left corner in units, y up. Interpolated."
    )
    color = LatchedValue(
        "_state",
        1,
        rgba,
        "The color that multiplies the image, in sRGB from 0 to 1 with alpha. Interpolated.",
    )
    visible = Setting(flag, "Whether the layer is drawn. Default: True.")
    parallax = Setting(
        pair,
        "How fast the layer moves on the screen relative to the world, in x and in y. With 1, the "
        "default, the layer moves like the world. With 0, the layer does not move on the screen.",
    )
    parallax_origin = Setting(
        _maybe_pair,
        "The position of the camera at which the layer is drawn at its `position`. With None, "
        "this is the position of a camera that was never moved.",
    )

    def __init__(
        self,
        position: tuple[float, float],
        color: str | Sequence[float],
        parallax: tuple[float, float],
        parallax_origin: tuple[float, float] | None,
    ) -> None:
        self._state: Latched[State] = Latched(
            (pair("position", position), rgba("color", color), 0.0), _between
        )
        self._backend = None
        self.visible = True
        self.parallax = parallax
        self.parallax_origin = parallax_origin
        self.name = ""
        """The name of the layer in its map, or "" for a layer without a map."""
        self.properties: dict[str, Any] = {}
        """The custom properties of the layer in its map, by their names. The dict is empty for a
        layer without a map.
        """

    @property
    def blend(self) -> str:
        """How the colors of the layer mix with the colors below it: ``"alpha"``, ``"add"``,
        ``"multiply"``, ``"screen"`` or ``"exclusion"``. A layer has the blend mode that you chose
        in Tiled. All other layers have the mode ``"alpha"``.
        """
        return "alpha"

    def teleport(self) -> None:
        """Draw the layer at its new position immediately, without interpolation in this tick."""
        self._state.teleported = True

    def after_load(self) -> None:
        """Called after a save has been loaded.

        The layer is drawn at the loaded position immediately, without interpolation.
        """
        self.teleport()


P = TypeVar("P", bound=ParallaxLayer)


class ParallaxLayerParts(Protocol):
    """The objects that a parallax layer shares with its backend."""

    @property
    def state(self) -> Latched[State]: ...


class ParallaxLayerBackend(Backend[P]):
    """The backend of a parallax layer.

    The backend advances the layer's clock in each tick, even without graphics.
    """

    __slots__ = ("_state",)

    def __init__(self, frontend: P, parts: ParallaxLayerParts, graphics: Graphics) -> None:
        super().__init__(frontend)
        self._state = parts.state

    @property
    def changes_below(self) -> bool:
        return self.frontend.blend == "multiply"

    def begin_tick(self, dt: float) -> None:
        state = self._state
        state.begin_tick()
        if dt:
            state.write(2, state.current[2] + dt)

    def end_tick(self) -> None:
        self._state.end_tick()

    def notice_writes(self) -> None:
        self._state.notice_writes()


def _between(previous: State, current: State, alpha: float) -> State:
    """Return the position, color and clock of a layer, interpolated between two states with the
    factor ``alpha``.
    """
    position, color, clock = previous
    next_position, next_color, next_clock = current
    x, y = linear(position, next_position, alpha)
    red, green, blue, opacity = linear(color, next_color, alpha)
    return (x, y), (red, green, blue, opacity), clock + (next_clock - clock) * alpha


def layer_view(
    layer: ParallaxLayer, state: Latched[State], graphics: Graphics, scale: float = 1.0
) -> LayerView | None:
    """Return the `LayerView` for drawing a layer in this frame. Return None if the layer is
    invisible, or too far from the camera to be drawn.

    ``scale`` is the size of a unit of the layer, in units of the world. All lengths in the returned
    view are in units of the layer.
    """
    position, color, clock = state.at(graphics.moment.alpha)
    if not layer.visible or not color[3]:
        return None
    camera = graphics.moment.camera
    alpha = graphics.moment.alpha
    _, _, zoom, rotation = camera.pose(alpha)
    x, y = parallax_center(camera, alpha, layer.parallax, layer.parallax_origin)
    eye = (x - position[0]) / scale, (y - position[1]) / scale
    if not max(map(abs, eye)) < _MAX_DISTANCE:  # this comparison is also False for NaN
        return None
    # The clock is a sum of tick lengths, which may be 1e-12 too low.
    time = int(clock * 1000 + 1e-3)
    return LayerView(
        eye, rotation, zoom * scale, camera.view.size, graphics.ctx.viewport, time, color
    )
