"""Tiles: draws the tiles in this folder and writes the map of the valley: ``python make_tiles.py``.

All images are in the public domain (CC0). Tiles are 16 x 16 pixels, drawn from noise and a few
shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image, ImageColor

HERE = Path(__file__).parent
SIDE, COLUMNS = 16, 8

GRASS, LEAF, PINE, EARTH, BARK, CLAY = (
    "#a8d66b",
    "#6fb257",
    "#2f7262",
    "#8a5a44",
    "#5f3d33",
    "#b57a52",
)
STONE, SLATE, INK, WATER, FOAM = "#a7a3c4", "#6b688f", "#3a3658", "#3f8fd0", "#d7f3ff"
AMBER, CREAM, CORAL, PLUM = "#ffc666", "#fff4dc", "#ff7d5e", "#8a4b7c"

x, y = np.meshgrid(np.arange(SIDE), np.arange(SIDE))
grain = np.random.default_rng(7).random((8, SIDE, SIDE))

Tile = np.ndarray


def blank() -> Tile:
    return np.zeros((SIDE, SIDE, 4), np.uint8)


def paint(tile: Tile, where: np.ndarray, color: str) -> Tile:
    """Set the color of the pixels in the mask ``where``."""
    tile[where] = (*ImageColor.getrgb(color), 255)
    return tile


def ground(surface: np.ndarray | None = None, seed: int = 0) -> Tile:
    """Return a tile of earth with pebbles, and grass at the top. ``surface`` (16,) has the topmost
    row of each column.
    """
    top = np.full(SIDE, -9) if surface is None else surface
    tile, below = blank(), y - top[None, :]
    paint(tile, below >= 0, EARTH)
    paint(tile, (below >= 0) & (grain[seed] > 0.86), BARK)
    paint(tile, (below >= 0) & (grain[seed] < 0.1), CLAY)
    if surface is not None:
        paint(tile, (below >= 0) & (below < 4 + (grain[seed][0] > 0.5)[None, :] * 2), LEAF)
        paint(tile, (below >= 0) & (below < 2), GRASS)
    return tile


def brick() -> Tile:
    tile = paint(blank(), y >= 0, STONE)
    paint(tile, grain[2] > 0.8, "#9792b6")
    shift = np.where(y // 8 % 2, 4, 0)
    return paint(tile, (y % 8 == 7) | ((x + shift) % 8 == 7), SLATE)


def plank() -> Tile:
    tile = paint(blank(), y < 5, CLAY)
    paint(tile, (y < 5) & (x % 8 == 7), BARK)
    return paint(paint(tile, y == 0, AMBER), (y == 5) & (x % 8 < 2), BARK)


def crate() -> Tile:
    tile = paint(blank(), y >= 0, CLAY)
    paint(tile, (x == y) | (x == 15 - y) | (x - y == 1), EARTH)
    return paint(tile, (x < 2) | (x > 13) | (y < 2) | (y > 13), BARK)


def ladder() -> Tile:
    tile = paint(blank(), (y % 5 == 2) & (x > 1) & (x < 14), CLAY)
    return paint(tile, (x == 2) | (x == 3) | (x == 12) | (x == 13), BARK)


def spikes() -> Tile:
    height = 12 - 3 * np.abs(x % 6 - 2)
    return paint(paint(blank(), 15 - y < height, STONE), (15 - y < height) & (x % 6 > 2), SLATE)


def water(frame: int, deep: bool) -> Tile:
    tile = paint(blank(), y >= 0, WATER)
    wave = 2 + np.round(1.3 * np.sin((x + 4 * frame) * 2 * np.pi / 16)).astype(int)
    if not deep:
        tile[y < wave] = 0
        paint(tile, (y >= wave) & (y < wave + 2), FOAM)
    paint(tile, (grain[3] > 0.93) & (y > 5), "#5fa8e0")
    tile[..., 3] = np.where(tile[..., 3] > 0, 215, 0)
    return tile


def coin(frame: int) -> Tile:
    half = (5, 3.6, 1.4, 3.6)[frame]
    far = ((x - 7.5) / half) ** 2 + ((y - 7.5) / 5.5) ** 2
    tile = paint(paint(blank(), far <= 1, AMBER), (far <= 1) & (x > 7.5 + half * 0.45), CORAL)
    return paint(tile, (far <= 1) & (x < 7.5 - half * 0.4) & (y < 8), CREAM)


def tuft(colors: tuple[str, ...], seed: int) -> Tile:
    tile, rng = blank(), np.random.default_rng(seed)
    for stem in range(2, 15, 2):
        height = int(rng.integers(3, 8))
        paint(tile, (x == stem) & (15 - y < height), LEAF if stem % 4 else PINE)
        if colors and rng.random() < 0.6:
            paint(
                tile,
                (np.abs(x - stem) + np.abs(15 - y - height) <= 1),
                colors[int(rng.integers(len(colors)))],
            )
    return tile


def trunk() -> Tile:
    tile = paint(blank(), (x > 4) & (x < 11), BARK)
    return paint(tile, (x > 5) & (x < 8) & (grain[4] > 0.3), EARTH)


def crown(row: int, column: int) -> Tile:
    """Return one of 2 x 3 tiles of a treetop."""
    across, down = x + SIDE * column - 23.5, y + SIDE * row - 16
    far = (across / 22) ** 2 + (down / 15) ** 2 + 0.25 * (grain[5 + row] - 0.5)
    tile = paint(blank(), far < 1, PINE)
    return paint(tile, (far < 0.75) & (across + down < 5 + 9 * grain[6]), LEAF)


def sign() -> Tile:
    tile = paint(blank(), (x > 6) & (x < 9) & (y > 6), BARK)
    paint(tile, (y > 1) & (y < 10) & (x > 1) & (x < 14 - np.abs(y - 5) // 2 + 1), CLAY)
    return paint(tile, ((y == 4) | (y == 7)) & (x > 3) & (x < 11), BARK)


def cloud(column: int) -> Tile:
    across = x + SIDE * column - 15.5
    far = np.minimum(
        (across / 15) ** 2 + ((y - 11) / 4.5) ** 2, (across / 8) ** 2 + ((y - 8) / 6) ** 2
    )
    return paint(paint(blank(), far < 1, "#c9dcf5"), (far < 0.8) & (y < 11), CREAM)


level, rise = np.zeros(SIDE, int), 15 - np.arange(SIDE)
NAMES: dict[str, Callable[[], Tile]] = {
    "grass": lambda: ground(level),
    "earth": ground,
    "brick": brick,
    "slope": lambda: ground(rise),
    "plank": plank,
    "crate": crate,
    "ladder": ladder,
    "spikes": spikes,
    "water": lambda: water(0, False),
    "water 2": lambda: water(1, False),
    "water 3": lambda: water(2, False),
    "water 4": lambda: water(3, False),
    "deep": lambda: water(0, True),
    "earth 2": lambda: ground(None, 1),
    "grass 2": lambda: ground(level, 1),
    "sign": sign,
    "coin": lambda: coin(0),
    "coin 2": lambda: coin(1),
    "coin 3": lambda: coin(2),
    "coin 4": lambda: coin(3),
    "tuft": lambda: tuft((), 1),
    "flowers": lambda: tuft((CORAL, CREAM, AMBER), 2),
    "flowers 2": lambda: tuft((PLUM, CREAM), 3),
    "trunk": trunk,
    **{
        f"crown {part // 3}{part % 3}": lambda part=part: crown(part // 3, part % 3)
        for part in range(6)
    },
    "cloud": lambda: cloud(0),
    "cloud 2": lambda: cloud(1),
}


def tiles() -> Image.Image:
    """Return all tiles, eight in a row."""
    rows = -(-len(NAMES) // COLUMNS)
    sheet = np.zeros((rows * SIDE, COLUMNS * SIDE, 4), np.uint8)
    for place, draw in enumerate(NAMES.values()):
        row, column = divmod(place, COLUMNS)
        sheet[row * SIDE : (row + 1) * SIDE, column * SIDE : (column + 1) * SIDE] = draw()
    return Image.fromarray(sheet)


def hills(seed: int, color: str, height: int) -> Image.Image:
    """Return hills that repeat seamlessly from side to side."""
    across = np.arange(256) * 2 * np.pi / 256
    rng = np.random.default_rng(seed)
    line = sum(
        rng.uniform(0.3, 1) / n * np.sin(n * across + rng.uniform(0, 6)) for n in (1, 2, 3, 5)
    )
    line = (line - line.min()) / (line.max() - line.min())
    far, down = np.meshgrid(line, np.arange(height))
    picture = np.zeros((height, 256, 4), np.uint8)
    red, green, blue = ImageColor.getrgb(color)
    light = np.where(down < height - far * height * 0.8 + 2, 1.12, 1.0)
    for channel, value in enumerate((red, green, blue)):
        picture[..., channel] = np.minimum(255, value * light)
    picture[..., 3] = np.where(down >= (1 - far) * height * 0.8, 255, 0)
    return Image.fromarray(picture)


# -- the map ---------------------------------------------------------------------------------------

MAP = """
................................................................................................
.........cC...............................cC.............................cC.....................
...................cC.........................................................cC................
.......................................................cC...........................cC..........
................................................................................................
............................$.$.$......................................$.$.$....................
...........................=======....................................=======...................
....................................$...........................................................
......................$............===..............................===.........................
.....................BBB................$....................$...........................$......
....$................/......................BBB.............BBB..................H.............F
..TTT.............../e................$.H......./g\\...............$.$.$..........H..........gggg
..TTT............../ee.......X.......===H....../eee\\.....................o....BBBH.........geeee
...t...f.......X../eee......XX..........H.,f../eeeee\\...f........X..ggggggg...BBBH..o..f../eeeee
gggggggggg\\...../geeee\\fs.,XXX,o,ggggggggo,gggggeeeeegggggggggg\\.../eeeeeee\\..gggggggggggeeeeeee
eeeeeeeeeeg~~~~~geeeeeegggggggggeeeeeeeeegggeeeeeeeeeeeeeeeeeeeeg~~~geeeeeeeggggeeeeeeeeeeeeeeee
eeeeeeeeeee_____eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee___eeeeeeeeeeeeeeeeeeeeeeeeeeee
eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee
"""
MEANS = {
    "g": "grass",
    "e": "earth",
    "B": "brick",
    "=": "plank",
    "X": "crate",
    "H": "ladder",
    "~": "water",
    "_": "deep",
    ",": "tuft",
    "f": "flowers",
    "s": "sign",
    "$": "coin",
    "t": "trunk",
    "c": "cloud",
    "C": "cloud 2",
    "/": "slope",
    "\\": "slope",
}
BEHIND = "cCtT,fsH"
PLACES = {"o": "beetle", "F": "flag"}
FLIP_X = 0x80000000


def numbers() -> tuple[np.ndarray, np.ndarray]:
    """Return the tile numbers behind the player and under the player's feet: (h, w) each."""
    rows = MAP.split()
    places = list(NAMES)
    behind, before = np.zeros((2, len(rows), len(rows[0])), np.int64)
    rng = np.random.default_rng(5)
    for row, line in enumerate(rows):
        for column, kind in enumerate(line):
            layer = behind if kind in BEHIND else before
            if kind == "T":
                first = line.index("T"), row - (rows[row - 1][column] == "T")
                layer[row, column] = places.index(f"crown {row - first[1]}{column - first[0]}") + 1
            elif kind in MEANS and kind != "$":
                name = MEANS[kind]
                name += " 2" if name in ("grass", "earth", "flowers") and rng.random() < 0.4 else ""
                layer[row, column] = places.index(name) + 1 + (FLIP_X if kind == "\\" else 0)
    return behind, before


