"""Convert values of a game to text, for the processes of a determinism matrix.

The values come from `Game.debug.state_values`.
"""

from __future__ import annotations

import base64
import io
import marshal
from typing import Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from ..record.hashes import SameObject

_VERSION = 2  # a version of marshal's format that every Python can read


class RunSettings(TypedDict):
    """The settings of one run of a matrix. They are passed to a child process as JSON.
    `matrix.Environment` explains each setting.
    """

    file: str
    ticks: int
    seed: int
    options: dict[str, Any]
    frame_rate: float
    drawing: bool
    collector: str
    padding: int
    twice: bool
    values: NotRequired[list[tuple[int, str]]]
    """The ticks and paths of values, as pairs (tick, path). If the settings contain `values`, the
    child process writes these values instead of hashes.
    """


def encode(value: object) -> list[str]:
    """Convert a value to two strings: the name of a format, and the encoded value in base64."""
    kind = "plain"
    parcel = io.BytesIO()
    if isinstance(value, np.ndarray):
        kind = "array"
        np.save(parcel, value, allow_pickle=False)
    elif isinstance(value, SameObject):
        kind = "same"
        marshal.dump(value.path, parcel, _VERSION)
    else:
        plain: Any = value
        marshal.dump(plain, parcel, _VERSION)
    return [kind, base64.b64encode(parcel.getvalue()).decode()]


def decode(packed_value: list[str]) -> object:
    """Convert the two strings that `encode` returned back to the value. Decode only strings from
    child processes of the framework, because strings from other sources may be dangerous.
    """
    kind = packed_value[0]
    parcel = io.BytesIO(base64.b64decode(packed_value[1]))
    if kind == "array":
        array: NDArray[Any] = np.load(parcel, allow_pickle=False)
        return array
    value: Any = marshal.load(parcel)
    return SameObject(value) if kind == "same" else value
