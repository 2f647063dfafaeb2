"""Save files: a `container` with what a game has declared, as JSON, and the numbers of its arrays
beside it.

Block 3 is a piece of the JSON, block 6 one of the arrays' numbers, all joined in their order; block
5 ends the file, with the hash of its header. What would take much memory when it is unpacked is
stored as it is, or has blocks 0 beside it, which say nothing: from the size of a file one knows how
much it can come to.
"""

from __future__ import annotations

__all__ = ["Save"]

import json
import os
from typing import Any, NoReturn

import numpy as np
import xxhash
from numpy.typing import NDArray

from .. import checks
from ..current_game import read_file
from ..errors import AssetError, FrameworkError
from .container import MAX_FILE, Container, ContainerWriter
from .durable import replacing
from .packing import Json, Packer
from .unpacking import Unpacker, bytes_of

PADDING, STATE, END, NUMBERS = 0, 3, 5, 6
BACKUP = ".bak"
"""Added to the name of a save: the one before it."""
_PIECE = 1 << 19  # bytes of a block
_FREE, _TIMES = 13 << 20, 3  # bytes that any file may come to, and times its own size
_LIST, _DICT, _STRING, _PLAIN = (
    150,
    400,
    60,
    60,
)  # bytes that what begins, or is parted by, one character may take
_MANY, _BYTES = (
    12_000,
    8,
)  # things that any file may have, and bytes of the file for each of the others
_ARRAY = 3  # times its numbers: as they are read, where they go, and what was there


class SaveWriter(Packer):
    """Packs what a save is to have, then writes it."""

    def __init__(self) -> None:
        super().__init__(self._keep)
        self._arrays: list[NDArray[Any]] = []

    def _keep(self, values: NDArray[Any]) -> Json:
        dtype = values.dtype.newbyteorder("<")
        self._arrays.append(np.ascontiguousarray(values, dtype).reshape(-1).view(np.uint8))
        return [dtype.str, list(values.shape)]

    def write(self, path: str, header: dict[str, Any], tree: Json) -> None:
        """Put the file in the place of what was there, which is kept as a backup. Raises
        `AssetError`.
        """
        text = json.dumps(tree, allow_nan=False, separators=(",", ":")).encode("ascii")
        size = sum(len(numbers) for numbers in self._arrays)
        least = (_cost(text) + _ARRAY * size - _FREE) // _TIMES  # bytes of the file
        least = max(least, _BYTES * (_things(text) - _MANY))
        level = 1 if least <= 0 else 0
        if max(least, len(text) + size) > MAX_FILE - (1 << 20):
            length = max(least, len(text) + size)
            raise FrameworkError(
                f"save: the file would have {length:,} bytes, at most {MAX_FILE:,} "
                "will do; save less"
            )
        with replacing(path, path + BACKUP) as beside:
            writer = ContainerWriter(beside, header)
            try:
                for place in range(0, len(text), _PIECE):
                    writer.write(STATE, text[place : place + _PIECE], level)
                for numbers in self._arrays:
                    for place in range(0, len(numbers), _PIECE):
                        writer.write(NUMBERS, numbers[place : place + _PIECE].tobytes(), level)
                for place in range(0, least - len(text) - size, _PIECE):
                    writer.write(
                        PADDING, bytes(min(_PIECE, least - len(text) - size - place)), level
                    )
                writer.write(END, _digest(header))
                writer.sync()
            finally:
                writer.close()


class Save:
    """A save, as `Game.save` wrote it: what it says of itself, for a menu say. Raises `AssetError`
    for a file that is none, or a broken one.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        where = checks.path("path", path)
        self._read(Container(where, read_file(where)))

    def _read(self, file: Container) -> None:
        self._file = file
        self.path: str = self._file.path
        """Where the file is."""
        self.header: dict[str, Any] = self._file.header
        """What the file says of itself."""
        if self.header.get("kind") != "save":
            raise broken(
                self, f"it is no save, but of the kind {checks.shown(self.header.get('kind'))}"
            )
        self.game: str = self._said("game", str)
        """The game's class, as in "duel:Duel"."""
        self.version: int = self._said("version", int)
        """The game's ``saved_version`` then."""
        self.tick: int = self._said("tick", int)
        """The number of the game's last tick then."""
        self.written: str = self._said("written", str)
        """When, in UTC: "2026-11-22T12:34:56Z"."""
        self.scenes: list[str] = self._said("scenes", list)
        """The classes of the scenes that are in it, beside the game, the lowest first."""
        if not all(isinstance(scene, str) for scene in self.scenes):
            raise broken(self, "its header names no scenes")
        if self._file.cut_off or not self._ended():
            raise broken(
                self, "it was cut off, or its header was changed; the save before it may be whole"
            )

    def _said(self, name: str, kind: type) -> Any:
        value: Any = self.header.get(name)
        if type(value) is not kind or (isinstance(value, int) and value < 0):
            raise broken(self, f"its header has {checks.shown(value)} for {name}")
        return value

    def values(self) -> dict[str, Any]:
        """What is in it: "game", a dict of values by their names, and "scenes", a list of such.
        Stand-ins of `unpacking` are for what a game has to make. Raises `AssetError`.
        """
        return unpack(self)[0]

    def _ended(self) -> bool:
        last = None
        for kind, _, begin in self._file.heads(8):
            last = kind, begin
        return last == (END, _digest(self._file.header))


