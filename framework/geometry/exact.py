"""Sine, logarithm, matrix product and other functions with the same bits on every machine.

The results of NumPy's own functions can differ between machines. They depend on three properties of
the machine:

- the processor's vector instructions: `arctan2`, `exp`, `log`, `power`, `x**3`, and on older
  processors `sin` and `cos`
- the C library
- the kernel and the thread count of the BLAS: `@`, `dot`, `norm`

A game that calls NumPy's functions in its ticks can therefore compute different states on different
machines, and recordings, network games and repeated simulations no longer match. The functions of
this module use only + - × ÷ and the square root. They return the same bits on every machine with
64-bit floats of the standard IEEE 754, and with every version of NumPy.

    angle = exact.arctan2(velocity[:, 1], velocity[:, 0])
    speed = exact.hypot(velocity[:, 0], velocity[:, 1])

The functions accept numbers and arrays, and arrays of different shapes are broadcast, as in NumPy.
The results for float32 arrays are float32. Integers are converted to float64. If you pass an array
``out``, the function writes the result to this array and returns it. For a Python number, the
result is a Python number with the same bits as the result for an array.

Nearly all float32 results (99.99 %) are the float32 nearest to the exact value. A float64 result
differs from the exact value by less than 1 unit in the last place. For infinity, zero and NaN, the
results are the same as in NumPy, but without warnings. A NaN in a result never has a minus sign.
Results are also accurate for angles above a million radians (float32: four million), but these take
more time, because they are computed one by one.

Values that are not real numbers, and floats other than float32 and float64, raise `TypeError`.
Arrays whose shapes cannot be broadcast raise `ValueError`.
"""

from __future__ import annotations

__all__ = [
    "arctan2",
    "chosen",
    "cos",
    "dot",
    "exp",
    "hypot",
    "log",
    "matmul",
    "norm",
    "power",
    "sin",
    "sincos",
]

import contextlib
import math
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol, TypeVar, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Doubles, Floats, Mask, Reals
from ..checks import flag, wrong_type, wrong_value
from . import elementary
from .elementary import ARRAYS, EDGES, MAX_ANGLE, MAX_ANGLE32, NUMBERS, Condition, Operations, Value

# Numbers in a block, which then fits into the processor's caches.
_BLOCK = 4096
# Up to this count, products are added one after another. In a longer sum, the second half of the
# products is added to the first half until one number remains; see `_folded`. Up to this count,
# numbers are also computed one by one.
_MAX_SINGLE = 8
_HUGE = 2.0**900
_SMALL = 2.0**-900
_NORMAL = 2.0**-1022

Blocks = tuple[Doubles, ...]
N = TypeVar("N", float, Floats, Doubles, Reals)
A = TypeVar("A", Floats, Doubles, Reals)


class OfOne(Protocol):
    """The type of a function with one argument, an array or a number, such as `sin`."""

    @overload
    def __call__(self, x: N, /) -> N: ...
    @overload
    def __call__(self, x: ArrayLike, /) -> Any: ...


class OfTwo(Protocol):
    """The type of a function with two arguments, arrays or numbers, such as `hypot`."""

    @overload
    def __call__(self, x: N, y: N, /) -> N: ...
    @overload
    def __call__(self, x: ArrayLike, y: ArrayLike, /) -> Any: ...


class Pair(Protocol):
    """The type of a function that returns two arrays or numbers, such as `sincos`."""

    @overload
    def __call__(self, x: N, /) -> tuple[N, N]: ...
    @overload
    def __call__(self, x: ArrayLike, /) -> tuple[Any, Any]: ...


class OfArrays(Protocol):
    """The type of a NumPy function with two array arguments, such as `arctan2`."""

    @overload
    def __call__(self, a: A, b: A, /) -> A: ...
    @overload
    def __call__(self, a: ArrayLike, b: ArrayLike, /) -> Any: ...


_chosen: ContextVar[bool] = ContextVar("exact", default=False)


@contextlib.contextmanager
def chosen(exact: bool = True) -> Iterator[None]:
    """Return a context manager that selects the functions `sin`, `cos` and so on for the
    framework's own code: exact functions, or with ``exact=False`` NumPy's functions, which are
    faster. ``Game(exact=True)`` runs its ticks inside this context manager.
    """
    token = _chosen.set(flag("exact", exact))
    try:
        yield
    finally:
        _chosen.reset(token)


