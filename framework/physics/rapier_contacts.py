"""Find the contacts of a Rapier world, and decide which bodies collide."""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats, Mask, Rows
from .contacts import (
    NO_READING,
    Decide,
    Reading,
    both,
    requested_pairs,
    unique,
    weighted_means,
    within,
)
from .engines import rapier3d

if TYPE_CHECKING:
    Collider = rapier3d.ColliderHandle

_SHIFT = 32
_LOW_BITS = (1 << _SHIFT) - 1


class Platforms(Protocol):
    """The interface to the one-way tiles of a world. `RapierContacts` calls these methods when
    Rapier filters or changes a contact.
    """

    def has_platform(self, *colliders: int) -> bool:
        """Return whether one of ``colliders``, a list of collider indices, is a platform."""

    def filter_contact_pair(
        self, context: rapier3d.PairFilterContext
    ) -> rapier3d.SolverFlags | None:
        """Called by Rapier when two colliders come near each other. Return flags for Rapier, or
        None if a body must pass through a platform.
        """

    def modify_solver_contacts(self, context: rapier3d.ContactModificationContext) -> None:
        """Change the contacts of a platform. If no contacts with a body remain, the body passes
        through the platform.
        """


class RapierContacts:
    """The contacts of a Rapier world.

    Listing all contacts is slow, because Rapier creates several Python objects for each contact.
    Therefore, the class finds touching colliders with Rapier's events, which report that two
    colliders begin or stop touching. The class reads the values of a contact only if the game
    requests contacts.
    """

    not_state = ("_cache", "_context")
    _not_hashed = (
        "_called",
        "_decide",
        "_dimensions",
        "_ended",
        "_error",
        "_handles",
        "_layers",
        "_owners",
        "_places",
        "_removed",
        "_steps",
        "_touching",
    )

    def __init__(self, dimensions: int) -> None:
        # Pairs of colliders that are touching, in ascending order.
        self._touching: NDArray[np.int64] = np.empty(0, np.int64)
        # Pairs that touched only in an earlier step of this tick.
        self._ended: list[int] = []
        # The number of steps since `take_touched` was last called.
        self._steps = 0
        # The handle of each collider, by the index of the collider.
        self._handles: dict[int, Collider] = {}
        # Indices of removed colliders that are still in `_touching`.
        self._removed: set[int] = set()
        # The row of each collider's body, by the index of the collider.
        self._places: Rows = np.empty(0, np.intp)
        self.decisions: dict[int, bool] = {}
        """For each pair of touching colliders, the result of the filter: whether they collide."""
        # Pairs for which Rapier has called the hook in this step.
        self._called: set[int] = set()
        # The layer of each collider, by the index of the collider.
        self._layers: dict[int, int] = {}
        # Pairs of layers with a filter, in both orders.
        self._filtered: set[tuple[int, int]] = set()
        self._decide: Decide | None = None
        self._error: BaseException | None = None
        self._dimensions = dimensions
        self._context: contextvars.Context | None = None
        self._cache: tuple[NDArray[np.int64], Rows, tuple[Rows, Mask]] | None = None
        self.platforms: Platforms | None = None
        """The one-way tiles, which filter the contacts of their colliders."""
        self.hooked_layers: set[int] = set()
        """The layers that have a filter. Rapier calls `modify_solver_contacts` for colliders in
        these layers.
        """

    # -- colliders ---------------------------------------------------------------------------------

    def add(self, world: rapier3d.PhysicsWorld, colliders: list[Collider]) -> None:
        """Store new colliders."""
        for collider in colliders:
            index = collider.index
            if index in self._removed:
                self._forget_removed()  # a new collider may get the index of a removed collider
            self._handles[index] = collider
        if self.hooked_layers and colliders:
            layer = _layer_of_bits(world.colliders[colliders[0]].collision_groups)
            if layer in self.hooked_layers:
                self.hook(world, colliders)

    def hook(self, world: rapier3d.PhysicsWorld, colliders: list[Collider]) -> None:
        """Make Rapier call `modify_solver_contacts` for the contacts of ``colliders``."""
        for handle in colliders:
            collider = world.colliders[handle]
            collider.active_hooks |= rapier3d.ActiveHooks.MODIFY_SOLVER_CONTACTS

    def remove(self, colliders: Iterable[Collider]) -> None:
        """Remove colliders, and their contacts, from the stored data."""
        for collider in colliders:
            del self._handles[collider.index]
            self._layers.pop(collider.index, None)
            self._removed.add(collider.index)

    def _forget_removed(self) -> None:
        if self._removed:
            removed = np.array(sorted(self._removed), np.int64)
            firsts = self._touching >> _SHIFT
            seconds = self._touching & _LOW_BITS
            self._touching = self._touching[~(within(firsts, removed) | within(seconds, removed))]
            self.decisions = {
                pair: collides
                for pair, collides in self.decisions.items()
                if self._removed.isdisjoint((pair >> _SHIFT, pair & _LOW_BITS))
            }
            self._removed = set()

    def map_order(self, owners: dict[int, int], places: Rows) -> None:
        """Store the row of each collider's body.

        ``owners`` is a dict from the index of each collider to the index of its body.
        ``places[index]`` is the row of the body with this index.
        """
        colliders = np.fromiter(owners, np.int64, len(owners))
        bodies = np.fromiter(owners.values(), np.int64, len(owners))
        mapped = bodies < len(places)
        self._places = np.full(int(colliders.max(initial=-1)) + 1, -1, np.intp)
        self._places[colliders[mapped]] = places[bodies[mapped]]

    # -- touching pairs ----------------------------------------------------------------------------

    def note_events(self, events: list[rapier3d.CollisionEvent]) -> None:
        """Record which colliders began or stopped touching in the last step."""
        self._forget_removed()
        self._steps += 1
        if not events:
            return
        # Remove colliders first, because a new collider may have the index of a removed collider.
        changes: dict[int, bool] = {}
        for event in sorted(events, key=_is_new):
            pair = (event.collider1.index << _SHIFT) | event.collider2.index
            changes[pair] = event.started
            if self._steps > 1 and not event.started:
                self._ended.append(pair)
        changed = np.array(sorted(changes), np.int64)
        begun = [pair for pair, started in changes.items() if started]
        unchanged = self._touching[~within(self._touching, changed)]
        self._touching = np.sort(np.concatenate([unchanged, np.array(begun, np.int64)]))

    def touching(self) -> Rows:
        """Return the pairs of bodies that are touching now. The result is an array of row indices
        with the shape (m, 2).
        """
        return self._touching_rows()[0]

    def _touching_rows(self) -> tuple[Rows, Mask]:
        """Return the cached result of `_mapped_rows` for all touching colliders."""
        self._forget_removed()
        cached = self._cache
        if cached is None or cached[0] is not self._touching or cached[1] is not self._places:
            rows = self._mapped_rows(self._touching)
            cached = self._cache = (self._touching, self._places, rows)
        return cached[2]

    def take_touched(self) -> Rows:
        """Return the pairs of bodies that were in contact at the end of any step since this method
        was last called. The result is an array of row indices with the shape (m, 2).
        """
        ended = np.array(self._ended, np.int64)
        self._ended = []
        self._steps = 0
        rows = self.touching()
        return np.concatenate([rows, self._mapped_rows(ended)[0]]) if len(ended) else rows

    def _mapped_rows(self, pairs: NDArray[np.int64]) -> tuple[Rows, Mask]:
        """Convert pairs of colliders to pairs of rows. Colliders that the game has added directly
        to Rapier have no row, so their pairs are left out.

        The second result is a mask of ``pairs``, which is True for each pair that the first result
        contains.
        """
        colliders = np.column_stack([pairs >> _SHIFT, pairs & _LOW_BITS])
        if not len(self._places):
            return np.empty((0, 2), np.intp), np.zeros(len(pairs), bool)
        rows = self._places.take(colliders, mode="clip")
        mapped = both((rows >= 0) & (colliders < len(self._places)))
        return rows[mapped], mapped

    # -- numbers of contacts -----------------------------------------------------------------------

    def read(self, world: rapier3d.PhysicsWorld, pairs: Rows) -> Reading:
        """Return the contacts of ``pairs`` in the last step. See `PhysicsEngine.read_contacts`."""
        self._forget_removed()
        if not len(pairs):
            return NO_READING
        rows, mapped = self._touching_rows()
        chosen, owners = requested_pairs(rows, pairs)
        is_reversed = rows[chosen, 0] != pairs[owners, 0]
        read, points = self._contact_points(world, self._touching[mapped][chosen])
        if not read:
            return NO_READING
        table = _contact_numbers(len(read), points, self._poses(world, points))
        width = self._dimensions
        signs = np.where(is_reversed[read], -1.0, 1.0)[:, None]
        return Reading(
            owners[read],
            table[:, 2 : 2 + width],
            signs * table[:, 5 : 5 + width],
            table[:, 0],
            table[:, 1],
        )

    def _contact_points(
        self, world: rapier3d.PhysicsWorld, pairs: NDArray[np.int64]
    ) -> tuple[list[int], Doubles]:
        """Return two arrays: the collider pairs that have a contact, and the points of all
        contacts. The first array contains the indices of these pairs. The second array has one row
        for each point, with the shape (n, 10). Pairs with a sensor have no contact.

        The ten numbers of a row are: the index of the contact, the index of its first collider, the
        distance, the impulse, the point relative to the first collider (3 numbers) and the normal
        (3 numbers).
        """
        contact_pair = world.narrow_phase.contact_pair
        handles = self._handles
        read: list[int] = []
        values: list[float] = []
        numbers: list[int] = pairs.tolist()
        for index, pair in enumerate(numbers):
            contact = contact_pair(handles[pair >> _SHIFT], handles[pair & _LOW_BITS])
            if contact is None:
                continue
            owner = len(read)
            read.append(index)
            for manifold in contact.manifolds:
                points = manifold.points
                if points:
                    normal = manifold.data.normal.to_tuple()
                    first = contact.collider1.index
                    for point in points:
                        values += owner, first, point.dist, point.impulse
                        values += point.local_p1.to_tuple()
                        values += normal
        return read, np.array(values, np.float64).reshape(-1, _POINT_SIZE)

    def _poses(
        self, world: rapier3d.PhysicsWorld, points: Doubles
    ) -> dict[int, rapier3d.Isometry3]:
        """Return a dict with the pose of the first collider of each contact in ``points``. The keys
        of the dict are the indices of the colliders.
        """
        colliders = world.colliders
        handles = self._handles
        indices = unique(points[:, 1].astype(np.int64)).tolist()
        return {index: colliders[handles[index]].position for index in indices}

    # -- filters -----------------------------------------------------------------------------------

    def filter(self, layers: list[tuple[int, int]], decide: Decide) -> None:
        """Call ``decide`` for each new contact between bodies in two layers that have a filter. See
        `PhysicsEngine`.
        """
        self._filtered = {*layers, *[(second, first) for first, second in layers]}
        self.hooked_layers = {first for first, _ in layers}
        self._decide = decide

    def may_pass(
        self, first: rapier3d.InteractionGroups, second: rapier3d.InteractionGroups
    ) -> bool:
        """Return whether a filter may let bodies of two layers pass through each other."""
        return (_layer_of_bits(first), _layer_of_bits(second)) in self._filtered

    def filter_contact_pair(
        self, context: rapier3d.PairFilterContext
    ) -> rapier3d.SolverFlags | None:
        """Called by Rapier when two colliders come near each other. Return flags for Rapier, or
        None if a body must pass through a platform.
        """
        if self.platforms is None:
            return rapier3d.SolverFlags.COMPUTE_IMPULSES
        return self.platforms.filter_contact_pair(context)

    def begin_step(self) -> None:
        """Prepare the filters for the next physics step. During a physics step, Rapier calls the
        filters from another thread.
        """
        if self._filtered:
            self._context = contextvars.copy_context()

    def modify_solver_contacts(self, context: rapier3d.ContactModificationContext) -> None:
        """Remove the contacts of two colliders that are passing through each other.

        In each step, Rapier calls this method for each contact of a collider in `hooked_layers`.
        """
        first = context.collider1
        second = context.collider2
        if self.platforms is not None and self.platforms.has_platform(first.index, second.index):
            self.platforms.modify_solver_contacts(context)
            return
        layers = self._layer_of(first, context), self._layer_of(second, context)
        if layers in self._filtered and context.num_solver_contacts():
            pair = (first.index << _SHIFT) | second.index
            self._called.add(pair)
            if pair not in self.decisions:
                self.decisions[pair] = self._ask(self._question(context))
            if not self.decisions[pair]:
                context.clear_solver_contacts()
        # The context must be deleted in this thread, although the traceback of an error may keep
        # this frame alive.
        del context

    def _layer_of(
        self, collider: Collider, context: rapier3d.ContactModificationContext
    ) -> int | None:
        index = collider.index
        layer = self._layers.get(index)
        if layer is None and index in self._handles:
            groups = context.colliders[collider].collision_groups
            layer = self._layers[index] = _layer_of_bits(groups)
        return layer

    def _question(
        self, context: rapier3d.ContactModificationContext
    ) -> tuple[int, int, Doubles, Doubles, float, Doubles]:
        """Return the arguments for the game's filter function, which is called when two colliders
        begin to touch.
        """
        first = context.rigid_body1
        second = context.rigid_body2
        assert first is not None
        assert second is not None
        bodies = context.bodies[first], context.bodies[second]
        contacts = context.solver_contacts
        # In this call, the points are in world coordinates. After the step, they are not.
        points = [
            point.to_tuple() for contact in contacts for point in (contact.point, contact.point2)
        ]
        middle = np.mean(points, axis=0)
        velocities = [
            np.array(body.velocity_at_point(tuple(middle.tolist())).to_tuple()) for body in bodies
        ]
        width = self._dimensions
        return (
            int(self._places[context.collider1.index]),
            int(self._places[context.collider2.index]),
            middle[:width],
            np.array(context.normal.to_tuple())[:width],
            -min(contact.dist for contact in contacts),
            (velocities[1] - velocities[0])[:width],
        )

    def _ask(self, question: tuple[int, int, Doubles, Doubles, float, Doubles]) -> bool:
        """Call the game's filter function, and return its result. If this function raises an error,
        store the error and return True.
        """
        assert self._decide is not None
        assert self._context is not None
        try:
            # Run the function in the context of the game's thread, so that it can find the current
            # game.
            return self._context.run(self._decide, *question)
        except BaseException as error:
            # The exception is raised later, because Rapier must finish the step.
            self._error = self._error or error
            return True

    def end_step(self, world: rapier3d.PhysicsWorld) -> None:
        """Remove the decisions for colliders that separated in this step."""
        self._context = None
        self._forget_removed()
        if self.decisions:
            called = self._called
            self.decisions = {
                pair: collides
                for pair, collides in self.decisions.items()
                if pair in called or self._sleep(world, pair)
            }
            self._called = set()

    def _sleep(self, world: rapier3d.PhysicsWorld, pair: int) -> bool:
        """Return whether Rapier skipped a contact in this step because both bodies are sleeping."""
        for index in (pair >> _SHIFT, pair & _LOW_BITS):
            parent = world.colliders[self._handles[index]].parent
            assert parent is not None
            body = world.rigid_bodies[parent]
            if body.is_dynamic and not body.is_sleeping:
                return False
        return True

    def take_error(self) -> BaseException | None:
        """Return the error that the function of a filter raised, or None. Each error is returned
        only once.
        """
        error = self._error
        self._error = None
        return error


