"""Compute the poses of a model's animations in advance, as arrays for the GPU (baked animations).

A baked pose contains the position, rotation and scale of each node, relative to the parent of the
node. At times between two baked poses, the shader blends them. `drawn_pose` and the shader
crowd_joints.frag compute the same poses from the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats, Mask, Rows
from ..geometry import quaternions
from ..geometry.mesh import Mesh
from ..state.transforms3d import matrices
from .animations import (
    PATHS,
    Animation,
    has_steps,
    mix,
    stepped_nodes,
    weight_counts,
    write_pose,
    write_weights,
)
from .materials import Material
from .model import Model
from .morphs import MorphTargets
from .parts import MAX_CORNERS, Part
from .skins import Skin

MAX_BYTES = 1 << 28
"""The maximum size in bytes of the baked poses of one model: 256 MiB."""
MAX_RATE = 1000.0
"""The maximum number of baked poses per second."""

_BYTES_A_NODE = 48  # the size of a node in a baked pose, in bytes
_NODES_AT_ONCE = 1 << 16  # with this number of nodes, intermediate arrays need about 25 MB

NodePoses = tuple[Floats, Floats, Floats]
"""The positions, rotations and scales of k nodes in p poses. The shapes are (p, k, 3), (p, k, 4)
and (p, k, 3).
"""


class BakedMesh(NamedTuple):
    """A mesh of a `BakedModel`. Up to four joints of the model move each vertex."""

    part: Part
    mesh: Mesh
    joints: NDArray[np.uint32]
    """The indices of four joints for each vertex. The array has the shape (v, 4)."""
    weights: Floats
    """The weights of the four joints in `joints`, for each vertex. The array has the shape (v, 4).
    """
    targets: MorphTargets | None
    first_weight: int
    """The column of the mesh's first morph weight in `BakedModel.weights`."""
    loaded: Floats
    """The vertex positions from which the mesh was baked. After a reload of the file,
    `Mesh.positions` is a different array.
    """

    @property
    def material(self) -> Material:
        return self.part.material


