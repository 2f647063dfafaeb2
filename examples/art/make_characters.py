"""Characters: draws the heroes, enemies and townspeople of the built-in pixel art.

`make_set.py` packs the images. All images are in the public domain (CC0).
"""

from __future__ import annotations

from pixels import Canvas, Pixels, flash, swapped

Pose = dict[str, object]

# -- the hero, from the side -----------------------------------------------------------------------

_HEAD = """\
..NNNNNN..
.NmmmmNNN.
NmmmNNNNNn
NmNNNNNNNn
NNNnSSNSSn
nNnSSSSSSS
nnFSkSSkS.
.nFSkSSkS.
..FSSSSSS.
...FFFFF.."""

_BACK_OF_HEAD = """\
..NNNNNN..
.NmmmmNNN.
NmmmmNNNNn
NmmNNNNNNn
NmNNNNNNNn
NNNNNNNNnn
nNNNNNNNnn
.nNNNNnnn.
..nnnnnn..
...FFFF..."""


def _hero(
    *,
    bob: int = 0,
    front: tuple[float, float] = (1, 0),
    rear: tuple[float, float] = (-1, 0),
    hand: tuple[float, float] = (0, 0),
    other_hand: tuple[float, float] = (0, 0),
    scarf: int = 0,
    blink: bool = False,
    hurt: bool = False,
    lift: int = 0,
) -> Pixels:
    """Draw the hero, who looks to the right: 16 × 20 pixels.

    ``front`` and ``rear`` are the places of the feet: x from the middle, and y up from the ground.
    ``hand`` and ``other_hand`` move the hands from where they are at rest, y down.
    """
    canvas = Canvas(16, 20)
    top = 1 + bob - lift
    hip = 13 + bob - lift
    ground = 18 - lift
    # the leg and the arm behind
    _leg(canvas, 6, hip, 6 + rear[0], ground - rear[1], "b", "n")
    canvas.line((10, 12 + top - 1), (11 + other_hand[0], 13 + top + other_hand[1]), "B")
    canvas.dot(11 + other_hand[0], 13 + top + other_hand[1], "F")
    # the end of the scarf
    tails = (
        ((3, 11), (2, 11), (1, 12), (2, 12)),
        ((3, 11), (2, 11), (1, 11), (1, 10)),
        ((3, 11), (2, 12), (2, 13), (1, 13)),
        ((3, 10), (2, 9), (1, 8), (2, 8)),
    )
    for index, (x, y) in enumerate(tails[scarf]):
        canvas.dot(x, y + bob - lift, "p" if index < 2 else "R")
    # the body
    canvas.rect(5, 11 + top - 1, 6, 4, "c")
    canvas.rect(9, 11 + top - 1, 2, 4, "B")
    canvas.rect(5, 14 + top - 1, 6, 1, "n")
    canvas.dot(8, 14 + top - 1, "y")
    _leg(canvas, 8, hip, 8 + front[0], ground - front[1], "B", "N")
    canvas.stamp(_HEAD, 3, top)
    if blink or hurt:
        for x in (7, 10):
            canvas.dot(x, top + 6, "S")
            canvas.dot(x, top + 7, "f" if blink else "k")
    if hurt:
        canvas.dot(8, top + 8, "r")
        canvas.dot(9, top + 8, "r")
    canvas.rect(5, 10 + top - 1 + 1, 6, 1, "p")
    canvas.rect(9, 10 + top, 2, 1, "R")
    # the arm in front
    canvas.line((5, 12 + top - 1), (5 + hand[0], 13 + top + hand[1]), "c")
    canvas.dot(5 + hand[0], 14 + top + hand[1] - 0, "S")
    canvas.outline()
    return canvas.pixels


def _leg(
    canvas: Canvas, hip_x: float, hip_y: int, foot_x: float, foot_y: float, cloth: str, boot: str
) -> None:
    canvas.line((hip_x - 1, hip_y + 1), (foot_x - 1, foot_y - 2), cloth, 2)
    x, y = round(foot_x), round(foot_y)
    canvas.rect(x - 1, y - 1, 2, 2, boot)
    canvas.dot(x + 1, y, boot)


