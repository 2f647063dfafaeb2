"""What a label's string means before it is drawn: its colours and bold parts, its letters, its
lines. Pure strings.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from ..checks import color as rgba

Color = tuple[float, ...]

# Line ends as editors and terminals have them. Unicode's other separators have no picture: `seen`
# removes them.
_LINE_END = re.compile("\r\n|[\n\r\v\f\x85\u2028\u2029]")

_TAG = re.compile(r"\[(\[?)(#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|b|/)\]")

# Control and format characters have no picture, though many a font shows a box for them.
_UNSEEN = ("Cc", "Cf")
_JOINERS = "\u200c\u200d"  # which choose the forms of the letters beside them

_BEYOND = "\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
# Their numbers are read from left to right: each digit is a letter.
_FROM_THE_RIGHT = f"\u0590-\u065f\u066a\u066d-\u06ef\u06fa-\u08ff{_BEYOND}"
_RIGHT_TO_LEFT = re.compile(f"[{_FROM_THE_RIGHT}]")
# Scripts whose letters change their form or place by those beside them: a word is shaped, and
# counted, as one.
_SHAPED = f"{_FROM_THE_RIGHT}\u0900-\u0dff\u0f00-\u109f\u1780-\u18af"
_JOINED = re.compile(f"[{_SHAPED}]")
_MARK = "\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
_MARK += "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
_MARK += "\U000e0100-\U000e01ef"
# What is drawn as one: a word of those scripts, two letters of a flag, a letter and what is put on
# or joined to it. As much of these as a reader could still take for one: it is a single picture.
_CLUSTER = re.compile(
    f"[{_SHAPED}{_JOINERS}]{{0,32}}[{_SHAPED}][{_SHAPED}{_JOINERS}]{{0,31}}"
    f"|[\U0001f1e6-\U0001f1ff]{{2}}|.[{_MARK}]{{0,31}}(?:\u200d[^\\s\u200d][{_MARK}]{{0,7}}){{0,15}}",
    re.DOTALL,
)
_APART = re.compile(f"[^{_SHAPED}{_JOINERS}{_MARK}\U0001f1e6-\U0001f1ff]*")
# What is shown as a picture unless U+FE0E follows, as Unicode's emoji-data.txt has it
# (Emoji_Presentation; roughly so above U+1F300); of others U+FE0F says so.
_EMOJI = re.compile(
    "[\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1\u26aa\u26ab\u26bd\u26be"
    "\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757"
    "\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\U0001f004\U0001f0cf\U0001f18e\U0001f191-\U0001f19a"
    "\U0001f1e6-\U0001f1ff\U0001f201\U0001f21a\U0001f22f\U0001f232-\U0001f236\U0001f238-\U0001f23a\U0001f250\U0001f251"
    "\U0001f300-\U0001faff](?!\ufe0e)|.\ufe0f",
    re.DOTALL,
)
# Between these a line may be broken, as Chinese and Japanese are written without spaces.
_UNSPACED = re.compile(
    "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_FIRST_UNSPACED = "\u2e80"
_NOT_FIRST = frozenset("、。，．！？：；）」』】》〉…")


class Run(NamedTuple):
    """A part of a text in one style; ``color`` is None where it has the label's."""

    text: str
    color: Color | None
    bold: bool


def runs(text: str, markup: bool) -> list[Run]:
    """The parts of ``text``. Tags are ``[#f80]``, ``[b]`` and ``[/]``, which ends the last of them
    that is open; ``[[b]`` is a literal ``[b]``. All else in brackets is text, and so is ``[/]``
    where no tag is open."""
    if not markup or "[" not in text:
        return [Run(text, None, False)]
    found: list[Run] = []
    styles: list[tuple[Color | None, bool]] = [(None, False)]
    at = 0
    for tag in _TAG.finditer(text):
        literal = text[at : tag.start()]
        at = tag.end()
        name, style = tag[2], styles[-1]
        if tag[1]:
            literal += tag[0][1:]
        elif name == "/" and len(styles) == 1:
            literal += tag[0]
        elif name == "/":
            styles.pop()
        elif name == "b":
            styles.append((style[0], True))
        else:
            styles.append((rgba("text", name), style[1]))
        if literal:
            found.append(Run(literal, *style))
    if at < len(text):
        found.append(Run(text[at:], *styles[-1]))
    return found or [Run("", None, False)]


def lines(text: str) -> list[str]:
    """``text``, divided at each line end that Unicode has; of control characters tabs alone are
    kept.
    """
    if text.isprintable():  # as a rule
        return [text]
    return [seen(line) for line in _LINE_END.split(text)]


def seen(line: str) -> str:
    """The letters of a line that have a picture, are white space, or join others."""
    if line.isprintable():
        return line
    return "".join(
        c for c in line if c == "\t" or c in _JOINERS or unicodedata.category(c) not in _UNSEEN
    )


def clusters(line: str) -> Sequence[str]:
    """What is drawn as one picture each."""
    if line.isascii() or _APART.fullmatch(line):
        return line
    return [cluster for cluster in _CLUSTER.findall(line) if cluster.strip(_JOINERS)]


def letter_count(parts: Sequence[Run]) -> int:
    """How many letters there are, line ends among them."""
    found = [lines(part.text) for part in parts]
    return sum(len(clusters(line)) for text in found for line in text) + sum(
        len(text) - 1 for text in found
    )


def right_to_left(text: str) -> bool:
    """Whether any of its letters is of a script that is read from right to left."""
    return not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None


def joined_script(text: str) -> bool:
    """Whether it has letters of a script in which they change their form or place by those beside
    them.
    """
    return not text.isascii() and _JOINED.search(text) is not None


def is_emoji(cluster: str) -> bool:
    """Whether it is to be a picture of its own colours, where there is a font of such."""
    return not cluster.isascii() and _EMOJI.match(cluster) is not None


def wrapped(
    letters: Sequence[str], advances: Sequence[float], width: float
) -> list[tuple[int, int]]:
    """Which letters are in which line, as (start, stop), so that no line is longer than ``width``.

    Lines are broken after spaces and hyphens and between letters of scripts that have no spaces; a
    longer word is broken where it must be. Spaces where a line is broken are left out; each line
    has one letter at least.
    """
    found: list[tuple[int, int]] = []
    start = at = good = 0
    pen = 0.0
    while at < len(letters):
        letter = letters[at]
        if at > good and _breaks(letters[at - 1], letter):
            good = at
        if pen + advances[at] > width and at > start and not letter.isspace():
            stop = good if good > start else at
            found.append((start, _stripped(letters, start, stop)))
            start = at = good = stop
            pen = 0.0
            continue
        pen += advances[at]
        at += 1
    found.append((start, at))
    return found


def _breaks(before: str, after: str) -> bool:
    if before.isspace() or before == "-":
        return not after.isspace()
    if before < _FIRST_UNSPACED and after < _FIRST_UNSPACED:  # as most are
        return False
    return after not in _NOT_FIRST and bool(_UNSPACED.match(before) or _UNSPACED.match(after))


def _stripped(letters: Sequence[str], start: int, stop: int) -> int:
    while stop > start and letters[stop - 1].isspace():
        stop -= 1
    return stop
