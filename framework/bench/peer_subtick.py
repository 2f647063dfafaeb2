"""Run the benchmark scenes with Subtick, with a Python object per sprite or with NumPy arrays.

The version with NumPy arrays (columns) computes all bodies in the scene "sprites" with NumPy, as is
recommended for games with thousands of similar objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import framework as fw

from . import peer_scene as scene

_TICK = Fraction(1, 60)


class MixedGame(fw.Game):
    """The scenes "sprites" and "game", with a Python object for each sprite."""

    mixed = True
    count = scene.OBJECTS

    def __init__(self, **options: Any) -> None:
        super().__init__(size=scene.SIZE, background=_color(scene.BACKGROUND), **options)

    def setup(self) -> None:
        self.bodies = scene.bodies(self.count)
        if self.mixed:
            self._add_map()
        batch = self.add(fw.SpriteBatch(_image(scene.sprite_pixels()), filter="nearest"))
        for body in self.bodies:
            body.drawn = batch.add(position=(body.x, body.y), angle=body.angle)
        if self.mixed:
            self._add_sparks()
            self._add_labels()
            self._add_sounds()

    def _add_map(self) -> None:
        tiles = [_image(scene.tile_pixels(number)) for number in (0, 1)]
        tile_set = fw.TileSet(tiles, (scene.TILE, scene.TILE))
        numbers = np.array(scene.tile_numbers()) + 1
        self.map = self.add(fw.TileLayer(tile_set, numbers, parallax=(1, 1)), layer=-1)

    def _add_sparks(self) -> None:
        self.sparks = self.add(
            fw.Particles(
                _image(scene.flat_pixels(scene.SPARK, scene.SPARK_COLOR)),
                capacity=2 * scene.SPARKS,
                lifetime=scene.SPARK_TICKS / 60,
                speed=(60, 240),
                size=scene.SPARK,
                filter="nearest",
            )
        )

    def _add_labels(self) -> None:
        self.shown = [
            self.labels.add(scene.label_text(index, 0), scene.label_position(index), font_size=14)
            for index in range(scene.LABELS)
        ]

    def _add_sounds(self) -> None:
        tone = fw.Sound.tone(350, 1.0)
        self.voices = [tone.play(volume=0.06, loop=True) for _ in range(scene.SOUNDS)]

    def update(self, dt: float) -> None:
        for body in self.bodies:
            body.move()
            sprite = body.drawn
            sprite.position = body.x, body.y
            sprite.angle = body.angle
        if self.mixed:
            self.map.position = -scene.scroll(self.tick), 0
            self.sparks.emit(
                scene.SPARKS // scene.SPARK_TICKS,
                position=(scene.SIZE[0] / 2, scene.SIZE[1] / 2),
            )
            for index in range(scene.CHANGED_LABELS):
                self.shown[index].text = scene.label_text(index, self.tick)


class Columns(fw.Game):
    """The scene "sprites", computed with NumPy in the columns of a batch."""

    count = 0

    def __init__(self, **options: Any) -> None:
        super().__init__(size=scene.SIZE, background=_color(scene.BACKGROUND), **options)

    def setup(self) -> None:
        bodies = scene.bodies(self.count)
        image = _image(scene.sprite_pixels())
        self.batch = self.add(fw.SpriteBatch(image, self.count, filter="nearest"))
        self.batch.position = [(body.x, body.y) for body in bodies]
        self.batch.angle = [body.angle for body in bodies]
        self.step = np.array([(body.speed_x, body.speed_y) for body in bodies], np.float32)
        self.spin = np.array([body.spin for body in bodies], np.float32)

    def update(self, dt: float) -> None:
        position = self.batch.position
        position += self.step
        self.batch.angle += self.spin
        outside = (position <= 0) | (position >= np.array(self.size, np.float32))
        np.negative(self.step, out=self.step, where=outside)


def _color(color: Sequence[int]) -> tuple[float, ...]:
    return tuple(part / 255 for part in color)


def _image(pixels: bytes) -> Any:
    side = round((len(pixels) // 4) ** 0.5)
    return np.frombuffer(pixels, np.uint8).reshape(side, side, 4)


class Subtick(scene.Engine):
    """An `Engine` that draws the scenes with Subtick. The game has one Python object per sprite."""

    columns = False

    def setup(self) -> None:
        kind: Any = Columns if self.columns else MixedGame
        options = {"count": len(self.bodies), "mixed": self.mixed}
        self.game: Any = type("Compared", (kind,), options)(headless=True)
        # A frame just before the next tick shows the newest state, as the frames of the other
        # engines do.
        self.game.advance(Fraction(999, 60_000))

    def tick(self) -> None:
        """Count the tick, which runs when the next frame is drawn."""
        self.ticks += 1

    def draw(self) -> None:
        # One frame per tick, unless ticks ran without a frame.
        missing = self.ticks - self.game.tick
        if missing > 1:
            self.game.run_ticks(missing - 1)
        self.game.advance(_TICK)

    def finish(self) -> None:
        self.game.picture.ctx.finish()

    def picture(self, path: str) -> None:
        pixels = np.ascontiguousarray(self.game.pixels())
        height, width, channels = pixels.shape
        scene.write_png(path, (width, height), pixels.tobytes(), channels)

    def about(self) -> dict[str, str]:
        info = self.game.picture.ctx.info
        return {"version": fw.__version__, "renderer": info["GL_RENDERER"]}


class SubtickColumns(Subtick):
    """An `Engine` that draws the scenes with Subtick. The game stores the bodies in columns."""

    columns = True


def main(arguments: Sequence[str]) -> None:
    engine = SubtickColumns if arguments[0] == "columns" else Subtick
    scene.serve(engine, arguments[1:])
