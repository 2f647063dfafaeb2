"""Ready-made scenes: a menu, settings, credits, a loading screen, a lobby and a sound calibration.

All these scenes can be used with the keyboard, the mouse or a gamepad. You can write a subclass, or
pass a title and entries: ``self.push(fw.scenes.Menu("Paused", {"Go on": None, "Settings":
self.settings}))``.
"""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from itertools import takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..assets.background_loading import ImageLoading, Worker, pixels_calls
from ..checks import function, instance, items, named, number, path, wrong_type, wrong_value
from ..current_game import current_game
from ..errors import AssetError, FrameworkError
from ..input.actions import Actions
from ..input.tick_input import Event
from ..moved_names import renamed_functions, renamed_options
from ..record.atomic_files import write_text
from ..text.text import TextBatch
from .calibration import Calibration, fit_view, heading_size
from .driven_game import driven
from .lobby import Lobby
from .scene import Scene
from .stage import Stage

if TYPE_CHECKING:
    from ..ui.basic_widgets import Button
    from ..ui.containers import Group

__all__ = ["Calibration", "Credits", "Loading", "Lobby", "Menu", "Settings"]

# How long each tick may take to pass loaded assets to the game, in seconds.
_MAX_RESULT_TIME = 0.004
_MAX_FILE = 1 << 16  # the maximum size of a settings file in bytes
_SETTLED = 0.5  # changed settings are written after this number of seconds without another change
_MENU_WIDTH = 380
_MIN_WIDTH = 300
_TITLE_HEIGHT = 89  # the title of a menu, and the padding of its panel
_LINE_HEIGHT = 26  # the font size of credits, in units
_GOLD = (1.0, 0.8, 0.4)

if not TYPE_CHECKING:
    __getattr__ = renamed_functions(
        "scenes",
        {
            **dict.fromkeys(
                ("Pause", "PauseMenu", "GameOver", "Title", "MainMenu", "Help"),
                "write fw.scenes.Menu('Paused', {'Continue': None, 'Quit': self.game.exit})",
            ),
            **dict.fromkeys(("Options", "Preferences"), "write fw.scenes.Settings()"),
            **dict.fromkeys(
                ("HighScores", "Leaderboard", "ScoreTable"),
                "the example high_scores has a table of scores: framework run high_scores",
            ),
        },
    )


class Menu(Scene):
    """A menu with a title and buttons. While the menu is open, the scenes below it are paused but
    visible.

    Parameters
    ----------
    title
        The text above the buttons.
    entries
        A dict that maps the label of each button to its action: a function to call, a scene to
        push, or None to close the menu.
    closable
        Whether the Escape key and the B button of a gamepad close the menu. If no entry is None, a
        closable menu also has the button "Back". If False, only an entry can close the menu, as in
        a title screen. Default: True.
    """

    @renamed_options("Menu", closes="closable")
    def __init__(self, title: object, entries: Mapping[str, Any], *, closable: bool = True) -> None:
        super().__init__()
        self.title = str(title)
        self._entries = dict(named("entries", entries, "the actions of the buttons by their texts"))
        for name, action in self._entries.items():
            if not (action is None or callable(action) or isinstance(action, Scene)):
                raise wrong_type(f"entries[{name!r}]", "a function, a scene or None", action)
        self._closable = closable

    def setup(self) -> None:
        rows = len(self._entries) + (self._closable and None not in self._entries.values())
        dense = fit_view(self.ui, _MIN_WIDTH, _TITLE_HEIGHT, rows=rows)
        column = self.column = self.ui.column(
            anchor="center",
            width=_MENU_WIDTH,
            gap=4 if dense else 12,
            padding=10 if dense else 24,
            panel=True,
        )
        column.label(self.title, font_size=heading_size(self.ui, 1.6, dense), align="center")
        cancel: str | None = "cancel" if self._closable else None
        for name, action in self._entries.items():
            column.button(name, self._what(action), action=cancel if action is None else None)
            cancel = None if action is None else cancel
        if cancel is not None:
            column.button("", self.game.pop, action=cancel).say(text="Back")
        self.ui.set_focus(next((widget for widget in column.children if widget.focusable), None))

    def _what(self, action: Any) -> Any:
        if action is None:
            return self.game.pop
        return partial(self.game.push, action) if isinstance(action, Scene) else action


