"""The current game: which game a call belongs to that is not passed one."""

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


class Plays(fw.Game):
    """Plays a sound and asks for actions in each tick."""

    sound = fw.Sound.tone(440, 0.1)

    def setup(self) -> None:
        self.voices: list[fw.Voice] = []
        self.presses: list[int] = []
        self.meanwhile: Any = None

    def update(self, dt: float) -> None:
        if self.meanwhile is not None:
            self.meanwhile()
        self.presses.append(fw.Actions(jump="space").presses("jump"))
        self.voices.append(self.sound.play())


@pytest.fixture(autouse=True)
def _no_other_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current_game, "_open", [])


def test_without_a_game_there_is_none() -> None:
    assert current_game.current_game() is None
    assert current_folders() == ()
    with pytest.raises(fw.FrameworkError, match="play: no game is open"):
        Plays.sound.play()


def test_the_inner_game_is_current_and_then_the_outer_one_again() -> None:
    with Plays(drawing=False) as outer, Plays(drawing=False) as inner:
        inner.testing.press("space")
        outer.meanwhile = inner.run_ticks
        outer.run_ticks()
        assert (outer.presses, inner.presses) == ([0], [1])
        assert outer.audio.voices == tuple(outer.voices)
        assert inner.audio.voices == tuple(inner.voices)


def test_the_open_game_made_last_is_current_between_ticks() -> None:
    with Plays(drawing=False) as first:
        with Plays(drawing=False) as second:
            assert Plays.sound.play() in second.audio.voices
        assert Plays.sound.play() in first.audio.voices
    assert current_game.current_game() is None


def test_a_game_that_nobody_refers_to_is_not_current() -> None:
    import gc

    Plays(drawing=False)
    gc.collect()
    assert current_game.current_game() is None


def test_a_game_that_another_closes_within_its_tick_gives_way() -> None:
    with Plays(drawing=False) as outer:
        inner = Plays(drawing=False)
        outer.meanwhile = inner.close
        outer.run_ticks()
        assert outer.audio.voices == tuple(outer.voices)


def test_games_in_two_threads_do_not_meet() -> None:
    """Each tick waits until the other game's tick is running, too."""
    both = threading.Barrier(2, timeout=30)
    errors: list[BaseException] = []

    def play() -> None:
        try:
            with Plays(drawing=False) as game:
                games.append(game)
                both.wait()
                if game is games[0]:
                    game.testing.press("space")
                game.meanwhile = both.wait
                for _ in range(5):  # all are still heard then
                    game.run_ticks()
                both.wait()
                assert game.audio.voices == tuple(game.voices)
                assert sum(game.presses) == (1 if game is games[0] else 0)
                both.wait()
        except BaseException as error:
            errors.append(error)
            both.abort()

    games: list[Plays] = []
    threads = [threading.Thread(target=play) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(games) == 2


def test_a_thread_that_works_for_a_game_finds_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when another game was made later."""
    (tmp_path / "own.py").write_text("import framework as fw\n\n\nclass Own(fw.Game): ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    from own import Own  # type: ignore[import-not-found]

    found = []

    class Asks(Own):  # type: ignore[misc]
        def update(self, dt: float) -> None:
            found.append(Worker().submit(current_folders).result(30))

    with Asks(drawing=False) as game, Plays(drawing=False):
        game.run_ticks()
    assert str(tmp_path) in found[0]


def test_reading_is_between_ticks_of_the_current_game() -> None:
    assert not current_game.between_ticks()
    found: list[bool] = []
    with Plays(drawing=False) as game:
        game.meanwhile = lambda: found.append(current_game.between_ticks())
        game.run_ticks()
        assert (found, current_game.between_ticks()) == ([False], True)
    assert not current_game.between_ticks()


def test_files_are_those_of_the_game_at_work_in_its_own_thread(tmp_path: Path) -> None:
    """A thread that works for the game writes where it is told, and so does a program between
    ticks.
    """
    written: list[str] = []
    path = str(tmp_path / "file")

    def write() -> None:
        current_game.write_file(path, written.append)

    def write_in_two_threads() -> None:
        write()
        Worker().submit(write).result(30)

    with make_game(Plays, {"separate_run": SeparateRun()}, drawing=False) as game:
        write()
        game.meanwhile = write_in_two_threads
        game.run_ticks()
        folder = driven(game).stage.files.folder
        assert current_game.read_file(path) is None
    assert [written[0], written[2]] == [path, path]
    assert written[1].startswith(folder)


def test_a_game_that_a_game_apart_makes_in_a_tick_is_apart_too() -> None:
    made: list[Plays] = []
    with make_game(Plays, {"separate_run": SeparateRun()}, drawing=False) as game:
        game.meanwhile = lambda: made.append(Plays(drawing=False))
        game.run_ticks()
        made.append(Plays(drawing=False))
        assert [driven(inner).stage.files.isolated for inner in made] == [True, False]
        for inner in made:
            inner.close()


def test_a_game_kept_apart_takes_the_mouse_and_the_screen_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A run that goes on after a change of its code is the player's own."""
    opened: list[GameOptions] = []

    def surface(options: GameOptions, name: str) -> Any:
        opened.append(options)
        return NoSurface(options.size, pixel_ratio=options.pixel_ratio, samples=options.samples)

    monkeypatch.setattr("framework.game.engine._surface", surface)
    for overrides in (
        {"separate_run": SeparateRun(reloading=True)},
        {"separate_run": SeparateRun(), "seed": 1},
    ):
        make_game(Plays, overrides, fullscreen=True).close()  # type: ignore[arg-type]
    assert [(options.fullscreen, options.watched) for options in opened] == [
        (True, False),
        (False, True),
    ]


def test_overrides_count_more_than_what_an_init_passes_on_for_this_game_alone() -> None:
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
