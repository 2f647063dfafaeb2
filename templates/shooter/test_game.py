import numpy as np
from game import HEARTS, HEIGHT, SAUCER, WIDTH, Shooter

SIZE = {"size": (180, 240), "resolution": (WIDTH, HEIGHT)}  # a small picture of the whole screen


def test_the_ship_flies_and_stays_on_the_screen(play):
    game = play(Shooter, drawing=False, **SIZE)
    x = game.ship.x
    game.testing.press("left")
    game.run_ticks(15)
    assert game.ship.x < x - 50
    game.run_ticks(120)
    assert game.ship.x == 30


def test_two_hits_destroy_a_saucer(play):
    game = play(Shooter, drawing=False, **SIZE)
    game.enemies.add(SAUCER, position=(WIDTH / 2, 250), hits=2)
    game.testing.press("space")
    game.run_ticks(30)
    assert len(game.enemies) == 0
    assert game.score == 25


def test_waves_come(play):
    game = play(Shooter, drawing=False, **SIZE)
    game.run_ticks(60 * 4)
    assert len(game.enemies) > 0


def test_the_best_score_is_saved(play):
    game = play(Shooter, drawing=False, **SIZE)
    game.score = 120
    for lives in range(HEARTS - 1, -1, -1):
        game.safe = 0.0
        game.enemies.add(position=tuple(game.ship.position))
        game.run_ticks(1)
        assert game.lives == lives
    assert game.over
    assert game.best == 120
    assert game.saves.exists("best")


def test_the_game_draws_a_picture(play):
    game = play(Shooter, **SIZE)
    game.run(5)
    assert len(np.unique(game.pixels().reshape(-1, 4), axis=0)) > 100


def test_the_same_input_gives_the_same_game(sync_test):
    sync_test(Shooter, ticks=30, **SIZE)
