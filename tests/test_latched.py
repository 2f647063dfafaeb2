"""Latched values: interpolation between two ticks, after teleports, and during a pause."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import framework as fw
from framework.motion.camera_base import begin_tick, end_tick
from framework.state.latched import Latched, LatchedValue, linear, ratio, short_turn

number = st.floats(-1e6, 1e6)
alphas = st.floats(0, 1)


@given(
    st.lists(
        st.tuples(st.sampled_from(["write", "teleport", "begin", "end", "look"]), number),
        max_size=30,
    ),
    alphas,
)
def test_a_drawn_value_lies_between_the_last_two_states(
    steps: list[tuple[str, float]], alpha: float
) -> None:
    state: Latched[tuple[float, ...]] = Latched((0.0,), linear)
    previous = current = 0.0
    teleported = True
    in_tick = False
    for kind, value in steps:
        if kind == "write":
            state.current = (value,)
            current = value
        elif kind == "teleport":
            state.teleported = teleported = True
        elif kind == "begin" and not in_tick:
            state.begin_tick()
            in_tick = True
            teleported = False
            previous = current
        elif kind == "end" and in_tick:
            state.end_tick()
            previous = current if teleported else previous
            in_tick = teleported = False
        elif kind == "look" and not in_tick:
            previous = current if teleported else previous
            assert state.at(alpha) == pytest.approx((previous + (current - previous) * alpha,))
    assert state.current == (current,)


@given(number, number, st.booleans(), alphas)
def test_a_teleport_works_before_and_after_the_write(
    old: float, new: float, before: bool, alpha: float
) -> None:
    state: Latched[tuple[float, ...]] = Latched((old,), linear)
    state.begin_tick()
    state.teleported = before
    state.current = (new,)
    state.teleported = True
    state.end_tick()
    assert state.at(alpha) == (new,)


def test_without_ticks_writes_are_drawn_at_once_and_the_last_motion_stays() -> None:
    state: Latched[tuple[float, ...]] = Latched((0.0,), linear)
    state.begin_tick()
    state.current = (2.0,)
    state.end_tick()
    state.notice_writes()
    assert state.at(0.5) == (1.0,)
    state.current = (8.0,)
    state.notice_writes()
    assert state.at(0.5) == (8.0,)


def test_a_value_is_interpolated_again_after_the_tick_of_its_teleport() -> None:
    state = Latched((1.0,), linear)
    state.begin_tick()
    state.teleported = True
    state.current = (5.0,)
    state.end_tick()
    state.current = (9.0,)
    assert (state.teleported, state.at(0.5)) == (False, (7.0,))


def test_an_unchanged_value_is_not_interpolated() -> None:
    def never(previous: tuple[float], current: tuple[float], alpha: float) -> tuple[float]:
        raise AssertionError

    state = Latched((1.0,), never)
    state.begin_tick()
    state.end_tick()
    assert state.previous is state.current
    assert state.at(0.5) == (1.0,)


def test_a_latched_value_is_a_checked_property() -> None:
    def positive(name: str, value: float) -> float:
        if value <= 0:
            raise ValueError(f"{name}: expected a number above 0")
        return float(value)

    class Sized:
        size = LatchedValue("_state", 1, positive, "How large it is.")

        def __init__(self) -> None:
            self._state = Latched((1.0, 2.0), lambda previous, current, alpha: current)

    sized = Sized()
    sized.size = 5
    assert (sized.size, sized._state.current) == (5.0, (1.0, 5.0))
    with pytest.raises(ValueError, match=r"^size: "):
        sized.size = -1
    assert sized.size == 5.0
    assert Sized.size.__doc__ == "How large it is."


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), alphas)
def test_a_ratio_grows_by_the_same_factor_in_equal_times(
    previous: float, current: float, alpha: float
) -> None:
    first = ratio(previous, current, alpha / 2)
    second = ratio(previous, current, alpha)
    assert second / first == pytest.approx(first / previous)
    assert ratio(previous, current, 1.0) == pytest.approx(current)


@given(st.floats(-20, 20), st.floats(-20, 20), alphas)
def test_an_angle_turns_through_the_shorter_arc(
    previous: float, current: float, alpha: float
) -> None:
    assert abs(short_turn(previous, current, alpha) - previous) <= math.pi * alpha + 1e-9
    assert math.cos(short_turn(previous, current, 1.0) - current) == pytest.approx(1)


def test_at_alpha_1_the_drawn_value_is_exactly_the_current_value() -> None:
    camera = fw.Camera2D((64, 48))
    for pose in (((1e17, 0.0), 3.0), ((0.1, 0.0), 0.7)):
        begin_tick(camera)
        camera.position, camera.zoom = pose
        end_tick(camera)
    assert camera.pose(1.0) == (0.1, 0, 0.7, 0)
    state = Latched((1e17,), linear)
    state.end_tick()
    state.begin_tick()
    state.current = (0.1,)
    state.end_tick()
    assert state.at(1.0) == (0.1,)


def test_values_of_different_lengths_cannot_be_interpolated() -> None:
    with pytest.raises(ValueError, match="shorter"):
        linear((1.0, 2.0), (1.0,), 0.5)
