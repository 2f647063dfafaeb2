"""Check that two machines run the same game and compute the same numbers.

A match only works if all machines run the same program with the same options, and if their
processors compute exactly the same numbers. Otherwise their game states become different after some
time. `identity` returns a small object that describes the program, its options and its arithmetic.
When two machines connect, they exchange these objects. `Identity.difference` returns a sentence
that describes the first difference.
"""

from __future__ import annotations

__all__ = ["Identity", "identity"]

import functools
import hashlib
import inspect
import json
import os
import sys
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from .. import __version__, checks
from ..game.driven_game import driven
from ..game.recorder import not_recorded_option, plain
from ..physics.engines import engine_versions
from ..record.hashes import SCHEME
from ..record.strict_json import parse
from ..text.shaping import shaped_by

if TYPE_CHECKING:
    from ..game.game import Game

PROTOCOL = 4
"""The version of the network messages."""

_MAX_BYTES = 1 << 15  # the maximum size of a received identity in bytes
_MAX_JSON = 1 << 18
_MAX_FILES = 1000
_MAX_FILE_BYTES = 1 << 24
_MAX_TEXT = 300  # characters
_DIGITS = 10  # the number of digits in the hash of a file
_ARITHMETIC_DIGITS = 8
_MAX_PACKED = 1100  # the maximum size in bytes, so that an identity fits into a datagram
_SHOWN = 60  # the maximum number of characters of a value in a message

# Groups of arithmetic operations that the framework itself performs in the ticks of every game.
_BASIC = ("exact", "+ - * /", "sqrt", "remainder", "signs of zero", "argsort stable", "random uni")


@dataclass(frozen=True)
class Identity:
    """The values that must be equal on two machines that play the same game. Call the function
    `identity` to get the identity of a game.
    """

    protocol: int
    """The version of the network messages."""
    framework: str
    """The version of the framework, and the version of its state hashes."""
    game: str
    """The name of the game's class."""
    players: int
    """The number of players."""
    tick_rate: str
    """The number of ticks per second as a fraction, such as "60" or "1001/30"."""
    seed: str
    """The seed of the random numbers."""
    size: tuple[float, float]
    """The size of the screen in units. It must be the same on both machines, because the code of
    the game can read it.
    """
    exact: bool
    """The game's option ``exact``."""
    options: Mapping[str, str] = field(default_factory=dict)
    """The other options of the game. Each value is a JSON string."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """A dict of the Python files that the game has imported. The keys of `sources` are paths, and
    the values are hashes of the files.
    """
    text: str = ""
    """The name of the text engine, which must be the same on both machines because it computes the
    sizes of labels and widgets.
    """
    engines: Mapping[str, str] = field(default_factory=dict)
    """The versions of the physics engines that the game has used so far."""
    arithmetic: Mapping[str, str] = field(default_factory=dict)
    """The results of arithmetic operations on this machine. The keys of the dict are names of
    groups of operations, and the values are hashes of their results. ``framework doctor
    --determinism`` prints the same list.
    """

    def difference(self, other: Identity, *, arithmetic: bool = True) -> str | None:
        """Return a sentence that describes the first difference between two identities and how to
        remove it, or None if the identities are equal.

        With ``arithmetic=False``, the comparison ignores the arithmetic, the text engine and the
        physics engines. Use ``arithmetic=False`` if only one machine runs the rules, for example a
        `Server`.
        """
        checks.instance("other", other, Identity)
        arithmetic = checks.flag("arithmetic", arithmetic)
        for name, hint in _HINTS.items():
            ours: Any = getattr(self, name)
            theirs: Any = getattr(other, name)
            if name in ("text", "engines", "arithmetic") and not arithmetic:
                continue
            if not isinstance(ours, Mapping):
                if ours != theirs:
                    return _sentence(name.replace("_", " "), ours, theirs, hint)
                continue
            if name == "sources":
                message = _difference_of_sources(ours, theirs, hint)
            else:
                message = _difference_of_items(name, ours, theirs, hint)
            if message is not None:
                return message
        return None

    @functools.cached_property
    def digest(self) -> bytes:
        """A 16-byte hash of all values. If the digests of two identities are equal, the identities
        are equal.
        """
        return hashlib.blake2b(_json(self), digest_size=16).digest()

    def to_bytes(self) -> bytes:
        """Return the identity as bytes. The method `from_bytes` converts the bytes back to an
        identity. The result is shorter than 1,100 bytes, so it fits into one datagram.
        """
        return zlib.compress(_json(self), 9)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Convert the result of `to_bytes` back to an identity. All values are checked, because an
        attacker may have sent the bytes.

        Raises `ValueError` if the bytes are not a valid identity, or are longer than 32 KiB.
        """
        data = _checked_bytes(data)
        try:
            unpacker = zlib.decompressobj()
            text = unpacker.decompress(data, _MAX_JSON)
            if unpacker.unconsumed_tail or not unpacker.eof or unpacker.unused_data:
                raise ValueError("too long or cut off")
            values = parse(text.decode())
            return cls(**_checked_values(values))
        except (ValueError, TypeError, RecursionError, zlib.error) as error:
            raise ValueError(
                "data: expected an identity from Identity.to_bytes, got "
                f"{len(data):,} other bytes ({str(error)[:_SHOWN]})"
            ) from None


