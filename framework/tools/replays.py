"""`framework replay`: play a recording, verify it, or make a video of it."""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from .. import resources
from ..arrays import Pixels
from ..assets.images import check_image_path
from ..bench.progress import Bar, progress_bar
from ..game.game import Game
from ..game.save_log import Result
from ..input import key
from ..input.tick_input import Event
from ..sim.recording import Recording
from ..sim.replay import Replay, check_same_physics, check_same_source, check_same_text
from ..sim.replay_playback import Playback
from ..sim.video import check_video, write_video
from .gamefiles import CommandError, examples, find_game

DIVERGED = 3
"""The exit status of ``--verify`` if a state differs from the recorded state."""

_MAX_RATE = 64.0  # the maximum speed in a window, as a multiple of real time


def game_of(replay: Replay, name: str | None, path: str) -> tuple[Path, str | None]:
    """Find the Python file of the game that a recording was made with, and return its path and the
    name of the example, or None if it is not an example.

    ``name`` is a path or the name of an example, as for `find_game`. If ``name`` is None, the
    function searches the examples for a file with the hash that the recording contains. `game_of`
    never imports modules that the recording names, because a recording may come from a stranger.
    Raises `CommandError` if the game's file is not found.
    """
    if name is not None:
        return find_game(name)
    source = replay.header.get("source")
    recorded = source.get("sha256") if isinstance(source, dict) else None
    for example in examples():
        if hashlib.sha256(example.path.read_bytes()).hexdigest() == recorded:
            return example.path, example.name
    game = str(replay.header.get("game"))[:80]
    raise CommandError(
        f"{path!r} is a recording of {game}; name the game's file: framework replay {path} FILE.py"
    )


class ReplayArguments(Protocol):
    """The arguments of `framework replay`."""

    recording: str
    game: str | None
    headless: bool
    rate: float
    seek: float
    verify: bool
    info: bool
    saves: str | None
    screenshot: str | None
    video: str | None
    fps: float
    scale: float
    progress: bool


class Show:
    """Plays a recording with the game class of a program."""

    def __init__(self, replay: Replay, arguments: ReplayArguments) -> None:
        self._replay = replay
        self._arguments = arguments
        self._fps = Fraction(str(arguments.fps))
        self.status = 0
        if arguments.screenshot is not None:
            check_image_path(arguments.screenshot)
            resources.check_writable(arguments.screenshot)
        if arguments.video is not None:
            check_video(arguments.video)

    def __call__(self, game_class: type[Game], options: dict[str, Any]) -> None:
        """Play the recording. `fw.run` in the program calls this method with the class and the
        options from the program, instead of starting a normal game.
        """
        arguments = self._arguments
        left_out = {
            name: value
            for name, value in options.items()
            if name in self._replay.header["left_out"]
        }
        quiet = arguments.headless or arguments.verify or arguments.video is not None
        scale = arguments.scale if arguments.video is not None else 1.0
        playing = self._replay.playing(
            game_class, headless=quiet or None, scale=scale, saves=arguments.saves, **left_out
        )
        with playing as (game, playback):
            playback.on_diverge = lambda tick: self._diverged(game, playback, tick)
            self._play(game, playback)
            if arguments.screenshot is not None:
                if game.display.headless:
                    game.advance(0)
                game.screenshot(arguments.screenshot)
            self._report(game, playback)

    def _play(self, game: Game, playback: Playback) -> None:
        arguments = self._arguments
        if arguments.seek:
            self._run(playback, round(arguments.seek * playback.recording.tick_rate), "seeking")
        if arguments.video is not None:
            self._film(arguments.video, game, playback)
        elif game.display.headless:
            self._run(playback, None, "playing")
        else:
            self._view(game, playback)

    def _run(self, playback: Playback, until: int | None, what: str) -> None:
        last = playback.recording.ticks if until is None else until
        with self._bar(what, "tick", last) as bar:
            for tick in playback.run(until):
                bar.update(tick - bar.n)

    def _film(self, video: str, game: Game, playback: Playback) -> None:
        arguments = self._arguments
        playback.rate = 1.0 if math.isinf(arguments.rate) else arguments.rate
        duration = (playback.recording.ticks - playback.tick) / playback.recording.tick_rate
        count = max(1, math.ceil(duration / Fraction(playback.rate) * self._fps))
        with self._bar("filming", "picture", count) as bar:
            written = write_video(
                video, _pictures(game, playback, count, self._fps, bar), self._fps
            )
        self._run(playback, None, "comparing")  # also compare the ticks after the last frame
        print(f"{video}: {float(written / self._fps):.2f} s, from {written} pictures")

    def _view(self, game: Game, playback: Playback) -> None:
        viewer = _Viewer(game, playback, min(self._arguments.rate, _MAX_RATE))
        playback.on_event = viewer.receive_event
        game.run()

    def _bar(self, what: str, unit: str, total: int) -> Bar:
        return progress_bar(total, unit, self._arguments.progress, what)

    def _diverged(self, game: Game, playback: Playback, tick: int) -> None:
        self.status = DIVERGED if self._arguments.verify else 0
        why = f"; {playback.missing}" if playback.missing else ""
        print(
            f"DIVERGED: the states are equal up to tick {playback.agreed}, and differ at "
            f"tick {tick}{why}",
            file=sys.stderr,
        )
        if not game.display.headless:
            game.display.window.set_caption(
                f"{game.display.window.caption} – DIVERGED since tick {tick}"
            )

    def _report(self, game: Game, playback: Playback) -> None:
        name = type(game).__name__
        of = playback.recording.ticks
        sentences = [f"{name}: {playback.tick} of {of} ticks were played"]
        if not playback.recording.complete:
            sentences.append("the recording was cut off")
        if not playback.compared:
            sentences.append("no state was compared")
        elif playback.diverged is None:
            sentences.append(f"all {playback.compared} states that were compared are the same")
        print("; ".join(sentences))


