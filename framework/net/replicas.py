"""Replicate the rows of a batch from a server to its clients, as integers with few bits."""

from __future__ import annotations

import math
from collections import deque
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..game.replication import Replica
from ..state.columns import TableColumn
from .golomb_coding import Ints
from .row_lookup import indices_of
from .row_receiver import Change, Members, RowReceiver
from .row_sender import Ids

MAX_OWN_ROWS = 32
"""The maximum number of rows that one client can predict."""
_MAX_LOG = 4096  # the maximum number of applied messages that a correction can apply again
_TOLERANCE = 0.25  # the allowed error, in steps of the sent position
_ANGLE_TOLERANCE = 0.01  # radians
_EXACT = ("position", "angle", "rotation", "velocity", "angular_velocity", "acceleration")
_COMPONENTS = 4  # the number of components of a rotation (a quaternion)


class ReplicaForm:
    """The network format of one batch's rows."""

    def __init__(self, replica: Replica) -> None:
        table = replica.table
        self.replica = replica
        self.axes = table.column("position").width
        self.has_angle = table.has("angle")
        self.has_rotation = table.has("rotation")
        self.shifts = [0] * self.axes + [32 - replica.angle] * self.has_angle
        self.shifts += [0] * _COMPONENTS * self.has_rotation
        self._sent_ids: Ids = np.empty(0, np.uint32)
        self._sent_rotations: Floats = np.empty((0, _COMPONENTS), np.float32)
        self.columns = [
            (column.data.dtype, column.cell)
            for column in (table.column(name) for name in replica.changes)
        ]
        self.exact = [name for name in _EXACT if table.has(name)]
        """The names of columns that are sent without rounding, because a client that predicts a row
        needs its exact values.
        """
        self.row_bytes = 4 + sum(4 * table.column(name).width for name in self.exact)
        self._scale = np.float32(1 / replica.position)
        self._turn = np.float32((1 << replica.angle) / math.tau)
        # The number of steps in one unit of a rotation component.
        self._unit = np.float32(1 << replica.angle - 1)

    def described(self) -> list[Any]:
        """Return a description of this format that consists of JSON values. Client and server
        compare their descriptions to check that they use the same format.
        """
        columns = [[dtype.str[1:], list(cell)] for dtype, cell in self.columns]
        replica = self.replica
        return [
            type(replica.batch).__name__,
            replica.position,
            self.shifts,
            list(replica.changes),
            columns,
            self.exact,
        ]

    @property
    def jump(self) -> tuple[int, float] | None:
        """A pair of the number of axes and a distance, in steps of the rounded positions. If a row
        moves farther than this distance between two states, the client does not interpolate its
        position. None if the replica has no ``jump``.
        """
        distance = self.replica.jump
        return None if distance is None else (self.axes, distance / self.replica.position)

    def numbers(self) -> Ints:
        """Return the positions and the angles or rotations of all rows as integers. The int32 array
        has the shape (rows, channels).
        """
        table = self.replica.table
        count = table.count
        result = np.empty((count, len(self.shifts)), np.int32)
        axes = self.axes
        with np.errstate(invalid="ignore"):  # a position with NaN would cause a warning here
            position = table.column("position").current(count) * self._scale
            result[:, :axes] = np.rint(position, out=position)
            if self.has_angle:
                angle = table.column("angle").current(count) * self._turn
                result[:, axes] = np.rint(angle, out=angle)
                result[:, axes] <<= self.shifts[axes]
            if self.has_rotation:
                rotation = self._continuous_rotations()
                result[:, axes:] = np.rint(np.clip(rotation, -1, 1) * self._unit)
        return result

    def _continuous_rotations(self) -> Floats:
        """Return the rotations of all rows, each with the sign that is nearer to the quaternion
        from the last call. A quaternion and its negative describe the same rotation. However, the
        client interpolates between the numbers of a quaternion, so its sign must not change between
        two states.
        """
        table = self.replica.table
        count = table.count
        ids = table.ids.values(count)
        rotation: Floats = table.column("rotation").current(count).copy()
        if len(self._sent_ids) and count:
            indices = indices_of(ids, self._sent_ids)
            before = self._sent_rotations[indices]
            opposite = (indices >= 0) & (np.einsum("ij,ij->i", rotation, before) < 0)
            rotation[opposite] *= -1
        self._sent_ids = ids.copy()
        self._sent_rotations = rotation
        return rotation

    def values(self, numbers: NDArray[Any]) -> tuple[Floats, Floats | None]:
        """Convert integers back to positions and to angles or rotations. Remove the unused low bits
        of angles before you call this method.
        """
        axes = self.axes
        position = (numbers[:, :axes] * self.replica.position).astype(np.float32)
        if self.has_angle:
            return position, (numbers[:, axes] / float(self._turn)).astype(np.float32)
        if self.has_rotation:
            return position, normalized_rotations(numbers[:, axes:].astype(np.float32))
        return position, None

    @property
    def orientation(self) -> str | None:
        """The name of the column that turns each row, "angle" or "rotation", or None if the batch
        has neither.
        """
        if self.has_angle:
            return "angle"
        return "rotation" if self.has_rotation else None

    def changing(self) -> list[NDArray[Any]]:
        """Return the columns that the server sends only when their values change."""
        table = self.replica.table
        return [table.column(name).current(table.count) for name in self.replica.changes]

    def exact_rows(self, rows: NDArray[np.intp]) -> bytes:
        """Return the IDs and the exact values of ``rows`` as bytes."""
        table = self.replica.table
        ids = table.ids.values(table.count)[rows]
        columns = [table.column(name).current(table.count)[rows] for name in self.exact]
        return b"".join(
            [ids.astype("<u4").tobytes(), *[c.astype("<f4").tobytes() for c in columns]]
        )

    def own_values(self, rows: NDArray[np.intp]) -> tuple[Ids, list[Floats]]:
        """Return copies of the IDs and the exact values of ``rows``."""
        table = self.replica.table
        ids = table.ids.values(table.count)[rows]
        return ids, [table.column(name).current(table.count)[rows] for name in self.exact]

    def differ(self, mine: list[Floats], theirs: list[Floats]) -> bool:
        """Return whether the values differ so much that a player can see the difference."""
        step = self.replica.position * _TOLERANCE
        for name, own, correct in zip(self.exact, mine, theirs, strict=True):
            difference = np.abs(own - correct)
            if name == "angle":
                difference = np.abs(np.remainder(difference + math.pi, math.tau) - math.pi)
            elif name == "rotation":  # the negative quaternion is the same rotation
                difference = np.minimum(difference.max(axis=1), np.abs(own + correct).max(axis=1))
            is_turn = "angular" in name or name in ("angle", "rotation")
            limit = _ANGLE_TOLERANCE if is_turn else step
            if bool((difference > limit).any()):
                return True
        return False

    def read_exact_rows(self, data: bytes, count: int) -> tuple[Ids, list[Floats]]:
        """Read IDs and values from the bytes that `exact_rows` has returned. Raises `ValueError` if
        the bytes are invalid.
        """
        if len(data) != count * self.row_bytes:
            raise ValueError("another length")
        ids = np.frombuffer(data, "<u4", count).astype(np.uint32)
        position = 4 * count
        columns = []
        for name in self.exact:
            column = self.replica.table.column(name)
            numbers = np.frombuffer(data, "<f4", count * column.width, position)
            columns.append(numbers.astype(np.float32).reshape(count, *column.cell))
            position += numbers.nbytes
        if not all(bool(np.isfinite(column).all()) for column in columns):
            raise ValueError("a value that is not finite")
        return ids, columns


