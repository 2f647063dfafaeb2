"""The algorithms behind `exact`: the sine, the logarithm and similar functions.

Each algorithm is a function, called a *kernel*, that works for float64 arrays and for single
floats. The first argument of a kernel is `ARRAYS` or `NUMBERS`, which contain the operations whose
names differ between NumPy and Python. Apart from these, a kernel uses only + - × ÷ and the square
root. The standard IEEE 754 defines how these operations round, so every machine computes the same
bits. NumPy and Python run one operation at a time. Therefore, no compiler merges a product and a
sum into one operation, which would round differently.

With ``fine=True``, the results of a kernel are as accurate as float64 allows. Without ``fine``, the
relative error is about 2^-45, and the caller rounds the results to float32.

If a number needs more digits than a float64 has, the kernel uses the sum of two floats, ``high``
and ``low``. Lookup tables are computed with integers when a kernel first needs them.
"""

from __future__ import annotations

import functools
import math
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles

Longs = NDArray[np.int64]
Value = float | NDArray[np.floating]
"""The type of a kernel's numbers: a float, or a float64 array."""
Whole = int | Longs
Condition = bool | np.bool_ | NDArray[np.bool_]

# Add and subtract _WHOLE to round a float to a whole number (halves to even). With _COARSE, the
# result is a multiple of 2^-20.
_WHOLE = 1.5 * 2.0**52
_COARSE = 1.5 * 2.0**32
_SPLITTER = 2.0**27 + 1
# The bits of the floats _WHOLE and 0.6875, as integers.
_WHOLE_BITS = 0x4338000000000000
_MIN_BITS = 0x3FE6000000000000

# The sum of these four numbers is pi/2. The first three have 33 bits, so their products with a
# whole number below 2^20 are exact.
_TO_QUARTERS = 0.6366197723675814
_QUARTER = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32)
_QUARTER_1, _QUARTER_2, _QUARTER_3, _QUARTER_4 = _QUARTER
# The sum of these two numbers is pi. The first number has 27 bits.
_TO_HALVES = 0.3183098861837907
_HALF_HIGH = 3.141592651605606
_HALF_LOW = 1.984187159361081e-09
_PI = 3.141592653589793
_PI_LOW = 1.2246467991473532e-16

# Coefficients of polynomials in the square of the angle. They were interpolated at Chebyshev's
# points.
_SINE = (
    1.5917988979397435e-10,
    -2.5051129896450185e-08,
    2.7557316093198404e-06,
    -0.00019841269836740532,
    0.008333333333330936,
    -0.16666666666666666,
)
_COSINE = (
    -1.138254464534925e-11,
    2.087614504941318e-09,
    -2.755731726587808e-07,
    2.48015872987544e-05,
    -0.0013888888888887389,
    0.041666666666666664,
)
_S1, _S2, _S3, _S4, _S5, _S6 = _SINE
_C1, _C2, _C3, _C4, _C5, _C6 = _COSINE
_HALF_TURN = (
    1.550196192291237e-10,
    -2.5036714612185012e-08,
    2.7557122590565795e-06,
    -0.00019841268704550545,
    0.008333333330928441,
    -0.16666666666658417,
)

# The sum of these two numbers is ln 2. The first number is a multiple of 2^-42.
_LN2_HIGH = 0.6931471805598903
_LN2_LOW = 5.497923018708371e-14
# The sum of these two numbers is ln 2 / 64. The first number has 35 bits.
_TO_STEPS = 92.33248261689366
_STEP_HIGH = 0.010830424695996044
_STEP_LOW = 2.5310172166650877e-13

MAX_ANGLE = 2.0**20  # the maximum angle in radians; `turned` reduces larger angles first
MAX_ANGLE32 = 2.0**22


class LookupTable:
    """A table of floats that can be read with one index or with an array of indices."""

    def __init__(self, numbers: list[float]) -> None:
        self.numbers = numbers
        self.array = np.array(numbers)


