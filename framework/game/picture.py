"""How a game is drawn, such as its resolution, antialiasing and palette: `game.picture`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from .. import checks
from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics
from ..moved_names import HasMoved, moved
from ..other_engines.other_names import Hinted
from ..screen_mapping import ScreenMapping, check_render_scale, check_samples
from .painter import Painter
from .part_properties import reading, rgb, setting
from .reserved_names import kept
from .stage import Stage

if TYPE_CHECKING:
    import os

    from ..assets.palettes import Palette
    from ..watch.quality import Quality


@kept
@moved("picture", {}, settings={"bar_color": "letterbox_color"})
class Picture(Hinted, HasMoved, checks.Sealed):
    """The drawing settings of a game, and its OpenGL context. The attribute `Game.picture` is an
    object of this class.
    """

    __slots__ = ("_painter", "_stage")
    not_state = True

    def __init__(self, stage: Stage, painter: Painter) -> None:
        self._stage = stage
        self._painter = painter

    ctx: moderngl.Context = reading(
        "_stage.live.ctx", "The moderngl context, for your own drawing."
    )
    graphics: Graphics = reading(
        "_stage.graphics", "The GL context and the folders of the game's files."
    )
    screen_mapping: ScreenMapping = reading(
        "_stage.view",
        "The size of the screen in units, and the area of the framebuffer in pixels that shows the "
        "screen.",
    )
    letterbox_color: str | Sequence[float] = setting(
        "_painter.letterbox_color",
        rgb,
        "The color of the bars beside the game, if the game does not fill the window.",
    )
    render_scale: float = setting(
        "_painter.world.render_scale",
        check_render_scale,
        """The scale of the world's resolution: above 0 and up to 2. A scale of 1 is the
        window's resolution.

        At any other scale, cameras draw to an offscreen image, which is scaled to the window with a
        linear filter. Three things are drawn at full resolution: the first drawable that was added
        with a scene's `hud`, everything after this drawable, and the F3 panel.
        """,
    )

    @property
    def error_fade(self) -> float:
        """The duration of the smooth motion after a correction, in seconds of game time, from 0 to
        1. With the default 0, sprites jump to their corrected positions immediately.

        In a correction, such as a rollback, the game restores a snapshot and runs ticks again with
        other input. With a value above 0, sprites, shapes, text, meshes, nodes and cameras move
        smoothly to their corrected positions. Sprites that are farther than a quarter of the screen
        from their corrected position always jump. The smooth motion affects only the drawn frames.
        The game's state, state hashes and snapshots always contain the corrected positions. In a
        game with a network session, the session sets `error_fade`.
        """
        fading = self._painter.fading
        return 0.0 if fading is None else fading.duration

    @error_fade.setter
    def error_fade(self, value: float) -> None:
        duration = checks.number("error_fade", value, least=0, most=1)
        painter = self._painter
        if painter.fading is not None:
            painter.fading.duration = duration
            if not duration:
                painter.fading.end()
                painter.fading = None
        elif duration:
            # Imported here because most games have no network corrections.
            from .correction_fading import CorrectionFading

            painter.fading = CorrectionFading(self._stage, duration)

    @property
    def palette(self) -> Palette | None:
        """The palette of a game with pixel art, or None if all colors are allowed. With a palette,
        each pixel of the game is drawn in the most similar color of the palette.

        You can set `palette` to a `Palette`, to a list of colors, or to the path of a file with
        colors. Raises `ValueError` in a game without pixel art.
        """
        pixel_art = self._painter.pixel_art
        return None if pixel_art is None else pixel_art.palette

    @palette.setter
    def palette(self, value: Palette | str | os.PathLike[str] | Sequence[Any] | None) -> None:
        if value is not None and not self._stage.graphics.pixel_art:
            raise ValueError(
                "palette: expected a pixel-art game, such as Game(resolution=(320, 180), "
                "pixel_art=True)"
            )
        if value is not None:
            # Imported here because most games have no palette.
            from ..assets.palettes import Palette

            value = value if isinstance(value, Palette) else Palette(value)
        if self._painter.pixel_art is not None:
            self._painter.pixel_art.palette = value

    @property
    def samples(self) -> int:
        """The number of MSAA samples per pixel. The value 0 means no antialiasing. If the driver
        does not support this many samples, the game uses the driver's maximum.

        If the window has a different number of samples, the world is first drawn to an offscreen
        image.
        """
        return self._painter.world.samples

    @samples.setter
    def samples(self, value: int) -> None:
        self._painter.world.samples = min(
            check_samples("samples", value), self._stage.live.max_samples
        )

    @property
    def quality(self) -> Quality | None:
        """A `Quality` object that lowers the drawing quality while the game is too slow. By
        default, `quality` is None, and the quality never changes.

        In a game with a window, the `Quality` object measures how long the CPU works on each frame.
        If the GPU takes longer, the GPU time is used instead, but only while
        `Diagnostics.frame_stats` is measuring it. For each quality level, the `Quality` object sets
        `render_scale` and `samples`.
        """
        return self._painter.world.quality

    @quality.setter
    def quality(self, value: Quality | None) -> None:
        if value is not None:
            # Imported here so that games without a `Quality` do not load it.
            from ..watch.quality import Quality

            checks.instance("quality", value, Quality, what="a Quality or None")
        self._painter.world.set_quality(value)

    def warm(self, *parts: str) -> None:
        """Load parts of the framework in advance, so that the first frame that uses them is not
        slow.

        ``parts`` are names of parts: ``"sprites"``, ``"text"``, ``"shapes"``, ``"particles"``,
        ``"tiles"`` and ``"widgets"``. Without names, `warm` prepares all parts, which takes 0.2
        seconds. For each part, `warm` loads modules, compiles shaders, and draws once to an
        offscreen image. Call `warm` in the `setup` of the game, or while a loading screen is
        shown::

            def setup(self):
                self.picture.warm("text", "tiles")

        `warm` does not change the state of the game. In a game without graphics, `warm` only loads
        modules. `warm` does not load your own images, fonts and shaders. Raises `ValueError` for an
        unknown name. Raises `FrameworkError` if you call `warm` in `draw`.
        """
        from .warming import warm  # imported here because few games use it

        warm(self._stage, self._painter, parts)

    def pyglet_drawing(self) -> AbstractContextManager[None]:
        """Return a context manager for drawing pyglet labels, shapes and batches. In the ``with``
        block, positions of pyglet objects are in units of the screen::

            def draw(self, alpha):
                with self.picture.pyglet_drawing():
                    self.label.draw()
        """
        self._stage.live.needed("pyglet_drawing")
        return self._painter.pyglet_drawing()
