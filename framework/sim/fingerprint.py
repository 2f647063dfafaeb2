"""Show whether two machines compute the same numbers (`framework doctor --determinism`).

The fingerprint of a machine has one line for each family of similar operations, such as sine and
cosine. The line is a hash of all results of this family. If a line differs between two machines,
they compute these operations differently, and a game that uses them in its ticks runs differently
on the two machines. The families of the module `exact` must have the same hashes on all machines.
"""

from __future__ import annotations

import functools
import hashlib
import math
import platform
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..game.recorder import this_platform
from ..geometry import exact, quaternions
from ..physics.engines import engine_versions
from ..physics.physics2d import Physics2D
from ..physics.physics3d import Physics3D
from ..state.transforms2d import Transforms2D
from ..state.transforms3d import Transforms3D
from ..text.fonts import FontStack
from ..text.markup import clusters
from ..text.shaping import NO_TEXT, shaped_by

_Sample = NDArray[np.floating]  # float32 or float64 (n,)
_Kind = type[np.float32] | type[np.float64]

_N = 4096
_BODIES = 24
_STEPS = 180


def families(chosen: Callable[[str], bool] = lambda name: True) -> dict[str, str]:
    """Compute a hash of the results of each family of operations, such as sine and cosine. Return a
    dict from the names of families to hashes, which are strings of 16 hexadecimal digits.
    ``chosen(name)`` returns whether to compute the hash of the family ``name``. By default, the
    hashes of all families are computed.
    """
    hashes = {}
    with np.errstate(all="ignore"):
        for name, compute in _families():
            if chosen(name):
                hashes[name] = _hash(compute())
    return hashes


def as_text(hashes: dict[str, str]) -> str:
    """Return the hashes as a text table. The last line of the text is a hash of the whole table."""
    width = max(map(len, hashes))
    lines = [f"{name:<{width}}  {value}" for name, value in hashes.items()]
    whole = hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()
    return "\n".join([*_heading(), "", *lines, "", f"{'all':<{width}}  {whole}"])


def _heading() -> list[str]:
    """Return lines with the versions of Python, NumPy and the engines, and the features of the
    processor that NumPy uses.
    """
    inner = np._core._multiarray_umath  # type: ignore[attr-defined]
    dispatched: list[str] = inner.__cpu_dispatch__
    features: dict[str, bool] = inner.__cpu_features__
    processor = [platform.machine(), *[name for name in dispatched if features.get(name)]]
    engines = [f"{package} {version}" for package, version in engine_versions().items()]
    return [
        f"Python {platform.python_version()}, NumPy {np.__version__}, {' '.join(processor)}",
        f"Text: {shaped_by()}",
        f"Physics: {', '.join(engines) or 'nothing'}, on {this_platform()}",
    ]


def _hash(results: list[ArrayLike]) -> str:
    """Return a hash of the bytes of all arrays, in little-endian byte order. All NaNs have the same
    hash, although the sign bit of a NaN depends on the processor.
    """
    digest = hashlib.blake2b(digest_size=8)
    for result in results:
        array = np.asarray(result)
        if array.dtype.kind == "f":
            array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
        digest.update(np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).tobytes())
    return digest.hexdigest()


def _numbers(kind: _Kind) -> tuple[_Sample, _Sample, _Sample]:
    """Return three arrays of 4,096 numbers, which are the arguments of the operations. The first
    two arrays contain numbers from -100 to 100, and the third array contains positive numbers.
    """
    random = np.random.Generator(np.random.PCG64(7))
    a: _Sample = (random.integers(-(2**22), 2**22, _N) / 2.0**22 * 100).astype(kind)
    b: _Sample = (random.integers(-(2**22), 2**22, _N) / 2.0**22 * 100).astype(kind)
    return a, b, abs(a) + kind(0.001)


def _families() -> Iterator[tuple[str, Callable[[], list[ArrayLike]]]]:
    """Yield the name of each family of operations, and the function that computes its results."""
    kinds: tuple[_Kind, _Kind] = np.float32, np.float64
    for kind in kinds:
        for name, compute in _BY_KIND.items():
            yield f"{name} {np.dtype(kind).name}", functools.partial(compute, *_numbers(kind))
    yield from _BY_NAME.items()
    engines = engine_versions()
    pymunk = functools.partial(Physics2D, engine="pymunk")
    physics: list[tuple[str, Callable[..., Any], int, str]] = [
        ("Physics2D", Physics2D, 2, "rapier3d"),
        ("Physics2D of pymunk", pymunk, 2, "pymunk"),
        ("Physics3D", Physics3D, 3, "rapier3d"),
    ]
    for name, physics_class, dimensions, engine in physics:
        fall = functools.partial(_fallen, physics_class, dimensions)
        yield name, fall if engine in engines else list


def _random_numbers() -> list[ArrayLike]:
    random = np.random.Generator(np.random.PCG64(7))
    return [random.uniform(-1, 1, _N), random.normal(size=_N), random.integers(0, 99, _N)]


def _random_powers() -> list[ArrayLike]:
    random = np.random.Generator(np.random.PCG64(7))
    random.uniform(-1, 1, _N)  # skip the random numbers that the previous family uses
    random.normal(size=_N)
    random.integers(0, 99, _N)
    return [random.pareto(1.7, _N), random.lognormal(size=_N)]


def _values() -> list[float]:
    values: list[float] = _numbers(np.float64)[0].tolist()
    return values


