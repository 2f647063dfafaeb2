"""The inspector: a panel over the game that shows its scenes, batches and state values.

You can change the values while the game is running.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..input import key, mouse
from ..input.tick_input import Event
from ..plane.camera2d import Camera2D
from ..state.rows import table_of
from ..watch.debug_notes import DebugNotes
from ..watch.imgui_drawing import ImguiDrawing, load
from .driven_game import PlayedGame, driven
from .scene import Scene
from .stage import Entry

if TYPE_CHECKING:
    from slimgui import imgui as widgets

_MAX_ROWS = 40  # the maximum number of visible rows of a table
_MAX_VALUES = 60  # the maximum number of visible values of an object
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
# The numbers of ImGui's mouse buttons, by pyglet's numbers.
_BUTTONS = {mouse.LEFT: 0, mouse.RIGHT: 1, mouse.MIDDLE: 2}
_PLAIN = (bool, int, float, str)
_NOTHING = object()

Point = tuple[float, float]
Box = tuple[float, float, float, float]
Color = tuple[float, float, float, float]
Shape: TypeAlias = tuple[Any, ...]
Column: TypeAlias = tuple[str, NDArray[Any]]


class _SceneArea(NamedTuple):
    """An area of the screen that shows the top scene.

    ``box`` is the area in units, and ``scale`` is the number of framebuffer pixels per unit of the
    scene. ``to_screen`` converts a point in the scene to a position on the screen, in units.
    """

    box: Box
    scale: float
    to_screen: Callable[[Point], Point | None]


class InspectedGame(PlayedGame, Protocol):
    """The attributes of a game that the inspector uses."""

    def call_soon(self, function: Callable[[], object]) -> None: ...


class Inspector:
    """The inspector panel of one game. The panel is visible until `close` is called. While the
    pointer is over the panel, the game receives no mouse events. While the user edits a field, the
    game receives no keys. Recordings of the game do not contain the events that the panel receives.
    The inspector changes values of the game only between two ticks.
    """

    not_state = True

    def __init__(self, game: InspectedGame) -> None:
        self._game = game
        self._stage, self._loop, self._events, _, self._painter, _ = driven(game)
        load()  # raises an error unless slimgui is installed
        self._panel = ImguiDrawing(self._build)
        # Keys and buttons that were pressed in the panel. Their release is not passed to the game.
        self._captured: set[tuple[str, int]] = set()
        self._from: dict[int, int] = {}  # the first visible row of each table
        self._row: dict[int, int] = {}
        self._shapes: list[Shape] = []
        self._tick = -1
        self._painter.panels.put_over(self._panel)
        self._before = self._events.kept
        self._events.kept = self.hears
        self._stage.inspector = self
        self.notes = DebugNotes()

    def close(self) -> None:
        """Remove the panel from the screen."""
        self._painter.panels.remove(self._panel)
        self._events.kept = self._before
        self._stage.inspector = None

    # -- input -------------------------------------------------------------------------------------

    def hears(self, event: Event) -> bool:
        """Pass an input event to the panel, and return whether the panel uses it. An event that the
        panel uses is not passed to the game.
        """
        if self._panel.broken:
            return False
        io: widgets.IO = self._panel.io
        name: str = event[0]
        if name in ("on_mouse_press", "on_mouse_release"):
            return self._hear_button(io, *event)
        if name.startswith("on_mouse"):
            return self._hear_mouse(io, *event)
        if name in ("on_key_press", "on_key_release"):
            return self._hear_key(io, name == "on_key_press", event[1])
        if name == "on_text" and io.want_text_input:
            letters: str = event[1]
            for letter in letters:
                io.add_input_character(ord(letter))
            return True
        return False

    def _hear_button(self, io: widgets.IO, name: str, x: float, y: float, *codes: int) -> bool:
        button = codes[0]
        down = name == "on_mouse_press"
        io.add_mouse_pos_event(*self._to_pixels(x, y))
        io.add_mouse_button_event(_BUTTONS.get(button, 0), down)
        return self._captures(("button", button), down, io.want_capture_mouse)

    def _hear_mouse(self, io: widgets.IO, name: str, *numbers: float) -> bool:
        if name in ("on_mouse_motion", "on_mouse_drag", "on_mouse_scroll"):
            io.add_mouse_pos_event(*self._to_pixels(numbers[0], numbers[1]))
        if name == "on_mouse_scroll":
            io.add_mouse_wheel_event(numbers[2], numbers[3])
        return bool(io.want_capture_mouse)

    def _hear_key(self, io: widgets.IO, down: bool, symbol: int) -> bool:
        from slimgui import imgui

        if symbol in _KEYS:
            io.add_key_event(imgui.Key[f"KEY_{_KEYS[symbol]}"], down)
        captures = io.want_text_input and symbol != key.F2
        return self._captures(("key", symbol), down, captures)

    def _captures(self, control: tuple[str, int], down: bool, captures: bool) -> bool:
        """Return whether the panel uses the press or release of a key or button. If the panel used
        the press, it also uses the release.
        """
        if down:
            if captures:
                self._captured.add(control)
            return bool(captures)
        was_captured = control in self._captured
        self._captured.discard(control)
        return was_captured

    def _to_pixels(self, x: float, y: float) -> tuple[float, float]:
        """Convert a position on the screen from units to framebuffer pixels, relative to the top
        left corner.
        """
        scale = self._stage.scale
        height = self._stage.surface.framebuffer_size[1]
        return x * scale.x + scale.left, height - (y * scale.y + scale.bottom)

    # -- contents ----------------------------------------------------------------------------------

    def _build(self, width: int, height: int) -> None:
        from slimgui import imgui

        self._draw_shapes()
        imgui.set_next_window_pos((10, 10), imgui.Cond.FIRST_USE_EVER)
        imgui.set_next_window_size(
            (min(430, width - 20), max(120, height - 20)), imgui.Cond.FIRST_USE_EVER
        )
        imgui.begin("Inspector (F2)")
        self._build_time()
        watched = self.notes.watched
        if _begin_lines("Watched", len(watched)):
            for name, value in watched.items():
                imgui.text(f"{name} = {_shown(value)}")
        for number, entry in enumerate(self._stage.stack):
            imgui.push_id(number)
            self._build_scene(number, entry)
            imgui.pop_id()
        lines = list(self.notes.lines)[-_MAX_ROWS:]
        if _begin_lines("Log", len(lines)):
            for line in lines:
                imgui.text(line)
        imgui.end()

    def _build_time(self) -> None:
        from slimgui import imgui

        timestep = self._loop.timestep
        imgui.text(
            f"tick {self._loop.tick:,}   {timestep.time:.2f} s   {self._stage.frame_stats.fps:.0f} fps"
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

    def _build_scene(self, number: int, entry: Entry) -> None:
        from slimgui import imgui

        scene = entry.scene
        flags = imgui.TreeNodeFlags.DEFAULT_OPEN
        if not imgui.collapsing_header(f"{type(scene).__name__}", None, flags)[0]:
            return
        if imgui.tree_node("values"):
            self._build_values(scene)
            imgui.tree_pop()
        for index, batch in enumerate(entry.drawables.batches()):
            if imgui.tree_node(f"batch {index}", f"{_name_in(entry, batch)}: {_about(batch)}"):
                self._build_batch(batch)
                imgui.tree_pop()

    def _build_values(self, owner: object) -> None:
        """Show the attributes of an object as fields in the panel. A number can be changed by
        dragging it with the mouse.
        """
        for name, value in list(_values(owner))[:_MAX_VALUES]:
            new = self._field(name, value)
            if new is not value:
                self._game.call_soon(partial(setattr, owner, name, new))

    def _field(self, name: str, value: object) -> object:
        """Show a value in an editable field. Return the changed value, or the same object if the
        user has not changed it.
        """
        from slimgui import imgui

        changed: bool
        new: object
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

    def _build_batch(self, batch: object) -> None:
        columns = _columns(batch)
        count = max((len(values) for _, values in columns), default=0)
        if not columns or not count:
            self._build_values(batch)
            return
        from slimgui import imgui

        batch_id = id(batch)
        self._build_table(columns, self._visible_rows(batch_id, count), batch_id)
        row = self._row.get(batch_id)
        if row is not None and row < count:
            table = table_of(batch)
            id_of_row = "" if table is None else f", id {table.ids.of_row(row)}"
            imgui.text(f"row {row}{id_of_row}")
            for name, values in columns:
                self._build_cell(batch, name, values, row)

    def _visible_rows(self, batch_id: int, count: int) -> range:
        """Return the rows that the table of a batch with ``count`` rows shows. If the batch has
        more rows, show a field with which the user chooses the first row.
        """
        from slimgui import imgui

        if count > _MAX_ROWS:
            _, self._from[batch_id] = imgui.drag_int(
                "from row", self._from.get(batch_id, 0), 1.0, 0, count - 1
            )
        first = min(self._from.get(batch_id, 0), count - 1)
        return range(first, min(first + _MAX_ROWS, count))

    def _build_table(self, columns: list[Column], rows: range, batch_id: int) -> None:
        from slimgui import imgui

        if not _begin_table([name for name, _ in columns], len(rows)):
            return
        for row in rows:
            imgui.table_next_row()
            imgui.table_next_column()
            clicked, _ = imgui.selectable(
                f"{row}", self._row.get(batch_id) == row, imgui.SelectableFlags.SPAN_ALL_COLUMNS
            )
            if clicked:
                self._row[batch_id] = row
            for _, values in columns:
                imgui.table_next_column()
                imgui.text(_shown(values[row]))
        imgui.end_table()

    def _build_cell(self, batch: object, name: str, values: NDArray[Any], row: int) -> None:
        """Show the values of one row in one column of a batch, as fields."""
        shape = values.shape[1:]
        cells: NDArray[Any] = values[row : row + 1].reshape(-1)
        listed: list[object] = cells.tolist()
        for index, cell in enumerate(listed):
            new = self._field(name if not shape else f"{name} {index}", cell)
            if new is not cell:
                position = (row, *map(int, np.unravel_index(index, shape))) if shape else (row,)
                self._game.call_soon(partial(_write, batch, name, position, new))

    # -- the shapes of `debug.draw` ----------------------------------------------------------------

    def _draw_shapes(self) -> None:
        """Draw the shapes that the game requested with `fw.debug.draw` in the last tick and in this
        frame.
        """
        shapes = self.notes.shapes
        self.notes.shapes = []
        if self._loop.tick != self._tick:
            self._tick = self._loop.tick
            self._shapes = shapes
            shapes = []
        for area in self._seen_from():
            self._draw_in(area, (*self._shapes, *shapes))

    def _seen_from(self) -> Iterator[_SceneArea]:
        """Yield the areas of the screen that show the top scene in 2D."""
        stage = self._stage
        alpha = self._loop.timestep.alpha
        scene = stage.stack[-1].scene
        assert isinstance(scene, Scene)
        views = [view for view in scene.views if view.visible and view.texture is None]
        plane = [(view, view.camera) for view in views if isinstance(view.camera, Camera2D)]
        for view, camera in plane:
            scale = stage.scale.x * camera.zoom
            yield _SceneArea(view.box, scale, partial(view.to_screen, alpha=alpha))
        if not plane:
            own = scene.default_listener(2)  # unlike `default_camera`, this creates no camera
            whole: Box = (0.0, 0.0, *stage.view.size)
            if isinstance(own, Camera2D):
                scale = stage.scale.x * own.zoom
                yield _SceneArea(whole, scale, partial(own.world_to_screen, alpha=alpha))
            else:
                yield _SceneArea(whole, stage.scale.x, _itself)

    def _draw_in(self, area: _SceneArea, shapes: Sequence[Shape]) -> None:
        from slimgui import imgui

        drawn = imgui.get_background_draw_list()
        left, bottom, width, height = area.box
        drawn.push_clip_rect(
            self._to_pixels(left, bottom + height), self._to_pixels(left + width, bottom)
        )

        def pixel(point: Point) -> Point:
            x, y = area.to_screen(point) or point
            return self._to_pixels(x, y)

        code = imgui.color_convert_float4_to_u32
        for shape in shapes:
            match shape:
                case ("line", start, end, color, width):
                    drawn.add_line(pixel(start), pixel(end), code(color), width)
                case ("circle", center, radius, color, width):
                    drawn.add_circle(pixel(center), radius * area.scale, code(color), 0, width)
                case ("text", position, text, color):
                    drawn.add_text(pixel(position), code(color), text)
        drawn.pop_clip_rect()


def _itself(point: Point) -> Point:
    return point


def _begin_lines(title: str, count: int) -> bool:
    """Show a header for ``count`` lines of text, and return whether the header is open. Without
    lines, show nothing.
    """
    from slimgui import imgui

    is_open = imgui.TreeNodeFlags.DEFAULT_OPEN
    return count > 0 and bool(imgui.collapsing_header(title, None, is_open)[0])


def _begin_table(names: Sequence[str], row_count: int) -> bool:
    """Begin a table with a header for the row indices and for each column. Return False if the
    table is not visible.
    """
    from slimgui import imgui

    flags = imgui.TableFlags
    shape = flags.BORDERS | flags.ROW_BG | flags.SCROLL_X | flags.SCROLL_Y | flags.RESIZABLE
    height = 22.0 * min(row_count + 2, 10)
    if not imgui.begin_table("rows", len(names) + 1, shape, (0.0, height)):
        return False
    imgui.table_setup_scroll_freeze(1, 1)
    for name in ("row", *names):
        imgui.table_setup_column(name)
    imgui.table_headers_row()
    return True


def _write(batch: object, name: str, position: tuple[int, ...], value: Any) -> None:
    values: NDArray[Any] = getattr(batch, name)
    # The user may have entered a number that is too large for the column.
    if values.dtype.kind in "iu":
        limits = np.iinfo(values.dtype)
        value = min(max(value, limits.min), limits.max)
    values[position] = value


def _values(owner: object) -> Iterator[tuple[str, object]]:
    """Yield the public attributes of an object as pairs (name, value). Only values of these types
    are yielded: None, numbers, strings, lists, tuples, dicts, sets and arrays.
    """
    names: list[str] = [*getattr(owner, "__dict__", ())]
    for base in type(owner).__mro__:
        names += getattr(base, "__slots__", ())
    for name in dict.fromkeys(names):
        value: object = _NOTHING if name.startswith("_") else getattr(owner, name, _NOTHING)
        if value is None or isinstance(value, (*_PLAIN, tuple, list, dict, set, np.ndarray)):
            yield name, value


def _columns(batch: object) -> list[Column]:
    """Return the names and the arrays of a batch's columns."""
    table = table_of(batch)
    names = [] if table is None else [column.name for column in table.columns]
    columns: list[tuple[str, object]] = [(name, getattr(batch, name, None)) for name in names]
    return [(name, values) for name, values in columns if isinstance(values, np.ndarray)]


def _name_in(entry: Entry, value_or_batch: object) -> str:
    """Return the name of the scene's attribute that contains ``value_or_batch``. Return "(no name)"
    if there is no such attribute.
    """
    ui = entry.drawables.ui
    if ui is not None and value_or_batch is ui.canvas:
        return "ui"
    names = [name for name, value in vars(entry.scene).items() if value is value_or_batch]
    return min(names, key=lambda name: name.startswith("_")).strip("_") if names else "(no name)"


def _about(batch: object) -> str:
    name = type(batch).__name__
    return f"{name} of {len(batch):,}" if isinstance(batch, Sized) else name


def _shown(value: object) -> str:
    """Convert a value to a short string, cut off after 200 characters."""
    if isinstance(value, np.ndarray):
        if value.size > 8:
            return f"{value.dtype} {value.shape}"
        listed: list[object] = value.reshape(-1).tolist()
        return ", ".join(map(_shown, listed))
    words = f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)
    return words if len(words) <= 200 else f"{words[:200]}…"