class BakedModel:
    """The poses of a model in each of its animations, with ``rate`` poses per second.

    The rest pose has the index 0. The animations follow, in the order of `Model.animations`. The
    arrays contain only the nodes that move vertices. Raises `ValueError` if the poses need more
    than `MAX_BYTES` bytes.
    """

    not_state = True

    def __init__(self, model: Model, rate: float) -> None:
        self.model = model
        self.rate = rate
        animations: list[Animation | None] = [None, *model.animations.values()]
        self.durations: Doubles = np.array(
            [0.0 if animation is None else animation.duration for animation in animations]
        )
        """The length of each animation in seconds. The array has the shape (a,)."""
        joints = _Joints(model)
        self.meshes: list[BakedMesh] = joints.meshes
        self._nodes, self.parents, self.joint_nodes = _used_nodes(model, joints.nodes)
        self.inverse: Floats = np.array(joints.inverse, np.float32).reshape(-1, 4, 4)
        """For each joint, the matrix that converts points of the mesh to the local space of the
        joint's node. The matrices are for row vectors: ``point @ matrix`` converts a point. The
        array has the shape (j, 4, 4).
        """
        times = [_pose_times(animation, rate) for animation in animations]
        counts = self.pose_counts = [len(time) for time, _ in times]
        """The number of poses of each animation."""
        self._check_size(sum(counts))
        firsts = np.cumsum([0, *counts])[:-1]
        strides = [1 if animation is None else 1 + has_steps(animation) for animation in animations]
        self.animations: Floats = _timing(firsts, strides, self.durations, rate)
        """For each animation: the index of the first pose, the number of poses per second, and the
        length in poses. The fourth value is the number of poses for each time: 2 if the animation
        has "STEP" keyframes, otherwise 1. The array has the shape (a, 4).
        """
        self.steps: NDArray[np.int32] = np.zeros((len(animations), len(self._nodes)), np.int32)
        """Which values "STEP" keyframes set, for each animation and node. The number is the sum of
        1 for the position, 2 for the rotation and 4 for the scale.
        """
        self.weight_steps: Mask = np.zeros((len(animations), len(model.morphs)), bool)
        """Whether "STEP" keyframes set the weight, for each animation and morph weight."""
        for number, animation in enumerate(animations):
            if animation is not None:
                self._note_steps(number, animation)
        poses = sum(counts)
        k = len(self._nodes)
        self.poses: NodePoses = (
            np.empty((poses, k, 3), np.float32),
            np.empty((poses, k, 4), np.float32),
            np.empty((poses, k, 3), np.float32),
        )
        """All baked poses."""
        self.weights: Floats = np.tile(model.morphs.rest, (poses, 1))
        """The morph weights of all poses. The array has the shape (p, w)."""
        for first, animation, pose_times in zip(firsts.tolist(), animations, times, strict=True):
            self._bake_all(first, animation, pose_times)
        self.radius, self.mirrored = self._bounds()
        """Two values. `radius` is the radius in units of a sphere around (0, 0, 0) that contains
        the vertices in all poses. `mirrored` is True if a joint mirrors its vertices.
        """

    def _note_steps(self, number: int, animation: Animation) -> None:
        first = self.model.morphs.first
        counts = weight_counts(animation)
        for path, nodes in stepped_nodes(animation):
            if path != "weights":
                self.steps[number, np.isin(self._nodes, nodes)] |= 1 << PATHS.index(path)
                continue
            stepped: list[int] = nodes.tolist()
            for node in stepped:
                self.weight_steps[number, first[node] : first[node] + counts[node]] = True

    def _check_size(self, poses: int) -> None:
        nodes = len(self.model.node_names)
        size = poses * (nodes * _BYTES_A_NODE + 4 * len(self.model.morphs))
        if size > MAX_BYTES:
            seconds = float(self.durations.sum())
            raise ValueError(
                f"rate: expected at most {MAX_BYTES >> 20} MiB of poses, got {size >> 20:,} MiB for "
                f"{nodes:,} nodes and {seconds:,.1f} seconds at {self.rate:g} poses a second; pass "
                "a lower rate, or use a ModelBatch"
            )

    def _bake_all(
        self, first: int, animation: Animation | None, times: tuple[Doubles, Doubles]
    ) -> None:
        """Compute all poses of an animation, a few at a time to save memory. The first pose gets
        the index ``first``. For ``times``, see `_pose_times`.
        """
        time, step_time = times
        for piece in _pieces(len(time), len(self.model.node_names)):
            rows = slice(first + piece.start, first + piece.stop)
            self._bake(rows, animation, time[piece], step_time[piece])

    def _bake(
        self, rows: slice, animation: Animation | None, time: Doubles, step_time: Doubles
    ) -> None:
        nodes = self.model.at_rest
        position, rotation, scale = (
            np.tile(values, (len(time), 1, 1)).astype(np.float32)
            for values in (nodes.position, nodes.rotation, nodes.scale)
        )
        if animation is not None:
            write_pose(animation, time, (position, rotation, scale), step_time=step_time)
            weights = self.weights[rows]
            first = self.model.morphs.first
            write_weights(animation, time, weights, first, step_time=step_time)
        chosen = self._nodes
        self.poses[0][rows] = position[:, chosen]
        turns = quaternions.normalized(rotation[:, chosen].reshape(-1, 4))
        self.poses[1][rows] = turns.reshape(len(time), len(chosen), 4)
        self.poses[2][rows] = scale[:, chosen]

    def joint_matrices(self, poses: NodePoses) -> Doubles:
        """Return the joint matrices of p poses with j joints, for row vectors. The array has the
        shape (p, j, 4, 4).
        """
        count, k, _ = poses[0].shape
        position, rotation, scale = (part.reshape(count * k, part.shape[-1]) for part in poses)
        local = matrices(position, rotation, scale, exact=True).reshape(count, k, 4, 4)
        world: Doubles = np.empty((count, k + 1, 4, 4))
        # Nodes without a parent have the parent -1, which is the last index.
        world[:, k] = np.eye(4)
        for level in _levels(self.parents):
            world[:, level] = local[:, level] @ world[:, self.parents[level]]
        joints: Doubles = self.inverse.astype(np.float64) @ world[:, self.joint_nodes]
        return joints

    def _bounds(self) -> tuple[float, bool]:
        """Return the `radius` of the model, and whether any joint mirrors the vertices. The radius
        may be a little larger than necessary.
        """
        largest = 0.0
        mirrored = False
        balls = [ball for baked in self.meshes for ball in _joint_balls(baked, self.weights)]
        count = len(self.poses[0])
        for piece in _pieces(count, len(self.joint_nodes) + len(self._nodes)):
            poses = self.poses[0][piece], self.poses[1][piece], self.poses[2][piece]
            joints = self.joint_matrices(poses)
            mirrored = mirrored or bool((np.linalg.det(joints[..., :3, :3]) < 0).any())
            for joint, middle, radius in balls:
                turn = joints[:, joint, :3, :3]
                centers = middle @ turn + joints[:, joint, 3, :3]
                stretch = np.sqrt((turn * turn).sum(axis=(1, 2)))
                reach = np.linalg.norm(centers, axis=1) + radius * stretch
                largest = max(largest, float(reach.max()))
        return largest, mirrored


