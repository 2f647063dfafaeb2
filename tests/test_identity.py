"""Identities: two machines with the same game have the same identity, and the first difference is
named.
"""

from __future__ import annotations

import importlib.util
import os
import random
import sys
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import framework as fw
from framework.net import identity as module

DUEL = """
import framework as fw

class Duel(fw.Game):
    def __init__(self, rounds=3, **options):
        super().__init__(**options)
        self.rounds = rounds
"""


def duel_of(folder: Path, source: str = DUEL) -> Any:
    """Return the class of a game whose file is in ``folder``."""
    folder.mkdir(exist_ok=True)
    path = folder / "duel.py"
    path.write_bytes(source.encode())
    name = f"duel_in_{folder.name}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded  # `inspect` finds the file of a class by its module
    try:
        spec.loader.exec_module(loaded)
    except BaseException:
        del sys.modules[name]
        raise
    return loaded.Duel


@pytest.fixture(autouse=True)
def _remove_modules() -> Any:
    yield
    for name in [name for name in sys.modules if name.startswith("duel_in_")]:
        del sys.modules[name]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_arithmetic", lambda exact, engines: {"sum float32": "aa"})


def identity_of(kind: Any, *arguments: Any, **options: Any) -> fw.Identity:
    with kind(*arguments, drawing=False, **options) as game:
        return fw.identity(game)


def test_equal_games_have_the_same_identity(tmp_path: Path) -> None:
    ours = identity_of(duel_of(tmp_path / "a"), players=2)
    theirs = identity_of(duel_of(tmp_path / "b"), players=2, title="another window", vsync=False)
    assert ours.difference(theirs) is None
    assert ours == theirs
    assert ours.digest == theirs.digest
    assert [*ours.sources] == ["duel.py"]


