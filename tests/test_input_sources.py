"""`game.input`: sources of input, sessions, and the pace of the clock."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import framework as fw
from framework.errors import FrameworkError
from framework.game.driven_game import driven
from framework.input.gamepad_layout import CONTROLS
from framework.timing.timestep import NANOSECONDS

TICK = 1 / 60


class Counter(fw.Game):
    """A game whose state depends on each press and each held key of two players."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"drawing": False, "players": 2} | options)

    def setup(self) -> None:
        self.x = 0.0
        self.log: list[tuple[int, int, int]] = []
        self.press_ticks: list[int] = []

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        self.press_ticks.append(self.tick)

    def update(self, dt: float) -> None:
        for player in self.players:
            keys = player.keys
            self.x += (player.number + 1) * (keys.axis("left", "right") + 10 * keys.presses("a"))
            if keys.presses("a"):
                self.log.append((self.tick, player.number, keys.presses("a")))
        self.x += float(self.random.random())


class Delay:
    """A source that delays input by three ticks."""

    def __init__(self, ticks: int = 3) -> None:
        self.waiting = {number: fw.TickInput() for number in range(1, ticks + 1)}
        self.ticks = ticks

    def tick(self, number: int, local: fw.TickInput) -> fw.TickInput:
        self.waiting[number + self.ticks] = local
        return self.waiting.get(number, fw.TickInput())


class Gate:
    """A source that has input only while ``open`` is True."""

    open = True

    def __init__(self) -> None:
        self.requested: list[int] = []

    def tick(self, number: int, local: fw.TickInput) -> fw.TickInput | None:
        self.requested.append(number)
        return local if self.open else None


def play(game: Counter, ticks: int) -> None:
    for _ in range(ticks):
        following = game.tick + 1
        if following % 7 == 2:
            game.testing.press("a")
            game.testing.press("right", player=1)
        if following % 7 == 5:
            game.testing.release("a")
            game.testing.release("right", player=1)
        game.advance(TICK)


# -- game.input ------------------------------------------------------------------------------------


def test_the_default_source_is_the_input_of_this_machine() -> None:
    with Counter() as game, Counter() as same:
        assert isinstance(game.input, fw.LocalInput)
        same.input = fw.LocalInput()
        play(game, 30)
        play(same, 30)
        assert game.state_hash() == same.state_hash()
        source = Delay()
        game.input = source
        assert game.input is source
        game.input = None
        assert isinstance(game.input, fw.LocalInput)


def test_a_source_delays_input() -> None:
    with Counter() as game:
        game.input = Delay(3)
        game.testing.press("a")
        game.run_ticks(6)
        assert game.log == [(4, 0, 1)]
        assert game.press_ticks == [4]


def test_a_recording_has_the_input_that_the_source_returned(tmp_path: Path) -> None:
    with Counter(seed=4) as game:
        game.recording.start(tmp_path / "a.replay", hash_every=5)
        game.input = Delay(2)
        play(game, 40)
    assert fw.Replay(tmp_path / "a.replay").verify(Counter).ok
    inputs = dict(fw.Replay(tmp_path / "a.replay").inputs())
    assert min(inputs) == 4  # the key was pressed before tick 2


def test_rewind_repeats_ticks_with_the_same_input() -> None:
    with Counter() as game:
        game.recording.rewind = fw.Rewind()
        game.input = Delay(2)
        game.advance(TICK)
        hashes = {}
        for _ in range(40):
            play(game, 1)
            hashes[game.tick] = game.state_hash()
        for tick in (30, 12, 40):
            game.recording.rewind.seek(tick)
            assert game.state_hash() == hashes[tick]
        game.recording.rewind.seek(20)
        game.recording.rewind.resume()
        assert type(game.input) is Delay
        game.run_ticks(1)
        assert game.tick == 21


def test_a_tick_without_input_waits_and_keeps_later_input() -> None:
    with Counter() as game:
        gate = Gate()
        game.input = gate
        for _ in range(3):
            game.advance(TICK)
        gate.open = False
        game.testing.press("a")
        for _ in range(5):
            game.advance(TICK)
        game.testing.press("left", player=1)
        assert game.tick == 3
        assert gate.requested[3:] == [4] * 5  # once in each frame
        assert game.timestep.alpha > 0.99  # the newest state is drawn
        gate.open = True
        game.advance(TICK)
        assert game.tick == 4
        assert game.log[-1] == (4, 0, 1)
        assert game.players[1].keys["left"]
        for _ in range(10):
            game.advance(TICK)
        assert game.tick == 14  # the ticks of the wait are not run later


