"""Collision detection: find shapes that overlap, and move characters until walls stop them.

The functions take NumPy arrays with one row per shape, and compare many pairs of shapes in one
call. First, call `pairs` to find the upright boxes that overlap. Then pass the rows from `pairs` to
the function for your shapes, here `spheres`:

    a, b = collide.pairs(position - radius[:, None], position + radius[:, None]).T
    touching = collide.spheres(position[a], radius[a], position[b], radius[b])
    hit = touching.depth > 0

This module is not a physics engine: its shapes have no mass, and stacked boxes never come to rest.
Use `Physics2D` and `Physics3D` for rigid bodies. You can also run another physics library in a
system of the phase "physics": ``scene.systems.add("physics", step, rate=120)``. In this system, run
one step of the library, and copy the positions and rotations of its bodies to a batch. Like every
batch, this batch is interpolated between ticks.

For a parameter of shape (n, 3), you may pass a single row of shape (3,), which is used for all
pairs. In the same way, you may pass a single number for a parameter of shape (n,). An argument with
the wrong shape raises `ValueError`, and an argument of the wrong type raises `TypeError`, with the
name of the argument in the message.
"""

from __future__ import annotations

__all__ = [
    "Boxes",
    "Contacts",
    "ConvexShapes",
    "Flags",
    "Hits",
    "JumpTimer",
    "OverlapTracker",
    "TileGrid",
    "Tiles",
    "boxes",
    "contacts",
    "convex_pieces",
    "filter_pairs",
    "hull",
    "inside",
    "move",
    "on_tiles",
    "outline",
    "overlaps",
    "pairs",
    "pairs_between",
    "pieces",
    "raycast",
    "sphere_box",
    "spheres",
    "touching",
]

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Doubles, Mask, Rows
from ..moved_names import renamed_functions
from ..other_engines.other_names import words
from . import exact, quaternions
from .broadphase import pairs as pairs
from .broadphase import pairs_between as pairs_between
from .jump_timer import JumpTimer as JumpTimer
from .move_and_slide import Flags as Flags
from .move_and_slide import move as move
from .obstacles import on_tiles as on_tiles
from .outlines import convex_pieces as convex_pieces
from .outlines import hull as hull
from .outlines import outline as outline
from .outlines import pieces as pieces
from .overlap_tracker import OverlapTracker as OverlapTracker
from .overlap_tracker import filter_pairs as filter_pairs
from .overlaps import overlaps as overlaps
from .pairwise import Contacts as Contacts
from .pairwise import pairwise, unit
from .shapes import ConvexShapes as ConvexShapes
from .shapes import Hits as Hits
from .shapes import contacts as contacts
from .shapes import inside as inside
from .shapes import raycast as raycast
from .shapes import touching as touching
from .tilegrid import Boxes as Boxes
from .tilegrid import TileGrid as TileGrid
from .tilegrid import Tiles as Tiles

# -- shapes ----------------------------------------------------------------------------------------


def spheres(
    center: ArrayLike, radius: ArrayLike, other_center: ArrayLike, other_radius: ArrayLike
) -> Contacts:
    """Return the contacts between two sets of balls. Contact i is between ball i of the first set
    and ball i of the second set.

    The centers are arrays of shape (n, 3), and the radii are arrays of shape (n,) or one number for
    all balls, in units.
    """
    first, ours, second, theirs = pairwise(
        center=(center, 3),
        radius=(radius, 1),
        other_center=(other_center, 3),
        other_radius=(other_radius, 1),
    )
    normal, distance = unit(first - second, (0.0, 1.0, 0.0))
    return Contacts(ours + theirs - distance, normal, second + normal * theirs[:, None])


def sphere_box(
    center: ArrayLike,
    radius: ArrayLike,
    middle: ArrayLike,
    half: ArrayLike,
    rotation: ArrayLike | None = None,
) -> Contacts:
    """Return the contacts between balls and boxes. Contact i is between ball i and box i.

    Parameters
    ----------
    center, radius
        The centers of the balls in units, an array of shape (n, 3). The radii of the balls in
        units, an array of shape (n,).
    middle, half
        The centers of the boxes, and half the size of each box along each axis. The centers and the
        half sizes are arrays of shape (n, 3), in units.
    rotation
        The rotations of the boxes as quaternions x y z w: an array of shape (n, 4). By default, the
        boxes are upright.
    """
    ball, reach, box, half, turn = pairwise(
        center=(center, 3),
        radius=(radius, 1),
        middle=(middle, 3),
        half=(half, 3),
        rotation=_turns(rotation),
    )
    local = (
        quaternions.rotate(quaternions.conjugate(turn), ball - box)
        if rotation is not None
        else ball - box
    )
    room = half - np.abs(local)
    side_normal = _nearest_side(local, room)
    inside: Mask = np.asarray((room > 0).all(axis=1))
    nearest = np.clip(local, -half, half)
    on_nearest_side = inside[:, None] & (side_normal != 0)
    nearest[on_nearest_side] = (half * side_normal)[on_nearest_side]
    normal, distance = unit(local - nearest, (0.0, 1.0, 0.0))
    # If the center is inside the box, the normal points to the nearest side.
    normal = np.where((inside | (distance == 0))[:, None], side_normal, normal)
    depth = reach + np.where(inside, distance, -distance)
    if rotation is not None:
        normal = quaternions.rotate(turn, normal)
        nearest = quaternions.rotate(turn, nearest)
    return Contacts(depth, normal, box + nearest)


def _nearest_side(points: Doubles, room: Doubles) -> Doubles:
    """Return the normal of the side of each box that is nearest to a point. ``points`` are measured
    from the centers of the boxes. ``room`` contains their distances to the sides along each axis.
    """
    rows = np.arange(len(points))
    axis: Rows = np.argmin(room, axis=1)
    normal = np.zeros_like(points)
    normal[rows, axis] = np.where(points[rows, axis] < 0, -1.0, 1.0)
    return normal


