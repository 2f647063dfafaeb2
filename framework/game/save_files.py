"""Find, read and write the save files of a game, and protect them from replays and tests.

A *separate run* is a run of the game that must neither read nor write the player's files: a replay,
a test, an environment for an AI agent, or a command such as `framework farm`. A separate run has
its own folder of saves: a temporary folder, or a folder that the caller has passed. All files that
its ticks write are in this folder.

If a tick runs again, its files are not written again, and it reads the same data as in its first
run.
"""

from __future__ import annotations

import os
import weakref
from _thread import get_ident
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..current_game import CurrentGame, working
from ..errors import AssetError, FrameworkError
from .game_protocols import RunningGame
from .save_slots import why_no_slot

if TYPE_CHECKING:  # only for type checkers: games without saves do not import it
    from .resimulation import Resimulation
    from .save_log import Result
    from .surface import GameSurface

_MAX_TICKS = 4096  # results are stored for this many ticks, because these ticks may run again
_MAX_BYTES = 64 << 20  # the maximum size of all stored files together, in bytes
_MAX_NAMES = 1000  # the maximum number of names in one listing of a folder
_ELSEWHERE = "elsewhere"  # a separate run uses this subfolder for files outside of the save folder


class SeparateRun(NamedTuple):
    """The options for a separate run: a run of the game that does not use the player's files. If
    the game creates another game, that game gets its own temporary folder.
    """

    folder: str | os.PathLike[str] | None = None
    """The folder of saves, or None for a new temporary folder."""
    results: Sequence[Result] | None = None
    """The results of loads and saves in a recording, for a replay. If the run is not a replay,
    `results` is None.
    """
    old: bool = False
    """True for a replay of an old recording, which contains no results of loads. In this case,
    loads also search the player's folder.
    """
    reloading: bool = False
    """True for the player's own game after a hot reload, while its recorded ticks are running
    again. The game writes no file until `SaveFiles.end_reload` is called.
    """


class SavingStage(CurrentGame, Protocol):
    """The attributes of a game's stage that `SaveFiles` reads."""

    @property
    def game(self) -> RunningGame: ...
    @property
    def resimulation(self) -> Resimulation: ...
    @property
    def painting(self) -> bool: ...
    @property
    def surface(self) -> GameSurface: ...


