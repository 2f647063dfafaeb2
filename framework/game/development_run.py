"""Reload a game's files when they change (hot reload), and show errors in the game's window.

Games that are packed for players show errors in the same way, but do not reload files.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from ..errors import FrameworkError
from ..input import key
from ..input.tick_input import Event
from ..record.container import Container
from ..resources import Folder, RealPaths, Reloadable
from ..watch.file_watch import FileWatch
from ..watch.frame_stats import FrameTimes
from ..watch.hot_reload import HotReload
from ..watch.message_panel import ALARM, HINT, LOUD, PLAIN, Line, MessagePanel
from . import debug
from .driven_game import driven
from .engine import folders_of
from .game import Game, make_game
from .game_options import Overrides
from .save_files import SeparateRun
from .save_log import results
from .shipping import Shipped
from .short_traceback import is_in_framework, short_tracebacks
from .subsystems import Subsystem
from .tick_driver import PausedDriver, TickDriver

_MAX_CALLS = 12  # how many of the innermost calls of a traceback are shown
_CONTEXT_LINES = 3  # how many lines of code are shown before and after the line that failed
_MAX_ERRORS = 5  # the maximum number of errors that the window shows
_CONTINUE_HINT = "The game continues as before. Fix the file and save it again."
_CODE = "code"  # the key for errors in Python code; all code is reloaded together


class Reloading:
    """Reloads the files of a game when they change on disk. After each reload, ``say`` is called
    with a line of text that describes the reload.

    ``folders`` are the folders that contain the files of the game. ``drawn`` is a function that
    returns the backends of all drawables whose files can be reloaded.
    """

    not_state = True

    def __init__(
        self,
        folders: Sequence[str | os.PathLike[str]],
        drawn: Callable[[], list[Any]],
        say: Callable[[str], object] = lambda words: None,
        watch: FileWatch | None = None,
    ) -> None:
        self._drawn = drawn
        self._say = say
        self.watch = FileWatch(map(os.path.realpath, folders)) if watch is None else watch
        self.code = HotReload()
        self._modules = 0
        # The file name of each module, exactly as the module stores it. The key is the watched
        # path.
        self._files: dict[str, str] = {}
        self._pending: set[str] = set()  # files of Python code that could not be reloaded
        self.errors: dict[str, Exception] = {}
        """A dict with the error of each file that could not be reloaded. All Python files share one
        error. After a file is reloaded without an error, its old error is removed from the dict.
        """
        self.reloads = 0
        """The number of reloads so far."""
        self.code_changed = False
        """Whether Python code was reloaded. The caller sets `code_changed` to False after it has
        restarted the game with the new code.
        """
        self.failing = False
        """True while an error in the game's code pauses the game. During this pause, every changed
        Python file is reloaded, because the change may fix the error.
        """
        Reloadable.start()
        self._watch_modules()

    @property
    def error(self) -> Exception | None:
        """The first error in `errors`, or None if no reload failed."""
        return next(iter(self.errors.values()), None)

    def poll(self, now: int) -> bool:
        """Reload the files that have changed on disk. ``now`` is the current time in nanoseconds.
        Return True if a file was reloaded, or if the list of errors has changed.
        """
        if len(sys.modules) != self._modules:
            self._watch_modules()
        changed = self.watch.poll(now)
        return bool(changed) and self.take(changed)

    def take(self, changed: list[str]) -> bool:
        """Reload the files whose paths are in ``changed``. If one Python file has an error, no
        Python file is reloaded. Images, sounds, models and maps are reloaded separately, so an
        error in one file does not affect the others.
        """
        start = time.perf_counter()
        before = set(self.errors)
        code = {path for path in changed if path.endswith(".py")}
        reloaded = [*self._reload_code(code), *self._reload_assets(changed)]
        if reloaded:
            self.reloads += 1
            self._say(
                f"{', '.join(reloaded)}: reloaded in {1000 * (time.perf_counter() - start):.0f} ms"
            )
        failed = self.errors.keys() & {*changed, *([_CODE] if code else [])}
        return bool(reloaded or failed) or before != self.errors.keys()

    def _reload_code(self, changed: set[str]) -> list[str]:
        """Reload Python code after the files ``changed`` have changed. Return their names, or an
        empty list if no code was reloaded.
        """
        modules = {self._files[path] for path in changed & self._files.keys()}
        is_needed = modules or (changed and (self._pending or self.failing))
        if not is_needed or not self._take_code(modules | self._pending):
            return []
        return sorted(map(os.path.basename, changed))

    def _reload_assets(self, changed: list[str]) -> list[str]:
        """Reload the files in ``changed`` that are not Python code, and return their names. Files
        that could not be loaded earlier are tried again, because a change in another file may have
        fixed them.
        """
        return [
            os.path.basename(path)
            for path in dict.fromkeys([*changed, *self.errors])
            if not path.endswith(".py") and path != _CODE and self._renew(path, path in changed)
        ]

    def _take_code(self, files: set[str]) -> bool:
        importlib.invalidate_caches()
        existing = {file for file in files if os.path.exists(file)}
        self._pending = {file for file in existing if os.path.getsize(file)}
        # Some editors first empty the file and then write its content. Loading the code in between
        # would fail.
        if existing and not self._pending:
            return False
        try:
            self.code.reload({file: Path(file).read_bytes() for file in self._pending})
        except (Exception, SystemExit) as error:
            self._failed(_CODE, error)
            return False
        self._pending = set()
        self.code_changed = True
        self.errors.pop(_CODE, None)
        return True

    def _renew(self, path: str, reports: bool) -> bool:
        files = frozenset([path, os.path.realpath(path)])
        done = False
        errors = []
        drawn = [drawing.renew for drawing in self._drawn() if hasattr(drawing, "renew")]
        # models first, because batches draw them
        for renew in [*Reloadable.functions(), *drawn]:
            try:
                done |= renew(files)
            except Exception as error:
                errors.append(error)
        if errors:
            self._failed(path, errors[0], reports)
        else:
            done |= self.errors.pop(path, None) is not None
        return done and not errors

    def _failed(self, name: str, error: BaseException, reports: bool = True) -> None:
        words = f"the code called sys.exit: {error}"
        self.errors[name] = error if isinstance(error, Exception) else FrameworkError(words)
        if reports:
            self._say(" ".join(told(self.errors[name])))

    def _watch_modules(self) -> None:
        """Watch the modules in the game's folders that have been imported since the last call."""
        self._modules = len(sys.modules)
        real = RealPaths()
        for module in list(sys.modules.values()):
            path = _python_file(module)
            if path is None or path in self.code.modules or is_in_framework(path):
                continue
            watched = [
                candidate
                for candidate in (path, real.beside(path), real.path(path))
                if candidate in self.watch
            ]
            if watched and os.path.exists(path):
                self._files[watched[0]] = path
                self.code.add(module, Path(path).read_bytes())


