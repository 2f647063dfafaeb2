"""Play a recorded game again, and compare its states with the recording."""

from __future__ import annotations

__all__ = ["Replay"]

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from typing import Any, Self

from .. import checks
from ..errors import FrameworkError
from ..game.game import Game, make_game
from ..game.game_options import Overrides
from ..game.recorder import this_platform
from ..game.save_files import SeparateRun
from ..game.save_log import Result
from ..input.tick_input import TickInput
from ..moved_names import OPTIONS, HasMoved, moved
from ..other_engines.game_names import replay_names
from ..physics.engines import ENGINES, engine_versions
from ..record.hashes import Difference, Listing, first_difference
from ..text.shaping import shaped_by
from .recording import Recording, broken
from .replay_playback import Playback
from .report import Verification


@replay_names
@moved("replay", {"seconds": "duration"})
class Replay(HasMoved):
    """A recorded game in a file. `Game.recording.start` writes the file. Raises `AssetError` if the
    file is damaged or is not a recording. If the end of the file is missing, for example because
    the game crashed, the replay ends earlier, and `complete` is False.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._recording = Recording(checks.path("path", path))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open the recording in the file ``path``."""
        return cls(path)

    @property
    def header(self) -> dict[str, Any]:
        """The header of the file as a dict: game, options, seed, tick rate, size, versions and
        platform.
        """
        return dict(self._recording.header)

    @property
    def ticks(self) -> int:
        """The number of ticks in the recording."""
        return self._recording.ticks

    @property
    def duration(self) -> float:
        """The duration of the recording in seconds of game time."""
        return self._recording.duration

    @property
    def complete(self) -> bool:
        """Whether the file is complete. The end of the file may be missing, for example if the
        recorded game crashed.
        """
        return self._recording.complete

    def inputs(self) -> Iterator[tuple[int, TickInput]]:
        """Yield the number and the input of each tick. Ticks without input are skipped. Raises
        `AssetError` if the file is damaged.
        """
        return self._recording.inputs()

    def hashes(self) -> Iterator[tuple[int, int]]:
        """Yield the number of each tick that has a hash, and the hash of the state after this tick."""
        return self._recording.hashes()

    def loads(self) -> list[Result]:
        """Return the recorded results of all file accesses of the game, such as loading a save.
        Each result contains the `tick` of the access and the `name` of the file. If the game loaded
        a file, the result also contains the `size` and the `data` of the file, or the `error`. If a
        file is larger than 1 MiB, its `data` is None. Anyone who has the recording can read the
        files that the game loaded.
        """
        return [*self._recording.results]

    def verify(
        self,
        game_class: type[Game],
        *,
        progress: Callable[[int], object] | None = None,
        saves: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> Verification:
        """Play the recording without a window, and compare the game's states with the recorded
        hashes.

        A recording contains a hash only every few ticks. The report contains the first tick with a
        different hash, which is usually later than the first difference. If two replays of the game
        differ from each other, the report contains the exact tick, the path of the value, and both
        values.

        If the game raises an error, `verify` raises the same error. If an error ended the recorded
        game, the replay raises an error in the same tick.

        Parameters
        ----------
        progress
            A function that is called every 600 ticks, with the number of ticks so far.
        saves
            The folder for saves during the replay. By default, the folder is empty.
        options
            Keyword arguments for the game. They override the options in the recording.
        """
        if progress is not None:
            checks.function("progress", progress)
        with self.playing(game_class, headless=True, saves=saves, **options) as (_, playback):
            for tick in playback.run():
                if progress is not None:
                    progress(tick)
            first = playback.diverged
            missing = playback.missing
            report = Verification(
                game=game_class.__name__,
                ticks=playback.tick,
                ok=first is None,
                tick=first,
                agreed=playback.agreed,
                compared=playback.compared,
                scheme=self._recording.scheme,
            )
        return report if report.ok else self._explained(report, game_class, options, missing)

    def _explained(
        self, report: Verification, game_class: type[Game], options: dict[str, Any], missing: str
    ) -> Verification:
        """Find out why the game differs from the recording, and return a report with the reason.
        The method plays the recording twice on this machine. If the two runs differ, the report
        contains the tick, the path and the two values of the first difference. If they are equal,
        there are three possible reasons: `draw` changes the state, the game's code has changed, or
        the recording was made on another machine.
        """
        with ExitStack() as stack:
            game, playback = stack.enter_context(self.playing(game_class, headless=True, **options))
            second, second_playback = stack.enter_context(
                self.playing(game_class, headless=True, **options)
            )
            for tick in range(1, (report.tick or 0) + 1):
                for each in (playback, second_playback):
                    for _ in each.run(tick):
                        pass
                if game.state_hash() != second.state_hash():
                    values = game.debug.state_values()
                    difference = first_difference(values, second.debug.state_values())
                    return replace(report, tick=tick, **vars(difference))
            values = game.debug.state_values()
        later = self._first_difference(values, report, game_class, options)
        if later is not None:
            return replace(report, **vars(later))
        return replace(report, reason=self._reason_for_difference(options, missing))

    def _reason_for_difference(self, options: dict[str, Any], missing: str) -> str:
        """Return a sentence that explains why a game differs from the recording, although all
        replays on this machine are equal.
        """
        recorded = self._recording.options
        changed = [name for name in options if name in recorded and recorded[name] != options[name]]
        if changed:
            return f"it was recorded with another {' and '.join(changed)} than it is played with"
        reason = (
            "the state differs from the recording, and is the same each "
            "time it is played here: the game "
            "has changed, draw() changes the state (verify draws no frames; list such values in "
            "not_state, or change them in update()), or this machine computes differently "
            "(framework doctor --determinism)"
        )
        shaped = check_same_text(self)
        reason += f"; {shaped}" if shaped is not None else ""
        moved_otherwise = check_same_physics(self)
        reason += f"; {moved_otherwise}" if moved_otherwise is not None else ""
        return f"{reason}; {missing}" if missing else reason

    def _first_difference(
        self, values: Listing, report: Verification, game_class: type[Game], options: dict[str, Any]
    ) -> Difference | None:
        """Play the recording a third time, and return the first value that differs from ``values``.
        The first two runs take place at almost the same time, so the game reads almost the same
        time from the clock in both. Only a later run can show that the game depends on the clock.
        """
        with self.playing(game_class, headless=True, **options) as (game, playback):
            for _ in playback.run(report.tick):
                pass
            return first_difference(values, game.debug.state_values())

    def playing(
        self,
        game_class: type[Game],
        *,
        headless: bool | None = None,
        scale: float = 1.0,
        saves: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> AbstractContextManager[tuple[Game, Playback]]:
        """Return a context manager that yields the game and the `Playback` of the recording.

        The game is created with the options in the recording. In each frame, the game plays the
        next part of the recording. The context manager closes the game at the end of the ``with``
        block. ``scale`` enlarges the image of a game without a window: it multiplies the width and
        the height. ``saves`` is the folder for the saves of the game. By default, the folder is
        empty, and is deleted at the end. Raises `AssetError` if the recording belongs to a
        different game, or if the game does not accept the recorded options. Raises `FrameworkError`
        if you do not pass an option that the recording could not store.
        """
        scale = checks.number("scale", scale, above=0, most=16)
        headless = None if headless is None else checks.flag("headless", headless)
        folder = None if saves is None else checks.path("saves", saves)
        self._check(game_class, options)
        return self._played(lambda: self._made(game_class, headless, scale, folder, options))

    @contextmanager
    def _played(self, make: Callable[[], Game]) -> Iterator[tuple[Game, Playback]]:
        with make() as game:
            yield game, Playback(game, self._recording)

    def _check(self, game_class: type[Game], options: dict[str, Any]) -> None:
        """Raise an error if ``game_class`` cannot play the recording with ``options``."""
        recording = self._recording
        name = recording.game.partition(":")[2]
        if not (isinstance(game_class, type) and issubclass(game_class, Game)):
            raise TypeError(
                f"game_class: expected a subclass of Game, got {checks.shown(game_class)}"
            )
        if game_class.__qualname__ != name:
            raise broken(
                recording.path,
                f"this is a recording of {name[:80]}, not of {game_class.__qualname__}",
            )
        missing = [name for name in recording.left_out if name not in options]
        if missing:
            raise FrameworkError(
                f"{recording.path!r}: the game was made with {', '.join(missing)}, "
                "which no file can hold; "
                f"pass the same to verify({game_class.__name__}, …)"
            )

    def _made(
        self,
        game_class: type[Game],
        headless: bool | None,
        scale: float,
        folder: str | None,
        options: dict[str, Any],
    ) -> Game:
        recording = self._recording
        overrides: Overrides = {
            "size": recording.size,
            "pixel_ratio": recording.pixel_ratio * scale,
            "headless": headless,
            "separate_run": SeparateRun(folder, recording.results, recording.old),
        }
        positional = [
            recording.options[key]
            for key in sorted(filter(str.isdigit, recording.options), key=int)
        ]
        named = {key: value for key, value in recording.options.items() if not key.isdigit()}
        named = _with_current_names(game_class, named)
        try:
            game: Game = make_game(game_class, overrides, *positional, **{**named, **options})
        except (TypeError, ValueError) as error:
            what = f"{game_class.__name__} cannot be made with the recorded options: {error}"
            raise broken(recording.path, what) from error
        return game


def _with_current_names(game_class: type[Game], options: dict[str, Any]) -> dict[str, Any]:
    """Replace the old names of options in old recordings with their current names. The names of
    options that the game class defines are not replaced.
    """
    own = {
        parameter
        for base in game_class.__mro__
        if "__init__" in vars(base)
        for parameter in inspect.signature(vars(base)["__init__"]).parameters
    }
    names = {old: new for old, new in OPTIONS["Game"].items() if old not in own}
    return {names.get(name, name): value for name, value in options.items()}


def check_same_source(replay: Replay, file: str, sha256: str) -> str | None:
    """Return a warning if the game's file has changed since the recording, otherwise None."""
    source = replay.header.get("source")
    recorded = source.get("sha256") if isinstance(source, dict) else None
    if recorded in (None, sha256):
        return None
    return f"{file} has changed since the recording: the game may play differently"


def check_same_text(replay: Replay) -> str | None:
    """Return a warning if texts may have other sizes on this machine than in the recording,
    otherwise None.
    """
    versions = replay.header.get("versions")
    current = shaped_by()
    recorded = versions.get("text") if isinstance(versions, dict) else None
    if not isinstance(recorded, str) or recorded == current:
        return None
    return (
        f"texts and widgets may have other sizes here ({current}) than in the "
        f"recording ({recorded})"
    )


def check_same_physics(replay: Replay) -> str | None:
    """Return a warning if physics may have other results on this machine than in the recording,
    otherwise None. The results of a physics engine are exactly the same only with the same version,
    operating system and type of processor.
    """
    recorded = replay._recording.engines
    platform = str(replay.header.get("platform"))[:40]
    installed = engine_versions(recorded)
    for package, version in recorded.items():
        before = f"{package} {version[:40]} on {platform}"
        current = f"{package} {installed.get(package, 'not installed')} on {this_platform()}"
        if before != current and package in ENGINES:
            return (
                f"bodies of {ENGINES[package][0]} may move differently here ({current}) than in "
                f"the recording ({before})"
            )
    return None
