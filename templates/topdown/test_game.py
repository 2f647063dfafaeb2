import numpy as np
import pytest
from game import HEARTS, LEVELS, TopDown, read_level

SIZE = {"size": (320, 180), "resolution": (960, 540)}  # a small picture of the whole screen


def test_the_hero_walks_and_stones_stop_the_hero(play):
    game = play(TopDown, drawing=False, **SIZE)
    x = game.hero.x
    game.testing.press("left")
    game.run_ticks(10)
    assert game.hero.x < x - 15
    game.run_ticks(120)
    assert game.hero.x == pytest.approx(32 + 11)


def test_a_star_is_collected(play):
    game = play(TopDown, drawing=False, **SIZE)
    stars = len(game.stars)
    game.hero.teleport(tuple(game.stars.position[0]))
    game.run_ticks(2)
    assert len(game.stars) == stars - 1


def test_a_slime_follows_the_hero_and_is_scared(play):
    game = play(TopDown, drawing=False, **SIZE)
    game.slimes.position[0] = game.start_point + (120, 0)
    before = game.distances()[0]
    game.run_ticks(20)
    near = game.distances()[0]
    assert near < before
    game.testing.press("space")
    game.run_ticks(20)
    assert game.distances()[0] > near


def test_three_slimes_end_the_game_and_space_begins_again(play):
    game = play(TopDown, drawing=False, **SIZE)
    for lives in range(HEARTS - 1, -1, -1):
        game.safe = 0.0
        game.slimes.position[0] = game.hero.position
        game.run_ticks(1)
        assert game.lives == lives
    game.testing.press("space")
    game.run_ticks(1)
    assert game.lives == HEARTS


def test_all_stars_and_the_crate_lead_to_the_next_level(play):
    game = play(TopDown, drawing=False, **SIZE)
    game.stars.clear()
    game.hero.teleport(tuple(game.goal.position))
    game.run_ticks(1)
    game.testing.press("space")
    game.run_ticks(1)
    assert game.level == 1


@pytest.mark.parametrize("name", LEVELS)
def test_a_level_has_a_start_a_crate_and_stars(name):
    marks = read_level(name)
    assert [np.count_nonzero(marks == mark) for mark in "@G"] == [1, 1]
    assert np.count_nonzero(marks == "*") > 0


def test_the_game_draws_a_picture(play):
    game = play(TopDown, **SIZE)
    game.advance(1 / 60)
    assert len(np.unique(game.pixels().reshape(-1, 4), axis=0)) > 100


def test_the_same_input_gives_the_same_game(sync_test):
    sync_test(TopDown, ticks=30, **SIZE)
