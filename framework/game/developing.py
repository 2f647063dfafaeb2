"""What goes along with a game while it is being developed: files that change are taken over at
once, and an error is shown in its window, with the game as it was when it came up."""

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
from weakref import WeakSet

from ..errors import FrameworkError
from ..input import key
from ..input.tick_input import Event
from ..record.container import Container
from ..resources import RealPaths, Renewed
from ..timing.timestep import Tick, Timestep, control_of
from ..watch.filewatch import FileWatch
from ..watch.livecode import LiveCode
from ..watch.message import ALARM, HINT, LOUD, PLAIN, Line, Message
from ..watch.monitor import Frame
from . import debug
from .engine import folders_of
from .game import Game, make_game
from .options import Overrides
from .playing import driven
from .savefiles import Apart
from .savelog import results
from .subsystems import Subsystem

_PACKAGE = str(Path(__file__).resolve().parent.parent) + os.sep
_CALLS = 12  # of a traceback, the innermost
_AROUND = 3  # lines of code on each side of the one that failed
_MOST_ERRORS = 5  # that are shown of those that are open
_GOES_ON = "The game goes on as it was; mend the file and save it again."
_CODE = "code"  # under which its error is kept: it is taken over as a whole


class Reloading:
    """Takes over what changes in a game's files. ``say`` is told in words what was done.

    ``folders`` are those of the game; ``drawn`` gives what is drawn now.
    """

    not_state = True

    def __init__(
        self,
        folders: Sequence[str | os.PathLike[str]],
        drawn: Callable[[], list[Any]],
        say: Callable[[str], object] = lambda words: None,
        watch: FileWatch | None = None,
    ) -> None:
        self._drawn, self._say = drawn, say
        self.watch = FileWatch(map(os.path.realpath, folders)) if watch is None else watch
        self.code = LiveCode()
        self._modules = 0
        self._files: dict[
            str, str
        ] = {}  # of modules, as they name them, by the path that is watched
        self._pending: set[str] = set()  # files of code that could not be taken over
        self.errors: dict[str, Exception] = {}
        """Why changes could not be taken over: one for a file, until it can be, and one for all of
        the code.
        """
        self.reloads = 0
        """Changes that were taken over."""
        self.code_changed = False
        """Whether code was among them: whoever runs it again sets it back."""
        self.failing = False
        """Whether the game stands still with an error: code that is in no module yet may mend it,
        too.
        """
        if Renewed.known is None:
            Renewed.known = WeakSet()
        self._meet_modules()

    @property
    def error(self) -> Exception | None:
        """The first of them, or None."""
        return next(iter(self.errors.values()), None)

    def poll(self, now: int) -> bool:
        """Look at the files at ``now``, nanoseconds, and take over what changed; whether anything
        did, or failed to.
        """
        if len(sys.modules) != self._modules:
            self._meet_modules()
        changed = self.watch.poll(now)
        return bool(changed) and self.take(changed)

    def take(self, changed: list[str]) -> bool:
        """Take over what is in some files now: all the code or none of it, and then each picture,
        sound, …
        """
        began, before = time.perf_counter(), set(self.errors)
        code = {path for path in changed if path.endswith(".py")}
        known = {self._files[path] for path in code & self._files.keys()}
        done = []
        if known or (code and (self._pending or self.failing)):
            done += (
                sorted(map(os.path.basename, code))
                if self._take_code(known | self._pending)
                else []
            )
        # What failed is tried again: it may have been mended in another file.
        for path in dict.fromkeys([*changed, *self.errors]):
            if path not in code and path != _CODE and self._renew(path, path in changed):
                done.append(os.path.basename(path))
        if done:
            self.reloads += 1
            self._say(
                f"{', '.join(done)}: taken over in {1000 * (time.perf_counter() - began):.0f} ms"
            )
        failed = self.errors.keys() & {*changed, *([_CODE] if code else [])}
        return bool(done or failed) or before != self.errors.keys()

    def _take_code(self, files: set[str]) -> bool:
        importlib.invalidate_caches()
        there = {file for file in files if os.path.exists(file)}
        self._pending = {file for file in there if os.path.getsize(file)}
        if (
            there and not self._pending
        ):  # emptied, to be written later; without its names, all would fail
            return False
        try:
            self.code.reload({file: Path(file).read_bytes() for file in self._pending})
        except (Exception, SystemExit) as error:
            self._failed(_CODE, error)
            return False
        self._pending, self.code_changed = set(), True
        self.errors.pop(_CODE, None)
        return True

    def _renew(self, path: str, aloud: bool) -> bool:
        files, done, errors = frozenset([path, os.path.realpath(path)]), False, []
        for thing in [
            *(Renewed.known or ()),
            *self._drawn(),
        ]:  # models first: batches draw what these have
            renew = getattr(thing, "renew", None)
            try:
                done |= renew is not None and renew(files)
            except Exception as error:
                errors.append(error)
        if errors:
            self._failed(path, errors[0], aloud)
        else:
            done |= self.errors.pop(path, None) is not None
        return done and not errors

    def _failed(self, what: str, error: BaseException, aloud: bool = True) -> None:
        words = f"the code called sys.exit: {error}"
        self.errors[what] = error if isinstance(error, Exception) else FrameworkError(words)
        if aloud:
            self._say(" ".join(told(self.errors[what])))

    def _meet_modules(self) -> None:
        """Modules that were imported since are the game's, too, where their files are."""
        self._modules = len(sys.modules)
        real = RealPaths()
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if (
                not isinstance(module, ModuleType)
                or not isinstance(path, str)
                or not path.endswith(".py")
            ):
                continue
            if path in self.code.modules or path.startswith(_PACKAGE):
                continue
            places = [
                one for one in (path, real.beside(path), real.path(path)) if one in self.watch
            ]
            if places and os.path.exists(path):
                self._files[places[0]] = path
                self.code.know(module, Path(path).read_bytes())