def identity(game: Game) -> Identity:
    """Return the identity of a game: the class, options, tick rate, players, source files and
    arithmetic.

    Compare the identities of two machines before the first tick:

        problem = identity(game).difference(fw.Identity.from_bytes(received))

    ``problem`` is None or a sentence, such as "sources: duel.py is another version on the other
    side". The identity contains hashes of the Python files that the game has imported from its own
    folders. Data files, such as levels, are not part of the identity.

    With ``exact=True``, the two machines must compute the same results only for the arithmetic
    operations that the framework uses. Otherwise, all arithmetic operations of NumPy must have the
    same results, which is rare on different kinds of machines.
    """
    from ..game.game import Game  # imported here because it loads the whole game

    checks.instance("game", game, Game)
    parts = driven(game)
    stage = parts.stage
    timestep = parts.loop.timestep
    stage.live  # noqa: B018 (raises an error if the game was closed)
    rate: Any = getattr(timestep, "rate", type(timestep).__name__)
    seed: Any = stage.random.bit_generator.seed_seq
    versions = engine_versions()
    engines = {name: versions.get(name, "?") for name in sorted(stage.engines)}
    collected = Identity(
        protocol=PROTOCOL,
        framework=f"{__version__}, hashes {SCHEME}",
        game=type(game).__qualname__,
        players=len(stage.players),
        tick_rate=str(rate),
        seed=str(getattr(seed, "entropy", "")),
        size=(float(stage.view.size[0]), float(stage.view.size[1])),
        exact=game.exact,
        options=_compared_options(*stage.made_with),
        sources=_sources(type(game)),
        text=shaped_by(),
        engines=engines,
        arithmetic=_arithmetic(game.exact, frozenset(engines)),
    )
    return _shortened(collected)


def _shortened(collected: Identity) -> Identity:
    """Return an identity that fits into a datagram. If necessary, combine the hashes of all files,
    and then also all options.
    """
    if len(collected.to_bytes()) > _MAX_PACKED:
        collected = replace(collected, sources=_combined(collected.sources))
    if len(collected.to_bytes()) > _MAX_PACKED:
        collected = replace(collected, options=_combined(collected.options))
    return collected


def packed_sources(game: Game, max_bytes: int) -> bytes:
    """Return the hashes of the Python files that a game has imported, as bytes. A server and its
    clients compare only the hashes of the Python files.
    """
    sources = _sources(type(game))
    packed = zlib.compress(_json_of(sources), 9)
    return packed if len(packed) <= max_bytes else zlib.compress(_json_of(_combined(sources)), 9)


def difference_of_sources(ours: bytes, theirs: bytes) -> str | None:
    """Return a sentence about the first file that differs, or None. Each argument is a result of
    `packed_sources`, or b"" if this side does not compare files. ``theirs`` may come from an
    untrusted machine. Raises `ValueError` if the bytes are invalid.
    """
    if not ours or not theirs:
        return None
    return _difference_of_sources(_unpacked_sources(ours), _unpacked_sources(theirs), _SAME_VERSION)


def _unpacked_sources(data: bytes) -> dict[str, str]:
    try:
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(data, _MAX_JSON)
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise ValueError("too long")
        values = parse(text.decode())
    except (zlib.error, RecursionError) as error:
        raise ValueError(str(error)) from None
    if not isinstance(values, dict) or len(values) > _MAX_FILES:
        raise ValueError("no hashes of files")
    if not all(_is_short(key) and _is_short(value) for key, value in values.items()):
        raise ValueError("a hash of a file is too long")
    hashes: dict[str, str] = values
    return hashes


def _combined(values: Mapping[str, str]) -> dict[str, str]:
    """Return a dict with only one entry, a hash of all ``values``. With a single hash instead of
    hundreds, the identity of a game fits into a datagram.
    """
    text = json.dumps([*values.items()]).encode()
    return {f"all {len(values)} together": hashlib.sha256(text).hexdigest()[:_DIGITS]}


