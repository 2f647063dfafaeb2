"""Tick input: the events of a tick as data and as bytes."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import framework as fw
from framework.input.gamepad_layout import BUTTONS, MAX_PADS, STEPS, STICKS, TRIGGERS
from framework.input.tick_input import (
    MAX_EVENTS,
    MAX_PLAYERS,
    STILL,
    Inbox,
    InputReader,
    InputWriter,
    Scale,
    TickInput,
    by_player,
    put_whole,
    split_paused,
)

numbers = st.floats(allow_nan=False, allow_infinity=False)
whole = st.integers(0, 2**64)
places = st.one_of(numbers, st.integers(-3000, 3000).map(float))
texts = st.text(max_size=9)

pads = st.integers(0, MAX_PADS - 1)
shares = st.integers(-STEPS, STEPS).map(lambda steps: steps / STEPS)

EVENTS = st.one_of(
    st.tuples(st.sampled_from(["on_pad_press", "on_pad_release"]), pads, st.sampled_from(BUTTONS)),
    st.tuples(st.just("on_pad_stick"), pads, st.sampled_from(STICKS), shares, shares),
    st.tuples(st.just("on_pad_trigger"), pads, st.sampled_from(TRIGGERS), shares),
    st.tuples(st.just("on_pad_connect"), pads, texts, texts),
    st.tuples(st.just("on_pad_disconnect"), pads),
    st.tuples(st.sampled_from(["on_key_press", "on_key_release"]), whole, whole),
    st.tuples(st.just("on_mouse_motion"), places, places, places, places),
    st.tuples(st.just("on_mouse_drag"), places, places, places, places, whole, whole),
    st.tuples(
        st.sampled_from(["on_mouse_press", "on_mouse_release"]), places, places, whole, whole
    ),
    st.tuples(st.just("on_mouse_scroll"), places, places, places, places),
    st.tuples(st.sampled_from(["on_mouse_enter", "on_mouse_leave"]), places, places),
    st.tuples(st.just("on_text"), texts),
    st.tuples(st.sampled_from(["on_text_motion", "on_text_motion_select", "player"]), whole),
    st.tuples(
        st.sampled_from(["on_activate", "on_deactivate", "on_show", "on_hide", "on_close", "still"])
    ),
    st.tuples(st.just("on_move"), st.integers(-(2**40), 2**40), st.integers(-9, 9)),
    st.tuples(st.just("on_file_drop"), places, places, st.lists(texts, max_size=4)),
    st.tuples(st.just("on_resize"), st.one_of(st.integers(1, 9999), numbers), st.integers(1, 9999)),
)
SCALES = st.sampled_from(
    [Scale(), Scale(2.0, 80, 0, 4.0, 4.0), Scale(1.5, 0, 33, 2.7, 2.7), Scale(1, 7, 1, 3, 1 / 3)]
)


def bits(event: Any) -> list[Any]:
    """Return the values, types and signs of zeros that decoding must restore."""
    return [
        (type(value), value, math.copysign(1, value)) if isinstance(value, float) else value
        for value in event
    ]


@given(
    st.lists(st.tuples(st.lists(EVENTS, max_size=6), st.integers(0, 2**100), SCALES), max_size=5)
)
def test_decoding_restores_ticks_bit_by_bit(ticks: Any) -> None:
    writer = InputWriter()
    for events, length, scale in ticks:
        writer.scale = scale
        writer.add(events, length)
    reader = InputReader(bytes(writer.data))
    for events, length, _ in ticks:
        decoded = reader.tick()
        assert [bits(event) for event in decoded.events] == [bits(event) for event in events]
        assert decoded.length == length
    assert reader.position == len(writer.data)


@given(st.lists(EVENTS, max_size=6))
def test_equal_input_has_equal_bytes(events: Any) -> None:
    data = TickInput(tuple(events)).encode()
    assert TickInput.decode(data).encode() == data


@pytest.mark.parametrize(
    "scale", [Scale(), Scale(2.0, 80, 0, 4.0, 4.0), Scale(1.0, 12, 0, 2.625, 2.625)]
)
def test_a_mouse_motion_of_whole_pixels_takes_three_bytes_at_any_scale(scale: Scale) -> None:
    writer = InputWriter()
    x = 500
    y = 300
    writer.scale = scale
    writer.add([("on_mouse_motion", *scale.units(x, y), *scale.motion(9, 9))])
    before = len(writer.data)
    for step in range(-20, 20):
        x = x + step
        y = y - 3
        writer.add([("on_mouse_motion", *scale.units(x, y), *scale.motion(step, -3))])
    assert len(writer.data) - before == 40 * 4  # and the mark of the end of the tick


@given(st.binary(max_size=200))
def test_random_bytes_are_an_input_or_an_asset_error(data: bytes) -> None:
    try:
        decoded = TickInput.decode(data)
    except fw.AssetError:
        return
    assert isinstance(decoded, TickInput)


def test_two_thousand_mutations_of_a_gamepad_tick_are_an_input_or_an_asset_error() -> None:
    chance = random.Random(5)
    good = 0
    data = TickInput(
        (
            ("on_pad_connect", 1, "Pad", "xbox"),
            ("on_pad_press", 1, "a"),
            ("on_pad_stick", 1, "leftstick", 1.0, -1.0),
            ("on_pad_trigger", 1, "righttrigger", 0.0),
            ("on_pad_release", 1, "a"),
            ("on_pad_disconnect", 1),
        )
    ).encode()
    with fw.Game(drawing=False, players=MAX_PLAYERS) as game:
        for _ in range(2000):
            mutated = bytearray(data)
            for _ in range(chance.randrange(1, 4)):
                mutated[chance.randrange(len(mutated))] = chance.randrange(256)
            try:
                decoded = TickInput.decode(bytes(mutated))
            except fw.AssetError:
                continue
            assert TickInput.decode(decoded.encode()) == decoded
            if all(event[0] != "player" or event[1] < MAX_PLAYERS for event in decoded.events):
                good += 1
                game.testing.feed(decoded)
                game.run_ticks()
    assert 50 < good < 1950


@pytest.mark.parametrize("cut", range(1, 20))
def test_truncated_bytes_are_an_asset_error(cut: int) -> None:
    data = TickInput(
        (("on_text", "été"), ("on_file_drop", 0.1, 2.0, ["a", "b"]), ("on_key_press", 65507, 2))
    ).encode()
    with pytest.raises(fw.AssetError, match="broken at byte"):
        TickInput.decode(data[:-cut])
    with pytest.raises(fw.AssetError, match="ends at byte"):
        TickInput.decode(data + bytes(cut))


@pytest.mark.parametrize("edge", [1e308, -1e308, 1e16])
def test_a_scale_whose_positions_are_infinite_is_refused(edge: float) -> None:
    writer = InputWriter(Scale(1.0, 0.0, 0.0, 2.0, 2.0))
    for left, bottom in ((edge, 0.0), (0.0, edge)):
        writer.data.clear()
        writer.scale = Scale(1.0, left, bottom, 2e-6, 2e-6)
        writer.add([("on_mouse_enter", 0.5, 0.5)])
        with pytest.raises(fw.AssetError, match="broken at byte"):
            InputReader(bytes(writer.data)).tick()


def test_the_number_of_events_in_a_tick_is_limited() -> None:
    data = bytearray([13]) * MAX_EVENTS
    assert len(TickInput.decode(bytes(data) + b"\0").events) == MAX_EVENTS
    with pytest.raises(fw.AssetError):
        TickInput.decode(bytes(data) + b"\x0d\0")
    drop = bytearray([18, 0, 0])
    put_whole(drop, 2**40)  # a wrong count of dropped files
    with pytest.raises(fw.AssetError):
        TickInput.decode(bytes(drop))


@pytest.mark.parametrize(
    "event",
    [
        ("on_key_press", -1, 0),
        ("on_key_press", 1),
        ("on_key_press", "a", 0),
        ("on_text", 3),
        ("no_such", 1),
        ("on_mouse_motion", "x", 0, 0, 0),
        ("on_mouse_press", math.nan, 0.0, 1, 0),
        ("on_text", "x" * 70_000),
        (),
        ((),),
    ],
)
def test_invalid_events_are_refused(event: Any) -> None:
    with pytest.raises(ValueError, match="expected events of a window"):
        TickInput((event,)).encode()


def test_the_inbox_marks_the_player_of_each_event() -> None:
    inbox = Inbox()
    for player, name in [(0, "a"), (2, "b"), (2, "c"), (0, "d"), (1, "e")]:
        inbox.put((name,), player)
    events = inbox.take()
    assert [(player, event[0]) for player, event in by_player(events)] == [
        (0, "a"),
        (2, "b"),
        (2, "c"),
        (0, "d"),
        (1, "e"),
    ]
    assert events[-1] == ("player", 0)  # later events belong to the first player again
    assert inbox.take() == []


def test_events_from_a_paused_game_are_split_off() -> None:
    a = ("on_activate",)
    b = ("on_deactivate",)
    assert split_paused((a, b)) == ((), (a, b))
    assert split_paused((a, STILL, b)) == ((a,), (b,))
    assert split_paused((a, STILL)) == ((a,), ())


@pytest.mark.parametrize(
    "event",
    [
        ("on_mouse_motion", 3.0, 4.0, -0.0, 1.0),
        ("on_mouse_motion", -0.0, 4.0, 2.0, 1.0),
        ("on_mouse_motion", 3.0, 4.0, 2.0, -0.0),
        ("on_mouse_motion", 3.0, 4.0, 2.0, 0.5),
        ("on_mouse_motion", 3.0, 4.0, 0.5, 2.0),
    ],
)
def test_decoding_restores_the_sign_of_zero_and_fractions_of_pixels(event: Any) -> None:
    decoded = TickInput.decode(TickInput((event,)).encode()).events
    assert [bits(each) for each in decoded] == [bits(event)]


def test_an_inbox_starts_at_the_first_player_and_restores_its_player() -> None:
    inbox = Inbox()
    restored = Inbox()
    inbox.put(("a",))
    assert inbox.events == [("a",)]
    inbox.put(("b",), 1)
    restored.restore(inbox.capture())
    assert restored.take() == [("a",), ("player", 1), ("b",), ("player", 0)]
