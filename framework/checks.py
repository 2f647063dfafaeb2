"""Check arguments, and raise errors such as ``name: expected …, got …`` if they are invalid.

A value of a wrong type, such as a string instead of a number, raises `TypeError`. An invalid value
of the right type, such as NaN, a negative number or an unknown word, raises `ValueError`. Each
check function returns the value, converted to the type that the framework needs. Every framework
function checks all its arguments first, so a call that raises an error does not change anything.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import os
import re
import reprlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast, overload

if TYPE_CHECKING:  # time steps are counted without numpy
    import numpy as np
    from numpy.typing import ArrayLike, DTypeLike, NDArray

T = TypeVar("T")

_MAX_TEXT = 80  # the maximum length of a value in a message
_MAX_HINT = 300  # the maximum length of a list of alternatives in a message
_SIMILAR = 0.75  # names that are less similar are not suggested as the correct spelling
_CONTAINED = 0.7  # the similarity of a name to a name that contains all its words
_MAX_SIMILAR = 3  # the maximum number of names in "did you mean …?"
_MAX_FACTOR = 16  # of a color: allows bright light, but few colors from 0 to 255
_ROUNDING = 1e-6  # how far a number may be outside a bound because of rounding
_MAX_COLOR_NAME = 32  # the maximum length of a string that may be a misspelled color
_MAX_SHOWN = 8  # the maximum number of array elements in a message
_WORDS = {2: "two", 3: "three", 4: "four"}

_set = object.__setattr__


class Sealed:
    """A base class for objects that accept only the attributes of their class: ``__slots__`` and
    properties.

    Setting an unknown attribute raises `AttributeError`, and the message suggests the most similar
    name. A subclass without ``__slots__``, such as a class in a game, accepts any attribute.
    """

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        try:
            _set(self, name, value)
        except AttributeError as error:
            # A read-only property, or a name that was moved.
            if any(name in vars(base) for base in type(self).__mro__):
                raise
            # Without name and obj: Python would append a hint of its own.
            raise AttributeError(unknown_attribute(type(self), name)) from error


# Attributes with different names in 2D, in 3D, and in other frameworks.
_ALSO_CALLED = {
    "angle": "rotation",
    "rotation": "angle",
    "colour": "color",
    "scale": "zoom",
    "zoom": "scale",
    "texture": "base_texture",
}


class UnknownAttribute(AttributeError):
    """An `AttributeError` that creates its message only when the message is read.

    Finding the most similar name takes milliseconds, and programs that call ``hasattr``, or
    ``getattr`` with a default, never read the message.
    """

    def __init__(self, message: Callable[[], str]) -> None:
        # Python would fill in a missing name, and append a hint of its own.
        super().__init__(name=None, obj=None)
        self._message = message

    def __str__(self) -> str:
        if not self.args:
            self.args = (self._message(),)
        return str(self.args[0])

    def __repr__(self) -> str:
        return f"AttributeError({str(self)!r})"

    def __reduce__(self) -> tuple[type[AttributeError], tuple[str]]:
        return AttributeError, (str(self),)


# In a traceback, the error has the name of the class that programs catch.
UnknownAttribute.__name__ = UnknownAttribute.__qualname__ = AttributeError.__name__
UnknownAttribute.__module__ = AttributeError.__module__


def unknown_attribute(kind: type, name: str) -> str:
    """Return the error message for an attribute that objects of the class ``kind`` do not have."""
    from .moved_names import moved_message

    advice: str | None = getattr(kind, "_advice", {}).get(name)
    if advice is not None:
        return f"{kind.__name__} has no attribute {shown(name)}; {advice}"
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()  # FieldOfView
    if snake != name:
        same = moved_message(kind, snake)
        if same is not None:
            return (
                f"{kind.__name__} has no attribute {shown(name)}; {same.partition('; ')[2] or same}"
            )
    return f"{kind.__name__} has no attribute {shown(name)}; {_attribute_hint(kind, name, snake)}"


def _attribute_hint(kind: type, name: str, snake: str) -> str:
    """Return the similar attributes of a class, or all attributes. ``snake`` is the unknown name in
    the form that attributes have, such as "field_of_view" for "FieldOfView".
    """
    from .moved_names import current_names

    names = [
        public
        for public in current_names(kind, dir(kind))
        if public[0] != "_" and public != "not_state"
    ]
    also = snake if snake in names else _ALSO_CALLED.get(name)
    similar = [also] if also in names else similar_names(snake, names)
    if similar:
        return f"did you mean {' or '.join(map(repr, similar))}?"
    takes_columns: bool = getattr(kind, "_takes_columns", False)
    return how_to_have(name) if takes_columns else f"it has {listed(names)}"


def listed(names: Iterable[str]) -> str:
    """Return names as text for an error message, separated by commas. If the text would be longer
    than 300 characters, some names are left out and the text ends with "…".
    """
    text = ", ".join(names)
    if len(text) <= _MAX_HINT:
        return text
    return f"{text[: _MAX_HINT + 1].rpartition(',')[0]}, …"


def similar_names(name: str, names: Iterable[str]) -> list[str]:
    """Return at most three names that the user may have meant, the most similar name first. The
    returned names are spelled similarly, or contain every word of ``name``.

    Words in a name are separated by underscores. Words that both names contain are not compared,
    because otherwise "add_hinge" would be similar to "add_line".
    """
    similarities = [(_similarity(name, candidate), candidate) for candidate in names]
    ranked = sorted(
        (pair for pair in similarities if pair[0] >= _CONTAINED),
        key=lambda pair: (-pair[0], pair[1]),
    )
    if ranked and ranked[0][0] >= _SIMILAR:  # a misspelling, and no other name
        return [ranked[0][1]]
    return [candidate for _, candidate in ranked] if len(ranked) <= _MAX_SIMILAR else []


def _similarity(name: str, candidate: str) -> float:
    """Return the similarity of two names, from 0 to 1, for `similar_names`."""
    import difflib  # for errors only

    words = name.split("_")
    candidate_words = candidate.split("_")
    own_words = [word for word in words if word not in candidate_words]
    other_words = [word for word in candidate_words if word not in words]
    if not own_words and not other_words:
        return 1.0  # the same words in another order
    if not own_words or (not other_words and len(candidate_words) > 1):
        return _CONTAINED
    whole_ratio = difflib.SequenceMatcher(None, candidate, name).ratio()
    different = difflib.SequenceMatcher(None, "_".join(other_words), "_".join(own_words)).ratio()
    ratio = min(whole_ratio, different)
    if len(name) >= 4 and sorted(name) == sorted(candidate):
        return max(ratio, _SIMILAR)  # the same letters in another order
    return ratio if ratio >= _SIMILAR else 0.0


def how_to_have(name: str) -> str:
    """Return the advice, for an error message, how a game can add its own attribute ``name`` to
    each row of a batch.
    """
    return f"for a value of your own in each row, make the batch with columns={{{name!r}: 0.0}}"


class Setting(property, Generic[T]):
    """A property that checks its new values: ``fog = Setting(at_least_0, "The density of …")``.

    ``check(name, value)`` is a function that returns the value to store, or raises an error. The
    value is stored in an attribute with the name of the property and a leading underscore. A
    subclass that stores its values elsewhere must override `read` and `keep`.
    """

    def __init__(self, check: Callable[[str, Any], T], doc: str) -> None:
        super().__init__()
        self.check = check
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.slot = f"_{name}"
        # Settings are read in every frame, and attrgetter is fast because it runs in C.
        read = operator.attrgetter(self.slot) if type(self).read is Setting.read else self.read
        doc = self.__doc__
        super().__init__(read, self._write)
        self.__doc__ = doc  # replaces attrgetter's docstring

    if TYPE_CHECKING:

        @overload  # type: ignore[override]
        def __get__(self, target: None, owner: type) -> Self: ...
        @overload
        def __get__(self, target: object, owner: type) -> T: ...
        def __get__(self, target: object | None, owner: type) -> Self | T: ...

    def _write(self, target: object, value: object) -> None:
        self.keep(target, self.check(self.name, value))

    def read(self, target: Any) -> T:
        """Return the value of this property in the object ``target``."""
        value: T = getattr(target, self.slot)
        return value

    def keep(self, target: Any, value: Any) -> None:
        """Store a checked value of this property in the object ``target``."""
        _set(target, self.slot, value)


def shown(value: object) -> str:
    """Return ``repr(value)`` for an error message, as one line of at most 80 characters."""
    try:
        if getattr(value, "ndim", 0) and hasattr(value, "dtype"):
            text = f"{value.dtype} of shape {value.shape}"  # type: ignore[attr-defined]
            if value.size <= _MAX_SHOWN:  # type: ignore[attr-defined]
                text = f"{text}: {value.tolist()}"  # type: ignore[attr-defined]
        elif isinstance(value, FunctionType | MethodType):
            text = f"the function {value.__name__}"
        else:
            text = (
                _brief.repr(value)
                if isinstance(value, str | list | tuple | dict | set)
                else repr(value)
            )
    except Exception:  # a game's __repr__, or an int with thousands of digits
        text = f"something of class {type(value).__name__}"
    text = " ".join(_ADDRESS.sub("", text).split())
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"


_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # memory addresses do not help the reader

_brief = reprlib.Repr()
_brief.maxstring = _brief.maxother = _MAX_TEXT
_brief.maxlist = _brief.maxtuple = _MAX_SHOWN


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the three names in ``names`` that are most similar to ``name``, separated by commas.
    Names with a leading underscore are left out.
    """
    import difflib  # for errors only

    public = [candidate for candidate in names if not candidate.startswith("_")]
    return ", ".join(difflib.get_close_matches(name.lower(), public, 3, 0.0)) or "(none)"


