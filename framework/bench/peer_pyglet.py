"""Run the benchmark scenes with pyglet's `Sprite` objects in a `Batch`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pyglet

from . import peer_scene as scene


def _texture(side: int, pixels: bytes) -> Any:
    # pyglet expects the bottom row first, unless the pitch is negative
    image = pyglet.image.ImageData(side, side, "RGBA", pixels, pitch=-4 * side)
    texture = image.get_texture()
    texture.anchor_x = texture.anchor_y = side // 2
    pyglet.gl.glBindTexture(texture.target, texture.id)
    for name in (pyglet.gl.GL_TEXTURE_MIN_FILTER, pyglet.gl.GL_TEXTURE_MAG_FILTER):
        pyglet.gl.glTexParameteri(texture.target, name, pyglet.gl.GL_NEAREST)
    return texture


def looping_tones() -> list[Any]:
    """Play the sounds of the scene "game", and return their players. The players are silent if the
    machine has no sound device.
    """
    tone = pyglet.media.StaticSource(pyglet.media.synthesis.Sine(1.0))
    players = []
    for _ in range(scene.SOUNDS):
        player = pyglet.media.Player()
        player.loop = True
        player.queue(tone)
        player.play()
        players.append(player)
    return players


class Pyglet(scene.Engine):
    """An `Engine` that draws the scenes with pyglet."""

    def setup(self) -> None:
        gl: Any = pyglet.gl
        config = gl.Config(red_size=8, green_size=8, blue_size=8, alpha_size=8, double_buffer=True)
        self.window = pyglet.window.Window(*scene.SIZE, config=config)
        color = [part / 255 for part in scene.BACKGROUND]
        gl.glClearColor(*color, 1)
        if self.mixed:
            self._add_map()
        self.batch = pyglet.graphics.Batch()
        texture = _texture(scene.SPRITE, scene.sprite_pixels())
        for body in self.bodies:
            body.drawn = pyglet.sprite.Sprite(texture, body.x, body.y, batch=self.batch)
        if self.mixed:
            self.spark_batch = pyglet.graphics.Batch()
            self.spark = _texture(scene.SPARK, scene.flat_pixels(scene.SPARK, scene.SPARK_COLOR))
            self.spark_sprites: list[Any] = []
            self._add_labels()
            self.players = looping_tones()

    def _add_labels(self) -> None:
        self.label_batch = pyglet.graphics.Batch()
        self.texts = [
            pyglet.text.Label(
                scene.label_text(index, 0),
                x=scene.label_position(index)[0],
                y=scene.label_position(index)[1],
                font_size=10,
                batch=self.label_batch,
            )
            for index in range(scene.LABELS)
        ]

    def _add_map(self) -> None:
        textures = [_texture(scene.TILE, scene.tile_pixels(number)) for number in (0, 1)]
        self.tile_batch = pyglet.graphics.Batch()
        self.tiles = [
            pyglet.sprite.Sprite(
                textures[number],
                (column + 0.5) * scene.TILE,
                (scene.MAP[1] - row - 0.5) * scene.TILE,
                batch=self.tile_batch,
            )
            for row, numbers in enumerate(scene.tile_numbers())
            for column, number in enumerate(numbers)
        ]

    def tick(self) -> None:
        super().tick()
        pyglet.clock.tick()
        for body in self.bodies:
            body.drawn.update(x=body.x, y=body.y, rotation=math.degrees(-body.angle))
        if self.mixed:
            self.sparks.tick()
            sprites = self.spark_sprites
            while len(sprites) < len(self.sparks.alive):
                sprites.append(pyglet.sprite.Sprite(self.spark, batch=self.spark_batch))
            for spark, sprite in zip(self.sparks.alive, sprites, strict=True):
                sprite.position = spark.x, spark.y, 0
            for index in range(scene.CHANGED_LABELS):
                self.texts[index].text = scene.label_text(index, self.ticks)

    def draw(self) -> None:
        self.window.clear()
        if self.mixed:
            view = self.window.view
            self.window.view = view.translate((-scene.scroll(self.ticks), 0, 0))
            self.tile_batch.draw()
            self.window.view = view
        self.batch.draw()
        if self.mixed:
            self.spark_batch.draw()
            self.label_batch.draw()

    def picture(self, path: str) -> None:
        images: Any = pyglet.image
        frame = images.get_buffer_manager().get_color_buffer().get_image_data()
        pixels = frame.get_data("RGB", -3 * scene.SIZE[0])
        scene.write_png(path, scene.SIZE, bytes(pixels), 3)

    def about(self) -> dict[str, str]:
        return {"version": pyglet.version, "renderer": scene.gl_renderer()}


def main(arguments: Sequence[str]) -> None:
    scene.serve(Pyglet, arguments)
