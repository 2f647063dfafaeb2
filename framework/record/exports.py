"""Convert a save to readable JSON, and convert the JSON back to a save.

    {"kind": "export", "game": "duel:Duel", "version": 1, "tick": 60, "written": …, "versions": …,
     "scenes": [{"class": "Duel", "batches": {…}, "saved": {…}, "drawn": {…}}, …]}

The first scene in an export is the game itself. ``batches`` contains the rows of the saved batches:
``{"rows": 4, "columns": {…}, "meanings": {…}}``. A batch can also contain ``"further"``, with the
ids of its rows and the columns of objects. ``saved`` contains all other saved attributes, in the
format that the module `packing` describes. A scene without saved attributes has neither ``batches``
nor ``saved``. ``drawn`` contains the columns of batches that the game does not save, and is ignored
when a game loads the export. An array is a JSON object such as ``{"dtype": "float32", "shape": [2],
"values": [0.5, "nan"]}``.
"""

from __future__ import annotations

import json
import math
import re
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import shown
from . import strict_json
from .packing import DTYPES, MAX_DIMENSIONS, Json
from .saves import Save, broken, state_of
from .unpacking import Unpacker

KIND = "export"
_MAX_BYTES = 32 << 20  # maximum size of a file in bytes
_MAX_VALUES = 1_500_000  # maximum number of values in a file (a dict counts as four values)
_NAMES = {np.dtype(dtype).name: np.dtype(dtype) for dtype in DTYPES}
_PARTS = ("rows", "columns", "meanings", "further")
_SPECIAL = ("nan", "inf", "-inf")
# matches lists of numbers that json writes with one number per line
_FLAT = re.compile(r"\[\s+([^\[\]{}\"]*?)\s+\]")


def text_of(header: dict[str, Any], scenes: list[dict[str, Any]]) -> str:
    """Return the JSON text of an export. ``header`` is the header of the save."""
    tree = header | {"kind": KIND, "scenes": scenes}
    text = json.dumps(tree, indent=1, allow_nan=False)
    return _FLAT.sub(lambda flat: f"[{' '.join(flat[1].split())}]", text) + "\n"


def listed(values: NDArray[Any]) -> dict[str, Any]:
    """Convert an array to a dict with the keys ``dtype``, ``shape`` and ``values``."""
    plain: object = values.tolist()
    if values.dtype.hasobject:  # a column of objects
        plain = [_plain(value) for value in values.tolist()]
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        plain = _finite(plain)
    return {"dtype": values.dtype.name, "shape": list(values.shape), "values": plain}


def _plain(value: object) -> object:
    """Return ``value`` itself if JSON can store it, otherwise the name of its class."""
    if isinstance(value, float):
        return _finite(value)
    plain = value is None or isinstance(value, str | int)
    return value if plain else f"<{type(value).__name__}>"


def _finite(value: object) -> object:
    """Replace infinite numbers and NaN with strings, because JSON has no such numbers."""
    if isinstance(value, list):
        values: list[object] = value
        return [_finite(item) for item in values]
    return value if isinstance(value, float) and math.isfinite(value) else repr(value)


def listed_rows(batches: dict[str, Any]) -> dict[str, Any]:
    """Return the saved batches of a scene as dicts, in which each part of a batch has a name. An
    export contains these dicts.
    """
    return {
        name: dict(zip(_PARTS, batch["@rows"], strict=False))  # the last part may be missing
        if "@rows" in batch
        else batch
        for name, batch in batches.items()
    }