# -- the values ------------------------------------------------------------------------------------


# Options that are not compared here, because they are fields of `Identity` or change only the
# screen.
_OWN_FIELDS = {"seed", "players", "tick_rate", "exact", "timestep"}
_SCREEN_OPTIONS = {"background", "letterbox_color", "render_scale", "session"}


def _compared_options(arguments: Sequence[Any], options: Mapping[str, Any]) -> dict[str, str]:
    """Return the options of a game that must be equal on both machines. The key of a positional
    argument is its index.
    """
    passed = {**{str(index): value for index, value in enumerate(arguments)}, **options}
    return {
        name: _shown_option(value)
        for name, value in sorted(passed.items())
        if not not_recorded_option(name) and name not in _OWN_FIELDS | _SCREEN_OPTIONS
    }


def _shown_option(value: Any) -> str:
    try:
        return json.dumps(plain(value), sort_keys=True)[:_MAX_TEXT]
    except TypeError:  # the value is an object, so only its class can be compared
        return type(value).__qualname__[:_MAX_TEXT]


def _sources(kind: type) -> dict[str, str]:
    """Return a dict with the hash of each imported Python file of the game. The keys of the dict
    are paths relative to the game's folder.

    The dict does not contain files of the framework or of installed packages.
    """
    folders: list[str] = []
    hashes: dict[str, str] = {}
    for base in kind.__mro__:
        path = _file_of(base)
        if path is not None:
            folder = os.path.join(os.path.dirname(path), "")
            if folder not in folders:
                folders.append(folder)
            hashes.setdefault(os.path.basename(path), _hash_of(path))
    for path in _imported_files():
        parent = next((folder for folder in folders if path.startswith(folder)), None)
        if parent is not None and len(hashes) < _MAX_FILES:
            key = path[len(parent) :].replace(os.sep, "/")
            if key not in hashes:
                hashes[key] = _hash_of(path)
    return {name: value for name, value in sorted(hashes.items()) if value}


def _imported_files() -> Iterator[str]:
    """Yield the paths of all imported Python files, except files of the framework and of installed
    packages.
    """
    for module in [*sys.modules.values()]:
        name = getattr(module, "__file__", None)
        if isinstance(name, str) and name.endswith(".py"):
            path = _own_file(name)
            if path is not None:
                yield path


def _file_of(kind: type) -> str | None:
    try:
        return _own_file(inspect.getfile(kind))
    except (TypeError, OSError):
        # A class written in C, or a class defined in an interactive session.
        return None


_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = {"site-packages", "dist-packages"}


def _own_file(name: str) -> str | None:
    """Return the resolved path of a file, or None for files of the framework and of installed
    packages.
    """
    return _own_absolute_file(name if os.path.isabs(name) else os.path.join(os.getcwd(), name))


@functools.lru_cache(maxsize=10_000)
def _own_absolute_file(name: str) -> str | None:
    # Cached: a program has imported hundreds of files, and each match resolves all their paths.
    path = Path(name).resolve()
    is_installed = path.is_relative_to(_PACKAGE) or not _INSTALLED.isdisjoint(path.parts)
    return None if is_installed else str(path)


# The hash of each file, with the times, size and number of the file at that moment. A file that was
# changed a moment ago is not cached: a second change may have the same time and size.
_hashes: dict[str, tuple[tuple[int, ...], str]] = {}
_SETTLED_NS = 10_000_000_000


def _hash_of(path: str) -> str:
    try:
        status = os.stat(path)
        changed = max(status.st_mtime_ns, status.st_ctime_ns)
        version = status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
        cached = _hashes.get(path)
        if cached is not None and cached[0] == version:
            return cached[1]
        if status.st_size > _MAX_FILE_BYTES:
            return ""
        is_settled = time.time_ns() - changed > _SETTLED_NS
        content = Path(path).read_bytes()
    except OSError:  # the file was deleted after the import
        return ""
    # Git on Windows may use other line endings.
    lines = content.replace(b"\r\n", b"\n")
    result = hashlib.sha256(lines).hexdigest()[:_DIGITS]
    if is_settled:
        _hashes[path] = version, result
    return result


@functools.cache
def _arithmetic(is_exact: bool, engines: frozenset[str]) -> dict[str, str]:
    """Return the hashes of the arithmetic operations that the game may use in ticks."""
    from ..sim import fingerprint  # imported here because it loads the physics engines

    def used(name: str) -> bool:
        if name.startswith("Physics"):
            return ("pymunk" if name.endswith("of pymunk") else "rapier3d") in engines
        if name.startswith("text"):
            return False  # `Identity.text` contains the text engine
        return not is_exact or name.startswith(_BASIC)

    hashes = fingerprint.families(used)
    return {name: value[:_ARITHMETIC_DIGITS] for name, value in hashes.items()}