class Operations(Protocol):
    """The operations of a kernel whose names differ between NumPy and Python."""

    @staticmethod
    def copysign(value: Value, sign: Value, /) -> Value: ...
    @staticmethod
    def signbit(value: Value, /) -> Condition: ...
    @staticmethod
    def sqrt(value: Value, /) -> Value: ...
    @staticmethod
    def absolute(value: Value | Whole, /) -> Value: ...
    @staticmethod
    def minimum(first: Value, second: Value, /) -> Value: ...
    @staticmethod
    def maximum(first: Value, second: Value, /) -> Value: ...
    @staticmethod
    def where(condition: Condition, first: Value, second: Value, /) -> Value: ...
    @staticmethod
    def nearest(value: Value, /) -> tuple[Value, Whole]:
        """Return the nearest whole number twice: first as a float, then as an int."""

    @staticmethod
    def factored(value: Value, /) -> tuple[Value, Whole]:
        """Split a value into a factor m times a power of two, m × 2^k, and return m and k. The
        factor m is between 0.6875 and 1.375.
        """

    @staticmethod
    def scaled(value: Value, exponent: Whole, /) -> Value: ...
    @staticmethod
    def take(table: LookupTable, index: Whole, /) -> Value: ...


class _Arrays:
    """The implementation of `Operations` for float64 arrays. For subnormal numbers, which are very
    near 0, use `_Edges`.
    """

    copysign = staticmethod(np.copysign)
    signbit = staticmethod(np.signbit)
    sqrt = staticmethod(np.sqrt)
    absolute = staticmethod(np.absolute)
    minimum = staticmethod(np.minimum)
    maximum = staticmethod(np.maximum)
    where = staticmethod(np.where)

    @staticmethod
    def nearest(value: Doubles) -> tuple[Doubles, Longs]:
        shifted = value + _WHOLE
        return shifted - _WHOLE, shifted.view(np.int64) - _WHOLE_BITS

    @staticmethod
    def factored(value: Doubles) -> tuple[Doubles, Longs]:
        bits = value.view(np.int64)
        k = (bits - _MIN_BITS) >> 52
        return (bits - (k << 52)).view(np.float64), k

    @staticmethod
    def scaled(value: Doubles, exponent: Longs) -> Doubles:
        return value * ((exponent + 1023) << 52).view(np.float64)

    @staticmethod
    def take(table: LookupTable, index: Longs) -> Doubles:
        return table.array.take(index)


class _Edges(_Arrays):
    """The implementation of `Operations` for arrays with subnormal numbers, which are very near 0."""

    @staticmethod
    def scaled(value: Doubles, exponent: Longs) -> Doubles:
        return np.ldexp(value, exponent)

    @staticmethod
    def factored(value: Doubles) -> tuple[Doubles, Longs]:
        m, k = np.frexp(value)
        small = m < 0.6875
        return m * (1.0 + small), k - small


class _Numbers:
    """The implementation of `Operations` for a single float."""

    copysign = staticmethod(math.copysign)
    sqrt = staticmethod(math.sqrt)
    absolute = staticmethod(abs)
    minimum = staticmethod(min)
    maximum = staticmethod(max)
    scaled = staticmethod(math.ldexp)

    @staticmethod
    def where(condition: bool, first: float, second: float) -> float:
        return first if condition else second

    @staticmethod
    def signbit(value: float) -> bool:
        return math.copysign(1.0, value) < 0

    @staticmethod
    def nearest(value: float) -> tuple[float, int]:
        whole = (value + _WHOLE) - _WHOLE
        return whole, int(whole)

    @staticmethod
    def factored(value: float) -> tuple[float, int]:
        m, k = math.frexp(value)
        return (m, k) if m >= 0.6875 else (2.0 * m, k - 1)

    @staticmethod
    def take(table: LookupTable, index: int) -> float:
        return table.numbers[index]


# `ARRAYS` and `EDGES` work on arrays, and `NUMBERS` works on single numbers.
ARRAYS = cast(Operations, _Arrays)
EDGES = cast(Operations, _Edges)
NUMBERS = cast(Operations, _Numbers)


def _rounded(value: Value) -> Value:
    """Round a value below 2^51 to the nearest whole number."""
    return (value + _WHOLE) - _WHOLE