class ExportedSave(Save):
    """A save from an exported JSON file. ``data`` is the content of this file.

    Raises `AssetError` if the file is damaged or is not an export.
    """

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self._read_header(self._parse(data), KIND)
        entries: list[Any] = self._field("scenes", list)
        if not entries or not all(
            entry.__class__ is dict and isinstance(entry.get("class"), str) for entry in entries
        ):
            raise broken(self, "its scenes are not a list of objects with a class")
        game, *scenes = entries
        self._entries = [game, *[entry for entry in scenes if "saved" in entry]]
        self.scenes = [entry["class"] for entry in self._entries[1:]]

    def _parse(self, data: bytes) -> dict[str, Any]:
        """Return the values of the JSON file. The size is limited, because parsed values need much
        more memory than the file.
        """
        size = data.count(b",") + data.count(b"[") + 4 * data.count(b"{")
        if len(data) > _MAX_BYTES or size > _MAX_VALUES:
            raise broken(
                self,
                f"an export can be read back up to {_MAX_BYTES >> 20} MiB and some "
                f"{_MAX_VALUES:,} values; use a save for more",
            )
        try:
            tree: Json = strict_json.parse(data.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise broken(self, f"it is not valid JSON: {shown(str(error))[1:-1]}") from None
        if tree.__class__ is not dict:
            raise broken(self, f"expected an export, got {shown(tree)}")
        return tree

    def _unpack(self) -> tuple[dict[str, Any], set[int]]:
        try:
            unpacker = _ListedUnpacker(_no_array)
            batches = [_rows_of(entry.get("batches")) for entry in self._entries]
            game, *scenes = [entry.get("saved") for entry in self._entries]
            tree = {"batches": batches, "game": game, "scenes": scenes}
            state = state_of(tree, unpacker)
            self.parts = unpacker.parts
            return state, unpacker.shared
        except (ValueError, TypeError, OverflowError, RecursionError, MemoryError) as error:
            raise broken(self, f"it does not make sense: {shown(str(error))[1:-1]}") from None


def _no_array(dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    raise ValueError("an array without values")


def _rows_of(batches: Any) -> Json:
    """Convert the batches of an export to the format of a save."""
    if batches.__class__ is not dict or any(of.__class__ is not dict for of in batches.values()):
        raise ValueError(f"batches are expected, not {shown(batches)}")
    return {
        name: {"@rows": [of[part] for part in _PARTS if part in of]}
        if {*_PARTS[:3]} <= of.keys() <= {*_PARTS}
        else of
        for name, of in batches.items()
    }


class _ListedUnpacker(Unpacker):
    """Converts the JSON values of an export to Python objects. In an export, the numbers of an
    array are nested lists.
    """

    def _numbers(self, of: Json) -> NDArray[Any]:
        if of.__class__ is not dict or of.keys() != {"dtype", "shape", "values"}:
            raise ValueError(f"an array with dtype, shape and values is expected, not {shown(of)}")
        name = of["dtype"]
        shape = of["shape"]
        values = of["values"]
        dtype = _NAMES.get(name) if isinstance(name, str) else None
        if dtype is None:
            raise ValueError(f"an array of {shown(name)}")
        if (
            shape.__class__ is not list
            or len(shape) > MAX_DIMENSIONS
            or not all(type(size) is int and 0 <= size < 1 << 40 for size in shape)
        ):
            raise ValueError(f"an array of shape {shown(shape)}")
        return _array(dtype, _flat(values, shape)).reshape(shape)


def _flat(values: object, shape: list[int]) -> list[Any]:
    """Flatten nested lists of numbers into one list. Raise `ValueError` if the nested lists do not
    have the shape ``shape``.
    """
    flat: list[Any] = [values]
    for size in shape:
        if not all(part.__class__ is list and len(part) == size for part in flat):
            raise ValueError(f"values that do not fit the shape {shown(shape)}")
        flat = list(chain.from_iterable(flat))
    return flat


def _array(dtype: np.dtype[Any], values: list[Any]) -> NDArray[Any]:
    """Convert a list of numbers to an array. Raise `ValueError` if the dtype cannot store one of
    the numbers.
    """
    expected = {"b": (bool,), "i": (int,), "u": (int,), "f": (int, float)}[dtype.kind]
    # the test uses a set of classes, because such a set is small and computed quickly
    if dtype.kind == "f" and str in set(map(type, values)):
        values = [float(value) if value in _SPECIAL else value for value in values]
    if not {type(value) for value in values} <= set(expected):
        wrong = next(value for value in values if type(value) not in expected)
        raise ValueError(f"an array of {dtype.name} with {shown(wrong)}")
    try:
        with np.errstate(all="ignore"):
            array = np.array(values, dtype)
    except OverflowError:
        raise ValueError(f"an array of {dtype.name} with a number that does not fit") from None
    if dtype.kind == "f" and np.isinf(array).sum() != sum(map(_is_infinite, values)):
        raise ValueError(f"an array of {dtype.name} with a number that does not fit")
    return array


def _is_infinite(value: float) -> bool:
    return value in (math.inf, -math.inf)