def boxes(
    middle: ArrayLike,
    half: ArrayLike,
    rotation: ArrayLike | None,
    other_middle: ArrayLike,
    other_half: ArrayLike,
    other_rotation: ArrayLike | None,
) -> Contacts:
    """Return the contacts between two sets of boxes. Contact i is between box i of the first set
    and box i of the second set.

    Pass the centers, the half sizes and the rotations of both sets, as in `sphere_box`. If the
    rotation of a set is None, its boxes are upright.

    `boxes` uses the separating axis theorem: two boxes do not overlap if there is a gap between
    them along some axis. The tested axes are the normals of the faces, and the cross products of an
    edge of the first box and an edge of the second box. The normal of a contact is the axis along
    which the two boxes overlap least. The contact point is the corner of the second box that is
    farthest along the normal, or the middle of an edge or face if all of its corners are equally
    far.
    """
    first, size, turn, second, other_size, other_turn = pairwise(
        middle=(middle, 3),
        half=(half, 3),
        rotation=_turns(rotation),
        other_middle=(other_middle, 3),
        other_half=(other_half, 3),
        other_rotation=_turns(other_rotation),
    )
    ours = quaternions.matrices(turn)
    theirs = quaternions.matrices(other_turn)
    axes, parallel = _separating_axes(ours, theirs)
    apart = exact.dot(axes, (first - second)[:, None])
    reach = exact.dot(np.abs(exact.matmul(axes, ours.swapaxes(1, 2))), size[:, None])
    reach += exact.dot(np.abs(exact.matmul(axes, theirs.swapaxes(1, 2))), other_size[:, None])
    depth = np.where(parallel, np.inf, reach - np.abs(apart))
    depth[:, 6:] += 1e-9  # if the depths are equal, faces are chosen before edges
    best: Rows = np.argmin(depth, axis=1)
    rows = np.arange(len(first))
    normal = axes[rows, best] * np.where(apart[rows, best] < 0, -1.0, 1.0)[:, None]
    return Contacts(depth[rows, best], normal, second + _farthest_point(theirs, other_size, normal))


def _separating_axes(ours: Doubles, theirs: Doubles) -> tuple[Doubles, Mask]:
    """Return the axes along which two rotated boxes may be apart: the normals of the faces, then
    the cross products of two edges. The axes have the shape (n, 15, 3) and a length of 1.

    The cross product of two parallel edges is about 0. Also return a mask of shape (n, 15), which
    is True for such axes.
    """
    edges = np.cross(ours[:, :, None], theirs[:, None]).reshape(-1, 9, 3)
    axes = np.concatenate([ours, theirs, edges], axis=1)
    length = exact.norm(axes)[..., None]
    return axes / np.maximum(length, 1e-6), length[..., 0] < 1e-6


def _farthest_point(turns: Doubles, half: Doubles, direction: Doubles) -> Doubles:
    """Return the point of each box that is farthest along a direction, measured from the center of
    the box. If a whole edge or face is equally far, return its middle.
    """
    facing = exact.dot(direction[:, None], turns)
    corner = np.where(np.abs(facing) < 1e-6, 0.0, np.sign(facing)) * half
    point: Doubles = exact.matmul(corner[:, None], turns)[:, 0]
    return point


def corners(middle: ArrayLike, half: ArrayLike, rotation: ArrayLike | None = None) -> Doubles:
    """Return the eight corners of each box, in units. The returned array has the shape (n, 8, 3).

    To find rotated boxes that are close together, pass ``corners(…).min(axis=1)`` and
    ``corners(…).max(axis=1)`` to `pairs`. See `sphere_box` for the arguments.
    """
    center, size, turn = pairwise(middle=(middle, 3), half=(half, 3), rotation=_turns(rotation))
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
    local = signs * size[:, None]
    ends: Doubles = center[:, None] + exact.matmul(local, quaternions.matrices(turn))
    return ends


if not TYPE_CHECKING:
    __getattr__ = renamed_functions(
        "collide",
        {
            **words(
                "overlap check hits hit collision collides collide colliding check_for_collision sprites batch "
                "check_for_collision_with_list check_for_collision_with_lists spritecollide groupcollide",
                "write collide.overlaps(heroes, coins), two batches: it returns pairs of rows",
            ),
            **words(
                "point points_in point_in get_sprites_at_point collidepoint at at_point query_point "
                "contains pick under hit_test",
                "write batch.pick((x, y)) for the sprite in front, sprite.contains((x, y)), "
                "physics.query_point((x, y)), or collide.inside(points, shapes)",
            ),
            **words(
                "rects rectangles aabb", "write collide.boxes, or collide.overlaps for sprites"
            ),
            **words(
                "circles circle sphere", "write collide.spheres(center, radius, centers, radii)"
            ),
            **words("distance", "write math.dist(sprite.position, other.position)"),
            **words(
                "near within in_range in_radius nearest closest",
                "write distances = np.hypot(*(batch.position - (x, y)).T) and "
                "np.flatnonzero(distances < 90), which are the rows",
            ),
            **words("tiles", "write collide.on_tiles, or collide.move"),
            **words(
                "move_and_slide move_and_collide",
                "write collide.move(position, size, velocity * dt, level['ground'])",
            ),
        },
        Jumps="JumpTimer",
        Meetings="OverlapTracker",
        Shapes="ConvexShapes",
        cast="raycast",
        meeting="filter_pairs",
    )

_UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def _turns(rotation: ArrayLike | None) -> tuple[ArrayLike, int]:
    return _UPRIGHT if rotation is None else rotation, 4
