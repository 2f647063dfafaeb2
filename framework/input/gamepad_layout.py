"""The names of all gamepad controls, and the labels that are printed on the controls.

SDL and pyglet use the same names.
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
"""The names of the buttons. Recordings store the index of a button in this tuple, so do not change
the order.

"leftstick" and "rightstick" are buttons, too: the player can press a stick down.
"""
TRIGGERS = ("lefttrigger", "righttrigger")
"""The names of the triggers. A trigger has a value from 0 to 1."""
STICKS = ("leftstick", "rightstick")
"""The names of the sticks. A stick has the value (x, y), with x pointing right and y pointing up. x
and y are from -1 to 1.
"""
LEANINGS = tuple(stick + side for stick in STICKS for side in ("left", "right", "down", "up"))
"""The names of the sides of the sticks. Each side is also a button, which is pressed while the
stick is pushed far to this side.
"""
CONTROLS = {name: number for number, name in enumerate((*BUTTONS, *TRIGGERS, *LEANINGS))}
"""The symbol (number) of each control that can be pressed, by name. See `Buttons`."""

# Games receive the values of sticks and triggers as multiples of 1/127, which fit in a signed byte.
# So recordings can store these values exactly.
STEPS = 127
PRESSED = 64
RELEASED = 51
"""A trigger or a side of a stick counts as pressed at `PRESSED` or above, and as released below
`RELEASED`. `PRESSED` and `RELEASED` are in units of 1/127.
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
"""The kinds of gamepads. Each kind has its own labels. On all kinds, "a" is the lowest of the four
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
    """Return the kind of a gamepad. The kind is one of `KINDS`.

    ``guid`` is SDL's identifier of the gamepad, which contains the number of the manufacturer. If
    this number is that of a known manufacturer, it determines the kind. Otherwise, words in the
    gamepad's name determine the kind.
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
    """Return the label that is printed on a control, such as "A", "cross", "L2" or "D-pad up"."""
    name = control_name(control)
    glyphs = _GLYPHS.get(kind, _GLYPHS["generic"])
    if name in LEANINGS:
        stick = name[: name.index("stick") + 5]
        side = name[name.index("stick") + 5 :]
        return f"{glyphs[stick]} {side}"
    return glyphs[name]


def control_name(control: str) -> str:
    """Return the name of a gamepad control in lower case, without the prefix "pad:".

    Raises `ValueError` if no gamepad control has this name.
    """
    name = text("control", control).lower().removeprefix("pad:")
    if name not in CONTROLS:
        nearest_names = nearest(name, CONTROLS)
        raise ValueError(f"pad: unknown control {shown(control)}; the nearest are {nearest_names}")
    return name


def steps(value: float) -> int:
    """Convert a value from -1 to 1 to an integer from -127 to 127. Values outside the range from -1
    to 1 become -127 or 127.
    """
    return 0 if math.isnan(value) else round(max(-1.0, min(1.0, value)) * STEPS)


def quantised(value: float) -> float:
    """Round the value of a stick or trigger to the nearest multiple of 1/127. Games receive only
    rounded values.
    """
    return steps(value) / STEPS


def zone(value: float) -> tuple[bool, ...]:
    """Return four bools for the position ``value`` of a stick on one axis: two for the positive
    direction, and two for the negative direction.

    The first bool is True if ``value`` presses the positive direction. The second bool is True if
    ``value`` is so large that the positive direction is not released. The third bool is True if
    ``value`` presses the negative direction. The fourth bool is True if ``value`` is so low that
    the negative direction is not released.

    If two values give the same result, moving the stick from one to the other neither presses nor
    releases a direction.
    """
    level = steps(value)
    return level >= PRESSED, level >= RELEASED, level <= -PRESSED, level <= -RELEASED