def _timing(firsts: Rows, strides: list[int], durations: Doubles, rate: float) -> Floats:
    """Return the array `BakedModel.animations`. ``firsts`` are the indices of the animations' first
    poses.
    """
    starts = [
        first + (2 if stride == 2 else 0)  # skip the two poses of the time 0, see `_pose_times`
        for first, stride in zip(firsts.tolist(), strides, strict=True)
    ]
    rates = np.full(len(firsts), rate)
    return np.column_stack([starts, rates, durations * rate, strides]).astype(np.float32)


def _joint_balls(baked: BakedMesh, weights: Floats) -> list[tuple[int, Doubles, float]]:
    """Return a bounding sphere around the vertices of each joint. Each returned item is a tuple
    (joint, center, radius).
    """
    max_offset = _max_offset(baked, weights)
    balls: list[tuple[int, Doubles, float]] = []
    follows = baked.weights > 0
    joints: list[int] = np.unique(baked.joints[follows]).tolist()
    order = np.argsort(baked.joints[follows], kind="stable")
    vertices: Floats = baked.mesh.positions[np.nonzero(follows)[0][order]]
    ends = np.cumsum(np.unique(baked.joints[follows], return_counts=True)[1])
    for joint, followed in zip(joints, np.split(vertices, ends[:-1]), strict=True):
        low: Doubles = followed.min(axis=0).astype(np.float64)
        high: Doubles = followed.max(axis=0).astype(np.float64)
        middle = (low + high) / 2
        radius = float(np.linalg.norm(followed - middle, axis=1).max())
        balls.append((joint, middle, radius + max_offset))
    return balls


def _max_offset(baked: BakedMesh, weights: Floats) -> float:
    """Return an upper limit for how far the morph targets move a vertex in any pose, in units."""
    if baked.targets is None:
        return 0.0
    first = baked.first_weight
    shares = np.abs(weights[:, first : first + len(baked.targets)])
    return float((shares @ baked.targets.max_offsets).max())


class _Joints:
    """The joints of a model: the nodes that move vertices. Each joint has a matrix."""

    def __init__(self, model: Model) -> None:
        self.nodes: list[int] = []
        """The index of each joint's node. -1 means the root of the copy, which has no parent."""
        self.inverse: list[Floats] = []
        self.meshes: list[BakedMesh] = []
        skins: list[tuple[Skin, int]] = []
        corners = 0
        for part in model.parts:
            count = 1 if part.skin is not None else len(part.nodes)
            corners += count * (len(part.mesh.positions) + len(part.mesh.indices))
            if corners > MAX_CORNERS:
                raise ValueError(
                    f"model: expected at most {MAX_CORNERS:,} vertices and corners of all meshes at "
                    f"their nodes, got more in {model.path.name!r}; use a ModelBatch"
                )
            self.meshes += self._meshes_of(model, part, skins)

    def _meshes_of(
        self, model: Model, part: Part, skins: list[tuple[Skin, int]]
    ) -> list[BakedMesh]:
        skin = part.skin
        first = model.morphs.first
        if skin is not None:
            joints = (self._first_joint(skin, skins) + skin.joints).astype(np.uint32)
            weight = 0 if part.targets is None else first[part.nodes[0]]
            mesh = part.mesh
            return [
                BakedMesh(part, mesh, joints, skin.weights, part.targets, weight, mesh.positions)
            ]
        if part.targets is not None:  # each node has its own morph weights
            return [self._rigid(part, [node], first[node]) for node in part.nodes]
        return [self._rigid(part, part.nodes, 0)] if part.nodes else []

    def _first_joint(self, skin: Skin, skins: list[tuple[Skin, int]]) -> int:
        """Return the index of a skin's first joint in the list of all joints. Meshes with equal
        skins share their joints.
        """
        for known_skin, first in skins:
            if np.array_equal(known_skin.nodes, skin.nodes) and np.array_equal(
                known_skin.inverse, skin.inverse
            ):
                return first
        first = len(self.nodes)
        skins.append((skin, first))
        self.nodes += (skin.nodes - 1).tolist()
        self.inverse += list(skin.inverse)
        return first

    def _rigid(self, part: Part, nodes: list[int], first_weight: int) -> BakedMesh:
        """Add a mesh without a skin to the joints. Each node in ``nodes`` becomes a joint, and the
        mesh is drawn once for each joint.
        """
        count = len(part.mesh.positions)
        joints = np.zeros((count * len(nodes), 4), np.uint32)
        joints[:, 0] = len(self.nodes) + np.repeat(np.arange(len(nodes)), count)
        weights = np.zeros((len(joints), 4), np.float32)
        weights[:, 0] = 1
        self.nodes += nodes
        self.inverse += [np.eye(4, dtype=np.float32)] * len(nodes)
        mesh = part.mesh if len(nodes) == 1 else Mesh.merged(*[part.mesh] * len(nodes))
        return BakedMesh(
            part, mesh, joints, weights, part.targets, first_weight, part.mesh.positions
        )


