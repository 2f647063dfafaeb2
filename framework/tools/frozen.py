"""Start a game that `framework freeze` has packed.

`framework freeze` writes a Python file that calls `main`, and PyInstaller turns this file into a
program. The function `check` plays a game for some frames with random keys, then writes a report.
`framework freeze` calls `check` once for the game and once for the packed game. Both reports must
be equal.
"""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import os
import platform
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from .. import __version__
from ..game.shipping import Shipped

if TYPE_CHECKING:
    from ..game.game import Game

CHECK = "SUBTICK_FREEZE_CHECK"
"""The name of an environment variable. If it is set, the program runs `check` instead of the game.
The value is a JSON object with the path of the report, the path of the image, the number of frames,
and the start time.
"""

_MAX_LOG = 4_000_000  # characters
_FAILED = 1


class Log:
    """A stream that writes all text to a log file, and also to another stream if there is one.

    On Windows, a program without a console has no standard output. In this case, `print` writes
    only to the log file.
    """

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, file: TextIO | None, stream: TextIO | None) -> None:
        self._file = file
        self._stream = stream
        self._written = 0

    def write(self, text: str) -> int:
        """Write a text to the log file and to the other stream."""
        if self._file is not None and self._written < _MAX_LOG:
            with contextlib.suppress(OSError, ValueError):
                self._file.write(text)
                self._file.flush()
        self._written += len(text)
        if self._stream is not None:
            with contextlib.suppress(OSError, ValueError):
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the other stream, if there is one."""
        if self._stream is not None:
            with contextlib.suppress(OSError, ValueError):
                self._stream.flush()

    def isatty(self) -> bool:
        """Return False, because the text is also written to a file."""
        return False

    def fileno(self) -> int:
        """Return the file descriptor of the other stream, or raise an error if there is no other
        stream.
        """
        if self._stream is None:
            raise io.UnsupportedOperation("fileno")
        return self._stream.fileno()


def main(
    game: str, title: str, version: str, saves_folder: str, icon: str | None, debug: bool = False
) -> int:
    """Start a packed game, and return the exit status of the program.

    Parameters
    ----------
    game
        The path of the game's Python file, relative to the folder of the game's files.
    title, version
        The title and the version of the game, which the log and the error screen show.
    saves_folder
        The name of the game's folder in the user's data folder. The log file is in the same folder,
        beside the save files.
    icon
        The path of the window's icon, relative to the folder of the game's files, or None.
    debug
        Whether to write the names of all imported modules to the log.
    """
    multiprocessing.freeze_support()
    code = _code_to_run(sys.argv[1:])
    if code is not None:
        exec(
            compile(code[0], "<string>", "exec"),
            {"__name__": "__main__", "__builtins__": __builtins__},
        )
        return 0
    folder = Path(getattr(sys, "_MEIPASS", ".")) / "game"
    path = folder / game
    order = os.environ.get(CHECK)
    if order is not None:
        return check(path, json.loads(order))
    shipped = Shipped(
        title, version, log_path(saves_folder), None if icon is None else folder / icon
    )
    with _logging(shipped):
        status = _play(path, shipped)
        if debug:
            print("modules:", *sorted(sys.modules))
        return status


def log_path(saves_folder: str) -> Path | None:
    """Return the path of a game's log file, and create the folder for this file. Return None if the
    folder cannot be created.
    """
    import platformdirs

    folder = Path(platformdirs.user_data_dir(saves_folder, appauthor=False))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder / "log.txt"


@contextlib.contextmanager
def _logging(shipped: Shipped) -> Any:
    """Return a context manager that copies all output of the program to the log file."""
    file = None
    if shipped.log is not None:
        with contextlib.suppress(OSError):
            shipped.log.unlink(missing_ok=True)
            file = open(shipped.log, "w", encoding="utf-8", errors="replace")  # noqa: SIM115
    streams = sys.stdout, sys.stderr
    if file is not None:
        file.write(f"{shipped.heading()}\n{time.strftime('%Y-%m-%d %H:%M:%S')}\n")
    sys.stdout = Log(file, streams[0])
    sys.stderr = Log(file, streams[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams
        if file is not None:
            file.close()


def _play(path: Path, shipped: Shipped) -> int:
    from ..game.launch import Launch, launching
    from .gamefiles import CommandError, compiled, execute

    try:
        with launching(Launch(shipped=shipped)):
            status = execute(compiled(path), path, sys.argv[1:])
    except CommandError as error:
        print(error, file=sys.stderr)
        status = _FAILED
    except BaseException:
        traceback.print_exc()
        raise
    if status:
        _show_message(shipped)
    return status


def _show_message(shipped: Shipped) -> None:
    """If a program without a console failed before it could open a window, show a message box with
    the path of the log file.
    """
    if sys.platform == "win32":  # pragma: no cover (other systems have no such function)
        import ctypes

        text = f"{shipped.title} has ended with an error. The error is in the file {shipped.log}"
        ctypes.windll.user32.MessageBoxW(None, text, shipped.title, 0x10)


def _code_to_run(arguments: list[str]) -> list[str] | None:
    """If the arguments are a Python command line (such as ``-W error -c CODE``), return the code
    after ``-c``. Also set `sys.argv` in the same way as Python does for ``-c``. The framework
    starts processes with ``-c`` for sound and for `Beside`. In a packed game, `sys.executable` is
    the game's program, so the game itself is started with ``-c``.
    """
    index = 0
    while index < len(arguments) and arguments[index].startswith(("-W", "-X")):
        index += 1
    if arguments[index : index + 1] != ["-c"] or len(arguments) < index + 2:
        return None
    sys.argv = ["-c", *arguments[index + 2 :]]
    return arguments[index + 1 :]


# -- checks --------------------------------------------------------------------------------------


def _files_of_modules() -> dict[str, str]:
    """Return the file of each imported module that has a file."""
    return {
        name: file
        for name, module in sys.modules.items()
        if isinstance(file := getattr(module, "__file__", None), str)
    }


def check(path: Path, order: dict[str, Any]) -> int:
    """Play a game without a window, with random keys, and write a report and an image. Return the
    exit status of the program: 0 if the report was written.
    """
    from ..game.launch import Launch, launching
    from .gamefiles import CommandError, compiled, execute, how_to_start

    report: dict[str, Any] = {}
    opened: set[str] = set()
    sys.addaudithook(lambda event, arguments: _note_file(event, arguments, opened))

    def play(game_class: type[Game], options: dict[str, Any]) -> None:
        report.update(_checked(game_class, options, order))

    try:
        with launching(Launch(play=play)):
            status = execute(compiled(path), path)
    except CommandError as error:
        print(error, file=sys.stderr)
        return _FAILED
    if status:
        return status
    if not report:
        print(f"{path.name} ran but did not start a game. {how_to_start(path)}", file=sys.stderr)
        return _FAILED
    report["opened"] = sorted(opened)
    report["modules"] = _files_of_modules()
    Path(order["report"]).write_text(json.dumps(report), encoding="utf-8")
    return 0


def _note_file(event: str, arguments: tuple[Any, ...], opened: set[str]) -> None:
    """If ``event`` means that the program opens a file for reading, add the path of the file to
    ``opened``.
    """
    if event != "open" or not isinstance(arguments[0], str | bytes):
        return
    mode = arguments[1]
    if mode is None or not set(mode) & set("wax+"):
        opened.add(os.path.abspath(os.fsdecode(arguments[0])))


def _checked(
    game_class: type[Game], options: dict[str, Any], order: dict[str, Any]
) -> dict[str, Any]:
    """Play a game for some frames, and return a report about it."""
    from ..game.game import make_game
    from ..game.save_files import SeparateRun
    from ..sim.random_player import RandomPlayer

    own = {**options, "headless": True}
    player = RandomPlayer(1)
    with make_game(game_class, {"separate_run": SeparateRun()}, **own) as game:
        game.advance(0)
        first = time.time() - order["start"]
        for tick in range(1, order["frames"] + 1):
            player(game, tick)
            game.advance(1 / 60)
        if game.drawing:
            game.screenshot(order["picture"])
        title = options.get("title")
        icon = options.get("icon")
        return {
            "hash": f"{game.state_hash():016x}",
            "ticks": game.tick,
            "first_picture": first,
            "drawing": game.drawing,
            "title": title if isinstance(title, str) else game_class.__name__,
            "icon": icon if isinstance(icon, str) else None,
            "saves_folder": game.saves_folder or game_class.__name__,
            "versions": {"subtick": __version__, "python": platform.python_version()},
        }


def check_file(path: str, order: str) -> int:
    """Check a game before it is packed. `framework freeze` calls this function in a new process."""
    return check(Path(path), json.loads(order))
