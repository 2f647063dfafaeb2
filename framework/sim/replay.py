"""`Replay`: a game that was recorded, to be looked at, checked and filmed."""

from __future__ import annotations

__all__ = ["Replay"]

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from typing import Any, Self

from .. import checks
from ..errors import FrameworkError
from ..game.game import Game, make_game
from ..game.options import Overrides
from ..game.savefiles import Apart
from ..game.savelog import Result
from ..input.tick_input import TickInput
from ..record.hashes import Difference, Listing, first_difference
from ..text.shaping import shaped_by
from .recording import Recording, broken
from .replaying import Playback
from .report import Verification


class Replay:
    """A recording, as `Game.recording.start` wrote it. Raises `AssetError` for a file that is none, or a
    broken one.

    One that was cut off, by a crash say, is read up to its last whole block; then `complete` is
    False.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._recording = Recording(checks.path("path", path))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """The recording in a file."""
        return cls(path)

    @property
    def header(self) -> dict[str, Any]:
        """What the file says of itself: game, options, seed, tick rate, size, versions,
        platform.
        """
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
        """The number of each tick in which anything came, and what. Raises `AssetError` where that
        is broken.
        """
        return self._recording.inputs()

    def hashes(self) -> Iterator[tuple[int, int]]:
        """The number of each tick after which the state was hashed, and its hash."""
        return self._recording.hashes()

    def loads(self) -> list[Result]:
        """What the game asked of the player's files: the `tick`, the `name`, and of a load the
        `size` of the file and its content (`data`; None of more than 1 MiB) or its `error`. This is
        what a friend receives with it."""
        return [*self._recording.results]

    def verify(
        self,
        game_class: type[Game],
        *,
        progress: Callable[[int], object] | None = None,
        saves: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> Verification:
        """Play it off screen without pictures, and compare the states. ``options`` replace recorded
        ones.

        A recording has a hash now and then, so that the first tick that differs is known as well as
        these say; where the game goes different ways when it is played twice here, the report has
        the tick, the path and both values.

        An exception in the game comes out of it: a recording of a game that failed fails again, at
        the same tick. ``progress`` is told the number of ticks, now and then. ``saves`` is a
        folder, see `playing`.
        """
        if progress is not None:
            checks.function("progress", progress)
        with self.playing(game_class, headless=True, saves=saves, **options) as (_, playback):
            for tick in playback.run():
                if progress is not None:
                    progress(tick)
            first, missing = playback.diverged, playback.missing
            found = Verification(
                game=game_class.__name__,
                ticks=playback.tick,
                ok=first is None,
                tick=first,
                agreed=playback.agreed,
                compared=playback.compared,
                scheme=self._recording.scheme,
            )
        return found if found.ok else self._explained(found, game_class, options, missing)

    def _explained(
        self, found: Verification, game_class: type[Game], options: dict[str, Any], missing: str
    ) -> Verification:
        """Where the game goes two ways here, too: then the tick, the path and both values are
        known. Else it is this machine, or this version of the game, that goes another way each
        time."""
        with ExitStack() as stack:
            twice = [
                stack.enter_context(self.playing(game_class, headless=True, **options))
                for _ in range(2)
            ]
            (game, playback), (second, its_playback) = twice
            for tick in range(1, (found.tick or 0) + 1):
                for runs in (playback.run(tick), its_playback.run(tick)):
                    for _ in runs:
                        pass
                if game.state_hash() != second.state_hash():
                    values = game.debug.state_values()
                    difference = first_difference(values, second.debug.state_values())
                    return replace(found, tick=tick, **vars(difference))
            values = game.debug.state_values()
        later = self._first_difference(values, found, game_class, options)
        if later is not None:
            return replace(found, **vars(later))
        known = self._recording.options
        others = [name for name in options if name in known and known[name] != options[name]]
        if others:
            return replace(
                found,
                reason=f"it was recorded with another {' and '.join(others)} than it is "
                "played with",
            )
        reason = (
            "by then the state is another than in the recording, and the same each "
            "time it is played here: the game "
            "has changed, or this machine computes otherwise (framework doctor --determinism)"
        )
        shaped = check_same_text(self)
        reason += f"; {shaped}" if shaped is not None else ""
        reason += f"; {missing}" if missing else ""
        return replace(found, reason=reason)

    def _first_difference(
        self, values: Listing, found: Verification, game_class: type[Game], options: dict[str, Any]
    ) -> Difference | None:
        """Where a game that is played later differs: the clock says the same to two that are played
        at once.
        """
        with self.playing(game_class, headless=True, **options) as (game, playback):
            for _ in playback.run(found.tick):
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
        """The game, made as the recorded one was, with the recording playing in its frames; closed
        in the end.

        ``scale`` makes the picture larger or smaller off screen, and nothing else. ``saves`` is the
        folder in which the game finds and leaves its saves; by default it is an empty one, which is
        removed in the end. Raises `AssetError` when it is a recording of another game, or the game
        cannot be made with its options.
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
        """Whether it can be played in this game."""
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
            "apart": Apart(folder, recording.results, recording.old),
        }
        positional = [
            recording.options[key]
            for key in sorted(filter(str.isdigit, recording.options), key=int)
        ]
        named = {key: value for key, value in recording.options.items() if not key.isdigit()}
        try:
            game: Game = make_game(game_class, overrides, *positional, **{**named, **options})
        except (TypeError, ValueError) as error:
            what = f"{game_class.__name__} cannot be made with the recorded options: {error}"
            raise broken(recording.path, what) from error
        return game


def check_same_source(replay: Replay, file: str, sha256: str) -> str | None:
    """In words, that the game's file is not what it was; None where it is."""
    source = replay.header.get("source")
    recorded = source.get("sha256") if isinstance(source, dict) else None
    if recorded in (None, sha256):
        return None
    return f"{file} is not what it was when this was recorded: what is played may go another way"


def check_same_text(replay: Replay) -> str | None:
    """In words, that text has other sizes here than where it was recorded; None where it has the
    same.
    """
    versions, here = replay.header.get("versions"), shaped_by()
    there = versions.get("text") if isinstance(versions, dict) else None
    if not isinstance(there, str) or there == here:
        return None
    return (
        f"texts, and widgets with them, may have other sizes here ({here}) than where this "
        f"was recorded ({there})"
    )
