"""Tile sets whose tiles and terrains have names, such as `fw.art.platformer`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..assets.images import ImageSource
from .autotile import autotile
from .map_data import WangSet
from .tilelayer import TileSet
from .tilesets import Numbers

_MAX_CELLS = 1 << 22  # maximum number of cells in a text


class TileKit(TileSet):
    """A `TileSet` with names for its tiles and terrains.

    ``fw.art.platformer`` and ``fw.art.topdown`` are tile kits. The method `from_text` converts a
    level that is written as text to tile numbers.

        kit = fw.art.platformer
        tiles = kit.from_text(["   ", " ^ ", "###"], {"#": "grass", "^": "spikes"})
        self.level = self.add(fw.TileLayer(kit, tiles))
    """

    __slots__ = ("_names", "_terrains", "label")

    def __init__(self, label: str, image: ImageSource, entry: Mapping[str, Any]) -> None:
        """``entry`` is the data of the tile set in the index file of the built-in art."""
        super().__init__(
            image,
            (16, 16),
            solid=entry["solid"],
            one_way=entry["one_way"],
            animations={
                int(number): [(frame, seconds) for frame, seconds in frames]
                for number, frames in entry["animations"].items()
            },
        )
        self._sets.sets[0].slopes = {
            int(number) - 1: (left, right) for number, (left, right) in entry["slopes"].items()
        }
        self.label = label
        """The name of the tile set, for error messages."""
        self._names: Mapping[str, int] = entry["names"]
        self._terrains = {name: _wang_set(name, rule) for name, rule in entry["terrains"].items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tiles."""
        return tuple(self._names)

    @property
    def terrains(self) -> tuple[str, ...]:
        """The names of the terrains, for the method `autotile`."""
        return tuple(self._terrains)

    def __getitem__(self, name: str) -> int:
        """Return the number of the tile with this name: ``kit["spikes"]``.

        Raises a `KeyError` that suggests similar names if no tile has this name.
        """
        name = checks.text("name", name)
        if name not in self._names:
            raise KeyError(self._no("tile", name, self._names))
        return self._names[name]

    def autotile(self, mask: ArrayLike, name: str) -> Numbers:
        """Choose a tile for each cell of a terrain by the neighboring cells. Return the tile
        numbers: a uint32 array of shape (h, w).

        ``mask`` is an array of bools (h, w), row 0 at the top. A cell is True if it belongs to the
        terrain. All other cells get the tile number 0 (no tile). Cells outside the mask are treated
        like the nearest cell inside. Raises a `KeyError` that suggests similar names if no terrain
        has this name.
        """
        name = checks.text("name", name)
        if name not in self._terrains:
            raise KeyError(self._no("terrain", name, self._terrains))
        return autotile(mask, self._terrains[name])

    def from_text(self, rows: str | Sequence[str], legend: Mapping[str, str]) -> Numbers:
        """Return the tile numbers of a level that is written as text: a uint32 array of shape (h,
        w).

        Parameters
        ----------
        rows
            The rows of the level from the top, or one string with line breaks. Each character is
            one cell of the level. If a row is shorter than the longest row, empty cells are added
            on its right.
        legend
            A dict from characters to the names of terrains or tiles. A key with several characters,
            as in ``{".@o": "floor"}``, contains the name for each of them. A character that is not
            in ``legend`` is an empty cell. So ``rows`` can also contain characters for the objects of
            your game. Each cell of a terrain gets the tile that fits its neighbors. A slope next to
            a terrain counts as a cell of this terrain.

        Raises a `KeyError` that suggests similar names if ``legend`` contains an unknown name.
        """
        characters = _characters(rows)
        names = _names_by_character(legend)
        numbers: Numbers = np.zeros(characters.shape, np.uint32)
        for character, name in names.items():
            cells = characters == character
            if name not in self._terrains:
                numbers[cells] = self[name]
                continue
            similar = [
                letter
                for letter, label in names.items()
                if label == name or (label.startswith(f"{name} ") and label not in self._terrains)
            ]
            mask = np.isin(characters, similar)
            numbers[cells] = self.autotile(mask, name)[cells]
        return numbers

    def _no(self, kind: str, name: str, options: Mapping[str, object]) -> str:
        return (
            f"fw.art.{self.label} has no {kind} {name!r}; did you mean "
            f"{checks.nearest(name, options)}? It has {checks.listed(options)}"
        )

    def __repr__(self) -> str:
        return f"<TileKit fw.art.{self.label}: {len(self._names)} names of tiles>"


def _characters(rows: str | Sequence[str]) -> NDArray[np.str_]:
    """Return the characters of a level as an array (h, w), with spaces after short rows."""
    if isinstance(rows, str):
        lines: list[Any] = rows.strip("\n").split("\n")
    else:
        lines = checks.items("rows", rows)
    texts = [checks.text(f"rows[{index}]", line) for index, line in enumerate(lines)]
    width = max((len(text) for text in texts), default=0)
    if not 0 < len(texts) * width <= _MAX_CELLS:
        raise checks.wrong_value("rows", f"1 to {_MAX_CELLS:,} cells of text", rows)
    return np.array([[*text.ljust(width)] for text in texts])


def _names_by_character(legend: Mapping[str, str]) -> dict[str, str]:
    """Return a dict from each single character in the keys of ``legend`` to its name."""
    names: dict[str, str] = {}
    checked = checks.named("legend", legend, "the names of terrains and tiles by characters")
    for key, value in checked.items():
        name = checks.text(f"legend[{key!r}]", value)
        if not key:
            raise checks.wrong_value("legend", "keys of at least one character", key)
        for character in key:
            if names.setdefault(character, name) != name:
                raise ValueError(
                    f"legend: the character {character!r} has two names, "
                    f"{names[character]!r} and {name!r}"
                )
    return names


def _wang_set(name: str, rule: Mapping[str, Any]) -> WangSet:
    sides = [[int(side) for side in text] for text in rule["sides"]]
    ids = np.array(rule["tiles"], np.int64) - 1
    return WangSet(name, rule["kind"], [name], ids, np.array(sides, np.uint8))
