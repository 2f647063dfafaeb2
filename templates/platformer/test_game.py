import numpy as np
import pytest
from game import LEVELS, Platformer, read_level

SIZE = {"size": (320, 180), "resolution": (960, 540)}  # a small picture of the whole screen


def test_the_hero_runs_and_jumps(play):
    game = play(Platformer, drawing=False, **SIZE)
    game.run_ticks(30)
    x, y = game.hero.position
    game.testing.press("right")
    game.testing.press("space")
    game.run_ticks(15)
    assert game.hero.x > x + 20
    assert game.hero.y > y + 50


def test_a_coin_counts(play):
    game = play(Platformer, drawing=False, **SIZE)
    coins = len(game.coins)
    game.hero.teleport(tuple(game.coins.position[0]))
    game.run_ticks(2)
    assert game.coins_found == 1
    assert len(game.coins) == coins - 1


def test_the_star_leads_to_the_next_level(play):
    game = play(Platformer, drawing=False, **SIZE)
    game.hero.teleport(tuple(game.goal.position))
    game.run_ticks(2)
    assert game.won
    game.testing.press("space")
    game.run_ticks(2)
    assert game.level == 1


def test_water_brings_the_hero_back_to_the_start(play):
    game = play(Platformer, drawing=False, **SIZE)
    row, column = np.argwhere(game.water)[0].tolist()
    game.hero.teleport(game.ground.cell_center((row, column)))
    game.run_ticks(1)
    assert game.hero.position == pytest.approx(tuple(game.start_point))


@pytest.mark.parametrize("name", LEVELS)
def test_a_level_has_a_start_and_a_star(name):
    marks = read_level(name)
    assert np.count_nonzero(marks == "@") == 1
    assert np.count_nonzero(marks == "*") == 1


def test_the_game_draws_a_picture(play):
    game = play(Platformer, **SIZE)
    game.advance(1 / 60)
    assert len(np.unique(game.pixels().reshape(-1, 4), axis=0)) > 100


def test_the_same_input_gives_the_same_game(sync_test):
    sync_test(Platformer, ticks=30, **SIZE)