class Functions(NamedTuple):
    """The mathematical functions that the framework's own code calls. The functions of this class
    take arrays. Only `turn` takes a single angle.
    """

    sin: OfOne
    sincos: Pair
    arctan2: OfTwo
    matmul: OfArrays
    turn: Callable[[float], tuple[float, float]]
    """A function that returns the sine and the cosine of one angle in radians."""


def functions() -> Functions:
    """Return the functions that `chosen` selected: the exact functions, or NumPy's faster
    functions.
    """
    return _EXACT if _chosen.get() else _QUICK


class _Function(NamedTuple):
    """A function of `exact` with one or two arguments. The fast ``kernel`` computes the results for
    ordinary arguments, and the slow ``special`` for unusual arguments, such as infinity.
    """

    arguments: tuple[str, ...]
    kernel: Callable[..., Value | tuple[Value, Value]]
    """Called as ``kernel(kind, *arguments, fine)``. See the module `elementary`."""
    ordinary: Callable[..., Condition]
    """Called as ``ordinary(kind, fine, *arguments)``. Returns whether ``kernel`` supports the
    arguments.
    """
    special: Callable[..., Value | tuple[Value, Value]]
    """Called as ``special(*arguments)`` with float64 arrays of the arguments that ``kernel`` does
    not support, such as NaN. Usually, these are only a few.
    """
    results: int = 1


def _applied(function: _Function, values: tuple[ArrayLike, ...], out: object) -> object:
    """Call an exact function with the arguments ``values``. Python numbers are computed one at a
    time. Arrays are computed in blocks of 4,096 numbers.
    """
    if out is None and all(type(value) is float or type(value) is int for value in values):
        return _of_numbers(function, cast("tuple[float, ...]", values))
    arrays, kind = _alike(function.arguments, values)
    targets = _targets(function, out, arrays[0].shape)
    results = _of_arrays(function, arrays, kind)
    if targets is not None:
        for target, array in zip(targets, results, strict=True):
            np.copyto(target, array, casting="same_kind")
        return out
    scalars = tuple(array[()] for array in results)  # convert arrays without dimensions to numbers
    return scalars[0] if function.results == 1 else scalars


def _of_arrays(
    function: _Function, arrays: list[Reals], kind: type[np.floating[Any]]
) -> list[Reals]:
    """Compute one array for each result of the function, with the shape of the arguments."""
    shape = arrays[0].shape
    flat = [array.reshape(-1) for array in arrays]
    size = flat[0].size
    results = [np.empty(size, kind) for _ in range(function.results)]
    with np.errstate(all="ignore"):
        for first in range(0, size, _BLOCK):
            part = slice(first, first + _BLOCK)
            block = tuple(array[part].astype(np.float64, copy=False) for array in flat)
            computed = _of_block(function, kind is np.float64, block)
            for result, numbers in zip(results, computed, strict=True):
                result[part] = numbers
    return [result.reshape(shape) for result in results]


def _of_numbers(function: _Function, values: tuple[float, ...]) -> object:
    try:
        numbers = tuple(map(float, values))
    except OverflowError:
        large = max(range(len(values)), key=lambda index: abs(values[index]))
        raise wrong_value(
            function.arguments[large], "a number that a float can hold", values[large]
        ) from None
    if function.ordinary(NUMBERS, True, *numbers):
        return function.kernel(NUMBERS, *numbers, True)
    with np.errstate(all="ignore"):
        blocks = _of_block(function, True, tuple(np.array([number]) for number in numbers))
    results = tuple(float(block[0]) for block in blocks)
    return results[0] if function.results == 1 else results


def _of_block(function: _Function, fine: bool, block: Blocks) -> Blocks:
    if len(block[0]) <= _MAX_SINGLE:
        rows = [*zip(*(array.tolist() for array in block), strict=True)]
        if all(function.ordinary(NUMBERS, fine, *row) for row in rows):
            numbers = np.array([function.kernel(NUMBERS, *row, fine) for row in rows])
            if function.results == 1:
                return (numbers,)
            return tuple(numbers.reshape(-1, function.results).T)
    ordinary = cast(Mask, function.ordinary(ARRAYS, fine, *block))
    if ordinary.all():
        return _tuple(function.kernel(ARRAYS, *block, fine))
    results = _tuple(
        function.kernel(ARRAYS, *(np.where(ordinary, array, 1.0) for array in block), fine)
    )
    unusual = np.flatnonzero(~ordinary)
    special = _tuple(function.special(*(array[unusual] for array in block)))
    for array, numbers in zip(results, special, strict=True):
        # Different processors give NaN a different sign, so use one NaN for all.
        array[unusual] = np.where(np.isnan(numbers), np.nan, numbers)
    return results