def rotation_advice(name: str, width: int) -> str:
    """Return the end of an error message about a rotation in 3D, or "" if ``name`` is not a column
    of rotations. ``width`` is the number of values per row in the column ``name``.
    """
    if name != "rotation" or width != 4:
        return ""
    return (
        "; a rotation is a quaternion (x, y, z, w): write quaternions.from_euler(yaw, pitch, roll), "
        "or quaternions.from_axis((0, 1, 0), angle), in radians"
    )


def wrong_type(name: str, expected: str, value: object) -> TypeError:
    """Return the `TypeError` for a value of the wrong type."""
    return TypeError(f"{name}: expected {expected}, got {shown(value)}")


def wrong_value(name: str, expected: str, value: object) -> ValueError:
    """Return the `ValueError` for an invalid value of the right type."""
    return ValueError(f"{name}: expected {expected}, got {shown(value)}")


# -- numbers ---------------------------------------------------------------------------------------


def is_flag(value: object) -> bool:
    """Return whether ``value`` is a Python bool or a NumPy bool. The number checks do not accept
    bools.
    """
    if isinstance(value, bool):
        return True
    dtype = getattr(value, "dtype", None)
    return dtype is not None and getattr(dtype, "kind", None) == "b" and not _several(value)


def _several(value: object) -> bool:
    """Return whether ``value`` is an array with at least one axis, or a complex number. The number
    checks accept neither.

    NumPy would accept an array with one element as a number. It would also accept a complex number,
    use only the real part, and print a warning.
    """
    axes = getattr(value, "ndim", None)
    return bool(axes) or (
        axes is not None and getattr(getattr(value, "dtype", None), "kind", None) == "c"
    )