# -- messages --------------------------------------------------------------------------------------

_SAME_VERSION = "start the same version of the game on both machines"
_HINTS = {
    "protocol": "install the same version of subtick on both machines",
    "framework": "install the same version of subtick on both machines",
    "game": "start the same game on both machines",
    "players": "create the game with the same number of players on both machines",
    "tick_rate": "create the game with the same tick_rate on both machines",
    "seed": "create the game with the same seed on both machines",
    "size": "pass resolution=(1280, 720), so that all screens have the same size in units",
    "exact": "create the game with the same option exact on both machines",
    "options": "create the game with the same options on both machines",
    "sources": _SAME_VERSION,
    "text": "install the same text engine on both machines",
    "engines": "install the same version of the physics engine on both machines",
    "arithmetic": "create the game with exact=True, or play on machines of the same kind",
}


def _sentence(name: str, ours: object, theirs: object, hint: str) -> str:
    return f"{name}: expected {_shown(ours)}, got {_shown(theirs)} from the other side; {hint}"


def _difference_of_items(
    name: str, ours: Mapping[str, str], theirs: Mapping[str, str], hint: str
) -> str | None:
    for key in sorted({*ours, *theirs}):
        value = ours.get(key)
        received = theirs.get(key)
        if value == received:
            continue
        if name == "arithmetic" and key.startswith("Physics"):
            hint = (
                "physics engines differ between kinds of processors: play on machines of one kind"
            )
        if name == "arithmetic":
            label = f"arithmetic: the results of {_shown(key)}"
            return f"{label} differ between the two machines; {hint}"
        return _sentence(f"{name}: {_plain(key)}", _or_nothing(value), _or_nothing(received), hint)
    return None


def _difference_of_sources(
    ours: Mapping[str, str], theirs: Mapping[str, str], hint: str
) -> str | None:
    """Compare the files that both machines have imported. Return a sentence about the first
    difference, or None. Files that only one machine has imported are ignored, because the other
    machine may import them later.
    """
    for key in sorted(ours.keys() & theirs.keys()):
        if ours[key] != theirs[key]:
            return f"sources: {_plain(key)} is another version on the other side; {hint}"
    if ours and theirs and not ours.keys() & theirs.keys():
        return _sentence("sources", next(iter(ours)), _plain(next(iter(theirs))), hint)
    return None


def _or_nothing(value: str | None) -> str:
    return "no such value" if value is None else value


def _plain(text: str) -> str:
    """Return a short copy of a text from the other machine, without control characters and on one
    line.
    """
    printable = "".join(letter if letter.isprintable() else "?" for letter in text[:_SHOWN])
    return printable + "…" if len(text) > _SHOWN else printable


def _shown(value: object) -> str:
    return repr(_plain(value)) if isinstance(value, str) else _plain(str(value))


# -- bytes -----------------------------------------------------------------------------------------


def _json(value: Identity) -> bytes:
    return _json_of(asdict(value))


def _json_of(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def _checked_bytes(data: object) -> bytes:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise checks.wrong_type("data", "bytes", data)
    length = memoryview(data).nbytes
    if length > _MAX_BYTES:
        raise ValueError(f"data: expected at most {_MAX_BYTES:,} bytes, got {length:,}")
    return bytes(data)


def _checked_values(values: object) -> dict[str, Any]:
    """Check the type and the size of each value, because values from another machine may be wrong."""
    names = {entry.name for entry in fields(Identity)}
    if not isinstance(values, dict) or set(values) != names:
        raise ValueError("other fields")
    for name, value in values.items():
        if not _is_valid(name, value):
            raise ValueError(f"a wrong {name}")
    return {**values, "size": tuple(values["size"])}


def _is_valid(name: str, value: Any) -> bool:
    """Return whether a JSON value has the type and the size of the field ``name``."""
    if name in ("protocol", "players"):
        return type(value) is int and 0 <= value < 1 << 31
    if name == "exact":
        return type(value) is bool
    if name == "size":
        is_pair = isinstance(value, list) and len(value) == 2
        return is_pair and all(type(number) is float for number in value)
    if name in ("options", "sources", "engines", "arithmetic"):
        return _is_short_dict(value)
    return _is_short(value)


def _is_short_dict(value: object) -> bool:
    return (
        isinstance(value, dict)
        and len(value) <= _MAX_FILES
        and all(_is_short(key) and _is_short(item) for key, item in value.items())
    )


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_TEXT
