"""The numbers of all keys by name, such as ``fw.key.SPACE``, as in pyglet.

The constants are copied from ``pyglet.window.key``, because importing that module needs a window
system and OpenGL. With this copy, games without a screen can use the constants, too.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import NoReturn

from ..checks import nearest, whole

MOD_SHIFT = 1 << 0
MOD_CTRL = 1 << 1
MOD_ALT = 1 << 2
MOD_CAPSLOCK = 1 << 3
MOD_NUMLOCK = 1 << 4
MOD_WINDOWS = 1 << 5
MOD_COMMAND = 1 << 6
MOD_OPTION = 1 << 7
MOD_SCROLLLOCK = 1 << 8
MOD_FUNCTION = 1 << 9
MOD_ACCEL = MOD_COMMAND if sys.platform == "darwin" else MOD_CTRL

BACKSPACE = 0xFF08
TAB = 0xFF09
LINEFEED = 0xFF0A
CLEAR = 0xFF0B
RETURN = 0xFF0D
ENTER = 0xFF0D
PAUSE = 0xFF13
SCROLLLOCK = 0xFF14
SYSREQ = 0xFF15
ESCAPE = 0xFF1B
HOME = 0xFF50
LEFT = 0xFF51
UP = 0xFF52
RIGHT = 0xFF53
DOWN = 0xFF54
PAGEUP = 0xFF55
PAGEDOWN = 0xFF56
END = 0xFF57
BEGIN = 0xFF58
DELETE = 0xFFFF
SELECT = 0xFF60
PRINT = 0xFF61
EXECUTE = 0xFF62
INSERT = 0xFF63
UNDO = 0xFF65
REDO = 0xFF66
MENU = 0xFF67
FIND = 0xFF68
CANCEL = 0xFF69
HELP = 0xFF6A
BREAK = 0xFF6B
MODESWITCH = 0xFF7E
SCRIPTSWITCH = 0xFF7E
FUNCTION = 0xFFD2

MOTION_UP = UP
MOTION_RIGHT = RIGHT
MOTION_DOWN = DOWN
MOTION_LEFT = LEFT
MOTION_NEXT_WORD = 1
MOTION_PREVIOUS_WORD = 2
MOTION_BEGINNING_OF_LINE = 3
MOTION_END_OF_LINE = 4
MOTION_NEXT_PAGE = PAGEDOWN
MOTION_PREVIOUS_PAGE = PAGEUP
MOTION_BEGINNING_OF_FILE = 5
MOTION_END_OF_FILE = 6
MOTION_BACKSPACE = BACKSPACE
MOTION_DELETE = DELETE
MOTION_COPY = 7
MOTION_PASTE = 8

NUMLOCK = 0xFF7F
NUM_SPACE = 0xFF80
NUM_TAB = 0xFF89
NUM_ENTER = 0xFF8D
NUM_F1 = 0xFF91
NUM_F2 = 0xFF92
NUM_F3 = 0xFF93
NUM_F4 = 0xFF94
NUM_HOME = 0xFF95
NUM_LEFT = 0xFF96
NUM_UP = 0xFF97
NUM_RIGHT = 0xFF98
NUM_DOWN = 0xFF99
NUM_PRIOR = 0xFF9A
NUM_PAGE_UP = 0xFF9A
NUM_NEXT = 0xFF9B
NUM_PAGE_DOWN = 0xFF9B
NUM_END = 0xFF9C
NUM_BEGIN = 0xFF9D
NUM_INSERT = 0xFF9E
NUM_DELETE = 0xFF9F
NUM_EQUAL = 0xFFBD
NUM_MULTIPLY = 0xFFAA
NUM_ADD = 0xFFAB
NUM_SEPARATOR = 0xFFAC
NUM_SUBTRACT = 0xFFAD
NUM_DECIMAL = 0xFFAE
NUM_DIVIDE = 0xFFAF
NUM_0 = 0xFFB0
NUM_1 = 0xFFB1
NUM_2 = 0xFFB2
NUM_3 = 0xFFB3
NUM_4 = 0xFFB4
NUM_5 = 0xFFB5
NUM_6 = 0xFFB6
NUM_7 = 0xFFB7
NUM_8 = 0xFFB8
NUM_9 = 0xFFB9
F1 = 0xFFBE
F2 = 0xFFBF
F3 = 0xFFC0
F4 = 0xFFC1
F5 = 0xFFC2
F6 = 0xFFC3
F7 = 0xFFC4
F8 = 0xFFC5
F9 = 0xFFC6
F10 = 0xFFC7
F11 = 0xFFC8
F12 = 0xFFC9
F13 = 0xFFCA
F14 = 0xFFCB
F15 = 0xFFCC
F16 = 0xFFCD
F17 = 0xFFCE
F18 = 0xFFCF
F19 = 0xFFD0
F20 = 0xFFD1
F21 = 0xFFD2
F22 = 0xFFD3
F23 = 0xFFD4
F24 = 0xFFD5
LSHIFT = 0xFFE1
RSHIFT = 0xFFE2
LCTRL = 0xFFE3
RCTRL = 0xFFE4
CAPSLOCK = 0xFFE5
LMETA = 0xFFE7
RMETA = 0xFFE8
LALT = 0xFFE9
RALT = 0xFFEA
LWINDOWS = 0xFFEB
RWINDOWS = 0xFFEC
LCOMMAND = 0xFFED
RCOMMAND = 0xFFEE
LOPTION = 0xFFEF
ROPTION = 0xFFF0
SPACE = 0x20
EXCLAMATION = 0x21
DOUBLEQUOTE = 0x22
HASH = 0x23
POUND = 0x23
DOLLAR = 0x24
PERCENT = 0x25
AMPERSAND = 0x26
APOSTROPHE = 0x27
PARENLEFT = 0x28
PARENRIGHT = 0x29
ASTERISK = 0x2A
PLUS = 0x2B
COMMA = 0x2C
MINUS = 0x2D
PERIOD = 0x2E
SLASH = 0x2F
_0 = 0x30
_1 = 0x31
_2 = 0x32
_3 = 0x33
_4 = 0x34
_5 = 0x35
_6 = 0x36
_7 = 0x37
_8 = 0x38
_9 = 0x39
COLON = 0x3A
SEMICOLON = 0x3B
LESS = 0x3C
EQUAL = 0x3D
GREATER = 0x3E
QUESTION = 0x3F
AT = 0x40
BRACKETLEFT = 0x5B
BACKSLASH = 0x5C
BRACKETRIGHT = 0x5D
ASCIICIRCUM = 0x5E
UNDERSCORE = 0x5F
GRAVE = 0x60
QUOTELEFT = 0x60
A = 0x61
B = 0x62
C = 0x63
D = 0x64
E = 0x65
F = 0x66
G = 0x67
H = 0x68
I = 0x69
J = 0x6A
K = 0x6B
L = 0x6C
M = 0x6D
N = 0x6E
O = 0x6F
P = 0x70
Q = 0x71
R = 0x72
S = 0x73
T = 0x74
U = 0x75
V = 0x76
W = 0x77
X = 0x78
Y = 0x79
Z = 0x7A
BRACELEFT = 0x7B
BAR = 0x7C
BRACERIGHT = 0x7D
ASCIITILDE = 0x7E


def _constants() -> dict[str, int]:
    """Return the global names of this module and their values, as a dict. The dict contains the
    constants of all keys.
    """
    return globals()


@functools.cache
def key_names() -> Mapping[str, int]:
    """Return a dict that maps the names of keys to their symbols. Names are "SPACE", "A", "LEFT"
    and so on. The key "_1" also has the name "1".
    """
    names = {
        name: symbol
        for name, symbol in _constants().items()
        if name.isupper() and name[:3] not in ("MOD", "MOT")
    }
    return MappingProxyType(names | {digit: ord(digit) for digit in "0123456789"})


def symbol_string(symbol: int) -> str:
    """Return the name of a key, such as "SPACE". If no key has the number ``symbol``, return the
    number as a string.
    """
    return _named(whole("symbol", symbol), "")


def motion_string(motion: int) -> str:
    """Return the name of a text cursor motion, such as "MOTION_NEXT_WORD". If no motion has the
    number, return the number as a string.
    """
    return _named(whole("motion", motion), "MOTION_")


def modifiers_string(modifiers: int) -> str:
    """Return the names of modifier keys, such as "MOD_SHIFT|MOD_CTRL"."""
    bits = whole("modifiers", modifiers)
    # MOD_ACCEL has the same number as MOD_CTRL or MOD_COMMAND. In reverse order, the name of the
    # real modifier replaces MOD_ACCEL.
    names = {bit: name for name, bit in reversed(_constants().items()) if name[:4] == "MOD_"}
    return "|".join(name for bit, name in sorted(names.items()) if bit & bits)


def _named(number: int, prefix: str) -> str:
    """Return the name of the constant with the value ``number``. The name must begin with
    ``prefix``. If no constant has the value ``number``, return the number as a string. If several
    constants have the value ``number``, return the name of the last constant.
    """
    names = [
        name for name, value in _constants().items() if name.upper() == name and value == number
    ]
    fitting = [
        name
        for name in names
        if name.startswith(prefix) and (prefix or name[:3] not in ("MOD", "MOT"))
    ]
    return fitting[-1] if fitting else str(number)


def __getattr__(name: str) -> NoReturn:
    similar = name.upper().removeprefix("KEY_").removeprefix("K_")
    similar = {"ESC": "ESCAPE", "CTRL": "LCTRL", "SHIFT": "LSHIFT"}.get(similar, similar)
    names = [key for key in __all__ if key.isupper()]
    near = similar if similar in names else nearest(similar, names).split(",")[0]
    raise AttributeError(f"fw.key has no key {name!r}; did you mean {near}?")


__all__ = [
    *(name for name in globals() if name.isupper()),
    *("modifiers_string", "motion_string", "symbol_string"),
]