_MAX = sys.float_info.max


def number(
    name: str,
    value: object,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
) -> float:
    """Return ``value`` as a float, or raise an error if ``value`` is not a finite number within the
    bounds.

    The number may be equal to ``least`` or ``most``, but not to ``above`` or ``below``. A number
    that is below ``least`` or above ``most`` by no more than a millionth is set to that bound.
    """
    if type(value) is float:  # the usual case: no other check is necessary
        result = value
    else:
        if is_flag(value) or _several(value) or isinstance(value, str | bytes):
            raise wrong_type(name, "a number", value)
        try:
            result = float(value)  # type: ignore[arg-type]
        except OverflowError:
            raise ValueError(f"{name}: expected a finite number, got one above 1e308") from None
        except (TypeError, ValueError):
            raise wrong_type(name, "a number", value) from None
    if (
        math.isfinite(result)
        and (least is None or result >= least)
        and (above is None or result > above)
        and (most is None or result <= most)
        and (below is None or result < below)
    ):
        return result
    rounded = _rounded(result, least, most)
    if (
        rounded is None
        or (above is not None and rounded <= above)
        or (below is not None and rounded >= below)
    ):
        raise wrong_value(name, _range("a finite number", least, above, most, below), value)
    return rounded


def _rounded(value: float, least: float | None, most: float | None) -> float | None:
    """If a number is outside the bounds only because of a rounding error, return the nearest bound.
    If the number is farther outside, return None.

    For example, adding 0.1 ten times does not give exactly 1.
    """
    extent = 1.0 if least is None or most is None else min(most - least, 1.0)
    for bound, sign in ((least, -1), (most, 1)):
        if bound is not None:
            error = _ROUNDING * min(extent, abs(bound) or 1.0)
            if 0 < sign * (value - bound) <= error:
                return float(bound)
    return None


