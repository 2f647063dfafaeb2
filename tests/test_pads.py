"""Gamepads: presses per tick, dead zones, thresholds, slots, players and recordings."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pictures import solid

import framework as fw
from framework.input.gamepad_layout import (
    BUTTONS,
    CONTROLS,
    KINDS,
    LEANINGS,
    STEPS,
    STICKS,
    TRIGGERS,
    kind_of,
    quantised,
)
from framework.input.pads import Gamepad, pads_of, set_rumble, with_deadzone
from framework.input.tick_input import InputReader, TickInput

Make = Callable[..., Any]
RATES = (10, 30, 60, 240)


class Watched(fw.Game):
    """A game that counts the presses and releases of its gamepads in each tick."""

    def setup(self) -> None:
        self.pressed: Counter[str] = Counter()
        self.released: Counter[str] = Counter()
        self.poses: list[Any] = []
        self.received: list[Any] = []

    def update(self, dt: float) -> None:
        for name in CONTROLS:
            self.pressed[name] += sum(pad.presses(name) for pad in self.pads)
            self.released[name] += sum(pad.releases(name) for pad in self.pads)
        self.poses.append((self.pads[0].leftstick, self.pads[0].righttrigger))

    def on_pad_press(self, pad: int, button: str) -> None:
        self.received.append((self.tick, pad, button))


# -- ticks -----------------------------------------------------------------------------------------


def events_at_random(seed: int, count: int) -> tuple[list[Any], Counter[str], Counter[str]]:
    """Return random events of two gamepads, and the expected presses and releases of each control."""
    chance = random.Random(seed)
    events: list[Any] = []
    down: list[set[str]] = [set(), set()]
    pressed = Counter[str]()
    released = Counter[str]()

    def follow(pad: int, name: str, value: float) -> None:
        level = round(value * 127)
        if level >= 64 and name not in down[pad]:
            down[pad].add(name)
            pressed[name] += 1
        elif level < 51 and name in down[pad]:
            down[pad].remove(name)
            released[name] += 1

    for _ in range(count):
        pad = chance.randrange(2)
        match chance.randrange(4):
            case 0 | 1:
                name = chance.choice(BUTTONS)
                going_down = chance.random() < 0.5
                events.append((f"on_pad_{'press' if going_down else 'release'}", pad, name))
                follow(pad, name, float(going_down))
            case 2:
                name = chance.choice(TRIGGERS)
                value = quantised(chance.random())
                events.append(("on_pad_trigger", pad, name, value))
                follow(pad, name, value)
            case 3:
                stick = chance.choice(STICKS)
                x = quantised(chance.uniform(-1, 1))
                y = quantised(chance.uniform(-1, 1))
                events.append(("on_pad_stick", pad, stick, x, y))
                for side, value in (("left", -x), ("right", x), ("down", -y), ("up", y)):
                    follow(pad, stick + side, value)
    return events, pressed, released


@pytest.mark.parametrize("rate", RATES)
def test_ten_thousand_events_are_each_counted_once_at_any_tick_rate(rate: int) -> None:
    events, pressed, released = events_at_random(7, 10_000)
    chance = random.Random(rate)
    with Watched(drawing=False, tick_rate=rate) as game:
        index = 0
        while index < len(events):
            count = chance.randrange(600)
            game.testing.feed(events[index : index + count])
            index += count
            game.advance(Fraction(1, chance.choice((29, 60, 144))))
        game.run_ticks(2)
        assert +game.pressed == pressed
        assert +game.released == released


def test_a_press_shorter_than_a_tick_counts_in_one_tick(make: Make) -> None:
    game = make(Watched)
    game.testing.press("pad:a")
    game.testing.release("pad:a")
    states = []
    for _ in range(3):
        game.advance(1 / 60)
        pad = game.pads[0]
        states.append((pad["a"], pad.presses("a"), pad.releases("A")))
    assert states == [(True, 1, 1), (False, 0, 0), (False, 0, 0)]
    assert game.received == [(1, 0, "a")]


def test_the_last_analog_value_before_a_tick_counts(make: Make) -> None:
    game = make(Watched)
    game.testing.move_stick("leftstick", 0.3, -0.7)
    game.testing.move_stick("leftstick", -1, 0.5)
    game.testing.pull_trigger("righttrigger", 0.25)
    assert game.pads[0].leftstick == (0.0, 0.0)
    game.advance(1 / 60)
    game.testing.move_stick("leftstick", 0, 0)
    expected = (-1.0, quantised(0.5)), quantised(0.25)
    assert (game.pads[0].leftstick, game.pads[0].righttrigger) == expected
    game.advance(1 / 60)
    assert game.poses == [expected, ((0.0, 0.0), quantised(0.25))]
    assert all(value * 127 == round(value * 127) for value in (*expected[0], expected[1]))


def test_a_trigger_that_jitters_at_its_threshold_is_pressed_once() -> None:
    pad = Gamepad()
    counts = []
    for value in (0.2, 0.51, 0.45, 0.52, 0.41, 0.6, 0.39, 0.49, 0.51):
        pad.pull_trigger("righttrigger", value)
        pad.begin_tick()
        counts.append((pad.presses("righttrigger"), pad.releases("righttrigger")))
    assert counts == [(0, 0), (1, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 1), (0, 0), (1, 0)]


def test_a_stick_direction_is_a_button(make: Make) -> None:
    game = make(Watched)
    for side, axis in (("left", (-1, 0)), ("right", (1, 0)), ("down", (0, -1)), ("up", (0, 1))):
        game.testing.press(f"pad:leftstick{side}")
        game.advance(1 / 60)
        assert game.pads[0].leftstick == axis
        assert [name for name in LEANINGS if game.pads[0][name]][-1] == f"leftstick{side}"
        game.testing.release(f"pad:leftstick{side}")
        game.advance(1 / 60)
        game.advance(1 / 60)
        assert game.pads[0].leftstick == (0, 0)


def test_only_a_connected_gamepad_rumbles_and_the_weak_motor_follows_the_strong_one(
    make: Make,
) -> None:
    game = make(Watched)
    calls: list[Any] = []
    set_rumble(game.pads, lambda *call: calls.append(call))
    pad = game.pads[0]
    pad.rumble()
    assert calls == []
    game.testing.press("pad:a")
    game.advance(1 / 60)
    assert pad.connected
    pad.rumble(0.5)
    pad.rumble(0, weak=0.25, duration=2)
    assert calls == [(0, 0.5, 0.5, 0.5), (0, 0, 0.25, 2)]
    with pytest.raises(ValueError, match="strength"):
        pad.rumble(1.5)
    set_rumble(game.pads, None)
    pad.rumble()  # there is no device


@pytest.mark.parametrize("symbol", [len(CONTROLS), len(CONTROLS) + 1, -1, 0.5])
def test_an_unknown_number_of_a_control_is_refused(make: Make, symbol: Any) -> None:
    game = make(Watched)
    with pytest.raises((ValueError, TypeError), match="symbol: expected"):
        game.pads[0].press(symbol)


# -- dead zones ------------------------------------------------------------------------------------


def test_the_dead_zone_is_round_and_the_rest_is_scaled_to_a_length_of_1() -> None:
    assert with_deadzone(0.14, 0.14, 0.2) == (
        0,
        0,
    )  # a length of 0.198, which a square dead zone of 0.13 would let through
    x, y = with_deadzone(0.142, 0.142, 0.2)
    assert 0 < x == y < 0.001
    assert with_deadzone(0.2, 0, 0.2) == (0, 0)
    assert with_deadzone(1, 0, 0.2) == (1, 0)
    assert with_deadzone(0, -0.6, 0.2) == (0, pytest.approx(-0.5))
    longest = max(
        x * x + y * y
        for x, y in (with_deadzone(a / 127, b / 127, 0.2) for a in range(128) for b in range(128))
    )
    assert longest == pytest.approx(1, abs=1e-15)


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 0.9))
def test_a_dead_zone_keeps_the_direction(x: float, y: float, deadzone: float) -> None:
    a, b = with_deadzone(x, y, deadzone)
    assert a * y == pytest.approx(b * x, abs=1e-12)
    assert a * x >= 0 <= b * y


def test_stick_applies_a_dead_zone_and_leftstick_does_not(make: Make) -> None:
    game = make(Watched)
    game.testing.move_stick("leftstick", 0.1, 0.1)
    game.testing.press("pad:dpup")
    game.testing.press("pad:dpright")
    game.advance(1 / 60)
    pad = game.pads[0]
    assert pad.leftstick != (0, 0) == pad.stick("leftstick")
    assert pad.stick("leftstick", deadzone=0) == pytest.approx(pad.leftstick)
    assert pad.dpad == (1, 1)
    assert pad.stick("dpad") == pytest.approx((0.5**0.5, 0.5**0.5))
    assert pad.value("dpup") == 1
    assert pad.value("leftstickup") == quantised(0.1)


# -- coming and going ------------------------------------------------------------------------------


def test_a_disconnected_pad_releases_its_buttons(make: Make) -> None:
    game = make(Watched)
    game.testing.press("pad:a")
    game.testing.move_stick("leftstick", 1, 0)
    game.testing.pull_trigger("lefttrigger", 1)
    game.advance(1 / 60)
    pad = game.pads[0]
    assert (pad.connected, pad["a"], pad["lefttrigger"], pad.leftstick) == (
        True,
        True,
        True,
        (1, 0),
    )
    game.testing.disconnect()
    game.advance(1 / 60)
    assert (pad.connected, pad.releases("a"), pad.releases("lefttrigger")) == (False, 1, 1)
    assert (pad.leftstick, pad.lefttrigger, pad.releases("leftstickright")) == ((0, 0), 0, 1)
    game.advance(1 / 60)
    assert not any(pad[name] for name in CONTROLS)
    assert game.pressed == game.released


def test_losing_the_focus_releases_all_buttons_and_sticks(make: Make) -> None:
    game = make(Watched)
    game.testing.press("pad:b")
    game.testing.move_stick("rightstick", 0, 1)
    game.advance(1 / 60)
    game.testing.feed([("on_deactivate",)])
    game.advance(1 / 60)
    assert (game.pads[0].releases("b"), game.pads[0].rightstick, game.pads[0].connected) == (
        1,
        (0, 0),
        True,
    )


def test_empty_slots_exist_and_have_no_input(make: Make) -> None:
    game = make(Watched)
    assert len(game.pads) == 8
    assert game.pads.connected == ()
    assert (game.pads[7].connected, game.pads[7]["a"], game.pads[7].leftstick) == (
        False,
        False,
        (0, 0),
    )
    with pytest.raises(ValueError, match=r"pad: expected a whole number from 0 to 7, got 8"):
        game.pads[8]
    game.testing.connect("One", "xbox")
    game.testing.connect("One", "xbox")  # a second pad with the same name
    game.testing.connect(pad=5)
    game.advance(1 / 60)
    assert [(pad.number, pad.name) for pad in game.pads.connected] == [
        (0, "One"),
        (1, "One"),
        (5, "Gamepad"),
    ]
    for _ in range(5):
        game.testing.connect()
    with pytest.raises(fw.FrameworkError, match="all 8 gamepad slots"):
        game.testing.connect()


def test_a_single_player_has_all_pads(make: Make) -> None:
    game = make(Watched)
    game.testing.connect()
    game.testing.connect()
    game.testing.feed([("on_pad_press", 1, "start")])
    game.advance(1 / 60)
    [player] = game.players
    assert [pad.presses("start") for pad in player.pads][:2] == [0, 1]
    assert player.pad is game.pads[0]


def test_several_players_get_pads_in_the_order_of_connection(make: Make) -> None:
    game = make(Watched, players=2)
    assert [player.pad for player in game.players] == [None, None]
    for _ in range(3):
        game.testing.connect()
    game.advance(1 / 60)
    first, second = game.players
    assert [player.pads for player in game.players] == [(game.pads[0],), (game.pads[1],)]
    game.testing.disconnect(0)
    game.testing.connect("Another", pad=3)  # for the player who has no pad
    game.advance(1 / 60)
    assert first.pad is game.pads[3]
    game.testing.connect(pad=0)  # the disconnected pad returns to its player
    game.advance(1 / 60)
    assert (first.pads, second.pad) == ((game.pads[0], game.pads[3]), game.pads[1])
    second.pad = game.pads[2]  # a pad without a player
    assert (second.pads, pads_of(game.pads, 0)) == ((game.pads[2],), first.pads)
    second.pad = None
    assert second.pads == ()
    with pytest.raises(
        TypeError, match=r"pad: expected a Gamepad or None, got 2; one of game\.pads"
    ):
        second.pad = 2


def test_a_pad_of_another_game_is_refused(make: Make) -> None:
    game = make(fw.Game, players=2)
    second = make(fw.Game)
    with pytest.raises(ValueError, match="this game's own pads"):
        game.players[1].pad = second.pads[3]
    assert not game.players[1].pads


def test_testing_presses_a_button_on_the_pad_of_a_player(make: Make) -> None:
    game = make(Watched, players=3)
    game.testing.press("pad:a", player=2)
    game.testing.move_stick("leftstick", 1, 1, player=2)
    game.testing.press("pad:x", player=0)
    game.advance(1 / 60)
    assert [player.pad and player.pad.down for player in game.players] == [
        {CONTROLS["x"]},
        None,
        {CONTROLS["a"], CONTROLS["leftstickright"], CONTROLS["leftstickup"]},
    ]
    assert [pad.number for pad in game.pads.connected] == [0, 1]


def test_a_routine_can_wait_for_connected_and_disconnected_pads(make: Make) -> None:
    class Waiting(fw.Game):
        def setup(self) -> None:
            self.log: list[Any] = []
            self.start(self.wait())

        async def wait(self) -> None:
            self.log.append(await self.next("on_pad_connect"))
            self.log.append(await self.next("on_pad_disconnect"))

    game = make(Waiting)
    game.advance(1 / 60)
    game.testing.connect("Pad", "xbox", pad=2)
    game.advance(1 / 60)
    game.testing.disconnect(2)
    game.advance(1 / 60)
    assert game.log == [(2, "Pad", "xbox"), (2,)]


# -- glyphs ----------------------------------------------------------------------------------------


def test_glyphs_depend_on_the_kind_of_pad(make: Make) -> None:
    game = make(Watched)
    for kind in KINDS:
        game.testing.connect(f"A {kind}", kind)
    game.advance(1 / 60)
    assert [pad.glyph("a") for pad in game.pads.connected] == ["A", "cross", "B", "A"]
    assert [pad.glyph("pad:lefttrigger") for pad in game.pads.connected] == ["LT", "L2", "ZL", "LT"]
    assert game.pads[1].glyph("leftstickup") == "L3 up"
    assert all(pad.glyph(name) for pad in game.pads.connected for name in CONTROLS)
    with pytest.raises(ValueError, match=r"unknown control 'cros'; the nearest are "):
        game.pads[0].glyph("cros")


@pytest.mark.parametrize(
    ("name", "guid", "kind"),
    [
        ("XINPUTCONTROLLER", "XINPUTCONTROLLER", "xbox"),
        ("Sony DualSense", "", "playstation"),
        ("Wireless Controller", "050000004c050000c405000000010000", "playstation"),
        ("Pad", "030000005e0400008e02000014010000", "xbox"),
        ("Nintendo Switch Pro Controller", "", "nintendo"),
        ("USB gamepad", "", "generic"),
        ("", "", "generic"),
    ],
)
def test_the_kind_is_recognized_by_the_vendor_or_the_name(name: str, guid: str, kind: str) -> None:
    assert kind_of(name, guid) == kind


# -- encoding --------------------------------------------------------------------------------------


def test_events_of_pads_are_encoded_in_a_few_bytes_exactly() -> None:
    events, _, _ = events_at_random(3, 2000)
    tick_input = TickInput(
        (("on_pad_connect", 7, "Ünicode", "xbox"), *events, ("on_pad_disconnect", 7))
    )
    data = tick_input.encode()
    assert TickInput.decode(data) == tick_input
    assert len(data) < 5.5 * len(events)
    assert len(TickInput((("on_pad_press", 0, "a"),)).encode()) == 4


def test_fed_values_are_quantized(make: Make) -> None:
    game = make(Watched)
    game.testing.feed([("on_pad_stick", 0, "leftstick", 0.123456, -0.98765)])
    game.advance(1 / 60)
    assert game.pads[0].leftstick == (16 / STEPS, -125 / STEPS)


@pytest.mark.parametrize(
    "event",
    [
        ("on_pad_press", 8, "a"),
        ("on_pad_press", 0, "lefttrigger"),
        ("on_pad_press", 0, 3),
        ("on_pad_press", 0),
        ("on_pad_stick", 0, "leftstick", 1.5, 0),
        ("on_pad_stick", 0, "dpad", 1, 0),
        ("on_pad_trigger", 0, "a", 1),
        ("on_pad_stick", 0, "leftstick", float("nan"), 0),
        ("on_pad_connect", 0, "x"),
        ("on_pad_trigger", -1, "a", 1),
    ],
)
def test_invalid_pad_events_are_errors(make: Make, event: Any) -> None:
    with pytest.raises(ValueError, match="expected events of a window or a gamepad"):
        make(Watched).testing.feed([event])


@pytest.mark.parametrize(
    "data",
    [b"\x1a\x08\x00\0", b"\x1a\x00\x0f\0", b"\x1d\x00\x02\x00\0", b"\x1c\x00\x00\xff\x02\x00\0"],
)
def test_invalid_bytes_are_asset_errors(data: bytes) -> None:
    with pytest.raises(fw.AssetError, match="broken at byte"):
        TickInput.decode(data)


def test_an_unknown_kind_of_event_is_an_asset_error() -> None:
    with pytest.raises(
        fw.AssetError, match=r"an event of the kind 30, which this version cannot read"
    ):
        InputReader(b"\x1e\x00").tick()


def test_moves_of_a_stick_are_merged_until_a_press(make: Make) -> None:
    game = make(Watched)
    game.testing.connect()
    for number in range(1000):
        game.testing.move_stick("leftstick", 0.3 * number / 1000, -0.2)
    assert len(game._engine.stage.inbox.events) == 2
    game.testing.move_stick("leftstick", 0.9, 0)
    game.testing.move_stick("leftstick", 0.1, 0)
    assert len(game._engine.stage.inbox.events) == 4
    game.advance(1 / 60)
    assert game.pressed["leftstickright"] == game.released["leftstickright"] == 1


# -- recordings, snapshots and rollback ------------------------------------------------------------


class Driving(fw.Game):
    """A car that every input of the gamepads moves."""

    def setup(self) -> None:
        self.car = self.sprites.add(solid(2, 2))
        self.presses = 0
        self.mine = self.pads[0]  # a reference to a pad is not extra state

    def update(self, dt: float) -> None:
        for pad in self.pads.connected:
            x, y = pad.stick("leftstick")
            self.car.x += 300 * x * dt
            self.car.y += 300 * y * dt * (1 + pad.righttrigger)
            self.presses += sum(pad.presses(name) * number for name, number in CONTROLS.items())
        self.car.angle += self.mine.rightstick[0] * dt

    def on_pad_disconnect(self, pad: int) -> None:
        self.presses += 1000


def drive(game: fw.Game, seed: int, ticks: int) -> None:
    """Send input of two gamepads. One of the gamepads is disconnected and comes back."""
    events, _, _ = events_at_random(seed, ticks * 3)
    for tick in range(ticks):
        if tick in (3, ticks // 2):
            game.testing.connect("Left", "xbox", pad=0)
            game.testing.connect("Right", "playstation", pad=1)
        if tick == ticks // 3:
            game.testing.disconnect(0)
        game.testing.feed(events[3 * tick : 3 * tick + 3])
        game.run_ticks()


def test_a_recording_with_pads_replays_exactly(tmp_path: Path) -> None:
    path = tmp_path / "drive.subtick"
    with Driving(drawing=False, seed=4) as game:
        game.recording.start(path, hash_every=10)
        drive(game, 5, 300)
        final_hash = game.state_hash()
        game.recording.stop()
    report = fw.Replay(path).verify(Driving, drawing=False)
    assert report.ok
    assert report.compared == 30
    with fw.Replay(path).playing(Driving, headless=True, drawing=False) as (replayed, playback):
        for _ in playback.run():
            pass
        assert replayed.state_hash() == final_hash
        assert replayed.presses > 1000


def test_a_restored_game_has_the_pads_of_the_snapshot(make: Make) -> None:
    game = make(Driving, players=2)
    drive(game, 1, 40)
    game.players[1].pad = game.pads[0]
    snapshot = game.snapshot()
    before = game.state_hash()
    owners = [player.pads for player in game.players]
    drive(game, 2, 40)
    after = game.state_hash()
    assert after != before
    game.players[1].pad = None
    game.restore(snapshot)
    assert game.state_hash() == before
    assert [player.pads for player in game.players] == owners
    drive(game, 2, 40)
    assert game.state_hash() == after


def test_a_restored_game_has_no_later_pads(make: Make) -> None:
    class Late(fw.Game):
        pass

    game = make(Late)
    snapshot = game.snapshot()
    game.testing.press("pad:a")
    game.advance(1 / 60)
    assert game.pads[0]["a"]
    game.restore(snapshot)
    assert not game.pads[0]["a"]
    assert not game.pads[0].connected


def test_repeated_ticks_with_random_pad_input_end_equally() -> None:
    player = fw.RandomPlayer(
        3, ("pad:a", "pad:lefttrigger", "pad:leftstickup"), mouse=False, sticks=("rightstick",)
    )
    fw.sync_test(Driving, ticks=40, check_distance=3, player=player).check()
    with Driving(drawing=False) as game:
        for tick in range(1, 60):
            player(game, tick)
            game.run_ticks()
        assert game.presses
        assert game.car.angle != 0
    with pytest.raises(ValueError, match="sticks"):
        fw.RandomPlayer(sticks=["dpad"])


def test_a_random_player_moves_sticks_to_all_sides(make: Make) -> None:
    player = fw.RandomPlayer(3, (), mouse=False, sticks=("leftstick",))
    game = make(fw.Game, drawing=False)
    positions = set()
    for tick in range(200):
        player(game, tick)
        game.run_ticks()
        positions.add(game.pads[0].leftstick)
    x, y = np.array([position for position in positions if position != (0, 0)]).T
    for values in (x, y):
        assert values.min() < -0.5
        assert values.max() > 0.5
        assert np.abs(values).max() < 1  # a value outside of the stick's range would be clamped
