"""Animations: interpolation between keys, steps, and times outside the keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.geometry import quaternions
from framework.models import animations

TIMES = np.float32([1, 3, 3.5])


def cubic(t: Any) -> Any:
    return np.stack([t**3 - 2 * t, 5 - t, t * t], axis=-1)


def slope(t: Any) -> Any:
    return np.stack([3 * t**2 - 2, np.full_like(t, -1), 2 * t], axis=-1)


def poses_at(channels: list[fw.Channel], times: Any, nodes: int = 2) -> tuple[Any, Any, Any]:
    """Return the positions, rotations and scales of players at these times."""
    players = len(times)
    pose = (
        np.zeros((players, nodes, 3), "f4"),
        np.zeros((players, nodes, 4), "f4"),
        np.zeros((players, nodes, 3), "f4"),
    )
    animations.write_pose(fw.Animation("probe", channels), np.array(times, float), pose)
    return pose


def test_a_cubic_spline_reproduces_a_cubic() -> None:
    keys = np.stack([slope(TIMES), cubic(TIMES), slope(TIMES)], axis=1)
    times = np.linspace(1, 3.5, 12)
    position, _, _ = poses_at([fw.Channel(1, "translation", "CUBICSPLINE", TIMES, keys)], times)
    np.testing.assert_allclose(position[:, 1], cubic(times), atol=1e-4)
    assert not position[:, 0].any()


def test_a_spline_key_has_separate_tangents_in_and_out() -> None:
    keys = np.zeros((2, 3, 3), "f4")
    keys[0, 0], keys[0, 2], keys[1, 0], keys[1, 2] = (
        9,
        1,
        2,
        9,
    )  # the outer two tangents have no effect
    _, _, scale = poses_at(
        [fw.Channel(0, "scale", "CUBICSPLINE", np.float32([0, 2]), keys)], [0.5, 1]
    )
    assert scale[:, 0, 0].tolist() == pytest.approx(
        [2 * (9 / 64 - 3 / 64 * 2), 2 * (1 / 8 - 1 / 8 * 2)]
    )


def test_linear_and_step_channels_hold_their_first_and_last_keys() -> None:
    channels = [
        fw.Channel(1, "translation", "LINEAR", TIMES, cubic(TIMES)),
        fw.Channel(0, "translation", "LINEAR", TIMES, -cubic(TIMES)),
        fw.Channel(1, "scale", "STEP", TIMES, cubic(TIMES)),
    ]
    position, _, scale = poses_at(channels, [0, 1, 1.5, 3, 3.25, 9])
    first, second, third = cubic(TIMES)
    lines = [first, first, first + (second - first) / 4, second, (second + third) / 2, third]
    np.testing.assert_allclose(position[:, 1], lines, rtol=1e-6)
    np.testing.assert_allclose(position[:, 0], -position[:, 1])
    np.testing.assert_allclose(scale[:, 1], [first, first, first, second, second, third])


def test_two_keys_at_one_time_are_a_jump() -> None:
    channel = fw.Channel(
        0,
        "scale",
        "LINEAR",
        np.float32([0, 1, 1, 2]),
        np.float32([[0] * 3, [1] * 3, [5] * 3, [6] * 3]),
    )
    _, _, scale = poses_at([channel], [0.5, 1, 1.5])
    assert scale[:, 0, 0].tolist() == [0.5, 5, 5.5]


@pytest.mark.parametrize("angle", [1e-3, 1.0, 3.0, 3.3, 6.0])
def test_rotations_between_keys_are_slerps(angle: float) -> None:
    turns = np.float32(
        [quaternions.from_axis((0, 1, 0), 0.5), quaternions.from_axis((0, 1, 0), 0.5 + angle)]
    )
    _, rotation, _ = poses_at(
        [fw.Channel(0, "rotation", "LINEAR", np.float32([0, 4]), turns)], [0, 1, 2, 4]
    )
    for row, share in enumerate([0, 0.25, 0.5, 1]):
        wanted = quaternions.slerp(turns[:1], turns[1:], share)[0]
        assert rotation[row, 0] * np.sign(rotation[row, 0] @ wanted) == pytest.approx(
            wanted, abs=1e-6
        )


def test_a_spline_rotation_is_normalized_even_if_its_values_are_zero() -> None:
    keys = np.zeros((2, 3, 4), "f4")
    keys[0, 1], keys[1, 1] = (0, 0, 0, 1), (0, 0, 0, -1)
    _, rotation, _ = poses_at(
        [fw.Channel(0, "rotation", "CUBICSPLINE", np.float32([0, 1]), keys)], [0.25, 0.5, 0.75]
    )
    assert rotation[:, 0].tolist() == [[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, -1]]


def test_steps_between_reports_step_channels_but_not_linear_ones() -> None:
    values = np.zeros((3, 3), "f4")
    animation = fw.Animation(
        "probe",
        [
            fw.Channel(4, "translation", "LINEAR", TIMES, values),
            fw.Channel(2, "translation", "STEP", TIMES, values),
            fw.Channel(3, "weights", "STEP", TIMES, values),
        ],
    )
    before = np.array([0.5, 1, 2.9, 3, np.nan])
    after = np.array([0.9, 2.9, 3, 3.2, 1])
    steps = [
        (path, nodes.tolist(), rows.tolist())
        for path, nodes, rows in animations.steps_between(animation, before, after)
    ]
    stepped = [False, False, True, False, True]
    assert steps == [("translation", [2], stepped), ("weights", [3], stepped)]
    assert animations.steps_between(animation, before[:2], after[:2]) == []
    assert animation.nodes.tolist() == [2, 4]
    assert animations.weight_counts(animation) == {3: 3}
    assert animation.duration == 3.5
    assert fw.Animation("nothing", []).duration == 0
    shorter = fw.Channel(0, "scale", "STEP", TIMES[:2], values[:2])
    assert (
        fw.Animation(
            "two", [shorter, fw.Channel(1, "scale", "STEP", TIMES, values), shorter]
        ).duration
        == 3.5
    )


def test_weights_are_written_at_the_offsets_of_their_nodes() -> None:
    two_weights = np.float32([[0, 0], [2, 4]])
    one_weight = np.float32([[0], [8]])
    times = np.float32([0, 1])
    animation = fw.Animation(
        "probe",
        [
            fw.Channel(5, "weights", "LINEAR", times, two_weights),
            fw.Channel(6, "weights", "LINEAR", times, one_weight),
        ],
    )
    weights = np.full((2, 5), 7, "f4")
    animations.write_weights(animation, np.array([0.5, 1]), weights, {5: 0, 6: 3})
    assert weights.tolist() == [[1, 2, 7, 4, 7], [2, 4, 7, 8, 7]]


def test_mix_blends_two_poses() -> None:
    def pose(x: float, angle: float) -> animations.Pose:
        turn = np.float32(quaternions.from_axis((0, 0, 1), angle))
        return (
            np.full((2, 1, 3), x, "f4"),
            np.tile(turn, (2, 1, 1)),
            np.full((2, 1, 3), 2 * x, "f4"),
        )

    position, rotation, scale = animations.mix(pose(1, 0), pose(5, 1), np.float32([0.25, 1]))
    assert position[:, 0, 0].tolist() == [2, 5]
    assert scale[:, 0, 0].tolist() == [4, 10]
    for row, angle in enumerate([0.25, 1]):
        assert abs(rotation[row, 0] @ quaternions.from_axis((0, 0, 1), angle)) == pytest.approx(
            1, abs=1e-6
        )


@pytest.mark.parametrize("times", [[], [0, 2, 1]])
def test_missing_keys_and_descending_times_are_refused(times: list[float]) -> None:
    with pytest.raises(
        ValueError, match="channels: times: expected at least one key, and times that ascend"
    ):
        fw.Animation(
            "probe",
            [fw.Channel(0, "scale", "LINEAR", np.float32(times), np.zeros((len(times), 3), "f4"))],
        )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"path": "colour"}, "path: expected"),
        ({"interpolation": "CUBIC"}, "interpolation: expected"),
        ({"node": -1}, "node: expected"),
        ({"values": np.zeros((2, 4))}, "values: expected"),
        ({"path": "rotation"}, "values: expected"),
        ({"interpolation": "CUBICSPLINE"}, "values: expected"),
    ],
)
def test_an_invalid_channel_is_refused_with_its_field(wrong: dict[str, Any], words: str) -> None:
    good = fw.Channel(0, "scale", "LINEAR", np.float32([0, 1]), np.zeros((2, 3), "f4"))
    with pytest.raises(ValueError, match=f"^channels: {words}"):
        fw.Animation("probe", [good, good._replace(**wrong)])
