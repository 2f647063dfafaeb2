"""Animate the nodes and morph weights of 3D models with keyframes.

One call computes an animation for many instances of a model.
"""

from __future__ import annotations

__all__ = ["Animation", "Channel"]

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..arrays import Floats, Mask, Rows
from ..geometry import exact
from ..geometry.quaternions import NEGATED_BELOW, NLERP_ABOVE
from ..other_engines.other_options import other_options

PATHS = ("translation", "rotation", "scale", "weights")
"""The properties that an animation can change: the pose of a node, or the morph weights of its
mesh.
"""
INTERPOLATIONS = ("LINEAR", "STEP", "CUBICSPLINE")

Pose = tuple[Floats, Floats, Floats]
"""The positions, rotations and scales of every node, for p players. The shapes are (p, nodes, 3),
(p, nodes, 4) and (p, nodes, 3).

A player is a copy of the model that plays the animation.
"""


class Channel(NamedTuple):
    """The keyframes of one property of one node."""

    node: int
    path: str
    interpolation: str
    times: NDArray[np.float32]
    """The times of the k keyframes in seconds, in ascending order. The array has the shape (k,)."""
    values: NDArray[np.float32]
    """The values of the k keyframes. For positions and scales, the array has the shape (k, 3). For
    rotations, the shape is (k, 4). For t morph weights, the shape is (k, t).

    For a cubic spline, each keyframe has an incoming tangent, a value, and an outgoing tangent. The
    array then has the shape (k, 3, …).
    """


@dataclass
class _Track:
    """All channels of an animation that have the same path, interpolation and keyframe times. Their
    values are computed together.
    """

    path: str
    interpolation: str
    nodes: Rows
    times: NDArray[np.float32]
    # Of shape (k, nodes, width), or (k, 3, nodes, width) for a cubic spline.
    values: NDArray[np.float32]

    def key(self, time: NDArray[np.float64]) -> Rows:
        """Return the index of the last keyframe at or before each time in ``time``. The array has
        the shape (players,), with one index for each playing instance.
        """
        indices: Rows = np.maximum(np.searchsorted(self.times, time, side="right") - 1, 0)
        return indices

    def at(self, time: NDArray[np.float64]) -> Floats:
        """Return the values of all nodes at each time in ``time``. The array has the shape
        (players, nodes, width).
        """
        before = self.key(time)
        after = np.minimum(before + 1, len(self.times) - 1)
        length = self.times[after] - self.times[before]
        share = np.where(
            length > 0, (time - self.times[before]) / np.where(length > 0, length, 1), 0
        )
        t = np.clip(share, 0, 1).astype(np.float32)[:, None, None]
        if self.interpolation == "STEP":
            return self.values[before]
        if self.interpolation == "CUBICSPLINE":
            return self._spline(before, after, length[:, None, None], t)
        first = self.values[before]
        second = self.values[after]
        return slerp(first, second, t) if self.path == "rotation" else first + (second - first) * t

    def _spline(self, before: Rows, after: Rows, length: NDArray[np.float32], t: Floats) -> Floats:
        first = self.values[before, 1]
        leaving = self.values[before, 2] * length
        second = self.values[after, 1]
        coming = self.values[after, 0] * length
        squared = t * t
        cubed = t * t * t
        value: Floats = (
            (2 * cubed - 3 * squared + 1) * first
            + (cubed - 2 * squared + t) * leaving
            + (3 * squared - 2 * cubed) * second
            + (cubed - squared) * coming
        )
        return unit(value) if self.path == "rotation" else value


