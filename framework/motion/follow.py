"""The controller that has a camera follow something, in the plane and in space."""

from __future__ import annotations

__all__ = ["Follow"]

import warnings
from collections.abc import Sequence
from functools import partial
from operator import add, gt, mul, sub
from typing import Any, Protocol

import numpy as np

from .. import checks
from ..arrays import Doubles
from ..checks import Sealed, Setting
from ..geometry import quaternions
from ..state.latched import Latched, linear
from .viewpoint import (
    LARGEST,
    Place,
    Viewpoint,
    coordinates,
    dimensions_of,
    margins_of,
    place_of,
    pose_at,
)

_UP: Place = (0.0, 1.0, 0.0)

# Where a camera in space stands unless told: above its target, and behind what looks along -z.
_BEHIND = (0.0, 3.0, 8.0)


class Followed(Protocol):
    """What a camera can follow: a `Sprite`, an `Instance`, or anything that says where it is drawn.

    With ``removed = True`` it is followed no longer.
    """

    def drawn_position(self, alpha: float) -> tuple[float, ...]: ...


class _Turning(Followed, Protocol):
    """A target that a turning camera can follow; checked when ``turning`` is set."""

    def drawn_rotation(self, alpha: float) -> tuple[float, ...]: ...


class _PerAxis(Setting[Doubles]):
    """A setting with a number for each axis of the camera's world."""

    def __init__(self, doc: str) -> None:
        super().__init__(lambda name, value: np.asarray(value), doc)

    def __set__(self, thing: object, value: object) -> None:
        assert isinstance(thing, Follow)
        vector = _numbers(self.name, value, thing._dimensions)
        if thing._dimensions == 3 and vector == getattr(
            thing, "_look" if self.name == "offset" else "_offset", None
        ):
            raise ValueError(
                f"{self.name}: the camera would stand where it looks, at {list(vector)}"
            )
        self.keep(thing, vector)

    def read(self, thing: Any) -> Doubles:
        """An array of the caller's own."""
        return np.array(super().read(thing))


_TURNS = "an instance, or what has drawn_rotation(alpha)"


class _WithTarget(Setting[bool]):
    """Whether the camera does what the target does."""

    def __init__(self, doc: str) -> None:
        super().__init__(checks.flag, doc)

    def __set__(self, thing: object, value: object) -> None:
        assert isinstance(thing, Follow)
        turns = checks.flag(self.name, value)
        if turns and thing._dimensions == 2:
            raise ValueError(f"{self.name}: only a camera in space turns with its target")
        if turns:
            checks.methods("target", thing.target, ["drawn_rotation"], _TURNS)
        if turns and self.name == "rolling" and not thing.turning:
            raise ValueError(
                "rolling: a camera that does not turn with its target cannot roll with it"
            )
        self.keep(thing, turns)


def _followed(name: str, value: Followed) -> Followed:
    checks.methods(
        name, value, ["drawn_position"], "a sprite, an instance, or what has drawn_position(alpha)"
    )
    return value


class _Target(Setting[Followed]):
    """What is followed: it says how it is turned too, where the camera turns with it."""

    def __set__(self, thing: object, value: Any) -> None:
        followed = self.check(self.name, value)
        if getattr(thing, "_turning", False):
            checks.methods(self.name, followed, ["drawn_rotation"], _TURNS)
        self.keep(thing, followed)


def _numbers(name: str, value: object, count: int) -> Place:
    numbers: list[float] = coordinates(name, value, count).tolist()
    return tuple(numbers)


def _sizes(name: str, value: object, axes: int) -> Place:
    sizes = (value,) * axes if checks.ndim(value) == 0 else value
    return tuple([checks.number(name, size, least=0) for size in _numbers(name, sizes, axes)])


def _box(name: str, value: object, axes: int) -> tuple[Place, Place] | None:
    """The lowest and the highest corner."""
    if value is None:
        return None
    numbers = _numbers(name, value, 2 * axes)
    low, high = numbers[:axes], numbers[axes:]
    if any(map(gt, low, high)):
        raise checks.wrong_value(name, "the lowest corner, then the highest", value)
    return low, high