def _tuple(result: Value | tuple[Value, Value]) -> Blocks:
    return cast(Blocks, result if isinstance(result, tuple) else (result,))


def _alike(
    names: tuple[str, ...], values: tuple[ArrayLike, ...]
) -> tuple[list[Reals], type[np.floating[Any]]]:
    """Convert the arguments to arrays of the same shape and type, float32 or float64. Return the
    arrays and their type.
    """
    first = values[0]
    # The usual arrays need no conversion.
    if type(first) is np.ndarray and first.dtype.char in "fd":
        alike = all(
            type(v) is np.ndarray and v.shape == first.shape and v.dtype == first.dtype
            for v in values[1:]
        )
        if alike:
            return [
                *cast("tuple[Reals, ...]", values)
            ], np.float32 if first.dtype.char == "f" else np.float64
    for name, value in zip(names, values, strict=True):
        _numeric(name, value)
    kind = _common_type(values)
    try:
        return [*np.broadcast_arrays(*(np.asarray(value, kind) for value in values))], kind
    except ValueError:
        shapes = " and ".join(str(np.shape(value)) for value in values)
        raise ValueError(
            f"{', '.join(names)}: expected shapes that fit together, got {shapes}"
        ) from None


def _common_type(values: tuple[ArrayLike, ...]) -> type[np.floating[Any]]:
    """Return the type of the result: float32 if no argument needs float64. Python numbers do not
    need float64.
    """
    common = np.result_type(
        *(value if type(value) in (int, float) else np.asarray(value) for value in values)
    )
    return np.float32 if common.kind == "f" and common.itemsize == 4 else np.float64


def _numeric(name: str, value: ArrayLike) -> Reals:
    """Return ``value`` as an array of real numbers. Raise `TypeError` if ``value`` does not contain
    real numbers.
    """
    try:
        array = np.asarray(value)
    except ValueError:  # the rows have different lengths
        raise wrong_value(name, "numbers of one shape", value) from None
    if array.dtype.kind not in "biuf" or (
        array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8)
    ):
        raise wrong_type(name, "float32, float64 or whole numbers", value)
    return array


def _targets(function: _Function, out: object, shape: tuple[int, ...]) -> tuple[Reals, ...] | None:
    if out is None:
        return None
    targets: tuple[object, ...] = out if isinstance(out, tuple) else (out,)
    if len(targets) != function.results:
        raise wrong_value("out", f"{function.results} arrays", out)
    arrays = []
    for target in targets:
        if not isinstance(target, np.ndarray) or target.dtype.kind != "f":
            raise wrong_type("out", "an array of floats", target)
        if target.shape != shape:
            raise ValueError(f"out: expected the shape {shape}, got {target.shape}")
        arrays.append(target)
    return tuple(arrays)


# -- angles ----------------------------------------------------------------------------------------


@overload
def sin(x: N, out: Reals | None = None) -> N: ...
@overload
def sin(x: ArrayLike, out: Reals | None = None) -> Any: ...
def sin(x: ArrayLike, out: Reals | None = None) -> object:
    """Return the sine of angles in radians. The result has the same shape as ``x``."""
    return _applied(_SIN, (x,), out)


@overload
def cos(x: N, out: Reals | None = None) -> N: ...
@overload
def cos(x: ArrayLike, out: Reals | None = None) -> Any: ...
def cos(x: ArrayLike, out: Reals | None = None) -> object:
    """Return the cosine of angles in radians. The result has the same shape as ``x``."""
    return _applied(_COS, (x,), out)


