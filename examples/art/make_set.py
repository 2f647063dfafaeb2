"""The built-in pixel art: draws all images, and writes `framework/art_files`: ``python make_set.py``.

The images are packed into pages (PNG). The file `index.json` contains where the images are, the
clips, and the rules of the tiles. All images are in the public domain (CC0).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import make_backgrounds
import make_characters
import make_icons
import make_items
import make_platformer
import make_topdown
import make_vehicles
import numpy as np
from PIL import Image
from pixels import Pixels

HERE = Path(__file__).parent
OUTPUT = HERE.parent.parent / "framework" / "art_files"
WIDTH = 256  # size of a page

# How each clip of a character plays: images per second, and whether the clip repeats.
RATES = {
    "idle": (6, True),
    "walk": (10, True),
    "fly": (10, True),
    "jump": (10, False),
    "fall": (8, True),
    "hurt": (10, False),
    "flat": (10, False),
    "climb": (8, True),
}


class Page:
    """An image into which smaller images are packed, row by row."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._placed: dict[bytes, tuple[int, int]] = {}
        self._images: list[tuple[Pixels, int, int]] = []
        self._x = self._y = self._row = 0

    def add(self, image: Pixels) -> tuple[int, int]:
        """Add an image, and return the position of its left and top edge. An image that is already
        in the page is not added again.
        """
        key = repr(image.shape).encode() + image.tobytes()
        if key not in self._placed:
            height, width = image.shape[:2]
            if self._x + width > WIDTH:
                self._x, self._y, self._row = 0, self._y + self._row, 0
            self._placed[key] = self._x, self._y
            self._images.append((image, self._x, self._y))
            self._x += width
            self._row = max(self._row, height)
        return self._placed[key]

    def save(self) -> None:
        page = np.zeros((self._y + self._row, WIDTH, 4), np.uint8)
        for image, x, y in self._images:
            page[y : y + image.shape[0], x : x + image.shape[1]] = image
        save(page, OUTPUT / f"{self.name}.png")


def save(page: Pixels, path: Path) -> None:
    """Save an image with up to 255 colors as a PNG with a palette."""
    flat = page.reshape(-1, 4).copy()
    flat[flat[:, 3] == 0] = 0
    colors, indices = np.unique(flat, axis=0, return_inverse=True)
    image = Image.fromarray(indices.reshape(page.shape[:2]).astype(np.uint8), "P")
    image.putpalette(colors[:, :3].tobytes())
    image.save(path, optimize=True, transparency=bytes(colors[:, 3].tolist()))


def pictures(page: Page, images: Sequence[Pixels]) -> dict[str, Any]:
    """Return the entry of some images of the same size."""
    height, width = images[0].shape[:2]
    return {
        "page": page.name,
        "size": [width, height],
        "places": [list(page.add(image)) for image in images],
    }


def animated(
    page: Page, clips: Mapping[str, tuple[Sequence[Pixels], float, bool]]
) -> dict[str, Any]:
    """Return the entry of images with clips. Each clip is its images, its rate, and whether the
    clip repeats.
    """
    distinct: list[Pixels] = []
    numbers: dict[bytes, int] = {}
    entries = {}
    for name, (images, rate, loop) in clips.items():
        for image in images:
            if image.tobytes() not in numbers:
                numbers[image.tobytes()] = len(distinct)
                distinct.append(image)
        frames = [numbers[image.tobytes()] for image in images]
        entries[name] = {"frames": frames, "rate": rate, "loop": loop}
    return {**pictures(page, distinct), "clips": entries}


def characters() -> dict[str, Any]:
    page = Page("characters")
    result = {}
    drawn = make_characters.heroes() | make_characters.enemies() | make_characters.people()
    for name, clips in drawn.items():
        result[name] = animated(
            page,
            {clip: (images, *RATES[clip.partition("_")[0]]) for clip, images in clips.items()},
        )
    page.save()
    return result


def items() -> dict[str, Any]:
    page = Page("items")
    result = {}
    for name, (images, rate) in make_items.items().items():
        if name == "chest":
            result[name] = animated(
                page, {"closed": (images[:1], 1, False), "open": (images[1:], 1, False)}
            )
        elif len(images) > 1:
            result[name] = animated(page, {"idle": (images, rate, True)})
        else:
            result[name] = pictures(page, images)
    page.save()
    return result


def icons() -> dict[str, Any]:
    page = Page("icons")
    result = {name: pictures(page, [image]) for name, image in make_icons.icons().items()}
    page.save()
    return result


def vehicles() -> dict[str, Any]:
    page = Page("vehicles")
    result = {}
    for name, images in make_vehicles.vehicles().items():
        if len(images) > 1:
            result[name] = animated(page, {"idle": (images, 10, True)})
        else:
            result[name] = pictures(page, images)
    page.save()
    return result