def properties(**values: bool) -> str:
    said = [
        f'<property name="{name}" type="bool" value="{str(value).lower()}"/>'
        for name, value in values.items()
    ]
    return f"<properties>{''.join(said)}</properties>"


def valley() -> str:
    """Return the map in Tiled's format."""
    places, (behind, before) = list(NAMES), numbers()
    told = {
        name: properties(solid=True)
        for name in ("grass", "grass 2", "earth", "earth 2", "brick", "crate")
    }
    told["plank"] = properties(one_way=True)
    corners = '<object id="1" x="0" y="16"><polygon points="0,0 16,-16 16,0"/></object>'
    told["slope"] = f"<objectgroup>{corners}</objectgroup>"
    for name, time in (("water", 180), ("coin", 120)):
        frames = [places.index(f"{name} {number}" if number else name) for number in (0, 2, 3, 4)]
        shown = "".join(f'<frame tileid="{frame}" duration="{time}"/>' for frame in frames)
        told[name] = f"<animation>{shown}</animation>"
    kinds = {"coin": ' type="coin"'}
    said = "\n  ".join(
        f'<tile id="{places.index(name)}"{kinds.get(name, "")}>{text}</tile>'
        for name, text in told.items()
    )
    height, width = before.shape
    layers = [
        f'<layer id="{index}" name="{name}" width="{width}" height="{height}"><data '
        'encoding="csv">\n'
        + ",\n".join(",".join(map(str, row)) for row in layer.tolist())
        + "\n</data></layer>"
        for index, name, layer in ((3, "behind", behind), (4, "ground", before))
    ]
    coin_number = places.index("coin") + 1
    cells = [
        (column, row, kind)
        for row, line in enumerate(MAP.split())
        for column, kind in enumerate(line)
    ]
    coins = [cell[:2] for cell in cells if cell[2] == "$"]
    objects = "\n  ".join(
        f'<object id="{index}" gid="{coin_number}" x="{column * SIDE}" '
        f'y="{(row + 1) * SIDE}" width="16" height="16"/>'
        for index, (column, row) in enumerate(coins, 2)
    )
    objects += "\n  " + "\n  ".join(
        f'<object id="{index}" name="{PLACES[kind]}" class="{PLACES[kind]}" '
        f'x="{column * SIDE + SIDE // 2}" '
        f'y="{(row + 1) * SIDE}"><point/></object>'
        for index, (column, row, kind) in enumerate(
            [cell for cell in cells if cell[2] in PLACES], 2 + len(coins)
        )
    )
    bottom = height * SIDE
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" orientation="orthogonal" renderorder="right-down" width="{width}" height="{height}" tilewidth="16" \
tileheight="16" infinite="0" backgroundcolor="#9fd3f5" parallaxoriginx="240" parallaxoriginy="{bottom - 135}">
 <tileset firstgid="1" name="valley" tilewidth="16" tileheight="16" tilecount="{len(NAMES)}" columns="{COLUMNS}">
  <image source="tiles.png" width="{COLUMNS * SIDE}" height="{-(-len(NAMES) // COLUMNS) * SIDE}"/>
  {said}
 </tileset>
 <imagelayer id="1" name="far" offsetx="0" offsety="{bottom - 170}" parallaxx="0.2" parallaxy="0.6" repeatx="1">
  <image source="far.png" width="256" height="120"/></imagelayer>
 <imagelayer id="2" name="near" offsetx="0" offsety="{bottom - 120}" parallaxx="0.5" parallaxy="0.8" repeatx="1">
  <image source="near.png" width="256" height="90"/></imagelayer>
 {chr(10).join(layers)}
 <objectgroup id="5" name="things">
  <object id="1" name="start" x="40" y="{14 * SIDE}"><point/></object>
  {objects}
 </objectgroup>
</map>
"""


def main() -> None:
    tiles().save(HERE / "tiles.png", optimize=True)
    hills(3, "#86b8d8", 120).save(HERE / "far.png", optimize=True)
    hills(8, "#6aa58f", 90).save(HERE / "near.png", optimize=True)
    (HERE / "valley.tmx").write_text(valley(), encoding="utf-8", newline="\n")
    print(f"{len(NAMES)} tiles and a map of {len(MAP.split()[0])} x {len(MAP.split())}, in {HERE}")


if __name__ == "__main__":
    main()