def _used_nodes(model: Model, joints: list[int]) -> tuple[Rows, Rows, Rows]:
    """Return the nodes that move vertices: the nodes of all joints, and all their ancestors.

    Return three arrays. The first, with the shape (k,), contains the indices of these nodes in the
    model. The second, with the shape (k,), contains the position of each node's parent in the first
    array. The third, with the shape (j,), contains the position of each joint's node in the first
    array. A position of -1 means the model instance itself, not a node.
    """
    parent: Rows = np.asarray(model.at_rest.parent, np.intp)
    nodes_of_joints = np.array(joints, np.intp)
    nodes = _with_ancestors(nodes_of_joints, parent)
    index = np.full(len(parent) + 1, -1, np.intp)
    index[nodes] = np.arange(len(nodes))
    return nodes, index[parent[nodes]], index[nodes_of_joints]


def _with_ancestors(nodes: Rows, parent: Rows) -> Rows:
    """Return the indices of some nodes and of all their ancestors, in ascending order. The index -1
    in ``nodes`` is ignored.
    """
    used = np.zeros(len(parent), bool)
    level = np.unique(nodes)
    while len(level):
        level = level[level >= 0]
        level = level[~used[level]]
        used[level] = True
        level = np.unique(parent[level])
    return np.flatnonzero(used)


def _levels(parents: Rows) -> Iterator[Rows]:
    """Yield the nodes level by level: first the nodes without a parent, then their children, and so
    on.
    """
    level = np.flatnonzero(parents < 0)
    while len(level):
        yield level
        level = np.flatnonzero(np.isin(parents, level))


def _pose_times(animation: Animation | None, rate: float) -> tuple[Doubles, Doubles]:
    """Return two arrays with one time per pose: the time of the pose itself, and the time at which
    values with "STEP" keyframes are computed.

    Neighboring poses are 1 / ``rate`` seconds apart, and the last pose is at the end of the
    animation. If the animation has "STEP" keyframes, the function returns two poses for each pair
    of neighboring times. Both poses in a pair have the "STEP" values of the later time. A blend of
    the two poses therefore never mixes two "STEP" values. The first two poses are equal: both are
    at the time 0, with the "STEP" values of the time 0.
    """
    duration = 0.0 if animation is None else animation.duration
    intervals = max(1, math.ceil(duration * rate))
    times = np.minimum(np.arange(intervals + 1) / rate, duration)
    if animation is None or not has_steps(animation):
        return times, times
    both = np.stack([times[:-1], times[1:]], axis=1).reshape(-1)
    start = np.zeros(2)
    return np.concatenate([start, both]), np.concatenate([start, np.repeat(times[1:], 2)])


