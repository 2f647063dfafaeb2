"""Read the contacts of a pymunk world, and decide which bodies collide."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Rows
from .contacts import NO_READING, Decide, Reading, both, requested_pairs
from .engines import pymunk

if TYPE_CHECKING:
    Pair = tuple[pymunk.Shape, pymunk.Shape]

# Layers with filters use collision types from this number upwards, because a game is unlikely to
# use such numbers.
_FIRST_TYPE = 0x0E1B00


class Arbiters(NamedTuple):
    """The contacts that pymunk has computed in a step, as arrays with one row for each contact
    between two shapes.
    """

    ids: NDArray[np.uint64]
    """The ids of the two bodies, and the number of points. The shape is (k, 3)."""
    numbers: Doubles
    """The values of each contact. The shape is (k, 14). A row contains the impulse on the first
    body, the normal from the first body to the second body, and two points. Each point consists of
    a position on each of the two bodies, and a distance.
    """


def read_arbiters(space: pymunk.Space, buffer: pymunk.batch.Buffer) -> Arbiters:
    """Return copies of all contacts of the last step."""
    buffer.clear()
    pymunk.batch.get_space_arbiters(space, _fields(), buffer)
    ids = np.frombuffer(buffer.int_buf(), np.uint64).reshape(-1, 3).copy()
    numbers: Doubles = np.frombuffer(buffer.float_buf()).reshape(len(ids), 14).copy()
    return Arbiters(ids, numbers)


@functools.cache
def _fields() -> pymunk.batch.ArbiterFields:
    fields = pymunk.batch.ArbiterFields
    points = fields.POINT_A_1 | fields.POINT_B_1 | fields.POINT_A_2 | fields.POINT_B_2
    distances = fields.DISTANCE_1 | fields.DISTANCE_2
    ids = fields.BODY_A_ID | fields.BODY_B_ID | fields.CONTACT_COUNT
    return ids | fields.TOTAL_IMPULSE | fields.NORMAL | points | distances


def reading_of(arbiters: Arbiters, rows: Rows, pairs: Rows) -> Reading:
    """Return only the contacts in ``arbiters`` that belong to the body pairs in ``pairs``.

    ``rows`` contains the rows of the two bodies of each contact, with the shape (k, 2). The row of
    an unknown body is -1.
    """
    counts = arbiters.ids[:, 2].astype(np.int64)
    present: Mask = both(rows >= 0) & (counts > 0)
    rows = rows[present]
    counts = counts[present]
    numbers = arbiters.numbers[present]
    chosen, owners = requested_pairs(rows, pairs)
    if not len(chosen):
        return NO_READING
    rows = rows[chosen]
    counts = counts[chosen]
    numbers = numbers[chosen]
    signs = np.where(rows[:, 0] == pairs[owners, 0], 1.0, -1.0)[:, None]
    normals = numbers[:, 2:4]
    impulses = -np.einsum("ij,ij->i", numbers[:, :2], normals)
    points, depths = _points_and_depths(numbers, counts > 1)
    return Reading(owners, points, signs * normals, depths, np.maximum(impulses, 0.0))


def _points_and_depths(numbers: Doubles, has_two: Mask) -> tuple[Doubles, Doubles]:
    """Return the center (k, 2) and the depth (k,) of each contact. ``numbers`` is the array of
    `Arbiters`. ``has_two`` is True for contacts with two points.
    """
    first = (numbers[:, 4:6] + numbers[:, 6:8]) / 2
    second = (numbers[:, 9:11] + numbers[:, 11:13]) / 2
    points = np.where(has_two[:, None], (first + second) / 2, first)
    depths = -np.where(has_two, np.minimum(numbers[:, 8], numbers[:, 13]), numbers[:, 8])
    return points, depths


def sleeping_arbiters(bodies: Iterable[pymunk.Body]) -> Arbiters:
    """Return the contacts of sleeping bodies. `read_arbiters` does not return these contacts."""
    ids: list[tuple[int, int, int]] = []
    numbers: list[list[float]] = []
    listed: set[frozenset[pymunk.Shape]] = set()  # needed because both bodies list the same contact

    def add(arbiter: pymunk.Arbiter) -> None:
        first, second = arbiter.bodies
        points = arbiter.contact_point_set.points
        shapes = frozenset(arbiter.shapes)
        if points and shapes not in listed:
            listed.add(shapes)
            ids.append((first.id, second.id, len(points)))
            rows = [[*point.point_a, *point.point_b, point.distance] for point in points]
            numbers.append([*arbiter.total_impulse, *arbiter.normal, *rows[0], *rows[-1]])

    for body in bodies:
        if body.is_sleeping:
            body.each_arbiter(add)
    return Arbiters(
        np.array(ids, np.uint64).reshape(-1, 3), np.array(numbers, np.float64).reshape(-1, 14)
    )


class PymunkFilters:
    """The contact filters of a pymunk space: functions that decide which shapes collide.

    When two shapes begin to touch, the function of a filter decides whether they collide. The
    decision is valid until the two shapes separate.
    """

    _not_hashed = ("_decide", "_decisions", "_error", "_rows_of", "_space")

    def __init__(self, space: pymunk.Space, rows_of: Callable[[list[int]], list[int]]) -> None:
        """``rows_of`` is a function that returns the row for each body id, or -1 for an unknown
        body.
        """
        self._space = space
        self._rows_of = rows_of
        self._decisions: dict[Pair, bool] = {}
        self._filtered: list[tuple[int, int]] = []
        self._decide: Decide | None = None
        self._error: BaseException | None = None
        self.passing: Rows = np.empty((0, 2), np.intp)
        """The pairs of rows that passed through each other in the last step. The array has the
        shape (m, 2).
        """

    def filter(self, layers: list[tuple[int, int]], decide: Decide) -> None:
        """Call ``decide`` for each new contact between bodies in two layers that have a filter. See
        `PhysicsEngine`.
        """
        self._filtered = layers
        self._decide = decide
        for first, second in layers:
            self._space.on_collision(
                _FIRST_TYPE + first,
                _FIRST_TYPE + second,
                begin=self._begin,
                pre_solve=self._solve,
                separate=self._separate,
            )
        for shape in self._space.shapes:
            self.set_type(shape)

    def set_type(self, shape: pymunk.Shape) -> None:
        """Give a shape the collision type of its layer, if the layer has a filter.

        A shape that already has another collision type, such as a one-way tile, keeps this type.
        """
        layer = shape.filter.categories.bit_length() - 1
        if not shape.collision_type and any(layer in pair for pair in self._filtered):
            shape.collision_type = _FIRST_TYPE + layer

    def forget(self, shapes: Iterable[object]) -> None:
        """Remove all decisions for shapes that have been removed. This is necessary because pymunk
        does not always report that the contact of a removed shape has ended.
        """
        if self._decisions:
            removed = {*shapes}
            self._decisions = {
                pair: collides
                for pair, collides in self._decisions.items()
                if removed.isdisjoint(pair)
            }

    def end_step(self) -> None:
        """Store which pairs of bodies are passing through each other in this step."""
        pairs = [pair for pair, collides in self._decisions.items() if not collides]
        if pairs or len(self.passing):
            ids = [_id_of(shape) for pair in pairs for shape in pair]
            self.passing = np.array(self._rows_of(ids), np.intp).reshape(-1, 2)

    def take_error(self) -> BaseException | None:
        """Return the error that the function of a filter raised, or None. Each error is returned
        only once.
        """
        error = self._error
        self._error = None
        return error

    def _begin(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: object) -> None:
        pair = arbiter.shapes
        if pair not in self._decisions and not any(shape.sensor for shape in pair):
            try:
                collides = self._ask(arbiter)
            except BaseException as error:  # pymunk would only print the error
                self._error = self._error or error
                collides = True
            self._decisions[pair] = collides

    def _ask(self, arbiter: pymunk.Arbiter) -> bool:
        bodies = arbiter.bodies
        rows = self._rows_of([body.id for body in bodies])
        first, second = (shape.filter.categories.bit_length() - 1 for shape in arbiter.shapes)
        filtered = (first, second) in self._filtered or (second, first) in self._filtered
        points = arbiter.contact_point_set.points
        if not filtered or min(rows) < 0 or not points:
            return True
        assert self._decide is not None
        middle = np.mean([[point.point_a, point.point_b] for point in points], axis=(0, 1))
        velocities = [
            np.array(body.velocity_at_world_point(tuple(middle.tolist()))) for body in bodies
        ]
        return self._decide(
            rows[0],
            rows[1],
            middle,
            np.array(arbiter.normal),
            -min(point.distance for point in points),
            velocities[1] - velocities[0],
        )

    def _solve(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: object) -> None:
        arbiter.process_collision = self._decisions.get(arbiter.shapes, True)

    def _separate(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: object) -> None:
        self._decisions.pop(arbiter.shapes, None)


def _id_of(shape: pymunk.Shape) -> int:
    assert shape.body is not None
    return shape.body.id