def _layer_of_bits(groups: rapier3d.InteractionGroups) -> int:
    """Return the index of a collider's layer, which is stored in its collision groups."""
    bits: int = groups.memberships.bits
    return bits.bit_length() - 1


def _is_new(event: rapier3d.CollisionEvent) -> bool:
    return not event.removed


_POINT_SIZE = 10


def _contact_numbers(count: int, points: Doubles, poses: dict[int, rapier3d.Isometry3]) -> Doubles:
    """Return the depth, the impulse, the point and the normal of each contact. The result is an
    array with the shape (``count``, 8). ``points`` and ``poses`` are results of `_contact_points`
    and `_poses`.

    The point is the mean of the points where the colliders push each other. If the colliders do not
    push each other, the point is the mean of the points where they overlap. If the colliders do not
    overlap, the point is halfway between their nearest points. If a contact has no points, its
    values are NaN.
    """
    owners = points[:, 0].astype(np.intp)
    colliders = points[:, 1].astype(np.int64)
    distances = points[:, 2]
    pushes = points[:, 3]
    normals = points[:, 7:]
    nearest = np.full(count, np.inf)
    np.minimum.at(nearest, owners, distances)
    impulses = np.bincount(owners, pushes, count)
    limits = np.maximum(nearest, 0.0)[owners]
    chosen = np.flatnonzero(np.where(impulses[owners] > 0, pushes > 0, distances <= limits))
    owners = owners[chosen]
    normals = normals[chosen]
    world_points = _transformed(colliders[chosen], points[chosen, 4:7], poses)
    # The distance from the first collider to the point halfway between the colliders.
    half = distances[chosen] / 2
    vectors = np.hstack([world_points + half[:, None] * normals, normals])
    means = weighted_means(owners, np.ones(len(owners)), vectors, count)
    result = np.column_stack([-nearest, impulses, means])
    has_points = np.bincount(owners, minlength=count) > 0
    result[~has_points] = np.nan
    return result