class Animation(checks.Sealed):
    """A named animation: keyframes for the poses of nodes and for the weights of morph targets.

    ``duration`` is the length of the animation in seconds. ``nodes`` contains the indices of the
    nodes that the animation moves. Raises `ValueError` or `TypeError` if the keyframes are invalid.
    """

    __slots__ = ("_tracks", "_weight_tracks", "duration", "name", "nodes")

    _transient_attributes = True

    @other_options(
        _="frames of sprites are fw.Clips: write fw.SpriteBatch(fw.Clips(images, walk=(0, 8, 12)))"
    )
    def __init__(self, name: str, channels: Sequence[Channel]) -> None:
        self.name = checks.text("name", name)
        channels = _all_checked(checks.items("channels", channels))
        self.duration = max([float(channel.times[-1]) for channel in channels], default=0.0)
        tracks = _tracks(channels)
        self._tracks = [track for track in tracks if track.path != "weights"]
        self._weight_tracks = [track for track in tracks if track.path == "weights"]
        posed = [channel.node for channel in channels if channel.path != "weights"]
        self.nodes: Rows = np.unique(np.array(posed, np.intp))

    def __repr__(self) -> str:
        return f"<Animation {self.name!r} of {self.duration:.2f} seconds>"


def write_pose(
    animation: Animation,
    time: NDArray[np.float64],
    pose: Pose,
    *,
    step_time: NDArray[np.float64] | None = None,
) -> None:
    """Compute the positions, rotations and scales of the nodes at ``time``, and write these values
    into ``pose``.

    ``time`` contains one time per instance that plays the animation, in seconds from the start of
    the animation. Properties with "STEP" keyframes, which jump from value to value, are computed at
    ``step_time`` instead. ``step_time`` defaults to ``time``.
    """
    for track in animation._tracks:
        at = time if step_time is None or track.interpolation != "STEP" else step_time
        pose[PATHS.index(track.path)][:, track.nodes] = track.at(at)


def has_steps(animation: Animation) -> bool:
    """Return whether the animation has "STEP" keyframes."""
    tracks = [*animation._tracks, *animation._weight_tracks]
    return any(track.interpolation == "STEP" for track in tracks)


def stepped_nodes(animation: Animation) -> Iterator[tuple[str, Rows]]:
    """For each track with "STEP" keyframes, yield the animated property (one of `PATHS`) and the
    nodes.
    """
    for track in [*animation._tracks, *animation._weight_tracks]:
        if track.interpolation == "STEP":
            yield track.path, track.nodes


def weight_counts(animation: Animation) -> dict[int, int]:
    """Return a dict from node indices to the number of morph weights that the animation changes."""
    return {
        node: track.values.shape[-1]
        for track in animation._weight_tracks
        for node in _numbers(track)
    }


def _numbers(track: _Track) -> list[int]:
    nodes: list[int] = track.nodes.tolist()
    return nodes


def write_weights(
    animation: Animation,
    time: NDArray[np.float64],
    weights: Floats,
    first: Mapping[int, int],
    *,
    step_time: NDArray[np.float64] | None = None,
) -> None:
    """Compute the morph weights at ``time``, and write the weights into ``weights``. The array
    ``weights`` has the shape (players, w).

    The weights of a node begin at the column ``first[node]``. For ``step_time``, see `write_pose`.
    """
    for track in animation._weight_tracks:
        at = time if step_time is None or track.interpolation != "STEP" else step_time
        values = track.at(at)
        for column, node in enumerate(_numbers(track)):
            weights[:, first[node] : first[node] + values.shape[-1]] = values[:, column]


def steps_between(
    animation: Animation, before: NDArray[np.float64], after: NDArray[np.float64]
) -> list[tuple[str, Rows, Mask]]:
    """Return the values that "STEP" keyframes set between the times ``before`` and ``after``.

    ``before`` and ``after`` contain one time in seconds for each player. A player is an instance
    that is playing the animation. Each returned item is a tuple (path, nodes, mask). The path is
    one of `PATHS`. The mask is True for each player that passes a "STEP" keyframe between its two
    times. A time of NaN means that the player was not playing the animation.
    """
    steps = []
    for track in [*animation._tracks, *animation._weight_tracks]:
        if track.interpolation == "STEP":
            stepped: Mask = np.isnan(before) | (
                track.key(np.nan_to_num(before)) != track.key(after)
            )
            if stepped.any():
                steps.append((track.path, track.nodes, stepped))
    return steps


