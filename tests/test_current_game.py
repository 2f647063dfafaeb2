"""The current game: the game that a call without a game argument belongs to."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import framework as fw
from framework import current_game
from framework.assets.background_loading import Worker
from framework.current_game import current_folders
from framework.game.driven_game import driven
from framework.game.game import make_game
from framework.game.game_options import GameOptions
from framework.game.save_files import SeparateRun
from framework.game.surface import NoSurface


class PlayingGame(fw.Game):
    """A game that plays a sound and reads an action in each tick."""

    sound = fw.Sound.tone(440, 0.1)

    def setup(self) -> None:
        self.voices: list[fw.Voice] = []
        self.presses: list[int] = []
        self.during_tick: Any = None

    def update(self, dt: float) -> None:
        if self.during_tick is not None:
            self.during_tick()
        self.presses.append(fw.Actions(jump="space").presses("jump"))
        self.voices.append(self.sound.play())


@pytest.fixture(autouse=True)
def _no_other_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current_game, "_open", [])


def test_without_an_open_game_none_is_current() -> None:
    assert current_game.current_game() is None
    assert current_folders() == ()
    with pytest.raises(fw.FrameworkError, match="play: no game is open"):
        PlayingGame.sound.play()


def test_an_inner_game_is_current_during_its_ticks() -> None:
    with PlayingGame(drawing=False) as outer, PlayingGame(drawing=False) as inner:
        inner.testing.press("space")
        outer.during_tick = inner.run_ticks
        outer.run_ticks()
        assert (outer.presses, inner.presses) == ([0], [1])
        assert outer.audio.voices == tuple(outer.voices)
        assert inner.audio.voices == tuple(inner.voices)


def test_the_newest_open_game_is_current_between_ticks() -> None:
    with PlayingGame(drawing=False) as first:
        with PlayingGame(drawing=False) as second:
            assert PlayingGame.sound.play() in second.audio.voices
        assert PlayingGame.sound.play() in first.audio.voices
    assert current_game.current_game() is None


def test_a_game_without_references_is_not_current() -> None:
    import gc

    PlayingGame(drawing=False)
    gc.collect()
    assert current_game.current_game() is None


def test_a_game_closed_in_the_tick_of_another_is_not_current() -> None:
    with PlayingGame(drawing=False) as outer:
        inner = PlayingGame(drawing=False)
        outer.during_tick = inner.close
        outer.run_ticks()
        assert outer.audio.voices == tuple(outer.voices)


def test_games_in_two_threads_are_separate() -> None:
    """Each tick waits until the other game's tick is running, too."""
    both = threading.Barrier(2, timeout=30)
    errors: list[BaseException] = []

    def play() -> None:
        try:
            with PlayingGame(drawing=False) as game:
                games.append(game)
                both.wait()
                if game is games[0]:
                    game.testing.press("space")
                game.during_tick = both.wait
                for _ in range(5):  # all voices are still playing then
                    game.run_ticks()
                both.wait()
                assert game.audio.voices == tuple(game.voices)
                assert sum(game.presses) == (1 if game is games[0] else 0)
                both.wait()
        except BaseException as error:
            errors.append(error)
            both.abort()

    games: list[PlayingGame] = []
    threads = [threading.Thread(target=play) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(games) == 2


def test_a_worker_thread_finds_the_folders_of_its_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folders are found even if another game was created later."""
    (tmp_path / "own.py").write_text("import framework as fw\n\n\nclass Own(fw.Game): ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    from own import Own  # type: ignore[import-not-found]

    folders = []

    class Asks(Own):  # type: ignore[misc]
        def update(self, dt: float) -> None:
            folders.append(Worker().submit(current_folders).result(30))

    with Asks(drawing=False) as game, PlayingGame(drawing=False):
        game.run_ticks()
    assert str(tmp_path) in folders[0]


def test_between_ticks_is_false_within_a_tick() -> None:
    assert not current_game.between_ticks()
    results: list[bool] = []
    with PlayingGame(drawing=False) as game:
        game.during_tick = lambda: results.append(current_game.between_ticks())
        game.run_ticks()
        assert (results, current_game.between_ticks()) == ([False], True)
    assert not current_game.between_ticks()


def test_a_separate_run_redirects_files_only_in_its_ticks(tmp_path: Path) -> None:
    """Worker threads, and the program between ticks, write to the given path."""
    written: list[str] = []
    path = str(tmp_path / "file")

    def write() -> None:
        current_game.write_file(path, written.append)

    def write_in_two_threads() -> None:
        write()
        Worker().submit(write).result(30)

    with make_game(PlayingGame, {"separate_run": SeparateRun()}, drawing=False) as game:
        write()
        game.during_tick = write_in_two_threads
        game.run_ticks()
        folder = driven(game).stage.files.folder
        assert current_game.read_file(path) is None
    assert [written[0], written[2]] == [path, path]
    assert written[1].startswith(folder)


def test_a_game_created_in_a_separate_run_is_separate() -> None:
    inner_games: list[PlayingGame] = []
    with make_game(PlayingGame, {"separate_run": SeparateRun()}, drawing=False) as game:
        game.during_tick = lambda: inner_games.append(PlayingGame(drawing=False))
        game.run_ticks()
        inner_games.append(PlayingGame(drawing=False))
        assert [driven(inner).stage.files.isolated for inner in inner_games] == [True, False]
        for inner in inner_games:
            inner.close()


def test_a_separate_run_takes_no_mouse_and_no_screen_unless_reloading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A run that continues after a change of its code is the player's game."""
    opened: list[GameOptions] = []

    def surface(options: GameOptions, name: str) -> Any:
        opened.append(options)
        return NoSurface(options.size, pixel_ratio=options.pixel_ratio, samples=options.samples)

    monkeypatch.setattr("framework.game.engine._surface", surface)
    for overrides in (
        {"separate_run": SeparateRun(reloading=True)},
        {"separate_run": SeparateRun(), "seed": 1},
    ):
        make_game(PlayingGame, overrides, fullscreen=True).close()  # type: ignore[arg-type]
    assert [(options.fullscreen, options.watched) for options in opened] == [
        (True, False),
        (False, True),
    ]


def test_overrides_replace_the_options_of_one_game() -> None:
    class Inner(fw.Game):
        pass

    class Own(fw.Game):
        def __init__(self) -> None:
            super().__init__(size=(30, 20), drawing=False, seed=1, players=1)

        def setup(self) -> None:
            self.inner = Inner(size=(50, 40), drawing=False, seed=2)

    with make_game(Own, {"size": (8, 6), "seed": 7, "players": 2}) as game:
        assert (game.size, len(game.players)) == ((8, 6), 2)
        assert game.random.random() == Inner(drawing=False, seed=7).random.random()
        assert game.inner.size == (50, 40)
        game.inner.close()
    with Own() as game:
        assert (game.size, len(game.players)) == ((30, 20), 1)