def _split(value: Value) -> tuple[Value, Value]:
    """Split a number into two floats: one with its upper 26 bits, and one with the remainder."""
    grown = value * _SPLITTER
    high = grown - (grown - value)
    return high, value - high


def _polynomial(x: Value, factors: tuple[float, ...]) -> Value:
    """Return the value of a polynomial at ``x``. The first coefficient belongs to the highest
    power.
    """
    total = x * factors[0]
    total += factors[1]
    for factor in factors[2:]:
        total *= x
        total += factor
    return total


# -- angles ----------------------------------------------------------------------------------------


def sine(kind: Operations, x: Value, fine: bool) -> Value:
    a = kind.absolute(x)
    if not fine:
        return _swing(a, 0.0) * kind.copysign(1.0, x)
    high, low, number = quarters(kind, a)
    s, c = _eighth(high, low)
    return kind.where((number & 1) == 1, c, s) * (1.0 - (number & 2)) * kind.copysign(1.0, x)


def cosine(kind: Operations, x: Value, fine: bool) -> Value:
    a = kind.absolute(x)
    if not fine:
        return _swing(a, 0.5)
    high, low, number = quarters(kind, a)
    s, c = _eighth(high, low)
    return kind.where((number & 1) == 1, s, c) * (1.0 - ((number + 1) & 2))


def sine_and_cosine(kind: Operations, x: Value, fine: bool) -> tuple[Value, Value]:
    a = kind.absolute(x)
    s, c = sines(kind, *quarters(kind, a)) if fine else (_swing(a, 0.0), _swing(a, 0.5))
    return s * kind.copysign(1.0, x), c


def sine_and_cosine_of_one(x: float) -> tuple[float, float]:
    """Return the sine and the cosine of one angle below `MAX_ANGLE`. The bits are the same as those
    of `sine_and_cosine` with ``fine=True``. The function calls no other function, because the calls
    would double its running time.
    """
    a = abs(x)
    count = (a * _TO_QUARTERS + _WHOLE) - _WHOLE
    remainder = a - count * _QUARTER_1
    product = count * _QUARTER_2
    high = remainder - product
    low = (remainder - high) - product
    product = count * _QUARTER_3
    higher = high - product
    low = low + ((high - higher) - product) - count * _QUARTER_4
    high = higher + low
    low = (higher - high) + low
    square = high * high
    half = square * 0.5
    s = ((((square * _S1 + _S2) * square + _S3) * square + _S4) * square + _S5) * square + _S6
    s = s * square * high + (low - low * half) + high
    base = 1.0 - half
    c = ((((square * _C1 + _C2) * square + _C3) * square + _C4) * square + _C5) * square + _C6
    c = c * (square * square) - high * low + ((1.0 - base) - half) + base
    number = int(count)
    if number & 1:
        s, c = c, s
    if number & 2:
        s = -s
    if (number + 1) & 2:
        c = -c
    return s * math.copysign(1.0, x), c


def sines(kind: Operations, high: Value, low: Value, number: Whole) -> tuple[Value, Value]:
    """Return the sine and the cosine of an angle that `quarters` has split: ``number`` quarter
    turns, plus the remainder ``high + low``.

    The remainder is at most an eighth of a turn.
    """
    s, c = _eighth(high, low)
    odd = (number & 1) == 1
    # The signs in the four quadrants: + + - - for the sine, and + - - + for the cosine.
    return kind.where(odd, c, s) * (1.0 - (number & 2)), kind.where(odd, s, c) * (
        1.0 - ((number + 1) & 2)
    )


def _swing(a: Value, ahead: float) -> Value:
    """Return the sine of the angle ``a`` + ``ahead`` × π. The result is accurate enough for
    float32.

    The angle ``a`` is at least 0. The function first subtracts half turns from the angle. Each
    subtracted half turn changes the sign of the sine.
    """
    half_turns = a * _TO_HALVES
    half_turns += ahead
    half_turns = _rounded(half_turns)
    nearest = half_turns - ahead
    remainder = a - nearest * _HALF_HIGH
    nearest *= _HALF_LOW
    remainder -= nearest
    half = half_turns * 0.5
    half -= _rounded(half)
    half *= half
    half *= -8.0
    half += 1.0
    square = remainder * remainder
    total = _polynomial(square, _HALF_TURN)
    total *= square
    total *= remainder
    total += remainder
    total *= half
    return total


