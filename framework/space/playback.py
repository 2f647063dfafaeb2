"""What copies of a model play: animations that pass over into one another, written to their nodes
tick by tick.
"""

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
from ..state.columns import Column
from ..state.nodes import Nodes3D
from ..state.rows import table_of

Numbers: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]
"""The tracks of all copies as numbers; see `Playback.numbers`."""

_COLUMNS = {"translation": "position", "rotation": "rotation", "scale": "scale"}
"""The columns of nodes by what animations call them."""


@dataclass
class Playing:
    """An animation that is played. Times are in seconds of the animation."""

    animation: Animation
    loop: bool
    speed: float
    time: float = 0.0
    before: float = math.nan
    """The time a tick ago; NaN: it was not played then."""
    begun: bool = False

    def advance(self, dt: float) -> None:
        """``dt`` simulated seconds pass."""
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
        """Whether it has come to its end, and is not repeated."""
        return not self.loop and self.time == (self.animation.duration if self.speed >= 0 else 0.0)


@dataclass
class Track:
    """What one copy plays: ``now``, and for ``fade`` seconds, of which ``faded`` are over, what it
    played before.
    """

    now: Playing | None = None
    before: Playing | None = None
    faded: float = 0.0
    fade: float = 0.0

    @property
    def both(self) -> list[Playing]:
        """Those of the two that there are."""
        return [playing for playing in (self.now, self.before) if playing is not None]


