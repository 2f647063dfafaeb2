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


def kind_name(thing: type | FunctionType) -> str:
    """Return the name of a class or a function in hashes."""
    name = thing.__qualname__
    return KINDS.get(name, name) if KINDS and is_ours(thing) else name


@functools.cache
def field_names(kind: type) -> Mapping[str, str]:
    """Return the names in hashes of those attributes of ``kind`` that are called otherwise."""
    return _merged(kind, FIELDS, KINDS)


@functools.cache
def attributes_in(kind: type) -> Mapping[str, str]:
    """Return the attributes of ``kind`` by those names in hashes that are not their own."""
    return {name: attribute for attribute, name in field_names(kind).items()}


def file_name(kind: type) -> str:
    """Return the name of a class in files."""
    name = kind.__qualname__
    return FILE_KINDS.get(name, name) if FILE_KINDS and is_ours(kind) else name


@functools.cache
def file_field_names(kind: type) -> Mapping[str, str]:
    """Return the names in files of those attributes and columns that are called otherwise."""
    return _merged(kind, FILE_FIELDS, FILE_KINDS)


@functools.cache
def attributes_of_file(kind: type) -> Mapping[str, str]:
    """Return the attributes and columns of ``kind`` by those names in files that are not their
    own.
    """
    return {name: attribute for attribute, name in file_field_names(kind).items()}


def _merged(
    kind: type, fields: Mapping[str, Mapping[str, str]], kinds: Mapping[str, str]
) -> Mapping[str, str]:
    names: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if is_ours(base):
            names |= fields.get(kinds.get(base.__qualname__, base.__qualname__), {})
    return names
