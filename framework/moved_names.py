"""Moved names: errors that contain the new name of a renamed class, function, attribute or option.

Each old name is declared beside the code with the new name. `moved` declares attributes and
methods, `renamed_options` options of a function, and `renamed_functions` functions of a module. The
dict `CLASSES` contains the renamed public classes. The command `framework upgrade` uses the same
declarations to rewrite programs.
"""

from __future__ import annotations

import functools
import inspect
from abc import ABCMeta
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, ParamSpec, TypeVar

C = TypeVar("C", bound=type)
P = ParamSpec("P")
R = TypeVar("R")

_PAGE = "(docs/migrating.md lists all names that moved)"

CLASSES: dict[str, str] = {
    "FullScreen": "FullscreenQuad",
    "Heat": "HeatHaze",
    "HookedSprites": "VertexSprites",
    "Lamp": "Light2D",
    "Light": "Light3D",
    "Monitor": "FrameStats",
    "Pad": "Gamepad",
    "Pads": "Gamepads",
    "Segments": "SpriteSegments",
    "States": "StateMachine",
    "Trails": "Afterimage",
}
"""Renamed public classes: the old name and the new name. Reading the old name from the package
raises an error with the new name.
"""

OPTIONS: dict[str, dict[str, str]] = {}
"""Renamed options: the function, as messages write it, then old and new names.

The function is ``Class`` for a constructor, and otherwise ``Class.method`` or ``module.function``.
"""

FUNCTIONS: dict[str, dict[str, str]] = {}
"""Renamed functions of public modules: the module, as ``"collide"``, then old and new names."""

COLUMNS: dict[str, str] = {"spin": "angular_velocity"}
"""Renamed columns of batches. The error messages about an unknown column use `COLUMNS`."""


class Absent:
    """A descriptor for a name that objects of a class do not have. Reading the attribute raises
    `AttributeError` with advice. `dir` and Tab completion do not show the name.
    """

    message: str

    def __get__(self, instance: object, owner: type) -> Any:
        # Without name and obj: Python would append a hint of its own.
        raise AttributeError(self.message, name=None, obj=None)


class Moved(Absent):
    """A descriptor for an attribute name of an earlier version. Reading the old attribute raises
    `AttributeError` with the new name.

    A game or scene may use the old name for an attribute of its own.
    """

    def __init__(self, owner: str, old: str, new: str, advice: str = "") -> None:
        """``new`` is a path of attributes, starting at the object. ``new`` may also be an
        expression with a call, in which ``owner`` is the word for the object. ``advice`` is a
        further sentence of the message.
        """
        self.owner, self.old, self.new = owner, old, new
        replacement = new if self.is_call else f"{owner}.{new}"
        verb = "moved" if self.is_call or "." in new else "renamed"
        advice = f"; {advice}" if advice else ""
        self.message = f"{owner}.{old}: {verb} to {replacement} {_PAGE}{advice}"

    @property
    def is_call(self) -> bool:
        """Whether the replacement is an expression with a call, such as ``len(batch.images)``."""
        return "(" in self.new


class MovedSetting(Moved):
    """A `Moved` name of an attribute that programs also set. Setting the old attribute also raises
    `AttributeError`.
    """

    def __set__(self, instance: object, value: Any) -> NoReturn:
        raise AttributeError(self.message)


class MovedHook(MovedSetting):
    """A `Moved` name of a method or class attribute that subclasses define.

    `check_hooks` raises `TypeError` for a subclass that defines the old name. Setting the old name
    on an object raises `AttributeError`. Otherwise ``self.hides_below = True`` would be accepted
    and change nothing.
    """


def moved(
    owner: str,
    names: Mapping[str, str],
    settings: Mapping[str, str] | None = None,
    hooks: Mapping[str, str] | None = None,
    advice: Mapping[str, str] | None = None,
) -> Callable[[C], C]:
    """Return a class decorator that declares the moved names of a class.

    ``owner`` is the word that error messages use for an object of the class. Each dict maps an old
    name to its replacement, an attribute or a call: ``{"press": "testing.press", "image_count":
    "len(batch.images)"}``. ``settings`` maps names that programs also set, and ``hooks`` maps names
    that subclasses define. ``advice`` maps some of these old names to a further sentence of the
    message.
    """

    def decorate(kind: C) -> C:
        declarations = ((Moved, names), (MovedSetting, settings or {}), (MovedHook, hooks or {}))
        for descriptor, mapping in declarations:
            for old, new in mapping.items():
                setattr(kind, old, descriptor(owner, old, new, (advice or {}).get(old, "")))
        return kind

    return decorate


