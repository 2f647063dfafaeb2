"""The contacts between the bodies of two layers: their points, normals and impulses."""

from __future__ import annotations

__all__ = ["BodyContact", "BodyContacts", "NewContact"]

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Rows
from .physics_layers import MAX_LAYERS

_SHIFT = 32
_LOW_BITS = (1 << _SHIFT) - 1

Codes = NDArray[np.int64]
"""The array type for pairs of bodies. Each pair is one number, which the function `pair_codes`
computes from the keys of the two bodies.
"""


class BodyContact(NamedTuple):
    """A pair of touching bodies: one item of `BodyContacts`."""

    first: Any
    """The body in the first layer: the handle of its row (such as a sprite), a `BodyRow` if the
    batch has no handles, or a `Wall`. The value is None if the body has been removed.
    """
    second: Any
    """The body in the second layer, with the same types as `first`."""
    point: tuple[float, ...]
    """The center of the area where the bodies touch, in world coordinates. The value is NaN if one
    body is a sensor.
    """
    normal: tuple[float, ...]
    """The direction from the first body to the second body: a vector of length 1. The value is NaN
    if one body is a sensor.
    """
    depth: float
    """How deep the two bodies overlap, in units. The value is negative if there is a gap between
    them, and NaN if one body is a sensor.
    """
    impulse: float
    """The impulse that pushed the two bodies apart in this tick, in mass times units / s."""
    entered: bool
    """Whether the two bodies began to touch in this tick."""


class NewContact(NamedTuple):
    """Two bodies that are beginning to touch. `Physics2D.filter_contacts` passes this object to
    your function.
    """

    first: Any
    """The body in the first layer: the handle of its row (such as a sprite), a `BodyRow` if the
    batch has no handles, or a `Wall`.
    """
    second: Any
    """The body in the second layer, with the same types as `first`."""
    point: tuple[float, ...]
    """The center of the area where the bodies touch, in world coordinates."""
    normal: tuple[float, ...]
    """The direction from the first body to the second body: a vector of length 1."""
    depth: float
    """How deep the two bodies overlap, in units. The value is negative if there is a gap between
    them.
    """
    relative_velocity: tuple[float, ...]
    """The velocity of the second body minus the velocity of the first body, at `point`, in units /
    s. These are the velocities before the collision.
    """


Decide = Callable[[int, int, Doubles, Doubles, float, Doubles], bool]
"""A function that returns whether two bodies collide. The arguments are the indices of the two
bodies, and the point, normal, depth and relative velocity of the contact.
"""


class Reading(NamedTuple):
    """The contacts that a physics engine has computed in one step, with one row for each contact
    between two shapes.
    """

    pairs: Rows
    """The index of each contact's pair in the argument ``pairs`` of `read_contacts`."""
    points: Doubles
    """The points of the contacts in world coordinates. The shape is (k, 2) or (k, 3)."""
    normals: Doubles
    """The directions from the first bodies to the second bodies. The shape is (k, 2) or (k, 3)."""
    depths: Doubles
    """How deep the bodies overlap, in units. The shape is (k,)."""
    impulses: Doubles
    """The impulses along the normals. The shape is (k,)."""

    def at(self, indices: Rows) -> Reading:
        """Return a `Reading` with only the contacts at ``indices``."""
        return Reading(
            self.pairs[indices],
            self.points[indices],
            self.normals[indices],
            self.depths[indices],
            self.impulses[indices],
        )


class ContactColumns(NamedTuple):
    """The contacts between two layers in one tick, with one row for each pair of bodies."""

    codes: Codes
    """The codes of the pairs, in ascending order."""
    points: Doubles
    normals: Doubles
    """The directions from the body with the lower key to the body with the higher key."""
    depths: Doubles
    impulses: Doubles
    """The sums of the impulses of all steps of the tick."""
    last_impulses: Doubles
    """The impulse of each pair in the last step. For sleeping bodies, the last step is the step
    before they fell asleep.
    """
    unread_steps: Rows
    """For each pair, how many physics steps of this tick came after the pair last touched."""


class ContactSource(Protocol):
    """The methods of a simulation that `BodyContacts` calls."""

    def owner_of_key(self, key: int) -> Any:
        """Return the object with the key ``key``: a handle, a `BodyRow` or a `Wall`. If the body or
        wall was removed, return None.
        """

    def relative_velocities(self, keys: Codes, points: Doubles) -> Doubles:
        """Return the current velocities of the second bodies at ``points``, relative to the first
        bodies.
        """