def test_a_wait_shorter_than_a_tick_loses_no_time() -> None:
    with Counter() as game, Counter() as control:
        gate = Gate()
        game.input = gate
        for frame in range(400):
            gate.open = frame % 7 != 3
            game.advance(TICK / 3)
            control.advance(TICK / 3)
        game.advance(0)
        assert control.tick - game.tick <= 1
        assert game.timestep.alpha == control.timestep.alpha


def test_a_frame_of_several_ticks_stops_at_the_first_tick_without_input() -> None:
    class Late(Gate):
        def tick(self, number: int, local: fw.TickInput) -> fw.TickInput | None:
            self.requested.append(number)
            return local if number < 3 else None

    with Counter() as game:
        game.input = late = Late()
        game.advance(4 * TICK)
        assert (game.tick, late.requested) == (2, [1, 2, 3])
        assert game.timestep.tick == 2
        game.input = None
        game.advance(0)
        assert game.tick == 2
        game.advance(TICK)
        assert game.tick == 3


@pytest.mark.parametrize(
    "timestep", [fw.VariableTimestep, fw.SemiFixedTimestep, fw.RoundedTimestep]
)
def test_sources_work_with_every_timestep(timestep: Callable[[], Any]) -> None:
    with Counter(timestep=timestep()) as game:
        game.input = gate = Gate()
        game.advance(1.5 * TICK)
        before = game.tick
        assert before
        gate.open = False
        game.advance(1.5 * TICK)
        assert game.tick == before
        gate.open = True
        game.advance(1.5 * TICK)
        assert game.tick > before


def test_a_paused_game_with_a_source_receives_events() -> None:
    with Counter() as game:
        game.input = gate = Gate()
        game.advance(TICK)
        game.timestep.paused = True
        game.testing.press("a")
        game.advance(TICK)
        assert game.press_ticks == [1]
        assert gate.requested == [1]
        game.timestep.paused = False
        game.advance(1.5 * TICK)
        assert game.log == [(2, 0, 1)]


def test_run_ticks_raises_when_the_input_is_missing() -> None:
    with Counter() as game:
        game.input = gate = Gate()
        gate.open = False
        with pytest.raises(FrameworkError, match=r"run_ticks: the input of tick 1 .* Gate waits"):
            game.run_ticks(3)
        gate.open = True
        game.run_ticks(3)
        assert game.tick == 3


class Wrong:
    def __init__(self, result: object) -> None:
        self.result = result

    def tick(self, number: int, local: fw.TickInput) -> Any:
        return self.result


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (7, r"input: expected Wrong\.tick\(…\) to return a TickInput or None, got 7"),
        ([], "to return a TickInput or None"),
        (fw.TickInput((("on_key_press",),)), r"input: Wrong\.tick\(1, …\) returned a wrong event"),
        (fw.TickInput((("no such event", 1),)), "returned a wrong event"),
        (fw.TickInput((("player", 2), ("on_key_press", 97, 0))), r"player 2, .*players=3"),
        (fw.TickInput((("on_mouse_scroll", 1.0, 2.0, float("nan"), 0.0),)), "wrong event"),
    ],
)
def test_an_invalid_result_of_a_source_is_an_error_with_its_name(
    result: object, message: str
) -> None:
    with Counter() as game:
        game.input = Wrong(result)
        with pytest.raises((TypeError, ValueError), match=message):
            game.run_ticks(1)


@pytest.mark.parametrize("wrong", [7, "local", Delay, fw.TickInput()])
def test_an_invalid_source_is_an_error(wrong: Any) -> None:
    with Counter() as game, pytest.raises(TypeError, match="input: expected an object with the"):
        game.input = wrong


# -- parts of a tick's input ---------------------------------------------------------------------

EVENTS = (
    ("on_key_press", 97, 0),
    ("on_mouse_motion", 30.0, 40.0, 3.0, 4.0),
    ("player", 1),
    ("on_key_press", 98, 0),
    ("on_pad_stick", 0, "leftstick", 1.0, 0.0),
    ("player", 2),
    ("on_text", "ü"),
)


def test_of_and_merge_are_inverse() -> None:
    whole = fw.TickInput(EVENTS)
    parts = [whole.of(player) for player in range(3)]
    assert parts[1].events == EVENTS[3:5]
    assert fw.TickInput.merge(parts) == whole
    assert fw.TickInput.merge([fw.TickInput(), parts[0]]).events[0] == ("player", 1)
    assert fw.TickInput.merge([]) == fw.TickInput()
    assert fw.TickInput(EVENTS[:1] + (("still",),) + EVENTS[1:2]).of(0).events == EVENTS[:2]


