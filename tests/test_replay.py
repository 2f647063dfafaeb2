"""Recordings and replays: exact playback, differences, damaged files, films, command line."""

from __future__ import annotations

import contextlib
import json
import platform
import random
import struct
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st
from pictures import solid
from ticking import Plain

import framework as fw
from framework.errors import AssetError
from framework.game.recorder import END, ENGINES, HASH, HEADER, INPUT, plain
from framework.input.tick_input import InputWriter, TickInput, put_whole
from framework.record.container import Container, ContainerWriter
from framework.sim import recording, replay
from framework.sim.video import write_video
from framework.timing.timestep import TickControl
from framework.tools import replays

Make = Callable[..., Any]
pytest_plugins = ["pytester"]


class Ball(fw.Game):
    """A game that uses keys, mouse, text, sizes and random numbers."""

    more = 0.0

    def setup(self) -> None:
        self.ball = self.sprites.add(solid(8, 8), position=(50, 50))
        self.words = ""
        self.log: list[Any] = []

    def update(self, dt: float) -> None:
        self.ball.x += (
            60 * self.keys.axis("left", "right") + self.random.normal() + self.more
        ) * dt
        self.ball.y += self.mouse.dy + 0.1 * self.mouse.scroll_y + len(self.words) * dt
        self.log.append(
            (self.keys.presses("space"), self.width, dt, *[p.keys["up"] for p in self.players])
        )

    def on_text(self, text: str) -> None:
        self.words += text
        self.log.append((self.tick, self.timestep.time, text))

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        self.log.append((self.tick, symbol))
        if symbol == ord("p"):
            self.timestep.paused = not self.timestep.paused

    def on_mouse_motion(self, *args: float) -> None:
        self.log.append(args)

    def on_resize(self, width: float, height: float) -> None:
        self.log.append((self.tick, width, height))

    def state_hash(self) -> int:
        return xxhash.xxh3_64_intdigest(
            repr((self.ball.x, self.ball.y, self.words, self.log)).encode()
        )


def play(
    game: Any, frames: int = 150, frame_time: Fraction = Fraction(1, 50), seed: int = 5
) -> None:
    """Play with keys, mouse, text, a pause, and another size."""
    random = np.random.default_rng(seed)
    dispatch = game.display.window.dispatch_event
    for frame in range(frames):
        key = ["left", "right", "space"][frame % 3]
        if random.random() < 0.3:
            (game.testing.press if random.random() < 0.5 else game.testing.release)(key)
        if random.random() < 0.4:
            x, y, dx, dy = (int(n) for n in random.integers(-9, 200, 4))
            dispatch("on_mouse_motion", x, y, dx, dy)
        if frame % 40 == 7:
            game.testing.type("hé")
            dispatch("on_mouse_scroll", 5, 6, 0, -1.25)
        if frame % 50 == 20:
            game.testing.press("p")
        if frame % 50 == 25:  # the game is paused between these frames
            game.testing.release("p")
            game.testing.press("p")
        if frame == 60:
            dispatch("on_resize", 190, 90)
        game.advance(frame_time)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "game.replay"


@pytest.fixture
def recording_of_ball(make: Make, path: Path) -> tuple[Any, Path]:
    game = make(Ball, seed=3, players=2)
    game.recording.start(path, hash_every=10)
    play(game)
    game.recording.stop()
    return game, path


# -- playback --------------------------------------------------------------------------------------


def test_headless_is_true_false_or_none_for_a_replay(recording_of_ball: Any) -> None:
    with pytest.raises(TypeError, match=r"^headless: "):
        fw.Replay.open(recording_of_ball[1]).playing(Ball, headless="no")


def test_a_replay_equals_the_game_bit_for_bit(recording_of_ball: Any) -> None:
    game, path = recording_of_ball
    replay = fw.Replay.open(path)
    assert (replay.ticks, replay.complete) == (game.tick, True)
    report = replay.verify(Ball)
    assert (report.ok, report.tick, report.path) == (True, None, None)
    assert report.compared == game.tick // 10
    with replay.playing(Ball, headless=True) as (replayed, playback):
        assert list(playback.run())[-1] == game.tick
        assert replayed.log == game.log
        assert [type(n) for line in replayed.log for n in line] == [
            type(n) for line in game.log for n in line
        ]
        assert replayed.state_hash() == game.state_hash()


@pytest.mark.parametrize("frame_time", [Fraction(1, 144), Fraction(1, 60), Fraction(1, 7)])
def test_a_drawn_replay_is_equal_at_any_frame_rate(
    recording_of_ball: Any, frame_time: Fraction
) -> None:
    game, path = recording_of_ball
    with fw.Replay.open(path).playing(Ball, headless=True, scale=0.5) as (replayed, playback):
        while not playback.finished:
            replayed.advance(frame_time)
        assert replayed.log == game.log
        assert playback.diverged is None
        assert playback.compared == game.tick // 10
        assert replayed.pixels().shape == (50, 100, 4)


def test_frames_of_a_replay_between_two_ticks_are_interpolated(recording_of_ball: Any) -> None:
    with fw.Replay.open(recording_of_ball[1]).playing(Ball, headless=True) as (game, playback):
        alphas = [game.advance(Fraction(1, 240)) for _ in range(9)]
        assert alphas == pytest.approx([0, 0.25, 0.5, 0.75, 0, 0.25, 0.5, 0.75, 0], abs=1e-6)
        playback.rate = 0.0
        assert game.advance(1 / 60) == pytest.approx(0, abs=1e-6)
        assert game.tick == 2


