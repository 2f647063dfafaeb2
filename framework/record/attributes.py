"""Read and restore the attributes of a game's objects, for snapshots and state hashes.

The state of an object consists of its attributes. A class can exclude attributes with these class
attributes:

- ``not_state``: names of attributes that snapshots and hashes ignore, or True to ignore all objects
  of the class. Use ``not_state`` in the classes of your game. Public classes of the framework use
  ``_transient_attributes`` instead.
- ``_not_hashed``: names of attributes that hashes ignore, but snapshots contain.
- ``_lasting_attributes``: names of attributes whose values never change. Snapshots ignore them, but
  hashes contain them.
- ``_captured_attributes``: names of attributes whose state is captured by the method ``_capture``
  (see `kinds`).
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

from .immutables import LEAVES
from .stable_names import IN_HASHES

Put = Callable[[Any, Any], None]
"""A function ``put(obj, state)`` that restores the captured state of an object."""

Save = tuple[Put, object, object]
"""The captured state of an object, as a tuple: the function that restores the object, the object,
and its state.
"""

Capture = Callable[[Any, list[Save], list[object]], None]
"""A function that captures an object for a snapshot. It appends the state of the object to the
first list, and all objects to which the object refers to the second list.
"""

Description = tuple[object, Sequence[str] | None, Sequence[object]]
"""A description of an object for hashes. It has three parts: the head, the names, and the values.

