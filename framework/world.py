"""A world: what is in space, the light that falls on it, and the camera that sees it. It is drawn as one thing."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, Protocol, TypeVar

import moderngl

from .camera3d import Camera3D
from .graphics import WORLD_BINDING, Graphics
from .shaders import Programs

# The uniform block of shaders/include/world.glsl, std140.
_WORLD = struct.Struct("=24f")


class Solid(Protocol):
    """What a `World` draws: a `MeshBatch`, or anything of your own with these methods, and ``in_world = True``."""

    in_world: bool

    @property
    def transparent(self) -> bool:
        """Whether what is behind shows through, so that it must be drawn last."""

    def attach(self, graphics: Graphics, programs: Programs) -> None:
        """It was added to a game: make what it needs in ``graphics.ctx``. Called once."""

    def begin_tick(self, dt: float) -> None:
        """A tick of ``dt`` simulated seconds begins; 0 in a scene that is paused by one above it."""

    def end_tick(self) -> None: ...

    def draw(self) -> None:
        """Draw. The frame's and the world's uniform blocks are bound, the target is set."""

    def release(self) -> None:
        """The game has ended: free what `attach` made."""


S = TypeVar("S", bound=Any)


class World:
    """Things in space, with a `Camera3D` and light.

    Colours of light are linear and may be above 1. The picture is tone mapped and sRGB.
    """

    def __init__(self, camera: Camera3D | None = None) -> None:
        self.camera = Camera3D() if camera is None else camera
        self.sun_direction: tuple[float, float, float] = (0.4, 0.8, 0.45)
        """The way to the sun, of any length."""
        self.sun_color: tuple[float, float, float] = (2.6, 2.5, 2.3)
        self.sky_color: tuple[float, float, float] = (0.35, 0.42, 0.55)
        """Ambient light from above."""
        self.ground_color: tuple[float, float, float] = (0.20, 0.17, 0.14)
        """Ambient light from below."""
        self.fog_color: tuple[float, float, float] = (0.5, 0.6, 0.7)
        self.fog = 0.0
        """How much fog there is in a unit: of what is 1 / fog away, 37 % is seen."""
        self.exposure = 1.0
        self._solids: list[Any] = []  # of `Solid`s
        self._graphics: Graphics | None = None
        self._programs: Programs | None = None
        self._block: moderngl.Buffer | None = None

    def add(self, solid: S) -> S:
        """Draw ``solid`` (a `MeshBatch`, …), and the ``parts`` that it may consist of; returns it."""
        if hasattr(solid, "world"):
            solid.world = self
        if self._graphics is not None and self._programs is not None:
            solid.attach(self._graphics, self._programs)
        self._solids.append(solid)
        for part in getattr(solid, "parts", ()):
            self.add(part)
        return solid

    def discard(self, solid: Any) -> None:
        """Stop drawing something that was added, and release it."""
        for index, known in enumerate(self._solids):
            if known is solid:
                del self._solids[index]
                if self._programs is not None:
                    known.release()
                for part in getattr(known, "parts", ()):
                    self.discard(part)
                return
        raise ValueError("solid: it is not in this world")

    # -- driven by the game --------------------------------------------------------------------------------------

    def attach(self, graphics: Graphics) -> None:
        self._graphics = graphics
        self._programs = Programs(graphics.ctx, graphics.folders)
        self._block = graphics.ctx.buffer(reserve=_WORLD.size, dynamic=True)
        for solid in self._solids:
            solid.attach(graphics, self._programs)

    def begin_tick(self, dt: float) -> None:
        for solid in self._solids:
            solid.begin_tick(dt)

    def end_tick(self) -> None:
        for solid in self._solids:
            solid.end_tick()

    def notice_writes(self) -> None:
        """While no ticks run, draw what was written since the last call where it is now."""
        for solid in self._solids:
            solid.notice_writes()

    def draw(self) -> None:
        assert self._graphics is not None
        assert self._block is not None
        self._block.write(self._pack())
        self._block.bind_to_uniform_block(WORLD_BINDING)
        for solid in sorted(self._solids, key=lambda solid: solid.transparent):
            solid.draw()
        self._graphics.ctx.enable_only(moderngl.BLEND)

    def _pack(self) -> bytes:
        length = max(math.sqrt(sum(part * part for part in self.sun_direction)), 1e-30)
        colors = (self.sun_color, self.sky_color, self.ground_color)
        return _WORLD.pack(
            *_four([part / length for part in self.sun_direction]),
            *[part for color in colors for part in _four(color)],
            *_four(self.fog_color, self.fog), self.exposure, 0, 0, 0,
        )  # fmt: skip

    def release(self) -> None:
        with ExitStack() as stack:
            if self._programs is not None:
                stack.callback(self._programs.release)
            if self._block is not None:
                stack.callback(self._block.release)
            for solid in self._solids:
                stack.callback(solid.release)
        self._graphics = self._programs = self._block = None


def _four(three: Sequence[float], last: float = 0.0) -> tuple[float, float, float, float]:
    x, y, z = three
    return float(x), float(y), float(z), last
