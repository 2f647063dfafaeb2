"""Attributes of objects: how they are captured, put back and described.

An object's attributes are its state, but for what its class leaves out:

- ``not_state``: names of attributes, or True for all its objects. Games may declare it. Classes of
  the framework whose names games see declare ``_transient_attributes`` instead.
- ``_not_hashed``: names of attributes that are captured, but not hashed.
- ``_lasting_attributes``: names of attributes that are hashed, but never change.
- ``_captured_attributes``: names of attributes that the class's own hooks see to, see `kinds`.
"""

from __future__ import annotations

import enum
import functools
import random
import types
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, is_, itemgetter
from typing import Any

import numpy as np

from .stable_names import IN_HASHES
from .values import LEAVES

Put = Callable[[Any, Any], None]
"""Puts something back into a thing."""

Save = tuple[Put, object, object]
"""What puts something back, the thing that it is put back into, and what it was."""

Capture = Callable[[Any, list[Save], list[object]], None]
"""Notes what a thing holds, and the things to be looked at next."""

Description = tuple[object, Sequence[str] | None, Sequence[object]]
"""What a thing is, in what marshal can write; the names of its parts, None for their numbers; and
its parts. Names of attributes are those of `stable_names`; other names are steps, as in "[3]" and ".row".
"""

Describe = Callable[[Any], Description]

Getter = Callable[[Any], tuple[object, ...]]
"""Returns several attributes of a thing, or several values of a dict."""

# Whose objects are of the screen, of the machine, or pictures: no state of a game.
_SCREEN = {"pyglet", "moderngl", "_moderngl", "glcontext"}
_FOREIGN = _SCREEN | {
    "PIL",
    "ctypes",
    "_ctypes",
    "logging",
    "warnings",
    "trimesh",
    "xxhash",
    "pymunk",
    "rapier3d",
}

_MISSING = object()
_set = object.__setattr__

_HOOKED = ("_captured_attributes", "_lasting_attributes")
_PLANS = 64  # of attributes that the things of a class have

Choose = Callable[[tuple[object, ...]], tuple[object, ...]]
# By the classes of attributes, see `_choice_of`.
_choices: dict[tuple[type, ...], tuple[Choose | None, bool]] = {}
_MOST_CHOICES = 4096

_of_screen: set[type] = set()
"""Classes of pyglet and OpenGL that were met: attributes with one are left as they are."""


# -- what is declared ------------------------------------------------------------------------------


def left_alone(kind: type) -> bool:
    """Whether things of a class are no state of a game, or never change."""
    if kind in LEAVES or issubclass(
        kind, type | types.ModuleType | enum.Enum | np.generic | np.dtype
    ):
        return True
    if unnamed(kind, "not_state") is None or issubclass(kind, random.SystemRandom):  # type: ignore[arg-type]
        return True
    return bool(_modules(kind) & _FOREIGN)


def _modules(kind: type) -> set[str]:
    """The packages of a class and its bases. pyglet's vectors and matrices are numbers."""
    return {
        cls.__module__.partition(".")[0] for cls in kind.__mro__ if cls.__module__ != "pyglet.math"
    }


def meet_on_screen(kind: type) -> None:
    """Note a class that is left alone, if it is of the screen."""
    if _modules(kind) & _SCREEN:
        _of_screen.add(kind)
        _choices.clear()


def screen_classes() -> int:
    """Return how many classes of the screen were met."""
    return len(_of_screen)


@functools.cache
def unnamed(kind: Any, *declarations: str) -> frozenset[str] | None:
    """The attributes that a class and its bases name in declarations such as ``not_state``; None
    for all of them.
    """
    names: set[str] = set()
    if "not_state" in declarations:
        declarations += ("_transient_attributes",)
    for cls in kind.__mro__:
        for declaration in declarations:
            given = vars(cls).get(declaration, ())
            if given is True:
                return None
            if isinstance(given, str) or not all(isinstance(name, str) for name in given or ()):
                where = f"in {cls.__qualname__}, or True"
                raise TypeError(f"{declaration}: expected a tuple of names of attributes {where}")
            names.update(given or ())
    return frozenset(names)


