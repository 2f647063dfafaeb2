"""3D lights: their options, interpolation, and the selection of the visible lights."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.motion.camera_base import frame_block_of
from framework.screen_mapping import ScreenMapping
from framework.space.camera3d import Camera3D, Shot
from framework.space.lights import MAX_LIGHTS, Lights, begin_tick, end_tick, notice_writes, packed
from framework.state.rows import table_of


def shot(alpha: float = 1.0, **options: Any) -> Shot:
    """Return the view of a camera at (0, 0, 0) that looks along -z."""
    camera = Camera3D(math.radians(90), 0.1, 100, **options)
    camera.view = ScreenMapping((100, 100), (0, 0, 100, 100))
    frame_block_of(camera)(alpha, 0.0)
    assert camera.shot is not None
    return camera.shot


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("position", (0, math.nan, 0)),
        ("position", (0, 0)),
        ("color", (1, -1, 1)),
        ("color", "reddish"),
        ("intensity", math.nan),
        ("intensity", "bright"),
        ("intensity", -1),
        ("range", 0),
        ("range", math.inf),
        ("direction", (0, 0, 0)),
        ("direction", (0, math.nan, 1)),
        ("angle", 0),
        ("angle", 1.6),
        ("softness", 1.1),
    ],
)
def test_an_invalid_value_is_refused_with_its_name_and_changes_nothing(
    name: str, value: Any
) -> None:
    lights = Lights()
    error = TypeError if value == "bright" else ValueError
    with pytest.raises(error, match=f"^{name}: expected"):
        lights.add(**{name: value})
    assert len(lights) == 0
    light = lights.add((1, 2, 3))
    before = getattr(light, name)
    with pytest.raises(error, match=f"^{name}: expected"):
        setattr(light, name, value)
    assert getattr(light, name) == before


def test_a_light_has_the_values_that_were_set() -> None:
    light = Lights().add((1, 2, 3), (0.5, 0.25, 1), 3, 7, (0, 0, -9), 0.5, 0.125)
    assert (light.position, light.color, light.intensity, light.range) == (
        (1, 2, 3),
        (0.5, 0.25, 1),
        3,
        7,
    )
    assert (light.direction, light.angle, light.softness) == ((0, 0, -1), 0.5, 0.125)
    light.direction = None
    assert light.direction is None


def test_a_removed_light_cannot_be_used_and_the_others_remain() -> None:
    lights = Lights()
    first, second, third = (lights.add((x, 0, 0)) for x in range(3))
    second.remove()
    assert [light.position[0] for light in lights] == [0, 2]
    assert lights[1] is third
    third.position = (5, 0, 0)
    assert (first.position[0], third.position[0]) == (0, 5)
    with pytest.raises(ValueError, match="it was removed"):
        second.position = (0, 0, 0)
    with pytest.raises(ValueError, match="it was removed"):
        second.remove()
    with pytest.raises(ValueError, match="belongs to another"):
        Lights().remove(first)
    lights.clear()
    assert len(lights) == 0


def test_values_are_interpolated_between_ticks() -> None:
    lights = Lights()
    light = lights.add((0, 0, -5), intensity=1)
    begin_tick(lights)
    light.position = (2, 0, -5)
    light.intensity = 3
    end_tick(lights)
    for alpha in (0.0, 0.25, 1.0):
        row = packed(lights, shot(alpha))[0]
        assert row[:3] == pytest.approx((2 * alpha, 0, -5))
        assert row[4:7] == pytest.approx([1 + 2 * alpha] * 3)
    begin_tick(lights)
    end_tick(lights)
    assert packed(lights, shot(0))[0, :3] == pytest.approx((2, 0, -5))


def test_a_new_or_teleported_light_is_not_interpolated() -> None:
    lights = Lights()
    light = lights.add((0, 0, -5))
    light.position = (1, 0, -5)  # before the first tick
    assert packed(lights, shot(0))[0, 0] == 1
    begin_tick(lights)
    light.position = (3, 0, -5)
    light.teleport()
    second = lights.add((0, 1, -5))
    second.position = (0, 2, -5)
    end_tick(lights)
    assert packed(lights, shot(0))[:, :3].tolist() == [[3, 0, -5], [0, 2, -5]]


def test_writes_during_a_pause_are_drawn_at_once() -> None:
    lights = Lights()
    light = lights.add((0, 0, -5))
    still = lights.add((0, 0, -5))
    begin_tick(lights)
    still.position = (1, 0, -5)
    end_tick(lights)
    light.position = (1, 0, -5)
    notice_writes(lights)
    assert packed(lights, shot(0.5))[:, 0].tolist() == [1, 0.5]


def test_lights_that_do_not_reach_the_view_are_omitted() -> None:
    lights = Lights()
    for position, reach in [
        ((0, 0, -5), 1),
        ((0, 0, 5), 1),
        ((0, 0, 5), 6),
        ((-20, 0, -5), 5),
        ((0, 0, -120), 10),
    ]:
        lights.add(position, range=reach)
    lights.add((0, 0, -5), intensity=0)
    assert packed(lights, shot())[:, 3].tolist() == pytest.approx([1, 1 / 6])


def test_of_too_many_lights_the_nearest_are_drawn_in_their_order() -> None:
    lights = Lights()
    rng = np.random.default_rng(1)
    depths = rng.permutation(np.arange(1, 101) / 2)
    for depth in depths:
        lights.add((0, 0, -depth), range=1)
    rows = packed(lights, shot())
    assert rows.shape == (MAX_LIGHTS, 12)
    assert (-rows[:, 2]).tolist() == [depth for depth in depths if depth <= MAX_LIGHTS / 2]


def test_positions_are_relative_to_the_camera_in_a_large_world() -> None:
    camera = Camera3D()
    camera.view = ScreenMapping((100, 100), (0, 0, 100, 100))
    camera.position = (1e7 + 0.125, 0, 0)
    camera.teleport()
    frame_block_of(camera)(1.0, 0.0)
    lights = Lights()
    lights.add((1e7 + 0.25, 0, -3))
    assert camera.shot is not None
    assert packed(lights, camera.shot)[0, :3].tolist() == [0.125, 0, -3]


@given(st.lists(st.tuples(st.sampled_from("abtr"), st.floats(-9, 9)), max_size=30), st.floats(0, 1))
def test_lights_are_between_their_last_two_states(
    steps: list[tuple[str, float]], alpha: float
) -> None:
    lights = Lights()
    model: list[list[float]] = []  # previous and current
    for kind, value in steps:
        if kind == "a":
            lights.add((value, 0, 0))
            model.append([value, value])
        elif kind == "r" and model:
            del model[int(abs(value)) % len(model)]
            lights[int(abs(value)) % len(lights)].remove()
        elif kind in "bt":
            begin_tick(lights)
            for index, states in enumerate(model):
                states[0] = states[1]
                states[1] = value + index
                lights[index].position = value + index, 0, 0
                if kind == "t":
                    lights[index].teleport()
                    states[0] = states[1]
            end_tick(lights)
    old, new = table_of(lights).states(slice(None))
    shown = old[0][:, 0] + (new[0][:, 0] - old[0][:, 0]) * alpha
    assert shown.tolist() == pytest.approx(
        [before + (now - before) * alpha for before, now in model]
    )


def test_extend_adds_the_same_lights_as_add_and_checks_them() -> None:
    lights = Lights()
    lights.extend(2, position=[(1, 2, 3), (4, 5, 6)], color=(1, 0.5, 0))
    added = lights.add((1, 2, 3), (1, 0.5, 0))
    for name in ("position", "direction", "color", "intensity", "range", "angle", "softness"):
        assert getattr(lights[0], name) == getattr(added, name)
    for name, value in (
        ("range", 0),
        ("intensity", [1, -1]),
        ("direction", (0, 0, 0)),
        ("softness", 2),
    ):
        with pytest.raises(ValueError, match=f"^{name}: expected"):
            lights.extend(2, **{name: value})
    lights.extend(1, direction=(0, -2, 0))
    assert lights[3].direction == (0, -1, 0)
    assert len(lights) == 4
