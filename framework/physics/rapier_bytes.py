"""Read the poses and velocities of many Rapier bodies quickly, from Rapier's serialized bytes.

Rapier has no function that returns the poses of all bodies, and reading a single body takes one to
two microseconds. However, Rapier can serialize all bodies to bytes, which takes only 0.2
microseconds per body. `BodyBytes` reads the poses of all bodies from these bytes, and `numbers_of`
reads the pose of a single body. The attributes of Rapier's body objects have slightly different
values, because Rapier normalizes the rotation before it returns it.

Because Rapier's byte format is not documented, the module serializes a small world once, and
searches the bytes for numbers that it has put in. If the search fails, the caller must read the
bodies one by one.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Rows
from .engines import rapier3d

_HEADER = 16  # the number of bytes before the first body
_FREE = (5, 9)  # the bytes of a free slot without and with the number of the next free slot
_POSE = 28  # the number of bytes of a rotation and a translation
_SPEEDS = 24  # the number of bytes of a velocity and an angular velocity


class _Layout(NamedTuple):
    """The offsets of a body's numbers in its serialized bytes."""

    length: int
    """The size of a body without colliders, in bytes."""
    per_collider: int
    """The number of additional bytes for each collider."""
    pose: int
    """The offset of the rotation, which has 4 numbers. The 3 numbers of the translation come next.
    """
    speeds: int
    """The offset of the velocity, which has 3 numbers. The 3 numbers of the angular velocity come
    next.
    """
    single_pose: int
    """The offset of the rotation in the bytes of a single body."""
    single_speeds: int
    """The offset of the velocity in the bytes of a single body."""


@functools.cache
def _layout() -> _Layout | None:
    """Return the byte layout of the installed Rapier version, or None if the layout is unknown.

    The function adds four bodies with 1, 0, 2 and 1 colliders to a world, and searches the bytes
    for the numbers of these bodies.
    """
    world = rapier3d.PhysicsWorld()
    known_numbers = [
        _add_known_body(world, index, count) for index, count in enumerate((1, 0, 2, 1))
    ]
    data = world.rigid_bodies.to_bytes()
    poses = [data.find(pose) for pose, _ in known_numbers]
    speeds = [data.find(speed) for _, speed in known_numbers]
    lengths = np.diff(poses).tolist()
    if min(poses) < _HEADER or min(speeds) < _HEADER or lengths != np.diff(speeds).tolist():
        return None
    per_collider = lengths[0] - lengths[1]
    if per_collider <= 0 or lengths[2] - lengths[1] != 2 * per_collider:
        return None
    (single,) = [body.to_bytes() for handle, body in world.rigid_bodies if handle.index == 0]
    single_pose, single_speeds = (single.find(numbers) for numbers in known_numbers[0])
    if min(single_pose, single_speeds) < 0:
        return None
    return _Layout(
        lengths[1],
        per_collider,
        poses[0] - _HEADER,
        speeds[0] - _HEADER,
        single_pose,
        single_speeds,
    )


def _add_known_body(
    world: rapier3d.PhysicsWorld, index: int, collider_count: int
) -> tuple[bytes, bytes]:
    """Add a body with known numbers to a world. Return the bytes of its rotation and translation,
    and the bytes of its velocity and angular velocity.
    """
    translation = (1.25 + index, 2.5, 3.75)
    velocity = (10.5 + index, 11.5, 12.5)
    angular_velocity = (20.5 + index, 21.5, 22.5)
    body = rapier3d.RigidBody.dynamic().translation(translation)
    body = body.linvel(velocity).angvel(angular_velocity)
    world.add_body(body, [rapier3d.Collider.ball(1.0) for _ in range(collider_count)])
    pose = struct.pack("<7f", 0, 0, 0, 1, *translation)
    return pose, struct.pack("<6f", *velocity, *angular_velocity)


def numbers_of(body: rapier3d.RigidBody) -> tuple[float, ...]:
    """Return a body's rotation (4 numbers), translation (3 numbers), velocity (3 numbers) and
    angular velocity (3 numbers).
    """
    layout = _layout()
    if layout is None:
        poses = body.rotation.to_tuple() + body.translation.to_tuple()
        return poses + body.linvel.to_tuple() + body.angvel.to_tuple()
    data = body.to_bytes()
    pose: tuple[float, ...] = struct.unpack_from("<7f", data, layout.single_pose)
    speeds: tuple[float, ...] = struct.unpack_from("<6f", data, layout.single_speeds)
    return pose + speeds


