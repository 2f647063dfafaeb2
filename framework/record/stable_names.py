"""Names in hashes and in files: the names of the framework's classes and attributes that stay.

The hash of a state covers the names of classes, functions and attributes, and a save holds some of
them. A class or an attribute of the framework that is renamed keeps its name there by an entry
below, so that no hash changes and every file still opens. Names of a game's own classes are taken
as they are.

`tests/state_names.py` holds the list of all these names, and says which entry is missing.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType

KINDS: Mapping[str, str] = {}
"""Names in hashes: of a class or a function, by its ``__qualname__`` of today."""

FIELDS: Mapping[str, Mapping[str, str]] = {}
"""Names in hashes: of attributes, by their names of today, under the name in hashes of the class
that sets them; of what a function closes over, under the function's name.
"""

FILE_KINDS: Mapping[str, str] = {}
"""Names in files: of a class, by its ``__qualname__`` of today. Entries are never removed."""

FILE_FIELDS: Mapping[str, Mapping[str, str]] = {}
"""Names in files: of attributes, and of columns of a batch, by their names of today, under the name
in files of the class. Entries are never removed.
"""


def is_ours(thing: type | FunctionType) -> bool:
    """Return whether a class or a function is the framework's."""
    return (thing.__module__ or "").startswith("framework.")


@dataclass(eq=False)
class Names:
    """The stable names of classes and attributes: today's names, or the entries of two tables."""

    kinds: Mapping[str, str]
    """The entries for classes and functions."""
    fields: Mapping[str, Mapping[str, str]]
    """The entries for attributes."""

    def name_of(self, kind: type | FunctionType) -> str:
        """Return the stable name of a class or a function."""
        name = kind.__qualname__
        return self.kinds.get(name, name) if self.kinds and is_ours(kind) else name

    @functools.cache  # noqa: B019  (its two objects are never freed)
    def field_names(self, kind: type) -> Mapping[str, str]:
        """Return the stable names of the attributes and columns of ``kind`` that were renamed."""
        names: dict[str, str] = {}
        for base in reversed(kind.__mro__):
            if is_ours(base):
                names |= self.fields.get(self.name_of(base), {})
        return names

    @functools.cache  # noqa: B019
    def fields_by_name(self, kind: type) -> Mapping[str, str]:
        """Return the renamed attributes and columns of ``kind`` by their stable names."""
        return {name: field for field, name in self.field_names(kind).items()}


IN_HASHES = Names(KINDS, FIELDS)
IN_FILES = Names(FILE_KINDS, FILE_FIELDS)