def told(error: BaseException) -> list[str]:
    """An error in a line or two: where it is, and what it says."""
    words = f"{type(error).__name__}: {error}".splitlines()[0]
    if isinstance(error, SyntaxError) and error.filename:
        return [f"{os.path.basename(error.filename)}:{error.lineno}:", f"SyntaxError: {error.msg}"]
    calls = _own_calls(error)
    return (
        [f"{os.path.basename(calls[-1].filename)}:{calls[-1].lineno}:", words] if calls else [words]
    )


def _own_calls(error: BaseException) -> list[traceback.FrameSummary]:
    """The calls that led to it, but for those of the framework."""
    return [
        call
        for call in traceback.extract_tb(error.__traceback__)
        if not call.filename.startswith(_PACKAGE)
    ]


def described(error: BaseException) -> list[Line]:
    """An error as lines of words: what it is, the code around it, and the calls that led there."""
    lines: list[Line] = [
        (line, ALARM) for line in f"{type(error).__name__}: {error}".splitlines()[:8]
    ]
    calls = _own_calls(error) or list(traceback.extract_tb(error.__traceback__))
    if calls:
        last = calls[-1]
        lines += [
            ("", PLAIN),
            (f"{_from_here(last.filename)}, line {last.lineno}, in {last.name}", HINT),
        ]
        lines += _code(last.filename, last.lineno or 1)
    lines += [("", PLAIN), ("The calls that led there, the last one first:", PLAIN)]
    for call in reversed(calls[-_CALLS:]):
        lines.append(
            (
                f"{os.path.basename(call.filename)}:{call.lineno}  {call.name}:  {call.line or ''}",
                PLAIN,
            )
        )
    return lines


def _from_here(path: str) -> str:
    """A path as it is seen from the working directory, where it lies below that."""
    here = os.path.join(os.getcwd(), "")
    return path.removeprefix(here)


def _code(path: str, line: int) -> list[Line]:
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    first = max(1, line - _AROUND)
    rows = enumerate(text[first - 1 : line + _AROUND], first)
    marks = {line: ("> ", LOUD)}
    found = [(*marks.get(number, ("  ", PLAIN)), f"{number:>4}  {row}") for number, row in rows]
    return [(mark + words, color) for mark, color, words in found]


class _NoTime:
    """Where ticks come from while an error is shown: from nowhere."""

    def __init__(self, timestep: Timestep) -> None:
        control = control_of(timestep)
        self._pass_by = timestep.advance if control is None else control.pass_by

    def ticks(self, now: int) -> tuple[Tick, ...]:
        """None."""
        self._pass_by(now)
        return ()