def _range(
    noun: str, least: object = None, above: object = None, most: object = None, below: object = None
) -> str:
    bounds = [("of at least", least), ("above", above), ("of at most", most), ("below", below)]
    if least is not None and most is not None:
        bounds = [("from", least), ("to", most)]
        return f"{noun} {' '.join(f'{word} {_plain(bound)}' for word, bound in bounds)}"
    words = [f"{word} {_plain(bound)}" for word, bound in bounds if bound is not None]
    return f"{noun} {' and '.join(words)}".strip()


def _plain(bound: object) -> str:
    return f"{bound:g}" if isinstance(bound, float) else str(bound)


def exact_number(name: str, value: object, *, least: int | None = None) -> float | Fraction:
    """Check that a number is finite and at least ``least``, and return it without converting it to
    float, which would lose digits of a large integer or a fraction.
    """
    if type(value) is float or type(value) is int:  # the usual case
        pass
    elif is_flag(value) or _several(value) or isinstance(value, str | bytes):
        raise wrong_type(name, "a number", value)
    elif not isinstance(value, int | float | Fraction):
        try:
            value = float(value.__float__())  # type: ignore[attr-defined]  # numpy's scalars and decimal.Decimal
        except (AttributeError, TypeError, ValueError):
            raise wrong_type(name, "a number", value) from None
    try:
        finite = math.isfinite(value)
    except OverflowError:  # an int that is too large for a float, and too long for a message
        raise ValueError(f"{name}: expected a finite number, got one above 1e308") from None
    if not finite or (least is not None and value < least):
        raise wrong_value(name, _range("a finite number", least), value)
    return value


def decimal(value: float | Fraction) -> Fraction:
    """Return a number as an exact fraction, computed from its decimal digits. For example, 59.94
    becomes exactly 5994/100, although the float itself is only the nearest binary number.
    """
    return value if type(value) is Fraction else _decimal(value)


@functools.lru_cache(typed=True)  # games use the same few numbers
def _decimal(value: float | Fraction) -> Fraction:
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)


def positive_fraction(name: str, value: object) -> Fraction:
    """Return a finite number above 0 as an exact fraction, computed from its decimal digits."""
    fraction = decimal(exact_number(name, value))
    if fraction.numerator <= 0:
        raise wrong_value(name, "a number above 0", value)
    return fraction


def seconds(name: str, value: object) -> Fraction:
    """Return a time of at least 0 seconds as an exact fraction."""
    return Fraction(exact_number(name, value, least=0))


def whole(name: str, value: object, least: int | None = None, most: int | None = None) -> int:
    """Return ``value`` as an int, or raise an error if ``value`` is not a whole number from
    ``least`` to ``most`` (inclusive).
    """
    if type(value) is int:  # the usual case
        result = value
    else:
        if is_flag(value) or _several(value) or not hasattr(value, "__index__"):
            raise wrong_type(name, "a whole number", value)
        try:
            result = operator.index(value)
        except TypeError:  # an array of one float
            raise wrong_type(name, "a whole number", value) from None
    if (least is not None and result < least) or (most is not None and result > most):
        raise wrong_value(name, _range("a whole number", least, most=most), result)
    return result


def flag(name: str, value: object) -> bool:
    """Return ``value`` as True or False. The numbers 0 and 1 and NumPy's bools are also accepted."""
    if value is True or value is False:  # the usual case
        return value
    if is_flag(value) or (hasattr(value, "__index__") and not _several(value) and value in (0, 1)):
        return bool(value)
    raise wrong_type(name, "True or False", value)


# -- several numbers -------------------------------------------------------------------------------