def slots_of(kind: type) -> tuple[str, ...]:
    """The slots of a class and its bases, by the names by which they are reached from outside."""
    names: list[str] = []
    for cls in kind.__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            mangled = name.startswith("__") and not name.endswith("__")
            names.append(f"_{cls.__name__.lstrip('_')}{name}" if mangled else name)
    return tuple(name for name in dict.fromkeys(names) if name not in ("__dict__", "__weakref__"))


def has_dict(kind: type) -> bool:
    """Whether things of a class have a ``__dict__``."""
    return bool(kind.__dictoffset__)


# -- captured --------------------------------------------------------------------------------------


def attribute_captures(kind: type, slots: tuple[str, ...]) -> list[Capture]:
    """Return how the attributes of a class are captured, of which ``slots`` are slots."""
    left = unnamed(kind, "not_state", *_HOOKED) or frozenset()
    captures: list[Capture] = []
    slots = tuple(name for name in slots if name not in left)
    if slots:
        captures.append(_slots_taker(slots))
    if has_dict(kind):
        captures.append(_some_attributes_taker(left) if left else capture_attributes)
    return captures


def _attributes_taker(left: frozenset[str]) -> Capture:
    """Captures all attributes but those ``left``, and those that are of the screen: these may have
    been made anew.
    """

    def take(thing: object, saves: list[Save], queue: list[object]) -> None:
        attributes: dict[str, object] = thing.__dict__
        held = attributes.copy()
        for name in left:
            held.pop(name, None)
        more = [value for value in held.values() if value.__class__ not in LEAVES]
        if not _of_screen.isdisjoint(map(type, more)):
            held = {
                name: value for name, value in held.items() if value.__class__ not in _of_screen
            }
        saves.append((put, attributes, held))
        queue += more

    def put(attributes: dict[str, object], held: dict[str, object]) -> None:
        attributes.update(held)
        if len(attributes) > len(held):
            for name in attributes.keys() - held.keys() - left:
                if attributes[name].__class__ not in _of_screen:
                    del attributes[name]

    return take


capture_attributes = _attributes_taker(frozenset())


def _some_attributes_taker(left: frozenset[str]) -> Capture:
    """The same, for classes whose things all have the same attributes, as a rule: which to take is
    found out once.
    """
    plans: dict[tuple[str, ...], _Plan] = {}
    plan = _plan_for((), left)
    take_copied = _attributes_taker(left)

    def take(thing: object, saves: list[Save], queue: list[object]) -> None:
        nonlocal plan
        attributes: dict[str, object] = thing.__dict__
        size, number, get, _ = plan
        try:
            held = get(attributes)[:number] if len(attributes) == size else None
        except KeyError:
            held = None
        if held is None:  # it has not those of the last one
            found = tuple(attributes)
            if found not in plans and len(plans) < _PLANS:
                plans[found] = _plan_for(found, left)
            if found not in plans:
                take_copied(thing, saves, queue)
                return
            plan = plans[found]
            held = plan[2](attributes)[: plan[1]]
        kinds = tuple(map(type, held))
        choose, screen = _choices.get(kinds) or _choice_of(kinds)
        if screen:
            take_copied(thing, saves, queue)
            return
        if choose is not None:
            queue += choose(held)
        saves.append((put, attributes, (plan, held)))

    def put(attributes: dict[str, object], saved: tuple[_Plan, tuple[object, ...]]) -> None:
        (size, _, get, names), held = saved
        try:
            if len(attributes) == size and all(map(is_, get(attributes), held)):
                return
        except KeyError:
            pass
        attributes.update(zip(names, held, strict=True))
        for name in attributes.keys() - {*names} - left:
            if attributes[name].__class__ not in _of_screen:
                del attributes[name]

    return take


_Plan = tuple[int, int, Getter, tuple[str, ...]]
"""Which attributes of a thing are taken: how many it has, how many of them are, what fetches all of
them, those that are taken first (so it fails where one is missing), and their names."""