def quarters(kind: Operations, a: Value) -> tuple[Value, Value, Whole]:
    """Split angles from 0 to `MAX_ANGLE` into quarter turns and a remainder.

    Return the remainder as the sum of two floats, ``high`` and ``low``. Also return the number of
    quarter turns.
    """
    count, number = kind.nearest(a * _TO_QUARTERS)
    remainder = a - count * _QUARTER[0]  # no rounding error here, and none in the next product
    product = count * _QUARTER[1]
    high = remainder - product
    low = (remainder - high) - product
    product = count * _QUARTER[2]
    higher = high - product
    low += (high - higher) - product
    low -= count * _QUARTER[3]
    high = higher + low
    return high, (higher - high) + low, number


def _eighth(high: Value, low: Value) -> tuple[Value, Value]:
    """Return the sine and the cosine of an angle. The angle is the sum of ``high`` and ``low``, at
    most an eighth of a turn.
    """
    square = high * high
    half = square * 0.5
    s = _polynomial(square, _SINE)
    s *= square
    s *= high
    s += low - low * half
    s += high
    base = 1.0 - half
    c = _polynomial(square, _COSINE)
    square *= square
    c *= square
    c -= high * low
    c += (1.0 - base) - half
    c += base
    return s, c


def turned(a: float) -> tuple[float, float, int]:
    """Split one finite angle into quarter turns and a remainder, as `quarters` does. The angle must
    be at least 0. Unlike in `quarters`, the angle may be above `MAX_ANGLE`.

    `turned` uses integers with 1,300 bits (the method of Payne and Hanek).
    """
    bits = 1300
    fraction, exponent = math.frexp(a)
    turns = int(fraction * 2.0**53) * _two_over_pi(bits)
    point = bits + 53 - exponent
    count = (turns + (1 << (point - 1))) >> point
    remainder = ((turns - (count << point)) * _pi(bits)) >> (bits + 1)
    high, low = _parts(remainder, point)
    return high, low, count & 3


def arctangent2(kind: Operations, y: Value, x: Value, fine: bool) -> Value:
    """Return the angle of the point (x, y). The coordinates must be neither very near 0 nor very
    large, but one of the two may be exactly 0.
    """
    b = kind.absolute(y)
    a = kind.absolute(x)
    steep = b > a
    behind = kind.signbit(x)
    small = kind.minimum(a, b)
    large = kind.maximum(a, b)
    ratio = small / large
    node, row = kind.nearest(ratio * 64.0)
    if fine:
        is_large = ratio >= 0.0625  # near 0, the ratio itself is exact enough
        node = node * is_large
        row = row * is_large
    node = node * 0.015625
    # Compute the remaining angle beyond the node. tan(p - q) is (tan p - tan q) / (1 + tan p tan
    # q).
    if fine:
        upper, lower = _split(large)
        remainder = (small - node * upper) - node * lower
    else:
        remainder = small - node * large
    node *= small
    node += large
    remainder /= node
    square = remainder * remainder
    series = _polynomial(
        square, (1 / 13, -1 / 11, 1 / 9, -1 / 7, 1 / 5, -1 / 3) if fine else (1 / 5, -1 / 3)
    )
    series *= square
    series *= remainder
    high, low = arctangents()
    series += kind.take(low, row)
    remainder += series
    # Reflect the point across the diagonal, the y axis, or both. Then measure the angle from that
    # axis.
    sign = 1.0 - 2.0 * (steep != behind)
    start = steep * (_PI / 2) + (behind > steep) * _PI
    angle = kind.take(high, row) * sign
    total = start + angle
    remainder *= sign
    remainder += ((start - total) + angle) + start * (_PI_LOW / _PI)
    remainder += total
    return kind.copysign(remainder, y)


# -- growth ----------------------------------------------------------------------------------------


def exponential(kind: Operations, x: Value, fine: bool) -> Value:
    return raised(kind, x, 0.0, fine)