class ShownState(NamedTuple):
    """The state of a client's batch after a tick: the slot and the ID of each row."""

    slots: NDArray[np.intp]
    ids: Ids
    applied: int
    """The total number of messages about rows that this client has applied."""


class ShownRows:
    """The rows of a batch on a client, which are copies of the server's rows."""

    def __init__(self, form: ReplicaForm, receiver: RowReceiver) -> None:
        self.form = form
        self.receiver = receiver
        # The slot of each row, in the order of the rows.
        self._slots: NDArray[np.intp] = np.empty(0, np.intp)
        self._ids: Ids = np.empty(0, np.uint32)
        self._next_id = 0
        self._applied = 0
        # The most recently applied messages.
        self._log: deque[Members | Change] = deque(maxlen=_MAX_LOG)

    @property
    def state(self) -> ShownState:
        """The current state of the rows. Pass it to `restore` to return to this state."""
        return ShownState(self._slots, self._ids, self._applied)

    def restore(self, state: ShownState) -> None:
        """Return to an earlier state of the rows. `prepare` then applies the later messages again."""
        again = self._applied - state.applied
        if again:
            back = [self._log.pop() for _ in range(min(again, len(self._log)))]
            self.receiver.pending[:0] = reversed(back)
        self._slots, self._ids, self._applied = state

    def begin(self) -> None:
        """Prepare for the rows that the game has added in `setup`. The client shows these rows
        until the server's rows arrive.
        """
        replica = self.form.replica
        self._ids = replica.table.ids.values(replica.table.count).copy()
        self._slots = np.full(len(self._ids), -1, np.intp)

    def prepare(self, time: float) -> None:
        """Add and remove rows, so that the batch contains the same rows as the server's batch at
        ``time``. Also set the columns that the server sends only when their values change. ``time``
        is a tick number, as a float.
        """
        self._drop_added()
        due = self.receiver.take_due(time)
        if due:
            self._apply(due)

    def show(self, time: float, own: NDArray[np.bool_] | None) -> None:
        """Set the positions and the angles or rotations to their values on the server at ``time``.
        ``own`` is True for each row that this client predicts. These rows stay unchanged.
        """
        table = self.form.replica.table
        slots = self._slots
        if not len(slots):
            return
        rows = np.arange(len(slots))
        if own is not None and len(own) == len(slots) and own.any():
            rows = np.flatnonzero(~own)
        position, turned = self.form.values(self.receiver.at(time)[slots[rows]])
        self._teleport_jumped(rows, position)
        self._put(table.column("position"), rows, position)
        if turned is not None and self.form.orientation is not None:
            self._put(table.column(self.form.orientation), rows, turned)

    def _teleport_jumped(self, rows: NDArray[np.intp], position: Floats) -> None:
        """Draw rows that move farther than ``jump`` at their new ``position`` at once."""
        replica = self.form.replica
        if replica.jump is None:
            return
        before = replica.table.column("position").current(replica.table.count)[rows]
        jumped = np.abs(position - before).max(axis=1) > replica.jump
        if jumped.any():
            replica.batch.teleport(rows[jumped])

    def _put(self, column: TableColumn, rows: NDArray[np.intp], values: NDArray[Any]) -> None:
        target = column.values(self.form.replica.table.count)
        if len(rows) == len(target):
            target[:] = values
        else:
            target[rows] = values

    def _drop_added(self) -> None:
        """Remove rows that the game's own code has added on this client. Also delete the slots and
        IDs of rows that this code has removed.
        """
        replica = self.form.replica
        table = replica.table
        ids = table.ids.values(table.count)
        if len(ids) == len(self._ids) and np.array_equal(ids, self._ids):
            return
        unknown = ~np.isin(ids, self._ids)
        if unknown.any():
            replica.batch.remove(np.flatnonzero(unknown))
        ids = replica.table.ids.values(replica.table.count)
        self._slots = self._slots[indices_of(ids, self._ids)]
        self._ids = ids.copy()

    def _apply(self, due: list[Members | Change]) -> None:
        for message in due:
            self._applied += 1
            self._log.append(message)
            if isinstance(message, Members):
                self._apply_members(message)
            else:
                self._apply_change(message)

    def _apply_members(self, members: Members) -> None:
        # Some rows were created in `setup`. The first message contains all rows of the server.
        if (self._slots < 0).any():
            removed = ~np.isin(self._ids, members.ids)
        else:
            removed = np.isin(self._slots, members.removed)
        if removed.any():
            self.form.replica.batch.remove(np.flatnonzero(removed))
            self._ids = self._ids[~removed]
            self._slots = self._slots[~removed]
        rows = indices_of(members.ids, self._ids)
        same = rows >= 0
        if same.any():
            self._slots = self._slots.copy()
            self._slots[rows[same]] = members.added[same]
        self._append_rows(members.ids[~same], members.added[~same])

    def _append_rows(self, ids: Ids, slots: NDArray[np.intp]) -> None:
        """Add new rows to the batch, with the IDs that they have on the server."""
        if len(ids):
            self.form.replica.batch.extend(len(ids))
            self._ids = np.concatenate([self._ids, ids])
            self._slots = np.concatenate([self._slots, slots])
        table = self.form.replica.table
        self._next_id = max(self._next_id, int(self._ids.max(initial=0)) + 1)
        if len(ids):
            table.ids.load(self._ids.astype(np.intp), self._next_id, table.count)

    def _apply_change(self, change: Change) -> None:
        table = self.form.replica.table
        rows = indices_of(change.slots, self._slots)
        present = rows >= 0
        column = table.column(self.form.replica.changes[change.column])
        column.values(table.count)[rows[present]] = change.values[present]


def normalized_rotations(rotations: Floats) -> Floats:
    """Normalize quaternions to length 1, and return them. A quaternion of four zeros becomes a
    quaternion that does not rotate.
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", rotations, rotations))
    nothing = ~(lengths > 0)
    lengths[nothing] = 1
    result: Floats = (rotations / lengths[:, None]).astype(np.float32)
    result[nothing] = (0, 0, 0, 1)
    return result
