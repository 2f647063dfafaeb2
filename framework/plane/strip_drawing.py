"""Upload the points of ribbons and trails, and draw an image between neighboring points."""

from __future__ import annotations

from collections.abc import Set
from typing import TypeVar

import numpy as np

from ..arrays import Floats
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, Graphics, bind_frame, check_thread, programs_of
from ..gpu.wrapped import WrappedTexture
from ..state.backend import Backend, drives
from .ribbons import Ribbon, RibbonParts
from .strips import Band, Strip, StripLook, along
from .trails import Trail, TrailParts

S = TypeVar("S", bound=Strip)

_TEXELS = 4  # number of texels of each point, which shaders/ribbons.vert reads
_ROW = 256  # number of texels in a row of the texture
_IMAGE_UNIT = 0
_POINTS_UNIT = 1


class StripDrawing(Backend[S]):
    """The backend that draws a ribbon or a trail in a game with graphics.

    It uploads the points to a texture that the shader reads. The GPU draws one instance for each
    pair of neighboring points.
    """

    __slots__ = (
        "_array",
        "_blend",
        "_count",
        "_graphics",
        "_image",
        "_look",
        "_points",
        "uploaded_bytes",
    )

    def __init__(
        self, frontend: S, look: StripLook, repeat: float | None, graphics: Graphics
    ) -> None:
        super().__init__(frontend)
        check_thread(graphics.thread)
        self._graphics = graphics
        self._look = look
        self._blend = BLEND_MODES[look.blend]
        repeated = "clamp" if repeat is None else "repeat"
        self._image = WrappedTexture(graphics, look.image, (repeated, "clamp"), look.filter)
        self._points: moderngl.Texture | None = None
        self._array: moderngl.VertexArray | None = None
        self._count = 0
        self.uploaded_bytes = 0
        """The number of bytes uploaded to the GPU so far."""

    def bands(self) -> tuple[Band, Band] | None:
        """Return the points of the strip before and after the last tick.

        The strip has the same number of points at both times. If the strip has not changed since
        the last call, return None.
        """
        raise NotImplementedError

    def renew(self, files: Set[str]) -> bool:
        return self._image.renew(files)

    def shows(self, picture: object) -> bool:
        return self._look.image is picture

    def draw(self) -> None:
        bands = self.bands()
        if bands is not None:
            self._write(*bands)
        if self._count > 1:
            self._run()

    def _write(self, old: Band, new: Band) -> None:
        n = self._count = len(new.position)
        if n < 2:
            return
        rows = -(-n * _TEXELS // _ROW)
        texels: Floats = np.zeros((rows * _ROW // _TEXELS, _TEXELS, 4), np.float32)
        _fill_texels(texels[:n], old, new)
        if self._points is None or self._points.height < rows:
            if self._points is not None:
                self._points.release()
            height = 1 << (rows - 1).bit_length()
            self._points = self._graphics.ctx.texture((_ROW, height), 4, dtype="f4")
            self._points.filter = moderngl.NEAREST, moderngl.NEAREST
        self._points.write(texels, viewport=(0, 0, _ROW, rows))
        self.uploaded_bytes += texels.nbytes

    def _run(self) -> None:
        ctx = self._graphics.ctx
        if self._array is None:
            self._array = ctx.vertex_array(self._program(), [])
        assert self._points is not None
        self._image.use(_IMAGE_UNIT)
        self._points.use(_POINTS_UNIT)
        self._array.program["count"] = self._count
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = self._blend  # type: ignore[assignment]  # the stubs know two factors only
        self._array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=self._count - 1)

    def _program(self) -> moderngl.Program:
        smooth = self._look.filter == "linear" and not self._graphics.pixel_art
        program = programs_of(self._graphics).get(
            "ribbons.vert", "ribbons.frag", {"SMOOTH_EDGES": 1} if smooth else {}
        )
        program["image"] = _IMAGE_UNIT
        program["points"] = _POINTS_UNIT
        bind_frame(program)
        return program

    def release(self) -> None:
        self._image.release()
        for part in (self._points, self._array):
            if part is not None:
                part.release()


def _fill_texels(texels: Floats, old: Band, new: Band) -> None:
    """Write the points of a strip before and after a tick into ``texels``, of the shape (n, 4, 4)."""
    # Subtract a whole number of images. The drawn image is the same, and small numbers are more
    # precise.
    whole: float = np.floor(min(old.along.min(), new.along.min()))
    for index, band in enumerate((old, new)):
        texels[:, 0, 2 * index : 2 * index + 2] = band.position
        texels[:, 1, index] = band.width
        texels[:, 1, 2 + index] = band.along - whole
        texels[:, 2 + index] = band.color


class _RibbonTicks(Backend[Ribbon]):
    """A backend that updates a ribbon's points and its scroll in each tick."""

    __slots__ = ()

    parts: RibbonParts

    def begin_tick(self, dt: float) -> None:
        self.parts.table.begin_tick(dt)
        self.parts.scroll.begin_tick()

    def end_tick(self) -> None:
        self.parts.table.end_tick()
        self.parts.scroll.end_tick()

    def notice_writes(self) -> None:
        self.parts.table.notice_writes()
        self.parts.scroll.notice_writes()


class RibbonStates(_RibbonTicks):
    """The backend of a ribbon in a game without graphics. It draws nothing."""

    __slots__ = ("parts",)

    def __init__(self, frontend: Ribbon, parts: RibbonParts, graphics: Graphics) -> None:
        super().__init__(frontend)
        self.parts = parts


@drives(Ribbon, unseen=RibbonStates)
class RibbonDrawing(_RibbonTicks, StripDrawing[Ribbon]):
    """The backend that draws a ribbon in a game with graphics."""

    __slots__ = ("_apart", "_scrolls", "parts")

    def __init__(self, frontend: Ribbon, parts: RibbonParts, graphics: Graphics) -> None:
        StripDrawing.__init__(self, frontend, parts.look, parts.repeat, graphics)
        self.parts = parts
        self._apart = True  # whether the ribbon moves between the two uploaded states
        self._scrolls = (parts.scroll.current,) * 2  # the arrays of the last upload
        parts.table.touch()

    def bands(self) -> tuple[Band, Band] | None:
        table = self.parts.table
        scroll = self.parts.scroll
        scroll.settle()
        scrolls = scroll.previous, scroll.current
        scrolled = any(
            state is not sent for state, sent in zip(scrolls, self._scrolls, strict=True)
        )
        if not (table.news() or scrolled):
            return None
        n = table.count
        tick = table.tick
        changed = [column.changed(n) for column in table.interpolated]
        apart = any(changed)
        written = any(
            column.uploads.sent != n or column.uploads.stale or column.uploads.patches
            for column in table.interpolated
        )
        bands = self._both_bands(*scrolls) if apart or scrolled or self._apart or written else None
        for column, moved in zip(table.interpolated, changed, strict=True):
            column.handed_over(n, moved)
        tick.handed_over = True
        tick.rested = False
        self._apart = apart
        self._scrolls = scrolls
        return bands

    def _both_bands(self, *scrolls: tuple[float]) -> tuple[Band, Band]:
        old, new = self.parts.table.states(slice(None))
        before, now = (
            Band(*state, along(state[0], self.parts.repeat) - shift)  # type: ignore[call-arg]  # three of four
            for state, (shift,) in zip((old, new), scrolls, strict=True)
        )
        return before, now


class _TrailTicks(Backend[Trail]):
    """A backend that records the position of a trail's target in each tick."""

    __slots__ = ()

    parts: TrailParts

    def begin_tick(self, dt: float) -> None:
        self.parts.track.begin_tick(dt)

    def end_tick(self) -> None:
        self.parts.track.end_tick(self.frontend.target, self.frontend.duration)


class TrailStates(_TrailTicks):
    """The backend of a trail in a game without graphics. It draws nothing."""

    __slots__ = ("parts",)

    def __init__(self, frontend: Trail, parts: TrailParts, graphics: Graphics) -> None:
        super().__init__(frontend)
        self.parts = parts


@drives(Trail, unseen=TrailStates)
class TrailDrawing(_TrailTicks, StripDrawing[Trail]):
    """The backend that draws a trail in a game with graphics."""

    __slots__ = ("_sent", "parts")

    def __init__(self, frontend: Trail, parts: TrailParts, graphics: Graphics) -> None:
        StripDrawing.__init__(self, frontend, parts.look, parts.repeat, graphics)
        self.parts = parts
        self._sent: tuple[object, ...] = ()  # the arrays and options of the last upload

    def bands(self) -> tuple[Band, Band] | None:
        frontend = self.frontend
        track = self.parts.track
        look = frontend.duration, frontend.width, frontend.color
        state = (track.rows, track.before, track.clock) if len(track.rows) else ()
        key = (*state, *look)
        if len(key) == len(self._sent) and all(
            a is b for a, b in zip(key, self._sent, strict=True)
        ):
            return None
        self._sent = key
        return track.bands(*look, self.parts.repeat)
