"""The tutorials: each step is played with keys to its end, and the pages show the right code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
import pytest
from pictures import colors_in
from tutorials import (
    BLOCK,
    JUMPS,
    OPTIONS,
    PAGES,
    ROOT,
    SCENES,
    aim,
    block_of,
    class_of,
    lines_of,
    press,
    run_right,
    steps,
    with_blocks,
)

import framework as fw
from framework.sim import synctest

STEPS = [path for folder in PAGES for path in steps(folder)]
Play = Callable[..., Any]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    """Start a step of a tutorial by its number, without drawing, and close it after the test."""
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda name, **options: str(tmp_path / name))
    games = []

    def start(number: int, folder: str = "tutorial", **options: Any) -> Any:
        options = {"headless": True, "drawing": False} | OPTIONS[folder] | options
        games.append(class_of(steps(folder)[number - 1])(**options))
        return games[-1]

    yield start
    for game in games:
        game.close()


# -- the platformer --------------------------------------------------------------------------------


def test_1_a_window_with_words(play: Play) -> None:
    game = play(1, drawing=True, size=(64, 36))
    game.advance(1 / 60)
    assert tuple(game.pixels()[-1, -1, :3]) == (0x84, 0xD8, 0xF4)
    assert colors_in(game.pixels()) > 5


def test_2_a_hero(play: Play) -> None:
    assert play(2).hero.position == (50, 10)


def test_3_the_arrow_keys_move_the_hero(play: Play) -> None:
    game = play(3)
    game.testing.press("right")
    game.run_ticks(60)
    assert game.hero.x == pytest.approx(140)
    game.testing.release("right")
    game.run_ticks(1)
    x = game.hero.x
    game.testing.press("left")
    game.run_ticks(30)
    assert game.hero.x == pytest.approx(x - 45)
    assert game.hero.flip == (True, False)
    assert game.hero.clip == "walk"


def test_4_the_hero_jumps_and_lands(play: Play) -> None:
    game = play(4)
    game.testing.press("space")
    heights = []
    for _ in range(60):
        game.run_ticks(1)
        heights.append(game.hero.y)
    assert max(heights) == pytest.approx(10 + 265**2 / 1200, abs=3)
    assert heights[-1] == 10


def test_5_the_hero_stands_on_tiles_and_walls_stop_it(play: Play) -> None:
    game = play(5)
    game.run_ticks(30)
    assert game.hero.y == 32 + 10
    run_right(game, lambda level: level.hero.x > 100)
    game.run_ticks(60)
    assert game.hero.y == 64 + 10  # on the platform
    game.hero.teleport((19 * 16, 42))  # over the first gap
    game.run_ticks(10)
    game.testing.press("right")
    game.run_ticks(10)
    assert game.hero.x == 20 * 16 - 5  # at the wall of the gap


def test_6_the_camera_follows_and_the_hero_walks(play: Play) -> None:
    game = play(6)
    game.run_ticks(1)
    assert game.camera.position == (160, 90)
    clips = []

    def note_clip(level: Any) -> bool:
        clips.append(level.hero.clip)
        return bool(level.hero.x > 250)

    run_right(game, note_clip)
    assert {"walk", "jump", "fall"} <= set(clips)
    assert 225 < game.camera.x < 250
    game.run_ticks(60)
    assert game.hero.clip == "idle"


def test_7_coins_count(play: Play) -> None:
    game = play(7)
    run_right(game, lambda level: level.hero.x > 330)
    assert (game.collected, len(game.coins)) == (4, 10)
    assert game.score.text == "Coins 4"


def test_8_jumps_coins_and_music_are_heard(play: Play) -> None:
    game = play(8)
    played = set()
    game.run_ticks(20)
    game.testing.press("space")
    for _ in range(60):
        game.run_ticks(1)
        played |= {voice.sound for voice in game.audio.voices}
    sounds = fw.art.sounds
    assert played == {sounds.jump, str(fw.art.music.calm)}
    game.hero.teleport(tuple(game.coins.position[0]))
    game.run_ticks(1)
    assert sounds.coin in {voice.sound for voice in game.audio.voices}


def test_9_enemies_turn_around_fall_to_a_jump_and_send_the_hero_back(play: Play) -> None:
    game = play(9)
    x = []
    for _ in range(220):
        game.run_ticks(1)
        x.append(game.enemies.position[0, 0] - game.enemies.home[0])
    assert max(x) == pytest.approx(30, abs=1)
    game.hero.teleport((game.enemies.position[0, 0], game.enemies.position[0, 1] + 30))
    game.run_ticks(20)
    assert len(game.enemies) == 1
    assert game.speed_up > 0
    game.hero.teleport(tuple(game.enemies.position[0]))
    game.run_ticks(1)
    assert game.hero.position == game.find("@")[0]


def test_10_the_level_can_be_won_and_lost(play: Play) -> None:
    game = play(10)
    run_right(game, lambda level: level.over)
    assert (game.lives, game.collected, game.star.removed) == (3, 9, True)
    lost = play(10)
    for _ in range(3):
        lost.hero.teleport((19 * 16, -35))
        lost.run_ticks(1)
    assert (lost.lives, lost.over) == (0, True)
    assert lost.score.text == "Coins 0   Lives 0"


def test_11_a_menu_begins_pauses_and_starts_a_new_game(play: Play) -> None:
    game = play(11)
    game.run_ticks(30)
    menu = game.scene
    press(game, "enter")
    level = game.scene
    assert type(level).__name__ == "Level"
    assert level is not menu
    press(game, "right")
    x = level.hero.x
    assert x > 24
    press(game, "p", "down")
    assert game.scene is not level
    game.testing.press("right")
    game.run_ticks(10)
    game.testing.release("right")
    assert level.hero.x == x
    press(game, "escape")
    assert game.scene is level
    press(game, "p", "down", "enter", "enter")
    assert type(game.scene).__name__ == "Level"
    assert game.scene is not level


def test_12_the_record_is_saved_and_the_level_is_won(play: Play) -> None:
    game = play(12)
    game.run_ticks(1)
    press(game, "enter", wait=0)
    level = game.scene
    level.collected = 10
    level.hero.teleport((900, 110))
    run_right(game, lambda level: level.over, [])
    assert level.star.removed
    assert game.record == 11
    press(game, "space")
    assert not getattr(game.scene, "over", False)
    assert play(12).record == 11


def test_the_test_on_the_page_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, play: Play
) -> None:
    page = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
    (block,) = re.findall(r"(?ms)^```python\n(from coin_hill.*?)^```", page)
    code = block.replace("from coin_hill import Platformer\n", "")
    names = {"Platformer": 12}
    exec(code, names)  # type: ignore[arg-type]
    names["test_a_coin_counts"](play)  # type: ignore[operator]


# -- in space --------------------------------------------------------------------------------------


def space(play: Play, number: int, **options: Any) -> Any:
    return play(number, "tutorial_space", **options)


def test_space_1_the_ring_turns(play: Play) -> None:
    game = space(play, 1)
    game.run_ticks(60)
    assert game.ring.rotation == pytest.approx((0, np.sin(0.75), 0, np.cos(0.75)), abs=1e-4)


def test_space_2_the_arrow_keys_steer_the_ship(play: Play) -> None:
    game = space(play, 2)
    game.run_ticks(60)
    assert game.ship.position == pytest.approx((0, 0, -14), abs=1e-3)
    game.testing.press("right")
    game.testing.press("up")
    game.run_ticks(30)
    assert game.ahead[0] > 0.4
    assert game.ahead[1] > 0.4


def test_space_3_a_rock_breaks_at_the_ship(play: Play) -> None:
    game = space(play, 3)
    count = len(game.rocks)
    game.rocks.position[0] = game.ship.position
    game.run_ticks(1)
    assert len(game.rocks) == count - 1
    assert len(game.sparks) > 0


def test_space_4_the_laser_melts_the_rock_ahead(play: Play) -> None:
    game = space(play, 4)
    game.rocks.clear()
    rock = game.rocks.add(position=(0, 0, -40), scale=3)
    game.testing.press("space")
    game.run_ticks(3)
    assert max(rock.scale) == pytest.approx(3 * 0.94**3)
    assert game.laser_end[2] == pytest.approx(-38.6, abs=0.3)
    game.run_ticks(20)
    assert rock.removed
    game.testing.release("space")
    game.run_ticks(2)
    assert game.laser_end is None


def test_space_5_crystals_hum_until_they_are_collected(play: Play) -> None:
    game = space(play, 5)
    assert len(game.audio.voices) == len(game.crystals) == 5
    first = game.hums[0]
    game.crystals.position[0] = np.add(game.ship.position, (0, 0, -2))
    game.run_ticks(1)
    assert (len(game.crystals), len(game.hums)) == (4, 4)
    game.run_ticks(20)
    assert not first.playing


def test_space_6_the_game_can_be_won_and_lost(play: Play) -> None:
    game = space(play, 6)
    game.crystals.remove(slice(1, None))
    game.blips.remove(slice(1, None))
    game.crystals.position[0] = (10, 4, -30)
    game.testing.press("space")
    for _ in range(600):
        if game.over:
            break
        aim(game, game.crystals.position[0])
        game.run_ticks(1)
    assert game.words.text == "You have all crystals!"
    assert len(game.blips) == 0
    assert game.radar.position[0] == pytest.approx(game.ship.position[0], abs=1)
    assert game.cross.position[1] > 185  # ahead of the ship, above the middle
    lost = space(play, 6)
    for _ in range(5):
        lost.rocks.position[0] = lost.ship.position
        lost.run_ticks(1)
    assert lost.words.text == "The ship is lost"


# -- all steps -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", STEPS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_step_draws_a_picture(path: Path, play: Play) -> None:
    number = steps(path.parent.name).index(path) + 1
    game = play(number, path.parent.name, drawing=True, size=(64, 36))
    game.run_ticks(25)  # menus fade in
    game.advance(1 / 60)
    assert colors_in(game.pixels()) >= 5


@pytest.mark.parametrize("folder", PAGES)
def test_the_last_step_restores_and_runs_the_same_again(folder: str) -> None:
    game_class = class_of(steps(folder)[-1])
    synctest.sync_test(game_class, ticks=40, **OPTIONS[folder])


@pytest.mark.repository
@pytest.mark.parametrize("folder", PAGES)
def test_the_page_shows_the_code_of_each_step(folder: str) -> None:
    page = (ROOT / "docs" / PAGES[folder]).read_text("utf-8")
    assert [match[3] for match in BLOCK.finditer(page)] == [path.name for path in steps(folder)]
    assert with_blocks(page) == page, "run: python tests/tutorials.py"


@pytest.mark.repository
@pytest.mark.parametrize("folder", PAGES)
def test_a_reader_who_makes_all_changes_has_the_last_step(folder: str) -> None:
    first, *later = steps(folder)
    lines = block_of(first).splitlines()[1:-1]
    for path in later:
        for hunk in re.split(r"(?m)^@@.*@@\n", block_of(path))[1:]:
            lines = changed(lines, hunk.removesuffix("```\n").splitlines())
        assert lines == [*"\n".join(lines_of(path)).strip("\n").splitlines()], path.name


def changed(lines: list[str], hunk: list[str]) -> list[str]:
    """Return ``lines`` after the changes of a hunk, whose old lines are in one place only."""
    old = [line[1:] for line in hunk if not line.startswith("+")]
    new = [line[1:] for line in hunk if not line.startswith("-")]
    starts = [n for n in range(len(lines)) if lines[n : n + len(old)] == old]
    assert len(starts) == 1, f"{len(starts)} places for {old}"
    return lines[: starts[0]] + new + lines[starts[0] + len(old) :]


@pytest.mark.repository
def test_the_files_are_plain_and_short() -> None:
    for path in STEPS:
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 200
        assert "lambda" not in text
        assert not re.search(r"\b_\w", text.replace("__", "").replace("x, _, z", "")), path.name


@pytest.mark.repository
def test_each_step_has_a_picture_on_its_page() -> None:
    for folder, page in PAGES.items():
        text = (ROOT / "docs" / page).read_text("utf-8")
        for number in range(1, len(steps(folder)) + 1):
            name = f"{folder}_{number:02}"
            assert f"](pictures/{name}.png)" in text
            assert (ROOT / "docs" / "pictures" / f"{name}.png").exists()
    assert set(SCENES) | {"tutorial_08"} == {
        f"{path.parent.name}_{path.stem[:2]}" for path in STEPS
    }
    assert tuple(sorted(JUMPS)) == JUMPS