def raised(kind: Operations, high: Value, low: Value, fine: bool) -> Value:
    """Return e to the power of ``high + low``.

    The exponent must be between about -700 and 700. With `EDGES`, the exponent must be between -800
    and 800.
    """
    steps, number = kind.nearest(high * _TO_STEPS)
    remainder = high - steps * _STEP_HIGH
    steps *= _STEP_LOW
    steps -= low
    remainder -= steps
    grown = _polynomial(
        remainder, (1 / 720, 1 / 120, 1 / 24, 1 / 6, 0.5) if fine else (1 / 24, 1 / 6, 0.5)
    )
    grown *= remainder
    grown *= remainder
    grown += remainder
    root_high, root_low = roots()
    index = number & 63
    root = kind.take(root_high, index)
    grown *= root
    if fine:
        grown += kind.take(root_low, index)
    grown += root
    return kind.scaled(grown, number >> 6)


def logarithm(kind: Operations, x: Value, fine: bool) -> Value:
    high, low = logarithms(kind, x) if fine else _logarithm32(kind, x)
    return high + low


def _factored(kind: Operations, x: Value) -> tuple[Value, Whole, Whole]:
    """Split numbers above 0 into m × 2^k, for the logarithm. Return m, k, and the index of m's row
    in the table of logarithms.

    The factor m is between 0.6875 and 1.375.
    """
    m, k = kind.factored(x)
    return m, k, kind.nearest(m * 128.0)[1] - 88


def logarithms(kind: Operations, x: Value) -> tuple[Value, Value]:
    """Return the natural logarithm as a sum of two floats, with a relative error of about 2^-66.

    For each factor m, the table contains a number c for which m × c is nearly 1. The kernel writes
    m × c as 1 + f. Because f is small, a few terms of the series of ln(1 + f) are enough. Each
    number c has only a few bits, so two floats can store f and f²/2 exactly.
    """
    m, k, row = _factored(kind, x)
    inverse, log_high, log_low = (kind.take(table, row) for table in logarithm_nodes())
    upper = (m + _COARSE) - _COARSE
    f_high = upper * inverse - 1.0
    f_low = (m - upper) * inverse
    f = f_high + f_low
    f_rest = f_low - (f - f_high)
    start = k * _LN2_HIGH + log_high
    total = start + f
    error = (start - total) + f
    square = f_high * f_high * 0.5
    high = total - square
    error += ((total - high) - square) + f_rest
    error += k * _LN2_LOW + log_low
    error -= f_low * (f_high + 0.5 * f_low)
    error += f * f * f * _polynomial(f, (1 / 9, -1 / 8, 1 / 7, -1 / 6, 1 / 5, -1 / 4, 1 / 3))
    total = high + error
    return total, error - (total - high)


def _logarithm32(kind: Operations, x: Value) -> tuple[Value, Value]:
    """Return the logarithm of float32 numbers as a sum of two floats. For float32 numbers, one
    float stores f exactly (see `logarithms` for f).
    """
    m, k, row = _factored(kind, x)
    inverse, log_high, _ = logarithm_nodes()
    f = m * kind.take(inverse, row) - 1.0
    start = k * (_LN2_HIGH + _LN2_LOW) + kind.take(log_high, row)
    return start, f + f * f * _polynomial(f, (-1 / 6, 1 / 5, -1 / 4, 1 / 3, -0.5))


def raised_to(kind: Operations, x: Value, y: Value, fine: bool) -> Value:
    """Return x to the power of y, computed as e^(y ln x). Here, x must be above 0, and y below
    2^70.
    """
    if not fine:
        start, remainder = _logarithm32(kind, x)
        return raised(kind, y * (start + remainder), 0.0, False)
    high, low = logarithms(kind, x)
    return raised(kind, *product(y, high, low), True)


def product(y: Value, high: Value, low: Value) -> tuple[Value, Value]:
    """Return the product of ``y`` and a sum of two floats. The result is also a sum of two floats
    (Dekker's product).
    """
    total = y * high
    y_upper, y_lower = _split(y)
    upper, lower = _split(high)
    error = ((y_upper * upper - total) + y_upper * lower + y_lower * upper) + y_lower * lower
    return total, error + y * low


