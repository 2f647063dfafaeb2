"""Input devices: each press is counted in exactly one tick."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.input.buttons import Names, find_symbol, forget_presses, is_pending, symbol_of
from framework.input.keyboard import Keys
from framework.input.mouse import Mouse
from framework.input.pads import Gamepad

Make = Callable[..., Any]
SPACE = 32
A = 97
D = 100
NAMES = {"SPACE": SPACE, "A": A, "D": D}


def test_presses_are_counted_when_the_tick_begins() -> None:
    keys = Keys(NAMES)
    keys.press(SPACE)
    assert (keys.held(SPACE), keys.presses(SPACE), keys.releases(SPACE)) == (False, 0, 0)
    keys.begin_tick()
    assert (keys.held(SPACE), keys.presses(SPACE), keys.releases(SPACE)) == (True, 1, 0)


def test_a_press_counts_in_one_tick_and_is_held_until_its_release() -> None:
    keys = Keys(NAMES)
    keys.press(SPACE)
    states = []
    for tick in range(4):
        if tick == 2:
            keys.release(SPACE)
        keys.begin_tick()
        states.append((keys[SPACE], keys.presses(SPACE), keys.releases(SPACE)))
    assert states == [(True, 1, 0), (True, 0, 0), (True, 0, 1), (False, 0, 0)]


def test_a_press_shorter_than_a_tick_is_held_for_exactly_one() -> None:
    keys = Keys(NAMES)
    keys.press(A)
    keys.release(A)
    keys.begin_tick()
    assert (keys[A], keys.presses(A), keys.releases(A)) == (True, 1, 1)
    keys.begin_tick()
    assert (keys[A], keys.presses(A), keys.releases(A)) == (False, 0, 0)


def test_two_presses_in_one_tick_both_count() -> None:
    keys = Keys()
    for _ in range(2):
        keys.press(A)
        keys.release(A)
    keys.begin_tick()
    assert (keys.presses(A), keys.releases(A)) == (2, 2)


def test_the_state_does_not_change_within_a_tick() -> None:
    keys = Keys()
    keys.press(A)
    keys.begin_tick()
    keys.release(A)
    keys.press(D)
    assert (keys[A], keys[D], keys.releases(A), keys.presses(D)) == (True, False, 0, 0)


def test_a_repeat_is_no_press_and_a_stray_release_is_ignored() -> None:
    keys = Keys()
    keys.release(D)
    for _ in range(3):
        keys.press(A)
    keys.begin_tick()
    assert (keys.presses(A), keys.releases(D), keys[D]) == (1, 0, False)
    keys.press(A)
    keys.begin_tick()
    assert (keys.presses(A), keys[A]) == (0, True)


def test_losing_the_focus_releases_every_key_once() -> None:
    keys = Keys()
    keys.press(A)
    keys.press(D)
    keys.begin_tick()
    keys.release_all()
    keys.release(A)  # some systems still send the release
    keys.begin_tick()
    assert (keys.releases(A), keys.releases(D)) == (1, 1)
    keys.begin_tick()
    assert not keys[A]
    assert not keys[D]


@pytest.mark.parametrize(("down", "axis"), [((), 0), ((A,), -1), ((D,), 1), ((A, D), 0)])
def test_axis_is_the_difference_of_two_keys(down: tuple[int, ...], axis: int) -> None:
    keys = Keys(NAMES)
    for key in down:
        keys.press(key)
    keys.begin_tick()
    answer = keys.axis("a", "d")
    assert answer == axis
    assert type(answer) is int


def test_names_in_any_case_and_ints_of_any_kind() -> None:
    keys = Keys(NAMES)
    keys.press(SPACE)
    keys.begin_tick()
    assert keys["space"]
    assert keys["Space"]
    assert keys.presses("SPACE") == 1
    assert keys[SPACE]


def test_names_are_mapped_to_symbols() -> None:
    assert symbol_of(Keys(NAMES), "Space") == symbol_of(Keys(NAMES), SPACE) == SPACE
    assert (find_symbol(Keys(NAMES), "a"), find_symbol(Keys(NAMES), "b")) == (A, None)
    assert not is_pending(Keys(NAMES))  # no event has come yet


def test_an_unknown_name_is_an_error_with_the_nearest_names() -> None:
    with pytest.raises(ValueError, match=r"Keys has no name 'spaec'; the nearest are space"):
        Keys(NAMES).held("spaec")
    with pytest.raises(
        ValueError, match=r"Keys has no name 'spaec'; the nearest are space, \w, \w$"
    ):
        Keys({**NAMES, "E": 101, "Q": 113}).held("spaec")
    with pytest.raises(ValueError, match=r"this device has no names.*int symbol"):
        Keys().presses("space")
    with pytest.raises(ValueError, match=r"Mouse has no name.*left"):
        Mouse().releases("leftt")


@pytest.mark.parametrize("key", [None, 1.5, (1,)])
def test_a_key_is_an_int_or_a_name(key: object) -> None:
    with pytest.raises(TypeError, match="int symbol or a name"):
        Keys(NAMES).held(key)  # type: ignore[arg-type]


def test_the_in_operator_is_refused() -> None:
    with pytest.raises(TypeError):
        assert SPACE in Keys(NAMES)  # type: ignore[operator]


def test_mouse_buttons_have_names() -> None:
    mouse = Mouse()
    mouse.press(4)
    mouse.begin_tick()
    assert (mouse["right"], mouse["left"], mouse.presses("right")) == (True, False, 1)


def test_mouse_motion_and_scroll_are_summed_for_one_tick() -> None:
    mouse = Mouse()
    mouse.enter()
    mouse.move(10, 20, 4, -1)
    mouse.move(13, 21, 3, 1)
    mouse.scroll(0, 1)
    mouse.scroll(0.5, 1)
    assert mouse.position == (0, 0)
    assert not mouse.inside
    mouse.begin_tick()
    assert (mouse.x, mouse.y, mouse.position) == (13, 21, (13, 21))
    assert (mouse.dx, mouse.dy, mouse.scroll_x, mouse.scroll_y) == (7, 0, 0.5, 2)
    assert mouse.inside
    mouse.begin_tick()
    assert mouse.position == (13, 21)
    assert (mouse.dx, mouse.dy, mouse.scroll_x, mouse.scroll_y) == (0, 0, 0, 0)
    assert mouse.inside


def test_the_mouse_leaves_the_window_at_a_tick() -> None:
    mouse = Mouse()
    mouse.enter()
    mouse.begin_tick()
    mouse.leave()
    assert mouse.inside
    mouse.begin_tick()
    assert not mouse.inside


SYMBOLS = st.integers(0, 3)
EVENTS = st.lists(
    st.tuples(st.sampled_from(["press", "release"]), SYMBOLS)
    | st.just(("release_all", None))
    | st.just(("tick", None)),
    max_size=60,
)


@given(EVENTS)
def test_each_press_and_release_is_counted_in_one_tick(
    events: list[tuple[str, int | None]],
) -> None:
    keys = Keys()
    down: set[int] = set()
    transitions: Counter[tuple[str, int]] = (
        Counter()
    )  # the presses and releases since the last tick, counted without the class
    ever: set[int] = set()  # keys that were down at some time since the last tick
    for kind, symbol in [*events, ("tick", None), ("tick", None)]:
        if kind == "tick":
            keys.begin_tick()
            for key in range(4):
                assert keys.presses(key) == transitions["press", key]
                assert keys.releases(key) == transitions["release", key]
                assert keys.held(key) == (key in ever)
                assert key not in down or keys.held(key)
            transitions.clear()
            ever = set(down)
        elif kind == "release_all":
            keys.release_all()
            transitions.update(("release", key) for key in down)
            down.clear()
        elif symbol is not None:
            getattr(keys, kind)(symbol)
            if (symbol in down) == (kind == "release"):
                transitions[kind, symbol] += 1
                down ^= {symbol}
            ever |= down


@given(EVENTS, st.data())
def test_more_ticks_give_the_same_totals(
    events: list[tuple[str, int | None]], data: st.DataObject
) -> None:
    def totals(stream: list[tuple[str, int | None]]) -> Counter[tuple[str, int]]:
        keys = Keys()
        total = Counter[tuple[str, int]]()
        for kind, symbol in [*stream, ("tick", None)]:
            if kind == "tick":
                keys.begin_tick()
                for key in range(4):
                    total["press", key] += keys.presses(key)
                    total["release", key] += keys.releases(key)
            elif kind == "release_all":
                keys.release_all()
            else:
                getattr(keys, kind)(symbol)
        return total

    busier: list[tuple[str, int | None]] = []
    for event in events:
        busier += [event] + [("tick", None)] * data.draw(st.integers(0, 2))
    assert totals(busier) == totals(events)


@given(st.lists(st.none() | st.tuples(st.integers(-9, 9), st.integers(-9, 9)), max_size=40))
def test_no_motion_is_lost_between_ticks(moves: list[tuple[int, int] | None]) -> None:
    mouse = Mouse()
    x = 0
    y = 0
    sum_x = 0.0
    sum_y = 0.0
    for move in [*moves, None]:
        if move:
            x = x + move[0]
            y = y + move[1]
            mouse.move(x, y, *move)
        else:
            mouse.begin_tick()
            sum_x = sum_x + mouse.dx
            sum_y = sum_y + mouse.dy
            assert mouse.position == (sum_x, sum_y) == (x, y)


MOUSE_EVENTS = st.lists(
    st.sampled_from(
        ["press", "release", "release_all", "_forget", "move", "scroll", "enter", "leave", "tick"]
    ),
    max_size=30,
)


@given(MOUSE_EVENTS)
def test_a_tick_may_be_skipped_while_nothing_is_pending(events: list[str]) -> None:
    always = Mouse()
    skipping = Mouse()
    arguments: dict[str, tuple[int, ...]] = {
        "press": (1,),
        "release": (1,),
        "move": (1, 2, 3, 4),
        "scroll": (1, 2),
    }
    for kind in [*events, "tick", "tick", "tick"]:
        for mouse in (always, skipping):
            if kind != "tick":
                getattr(mouse, kind)(*arguments.get(kind, ()))
            elif mouse is always or is_pending(mouse):
                mouse.begin_tick()
        if kind == "tick":
            states = [
                (mouse.position, mouse.dx, mouse.dy, mouse.scroll_y, mouse.inside)
                + (mouse.held(1), mouse.presses(1), mouse.releases(1))
                for mouse in (always, skipping)
            ]
            assert states[0] == states[1]
    assert not is_pending(skipping)


def test_forget_presses_keeps_held_keys() -> None:
    buttons = Keys()
    buttons.press(1)
    buttons.press(2)
    buttons.release(2)
    forget_presses(buttons)
    buttons.begin_tick()
    assert [buttons.presses(1), buttons.presses(2), buttons.releases(2)] == [0, 0, 0]
    assert [buttons.held(1), buttons.held(2)] == [True, False]
    buttons.release(1)
    buttons.begin_tick()
    assert buttons.releases(1) == 1


def test_keyboards_share_only_their_names() -> None:
    names = Names({"Space": 32})
    first = Keys(names)
    second = Keys(names)
    first.press("SPACE")
    first.begin_tick()
    second.begin_tick()
    assert (first["space"], second["space"]) == (True, False)
    names_by_key = {"a": 97}
    keys = Keys(names_by_key)
    names_by_key["b"] = 98
    assert find_symbol(keys, "b") is None


def test_a_held_left_button_is_a_touch() -> None:
    mouse = Mouse()
    mouse.move(3, 4, 3, 4)
    mouse.begin_tick()
    assert mouse.touches == ()
    mouse.press("left")
    mouse.begin_tick()
    assert mouse.touches == ((3, 4),)
    mouse.release("left")
    for _ in range(2):  # the button was held in a part of the first tick
        mouse.begin_tick()
    assert mouse.touches == ()


def test_a_capture_is_cached_until_the_device_changes() -> None:
    keys = Keys({"SPACE": 32})
    mouse = Mouse()
    pad = Gamepad()
    changes = [
        (keys, lambda: keys.press("space")),
        (keys, lambda: keys.write("a")),
        (keys, keys.begin_tick),
        (keys, lambda: keys.release("space")),
        (keys, lambda: forget_presses(keys)),
        (mouse, lambda: mouse.move(1, 2, 1, 2)),
        (mouse, mouse.begin_tick),
        (mouse, lambda: setattr(mouse, "x", 5.0)),  # a game may set this
        (mouse, lambda: mouse.scroll(0, 1)),
        (mouse, mouse.enter),
        (mouse, mouse.leave),
        (pad, lambda: pad.connect("one", "xbox")),
        (pad, lambda: pad.move_stick("leftstick", 1.0, 0.0)),
        (pad, pad.begin_tick),
    ]
    for index, (device, change) in enumerate(changes):
        before = device._capture()
        assert device._capture() is before
        change()
        after = device._capture()
        assert after is not before, index
        device._restore(before)
        assert device._capture() == before
        device._restore(after)
        assert device._capture() == after


def test_keys_and_controls_change_several_times_before_a_tick(make: Make) -> None:
    game = make()
    game.testing.connect()
    game.advance(1 / 60)
    for buttons in (game.keys, game.pads[0]):
        buttons.press("a")
        buttons.release("a")
        buttons.press("a")
        game.advance(1 / 60)
        assert buttons.presses("a") == 2
        assert buttons.releases("a") == 1
        assert buttons.held("a")
        buttons.release("a")
        game.run_ticks(2)
        assert not buttons.held("a")


def test_a_key_that_is_pressed_and_released_before_a_tick_is_up_after_it(make: Make) -> None:
    game = make()
    game.keys.press("a")
    game.keys.release_all()
    game.run_ticks(1)
    assert game.keys.presses("a") == 1
    game.run_ticks(1)
    assert not game.keys.held("a")
