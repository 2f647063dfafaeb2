"""Moved names: errors that name the new place of a name of earlier versions."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, TypeVar

C = TypeVar("C", bound=type)


class Moved:
    """A name of earlier versions. Reading it raises `AttributeError` with the new name.

    A game or scene may reuse the name.
    """

    def __init__(self, owner: str, old: str, new: str) -> None:
        """``new`` is the path from the object, or a call that has the word ``owner`` in it."""
        self.owner, self.old, self.new = owner, old, new
        replacement = new if self.is_call else f"{owner}.{new}"
        self._message = (
            f"{owner}.{old}: moved to {replacement} (docs/migrating.md lists all names that moved)"
        )

    @property
    def is_call(self) -> bool:
        """Whether the new place is an expression with a call, as ``len(batch.images)``."""
        return "(" in self.new

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise AttributeError(self._message)


class MovedSetting(Moved):
    """A `Moved` name that programs set. Setting it raises `AttributeError`, too."""

    def __set__(self, instance: object, value: Any) -> NoReturn:
        raise AttributeError(self._message)


def moved(
    owner: str, names: Mapping[str, str], settings: Mapping[str, str] | None = None
) -> Callable[[C], C]:
    """Return a class decorator that declares moved ``names`` and ``settings`` of earlier versions.

    ``owner`` is the word for an object of the class in messages. The mappings lead from each old
    name to its replacement, an attribute or a call: ``{"press": "testing.press", "image_count":
    "len(batch.images)"}``.
    """

    def decorate(kind: C) -> C:
        for descriptor, mapping in ((Moved, names), (MovedSetting, settings or {})):
            for old, new in mapping.items():
                setattr(kind, old, descriptor(owner, old, new))
        return kind

    return decorate


def current_names(kind: type, names: Iterable[str]) -> list[str]:
    """Return ``names`` without the moved names of a class, for `dir`."""
    return [
        name for name in names if not isinstance(inspect.getattr_static(kind, name, None), Moved)
    ]


class WithMoved(ABCMeta):
    """The metaclass of scenes and schedules, whose moved names do not appear in `dir`.

    It derives from `ABCMeta`, so that a subclass may have `abc.ABC` as another base.
    """

    def __dir__(cls) -> list[str]:
        return current_names(cls, super().__dir__())


class _MovedType(type):
    def __dir__(cls) -> list[str]:
        return current_names(cls, super().__dir__())


class HasMoved(metaclass=_MovedType):
    """A base class whose moved names do not appear in `dir` and Tab completion."""

    __slots__ = ()

    def __dir__(self) -> list[str]:
        return current_names(type(self), super().__dir__())
