import numpy as np
import pytest
from game import RINGS, Flight

SIZE = {"size": (320, 180), "resolution": (960, 540)}  # a small picture of the whole screen


def test_the_plane_flies_and_turns(play):
    game = play(Flight, drawing=False, **SIZE)
    before = np.array(game.plane.position)
    yaw = game.yaw
    game.testing.press("left")
    game.run_ticks(30)
    assert np.linalg.norm(game.plane.position - before) > 10
    assert game.yaw > yaw


def test_the_ground_brings_the_plane_back(play):
    game = play(Flight, drawing=False, **SIZE)
    start = np.array(game.plane.position)
    game.run_ticks(10)
    game.plane.teleport((0, 0, 0))
    game.run_ticks(1)
    assert game.plane.position == pytest.approx(tuple(start))


def test_all_rings_end_the_flight_and_the_best_time_is_saved(play):
    game = play(Flight, drawing=False, **SIZE)
    game.testing.press("up")
    for ring in range(RINGS):
        assert game.next_ring == ring
        game.plane.teleport(tuple(game.course[ring]))
        game.run_ticks(1)
    assert game.over
    assert game.best == pytest.approx(RINGS / 60)
    assert game.saves.exists("best")


def test_every_ring_is_above_the_ground(play):
    game = play(Flight, drawing=False, **SIZE)
    assert (game.course[:, 1] - game.island.height_at(game.course) > 7).all()


def test_the_game_draws_a_picture(play):
    game = play(Flight, **SIZE)
    game.advance(1 / 60)
    assert len(np.unique(game.pixels().reshape(-1, 4), axis=0)) > 1000


def test_the_same_input_gives_the_same_game(sync_test):
    sync_test(Flight, ticks=30, **SIZE)
