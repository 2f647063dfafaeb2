"""Icons: draws the icons for menus of the built-in pixel art.

`make_set.py` packs the images. All images are in the public domain (CC0). An icon is white with a
dark outline, so it is visible on every background, and a tint gives it another color.
"""

from __future__ import annotations

import numpy as np
from pixels import Canvas, Pixels

SIDE = 16

_DRAWINGS = {
    "play": """\
xx........
xxxx......
xxxxxx....
xxxxxxxx..
xxxxxxxxxx
xxxxxxxxxx
xxxxxxxx..
xxxxxx....
xxxx......
xx........""",
    "pause": """\
xxx...xxx
xxx...xxx
xxx...xxx
xxx...xxx
xxx...xxx
xxx...xxx
xxx...xxx
xxx...xxx
xxx...xxx
xxx...xxx""",
    "stop": "\n".join(["xxxxxxxxxx"] * 10),
    "forward": """\
x....x....
xx...xx...
xxx..xxx..
xxxx.xxxx.
xxxxxxxxxx
xxxxxxxxxx
xxxx.xxxx.
xxx..xxx..
xx...xx...
x....x....""",
    "sound": """\
...xx....x..
..xxx.x...x.
xxxxx..x..x.
xxxxx..x..x.
xxxxx..x..x.
xxxxx..x..x.
xxxxx..x..x.
..xxx.x...x.
...xx....x..""",
    "mute": """\
...xx.......
..xxx.......
xxxxx.x...x.
xxxxx..x.x..
xxxxx...x...
xxxxx..x.x..
xxxxx.x...x.
..xxx.......
...xx.......""",
    "music": """\
...xxxxxxx
...xxxxxxx
...xx...xx
...xx...xx
...xx...xx
...xx...xx
.xxxx.xxxx
xxxxx.xxxx
xxxxxxxxxx
.xxx.xxxx.""",
    "save": """\
xxxxxxxxxx.
xx..xx..xxx
xx..xx..xxx
xx..xxxxxxx
xxxxxxxxxxx
xx.......xx
xx.......xx
xx.......xx
xx.......xx
xxxxxxxxxxx""",
    "load": """\
.xxxx......
xxxxxx.....
xxxxxxxxxx.
xx......xx.
xx.xxxxxxxx
xxxxxxxxxxx
xxxxxxxxxx.
xxxxxxxxxx.
xxxxxxxxx..""",
    "home": """\
.....xx.....
....xxxx....
...xxxxxx...
..xxxxxxxx..
.xxxxxxxxxx.
xxxxxxxxxxxx
.xxxxxxxxxx.
.xxxx..xxxx.
.xxxx..xxxx.
.xxxx..xxxx.""",
    "exit": """\
xxxxxxx.....
xx..........
xx......x...
xx......xx..
xx..xxxxxxx.
xx..xxxxxxxx
xx..xxxxxxx.
xx......xx..
xx......x...
xx..........
xxxxxxx.....""",
    "cross": """\
xx......xx
xxx....xxx
.xxx..xxx.
..xxxxxx..
...xxxx...
...xxxx...
..xxxxxx..
.xxx..xxx.
xxx....xxx
xx......xx""",
    "check": """\
..........xx
.........xxx
........xxx.
xx.....xxx..
xxx...xxx...
.xxx.xxx....
..xxxxx.....
...xxx......
....x.......""",
    "plus": """\
...xxx...
...xxx...
...xxx...
xxxxxxxxx
xxxxxxxxx
xxxxxxxxx
...xxx...
...xxx...
...xxx...""",
    "minus": "xxxxxxxxx\nxxxxxxxxx\nxxxxxxxxx",
    "question": """\
.xxxxxx.
xxxxxxxx
xx....xx
......xx
....xxxx
...xxx..
...xx...
........
...xx...
...xx...""",
    "info": """\
..xx..
..xx..
......
xxxx..
xxxx..
..xx..
..xx..
..xx..
xxxxxx
xxxxxx""",
    "warning": """\
.....xx.....
....xxxx....
....xxxx....
...xx..xx...
...xx..xx...
..xxx..xxx..
..xxx..xxx..
.xxxxxxxxxx.
.xxxx..xxxx.
xxxxxxxxxxxx""",
    "lock": """\
..xxxx..
.xx..xx.
.xx..xx.
.xx..xx.
xxxxxxxx
xxxxxxxx
xxx..xxx
xxx..xxx
xxxxxxxx
xxxxxxxx""",
    "unlock": """\
..xxxx....
.xx..xx...
.xx..xx...
.xx.......
xxxxxxxx..
xxxxxxxx..
xxx..xxx..
xxx..xxx..
xxxxxxxx..
xxxxxxxx..""",
    "heart": """\
.xxx..xxx.
xxxxxxxxxx
xxxxxxxxxx
xxxxxxxxxx
.xxxxxxxx.
..xxxxxx..
...xxxx...
....xx....""",
    "star": """\
.....xx.....
.....xx.....
....xxxx....
xxxxxxxxxxxx
.xxxxxxxxxx.
..xxxxxxxx..
..xxxxxxxx..
..xxxxxxxx..
.xxxx..xxxx.
.xx......xx.""",
    "trophy": """\
..xxxxxxxx..
xxxxxxxxxxxx
x.xxxxxxxx.x
x.xxxxxxxx.x
xxxxxxxxxxxx
..xxxxxxxx..
...xxxxxx...
.....xx.....
.....xx.....
...xxxxxx...
...xxxxxx...""",
    "bag": """\
...xxxx....
..xx..xx...
.xxxxxxxx..
xxxxxxxxxx.
xxxxxxxxxx.
xx......xx.
xxxxxxxxxx.
xxxx..xxxx.
xxxxxxxxxx.
.xxxxxxxx..""",
    "map": """\
xx......xxx.
xxxx..xxxxxx
xxxxxxxx.xxx
xx.xxxxx.xxx
xxxx.xxxxx.x
xxxxxxxx.xxx
xxx.xxxx.xxx
xxxxx.xxxxxx
xxx....xxxxx
x........xxx""",
    "search": """\
..xxxx.....
.xx..xx....
xx....xx...
xx....xx...
xx....xx...
.xx..xx....
..xxxxxx...
......xxx..
.......xxx.
........xx.""",
    "menu": """\
xxxxxxxxxx
xxxxxxxxxx
..........
..........
xxxxxxxxxx
xxxxxxxxxx
..........
..........
xxxxxxxxxx
xxxxxxxxxx""",
    "right": """\
....xx....
....xxx...
....xxxx..
xxxxxxxxx.
xxxxxxxxxx
xxxxxxxxxx
xxxxxxxxx.
....xxxx..
....xxx...
....xx....""",
    "restart": """\
...xxxxx..x
..xxxxxxxxx
.xxx...xxxx
xxx....xxxx
xx....xxxxx
xx.........
xx.......xx
xxx.....xxx
.xxx...xxx.
..xxxxxxx..
...xxxxx...""",
    "trash": """\
...xxxx...
xxxxxxxxxx
..........
.xxxxxxxx.
.xx.xx.xx.
.xx.xx.xx.
.xx.xx.xx.
.xx.xx.xx.
.xx.xx.xx.
.xxxxxxxx.
..xxxxxx..""",
    "pencil": """\
.........xx.
........xxxx
.......x.xxx
......xxx.x.
.....xxxxx..
....xxxxx...
...xxxxx....
..xxxxx.....
.x.xxx......
xxx.x.......
xxxx........""",
    "fullscreen": """\
xxxx....xxxx
xxxx....xxxx
xx........xx
xx........xx
............
............
xx........xx
xx........xx
xxxx....xxxx
xxxx....xxxx""",
    "gamepad": """\
..xxx....xxx..
.xxxxxxxxxxxx.
xxx.xxxxxx.xxx
xx...xxxx.x.xx
xxx.xxxxxx.xxx
xxxxxxxxxxxxxx
xxxxx....xxxxx
xxx........xxx
.x..........x.""",
    "keyboard": """\
xxxxxxxxxxxxxx
x.x.x.x.x.x.xx
xxxxxxxxxxxxxx
xx.x.x.x.x.x.x
xxxxxxxxxxxxxx
x.x........x.x
xxxxxxxxxxxxxx""",
    "clock": """\
...xxxx...
.xxxxxxxx.
.xxx.xxxx.
xxxx.xxxxx
xxxx.xxxxx
xxxx...xxx
xxxxxxxxxx
.xxxxxxxx.
.xxxxxxxx.
...xxxx...""",
    "player": """\
...xxxx...
..xxxxxx..
..xxxxxx..
..xxxxxx..
...xxxx...
..........
.xxxxxxxx.
xxxxxxxxxx
xxxxxxxxxx
xxxxxxxxxx""",
    "players": """\
..xxx...xx..
.xxxxx.xxxx.
.xxxxx.xxxx.
.xxxxx.xxxx.
..xxx...xx..
............
.xxxxx.xxxx.
xxxxxxx.xxxx
xxxxxxx.xxxx
xxxxxxx.xxxx""",
    "network": """\
..xxxxxxxx..
.xxxxxxxxxx.
xxx......xxx
x..xxxxxx..x
..xxxxxxxx..
..xx....xx..
.....xx.....
....xxxx....
.....xx.....""",
    "chat": """\
.xxxxxxxxxx.
xxxxxxxxxxxx
xx.xx.xx.xxx
xx.xx.xx.xxx
xxxxxxxxxxxx
xxxxxxxxxxxx
.xxxxxxxxxx.
..xxx.......
..xx........
..x.........""",
    "eye": """\
...xxxxxx...
.xxxx..xxxx.
xxxx.xx.xxxx
xxx.xxxx.xxx
xxxx.xx.xxxx
.xxxx..xxxx.
...xxxxxx...""",
    "camera": """\
...xxxx.....
xxxxxxxxxxxx
xxxxxxxxxx.x
xxxx....xxxx
xxx..xx..xxx
xxx.xxxx.xxx
xxx..xx..xxx
xxxx....xxxx
xxxxxxxxxxxx""",
    "mouse": """\
.xxx.xxx.
xxxx.xxxx
xxxx.xxxx
xxxx.xxxx
.........
xxxxxxxxx
xxxxxxxxx
xxxxxxxxx
xxxxxxxxx
.xxxxxxx.
..xxxxx..""",
    "dpad": """\
....xxxx....
....xxxx....
....xxxx....
....xxxx....
xxxxxxxxxxxx
xxxxx..xxxxx
xxxxx..xxxxx
xxxxxxxxxxxx
....xxxx....
....xxxx....
....xxxx....
....xxxx....""",
}

