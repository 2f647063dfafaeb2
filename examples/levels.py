"""What the examples "asteroids" and "tank" share: levels of quality, of which the game chooses one
that plays.
"""

import sys

import framework as fw


def choose(game, levels, change):
    """Have the governor choose one, the cheapest first, and call ``change`` with it.

    In a window it begins with the cheapest, which plays without a GPU too, and a second later goes
    on to the next as long as there is time for it. Off screen it is the best. A number on the
    command line chooses one for good.
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
