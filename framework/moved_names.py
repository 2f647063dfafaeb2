"""Raise an error with the new name if a program uses an old name of the framework.

Classes, functions and options have old names. Each of them is declared beside the code with the new
name. Use `moved` for attributes and methods, `renamed_options` for the options of a function, and
`renamed_functions` for the functions of a module. The dict `CLASSES` contains the public classes
that were renamed. `framework upgrade` uses the same declarations to replace old names in programs.
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
"""Public classes that were renamed: the new name for each old name. Reading the old name from the
package raises an error with the new name.
"""

OPTIONS: dict[str, dict[str, str]] = {}
"""Options that were renamed, by function: the new name for each old name. The key for a constructor
is ``Class``. For any other function, the key is ``Class.method`` or ``module.function``.
"""

FUNCTIONS: dict[str, dict[str, str]] = {}
"""Functions of public modules that were renamed, by module (such as ``"collide"``): the new name
for each old name.
"""

COLUMNS: dict[str, str] = {"spin": "angular_velocity"}
"""Batch columns that were renamed, for the error messages about unknown columns."""


class Absent:
    """A descriptor for an attribute that objects of a class do not have, but that users may expect,
    for example because another engine has it. Reading the attribute raises `AttributeError` with
    advice. The name appears neither in `dir` nor in Tab completion.
    """

    message: str

    def __get__(self, instance: object, owner: type) -> Any:
        # Without name and obj: Python would append a hint of its own.
        raise AttributeError(self.message, name=None, obj=None)


class Moved(Absent):
    """A descriptor for an attribute name from an earlier version. Reading the old attribute raises
    `AttributeError` with the new name.

    A game or a scene may still define its own attribute with the old name.
    """

    def __init__(self, owner: str, old: str, new: str, advice: str = "") -> None:
        """``new`` is the new attribute, or a path of attributes such as ``testing.press``. ``new``
        can also be an expression with a call. In such an expression, ``owner`` is the name of the
        object, for example ``batch`` in ``len(batch.images)``. ``advice`` is an additional sentence
        for the error message.
        """
        self.owner = owner
        self.old = old
        self.new = new
        replacement = new if self.is_call else f"{owner}.{new}"
        verb = "moved" if self.is_call or "." in new else "renamed"
        advice = f"; {advice}" if advice else ""
        self.message = f"{owner}.{old}: {verb} to {replacement} {_PAGE}{advice}"

    @property
    def is_call(self) -> bool:
        """Whether the new name is an expression with a call, such as ``len(batch.images)``."""
        return "(" in self.new


class MovedSetting(Moved):
    """A `Moved` name for an attribute that programs also set. Setting the old attribute raises
    `AttributeError`, too.
    """

    def __set__(self, instance: object, value: Any) -> NoReturn:
        raise AttributeError(self.message)


class MovedHook(MovedSetting):
    """A `Moved` name for a method or class attribute that subclasses define.

    If a subclass defines the old name, `check_hooks` raises `TypeError`. Setting the old name on an
    object raises `AttributeError`, because an assignment such as ``self.hides_below = True`` would
    otherwise silently have no effect.
    """


def moved(
    owner: str,
    names: Mapping[str, str],
    settings: Mapping[str, str] | None = None,
    hooks: Mapping[str, str] | None = None,
    advice: Mapping[str, str] | None = None,
) -> Callable[[C], C]:
    """Return a class decorator that declares the old names of a class.

    ``owner`` is the word for an object of the class in error messages, for example "game". Each
    dict maps old names to their replacements, which are attributes or calls: ``{"press":
    "testing.press", "image_count": "len(batch.images)"}``. ``settings`` contains names that
    programs also set. ``hooks`` contains names that subclasses define. ``advice`` maps old names to
    an additional sentence for the error message.
    """

    def decorate(kind: C) -> C:
        declarations = ((Moved, names), (MovedSetting, settings or {}), (MovedHook, hooks or {}))
        for descriptor, mapping in declarations:
            for old, new in mapping.items():
                setattr(kind, old, descriptor(owner, old, new, (advice or {}).get(old, "")))
        return kind

    return decorate


def check_hooks(kind: type) -> None:
    """Raise `TypeError` if the class ``kind`` defines the old name of a hook.

    A base class with renamed hooks calls this function in ``__init_subclass__``.
    """
    for name in vars(kind):
        for base in kind.__mro__[1:]:
            hook = vars(base).get(name)
            if isinstance(hook, MovedHook):
                raise TypeError(
                    f"{kind.__name__}.{name}: renamed to {hook.new} {_PAGE}. For a method of your "
                    f"own, choose another name, such as my_{name}"
                )


def renamed_options(function: str, **names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator for a function with renamed options.

    ``function`` is the name of the function for error messages, such as ``"Scene.tween"``. For a
    constructor, ``function`` is the name of the class, such as ``"SpriteBatch"``. ``names`` maps
    each old option name to the new name. If a call uses an old name, `TypeError` is raised with the
    new name. The decorator makes each call about 0.1 µs slower. A function with its own parameter
    ``**options`` calls `check_options` instead.
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
    """Raise `TypeError` if ``options`` contains the old name of one of the options of ``function``.
    See `renamed_options`.
    """
    for old, new in OPTIONS.get(function, {}).items():
        if old in options:
            raise TypeError(f"{function}({old}=…): renamed to {new}= {_PAGE}")


def renamed_functions(
    module: str, advice: Mapping[str, str] | None = None, /, **names: str
) -> Callable[[str], NoReturn]:
    """Return a ``__getattr__`` function for a public module whose functions were renamed.

    ``module`` is the name of the module for error messages, such as ``"collide"``. ``advice`` maps
    function names of other engines to advice. Hide the assignment from type checkers: ``if not
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
    """Return the error message for the old name of a column, or None for any other name."""
    return f"{name}: renamed to {COLUMNS[name]} {_PAGE}" if name in COLUMNS else None


def renamed_class(name: str) -> str | None:
    """Return the error message for the old name of a public class, or None for any other name."""
    return f"{name}: renamed to {CLASSES[name]} {_PAGE}" if name in CLASSES else None


def moved_message(kind: type, name: str) -> str | None:
    """Return the error message for an old name of an attribute of the class ``kind``, or for a name
    from another engine. For any other name, return None.

    Classes with ``__getattr__`` call this function, because Python also calls ``__getattr__`` for
    old names.
    """
    descriptor = inspect.getattr_static(kind, name, None)
    return descriptor.message if isinstance(descriptor, Absent) else None


def current_names(kind: type, names: Iterable[str]) -> list[str]:
    """Return ``names`` without old names and without names of other engines, so that `dir` shows
    only the current names of objects of the class ``kind``.
    """
    return [
        name for name in names if not isinstance(inspect.getattr_static(kind, name, None), Absent)
    ]


class WithMoved(ABCMeta):
    """The metaclass of classes whose old names are hidden in `dir`, for example scenes.

    The metaclass is a subclass of `ABCMeta`, so that a class with old names can also be a subclass
    of `abc.ABC`.
    """

    def __dir__(cls) -> list[str]:
        return current_names(cls, super().__dir__())


class _MovedType(type):
    def __dir__(cls) -> list[str]:
        return current_names(cls, super().__dir__())


class HasMoved(metaclass=_MovedType):
    """A base class that hides old names in `dir` and Tab completion."""

    __slots__ = ()

    def __dir__(self) -> list[str]:
        return current_names(type(self), super().__dir__())
