"""Advance and mix the animations of a model's copies in each tick."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Rows
from ..models.animations import (
    Animation,
    Pose,
    mix,
    steps_between,
    weight_counts,
    write_pose,
    write_weights,
)
from ..models.morphs import MorphWeights
from ..state.columns import TableColumn
from ..state.nodes import Nodes3D
from ..state.rows import table_of

Numbers: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]
"""The animations of all copies as three arrays: see `AnimationPlayback.numbers`."""

_COLUMNS = {"translation": "position", "rotation": "rotation", "scale": "scale"}
"""For each property that animations can change, the name of the column of the nodes."""


@dataclass
class PlayingAnimation:
    """An animation that is playing on one copy of a model.

    All times are in seconds since the start of the animation.
    """

    animation: Animation
    loop: bool
    speed: float
    time: float = 0.0
    before: float = math.nan
    """The time of the animation in the previous tick. NaN if the animation was not playing in that
    tick.
    """
    begun: bool = False

    def advance(self, dt: float) -> None:
        """Advance the time of the animation by ``dt`` simulated seconds times the speed."""
        self.before = self.time if self.begun else math.nan
        self.begun = True
        self.time += dt * self.speed
        length = self.animation.duration
        if self.loop:
            self.time = self.time % length if length > 0 else 0.0
        else:
            self.time = min(max(self.time, 0.0), length)

    @property
    def finished(self) -> bool:
        """Whether the animation has ended. An animation with ``loop=True`` never ends."""
        return not self.loop and self.time == (self.animation.duration if self.speed >= 0 else 0.0)


@dataclass
class AnimationTrack:
    """The animations of one copy: the current animation, and the previous animation while it is
    fading out.

    ``fade`` is the time that the previous animation takes to fade out, in seconds. ``faded`` is the
    time since the previous animation started to fade out, in seconds.
    """

    now: PlayingAnimation | None = None
    before: PlayingAnimation | None = None
    faded: float = 0.0
    fade: float = 0.0

    @property
    def both(self) -> list[PlayingAnimation]:
        """The animations that are playing on the copy: none, one or two."""
        return [playing for playing in (self.now, self.before) if playing is not None]


def _shares(tracks: list[AnimationTrack]) -> Floats:
    """Return the weight of the current animation of each track, from 0 to 1. The previous animation
    has the remaining weight.
    """
    return np.array([min(track.faded / track.fade, 1.0) for track in tracks], np.float32)


def _state_of(playing: PlayingAnimation) -> tuple[float, ...]:
    """Return the playback state of an animation: speed, time, previous time, loop and begun."""
    return playing.speed, playing.time, playing.before, playing.loop, playing.begun


def _restored(animation: Animation | None, state: list[float]) -> PlayingAnimation | None:
    """Return an animation in a playback state that `_state_of` returned."""
    if animation is None:
        return None
    speed, time, before, loop, begun = state
    return PlayingAnimation(animation, bool(loop), speed, time, before, bool(begun))


class AnimationPlayback:
    """The animations of all copies of a model. Call `advance` in each tick to move the nodes.

    For each copy, ``nodes`` contains ``stride`` consecutive nodes. ``rest`` contains the rest pose:
    the positions, rotations and scales of one copy's nodes. The arrays in ``rest`` have the shape
    (stride, 3) or (stride, 4). Each row of the column ``weights`` contains the morph weights of one
    copy.
    """

    # not part of the state, because this is a cache with keys that differ between processes
    not_state = ("_weighed",)

    def __init__(
        self, nodes: Nodes3D, rest: Pose, morphs: MorphWeights, weights: TableColumn | None
    ) -> None:
        self._morphs = morphs
        self._weights = weights
        # A dict from ids of animations to the columns of ``weights`` that the animation changes.
        self._weighed: dict[int, Rows] = {}
        self.tracks: list[AnimationTrack] = []
        self._nodes = nodes
        self._rest = rest
        self._stride = len(rest[0])
        # The columns and rows of nodes that a keyframe with "STEP" has set in this tick.
        self._jumped: list[tuple[str, Rows]] = []
        # The copies and weights that a keyframe with "STEP" has set in this tick.
        self._stepped: list[tuple[Rows, slice]] = []

    def extend(self, count: int) -> None:
        """Add ``count`` copies in the rest pose."""
        self.tracks += [AnimationTrack() for _ in range(count)]

    def keep(self, rows: Rows) -> None:
        """Keep the copies whose row numbers are in ``rows``, and remove all other copies.

        Call `keep` before you remove the nodes of the other copies.
        """
        self.end_tick()
        indices: list[int] = rows.tolist()
        self.tracks = [self.tracks[index] for index in indices]

    def numbers(self, names: Sequence[str]) -> Numbers:
        """Return the animations of all copies as three arrays, which can be stored in a save.

        The first array contains the current animation of each copy, and the second array the
        previous animation, as indices in ``names``. Both are int32 with the shape (n,), and 0 means
        no animation. The third array is float64 with the shape (n, 12), and contains the playback
        state, with all times in seconds. Columns 0 to 4 are the speed, time, previous time, loop
        and begun of the current animation. Columns 5 to 9 are the same values for the previous
        animation. Columns 10 and 11 are ``faded`` and ``fade`` of the `AnimationTrack`.
        """
        indices = {name: index for index, name in enumerate(names)}
        played = np.zeros((2, len(self.tracks)), np.int32)
        numbers = np.zeros((len(self.tracks), 12))
        for row, track in enumerate(self.tracks):
            numbers[row, 10:] = track.faded, track.fade
            for side, playing in enumerate((track.now, track.before)):
                if playing is not None:
                    played[side, row] = indices[playing.animation.name]
                    numbers[row, 5 * side : 5 * side + 5] = _state_of(playing)
        now: NDArray[np.int32] = played[0]
        before: NDArray[np.int32] = played[1]
        return now, before, numbers

    def put_numbers(
        self,
        numbers: Numbers,
        animations: Sequence[Animation | None],
    ) -> None:
        """Set the animations of all copies from arrays that `numbers` returned."""
        self._jumped.clear()
        self._stepped.clear()
        self.tracks = []
        now: list[int] = numbers[0].tolist()
        previous: list[int] = numbers[1].tolist()
        rows: list[list[float]] = numbers[2].tolist()
        for *sides, row in zip(now, previous, rows, strict=True):
            both: list[PlayingAnimation | None] = []
            for side, index in enumerate(sides):
                both.append(_restored(animations[index], row[5 * side : 5 * side + 5]))
            self.tracks.append(AnimationTrack(both[0], both[1], row[10], row[11]))

    def play(
        self,
        rows: Sequence[int],
        animation: Animation | None,
        loop: bool,
        speed: float,
        fade: float,
        start: float,
    ) -> None:
        """Start an animation on the copies whose row numbers are in ``rows``.

        If ``animation`` is None, the copies return to the rest pose.
        """
        for row in rows:
            new = None if animation is None else PlayingAnimation(animation, loop, speed, start)
            if new is not None and speed < 0 and not start:
                new.time = new.animation.duration
            dropped = self.tracks[row].before
            # without this call, nodes that only the dropped animation moves would stay where they
            # are
            if dropped is not None:
                self._to_rest(row, dropped.animation)
            self.tracks[row] = AnimationTrack(new, self.tracks[row].now, 0.0, fade)

    def advance(self, dt: float) -> None:
        """Advance all animations by ``dt`` simulated seconds, and move the nodes."""
        for row, track in enumerate(self.tracks):
            if not track.both:
                continue
            for playing in track.both:
                playing.advance(dt)
            track.faded += dt
            if track.faded >= track.fade:
                # Nodes that only the old animation has moved return to their rest pose.
                if track.before is not None:
                    self._to_rest(row, track.before.animation)
                track.before = None
        self._pose()

    def end_tick(self) -> None:
        """End a tick. If a "STEP" keyframe has changed a value in this tick, frames show the new
        value without interpolation.
        """
        for column, rows in self._jumped:
            table_of(self._nodes).column(column).snap(rows)
        for copies, columns in self._stepped:
            assert self._weights is not None
            self._weights.snap_part(copies, columns)
        self._jumped.clear()
        self._stepped.clear()

    def _to_rest(self, row: int, animation: Animation) -> None:
        at = row * self._stride + 1 + animation.nodes
        for column, pose in zip(self._columns(), self._rest, strict=True):
            column[at] = pose[1 + animation.nodes]
        columns = self._weight_columns(animation)
        if len(columns):
            self._all_weights()[row, columns] = self._morphs.rest[columns]

    def _weight_columns(self, animation: Animation) -> Rows:
        """Return the indices of the columns in ``weights`` that an animation changes."""
        columns = self._weighed.get(id(animation))
        if columns is None:
            first = self._morphs.first
            runs = [
                np.arange(first[node], first[node] + count)
                for node, count in weight_counts(animation).items()
            ]
            columns = self._weighed[id(animation)] = np.concatenate([np.zeros(0, np.intp), *runs])
        return columns

    def _all_weights(self) -> Floats:
        assert self._weights is not None
        weights: Floats = self._weights.values(len(self.tracks))
        return weights

    def _columns(self) -> tuple[Floats, Floats, Floats]:
        return self._nodes.position, self._nodes.rotation, self._nodes.scale

    def _pose(self) -> None:
        """Compute the pose of each node from the animations, and write the poses to the nodes.

        To save time, copies that are playing the same animations are computed together.
        """
        for rows in self._rows_by_animations():
            tracks = [self.tracks[row] for row in rows]
            self._pose_nodes(rows, tracks)
            self._pose_weights(rows, tracks)
            is_fading = tracks[0].before is not None
            for side in range(len(tracks[0].both)):
                self._note_steps(rows, [track.both[side] for track in tracks], fading=is_fading)

    def _rows_by_animations(self) -> list[list[int]]:
        """Return groups of rows. The copies of a group play the same animations."""
        groups: dict[tuple[int, int], list[int]] = {}
        for row, track in enumerate(self.tracks):
            if track.both:
                key = (
                    id(track.now and track.now.animation),
                    id(track.before and track.before.animation),
                )
                groups.setdefault(key, []).append(row)
        return [*groups.values()]

    def _pose_nodes(self, rows: list[int], tracks: list[AnimationTrack]) -> None:
        """Compute the poses of the copies in ``rows``, and write them to the nodes. All copies in
        ``rows`` must be playing the same animations.
        """
        nodes = np.unique(np.concatenate([playing.animation.nodes for playing in tracks[0].both]))
        pose = self._sampled([track.now for track in tracks])
        if tracks[0].before is not None:
            before = self._sampled([track.before for track in tracks])
            pose = mix(before, pose, _shares(tracks))
        at = np.array(rows)[:, None] * self._stride + 1 + nodes
        for column, values in zip(self._columns(), pose, strict=True):
            column[at] = values[:, nodes]

    def _pose_weights(self, rows: list[int], tracks: list[AnimationTrack]) -> None:
        """Compute the morph weights of the copies in ``rows``, and write them to ``weights``. All
        copies in ``rows`` must be playing the same animations.
        """
        moved = [self._weight_columns(playing.animation) for playing in tracks[0].both]
        columns = np.unique(np.concatenate(moved))
        if not len(columns):
            return
        weights = self._sampled_weights([track.now for track in tracks])
        if tracks[0].before is not None:
            before = self._sampled_weights([track.before for track in tracks])
            weights = before + (weights - before) * _shares(tracks)[:, None]
        self._all_weights()[np.array(rows)[:, None], columns] = weights[:, columns]

    def _sampled_weights(self, playing: list[PlayingAnimation | None]) -> Floats:
        weights = np.tile(self._morphs.rest, (len(playing), 1))
        if playing[0] is not None:
            times = np.array([playback.time for playback in playing if playback is not None])
            write_weights(playing[0].animation, times, weights, self._morphs.first)
        return weights

    def _note_steps(self, rows: list[int], playing: list[PlayingAnimation], fading: bool) -> None:
        """Store which nodes and weights a "STEP" keyframe changes in this tick. `end_tick` reads
        the stored nodes and weights, to draw the change without interpolation.

        All copies in ``rows`` must be playing the same animations.
        """
        before = np.array([playback.before for playback in playing])
        after = np.array([playback.time for playback in playing])
        if fading:  # an animation that begins in this tick has no earlier time
            before = np.where(np.isnan(before), after, before)
        for path, nodes, stepped in steps_between(playing[0].animation, before, after):
            if path == "weights":
                counts = weight_counts(playing[0].animation)
                numbers: list[int] = nodes.tolist()
                for node in numbers:
                    first = self._morphs.first[node]
                    self._stepped.append(
                        (np.array(rows)[stepped], slice(first, first + counts[node]))
                    )
                continue
            at = np.array(rows)[stepped, None] * self._stride + 1 + nodes
            self._jumped.append((_COLUMNS[path], at.reshape(-1)))

    def _sampled(self, playing: list[PlayingAnimation | None]) -> Pose:
        position, rotation, scale = (np.tile(part[1:], (len(playing), 1, 1)) for part in self._rest)
        pose = position, rotation, scale
        if playing[0] is not None:
            write_pose(
                playing[0].animation,
                np.array([playback.time for playback in playing if playback is not None]),
                pose,
            )
        return pose
