"""Write the saved values of a game to a file, and read them again.

A save file has the format of the module `container`. Blocks of type 3 contain the JSON text, and
blocks of type 6 contain the numbers of all arrays. The last block has type 5, and contains a hash
of the header. To protect readers from files that fill the memory, the loaded values may use only a
certain multiple of the file's size as memory. If they need more, the writer does not compress them,
so that the file becomes larger. If the file is still too small, the writer adds padding blocks of
type 0.
"""

from __future__ import annotations

__all__ = ["Save"]

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..current_game import read_file
from ..errors import AssetError, FrameworkError
from . import strict_json
from .atomic_files import replacing
from .container import MAX_FILE, Container, ContainerWriter, digest_of_header
from .packing import Json, Packer
from .routine_packing import RoutinePacking
from .unpacking import SavedPart, Unpacker, bytes_of

# types of blocks
PADDING = 0
STATE = 3
END = 5
NUMBERS = 6
BACKUP = ".bak"
"""The suffix of the backup file. When a new save replaces a file, the old file becomes the backup.
"""
_PIECE = 1 << 19  # maximum size of a block in bytes
_FREE_BYTES = 13 << 20  # number of bytes of memory that a file of any size may use
_EXPANSION = 3  # number of additional bytes of memory for each byte of the file
# the maximum sizes in memory of a list, a dict, a string and any other value, in bytes
_LIST = 150
_DICT = 400
_STRING = 60
_PLAIN = 60
_FREE_CONTAINERS = 12_000  # number of lists and dicts that a file of any size may have
# for each additional list or dict, the file must have this number of bytes
_BYTES_PER_CONTAINER = 8
_ARRAY = 3  # number of copies of all numbers: in the file, in the new array and in the old array


class SaveWriter(Packer):
    """Writes a save file."""

    def __init__(self, routines: Callable[[], RoutinePacking] | None = None) -> None:
        super().__init__(self._keep, routines)
        self._arrays: list[NDArray[Any]] = []

    def _keep(self, values: NDArray[Any]) -> Json:
        dtype = values.dtype.newbyteorder("<")
        self._arrays.append(np.ascontiguousarray(values, dtype).reshape(-1).view(np.uint8))
        return [dtype.str, list(values.shape)]

    def write(self, path: str, header: dict[str, Any], tree: Json) -> None:
        """Write the save file. If a save file already exists, it becomes the backup. Raises
        `AssetError` if the file cannot be written.
        """
        blocks = [*self._blocks("save", tree)]
        with replacing(path, path + BACKUP) as beside:
            writer = ContainerWriter(beside, header)
            try:
                _write_blocks(writer, header, blocks)
                writer.sync()
            finally:
                writer.close()

    def pack(self, header: dict[str, Any], tree: Json) -> bytes:
        """Return the content of the save file as bytes, without writing a file."""
        blocks = self._blocks("pack", tree)
        file = io.BytesIO()
        _write_blocks(ContainerWriter("data", header, file), header, blocks)
        return file.getvalue()

    def _blocks(self, method: str, tree: Json) -> Iterator[tuple[int, bytes, int]]:
        """Yield the type, the data and the compression level of each block, except the last block.

        Error messages contain ``method``, the name of the called method.
        """
        text = json.dumps(tree, allow_nan=False, separators=(",", ":")).encode("ascii")
        size = sum(len(numbers) for numbers in self._arrays)
        min_size = (_cost(text) + _ARRAY * size - _FREE_BYTES) // _EXPANSION  # bytes of the file
        min_size = max(min_size, _BYTES_PER_CONTAINER * (_containers(text) - _FREE_CONTAINERS))
        level = 1 if min_size <= 0 else 0
        if max(min_size, len(text) + size) > MAX_FILE - (1 << 20):
            length = max(min_size, len(text) + size)
            raise FrameworkError(
                f"{method}: the file would have {length:,} bytes; the limit is {MAX_FILE:,}; save less"
            )
        for start in range(0, len(text), _PIECE):
            yield STATE, text[start : start + _PIECE], level
        for numbers in self._arrays:
            for start in range(0, len(numbers), _PIECE):
                yield NUMBERS, numbers[start : start + _PIECE].tobytes(), level
        for start in range(0, min_size - len(text) - size, _PIECE):
            yield PADDING, bytes(min(_PIECE, min_size - len(text) - size - start)), level


