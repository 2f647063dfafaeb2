"""Compute the objects in the benchmark scenes, which Subtick and other engines then draw.

The scene "sprites" contains objects that fly, rotate, and bounce off the walls. The scene "game"
contains Python objects, particles, labels (some change their texts), a map that scrolls, and
sounds. All engines draw the same objects, so any difference between their times is caused by the
engines themselves.

The module imports only the standard library, because each engine runs in its own Python
environment.
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import math
import struct
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from .worker_commands import answer_commands

SIZE = (960, 540)
"""The width and height of the image in pixels."""
SPRITE = 16
"""The width and height of a sprite in pixels."""
BACKGROUND = (16, 24, 40)

SCENES = ("sprites", "game")

OBJECTS = 1500
SPARKS = 3000
LABELS = 60
CHANGED_LABELS = 10
SOUNDS = 8
SPARK = 4
SPARK_TICKS = 60
SPARK_COLOR = (255, 200, 60)
TILE = 16
MAP = (100, 34)
"""The number of columns and rows of the map."""

_QUARTERS = ((230, 60, 60), (60, 200, 90), (70, 110, 240), (250, 230, 120))
_TILE_COLORS = ((38, 52, 74), (46, 64, 90))


class Numbers:
    """A random number generator that generates the same numbers in all versions of Python."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def uniform(self, low: float, high: float) -> float:
        """Return a number from ``low`` to ``high``."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) % 2**64
        return low + (high - low) * (self._state >> 40) / 2**24


class Body:
    """An object that flies and rotates. Its position is in pixels, with the y axis pointing up."""

    __slots__ = ("angle", "drawn", "speed_x", "speed_y", "spin", "x", "y")

    def __init__(self, numbers: Numbers) -> None:
        self.x = numbers.uniform(SPRITE, SIZE[0] - SPRITE)
        self.y = numbers.uniform(SPRITE, SIZE[1] - SPRITE)
        self.angle = numbers.uniform(-math.pi, math.pi)
        """The angle in radians, counter-clockwise."""
        self.speed_x = numbers.uniform(-3, 3)
        self.speed_y = numbers.uniform(-3, 3)
        self.spin = numbers.uniform(-0.1, 0.1)
        self.drawn: Any = None
        """The engine's object, such as a sprite, that draws this body. None if the engine needs no
        such object.
        """

    def move(self) -> None:
        """Move the object by one tick."""
        self.x += self.speed_x
        self.y += self.speed_y
        self.angle += self.spin
        if not 0 < self.x < SIZE[0]:
            self.speed_x = -self.speed_x
        if not 0 < self.y < SIZE[1]:
            self.speed_y = -self.speed_y


def bodies(count: int) -> list[Body]:
    """Return ``count`` new `Body` objects, with the same positions and speeds in every call."""
    numbers = Numbers(7)
    return [Body(numbers) for _ in range(count)]


class Spark:
    """A particle, for engines that have no particle system."""

    __slots__ = ("age", "speed_x", "speed_y", "x", "y")

    def __init__(self, numbers: Numbers) -> None:
        direction = numbers.uniform(0, 2 * math.pi)
        speed = numbers.uniform(1, 4)
        self.x = SIZE[0] / 2
        self.y = SIZE[1] / 2
        self.speed_x = speed * math.cos(direction)
        self.speed_y = speed * math.sin(direction)
        self.age = 0


class Sparks:
    """Particles that fly away from the middle of the screen. In every tick, the same number of
    particles is added.
    """

    def __init__(self) -> None:
        self._numbers = Numbers(11)
        self.alive: list[Spark] = []

    def tick(self) -> None:
        for spark in self.alive:
            spark.x += spark.speed_x
            spark.y += spark.speed_y
            spark.age += 1
        births = SPARKS // SPARK_TICKS
        if len(self.alive) >= SPARKS:
            del self.alive[:births]
        self.alive += [Spark(self._numbers) for _ in range(births)]


def tile_numbers() -> list[list[int]]:
    """Return the tiles of the map as rows of the numbers 0 and 1, with the top row first."""
    return [[(column * 7 + row * 3) % 5 // 3 for column in range(MAP[0])] for row in range(MAP[1])]


def label_text(index: int, tick: int) -> str:
    """Return the text of the label ``index`` in a tick. Only the first labels change their texts."""
    return f"score {(tick if index < CHANGED_LABELS else 0) * 7 + index}"


def label_position(index: int) -> tuple[float, float]:
    """Return the position of a label's bottom left corner, in pixels, with the y axis pointing up."""
    return 10 + index % 10 * 95, SIZE[1] - 24 - index // 10 * 22


def scroll(tick: int) -> int:
    """Return how far the map has scrolled to the left, in pixels."""
    return tick % (MAP[0] * TILE - SIZE[0])


# -- images ----------------------------------------------------------------------------------------