def particles() -> dict[str, Any]:
    page = Page("particles")
    result = {}
    for name, (images, rate, loop) in make_vehicles.particles().items():
        if len(images) > 1:
            result[name] = animated(page, {"idle": (images, rate, loop)})
        else:
            result[name] = pictures(page, images)
    page.save()
    return result


def backgrounds() -> dict[str, Any]:
    """Each background is one page, with its layers below each other."""
    result = {}
    for name, layers in make_backgrounds.backgrounds().items():
        save(np.concatenate(layers), OUTPUT / f"{name}.png")
        height, width = layers[0].shape[:2]
        places = [[0, index * height] for index in range(len(layers))]
        result[name] = {"page": name, "size": [width, height], "places": places, "layers": True}
    return result


class Tiles:
    """The tiles of a tile set. Tile numbers start at 1."""

    def __init__(self) -> None:
        self.images: list[Pixels] = []
        self.names: dict[str, int] = {}
        self.animations: dict[int, list[list[float]]] = {}
        self.slopes: dict[int, list[float]] = {}
        self.terrains: dict[str, dict[str, Any]] = {}
        self.solid: list[int] = []

    def add(self, image: Pixels) -> int:
        self.images.append(image)
        return len(self.images)

    def add_named(self, name: str, images: Sequence[Pixels], seconds: float) -> None:
        numbers = [self.add(image) for image in images]
        self.names[name] = numbers[0]
        if len(images) > 1:
            self.animations[numbers[0]] = [[number, seconds] for number in numbers]

    def entry(self, name: str, one_way: Sequence[str], solid: Sequence[str]) -> dict[str, Any]:
        columns = WIDTH // 16
        rows = -(-len(self.images) // columns)
        page = np.zeros((rows * 16, WIDTH, 4), np.uint8)
        for index, image in enumerate(self.images):
            row, column = divmod(index, columns)
            page[row * 16 : row * 16 + 16, column * 16 : column * 16 + 16] = image
        save(page, OUTPUT / f"{name}.png")
        return {
            "page": name,
            "names": self.names,
            "solid": sorted([*self.solid, *(self.names[tile] for tile in solid)]),
            "one_way": sorted(self.names[tile] for tile in one_way),
            "slopes": self.slopes,
            "animations": self.animations,
            "terrains": self.terrains,
        }

    def runs(self, terrains: Mapping[str, Mapping[str, str]]) -> None:
        """Add terrains whose tiles depend on the edges: rows and columns of tiles."""
        for name, tiles in terrains.items():
            self.terrains[name] = {
                "kind": "edge",
                "tiles": [self.names[tile] for tile in tiles],
                "sides": [
                    f"{edges[0]}0{edges[1]}0{edges[2]}0{edges[3]}0" for edges in tiles.values()
                ],
            }

    def add_terrains(self, rules: Mapping[str, Any], solid: Sequence[str]) -> None:
        """Add terrains with a tile for each combination of neighbors."""
        combinations = make_platformer.combinations()
        for name, rule in rules.items():
            numbers = [
                self.add(make_platformer.terrain_tile(sides, rule)) for sides in combinations
            ]
            self.names[name] = numbers[0]
            if name in solid:
                self.solid += numbers
            self.terrains[name] = {
                "kind": "mixed",
                "tiles": numbers,
                "sides": ["".join(map(str, sides)) for sides in combinations],
            }


def platformer() -> dict[str, Any]:
    tiles = Tiles()
    tiles.add_terrains(make_platformer.TERRAINS, [*make_platformer.TERRAINS])
    for name in make_platformer.TERRAINS:
        for slope, heights in make_platformer.SLOPES.items():
            number = tiles.add(make_platformer.slope(name, heights))
            tiles.names[f"{name} {slope}"] = number
            tiles.slopes[number] = list(heights)
    for name, images in make_platformer.tiles().items():
        tiles.add_named(name, images, 0.2)
    tiles.runs(make_platformer.RUNS)
    return tiles.entry("platformer", make_platformer.ONE_WAY, make_platformer.SOLID)


def topdown() -> dict[str, Any]:
    tiles = Tiles()
    tiles.add_terrains(make_topdown.TERRAINS, make_topdown.SOLID_TERRAINS)
    for name, images in make_topdown.tiles().items():
        tiles.add_named(name, images, 0.6)
    tiles.runs(make_topdown.RUNS)
    entry = tiles.entry("topdown", (), make_topdown.SOLID)
    fences = [name for name in tiles.names if name.startswith("fence ")]
    for name in fences:  # the terrain chooses among them
        number = entry["names"].pop(name)
        entry["names"].setdefault("fence", number)
    return entry


def main() -> None:
    OUTPUT.mkdir(exist_ok=True)
    index = {
        "characters": characters(),
        "items": items(),
        "icons": icons(),
        "vehicles": vehicles(),
        "particles": particles(),
        "backgrounds": backgrounds(),
        "tiles": {"platformer": platformer(), "topdown": topdown()},
    }
    text = json.dumps(index, separators=(",", ":"))
    (OUTPUT / "index.json").write_text(text.replace('},"', '},\n"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
