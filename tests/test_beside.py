"""Beside: the rules of a game run in a second process."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from fractions import Fraction

import besides
import numpy as np
import pytest

import framework as fw
from framework.game.driven_game import driven
from framework.net.beside_child import Service
from framework.net.process_pipe import ProcessPipe
from framework.state.rows import table_of

SIZE = (200, 100)


@contextlib.contextmanager
def beside(kind=besides.Flock, waits=True, **options):
    options = {"size": SIZE, "drawing": False, **options}
    with kind(session=fw.Beside(waits=waits), **options) as game:
        yield game


def rows(game):
    """Return the rows that are drawn: previous and current values of all columns, and ids."""
    result = {}
    for name in ("birds", "sprites"):
        batch = getattr(game, name)
        table = table_of(batch)
        table.settle()
        n = len(batch)
        for column in table.columns:
            result[name, column.name] = column.current(n).tolist()
            if column.interpolated:
                result[name, column.name, 0] = column.previous(n).tolist()
        result[name, "ids"] = batch.ids.tolist()
    result["boxes"] = game.boxes[0].position.tolist()
    result["camera"] = game.camera.position, game.camera.pose(0.5)
    return result


def advance(game, until, seconds=60.0):
    """Draw frames until ``until()`` is true. The game's virtual clock runs with them."""
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, "it took too long"
        game.advance(1 / 60)
        time.sleep(0.001)  # time for the second process


class InProcess:
    """A replacement of the child process: it works whenever the window receives messages."""

    is_slow = False  # whether only `work` answers messages

    def __init__(self, start):
        ours, theirs = socket.socketpair()
        self.pipe = ProcessPipe(ours)
        self._there = ProcessPipe(theirs)
        self.pipe.send(tuple(start))
        self._service = Service(self._there)
        self.pid = 1

    @property
    def ended(self):
        return self.pipe.closed

    def receive(self):
        if not self.is_slow:
            self.work()
        return self.pipe.receive()

    def work(self):
        if not self._service.is_over:
            self._service.step()
        if self._service.is_over:
            self._there.close()

    def words_of_end(self):
        return "it has ended"

    def close(self):
        self.pipe.close()
        self._there.close()


@pytest.fixture
def in_process(monkeypatch):
    monkeypatch.setattr("framework.net.beside.ChildProcess", InProcess)


def test_the_window_has_the_same_rows_as_a_game_in_one_process(in_process):
    with beside() as game, besides.Flock(size=SIZE, drawing=False) as alone:
        for _ in range(30):
            game.run_ticks(1)
            alone.run_ticks(1)
            assert rows(game) == rows(alone)
        assert game.tick == alone.tick == 30
        assert game.rules_ran == 0
        assert (game.leader.row, game.leader.id) == (alone.leader.row, alone.leader.id)
        assert len(game.sprites.images) == len(alone.sprites.images) == 2
        # effects of the same ticks, with the same arguments
        assert [str(entry) for entry in game.emitted] == [str(entry) for entry in alone.emitted]
        assert game.session.stats.stalls == 0


def test_the_input_reaches_the_rules(in_process):
    with beside() as game:
        game.run_ticks(2)
        game.testing.press("space")
        game.run_ticks(2)
        assert game.birds.position[0].tolist() == [-1000, -1000]
        assert game.leader.batch is game.birds
        assert game.keys["space"]  # the window can read the keys, but runs no handler
        game.testing.press("p")
        advance(game, lambda: game.timestep.paused)
        game.testing.release("space")
        game.advance(1 / 60)
        game.testing.release("p")
        game.testing.press("p")
        advance(game, lambda: not game.timestep.paused)
        advance(game, lambda: game.tick >= 12)
        assert not game.keys["space"]


def test_both_processes_have_the_size_of_the_window(in_process):
    with beside(drawing=True, headless=True) as game:
        game.run_ticks(2)
        driven(game).stage.receive_event(("on_resize", 300, 200))
        game.run_ticks(3)
        assert game.size == (300, 200)
        assert game.session._child._service._child.game.size == (300, 200)
        game.pixels()


def test_a_game_that_draws_looks_the_same_in_one_process_and_in_two(in_process):
    with (
        beside(drawing=True, headless=True) as game,
        besides.Flock(size=SIZE, headless=True) as alone,
    ):
        for _ in range(12):
            game.advance(Fraction(1, 80))
            alone.advance(Fraction(1, 80))
            assert game.tick == alone.tick
            assert np.array_equal(game.pixels(), alone.pixels())


