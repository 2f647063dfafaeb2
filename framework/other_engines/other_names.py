"""Raise an error with this framework's name if a program uses another engine's name.

`other_names` declares names that users of other engines try first, such as ``game.time_scale``.
Each declared name is a descriptor in a class, so access to other attributes does not become slower.
Some names only cause a warning. The module `moved_names` contains the old names of this framework
itself.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

from ..checks import UnknownAttribute, unknown_attribute
from ..moved_names import Absent, current_names
from .game_code import is_framework, is_read

C = TypeVar("C", bound=type)


_SILENCE = "If the name is your own, declare it in the class: own_names = ({name!r},)"


_PLAIN = (str, bytes, int, float, tuple, list)  # a bool is also an int


class OtherName(Absent):
    """A descriptor for a name that only other engines use. Reading the attribute raises
    `AttributeError` with advice.
    """

    def __init__(self, owner: str, name: str, advice: str) -> None:
        self.name = name
        self.advice = advice
        self.message = f"{owner}.{name}: there is no such attribute; {advice}"


class OtherSetting(OtherName):
    """An `OtherName` for an attribute that programs also set. Setting the attribute of a framework
    object raises the same error as reading it.

    Objects of a game's own class may use the name for an attribute of their own.
    """

    def __set__(self, instance: object, value: object) -> None:
        kind = type(instance)
        if is_framework(kind.__module__) or not hasattr(instance, "__dict__"):
            raise AttributeError(self.message_for(kind))
        vars(instance)[self.name] = value
        declare_own(kind, [self.name])

    def message_for(self, kind: type) -> str:
        """Return the error message for using the name on an object of the class ``kind``."""
        return self.message


class OwnValue(OtherSetting):
    """An `OtherSetting` for a value that games often store in each row of a batch, such as
    ``sprite.hp``. The error message explains how to declare a column.

    A method ``__setattr__`` could give this advice for every name, but then setting any attribute
    of a row would take twice as long. For other names, the framework adds the advice when the error
    leaves the game's code.
    """

    def __get__(self, instance: object, owner: type) -> Any:
        raise UnknownAttribute(lambda: self.message_for(owner))

    def message_for(self, kind: type) -> str:
        return unknown_attribute(kind, self.name)


class SealedByClass:
    """The base class of framework objects that have a ``__dict__``. If a program sets an attribute
    that the class does not declare, `AttributeError` is raised with the most similar name.

    A class declares its attributes as properties, or lists their names in ``_public_attributes``. A
    game may set any attribute with a leading underscore. If a game defines a subclass, objects of
    this subclass accept any attribute.
    """

    _public_attributes: ClassVar[tuple[str, ...]] = ()

    if not TYPE_CHECKING:  # for type checkers, this method would make every name valid

        def __setattr__(self, name: str, value: object) -> None:
            kind = type(self)
            if type(kind.__dict__.get(name)) is property:  # the usual case
                object.__setattr__(self, name, value)
                return
            if name[0] != "_" and name not in kind._public_attributes:
                declared = static_attribute(kind, name)
                if isinstance(declared, OtherName) and not hasattr(type(declared), "__set__"):
                    if is_framework(kind.__module__):
                        raise AttributeError(declared.message, name=None, obj=None)
                elif declared is None and is_framework(kind.__module__):
                    raise AttributeError(unknown_attribute(kind, name), name=None, obj=None)
            object.__setattr__(self, name, value)


class FreeName(OtherName):
    """An `OtherName` that a class of the game may use for its own attribute.

    Setting the attribute stores the value in the object. If the game's code never reads the
    attribute, the first assignment shows a warning. After the first assignment, the name is an
    ordinary attribute of the class, as fast as any other attribute.
    """

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is not None and self.name in vars(instance):
            return vars(instance)[self.name]
        return super().__get__(instance, owner)

    def __set__(self, instance: object, value: object) -> None:
        kind = type(instance)
        vars(instance)[self.name] = value
        declare_own(kind, [self.name])
        # An object, such as a label in self.title, is only stored: no engine accepts an object
        # here.
        if isinstance(value, _PLAIN) and not is_read(self.name, kind, sys._getframe(1)):
            warnings.warn(
                f"{kind.__name__}.{self.name}: it was set, but nothing reads it; {self.advice}. "
                f"{silenced_by(self.name)}",
                RuntimeWarning,
                stacklevel=2,
            )


def other_names(
    owner: str,
    names: Mapping[str, str],
    settings: Mapping[str, str] | None = None,
    free: Mapping[str, str] | None = None,
    own_values: str = "",
) -> Callable[[C], C]:
    """Return a class decorator that declares names of other engines, each with advice for its error
    message.

    In error messages, ``owner`` is the word for an object of the class. ``settings`` contains names
    that programs also set. Objects of a game's classes may use the names in ``free`` for their own
    attributes. ``own_values`` contains names separated by spaces, for values that games often store
    in each row.
    """

    def decorate(kind: C) -> C:
        declarations = (
            *((OtherName, names), (OtherSetting, settings or {}), (FreeName, free or {})),
            (OwnValue, words(own_values, "")),
        )
        for descriptor, mapping in declarations:
            for name, advice in mapping.items():
                if not isinstance(vars(kind).get(name), Absent | None):
                    raise TypeError(f"{kind.__name__} has {name!r}, which cannot have advice")
                setattr(kind, name, descriptor(owner, name, advice))
        if vars(kind).get("__dir__", getattr(kind, "__dir__", None)) == object.__dir__:
            setattr(kind, "__dir__", _current_dir)  # noqa: B010  (mypy refuses the assignment)
        return kind

    return decorate


def _current_dir(instance: object) -> list[str]:
    """Return the names that `dir` lists for an object: all names except those of other engines."""
    return current_names(type(instance), object.__dir__(instance))


def words(names: str, advice: str) -> dict[str, str]:
    """Return a dict that contains the same advice for each name in ``names``, a string of names
    separated by spaces.
    """
    return dict.fromkeys(names.split(), advice)


class Hinted:
    """A base class for framework objects that give advice about unknown attributes. Reading an
    unknown attribute raises `AttributeError`, and the message contains the most similar name or
    advice about the name of another engine.

    Use `Hinted` only for classes whose attributes are rarely read: before Python 3.12, reading any
    attribute takes about 20 ns longer in a class with ``__getattr__``.
    """

    __slots__ = ()

    _advice: ClassVar[Mapping[str, str]] = {}
    """Advice about names of other engines, by name."""

    if not TYPE_CHECKING:  # for type checkers, this method would make every name valid

        def __getattr__(self, name: str) -> NoReturn:
            kind = type(self)
            if any(name in vars(base) for base in kind.__mro__):
                object.__getattribute__(self, name)  # a property that raised an error itself

            def message() -> str:
                advice = self._advice_on(name)
                if advice is None:
                    advice = unknown_attribute(kind, name).partition("; ")[2]
                return f"{kind.__name__} has no attribute {name!r}; {advice}"

            raise UnknownAttribute(message)

    def _advice_on(self, name: str) -> str | None:
        return self._advice.get(name)


def declare_own(kind: type, names: Iterable[str]) -> None:
    """Convert names of other engines to ordinary attributes of ``kind``, a class of a game.
    ``names`` contains the names that the class uses for its own attributes.
    """
    if is_framework(kind.__module__):
        return
    for name in names:
        descriptor = static_attribute(kind, name)
        if isinstance(descriptor, FreeName | OtherSetting):
            # This is not a data descriptor, so objects read the value from their own dict. Reading
            # a value that was never set still raises the error with advice.
            own = OtherName("", name, descriptor.advice)
            own.message = descriptor.message
            setattr(kind, name, own)
    for base in kind.__mro__:
        if base is not object and not is_framework(base.__module__):
            for name, value in list(vars(base).items()):
                # a mixin that comes after the framework's class
                if name[0] != "_" and isinstance(static_attribute(kind, name), OtherName):
                    setattr(kind, name, value)


def static_attribute(kind: type, name: str) -> Any:
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


def silenced_by(name: str) -> str:
    """Return a sentence that explains how to silence the warning about ``name``."""
    return _SILENCE.format(name=name)