class BodyContacts:
    """The contacts between the bodies of two layers in a tick. Each pair of touching bodies has one
    row in the arrays.

    ``physics.contacts(layer, other)`` returns this object. Its arrays do not change in later ticks,
    so you can keep them.

        hits = self.physics.contacts("ball", "brick")
        hard = hits.impulses > 50
        self.sparks.position[:hard.sum()] = hits.points[hard]

    ``len(hits)`` is the number of pairs, called m in the shapes of the arrays. A loop over the
    object yields one `BodyContact` for each pair. The pairs are in the order in which their bodies
    were added.

    If one body of a pair is a sensor, the point, the normal and the depth are NaN. While both
    bodies of a pair are sleeping, the values of the pair do not change.
    """

    def __init__(
        self,
        source: ContactSource,
        keys: Codes,
        rows: Rows,
        columns: ContactColumns,
        entered: Mask,
        exited: Codes,
    ) -> None:
        """``keys`` and ``rows`` contain the key and the row of both bodies of each pair. Both
        arrays have the shape (m, 2). In both arrays, column 0 belongs to the body in the first
        layer.

        ``exited`` contains the keys of the pairs that no longer touch. The array ``exited`` has the
        shape (k, 2).
        """
        self._source = source
        self._keys = keys
        self._exited = exited
        self.rows: Rows = rows
        """The rows of the two bodies in their batches, or -1 for a wall or a removed body. The
        array has the shape (m, 2).
        """
        self.points: Doubles = columns.points
        """The center of each contact, in world coordinates. The array has the shape (m, 2), or
        (m, 3) in 3D.

        The center of a contact is the mean of the points at which the two bodies push each other.
        """
        self.normals: Doubles = columns.normals
        """The direction from the first body to the second body of each pair, as a vector of length
        1. The array has the shape (m, 2), or (m, 3) in 3D.
        """
        self.depths: Doubles = columns.depths
        """How deep the two bodies of each pair overlap, in units. The depth is negative if there is
        a gap between them. The array has the shape (m,).
        """
        self.impulses: Doubles = columns.impulses
        """The impulse that pushed the two bodies of each pair apart, in mass times units / s. The
        array has the shape (m,).

        Each impulse is the sum of the impulses in all physics steps of the tick. Friction is not
        included.
        """
        self.entered: Mask = entered
        """Whether each pair began to touch in this tick. The array has the dtype bool and the shape
        (m,).
        """

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<BodyContacts of {len(self)} pairs>"

    def __iter__(self) -> Iterator[BodyContact]:
        firsts = self.first
        seconds = self.second
        points: list[list[float]] = self.points.tolist()
        normals: list[list[float]] = self.normals.tolist()
        depths: list[float] = self.depths.tolist()
        impulses: list[float] = self.impulses.tolist()
        entered: list[bool] = self.entered.tolist()
        for index, (point, normal) in enumerate(zip(points, normals, strict=True)):
            yield BodyContact(
                firsts[index],
                seconds[index],
                tuple(point),
                tuple(normal),
                depths[index],
                impulses[index],
                entered[index],
            )

    @property
    def staying(self) -> Mask:
        """Whether each pair was already touching in the last tick: the opposite of `entered`. The
        array has the dtype bool and the shape (m,).
        """
        return ~self.entered

    @property
    def first(self) -> list[Any]:
        """The bodies of the first layer, one for each pair. Each item of the list is a handle, such
        as a sprite, a `BodyRow` or a `Wall`.

        If a body has been removed, its item is None.
        """
        return self._owners(self._keys[:, 0])

    @property
    def second(self) -> list[Any]:
        """The bodies in the second layer, one for each pair, with the same types as in `first`."""
        return self._owners(self._keys[:, 1])

    @property
    def exited(self) -> list[tuple[Any, Any]]:
        """The pairs of bodies that touched in the last tick, but no longer touch in this tick.

        The arrays of this object, such as `points`, do not contain the exited pairs. If a body has
        been removed, the pair contains None instead.
        """
        columns = self._owners(self._exited[:, 0]), self._owners(self._exited[:, 1])
        return list(zip(*columns, strict=True))

    @property
    def relative_velocities(self) -> Doubles:
        """The velocity of the second body relative to the first body, for each pair.

        The velocities are measured at `points`, in units / s. The array has the shape (m, 2), or
        (m, 3) in 3D. The velocities are from the end of the tick, after all physics steps. If a
        body of a pair has been removed or is a sensor, the velocity is NaN.
        """
        return self._source.relative_velocities(self._keys, self.points)

    def _owners(self, keys: Codes) -> list[Any]:
        owners: dict[int, Any] = {}
        numbers: list[int] = keys.tolist()
        for key in numbers:
            if key not in owners:
                owners[key] = self._source.owner_of_key(key)
        return [owners[key] for key in numbers]


