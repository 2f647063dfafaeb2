"""Load modules, shaders and fonts in advance, so that the first frame with them is not slow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .. import checks
from ..arrays import Pixels
from ..errors import FrameworkError
from ..plane.camera2d import Camera2D
from ..screen_mapping import ScreenMapping
from .painter import Painter
from .scene_drawables import SceneDrawables
from .stage import Stage

_SIDE = 64  # the width and height of the offscreen framebuffer, in pixels
_TICK = 1 / 60
_LETTERS = "".join(map(chr, range(32, 127)))

AddPart = Callable[[Stage, SceneDrawables, Camera2D], None]
"""A function that adds one example of a part to the drawables."""


def warm(stage: Stage, painter: Painter, parts: Sequence[str]) -> None:
    """Draw an example of each part once, to a small offscreen framebuffer. For details, see
    `Picture.warm`.
    """
    names = [checks.choice("part", part, PARTS) for part in parts] or list(PARTS)
    if stage.painting:
        raise FrameworkError(
            "warm: the game draws a frame now; call it in setup, or before a scene is pushed"
        )
    drawables = SceneDrawables()
    camera = Camera2D((_SIDE, _SIDE))
    for name in dict.fromkeys(names):
        PARTS[name](stage, drawables, camera)
    if stage.graphics.drawing and stage.surface.drawable:
        with stage.surface.working():
            _draw_off_screen(stage, painter, drawables)


def _draw_off_screen(stage: Stage, painter: Painter, drawables: SceneDrawables) -> None:
    """Draw to a new offscreen framebuffer of `_SIDE` x `_SIDE` pixels, and release it and the
    drawables.
    """
    from ..gpu.passes import Target

    ctx = stage.surface.ctx
    bound = ctx.fbo
    target = Target(ctx, (_SIDE, _SIDE))
    try:
        viewport = (0, 0, _SIDE, _SIDE)
        drawables.attach(stage.graphics, ScreenMapping((_SIDE, _SIDE), viewport))
        target.use()
        with painter.drawn_elsewhere(viewport):
            _draw(painter, drawables)
    finally:
        drawables.release()
        target.release()
        bound.use()


def _draw(painter: Painter, drawables: SceneDrawables) -> None:
    for backend, _ in drawables.driven:
        backend.begin_tick(_TICK)
    for backend, _ in drawables.driven:
        backend.end_tick()
    painter.draw_in_order(tuple(drawables.driven), drawables)


# -- the parts -------------------------------------------------------------------------------------


def _add_sprites(stage: Stage, drawables: SceneDrawables, camera: Camera2D) -> None:
    from ..plane.sprites import SpriteBatch

    drawables.add(SpriteBatch(_image(), 1), camera, 0)


def _add_text(stage: Stage, drawables: SceneDrawables, camera: Camera2D) -> None:
    from ..text.text import TextBatch

    batch = TextBatch()
    batch.add(_LETTERS, (0, 0))
    drawables.add(batch, camera, 0)


def _add_shapes(stage: Stage, drawables: SceneDrawables, camera: Camera2D) -> None:
    from ..plane.shape_batch import Shapes

    shapes = Shapes()
    shapes.add_circle((20, 20), 10)
    shapes.add_box((40, 20), (10, 10))
    drawables.add(shapes, camera, 0)


def _add_particles(stage: Stage, drawables: SceneDrawables, camera: Camera2D) -> None:
    from ..particles.particles import Particles

    particles = Particles(_image())
    particles.emit(1, (10, 10))
    drawables.add(particles, camera, 0)


def _add_tiles(stage: Stage, drawables: SceneDrawables, camera: Camera2D) -> None:
    from ..tiles.tilelayer import TileLayer, TileSet

    tiles = TileLayer(TileSet(_image(), (8, 8)), np.ones((4, 4), np.uint32))
    drawables.add(tiles, camera, 0)


def _add_widgets(stage: Stage, drawables: SceneDrawables, camera: Camera2D) -> None:
    from ..ui.interface import Interface

    interface = Interface(
        drawables, stage.graphics.folders, stage.files.copy, magnified=stage.magnified
    )
    column = interface.frontend.column()
    column.button("Button")
    column.label("Label")
    drawables.ui = interface
    drawables.hud = camera
    drawables.add(interface.canvas, camera, 0)


def _image() -> Pixels:
    return np.full((8, 8, 4), 255, np.uint8)


PARTS: dict[str, AddPart] = {
    "sprites": _add_sprites,
    "text": _add_text,
    "shapes": _add_shapes,
    "particles": _add_particles,
    "tiles": _add_tiles,
    "widgets": _add_widgets,
}
"""A dict that maps names to the parts that a game can prepare with `Picture.warm`."""
