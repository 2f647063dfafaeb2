import numpy as np
from game import CHART_HEIGHT, Meadow

SIZE = {"size": (320, 180), "resolution": (960, 540)}  # a small picture of the whole screen


def test_rabbits_starve_without_grass(play):
    game = play(Meadow, drawing=False, **SIZE)
    game.foxes.clear()
    game.growth = 0.0
    game.grass[:] = 0.0
    game.speed = 8
    game.hunger = 3
    game.run_ticks(30)
    assert len(game.rabbits) < 10  # visitors


def test_a_fox_catches_a_rabbit(play):
    game = play(Meadow, drawing=False, **SIZE)
    game.foxes.clear()
    game.rabbits.remove(np.arange(1, len(game.rabbits)))
    game.add_animals(game.foxes, game.rabbits.position + (20, 0))
    game.run_ticks(60)
    assert len(game.rabbits) == 0
    assert len(game.foxes) == 1


def test_rabbits_and_foxes_live_for_a_while(play):
    game = play(Meadow, drawing=False, **SIZE)
    game.speed = 8
    game.run_ticks(30)
    assert len(game.rabbits) > 20
    assert len(game.foxes) > 2


def test_a_click_adds_a_fox(play):
    game = play(Meadow, drawing=False, **SIZE)
    foxes = len(game.foxes)
    game.testing.click(300, CHART_HEIGHT + 100)
    game.run_ticks(1)
    assert len(game.foxes) == foxes + 1


def test_the_game_draws_a_picture(play):
    game = play(Meadow, **SIZE)
    game.advance(1 / 60)
    assert len(np.unique(game.pixels().reshape(-1, 4), axis=0)) > 100


def test_the_same_input_gives_the_same_game(sync_test):
    sync_test(Meadow, ticks=30, **SIZE)