class Playback:
    """The tracks of copies whose nodes stand one copy after another, ``stride`` of each: its own,
    then the model's.

    ``rest`` are position, rotation and scale of a copy's nodes when nothing is played: (stride, 3
    or 4) each. The weights of its ``morphs`` are in a row of the column ``weights``.
    """

    not_state = (
        "_weighed",
    )  # found out again when it is asked for, and known by what differs between processes

    def __init__(
        self, nodes: Nodes3D, rest: Pose, morphs: MorphWeights, weights: Column | None
    ) -> None:
        self._morphs = morphs
        self._weights = weights
        self._weighed: dict[
            int, Rows
        ] = {}  # the places of weights that an animation moves, by its id
        self.tracks: list[Track] = []
        self._nodes = nodes
        self._rest = rest
        self._stride = len(rest[0])
        self._jumped: list[
            tuple[str, Rows]
        ] = []  # columns and rows that a key stepped in this tick
        self._stepped: list[tuple[Rows, slice]] = []  # copies and weights, the same

    def extend(self, count: int) -> None:
        """``count`` more copies, at rest."""
        self.tracks += [Track() for _ in range(count)]

    def keep(self, rows: Rows) -> None:
        """Drop all copies but ``rows``, whose nodes have their old numbers yet."""
        self.end_tick()
        indices: list[int] = rows.tolist()
        self.tracks = [self.tracks[index] for index in indices]

    def numbers(self, names: Sequence[str]) -> Numbers:
        """What all copies play, for a save: what they play and what before, (n,) places in
        ``names``, of which the first is nothing; and (n, 12) of both speed, time, time before,
        whether it is repeated and has begun, then how much of the passing over is over, and of how
        much."""
        places = {name: place for place, name in enumerate(names)}
        played = np.zeros((2, len(self.tracks)), np.int32)
        numbers = np.zeros((len(self.tracks), 12))
        for row, track in enumerate(self.tracks):
            numbers[row, 10:] = track.faded, track.fade
            for side, one in enumerate((track.now, track.before)):
                if one is not None:
                    played[side, row] = places[one.animation.name]
                    numbers[row, 5 * side : 5 * side + 5] = (
                        one.speed,
                        one.time,
                        one.before,
                        one.loop,
                        one.begun,
                    )
        now: NDArray[np.int32] = played[0]
        before: NDArray[np.int32] = played[1]
        return now, before, numbers

    def put_numbers(
        self,
        told: Numbers,
        animations: Sequence[Animation | None],
    ) -> None:
        """Play what `numbers` told."""
        self._jumped.clear()
        self._stepped.clear()
        self.tracks = []
        now: list[int] = told[0].tolist()
        before_now: list[int] = told[1].tolist()
        rows: list[list[float]] = told[2].tolist()
        for *sides, row in zip(now, before_now, rows, strict=True):
            both: list[Playing | None] = []
            for side, place in enumerate(sides):
                animation = animations[place]
                speed, time, before, loop, begun = row[5 * side : 5 * side + 5]
                both.append(
                    None
                    if animation is None
                    else Playing(animation, bool(loop), speed, time, before, bool(begun))
                )
            self.tracks.append(Track(both[0], both[1], row[10], row[11]))

    def play(
        self,
        rows: Sequence[int],
        animation: Animation | None,
        loop: bool,
        speed: float,
        fade: float,
        start: float,
    ) -> None:
        """Play an animation on copies; None: back to rest."""
        for row in rows:
            new = None if animation is None else Playing(animation, loop, speed, start)
            if new is not None and speed < 0 and not start:
                new.time = new.animation.duration
            self.tracks[row] = Track(new, self.tracks[row].now, 0.0, fade)

    def advance(self, dt: float) -> None:
        """A tick of ``dt`` simulated seconds: animations go on, and this tick's poses are written
        to the nodes.
        """
        for row, track in enumerate(self.tracks):
            if not track.both:
                continue
            for playing in track.both:
                playing.advance(dt)
            track.faded += dt
            if track.faded >= track.fade:
                if track.before is not None:  # what only the old one moved goes to rest
                    self._to_rest(row, track.before.animation)
                track.before = None
        self._pose()

    def end_tick(self) -> None:
        """The tick is over: what a key stepped is not blended over it."""
        for column, rows in self._jumped:
            table_of(self._nodes).column(column).snap(rows)
        for copies, places in self._stepped:
            assert self._weights is not None
            self._weights.snap_part(copies, places)
        self._jumped.clear()
        self._stepped.clear()

    def _to_rest(self, row: int, animation: Animation) -> None:
        at = row * self._stride + 1 + animation.nodes
        for column, rest in zip(self._columns(), self._rest, strict=True):
            column[at] = rest[1 + animation.nodes]
        places = self._places(animation)
        if len(places):
            self._all_weights()[row, places] = self._morphs.rest[places]

    def _places(self, animation: Animation) -> Rows:
        """Which of a copy's weights an animation moves."""
        places = self._weighed.get(id(animation))
        if places is None:
            first = self._morphs.first
            runs = [
                np.arange(first[node], first[node] + count)
                for node, count in weight_counts(animation).items()
            ]
            places = self._weighed[id(animation)] = np.concatenate([np.zeros(0, np.intp), *runs])
        return places

    def _all_weights(self) -> Floats:
        assert self._weights is not None
        weights: Floats = self._weights.values(len(self.tracks))
        return weights

    def _columns(self) -> tuple[Floats, Floats, Floats]:
        return self._nodes.position, self._nodes.rotation, self._nodes.scale

    def _pose(self) -> None:
        """Write this tick's poses: all copies that play the same, or pass over from the same, at
        once.
        """
        groups: dict[tuple[int, int], list[int]] = {}
        for row, track in enumerate(self.tracks):
            if track.both:
                key = (
                    id(track.now and track.now.animation),
                    id(track.before and track.before.animation),
                )
                groups.setdefault(key, []).append(row)
        for rows in groups.values():
            tracks = [self.tracks[row] for row in rows]
            nodes = np.unique(
                np.concatenate([playing.animation.nodes for playing in tracks[0].both])
            )
            pose = self._sampled([track.now for track in tracks])
            if tracks[0].before is not None:
                share = [min(track.faded / track.fade, 1.0) for track in tracks]
                pose = mix(
                    self._sampled([track.before for track in tracks]),
                    pose,
                    np.array(share, np.float32),
                )
            at = np.array(rows)[:, None] * self._stride + 1 + nodes
            for column, values in zip(self._columns(), pose, strict=True):
                column[at] = values[:, nodes]
            self._pose_weights(rows, tracks)
            for place in range(len(tracks[0].both)):
                self._note_jumps(
                    rows,
                    [track.both[place] for track in tracks],
                    fading=tracks[0].before is not None,
                )

    def _pose_weights(self, rows: list[int], tracks: list[Track]) -> None:
        """The weights of copies that play the same."""
        moved = [self._places(playing.animation) for playing in tracks[0].both]
        places = np.unique(np.concatenate(moved))
        if not len(places):
            return
        weights = self._sampled_weights([track.now for track in tracks])
        if tracks[0].before is not None:
            share = np.array([min(track.faded / track.fade, 1.0) for track in tracks], np.float32)[
                :, None
            ]
            before = self._sampled_weights([track.before for track in tracks])
            weights = before + (weights - before) * share
        self._all_weights()[np.array(rows)[:, None], places] = weights[:, places]

    def _sampled_weights(self, playing: list[Playing | None]) -> Floats:
        weights = np.tile(self._morphs.rest, (len(playing), 1))
        if playing[0] is not None:
            times = np.array([one.time for one in playing if one is not None])
            write_weights(playing[0].animation, times, weights, self._morphs.first)
        return weights

    def _note_jumps(self, rows: list[int], playing: list[Playing], fading: bool) -> None:
        """Which columns of copies step in this tick, where all play the same animation."""
        before = np.array([one.before for one in playing])
        after = np.array([one.time for one in playing])
        if fading:  # what has only begun does not step in
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

    def _sampled(self, playing: list[Playing | None]) -> Pose:
        position, rotation, scale = (np.tile(part[1:], (len(playing), 1, 1)) for part in self._rest)
        pose = position, rotation, scale
        if playing[0] is not None:
            write_pose(
                playing[0].animation,
                np.array([one.time for one in playing if one is not None]),
                pose,
            )
        return pose