def _climbing(step: int) -> Pixels:
    """Draw the hero on a ladder, from behind."""
    canvas = Canvas(16, 20)
    side = 1 if step in (0, 1) else -1
    bob = (0, 1, 0, 1)[step]
    top = 2 + bob
    for direction in (-1, 1):
        up = direction == side
        x = 7 + direction * 2
        foot = 18 - (3 if up else 0) - (1 if step % 2 else 0) * (0 if up else 1)
        canvas.line((x, 14 + bob), (x, foot - 2), "B", 2)
        canvas.rect(x, foot - 1, 2, 2, "N")
    canvas.rect(5, 11 + bob, 6, 4, "c")
    canvas.rect(9, 11 + bob, 2, 4, "B")
    canvas.rect(5, 14 + bob, 6, 1, "n")
    canvas.stamp(_BACK_OF_HEAD, 3, top - 1)
    canvas.rect(5, 11 + bob, 6, 1, "p")
    canvas.rect(6, 12 + bob, 2, 2, "R")
    for direction in (-1, 1):
        raised = direction != side
        x = 8 + direction * 5 - (1 if direction > 0 else 0)
        y = 4 if raised else 8
        canvas.line((x - direction, 11 + bob), (x, y + 2 + bob), "c" if direction < 0 else "B")
        canvas.rect(x, y + bob, 1, 2, "S")
    canvas.outline()
    return canvas.pixels