_LETTERS = {
    "a": ".x.\nx.x\nxxx\nx.x\nx.x",
    "b": "xx.\nx.x\nxx.\nx.x\nxx.",
    "x": "x.x\nx.x\n.x.\nx.x\nx.x",
    "y": "x.x\nx.x\n.x.\n.x.\n.x.",
    "w": "x...x\nx...x\nx.x.x\nx.x.x\n.x.x.",
    "s": ".xx\nx..\n.x.\n..x\nxx.",
    "d": "xx.\nx.x\nx.x\nx.x\nxx.",
    "e": "xxx\nx..\nxx.\nx..\nxxx",
    "q": ".x.\nx.x\nx.x\nx.x\n.xx",
    "z": "xxx\n..x\n.x.\nx..\nxxx",
    "c": ".xx\nx..\nx..\nx..\n.xx",
    "escape": "xxx.xx\nx...x.\nxx..xx\nx....x\nxxx.xx",
    "enter": "....x\n....x\n.x..x\nxxxxx\n.x...",
    "shift": "..x..\n.xxx.\nxxxxx\n.xxx.\n.xxx.",
    "space": ".......\nx.....x\nx.....x\nxxxxxxx\n.......",
    "left": "..x..\n.xx..\nxxxxx\n.xx..\n..x..",
    "right": "..x..\n..xx.\nxxxxx\n..xx.\n..x..",
    "up": "..x..\n.xxx.\nxxxxx\n..x..\n..x..",
    "down": "..x..\n..x..\nxxxxx\n.xxx.\n..x..",
}


