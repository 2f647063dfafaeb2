"""A pytest plugin with the fixture ``play``, which creates games for tests and records them.

If a test fails, the plugin saves the recordings of the test's games in a folder.

    def test_the_ship_flies(play):
        game = play(Flight, seed=3)
        game.testing.press("space")
        for _ in range(60):
            game.advance(1 / 60)
        assert game.ship.y > 100

pytest loads this plugin automatically if the framework is installed.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..game.game import Game

_HIDDEN = "calls in the framework are not shown: --full-trace shows all calls"
_PLAYED = pytest.StashKey[list[tuple["Game", Path]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--recordings`` to the command line of pytest."""
    parser.addoption(
        "--recordings",
        metavar="DIR",
        default="recordings",
        help="folder for the recordings of failed tests (default: recordings)",
    )


@pytest.fixture
def play(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Game]]:
    """Return a function ``play(GameClass, **options)`` for a test. ``play`` creates a game without
    a window, and records it from the first tick. The game is closed after the test.

    All games in a test share a new, empty folder for save files, so that the test neither reads nor
    changes the player's save files.
    """
    from ..game.game import Game, make_game  # imported on first use: see `_sync_test`
    from ..game.save_files import SeparateRun

    played: list[tuple[Game, Path]] = []
    node: pytest.Item = request.node
    node.stash[_PLAYED] = played

    def play(game_class: Callable[..., Game], **options: Any) -> Game:
        options = {"headless": True, **options}
        make: Callable[..., Game] = game_class
        if isinstance(game_class, type) and issubclass(game_class, Game):
            make = partial(make_game, game_class, {"separate_run": SeparateRun(tmp_path / "saves")})
        game = make(**options)
        path = tmp_path / f"game-{len(played) + 1}.replay"
        played.append((game, path))
        game.recording.start(path)
        return game

    yield play
    for game, _ in reversed(played):
        game.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """If a test fails, save the recordings of the test's games. For each recording, the report
    contains the command that replays it. If the framework has advice about the error, the advice is
    added to the error message. The report shows no calls in the framework, unless pytest runs with
    ``--full-trace`` or a debugger.
    """
    error = None if call.excinfo is None else call.excinfo.value
    if isinstance(error, TypeError | AttributeError | OverflowError | ValueError):
        from ..game.error_advice import advise  # needed only for errors

        advise(error)
    hidden_count = 0
    if isinstance(error, Exception) and not _needs_all_calls(item.config):
        from ..game.short_traceback import shorten  # needed only for errors

        hidden_count = shorten(error)
        if hidden_count:
            call.excinfo = pytest.ExceptionInfo.from_exception(error)
    report = yield
    if hidden_count and report.failed:
        report.sections.append(("traceback", f"{hidden_count} {_HIDDEN}"))
    if report.when == "call" and report.failed:
        for number, (game, path) in enumerate(_games_of(item), 1):
            game.recording.stop()
            copy = _store(item, path, number)
            file = _file_of(type(game))
            report.sections.append(
                ("recording", f"framework replay {copy} {file}   # {game.tick} ticks")
            )
    return report


def _needs_all_calls(config: pytest.Config) -> bool:
    return bool(config.getoption("fulltrace") or config.getoption("usepdb", False))


def _games_of(item: pytest.Item) -> list[tuple[Game, Path]]:
    return item.stash.get(_PLAYED, None) or []


def _store(item: pytest.Item, path: Path, number: int) -> Path:
    recordings: str = item.config.getoption("--recordings")
    folder = Path(recordings)
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W+", "-", item.name).strip("-")[:80]
    copy = folder / (f"{name}.replay" if number == 1 else f"{name}-{number}.replay")
    shutil.copyfile(path, copy)
    return copy


def _file_of(kind: type) -> str:
    import inspect

    try:
        return Path(inspect.getfile(kind)).name
    except (TypeError, OSError):
        return "FILE.py"