def _numbers(name: str, value: object, expected: str) -> NDArray[Any]:
    """Convert ``value`` to an array of ints or floats. An array of numbers is returned without a
    copy.
    """
    import numpy as np

    try:
        array = np.asarray(value)
    except ValueError:  # ragged
        raise wrong_value(name, expected, value) from None
    # Fractions or Decimals. numpy would also convert strings, and None to NaN.
    if array.dtype.kind == "O" and array.ndim:
        try:
            array = np.array([number(name, element) for element in array.reshape(-1)]).reshape(
                array.shape
            )
        except TypeError:
            raise wrong_type(name, expected, value) from None
    if array.dtype.kind not in "iuf" or value is None:
        raise wrong_type(name, expected, value)
    return array


def ndim(value: object) -> int:
    """Return the number of axes that ``value`` would have as a NumPy array. For a list of lists
    with different lengths, the result is 1.
    """
    import numpy as np

    try:
        return np.ndim(cast("ArrayLike", value))
    except ValueError:
        return 1


def _finite(array: NDArray[Any]) -> bool:
    import numpy as np

    is_short = array.size <= 2 * _MAX_SHOWN  # for a short list, Python is faster than numpy
    return (
        all(map(math.isfinite, array.reshape(-1).tolist()))
        if is_short
        else bool(np.isfinite(array).all())
    )


def vector(name: str, value: object, length: int) -> NDArray[np.float64]:
    """Return ``length`` finite numbers as a new float64 array of shape (length,)."""
    expected = f"{_WORDS.get(length, length)} finite numbers"
    array = _numbers(name, value, expected)
    if array.shape != (length,) or not _finite(array):
        raise (wrong_type if array.ndim == 0 else wrong_value)(name, expected, value)
    return array.astype("f8")


def vectors(name: str, value: object, length: int) -> NDArray[np.float64]:
    """Return rows of ``length`` finite numbers as a new float64 array of shape (n, length)."""
    expected = f"finite numbers of shape ({length},) or (n, {length})"
    array = _numbers(name, value, expected)
    array = array[None] if array.ndim == 1 else array
    if array.ndim != 2 or array.shape[1] != length or not _finite(array):
        raise (wrong_type if array.ndim == 0 else wrong_value)(name, expected, value)
    return array.astype("f8")


def numbers(
    name: str,
    value: object,
    shape: tuple[int | None, ...] | None,
    *,
    dtype: DTypeLike = "f8",
    finite: bool = True,
) -> NDArray[Any]:
    """Return numbers as an array of shape ``shape``, without copying them if possible.

    If an element of ``shape`` is None, that axis may have any length. If ``shape`` itself is None,
    the array may have any shape. If ``finite`` is False, NaN and infinity are accepted too.
    """
    import numpy as np

    expected = f"{'finite ' * finite}numbers{'' if shape is None else _of_shape(shape)}"
    array = _numbers(name, value, expected)
    if shape is not None:
        array = _shaped(name, array, shape, expected, value)
    with np.errstate(over="ignore"):
        array = np.ascontiguousarray(array, dtype)
    if finite and not _finite(array):
        array = np.atleast_1d(array)
        row = int(np.flatnonzero(~np.isfinite(array.reshape(len(array), -1)).all(axis=1))[0])
        raise ValueError(
            f"{name}: expected finite numbers, got {shown(array[row].tolist())} in row {row}"
        )
    return array


def whole_numbers(
    name: str, value: object, shape: tuple[int | None, ...], below: int | None = None
) -> NDArray[np.intp]:
    """Return whole numbers as an array. Each number is at least 0 and less than ``below``.
    ``shape`` is the expected shape of the array, as for `numbers`.
    """
    expected = f"whole numbers{_of_shape(shape)}"
    array = _numbers(name, value, expected)
    if array.size and array.dtype.kind not in "iu":
        raise wrong_type(name, expected, value)
    if array.shape == (0,) and shape[0] is None:  # an empty list has no width
        array = array.reshape([length or 0 for length in shape])
    array = _shaped(name, array, shape, expected, value)
    if array.size:
        lowest: int = array.min()
        highest: int = array.max()
        if lowest < 0 or (below is not None and highest >= below):
            bounds = "of at least 0" if below is None else f"from 0 to {below - 1:,}"
            raise ValueError(
                f"{name}: expected whole numbers {bounds}, got some from {lowest:,} to {highest:,}"
            )
    return array.astype("p")