def _tracks(channels: Sequence[Channel]) -> list[_Track]:
    """Join the channels that have the same path, interpolation and keyframe times."""
    groups: dict[tuple[object, ...], list[Channel]] = {}
    # Many channels share one array of times. Each array is converted only once.
    times: dict[int, bytes] = {}
    for channel in channels:
        shared = id(channel.times)
        if shared not in times:
            times[shared] = channel.times.tobytes()
        key = channel.path, channel.interpolation, times[shared], channel.values.shape[-1]
        groups.setdefault(key, []).append(channel)
    return [
        _Track(
            group[0].path,
            group[0].interpolation,
            np.array([channel.node for channel in group], np.intp),
            group[0].times,
            np.stack([channel.values for channel in group], axis=-2),
        )
        for group in groups.values()
    ]


def _all_checked(channels: list[Channel]) -> list[Channel]:
    """Check all channels, and convert their values to arrays.

    Keyframe times that several channels share are checked only once.
    """
    checked: dict[tuple[object, ...], Channel] = {}
    result = []
    for channel in channels:
        checks.instance("channels", channel, Channel)
        key = repr(channel.path), repr(channel.interpolation), id(channel.times), id(channel.values)
        if key not in checked:
            checked[key] = _checked(channel)
        result.append(checked[key]._replace(node=checks.whole("channels: node", channel.node, 0)))
    return result


def _checked(channel: Channel) -> Channel:
    checks.choice("channels: path", channel.path, PATHS)
    spline = (
        checks.choice("channels: interpolation", channel.interpolation, INTERPOLATIONS)
        == "CUBICSPLINE"
    )
    times = checks.numbers("channels: times", channel.times, (None,), dtype="f4")
    if not len(times) or (np.diff(times) < 0).any():
        raise checks.wrong_value(
            "channels: times", "at least one key, and times that ascend", times
        )
    width = {"rotation": 4, "weights": None}.get(channel.path, 3)
    shape = (len(times), 3, width) if spline else (len(times), width)
    values = checks.numbers("channels: values", channel.values, shape, dtype="f4")
    return channel._replace(times=times, values=values)


def mix(first: Pose, second: Pose, share: NDArray[np.float32]) -> Pose:
    """Blend two poses and return the blended pose. A pose consists of positions, rotations and
    scales.

    ``share`` is the weight of the second pose for each player, from 0 to 1.
    """
    t = share[:, None, None]
    return (
        first[0] + (second[0] - first[0]) * t,
        slerp(first[1], second[1], t),
        first[2] + (second[2] - first[2]) * t,
    )


def slerp(first: Floats, second: Floats, t: Floats) -> Floats:
    """Interpolate between quaternions in the same way as `quaternions.slerp`. The quaternions have
    the shape (…, 4). ``t`` is the weight of ``second``, with a shape that NumPy can broadcast to
    (…, 1).
    """
    dots: Floats = exact.dot(first, second)
    cosine = dots[..., None]
    functions = exact.functions()
    side = np.where(cosine < NEGATED_BELOW, np.float32(-1), np.float32(1))
    cosine = np.minimum(np.abs(cosine), np.float32(1))
    sine = np.sqrt((1 - cosine) * (1 + cosine))
    angle: Floats = functions.arctan2(sine, cosine)
    sine = np.maximum(sine, np.float32(1e-30))
    near = cosine > NLERP_ABOVE
    first_sine: Floats = functions.sin((1 - t) * angle)
    second_sine: Floats = functions.sin(t * angle)
    a = np.where(near, 1 - t, first_sine / sine)
    b = np.where(near, t, second_sine / sine)
    return unit(first * a + second * (b * side))


def unit(q: Floats) -> Floats:
    """Scale quaternions to length 1, and return the scaled quaternions.

    A quaternion of length 0 becomes (0, 0, 0, 1), which does not rotate.
    """
    squares: Floats = exact.dot(q, q)
    length = np.sqrt(squares)[..., None]
    whole: Floats = np.where(length > 1e-12, q / np.maximum(length, 1e-12), (0, 0, 0, 1)).astype(
        np.float32
    )
    return whole