class TouchingPairs:
    """The pairs of bodies that are touching in this tick, and the pairs that were touching in the
    last tick.
    """

    def __init__(self) -> None:
        self.now: Codes = np.empty(0, np.int64)
        """The pairs that were in contact at the end of one or more physics steps of this tick, in
        ascending order.
        """
        self.before: Codes = self.now
        """The value of `now` in the last tick."""

    def update(self, codes: Codes) -> None:
        """Begin a new tick. ``codes`` contains the codes of the pairs that are touching in this
        tick, in ascending order and without duplicates.
        """
        self.before = self.now
        self.now = self.now if np.array_equal(codes, self.now) else codes

    def changes(self, which: str, first: int, second: int) -> Codes:
        """Return the pairs of two layers that began to touch, are still touching, or separated in
        this tick. ``which`` is "entered", "staying" or "exited".
        """
        now = of_layers(self.now, first, second)
        before = of_layers(self.before, first, second)
        if which == "exited":
            return before[~within(before, now)]
        stays = within(now, before)
        return now[stays if which == "staying" else ~stays]


def pair_codes(keys: Codes) -> Codes:
    """Combine the two keys of each pair into one integer, which is the code of the pair. ``keys``
    is an array with the shape (m, 2). The upper bits of each code contain the lower of the two
    keys.
    """
    # These functions take half the time of `min` and `max` of each row.
    first = keys[:, 0]
    second = keys[:, 1]
    codes: Codes = (np.minimum(first, second) << _SHIFT) | np.maximum(first, second)
    return codes


def unique(codes: Codes) -> Codes:
    """Sort ``codes`` in ascending order, remove duplicates, and return the result.

    For thousands of codes, `unique` is several times faster than `np.unique`.
    """
    if len(codes) < 2:
        return codes
    ascending = np.sort(codes)
    is_first = np.empty(len(codes), bool)
    is_first[0] = True
    np.not_equal(ascending[1:], ascending[:-1], out=is_first[1:])
    return ascending[is_first]


def both(values: Mask) -> Mask:
    """Return a mask that is True for each row in which both values are True. ``values`` is an array
    with the shape (m, 2).
    """
    return values[:, 0] & values[:, 1]


def keys_of(codes: Codes) -> Codes:
    """Return the two keys of each pair, with the lower key first. The result has the shape (m, 2)."""
    return np.column_stack([codes >> _SHIFT, codes & _LOW_BITS])


def within(codes: Codes, others: Codes) -> Mask:
    """Return a mask that is True for each code that is also in ``others``. ``others`` must be in
    ascending order.
    """
    if not len(others):
        return np.zeros(len(codes), bool)
    indices = np.minimum(np.searchsorted(others, codes), len(others) - 1)
    contained: Mask = others[indices] == codes
    return contained


def requested_pairs(keys: Codes, pairs: Codes) -> tuple[Rows, Rows]:
    """Find the items of ``keys`` that are also in ``pairs``. The two keys of an item may be
    swapped. Return the indices of these items in ``keys``, and their indices in ``pairs``.

    ``keys`` has the shape (k, 2), and ``pairs`` has the shape (m, 2).
    """
    requested = pair_codes(pairs)
    order = np.argsort(requested)
    ascending = requested[order]
    codes = pair_codes(keys)
    chosen = np.flatnonzero(within(codes, ascending))
    return chosen, order[np.searchsorted(ascending, codes[chosen])]


def between_layers(codes: Codes, first: int, second: int) -> Mask:
    """Return a mask that is True for each pair with one body in the layer ``first`` and the other
    body in ``second``.
    """
    layers = (codes >> _SHIFT) % MAX_LAYERS
    # The low bits of a code contain the higher key, which contains its layer.
    other_layers = codes % MAX_LAYERS
    straight: Mask = (layers == first) & (other_layers == second)
    reverse: Mask = (layers == second) & (other_layers == first)
    return straight | reverse


def of_layers(codes: Codes, first: int, second: int) -> Codes:
    """Return only the pairs with one body in the layer ``first`` and the other body in ``second``."""
    return codes[between_layers(codes, first, second)]


def in_order(codes: Codes, first: int) -> tuple[Codes, Mask]:
    """Return the two keys of each pair, with the body of the layer ``first`` in column 0. The array
    has the shape (m, 2).

    The second result is a mask that is True for each pair whose keys were swapped.
    """
    keys = keys_of(codes)
    swapped: Mask = keys[:, 0] % MAX_LAYERS != first
    return np.where(swapped[:, None], keys[:, ::-1], keys), swapped


def is_unchanged(columns: ContactColumns, codes: Codes, steps: int) -> bool:
    """Return whether ``columns`` can be reused in the next tick without computing them again.
    `is_unchanged` is called only while all bodies are sleeping.

    ``codes`` are the pairs of the next tick. ``steps`` is the number of physics steps in the next
    tick.
    """
    return np.array_equal(codes, columns.codes) and np.array_equal(
        columns.impulses, columns.last_impulses * steps
    )