def _write_blocks(
    writer: ContainerWriter, header: dict[str, Any], blocks: Iterable[tuple[int, bytes, int]]
) -> None:
    for kind, payload, level in blocks:
        writer.write(kind, payload, level)
    writer.write(END, digest_of_header(header))


class Save:
    """A reader of a save file that `Game.save` has written. For example, use this class to show the
    date of each save in a menu.

    Raises `AssetError` if the file is damaged or is not a save.
    """

    _in_memory = False  # True if the save comes from `Saves.pack`, and not from a file

    def __init__(self, path: str | os.PathLike[str]) -> None:
        checked_path = checks.path("path", path)
        self._read(Container(checked_path, read_file(checked_path)))

    def _read(self, file: Container) -> None:
        self._file = file
        self.parts: list[SavedPart] = []
        """The saved objects that belong to routines. The list is empty until the values are read.
        """
        self.path: str = self._file.path
        """The path of the save file."""
        self._read_header(self._file.header, "save")
        self.scenes: list[str] = self._field("scenes", list)
        """The class names of all saved scenes, from the lowest to the highest scene. The game
        itself is not in the list.
        """
        if not all(isinstance(scene, str) for scene in self.scenes):
            raise broken(self, "its header names no scenes")
        if self._file.cut_off or not self._ended():
            hint = "" if self._in_memory else "; try the backup (.bak)"
            raise broken(self, f"it was cut off, or its header was changed{hint}")

    def _read_header(self, header: dict[str, Any], kind: str) -> None:
        self.header = header
        """The header of the file, with the game, the version, the tick, the date and the scenes."""
        if self.header.get("kind") != kind:
            article = "an" if kind == "export" else "a"
            raise broken(
                self,
                f"expected {article} {kind}, got a file of the kind {checks.shown(self.header.get('kind'))}",
            )
        self.game: str = self._field("game", str)
        """The module and the class of the game, such as "duel:Duel"."""
        self.version: int = self._field("version", int)
        """The ``saved_version`` of the game at the time of the save."""
        self.tick: int = self._field("tick", int)
        """The number of the last tick before the save."""
        self.written: str = self._field("written", str)
        """When the game was saved, in UTC, such as "2026-11-22T12:34:56Z"."""

    def _field(self, name: str, expected: type) -> Any:
        value: Any = self.header.get(name)
        if type(value) is not expected or (isinstance(value, int) and value < 0):
            raise broken(self, f"its header has {checks.shown(value)} for {name}")
        return value

    def values(self) -> dict[str, Any]:
        """Return all values in the save, as a dict with the keys "game" and "scenes". "game"
        contains a dict from attribute names to the saved values of the game. "scenes" contains a
        list with such a dict for each scene. Objects of the game's own classes become `SavedObject`
        objects. Raises `AssetError` if the file is damaged.
        """
        return unpack(self)[0]

    def _state_text(self, array_bytes: int) -> bytes:
        """Check that the values of the save do not need too much memory for a file of this size,
        and return its JSON text. ``array_bytes`` is the size of all arrays.
        """
        file = self._file
        cost = _ARRAY * array_bytes
        limit = _FREE_BYTES + _EXPANSION * file.size
        if cost + file.raw_size(STATE) > limit:
            raise broken(self, "it unpacks to more than a file of its size may use")
        text = b"".join(payload for kind, payload in file.blocks() if kind == STATE)
        if (
            cost + _cost(text) > limit
            or _containers(text) > _FREE_CONTAINERS + file.size // _BYTES_PER_CONTAINER
        ):
            raise broken(self, "it has more values than a file of its size may")
        return text

    def _unpack(self) -> tuple[dict[str, Any], set[int]]:
        numbers = _Numbers(self._file)
        text = self._state_text(numbers.left)
        try:
            tree: Json = strict_json.parse(text.decode("ascii"))
            del text
            unpacker = Unpacker(numbers.take)
            state = state_of(tree, unpacker)
            if numbers.left:
                raise ValueError(f"{numbers.left:,} bytes of numbers belong to no array")
            self.parts = unpacker.parts
            return state, unpacker.shared
        except (ValueError, TypeError, OverflowError, RecursionError, MemoryError) as error:
            raise broken(
                self, f"it does not make sense: {checks.shown(str(error))[1:-1]}"
            ) from None

    def _ended(self) -> bool:
        last = None
        for kind, _, begin in self._file.heads(8):
            last = kind, begin
        return last == (END, digest_of_header(self._file.header))