def hypotenuse(kind: Operations, x: Value, y: Value, fine: bool) -> Value:
    """Return the length of the vector (x, y).

    If ``fine`` is True, the function also corrects the rounding error of x² + y².
    """
    if not fine:
        return kind.sqrt(x * x + y * y)
    x_square, x_error = _square(x)
    y_square, y_error = _square(y)
    total = x_square + y_square
    error = kind.where(
        x_square > y_square, (x_square - total) + y_square, (y_square - total) + x_square
    ) + (x_error + y_error)
    root = kind.sqrt(total)
    square, square_error = _square(root)
    return root + ((total - square) + (error - square_error)) / (2.0 * root + (root == 0.0))


def _square(x: Value) -> tuple[Value, Value]:
    square = x * x
    upper, lower = _split(x)
    return square, ((upper * upper - square) + 2.0 * upper * lower) + lower * lower


# -- tables, by whole numbers ----------------------------------------------------------------------

_BITS = 200


def _parts(value: int, bits: int) -> tuple[float, float]:
    """Return the fraction ``value / 2^bits`` as a sum of two floats."""
    high = value / (1 << bits)  # Python rounds the quotient of two integers correctly
    numerator, denominator = high.as_integer_ratio()
    return high, (value - (numerator << bits) // denominator) / (1 << bits)


def _tabled(numbers: list[int]) -> tuple[LookupTable, LookupTable]:
    high, low = zip(*(_parts(number, _BITS) for number in numbers), strict=True)
    return LookupTable([*high]), LookupTable([*low])


def _arctangent(numerator: int, denominator: int, bits: int, sign: int = -1) -> int:
    """Return arctan(n/d) as an integer, scaled by 2^bits. If ``sign`` is 1, return artanh(n/d) ×
    2^bits instead of the arctangent.
    """
    term = (numerator << bits) // denominator
    total = term
    power = 1
    while term:
        term = sign * term * numerator * numerator // (denominator * denominator)
        power += 2
        total += term // power
        if abs(term) <= 1:  # floor division would repeat -1 forever
            break
    return total


@functools.cache
def _pi(bits: int) -> int:
    spare = bits + 32
    return (
        16 * _arctangent(1, 5, spare) - 4 * _arctangent(1, 239, spare)
    ) >> 32  # Machin's formula


@functools.cache
def _two_over_pi(bits: int) -> int:
    return (1 << (2 * bits + 33)) // (_pi(bits + 32))


@functools.cache
def arctangents() -> tuple[LookupTable, LookupTable]:
    """Return a table of arctan(j/64) for j from 0 to 64. Each value is a sum of two floats."""
    angles = [0]
    for j in range(1, 65):
        angles.append(angles[-1] + _arctangent(64, 4096 + j * (j - 1), _BITS))
    return _tabled(angles)


@functools.cache
def roots() -> tuple[LookupTable, LookupTable]:
    """Return a table of 2^(j/64) for j from 0 to 63. Each value is a sum of two floats."""
    root = 2 << _BITS
    for _ in range(6):
        root = math.isqrt(root << _BITS)
    powers = [1 << _BITS]
    for _ in range(63):
        powers.append((powers[-1] * root) >> _BITS)
    return _tabled(powers)


@functools.cache
def logarithm_nodes() -> tuple[LookupTable, LookupTable, LookupTable]:
    """Return three tables for the logarithm, with one row for each t from 88 to 176. A row contains
    the number c, and two floats whose sum is -ln c.

    Each number c is near 128/t and has 10 bits. The first of the two floats in a row is a multiple
    of 2^-42.
    """
    inverses = []
    high = []
    low = []
    for t in range(88, 177):
        c = (2 * 512 * 128 + t) // (2 * t)
        inverses.append(c / 512)
        value = -2 * _arctangent(c - 512, c + 512, _BITS, 1)
        short = (value >> (_BITS - 42)) << (_BITS - 42)
        high.append(short / (1 << _BITS))
        low.append((value - short) / (1 << _BITS))
    return LookupTable(inverses), LookupTable(high), LookupTable(low)