def _pieces(poses: int, nodes: int) -> Iterator[slice]:
    """Yield slices that together contain all of ``poses``. For a large model, each slice contains
    only a few poses, to save memory.
    """
    step = max(1, _NODES_AT_ONCE // (1 + nodes))
    for start in range(0, poses, step):
        yield slice(start, min(start + step, poses))


class Playing(NamedTuple):
    """The two animations that a model instance blends, with their times in seconds and the weight
    of the newer animation.
    """

    newer: int
    older: int
    time: float
    older_time: float
    share: float


def played_pose(
    baked: BakedModel, playing: Playing, after_tick: bool = False
) -> tuple[NodePoses, Floats]:
    """Return the pose and the morph weights of one model instance. The array of weights has the
    shape (w,). ``after_tick`` is True if the times in ``playing`` are those at the end of a tick.
    Values with "STEP" keyframes are then computed at exactly these times.
    """
    pose, weights = _pose_at(baked, playing.newer, playing.time, after_tick)
    if playing.share >= 1:
        return pose, weights
    older, older_weights = _pose_at(baked, playing.older, playing.older_time, after_tick)
    return blended(older, pose, playing.share), older_weights + (
        weights - older_weights
    ) * np.float32(playing.share)


def drawn_pose(
    baked: BakedModel, before: Playing, after: Playing, alpha: float, apart: bool
) -> tuple[NodePoses, Floats]:
    """Return the pose and the morph weights that are drawn in a frame at ``alpha``, between two
    ticks.

    ``apart`` is True if the frame must blend the poses of both ticks. If ``apart`` is False, both
    ticks play the same animations, and the frame shows a pose between the two ticks. A value that a
    "STEP" keyframe sets in this tick is drawn immediately, in every frame, as in a `ModelBatch`.
    """
    pose, weights = played_pose(baked, after, after_tick=True)
    if not apart:
        between = _between(before, after, alpha)
        first, first_weights = played_pose(baked, between)
        share = 0.0
    else:
        first, first_weights = played_pose(baked, before, after_tick=True)
        share = alpha
    steps, weight_steps = _steps(baked, before, after, apart)
    result = blended(first, pose, share) if share else first
    parts = [
        np.where((steps & (1 << bit)).astype(bool)[None, :, None], new, old)
        for bit, (old, new) in enumerate(zip(result, pose, strict=True))
    ]
    drawn_weights = first_weights + (weights - first_weights) * np.float32(share)
    return (parts[0], parts[1], parts[2]), np.where(weight_steps, weights, drawn_weights)


def _between(before: Playing, after: Playing, alpha: float) -> Playing:
    time, older_time, share = [
        old + (new - old) * alpha for old, new in zip(before[2:], after[2:], strict=True)
    ]
    return Playing(after.newer, after.older, time, older_time, share)


def _steps(
    baked: BakedModel, before: Playing, after: Playing, apart: bool
) -> tuple[NDArray[np.int32], Mask]:
    """Return the values that "STEP" keyframes set in a tick: an array (k,) for the nodes, as in
    `BakedModel.steps`, and a mask (w,) of the morph weights. The shader crowd.glsl uses the same
    rules for "STEP" keyframes.
    """
    steps = baked.steps[after.newer].copy()
    weights: Mask = baked.weight_steps[after.newer].copy()
    other_animations = before[:2] != after[:2]
    if not apart or (after.share >= 1 and (before.share >= 1 or other_animations)):
        return steps, weights
    # While an animation fades out, a node jumps only if this tick contains a keyframe. An animation
    # that begins in this tick has no jump.
    steps[:] = 0
    weights[:] = False
    if other_animations or after.share < before.share:
        pairs = [(before.newer, before.time, after.older, after.older_time)]
    else:
        pairs = [
            (before.newer, before.time, after.newer, after.time),
            (before.older, before.older_time, after.older, after.older_time),
        ]
    for animation, time, later, later_time in pairs:
        old, old_weights = _pose_at(baked, animation, time, True)
        new, new_weights = _pose_at(baked, later, later_time, True)
        for bit, (first, second) in enumerate(zip(old, new, strict=True)):
            differs = (np.abs(first - second) > _TINY)[0].any(axis=1)
            steps |= baked.steps[later] & (differs.astype(np.int32) << bit)
        weights |= baked.weight_steps[later] & (np.abs(old_weights - new_weights) > _TINY)
    return steps, weights


# Two poses of the same keyframe may differ by less than this, because of rounding errors.
_TINY = 1e-5


def blended(first: NodePoses, second: NodePoses, share: float) -> NodePoses:
    """Blend two poses and return the blended pose. ``share`` is the weight of the second pose."""
    return mix(first, second, np.array([share], np.float32))


def _pose_at(
    baked: BakedModel, animation: int, time: float, after_tick: bool = False
) -> tuple[NodePoses, Floats]:
    first, rate, end, stride = baked.animations[animation].tolist()
    at = min(max(time * rate, 0.0), end)
    last = max(math.ceil(end) - 1, 0)
    if after_tick and stride == 2:  # the interval that ends at this time has its "STEP" values
        interval = min(max(math.ceil(at - _ROUNDING - at * _RELATIVE) - 1, -1), last)
    else:
        interval = min(math.floor(at), last)
    length = min(end - interval, 1.0)
    share = min((at - interval) / length, 1.0) if length > 0 else 0.0
    pose = int(first + interval * stride)
    first_pose = _baked_pose(baked, pose)
    weights = baked.weights[pose]
    if share == 0:
        return first_pose, weights
    return blended(first_pose, _baked_pose(baked, pose + 1), share), weights + (
        baked.weights[pose + 1] - weights
    ) * np.float32(share)


# Times are rounded to float32. Therefore, a time that is later than a pose by only a rounding error
# counts as the time of the pose.
_ROUNDING = 1e-3
_RELATIVE = 4e-7


def _baked_pose(baked: BakedModel, index: int) -> NodePoses:
    position, rotation, scale = baked.poses
    row = slice(index, index + 1)
    return position[row], rotation[row], scale[row]
