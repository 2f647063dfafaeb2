"""Find the name that the user probably meant."""

from __future__ import annotations

from collections.abc import Collection


def misspelling_of(name: str, names: Collection[str]) -> str | None:
    """Return the name in ``names`` that the user probably meant by ``name``, or None."""
    if name in names:
        return None
    lower = name.lower()
    digits = [letter for letter in name if letter.isdigit()]  # "music2" is not a misspelling
    if any(letter not in "".join(names) for letter in digits):
        return None
    return next((candidate for candidate in names if _is_close(lower, candidate)), None)


def _is_close(name: str, candidate: str) -> bool:
    """Return whether two names differ only in one letter or in the order of the letters. If the
    names are long, two letters may differ.
    """
    if abs(len(name) - len(candidate)) > 2 or len({*name} ^ {*candidate}) > 4:
        return False  # a quick test that is enough for most names
    if len(name) >= 4 and sorted(name) == sorted(candidate):
        return True
    return _edits(name, candidate) <= (2 if len(candidate) >= 9 else 1)


def _edits(first: str, second: str) -> int:
    """Return how many letters must be inserted, removed or replaced to make both names equal (the
    Levenshtein distance).
    """
    row = list(range(len(second) + 1))
    for index, letter in enumerate(first, 1):
        diagonal = row[0]
        row[0] = index
        for column, candidate in enumerate(second, 1):
            diagonal, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, diagonal + (letter != candidate)),
            )
    return row[-1]