def _transformed(
    colliders: NDArray[np.int64], points: Doubles, poses: dict[int, rapier3d.Isometry3]
) -> Doubles:
    """Convert points from the coordinates of their colliders to world coordinates. ``poses`` is a
    dict with the pose of each collider.
    """
    if not _is_transform_exact():
        transformed = [
            poses[collider].transform_point(tuple(point)).to_tuple()
            for collider, point in zip(colliders.tolist(), points.tolist(), strict=True)
        ]
        return np.array(transformed).reshape(-1, 3)
    rows = np.searchsorted(np.fromiter(poses, np.int64, len(poses)), colliders)  # ascending
    table = _pose_table(poses.values())
    return transform_points(table[rows], points.astype(np.float32)).astype(np.float64)


def _pose_table(poses: Iterable[rapier3d.Isometry3]) -> Floats:
    """Return the rotation and the translation of each pose. The result has the shape (n, 7)."""
    rows = [pose.rotation.to_tuple() + pose.translation.to_tuple() for pose in poses]
    return np.array(rows, np.float32).reshape(-1, 7)


def transform_points(poses: Floats, points: Floats) -> Floats:
    """Return points in world coordinates, exactly as `Isometry3.transform_point` computes them.
    Each row of ``poses`` contains a rotation and a translation. The array ``poses`` has the shape
    (n, 7).
    """
    x, y, z, w = poses[:, :4].T
    # Twice the cross product of the rotation's axis and the point.
    px, py, pz = points.T
    turn_x = (y * pz - z * py) * _TWO
    turn_y = (z * px - x * pz) * _TWO
    turn_z = (x * py - y * px) * _TWO
    result = np.empty((len(points), 3), np.float32)
    result[:, 0] = turn_x * w + (y * turn_z - z * turn_y) + px + poses[:, 4]
    result[:, 1] = turn_y * w + (z * turn_x - x * turn_z) + py + poses[:, 5]
    result[:, 2] = turn_z * w + (x * turn_y - y * turn_x) + pz + poses[:, 6]
    return result


_TWO = np.float32(2)


@functools.cache
def _is_transform_exact() -> bool:
    """Return whether the installed version of Rapier computes exactly the same numbers as
    `transform_points`. Another version of Rapier may perform the operations in another order, with
    other rounding errors.
    """
    numbers = np.random.default_rng(1).normal(size=(64, 10))
    poses = [
        rapier3d.Isometry3(tuple(row[:3]), rapier3d.Rotation3.from_tuple(tuple(row[3:7])))
        for row in (numbers / np.linalg.norm(numbers[:, 3:7], axis=1, keepdims=True)).tolist()
    ]
    points = numbers[:, 7:].astype(np.float32)
    expected = [
        pose.transform_point(tuple(point)).to_tuple()
        for pose, point in zip(poses, points.tolist(), strict=True)
    ]
    result = transform_points(_pose_table(poses), points)
    return bool((result == np.array(expected, np.float32)).all())