class Follow(Sealed):
    """Keeps a camera by ``target``: a `Sprite`, an `Instance`, or anything with
    ``drawn_position(alpha)``.

    Without ``smoothing`` and ``dead_zone`` the camera goes by the very position that the target is
    drawn at, in every frame: the target does not shimmer. A target that is removed is followed no
    longer: the camera stays where the last tick left it. One whose place is no number (NaN,
    infinity, above 1e18) is waited for where it was last, and a `RuntimeWarning` says so once.
    Write the camera's ``position`` and it goes on from there; `teleport` takes it to the target at
    once.

    Parameters
    ----------
    camera
        A `Camera2D` or a `Camera3D`, whose ``controller`` this becomes.
    offset
        Where the camera stands, from the target, in units along the world's axes: two numbers,
        default (0, 0), or three, default (0, 3, 8).
    look
        In space, the place to look at, from the target.
    smoothing
        From 0 to below 1: in each tick the camera closes in by the share 1 - smoothing of the
        displacement.
    dead_zone
        The size of a box about the target, one number or one for each axis, in units: as long as
        the camera's goal is not farther away than half of it, the camera stays.
    look_ahead
        How many ticks of the target's motion the camera is ahead of it.
    look_ahead_smoothing
        In each tick the camera takes the share 1 - look_ahead_smoothing of a change of motion.
    bounds
        A box of the world: (left, bottom, right, top), or in space the three lowest numbers, then
        the three highest. The picture of a `Camera2D` stays within (in the middle, where it is
        larger), and the place of a `Camera3D`.
    turning
        In space: ``offset`` and ``look`` are along the target's own axes, as behind a car. The
        target then needs ``drawn_rotation(alpha)`` too.
    rolling
        What is up for the target is up in the picture, as behind an aeroplane.
    glide
        Whether the camera starts from where it is, not where its goal is.
    """

    __slots__ = (
        *(
            "_ahead",
            "_bounds",
            "_dead_zone",
            "_dimensions",
            "_last",
            "_leading",
            "_look",
            "_look_ahead",
            "_look_ahead_smoothing",
        ),
        *(
            "_offset",
            "_rolling",
            "_smoothing",
            "_target",
            "_turned",
            "_turning",
            "_up",
            "camera",
        ),
        "_warned",
    )

    _offset: Place
    _look: Place
    _target: _Turning
    _smoothing: float
    _look_ahead: float
    _look_ahead_smoothing: float
    _turning: bool
    _rolling: bool

    target = _Target(_followed, "What is followed.")
    turning = _WithTarget("Whether `offset` and `look` are along the target's own axes.")
    rolling = _WithTarget("Whether what is up for the target is up in the picture.")
    offset = _PerAxis("Where the camera stands, from the target, in units.")
    look = _PerAxis("In space, the place to look at, from the target, in units.")
    smoothing = Setting(
        partial(checks.number, least=0, below=1), "The share that a tick leaves of a displacement."
    )
    look_ahead = Setting(
        partial(checks.number, least=0, most=LARGEST), "Ticks of the target's motion."
    )
    look_ahead_smoothing = Setting(
        partial(checks.number, least=0, below=1), "That of a change of motion."
    )

    def __init__(
        self,
        camera: Viewpoint[Any],
        target: Followed,
        offset: Any = None,
        *,
        look: Any = None,
        smoothing: float = 0.0,
        dead_zone: float | Sequence[float] = 0.0,
        look_ahead: float = 0.0,
        look_ahead_smoothing: float = 0.9,
        bounds: Sequence[float] | None = None,
        turning: bool = False,
        rolling: bool = False,
        glide: bool = False,
    ) -> None:
        self.camera = checks.instance("camera", camera, Viewpoint, what="a Camera2D or a Camera3D")
        self._dimensions = dimensions_of(camera)
        self.target = target
        self.turning, self.rolling = turning, rolling
        self.look = (0.0,) * self._dimensions if look is None else look
        self.offset = (
            offset if offset is not None else _BEHIND if self._dimensions == 3 else (0.0, 0.0)
        )
        self.smoothing, self.dead_zone = smoothing, dead_zone
        self.look_ahead, self.look_ahead_smoothing, self.bounds = (
            look_ahead,
            look_ahead_smoothing,
            bounds,
        )
        glide = checks.flag("glide", glide)
        self._turned, self._up = (self._offset, self._look), _UP
        self._leading = False
        self._ahead: Latched[Place] = Latched((0.0,) * self._dimensions, linear)
        start = tuple(target.drawn_position(1.0))
        if not _good(start):  # the camera is as if it followed already
            start = tuple(map(sub, place_of(camera, 1.0), self._offset))
        self._last: Latched[Place] = Latched(start, linear)
        self._warned = False
        if not glide:
            camera.teleport()
            camera.position = self.bounded(self._goal(1.0), 1.0)
        camera.controller = self

    @property
    def dead_zone(self) -> Place:
        """The size of the box about the target in which the camera stays, along each axis, in
        units.
        """
        return tuple([2 * half for half in self._dead_zone]) or (0.0,) * self._dimensions

    @dead_zone.setter
    def dead_zone(self, value: float | Sequence[float]) -> None:
        sizes = _sizes("dead_zone", value, self._dimensions)
        self._dead_zone: Place = tuple([size / 2 for size in sizes]) if any(sizes) else ()

    @property
    def bounds(self) -> Place | None:
        """The box of the world that is not left: the lowest numbers, then the highest; None for
        none.
        """
        return None if self._bounds is None else (*self._bounds[0], *self._bounds[1])

    @bounds.setter
    def bounds(self, value: Sequence[float] | None) -> None:
        self._bounds: tuple[Place, Place] | None = _box("bounds", value, self._dimensions)

    # -- driven by the camera ----------------------------------------------------------------------

    def begin_tick(self) -> None:
        if self._leading:
            self._ahead.begin_tick()
        self._last.begin_tick()

    def end_tick(self, snap: bool) -> None:
        """The target is where the tick left it; with ``snap`` the camera is at its goal."""
        if self._lost:
            return
        if self._look_ahead or self._leading:
            self._look_where_it_goes(snap)
        if not (self._smoothing or self._dead_zone):
            return  # its pose says where it is
        goal, place = self._goal(1.0), place_of(self.camera, 1.0)
        if not snap:
            goal = _nearest(place, goal, self._dead_zone) if self._dead_zone else goal
            share = 1.0 - self._smoothing
            goal = (
                tuple([a + (b - a) * share for a, b in zip(place, goal, strict=True)])
                if share < 1.0
                else goal
            )
        self.camera.position = self.bounded(goal, 1.0)

    def _look_where_it_goes(self, snap: bool) -> None:
        """Bring the lead up to date with the target's motion: that of a teleport is none."""
        ahead = self._ahead
        share = 1.0 if snap else 1.0 - self._look_ahead_smoothing
        motion: Place = tuple(
            map(sub, self._target.drawn_position(1.0), self._target.drawn_position(0.0))
        )
        wanted = [self._look_ahead * part for part in motion] if _good(motion) else ahead.current
        ahead.current = tuple(
            [a + (b - a) * share for a, b in zip(ahead.current, wanted, strict=True)]
        )
        ahead.teleported = snap
        ahead.settle()
        self._leading = any(ahead.current) or any(ahead.previous)

    def pose(self, alpha: float) -> Any:
        """The camera's pose at ``alpha``."""
        camera = self.camera
        if self._dimensions == 2:
            by_itself = self._smoothing or self._lost
            place = place_of(camera, alpha) if by_itself else self._by(self._goal(alpha))
            return pose_at(camera, alpha, self.bounded(place, alpha), (), ())
        target = self._place(alpha)
        offset, look = self._offsets(alpha)
        by_itself = self._smoothing or self._lost
        place = place_of(camera, alpha) if by_itself else self._by(tuple(map(add, target, offset)))
        place = self.bounded(place, alpha)
        direction: Place = tuple(map(sub, map(add, target, look), place))
        if not sum(map(mul, direction, direction)):  # it stands where it is to look
            direction = tuple(map(sub, look, offset))
        return pose_at(camera, alpha, place, direction, self._upwards(alpha))

    def _by(self, goal: Place) -> Place:
        """Where a camera without smoothing is drawn."""
        return (
            _nearest(place_of(self.camera, 0.0), goal, self._dead_zone) if self._dead_zone else goal
        )

    def bounded(self, place: Place, alpha: float) -> Place:
        """The nearest place to ``place`` at which the camera keeps to the bounds."""
        if self._bounds is None:
            return place
        low, high = self._bounds
        margins = margins_of(self.camera, alpha)
        lowest: Place = tuple(map(add, low, margins))
        highest: Place = tuple(map(sub, high, margins))
        return tuple(
            [
                (a + b) / 2 if a > b else min(max(at, a), b)
                for at, a, b in zip(place, lowest, highest, strict=True)
            ]
        )

    # -- the target --------------------------------------------------------------------------------

    @property
    def _lost(self) -> bool:
        return bool(getattr(self._target, "removed", False))

    def _place(self, alpha: float) -> Place:
        """Where the target is drawn, or was last, and ahead of it."""
        if self._lost:
            place = self._last.at(alpha)
        else:
            place = self._target.drawn_position(alpha)
            if not _good(place):
                place = self._last_good(place, alpha)
            elif alpha == 1.0:  # as when a tick ends
                self._last.current = place
        return tuple(map(add, place, self._ahead.at(alpha))) if self._leading else place

    def _last_good(self, bad: Any, alpha: float) -> Place:
        """Where the target was last, while it is drawn at what is no place; that is said once."""
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"target: it is drawn at {checks.shown(bad)}; the camera keeps to the "
                "last good place. Look for a "
                "division by zero or a normalised zero vector in update(). (Said once "
                "per camera that follows.)",
                RuntimeWarning,
                stacklevel=2,
            )
        return self._last.at(alpha)

    def _goal(self, alpha: float) -> Place:
        return tuple(map(add, self._place(alpha), self._offsets(alpha)[0]))

    def _offsets(self, alpha: float) -> tuple[Place, Place]:
        """`offset` and `look` along the world's axes."""
        if not self._turning:
            return self._offset, self._look
        if not self._lost:
            offset, look = self._along(alpha, self._offset, self._look) or self._turned
            self._turned = offset, look
        return self._turned

    def _upwards(self, alpha: float) -> Place:
        if self._rolling and not self._lost:
            (self._up,) = self._along(alpha, _UP) or (self._up,)
        return self._up

    def _along(self, alpha: float, *vectors: Place) -> list[Place]:
        """Vectors along the target's axes, along the world's; empty while its rotation is no
        number.
        """
        turn = np.array([self._target.drawn_rotation(alpha)])
        if not np.isfinite(turn).all():
            return []
        turned: list[list[float]] = quaternions.rotate(turn, np.array(vectors)).tolist()
        return [tuple(vector) for vector in turned]


def _good(place: Place) -> bool:
    """Whether a camera can be there; of NaN, no comparison holds."""
    for number in place:  # noqa: SIM110  # asked in each frame, and half as quick with all()
        if not -LARGEST <= number <= LARGEST:
            return False
    return True


def _nearest(at: Place, goal: Place, half: Place) -> Place:
    """The nearest place to ``at`` in a box about ``goal``."""
    return tuple([min(max(a, g - h), g + h) for a, g, h in zip(at, goal, half, strict=True)])
