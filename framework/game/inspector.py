"""The inspector: a panel over the game's picture with its scenes, batches and values, to look at
and to turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..input import key
from ..input.tick_input import Event
from ..plane.camera2d import Camera2D
from ..state.rows import table_of
from ..watch.imguidrawing import ImguiDrawing, load
from ..watch.notes import Notes
from .playing import driven

_ROWS = 40  # of a table, at a time
_MOST_VALUES = 60  # of one thing
_KEYS = {
    key.BACKSPACE: "BACKSPACE",
    key.DELETE: "DELETE",
    key.RETURN: "ENTER",
    key.ENTER: "ENTER",
    key.TAB: "TAB",
    key.LEFT: "LEFT_ARROW",
    key.RIGHT: "RIGHT_ARROW",
    key.UP: "UP_ARROW",
    key.DOWN: "DOWN_ARROW",
    key.HOME: "HOME",
    key.END: "END",
    key.ESCAPE: "ESCAPE",
    key.PAGEUP: "PAGE_UP",
    key.PAGEDOWN: "PAGE_DOWN",
}
_PLAIN = (bool, int, float, str)
_NOTHING: Any = object()

Point = tuple[float, float]
Box = tuple[float, float, float, float]


class Inspector:
    """Over one game, from now on until `close`.

    What goes on in it is none of the game's: the mouse over the panel, and keys while a field of it
    is written in, do not reach the game, and are in no recording. A value that is turned is changed
    between two ticks, as by `Game.call_soon`.
    """

    not_state = True

    def __init__(self, game: Any) -> None:
        self._game = game
        self._stage, self._loop, self._events, _, self._painter, _ = driven(game)
        self._imgui = load()
        self._panel = ImguiDrawing(self._build)
        self._taken: set[tuple[str, Any]] = set()  # keys and buttons whose press was for the panel
        self._from: dict[int, int] = {}  # the first row that is shown, of each table
        self._row: dict[int, int] = {}
        self._shapes: list[tuple[Any, ...]] = []
        self._tick = -1
        self._painter.panels.put_over(self._panel)
        self._before = self._events.kept
        self._events.kept = self.hears
        self._stage.inspector = self
        self.notes = Notes()

    def close(self) -> None:
        """Show it no longer."""
        self._painter.panels.take_off(self._panel)
        self._events.kept = self._before
        self._stage.inspector = None

    # -- what the players do in it -----------------------------------------------------------------

    def hears(self, event: Event) -> bool:
        """Whether an event is for the panel: the game does not hear of it then."""
        if self._panel.broken:
            return False
        io, name = self._panel.io, event[0]
        if name in (
            "on_mouse_motion",
            "on_mouse_drag",
            "on_mouse_press",
            "on_mouse_release",
            "on_mouse_scroll",
        ):
            io.add_mouse_pos_event(*self._place(event[1], event[2]))
        if name in ("on_mouse_press", "on_mouse_release"):
            button = {1: 0, 4: 1, 2: 2}.get(event[3], 0)
            io.add_mouse_button_event(button, name == "on_mouse_press")
            return self._is_taken(
                ("button", event[3]), name == "on_mouse_press", io.want_capture_mouse
            )
        if name == "on_mouse_scroll":
            io.add_mouse_wheel_event(event[3], event[4])
        if name.startswith("on_mouse"):
            return bool(io.want_capture_mouse)
        if name in ("on_key_press", "on_key_release"):
            known = _KEYS.get(event[1])
            if known is not None:
                io.add_key_event(getattr(self._imgui.Key, f"KEY_{known}"), name == "on_key_press")
            wanted = io.want_text_input and event[1] != key.F2
            return self._is_taken(("key", event[1]), name == "on_key_press", wanted)
        if name == "on_text" and io.want_text_input:
            for letter in event[1]:
                io.add_input_character(ord(letter))
            return True
        return False

    def _is_taken(self, what: tuple[str, Any], down: bool, wanted: bool) -> bool:
        """What was pressed in the panel is let go of there, and what was pressed in the game in
        that.
        """
        if down:
            if wanted:
                self._taken.add(what)
            return bool(wanted)
        taken = what in self._taken
        self._taken.discard(what)
        return taken

    def _place(self, x: float, y: float) -> tuple[float, float]:
        """A place in the picture, in units, as pixels from the top left corner."""
        scale, height = self._stage.scale, self._stage.surface.framebuffer_size[1]
        return x * scale.x + scale.left, height - (y * scale.y + scale.bottom)

    # -- what is in it -----------------------------------------------------------------------------

    def _build(self, width: int, height: int) -> None:
        imgui = self._imgui
        self._draw_shapes()
        imgui.set_next_window_pos((10, 10), imgui.Cond.FIRST_USE_EVER)
        imgui.set_next_window_size(
            (min(430, width - 20), max(120, height - 20)), imgui.Cond.FIRST_USE_EVER
        )
        imgui.begin("Inspector (F2)")
        self._build_time()
        if (
            self.notes.watched
            and imgui.collapsing_header("Watched", None, imgui.TreeNodeFlags.DEFAULT_OPEN)[0]
        ):
            for name, value in self.notes.watched.items():
                imgui.text(f"{name} = {_shown(value)}")
        for number, entry in enumerate(self._stage.on):
            imgui.push_id(number)
            self._build_scene(number, entry)
            imgui.pop_id()
        if (
            self.notes.lines
            and imgui.collapsing_header("Log", None, imgui.TreeNodeFlags.DEFAULT_OPEN)[0]
        ):
            for line in list(self.notes.lines)[-_ROWS:]:
                imgui.text(line)
        imgui.end()

    def _build_time(self) -> None:
        imgui, timestep = self._imgui, self._loop.timestep
        imgui.text(
            f"tick {self._loop.tick:,}   {timestep.time:.2f} s   {self._stage.monitor.fps:.0f} fps"
        )
        changed, paused = imgui.checkbox("paused", timestep.paused)
        if changed:
            timestep.paused = paused
        imgui.same_line()
        if imgui.button("one tick"):
            timestep.paused = True
            timestep.step()
        changed, scale = imgui.slider_float("time scale", timestep.time_scale, 0.0, 4.0)
        if changed:
            timestep.time_scale = max(0.0, scale)

    def _build_scene(self, number: int, entry: Any) -> None:
        imgui, scene = self._imgui, entry.scene
        flags = imgui.TreeNodeFlags.DEFAULT_OPEN
        if not imgui.collapsing_header(f"{type(scene).__name__}", None, flags)[0]:
            return
        if imgui.tree_node("values"):
            self._build_values(scene)
            imgui.tree_pop()
        for index, batch in enumerate(entry.contents.batches()):
            if imgui.tree_node(f"batch {index}", f"{_name_in(entry, batch)}: {_about(batch)}"):
                self._build_batch(batch)
                imgui.tree_pop()

    def _build_values(self, thing: Any) -> None:
        """Its attributes that are numbers, words and the like; numbers can be dragged."""
        for name, value in list(_values(thing))[:_MOST_VALUES]:
            new = self._field(name, value)
            if new is not value:
                self._game.call_soon(
                    lambda thing=thing, name=name, new=new: setattr(thing, name, new)
                )

    def _field(self, name: str, value: Any) -> Any:
        """A field for a value; returns what it is now: the same object where nobody has changed
        it.
        """
        imgui = self._imgui
        if isinstance(value, bool):
            changed, new = imgui.checkbox(name, value)
        elif isinstance(value, int) and abs(value) < 1 << 31:
            changed, new = imgui.drag_int(name, value, 0.2)
        elif isinstance(value, float):
            changed, new = imgui.drag_float(name, value, max(abs(value), 1.0) * 0.005)
        elif isinstance(value, str) and len(value) < 200:
            changed, new = imgui.input_text(name, value)
        else:
            imgui.text(f"{name} = {_shown(value)}")
            return value
        return new if changed else value

    def _build_batch(self, batch: Any) -> None:
        columns = _columns(batch)
        count = max((len(values) for _, values in columns), default=0)
        if not columns or not count:
            self._build_values(batch)
            return
        imgui, known = self._imgui, id(batch)
        if count > _ROWS:
            _, self._from[known] = imgui.drag_int(
                "from row", self._from.get(known, 0), 1.0, 0, count - 1
            )
        first = min(self._from.get(known, 0), count - 1)
        self._build_table(columns, range(first, min(first + _ROWS, count)), known)
        row = self._row.get(known)
        if row is not None and row < count:
            imgui.text(f"row {row}")
            for name, values in columns:
                self._build_cell(batch, name, values, row)

    def _build_table(self, columns: list[tuple[str, Any]], rows: range, known: int) -> None:
        imgui, flags = self._imgui, self._imgui.TableFlags
        shape = flags.BORDERS | flags.ROW_BG | flags.SCROLL_X | flags.SCROLL_Y | flags.RESIZABLE
        if not imgui.begin_table(
            "rows", len(columns) + 1, shape, (0.0, 22.0 * min(len(rows) + 2, 10))
        ):
            return
        imgui.table_setup_scroll_freeze(1, 1)
        imgui.table_setup_column("row")
        for name, _ in columns:
            imgui.table_setup_column(name)
        imgui.table_headers_row()
        for row in rows:
            imgui.table_next_row()
            imgui.table_next_column()
            clicked, _ = imgui.selectable(
                f"{row}", self._row.get(known) == row, imgui.SelectableFlags.SPAN_ALL_COLUMNS
            )
            if clicked:
                self._row[known] = row
            for _, values in columns:
                imgui.table_next_column()
                imgui.text(_shown(values[row]))
        imgui.end_table()

    def _build_cell(self, batch: Any, name: str, values: Any, row: int) -> None:
        """Fields for what a row has in a column."""
        cells = np.atleast_1d(values[row])
        for index, cell in enumerate(cells.tolist()):
            new = self._field(name if len(cells) == 1 else f"{name} {index}", cell)
            if new is not cell:
                at = row if len(cells) == 1 and np.ndim(values) == 1 else (row, index)
                self._game.call_soon(lambda at=at, new=new: _write(batch, name, at, new))

    # -- what `debug.draw` was told ----------------------------------------------------------------

    def _draw_shapes(self) -> None:
        """Those of the last tick that drew any, and of this frame."""
        shapes, self.notes.shapes = self.notes.shapes, []
        if self._loop.tick != self._tick:
            self._tick, self._shapes = self._loop.tick, shapes
            shapes = []
        for box, scale, place in self._seen_from():
            self._draw_in(box, scale, place, (*self._shapes, *shapes))

    def _seen_from(self) -> Iterator[tuple[Box, float, Callable[[Point], Point]]]:
        """Where the plane of the scene is seen: the box, in units of the picture, the pixels of one
        of its units, and where in the picture a point of it is."""
        stage, alpha = self._stage, self._loop.timestep.alpha
        scene = stage.on[-1].scene
        views = [view for view in scene.views if view.visible and view.texture is None]
        plane = [(view, view.camera) for view in views if isinstance(view.camera, Camera2D)]
        for view, camera in plane:
            yield view.box, stage.scale.x * camera.zoom, partial(view.to_screen, alpha=alpha)
        if not plane:
            own = scene.ear(2)  # none is made for this
            zoom = 1.0 if own is None else own.zoom
            place: Any = tuple if own is None else partial(own.world_to_screen, alpha=alpha)
            yield (0.0, 0.0, *stage.view.size), stage.scale.x * zoom, place

    def _draw_in(
        self,
        box: Box,
        scale: float,
        place: Callable[[Point], Point],
        shapes: Sequence[tuple[Any, ...]],
    ) -> None:
        imgui, drawn = self._imgui, self._imgui.get_background_draw_list()
        left, bottom, width, height = box
        drawn.push_clip_rect(self._place(left, bottom + height), self._place(left + width, bottom))

        def pixel(point: Point) -> Point:
            return self._place(*place(point))

        for kind, *about in shapes:
            color = imgui.color_convert_float4_to_u32(about[-2] if kind != "text" else about[-1])
            if kind == "line":
                drawn.add_line(pixel(about[0]), pixel(about[1]), color, about[-1])
            elif kind == "circle":
                drawn.add_circle(pixel(about[0]), about[1] * scale, color, 0, about[-1])
            else:
                drawn.add_text(pixel(about[0]), color, about[1])
        drawn.pop_clip_rect()


def _write(batch: Any, name: str, at: Any, value: Any) -> None:
    getattr(batch, name)[at] = value


def _values(thing: Any) -> Iterator[tuple[str, Any]]:
    """Its own attributes that can be shown in a line, private ones left out."""
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    for name in dict.fromkeys([*getattr(thing, "__dict__", ()), *slots]):
        value = _NOTHING if name.startswith("_") else getattr(thing, name, _NOTHING)
        if value is None or isinstance(value, (*_PLAIN, tuple, list, dict, set, np.ndarray)):
            yield name, value


def _columns(batch: Any) -> list[tuple[str, Any]]:
    """Names and values of a batch's columns."""
    names: Iterable[str] = [column.name for column in getattr(table_of(batch), "columns", ())]
    found = [(name, getattr(batch, name, None)) for name in names]
    return [
        (name, values)
        for name, values in found
        if isinstance(values, np.ndarray) and values.ndim in (1, 2)
    ]


def _name_in(entry: Any, thing: Any) -> str:
    """The attribute of a scene that a thing is."""
    if thing is getattr(entry.contents.ui, "canvas", None):
        return "ui"
    own = [name for name, value in vars(entry.scene).items() if value is thing]
    return min(own, key=lambda name: name.startswith("_")).strip("_") if own else "(no name)"


def _about(batch: Any) -> str:
    name = type(batch).__name__
    return f"{name} of {len(batch):,}" if hasattr(batch, "__len__") else name


def _shown(value: Any) -> str:
    """A value in a line."""
    if isinstance(value, np.ndarray):
        if value.size > 8:
            return f"{value.dtype} {value.shape}"
        return ", ".join(_shown(one) for one in value.reshape(-1).tolist())
    words = f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)
    return words if len(words) <= 200 else f"{words[:200]}…"
