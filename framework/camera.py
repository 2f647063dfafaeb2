"""Cameras: which part of the world the picture shows."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyrr

SCALINGS = ("letterbox", "integer", "stretch")

# The uniform block of shaders/include/frame.glsl, std140.
_FRAME = struct.Struct("=16f2f2f2f2f")
FRAME_BYTES = _FRAME.size


class Followed(Protocol):
    """What a camera can follow: a `Sprite`, or anything that says where it is drawn."""

    def drawn_position(self, alpha: float) -> tuple[float, float]: ...


@dataclass(frozen=True)
class View:
    """How units lie on the framebuffer.

    ``size`` in units; ``viewport`` (x, y, width, height) in framebuffer pixels from the bottom left.
    """

    size: tuple[float, float]
    viewport: tuple[int, int, int, int]

    @property
    def pixels_per_unit(self) -> tuple[float, float]:
        return self.viewport[2] / self.size[0], self.viewport[3] / self.size[1]


def fit(size: tuple[float, float], framebuffer: tuple[int, int], scaling: str) -> View:
    """Put a picture of ``size`` units on a framebuffer: with bars (``letterbox``), at a whole number of pixels a unit
    where it fits (``integer``), or filling it (``stretch``)."""
    width, height = framebuffer
    if scaling == "stretch":
        return View(size, (0, 0, width, height))
    factor = min(width / size[0], height / size[1])
    if scaling == "integer" and factor >= 1:
        factor = math.floor(factor)
    w, h = max(1, round(size[0] * factor)), max(1, round(size[1] * factor))
    return View(size, ((width - w) // 2, (height - h) // 2, w, h))


class Camera2D:
    """A camera over the plane.

    ``position`` is the world point in the middle of the picture (units, y up); ``zoom`` magnifies (2 shows half as
    much); ``rotation`` turns the camera counter-clockwise, in radians. All three are interpolated between ticks with
    the alpha of everything else. A camera that was never moved keeps the world's (0, 0) at the bottom left corner.
    """

    def __init__(self, size: tuple[float, float]) -> None:
        self._view = View(size, (0, 0, round(size[0]), round(size[1])))
        self._current = self._previous = self._home()
        self._snapping = False
        self._in_tick = False
        self._target: Followed | None = None
        self._offset = (0.0, 0.0)
        self._catch_up = 1.0

    def _home(self) -> tuple[float, float, float, float]:
        return self._view.size[0] / 2, self._view.size[1] / 2, 1.0, 0.0

    @property
    def view(self) -> View:
        """The size of the picture in units and its place on the framebuffer."""
        return self._view

    @view.setter
    def view(self, view: View) -> None:
        home = self._home()
        self._view = view
        if self._current == home:
            self._current = self._previous = self._home()

    @property
    def position(self) -> tuple[float, float]:
        return self._current[0], self._current[1]

    @position.setter
    def position(self, value: tuple[float, float]) -> None:
        try:
            x, y = value
        except (TypeError, ValueError):
            raise ValueError(f"position: expected two numbers, got {value!r}") from None
        self._set(_finite("position", x), _finite("position", y), self.zoom, self.rotation)

    @property
    def x(self) -> float:
        return self._current[0]

    @x.setter
    def x(self, value: float) -> None:
        self.position = value, self._current[1]

    @property
    def y(self) -> float:
        return self._current[1]

    @y.setter
    def y(self, value: float) -> None:
        self.position = self._current[0], value

    @property
    def zoom(self) -> float:
        return self._current[2]

    @zoom.setter
    def zoom(self, value: float) -> None:
        zoom = _finite("zoom", value)
        if not zoom > 0:
            raise ValueError(f"zoom: expected a number above 0, got {value!r}")
        self._set(*self.position, zoom, self.rotation)

    @property
    def rotation(self) -> float:
        return self._current[3]

    @rotation.setter
    def rotation(self, value: float) -> None:
        self._set(*self.position, self.zoom, _finite("rotation", value))

    def _set(self, x: float, y: float, zoom: float, rotation: float) -> None:
        self._current = x, y, zoom, rotation

    def teleport(self) -> None:
        """Show the camera where this tick leaves it, without a way there."""
        self._snapping = True

    def follow(
        self, target: Followed | None, *, offset: tuple[float, float] = (0.0, 0.0), smoothing: float = 0.0
    ) -> None:
        """Keep ``target`` (a sprite) in the middle, ``offset`` units beside it; None stops.

        Without ``smoothing`` the camera takes the very position that the target is drawn at, in every frame: the
        target does not shimmer. With it, the camera closes in each tick by the share 1 - smoothing of the way.
        A sprite that is removed is followed no longer: the camera stays where the last tick left it.
        """
        if not 0 <= smoothing < 1:
            raise ValueError(f"smoothing: expected a number from 0 to below 1, got {smoothing!r}")
        if target is not None and not hasattr(type(target), "drawn_position"):
            raise TypeError(f"target: expected a sprite, or what has drawn_position(alpha), got {target!r}")
        self._target, self._offset, self._catch_up = target, offset, 1.0 - smoothing

    def _drop_removed_target(self) -> None:
        if getattr(self._target, "removed", False):
            self._target = None

    def begin_tick(self) -> None:
        self._previous = self._current
        self._snapping = False
        self._in_tick = True

    def end_tick(self) -> None:
        self._in_tick = False
        self._drop_removed_target()
        if self._target is not None:
            x, y, zoom, rotation = self._current
            goal_x, goal_y = self._goal(1.0)
            share = 1.0 if self._snapping else self._catch_up
            self._current = x + (goal_x - x) * share, y + (goal_y - y) * share, zoom, rotation
        if self._snapping:
            self._previous = self._current
            self._snapping = False

    def _goal(self, alpha: float) -> tuple[float, float]:
        assert self._target is not None
        x, y = self._target.drawn_position(alpha)
        return x + self._offset[0], y + self._offset[1]

    def pose(self, alpha: float) -> tuple[float, float, float, float]:
        """What is shown at ``alpha``: x, y, zoom, rotation. Zoom is blended as a ratio, rotation the short way."""
        if self._snapping and not self._in_tick:
            self._previous = self._current  # teleported between two ticks
        self._drop_removed_target()
        previous, current = self._previous, self._current
        if previous == current:
            x, y, zoom, rotation = current
        else:
            x = previous[0] + (current[0] - previous[0]) * alpha
            y = previous[1] + (current[1] - previous[1]) * alpha
            zoom = previous[2] * (current[2] / previous[2]) ** alpha
            rotation = previous[3] + math.remainder(current[3] - previous[3], math.tau) * alpha
        if self._target is not None and self._catch_up == 1.0:
            x, y = self._goal(alpha)
        return x, y, zoom, rotation

    def view_projection(self, alpha: float = 1.0) -> pyrr.Matrix44:
        """World units to clip space at ``alpha``, as a float64 pyrr matrix (row vectors)."""
        a, b, c, d, tx, ty = self._affine(self.pose(alpha))
        rows = np.array([[a, b, 0.0, 0.0], [c, d, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [tx, ty, 0.0, 1.0]])
        return rows.view(pyrr.Matrix44)  # pyrr's own constructor sets a shape, which NumPy 2.5 warns of

    def _affine(self, pose: tuple[float, float, float, float]) -> tuple[float, float, float, float, float, float]:
        x, y, zoom, rotation = pose
        width, height = self._view.size
        cos, sin = math.cos(rotation), math.sin(rotation)
        kx, ky = 2 * zoom / width, 2 * zoom / height
        a, b, c, d = cos * kx, -sin * ky, sin * kx, cos * ky
        return a, b, c, d, -(x * a + y * c), -(x * b + y * d)

    def pack_frame(self, alpha: float, time: float, viewport: tuple[int, int, int, int] | None = None) -> bytes:
        """The frame's uniform block for this camera; ``viewport`` where it is not the view's, in pixels."""
        x, y, zoom, _ = pose = self.pose(alpha)
        a, b, c, d, tx, ty = self._affine(pose)
        _, _, width, height = self._view.viewport if viewport is None else viewport
        ratio_x, ratio_y = width / self._view.size[0], height / self._view.size[1]
        return _FRAME.pack(
            a, b, 0, 0, c, d, 0, 0, 0, 0, -1, 0, tx, ty, 0, 1,
            width, height, ratio_x * zoom, ratio_y * zoom, alpha, time, x, y,
        )  # fmt: skip

    def world_to_screen(self, point: tuple[float, float], alpha: float = 1.0) -> tuple[float, float]:
        """Where a world point is in the picture: units from its bottom left corner."""
        a, b, c, d, tx, ty = self._affine(self.pose(alpha))
        x, y = point
        width, height = self._view.size
        return (x * a + y * c + tx + 1) * width / 2, (x * b + y * d + ty + 1) * height / 2

    def screen_to_world(self, point: tuple[float, float], alpha: float = 1.0) -> tuple[float, float]:
        """The world point at a place in the picture (as the mouse reports it)."""
        x, y, zoom, rotation = self.pose(alpha)
        width, height = self._view.size
        dx, dy = (point[0] - width / 2) / zoom, (point[1] - height / 2) / zoom
        cos, sin = math.cos(rotation), math.sin(rotation)
        return x + dx * cos - dy * sin, y + dx * sin + dy * cos

    def visible_bounds(self, alpha: float = 1.0) -> tuple[float, float, float, float]:
        """The smallest upright box (left, bottom, right, top) in the world that holds the picture."""
        width, height = self._view.size
        corners = [self.screen_to_world(corner, alpha) for corner in ((0, 0), (width, 0), (0, height), (width, height))]
        xs, ys = zip(*corners, strict=True)
        return min(xs), min(ys), max(xs), max(ys)


def _finite(name: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{name}: expected finite numbers, got {value!r}")
    return number