class Settings(Scene):
    """A scene with settings that the player can change: volumes, full screen, and controls.

    The scene stores the player's settings in a file. The next time the game runs, the constructor
    of the scene applies them. So create the scene in the ``setup`` of the game, even if the player
    opens the settings only later.

    Parameters
    ----------
    buses
        The names of the audio buses that get a volume slider. To choose the labels of the sliders,
        pass a dict such as ``{"music": "Music"}``.
    actions
        The `Actions` of the game. The scene shows a button for each action. When the player clicks
        this button, the scene waits until a key or button is pressed, and then binds the action to
        it. With None, the scene shows no controls.
    on_close
        Called when the player closes the settings, for example to save settings of your own.
    title
        The text at the top of the scene. Default: "Settings".
    file
        The name of the file with the settings, in the folder of saved games (`Saves.path`). The
        default name is "settings.json". With None, no file is read or written.
    """

    opaque = True
    not_state = ("_kept", "_settled", "_values_before", "_written")

    # Class attributes, so that a scene without a settings file has no additional attributes in its
    # state.
    _file: str | None = "settings.json"
    _kept: Mapping[str, Any] = MappingProxyType({})
    _written: Mapping[str, Any] = MappingProxyType({})  # the values that were last read or written
    _values_before: Mapping[str, Any] = MappingProxyType({})  # the values in the last tick
    _settled = 0.0  # the number of seconds without a change
    _applies = False  # whether `setup` must use the values from the file

    @renamed_options("Settings", groups="buses", changed="on_close")
    def __init__(
        self,
        buses: Mapping[str, str] | Iterable[str] = ("music", "effects"),
        actions: Actions | None = None,
        *,
        on_close: Callable[[], Any] | None = None,
        title: object = "Settings",
        file: str | None = "settings.json",
    ) -> None:
        super().__init__()
        labels = (
            buses if isinstance(buses, Mapping) else {name: name.capitalize() for name in buses}
        )
        self._buses = dict(labels)
        self._actions = None if actions is None else instance("actions", actions, Actions)
        self._on_close = None if on_close is None else function("on_close", on_close)
        self.title = str(title)
        if file != "settings.json":
            self._file = _checked_file(file)
        stage = current_game()
        if isinstance(stage, Stage) and stage.files.at_work:
            self._apply(stage)
        else:
            self._applies = True

    def setup(self) -> None:
        if self._applies:
            self._apply(driven(self.game).stage)
            del self._applies
        self._written = self._values_before = self._values()
        bindings = {} if self._actions is None else self._actions.bindings()
        controls = sum(len(_sides(binding)) or 1 for binding in bindings.values())
        rows = 3 + len(self._buses) + (0 if self._actions is None else 2 + controls)
        dense = fit_view(self.ui, _MIN_WIDTH, _TITLE_HEIGHT, rows=rows)
        column = self.column = self.ui.column(
            anchor="center",
            width=_MENU_WIDTH + 80,
            gap=4 if dense else 10,
            padding=10 if dense else 24,
            panel=True,
        )
        column.label(self.title, font_size=heading_size(self.ui, 1.6, dense), align="center")
        column.slider("", self.audio, "volume", 0, 1).say(text="Volume")
        for name, words in self._buses.items():
            column.slider(words, self.audio.buses[name], "volume", 0, 1)
        column.toggle("", self.game.display, "fullscreen").say(text="Full screen")
        self.buttons: dict[str, Button] = {}
        if self._actions is not None:
            self._add_controls(column, self._actions, dense)
        column.button("", self._back, action="cancel").say(text="Back")
        self.ui.set_focus(column.children[1])

    def _name_all(self, note: str = "") -> None:
        assert self._actions is not None
        for side, button in self.buttons.items():
            prompts = self._actions.prompts(side) or _whole_sources(
                self._actions.bindings()[side.partition(".")[0]]
            )
            button.text = f"{_title(side)}: {', '.join(prompts) or '-'}"
            button.tooltip = note or None

    def _bind(self, side: str) -> None:
        self.start(self._wait_for(side))

    async def _wait_for(self, side: str) -> None:
        """Wait until the player presses a key or button, and bind the action to it. If the player
        presses the Escape key, or a key or button that the action cannot use, the action keeps its
        old key or button.
        """
        button = self.buttons[side]
        actions = self._actions
        assert actions is not None
        word = self.ui.theme.word
        button.text = f"{_title(side)}: {word('press a key or a button')}"
        source = await self.ui.next_press()
        note = ""
        if source != "escape":
            try:
                conflicts = actions.rebind(side, source)
            except ValueError:  # such as a gamepad button for an axis of keys
                note = f"{source} {word('cannot be used here')}"
            else:
                note = f"{', '.join(conflicts)} {word('has it, too')}" if conflicts else ""
        self._name_all(note)

    def _reset(self) -> None:
        assert self._actions is not None
        self._actions.reset()
        self._name_all()

    def _add_controls(self, column: Group, actions: Actions, dense: bool) -> None:
        """Add a button for each key, button or side of the actions. The button changes it."""
        column.label(font_size=heading_size(self.ui, 1.2, dense)).say(text="Controls")
        for name, binding in actions.bindings().items():
            sides = [f"{name}.{side}" for side in _sides(binding)] or [name]
            for side in sides:
                self.buttons[side] = column.button("", partial(self._bind, side), align="left")
        column.button("", self._reset).say(text="Reset to defaults")
        self._name_all()

    def _apply(self, stage: Stage) -> None:
        """Read the settings file, and apply its settings. Warn about invalid values in the file."""
        if self._file is None:
            return
        try:
            saved = _parsed(stage.files.read(self._file))
        except AssetError:  # no settings have been written yet
            return
        except (TypeError, ValueError) as error:
            self._warn(f"it is not a file of settings ({error})")
            return
        self._kept = saved
        audio = stage.audio
        self._apply_volume("volume", audio, saved.get("volume"))
        for name in self._buses:
            self._apply_volume(name, audio.buses[name], _dict_in(saved, "buses").get(name))
        if self._actions is not None and "bindings" in saved:
            bindings = {
                name: binding
                for name, binding in _dict_in(saved, "bindings").items()
                if name in self._actions
            }
            self._try("bindings", self._actions.load, bindings)
        # A separate run, such as a replay in a window, is never fullscreen.
        if "fullscreen" in saved and not stage.files.isolated:
            game: Any = stage.game
            self._try("fullscreen", setattr, game.display, "fullscreen", saved["fullscreen"])

    def _apply_volume(self, name: str, target: object, volume: object) -> None:
        if volume is not None:
            self._try(name, setattr, target, "volume", volume)

    def _try(self, name: str, change: Callable[..., Any], *arguments: Any) -> None:
        try:
            change(*arguments)
        except (TypeError, ValueError) as error:
            self._warn(f"its {name} is wrong ({error})")

    def _warn(self, problem: str) -> None:
        warnings.warn(
            f"settings: {self._file!r} in the folder of saves: {problem}; the rest is used",
            RuntimeWarning,
            stacklevel=2,
        )

    def _values(self) -> dict[str, Any]:
        """Return the current settings.

        Also return all settings in the file that this scene does not show.
        """
        saved = self._kept
        values = dict(saved)
        values["volume"] = self.audio.volume
        values["buses"] = {
            **_dict_in(saved, "buses"),
            **{name: self.audio.buses[name].volume for name in self._buses},
        }
        if not self.game.display.headless:
            values["fullscreen"] = self.game.display.fullscreen
        if self._actions is not None:
            values["bindings"] = {**_dict_in(saved, "bindings"), **self._actions.bindings()}
        return values

    def update(self, dt: float) -> None:
        """Write the settings to the file half a second after the last change, so that they are
        stored even if the player closes the window.
        """
        values = self._values()
        self._settled = self._settled + dt if values == self._values_before else 0.0
        self._values_before = values
        if self._settled >= _SETTLED:
            self._keep(values)

    def on_exit(self) -> None:
        self._keep(self._values())

    def _keep(self, values: dict[str, Any]) -> None:
        """Write the settings to the file if a setting has changed."""
        if self._file is None or values == self._written:
            return
        self._kept = self._written = values
        text = json.dumps(values, indent=1, sort_keys=True) + "\n"
        files = driven(self.game).stage.files
        try:
            files.write(self._file, "save", lambda path: write_text(path, text))
        except AssetError as error:  # the game continues, for example if the disk is full
            self._warn(f"it cannot be written ({error})")

    def _back(self) -> None:
        if self._on_close is not None:
            self._on_close()
        self.game.pop()