@overload
def sincos(x: N, out: tuple[Reals, Reals] | None = None) -> tuple[N, N]: ...
@overload
def sincos(x: ArrayLike, out: tuple[Reals, Reals] | None = None) -> tuple[Any, Any]: ...
def sincos(x: ArrayLike, out: tuple[Reals, Reals] | None = None) -> object:
    """Return the sine and the cosine of angles in radians.

    The results are exactly the same as the results of `sin` and `cos`. Calling `sincos` is faster
    than calling `sin` and `cos`.
    """
    # The usual case, which must be fast.
    if type(x) is float and out is None and -MAX_ANGLE < x < MAX_ANGLE:
        return elementary.sine_and_cosine_of_one(x)
    return _applied(_SINCOS, (x,), out)


@overload
def arctan2(y: N, x: N, out: Reals | None = None) -> N: ...
@overload
def arctan2(y: ArrayLike, x: ArrayLike, out: Reals | None = None) -> Any: ...
def arctan2(y: ArrayLike, x: ArrayLike, out: Reals | None = None) -> object:
    """Return the angles of the points (x, y), in radians from -π to π.

    The angles are measured counter-clockwise from the x axis. As in NumPy, ``y`` is the first
    argument and ``x`` the second.
    """
    return _applied(_ARCTAN2, (y, x), out)


def _narrow(kind: Operations, fine: bool, x: Value) -> Condition:
    return kind.absolute(x) < (MAX_ANGLE if fine else MAX_ANGLE32)


def _far_sines(x: Doubles) -> tuple[Value, Value]:
    """Return the sine and the cosine of large angles, and of NaN and infinity."""
    angles: list[float] = x.tolist()
    reduced = [
        elementary.turned(abs(a)) if math.isfinite(a) else (math.nan, 0.0, 0) for a in angles
    ]
    high: Doubles
    low: Doubles
    number: Doubles
    high, low, number = np.array(reduced).T
    s, c = elementary.sines(ARRAYS, high, low, number.astype(np.int64))
    return s * np.copysign(1.0, x), c


def _pointing(kind: Operations, fine: bool, y: Value, x: Value) -> Condition:
    """Return whether the larger coordinate of each point is an ordinary number, neither near 0 nor
    near infinity.
    """
    size = kind.absolute(x) + kind.absolute(y)  # the size is NaN if x or y is NaN
    return (size > _SMALL) & (size < _HUGE)


def _odd_angles(y: Doubles, x: Doubles) -> Reals:
    """Return the angles of unusual points (x, y): tiny, huge, infinite, or (0, 0).

    If only one coordinate is infinite, the point is replaced by a point on the axis, at a distance
    of 1. Tiny and huge points are scaled to an ordinary size. Scaling does not change the angle of
    a point.
    """
    infinite = np.isinf(y) | np.isinf(x)
    scale = np.where(np.fmax(abs(x), abs(y)) >= _HUGE, 2.0**-200, 2.0**200)
    b = np.where(infinite, np.copysign(np.isinf(y), y), y * scale)
    a = np.where(infinite, np.copysign(np.isinf(x), x), x * scale)
    a = np.where((b == 0) & (a == 0), np.copysign(1.0, a), a)
    angle = elementary.arctangent2(ARRAYS, b, a, True)
    return np.where(np.isnan(x) | np.isnan(y), np.nan, angle)


_SIN = _Function(("x",), elementary.sine, _narrow, lambda x: _far_sines(x)[0])
_COS = _Function(("x",), elementary.cosine, _narrow, lambda x: _far_sines(x)[1])
_SINCOS = _Function(("x",), elementary.sine_and_cosine, _narrow, _far_sines, 2)
_ARCTAN2 = _Function(("y", "x"), elementary.arctangent2, _pointing, _odd_angles)


# -- growth ----------------------------------------------------------------------------------------


@overload
def exp(x: N, out: Reals | None = None) -> N: ...
@overload
def exp(x: ArrayLike, out: Reals | None = None) -> Any: ...
def exp(x: ArrayLike, out: Reals | None = None) -> object:
    """Return e to the power of x."""
    return _applied(_EXP, (x,), out)


@overload
def log(x: N, out: Reals | None = None) -> N: ...
@overload
def log(x: ArrayLike, out: Reals | None = None) -> Any: ...
def log(x: ArrayLike, out: Reals | None = None) -> object:
    """Return the natural logarithm of x: -inf for 0, NaN for numbers below 0."""
    return _applied(_LOG, (x,), out)


