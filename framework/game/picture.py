"""Picture: the resolution and quality in which a game is drawn, and OpenGL."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from .. import checks
from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics
from ..view import check_render_scale, check_samples
from .names import kept
from .painter import Painter
from .settings import reading, rgb, setting
from .stage import Stage

if TYPE_CHECKING:
    import os

    from ..assets.palettes import Palette
    from ..watch.quality import Quality


@kept
class Picture(checks.Sealed):
    """The part of a game that knows how it is drawn: `Game.picture`."""

    __slots__ = ("_painter", "_stage")
    not_state = True

    def __init__(self, stage: Stage, painter: Painter) -> None:
        self._stage, self._painter = stage, painter

    ctx: moderngl.Context = reading(
        "_stage.live.ctx", "The moderngl context, for drawing of your own."
    )
    graphics: Graphics = reading(
        "_stage.graphics", "The GL context, and where files are looked up."
    )
    bar_color: str | Sequence[float] = setting(
        "_painter.bar_color",
        rgb,
        "Colour of the bars beside a picture that leaves some of the window free.",
    )
    render_scale: float = setting(
        "_painter.world.render_scale",
        check_render_scale,
        """The resolution of the world's picture, above 0 and up to 2, of the window's.

        Unless it is 1, what cameras see is drawn off screen and brought to the window's size with a linear filter:
        in each frame up to the first drawable that was added with a scene's `hud`. That and all after it, and the
        panel of F3, are drawn at full resolution.
        """,
    )

    @property
    def palette(self) -> Palette | None:
        """The colours of a game of pixel art, each texel in the nearest; None for all. May be set
        to a `Palette`, to colours, or to the path of a file that has them."""
        pixel_art = self._painter.pixel_art
        return None if pixel_art is None else pixel_art.palette

    @palette.setter
    def palette(self, value: Palette | str | os.PathLike[str] | Sequence[Any] | None) -> None:
        if value is not None and not self._stage.graphics.pixel_art:
            raise ValueError(
                "palette: only a game of pixel art has one: Game(resolution=(320, "
                "180), pixel_art=True)"
            )
        if value is not None:
            from ..assets.palettes import Palette  # most games have all colours

            value = value if isinstance(value, Palette) else Palette(value)
        if self._painter.pixel_art is not None:
            self._painter.pixel_art.palette = value

    @property
    def samples(self) -> int:
        """MSAA samples a pixel of the world's picture, 0 for none, at most as many as the driver
        has.

        When it is not what the window was made with, the world is drawn off screen, as with
        `render_scale`.
        """
        return self._painter.world.samples

    @samples.setter
    def samples(self, value: int) -> None:
        self._painter.world.samples = min(
            check_samples("samples", value), self._stage.live.max_samples
        )

    @property
    def quality(self) -> Quality | None:
        """The governor of the game's quality, None for none. In a window it is given the work of
        each frame, or the GPU's time for the picture where that is more (and `Diagnostics.monitor` is on, and
        the driver has it).

        The settings ``render_scale`` and ``samples`` of its level are set on this part.
        """
        return self._painter.world.quality

    @quality.setter
    def quality(self, value: Quality | None) -> None:
        if value is not None:
            from ..watch.quality import Quality  # what has none need not load it

            checks.instance("quality", value, Quality, what="a Quality or None")
        self._painter.world.set_quality(value)

    def pyglet_drawing(self) -> AbstractContextManager[None]:
        """Within it pyglet's own drawing (labels, shapes, batches) works, in the units of the
        picture.

        def draw(self, alpha):
            with self.picture.pyglet_drawing():
                self.label.draw()
        """
        self._stage.live.needed("pyglet_drawing")
        return self._painter.pyglet_drawing()