def check_hooks(kind: type) -> None:
    """Raise `TypeError` if the class ``kind`` defines a hook under its old name.

    Base classes with moved hooks call `check_hooks` in ``__init_subclass__``.
    """
    for name in vars(kind):
        for base in kind.__mro__[1:]:
            hook = vars(base).get(name)
            if isinstance(hook, MovedHook):
                raise TypeError(f"{kind.__name__}.{name}: renamed to {hook.new} {_PAGE}")


def renamed_options(function: str, **names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator for a function whose options had other names in earlier versions.

    ``function`` is the name of the function in error messages, such as ``"Scene.tween"``, or
    ``"SpriteBatch"`` for a constructor. ``names`` maps each old option name to the new one. A call
    with an old option name raises `TypeError` with the new name. The decorator adds about 0.1 µs to
    each call. A function that already has a parameter ``**options`` calls `check_options` instead.
    """
    OPTIONS.setdefault(function, {}).update(names)

    def decorate(call: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(call)
        def checked(*args: P.args, **options: P.kwargs) -> R:
            if options and not names.keys().isdisjoint(options):
                check_options(function, options)
            return call(*args, **options)

        return checked

    return decorate


def check_options(function: str, options: Mapping[str, object]) -> None:
    """Raise `TypeError` if ``options`` contains a renamed option of ``function``. See
    `renamed_options`.
    """
    for old, new in OPTIONS.get(function, {}).items():
        if old in options:
            raise TypeError(f"{function}({old}=…): renamed to {new}= {_PAGE}")


def renamed_functions(
    module: str, advice: Mapping[str, str] | None = None, /, **names: str
) -> Callable[[str], NoReturn]:
    """Return a ``__getattr__`` for a public module whose functions had other names in earlier
    versions.

    ``module`` is the name of the module in error messages, such as ``"collide"``. ``advice`` has
    names of other engines, each with advice. Type checkers must not see the assignment: ``if not
    TYPE_CHECKING: __getattr__ = renamed_functions("collide", cast="raycast")``.
    """
    FUNCTIONS.setdefault(module, {}).update(names)

    def get(name: str) -> NoReturn:
        if name in names:
            raise AttributeError(f"{module}.{name}: renamed to {module}.{names[name]} {_PAGE}")
        hint = f"; {advice[name]}" if advice and name in advice else ""
        raise AttributeError(f"module {module!r} has no attribute {name!r}{hint}")

    return get


def renamed_column(name: str) -> str | None:
    """Return the error message for the old name of a renamed column, or None for any other name."""
    return f"{name}: renamed to {COLUMNS[name]} {_PAGE}" if name in COLUMNS else None


def renamed_class(name: str) -> str | None:
    """Return the error message for the old name of a renamed public class, or None for any other
    name.
    """
    return f"{name}: renamed to {CLASSES[name]} {_PAGE}" if name in CLASSES else None


def moved_message(kind: type, name: str) -> str | None:
    """Return the error message for a moved name of the class ``kind``, or for a name that only
    other engines have. Return None for any other name.

    Classes with ``__getattr__`` call `moved_message`, because Python calls ``__getattr__`` for
    moved names too.
    """
    descriptor = inspect.getattr_static(kind, name, None)
    return descriptor.message if isinstance(descriptor, Absent) else None


def current_names(kind: type, names: Iterable[str]) -> list[str]:
    """Return ``names`` without the moved names and the names of other engines, for `dir` of the
    class ``kind``.
    """
    return [
        name for name in names if not isinstance(inspect.getattr_static(kind, name, None), Absent)
    ]


class WithMoved(ABCMeta):
    """The metaclass of classes whose moved names do not appear in `dir`, such as scenes.

    The metaclass derives from `ABCMeta`. Otherwise a subclass could not derive from `abc.ABC` too.
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