def _python_file(module: object) -> str | None:
    """Return the path of the Python file of a module, or None if the module has no such file."""
    path = getattr(module, "__file__", None)
    is_python = isinstance(module, ModuleType) and isinstance(path, str) and path.endswith(".py")
    return path if is_python else None


def told(error: BaseException) -> list[str]:
    """Describe an error in one or two lines of text: the file, the line number and the message."""
    words = f"{type(error).__name__}: {error}".splitlines()[0]
    if isinstance(error, SyntaxError) and error.filename:
        return [f"{os.path.basename(error.filename)}:{error.lineno}:", f"SyntaxError: {error.msg}"]
    calls = _own_calls(error)
    return (
        [f"{os.path.basename(calls[-1].filename)}:{calls[-1].lineno}:", words] if calls else [words]
    )


def _own_calls(error: BaseException) -> list[traceback.FrameSummary]:
    """Return the entries of an error's traceback, without the entries for files of the
    framework.
    """
    return [
        call
        for call in traceback.extract_tb(error.__traceback__)
        if not is_in_framework(call.filename)
    ]


def described(error: BaseException) -> list[Line]:
    """Return the lines that the error screen shows for an error: the message, the code around the
    line that failed, and the function calls.
    """
    lines: list[Line] = [
        (line, ALARM) for line in f"{type(error).__name__}: {error}".splitlines()[:8]
    ]
    calls = _own_calls(error) or list(traceback.extract_tb(error.__traceback__))
    if calls:
        last = calls[-1]
        lines += [
            ("", PLAIN),
            (f"{_relative(last.filename)}, line {last.lineno}, in {last.name}", HINT),
        ]
        lines += _code(last.filename, last.lineno or 1)
    lines += [("", PLAIN), ("Calls, the last one first:", PLAIN)]
    for call in reversed(calls[-_MAX_CALLS:]):
        lines.append(
            (
                f"{os.path.basename(call.filename)}:{call.lineno}  {call.name}:  {call.line or ''}",
                PLAIN,
            )
        )
    return lines


