"""Parse the tags in a label's text, and split the text into lines and letters."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from ..checks import color as rgba

Color = tuple[float, ...]

# Line ends as in editors and terminals. Unicode's other separators have no image, so `seen` removes
# them.
_LINE_END = re.compile("\r\n|[\n\r\v\f\x85\u2028\u2029]")

_TAG = re.compile(r"\[(\[?)(#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|b|/)\]")

# Control and format characters have no image, though many fonts draw a box for them.
_UNSEEN = ("Cc", "Cf")
_JOINERS = "\u200c\u200d"  # joiners choose the forms of neighboring letters

_BEYOND = "\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
# Scripts that are read from right to left. Their digits are excluded, because numbers are read from
# left to right.
_FROM_THE_RIGHT = f"\u0590-\u065f\u066a\u066d-\u06ef\u06fa-\u08ff{_BEYOND}"
_RIGHT_TO_LEFT = re.compile(f"[{_FROM_THE_RIGHT}]")
# Scripts in which the form or position of a letter depends on its neighbors. HarfBuzz shapes each
# word as a unit, so a word counts as one letter.
_SHAPED = f"{_FROM_THE_RIGHT}\u0900-\u0dff\u0f00-\u109f\u1780-\u18af"
_JOINED = re.compile(f"[{_SHAPED}]")
_MARK = "\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
_MARK += "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
_MARK += "\U000e0100-\U000e01ef"
# Characters that are drawn as one letter: a word of the scripts in _SHAPED, the two letters of a
# flag, or a letter with its marks. The length is limited, because each match is drawn as one image.
_CLUSTER = re.compile(
    f"[{_SHAPED}{_JOINERS}]{{0,32}}[{_SHAPED}][{_SHAPED}{_JOINERS}]{{0,31}}"
    f"|[\U0001f1e6-\U0001f1ff]{{2}}|.[{_MARK}]{{0,31}}(?:\u200d[^\\s\u200d][{_MARK}]{{0,7}}){{0,15}}",
    re.DOTALL,
)
_APART = re.compile(f"[^{_SHAPED}{_JOINERS}{_MARK}\U0001f1e6-\U0001f1ff]*")
# Characters that are drawn as an emoji unless U+FE0E follows. The list is from Unicode's
# emoji-data.txt (Emoji_Presentation), and approximate above U+1F300. Every other character is an
# emoji if U+FE0F follows.
_EMOJI = re.compile(
    "[\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1\u26aa\u26ab\u26bd\u26be"
    "\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757"
    "\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\U0001f004\U0001f0cf\U0001f18e\U0001f191-\U0001f19a"
    "\U0001f1e6-\U0001f1ff\U0001f201\U0001f21a\U0001f22f\U0001f232-\U0001f236\U0001f238-\U0001f23a\U0001f250\U0001f251"
    "\U0001f300-\U0001faff](?!\ufe0e)|.\ufe0f",
    re.DOTALL,
)
# Characters between which a line may be broken, because Chinese and Japanese are written without
# spaces.
_UNSPACED = re.compile(
    "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_FIRST_UNSPACED = "\u2e80"
_NOT_FIRST = frozenset("、。，．！？：；）」』】》〉…")


class StyledText(NamedTuple):
    """A part of a text in a single style. ``color`` is None if the part is drawn in the label's
    color.
    """

    text: str
    color: Color | None
    bold: bool


def runs(text: str, markup: bool) -> list[StyledText]:
    """Split a text with tags into parts that each have a single style.

    Tags are ``[#f80]`` for a color, ``[b]`` for bold, and ``[/]``, which closes the last open tag.
    To write ``[b]`` as text, write ``[[b]``. Any other text in brackets is kept as it is. A ``[/]``
    without an open tag is kept, too.
    """
    if not markup or "[" not in text:
        return [StyledText(text, None, False)]
    parts: list[StyledText] = []
    color: Color | None = None
    bold = False
    # For each open tag, the style to return to when it is closed.
    around: list[tuple[Color | None, bool]] = []
    literal, *tags = _TAG.split(text)
    for escape, name, following in zip(tags[::3], tags[1::3], tags[2::3], strict=True):
        if escape:
            literal += f"[{name}]"
        elif name == "/" and not around:
            literal += "[/]"
        if literal:
            parts.append(StyledText(literal, color, bold))
        literal = following
        if escape:
            continue
        if name != "/":
            around.append((color, bold))
            if name == "b":
                bold = True
            else:
                color = rgba("text", name)
        elif around:
            color, bold = around.pop()
    if literal:
        parts.append(StyledText(literal, color, bold))
    return parts or [StyledText("", None, False)]


def lines(text: str) -> list[str]:
    """Split a text into lines at every line end that Unicode defines.

    Control characters are removed, except tabs.
    """
    if text.isprintable():  # usually
        return [text]
    return [seen(line) for line in _LINE_END.split(text)]


def seen(line: str) -> str:
    """Return a line without invisible characters.

    White space and the invisible characters that join two letters are kept.
    """
    if line.isprintable():
        return line
    return "".join(
        c for c in line if c == "\t" or c in _JOINERS or unicodedata.category(c) not in _UNSEEN
    )


def clusters(line: str) -> Sequence[str]:
    """Split a line into letters. A letter is a character with its marks, or a word of joined
    letters. Each letter is drawn as one image.

    In Arabic and other scripts with joined letters, a whole word counts as one letter.
    """
    if line.isascii() or _APART.fullmatch(line):
        return line
    return [cluster for cluster in _CLUSTER.findall(line) if cluster.strip(_JOINERS)]


def letter_count(parts: Sequence[StyledText]) -> int:
    """Return the number of letters in ``parts``. Line ends count as letters."""
    line_lists = [lines(part.text) for part in parts]
    return sum(len(clusters(line)) for text in line_lists for line in text) + sum(
        len(text) - 1 for text in line_lists
    )


def right_to_left(text: str) -> bool:
    """Return whether ``text`` contains a letter of a right-to-left script, such as Hebrew."""
    return not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None


def joined_script(text: str) -> bool:
    """Return whether ``text`` contains letters of a script that joins letters, such as Arabic."""
    return not text.isascii() and _JOINED.search(text) is not None


def is_emoji(cluster: str) -> bool:
    """Return whether a letter is an emoji and should be drawn with a color font."""
    return not cluster.isascii() and _EMOJI.match(cluster) is not None


def wrapped(
    letters: Sequence[str], advances: Sequence[float], width: float
) -> list[tuple[int, int]]:
    """Split a line into shorter lines that are at most ``width`` wide.

    For each new line, return the index of its first letter, and the index after its last letter.

    A line can end after a space or a hyphen. In scripts without spaces, a line can end after any
    letter. A word that is longer than ``width`` is split between two letters. Spaces at the end of
    a line are left out. Each line contains at least one letter, even if this letter is wider than
    ``width``.
    """
    spans: list[tuple[int, int]] = []
    start = index = good = 0
    pen = 0.0
    while index < len(letters):
        letter = letters[index]
        if index > good and _breaks(letters[index - 1], letter):
            good = index
        if pen + advances[index] > width and index > start and not letter.isspace():
            stop = good if good > start else index
            spans.append((start, _stripped(letters, start, stop)))
            start = index = good = stop
            pen = 0.0
            continue
        pen += advances[index]
        index += 1
    spans.append((start, index))
    return spans


# A line of ASCII may be broken after a space or a hyphen.
_BREAK = re.compile(r"[ -](?=[^ ])")


def wrapped_ascii(
    text: str, pens: Sequence[float], width: float, start: int = 0
) -> list[tuple[int, int]]:
    """Return the same result as `wrapped`, but faster. The text must consist of printable ASCII
    characters. ``pens`` contains the exact position of each letter and of the end of the text, in
    ascending order. ``start`` is the index of the first letter in the first line. Letters before
    ``start`` are ignored.
    """
    if pens[-1] <= width:
        return [(start, len(text))]
    breaks = [match.end() for match in _BREAK.finditer(text)]
    spans: list[tuple[int, int]] = []
    while True:
        # The first letter that exceeds the width. A line has at least one letter.
        index = max(bisect_right(pens, pens[start] + width) - 1, start + 1)
        while index < len(text) and text[index] == " ":
            index += 1
        if index >= len(text):
            spans.append((start, len(text)))
            return spans
        last_break = bisect_right(breaks, index) - 1
        stop = breaks[last_break] if last_break >= 0 and breaks[last_break] > start else index
        spans.append((start, _stripped(text, start, stop)))
        start = stop


def _breaks(previous: str, following: str) -> bool:
    if previous.isspace() or previous == "-":
        return not following.isspace()
    if previous < _FIRST_UNSPACED and following < _FIRST_UNSPACED:  # usually
        return False
    return following not in _NOT_FIRST and bool(
        _UNSPACED.match(previous) or _UNSPACED.match(following)
    )


def _stripped(letters: Sequence[str], start: int, stop: int) -> int:
    while stop > start and letters[stop - 1].isspace():
        stop -= 1
    return stop
