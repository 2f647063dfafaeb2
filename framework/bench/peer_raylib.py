"""Run the benchmark scenes with raylib: each object is drawn with a call of `DrawTexturePro`."""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Sequence
from typing import Any

from raylib import ffi, rl

from . import peer_scene as scene

_QUADS = 16_000  # raylib draws at most 16,384 quads per batch
_HIDDEN = 128
_SILENT = 7


class Raylib(scene.Engine):
    """An `Engine` that draws the scenes with raylib."""

    def setup(self) -> None:
        rl.SetTraceLogLevel(_SILENT)
        rl.SetConfigFlags(_HIDDEN)
        rl.InitWindow(*scene.SIZE, b"raylib")
        self.target = rl.LoadRenderTexture(*scene.SIZE)
        self.image = self._texture(scene.SPRITE, scene.sprite_pixels())
        side = float(scene.SPRITE)
        self.source = [0.0, 0.0, side, side]
        self.origin = [side / 2, side / 2]
        self.white = [255, 255, 255, 255]
        self.background = [*scene.BACKGROUND, 255]
        if len(self.bodies) > 8000:
            # one batch for all sprites, so that raylib draws them in one call
            quads = rl.rlLoadRenderBatch(1, min(_QUADS, len(self.bodies) + 100))
            self.quads = ffi.new("rlRenderBatch *", quads)
            rl.rlSetRenderBatchActive(self.quads)
        if self.mixed:
            self.tiles = [self._texture(scene.TILE, scene.tile_pixels(n)) for n in (0, 1)]
            self.numbers = scene.tile_numbers()
            self.texts = [scene.label_text(index, 0).encode() for index in range(scene.LABELS)]
            self._add_sounds()

    def _add_sounds(self) -> None:
        rl.InitAudioDevice()
        self.sounds: list[Any] = []
        if not rl.IsAudioDeviceReady():
            return
        samples = scene.tone_samples()
        self.samples = ffi.new("char[]", samples)
        wave = ffi.new("Wave *", (len(samples) // 2, 22_050, 16, 1, self.samples))
        self.sounds = [rl.LoadSoundFromWave(wave[0]) for _ in range(scene.SOUNDS)]

    def _texture(self, side: int, pixels: bytes) -> Any:
        data = ffi.new("char[]", pixels)
        image = ffi.new("Image *", (data, side, side, 1, 7))  # 7 means RGBA with 8 bits per channel
        return rl.LoadTextureFromImage(image[0])

    def tick(self) -> None:
        super().tick()
        if self.mixed:
            self.sparks.tick()
            for index in range(scene.CHANGED_LABELS):
                self.texts[index] = scene.label_text(index, self.ticks).encode()
            for sound in self.sounds:
                if not rl.IsSoundPlaying(sound):
                    rl.PlaySound(sound)

    def draw(self) -> None:
        height = scene.SIZE[1]
        rl.BeginTextureMode(self.target)
        rl.ClearBackground(self.background)
        if self.mixed:
            self._draw_map()
        draw = rl.DrawTexturePro
        image = self.image
        source = self.source
        origin = self.origin
        white = self.white
        side = float(scene.SPRITE)
        degrees = -180 / math.pi
        for body in self.bodies:
            target = [body.x, height - body.y, side, side]
            draw(image, source, target, origin, body.angle * degrees, white)
        if self.mixed:
            self._draw_sparks_and_labels()
        rl.EndTextureMode()

    def _draw_map(self) -> None:
        left = scene.scroll(self.ticks)
        first = left // scene.TILE
        last = min(scene.MAP[0], (left + scene.SIZE[0]) // scene.TILE + 1)
        top = scene.SIZE[1] - scene.MAP[1] * scene.TILE
        for row, numbers in enumerate(self.numbers):
            y = top + row * scene.TILE
            for column in range(first, last):
                rl.DrawTexture(
                    self.tiles[numbers[column]], column * scene.TILE - left, y, self.white
                )

    def _draw_sparks_and_labels(self) -> None:
        height = scene.SIZE[1]
        color = [*scene.SPARK_COLOR, 255]
        size = [float(scene.SPARK), float(scene.SPARK)]
        half = scene.SPARK / 2
        for spark in self.sparks.alive:
            rl.DrawRectangleV([spark.x - half, height - spark.y - half], size, color)
        for index, text in enumerate(self.texts):
            x, y = scene.label_position(index)
            rl.DrawText(text, int(x), int(height - y - 12), 10, self.white)

    def picture(self, path: str) -> None:
        image = rl.LoadImageFromTexture(self.target.texture)
        pixels = bytes(ffi.buffer(image.data, scene.SIZE[0] * scene.SIZE[1] * 4))
        stride = scene.SIZE[0] * 4  # OpenGL returns the bottom row first
        rows = [pixels[start : start + stride] for start in range(0, len(pixels), stride)]
        scene.write_png(path, scene.SIZE, b"".join(reversed(rows)))

    def about(self) -> dict[str, str]:
        return {
            "version": importlib.metadata.version("raylib"),
            "renderer": scene.gl_renderer(),
        }


def main(arguments: Sequence[str]) -> None:
    scene.serve(Raylib, arguments)