def _relative(path: str) -> str:
    """Return the path relative to the working directory. If the path is outside the working
    directory, return the path unchanged.
    """
    folder = os.path.join(os.getcwd(), "")
    return path.removeprefix(folder)


def _code(path: str, line: int) -> list[Line]:
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    first = max(1, line - _CONTEXT_LINES)
    rows = enumerate(text[first - 1 : line + _CONTEXT_LINES], first)
    marks = {line: ("> ", LOUD)}
    marked_rows = [
        (*marks.get(number, ("  ", PLAIN)), f"{number:>4}  {row}") for number, row in rows
    ]
    return [(mark + words, color) for mark, color, words in marked_rows]


class DevelopmentRun(Subsystem):
    """Reloads the files of a running game, and shows the errors of the game in its window.

    If the code of the game raises an error, the window shows the error instead of the game. On the
    error screen, the R key restarts the game, C copies the error to the clipboard, and Escape ends
    the game.
    """

    not_state = True

    def __init__(self, game: Game, session: DevelopmentSession) -> None:
        self._session = session
        self._reloading = session.reloading
        self._shipped = session.shipped
        self._stage, self._loop, _, _, self._painter, _ = driven(game)
        self.failure: Exception | None = None
        """The error that the window shows, or None."""
        self._screen: MessagePanel | None = None
        self._banner: MessagePanel | None = None
        self._f2_banner = False  # True while the banner explains why F2 did not open the inspector
        self._before: tuple[TickDriver | None, bool] = None, False
        if not self._stage.surface.headless:
            self._stage.shows_error = self.show
            if self._shipped is None:
                self._stage.inspect = self._toggle_inspector
            elif self._shipped.icon is not None and game.display.icon is None:
                game.display.icon = str(self._shipped.icon)

    def frame(self, frame: FrameTimes) -> None:
        """Called after each frame: reload changed files, and show errors."""
        reloading = self._reloading
        if reloading is None or not reloading.poll(frame.start):
            return
        self.say(reloading.errors.values())
        for entry in self._stage.stack:
            if entry.rules.routines is not None:
                entry.rules.routines.end_changed()
        if reloading.code_changed and not reloading.errors:
            self._pass_to_session(reloading)
        if not reloading.errors and self._session.begins_anew():
            self._end()
        elif _CODE not in reloading.errors and self.failure is not None:
            self.go_on()

    def _pass_to_session(self, reloading: Reloading) -> None:
        """Call the session's method ``code_reloaded`` after the game's code has been reloaded.
        Print the text that ``code_reloaded`` returns, for example how the reload affects other
        players.
        """
        code_reloaded = getattr(self._stage.game.session, "code_reloaded", None)
        if code_reloaded is not None:
            reloading.code_changed = False
            sentence = code_reloaded()
            if sentence:
                _print(sentence)

    def _end(self) -> None:
        self._session.again = self._stage.exiting = True

    def say(self, errors: Iterable[Exception], hint: str = _CONTINUE_HINT) -> None:
        """Show ``errors`` in a banner (a strip of text) above the game. If there are no errors,
        remove the banner.
        """
        if self._banner is not None:
            self._painter.panels.remove(self._banner)
            self._banner = None
        words = list(dict.fromkeys(" ".join(told(error)) for error in errors))
        if words and self._stage.surface.drawing:
            remainder = [f"and {len(words) - _MAX_ERRORS} more"] if len(words) > _MAX_ERRORS else []
            lines = [(line, ALARM) for line in [*words[:_MAX_ERRORS], *remainder]]
            self._banner = MessagePanel([*lines, (hint, PLAIN)], whole=False)
            self._painter.panels.put_over(self._banner)

    # -- errors ------------------------------------------------------------------------------------

    def show(self, error: Exception) -> bool:
        """Show an error instead of the game, and pause the game.

        If the window is already showing an error, do nothing and return False. The caller must then
        raise the new error, which ends the game.
        """
        if self.failure is not None:
            return False
        if self._shipped is None:
            with short_tracebacks(error):
                traceback.print_exception(error)
        else:  # in a packed game, stderr is the log file
            traceback.print_exception(error)
        self._fails(error)
        self._before = self._stage.driver, self._painter.panels.covered
        self._stage.driver = PausedDriver(self._loop.timestep, self._handle)
        self._screen = MessagePanel([*self._hints(), ("", PLAIN), *described(error)], whole=True)
        self._painter.panels.covered = True
        self._painter.panels.put_over(self._screen)
        return True

    def _hints(self) -> list[Line]:
        """Return the first lines of the error screen, which explain what the keys do."""
        shipped = self._shipped
        if shipped is not None:
            lines: list[Line] = [
                (f"{shipped.title} {shipped.version} has stopped because of an error.", LOUD),
                ("R: restart    C: copy this text, to send it to the author    Escape: end", HINT),
            ]
            if shipped.log is not None:
                lines.append((f"The error is also in the file {shipped.log}", PLAIN))
            return lines
        keys = "R: restart    C: copy    F2: inspect    Escape: end"
        if self._reloading is not None:
            keys += "    or fix the file and save it: the game continues"
        return [(keys, HINT)]

    def _fails(self, error: Exception | None) -> None:
        self.failure = error
        if self._reloading is not None:
            self._reloading.failing = error is not None

    def go_on(self) -> None:
        """Hide the error screen and continue the game, because the code has been fixed."""
        self._fails(None)
        self._stage.driver, self._painter.panels.covered = self._before
        if self._screen is not None:
            self._painter.panels.remove(self._screen)
            self._screen = None

    def _toggle_inspector(self) -> None:
        """Open the inspector. If the inspector is already open, close it. If the package slimgui is
        missing, show or hide a message about the missing package.
        """
        open_errors = () if self._reloading is None else self._reloading.errors.values()
        try:
            debug.inspect(self._stage.inspector is None)
        except FrameworkError as error:
            self._f2_banner = not self._f2_banner
            if self._f2_banner:
                _print(str(error))
            self.say(
                [error] if self._f2_banner else open_errors,
                "F2: close this message" if self._f2_banner else _CONTINUE_HINT,
            )

    def _handle(self, event: Event) -> None:
        pressed_key = event[1] if event[0] == "on_key_press" else None
        if event[0] == "on_close" or pressed_key == key.ESCAPE:
            self._stage.exiting = True
        elif pressed_key == key.R:
            self._session.forget()
            self._end()
        elif pressed_key == key.F2 and self._shipped is None:
            self._toggle_inspector()
        elif pressed_key == key.C and self.failure is not None:
            heading = "" if self._shipped is None else f"{self._shipped.heading()}\n"
            self._stage.surface.window.set_clipboard_text(
                heading + "".join(traceback.format_exception(self.failure))
            )

    def release(self) -> None:
        """Called when the game ends. Remove the callbacks that this object has set in the game."""
        self._stage.shows_error = self._stage.inspect = None
        self._fails(None)