class Developing(Subsystem):
    """Goes along with one game in a window.

    An error of the game's own is shown in the place of the picture: R begins it anew, C copies the
    words, Escape ends it.
    """

    not_state = True

    def __init__(self, game: Game, session: Session) -> None:
        self._session, self._reloading = session, session.reloading
        self._stage, self._loop, self._events, _, self._painter, _ = driven(game)
        self.failure: Exception | None = None
        """The error that is shown."""
        self._screen: Message | None = None
        self._banner: Message | None = None
        self._noticed = False  # it is there because of F2
        self._before: tuple[Any, Any, bool] = None, None, False
        if not self._stage.surface.headless:
            self._stage.shows_error = self.show
            self._stage.inspect = self._toggle_inspector

    def frame(self, frame: Frame) -> None:
        """Look whether files have changed, and take them over."""
        reloading = self._reloading
        if reloading is None or not reloading.poll(frame.start):
            return
        self.say(reloading.errors.values())
        if not reloading.errors and self._session.begins_anew():
            self._end()
        elif _CODE not in reloading.errors and self.failure is not None:
            self.go_on()

    def _end(self) -> None:
        self._session.again = self._stage.exiting = True

    def say(self, errors: Iterable[Exception], hint: str = _GOES_ON) -> None:
        """Show over the picture why changes could not be taken over, or no longer."""
        if self._banner is not None:
            self._painter.panels.take_off(self._banner)
            self._banner = None
        words = list(dict.fromkeys(" ".join(told(error)) for error in errors))
        if words and self._stage.surface.drawing:
            more = [f"and {len(words) - _MOST_ERRORS} more"] if len(words) > _MOST_ERRORS else []
            lines = [(line, ALARM) for line in [*words[:_MOST_ERRORS], *more]]
            self._banner = Message([*lines, (hint, PLAIN)], whole=False)
            self._painter.panels.put_over(self._banner)

    # -- errors ------------------------------------------------------------------------------------

    def show(self, error: Exception) -> bool:
        """Show an error in the place of the picture, and have no time pass. Returns False while one
        is shown: what fails then is to come out."""
        if self.failure is not None:
            return False
        traceback.print_exception(error)
        self._fails(error)
        self._before = self._loop.source, self._events.diverted, self._painter.panels.covered
        self._loop.source, self._events.diverted = _NoTime(self._loop.timestep), self._heard
        keys = "R: begin anew    C: copy    F2: inspect    Escape: end"
        if self._reloading is not None:
            keys += "    or mend the file and save it: the game goes on"
        self._screen = Message([(keys, HINT), ("", PLAIN), *described(error)], whole=True)
        self._painter.panels.covered = True
        self._painter.panels.put_over(self._screen)
        return True

    def _fails(self, error: Exception | None) -> None:
        self.failure = error
        if self._reloading is not None:
            self._reloading.failing = error is not None

    def go_on(self) -> None:
        """The error is mended: time passes again."""
        self._fails(None)
        self._loop.source, self._events.diverted, self._painter.panels.covered = self._before
        if self._screen is not None:
            self._painter.panels.take_off(self._screen)
            self._screen = None

    def _toggle_inspector(self) -> None:
        """F2: where what it is drawn with is not installed, say so, and no longer when it is
        pressed once more.
        """
        open_errors = () if self._reloading is None else self._reloading.errors.values()
        try:
            debug.inspect(self._stage.inspector is None)
        except FrameworkError as error:
            self._noticed = not self._noticed
            if self._noticed:
                _print(str(error))
            self.say(
                [error] if self._noticed else open_errors,
                "F2: go on without" if self._noticed else _GOES_ON,
            )

    def _heard(self, event: Event) -> None:
        if event[0] == "on_close" or event[:2] == ("on_key_press", key.ESCAPE):
            self._stage.exiting = True
        elif event[:2] == ("on_key_press", key.R):
            self._session.forget()
            self._end()
        elif event[:2] == ("on_key_press", key.F2):
            self._toggle_inspector()
        elif event[:2] == ("on_key_press", key.C) and self.failure is not None:
            self._stage.surface.window.set_clipboard_text(
                "".join(traceback.format_exception(self.failure))
            )

    def release(self) -> None:
        """The game has ended."""
        self._stage.shows_error = self._stage.inspect = None
        self._fails(None)