def read_save(path: str, data: bytes) -> Save:
    """Return the save in the content of a file, which was read from ``path``. Raises `AssetError`."""
    save = Save.__new__(Save)
    save._read(Container(path, data))
    return save


def broken(save: Save, what: str) -> AssetError:
    """Return the error that something is wrong with the file of a save."""
    return save._file.error(what)


def unpack(save: Save) -> tuple[dict[str, Any], set[int]]:
    """Return what is in a save, and the ids of the values that are met more than once.

    Raises `AssetError`.
    """
    numbers = _Numbers(save._file)
    cost, most = _ARRAY * numbers.left, _FREE + _TIMES * save._file.size
    if cost + save._file.raw_size(STATE) > most:
        raise broken(save, "it would unpack to more than a file of its size may")
    text = b"".join(payload for kind, payload in save._file.blocks() if kind == STATE)
    if cost + _cost(text) > most or _things(text) > _MANY + save._file.size // _BYTES:
        raise broken(save, "it has more values than a file of its size may")
    try:
        tree: Json = json.loads(text.decode("ascii"), parse_constant=_no_number)
        del text
        unpacker = Unpacker(numbers.take)
        found = _state(tree, unpacker)
        if numbers.left:
            raise ValueError(f"{numbers.left:,} bytes of numbers are in no array")
        return found, unpacker.shared
    except (ValueError, TypeError, OverflowError, RecursionError, MemoryError) as error:
        raise broken(save, f"it does not make sense: {checks.shown(str(error))[1:-1]}") from None


def _state(tree: Json, unpacker: Unpacker) -> dict[str, Any]:
    """The game's and the scenes' values, each with its batches."""
    if tree.__class__ is not dict or tree.keys() != {"batches", "game", "scenes"}:
        raise ValueError("a game and its scenes are expected")
    all_batches: Json = tree["batches"]
    all_scenes: Json = tree["scenes"]
    if all_batches.__class__ is not list or all_scenes.__class__ is not list:
        raise ValueError("lists of batches and scenes are expected")
    batches = [unpacker.values(one) for one in all_batches]
    found = [unpacker.values(one) for one in [tree["game"], *all_scenes]]
    if len(found) != len(batches):
        raise ValueError("batches of the game and of each scene are expected")
    game, *scenes = [one | other for one, other in zip(batches, found, strict=True)]
    return {"game": game, "scenes": scenes}


class _Numbers:
    """The numbers of a file's arrays, unpacked block by block as they are asked for."""

    def __init__(self, file: Container) -> None:
        self.left = file.raw_size(NUMBERS)
        """Bytes that are still to come."""
        self._blocks = (payload for kind, payload in file.blocks() if kind == NUMBERS)
        self._piece = memoryview(b"")

    def take(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """The next array. Its size is held against what there is before anything is made."""
        size = bytes_of(dtype, shape)
        if size > self.left:
            raise ValueError(
                f"an array of {size:,} bytes, and {self.left:,} bytes of numbers are left"
            )
        self.left -= size
        values = np.empty(shape, dtype)
        room, place = values.reshape(-1).view(np.uint8), 0
        while place < size:
            if not self._piece:
                self._piece = memoryview(next(self._blocks))
            count = min(size - place, len(self._piece))
            room[place : place + count] = np.frombuffer(self._piece[:count], np.uint8)
            self._piece, place = self._piece[count:], place + count
        if dtype.kind == "b" and size and room.max() > 1:
            raise ValueError("flags that are neither true nor false")
        return values.astype(dtype.newbyteorder("="), copy=False)


def _cost(text: bytes) -> int:
    """More bytes of memory than the values of a JSON text take, and what is done with them."""
    count = text.count
    wide = 4 if count(b"\\u") else 1  # characters of the widest are kept in four bytes each
    things = (
        _LIST * count(b"[") + _DICT * count(b"{") + _STRING * count(b'"') + _PLAIN * count(b",")
    )
    return things + len(text) * (2 + wide)


def _things(text: bytes) -> int:
    return text.count(b"[") + text.count(b"{")


def _digest(header: dict[str, Any]) -> bytes:
    text = json.dumps(header, sort_keys=True).encode()
    return int(xxhash.xxh3_64_intdigest(text)).to_bytes(8, "little")


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