def hero() -> dict[str, list[Pixels]]:
    """Return the images of the hero, by the names of the clips."""
    stand = _hero()
    breath = _hero(bob=1, scarf=2)
    idle = [stand, stand, breath, breath] * 3 + [_hero(blink=True), stand, breath, breath]
    # Six steps: the foot in front goes back on the ground, and comes forward in the air.
    path = [(3.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (-3.0, 1.0), (-1.0, 3.0), (2.0, 2.0)]
    walk = []
    for step in range(6):
        front, rear = path[step], path[(step + 3) % 6]
        swing = -front[0] / 2
        walk.append(
            _hero(
                bob=(1, 0, 0, 1, 0, 0)[step],
                front=front,
                rear=rear,
                hand=(swing, -1 if abs(swing) > 1 else 0),
                other_hand=(-swing / 1.5, 0),
                scarf=(0, 1, 1, 0, 2, 2)[step],
            )
        )
    jump = [_hero(front=(2, 3), rear=(-2, 1), hand=(-1, -3), other_hand=(1, -4), scarf=2)]
    fall = [
        _hero(front=(2, 1), rear=(-2, 2), hand=(-2, -4), other_hand=(2, -5), scarf=3),
        _hero(front=(2, 2), rear=(-2, 1), hand=(-2, -3), other_hand=(2, -4), scarf=3),
    ]
    struck = _hero(
        front=(3, 1), rear=(-2, 0), hand=(-2, -2), other_hand=(2, -2), hurt=True, scarf=1
    )
    hurt = [flash(struck), struck]
    climb = [_climbing(step) for step in range(4)]
    return {
        "idle": idle,
        "walk": walk,
        "jump": jump,
        "fall": fall,
        "hurt": hurt,
        "climb": climb,
    }


# The other heroes have different colors for hair, tunic and scarf.
HEROES = {
    "hero": {},
    "heroine": {
        "n": "o",
        "N": "O",
        "m": "y",
        "c": "h",
        "B": "G",
        "b": "g",
        "p": "c",
        "R": "B",
    },
    "knight": {
        "n": "1",
        "N": "2",
        "m": "4",
        "c": "p",
        "B": "R",
        "b": "r",
        "p": "y",
        "R": "O",
        "S": "F",
        "F": "f",
    },
}

# -- enemies ---------------------------------------------------------------------------------------


def _slime(wide: int, high: int, *, lift: int = 0, shut: bool = False) -> Pixels:
    canvas = Canvas(16, 16)
    base = 15 - lift
    middle = base - high * 0.45
    for y in range(16):
        for x in range(16):
            v = (y + 0.5 - middle) / (high * (0.55 if y < middle else 0.45))
            u = (x + 0.5 - 8) / (wide / 2)
            # a dome above, nearly a box below: a drop that lies on the ground
            if abs(u) ** 2.2 + abs(v) ** (2 if v < 0 else 5) <= 1:
                shade = -0.5 * u - 0.8 * v
                canvas.dot(x, y, "G" if shade < -0.75 else "h" if shade < -0.15 else "H")
    left = 8 - wide // 4 - 1
    top = base - high + 2
    canvas.rect(left, top, 2, 1, "i")
    canvas.dot(left, top + 1, "i")
    eyes = round(base - high * 0.45)
    for x in (8, 11):
        if shut:
            canvas.rect(x - 1, eyes, 2, 1, "k")
        else:
            canvas.rect(x, eyes - 1, 1, 2, "k")
    canvas.outline()
    return canvas.pixels


def slime() -> dict[str, list[Pixels]]:
    idle = [_slime(11, 9), _slime(12, 8), _slime(12, 8), _slime(11, 9, shut=True)]
    walk = [
        _slime(12, 8),
        _slime(13, 6),
        _slime(10, 10, lift=1),
        _slime(10, 10, lift=3),
        _slime(11, 9, lift=2),
        _slime(13, 7),
    ]
    struck = _slime(13, 7, shut=True)
    return {
        "idle": idle,
        "walk": walk,
        "hurt": [flash(struck), struck],
        "flat": [_slime(14, 4, shut=True)],
    }


_BAT_WINGS = (
    # up, level, down
    """\
.k........
VVk.......
VVVV......
vVVVVV....
vvVVVVV...
.v.vVVV...
......v...""",
    """\
..........
..........
.VVVV.....
VVVVVVV...
vVvVVVV...
v..v.vV...
..........""",
    """\
..........
..........
....VVV...
..VVVVV...
.VVVVVV...
VVvvVV....
Vv.v......
v.........""",
)


def _bat(step: int, *, hurt: bool = False) -> Pixels:
    canvas = Canvas(16, 16)
    bob = (0, 0, -1, 0)[step]
    wing = _BAT_WINGS[(0, 1, 2, 1)[step]].replace("k", "V").split("\n")
    for row, line in enumerate(wing):
        for column, letter in enumerate(line):
            if letter != ".":
                canvas.dot(1 + column, 3 + row + bob, letter)
                canvas.dot(14 - column, 3 + row + bob, {"V": "v"}.get(letter, letter))
    canvas.blob(8, 8.5 + bob, 3.4, 3.6, "vVVuu")
    canvas.dot(5, 4 + bob, "V")
    canvas.dot(6, 4 + bob, "V")
    canvas.dot(5, 3 + bob, "V")
    canvas.dot(10, 4 + bob, "V")
    canvas.dot(9, 4 + bob, "V")
    canvas.dot(10, 3 + bob, "V")
    for x in (7, 9):
        canvas.dot(x, 8 + bob, "y" if not hurt else "k")
        if not hurt:
            canvas.dot(x, 7 + bob, "y")
    canvas.dot(7, 10 + bob, "5")
    canvas.dot(9, 10 + bob, "5")
    canvas.outline()
    return canvas.pixels


def bat() -> dict[str, list[Pixels]]:
    struck = _bat(2, hurt=True)
    fly = [_bat(step) for step in range(4)]
    return {"idle": fly, "walk": fly, "hurt": [flash(struck), struck]}


def _beetle(step: int, *, shut: bool = False) -> Pixels:
    canvas = Canvas(16, 16)
    bob = step % 2
    for index, x in enumerate((3, 6, 9)):
        lift = (index + step) % 2
        canvas.rect(x + (1 if lift else 0), 13 - lift, 1, 2, "1")
    canvas.blob(7, 10 + bob * 0.5, 5.8, 5.2, "rRppP")
    canvas.rect(1, 13, 12, 3, "k")
    for row in (13, 14, 15):
        for x in range(16):
            canvas.erase(x, row)
    for index, x in enumerate((3, 6, 9)):
        lift = (index + step) % 2
        canvas.rect(x + (1 if lift else 0), 13, 1, 2 - lift, "1")
    canvas.rect(2, 12, 10, 1, "r")
    canvas.blob(12, 10.5, 2.6, 2.6, "1223")
    for x, y in ((4, 8), (7, 10), (9, 7)):
        canvas.rect(x, y, 2, 2, "r")
    canvas.dot(13, 10, "k" if shut else "5")
    canvas.dot(14, 6 + bob, "1")
    canvas.dot(13, 7, "1")
    canvas.outline()
    return canvas.pixels


def _ghost(step: int, *, hurt: bool = False) -> Pixels:
    canvas = Canvas(16, 16)
    bob = (0, 0, 1, 1)[step]
    canvas.blob(8, 7 + bob, 5.4, 5.6, "3445555")
    for x in range(3, 13):
        wave = (0, 1, 2, 1)[(x + step) % 4]
        shade = "5" if x < 8 else "4" if x < 12 else "3"
        canvas.rect(x, 7 + bob, 1, 5 + wave, shade)
    for x in (7, 10):
        canvas.rect(x, 5 + bob, 1 if not hurt else 2, 3 if not hurt else 1, "k")
    canvas.rect(8, 9 + bob, 2, 2, "2")
    canvas.dot(5, 8 + bob, "U")
    canvas.dot(12, 8 + bob, "U")
    canvas.outline()
    return canvas.pixels


def _bee(step: int, *, hurt: bool = False) -> Pixels:
    canvas = Canvas(16, 16)
    bob = (0, 0, -1, 0)[step]
    wings = (
        (
            (5, 2),
            (6, 2),
            (5, 3),
            (6, 3),
            (7, 3),
            (6, 4),
            (7, 4),
            (8, 1),
            (9, 1),
            (8, 2),
            (9, 2),
            (8, 3),
        ),
        (
            (3, 5),
            (4, 5),
            (5, 5),
            (4, 4),
            (5, 4),
            (6, 4),
            (6, 5),
            (7, 4),
            (8, 3),
            (9, 3),
            (9, 4),
            (8, 4),
        ),
    )[step % 2]
    canvas.blob(8, 9.5 + bob, 5.2, 3.8, "oOyyY")
    for x in (5, 8):
        for y in range(16):
            if canvas.get(x, y) != ".":
                canvas.dot(x, y, "k")
    canvas.rect(2, 9 + bob, 1, 1, "1")
    for x, y in wings:
        canvas.dot(x, y + bob, "w" if (x + y) % 3 else "5")
    canvas.rect(11, 8 + bob, 1, 2 if not hurt else 1, "k")
    canvas.dot(12, 5 + bob, "1")
    canvas.dot(13, 4 + bob, "1")
    canvas.outline()
    return canvas.pixels


def _plant(mouth: int, *, hurt: bool = False) -> Pixels:
    canvas = Canvas(16, 16)
    canvas.rect(7, 10, 2, 6, "h")
    canvas.rect(8, 10, 1, 6, "G")
    canvas.rect(3, 13, 4, 1, "H")
    canvas.rect(4, 14, 3, 1, "h")
    canvas.rect(9, 12, 4, 1, "h")
    canvas.rect(9, 13, 3, 1, "G")
    canvas.blob(8, 6, 5.4, 5.0, "rRRppP")
    for x, y in ((4, 3), (8, 2), (11, 5), (5, 7)):
        canvas.rect(x, y, 1, 1, "5")
    # the mouth opens to the right
    for x in range(7, 15):
        half = mouth * (x - 6) / 8
        for y in range(16):
            if abs(y - 6) <= half:
                canvas.erase(x, y) if x > 12 else canvas.dot(x, y, "k")
    if mouth:
        for x in (9, 11):
            canvas.dot(x, 6 - round(mouth * (x - 6) / 8), "5")
            canvas.dot(x, 6 + round(mouth * (x - 6) / 8), "5")
    else:
        canvas.rect(8, 6, 6, 1, "r")
    if hurt:
        canvas.rect(6, 3, 2, 1, "k")
    else:
        canvas.rect(7, 3, 1, 2, "k")
    canvas.outline()
    return canvas.pixels


def _moving(images: list[Pixels], struck: Pixels) -> dict[str, list[Pixels]]:
    return {
        "idle": images[:1] * 2 + images[1:2] * 2,
        "walk": images,
        "hurt": [flash(struck), struck],
    }


# -- people from above -----------------------------------------------------------------------------

_FRONT_OF_HEAD = """\
..NNNNNN..
.NmmmmNNN.
NmmmNNNNNn
NmNNNNNNNn
NNSNSSNSNn
nNSSSSSSNn
.SSkSSkSS.
.SSkSSkSF.
..FSSSSF..
...FFFF..."""

_SIDE_OF_HEAD = _HEAD

_HAT = """\
...sssM...
..sssMMm..
..RRRRRR..
sssssMMMMm
.MMMMMMmm."""


def _person(side: str, step: int, kind: str) -> Pixels:
    """Draw a person who looks down, up or to the right: 16 × 20 pixels. ``step`` is 0 to 3."""
    canvas = Canvas(16, 20)
    top = 1 + step % 2
    lifted = (0, 1, 0, -1)[step]
    skirt = kind == "villager"
    if side == "right":
        swing = (0, 2, 0, -2)[step]
        for direction, cloth, boot in ((-1, "b", "n"), (1, "B", "N")):
            foot = 8 + direction * swing
            if not skirt:
                canvas.line((7, 14 + top - 1), (foot - 1, 16), cloth, 2)
            canvas.rect(foot - 1, 17, 2, 2, boot)
            canvas.dot(foot + 1, 18, boot)
        canvas.rect(5, 10 + top, 6, 5, "c")
        canvas.rect(9, 10 + top, 2, 5, "B")
        if skirt:
            canvas.rect(4, 13 + top, 8, 4, "c")
            canvas.rect(9, 13 + top, 3, 4, "B")
        else:
            canvas.rect(5, 14 + top - 1, 6, 1, "n")
        canvas.stamp(_SIDE_OF_HEAD, 3, top)
        canvas.line((7, 12 + top - 1), (7 - (0, 1, 0, -1)[step], 13 + top), "B")
        canvas.dot(7 - (0, 1, 0, -1)[step], 14 + top, "S")
    else:
        for direction in (-1, 1):
            up = 1 if lifted == direction else 0
            x = 5 if direction < 0 else 9
            if not skirt:
                canvas.rect(x, 14, 2, 3 - up, "B" if direction < 0 else "b")
            canvas.rect(x, 17 - up, 2, 2, "N" if direction < 0 else "n")
        canvas.rect(5, 10 + top, 6, 5, "c")
        canvas.rect(9, 10 + top, 2, 5, "B")
        if skirt:
            canvas.rect(4, 13 + top, 8, 4, "c")
            canvas.rect(9, 13 + top, 3, 4, "B")
        else:
            canvas.rect(5, 14 + top - 1, 6, 1, "n")
            if side == "down":
                canvas.dot(8, 14 + top - 1, "y")
        for direction in (-1, 1):
            x = 4 if direction < 0 else 11
            y = 11 + top - (1 if lifted == -direction else 0)
            canvas.rect(x, y, 1, 2, "c" if direction < 0 else "B")
            canvas.dot(x, y + 2, "S" if direction < 0 else "F")
        canvas.stamp(_FRONT_OF_HEAD if side == "down" else _BACK_OF_HEAD, 3, top)
    if kind == "elder" and side != "up":
        x = 6 if side == "down" else 7
        canvas.rect(x, 8 + top, 4, 3, "5")
        canvas.rect(x + 1, 11 + top, 2, 1, "5")
        canvas.dot(x + 3, 10 + top, "4")
    if kind == "villager":  # long hair
        for x in (3, 12) if side != "right" else (3, 4):
            canvas.rect(x, 6 + top, 1, 5, "N" if x < 8 else "n")
    if kind == "farmer":
        canvas.stamp(_HAT, 3, top)
    canvas.outline()
    return canvas.pixels


# The people, each with the colors of hair, clothes and skin.
PEOPLE = {
    "explorer": {},
    "villager": {"N": "o", "m": "O", "n": "N", "c": "P", "B": "p"},
    "farmer": {"c": "y", "B": "O", "b": "b"},
    "guard": {"N": "3", "m": "5", "n": "2", "c": "p", "B": "R", "b": "r"},
    "elder": {"N": "4", "m": "5", "n": "3", "c": "u", "B": "V", "b": "v", "S": "F", "F": "f"},
}


def people() -> dict[str, dict[str, list[Pixels]]]:
    result = {}
    for name, colors in PEOPLE.items():
        clips = {}
        for side in ("down", "up", "right"):
            walk = [swapped(_person(side, step, name), colors) for step in range(4)]
            clips[f"idle_{side}"] = [walk[0], walk[0]]
            clips[f"walk_{side}"] = walk
        for clip in ("idle", "walk"):
            mirrored = [image[:, ::-1].copy() for image in clips[f"{clip}_right"]]
            clips[f"{clip}_left"] = mirrored
        result[name] = clips
    return result


def heroes() -> dict[str, dict[str, list[Pixels]]]:
    drawn = hero()
    return {
        name: {clip: [swapped(image, colors) for image in images] for clip, images in drawn.items()}
        for name, colors in HEROES.items()
    }


def enemies() -> dict[str, dict[str, list[Pixels]]]:
    steps = range(4)
    return {
        "slime": slime(),
        "bat": bat(),
        "beetle": _moving([_beetle(step) for step in steps], _beetle(0, shut=True)),
        "ghost": _moving([_ghost(step) for step in steps], _ghost(0, hurt=True)),
        "bee": _moving([_bee(step) for step in steps], _bee(0, hurt=True)),
        "plant": _moving([_plant(mouth) for mouth in (0, 2, 4, 2)], _plant(1, hurt=True)),
    }