def _icon(drawing: str) -> Pixels:
    rows = drawing.split("\n")
    width = max(len(row) for row in rows)
    canvas = Canvas(SIDE, SIDE)
    left, top = (SIDE - width) // 2, (SIDE - len(rows)) // 2
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            if letter == "x":
                below = rows[y + 1][x : x + 1] if y + 1 < len(rows) else ""
                canvas.dot(left + x, top + y, "5" if below == "x" else "4")
    canvas.outline()
    return canvas.pixels


def _gear() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    for y in range(SIDE):
        for x in range(SIDE):
            dx, dy = x + 0.5 - 8, y + 0.5 - 8
            radius, angle = np.hypot(dx, dy), np.arctan2(dy, dx)
            tooth = np.cos(8 * angle) > 0
            if 2.2 < radius < (6.6 if tooth else 5.0):
                canvas.dot(x, y, "5" if dx + dy < 4 else "4")
    canvas.outline()
    return canvas.pixels


def _letter(canvas: Canvas, name: str, color: str, dy: int = 0) -> None:
    rows = _LETTERS[name].split("\n")
    left = (SIDE - max(len(row) for row in rows)) // 2
    canvas.stamp(_LETTERS[name].replace("x", color), left, 5 + dy)


def _pad_button(name: str, colors: str) -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    canvas.blob(8, 8, 6.4, 6.4, colors)
    _letter(canvas, name, "5")
    canvas.outline()
    return canvas.pixels