@overload
def power(x: N, y: N, out: Reals | None = None) -> N: ...
@overload
def power(x: ArrayLike, y: ArrayLike, out: Reals | None = None) -> Any: ...
def power(x: ArrayLike, y: ArrayLike, out: Reals | None = None) -> object:
    """Return x to the power of y. The result is a float, even if x and y are whole numbers.

    For small whole powers, a product such as ``x * x * x`` is faster than ``power(x, 3)``.
    """
    return _applied(_POWER, (x, y), out)


def _moderate(kind: Operations, fine: bool, x: Value) -> Condition:
    return kind.absolute(x) < (708.0 if fine else 87.0)


def _extreme_exponentials(x: Doubles) -> Reals:
    bounded = np.fmin(np.fmax(x, -800.0), 800.0)  # beyond ±800, the result is 0 or infinity
    return np.where(np.isnan(x), np.nan, elementary.exponential(EDGES, bounded, True))


def _positive(kind: Operations, fine: bool, x: Value) -> Condition:
    return (x >= _NORMAL) & (x < math.inf)


def _odd_logarithms(x: Doubles) -> Reals:
    subnormal = (x > 0) & (x < 1)
    small = elementary.logarithm(EDGES, np.where(subnormal, x, 1.0), True)
    return np.where(
        subnormal, small, np.where(x == 0, -np.inf, np.where(x == np.inf, np.inf, np.nan))
    )


def _raisable(kind: Operations, fine: bool, x: Value, y: Value) -> Condition:
    """Return whether x to the power of y is certainly an ordinary number. Tiny numbers, huge
    numbers and NaN are not ordinary. The test only reads the binary exponent of x, so it is fast.
    """
    usual = (x >= _NORMAL) & (x < math.inf)
    doublings = kind.absolute(y) * (kind.absolute(kind.factored(kind.where(usual, x, 1.0))[1]) + 1)
    return usual & (doublings < (1020 if fine else 124))


def _odd_powers(x: Doubles, y: Doubles) -> Reals:
    """Return powers with unusual arguments or results, such as powers of infinity. The results are
    the same as in C and in NumPy.

    The function first computes the power of |x|, without the sign of x. The result is negative if x
    is negative and y is an odd number.
    """
    size = abs(x)
    finite = np.isfinite(y)
    usual = (size > 0) & np.isfinite(size) & finite
    a = np.where(usual, size, 1.0)
    bounded = np.where(usual, np.clip(y, -(2.0**70), 2.0**70), 0.0)
    high, low = elementary.product(bounded, *elementary.logarithms(EDGES, a))
    extreme = EDGES.absolute(high) > 800
    result = elementary.raised(EDGES, np.clip(high, -800, 800), np.where(extreme, 0.0, low), True)
    limit = np.where(size == 1, 1.0, np.where((size > 1) == (y > 0), np.inf, 0.0))
    result = np.where(usual, result, limit)
    is_whole: Mask = ~finite | (np.floor(y) == y)
    is_odd: Mask = finite & is_whole & (np.fmod(y, 2.0) != 0)
    result = np.where(np.signbit(x) & is_odd, -result, result)
    is_nan: Mask = np.isnan(x) | np.isnan(y) | ((x < 0) & np.isfinite(x) & ~is_whole)
    return np.where((y == 0) | (x == 1), 1.0, np.where(is_nan, np.nan, result))


_EXP = _Function(("x",), elementary.exponential, _moderate, _extreme_exponentials)
_LOG = _Function(("x",), elementary.logarithm, _positive, _odd_logarithms)
_POWER = _Function(("x", "y"), elementary.raised_to, _raisable, _odd_powers)


# -- lengths and products --------------------------------------------------------------------------


@overload
def hypot(x: N, y: N, out: Reals | None = None) -> N: ...
@overload
def hypot(x: ArrayLike, y: ArrayLike, out: Reals | None = None) -> Any: ...
def hypot(x: ArrayLike, y: ArrayLike, out: Reals | None = None) -> object:
    """Return the length of the vector (x, y): √(x² + y²)."""
    return _applied(_HYPOT, (x, y), out)


def _spanned(kind: Operations, fine: bool, x: Value, y: Value) -> Condition:
    """Return whether `hypot` can compute the length without scaling its arguments. The result is
    True if both coordinates are 0, or if the square of the larger coordinate is neither tiny nor
    huge.
    """
    size = kind.absolute(x) + kind.absolute(y)
    return (size < 2.0**500) & ((size > 2.0**-400) | (size == 0))