def test_windows_line_ends_make_no_difference(tmp_path: Path) -> None:
    ours = identity_of(duel_of(tmp_path / "a"))
    assert ours == identity_of(duel_of(tmp_path / "b", DUEL.replace("\n", "\r\n")))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 2}, "players: expected 1, got 2 from the other side; create the game with"),
        ({"tick_rate": 50}, "tick rate: expected '60', got '50' from the other side"),
        ({"seed": 5}, "seed: expected '0', got '5' from the other side"),
        ({"size": (640, 360)}, r"size: expected \(1280.0, 720.0\), got \(640.0, 360.0\)"),
        ({"exact": True}, "exact: expected False, got True from the other side"),
        (
            {"resolution": (1280, 720)},
            "options: resolution: expected 'no such value', got",
        ),
        ({"rounds": 5}, "options: rounds: expected 'no such value', got '5' from the other side"),
    ],
)
def test_the_first_difference_is_named(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    kind = duel_of(tmp_path / "a")
    ours = identity_of(kind)
    theirs = identity_of(kind, **options)
    difference = ours.difference(theirs)
    assert difference is not None
    assert difference.startswith(message.replace("\\", ""))
    assert ours.digest != theirs.digest
    back = theirs.difference(ours)
    assert back is not None
    assert back.partition(":")[0] == difference.partition(":")[0]


def test_a_changed_file_is_named(tmp_path: Path) -> None:
    ours = identity_of(duel_of(tmp_path / "a"))
    theirs = identity_of(duel_of(tmp_path / "b", f"{DUEL}\n# changed\n"))
    assert ours.difference(theirs) == (
        "sources: duel.py is another version on the other side; start the same version of the game "
        "on both machines"
    )


def test_a_file_that_changed_during_the_run_has_a_new_hash(tmp_path: Path) -> None:
    """The hash of an old file is cached, until the file changes."""
    kind = duel_of(tmp_path / "a")
    path = tmp_path / "a" / "duel.py"
    first = identity_of(kind).sources
    path.write_text(DUEL.replace("rounds=3", "rounds=4"))  # the same size, perhaps the same time
    second = identity_of(kind).sources
    assert second != first
    os.utime(path, (1e9, 1e9))
    assert identity_of(kind).sources == second
    path.write_text(DUEL)
    os.utime(path, (1e9, 1e9))
    assert identity_of(kind).sources == first


def test_the_hash_of_an_old_file_is_computed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = duel_of(tmp_path / "a")
    path = tmp_path / "a" / "duel.py"
    monkeypatch.setattr(module, "_SETTLED_NS", -(10**18))
    monkeypatch.setattr(module, "_hashes", {})
    read: list[Path] = []
    read_bytes = Path.read_bytes

    def counted(self: Path) -> bytes:
        read.append(self)
        return read_bytes(self)

    monkeypatch.setattr(Path, "read_bytes", counted)
    first = identity_of(kind).sources
    assert identity_of(kind).sources == first
    assert read == [path.resolve()]
    path.write_text(DUEL + "# longer")
    assert identity_of(kind).sources != first
    assert read == [path.resolve()] * 2


def test_the_games_other_files_count_but_not_those_of_packages(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "site-packages").mkdir()
    kind = duel_of(tmp_path / "a")
    for name, path in (("levels", "levels.py"), ("other", "site-packages/other.py")):
        file = tmp_path / "a" / path
        file.write_text("x = 1\n")
        loaded = type(sys)(f"duel_in_{name}")
        loaded.__file__ = str(file)
        sys.modules[loaded.__name__] = loaded
    ours = identity_of(kind)
    assert [*ours.sources] == ["duel.py", "levels.py"]
    (tmp_path / "a" / "levels.py").write_text("x = 2\n")
    difference = ours.difference(identity_of(kind))
    assert difference is not None
    assert difference.startswith("sources: levels.py is another version")
    (tmp_path / "a" / "levels.py").unlink()
    assert [*identity_of(kind).sources] == ["duel.py"]
    # the other side may import such a scene later
    assert ours.difference(identity_of(kind)) is None


def test_arithmetic_is_compared_only_if_both_sides_run_the_rules() -> None:
    ours = identity_of(fw.Game)
    theirs = replace(ours, arithmetic={"sum float32": "bb"}, text="none")
    assert ours.difference(theirs, arithmetic=False) is None
    difference = ours.difference(replace(ours, arithmetic={"sum float32": "bb"}))
    assert difference == (
        "arithmetic: the results of 'sum float32' differ between the two machines; create the game "
        "with exact=True, or play on machines of the same kind"
    )
    ours = replace(ours, arithmetic={"Physics3D": "1"}, engines={"rapier3d": "0.30"})
    difference = ours.difference(replace(ours, arithmetic={"Physics3D": "2"}))
    assert difference is not None
    assert difference.endswith(
        "physics engines differ between kinds of processors: play on machines of one kind"
    )
    difference = ours.difference(replace(ours, engines={}))
    assert difference is not None
    assert difference.startswith("engines: rapier3d: expected '0.30', got 'no such value'")


def test_options_are_compared_by_value_and_objects_by_class() -> None:
    class Own:
        pass

    class Free(fw.Game):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(drawing=options["drawing"])

    ours = identity_of(Free, Own(), {"deep": (1, [2.5])})
    assert ours.options == {
        "0": "test_options_are_compared_by_value_and_objects_by_class.<locals>.Own",
        "1": '{"dict": {"deep": {"tuple": [1, [2.5]]}}}',
    }
    assert ours.difference(identity_of(Free, Own(), {"deep": (1, [2.5])})) is None
    assert ours.difference(identity_of(Free, Own(), {"deep": (1, [2.0])})) is not None


# -- bytes -----------------------------------------------------------------------------------------


def test_bytes_are_few_and_restore_the_identity(tmp_path: Path) -> None:
    ours = identity_of(duel_of(tmp_path / "a"), players=2, seed=10**30)
    packed = ours.to_bytes()
    assert len(packed) < 700
    assert fw.Identity.from_bytes(packed) == ours
    assert fw.Identity.from_bytes(packed).digest == ours.digest


def test_hundreds_of_files_and_options_fit_into_one_datagram(
    tmp_path: Path,
) -> None:
    kind = duel_of(tmp_path / "a")
    for number in range(200):
        file = tmp_path / "a" / f"level_{number}.py"
        file.write_text(f"x = {number}\n")
        loaded = type(sys)(f"duel_in_level_{number}")
        loaded.__file__ = str(file)
        sys.modules[loaded.__name__] = loaded

    class Free(kind):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            super().__init__(drawing=options["drawing"])

    options = {f"option_{number}": number * 7919 for number in range(300)}
    ours = identity_of(Free, **options)
    assert len(ours.to_bytes()) <= 1100
    assert ours.difference(identity_of(Free, **options)) is None
    assert ours.difference(identity_of(Free, **{**options, "option_7": 1})) is not None
    (tmp_path / "a" / "level_5.py").write_text("x = -1\n")
    difference = ours.difference(identity_of(Free, **options))
    assert difference is not None
    assert difference.startswith("sources: all")


def test_invalid_bytes_are_always_the_same_error() -> None:
    packed = identity_of(fw.Game).to_bytes()
    text = zlib.decompress(packed)
    bad = [
        b"",
        b"x" * 100,
        packed[:-1],
        packed + b"x",
        zlib.compress(b" " * (1 << 20) + text),  # one megabyte when unpacked
        zlib.compress(b"[" * 100_000),
        zlib.compress(b"[1]"),
        zlib.compress(b"\xff\xfe"),
        zlib.compress(text.replace(b'"players":1', b'"players":NaN')),
        zlib.compress(text.replace(b'"players":1', b'"players":-1')),
        zlib.compress(text.replace(b'"players":1', b'"players":true')),
        zlib.compress(text.replace(b'"exact":false', b'"exact":0')),
        zlib.compress(text.replace(b'"seed":"0"', b'"seed":0')),
        zlib.compress(text.replace(b'"seed":"0"', b'"seed":"' + b"0" * 301 + b'"')),
        zlib.compress(text.replace(b'"seed":"0"', b'"seeds":"0"')),
        zlib.compress(text.replace(b"[1280.0,720.0]", b"[1280.0]")),
        zlib.compress(text.replace(b"[1280.0,720.0]", b"[1e999,720.0]")),
        zlib.compress(text.replace(b'"sources":{', b'"sources":{"a":1,')),
    ]
    for data in bad:
        with pytest.raises(ValueError, match=r"^data: expected an identity from Identity.to_bytes"):
            fw.Identity.from_bytes(data)
    with pytest.raises(ValueError, match=r"^data: expected at most 32,768 bytes, got 40,000"):
        fw.Identity.from_bytes(b"x" * 40_000)
    with pytest.raises(TypeError, match=r"^data: expected bytes"):
        fw.Identity.from_bytes("text")  # type: ignore[arg-type]


def test_flipped_bits_raise_only_expected_errors() -> None:
    ours = identity_of(fw.Game)
    choice = random.Random(5)
    packed = ours.to_bytes()
    text = zlib.decompress(ours.to_bytes())
    messages: list[str] = []
    for case in range(400):
        data = bytearray(packed if case % 2 else text)
        for _ in range(choice.randint(1, 4)):
            data[choice.randrange(len(data))] = choice.randrange(256)
        try:
            changed = fw.Identity.from_bytes(bytes(data) if case % 2 else zlib.compress(data))
        except ValueError as error:
            messages.append(str(error))
        else:
            difference = ours.difference(changed)
            assert difference is None or difference.isprintable()
    assert all(message.startswith("data: ") for message in messages)
    assert len(messages) > 100


def test_text_from_the_other_side_is_shortened_and_printable() -> None:
    ours = identity_of(fw.Game)
    difference = ours.difference(replace(ours, game="\x1b[31m" + "x" * 290))
    assert difference is not None
    assert difference.isprintable()
    assert len(difference) < 200


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match=r"^game: expected a Game"):
        fw.identity(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^other: expected"):
        identity_of(fw.Game).difference("text")  # type: ignore[arg-type]
    with fw.Game(drawing=False) as game:
        pass
    with pytest.raises(fw.FrameworkError, match="This game was closed"):
        fw.identity(game)


# -- arithmetic ------------------------------------------------------------------------------------


@pytest.fixture
def arithmetic(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, str]]:
    monkeypatch.undo()
    return module._arithmetic


def test_an_exact_game_needs_only_the_frameworks_arithmetic(
    arithmetic: Callable[..., dict[str, str]],
) -> None:
    exact = arithmetic(True, frozenset())
    inexact = arithmetic(False, frozenset())
    assert {"exact float32", "+ - * / float64", "random uniform, normal"} <= exact.keys()
    assert not [name for name in exact if name.startswith(("sin", "math", "Physics", "text"))]
    assert exact.keys() < inexact.keys()
    assert {"sin, cos float64", "math sin, cos"} <= inexact.keys()
    assert not [name for name in inexact if name.startswith(("Physics", "text"))]


def test_the_identity_contains_the_physics_library_of_the_game(
    arithmetic: Callable[..., dict[str, str]],
) -> None:
    class Boxes(fw.Game):
        def setup(self) -> None:
            self.physics = fw.Physics2D()
            boxes = fw.Transforms2D()
            boxes.extend(2)
            self.physics.add(boxes, size=(1, 1))

    with Boxes(drawing=False, exact=True) as game:
        used = fw.identity(game)
    assert [*used.engines] == ["rapier3d"]
    assert {"Physics2D", "Physics3D"} <= used.arithmetic.keys()
    assert "Physics2D of pymunk" not in used.arithmetic
