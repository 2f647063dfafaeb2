"""The arithmetic behind `exact`: sine, logarithm and their kin for ordinary arguments, by
operations that round alone.

Each function is written once, for arrays (of float64) and for one number: the first argument,
`ARRAYS` or `NUMBERS`, has what the two spell differently. Between them are only + - × ÷ and the
square root, each of which IEEE 754 rounds to the nearest float64, so that every machine has the
same bits. NumPy carries out one operation at a time, and Python too: no compiler can fuse a product
and a sum into one rounding.

``fine`` asks for float64's last digit. Without, results are right to some 2^-45, to be rounded to
float32.

Numbers that are used in two parts, a high and a low one, are named so. The tables come out of
integer arithmetic when they are first needed.
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
"""One float, or an array of float64."""
Whole = int | Longs
Condition = bool | np.bool_ | NDArray[np.bool_]

# Adding and subtracting it rounds to a whole number, ties to even; the second one to a multiple of
# 2^-20.
_WHOLE, _COARSE = 1.5 * 2.0**52, 1.5 * 2.0**32
_SPLITTER = 2.0**27 + 1
_WHOLE_BITS, _LEAST_BITS = 0x4338000000000000, 0x3FE6000000000000  # of _WHOLE, of 0.6875

# pi/2 in four parts, the first three of 33 bits: times a whole number below 2^20 they are exact.
_TO_QUARTERS = 0.6366197723675814
_QUARTER = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32)
_TO_HALVES, _HALF_HIGH, _HALF_LOW = (
    0.3183098861837907,
    3.141592651605606,
    1.984187159361081e-09,
)  # pi; 27 bits first
_PI, _PI_LOW = 3.141592653589793, 1.2246467991473532e-16

# Polynomials in the square of the angle, interpolated at Chebyshev's points.
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
_HALF_TURN = (
    1.550196192291237e-10,
    -2.5036714612185012e-08,
    2.7557122590565795e-06,
    -0.00019841268704550545,
    0.008333333330928441,
    -0.16666666666658417,
)

_LN2_HIGH, _LN2_LOW = (
    0.6931471805598903,
    5.497923018708371e-14,
)  # the first part a multiple of 2^-42
_TO_STEPS, _STEP_HIGH, _STEP_LOW = (
    92.33248261689366,
    0.010830424695996044,
    2.5310172166650877e-13,
)  # ln 2 / 64; 35 bits

WIDEST = 2.0**20  # radians; beyond, angles are reduced by `turned`
WIDEST32 = 2.0**22


class Table:
    """Numbers to be looked up by one index, or by an array of them."""

    def __init__(self, numbers: list[float]) -> None:
        self.numbers = numbers
        self.array = np.array(numbers)


class Kind(Protocol):
    """What the arithmetic of arrays and of one number spell differently."""

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
        """The nearest whole number, as a float and as an int."""

    @staticmethod
    def factored(value: Value, /) -> tuple[Value, Whole]:
        """m from 0.6875 to 1.375, and k: the value is m × 2^k."""

    @staticmethod
    def scaled(value: Value, exponent: Whole, /) -> Value: ...
    @staticmethod
    def take(table: Table, index: Whole, /) -> Value: ...


class _Arrays:
    """For arrays of float64, none of them subnormal where exponents are looked at."""

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
        k = (bits - _LEAST_BITS) >> 52
        return (bits - (k << 52)).view(np.float64), k

    @staticmethod
    def scaled(value: Doubles, exponent: Longs) -> Doubles:
        return value * ((exponent + 1023) << 52).view(np.float64)

    @staticmethod
    def take(table: Table, index: Longs) -> Doubles:
        return table.array.take(index)


class _Edges(_Arrays):
    """For arrays that may hold subnormal numbers, and results that are."""

    @staticmethod
    def scaled(value: Doubles, exponent: Longs) -> Doubles:
        return np.ldexp(value, exponent)

    @staticmethod
    def factored(value: Doubles) -> tuple[Doubles, Longs]:
        m, k = np.frexp(value)
        small = m < 0.6875
        return m * (1.0 + small), k - small


class _Numbers:
    """For one float."""

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
    def take(table: Table, index: int) -> float:
        return table.numbers[index]


# Each kind is only given values of its own: arrays, or single numbers.
ARRAYS, EDGES, NUMBERS = cast(Kind, _Arrays), cast(Kind, _Edges), cast(Kind, _Numbers)


def _rounded(value: Value) -> Value:
    """To the nearest whole number: for less than 2^51."""
    return (value + _WHOLE) - _WHOLE


def _split(value: Value) -> tuple[Value, Value]:
    """The upper 26 bits, and the rest."""
    grown = value * _SPLITTER
    high = grown - (grown - value)
    return high, value - high


def _polynomial(x: Value, factors: tuple[float, ...]) -> Value:
    """The highest power's factor comes first."""
    total = x * factors[0]
    total += factors[1]
    for factor in factors[2:]:
        total *= x
        total += factor
    return total