def _key(name: str) -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    canvas.rect(1, 2, 14, 12, "5")
    canvas.rect(1, 12, 14, 2, "3")
    canvas.rect(14, 2, 1, 11, "4")
    for x, y in ((1, 2), (14, 2), (1, 13), (14, 13)):
        canvas.erase(x, y)
    _letter(canvas, name, "k", -1)
    canvas.outline()
    return canvas.pixels


def _shoulder(side: str) -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    canvas.rect(1, 4, 14, 8, "4")
    canvas.rect(1, 4, 14, 1, "5")
    canvas.rect(1, 11, 14, 1, "3")
    canvas.erase(1 if side == "left" else 14, 4)
    letters = {
        "left": "x...xx.\nx...x.x\nx...xx.\nx...x.x\nxxx.xx.",
        "right": "xx..xx.\nx.x.x.x\nxx..xx.\nx.x.x.x\nx.x.xx.",
    }
    canvas.stamp(letters[side].replace("x", "k"), 4, 5)
    canvas.outline()
    return canvas.pixels


def _mouse(side: str) -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    canvas.pixels[:] = _icon(_DRAWINGS["mouse"])
    left = 3 if side == "left" else 8
    for y in range(1, 7):
        for x in range(left, left + 5):
            if canvas.get(x, y) in "54":
                canvas.dot(x, y, "p")
    return canvas.pixels


def _stick() -> Pixels:
    canvas = Canvas(SIDE, SIDE)
    canvas.blob(8, 8, 6.4, 6.4, "233")
    canvas.blob(8, 8, 3.9, 3.9, "345")
    canvas.outline()
    return canvas.pixels


def icons() -> dict[str, Pixels]:
    """Return the icons by name."""
    result = {name: _icon(drawing) for name, drawing in _DRAWINGS.items()}
    right = result["right"]
    result["left"] = right[:, ::-1].copy()
    result["down"] = np.rot90(right, -1).copy()
    result["up"] = np.rot90(right, 1).copy()
    result["backward"] = result["forward"][:, ::-1].copy()
    result["gear"] = _gear()
    result["mouse_left"], result["mouse_right"] = _mouse("left"), _mouse("right")
    for name, colors in (("a", "GhH"), ("b", "RpP"), ("x", "BcC"), ("y", "oOy")):
        result[f"pad_{name}"] = _pad_button(name, colors)
    result["pad_left"], result["pad_right"] = _shoulder("left"), _shoulder("right")
    result["stick"] = _stick()
    for name in _LETTERS:
        result[f"key_{name}"] = _key(name)
    return result