def _odd_lengths(x: Doubles, y: Doubles) -> Reals:
    scale = np.where(np.fmax(abs(x), abs(y)) >= 1, 2.0**-600, 2.0**600)
    length = elementary.hypotenuse(ARRAYS, x * scale, y * scale, True) / scale
    return np.where(np.isinf(x) | np.isinf(y), np.inf, length)


_HYPOT = _Function(("x", "y"), elementary.hypotenuse, _spanned, _odd_lengths)


@overload
def dot(a: A, b: A) -> A: ...
@overload
def dot(a: ArrayLike, b: ArrayLike) -> Any: ...
def dot(a: ArrayLike, b: ArrayLike) -> object:
    """Return the sum of the products along the last axis. For two arrays of shape (…, k), the
    result has the shape (…).

    The products are added in a fixed order, so that every machine computes the same bits.
    ``np.dot``, ``np.einsum`` and ``np.vecdot`` do not guarantee an order. The result has the same
    type as ``a * b`` in NumPy.
    """
    a = _numeric("a", a)
    b = _numeric("b", b)
    if not a.ndim or a.shape[-1:] != b.shape[-1:]:
        raise ValueError(
            f"a, b: expected last axes of equal length, got shapes {a.shape} and {b.shape}"
        )
    k = a.shape[-1]
    if not 0 < k <= _MAX_SINGLE:
        return _folded(a * b)
    total = a[..., 0] * b[..., 0]
    for index in range(1, k):
        total = total + a[..., index] * b[..., index]
    return total


def _folded(numbers: Reals) -> Reals:
    """Add the numbers along the last axis in a fixed order. Each step adds the second half of the
    numbers to the first half, until only one number remains.
    """
    while numbers.shape[-1] > 1:
        half = numbers.shape[-1] // 2
        folded = numbers[..., :half] + numbers[..., half : 2 * half]
        if numbers.shape[-1] % 2:
            folded[..., 0] += numbers[..., -1]
        numbers = folded
    return numbers[..., 0] if numbers.shape[-1] else numbers.sum(axis=-1)


@overload
def norm(vectors: A) -> A: ...
@overload
def norm(vectors: ArrayLike) -> Any: ...
def norm(vectors: ArrayLike) -> object:
    """Return the length of each vector. Each vector is one row along the last axis of the array.
    For an array of shape (…, k), the result has the shape (…).

    The squares of the components must not overflow. For very long 2D vectors, use `hypot`.
    """
    vectors = _numeric("vectors", vectors)
    if not vectors.ndim:
        raise wrong_value("vectors", "numbers of shape (…, k)", vectors)
    return np.sqrt(dot(vectors, vectors))


@overload
def matmul(a: A, b: A) -> A: ...
@overload
def matmul(a: ArrayLike, b: ArrayLike) -> Any: ...
def matmul(a: ArrayLike, b: ArrayLike) -> object:
    """Return the matrix product ``a @ b``. For arrays of shape (…, n, k) and (…, k, m), the result
    has the shape (…, n, m).

    The products are added in a fixed order, so that every machine computes the same bits. If ``a``
    is a vector of shape (k,), it is treated as a row of a matrix. If ``b`` is a vector of shape
    (k,), it is treated as a column of a matrix. Use `matmul` for small matrices only, because it
    creates k temporary arrays of shape (n, m).
    """
    a = _numeric("a", a)
    b = _numeric("b", b)
    left = a[None] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    if left.ndim < 2 or right.ndim < 2 or left.shape[-1] != right.shape[-2] or not left.shape[-1]:
        raise ValueError(
            f"a, b: expected matrices that fit together, got shapes {a.shape} and {b.shape}"
        )
    total = left[..., :, :1] * right[..., :1, :]
    for index in range(1, left.shape[-1]):
        total = total + left[..., :, index : index + 1] * right[..., index : index + 1, :]
    if a.ndim == 1:
        total = total[..., 0, :]
    if b.ndim == 1:
        total = total[..., 0]
    return total


_EXACT = Functions(sin, sincos, arctan2, matmul, sincos)
_QUICK = Functions(
    cast(OfOne, np.sin),
    lambda x: (np.sin(x), np.cos(x)),
    cast(OfTwo, np.arctan2),
    np.matmul,
    lambda angle: (math.sin(angle), math.cos(angle)),
)