# -- angles ----------------------------------------------------------------------------------------


def sine(kind: Kind, x: Value, fine: bool) -> Value:
    a = kind.absolute(x)
    if not fine:
        return _swing(a, 0.0) * kind.copysign(1.0, x)
    high, low, number = quarters(kind, a)
    s, c = _eighth(high, low)
    return kind.where((number & 1) == 1, c, s) * (1.0 - (number & 2)) * kind.copysign(1.0, x)


def cosine(kind: Kind, x: Value, fine: bool) -> Value:
    a = kind.absolute(x)
    if not fine:
        return _swing(a, 0.5)
    high, low, number = quarters(kind, a)
    s, c = _eighth(high, low)
    return kind.where((number & 1) == 1, s, c) * (1.0 - ((number + 1) & 2))


def sine_and_cosine(kind: Kind, x: Value, fine: bool) -> tuple[Value, Value]:
    a = kind.absolute(x)
    s, c = sines(kind, *quarters(kind, a)) if fine else (_swing(a, 0.0), _swing(a, 0.5))
    return s * kind.copysign(1.0, x), c


def sines(kind: Kind, high: Value, low: Value, number: Whole) -> tuple[Value, Value]:
    """Sine and cosine of an angle of two parts, at most an eighth of a turn, and ``number`` quarter
    turns.
    """
    s, c = _eighth(high, low)
    odd = (number & 1) == 1
    # Signs by quarters: of the sine + + - -, of the cosine + - - +.
    return kind.where(odd, c, s) * (1.0 - (number & 2)), kind.where(odd, s, c) * (
        1.0 - ((number + 1) & 2)
    )


def _swing(a: Value, ahead: float) -> Value:
    """The sine of angles from 0, of ``ahead`` half turns more: of what is left of whole half turns,
    every other one with the opposite sign. To float32's accuracy."""
    half_turns = a * _TO_HALVES
    half_turns += ahead
    half_turns = _rounded(half_turns)
    near = half_turns - ahead
    rest = a - near * _HALF_HIGH
    near *= _HALF_LOW
    rest -= near
    half = half_turns * 0.5
    half -= _rounded(half)
    half *= half
    half *= -8.0
    half += 1.0
    square = rest * rest
    total = _polynomial(square, _HALF_TURN)
    total *= square
    total *= rest
    total += rest
    total *= half
    return total


def quarters(kind: Kind, a: Value) -> tuple[Value, Value, Whole]:
    """What is left of angles from 0 to `WIDEST` without quarter turns, in two parts, and how many
    those are.
    """
    count, number = kind.nearest(a * _TO_QUARTERS)
    rest = a - count * _QUARTER[0]  # exact, as is the next product
    less = count * _QUARTER[1]
    high = rest - less
    low = (rest - high) - less
    less = count * _QUARTER[2]
    higher = high - less
    low += (high - higher) - less
    low -= count * _QUARTER[3]
    high = higher + low
    return high, (higher - high) + low, number


def _eighth(high: Value, low: Value) -> tuple[Value, Value]:
    """Sine and cosine of angles up to an eighth of a turn, in two parts."""
    square = high * high
    half = square * 0.5
    s = _polynomial(square, _SINE)
    s *= square
    s *= high
    s += low - low * half
    s += high
    most = 1.0 - half
    c = _polynomial(square, _COSINE)
    square *= square
    c *= square
    c -= high * low
    c += (1.0 - most) - half
    c += most
    return s, c


def turned(a: float) -> tuple[float, float, int]:
    """As `quarters`, of any one finite angle from 0: by whole numbers of 1,300 bits (Payne and
    Hanek's idea).
    """
    bits = 1300
    fraction, exponent = math.frexp(a)
    turns = int(fraction * 2.0**53) * _two_over_pi(bits)
    point = bits + 53 - exponent
    count = (turns + (1 << (point - 1))) >> point
    rest = ((turns - (count << point)) * _pi(bits)) >> (bits + 1)
    high, low = _parts(rest, point)
    return high, low, count & 3


