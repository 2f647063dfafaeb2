"""Run the benchmark scenes with Arcade's `SpriteList`, `Text` and `Sound`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import arcade
import pyglet
from PIL import Image

from . import peer_scene as scene


def _texture(side: int, pixels: bytes) -> Any:
    return arcade.Texture(Image.frombytes("RGBA", (side, side), pixels))


class Arcade(scene.Engine):
    """An `Engine` that draws the scenes with Arcade."""

    def setup(self) -> None:
        self.window = arcade.Window(*scene.SIZE, visible=False, antialiasing=False)
        texture = _texture(scene.SPRITE, scene.sprite_pixels())
        self.sprites: Any = arcade.SpriteList(capacity=len(self.bodies))
        for body in self.bodies:
            sprite = arcade.Sprite(texture, 1, body.x, body.y, math.degrees(-body.angle))
            body.drawn = sprite
            self.sprites.append(sprite)
        if self.mixed:
            self._add_map()
            self.spark_list: Any = arcade.SpriteList(capacity=scene.SPARKS)
            self.spark = _texture(scene.SPARK, scene.flat_pixels(scene.SPARK, scene.SPARK_COLOR))
            self.spark_sprites: list[Any] = []
            self._add_labels()
            self._add_sounds()

    def _add_labels(self) -> None:
        self.text_batch: Any = pyglet.graphics.Batch()
        self.texts = [
            arcade.Text(
                scene.label_text(index, 0),
                *scene.label_position(index),
                font_size=10,
                batch=self.text_batch,
            )
            for index in range(scene.LABELS)
        ]

    def _add_sounds(self) -> None:
        # Arcade can load sounds only from files, so create the sound with pyglet, which Arcade uses
        # to play sounds.
        tone = pyglet.media.StaticSource(pyglet.media.synthesis.Sine(1.0))
        self.players = [pyglet.media.Player() for _ in range(scene.SOUNDS)]
        for player in self.players:
            player.loop = True
            player.queue(tone)
            player.play()

    def _add_map(self) -> None:
        textures = [_texture(scene.TILE, scene.tile_pixels(number)) for number in (0, 1)]
        self.tiles: Any = arcade.SpriteList(capacity=scene.MAP[0] * scene.MAP[1])
        for row, numbers in enumerate(scene.tile_numbers()):
            y = (scene.MAP[1] - row - 0.5) * scene.TILE
            for column, number in enumerate(numbers):
                x = (column + 0.5) * scene.TILE
                self.tiles.append(arcade.Sprite(textures[number], 1, x, y))
        self.camera = arcade.Camera2D()
        self.screen = arcade.Camera2D()

    def tick(self) -> None:
        super().tick()
        pyglet.clock.tick()
        for body in self.bodies:
            sprite = body.drawn
            sprite.position = body.x, body.y
            sprite.angle = math.degrees(-body.angle)
        if self.mixed:
            self._tick_sparks()
            for index in range(scene.CHANGED_LABELS):
                self.texts[index].text = scene.label_text(index, self.ticks)

    def _tick_sparks(self) -> None:
        self.sparks.tick()
        sprites = self.spark_sprites
        while len(sprites) < len(self.sparks.alive):
            sprites.append(arcade.Sprite(self.spark))
            self.spark_list.append(sprites[-1])
        for spark, sprite in zip(self.sparks.alive, sprites, strict=True):
            sprite.position = spark.x, spark.y

    def draw(self) -> None:
        self.window.clear(color=(*scene.BACKGROUND, 255))
        if self.mixed:
            left = scene.scroll(self.ticks)
            self.camera.position = (scene.SIZE[0] / 2 + left, scene.SIZE[1] / 2)
            with self.camera.activate():
                self.tiles.draw(pixelated=True)
            with self.screen.activate():
                self._draw_objects()
        else:
            self.sprites.draw(pixelated=True)

    def _draw_objects(self) -> None:
        self.sprites.draw(pixelated=True)
        self.spark_list.draw(pixelated=True)
        self.text_batch.draw()

    def finish(self) -> None:
        self.window.ctx.finish()

    def picture(self, path: str) -> None:
        arcade.get_image().convert("RGB").save(path)

    def about(self) -> dict[str, str]:
        return {"version": arcade.__version__, "renderer": self.window.ctx.info.RENDERER}


def main(arguments: Sequence[str]) -> None:
    scene.serve(Arcade, arguments)