def test_merge_refuses_the_events_of_several_players() -> None:
    with pytest.raises(ValueError, match=r"inputs\[1\]: .* the mark \('player', 1\); write"):
        fw.TickInput.merge([fw.TickInput(), fw.TickInput(EVENTS)])
    with pytest.raises(TypeError, match=r"inputs\[0\]: expected a TickInput"):
        fw.TickInput.merge([EVENTS])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="at most 64 players"):
        fw.TickInput.merge([fw.TickInput()] * 65)
    with pytest.raises(ValueError, match="player: expected"):
        fw.TickInput().of(64)


def test_held_input_has_the_held_keys_and_buttons() -> None:
    with Counter(players=1) as game:
        testing = game.testing
        held = fw.HeldInput()
        events: list[tuple[Any, ...]] = []

        class Spy:
            def tick(self, number: int, local: fw.TickInput) -> fw.TickInput:
                events.extend(local.events)
                return local

        game.input = Spy()
        for press in (
            lambda: testing.press("a"),
            lambda: testing.press("mouse:left"),
            lambda: testing.press("pad:a"),
            lambda: testing.press("pad:leftstickup"),
            lambda: testing.pull_trigger("righttrigger", 0.5),
            lambda: testing.release("pad:a"),
            lambda: testing.click(9, 8, "right"),
            lambda: testing.feed([("on_deactivate",)]),
            lambda: testing.press("b"),
        ):
            press()
            game.run_ticks(1)
            held = fw.TickInput(tuple(events)).held(held)
            events.clear()
            pad = game.pads[0]
            assert held.keys == game.keys.down
            assert held.buttons == game.mouse.down
            assert ((0, "a") in held.pads) == (CONTROLS["a"] in pad.down)
            assert {control[1] for control in held.pads} == {
                name
                for name, value in (
                    ("leftstick", any(pad.leftstick)),
                    ("righttrigger", pad.righttrigger),
                    ("a", CONTROLS["a"] in pad.down),
                )
                if value
            }
        assert held.position == game.mouse.position


def test_since_returns_the_events_between_two_states() -> None:
    pressed = fw.TickInput(
        (
            ("on_key_press", 97, 0),
            ("on_mouse_press", 3.0, 4.0, 1, 0),
            ("on_pad_press", 0, "a"),
            ("on_pad_stick", 0, "leftstick", 1.0, -1.0),
            ("on_pad_trigger", 1, "lefttrigger", 1.0),
        )
    ).held()
    for before, after in ((fw.HeldInput(), pressed), (pressed, fw.HeldInput()), (pressed, pressed)):
        change = after.since(before)
        assert change.held(before) == after
        assert fw.TickInput.decode(change.encode()) == change
    assert pressed.since(pressed) == fw.TickInput()
    with pytest.raises(ValueError, match=r"held: .* write tick_input\.of\(0\)"):
        fw.TickInput(EVENTS).held()


# -- sessions ------------------------------------------------------------------------------------


class Rollback:
    """A session that restores the state of two ticks ago before every tick, and runs the ticks
    again.
    """

    def __init__(self) -> None:
        self.stats = fw.SessionStats()
        self.calls: list[object] = []
        self.inputs: dict[int, fw.TickInput] = {}
        self.snapshots: dict[int, Any] = {}
        self.waits = False

    def start(self, game: Any) -> None:
        self.calls.append(("start", game.tick))

    def before_tick(self, game: Any, number: int) -> None:
        self.calls.append(number)
        self.snapshots[number - 1] = game.snapshot()
        if number > 2:
            game.restore(self.snapshots[number - 3])
            game.run_ticks(2)
            assert game.tick == number - 1

    def tick(self, number: int, local: fw.TickInput) -> fw.TickInput | None:
        if number in self.inputs:
            assert not local.events
            return self.inputs[number]
        if self.waits:
            return None
        self.inputs[number] = local
        return local

    def frame(self, game: Any) -> None:
        self.calls.append("frame")

    def close(self) -> None:
        self.calls.append("close")


def test_a_session_may_restore_and_run_ticks_before_every_tick() -> None:
    session = Rollback()
    with Counter(seed=2) as alone, Counter(seed=2, session=session) as game:
        assert game.session is session
        assert game.input is session
        assert session.calls == [("start", 0)]
        for frame in range(20):
            for each in (alone, game):
                if frame % 3 == 1:
                    each.testing.press("a")
                    each.testing.press("right", player=1)
                elif frame % 3 == 2:
                    each.testing.release("a")
                each.advance((frame % 5) * 0.7 * TICK)
            assert game.state_hash() == alone.state_hash()
            assert game.timestep.alpha == alone.timestep.alpha
            assert game.timestep.time == alone.timestep.time
        assert game.tick > 20
        numbers = [call for call in session.calls if isinstance(call, int)]
        assert numbers == list(range(1, game.tick + 1))  # in each tick, but not in each frame
        assert session.calls.count("frame") == 20
    assert session.calls[-1] == "close"