def merged(
    codes: Codes,
    readings: Sequence[tuple[Codes, Reading]],
    width: int,
    last: ContactColumns | None = None,
) -> ContactColumns:
    """Merge the contacts of all steps of a tick, and return one row of columns for each pair in
    ``codes``.

    Each item of ``readings`` contains the contacts of one physics step, and the pair code of each
    contact. The function adds the impulses of all steps. All other values come from the last step
    in which the pair touched. ``last`` are the columns of the previous tick. For pairs of sleeping
    bodies, the function uses the values of the previous tick, because the engine does not simulate
    sleeping bodies.
    """
    count = len(codes)
    columns = _empty_columns(codes, width)
    if last is not None and count:
        _copy_shared_pairs(last, columns)
        columns.impulses[:] = columns.last_impulses * len(readings)
        columns.unread_steps[:] = 0
    was_read = np.zeros(count, bool)
    for contact_codes, reading in readings:
        chosen = np.flatnonzero(within(contact_codes, codes))
        columns.unread_steps[was_read] += 1
        if len(chosen):
            rows = np.searchsorted(codes, contact_codes[chosen])
            _add_step(columns, was_read, rows, reading.at(chosen))
    return columns


def _empty_columns(codes: Codes, width: int) -> ContactColumns:
    """Return columns for the pairs ``codes`` in which all values are NaN or 0."""
    count = len(codes)
    return ContactColumns(
        codes,
        points=np.full((count, width), np.nan),
        normals=np.full((count, width), np.nan),
        depths=np.full(count, np.nan),
        impulses=np.zeros(count),
        last_impulses=np.zeros(count),
        unread_steps=np.zeros(count, np.intp),
    )


def _copy_shared_pairs(source: ContactColumns, target: ContactColumns) -> None:
    """Copy the values of all pairs that are in both ``source`` and ``target``."""
    shared = np.flatnonzero(within(target.codes, source.codes))
    rows = np.searchsorted(source.codes, target.codes[shared])
    for column, values in zip(target[1:], source[1:], strict=True):
        column[shared] = values[rows]


def _add_step(columns: ContactColumns, was_read: Mask, rows: Rows, reading: Reading) -> None:
    """Write the contacts of one step into the ``rows`` of ``columns``.

    ``was_read`` is True for rows with contacts from an earlier step of this tick.
    """
    count = len(was_read)
    present = np.zeros(count, bool)
    present[rows] = True
    totals = np.bincount(rows, reading.impulses, count)
    columns.last_impulses[present] = totals[present]
    columns.impulses[present & ~was_read] = 0.0
    columns.impulses[present] += totals[present]
    columns.unread_steps[present] = 0
    was_read |= present
    columns.depths[present] = -np.inf
    np.maximum.at(columns.depths, rows, reading.depths)
    # Ignore the corners of a box that have no impulse, unless no corner has one.
    weights = np.where(totals[rows] > 0, reading.impulses > 0, 1.0)
    columns.points[present] = weighted_means(rows, weights, reading.points, count)[present]
    columns.normals[present] = _mean_normals(rows, weights, reading.normals, count)[present]


def weighted_means(rows: Rows, weights: Doubles, vectors: Doubles, count: int) -> Doubles:
    """Return the weighted mean of all vectors with the same row index, for each row. ``vectors`` has
    the shape (m, k), and the result the shape (count, k). The mean of a row without vectors is 0.
    """
    sums = np.maximum(np.bincount(rows, weights, count), np.finfo(float).tiny)
    means = [
        np.bincount(rows, weights * vectors[:, axis], count) / sums
        for axis in range(vectors.shape[1])
    ]
    return np.column_stack(means)


def _mean_normals(rows: Rows, weights: Doubles, normals: Doubles, count: int) -> Doubles:
    """Return the weighted mean of all normals with the same row index, scaled to a length of 1. If
    the normals of a row have no mean, use its first normal. The result has the shape (count, 2) or
    (count, 3).
    """
    means = weighted_means(rows, weights, normals, count)
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    # Opposite normals, which occur when a body is between two shapes of another body, have no mean.
    first = np.zeros((count, normals.shape[1]))
    first[rows[::-1]] = normals[::-1]
    return np.where(lengths > _MIN_LENGTH, means / np.maximum(lengths, _MIN_LENGTH), first)


_MIN_LENGTH = 1e-6  # a mean of unit normals that is shorter than this has no direction

NO_CODES: Codes = np.empty(0, np.int64)
NO_READING = Reading(
    np.empty(0, np.intp), np.empty((0, 3)), np.empty((0, 3)), np.empty(0), np.empty(0)
)
