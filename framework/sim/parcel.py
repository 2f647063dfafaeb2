"""A value of a game's state on its way from one process to another, as text: what
`Game.debug.state_values` lists.
"""

from __future__ import annotations

import base64
import io
import marshal
from typing import Any

import numpy as np

from ..record.hashes import Same

_VERSION = 2  # of marshal's format, which every Python reads


def packed(value: Any) -> list[str]:
    """What kind of value it is, and the value in base64."""
    kind, parcel = "plain", io.BytesIO()
    if isinstance(value, np.ndarray):
        kind = "array"
        np.save(parcel, value, allow_pickle=False)
    elif isinstance(value, Same):
        kind = "same"
        marshal.dump(value.path, parcel, _VERSION)
    else:
        marshal.dump(value, parcel, _VERSION)
    return [kind, base64.b64encode(parcel.getvalue()).decode()]


def unpacked(told: list[str]) -> Any:
    """The value that was packed, by a process of one's own."""
    kind, parcel = told[0], io.BytesIO(base64.b64decode(told[1]))
    if kind == "array":
        return np.load(parcel, allow_pickle=False)
    value = marshal.load(parcel)
    return Same(value) if kind == "same" else value
