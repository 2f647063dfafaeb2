"""Quality levels of the examples "asteroids" and "tank"."""

import sys

import framework as fw


def choose(game, levels, change):
    """Let the game choose a quality level, and call ``change`` with each new level.

    In a window, the game starts at the lowest level, which is fast enough even without a GPU. After
    a second, the game raises the level if frames take little enough time. Without a window, the
    game uses the highest level. A number on the command line fixes the level.
    """
    chosen = [int(word) for word in sys.argv[1:2] if word.isdecimal()]
    level = (
        min(chosen[0], len(levels) - 1)
        if chosen
        else len(levels) - 1
        if game.display.headless
        else 0
    )
    game.picture.quality = fw.Quality(levels, level=level, target=1 / 45, on_change=change)
    game.picture.quality.automatic = not chosen
    change(game.picture.quality)