def arctangent2(kind: Kind, y: Value, x: Value, fine: bool) -> Value:
    """The angle of (x, y), both of ordinary size, not both 0."""
    b, a = kind.absolute(y), kind.absolute(x)
    steep, behind = b > a, kind.signbit(x)
    small, large = kind.minimum(a, b), kind.maximum(a, b)
    ratio = small / large
    node, row = kind.nearest(ratio * 64.0)
    if fine:
        far = ratio >= 0.0625  # near 0, the ratio itself has all its digits
        node, row = node * far, row * far
    node = node * 0.015625
    # tan(p - q) is (tan p - tan q) / (1 + tan p tan q): what is left of the angle beyond the
    # node's.
    if fine:
        upper, lower = _split(large)
        rest = (small - node * upper) - node * lower
    else:
        rest = small - node * large
    node *= small
    node += large
    rest /= node
    square = rest * rest
    more = _polynomial(
        square, (1 / 13, -1 / 11, 1 / 9, -1 / 7, 1 / 5, -1 / 3) if fine else (1 / 5, -1 / 3)
    )
    more *= square
    more *= rest
    high, low = arctangents()
    more += kind.take(low, row)
    rest += more
    # Mirrored at the diagonal, at the y axis, or at both: the angle is counted from there.
    sign = 1.0 - 2.0 * (steep != behind)
    start = steep * (_PI / 2) + (behind > steep) * _PI
    angle = kind.take(high, row) * sign
    total = start + angle
    rest *= sign
    rest += ((start - total) + angle) + start * (_PI_LOW / _PI)
    rest += total
    return kind.copysign(rest, y)


# -- growth ----------------------------------------------------------------------------------------


def exponential(kind: Kind, x: Value, fine: bool) -> Value:
    return raised(kind, x, 0.0, fine)


def raised(kind: Kind, high: Value, low: Value, fine: bool) -> Value:
    """e to the power of ``high + low``, which is at most some 700 either way, or with `EDGES`
    800.
    """
    steps, number = kind.nearest(high * _TO_STEPS)
    rest = high - steps * _STEP_HIGH
    steps *= _STEP_LOW
    steps -= low
    rest -= steps
    grown = _polynomial(
        rest, (1 / 720, 1 / 120, 1 / 24, 1 / 6, 0.5) if fine else (1 / 24, 1 / 6, 0.5)
    )
    grown *= rest
    grown *= rest
    grown += rest
    root_high, root_low = roots()
    at = number & 63
    root = kind.take(root_high, at)
    grown *= root
    if fine:
        grown += kind.take(root_low, at)
    grown += root
    return kind.scaled(grown, number >> 6)


def logarithm(kind: Kind, x: Value, fine: bool) -> Value:
    high, low = logarithms(kind, x) if fine else _logarithm32(kind, x)
    return high + low


def _factored(kind: Kind, x: Value) -> tuple[Value, Whole, Whole]:
    """Numbers above 0 as m × 2^k, m from 0.6875 to 1.375; and the row of m in the table of
    logarithms.
    """
    m, k = kind.factored(x)
    return m, k, kind.nearest(m * 128.0)[1] - 88


def logarithms(kind: Kind, x: Value) -> tuple[Value, Value]:
    """The natural logarithm in two parts, right to some 2^-66 of it: of ln m - ln c, m c is so near
    1 that a few terms of ln(1 + f) are enough. The tabled c are short, so that f is exact in two
    parts, and half its square too."""
    m, k, row = _factored(kind, x)
    inverse, log_high, log_low = (kind.take(table, row) for table in logarithm_nodes())
    upper = (m + _COARSE) - _COARSE
    f_high, f_low = upper * inverse - 1.0, (m - upper) * inverse
    f = f_high + f_low
    f_rest = f_low - (f - f_high)
    start = k * _LN2_HIGH + log_high
    total = start + f
    rest = (start - total) + f
    square = f_high * f_high * 0.5
    high = total - square
    rest += ((total - high) - square) + f_rest
    rest += k * _LN2_LOW + log_low
    rest -= f_low * (f_high + 0.5 * f_low)
    rest += f * f * f * _polynomial(f, (1 / 9, -1 / 8, 1 / 7, -1 / 6, 1 / 5, -1 / 4, 1 / 3))
    total = high + rest
    return total, rest - (total - high)


def _logarithm32(kind: Kind, x: Value) -> tuple[Value, Value]:
    """Of numbers that are float32 in truth: f is exact in one part."""
    m, k, row = _factored(kind, x)
    inverse, log_high, _ = logarithm_nodes()
    f = m * kind.take(inverse, row) - 1.0
    start = k * (_LN2_HIGH + _LN2_LOW) + kind.take(log_high, row)
    return start, f + f * f * _polynomial(f, (-1 / 6, 1 / 5, -1 / 4, 1 / 3, -0.5))


