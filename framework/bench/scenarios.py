"""Games that do the same amount of work in every frame, so that their frames can be measured.

For the games with sprites and cubes, there are also moderngl programs that draw the same image
(`moderngl_baseline`). All games draw into a small image, without a window.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats
from ..game.game import Game
from ..geometry import quaternions
from ..geometry.mesh import Mesh
from ..plane.sprite_drawing import SpriteDrawing, SpriteSizes
from ..plane.sprites import SpriteBatch
from ..space.mesh_drawing import MeshDrawing
from ..space.meshes import MeshBatch
from ..space.solids import SolidTableBackend
from ..state.backend import backend_of, drives
from . import cpu_time
from .moderngl_baseline import HandWritten, HandWrittenCubes

SIZE = (320, 200)
"""The width and height of the image in pixels."""

SPRITE = np.full((2, 2, 4), 255, np.uint8)
"""The image of a sprite. It is small, because the benchmarks do not measure how fast the GPU fills
pixels.
"""

LIVE_OBJECTS = 200_000
"""The number of Python objects that `GarbageGame` keeps."""

GARBAGE_SPRITES = 50_000
"""The number of sprites that `GarbageGame` moves."""

PAIRS = 100
"""The number of pairs of objects that `GarbageGame` creates in each tick. The two objects in a pair
refer to each other.
"""

_KEPT_TICKS = 30  # after how many ticks the game deletes a pair


class _Timed:
    """A mixin class that measures how long a backend needs for uploads and for draw calls."""

    handing_over = submitting = 0.0
    readings = 0
    """The number of clock readings during the measurement, whose own time is subtracted."""

    def begin_tick(self, dt: float) -> None:
        start = cpu_time.seconds()
        super().begin_tick(dt)  # type: ignore[misc]
        self.handing_over += cpu_time.seconds_since(start)
        self.readings += 2

    def end_tick(self) -> None:
        start = cpu_time.seconds()
        super().end_tick()  # type: ignore[misc]
        self.handing_over += cpu_time.seconds_since(start)
        self.readings += 2

    def hand_over(self) -> None:
        start = cpu_time.seconds()
        super().hand_over()  # type: ignore[misc]
        self.handing_over += cpu_time.seconds_since(start)
        self.readings += 2

    def draw(self) -> None:
        start = cpu_time.seconds()
        before = self.handing_over
        readings = self.readings
        super().draw()  # type: ignore[misc]  # hands over first
        drawing = cpu_time.seconds_since(start) - (self.handing_over - before)
        readings = self.readings - readings
        self.submitting += drawing - readings * cpu_time.reading_seconds()
        self.readings += 2


class TimedSprites(SpriteBatch):
    """A `SpriteBatch` whose backend measures the time of uploads and draw calls."""


@drives(TimedSprites, unseen=SpriteSizes)
class TimedDrawing(_Timed, SpriteDrawing):
    """The backend of `TimedSprites` that measures the time of uploads and draw calls."""


class TimedMeshes(MeshBatch):
    """A `MeshBatch` whose backend measures the time of uploads and draw calls."""


@drives(TimedMeshes, unseen=SolidTableBackend)
class TimedMeshDrawing(_Timed, MeshDrawing):
    """The backend of `TimedMeshes` that measures the time of uploads and draw calls."""


class Measured(Game):
    """A game with a ``batch`` of ``count`` rows, and a moderngl program that draws the same
    image.
    """

    batch: Any
    hand_written: HandWritten | HandWrittenCubes

    def __init__(self, count: int) -> None:
        self.count = count
        self.updating = 0.0
        super().__init__(size=SIZE, headless=True, background=(0, 0, 0))

    @property
    def driven(self) -> Any:
        """The backend of ``batch``, wrapped so that it measures the time of uploads and draw
        calls."""
        return backend_of(self.batch)

    def update_hand_written(self) -> None:
        """Run one tick of the moderngl program, which changes its columns."""
        raise NotImplementedError


class Swarm(Measured):
    """A game with sprites that fly, rotate, and bounce off the walls."""

    def setup(self) -> None:
        self.batch = self.add(TimedSprites(SPRITE, count=self.count, filter="nearest"))
        self.batch.position[:] = self.random.uniform((0, 0), self.size, (self.count, 2))
        self.batch.angle[:] = self.random.uniform(-3, 3, self.count)
        self.step = self.random.uniform(-2, 2, (self.count, 2)).astype(np.float32)
        self.spin = self.random.uniform(-0.1, 0.1, self.count).astype(np.float32)
        self.x, self.y = (self.batch.position[:, axis].copy() for axis in (0, 1))
        self.angle = self.batch.angle.copy()
        self.step_x, self.step_y = (self.step[:, axis].copy() for axis in (0, 1))
        self.hand_written = HandWritten(
            self.picture.ctx, SPRITE, (self.x, self.y, self.angle), self.size
        )

    def update(self, dt: float) -> None:
        start = cpu_time.seconds()
        position = self.batch.position
        angle = self.batch.angle
        bounce(position, self.step, self.size)
        angle += self.spin
        self.updating += cpu_time.seconds_since(start)

    def update_hand_written(self) -> None:
        bounce(self.x, self.step_x, self.width)
        bounce(self.y, self.step_y, self.height)
        self.angle += self.spin


class Cubes(Measured):
    """A game with cubes that move and rotate."""

    def setup(self) -> None:
        random = self.random
        count = self.count
        self.batch = self.world.add(TimedMeshes(Mesh.cube(0.2), count))
        self.batch.position[:] = random.uniform(-20, 20, (count, 3)) - (0, 0, 25)
        self.batch.rotation[:] = quaternions.from_vectors(
            random.normal(0, 2, (count, 3)).astype(np.float32)
        )
        self.drift = random.uniform(-0.01, 0.01, (count, 3)).astype(np.float32)
        self.spin = quaternions.from_vectors(random.normal(0, 0.05, (count, 3)).astype(np.float32))
        self.columns = self.batch.position.copy(), self.batch.rotation.copy()
        mesh = self.batch.mesh
        self.world.camera.near = 0.5
        view_projection = np.asarray(self.world.camera.view_projection(), np.float32)
        self.hand_written = HandWrittenCubes(
            self.picture.ctx, (mesh.positions, mesh.normals), mesh.indices, self.columns
        )
        self.hand_written.look(view_projection)

    def update(self, dt: float) -> None:
        start = cpu_time.seconds()
        self._tumble(self.batch.position, self.batch.rotation)
        self.updating += cpu_time.seconds_since(start)

    def update_hand_written(self) -> None:
        self._tumble(*self.columns)

    def _tumble(self, position: Floats, rotation: Floats) -> None:
        position += self.drift
        rotation[:] = quaternions.multiply(self.spin, rotation)


def bounce(position: Floats, step: Floats, size: float | tuple[float, float]) -> None:
    position += step
    np.negative(step, out=step, where=(position < 0) | (position > size))


class _Referrer:
    """An object with a reference to another object."""

    other: _Referrer


class GarbageGame(Game):
    """A game with moving sprites and many Python objects. In each tick, the game creates objects
    that only the garbage collector can free. It keeps these objects for 30 ticks, so that they
    survive several garbage collections.
    """

    def setup(self) -> None:
        self.batch = self.add(SpriteBatch(SPRITE, count=GARBAGE_SPRITES, filter="nearest"))
        self.step = self.random.uniform(-2, 2, (GARBAGE_SPRITES, 2)).astype(np.float32)
        self.live = [_Referrer() for _ in range(LIVE_OBJECTS)]
        for node in self.live:
            node.other = node
        self.litter: list[list[_Referrer]] = []

    def update(self, dt: float) -> None:
        bounce(self.batch.position, self.step, self.size)
        pairs = []
        for _ in range(PAIRS):
            first = _Referrer()
            second = _Referrer()
            first.other = second
            second.other = first
            pairs.append(first)
        self.litter.append(pairs)
        if len(self.litter) > _KEPT_TICKS:
            del self.litter[0]