def unit_rotations(rotations: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """Scale serialized rotations, with the shape (n, 4), to a length of 1, exactly as Rapier's
    ``body.rotation`` does. Return None if the installed version of Rapier computes different bits.
    """
    return _scaled(rotations) if _scales_as_rapier() else None


def _scaled(rotations: NDArray[np.float32]) -> NDArray[np.float32]:
    # The additions are in the same order as in Rapier's SIMD code, because another order gives
    # other bits.
    squares = rotations * rotations
    pairs = squares[:, :2] + squares[:, 2:]
    lengths = np.sqrt(pairs[:, 0] + pairs[:, 1])
    scaled: NDArray[np.float32] = rotations / lengths[:, None]
    return scaled


@functools.cache
def _scales_as_rapier() -> bool:
    """Return whether `_scaled` gives the same bits as Rapier for 64 rotating bodies."""
    layout = _layout()
    if layout is None:
        return False
    world = rapier3d.PhysicsWorld()
    handles = [
        world.add_body(
            rapier3d.RigidBody.dynamic().angvel((0.37 * index, 5 - 0.61 * index, 1.3)),
            [rapier3d.Collider.ball(0.5).sensor(True)],
        )
        for index in range(64)
    ]
    for _ in range(8):
        world.step()
    bodies = [world.rigid_bodies[handle] for handle in handles]
    serialized = np.array([numbers_of(body)[:4] for body in bodies], np.float32)
    return bool((_scaled(serialized) == [body.rotation.to_tuple() for body in bodies]).all())


def _slot_count_of(data: bytes) -> int:
    """Return the number of slots for bodies in the serialized bodies of a world."""
    count: int
    (count,) = struct.unpack_from("<Q", data, _HEADER - 8)
    return count


def _find_bodies(data: bytes, lengths: Mapping[int, int]) -> tuple[dict[int, int], int] | None:
    """Find the bodies in the serialized bodies of a world. Return a dict from the index of each
    body to the offset of its first byte, and the offset after the last body. If the bytes have an
    unexpected layout, return None.

    ``lengths`` is a dict from the index of each body to its length in bytes.
    """
    starts: dict[int, int] = {}
    start = _HEADER
    for index in range(_slot_count_of(data)):
        if start + max(_FREE) > len(data):
            return None
        is_occupied = data[start] == 1
        if is_occupied != (index in lengths):
            return None
        if is_occupied:
            starts[index] = start
            start += lengths[index]
        else:
            start += _FREE[data[start + 4]] if data[start + 4] < len(_FREE) else len(data)
    if len(starts) < len(lengths) or start > len(data):
        return None
    return starts, start


class BodyBytes:
    """A reader for the serialized bodies of a world. The reader is valid until a body is added or
    removed.

    ``colliders`` is a dict from the index of a body to the number of its colliders. A body that is
    not in the dict has no collider.
    """

    not_state = True

    def __init__(self, bodies: rapier3d.RigidBodySet, colliders: Mapping[int, int]) -> None:
        self.bodies = bodies
        """The bodies that this object reads. After a restore, the body objects of the world are
        different.
        """
        self._end = -1  # the offset after the last body, or -1 if the bodies cannot be read
        self.indices: Rows = np.empty(0, np.intp)
        """The indices of the bodies, in ascending order."""
        self._starts: Rows = self.indices
        # The distance between two bodies in bytes, or 0 if bodies have different lengths.
        self._stride = 0
        layout = _layout()
        if layout is None:
            return
        self._layout = layout
        data = bodies.to_bytes()
        lengths = {
            handle.index: layout.length + layout.per_collider * colliders.get(handle.index, 0)
            for handle in bodies.handles()
        }
        self._slot_count = _slot_count_of(data)
        slots = _find_bodies(data, lengths)
        if slots is None:
            return
        starts, self._end = slots
        self.indices = np.array([*starts], np.intp)
        self._starts = np.array([*starts.values()], np.intp)
        steps = np.diff(self._starts)
        if len(steps) and (steps == steps[0]).all():
            self._stride = int(steps[0])

    def read(
        self, bodies: rapier3d.RigidBodySet, with_speeds: bool
    ) -> tuple[NDArray[np.float32], NDArray[np.float32] | None] | None:
        """Return an array of the poses of all bodies, with the shape (n, 7). If ``with_speeds`` is
        True, also return an array of the velocities, with the shape (n, 6).

        Each row of the first array contains the rotation and the translation of a body. Each row of
        the second array contains the velocity and the angular velocity of a body. If the bytes have
        an unexpected layout, return None.
        """
        if self._end < 0:
            return None
        data = bodies.to_bytes()
        # After the last body, Rapier writes a list of the bodies that the game has just changed, so
        # the total number of bytes is different in each step.
        if len(data) < self._end or not self._is_expected(data, len(bodies)):
            return None
        poses = self._numbers(data, self._layout.pose, _POSE)
        speeds = self._numbers(data, self._layout.speeds, _SPEEDS) if with_speeds else None
        return poses, speeds

    def _is_expected(self, data: bytes, count: int) -> bool:
        """Return whether the same slots contain bodies as when `__init__` read the bytes.

        ``count`` is the current number of bodies.
        """
        if _slot_count_of(data) != self._slot_count or count != len(self.indices):
            return False
        return bool((np.frombuffer(data, np.uint8)[self._starts] == 1).all())

    def _numbers(self, serialized: bytes, offset: int, size: int) -> NDArray[np.float32]:
        data = np.frombuffer(serialized, np.uint8)
        if self._stride:
            first = int(self._starts[0]) + offset
            count = len(self._starts)
            rows = np.lib.stride_tricks.as_strided(
                data[first:], (count, size), (self._stride, 1), writeable=False
            )
        else:
            rows = data[self._starts[:, None] + np.arange(offset, offset + size)]
        numbers: NDArray[np.float32] = np.ascontiguousarray(rows).view(np.float32)
        return numbers
