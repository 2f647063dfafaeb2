import numpy as np
from game import COUNTDOWN, MIDDLE, ROUNDS, TABLE_RADIUS, Duel

import framework as fw

SIZE = {"size": (320, 180), "resolution": (960, 540)}  # a small picture of the whole screen
START = round(COUNTDOWN * 60) + 1  # the first tick of a round in which the pucks can move


def test_each_player_slides_a_puck(play):
    game = play(Duel, drawing=False, **SIZE)
    game.run_ticks(START)
    before = game.pucks.position.copy()
    game.testing.press("up")
    game.testing.press("down", player=1)
    game.run_ticks(20)
    moved = game.pucks.position - before
    assert moved[0, 1] > 10
    assert moved[1, 1] < -10


def test_pucks_bounce_off_each_other(play):
    game = play(Duel, drawing=False, **SIZE)
    game.run_ticks(START)
    game.pucks.velocity[0] = 500, 0
    game.run_ticks(40)
    assert game.pucks.velocity[1, 0] > 100


def test_five_rounds_win_the_match(play):
    game = play(Duel, drawing=False, **SIZE)
    for points in range(1, ROUNDS + 1):
        game.countdown = 0.0
        game.fallen = None
        game.pucks.position[1] = MIDDLE + (TABLE_RADIUS + 10, 0)
        game.run_ticks(1)
        assert game.points == [points, 0]
    game.run_ticks(90)
    assert game.winner == 0


def test_the_game_draws_a_picture(play):
    game = play(Duel, **SIZE)
    game.advance(1 / 60)
    assert len(np.unique(game.pixels().reshape(-1, 4), axis=0)) > 100


def test_two_machines_play_the_same_match():
    slow = fw.Conditions(latency=0.06, jitter=0.02, loss=0.05, seed=3)
    fw.play_match(Duel, 170, conditions=slow, input_delay=1, **SIZE).check()


def test_the_same_input_gives_the_same_game(sync_test):
    sync_test(Duel, ticks=30, **SIZE)