def test_a_recording_of_a_replay_has_the_same_bytes(recording_of_ball: Any, tmp_path: Path) -> None:
    _, path = recording_of_ball
    for number, frame_time in enumerate((None, 1 / 37)):
        copy = tmp_path / f"again {number}"
        with fw.Replay.open(path).playing(Ball, headless=True) as (game, playback):
            game.recording.start(copy, hash_every=10)
            if frame_time is None:
                list(playback.run())
            while not playback.finished:
                game.advance(frame_time)
        assert copy.read_bytes() == path.read_bytes()


LOOPS = [
    fw.FixedTimestep(30),
    fw.SemiFixedTimestep(30),
    fw.VariableTimestep(),
    fw.RoundedTimestep(59.94),
]


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: type(loop).__name__)
def test_ticks_of_any_length_are_replayed(make: Make, path: Path, loop: Any) -> None:
    game = make(
        Ball, timestep=type(loop)() if type(loop) is fw.VariableTimestep else type(loop)(loop.rate)
    )
    game.recording.start(path, hash_every=10)
    for frame in range(70):
        if frame % 9 == 0:
            game.testing.press("right")
        game.advance((7 + frame % 5) / 1000)
    game.recording.stop()
    replay = fw.Replay.open(path)
    with pytest.raises(fw.FrameworkError, match="made with timestep, which no file can hold"):
        replay.verify(Ball)
    kind = type(game.timestep)
    fresh = kind() if kind is fw.VariableTimestep else kind(loop.rate)
    with replay.playing(Ball, headless=True, timestep=fresh) as (replayed, playback):
        list(playback.run())
        assert replayed.log == game.log
        assert replayed.timestep.time == game.timestep.time
        assert playback.diverged is None


def test_seeking_equals_running(recording_of_ball: Any) -> None:
    with fw.Replay.open(recording_of_ball[1]).playing(Ball, headless=True) as (game, playback):
        list(playback.run(37))
        assert game.tick == 37
        ahead = game.state_hash()
        list(playback.run())
    with fw.Replay.open(recording_of_ball[1]).playing(Ball, headless=True) as (game, playback):
        while game.tick < 37:
            game.advance(1 / 60)
        assert game.state_hash() == ahead


@pytest.mark.filterwarnings("ignore:advance:RuntimeWarning")  # a long frame drops time
def test_the_options_of_a_game_are_recorded(make: Make, path: Path) -> None:
    class WithOptions(Ball):
        def __init__(self, level: int, *, box: Any, **options: Any) -> None:
            self.level, self.box = level, box
            super().__init__(**options)

    WithOptions.__qualname__ = "WithOptions"
    box = (1, [2.5, None], {"a": (True, "b")}, Fraction(3, 7))
    game = WithOptions(
        4, box=box, tick_rate=Fraction(5994, 100), headless=True, size=(64, 48), seed=9
    )
    game.recording.start(path)
    game.advance(1)
    game.close()
    with fw.Replay.open(path).playing(WithOptions, headless=True) as (replayed, _):
        assert (replayed.level, replayed.box, replayed.size) == (4, box, (64, 48))
        assert replayed.timestep.rate == Fraction(5994, 100)
        assert replayed.random.bit_generator.seed_seq.entropy == 9


@pytest.mark.filterwarnings("ignore:advance:RuntimeWarning")  # a long frame drops time
@pytest.mark.parametrize("has_own_option", [False, True])
def test_options_of_an_earlier_version_are_renamed(path: Path, has_own_option: bool) -> None:
    class WithOptions(Ball):
        def __init__(self, **options: Any) -> None:
            self.colors = options.get("bar_color"), options.get("letterbox_color")
            super().__init__(headless=True)

    class WithOldOption(WithOptions):
        def __init__(self, *, bar_color: str, **options: Any) -> None:
            super().__init__(bar_color=bar_color, **options)

    kind = WithOldOption if has_own_option else WithOptions
    kind.__qualname__ = "WithOptions"
    game = kind(bar_color="red", headless=True)
    game.recording.start(path)
    game.advance(1)
    game.close()
    with fw.Replay.open(path).playing(kind, headless=True) as (replayed, _):
        assert replayed.colors == (("red", None) if has_own_option else (None, "red"))


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63) + 1, 2**63 - 1)
        | st.fractions()
        | st.text()
        | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.lists(inner, max_size=3).map(tuple)
            | st.dictionaries(st.text(max_size=4), inner, max_size=3)
        ),
        max_leaves=5,
    )
)
def test_options_survive_json(value: Any) -> None:
    from framework.sim.recording import _value

    assert _value(json.loads(json.dumps(plain(value))), 99) == value


# -- differences -----------------------------------------------------------------------------------


def test_a_different_state_is_reported_with_its_tick(recording_of_ball: Any) -> None:
    class Other(Ball):
        def update(self, dt: float) -> None:
            super().update(dt)
            if self.tick == 73:
                self.ball.x = np.nextafter(np.float32(self.ball.x), np.float32(1e9))

    Other.__qualname__ = "Ball"
    report = fw.Replay.open(recording_of_ball[1]).verify(Other)
    assert (report.ok, report.agreed, report.tick) == (False, 70, 80)
    assert (report.path, report.game) == (None, "Other")
    assert "DIVERGED after tick 70: tick 80: the state differs from the recording" in str(report)