def test_an_error_in_the_rules_is_raised_off_screen_with_its_traceback(in_process):
    with beside() as game:
        game.run_ticks(2)
        game.testing.press("x")
        with pytest.raises(fw.FrameworkError, match=r"(?s)in on_key_press.*the rules broke"):
            game.run_ticks(3)


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("e", "effect: expected a name or a method of the game, got <function"),
        ("o", "emit: expected numbers, strings, arrays, .* got .*object"),
    ],
)
def test_effects_that_cannot_be_sent_are_errors(in_process, key, words):
    with beside() as game:
        game.run_ticks(1)
        game.testing.press(key)
        with pytest.raises(fw.FrameworkError, match=words):
            game.run_ticks(3)


def test_an_error_is_shown_in_the_window_until_a_restart(in_process):
    with beside(waits=False, drawing=True, headless=True) as game:
        advance(game, lambda: game.tick >= 3)
        picture = game.pixels()
        game.testing.press("x")
        advance(game, lambda: game.session.failure)
        assert "RuntimeError: the rules broke" in game.session.failure
        assert "in on_key_press" in game.session.failure
        game.advance(1 / 60)
        panel = game.pixels()
        assert not np.array_equal(picture, panel)
        assert game.session.process_id is None
        stopped = game.tick
        game.advance(1 / 10)
        assert game.tick == stopped
        driven(game).stage.driver.receive(("on_key_press", fw.key.R, 0))
        assert game.session.failure is None
        advance(game, lambda: game.tick >= stopped + 4)
        assert not np.array_equal(game.pixels(), panel)
        assert len(game.birds) == 21
        assert game.leader.row == 1
        driven(game).stage.driver = None


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_process_is_noticed_and_can_be_started_again():
    with beside(waits=False, drawing=True, headless=True) as game:
        advance(game, lambda: game.tick >= 3)
        process = game.session.process_id
        os.kill(process, signal.SIGKILL)
        advance(game, lambda: game.session.failure)
        assert game.session.failure == "the process of the simulation was ended by signal 9"
        game.session.restart()
        advance(game, lambda: game.tick >= 8)
        assert game.session.process_id != process
        # frames are drawn while the rules hang
        game.testing.press("h")
        frames = game.debug.frames
        tick = game.tick
        stalls = game.session.stats.stalls
        advance(game, lambda: game.session.stats.stalls > stalls + 20)
        assert game.debug.frames - frames > 20
        assert game.tick <= tick + 3


def test_the_rules_can_pause_the_game(in_process):
    with beside() as game:
        game.run_ticks(2)
        game.testing.press("p")
        advance(game, lambda: game.timestep.paused)
        game.testing.release("p")
        stopped = game.tick
        game.advance(1 / 10)
        assert game.tick == stopped
        game.testing.press("p")
        advance(game, lambda: not game.timestep.paused)
        advance(game, lambda: game.tick > stopped + 3)
        game.testing.press("t")
        advance(game, lambda: game.timestep.time_scale == 0.5)


def test_the_game_ends_if_the_rules_exit_or_ignore_escape(in_process):
    for key in ("q", "escape"):
        with beside() as game:
            if key == "escape":
                besides.Flock.on_key_press, before = None, besides.Flock.on_key_press
                besides.Flock.on_key_press = before
            game.testing.press(key)
            with contextlib.suppress(fw.FrameworkError):
                game.run(60)
            assert (game.debug.frames < 60) is (key == "q")


def test_unused_events_return_to_the_window(in_process):
    with beside() as game:
        answered = []
        game.session._window_events = type("Events", (), {"answer": answered.append})
        game.testing.press("f3")
        game.testing.press("a")
        game.run_ticks(4)
        assert [event[:2] for event in answered] == [("on_key_press", fw.key.F3)]


def test_frames_with_several_ticks_request_several_states(in_process, monkeypatch):
    monkeypatch.setattr("framework.net.beside._CALM", 12)
    with beside(waits=False) as game:
        advance(game, lambda: game.tick >= 2)
        child = game.session._child
        child.is_slow = True

        def frames(count, ticks):
            for _ in range(count):
                child.work()
                game.advance(Fraction(ticks, 60))

        frames(4, 3)
        before = game.tick
        stalls = game.session.stats.stalls
        frames(10, 3)
        assert game.tick - before == 30
        assert game.session.stats.stalls == stalls
        assert game.session.stats.ahead == 3
        frames(40, 1)
        assert game.session.stats.ahead == 1


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (besides.NoBatchInSetup, "late: this batch is only in the second process"),
        (besides.BrokenSetup, "(?s)in setup.*ValueError: no setup here"),
    ],
)
def test_games_that_differ_in_the_two_processes_are_an_error(in_process, kind, words):
    with (
        beside(kind, drawing=True, headless=True) as game,
        pytest.raises(fw.FrameworkError, match=words),
    ):
        game.run_ticks(5)


def test_a_game_that_needs_a_window_cannot_run_its_rules_beside_it(in_process):
    with (
        beside(besides.NeedsWindow, drawing=True, headless=True) as game,
        pytest.raises(fw.FrameworkError, match="drawing=False"),
    ):
        game.run_ticks(1)