class _Viewer:
    """Handles the keys that are pressed in the window of a replay.

    Space pauses the replay, Escape ends it, and F3 shows the overlay.
    """

    def __init__(self, game: Game, playback: Playback, rate: float) -> None:
        self._game = game
        self._playback = playback
        self._rate = rate
        playback.rate = rate
        playback.on_end = game.exit

    def receive_event(self, event: Event) -> None:
        if event[0] == "on_close" or event[:2] == ("on_key_press", key.ESCAPE):
            self._game.exit()
        elif event[:2] == ("on_key_press", key.SPACE):
            self._playback.rate = 0.0 if self._playback.rate else self._rate
        elif event[:2] == ("on_key_press", key.F3):
            self._game.debug.overlay = not self._game.debug.overlay


def _pictures(
    game: Game, playback: Playback, count: int, fps: Fraction, bar: Bar
) -> Iterator[Pixels]:
    for _ in range(count):
        game.advance(1 / fps)
        yield game.pixels()
        bar.update()


def remark_on_source(replay: Replay, path: Path) -> None:
    """Print a warning if the game's file has changed since the recording was made. Also print one
    if texts have different widths on this machine, or if physics may give different results.
    """
    source = check_same_source(replay, path.name, hashlib.sha256(path.read_bytes()).hexdigest())
    for warning in (source, check_same_text(replay), check_same_physics(replay)):
        if warning is not None:
            print(f"framework: {warning}", file=sys.stderr)


def describe(replay: Replay) -> str:
    """Return a text that describes the contents of a recording, for the option `--info`."""
    header = replay.header
    versions = header.get("versions")
    numbers = (
        [f"{name} {number}" for name, number in versions.items()]
        if isinstance(versions, dict)
        else []
    )
    lines = [
        f"game      {header['game']}",
        f"length    {replay.ticks:,} ticks, {replay.duration:.2f} "
        f"s{'' if replay.complete else '; it was cut off'}",
        f"options   {', '.join(header['options']) or 'none'}",
        f"made with {', '.join([*numbers, str(header.get('platform'))])}",
        *_lines_about_saves(replay.loads()),
    ]
    return "\n".join(lines)


def _lines_about_saves(loads: Sequence[Result]) -> list[str]:
    """Describe the saves that a game has loaded or has searched for."""
    saves = {(result.name, result.sha256): result for result in loads if result.sha256}
    lines = [f"saves     {len(saves) or 'none'}"]
    for (name, sha256), result in saves.items():
        ticks = [load.tick for load in loads if (load.name, load.sha256) == (name, sha256)]
        when = "setup" if not ticks[0] else f"tick {ticks[0]}"
        repeats = f" and {len(ticks) - 1} more" if len(ticks) > 1 else ""
        note = "" if result.data is not None else " (only its hash is in the recording)"
        lines.append(f"  {name!r}: {result.size:,} bytes, loaded in {when}{repeats}{note}")
    failed = sorted({(result.name, result.error) for result in loads if result.error})
    lines += [f"  {name!r}: {error}" for name, error in failed]
    names = sorted(
        {name for result in loads for name in result.names} - {name for name, _ in saves}
    )
    if names:
        lines.append(
            f"names     {', '.join(map(repr, names))}: the game checked whether these files exist"
        )
    return lines


def play_again(game: Game, path: str) -> None:
    """Play all ticks of a recording in a new game, without drawing. After that, the game continues
    with new input.
    """
    playback = Playback(game, Recording(path))
    try:
        for _ in playback.run():
            pass
    finally:
        playback.end()