The head contains the class of the object, in a form that `marshal` can write. The values in a
description are the object's attributes, or the items of a container. The names are None for a list.
The names of attributes come from the module `stable_names`. Other names have the form "[3]" or
".row".
"""

Describe = Callable[[Any], Description]

Getter = Callable[[Any], tuple[object, ...]]
"""A function that returns several values of an object or a dict in one call."""

# Packages whose objects are not part of the game state, such as windows, OpenGL objects and images.
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
_PLANS = 64  # maximum number of cached plans per class, one for each set of attributes

Choose = Callable[[tuple[object, ...]], tuple[object, ...]]
# A cache for `_choice_of`. The keys are the classes of the attributes.
_choices: dict[tuple[type, ...], tuple[Choose | None, bool]] = {}
_MAX_CHOICES = 4096

screen_classes: set[type] = set()
"""The classes of pyglet and OpenGL that captures have found so far. Snapshots do not capture an
attribute that contains an object of one of these classes.
"""


# -- declarations ----------------------------------------------------------------------------------


def left_alone(kind: type) -> bool:
    """Return whether snapshots ignore all objects of this class. Snapshots ignore objects that
    never change, and objects that are not part of the game's state.
    """
    if kind in LEAVES or issubclass(
        kind, type | types.ModuleType | enum.Enum | np.generic | np.dtype
    ):
        return True
    if unnamed(kind, "not_state") is None or issubclass(kind, random.SystemRandom):  # type: ignore[arg-type]
        return True
    return bool(_modules(kind) & _FOREIGN)


def _modules(kind: type) -> set[str]:
    """Return the names of the packages that define a class and its base classes. The function
    ignores ``pyglet.math``, because vectors and matrices contain only numbers.
    """
    return {
        cls.__module__.partition(".")[0] for cls in kind.__mro__ if cls.__module__ != "pyglet.math"
    }


def meet_on_screen(kind: type) -> None:
    """If a class belongs to pyglet or OpenGL, add the class to `screen_classes`."""
    if _modules(kind) & _SCREEN:
        screen_classes.add(kind)
        _choices.clear()


@functools.cache
def unnamed(kind: Any, *declarations: str) -> frozenset[str] | None:
    """Return all attribute names that a class and its base classes list in the class attributes
    ``declarations``, such as ``"not_state"``.

    Return None if one of these class attributes is True, which excludes all attributes.
    """
    names: set[str] = set()
    if "not_state" in declarations:
        declarations += ("_transient_attributes",)
    for cls in kind.__mro__:
        for declaration in declarations:
            declared_names = vars(cls).get(declaration, ())
            if declared_names is True:
                return None
            if isinstance(declared_names, str) or not all(
                isinstance(name, str) for name in declared_names or ()
            ):
                example = f"in {cls.__qualname__}, or True"
                raise TypeError(f"{declaration}: expected a tuple of names of attributes {example}")
            names.update(declared_names or ())
    return frozenset(names)


def slots_of(kind: type) -> tuple[str, ...]:
    """Return all names in ``__slots__`` of a class and its base classes. A private name is returned
    as Python stores it, such as ``_Ship__fuel``.
    """
    names: list[str] = []
    for cls in kind.__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            mangled = name.startswith("__") and not name.endswith("__")
            names.append(f"_{cls.__name__.lstrip('_')}{name}" if mangled else name)
    return tuple(name for name in dict.fromkeys(names) if name not in ("__dict__", "__weakref__"))


def has_dict(kind: type) -> bool:
    """Return whether objects of a class have a ``__dict__``."""
    return bool(kind.__dictoffset__)


# -- capture ---------------------------------------------------------------------------------------


def attribute_captures(kind: type, slots: tuple[str, ...]) -> list[Capture]:
    """Return the functions that capture the attributes of an object for snapshots. ``slots``
    contains the names in ``__slots__`` to capture.
    """
    left = unnamed(kind, "not_state", *_HOOKED) or frozenset()
    captures: list[Capture] = []
    slots = tuple(name for name in slots if name not in left)
    if slots:
        captures.append(_slots_taker(slots))
    if has_dict(kind):
        captures.append(_some_attributes_taker(left) if left else capture_attributes)
    return captures


def _attributes_taker(left: frozenset[str]) -> Capture:
    """Return a function that captures all attributes of an object, except the attributes named in
    ``left``.

    The returned function also ignores objects of pyglet and OpenGL, because the game may replace
    such objects before the snapshot is restored.
    """

    def capture(obj: object, saves: list[Save], queue: list[object]) -> None:
        attributes: dict[str, object] = obj.__dict__
        saved = attributes.copy()
        for name in left:
            saved.pop(name, None)
        values = [value for value in saved.values() if value.__class__ not in LEAVES]
        if not screen_classes.isdisjoint(map(type, values)):
            saved = {
                name: value
                for name, value in saved.items()
                if value.__class__ not in screen_classes
            }
        saves.append((put, attributes, saved))
        queue += values

    def put(attributes: dict[str, object], saved: dict[str, object]) -> None:
        attributes.update(saved)
        if len(attributes) > len(saved):
            for name in attributes.keys() - saved.keys() - left:
                if attributes[name].__class__ not in screen_classes:
                    del attributes[name]

    return capture


capture_attributes = _attributes_taker(frozenset())


def _some_attributes_taker(left: frozenset[str]) -> Capture:
    """Return a function that captures the same attributes as the function from `_attributes_taker`.
    It is faster if all objects of a class have the same attributes.

    For objects with the same attribute names, the returned function decides only once which
    attributes to capture.
    """
    plans: dict[tuple[str, ...], _Plan] = {}
    plan = _plan_for((), left)
    take_copied = _attributes_taker(left)

    def capture(obj: object, saves: list[Save], queue: list[object]) -> None:
        nonlocal plan
        attributes: dict[str, object] = obj.__dict__
        size, number, get, _ = plan
        try:
            values = get(attributes)[:number] if len(attributes) == size else None
        except KeyError:
            values = None
        if values is None:  # this object has different attributes than the last object
            key = tuple(attributes)
            if key not in plans and len(plans) < _PLANS:
                plans[key] = _plan_for(key, left)
            if key not in plans:
                take_copied(obj, saves, queue)
                return
            plan = plans[key]
            values = plan[2](attributes)[: plan[1]]
        kinds = tuple(map(type, values))
        choose, screen = _choices.get(kinds) or _choice_of(kinds)
        if screen:
            take_copied(obj, saves, queue)
            return
        if choose is not None:
            queue += choose(values)
        saves.append((put, attributes, (plan, values)))

    def put(attributes: dict[str, object], saved: tuple[_Plan, tuple[object, ...]]) -> None:
        (size, _, get, names), values = saved
        try:
            if len(attributes) == size and all(map(is_, get(attributes), values)):
                return
        except KeyError:
            pass
        attributes.update(zip(names, values, strict=True))
        for name in attributes.keys() - {*names} - left:
            if attributes[name].__class__ not in screen_classes:
                del attributes[name]

    return capture


_Plan = tuple[int, int, Getter, tuple[str, ...]]
"""A plan for capturing objects with the same attribute names.