def _of_shape(shape: tuple[int | None, ...]) -> str:
    lengths = [
        "nm"[shape[:axis].count(None)] if length is None else str(length)
        for axis, length in enumerate(shape)
    ]
    return f" of shape ({', '.join(lengths)}{',' * (len(shape) == 1)})"


def _shaped(
    name: str, array: NDArray[Any], shape: tuple[int | None, ...], expected: str, value: object
) -> NDArray[Any]:
    if array.ndim == 0:
        raise wrong_type(name, expected, value)
    fits = [
        expected_length in (None, length)
        for expected_length, length in zip(shape, array.shape, strict=False)
    ]
    if array.ndim != len(shape) or not all(fits):
        raise wrong_value(name, expected, value)
    return array


def _two(name: str, value: Any, expected: str) -> tuple[object, object]:
    if isinstance(value, str | bytes):
        raise wrong_type(name, expected, value)
    try:
        first, second = value
    except TypeError:
        raise wrong_type(name, expected, value) from None
    except ValueError:
        error = wrong_value(name, expected, value)
        if isinstance(value, tuple) and len(value) == 4:
            error = ValueError(
                f"{error}; + joins two tuples: write sprite.x += 5 and sprite.y += 3, or "
                "np.add(position, step)"
            )
        raise error from None
    return first, second


def pair(
    name: str, value: object, *, least: float | None = None, above: float | None = None
) -> tuple[float, float]:
    """Return two finite numbers as a tuple of two floats."""
    if type(value) is tuple and len(value) == 2 and least is None and above is None:
        x, y = value
        are_numbers = (type(x) is float or type(x) is int) and (type(y) is float or type(y) is int)
        if are_numbers and -_MAX <= x <= _MAX and -_MAX <= y <= _MAX:  # the usual case
            return float(x), float(y)
    x, y = _two(name, value, "two finite numbers")
    return number(name, x, least=least, above=above), number(name, y, least=least, above=above)


def direction(name: str, value: object, length: int = 3) -> NDArray[np.float64]:
    """Return a vector scaled to the length 1, as a float64 array of shape (length,). The numbers
    must not all be 0.
    """
    array = vector(name, value, length)
    largest = float(abs(array).max())
    if not largest:
        raise wrong_value(name, f"{_WORDS.get(length, length)} numbers that are not all 0", value)
    array /= largest  # scale the numbers first, so that no square is too small or too large
    squares: list[float] = (array * array).tolist()
    # `sum` rounds differently since Python 3.12.
    array /= math.sqrt(functools.reduce(operator.add, squares))
    return array


def direction_parts(name: str, value: object) -> tuple[float, float, float]:
    """Return exactly the same numbers as `direction`, as three floats. For a tuple of numbers, this
    is ten times as fast as `direction`.
    """
    if type(value) is tuple and len(value) == 3:
        x, y, z = value
        if type(x) in _PLAIN and type(y) in _PLAIN and type(z) in _PLAIN:
            largest = max(abs(x), abs(y), abs(z))
            if 0 < largest <= _MAX and x == x and y == y and z == z:
                x = float(x) / largest
                y = float(y) / largest
                z = float(z) / largest
                length = math.sqrt(x * x + y * y + z * z)
                return x / length, y / length, z / length
    x, y, z = direction(name, value).tolist()
    return x, y, z


_PLAIN = (float, int)


def size(name: str, value: object, most: int | None = None) -> tuple[int, int]:
    """Return a width and a height as whole numbers above 0."""
    width, height = _two(name, value, "two whole numbers above 0")
    return _side(name, width, most), _side(name, height, most)


def _side(name: str, value: object, most: int | None) -> int:
    side = number(name, value)
    if side != int(side):
        raise wrong_value(name, "two whole numbers above 0", value)
    return whole(name, int(side), 1, most)


def light(name: str, value: object) -> NDArray[np.float64]:
    """Return the color of a light as a float64 array of shape (3,): three finite linear numbers of
    at least 0.

    A color string such as "#f80" is also accepted, as in `color`.
    """
    if isinstance(value, str):
        value = color(name, value, as_light=True)[:3]
    array = vector(name, value, 3)
    if (array < 0).any():
        raise wrong_value(name, "three numbers of at least 0", value)
    return array