def raised_to(kind: Kind, x: Value, y: Value, fine: bool) -> Value:
    """x above 0, to the power of y below 2^70: e to the power of y ln x."""
    if not fine:
        start, rest = _logarithm32(kind, x)
        return raised(kind, y * (start + rest), 0.0, False)
    high, low = logarithms(kind, x)
    return raised(kind, *product(y, high, low), True)


def product(y: Value, high: Value, low: Value) -> tuple[Value, Value]:
    """y times a number of two parts, in two parts (Dekker's)."""
    total = y * high
    y_upper, y_lower = _split(y)
    upper, lower = _split(high)
    error = ((y_upper * upper - total) + y_upper * lower + y_lower * upper) + y_lower * lower
    return total, error + y * low


def hypotenuse(kind: Kind, x: Value, y: Value, fine: bool) -> Value:
    """The root of both squares, then what the square of that root lacks."""
    if not fine:
        return kind.sqrt(x * x + y * y)
    (one, one_rest), (two, two_rest) = _square(x), _square(y)
    both = one + two
    rest = kind.where(one > two, (one - both) + two, (two - both) + one) + (one_rest + two_rest)
    root = kind.sqrt(both)
    found, found_rest = _square(root)
    return root + ((both - found) + (rest - found_rest)) / (2.0 * root + (root == 0.0))


def _square(x: Value) -> tuple[Value, Value]:
    square = x * x
    upper, lower = _split(x)
    return square, ((upper * upper - square) + 2.0 * upper * lower) + lower * lower


# -- tables, by whole numbers ----------------------------------------------------------------------

_BITS = 200


def _parts(value: int, bits: int) -> tuple[float, float]:
    """``value / 2^bits`` in two floats."""
    high = value / (1 << bits)  # of whole numbers, Python rounds the quotient rightly
    numerator, denominator = high.as_integer_ratio()
    return high, (value - (numerator << bits) // denominator) / (1 << bits)


def _tabled(numbers: list[int]) -> tuple[Table, Table]:
    high, low = zip(*(_parts(number, _BITS) for number in numbers), strict=True)
    return Table([*high]), Table([*low])


def _arctangent(numerator: int, denominator: int, bits: int, sign: int = -1) -> int:
    """arctan(n/d) × 2^bits by its series; with the sign +1, artanh(n/d)."""
    term = (numerator << bits) // denominator
    total, power = term, 1
    while term:
        term = sign * term * numerator * numerator // (denominator * denominator)
        power += 2
        total += term // power
        if abs(term) <= 1:  # -1 divided ever again stays -1
            break
    return total


@functools.cache
def _pi(bits: int) -> int:
    spare = bits + 32
    return (16 * _arctangent(1, 5, spare) - 4 * _arctangent(1, 239, spare)) >> 32  # Machin's


@functools.cache
def _two_over_pi(bits: int) -> int:
    return (1 << (2 * bits + 33)) // (_pi(bits + 32))


@functools.cache
def arctangents() -> tuple[Table, Table]:
    """arctan(j/64) in two parts, j from 0 to 64."""
    angles = [0]
    for j in range(1, 65):
        angles.append(angles[-1] + _arctangent(64, 4096 + j * (j - 1), _BITS))
    return _tabled(angles)


@functools.cache
def roots() -> tuple[Table, Table]:
    """2^(j/64) in two parts, j from 0 to 63."""
    root = 2 << _BITS
    for _ in range(6):
        root = math.isqrt(root << _BITS)
    powers = [1 << _BITS]
    for _ in range(63):
        powers.append((powers[-1] * root) >> _BITS)
    return _tabled(powers)


@functools.cache
def logarithm_nodes() -> tuple[Table, Table, Table]:
    """For t from 88 to 176: c near 128/t, of 10 bits; and -ln c in two parts, the first a multiple
    of 2^-42.
    """
    inverses, high, low = [], [], []
    for t in range(88, 177):
        c = (2 * 512 * 128 + t) // (2 * t)
        inverses.append(c / 512)
        value = -2 * _arctangent(c - 512, c + 512, _BITS, 1)
        short = (value >> (_BITS - 42)) << (_BITS - 42)
        high.append(short / (1 << _BITS))
        low.append((value - short) / (1 << _BITS))
    return Table(inverses), Table(high), Table(low)
