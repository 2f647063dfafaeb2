"""Run the benchmark scenes with pygame-ce, which draws on the CPU.

pygame takes a long time to rotate an image on the CPU, so this version stores 72 rotated copies of
each image, as many games do.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")

import pygame

from . import peer_scene as scene

_ANGLES = 72
_PER_RADIAN = _ANGLES / (2 * math.pi)


def _surface(side: int, pixels: bytes) -> Any:
    return pygame.image.frombytes(pixels, (side, side), "RGBA").convert_alpha()


def _play_sounds() -> None:
    try:
        pygame.mixer.init(22_050, -16, 1)
        pygame.mixer.set_num_channels(scene.SOUNDS)
        sound = pygame.mixer.Sound(buffer=scene.tone_samples())
        for _ in range(scene.SOUNDS):
            sound.play(loops=-1)
    except pygame.error:  # the machine has no sound device
        pass


class Pygame(scene.Engine):
    """An `Engine` that draws the scenes with pygame-ce."""

    def setup(self) -> None:
        pygame.init()
        self.screen = pygame.display.set_mode(scene.SIZE)
        image = _surface(scene.SPRITE, scene.sprite_pixels())
        # `rotate` returns a larger surface. Its corner is at the center minus half its size.
        self.images = [
            pygame.transform.rotate(image, 360 * index / _ANGLES) for index in range(_ANGLES)
        ]
        self.halves = [surface.get_width() / 2 for surface in self.images]
        if self.mixed:
            self._draw_map()
            self.spark = _surface(
                scene.SPARK, scene.flat_pixels(scene.SPARK, scene.SPARK_COLOR)
            ).convert()
            self.font = pygame.font.Font(None, 18)
            self.texts = [self._text(index, 0) for index in range(scene.LABELS)]
            _play_sounds()

    def _draw_map(self) -> None:
        """Draw the whole map to a surface, which is copied to the screen in each frame."""
        tiles = [_surface(scene.TILE, scene.tile_pixels(number)).convert() for number in (0, 1)]
        self.map = pygame.Surface((scene.MAP[0] * scene.TILE, scene.MAP[1] * scene.TILE))
        for row, numbers in enumerate(scene.tile_numbers()):
            for column, number in enumerate(numbers):
                self.map.blit(tiles[number], (column * scene.TILE, row * scene.TILE))

    def _text(self, index: int, tick: int) -> Any:
        return self.font.render(scene.label_text(index, tick), True, (255, 255, 255))

    def tick(self) -> None:
        super().tick()
        if self.mixed:
            self.sparks.tick()
            for index in range(scene.CHANGED_LABELS):
                self.texts[index] = self._text(index, self.ticks)

    def draw(self) -> None:
        height = scene.SIZE[1]
        screen = self.screen
        if self.mixed:
            top = height - self.map.get_height()
            screen.blit(self.map, (-scene.scroll(self.ticks), top))
        else:
            screen.fill(scene.BACKGROUND)
        images = self.images
        halves = self.halves
        copies = []
        for body in self.bodies:
            index = round(body.angle * _PER_RADIAN) % _ANGLES
            half = halves[index]
            copies.append((images[index], (body.x - half, height - body.y - half)))
        screen.fblits(copies)
        if self.mixed:
            spark = self.spark
            half = scene.SPARK / 2
            screen.fblits(
                [(spark, (each.x - half, height - each.y - half)) for each in self.sparks.alive]
            )
            for index, text in enumerate(self.texts):
                x, y = scene.label_position(index)
                screen.blit(text, (x, height - y - text.get_height()))

    def finish(self) -> None:
        """Do nothing, because pygame draws a surface immediately."""

    def picture(self, path: str) -> None:
        pygame.image.save(self.screen, path)

    def about(self) -> dict[str, str]:
        return {"version": pygame.version.ver, "renderer": "software surfaces"}


def main(arguments: Sequence[str]) -> None:
    scene.serve(Pygame, arguments)