def color(
    name: str,
    value: object,
    alpha: float = 1.0,
    *,
    least: float | None = None,
    as_light: bool = False,
) -> tuple[float, float, float, float]:
    """Return a color as red, green, blue and alpha. All four numbers are finite and at least
    ``least``.

    If you pass only three numbers, ``alpha`` is added as the fourth number. A string such as "#f80"
    or "orange" is a color in sRGB, the color space of images. For a string, all four returned
    numbers are between 0 and 1. If ``as_light`` is True, red, green and blue are converted from
    sRGB to linear light. If you pass numbers from 0 to 255, `ValueError` is raised.
    """
    if isinstance(value, str):
        return _spelled(name, value, alpha, as_light)
    if type(value) is tuple and not least:  # the usual case
        for part in value:
            if (type(part) is not float and type(part) is not int) or not 0 <= part <= 1:
                break
        else:
            if len(value) == 4:
                red, green, blue, alpha = value
                return float(red), float(green), float(blue), float(alpha)
            if len(value) == 3:
                red, green, blue = value
                return float(red), float(green), float(blue), alpha
    red, green, blue, *opacity = _color_parts(name, value, least)
    return red, green, blue, opacity[0] if opacity else alpha


def _color_parts(name: str, value: object, least: float | None) -> list[float]:
    """Return the 3 or 4 numbers of a color that is not a string."""
    expected = _range("3 or 4 finite numbers", least)
    array = _numbers(name, value, expected)
    if (
        array.shape not in ((3,), (4,))
        or not _finite(array)
        or (least is not None and (array < least).any())
    ):
        raise (wrong_type if array.ndim == 0 else wrong_value)(name, expected, value)
    if (array > _MAX_FACTOR).any():
        raise ValueError(
            f"{name}: expected numbers from 0 to 1, got {shown(value)}; divide numbers "
            "up to 255 by 255"
        )
    parts: list[float] = array.astype("f8").tolist()
    return parts


def _spelled(
    name: str, value: str, alpha: float, as_light: bool
) -> tuple[float, float, float, float]:
    try:
        red, green, blue, *opacity = _parts_of(value)
    except ValueError:
        error = wrong_value(name, "a color such as '#ff8800' or 'orange'", value)
        similar = _similar_colors(value)
        if similar:
            error = ValueError(f"{error}; the nearest are {', '.join(similar)}")
        raise error from None
    if as_light:
        red = linear(red)
        green = linear(green)
        blue = linear(blue)
    return red, green, blue, opacity[0] if opacity else alpha


@functools.lru_cache(maxsize=256)  # games use the same few colors
def _parts_of(spelling: str) -> tuple[float, ...]:
    """Convert a color string to numbers: red, green and blue, and alpha if the string contains it."""
    from PIL import ImageColor  # the color names and notations of CSS

    return tuple([channel / 255 for channel in ImageColor.getrgb(spelling)])


def _similar_colors(name: str) -> list[str]:
    """Return at most three color names that are similar to ``name``. The most similar name comes
    first.
    """
    import difflib  # for errors only

    from PIL import ImageColor

    if len(name) > _MAX_COLOR_NAME:
        return []
    return difflib.get_close_matches(name.lower(), ImageColor.colormap, 3)


def linear(channel: float) -> float:
    """Convert an sRGB value (0 to 1) to linear light (0 to 1)."""
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


# -- everything else -------------------------------------------------------------------------------


def choice(name: str, value: object, choices: Iterable[T]) -> T:
    """Return the element of ``choices`` that is equal to ``value``, or raise an error that lists
    all choices.
    """
    options = list(choices)
    for option in options:
        if option.__class__ is value.__class__ is str and option == value:  # the usual case
            return option
    alike = [
        option
        for option in options
        if isinstance(value, type(option)) and is_flag(value) == is_flag(option)
    ]
    for option in alike:
        if option == value:
            return option
    error = (wrong_value if alike else wrong_type)(
        name, f"one of {', '.join(map(repr, options))}", value
    )
    raise type(error)(f"{error}{respelled(value, options)}")


def respelled(value: object, choices: Iterable[object]) -> str:
    """Return the end of an error message, with the element of ``choices`` that differs from
    ``value`` only by spaces, dashes, underscores or capital letters. Return "" if there is no such
    element. For example, "topleft" is "top left".
    """
    plain = str.maketrans("", "", " -_")
    if isinstance(value, str):
        for option in choices:
            if isinstance(option, str) and (
                option.translate(plain).lower() == value.translate(plain).lower()
            ):
                return f"; did you mean {option!r}?"
    return ""


