"""Draw all widgets of a `UI` in one draw call.

Boxes, images and letters are rows of one buffer on the GPU. The canvas keeps the rows of a widget
until the widget is painted again, and uploads only rows that have changed. If a widget moves in a
tick, its position is interpolated in frames between two ticks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from functools import partial
from itertools import accumulate
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..arrays import Floats, Mask, Rows
from ..assets import images
from ..gpu import shaders
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, Graphics, bind_frame, programs_of
from ..gpu.streamed import Streamed
from ..resources import Folder, is_among
from ..text.fonts import font_names
from .basic_widgets import Bound, source_of
from .brush import Brush, PreviousPosition, WidgetLook
from .containers import Root, Scroll, closes_elsewhere, paint_bars
from .easing import Ease, Eases
from .text_ruler import Ruler
from .theme import Theme
from .ui_atlas import WIDTH, UIAtlas
from .widget import Widget, node_of

Rect = tuple[float, float, float, float]

_NAMES = (
    "in_previous_box",
    "in_box",
    "in_fill",
    "in_edge",
    "in_shape",
    "in_image",
    "in_border",
    "in_clip",
)
_FORMAT = (f"{' '.join(['4f'] * len(_NAMES))}/i", *_NAMES)
_NOWHERE = (-1e9, -1e9, 1e9, 1e9)

# The atlas is cleared if it has more than 4 million pixels (16 MB), and more than four times the
# visible pixels.
_MAX_PIXELS = 4 << 20
_MAX_RATIO = 4
# If more than one in this number of items must be painted, painting all items is faster.
_SHARE_OF_CHANGES = 4
_MIN_CHANGES = 16
_NOTHING: Floats = np.zeros((0, WIDTH), np.float32)


class Painted(Protocol):
    """The attributes and methods of a `UI` that the canvas uses."""

    roots: list[Root]
    focus: Widget | None
    hovered: Widget | None
    held: Widget | None
    tip: tuple[str, float, float] | None
    has_news: bool
    visited: int
    view_size: tuple[float, float]
    extent: tuple[float, float]
    folders: Sequence[Folder]

    @property
    def theme(self) -> Theme: ...
    @property
    def scale(self) -> float: ...
    @property
    def ruler(self) -> Ruler: ...
    def look(self) -> None: ...
    def tick(self, dt: float) -> None: ...
    def is_arranged(self) -> bool: ...
    def note_arranged(self) -> None: ...
    def lay_out(self) -> bool: ...
    def find_hovered(self) -> None: ...
    def note_change(self) -> None: ...
    def reset_layout(self) -> None: ...


class CanvasState(NamedTuple):
    """The painted rows of all widgets. Snapshots contain a `CanvasState`."""

    atlas: UIAtlas | None
    looks: dict[object, WidgetLook]
    stale: set[object]
    moving: bool
    jumps: bool
    eases: dict[object, Ease]


class Canvas:
    """The drawable that draws the widgets of a `UI`."""

    not_state = True

    def __init__(self, ui: Painted) -> None:
        self.ui = ui
        self.painted = 0
        """The number of items that the last call of `paint` has painted. An item is a widget or a
        part of a widget, such as its scroll bars.
        """
        self._graphics: Graphics | None = None
        self._atlas: UIAtlas | None = None
        self._made_for: tuple[Theme, float, float] | None = None
        self._last_brush: Brush | None = None
        self._program: moderngl.Program | None = None
        self._streamed: Streamed | None = None
        self._looks: dict[object, WidgetLook] = {}
        self._captured = False
        """Whether a snapshot may refer to the dict `_looks`, which must then not be changed."""
        self._kept: dict[object, WidgetLook] = {}
        self._stale: set[object] = set()
        self._data = _NOTHING
        self._moving = False  # whether any widget moves in this tick
        self._jumps = True
        self._most = 0  # maximum pixels of the atlas, or 0 until the next paint
        # The state at the last paint, or None if the next paint must paint the items of all
        # widgets.
        self._painted: _LastPaint | None = None
        # The order of the items in `_looks`, or None if it has not been computed yet.
        self._order: _Order | None = None
        # The rows at the last call of `_notice_values`, or None if the rows have changed since that
        # call. `_shown_values` contains the values that widgets in these rows show: an object, the
        # name of the attribute with the value, and the painted value.
        self._compared: dict[object, WidgetLook] | None = None
        self._shown_values: list[tuple[object, str, object]] = []
        # the widgets whose rectangle has changed since the last paint
        self._placed: dict[object, None] = {}
        self._eases = Eases()
        # The previous positions of the items that move in the restored tick.
        self._ways: dict[object, PreviousPosition] | None = None

    @property
    def uploaded_bytes(self) -> int:
        """The number of bytes that the canvas has uploaded to the GPU since it was created."""
        return 0 if self._streamed is None else self._streamed.uploaded

    def attach(self, graphics: Graphics) -> None:
        self._graphics = graphics
        self._program = programs_of(graphics).get("widgets.vert", "widgets.frag")
        bind_frame(self._program)
        shaders.set_uniform(self._program, "image", 0)
        self._streamed = Streamed(graphics.ctx)
        self.ui.note_change()

    def touch(self, widget: Widget) -> None:
        """Mark ``widget`` as changed, so that it is painted again."""
        self._stale.add(widget)

    def _touch_again(self, widget: object) -> None:
        self._stale.add(widget)
        self.ui.has_news = True

    def note_moves(self, widgets: Sequence[object]) -> None:
        """Called after the layout has moved or resized ``widgets``, to paint them again."""
        painted = self._painted
        if painted is None:
            return
        if _is_large_share(len(widgets), len(self._looks)):
            self._painted = None  # the next paint paints all widgets
        else:
            self._placed.update(dict.fromkeys(widgets))

    def note_tree_change(self) -> None:
        """Called after widgets have been added or removed. The next paint then compares all widgets
        with the last paint, and paints only the changed ones again.
        """
        self._painted = None

    # -- ticks -------------------------------------------------------------------------------------

    def begin_tick(self, dt: float) -> None:
        self.ui.look()
        if dt:
            self._eases.advance(dt, self._touch_again)
            self.ui.tick(dt)

    def end_tick(self) -> None:
        self._notice_values()
        if self.ui.has_news:
            self._paint(moving=True)
        elif self._moving:
            data = self._data.copy()
            data[:, :4] = data[:, 4:8]
            self._moving = False
            self._send(data)

    def notice_writes(self) -> None:
        if self.ui.has_news:
            self._paint(moving=False)

    def _notice_values(self) -> None:
        """Find the widgets whose values the game has changed, so that they are painted again. For
        example, the game may change the attribute that a slider shows at any time.

        Called in every tick and in every frame. Widgets therefore show the current values even in
        paused scenes and after `restore`.
        """
        if self._compared is not self._looks:
            self._compared = self._looks
            self._shown_values = [
                (*source_of(widget), _value_in(look.state))
                for widget, look in self._looks.items()
                if isinstance(widget, Bound)
            ]
        for source, attribute, shown_value in self._shown_values:
            value: object = getattr(source, attribute)
            if value is not shown_value and value != shown_value:
                self.ui.note_change()
                return

    def forget(self) -> None:
        """Discard the rows of all widgets, so that every widget is painted again. Widgets that have
        moved are drawn at their new positions immediately, without interpolation.
        """
        self._looks = {}
        self._painted = None
        self._stale = set()
        self._jumps = True

    # -- snapshots ---------------------------------------------------------------------------------

    def capture(self) -> CanvasState:
        """Return the painted rows of all widgets. To restore the rows later, pass the result to
        `restore`.

        No rows are copied, because painted rows never change.
        """
        self._captured = True
        return CanvasState(
            self._atlas,
            self._looks,
            self._stale.copy(),
            self._moving,
            self._jumps,
            self._eases.capture(),
        )

    def restore(self, saved: CanvasState, same_size: bool) -> None:
        """Restore the rows that `capture` returned. This is faster than painting the widgets again.

        If the atlas has been replaced since `capture`, all widgets are painted again. The atlas is
        replaced when the theme, the scale or the window changes. All widgets are also painted again
        if ``same_size`` is False: the size of the view has then changed since `capture`. If a
        widget moved in the restored tick, its position is interpolated again.
        """
        atlas, looks, stale, moving, jumps, eases = saved
        self._eases.restore(eases)
        if atlas is self._atlas and same_size and (atlas is None or self._made_for is not None):
            self._looks = looks
            self._captured = True
            self._painted = None
            self._stale = stale.copy()
            self._moving = moving
            self._jumps = jumps
            if self._streamed is not None:
                data = (
                    np.concatenate([look.drawn for look in looks.values()]) if looks else _NOTHING
                )
                if not moving:
                    data[:, :4] = data[:, 4:8]
                self._send(data)
            return
        self.forget()
        self._ways = (
            {key: look.previous_position() for key, look in looks.items() if look.moved}
            if moving
            else {}
        )
        self._paint(moving=False)

    def previous_position(self, key: object) -> PreviousPosition | None:
        """Return the position that an item had in the tick before the restored tick, or None if it
        did not move.
        """
        return None if self._ways is None else self._ways.get(key)

    # -- painting ----------------------------------------------------------------------------------

    def _paint(self, moving: bool) -> None:
        ui = self.ui
        jumped = self._jumps
        arranged = ui.is_arranged()
        if arranged:
            ui.visited = 0
        else:
            jumped = ui.lay_out() or jumped
            if moving:
                ui.find_hovered()
                ui.note_arranged()
        ui.has_news = False
        if self._graphics is None:
            self._ways = None
            return
        self._jumps = False
        scale = ui.scale
        brush = self._brush(self._graphics, ui.theme, scale)
        painting = _Painting(self, brush, scale, moving and not jumped)
        self.painted = 0
        if jumped or not self._paint_changes(painting, arranged):
            self._paint_all(painting)
        self._ways = None
        self._stale = set()
        self._placed = {}
        if self._atlas is not None and not self._most:
            self._most = max(_MAX_PIXELS, _MAX_RATIO * self._atlas.area)

    def _paint_all(self, painting: _Painting) -> None:
        """Paint the items of all widgets. Items that have not changed keep their rows."""
        painting.forget_clip()
        ui = self.ui
        self._kept = {}
        self.painted = 0
        for root in ui.roots:
            if root.visible:
                painting.root(root)
        if ui.tip is not None:
            painting.tip(ui, *ui.tip)
        looks = self._looks = self._kept
        self._eases.keep({*looks})
        blocks = [look.drawn for look in looks.values()]
        data = np.concatenate(blocks) if blocks else _NOTHING
        self._order = None
        self._painted = self._paint_now({key for key, look in looks.items() if look.moved})
        changed: Mask = data[:, :4] != data[:, 4:8]
        self._moving = bool(changed.any())
        self._send(data)

    # -- a few changes -----------------------------------------------------------------------------

    def _paint_now(self, moving: set[object]) -> _LastPaint:
        """Return the current focus, mouse pointer, roots and tooltip. The next paint compares its
        own values with them. ``moving`` contains the keys of the items that move.
        """
        ui = self.ui
        pointed = ui.focus, ui.hovered, ui.held
        roots = [root for root in ui.roots if root.visible]
        return _LastPaint(moving, pointed, roots, ui.tip)

    def _current_order(self) -> _Order:
        """Return the drawing order of the items of `_looks`."""
        order = self._order
        if order is None:
            looks = self._looks
            keys = [*looks]
            order = self._order = _Order(
                keys,
                {key: index for index, key in enumerate(keys)},
                [0, *accumulate([len(look.drawn) for look in looks.values()])],
                [key for key in keys if isinstance(key, Bound)],
            )
        return order

    def _paint_changes(self, painting: _Painting, arranged: bool) -> bool:
        """Paint only the items of widgets that have changed or moved. If many items have changed,
        or an item has become visible or invisible, return False. The caller must then paint all
        items.

        ``arranged`` is True if the layout, the visible roots, the tooltip, the focus and the mouse
        pointer are as they were at the last paint.
        """
        painted = self._painted
        if painted is None or self._ways is not None:
            return False
        now = painted if arranged else self._paint_now(set())
        if painted.tip != now.tip or painted.roots != now.roots:
            return False
        count = len(self._stale) + len(self._placed) + len(painted.moving)
        if _is_large_share(count, len(self._looks)):
            return False
        order = self._current_order()
        if count == len(self._stale) and painted.pointed == now.pointed and not order.bound:
            repainted = painting.in_place(self._stale)
            if repainted is not None:
                self._replace(order, repainted, now)
                return True
        changed = self._changed_widgets(order, painted, now.pointed)
        if changed is None:
            return False
        looks: dict[object, WidgetLook] = {}
        for widget in changed:
            self._kept = {}
            if not painting.alone(widget) or not order.is_same([*self._kept], widget):
                return False
            looks |= self._kept
        self._replace(order, looks, now)
        return True

    def _changed_widgets(
        self, order: _Order, painted: _LastPaint, pointed: _Pointed
    ) -> list[Widget] | None:
        """Return the widgets whose items may have changed, in the order of their items. If both a
        widget and its parent have changed, the result contains only the parent. Return None if the
        set of visible widgets has changed.
        """
        changed = self._changed_items(order, painted, pointed)
        outermost: list[tuple[int, Widget]] = []
        for item in changed:
            if not isinstance(item, Widget):
                return None
            around = [*node_of(item).around()]
            is_seen = _is_seen(around, self.ui.roots)
            if is_seen != (item in order.positions):
                return None
            if is_seen and changed.isdisjoint(around[1:]):
                outermost.append((order.positions[item], item))
        outermost.sort(key=itemgetter(0))
        return [widget for _, widget in outermost]

    def _changed_items(self, order: _Order, painted: _LastPaint, pointed: _Pointed) -> set[object]:
        """Return the items whose rows may have changed since the last paint."""
        changed: set[object] = {*self._stale, *self._placed}
        changed.update(map(_owner, painted.moving))
        for widget, previous in zip(pointed, painted.pointed, strict=True):
            if widget is not previous:
                changed.update((widget, previous))
        for bound in order.bound:
            value: object = self._looks[bound].state
            if bound not in changed and _value_in(value) != bound.value:
                changed.add(bound)
        changed.discard(None)
        return changed

    def _replace(self, order: _Order, looks: dict[object, WidgetLook], painted: _LastPaint) -> None:
        """Replace the rows of the items in ``looks``, and upload the rows that have changed.
        ``painted`` contains the current state of the `UI`.
        """
        before = self._looks
        same_counts = True
        moving: set[object] = set()
        for key, look in looks.items():
            if len(look.drawn) != len(before[key].drawn):
                same_counts = False
            if look.moved:
                moving.add(key)
        if self._captured:
            self._captured = False
            self._looks = self._looks.copy()  # a snapshot refers to the old dict
        self._looks.update(looks)
        if order.bound:
            self._compared = None
        if moving or painted.moving or painted is not self._painted:
            self._painted = painted._replace(moving=moving)
        self._moving = any(_is_moving(looks[key]) for key in moving)
        if not same_counts:
            self._order = None
            self._send(np.concatenate([look.drawn for look in self._looks.values()]))
        else:
            self._send_changes(order, looks)

    def _send_changes(self, order: _Order, looks: dict[object, WidgetLook]) -> None:
        """Upload the rows of the items in ``looks`` that differ from the rows on the GPU. The
        numbers of rows must be the same.
        """
        first = len(self._data)
        last = 0
        for key, look in looks.items():
            start = order.starts[order.positions[key]]
            stop = start + len(look.drawn)
            rows = self._data[start:stop]
            if rows.tobytes() == look.drawn.tobytes():
                continue
            if stop - start > _MIN_CHANGES:
                differs: Rows = (rows != look.drawn).any(axis=1).nonzero()[0]
                if not len(differs):
                    continue
                start, stop = start + int(differs[0]), start + int(differs[-1]) + 1
            first = min(first, start)
            last = max(last, stop)
            rows[:] = look.drawn
        if first < last:
            assert self._streamed is not None
            self._streamed.rewrite(self._data, first, last)

    def _brush(self, graphics: Graphics, theme: Theme, scale: float) -> Brush:
        """Return the brush for ``theme``. ``scale`` is the size of one unit of the `UI` in units of
        the view.

        Create a new atlas if the theme, the scale or the screen has changed, or if the atlas is too
        large.
        """
        made_for = theme, scale, graphics.pixel_ratio
        if self._atlas is None or made_for != self._made_for or self._atlas.area > self._most:
            if self._atlas is not None:
                self._atlas.release()
            self._atlas = UIAtlas(graphics, theme.font)
            self._made_for = made_for
            self._looks = {}
            self._painted = None
            self._most = 0
            self._last_brush = Brush(self._atlas, theme, scale, self._eases)
        brush = self._last_brush
        assert brush is not None
        brush.theme = theme
        return brush

    def renew(self, files: Set[str]) -> bool:
        """If an image or font file of the theme has changed, paint all widgets again. ``files``
        contains the paths of the changed files.

        Return True if ``files`` contains a file of the theme.
        """
        ui = self.ui
        fonts = font_names(self.ui.theme.font)
        changed_images = [] if self._atlas is None else self._atlas.among(files)
        if any(is_among(font, files, ui.folders) for font in fonts):
            # raises an error if the font is invalid, before any attribute changes
            Ruler(ui.theme.font, ui.scale, ui.folders)
        elif not changed_images:
            return False
        for image in changed_images:
            images.load(images.fresh(image), ui.folders)
        self._made_for = None
        self.forget()
        ui.reset_layout()
        return True

    def known(self, key: object) -> WidgetLook | None:
        """Return the rows of an item from the last paint, or None if the item is new or must be
        painted again.
        """
        return None if key in self._stale else self._looks.get(key)

    def keep(self, key: object, look: WidgetLook) -> None:
        """Add the rows of an item to the current paint. The item is drawn over all items added
        before.
        """
        self._kept[key] = look

    def before(self, key: object) -> WidgetLook | None:
        """Return the rows of an item from the last paint, even if the item must be painted again.
        Return None if the last paint did not contain the item.
        """
        return self._looks.get(key)

    @property
    def ratio(self) -> float:
        """The number of screen pixels per unit of the view."""
        return 1.0 if self._atlas is None else self._atlas.ratio

    def _send(self, data: Floats) -> None:
        """Upload the rows that differ from those on the GPU."""
        previous = self._data
        self._data = data
        assert self._streamed is not None
        assert self._program is not None
        if previous.shape != data.shape or not len(data):
            self._streamed.write(data, self._program, _FORMAT)
            return
        changed: Rows = np.flatnonzero((previous != data).any(axis=1))
        if len(changed):
            self._streamed.rewrite(data, int(changed[0]), int(changed[-1]) + 1)

    # -- drawing -----------------------------------------------------------------------------------

    def draw(self) -> None:
        self.ui.look()
        self._notice_values()
        if self.ui.has_news:
            self._paint(moving=False)
        streamed = self._streamed
        if streamed is None or not streamed.count or self._atlas is None or self._graphics is None:
            return
        ctx = self._graphics.ctx
        ctx.enable_only(moderngl.BLEND)
        # The blend modes have four factors, but the type stubs of moderngl allow only two.
        ctx.blend_func = BLEND_MODES["alpha"]  # type: ignore[assignment]
        self._atlas.atlas.texture.use(0)
        assert streamed.array is not None
        streamed.array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=streamed.count)

    def release(self) -> None:
        self.forget()
        self._ways = None
        if self._atlas is not None:
            self._atlas.release()
        if self._streamed is not None:
            self._streamed.release()
        self._atlas = None
        self._last_brush = None
        self._graphics = None
        self._streamed = None
        self._data = _NOTHING

    def release_unseen(self) -> None:
        self.forget()


_Pointed = tuple[Widget | None, Widget | None, Widget | None]


class _LastPaint(NamedTuple):
    """The state of the `UI` at the last paint: the focus, the mouse pointer, the roots and the
    tooltip. The next paint compares its own state with this state.
    """

    moving: set[object]
    """The keys of the items that move in this tick."""
    pointed: _Pointed
    """The widget with the focus, the widget under the mouse, and the widget that the player is
    pressing.
    """
    roots: list[Root]
    tip: tuple[str, float, float] | None


class _Order(NamedTuple):
    """The drawing order of the items, and the rows of each item."""

    keys: list[object]
    positions: dict[object, int]
    starts: list[int]
    """The index of the first row of each item."""
    bound: list[Bound[Any]]
    """The widgets that show a value of the game. The values of these widgets may change at any
    time.
    """

    def is_same(self, keys: list[object], widget: Widget) -> bool:
        """Return whether ``keys`` are exactly the items of a widget and of its descendants."""
        start = self.positions[widget]
        end = start + len(keys)
        if self.keys[start:end] != keys:
            return False
        return end >= len(self.keys) or not _is_within(self.keys[end], widget)


def _is_large_share(changes: int, items: int) -> bool:
    """Return whether painting all ``items`` is faster than painting only the ``changes``."""
    return changes > _MIN_CHANGES and _SHARE_OF_CHANGES * changes > items


def _is_moving(look: WidgetLook) -> bool:
    """Return whether the rows of an item move in this tick. A move of much less than a pixel does
    not count.
    """
    return look.moved and bool((look.drawn[:, :4] != look.drawn[:, 4:8]).any())


def _owner(key: object) -> object:
    """Return the widget of an item. An item is a widget or a part of a widget."""
    return key[0] if isinstance(key, tuple) else key


def _value_in(state: object) -> object:
    """Return the value that the widget of an item showed in the last paint. See
    `_Painting._widget`.
    """
    assert isinstance(state, tuple)
    return state[-1]


def _is_within(key: object, widget: Widget) -> bool:
    """Return whether an item belongs to ``widget`` or to one of its descendants."""
    owner = _owner(key)
    return isinstance(owner, Widget) and any(part is widget for part in node_of(owner).around())


def _is_seen(around: Sequence[Widget], roots: Sequence[Root]) -> bool:
    """Return whether a widget is visible on the screen. ``around`` contains the widget, its parent,
    the parent of its parent, and so on. The last element of ``around`` is the root.
    """
    outermost = around[-1]
    for root in roots:
        if root is outermost:
            break
    else:
        return False
    child = None
    for widget in around:
        if not node_of(widget).visible:
            return False
        if (
            child is not None
            and isinstance(widget, Scroll)
            and widget.overflows
            and not _is_inside(child, widget)
        ):
            return False
        child = widget
    return True


def _is_inside(child: Widget, parent: Widget) -> bool:
    """Return whether the rectangle of a child overlaps the rectangle of its parent."""
    box = parent.box
    x = child.box.x - box.offset_x
    y = child.box.y - box.offset
    return x < box.w and x + child.box.w > 0 and y < box.h and y + child.box.h > 0


class _Painting:
    """One pass that paints the visible widgets of a canvas."""

    def __init__(self, canvas: Canvas, brush: Brush, scale: float, moving: bool) -> None:
        ui = canvas.ui
        self._ui = ui
        self._canvas = canvas
        self._brush = brush
        self._moving = moving
        self._scale = scale
        self._height = ui.view_size[1]
        self._clip: Rect = _NOWHERE

    def _put(
        self, key: object, state: object, x: float, y: float, paint: Callable[[Brush], None]
    ) -> None:
        """Draw an item. (x, y) is the top left corner of the item in units of the `UI`. The y axis
        points down.

        An item is a widget or a part of a widget, such as its scroll bars. Each item has its own
        ``key``. ``paint`` is only called if ``state`` differs from the state at the last paint.
        """
        canvas = self._canvas
        look = canvas.known(key)
        if look is None or look.state != state:
            self._brush.start()
            paint(self._brush)
            look = self._brush.finish(state, canvas.before(key))
            canvas.painted += 1
        previous = canvas.previous_position(key)
        if previous is not None:
            look.set_previous_position(previous)
        scale = self._scale
        moving = self._moving or previous is not None
        canvas.keep(
            key, look.put(x * scale, self._height - y * scale, self._clip, moving, canvas.ratio)
        )

    def root(self, root: Root) -> None:
        if root.modal and not closes_elsewhere(root):
            self._brush.theme = node_of(root).theme or self._ui.theme
            width, height = extent = self._ui.extent
            overlay = self._brush.theme.overlay
            self._put(
                (root, "shade"),
                extent,
                0,
                0,
                lambda brush: brush.box(0, 0, width, height, fill=overlay),
            )
        self._widget(root, root.box.x, root.box.y, self._ui.theme, True)

    def forget_clip(self) -> None:
        """Reset the clip area, because the clip area of the previous widget does not apply to the
        next root.
        """
        self._clip = _NOWHERE

    def alone(self, widget: Widget) -> bool:
        """Draw a visible widget and all its descendants. The caller must check that the widget's
        ancestors have not changed since the last paint. Return False if the widget is a modal root,
        which must also draw a dark layer behind itself.
        """
        around = [*node_of(widget).around()][::-1]
        root = around[0]
        if len(around) == 1 and isinstance(root, Root) and root.modal:
            return False
        ui = self._ui
        x = y = 0.0
        theme = ui.theme
        usable = True
        self.forget_clip()
        for parent in around[:-1]:
            box = parent.box
            x += box.x
            y += box.y
            theme = node_of(parent).theme or theme
            usable = usable and parent.enabled
            if isinstance(parent, Scroll) and parent.overflows:
                self._clip = self._cut(x, y, box.w, box.h)
            x -= box.offset_x
            y -= box.offset
        self._widget(widget, x + widget.box.x, y + widget.box.y, theme, usable)
        return True

    def in_place(self, widgets: Iterable[object]) -> dict[object, WidgetLook] | None:
        """Paint visible widgets again, at their positions from the last paint. The widgets must not
        have children. Return None if any of them has children, was not visible in the last paint,
        or may have moved.
        """
        canvas = self._canvas
        brush = self._brush
        ui = self._ui
        looks: dict[object, WidgetLook] = {}
        for widget in widgets:
            if not isinstance(widget, Widget):
                return None
            node = node_of(widget)
            before = canvas.before(widget)
            target = None if before is None else before.place
            if target is None or node.children or not node.visible:
                return None
            brush.theme, usable = self._theme_and_usable(widget)
            brush.usable = usable
            box = widget.box
            pointed = ui.hovered is widget, ui.held is widget
            state = box.w, box.h, ui.focus is widget, *pointed, usable, None
            brush.start()
            widget.paint(brush)
            canvas.painted += 1
            look = brush.finish(state, before)
            look.put_here(target, self._moving, canvas.ratio)
            looks[widget] = look
        return looks

    def _theme_and_usable(self, widget: Widget) -> tuple[Theme, bool]:
        """Return the theme of a widget, and whether the widget and all its ancestors are enabled."""
        node = node_of(widget)
        theme = node.theme
        usable = widget.enabled
        while (parent := node.parent) is not None:
            node = node_of(parent)
            theme = theme or node.theme
            usable = usable and parent.enabled
        return theme or self._ui.theme, usable

    def _widget(self, widget: Widget, x: float, y: float, theme: Theme, usable: bool) -> None:
        """Draw a widget and all its descendants. ``usable`` is True if all ancestors of the widget
        are enabled.
        """
        ui = self._ui
        usable = usable and widget.enabled
        box = widget.box
        theme = self._brush.theme = node_of(widget).theme or theme
        self._brush.usable = usable
        value = widget.value if isinstance(widget, Bound) else None
        pointed = ui.hovered is widget, ui.held is widget
        state = box.w, box.h, ui.focus is widget, *pointed, usable, value
        self._put(widget, state, x, y, widget.paint)
        children = node_of(widget).children
        if not children:
            return
        scrolled = widget if isinstance(widget, Scroll) and widget.overflows else None
        clip = self._clip
        if scrolled is not None:
            self._clip = self._cut(x, y, box.w, box.h)
        left = x - box.offset_x
        top = y - box.offset
        for child in children:
            if child.visible and (scrolled is None or _is_inside(child, widget)):
                self._widget(child, left + child.box.x, top + child.box.y, theme, usable)
        if scrolled is not None:
            self._brush.theme = theme
            bar_state = box.w, box.h, box.offset, box.offset_x, box.extent, box.extent_x
            self._put((widget, "bars"), bar_state, x, y, partial(paint_bars, scrolled))
        self._clip = clip

    def _cut(self, x: float, y: float, width: float, height: float) -> Rect:
        """Return the part of a rectangle that shows the current widget.

        The returned part is (left, bottom, right, top) in units of the view.
        """
        scale = self._scale
        left, bottom, right, top = self._clip
        lower = self._height - (y + height) * scale
        upper = self._height - y * scale
        return (
            max(left, x * scale),
            max(bottom, lower),
            min(right, (x + width) * scale),
            min(top, upper),
        )

    def tip(self, ui: Painted, text: str, x: float, y: float) -> None:
        """Draw the tooltip beside the mouse pointer. If the mouse is not over a widget, draw the
        tooltip below the widget that has the focus.
        """
        self._brush.theme = ui.theme
        theme = ui.theme
        ruler = ui.ruler
        size = theme.font_size * 0.8
        width, height = ui.extent
        lines = ruler.lines(text, size, max(min(320.0, width - 24), 1.0))
        line_height = ruler.line_height(size)
        w = max(ruler.width(line, size) for line in lines) + 16
        h = len(lines) * line_height + 10
        x = max(min(x + 12, width - w), 0.0)
        y = y + 20 if y + 20 + h <= height else max(y - h - 8, 0.0)

        def paint(brush: Brush) -> None:
            brush.box(
                0, 0, w, h, fill=(*theme.panel[:3], 1.0), edge=theme.edge, radius=theme.radius / 2
            )
            for number, line in enumerate(lines, 1):
                brush.text(line, size, 8, 5 + number * line_height, theme.text)

        self._put("tip", ui.tip, x, y, paint)
