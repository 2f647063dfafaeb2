"""Gamepad layout: the names of the controls of a gamepad, and the labels that are printed on them.

SDL and pyglet use the same names for the controls of a gamepad.
"""

from __future__ import annotations

import math

from ..checks import nearest, shown, text

MAX_PADS = 8
"""The maximum number of gamepads in a game."""

BUTTONS = (
    *(
        "a",
        "b",
        "x",
        "y",
        "leftshoulder",
        "rightshoulder",
        "back",
        "start",
        "guide",
        "leftstick",
        "rightstick",
    ),
    *("dpup", "dpdown", "dpleft", "dpright"),
)
"""The buttons. The order of the buttons gives their numbers in recordings.

A stick also has a button: the player presses the stick down.
"""
TRIGGERS = ("lefttrigger", "righttrigger")
"""The triggers. The value of a trigger is from 0 to 1."""
STICKS = ("leftstick", "rightstick")
"""The sticks. The value of a stick is (x, y), with x to the right and y up. The x and y of a stick
are from -1 to 1.
"""
LEANINGS = tuple(stick + side for stick in STICKS for side in ("left", "right", "down", "up"))
"""The sides of the sticks. If a stick is pushed far to one side, this side also counts as a pressed
button.
"""
CONTROLS = {name: number for number, name in enumerate((*BUTTONS, *TRIGGERS, *LEANINGS))}
"""The symbol of each control that can be pressed (see `Buttons`)."""

# Analog values are whole 127ths, as in a signed byte, before games receive them. Recordings thus
# store them exactly.
STEPS = 127
PRESSED = 64
RELEASED = 51
"""A trigger or stick side counts as a pressed button from `PRESSED` on, and as released below
`RELEASED`. The unit of a stick's position is 1/127.
"""

_XBOX = {
    "a": "A",
    "b": "B",
    "x": "X",
    "y": "Y",
    "leftshoulder": "LB",
    "rightshoulder": "RB",
    "lefttrigger": "LT",
    "righttrigger": "RT",
    "back": "View",
    "start": "Menu",
    "guide": "Xbox",
    "leftstick": "LS",
    "rightstick": "RS",
    "dpup": "D-pad up",
    "dpdown": "D-pad down",
    "dpleft": "D-pad left",
    "dpright": "D-pad right",
}
_GLYPHS: dict[str, dict[str, str]] = {
    "xbox": _XBOX,
    "playstation": _XBOX
    | {
        "a": "cross",
        "b": "circle",
        "x": "square",
        "y": "triangle",
        "leftshoulder": "L1",
        "rightshoulder": "R1",
        "lefttrigger": "L2",
        "righttrigger": "R2",
        "back": "create",
        "start": "options",
        "guide": "PS",
        "leftstick": "L3",
        "rightstick": "R3",
    },
    "nintendo": _XBOX
    | {
        "a": "B",
        "b": "A",
        "x": "Y",
        "y": "X",
        "leftshoulder": "L",
        "rightshoulder": "R",
        "lefttrigger": "ZL",
        "righttrigger": "ZR",
        "back": "minus",
        "start": "plus",
        "guide": "home",
        "leftstick": "L stick",
        "rightstick": "R stick",
    },
    "generic": _XBOX | {"back": "Back", "start": "Start", "guide": "Guide"},
}
KINDS = tuple(_GLYPHS)
"""The kinds of gamepads. Each kind has its own labels. On each kind, "a" is the lowest of the four
buttons on the right.
"""

# USB vendor numbers in a GUID of SDL.
_VENDORS = {"5e04": "xbox", "4c05": "playstation", "7e05": "nintendo"}
_WORDS = {
    "xbox": ("xbox", "x-box", "xinput", "microsoft"),
    "playstation": ("playstation", "dualshock", "dualsense", "sony", "ps3", "ps4", "ps5"),
    "nintendo": ("nintendo", "switch", "joy-con", "joycon"),
}


def kind_of(name: str, guid: str = "") -> str:
    """Return the kind of a gamepad, one of `KINDS`.

    If SDL's ``guid`` contains a known vendor, this vendor decides the kind. If the vendor is
    unknown, words in the gamepad's name decide the kind.
    """
    kind_by_vendor = _VENDORS.get(guid[8:12].lower())
    description = f"{name} {guid}".lower()
    return kind_by_vendor or next(
        (
            kind
            for kind, keywords in _WORDS.items()
            if any(word in description for word in keywords)
        ),
        "generic",
    )


def glyph(kind: str, control: str) -> str:
    """Return the printed label of a control, such as "A", "cross", "L2" or "D-pad up"."""
    name = control_name(control)
    glyphs = _GLYPHS.get(kind, _GLYPHS["generic"])
    if name in LEANINGS:
        stick = name[: name.index("stick") + 5]
        side = name[name.index("stick") + 5 :]
        return f"{glyphs[stick]} {side}"
    return glyphs[name]


def control_name(control: str) -> str:
    """Check the name of a control, and return it in lower case, without "pad:".

    Raises `ValueError` for an unknown control.
    """
    name = text("control", control).lower().removeprefix("pad:")
    if name not in CONTROLS:
        nearest_names = nearest(name, CONTROLS)
        raise ValueError(f"pad: unknown control {shown(control)}; the nearest are {nearest_names}")
    return name


def steps(value: float) -> int:
    """Convert an analog value from -1 to 1 to a whole number from -127 to 127. Values below -1 or
    above 1 are clamped.
    """
    return 0 if math.isnan(value) else round(max(-1.0, min(1.0, value)) * STEPS)


def quantised(value: float) -> float:
    """Return an analog value rounded to the nearest 127th. Games receive only rounded analog
    values.
    """
    return steps(value) / STEPS


def zone(value: float) -> tuple[bool, ...]:
    """Return four bools. The first two bools say whether ``value`` reaches the thresholds for a
    press and for a release. The last two bools say whether -``value`` reaches the thresholds for a
    press and for a release.

    If `zone` returns the same for two values, a change from one value to the other does not press
    or release a button.
    """
    level = steps(value)
    return level >= PRESSED, level >= RELEASED, level <= -PRESSED, level <= -RELEASED