def sprite_pixels() -> bytes:
    """Return the RGBA pixels of a sprite, with the top row first. Each quarter has a different
    color, so that a rotated or mirrored sprite looks different.
    """
    half = SPRITE // 2
    colors = [
        _QUARTERS[2 * (row >= half) + (column >= half)]
        for row in range(SPRITE)
        for column in range(SPRITE)
    ]
    return b"".join(bytes((*color, 255)) for color in colors)


def flat_pixels(size: int, color: Sequence[int]) -> bytes:
    """Return the RGBA pixels of a square in a single color."""
    return bytes((*color, 255)) * (size * size)


def tile_pixels(number: int) -> bytes:
    return flat_pixels(TILE, _TILE_COLORS[number])


def tone_samples() -> bytes:
    """Return the samples of a tone that lasts one second: mono, 16 bits, 22,050 samples per second."""
    samples = (int(2000 * math.sin(index * 0.1)) for index in range(22_050))
    return b"".join(struct.pack("<h", sample) for sample in samples)


def write_png(path: str, size: tuple[int, int], pixels: bytes, channels: int = 4) -> None:
    """Write a PNG file. ``pixels`` contains rows of RGB or RGBA values, with the top row first."""
    width, height = size
    stride = width * channels
    if len(pixels) != stride * height:
        raise ValueError(f"expected {stride * height} bytes, got {len(pixels)}")
    rows = b"".join(b"\0" + pixels[row * stride : (row + 1) * stride] for row in range(height))
    color = 6 if channels == 4 else 2
    header = struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(_chunk(b"IHDR", header))
        file.write(_chunk(b"IDAT", zlib.compress(rows, 1)))
        file.write(_chunk(b"IEND", b""))


def _chunk(name: bytes, data: bytes) -> bytes:
    """Return a part of a PNG file."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


# -- engines ---------------------------------------------------------------------------------------


class Engine:
    """An engine that draws one of the scenes.

    A subclass must draw the bodies. In the scene "game", it must also draw the particles, the
    labels and the map, and play the sounds. `setup` creates the window and the engine's own
    objects. The base class computes the positions of the bodies.
    """

    def __init__(self, scene: str, count: int) -> None:
        self.scene = scene
        self.mixed = scene == "game"
        self.ticks = 0
        self.bodies = bodies(OBJECTS if self.mixed else count)
        self.sparks = Sparks()
        self.setup()

    def setup(self) -> None:
        """Create the window, the images and the objects of the engine."""

    def tick(self) -> None:
        """Run one tick of the scene."""
        for body in self.bodies:
            body.move()
        self.ticks += 1

    def draw(self) -> None:
        """Draw the scene. The GPU may still be drawing when this method returns."""

    def finish(self) -> None:
        """Wait until all pixels are drawn."""
        gl_finish()

    def picture(self, path: str) -> None:
        """Write the last frame to a PNG file."""

    def about(self) -> dict[str, str]:
        """Return the version of the engine and, if it uses OpenGL, the name of the renderer."""
        return {}


def serve(engine_class: Callable[[str, int], Engine], arguments: Sequence[str]) -> None:
    """Run an engine in this process, and execute commands from another process. ``arguments``
    contains the name of the scene and the number of bodies.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("scene", choices=SCENES)
    parser.add_argument("count", type=int)
    options = parser.parse_args(arguments)
    engine = engine_class(options.scene, options.count)

    def frames(count: int) -> list[list[float]]:
        """Run frames, and return two times in seconds for each frame. The first time is the CPU
        time of the thread until `draw` returns. The second time is the CPU time of the process
        until all pixels are drawn.
        """
        times = []
        for _ in range(count):
            process = time.process_time()
            thread = time.thread_time()
            engine.tick()
            engine.draw()
            thread = time.thread_time() - thread
            engine.finish()
            times.append([thread, time.process_time() - process])
        return times

    def run(count: int) -> None:
        for _ in range(count):
            engine.tick()
        engine.draw()
        engine.finish()

    answer_commands(
        {"frames": frames, "run": run, "picture": engine.picture, "about": engine.about}
    )


_GL_LIBRARIES = ("libGL.so.1", "libOpenGL.so.0", "opengl32.dll")


def gl_library() -> Any:
    """Return the system's OpenGL library, or None if there is no such library."""
    names = _GL_LIBRARIES if sys.platform != "darwin" else (ctypes.util.find_library("OpenGL"),)
    for name in names:
        try:
            return ctypes.CDLL(name or "")
        except OSError:
            continue
    return None


def gl_finish() -> None:
    library = gl_library()
    if library is not None:
        library.glFinish()


def gl_renderer() -> str:
    """Return the name of the OpenGL renderer of the current context."""
    library = gl_library()
    if library is None:
        return ""
    library.glGetString.restype = ctypes.c_char_p
    name = library.glGetString(0x1F01)
    return name.decode(errors="replace") if name else ""
