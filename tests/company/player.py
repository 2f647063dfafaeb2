"""Players: random operations on one part of the framework."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import framework as fw

#: The classes of players by name. `Player.__init_subclass__` fills the dictionary.
PLAYERS: dict[str, type[Player]] = {}

# Ranges of Unicode that behave differently in a line of text: combining marks, variation selectors,
# joiners, right-to-left letters, emoji, ideographs, private use, and the last planes.
_RANGES = (
    *((0x20, 0x7E), (0x20, 0x7E), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x590, 0x6FF)),
    *((0x900, 0x97F), (0xE00, 0xE7F), (0x1100, 0x11FF), (0x2000, 0x206F), (0x2600, 0x27BF)),
    *((0x3040, 0x30FF), (0x4E00, 0x4FFF), (0xE000, 0xE0FF), (0xFE00, 0xFE0F), (0xFFF0, 0xFFFD)),
    *((0x1F1E6, 0x1F1FF), (0x1F300, 0x1F6FF), (0x1F3FB, 0x1F3FF), (0xE0000, 0xE01EF)),
    *((0x0, 0x1F), (0x7F, 0x9F), (0x10000, 0x10FFFF)),
)
Order = tuple[int, int]
WORDS = (
    "Score",
    "2 lives",
    "Привет",
    "a\ufe0f",
    "❤️",
    "👨‍👩‍👧",
    "مرحبا",
    "e\u0301",
    "\u202eabc",
    "",
    "\n",
)


class Dice:
    """Random values of the kinds that operations need, from one seed."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self.below = self._random.randrange
        self.between = self._random.uniform
        self.choice = self._random.choice

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def point(self) -> tuple[float, float]:
        """A point on the screen, or a little outside."""
        return self.between(-10, 106), self.between(-10, 74)

    def point3(self) -> tuple[float, float, float]:
        """A point in front of the 3D camera."""
        return self.between(-2, 2), self.between(-2, 2), self.between(-2, 2)

    def color(self) -> tuple[float, float, float, float]:
        return (*(self.between(0, 1) for _ in range(3)), self.choice((1.0, 1.0, 0.5, 0.0)))  # type: ignore[return-value]

    def rgb(self) -> tuple[float, float, float]:
        return self.between(0, 1), self.between(0, 1), self.between(0, 1)

    def turn(self) -> float:
        return self.between(-7, 7)

    def rotation(self) -> NDArray[np.float64]:
        axis = np.array([self.between(-1, 1), self.between(-1, 1), self.between(0.1, 1)])
        return np.asarray(fw.quaternions.from_vectors([axis * self.turn()]), float).reshape(4)

    def image(self) -> NDArray[np.uint8]:
        """A small image with one of a few contents, so that images come again."""
        width, height, kind = self.choice(((4, 4), (7, 3), (8, 8))) + (self.below(3),)
        image = np.full((height, width, 4), 255, np.uint8)
        image[..., :3] = ((255, 80, 40), (60, 200, 255), (250, 250, 90))[kind]
        image[0, 0, 3] = 90
        return image

    def text(self) -> str:
        """Up to 12 characters from all of Unicode except surrogates, or a known difficult text."""
        if self.chance(0.3):
            return self.choice(WORDS)
        letters = []
        for _ in range(self.below(13)):
            low, high = self.choice(_RANGES)
            letters.append(chr(self.below(low, high + 1)))
        return "".join(letters)

    def rows(self, count: int) -> list[int]:
        """Some of ``count`` row numbers, each once and in any order."""
        return self._random.sample(range(count), self.below(count + 1))


class Player:
    """Valid random operations on one part. Methods whose names begin with ``do_`` are operations.

    A player is part of the game's state: snapshots contain it with its `dice`, so that a restored
    game does the same operations again.
    """

    #: The public classes of the framework that the player covers.
    parts: ClassVar[tuple[type, ...]] = ()

    #: Whether `copy` can build the image of the end state in another game. If False, the player's
    #: docstring says why.
    copies: ClassVar[bool] = True

    #: The index of the player in its game.
    number = 0

    #: Whether images depend on earlier images by design. A restored or fresh game then has the same
    #: state, but another image.
    remembers_images: ClassVar[bool] = False

    #: By how much pixels, 0 to 255, may differ in images of the same state.
    rounding: ClassVar[int] = 0

    def __init__(self, game: Any, dice: Dice) -> None:
        self.game = game
        self.dice = dice

    def __init_subclass__(cls) -> None:
        if cls.parts:
            PLAYERS[cls.__name__.lower()] = cls

    def setup(self) -> None:
        """Create the part."""

    def update(self, dt: float) -> None:
        """Called in each tick."""

    def settings(self) -> Any:
        """Return values that are no state, but that the state of the part depends on."""

    def set(self, settings: Any) -> None:
        """Restore the values that `settings` returned."""

    def check(self) -> None:
        """Called after each frame, to check what must always hold."""

    def can_copy(self) -> bool:
        """Whether `copy` can build the part as it is now."""
        return True

    def copy(self, other: Any) -> None:
        """Create the part as it is now in the game ``other``. By default, nothing is drawn."""

    def finish_copy(self, other: Any) -> None:
        """Called when the game ``other`` has run as many ticks as the game."""

    def pieces(self) -> list[tuple[Order, Callable[[Any], None]]]:
        """Return the calls that copy the part. The calls of all players are made in this order."""
        return [(self.order(), self.copy)]

    def order(self, added: int = 0) -> Order:
        """Return when drawables were added: at setup, or in the tick ``added``."""
        return added, self.number

    @classmethod
    def operations(cls) -> list[str]:
        return sorted(name for name in dir(cls) if name.startswith("do_"))

    def act(self) -> str:
        """Do one operation, and return its name."""
        name = self.dice.choice(self.operations())
        operation: Callable[[], object] = getattr(self, name)
        operation()
        return f"{type(self).__name__.lower()}.{name}"