def test_input_that_arrives_while_a_session_waits_is_not_lost() -> None:
    with Counter(session=(session := Rollback())) as game:
        game.advance(2 * TICK)
        session.waits = True
        game.testing.press("a")
        game.advance(TICK)
        game.advance(TICK)
        assert game.tick == 2
        session.waits = False
        game.advance(TICK)
        assert game.log == [(3, 0, 1)]


def test_run_starts_a_session_for_a_game_without_this_option() -> None:
    class Plain(Counter):
        def __init__(self) -> None:
            super().__init__()

    session = Rollback()
    fw.run(Plain, frames=3, session=session)
    assert session.calls[0] == ("start", 0)
    assert session.calls[-1] == "close"


class OwnTimestep:
    """A timestep of a game, without ticks."""

    alpha = dropped_time = time = 0.0
    tick = 0
    time_scale = 1.0
    paused = False

    def advance(self, now: int) -> tuple[()]:
        return ()

    def step(self, n: int = 1) -> None: ...

    def give_back(self, n: int) -> None: ...


def test_a_game_with_a_session_refuses_other_sources_rewind_and_timesteps() -> None:
    with Counter(session=Rollback()) as game:
        with pytest.raises(FrameworkError, match="input: the session Rollback decides"):
            game.input = None
        game.recording.rewind = fw.Rewind()
        game.advance(TICK)
        with pytest.raises(FrameworkError, match="rewind: a game with a session cannot go back"):
            game.recording.rewind.seek(0)
    with pytest.raises(FrameworkError, match=r"session: .* got a VariableTimestep; leave out"):
        Counter(session=Rollback(), timestep=fw.VariableTimestep())
    with pytest.raises(FrameworkError, match=r"session: .* got a OwnTimestep; leave out"):
        Counter(session=Rollback(), timestep=OwnTimestep())
    for wrong in (7, Rollback, object()):
        with pytest.raises(TypeError, match="session: expected an object"):
            Counter(session=wrong)


def test_default_keys_act_once_and_only_for_the_local_player() -> None:
    with Counter(drawing=True, headless=True, size=(64, 64)) as game:
        game.input = Delay(2)
        events = driven(game).events
        overlay_states = []
        for _ in range(3):
            events._receive("on_key_press", fw.key.F3, 0)
            for _ in range(5):
                game.advance(TICK)
            overlay_states.append(game.debug.overlay)
        assert overlay_states == [True, False, True]
        driven(game).stage.local_player = 1
        events._receive("on_key_press", fw.key.F3, 0)
        assert not game.debug.overlay
        for _ in range(5):
            game.advance(TICK)
        assert not game.debug.overlay


# -- the clock -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [fw.FixedTimestep, fw.RoundedTimestep])
@pytest.mark.parametrize("scale", [1, 0.25, 3])
@pytest.mark.parametrize("pace", [1, 0.9, 1.1])
def test_due_is_the_time_at_which_the_next_ticks_run(kind: Any, scale: float, pace: float) -> None:
    for number in (1, 3):
        loops = [kind(59.94) for _ in range(2)]
        for loop in loops:
            loop.advance(1000)
            loop.time_scale = scale
            loop.pace = pace
            loop.advance(1000 + NANOSECONDS // 970)
        due = loops[0].due(number)
        assert loops[1].due(number) == due
        loops[0].advance(due - 1)
        loops[1].advance(due)
        assert (loops[0].tick, loops[1].tick) == (number - 1, number)


def test_pace_is_not_state_and_changes_no_tick() -> None:
    with Counter() as game:
        game.advance(TICK)
        before = game.state_hash()
        snapshot = game.snapshot()
        game.timestep.pace = 1.1
        assert game.state_hash() == before
        for _ in range(60):
            game.advance(TICK)
        assert game.tick == 67
        assert game.timestep.dt == TICK
        game.restore(snapshot)
        assert game.timestep.pace == 1.1


def test_invalid_values_of_the_clock_are_errors() -> None:
    loop = fw.FixedTimestep()
    for wrong in (0, 0.04, 2.1, float("nan"), "fast"):
        with pytest.raises((TypeError, ValueError), match="pace: expected"):
            loop.pace = wrong  # type: ignore[assignment]
    with pytest.raises((TypeError, ValueError), match="tick: expected"):
        loop.due(-1)
    loop.time_scale = 0
    with pytest.raises(ValueError, match="due: expected a time scale above 0"):
        loop.due(1)
    # the lengths of its ticks depend on later frames
    assert not hasattr(fw.VariableTimestep(), "due")
