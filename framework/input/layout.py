"""What a gamepad has, by SDL's and pyglet's names, and what each kind of pad has printed on it."""

from __future__ import annotations

import math

from ..checks import nearest, shown, text

MAX_PADS = 8
"""Gamepads that a game knows of at once."""

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
"""The buttons, in the order of their numbers in recordings: a stick is a button too, when it is
pressed down.
"""
TRIGGERS = ("lefttrigger", "righttrigger")
"""How far each is pulled: 0 to 1."""
STICKS = ("leftstick", "rightstick")
"""How far each leans: x to the right and y up, -1 to 1."""
LEANINGS = tuple(stick + side for stick in STICKS for side in ("left", "right", "down", "up"))
"""A stick that leans far to one side is a button, too."""
CONTROLS = {name: number for number, name in enumerate((*BUTTONS, *TRIGGERS, *LEANINGS))}
"""All that can be pressed, with the symbols that it has as `Buttons`."""

# Analogue values are whole 127ths, as a signed byte has them, before any game sees them: recordings
# hold them exactly.
STEPS = 127
PRESSED, RELEASED = 64, 51
"""Steps from which a trigger, or a stick to one side, counts as pressed, and below which it does no
longer.
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
"""Kinds of pads that have other things printed on them; "a" is the lowest of the four buttons on
each.
"""

_VENDORS = {
    "5e04": "xbox",
    "4c05": "playstation",
    "7e05": "nintendo",
}  # USB's numbers, as a GUID of SDL's has them
_WORDS = {
    "xbox": ("xbox", "x-box", "xinput", "microsoft"),
    "playstation": ("playstation", "dualshock", "dualsense", "sony", "ps3", "ps4", "ps5"),
    "nintendo": ("nintendo", "switch", "joy-con", "joycon"),
}


def kind_of(name: str, guid: str = "") -> str:
    """The kind of a pad, one of `KINDS`: by its maker's number where SDL's ``guid`` has one, or
    else by its name.
    """
    found = _VENDORS.get(guid[8:12].lower())
    words = f"{name} {guid}".lower()
    return found or next(
        (kind for kind, known in _WORDS.items() if any(word in words for word in known)), "generic"
    )


def glyph(kind: str, control: str) -> str:
    """What is printed on a control of a pad, in a word or two: "A", "cross", "L2", "D-pad up"."""
    name = plain(control)
    glyphs = _GLYPHS.get(kind, _GLYPHS["generic"])
    if name in LEANINGS:
        stick, side = name[: name.index("stick") + 5], name[name.index("stick") + 5 :]
        return f"{glyphs[stick]} {side}"
    return glyphs[name]


def plain(control: str) -> str:
    """The name of a control, without "pad:" and in small letters. Raises `ValueError` for what no
    pad has.
    """
    name = text("control", control).lower().removeprefix("pad:")
    if name not in CONTROLS:
        near = nearest(name, CONTROLS)
        raise ValueError(
            f"pad: a pad has {len(CONTROLS)} controls, but not {shown(control)}; the "
            f"nearest are {near}"
        )
    return name


def steps(value: float) -> int:
    """An analogue value in whole steps, -127 to 127; what is beyond is at the end."""
    return 0 if math.isnan(value) else round(max(-1.0, min(1.0, value)) * STEPS)


def quantised(value: float) -> float:
    """An analogue value as games see it: the nearest 127th."""
    return steps(value) / STEPS


def zone(value: float) -> tuple[bool, ...]:
    """Where an analogue value is, of what makes a button of it go down or up: within one, nothing
    does.
    """
    level = steps(value)
    return level >= PRESSED, level >= RELEASED, level <= -PRESSED, level <= -RELEASED