def test_a_shown_replay_continues_after_a_difference(
    recording_of_ball: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(Ball, "more", 1.0)
    diverged_ticks: list[int] = []
    with fw.Replay.open(recording_of_ball[1]).playing(Ball, headless=True) as (game, playback):
        playback.on_diverge = diverged_ticks.append
        while not playback.finished:
            game.advance(1 / 30)
        assert diverged_ticks == [10]
        assert game.tick == playback.recording.ticks


def test_a_recording_of_another_game_is_refused(recording_of_ball: Any) -> None:
    class OtherGame(fw.Game):
        pass

    with pytest.raises(fw.AssetError, match=r"recording of Ball, not of .*OtherGame"):
        fw.Replay.open(recording_of_ball[1]).verify(OtherGame)


def test_options_that_the_game_does_not_take_are_an_asset_error(recording_of_ball: Any) -> None:
    class Ball(fw.Game):
        def __init__(self) -> None:
            super().__init__()

    Ball.__qualname__ = "Ball"
    with pytest.raises(fw.AssetError, match="cannot be made with the recorded options"):
        fw.Replay.open(recording_of_ball[1]).verify(Ball)


def test_a_recording_without_hashes_is_played_without_comparison(make: Make, path: Path) -> None:
    class Plain(fw.Game):
        pass

    Plain.__qualname__ = "Plain"
    game = make(Plain)
    game.recording.start(path, hash_every=0)
    game.run(120)
    game.close()
    report = fw.Replay.open(path).verify(Plain)
    assert (report.ok, report.compared) == (True, 0)
    assert "no hash" in str(report)


def test_a_game_that_failed_fails_again_in_the_same_tick(make: Make, path: Path) -> None:
    class Fails(Ball):
        def update(self, dt: float) -> None:
            super().update(dt)
            if self.keys.just_pressed("x"):
                raise ZeroDivisionError(f"in tick {self.tick}")

    Fails.__qualname__ = "Fails"
    game = make(Fails)
    game.recording.start(path)
    game.advance(0.2)
    game.testing.press("x")
    with pytest.raises(ZeroDivisionError) as first:
        game.run(3)
    assert fw.Replay.open(path).complete  # the closed game closed its recording
    with pytest.raises(ZeroDivisionError) as second_error:
        fw.Replay.open(path).verify(Fails)
    assert str(second_error.value) == str(first.value)


# -- recording -------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:advance:RuntimeWarning")  # a long frame drops time
def test_a_game_has_one_recording_that_begins_before_the_first_tick(
    make: Make, tmp_path: Path
) -> None:
    game = make(Ball)
    game.recording.start(tmp_path / "a")
    with pytest.raises(fw.FrameworkError, match=r"a recording to .* is in progress already"):
        game.recording.start(tmp_path / "b")
    game.recording.stop()
    game.recording.stop()
    game.advance(1)
    with pytest.raises(fw.FrameworkError, match="ticks have run already"):
        game.recording.start(tmp_path / "c")
    assert not (tmp_path / "c").exists()
    for bad_path in (tmp_path, tmp_path / "no" / "where"):
        with pytest.raises(fw.AssetError, match="cannot be written"):
            make(Ball).recording.start(bad_path)


def test_a_recording_with_a_custom_timestep_is_refused(make: Make, path: Path) -> None:
    with pytest.raises(
        fw.FrameworkError, match="record: expected one of the framework's timesteps, got Plain"
    ):
        make(Ball, timestep=Plain()).recording.start(path)


def test_a_full_disk_ends_the_recording_and_not_the_game(
    make: Make, path: Path, monkeypatch: Any
) -> None:
    game = make(Ball)
    game.recording.start(path)
    game.advance(0.1)

    def full(self: Any, kind: int, payload: bytes) -> None:
        raise fw.AssetError("'game.replay' cannot be written: No space left on device.")

    monkeypatch.setattr(ContainerWriter, "write", full)
    with pytest.warns(RuntimeWarning, match=r"The recording ends here: .*No space left"):
        game.run(700)
    game.testing.press("a")
    game.advance(1 / 60)
    assert game.tick == 707


def test_the_size_of_a_recording_per_second_is_limited(make: Make, path: Path) -> None:
    class Empty(fw.Game):
        def state_hash(self) -> int:
            return int(self.random.integers(2**63))

    def size(mouse: bool) -> float:
        game = make(Empty, frame_stats=False)
        game.display.window.close = None
        game.recording.start(path)
        loop, random, x, y = game._engine.loop, np.random.default_rng(2), 640, 360
        for tick in range(60 * 60):  # a minute, without drawing
            if tick % 10 == 0:  # six presses or releases a second
                key = ["left", "right", "space", "up"][random.integers(4)]
                (game.testing.press if random.random() < 0.5 else game.testing.release)(key)
            if mouse:
                dx, dy = (int(n) for n in random.normal(0, 6, 2))
                x, y = x + dx, y + dy
                game.display.window.dispatch_event("on_mouse_motion", x, y, dx, dy)
            loop.run_tick(TickControl(game.timestep).run_on())
        game.recording.stop()
        data = path.read_bytes()
        # the header has names and versions, once per file
        header = 14 + struct.unpack_from("<I", data, 10)[0]
        return (len(data) - header) / 60

    assert size(mouse=False) <= 22.5
    assert size(mouse=True) <= 152.5


# -- damaged and invalid files ---------------------------------------------------------------------


def test_a_truncated_recording_is_played_up_to_its_last_whole_block(make: Make, path: Path) -> None:
    game = make(Ball)
    game.recording.start(path)
    hashes = {}
    for _ in range(1300):
        game._engine.loop.run_tick(TickControl(game.timestep).run_on())
        hashes[game.tick] = game.state_hash() if game.tick % 600 == 0 else 0
    data = path.read_bytes()  # the file after a power failure
    game.recording.stop()
    assert path.read_bytes()[: len(data)] == data
    for cut, ticks in ((0, 1200), (3, 600)):
        path.write_bytes(data[: len(data) - cut])
        replay = fw.Replay.open(path)
        assert (replay.ticks, replay.complete) == (ticks, False)
        with replay.playing(Ball, headless=True) as (replayed, playback):
            list(playback.run())
            assert (replayed.tick, replayed.state_hash()) == (ticks, hashes[ticks])


def file_of(path: Path, *blocks: tuple[int, bytes], **header: Any) -> Path:
    """Write a recording with any header and blocks."""
    good = {
        "kind": "recording",
        "game": "m:Ball",
        "source": {},
        "options": {},
        "left_out": [],
        "tick_rate": "60",
        "size": [64, 48],
        "pixel_ratio": 1.0,
        "players": 1,
    }
    writer = ContainerWriter(path, {**good, **header})
    for kind, payload in blocks:
        writer.write(kind, payload)
    writer.close()
    return path


def head(*numbers: int) -> bytes:
    data = bytearray()
    for number in numbers:
        put_whole(data, number)
    return bytes(data)


@pytest.mark.parametrize(
    "header",
    [
        {"kind": "save"},
        {"game": 3},
        {"options": []},
        {"options": {"a": {"fraction": [1, 2]}}},
        {"left_out": {}},
        {"options": {"a": {"fraction": ["1", "0"]}}},
        {"options": {"a": {"class": "os.system"}}},
        {"options": {"a": [[[[[[[[[[1]]]]]]]]]]}},
        {"tick_rate": "1/0"},
        {"tick_rate": "-1"},
        {"tick_rate": 60},
        {"tick_rate": "1e400"},
        {"size": [1 << 14, 1 << 14]},
        {"size": [0, 3]},
        {"size": [1]},
        {"size": 3},
        {"size": [True, 3]},
        {"pixel_ratio": 1e9},
        {"pixel_ratio": "x"},
        {"players": 1000},
        {"players": "x"},
        {"source": {"file": 3}},
    ],
)
def test_an_invalid_header_is_an_asset_error(path: Path, header: Any) -> None:
    with pytest.raises(fw.AssetError):
        fw.Replay.open(file_of(path, **header))


@pytest.mark.parametrize(
    "blocks",
    [
        [(INPUT, head(5, 600))],
        [(INPUT, head(0, 601))],
        [(INPUT, head(0, 0))],
        [(INPUT, b"")],
        [(INPUT, b"\xff" * 40)],
        [(INPUT, head(0, 600)), (INPUT, head(0, 600))],
        [(END, bytes(8)), (INPUT, head(0, 600))],
        [(INPUT, head(0, 600)), (END, bytes(8))],
        [(END, b"")],
        [(INPUT, head(0, 600) + head(601, 0))],
        [(INPUT, head(0, 600) + head(3, 0, 0, 0))],
        [(INPUT, head(0, 600) + head(3, 63))],
        [(INPUT, head(0, 600) + head(3, 21, 7, 1, 32, 0, 0))],
        [(INPUT, head(0, 600)), (HASH, head(0, 60) + bytes(16))],
        [(INPUT, head(0, 600)), (HASH, head(60, 0) + bytes(16))],
        [(INPUT, head(0, 600)), (HASH, head(600, 60) + bytes(16))],
        [(INPUT, head(0, 600)), (HASH, head(60, 60) + bytes(9))],
        [(INPUT, head(0, 600)), (HASH, b"")],
    ],
)
def test_invalid_blocks_are_an_asset_error(path: Path, blocks: Any) -> None:
    with pytest.raises(fw.AssetError):
        read_all(file_of(path, *blocks))


def read_all(path: Path) -> None:
    replay = fw.Replay.open(path)
    for _ in replay.inputs():
        pass
    for _ in replay.hashes():
        pass


def test_blocks_of_unknown_kinds_are_ignored(path: Path) -> None:
    inputs = head(0, 600, 3) + TickInput((("on_key_press", 32, 0),)).encode()
    blocks = [(99, b"?"), (INPUT, inputs), (4, b"index"), (END, (600).to_bytes(8, "little"))]
    replay = fw.Replay.open(file_of(path, *blocks))
    assert list(replay.inputs()) == [(3, TickInput((("on_key_press", 32, 0),)))]
    assert replay.complete


@given(
    st.lists(st.tuples(st.sampled_from([INPUT, HASH, END]), st.binary(max_size=60)), max_size=3),
    st.booleans(),
)
def test_random_blocks_are_read_or_an_asset_error(
    tmp_path_factory: Any, blocks: Any, plausible: bool
) -> None:
    blocks = [
        (kind, head(0, 600) + data if plausible and kind == INPUT else data)
        for kind, data in blocks
    ]
    with contextlib.suppress(fw.AssetError):
        read_all(file_of(tmp_path_factory.getbasetemp() / "stranger.replay", *blocks))


def test_mutations_of_a_recording_give_only_asset_errors(
    recording_of_ball: Any, tmp_path: Path
) -> None:
    """The hashes of the mutated blocks are correct, as in a file by an attacker."""
    container = Container(recording_of_ball[1])
    blocks, random = list(container.blocks()), np.random.default_rng(1)
    for round_ in range(300):
        changed = []
        for kind, payload in blocks:
            data = bytearray(payload)
            for _ in range(int(random.integers(0, 4))):
                data[random.integers(len(data))] = random.integers(256)
            changed.append(
                (
                    kind,
                    bytes(data[: random.integers(1, len(data) + 1)] if round_ % 3 == 0 else data),
                )
            )
        with contextlib.suppress(fw.AssetError):
            read_all(file_of(tmp_path / "mutated", *changed, **container.header))


def test_the_memory_for_a_hostile_recording_is_limited(path: Path) -> None:
    writer = InputWriter()
    writer.add([("on_mouse_motion", float(n % 2), 0.0, 0.5, 0.5) for n in range(11_000)])
    dense = head(0, 600, 1) + bytes(writer.data)
    small = head(0, 600, 1) + b"\x0d" * 40_000 + b"\0"
    for payload in (dense, small):
        file_of(path, (INPUT, payload))
        tracemalloc.start()
        with contextlib.suppress(fw.AssetError):
            read_all(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 4 * path.stat().st_size + (16 << 20)


@pytest.mark.parametrize(
    "rate", ["1e999999999", "1e9", "-60", "60/0", "6" * 41, "60/" + "6" * 41, "nan", "½", ""]
)
def test_a_hostile_tick_rate_is_not_computed(path: Path, rate: str) -> None:
    with pytest.raises(fw.AssetError):
        fw.Replay.open(file_of(path, (INPUT, head(0, 60)), tick_rate=rate))


def test_modules_named_in_a_recording_are_not_imported(path: Path, tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text("raise SystemExit('imported')")
    file_of(
        path, (INPUT, head(0, 60)), game="evil:Ball", source={"file": "evil.py", "sha256": "0" * 64}
    )
    command = [sys.executable, "-m", "framework", "replay", str(path), "--verify"]
    root = Path(fw.__file__).parent.parent
    process = subprocess.run(
        command,
        cwd=tmp_path,
        env={"PYTHONPATH": f"{root}:{tmp_path}", "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 2
    assert "is a recording of evil:Ball; name the game's file" in process.stderr
    assert "imported" not in process.stderr


# -- films, screenshots and the command line -------------------------------------------------------

PROGRAM = """
import numpy as np
import framework as fw

class Dot(fw.Game):
    def setup(self):
        self.dot = self.sprites.add(np.full((16, 16, 4), 255, np.uint8), position=(8, 16))
    def update(self, dt):
        self.dot.x += 48 * dt
    def state_hash(self):
        return int(self.dot.x * 1000)

fw.run(Dot, size=(65, 32), background=(0, 0, 0))
"""


@pytest.fixture
def command(tmp_path: Path, capfd: Any, monkeypatch: Any) -> Callable[..., tuple[int, str, str]]:
    """``command(*words)``: run the command `replay` in a folder with a game and its recording.
    Return the status, the output and the errors."""
    from framework.tools.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "dot.py").write_text(PROGRAM)
    assert main(["run", "dot.py", "--headless", "--frames", "60", "--record", "dot.replay"]) == 0
    capfd.readouterr()

    def command(*words: str) -> tuple[int, str, str]:
        return main(["replay", *words]), *capfd.readouterr()

    return command


def test_the_command_line_records_and_verifies(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, out, _ = command("dot.replay", "dot.py", "--verify")
    assert (status, out) == (
        0,
        "Dot: 60 of 60 ticks were played; all 1 states that were compared are the same\n",
    )
    (tmp_path / "dot.py").write_text(PROGRAM.replace("48 * dt", "49 * dt"))
    status, _, errors = command("dot.replay", "dot.py", "--verify")
    assert status == 3
    assert "dot.py has changed since the recording" in errors
    assert "DIVERGED: the states are equal up to tick 0, and differ at tick 60" in errors
    assert "texts" not in errors
    monkeypatch.setattr(replay, "shaped_by", lambda: "FreeType 1, letters one by one")
    status, _, errors = command("dot.replay", "dot.py", "--verify")
    assert (
        "texts and widgets may have other sizes here (FreeType 1, letters one by one) than in the "
        "recording" in errors
    )
    # with a window or headless, the command only reports the difference
    status, _, errors = command("dot.replay", "dot.py", "--headless")
    assert status == 0
    assert "DIVERGED" in errors


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("no.replay", "dot.py"), "cannot be read"),
        ((".", "dot.py"), "cannot be read"),
        (("dot.py", "dot.py"), "not a file of"),
        (("dot.replay",), "name the game's file"),
        (("dot.replay", "dto.py"), "Nearest: dot.py"),
        (("dot.replay", "dot.py", "--video", "a.doc"), "a video's name ends in"),
        (("dot.replay", "dot.py", "--video", "no/a.gif"), "cannot be written"),
    ],
)
def test_an_unplayable_file_is_an_error_in_one_line(command: Any, words: Any, message: str) -> None:
    status, out, errors = command(*words)
    assert (status, out) == (2, "")
    assert message in errors
    assert errors.count("\n") == 1


def test_the_command_seeks_and_saves_a_screenshot(command: Any, tmp_path: Path) -> None:
    from PIL import Image

    assert (
        command("dot.replay", "dot.py", "--headless", "--seek", "0.5", "--screenshot", "a.png")[0]
        == 0
    )
    image = np.asarray(Image.open(tmp_path / "a.png").convert("L"))
    assert image.shape == (32, 65)
    assert np.flatnonzero(image[16] > 128).mean() == pytest.approx(8 + 48 - 0.5, abs=1)


@pytest.mark.parametrize(("name", "scale"), [("film.gif", 1), ("film.mp4", 2)])
def test_the_command_films_a_recording_at_any_rate_and_size(
    command: Any, tmp_path: Path, name: str, scale: int
) -> None:
    if name.endswith("mp4"):
        av = pytest.importorskip("av")
    status, out, errors = command(
        "dot.replay", "dot.py", "--video", name, "--fps", "20", "--scale", str(scale), "--progress"
    )
    assert (status, out.splitlines()[0]) == (0, f"{name}: 1.00 s, from 20 pictures")
    assert "filming" in errors
    if name.endswith("gif"):
        from PIL import Image, ImageSequence

        with Image.open(tmp_path / name) as film:
            images = [np.asarray(frame.convert("L")) for frame in ImageSequence.Iterator(film)]
            assert film.info["duration"] == 50
    else:
        with av.open(str(tmp_path / name)) as film:
            images = [frame.to_ndarray(format="gray") for frame in film.decode(video=0)]
            assert film.streams.video[0].average_rate == 20
    assert len(images) == 20
    assert {image.shape for image in images} == {
        (32 * scale, 65 * scale // 2 * 2 if scale > 1 else 65)
    }
    middles = [np.flatnonzero(image[16 * scale] > 128).mean() / scale for image in images]
    assert np.diff(middles) == pytest.approx(48 / 20, abs=1.1)  # both edges are in whole pixels
    assert middles[-1] - middles[0] == pytest.approx(48 * 19 / 20, abs=1.1)


@pytest.mark.parametrize("fps", [24, 30, 60, 144])
def test_a_gif_is_as_long_as_its_frames(tmp_path: Path, fps: int) -> None:
    from PIL import Image, ImageSequence

    images = [np.full((2, 2, 4), number % 250, np.uint8) for number in range(fps)]
    assert write_video(str(tmp_path / "a.gif"), images, Fraction(fps)) == fps
    with Image.open(tmp_path / "a.gif") as film:
        lengths = [frame.info["duration"] for frame in ImageSequence.Iterator(film)]
    assert sum(lengths) == pytest.approx(1000, abs=20)
    assert min(lengths) >= 20
    assert len(lengths) >= min(fps, 40)


def test_a_film_declares_its_color_space(tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    write_video(
        str(tmp_path / "a.mp4"), [np.full((16, 16, 4), (20, 200, 90, 255), np.uint8)], Fraction(30)
    )
    with av.open(str(tmp_path / "a.mp4")) as film:
        frame = next(film.decode(video=0))
    assert (int(frame.colorspace), int(frame.color_range)) == (1, 1)  # BT.709, 16 to 235
    luma, blue, red = [
        float(np.frombuffer(plane, np.uint8)[0]) for plane in frame.planes
    ]  # older PyAV reads BT.601
    luma, blue, red = (luma - 16) / 219, (blue - 128) / 224, (red - 128) / 224
    rgb = luma + 1.5748 * red, luma - 0.1873 * blue - 0.4681 * red, luma + 1.8556 * blue
    assert [255 * value for value in rgb] == pytest.approx((20, 200, 90), abs=4)


def test_without_av_the_error_says_what_to_install(command: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    status, _, errors = command("dot.replay", "dot.py", "--video", "a.mp4")
    assert status == 2
    assert "pip install 'subtick[video]'" in errors


def test_a_recording_of_an_example_needs_no_file_name(
    tmp_path: Path, capfd: Any, monkeypatch: Any
) -> None:
    from framework.tools.cli import main

    monkeypatch.chdir(tmp_path)
    assert main(["run", "ship", "--headless", "--frames", "5", "--record", "ship.replay"]) == 0
    assert main(["replay", "ship.replay", "--verify"]) == 0
    assert "Ship: 5 of 5 ticks were played" in capfd.readouterr().out


# -- recordings of failed tests --------------------------------------------------------------------

TESTS = """
import framework as fw

class Ball(fw.Game):
    def update(self, dt):
        if self.keys.just_pressed("x"):
            raise ZeroDivisionError(f"in tick {self.tick}")

def test_fails(play):
    game = play(Ball, size=(32, 32))
    game.advance(0.1)
    game.testing.press("x")
    game.advance(0.1)

def test_passes(play):
    play(Ball, size=(32, 32)).advance(0.1)
"""


def test_a_failed_test_saves_its_recording(pytester: pytest.Pytester, request: Any) -> None:
    pytester.makepyfile(test_ball=TESTS)
    known = request.config.pluginmanager.has_plugin("framework.tools.pytest_plugin")
    plugin = () if known else ("-p", "framework.tools.pytest_plugin")
    # A subprocess, because modules that are first imported in this test would be imported again
    # later.
    result = pytester.runpytest_subprocess("-p", "no:randomly", *plugin, "--recordings", "left")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*framework replay left/test_fails.replay test_ball.py*"])
    assert [path.name for path in (pytester.path / "left").iterdir()] == ["test_fails.replay"]
    replay = fw.Replay.open(pytester.path / "left" / "test_fails.replay")
    ((tick, tick_input),) = replay.inputs()
    assert tick_input.events == (("on_key_press", ord("x"), 0),)
    assert replay.ticks == tick


def test_a_random_game_is_reported_with_tick_path_and_both_values(make: Make, path: Path) -> None:
    class Wrong(fw.Game):
        def update(self, dt: float) -> None:
            if self.tick == 37:
                self.fuel = random.random()

    game = make(Wrong)
    game.recording.start(path, hash_every=30)
    game.run_ticks(100)
    game.close()
    Wrong.__qualname__ = "Wrong"
    replay = fw.Replay.open(path)
    replay._recording.game = "test:Wrong"
    report = replay.verify(Wrong)
    assert (report.ok, report.agreed, report.tick, report.path) == (False, 30, 37, "game.fuel")
    assert report.before != report.after
    assert "DIVERGED after tick 30: tick 37: game.fuel was 0." in str(report)
    with pytest.raises(AssertionError, match=r"tick 37: game\.fuel"):
        report.check()


def test_another_seed_is_reported(make: Make, path: Path) -> None:
    class Dice(fw.Game):
        def setup(self) -> None:
            self.eyes = self.random.integers(1 << 60)

    game = make(Dice, seed=3)
    game.recording.start(path)
    game.run_ticks(60)
    game.close()
    replay = fw.Replay.open(path)
    assert replay.verify(Dice, seed=3).ok
    report = replay.verify(Dice, seed=4)
    assert report.reason == "it was recorded with another seed than it is played with"
    report = replay.verify(Dice, seed=4, title="Dice")  # a recording does not contain the title
    assert report.reason == "it was recorded with another seed than it is played with"


def test_a_game_that_reads_the_clock_is_reported(make: Make, path: Path) -> None:
    times = iter([0, 1, 2, 2, 3])

    class Watch(fw.Game):
        def setup(self) -> None:
            self.now = next(times)

    game = make(Watch)
    game.recording.start(path)
    game.run_ticks(70)
    game.close()
    report = fw.Replay.open(path).verify(Watch)
    assert (report.ok, report.tick, report.path, report.before, report.after) == (
        False,
        60,
        "game.now",
        2,
        3,
    )


class Small(fw.Game):
    """A menu over a game without a resolution, smaller than the size from which interfaces grow."""

    class Menu(fw.Scene):
        def setup(self) -> None:
            self.ui.column(anchor="bottom left").button("Go", self.game.count)

    def setup(self) -> None:
        self.clicks = 0

    def update(self, dt: float) -> None:
        if self.tick == 2:
            self.push(Small.Menu())

    def count(self) -> None:
        self.clicks += 1


def test_widgets_of_a_small_game_have_the_same_size_in_a_replay(make: Make, path: Path) -> None:
    game = make(Small, size=(320, 180))
    game.recording.start(path, hash_every=1)
    for _ in range(8):
        game.advance(1 / 60)
        game.testing.click(50, 30)
    clicks = game.clicks
    game.close()
    assert clicks
    assert fw.Replay(path).verify(Small).ok


def test_a_changed_header_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.replay"
    with Ball(drawing=False, seed=1234567) as game:
        game.recording.start(path)
        game.run_ticks(700)
    assert fw.Replay(path).verify(Ball).ok
    data = path.read_bytes()
    changes = [(b'"1234567"', b'"1234568"'), (b'"tick_rate":"60"', b'"tick_rate":"61"')]
    for old, new in changes:
        assert data.count(old) == 1
        path.write_bytes(data.replace(old, new))
        with pytest.raises(fw.AssetError, match="its header was changed: its hash does not match"):
            fw.Replay(path)
    length = struct.unpack_from("<I", data, 10)[0]
    first = struct.unpack_from("<BII", data, 14 + length)
    assert (first[0], first[2]) == (HEADER, 8)
    path.write_bytes(data[: 14 + length] + data[14 + length + 17 + first[1] :])
    assert fw.Replay(path).verify(Ball).ok  # recordings of earlier versions have no such hash


def test_a_recording_has_the_hash_of_its_header_after_a_rewind(tmp_path: Path) -> None:
    path = tmp_path / "a.replay"
    with Ball(drawing=False) as game:
        game.recording.start(path)
        game.recording.rewind = fw.Rewind(duration=30)
        game.run_ticks(1300)
        game.recording.rewind.seek(5)
        game.recording.rewind.resume()
        game.run_ticks(20)
    assert next(kind for kind, _ in Container(path).blocks()) == HEADER
    assert fw.Replay(path).ticks == 25
    assert fw.Replay(path).verify(Ball).ok


def test_verify_reports_state_that_draw_changes(tmp_path: Path) -> None:
    class Draws(fw.Game):
        frames = 0

        def draw(self, alpha: float) -> None:
            self.frames += 1

    path = tmp_path / "a.replay"
    with Draws(headless=True, size=(8, 8)) as game:
        game.recording.start(path, hash_every=5)
        for _ in range(10):
            game.advance(1 / 60)
    report = fw.Replay(path).verify(Draws)
    assert not report.ok
    assert "draw() changes the state (verify draws no frames" in str(report)


# -- physics engines -------------------------------------------------------------------------------


class FallingBox(fw.Game):
    """A box falls. The recording is played on another machine, where the engine may compute other
    bits."""

    drift = 0.0

    def setup(self) -> None:
        self.boxes = self.add(fw.MeshBatch(fw.Mesh.cube(), 1))
        self.physics = fw.Physics3D(self)
        self.physics.add(self.boxes)

    def update(self, dt: float) -> None:
        self.boxes.position[0, 0] += self.drift


@pytest.fixture
def falling(make: Make, path: Path) -> Path:
    pytest.importorskip("rapier3d")
    game = make(FallingBox)
    game.recording.start(path, hash_every=10)
    game.run(30)
    game.recording.stop()
    return path


def test_a_recording_names_the_engines_their_versions_and_the_architecture(falling: Path) -> None:
    header = fw.Replay.open(falling).header
    assert header["versions"]["rapier3d"] == version("rapier3d")
    assert header["platform"] == f"{sys.platform} {platform.machine()}"


def test_a_game_without_physics_names_no_engine(recording_of_ball: Any) -> None:
    _, path = recording_of_ball
    opened = fw.Replay.open(path)
    assert not {"pymunk", "rapier3d"} & {*opened.header["versions"]}
    assert replay.check_same_physics(opened) is None


class LaterScene(fw.Game):
    """A game with a scene with physics that starts after 700 ticks, after a second block of input."""

    def update(self, dt: float) -> None:
        if self.tick == 700:
            self.push(WithBodies())


class WithBodies(fw.Scene):
    engine = "pymunk"

    def setup(self) -> None:
        self.physics = fw.Physics2D(self, engine=self.engine)


class LaterScene3D(fw.Game):
    """The same game with physics that can be rewound."""

    def update(self, dt: float) -> None:
        if self.tick == 700:
            self.push(WithBodies3D())


class WithBodies3D(fw.Scene):
    def setup(self) -> None:
        self.physics = fw.Physics3D(self)


def test_the_engine_of_a_later_scene_is_recorded(make: Make, path: Path) -> None:
    pytest.importorskip("pymunk")
    game, second_game = make(LaterScene), make(LaterScene)  # the second game uses no engine
    game.recording.start(path, hash_every=100)
    for _ in range(710):
        game.advance(1 / 60)
    second_game.advance(1 / 60)
    game.recording.stop()
    opened = fw.Replay.open(path)
    assert opened.header["versions"]["pymunk"] == version("pymunk")
    assert opened.verify(LaterScene).ok
    assert [kind for kind, _ in Container(path).blocks()].count(ENGINES) == 1


def test_a_recording_of_another_engine_is_refused(
    make: Make, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pymunk")
    pytest.importorskip("rapier3d")
    game = make(LaterScene)
    game.recording.start(path, hash_every=100)
    for _ in range(710):
        game.advance(1 / 60)
    game.recording.stop()
    monkeypatch.setattr(WithBodies, "engine", "rapier")
    with pytest.raises(
        AssetError,
        match=r"made with pymunk, and the game uses rapier3d; make the physics world with "
        r"Physics2D\(…, engine='pymunk'\)",
    ):
        fw.Replay.open(path).verify(LaterScene)


def test_engines_are_recorded_again_after_a_rewind(make: Make, path: Path) -> None:
    pytest.importorskip("rapier3d")
    game = make(LaterScene3D, drawing=False)
    game.recording.rewind = fw.Rewind(duration=30)
    game.recording.start(path, hash_every=50)
    game.run(1300)
    game.recording.rewind.seek(640)  # the engine and its block of input are recorded again
    game.recording.rewind.resume()
    game.run(100)
    game.recording.stop()
    opened = fw.Replay.open(path)
    assert opened.header["versions"]["rapier3d"] == version("rapier3d")
    assert opened.verify(LaterScene3D).ok


def test_another_engine_or_architecture_is_reported(
    falling: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = fw.Replay.open(falling)
    assert opened.verify(FallingBox).ok
    assert replay.check_same_physics(opened) is None
    installed, this_machine = version("rapier3d"), f"{sys.platform} {platform.machine()}"
    monkeypatch.setattr(replay, "this_platform", lambda: "linux riscv64")
    assert replay.check_same_physics(opened) == (
        f"bodies of Physics2D and Physics3D may move differently here (rapier3d {installed} on linux riscv64) than in "
        f"the recording (rapier3d {installed} on {this_machine})"
    )
    monkeypatch.setattr(replay, "this_platform", lambda: this_machine)
    monkeypatch.setattr(replay, "engine_versions", lambda packages: {"rapier3d": "0.99"})
    assert f"here (rapier3d 0.99 on {this_machine}) than" in str(replay.check_same_physics(opened))
    monkeypatch.setattr(FallingBox, "drift", 0.5)
    assert f"here (rapier3d 0.99 on {this_machine}) than" in opened.verify(FallingBox).reason


def test_the_command_and_info_report_the_engine(
    falling: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    opened = fw.Replay.open(falling)
    assert f"rapier3d {version('rapier3d')}, {sys.platform} " in replays.describe(opened)
    monkeypatch.setattr(replay, "this_platform", lambda: "linux riscv64")
    (tmp_path / "fall.py").write_text("")
    replays.remark_on_source(opened, tmp_path / "fall.py")
    errors = capsys.readouterr().err
    assert (
        errors.count("framework: bodies of Physics2D and Physics3D may move differently here") == 1
    )


@pytest.mark.parametrize(
    "payload",
    [b"", b"3", b"[1]", b'{"rapier3d": 3}', b'{"a": "' + b"x" * 2000 + b'"}', b"[" * 900],
)
def test_invalid_versions_of_engines_are_an_asset_error(path: Path, payload: bytes) -> None:
    with pytest.raises(fw.AssetError, match="its versions of physics engines are invalid"):
        fw.Replay.open(file_of(path, (ENGINES, payload)))


def test_unknown_engines_are_kept_in_the_header(path: Path) -> None:
    opened = fw.Replay.open(file_of(path, (ENGINES, b'{"bullet": "3.2"}'), versions=3))
    assert opened.header["versions"] == {"bullet": "3.2"}
    assert replay.check_same_physics(opened) is None


def test_a_block_of_input_may_have_exactly_the_maximum_length(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ball.subtick"
    game = make(Ball, drawing=False)
    game.recording.start(path)
    game.run_ticks(9)
    game.recording.stop()
    replay = fw.Replay(path)
    longest = max(raw for kind, raw, _ in replay._recording._file.heads(1) if kind == INPUT)
    monkeypatch.setattr(recording, "_MAX_INPUT", longest)
    assert fw.Replay(path).ticks == 9
    monkeypatch.setattr(recording, "_MAX_INPUT", longest - 1)
    with pytest.raises(fw.AssetError, match="are not those of a recording"):
        fw.Replay(path)


class Falling3D(fw.Game):
    def setup(self) -> None:
        self.physics = fw.Physics3D(self)


def test_an_old_recording_without_its_engine_warns(make: Make, path: Path, tmp_path: Path) -> None:
    pytest.importorskip("rapier3d")
    game = make(Falling3D)
    game.recording.start(path)
    for _ in range(3):
        game.advance(1 / 60)
    game.recording.stop()
    file = Container(path)
    names = {key: value for key, value in file.header.items() if key != "inputs"}
    old = tmp_path / "old.replay"
    writer = ContainerWriter(old, names)
    for kind, payload in file.blocks():
        if kind not in (ENGINES, HEADER):
            writer.write(kind, payload)
    writer.close()
    assert fw.Replay.open(path).verify(Falling3D).ok
    with pytest.warns(RuntimeWarning, match="does not contain its physics engine.*engine='pymunk'"):
        assert fw.Replay.open(old).verify(Falling3D).ok
