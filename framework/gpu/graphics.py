"""What a batch needs to know of the place it draws to."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import moderngl

from ..errors import FrameworkError

# moderngl's blend factors, by the name of the mode: source and destination for colour, then for alpha.
# Colours are premultiplied by alpha everywhere, so that filtering and blending agree at soft edges.
BLEND_MODES: dict[str, tuple[int, int, int, int]] = {
    "alpha": (moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA),
    "add": (moderngl.ONE, moderngl.ONE, moderngl.ZERO, moderngl.ONE),
    "multiply": (moderngl.DST_COLOR, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ZERO, moderngl.ONE),
    "screen": (moderngl.ONE, moderngl.ONE_MINUS_SRC_COLOR, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA),
    "replace": (moderngl.ONE, moderngl.ZERO, moderngl.ONE, moderngl.ZERO),
}

# pyglet keeps uniform block binding 0 for its window block; a clash makes all of its text vanish.
FRAME_BINDING = 1

# Of the block that a `World` has in common: light, fog.
WORLD_BINDING = 2

# Of a batch's material, and of what stands for the frame's block while shadows are drawn.
MATERIAL_BINDING = 3
SHADOW_FRAME_BINDING = 4


@dataclass
class Moment:
    """The moment that a frame shows: ``alpha`` as of the game's timestep."""

    alpha: float = 0.0


@dataclass(frozen=True)
class Graphics:
    """The GL context of a game, where its files are looked up, and how many framebuffer pixels make a unit."""

    not_state = True

    ctx: moderngl.Context
    folders: tuple[Path, ...] = ()
    pixel_ratio: float = 1.0
    moment: Moment = field(default_factory=Moment)
    """Of the frame that is drawn; for what is blended on the CPU."""
    thread: int = field(default_factory=threading.get_ident)
    """The one in which all is drawn."""


def driver_limit(name: str) -> int:
    """What the current context's driver can do at the most: ``driver_limit("GL_MAX_TEXTURE_SIZE")``.

    moderngl's ``ctx.info`` would ask it for ninety such numbers each time.
    """
    gl: Any = sys.modules["pyglet.gl"]
    number = gl.GLint()
    gl.glGetIntegerv(getattr(gl, name), number)
    return int(number.value)


def check_thread(thread: int) -> None:
    """Raise `FrameworkError` in any other thread than this one, in which a game was made."""
    if threading.get_ident() != thread:
        raise FrameworkError(
            "wrong thread: a game and what is drawn in it are used in the thread that made it; "
            "have it done there with game.call_soon(function)"
        )