def read_save(path: str, data: bytes) -> Save:
    """Return a `Save` object for the content of a save file. The argument ``path`` is used only in
    error messages. Raises `AssetError` if the file is damaged.
    """
    save = Save.__new__(Save)
    save._read(Container(path, data))
    return save


def read_packed(name: str, data: bytes) -> Save:
    """Return a `Save` object for bytes from `SaveWriter.pack`. Error messages use ``name`` as the
    name of the argument. Raises `AssetError` if the bytes are invalid.
    """
    save = Save.__new__(Save)
    save._in_memory = True
    save._read(Container(name, data, name))
    return save


def broken(save: Save, what: str) -> AssetError:
    """Return an `AssetError` for a damaged save. The error message contains the path of the file,
    and the description ``what``.
    """
    name = save.path if save._in_memory else repr(save.path)
    return AssetError(f"{name}: {what}.")


def unpack(save: Save) -> tuple[dict[str, Any], set[int]]:
    """Return the values in a save, and the `id` of each value that occurs several times in the
    save.

    Raises `AssetError` if the file is damaged.
    """
    return save._unpack()


def state_of(tree: Json, unpacker: Unpacker) -> dict[str, Any]:
    """Return the saved values of the game and of each scene."""
    if tree.__class__ is not dict or tree.keys() != {"batches", "game", "scenes"}:
        raise ValueError("a game and its scenes are expected")
    all_batches: Json = tree["batches"]
    all_scenes: Json = tree["scenes"]
    if all_batches.__class__ is not list or all_scenes.__class__ is not list:
        raise ValueError("lists of batches and scenes are expected")
    batches = [unpacker.values(part) for part in all_batches]
    values = [unpacker.values(part) for part in [tree["game"], *all_scenes]]
    unpacker.finish()
    if len(values) != len(batches):
        raise ValueError("batches of the game and of each scene are expected")
    game, *scenes = [part | scene for part, scene in zip(batches, values, strict=True)]
    return {"game": game, "scenes": scenes}


class _Numbers:
    """Reads the numbers of all arrays in a save, one array after another. Each block is
    decompressed only when one of its numbers is needed.
    """

    def __init__(self, file: Container) -> None:
        self.left = file.raw_size(NUMBERS)
        """The number of bytes that have not been read yet."""
        self._blocks = (payload for kind, payload in file.blocks() if kind == NUMBERS)
        self._piece = memoryview(b"")

    def take(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """Return the next array of the save. The method checks the size of the array before
        allocating memory.
        """
        size = bytes_of(dtype, shape)
        if size > self.left:
            raise ValueError(
                f"an array of {size:,} bytes, and {self.left:,} bytes of numbers are left"
            )
        self.left -= size
        values = np.empty(shape, dtype)
        target = values.reshape(-1).view(np.uint8)
        position = 0
        while position < size:
            if not self._piece:
                self._piece = memoryview(next(self._blocks))
            count = min(size - position, len(self._piece))
            target[position : position + count] = np.frombuffer(self._piece[:count], np.uint8)
            self._piece = self._piece[count:]
            position += count
        if dtype.kind == "b" and size and target.max() > 1:
            raise ValueError("booleans that are neither 0 nor 1")
        return values.astype(dtype.newbyteorder("="), copy=False)


def _cost(text: bytes) -> int:
    """Return how much memory the values of a JSON text can need at most, in bytes."""
    count = text.count
    # a string with one wide character uses four bytes for each character
    wide = 4 if count(b"\\u") else 1
    values = (
        _LIST * count(b"[") + _DICT * count(b"{") + _STRING * count(b'"') + _PLAIN * count(b",")
    )
    return values + len(text) * (2 + wide)


def _containers(text: bytes) -> int:
    return text.count(b"[") + text.count(b"{")