def _plan_for(found: tuple[str, ...], left: frozenset[str]) -> _Plan:
    names = tuple(name for name in found if name not in left)
    fetched = (*names, *left.intersection(found))
    get = _values_getter(fetched)
    return len(found), len(names), get, names


def _choice_of(kinds: tuple[type, ...]) -> tuple[Choose | None, bool]:
    """Which of values of these classes are to be looked at, found out once; and whether some are of
    the screen.
    """
    places = [place for place, kind in enumerate(kinds) if kind not in LEAVES]
    choose: Choose | None = itemgetter(*places) if len(places) > 1 else None
    if len(places) == 1:
        choose = itemgetter(slice(places[0], places[0] + 1))
    if len(_choices) >= _MOST_CHOICES:
        _choices.clear()
    found = _choices[kinds] = choose, not _of_screen.isdisjoint(kinds)
    return found


def _slots_taker(names: tuple[str, ...]) -> Capture:
    get = _attributes_getter(names)

    def take(thing: object, saves: list[Save], queue: list[object]) -> None:
        try:
            held = get(thing)
        except AttributeError:  # of one that was never set
            held = tuple([getattr(thing, name, _MISSING) for name in names])
        saves.append((put, thing, held))
        kinds = tuple(map(type, held))
        choose, _ = _choices.get(kinds) or _choice_of(kinds)
        if choose is not None:
            queue += choose(held)

    def put(thing: object, held: tuple[object, ...]) -> None:
        try:
            if all(map(is_, get(thing), held)):
                return
        except AttributeError:  # one by one
            pass
        for name, value in zip(names, held, strict=True):
            if getattr(thing, name, _MISSING) is not value:
                if value is _MISSING:
                    object.__delattr__(thing, name)
                else:
                    _set(thing, name, value)

    return take


# -- described -------------------------------------------------------------------------------------


_ORDERS = 64  # in which a class has its attributes, that are remembered


def attributes_describer(kind: type, slots: tuple[str, ...], left: frozenset[str]) -> Describe:
    """Return how the attributes of a class are described, but for those ``left``, in the order of
    their names in hashes.
    """
    head = IN_HASHES.name_of(kind)
    names_of: Mapping[str, str] = IN_HASHES.field_names(kind)

    def name_of(attribute: str) -> str:
        return names_of.get(attribute, attribute)

    slots = tuple(sorted([slot for slot in slots if slot not in left], key=name_of))
    slot_names = tuple(map(name_of, slots))
    get = _attributes_getter(slots)
    orders: dict[tuple[str, ...], tuple[Getter, tuple[str, ...]]] = {}

    def describe(thing: object) -> Description:
        attributes: dict[str, object] = thing.__dict__
        found = tuple(attributes)
        known = orders.get(found)
        if known is None:
            if len(orders) >= _ORDERS:
                orders.clear()
            chosen = sorted([key for key in found if key not in left], key=name_of)
            known = orders[found] = _values_getter(chosen), tuple(map(name_of, chosen))
        values, names = known
        return head, names, values(attributes)

    def describe_slots(thing: object) -> Description:
        try:
            return head, slot_names, get(thing)
        except AttributeError:  # of one that was never set
            there = [slot for slot in slots if hasattr(thing, slot)]
            return head, tuple(map(name_of, there)), [getattr(thing, slot) for slot in there]

    def describe_both(thing: object) -> Description:
        (_, some, held), (_, others, more) = describe_slots(thing), describe(thing)
        return head, (*(some or ()), *(others or ())), [*held, *more]

    if not has_dict(kind):
        return describe_slots if slots else describe_nothing
    return describe_both if slots else describe


def describe_nothing(thing: object) -> Description:
    """Describe a thing by its class alone."""
    return IN_HASHES.name_of(thing.__class__), None, ()


def _values_getter(names: Sequence[str]) -> Getter:
    """Return what takes the values of these names out of a dict."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda attributes: tuple([attributes[name] for name in names])


def _attributes_getter(names: tuple[str, ...]) -> Getter:
    """Return what takes the attributes of these names of a thing."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda thing: tuple([getattr(thing, name) for name in names])