class Session:
    """The games of one `run` while it is being developed: the first, and those that are begun anew
    after it.

    ``reload``: "code" takes over what changes in the files, "replay" then also runs all ticks again
    with the new code, by ``replay(game, recording)``; None leaves them alone.
    """

    def __init__(
        self, reload: str | None, replay: Callable[[Any, str], object] | None = None
    ) -> None:
        self._reload, self._replay = reload, replay
        self.reloading: Reloading | None = None
        self.again = False
        """Whether the game is to be begun anew when it has ended."""
        self._drawn: Callable[[], list[Any]] = list
        self._unmade: Exception | None = None  # why the game could not be made that is to be shown
        self._recordings: TemporaryDirectory[str] | None = None
        self._recorded = 0  # so many games were written down
        self._run: str | None = None  # the recording of the one that is to be run again
        if (
            reload is not None
        ):  # before the first game is made, whose sounds and maps are to be known, too
            Renewed.known = WeakSet()

    def made(self, game_class: type[Game], options: dict[str, Any]) -> Game:
        """A game; where it cannot be made and there is a display, an empty one instead, which shows
        why.
        """
        self._unmade = None
        if (
            self._reload is not None and self.reloading is None
        ):  # what changes during a long setup is noticed, too
            self.reloading = Reloading(
                _folders(folders_of(game_class)), lambda: self._drawn(), _print
            )
        try:
            overrides: Overrides = {}
            if self._run is not None:
                overrides["apart"] = Apart(results=results(Container(self._run)), goes_on=True)
            game: Game = make_game(game_class, overrides, **options)
            return game
        except Exception as error:
            from .window import display_reachable

            if (
                options.get("headless")
                or not options.get("drawing", True)
                or not display_reachable()
            ):
                raise
            self._unmade = error
        size = options.get("size")
        title = options.get("title") or game_class.__name__
        return Game(title=title, size=size if isinstance(size, tuple) else (1280, 720))

    def attach(self, game: Any) -> Developing:
        """Go along with a game that was just made."""
        self.again = False
        stage = driven(game).stage
        self._drawn = lambda: [thing for entry in stage.on for thing in entry.contents.reloaded()]
        if self._reload is not None and self.reloading is None:
            self.reloading = Reloading(
                _folders(stage.graphics.folders), lambda: self._drawn(), _print
            )
        developing: Developing = game.add_subsystem(Developing(game, self))
        if self._unmade is not None:
            developing.show(self._unmade)
        elif self._reload == "replay" and self._replay is not None:
            try:
                self._play_again(game, self._replay)
            except Exception as error:
                if game.display.headless or not developing.show(error):
                    raise
        return developing

    def begins_anew(self) -> bool:
        """Whether what was taken over asks for a game that is begun anew."""
        if self._unmade is not None:
            return True
        return (
            self._reload == "replay" and self.reloading is not None and self.reloading.code_changed
        )

    def _play_again(self, game: Any, replay: Callable[[Any, str], object]) -> None:
        """Write down what is played, and first play what was written down of the game before."""
        if self._recordings is None:
            self._recordings = TemporaryDirectory()
        if self.reloading is not None:
            self.reloading.code_changed = False
        before, path = self._run, os.path.join(self._recordings.name, f"{self._recorded}.replay")
        self._recorded += 1
        game.recording.start(path, hash_every=0)
        if (
            before is not None
        ):  # it stays the one to be run again for as long as the code fails in it
            began = time.perf_counter()
            try:
                replay(game, before)
            finally:
                driven(game).stage.files.go_on()
            os.remove(before)
            _print(f"{game.tick} ticks were run again in {time.perf_counter() - began:.2f} s")
        self._run = path

    def forget(self) -> None:
        """The next game is begun from its beginning: what was played is not run again."""
        self._run = None

    def close(self) -> None:
        """No more games come."""
        Renewed.known = None
        if self._recordings is not None:
            self._recordings.cleanup()


def _folders(known: Sequence[Any]) -> Sequence[Any]:
    """Those of a game; of one that is defined nowhere, that of the program."""
    return known or (os.path.dirname(os.path.abspath(sys.argv[0])),)


def _print(words: str) -> None:
    print(f"framework: {words}", file=sys.stderr)