A plan has four parts: the number of all attributes, the number of captured attributes, a function,
and the names of the captured attributes. The function returns the values of all attributes. The
captured attributes come first. The function raises `KeyError` if an attribute is missing.
"""


def _plan_for(present: tuple[str, ...], left: frozenset[str]) -> _Plan:
    names = tuple(name for name in present if name not in left)
    fetched = (*names, *left.intersection(present))
    get = _values_getter(fetched)
    return len(present), len(names), get, names


def _choice_of(kinds: tuple[type, ...]) -> tuple[Choose | None, bool]:
    """Return a function that selects the items of a tuple that may refer to other objects, or None
    if no item does. ``kinds`` contains the class of each item.

    The second return value is True if one of the classes belongs to pyglet or OpenGL. Both return
    values are cached for each tuple of classes.
    """
    indices = [index for index, kind in enumerate(kinds) if kind not in LEAVES]
    choose: Choose | None = itemgetter(*indices) if len(indices) > 1 else None
    if len(indices) == 1:
        choose = itemgetter(slice(indices[0], indices[0] + 1))
    if len(_choices) >= _MAX_CHOICES:
        _choices.clear()
    choice = _choices[kinds] = choose, not screen_classes.isdisjoint(kinds)
    return choice


def _slots_taker(names: tuple[str, ...]) -> Capture:
    get = _attributes_getter(names)

    def capture(obj: object, saves: list[Save], queue: list[object]) -> None:
        try:
            saved = get(obj)
        except AttributeError:  # some slots may have no value
            saved = tuple([getattr(obj, name, _MISSING) for name in names])
        saves.append((put, obj, saved))
        kinds = tuple(map(type, saved))
        choose, _ = _choices.get(kinds) or _choice_of(kinds)
        if choose is not None:
            queue += choose(saved)

    def put(obj: object, saved: tuple[object, ...]) -> None:
        try:
            if all(map(is_, get(obj), saved)):
                return
        except AttributeError:  # some slots may have no value
            pass
        for name, value in zip(names, saved, strict=True):
            if getattr(obj, name, _MISSING) is not value:
                if value is _MISSING:
                    object.__delattr__(obj, name)
                else:
                    _set(obj, name, value)

    return capture


# -- descriptions ----------------------------------------------------------------------------------


_ORDERS = 64  # maximum number of cached orders of attributes of a class


def attributes_describer(kind: type, slots: tuple[str, ...], left: frozenset[str]) -> Describe:
    """Return a function that describes an object's attributes for hashes. The returned function
    ignores the attributes ``left``, and sorts all other attributes by their stable names. See
    `stable_names`.
    """
    head = IN_HASHES.name_of(kind)
    names_of: Mapping[str, str] = IN_HASHES.field_names(kind)

    def name_of(attribute: str) -> str:
        return names_of.get(attribute, attribute)

    slots = tuple(sorted([slot for slot in slots if slot not in left], key=name_of))
    slot_names = tuple(map(name_of, slots))
    get = _attributes_getter(slots)
    orders: dict[tuple[str, ...], _Order] = {}

    order = _order_of((), left, name_of)

    def describe(obj: object) -> Description:
        nonlocal order
        attributes: dict[str, object] = obj.__dict__
        size, number, get, names = order
        try:
            values = get(attributes) if len(attributes) == size else None
        except KeyError:
            values = None
        if values is None:  # this object has different attributes than the last object
            present = tuple(attributes)
            if present not in orders:
                if len(orders) >= _ORDERS:
                    orders.clear()
                orders[present] = _order_of(present, left, name_of)
            order = orders[present]
            _, number, get, names = order
            values = get(attributes)
        return head, names, values[:number]

    def describe_slots(obj: object) -> Description:
        try:
            return head, slot_names, get(obj)
        except AttributeError:  # some slots may have no value
            present = [slot for slot in slots if hasattr(obj, slot)]
            return head, tuple(map(name_of, present)), [getattr(obj, slot) for slot in present]

    def describe_both(obj: object) -> Description:
        _, names_of_slots, slot_values = describe_slots(obj)
        _, other_names, other_values = describe(obj)
        names = (*(names_of_slots or ()), *(other_names or ()))
        return head, names, [*slot_values, *other_values]

    if not has_dict(kind):
        return describe_slots if slots else describe_nothing
    return describe_both if slots else describe


_Order = tuple[int, int, Getter, tuple[str, ...]]
"""A plan for reading the attributes of objects with the same attribute names, like `_Plan`. The
last item contains the stable names of these attributes.
"""


def _order_of(
    present: tuple[str, ...], left: frozenset[str], name_of: Callable[[str], str]
) -> _Order:
    chosen = sorted([name for name in present if name not in left], key=name_of)
    get = _values_getter((*chosen, *left.intersection(present)))
    return len(present), len(chosen), get, tuple(map(name_of, chosen))


def describe_nothing(obj: object) -> Description:
    """Return the description of an object without state, for hashes."""
    return IN_HASHES.name_of(obj.__class__), None, ()


def _values_getter(names: Sequence[str]) -> Getter:
    """Return a function that reads the values for the keys ``names`` from a dict and returns them
    as a tuple.
    """
    if len(names) > 1:
        return itemgetter(*names)
    return lambda attributes: tuple([attributes[name] for name in names])


def _attributes_getter(names: tuple[str, ...]) -> Getter:
    """Return a function that reads the attributes ``names`` of an object and returns their values
    as a tuple.
    """
    if len(names) > 1:
        return attrgetter(*names)
    return lambda obj: tuple([getattr(obj, name) for name in names])