def _fallen(physics_class: Callable[..., Any], dimensions: int) -> list[ArrayLike]:
    """Simulate falling boxes for three seconds, and return their poses. The fingerprint includes
    physics, because a physics engine may round numbers differently on another processor.
    """
    physics = physics_class(gravity=(0, -9.81, 0)[:dimensions])
    boxes: Any = Transforms2D() if dimensions == 2 else Transforms3D()
    boxes.extend(_BODIES)
    row = np.arange(_BODIES)
    positions = np.stack([row % 4 * 1.3, row // 4 * 1.2 + 1, row % 3 * 0.5], axis=1)
    boxes.position[:] = positions[:, :dimensions]
    with exact.chosen():
        if dimensions == 2:
            boxes.angle[:] = row * 0.7
            physics.add_line([(-50, -1), (50, -1)], radius=1)
        else:
            axes = np.stack([row % 5 - 2, row % 3 + 1, row % 2], axis=1) * 0.3
            boxes.rotation[:] = quaternions.from_vectors(axes)
            physics.add_floor()
        physics.add(boxes, size=(1,) * dimensions)
        for _ in range(_STEPS):
            physics.advance(1 / 60)
    return [boxes.position.copy(), boxes.angle.copy() if dimensions == 2 else boxes.rotation.copy()]


def _widths(*lines: str) -> list[float]:
    """Return the width of each text line in pixels, in the default font at four sizes. If no text
    engine is installed, the result is empty.
    """
    if shaped_by() == NO_TEXT:
        return []
    stacks = [FontStack((), size, (), False) for size in (9.0, 12.5, 20.0, 33.0)]
    return [stack.width(clusters(line)) for stack in stacks for line in lines]


_BY_KIND: dict[str, Callable[[_Sample, _Sample, _Sample], list[ArrayLike]]] = {
    "exact": lambda a, b, p: [
        *exact.sincos(a),
        exact.arctan2(a, b),
        exact.hypot(a, b),
        exact.exp(a / 2),
        exact.log(p),
        exact.power(p, b / 25),
        exact.dot(a.reshape(-1, 4), b.reshape(-1, 4)),
        exact.matmul(a.reshape(-1, 4, 4), b.reshape(-1, 4, 4)),
    ],
    "+ - * /": lambda a, b, p: [a + b, a - b, a * b, a / b, a * b + a],
    "sqrt, rint, floor": lambda a, b, p: [np.sqrt(p), np.rint(a), np.floor(a), a**2],
    "remainder": lambda a, b, p: [a % b, a // b, np.fmod(a, b)],
    "signs of zero": lambda a, b, p: [np.maximum(a * 0, -a * 0), np.minimum(a * 0, -a * 0)],
    "sum": lambda a, b, p: [a.sum(), a[::3].sum(), a.cumsum(), a.mean()],
    "sum along axes": lambda a, b, p: [a.reshape(-1, 4).sum(axis=0), a.reshape(-1, 4).sum(axis=1)],
    "sin, cos": lambda a, b, p: [np.sin(a), np.cos(a)],
    "tan": lambda a, b, p: [np.tan(a)],
    "arctan2": lambda a, b, p: [np.arctan2(a, b)],
    "hypot": lambda a, b, p: [np.hypot(a, b)],
    "exp, log": lambda a, b, p: [np.exp(a / 2), np.log(p)],
    "power": lambda a, b, p: [p ** (b / 25), a**3],
    "matmul": lambda a, b, p: [
        a.reshape(64, 64) @ b.reshape(64, 64),
        a.reshape(-1, 4) @ b[:16].reshape(4, 4),
    ],
    "dot, norm": lambda a, b, p: [np.dot(a, b), np.linalg.norm(a)],
    "einsum": lambda a, b, p: [
        np.einsum("ij,ij->i", a.reshape(-1, 4), b.reshape(-1, 4)),
        np.einsum("i,i", a, b),
    ],
    "inverse": lambda a, b, p: [np.linalg.inv(a[:16].reshape(4, 4))],
    "fft": lambda a, b, p: [np.fft.rfft(a).real],
    "argsort": lambda a, b, p: [np.argsort(np.round(a))],
    "argsort stable": lambda a, b, p: [np.argsort(np.round(a), kind="stable"), np.sort(a)],
}

_BY_NAME: dict[str, Callable[[], list[ArrayLike]]] = {
    "random uniform, normal": _random_numbers,
    "random pareto, lognormal": _random_powers,
    "math sin, cos": lambda: [[math.sin(x) for x in _values()], [math.cos(x) for x in _values()]],
    "math atan2, hypot": lambda: [
        [math.atan2(x, 3.3) for x in _values()],
        [math.hypot(x, 3.3) for x in _values()],
    ],
    "math exp, log, pow": lambda: [
        [math.exp(x / 10) for x in _values()],
        [math.log(abs(x) + 1) for x in _values()],
        [abs(x) ** 1.7 for x in _values()],
    ],
    "sum of a list": lambda: [sum(_values())],
    "text of letters": lambda: [
        _widths("AVATAR Tomatoes, P.T. 0123456789", "ΔΥΟ ΑΥΡΙΟ", "ГЛАВА Руда, Та.")
    ],
    "text that is shaped": lambda: [
        _widths("x\u0302 q\u0301 e\u0301", "Ж\u0301 И\u0303", "α\u0301\u0308")
    ],
}