def test_a_class_that_cannot_be_imported_is_an_error(in_process):
    class Local(fw.Game):
        pass

    with pytest.raises(fw.FrameworkError, match="define the class of the game at the top of a fi"):
        Local(drawing=False, session=fw.Beside())
    with pytest.raises(fw.FrameworkError, match="background: expected a number, a string"):
        besides.Flock(
            drawing=False, session=fw.Beside(), background=UnsendableColor((0.1, 0.2, 0.3))
        )
    session = fw.Beside()
    with pytest.raises(fw.FrameworkError, match="restart: this session has not started"):
        session.restart()
    with (
        besides.Flock(drawing=False, session=session),
        pytest.raises(fw.FrameworkError, match="belongs to another game; make a new one"),
    ):
        besides.Flock(drawing=False, session=session)


class UnsendableColor:
    """A color that no process can receive."""

    def __init__(self, parts):
        self._parts = parts

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return self._parts[index]


@pytest.mark.parametrize("waits", [True, False])
def test_a_game_moves_between_processes_without_losing_a_tick(in_process, waits):
    with beside(besides.Mover, waits) as game, besides.Mover(size=SIZE, drawing=False) as alone:
        steps = []

        def reach(tick):
            while game.tick < tick:
                game.advance(1 / 60)
                alone.run_ticks(game.tick - alone.tick)
                if game.steps or game.session.processes == 2:
                    assert np.allclose(game.birds.position, alone.birds.position)
            steps.append(game.steps)

        reach(5)
        game.testing.press("a")  # this arrives a tick later
        reach(8)
        assert game.session.processes == 1
        reach(12)
        game.birds.position[:, 1] += 5
        alone.birds.position[:, 1] += 5
        game.session.processes = 2
        reach(20)
        assert game.birds.position[0].tolist() == alone.birds.position[0].tolist()
        game.session.processes = 1
        game.session.processes = 2
        game.session.processes = 1
        reach(24)
        assert steps == [0, 0, 12, 12, 24]
        game.session.restart()
        reach(28)
        with pytest.raises(ValueError, match="processes: expected"):
            game.session.processes = 3


def test_held_keys_and_the_mouse_move_with_the_game(in_process):
    with beside(besides.Mover) as game:
        game.run_ticks(1)
        game.testing.press("b")
        game.run_ticks(3)
        game.testing.press("a")
        game.run_ticks(4)
        assert game.session.processes == 1
        assert game.birds[0].scale == (3, 3)  # the window knows that both keys are held
        game.testing.release("b")
        driven(game).stage.receive_event(("on_mouse_motion", 100.0, 20.0, 100.0, 20.0))
        game.run_ticks(2)
        game.session.processes = 2
        game.run_ticks(6)
        assert game.session.processes == 2  # the key A is held, and was not pressed again
        assert game.birds[0].scale == (2, 2)
        assert game.birds[0].color[0] == pytest.approx(0.1)


def test_a_game_can_begin_in_one_process(in_process):
    with besides.Mover(session=fw.Beside(processes=1), size=SIZE, drawing=False) as game:
        game.run_ticks(3)
        assert (game.steps, game.session.process_id) == (3, None)
        game.session.processes = 2
        game.run_ticks(3)
        assert (game.steps, game.session.process_id) == (3, 1)
        assert game.birds.position[0, 0] == pytest.approx(3)


_MAIN = """
import framework as fw

class Game(fw.Game):
    def __init__(self, **options):
        super().__init__(session=fw.Beside(), **options)

    def setup(self):
        self.ticks = 0
        self.subscribe("tick", self.count)

    def update(self, dt):
        self.emit("tick")

    def count(self):
        self.ticks += 1

    def draw(self, alpha):
        if self.ticks == 3:
            print("three", flush=True)
            import os, signal
            os.kill(os.getpid(), signal.SIGKILL)

with Game(headless=True, size=(40, 30)) as game:
    game.run(20)
"""


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="shared memory of Linux")
def test_a_killed_window_leaves_no_shared_memory(tmp_path):
    """The game is created without `fw.run`, and its constructor creates the session."""
    before = set(os.listdir("/dev/shm"))
    file = tmp_path / "game.py"
    file.write_text(_MAIN)
    done = subprocess.run(
        [sys.executable, str(file)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=120,
    )
    assert done.stdout == "three\n", done.stderr
    assert done.returncode == -signal.SIGKILL
    # `run` returns when no process has the output open, so the second process has ended too. Other
    # tests may run at the same time and create semaphores and shared memory there.
    new = set(os.listdir("/dev/shm")) - before
    assert not [name for name in new if not name.startswith(("sem.", "pym-", "psm_"))]
