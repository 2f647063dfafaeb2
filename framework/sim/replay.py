"""`Replay`: a game that was recorded, to be looked at, checked and filmed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple, Self

from .. import checks
from ..errors import FrameworkError
from ..game.game import Game
from ..game.surface import forcing
from ..input.tick_input import TickInput
from .recording import Recording, broken
from .replaying import Playback


class Verification(NamedTuple):
    """What came of playing a recording again."""

    ok: bool
    """Whether no difference was found."""
    tick: int | None
    """The first tick whose state was another; the difference came after ``agreed``."""
    path: str | None
    """Where in the game the state differs, as far as that is known."""
    agreed: int
    """The last tick whose state was known to be the same."""
    ticks: int
    """Ticks that were played."""
    compared: int
    """States that were compared."""

    def __str__(self) -> str:
        if self.tick is not None:
            where = f" at {self.path}" if self.path else ""
            return f"DIVERGED{where}: after tick {self.agreed}, and by tick {self.tick}, the state is another"
        if not self.compared:
            return f"{self.ticks} ticks were played; the recording has no hash of a state to compare"
        return f"{self.ticks} ticks were played; all {self.compared} states that were compared are the same"


class Replay:
    """A recording, as `Game.record` wrote it. Raises `AssetError` for a file that is none, or a broken one.

    One that was cut off, by a crash say, is read up to its last whole block; then `complete` is False.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._recording = Recording(checks.path("path", path))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """The recording in a file."""
        return cls(path)

    @property
    def header(self) -> dict[str, Any]:
        """What the file says of itself: game, options, seed, tick rate, size, versions, platform."""
        return dict(self._recording.header)

    @property
    def ticks(self) -> int:
        """How many there are."""
        return self._recording.ticks

    @property
    def seconds(self) -> float:
        """Simulated seconds that it lasts, at its tick rate."""
        return self._recording.seconds

    @property
    def complete(self) -> bool:
        """Whether the recording was ended, and not cut off."""
        return self._recording.complete

    def inputs(self) -> Iterator[tuple[int, TickInput]]:
        """The number of each tick in which anything came, and what. Raises `AssetError` where that is broken."""
        return self._recording.inputs()

    def hashes(self) -> Iterator[tuple[int, int]]:
        """The number of each tick after which the state was hashed, and its hash."""
        return self._recording.hashes()

    def verify(
        self,
        game_class: type[Game],
        *,
        progress: Callable[[int], object] | None = None,
        **options: Any,
    ) -> Verification:
        """Play it off screen without pictures, and compare the states. ``options`` replace recorded ones.

        An exception in the game comes out of it: a recording of a game that failed fails again, at the same tick.
        ``progress`` is told the number of ticks, now and then.
        """
        if progress is not None:
            checks.function("progress", progress)
        with self.playing(game_class, headless=True, **options) as (_, playback):
            for tick in playback.run():
                if progress is not None:
                    progress(tick)
            first = playback.diverged
            return Verification(first is None, first, None, playback.agreed, playback.tick, playback.compared)

    def playing(
        self,
        game_class: type[Game],
        *,
        headless: bool | None = None,
        scale: float = 1.0,
        **options: Any,
    ) -> AbstractContextManager[tuple[Game, Playback]]:
        """The game, made as the recorded one was, with the recording playing in its frames; closed in the end.

        ``scale`` makes the picture larger or smaller off screen, and nothing else. Raises `AssetError` when it is a
        recording of another game, or the game cannot be made with its options.
        """
        scale = checks.number("scale", scale, above=0, most=16)
        headless = None if headless is None else checks.flag("headless", headless)
        self._check(game_class, options)
        return self._played(lambda: self._made(game_class, headless, scale, options))

    @contextmanager
    def _played(self, make: Callable[[], Game]) -> Iterator[tuple[Game, Playback]]:
        with make() as game:
            yield game, Playback(game, self._recording)

    def _check(self, game_class: type[Game], options: dict[str, Any]) -> None:
        """Whether it can be played in this game."""
        recording = self._recording
        name = recording.game.partition(":")[2]
        if not (isinstance(game_class, type) and issubclass(game_class, Game)):
            raise TypeError(f"game_class: expected a subclass of Game, got {checks.shown(game_class)}")
        if game_class.__qualname__ != name:
            raise broken(recording.path, f"this is a recording of {name[:80]}, not of {game_class.__qualname__}")
        missing = [name for name in recording.left_out if name not in options]
        if missing:
            raise FrameworkError(
                f"{recording.path!r}: the game was made with {', '.join(missing)}, which no file can hold; "
                f"pass the same to verify({game_class.__name__}, …)"
            )

    def _made(self, game_class: type[Game], headless: bool | None, scale: float, options: dict[str, Any]) -> Game:
        recording = self._recording
        forced = {"size": recording.size, "pixel_ratio": recording.pixel_ratio * scale, "headless": headless}
        positional = [recording.options[key] for key in sorted(filter(str.isdigit, recording.options), key=int)]
        named = {key: value for key, value in recording.options.items() if not key.isdigit()}
        try:
            with forcing(**forced):
                return game_class(*positional, **{**named, **options})
        except (TypeError, ValueError) as error:
            what = f"{game_class.__name__} cannot be made with the recorded options: {error}"
            raise broken(recording.path, what) from error


def check_same_source(replay: Replay, file: str, sha256: str) -> str | None:
    """In words, that the game's file is not what it was; None where it is."""
    source = replay.header.get("source")
    recorded = source.get("sha256") if isinstance(source, dict) else None
    if recorded in (None, sha256):
        return None
    return f"{file} is not what it was when this was recorded: what is played may go another way"