def _checked_file(value: object) -> str | None:
    if value is None:
        return None
    name = path("file", value)
    if not name or os.path.basename(name) != name or name in (".", ".."):
        raise wrong_value("file", 'a name without a folder, such as "settings.json"', value)
    return name


def _parsed(data: bytes) -> dict[str, Any]:
    """Read the settings from the bytes of a settings file. Raise `ValueError` if the file does not
    contain a dict of settings.
    """
    if len(data) > _MAX_FILE:
        raise ValueError(f"more than {_MAX_FILE:,} bytes")
    try:
        values: object = json.loads(data.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return named("settings", values, "settings by their names")


def _dict_in(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = values.get(name)
    return value if isinstance(value, dict) else {}


def _title(side: str) -> str:
    """Return the text for an action or for one of its directions: "Run +" for "run.more"."""
    action, _, direction = side.replace("_", " ").partition(".")
    return f"{action.capitalize()} {_SIGNS.get(direction, direction)}".rstrip()


def _sides(binding: Any) -> Sequence[str]:
    """Return the names of the directions of a stick or an axis. The player binds each direction
    separately, for example to a key. For a button, return an empty tuple.
    """
    if not isinstance(binding, Mapping):
        return ()
    if "stick" in binding:
        return ("left", "right", "down", "up")
    return ("less", "more") if "axis" in binding else ()


def _whole_sources(binding: Any) -> list[str]:
    """Return the names of the sources that have all directions of a stick or an axis, such as
    "Right stick".
    """
    if not isinstance(binding, Mapping):
        return []
    sources = [*binding.get("stick", ()), *binding.get("axis", ())]
    return [*dict.fromkeys(_WHOLE[source] for source in sources if source in _WHOLE)]


_WHOLE = {
    **dict.fromkeys(("pad:leftstick", "pad:leftx", "pad:lefty"), "Left stick"),
    **dict.fromkeys(("pad:rightstick", "pad:rightx", "pad:righty"), "Right stick"),
    "pad:dpad": "D-pad",
    **dict.fromkeys(("mouse:wheel", "mouse:wheelx"), "Mouse wheel"),
}
_SIGNS = {"less": "-", "more": "+"}  # the signs of the two directions of an axis


class Credits(Scene):
    """A scene that shows credits: lines of text that move up on the screen. An empty line in the
    list leaves a gap.

    To end the credits, the player presses Escape or the B button of a gamepad, or clicks the Skip
    button. ``speed`` is the speed of the lines, in units of the interface (`UI.scale`) per second.
    ``on_end`` is called when the last line reaches the top of the screen, or earlier if the player
    ends the credits. If ``on_end`` is None, the scene removes itself from the stack instead.
    """

    opaque = True

    @renamed_options("Credits", ended="on_end")
    def __init__(
        self,
        lines: Iterable[str],
        *,
        speed: float = 60,
        on_end: Callable[[], Any] | None = None,
        title: object = "",
    ) -> None:
        super().__init__()
        self._lines = [str(line) for line in items("lines", lines)]
        self._speed = number("speed", speed, above=0)
        self._on_end = None if on_end is None else function("on_end", on_end)
        self._over = False
        self.title = str(title)

    def setup(self) -> None:
        fit_view(self.ui, 640, 320)
        size = _LINE_HEIGHT * self.ui.scale
        height = size * 1.6
        names = self.add(TextBatch(self.ui.theme.font, size))
        self._end_at = self.height * 0.5 + height * len(self._lines)
        for index, line in enumerate([self.title, *self._lines]):
            top = self.width / 2, -height * index
            names.add(line, top, anchor=("center", "top"), color=(1, 1, 1) if index else _GOLD)
        self.camera.position = (self.width / 2, self.height / 2)
        skip = self.ui.row(anchor="bottom right")
        self.ui.set_focus(skip.button("", self._end, action="cancel").say(text="Skip"))

    def update(self, dt: float) -> None:
        x, y = self.camera.position
        self.camera.position = (x, y - self._speed * self.ui.scale * dt)
        if -y > self._end_at and not self._over:
            self._end()

    def _end(self) -> None:
        self._over = True
        if self._on_end is not None:
            self._on_end()
        else:
            self.game.pop()


class Loading(Scene):
    """A scene that shows a progress bar while functions load the assets of a game in a background
    thread.

    Parameters
    ----------
    jobs
        Functions that read and decode assets. A thread calls the functions one after another. The
        functions must not use the game, because the game runs in another thread. You can also pass
        the result of `Scene.load_images` instead of a list of functions.
    on_result
        Called with the result of each job, in the order of the jobs. ``on_result`` is called in the
        game's own thread, a few times per tick. If a job loads an image, its result contains the
        pixels of the image.
    on_end
        Called after the last call of ``on_result``. If ``on_end`` is None, the scene removes itself
        from the stack instead.
    title
        The text above the progress bar. Default: "Loading".

    The jobs do not take the same time on every machine. Therefore, a recording stores in which tick
    each result was received (as the event ``on_loaded``). In a replay, each tick waits until the
    thread has finished the same number of jobs as in the recording. If a job raises an error, the
    game raises a `FrameworkError` with the same message. The scene stores the results of all jobs,
    because a tick that uses a result may run again.
    """

    opaque = True
    not_state = ("_most", "_parts")

    @renamed_options("Loading", prepare="jobs", ready="on_result", done="on_end")
    def __init__(
        self,
        jobs: Sequence[Callable[[], Any]] | ImageLoading,
        on_result: Callable[[Any], Any] | None = None,
        on_end: Callable[[], Any] | None = None,
        *,
        title: object = "Loading",
    ) -> None:
        super().__init__()
        if isinstance(jobs, ImageLoading):
            self._jobs: list[Callable[[], Any]] = pixels_calls(jobs)
        elif callable(jobs):
            raise wrong_type("jobs", "a sequence of functions: [function]", jobs)
        else:
            self._jobs = [function("jobs", job) for job in items("jobs", jobs)]
        self._on_result = None if on_result is None else function("on_result", on_result)
        self._on_end = None if on_end is None else function("on_end", on_end)
        self.title = str(title)
        self._parts: list[Future[Any]] = []
        self._most = 1  # the maximum number of results that are passed in one tick
        self._count = 0
        self._over = False

    @property
    def progress(self) -> float:
        """The number of results that the game has already received, as a fraction of all jobs, from
        0 to 1.
        """
        return self._count / max(len(self._jobs), 1)

    def setup(self) -> None:
        column = self.ui.column(anchor="center", width="50%", gap=12, hud=True)
        column.label(self.title, align="center")
        self._bar = column.progress_bar(0)
        worker = Worker()
        self._parts = [worker.submit(job) for job in self._jobs]

    def _finished_work(self) -> list[Event]:
        waiting = self._parts[self._count : self._count + self._most]
        finished = sum(1 for _ in takewhile(Future.done, waiting))
        return [("on_loaded", finished)] if finished else []

    def on_loaded(self, parts: int) -> None:
        """Called with the number of new results that this tick receives. In a replay, `on_loaded`
        waits until the thread has finished the same number of jobs as in the recording.
        """
        began = time.perf_counter()
        for part in self._parts[self._count : self._count + parts]:
            try:
                result = part.result()
            except BaseException as error:
                words = f"loading: part {self._count + 1} of {len(self._jobs)} failed: {error}"
                raise FrameworkError(words) from error
            if self._on_result is not None:
                self._on_result(result)
            self._count += 1
        self._most = max(1, int(parts * _MAX_RESULT_TIME / max(time.perf_counter() - began, 1e-6)))
        self._bar.value = self.progress

    def update(self, dt: float) -> None:
        if self._count == len(self._jobs) and not self._over:
            self._over = True
            (self._on_end or self.game.pop)()
