"""Record the data that a game loads from its save files, so that a replay loads the same data.

A recording stores the results of loads and saves in two types of blocks. A `SAVE` block contains
the SHA-256 hash of a file (32 bytes), followed by bytes from the file. A large file needs several
`SAVE` blocks. A `LOADS` block is a list of results in JSON. Each result has the form that
`Result.packed` returns. If a file is larger than `MAX_HELD` bytes, the recording stores only its
size and its hash.

A recording may come from an untrusted source, so all names, lengths and hashes are checked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..record import strict_json
from ..record.container import MAX_FILE, Container

SAVE = 7
LOADS = 8
"""The numbers that identify two block types in recordings."""
INPUTS = 2
"""The version of the input format, in the header of a recording. Recordings before version 2 have
no version number.

Since version 2, a recording contains the results of loads. Key presses that the game's own code
simulates in a tick are no longer recorded, because a replay runs this code, too.
"""
MAX_HELD = 1 << 20
"""The maximum size of a file in a recording, in bytes: 1 MiB. For a larger file, a recording stores
only the size and the hash.
"""
MAX_TOTAL = 1 << 26
"""The maximum size of all files in a recording together, in bytes: 64 MiB. Once this total is
reached, a recording stores only the size and the hash of each further file.
"""
MAX_RESULTS = 100_000
"""The maximum number of results in a recording."""
MAX_NAMES = 1000
"""The maximum number of file names in one result of the kind "files"."""
_MAX_NAME = 255  # characters
_MAX_ERROR = 300  # characters
_MAX_BLOCK = 1 << 19  # the maximum size of a block in bytes
_KINDS = ("load", "save", "files")


class Result(NamedTuple):
    """The result of a call that has loaded a file, saved a file, or searched for saves."""

    tick: int
    """The number of the tick in which the call was made, or 0 for a call in `setup`."""
    kind: str
    """The kind of the call: "load", "save" or "files". A recording contains a result of the kind
    "save" only if the save has failed. The kind "files" is a search for existing files.
    """
    name: str
    """The name of a file in the folder of saves. For a file in another folder, `name` is the file
    name without the folder. For a search in the whole folder of saves, `name` is "".
    """
    data: bytes | None = None
    """The content of a file that was loaded. `data` is None if only the hash of the file is known.
    """
    size: int = 0
    """The size of the loaded file in bytes."""
    sha256: str = ""
    """The SHA-256 hash of the loaded file."""
    error: str = ""
    """The error message without the path, if the call has failed. Otherwise ""."""
    names: tuple[str, ...] = ()
    """For the kind "files": the names of the existing files."""

    @property
    def held(self) -> bool:
        """Whether a recording can store the content of the file, and not only its hash."""
        return self.data is not None and self.size <= MAX_HELD

    def packed(self) -> list[Any]:
        """Return the result as a list for JSON: ``[tick, kind, name, {…}]``."""
        fields: dict[str, Any]
        if self.kind == "files":
            fields = {"names": list(self.names)}
        elif self.error:
            fields = {"error": self.error[:_MAX_ERROR]}
        else:
            fields = {"sha256": self.sha256, "size": self.size}
        return [self.tick, self.kind, self.name[:_MAX_NAME], fields]


def loaded(tick: int, name: str, data: bytes) -> Result:
    """Return the `Result` of a load that has read the bytes ``data``."""
    return Result(tick, "load", name, data, len(data), hashlib.sha256(data).hexdigest())


def blocks(results: Iterable[Result], held: dict[str, int]) -> Iterator[tuple[int, bytes]]:
    """Yield the type and the bytes of each block that the recording needs for ``results``.

    ``held`` is a dict with the files that are already in the recording: the keys are SHA-256
    hashes, and the values are sizes. The files in the yielded blocks are added to ``held``.
    """
    packed = []
    for result in results:
        room = MAX_TOTAL - sum(held.values())
        if (
            result.data is not None
            and result.held
            and result.sha256 not in held
            and result.size <= room
        ):
            held[result.sha256] = result.size
            head = bytes.fromhex(result.sha256)
            for begin in range(0, max(result.size, 1), _MAX_BLOCK):
                yield SAVE, head + result.data[begin : begin + _MAX_BLOCK]
        packed.append(result.packed())
    for begin in range(0, len(packed), 100):
        yield LOADS, json.dumps(packed[begin : begin + 100], separators=(",", ":")).encode("ascii")


def results(file: Container, ticks: int | None = None) -> list[Result]:
    """Return the results in a recording, in the order of the calls. ``ticks`` is the number of
    ticks in the recording.

    Raises `AssetError` if a result, a name, a length or a hash in the recording is invalid.
    """
    pieces: dict[str, bytearray] = {}
    listed: list[Result] = []
    total = 0
    for kind, payload in file.blocks():
        if kind == SAVE:
            total += max(len(payload) - 32, 0)
            content = pieces.setdefault(payload[:32].hex(), bytearray())
            content += payload[32:]
            if len(payload) < 32 or total > MAX_TOTAL or len(content) > MAX_HELD:
                raise file.error("the saves in it are larger than a recording holds")
        elif kind == LOADS:
            listed += _parsed_results(file, payload)
            if len(listed) > MAX_RESULTS:
                raise file.error(f"its list of loads has more than {MAX_RESULTS:,} entries")
    contents = _checked_contents(file, pieces)
    _check_order(file, listed, ticks)
    return [_with_content(result, contents) for result in listed]


def _parsed_results(file: Container, payload: bytes) -> list[Result]:
    try:
        listed: list[list[object]] = strict_json.parse(payload.decode("ascii"))
        return [_result(entry) for entry in listed]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise file.error(f"its list of loads does not make sense: {str(error)[:80]}") from None


def _checked_contents(file: Container, pieces: Mapping[str, bytearray]) -> dict[str, bytes]:
    """Return the content of each saved file, by its SHA-256 hash. Contents with a wrong hash are
    left out if the recording was cut off. Otherwise, they raise `AssetError`.
    """
    contents = {}
    for digest, content in pieces.items():
        if hashlib.sha256(content).hexdigest() == digest:
            contents[digest] = bytes(content)
        elif not file.cut_off:
            raise file.error("a save in it is not what its hash says")
    return contents


def _with_content(result: Result, contents: Mapping[str, bytes]) -> Result:
    data = contents.get(result.sha256)
    return result if data is None or len(data) != result.size else result._replace(data=data)


def _check_order(file: Container, results: Iterable[Result], ticks: int | None) -> None:
    """Raise `AssetError` unless the results are in the order of their ticks, and none is later than
    the last of ``ticks`` ticks.
    """
    before = 0
    for result in results:
        is_beyond = ticks is not None and result.tick > max(ticks, 0) + 1 and not file.cut_off
        if result.tick < before or is_beyond:
            raise file.error(f"its loads after tick {before:,} are not in order")
        before = result.tick


def _result(listed: Sequence[object]) -> Result:
    tick, kind, name, content = listed
    if (
        type(tick) is not int
        or tick < 0
        or not isinstance(kind, str)
        or kind not in _KINDS
        or not isinstance(content, dict)
    ):
        raise ValueError("a tick, a kind, a name and a dict are expected")
    details: dict[str, object] = content
    name = _text(name, _MAX_NAME)
    if kind == "files":
        names = details["names"]
        if not isinstance(names, list) or len(names) > MAX_NAMES:
            raise ValueError("names")
        return Result(tick, kind, name, names=tuple(_text(entry, _MAX_NAME) for entry in names))
    if "error" in details:
        error = _text(details["error"], _MAX_ERROR)
        return Result(tick, kind, name, error=error or "cannot be read.")
    size = details["size"]
    sha256 = _text(details["sha256"], 64)
    if (
        kind != "load"
        or type(size) is not int
        or not 0 <= size <= MAX_FILE
        or len(bytes.fromhex(sha256)) != 32
    ):
        raise ValueError("a size and a hash are expected")
    return Result(tick, kind, name, size=size, sha256=sha256.lower())


def _text(value: object, max_length: int) -> str:
    if not isinstance(value, str) or len(value) > max_length:
        raise ValueError("a short string is expected")
    return value
