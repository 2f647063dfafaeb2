"""The game that runs any set of players, and the attributes that a looker reads."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from typing import Any

import framework as fw

from .player import PLAYERS, Dice, Player

SIZE = (96, 64)

# Calls that only read: each with arguments that are valid for every object that has the method.
_ALPHA = (0.4,)
_READING_CALLS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        ("pose", "drawn_position", "drawn_rotation", "drawn_matrix", "model_matrices"), _ALPHA
    ),
    **dict.fromkeys(("world_matrices", "world_pose", "visible_bounds", "shown_images"), _ALPHA),
    **dict.fromkeys(("view_projection", "projection", "view_matrix"), _ALPHA),
    **dict.fromkeys(("screen_to_world", "world_to_screen"), ((3.0, 4.0), 0.4)),
    **dict.fromkeys(("debug_lines", "bindings", "conflicts", "ended"), ()),
    "at": (((3.0, 4.0),),),
    "measure": ("Words",),
    "world_to_cell": ((3.0, 4.0),),
    "cell_center": ((1, 1),),
    "playing": ("walk",),
    "tagged": ("a",),
    "index_at": ((3.0, 4.0),),
    "caret_point": (0,),
    "raycast": ((1.0, 1.0), (30.0, 30.0)),
    "query_point": ((10.0, 10.0),),
    "query_area": ((0.0, 0.0), (50.0, 50.0)),
}

# Attributes whose reading has an effect by design, or that belong to the machine, not to the game.
_UNREAD = {"ctx", "graphics", "window", "buffers", "pyglet_drawing", "space"}


def names_to_read(kind: type) -> tuple[str, ...]:
    """Return the public attributes and reading calls of a class."""
    return tuple(
        name
        for name in dir(kind)
        if not name.startswith("_")
        and name not in _UNREAD
        and (
            name in _READING_CALLS
            or (
                not callable(inspect.getattr_static(kind, name))
                and not isinstance(inspect.getattr_static(kind, name), (classmethod, staticmethod))
            )
        )
    )


class Looker:
    """Reads every public attribute of an object, and of the framework's objects that it returns."""

    not_state = True

    def __init__(self, deepest: int = 3) -> None:
        self.deepest = deepest
        self.names: dict[type, tuple[str, ...]] = {}

    def look(self, *roots: object) -> int:
        """Read everything that is reachable from ``roots``. Return the number of values."""
        seen: dict[int, object] = {}
        level: list[object] = [*roots]
        count = 0
        for _ in range(self.deepest):
            following: list[object] = []
            for value in level:
                if id(value) not in seen and type(value).__module__.startswith("framework."):
                    seen[id(value)] = value
                    for part in self.read(value):
                        count += 1
                        following += part if isinstance(part, (list, tuple)) else [part]
            level = following
        return count

    def read(self, value: object) -> Iterator[object]:
        kind = type(value)
        names = self.names.get(kind)
        if names is None:
            names = self.names[kind] = names_to_read(kind)
        if getattr(value, "removed", False) is True or getattr(value, "over", False) is True:
            return
        for name in names:
            try:
                part = getattr(value, name)
                if callable(part) and name in _READING_CALLS:
                    part = part(*_READING_CALLS[name])
            except (AttributeError, ValueError, TypeError, IndexError, fw.FrameworkError):
                continue  # the object has no such value now
            yield part
            if hasattr(part, "__array__"):
                part.__array__()
        if hasattr(value, "__len__") and hasattr(value, "__iter__"):
            yield from itertools.islice(value, 20)  # type: ignore[call-overload]
        repr(value)


class Company(fw.Game):
    """A game with one player for each name in ``names``. Each tick does one operation."""

    not_state = ("log", "looker")
    escape_closes = False

    def __init__(
        self, names: tuple[str, ...], seed: int, *, look: bool = False, **options: Any
    ) -> None:
        self.names = names
        self.company_seed = seed
        self.looker = Looker() if look else None
        self.log: list[str] = []
        super().__init__(
            size=SIZE, headless=True, seed=seed, frame_stats=False, escape_closes=False, **options
        )

    def setup(self) -> None:
        self.dice = Dice(f"{self.company_seed} game")
        self.company: list[Player] = []
        self.updates = 0
        self.recipes: list[Any] = []  # of widgets, see interface.py
        self.styles: list[Any] = []
        self.above: list[fw.Scene] = []  # the scenes over the game, from the bottom
        for number, name in enumerate(self.names):
            player = PLAYERS[name](self, Dice(f"{self.company_seed} {name} {number}"))
            player.number = number
            player.setup()
            self.company.append(player)

    def push(self, scene: fw.Scene, **options: Any) -> None:
        super().push(scene, **options)
        self.above = [*self.above, scene]

    def pop(self, **options: Any) -> None:
        super().pop(**options)
        self.above = self.above[:-1]

    def update(self, dt: float) -> None:
        self.updates += 1
        for player in self.company:
            player.update(dt)
        self.log.append(f"{self.tick}: {self.dice.choice(self.company).act()}")

    def draw(self, alpha: float) -> None:
        if self.looker is not None:
            self.looker.look(self, *itertools.chain(*map(parts_of, self.company)))


def parts_of(player: Player) -> list[object]:
    """Return the framework's objects among the attributes of a player."""
    values: list[object] = []
    for value in vars(player).values():
        values += value if isinstance(value, (list, tuple)) else [value]
    return values