class SaveFiles:
    """Reads and writes the files of one game: its saves, and other files that its ticks use."""

    not_state = True

    def __init__(self, stage: SavingStage, separate_run: SeparateRun | None) -> None:
        """``separate_run`` contains the options of a separate run, or is None in a game that a
        person plays.
        """
        self._stage = stage
        # A separate reference, because the stage drops its own reference when the game closes. It is
        # weak, so that the game can be freed.
        self._game = weakref.ref(stage.game)
        if separate_run is None and any(_isolated(game) for game in working.get()):
            separate_run = SeparateRun()
        self._silent = separate_run is not None and separate_run.reloading
        self.isolated = separate_run is not None and not separate_run.reloading
        """True in a separate run, which does not use the player's save folder."""
        self._chosen_folder = None if separate_run is None else separate_run.folder
        self._old = separate_run is not None and separate_run.old
        # The temporary folder of a separate run; it is created when first used.
        self._own_folder: str | None = None
        self._recorded: defaultdict[tuple[str, str], deque[Result]] = defaultdict(deque)
        results = None if separate_run is None else separate_run.results
        for result in results or ():
            self._recorded[result.kind, result.name].append(result)
        self._replays = results is not None
        self.missing: list[tuple[int, str]] = []
        """The loads that the recording of a replay does not contain, as pairs of a tick and a file
        name.
        """
        self.notes: list[Callable[[Result], object]] = []
        """Functions that record the results of loads and saves. Each function is called with each
        result.
        """
        # The results of each tick, from the oldest to the newest. Ticks that run again use these
        # results.
        self._log: dict[int, list[Result]] = {}
        # The size of all files in `_log`, in bytes.
        self._bytes = 0
        # The last load of each file.
        self._latest: dict[str, Result] = {}
        # The number of calls of each kind and name since the current tick began.
        self._counts: defaultdict[str, int] = defaultdict(int)
        self._pass = 0
        # Whether a replay of the recording would find the file, by file name.
        self._known: dict[str, bool] = {}
        self.early: tuple[Result, ...] = ()
        """The results of loads and saves during `setup`, for a recording that starts after
        `setup`.
        """

    # -- paths -------------------------------------------------------------------------------------

    @property
    def at_work(self) -> bool:
        """Whether the game's code is running: `setup`, a tick or an event handler. False while
        other code, such as a test, is running.
        """
        return self.in_own_thread and self._stage in working.get()

    @property
    def in_own_thread(self) -> bool:
        """Whether the current thread is the game's own thread, and not a worker thread."""
        return self._stage.surface.thread == get_ident()

    @property
    def folder(self) -> str:
        """The folder that contains the saves of this game."""
        if not self.isolated:
            return self.players_folder
        if self._own_folder is None:
            if self._chosen_folder is not None:
                self._own_folder = os.path.abspath(self._chosen_folder)
            else:
                import shutil
                import tempfile

                self._own_folder = tempfile.mkdtemp(prefix="subtick-saves-")
                self._end = weakref.finalize(
                    self, shutil.rmtree, self._own_folder, ignore_errors=True
                )
        return self._own_folder

    @property
    def players_folder(self) -> str:
        """The folder that contains the player's saves. A separate run does not use this folder."""
        import platformdirs

        game = self._game()  # the object still exists even if the game has been closed
        assert game is not None
        name = game.saves_folder or type(game).__name__
        return os.path.join(platformdirs.user_data_dir(name, appauthor=False), "saves")

    def path(self, name: str) -> str:
        """Return the path of the save ``name``. If ``name`` is "", return the folder of saves. A
        recording stores whether the file exists, because the code of the game may depend on this.
        """
        if self.at_work and not self._stage.resimulation.resimulating:
            self._record_listing(name)
        return os.path.join(self.folder, name) if name else self.folder

    def resolve(self, text: str) -> str:
        """Return the path of the file with the name or path ``text``. If ``text`` contains no
        folder, the file is in the folder of saves.
        """
        if not os.path.dirname(text):
            return os.path.join(self.folder, text)
        return self._outside(text)

    def _outside(self, path: str) -> str:
        if not (self.isolated and self.at_work) or _inside(path, self.folder):
            return path
        from hashlib import sha256

        absolute = os.path.abspath(path)
        key = sha256(os.path.dirname(absolute).encode("utf-8", "replace")).hexdigest()[:8]
        return os.path.join(self.folder, _ELSEWHERE, key, os.path.basename(absolute))

    def _name(self, path: str) -> str:
        """Return the name that a file has in recordings. For a file outside the folder of saves,
        the recorded name contains no folder, because a folder may contain the name of the player.
        """
        if not os.path.dirname(path):
            return path
        folder = os.path.abspath(self._own_folder or self.players_folder)
        absolute = os.path.abspath(path)
        return (
            os.path.relpath(absolute, folder)
            if _inside(absolute, folder)
            else os.path.basename(absolute)
        )

    # -- reading -----------------------------------------------------------------------------------

    def read(self, path: str) -> bytes:
        """Return the content of the file at ``path``. In a replay, or if the tick is running again,
        return the content that the first run read.

        Raises `AssetError` if the file cannot be read. In a replay, the error is also raised if the
        file could not be read when the game was recorded.
        """
        if not self.at_work:
            return self._read_now(path)
        name = self._name(path)
        again = self._again("load")
        if again is not None and again.name == name:
            return self._content(again, path)
        recorded = self._recorded["load", name]
        if recorded:
            result = recorded.popleft()
            if result.data is None and not result.error:
                result = result._replace(data=self._content(result, path))
            elif self.isolated:
                self._write_recorded(name, result.data)
        else:
            if self._replays:
                self.missing.append((self._stage.game.tick, name))
            result = self._result(path, name)
        self._store(result._replace(tick=self._stage.game.tick))
        return self._content(result, path)

    def _result(self, path: str, name: str) -> Result:
        from .save_log import Result, loaded

        tick = self._stage.game.tick
        try:
            return loaded(tick, name, self._read_now(path))
        except AssetError as error:
            quoted = repr(self.resolve(path)), repr(path)
            words = str(error)
            for prefix in quoted:
                words = words.removeprefix(prefix)
            return Result(tick, "load", name, error=words.strip())

    def _read_now(self, path: str) -> bytes:
        from ..record.container import read_file

        source = self.resolve(path)
        if self.isolated and not os.path.lexists(source):
            if os.path.dirname(path):
                source = path
            elif self._old:
                source = os.path.join(self.players_folder, path)
        return read_file(source)

    def _content(self, result: Result, path: str) -> bytes:
        if result.error:
            raise AssetError(f"{path if self.isolated else self.resolve(path)!r} {result.error}")
        if result.data is not None:
            return result.data
        from hashlib import sha256

        from ..record.container import read_file

        candidates = [
            self.resolve(path),
            path if os.path.dirname(path) else os.path.join(self.players_folder, path),
        ]
        for candidate in dict.fromkeys(candidates):
            try:
                data = read_file(candidate)
            except AssetError:
                continue
            if sha256(data).hexdigest() == result.sha256:
                return data
        raise FrameworkError(
            f"{result.name!r}: expected the file of {result.size:,} bytes that was "
            f"loaded in tick {result.tick}, which is too large for a recording; got another file "
            "or none. Put the same file into a folder and pass the folder: --saves DIR"
        )

    def _record_listing(self, requested: str) -> None:
        """Store in the recording whether the file ``requested`` exists, because the rules of the
        game may depend on this. If ``requested`` is "", store the names of all files in the folder
        of saves.
        """
        from .save_log import Result

        tick = self._stage.game.tick
        upcoming = self._upcoming("files", requested)
        if upcoming and upcoming[0].tick == tick:
            self._make_listed(requested, upcoming.popleft().names)
        elif self.isolated and self._old and requested:
            self._copy_from_player(requested)
        present = self._names(requested)
        names_to_record = {requested} if requested else {*self._known, *present}
        if any(self._known.get(name, False) != (name in present) for name in names_to_record):
            self._known |= {name: name in present for name in names_to_record}
            self._report(Result(tick, "files", requested, names=tuple(present)))

    def _upcoming(self, kind: str, name: str) -> deque[Result]:
        """Return the recorded results for a kind of call and a file, after removing the results of
        earlier ticks.
        """
        recorded = self._recorded[kind, name]
        while recorded and recorded[0].tick < self._stage.game.tick:
            recorded.popleft()
        return recorded

    def _make_listed(self, requested: str, names: Iterable[str]) -> None:
        """Make the folder of saves contain the files ``names``, as in the recorded game. The file
        ``requested`` is removed if the recorded game did not have it.
        """
        if requested and requested not in names:
            self._remove(requested)
        for name in names:
            later = self._recorded["load", name]
            self._write_recorded(
                name, next((result.data for result in later if result.data is not None), b"")
            )

    def _copy_from_player(self, name: str) -> None:
        """Copy a file from the player's folder of saves, unless this run has its own copy."""
        from ..record.container import read_file

        players_path = os.path.join(self.players_folder, name)
        own_path = os.path.join(self.folder, name)
        if os.path.isfile(players_path) and not os.path.lexists(own_path):
            self._write_recorded(name, read_file(players_path))

    def _names(self, requested: str) -> list[str]:
        if self.isolated and self._own_folder is None and self._chosen_folder is None:
            return []
        if requested:
            return [requested] if os.path.lexists(os.path.join(self.folder, requested)) else []
        try:
            return sorted(os.listdir(self.folder))[:_MAX_NAMES]
        except OSError:
            return []

    def _write_recorded(self, name: str, data: bytes | None) -> None:
        """Write the file ``name`` from a recording to the folder of a separate run. If the file
        already exists in this folder, do not change it.
        """
        if (
            not self.isolated
            or data is None
            or why_no_slot(name)
            or os.path.lexists(os.path.join(self.folder, name))
        ):
            return
        try:
            os.makedirs(self.folder, exist_ok=True)
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(data)
        except (OSError, ValueError):  # the system does not support this file name
            return
        self._known[name] = True

    def _remove(self, name: str) -> None:
        """Remove a file from the temporary folder, because the file did not exist during the
        recording.
        """
        if (
            self._own_folder is not None
            and self._chosen_folder is None
            and os.path.basename(name) == name
        ):
            with suppress(OSError, ValueError):
                os.unlink(os.path.join(self._own_folder, name))

    # -- writing -----------------------------------------------------------------------------------

    def write(self, path: str, kind: str, do: Callable[[str], object]) -> str:
        """Call ``do(path)`` to write a file, and return its path. If the tick is running again and
        its first run has written the file, do not call ``do``.

        ``kind`` is "save" for a save, and another string for other files. A recording stores
        whether writing a save has failed. If ``do`` raises an error, this method raises the same
        error.
        """
        target = self.resolve(path) if kind == "save" else self._outside(path)
        # A screenshot is written only once, even if its tick runs again.
        if not self.at_work or self._stage.painting:
            self._write_now(path, target, kind, do)
            return target
        again = self._again(kind)
        name = self._name(path)
        if self._stage.resimulation.at_earlier_tick and again is None:
            return target
        upcoming = self._upcoming(kind, name)
        if again is None and upcoming and upcoming[0].tick == self._stage.game.tick:
            again = upcoming.popleft()
            self._store(again)
        if again is not None:
            if again.error:
                raise AssetError(f"{target!r} {again.error}")
            return target
        from .save_log import Result

        result = Result(self._stage.game.tick, kind, name)
        try:
            self._write_now(path, target, kind, do)
        except AssetError as error:
            self._store(result._replace(error=str(error).removeprefix(repr(target)).strip()))
            raise
        if kind == "save" and not os.path.dirname(path):
            self._note_written(name)
        self._store(result)
        return target

    def _note_written(self, name: str) -> None:
        """Record that a save exists, and if it existed before, that its backup exists."""
        if self._known.get(name):
            self._known[f"{name}.bak"] = True
        self._known[name] = True

    def _write_now(self, path: str, target: str, kind: str, do: Callable[[str], object]) -> None:
        if self._silent and self.at_work:
            return
        if target != path or _inside(target, self.folder):
            _make_folder(os.path.dirname(target))
        do(target)

    def copy(self, text: str) -> None:
        """Copy text to the clipboard of the operating system. In a separate run, or if the tick is
        running again, this method copies nothing.
        """
        if not (
            self.at_work
            and (self.isolated or self._silent or self._stage.resimulation.resimulating)
        ):
            self._stage.surface.copy(text)

    # -- results -----------------------------------------------------------------------------------

    def _again(self, kind: str) -> Result | None:
        """If the tick is running again, return what the same call returned when the tick ran for
        the first time. If it is running for the first time, return None.
        """
        tick = self._stage.game.tick
        resimulation = self._stage.resimulation
        passes = resimulation.passes
        if passes != self._pass:
            self._pass = passes
            self._counts.clear()
            if not resimulation.resimulating:
                for later in [later for later in self._log if later >= tick]:
                    self._drop(later)
        count = self._counts[kind]
        self._counts[kind] = count + 1
        if not resimulation.resimulating:
            return None
        same = [result for result in self._log.get(tick, ()) if result.kind == kind]
        return same[count] if count < len(same) else None

    def _store(self, result: Result) -> None:
        latest = self._latest.get(result.name)
        if latest is not None and latest.sha256 == result.sha256:
            # Bytes of an unchanged file are stored only once.
            result = result._replace(data=latest.data)
        if result.data is not None:
            self._latest[result.name] = result
        self._log.setdefault(result.tick, []).append(result)
        self._bytes += len(result.data or b"")
        while len(self._log) > 1 and (len(self._log) > _MAX_TICKS or self._bytes > _MAX_BYTES):
            self._drop(next(iter(self._log)))
        if not self._stage.resimulation.resimulating and (
            result.kind == "load" or (result.kind == "save" and result.error)
        ):
            self._report(result)

    def _drop(self, tick: int) -> None:
        self._bytes -= sum(len(result.data or b"") for result in self._log.pop(tick))

    def _report(self, result: Result) -> None:
        """Pass a result to all functions in `notes`, such as the function of a recorder. Also add
        results from `setup` to `early`, because a recording may start after `setup`.
        """
        if not result.tick:
            self.early += (result if result.held else result._replace(data=None),)
        for note in self.notes:
            note(result)

    # -- begin and end -----------------------------------------------------------------------------

    def end_reload(self) -> None:
        """Called when all recorded ticks have run again after a hot reload. From then on, the game
        reads and writes the player's files.
        """
        if self._silent:
            self._silent = self._replays = False
            self._recorded.clear()

    def release(self) -> None:
        """Called when the game ends. Delete the temporary folder."""
        if self._own_folder is not None and self._chosen_folder is None:
            self._end()


def _make_folder(folder: str) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise AssetError(f"{folder!r} cannot be made: {error.strerror or error}.") from None


def _isolated(game: object) -> bool:
    files = getattr(game, "files", None)
    return isinstance(files, SaveFiles) and files.isolated


def _inside(path: str, folder: str) -> bool:
    folder = os.path.join(os.path.abspath(folder), "")
    return os.path.abspath(path).startswith(folder)