def instance(
    name: str, value: object, kind: type[T], *, what: str | None = None, hint: str = ""
) -> T:
    """Return ``value`` if it is an instance of the class ``kind``. Otherwise, raise `TypeError`.

    In the error message, ``what`` describes the class. The message ends with ``hint``.
    """
    if isinstance(value, kind):
        return value
    expected = what or f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"
    if isinstance(value, type):
        example = f": make one, {value.__name__}(…)" if issubclass(value, kind) else ""
        raise TypeError(f"{name}: expected {expected}, got the class {value.__name__}{example}")
    raise TypeError(f"{name}: expected {expected}, got {shown(value)}{hint and f'; {hint}'}")


def function(name: str, value: T, what: str = "a function") -> T:
    """Return ``value`` if it can be called. Otherwise, raise `TypeError`."""
    if not callable(value):
        raise wrong_type(name, what, value)
    return value


def _parameters(what: str) -> str:
    """Return the parameters in a description such as "a function of first and count"."""
    names = what.rpartition(" of ")[2].replace(", and ", ", ").replace(" and ", ", ").split(", ")
    return ", ".join(names) if all(map(str.isidentifier, names)) else "…"


def takes(name: str, value: T, what: str, *arguments: str) -> T:
    """Return ``value`` if it can be called with one argument for each element of ``arguments``.

    Each element of ``arguments`` describes one argument for the error message, for example "the
    seconds that have passed". ``what`` describes the function for the error message, for example "a
    function of dt". A function whose signature cannot be read, such as some functions written in C,
    is also accepted.
    """
    function(name, value, what)
    code: object = getattr(getattr(value, "__func__", value), "__code__", None)
    if (
        isinstance(code, CodeType)
        and isinstance(value, FunctionType | MethodType)
        and code.co_argcount - isinstance(value, MethodType) == len(arguments)
        and not code.co_kwonlyargcount
    ):
        return value  # the usual case
    import inspect  # slow, and only necessary for other callables

    try:
        signature = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return value
    try:
        signature.bind(*arguments)
    except TypeError as error:
        own_name = getattr(value, "__name__", None) or type(value).__name__
        own = "a lambda of " if own_name == "<lambda>" else own_name
        raise TypeError(
            f"{name}: expected {what}: it is called with {', '.join(arguments)}, and "
            f"{own}{signature} cannot be called so "
            f"({error}); add the argument, or wrap it: lambda {_parameters(what)}: …"
        ) from None
    return value


def items(name: str, value: object, most: int | None = None) -> list[Any]:
    """Return a new list with the elements of ``value``.

    With ``most``, at most ``most`` + 1 elements are read, so that an endless sequence does not fill
    the memory. If the list has ``most`` + 1 elements, the sequence is too long.
    """
    if isinstance(value, str | bytes):
        raise wrong_type(name, "a sequence", value)
    stop = None if most is None else most + 1
    try:
        return list(itertools.islice(cast("Iterable[object]", value), stop))
    except TypeError:
        raise wrong_type(name, "a sequence", value) from None


def text(name: str, value: object) -> str:
    """Return ``value`` if it is a string. Otherwise, raise `TypeError`."""
    return instance(name, value, str, what="a string")


def path(name: str, value: object) -> str:
    """Return the path of a file as a string. The function does not check whether the file exists."""
    where = os.fspath(value) if isinstance(value, str | os.PathLike) else value
    return instance(name, where, str, what="a path")


def named(name: str, value: object, what: str) -> dict[str, Any]:
    """Return a copy of a dict. Every key of the dict must be a string. In the error message,
    ``what`` describes the expected dict.
    """
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise wrong_type(name, what, value)
    return dict(value)


def methods(name: str, value: object, needed: Sequence[str], what: str) -> None:
    """Raise `TypeError` if an object of the game lacks one of the methods named in ``needed``.

    In the error message, ``what`` describes the object.
    """
    missing = [method for method in needed if not callable(getattr(value, method, None))]
    if isinstance(value, type):
        raise TypeError(
            f"{name}: expected {what}, got the class {value.__name__}: make one, "
            f"{value.__name__}(…)"
        )
    if missing:
        raise TypeError(f"{name}: expected {what}; {shown(value)} has no {', '.join(missing)}")
