"""Company: random operations on any set of the framework's parts, in one game.

Each part that a game or scene can contain has a *player*: a class with valid random operations on
the part. `company.case.play` runs a game with any set of players and checks every operation.

    python -m tests.company --seconds 120 --seed 1       # as many random pairs as fit
    python -m tests.company --all --operations 300       # every pair of players
    python -m tests.company sprites bodies --seed 7      # one case again
"""

from . import interface, plane, rest, space
from .case import Case, Failure, play, problem
from .player import PLAYERS, Player

__all__ = [
    "PLAYERS",
    "Case",
    "Failure",
    "Player",
    "interface",
    "plane",
    "play",
    "problem",
    "rest",
    "space",
]
