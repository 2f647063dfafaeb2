"""Draws the widgets of a `UI`: rounded boxes and stretched pictures as rows of one buffer, over it the text.

Nothing is written unless something changed. What moves in a tick is blended from where it was, as sprites are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats
from ..assets import images
from ..gpu import shaders
from ..gpu.atlas import Atlas
from ..gpu.drawable import DrawableDefaults
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, FRAME_BINDING, Graphics
from ..gpu.streamed import Streamed
from ..plane.text import TextBatch
from .brush import Brush
from .captions import Captions
from .panes import Root, Scroll
from .widgets import Widget

Rect = tuple[float, float, float, float]

_NAMES = ("in_previous_box", "in_box", "in_fill", "in_edge", "in_shape", "in_image", "in_border")
_FORMAT = (f"{' '.join(['4f'] * len(_NAMES))}/i", *_NAMES)
_WIDTH = 4 * len(_NAMES)


class _Sheet:
    """What is drawn at once: the boxes of a root, or of what scrolls, and their text."""

    def __init__(self, canvas: Canvas) -> None:
        self.captions = Captions(canvas.ui.theme.font, canvas.attach_text)
        self.streamed: Streamed | None = None
        self.clip: Rect | None = None
        self.rows: list[list[float]] = []
        self.data: Floats = np.zeros((0, _WIDTH), np.float32)
        self.places: dict[Any, Rect] = {}
        self.before: dict[Any, Rect] = {}
        self.moving = False

    def begin(self, clip: Rect | None) -> None:
        self.clip, self.rows = clip, []
        self.before, self.places = self.places, {}
        self.captions.begin()

    def finish(self, moving: bool) -> None:
        self.captions.finish(moving)
        self.data = np.array(self.rows, np.float32).reshape(-1, _WIDTH)
        self.moving = moving and bool((self.data[:, :4] != self.data[:, 4:8]).any())
        if not moving:
            self.settle()

    def settle(self) -> None:
        """What moved has come to rest."""
        self.data[:, :4] = self.data[:, 4:8]
        self.moving = False

    def release(self) -> None:
        self.captions.release()
        if self.streamed is not None:
            self.streamed.drop()


class Canvas(DrawableDefaults):
    """The drawable of a `UI`."""

    not_state = True

    def __init__(self, ui: Any) -> None:
        self.ui = ui
        self._graphics: Graphics | None = None
        self._atlas: Atlas | None = None
        self._regions: dict[Any, tuple[Any, Rect]] = {}
        self._program: Any = None
        self._sheets: dict[Any, _Sheet] = {}
        self._drawn: list[_Sheet] = []
        self._uploaded = 0
        self._resting = 0  # ticks until all that moved has come to rest

    @property
    def uploaded_bytes(self) -> int:
        """Bytes written to the GPU so far."""
        return self._uploaded + sum(sheet.captions.uploaded_bytes for sheet in self._sheets.values())

    def attach(self, graphics: Graphics) -> None:
        self._graphics = graphics
        if graphics.programs is None:
            graphics.programs = shaders.Programs(graphics.ctx, graphics.folders)
        self._program = graphics.programs.get("widgets.vert", "widgets.frag")
        self._program["Frame"].binding = FRAME_BINDING
        shaders.set_uniform(self._program, "image", 0)
        self.ui.note_change()

    def attach_text(self, batch: TextBatch) -> None:
        """Have a batch of text drawn."""
        if self._graphics is not None:
            batch.attach(self._graphics)

    def region(self, image: Any) -> Rect | None:
        """Where a picture is in the atlas: x, y, width, height in texels."""
        graphics = self._graphics
        if graphics is None:
            return None
        key = image if isinstance(image, str) else id(image)
        found = self._regions.get(key)
        if found is None:
            if self._atlas is None:
                self._atlas = Atlas(graphics.ctx)
            number = self._atlas.add(images.premultiply(images.load(image, graphics.folders)))
            x, y, width, height = self._atlas.rectangles[number].tolist()
            found = self._regions[key] = image, (x, y, width, height)
        return found[1]

    # -- ticks -------------------------------------------------------------------------------------------------------

    def begin_tick(self, dt: float) -> None:
        self.ui.look()
        if dt:
            self.ui.tick(dt)
        if self._resting:
            for sheet in self._drawn:
                sheet.captions.begin_tick(dt)

    def end_tick(self) -> None:
        if self.ui.has_news:
            self._paint(moving=True)
            self._resting = 2
        elif self._resting:
            self._resting -= 1
            for sheet in self._drawn:
                if sheet.moving:
                    sheet.settle()
                    self._send(sheet)
        else:
            return
        for sheet in self._drawn:
            sheet.captions.end_tick()

    def notice_writes(self) -> None:
        if self.ui.has_news:
            self._paint(moving=False)
            for sheet in self._drawn:
                sheet.captions.end_tick()

    def forget(self) -> None:
        """All is another: nothing moves from where it was."""
        for sheet in self._sheets.values():
            sheet.release()
        self._sheets, self._drawn = {}, []

    # -- painting ----------------------------------------------------------------------------------------------------

    def _paint(self, moving: bool) -> None:
        ui = self.ui
        jumped = ui.lay_out()
        ui.has_news = False
        if self._graphics is None:
            return
        theme, scale, (_, height) = ui.theme, ui.scale, ui.picture
        brush = Brush(self, theme, scale, height)
        kept: dict[Any, _Sheet] = {}
        self._drawn, before = [], self._sheets
        for root in ui.roots:
            if root.visible:
                self._paint_root(root, brush, before, kept)
        if ui.tip is not None:
            sheet = self._sheet("tip", None, before, kept)
            self._paint_tip(brush, sheet, ui)
        for key, sheet in before.items():
            if key not in kept:
                sheet.release()
        self._sheets = kept
        for sheet in self._drawn:
            sheet.finish(moving and not jumped)
            self._send(sheet)

    def _sheet(self, key: Any, clip: Rect | None, before: dict[Any, _Sheet], kept: dict[Any, _Sheet]) -> _Sheet:
        sheet = kept[key] = before.get(key) or _Sheet(self)
        sheet.begin(clip)
        self._drawn.append(sheet)
        return sheet

    def _paint_root(self, root: Root, brush: Brush, before: Any, kept: Any) -> None:
        sheet = self._sheet(root, None, before, kept)
        if root.modal:
            wide, high = self.ui.extent
            brush.start(sheet, (root, "shade"), 0, 0)
            brush.box(0, 0, wide, high, fill=brush.theme.shade, edge_width=0)
        self._paint_widget(root, root.box.x, root.box.y, sheet, brush, before, kept)

    def _paint_widget(
        self, widget: Widget, x: float, y: float, sheet: _Sheet, brush: Brush, before: Any, kept: Any
    ) -> None:
        brush.start(sheet, widget, x, y)
        widget.paint(brush)
        inner, box = sheet, widget.box
        top = y - box.offset
        if isinstance(widget, Scroll) and box.extent > box.h + 1e-6:
            inner = self._sheet((widget, "within"), _cut((x, y, box.w, box.h), sheet.clip), before, kept)
        for child in widget.children:
            if not child.visible:
                continue
            left, upper = x + child.box.x, top + child.box.y
            if inner is sheet or (upper < y + box.h and upper + child.box.h > y):
                self._paint_widget(child, left, upper, inner, brush, before, kept)
        if inner is not sheet:
            brush.start(inner, (widget, "bar"), x, y)
            widget.paint_over(brush)  # type: ignore[attr-defined]

    def _paint_tip(self, brush: Brush, sheet: _Sheet, ui: Any) -> None:
        theme, ruler = ui.theme, ui.ruler
        assert ui.tip is not None
        text, x, y = ui.tip
        size, (wide, high) = theme.size * 0.8, ui.extent
        lines = ruler.lines(text, size, min(320.0, wide - 24))
        w = max(ruler.width(line, size) for line in lines) + 16
        h = len(lines) * ruler.line_height(size) + 10
        x, y = max(min(x + 12, wide - w), 0.0), y + 20 if y + 20 + h <= high else max(y - h - 8, 0.0)
        brush.start(sheet, "tip", x, y)
        brush.box(0, 0, w, h, fill=(*theme.panel[:3], 1.0), edge=theme.edge, radius=theme.radius / 2)
        for number, line in enumerate(lines, 1):
            brush.text(line, size, 8, 5 + number * ruler.line_height(size), theme.text)

    def _send(self, sheet: _Sheet) -> None:
        graphics = self._graphics
        if graphics is None:
            return
        if sheet.streamed is None:
            sheet.streamed = Streamed(graphics.ctx)
        sheet.streamed.write(sheet.data, self._program, _FORMAT)
        self._uploaded += sheet.data.nbytes

    # -- drawing -----------------------------------------------------------------------------------------------------

    def draw(self) -> None:
        self.ui.look()
        if self.ui.has_news:
            self._paint(moving=False)
            for sheet in self._drawn:
                sheet.captions.end_tick()
        graphics = self._graphics
        if graphics is None or not self._drawn:
            return
        ctx = graphics.ctx
        framebuffer: Any = ctx.fbo
        for sheet in self._drawn:
            if sheet.clip is not None:
                framebuffer.scissor = self._scissor(sheet.clip, framebuffer.viewport)
            if sheet.streamed is not None and sheet.streamed.array is not None and sheet.streamed.count:
                ctx.enable_only(moderngl.BLEND)
                ctx.blend_func = BLEND_MODES["alpha"]  # type: ignore[assignment]  # the stubs know two factors only
                if self._atlas is not None:
                    self._atlas.texture.use(0)
                sheet.streamed.array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=sheet.streamed.count)
            sheet.captions.draw()
            if sheet.clip is not None:
                framebuffer.scissor = None

    def _scissor(self, clip: Rect, viewport: Any) -> tuple[int, int, int, int]:
        """A clip of the interface in pixels."""
        (left, bottom, wide, high), (width, height) = viewport, self.ui.picture
        scale = self.ui.scale
        x, y = left + clip[0] * scale * wide / width, bottom + (height - (clip[1] + clip[3]) * scale) * high / height
        return round(x), round(y), round(clip[2] * scale * wide / width), round(clip[3] * scale * high / height)

    def release(self) -> None:
        self.forget()
        if self._atlas is not None:
            self._atlas.release()
        self._atlas, self._graphics, self._regions = None, None, {}


def _cut(rect: Rect, other: Rect | None) -> Rect:
    """What two rectangles have in common."""
    if other is None:
        return rect
    x, y = max(rect[0], other[0]), max(rect[1], other[1])
    right, low = min(rect[0] + rect[2], other[0] + other[2]), min(rect[1] + rect[3], other[1] + other[3])
    return x, y, max(right - x, 0.0), max(low - y, 0.0)