class DevelopmentSession:
    """Creates the games of one call to `fw.run` during development: the first game, and a new game
    for each restart. ``reload`` is "code", "replay" or None. With "code", the session reloads
    changed files. With "replay", the session also restarts the game when Python code changes. After
    a restart, ``replay(game, recording)`` runs all ticks of the previous game again with the new
    code. With None, the session reloads no files.
    """

    def __init__(
        self,
        reload: str | None,
        replay: Callable[[Any, str], object] | None = None,
        shipped: Shipped | None = None,
    ) -> None:
        """``shipped`` describes a game that is packed for players, and is None during
        development.
        """
        self.shipped = shipped
        self._reload = reload
        self._replay = replay
        self.reloading: Reloading | None = None
        self.again = False
        """Whether the game must be started again after it has ended."""
        self._drawn: Callable[[], list[Any]] = list
        # The error that prevented the creation of the game.
        self._setup_error: Exception | None = None
        self._recordings: TemporaryDirectory[str] | None = None
        # The number of games that were recorded so far.
        self._recorded = 0
        # The recording that the new game replays.
        self._run: str | None = None
        # Set before the first game is created, so that its sounds and maps can be reloaded, too.
        if reload is not None:
            Reloadable.start()

    def made(
        self, game_class: type[Game], options: dict[str, Any], overrides: Overrides | None = None
    ) -> Game:
        """Create and return a game of the class ``game_class``. If ``setup`` raises an error and
        the machine has a display, return an empty game instead. Later, `attach` shows the error in
        the window of the empty game.
        """
        self._setup_error = None
        # Start before `setup` runs, so that files changed during a long setup are noticed.
        self._start_reloading(folders_of(game_class))
        try:
            overrides = {} if overrides is None else overrides.copy()
            if self._run is not None:
                overrides["separate_run"] = SeparateRun(
                    results=results(Container(self._run)), reloading=True
                )
            game: Game = make_game(game_class, overrides, **options)
            return game
        except Exception as error:
            if not _can_show_window(options):
                raise
            self._setup_error = error
        size = options.get("size")
        title = options.get("title") or game_class.__name__
        return Game(title=title, size=size if isinstance(size, tuple) else (1280, 720))

    def _start_reloading(self, folders: Sequence[Folder]) -> None:
        """Watch the files of the game, unless the session reloads no files or watches them
        already.
        """
        if self._reload is not None and self.reloading is None:
            self.reloading = Reloading(_folders(folders), lambda: self._drawn(), _print)

    def attach(self, game: Any) -> DevelopmentRun:
        """Watch the files of a new game, and show the errors of the game in its window."""
        self.again = False
        stage = driven(game).stage
        self._drawn = lambda: [
            backend for entry in stage.stack for backend in entry.drawables.reloaded()
        ]
        self._start_reloading(stage.graphics.folders)
        if self._reload == "replay" and game.session is not None:
            self._reload = "code"
            _print(
                "--reload=replay: the ticks of a game with a session cannot run again; changed code "
                "takes effect in the next tick"
            )
        developing: DevelopmentRun = game.add_subsystem(DevelopmentRun(game, self))
        if self._setup_error is not None:
            developing.show(self._setup_error)
        elif self._reload == "replay" and self._replay is not None:
            try:
                self._rerun(game, self._replay)
            except Exception as error:
                if game.display.headless or not developing.show(error):
                    raise
        return developing

    def begins_anew(self) -> bool:
        """Return whether the game must restart after the last reload."""
        if self._setup_error is not None:
            return True
        return (
            self._reload == "replay" and self.reloading is not None and self.reloading.code_changed
        )

    def _rerun(self, game: Any, replay: Callable[[Any, str], object]) -> None:
        """Start recording a new game. If the previous game was recorded, first run its recorded
        ticks in the new game.
        """
        if self._recordings is None:
            self._recordings = TemporaryDirectory()
        if self.reloading is not None:
            self.reloading.code_changed = False
        previous = self._run
        path = os.path.join(self._recordings.name, f"{self._recorded}.replay")
        self._recorded += 1
        game.recording.start(path, hash_every=0)
        # Keep the previous recording, because the new code may fail while the recording is
        # replayed.
        if previous is not None:
            start = time.perf_counter()
            try:
                replay(game, previous)
            finally:
                driven(game).stage.files.end_reload()
            os.remove(previous)
            _print(f"{game.tick} ticks were run again in {time.perf_counter() - start:.2f} s")
        self._run = path

    def forget(self) -> None:
        """Discard the recording of the current game. After this call, the next restart begins at
        the first tick.
        """
        self._run = None

    def close(self) -> None:
        """Stop watching files, and delete the recordings."""
        Reloadable.objects = None
        if self._recordings is not None:
            self._recordings.cleanup()


def _can_show_window(options: dict[str, Any]) -> bool:
    """Return whether a game with these options has a window, and the machine has a display."""
    from .window import display_reachable

    wants_window = not options.get("headless") and bool(options.get("drawing", True))
    return wants_window and display_reachable()


def _folders(folders: Sequence[Any]) -> Sequence[Any]:
    """Return ``folders``. If ``folders`` is empty, return the folder of the running program."""
    return folders or (os.path.dirname(os.path.abspath(sys.argv[0])),)


def _print(words: str) -> None:
    print(f"framework: {words}", file=sys.stderr)
