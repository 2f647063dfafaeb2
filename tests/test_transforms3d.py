"""3D transforms: poses in the shader and in NumPy, motions, teleports and large worlds."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
import pytest
from drawings import driven
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pictures import centroid
from ticking import tick

import framework as fw
from framework import quaternions as Q
from framework import resources
from framework.gpu import shaders
from framework.gpu.graphics import FRAME_BINDING
from framework.models.parts import Part
from framework.motion.camera_base import frame_block_of
from framework.space.mesh_drawing import pose_defines
from framework.state.rows import table_of
from framework.state.transforms3d import spun

Make = Callable[..., Any]
DT = 1 / 60
SPEEDS = ("hermite", "extrapolate")
LARGE = ["interpolate", "none"]
GL = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
seeds = st.integers(0, 2**32 - 1)
alphas = st.floats(0, 1, exclude_max=True, width=32)

# A corner at the position of the instance, and one along each axis: the shader's corners are
# the model matrix.
AXES = fw.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [0, 1, 2, 0, 2, 3])


def moving(motion: Any = "interpolate", count: int = 1, **options: Any) -> fw.Transforms3D:
    transforms = fw.Transforms3D(motion, **options)
    transforms.extend(count)
    return transforms


def turned(axis: Any, angle: float) -> Any:
    return Q.from_axis(axis, angle)


def rotation_difference(a: Any, b: Any) -> Any:
    """Return the angles in radians between rotations (n, 4)."""
    a = np.asarray(a, np.float64)
    b = np.asarray(b, np.float64)
    difference = Q.multiply(a, Q.conjugate(b))
    return 2 * np.arctan2(np.linalg.norm(difference[:, :3], axis=1), np.abs(difference[:, 3]))


# -- the shader ------------------------------------------------------------------------------------


def shader_corners(game: fw.Game, batch: fw.MeshBatch, alpha: float) -> Any:
    """Return the corners of every row from shaders/meshes.vert, relative to the eye: float32 (n,
    corners, 3)."""
    gpu = driven(batch).gpu
    ctx = game.picture.ctx
    n = len(batch)
    driven(batch).hand_over()
    program = shaders.program(
        ctx, "meshes.vert", defines=pose_defines(table_of(batch)), varyings=("v_place",)
    )
    program["Frame"].binding = FRAME_BINDING
    frame = ctx.buffer(frame_block_of(game.world.camera)(alpha, 0.0))
    frame.bind_to_uniform_block(FRAME_BINDING)
    if table_of(batch.transforms).timed:
        program["motion"] = table_of(batch.transforms).motion_uniform
    array = gpu.handover.array(program, gpu._parts, gpu._indices)
    indices = len(batch.mesh.indices)
    out = ctx.buffer(reserve=12 * indices * n)
    array.transform(out, moderngl.TRIANGLES, instances=n)
    corners = np.frombuffer(out.read(), np.float32).reshape(n, indices, 3)
    for resource in (array, program, frame, out):
        resource.release()
    return corners[:, [0, 1, 2, 5]]


def our_corners(batch: fw.MeshBatch, alpha: float, eye: Any = (0, 0, 0)) -> Any:
    position, rotation, scale = [part.astype(np.float64) for part in batch.transforms.pose(alpha)]
    model = Q.matrices(rotation) * scale[:, :, None]
    return batch.mesh.positions.astype(np.float64) @ model + (position - eye)[:, None]


def live(batch: fw.MeshBatch, random: np.random.Generator, center: Any = (0, 0, 0)) -> None:
    """Run some ticks in which rows move, rotate, scale, are teleported, or rest."""
    n = len(batch)
    batch.position[:] = center
    for _ in range(int(random.integers(1, 6))):
        batch.transforms.begin_tick(DT)
        rows = random.random(n) < 0.6
        batch.position[rows] = random.uniform(-1, 1, (rows.sum(), 3)) + center
        batch.rotation[rows] = random.normal(size=(rows.sum(), 4))  # of any length
        batch.scale[rows] = random.uniform(0.2, 1.5, (rows.sum(), 3))
        if batch.transforms.motion in SPEEDS:
            batch.velocity[rows] = random.uniform(-3, 3, (rows.sum(), 3))
            batch.angular_velocity[rows] = random.uniform(-300, 300, (rows.sum(), 3))
        batch.teleport(random.random(n) < 0.1)
        batch.transforms.end_tick()


@pytest.mark.parametrize("motion", fw.MOTIONS)
def test_the_meshes_shader_builds_the_model_matrices_of_numpy(make: Make, motion: str) -> None:
    game = make(fw.Game)

    @GL
    @given(seed=seeds, alpha=alphas)
    def as_numpy_has_them(seed: int, alpha: float) -> None:
        batch = game.add(fw.MeshBatch(AXES, 60, motion=motion))
        live(batch, np.random.default_rng(seed))
        theirs = shader_corners(game, batch, alpha)
        assert np.abs(theirs - our_corners(batch, alpha)).max() <= 1e-5
        corners = np.column_stack([AXES.positions, np.ones(4)])
        matrices = batch.transforms.model_matrices(alpha)
        assert matrices.dtype == np.float32
        assert np.abs(theirs - (corners @ matrices)[..., :3]).max() <= 1e-5
        game.world.remove(batch)

    as_numpy_has_them()


def test_shader_and_numpy_agree_about_rotations_at_the_limit_of_linear_blending(
    make: Make,
) -> None:
    """Use rotations whose cosine is at the limit between spherical and linear blending, and close
    to it."""
    game = make(fw.Game)
    n = 400

    @GL
    @given(seed=seeds, alpha=alphas)
    def agree(seed: int, alpha: float) -> None:
        random = np.random.default_rng(seed)
        batch = game.add(fw.MeshBatch(AXES, n))
        first = Q.normalized(random.normal(size=(n, 4)))
        axis = random.normal(size=(n, 3))
        off = np.where(
            random.random(n) < 0.5,
            random.uniform(-3e-7, 3e-7, n),
            random.uniform(-0.0004, 0.0004, n),
        )
        angle = 2 * np.arccos(np.clip(random.choice([0.99, Q.NLERP_ABOVE], n) + off, 0, 1))
        turns = Q.from_vectors(axis / np.linalg.norm(axis, axis=1, keepdims=True) * angle[:, None])
        batch.rotation = first
        batch.teleport(slice(None))
        batch.transforms.begin_tick(DT)
        batch.rotation = Q.multiply(turns, first) * random.choice([-1, 1], (n, 1))
        batch.transforms.end_tick()
        theirs = shader_corners(game, batch, alpha)
        corners = np.column_stack([AXES.positions, np.ones(4)])
        assert (
            np.abs(theirs - (corners @ batch.transforms.model_matrices(alpha))[..., :3]).max()
            <= 3e-6
        )
        game.world.remove(batch)

    agree()


def test_shader_and_numpy_have_the_same_constants() -> None:
    text = (resources.folder("shaders") / "include" / "pose3d.glsl").read_text()
    constants = dict(re.findall(r"const float (\w+) = (\S+);", text))
    assert float(constants["NLERP_ABOVE"]) == Q.NLERP_ABOVE
    assert float(constants["NEGATED_BELOW"]) == Q.NEGATED_BELOW


@pytest.mark.parametrize("motion", LARGE)
def test_the_shader_is_as_exact_a_million_units_from_the_origin(make: Make, motion: str) -> None:
    game = make(fw.Game)

    @GL
    @given(seed=seeds, alpha=alphas)
    def is_exact(seed: int, alpha: float) -> None:
        random = np.random.default_rng(seed)
        eye = random.uniform(-1e6, 1e6, 3)
        batch = game.add(fw.MeshBatch(AXES, 60, motion=motion, large_world=True))
        game.world.camera.position = eye
        game.world.camera.teleport()
        live(batch, random, eye)
        assert batch.position.dtype == np.float64
        theirs = shader_corners(game, batch, alpha)
        off = np.abs(theirs - our_corners(batch, alpha, eye)).max()
        assert off <= 1.5e-4  # float32 has 6e-5 at the far side of a cell
        game.world.remove(batch)

    is_exact()


# -- drawn positions -------------------------------------------------------------------------------


class Flight(fw.Game):
    """A soft white spot on a black background."""

    motion = "interpolate"
    large_world = False
    center = (0.0, 0.0, 0.0)

    def setup(self) -> None:
        self.batch = self.add(
            fw.MeshBatch(
                SPOT,
                material=fw.Material(shader=SOFT),
                motion=self.motion,
                large_world=self.large_world,
            )
        )
        camera = self.world.camera
        camera.ortho_height = 10.0
        camera.position = np.add(self.center, (0, 0, 5))
        self.ball = self.batch.add(position=self.path(0.0))
        self.ball.teleport()

    def path(self, time: float) -> Any:
        return np.add(self.center, (-3 + 5.1 * time, 1.5 * math.sin(2 * time), 0))

    def update(self, dt: float) -> None:
        self.ball.position = self.path(self.tick * dt)
        if self.motion in SPEEDS:
            self.ball.velocity = 5.1, 3 * math.cos(2 * self.tick * dt), 0


SPOT = fw.Mesh(
    [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)],
    [0, 1, 2, 0, 2, 3],
    uvs=[(0, 1), (1, 1), (1, 0), (0, 0)],
)  # fmt: skip
SOFT = """#include "surface.glsl"
void main() { vec2 d = v_uv - 0.5; color = vec4(exp(-40.0 * dot(d, d))); }
"""


def bright_center(game: fw.Game) -> tuple[float, float]:
    """Return the center of the bright pixels, in world units."""
    x, y = centroid(game.pixels())
    return (x - game.width / 2) / game.height * 10, (y - game.height / 2) / game.height * 10


@pytest.mark.parametrize(
    ("motion", "center"),
    [(m, (0, 0, 0)) for m in fw.MOTIONS] + [(m, (1e6, -1e6 / 3, 1e6 / 7)) for m in LARGE],
)
def test_spots_are_drawn_at_the_drawn_position_near_the_origin_and_far_away(
    make: Make, motion: str, center: tuple[float, float, float]
) -> None:
    far = center[0] > 0
    kind = type("Kind", (Flight,), {"motion": motion, "large_world": far, "center": center})
    game = make(kind, tick_rate=20)
    random = np.random.default_rng(5)
    game.advance(0.05)
    for _ in range(8):
        alpha = game.advance(float(random.uniform(0.003, 0.06)))
        drawn = game.ball.drawn_position(alpha)
        px = np.subtract(bright_center(game), np.subtract(drawn, center)[:2]) * game.height / 10
        assert np.abs(px).max() <= 0.05


def attach_spot(game: fw.Game, kind: str, center: Any, large: bool) -> Any:
    """Attach a soft white spot to nodes in one of several ways, at `center`."""
    soft = fw.Material(shader=SOFT)
    if kind.startswith("model"):
        skin = None
        if kind == "model with a skin":
            skin = fw.Skin(
                [1, 2], None, np.tile([0, 1, 0, 0], (4, 1)), np.tile([0.5, 0.5, 0, 0], (4, 1))
            )
        model = fw.Model.of([Part(SPOT, soft, [1], skin)], names=["root", "tip"], parent=[-1, 0])
        return game.add(fw.ModelBatch(model, large_world=large)).add(position=center)
    nodes = fw.Nodes3D("hermite" if kind == "curved nodes" else "interpolate", large_world=large)
    if kind == "far child":
        root = nodes.add(rotation=(0, 0, 0, 1))
        game.add(
            fw.NodeMeshes(SPOT, nodes, [child := nodes.add(root, position=center)], material=soft)
        )
        return child
    root = nodes.add(position=center)
    game.add(fw.NodeMeshes(SPOT, nodes, [nodes.add(root, position=(0.25, 0, 0))], material=soft))
    return root


@pytest.mark.parametrize(
    "kind", ["nodes", "curved nodes", "far child", "model", "model with a skin"]
)
def test_spots_attached_to_nodes_move_evenly_a_million_units_away(make: Make, kind: str) -> None:
    """The camera moves too. Centers equal those of the same flight at the origin, to 0.02 pixels."""
    corners = []
    for center in (np.zeros(3), np.array([1e6, -(2.0**18), 2.0**17])):
        game = make(fw.Game, tick_rate=20)
        random = np.random.default_rng(5)
        camera = game.world.camera
        camera.ortho_height = 10.0
        camera.position = center + (0, 0, 5)
        camera.teleport()
        item = attach_spot(game, kind, center, large=True)

        def update(dt: float, game: Any = game, center: Any = center, item: Any = item) -> None:
            time = game.tick * dt
            item.position = center + (-3 + 2.3 * time, 1.5 * math.sin(2 * time), 0)
            if kind == "curved nodes":
                item.velocity = 2.3, 3 * math.cos(2 * time), 0
            game.world.camera.position = center + (0.7 * time, 0.4 * math.sin(3 * time), 5)

        game.update = update
        game.advance(0.05)
        game.advance(0.05)
        centers = []
        for _ in range(8):
            alpha = game.advance(float(random.uniform(0.003, 0.06)))
            centers.append(
                (
                    *centroid(game.pixels()),
                    *np.subtract(item.drawn_position(alpha), center)[:2] * 10,
                )
            )
        corners.append(centers)
    assert np.abs(np.subtract(*corners)).max() <= 0.02
    assert np.ptp(corners[0], axis=0)[0] > 2  # the spot moves in the picture


def test_nodes_of_a_large_world_have_exact_positions() -> None:
    nodes = fw.Nodes3D(large_world=True)
    far = nodes.add(nodes.add(position=(1e6 + 0.001, 0, 0)), position=(0, 1e6, 0.001))
    assert nodes.position.dtype == np.float64
    assert far.drawn_position(1.0) == pytest.approx((1e6 + 0.001, 1e6, 0.001), abs=1e-9)
    assert nodes.world_matrices(1.0)[far.row, 3, :3] == pytest.approx(
        (1e6 + 0.001, 1e6, 0.001), abs=1e-9
    )
    near = nodes.world_matrices(1.0, eye=np.array([1e6, 1e6, 0]))
    assert near.dtype == np.float32
    assert near[far.row, 3, :3] == pytest.approx((0.001, 0, 0.001), abs=1e-9)
    out = np.empty((2, 4, 4), np.float32)
    assert nodes.world_matrices(1.0, out) is out
    copies = fw.ModelBatch(fw.Model.of([]), 0, large_world=True)
    copies.extend(2, position=[(1e6 + 0.001, 0, 0), (0, 0, 0)])
    assert copies[0].position == (1e6 + 0.001, 0, 0)
    assert copies.position.dtype == np.float64


@pytest.mark.parametrize(("angle", "step"), [(0.0, 1.0), (1.0, math.cos(1.0))])
def test_a_rotating_arm_of_a_million_units_is_even_between_ticks(angle: float, step: float) -> None:
    nodes = fw.Nodes3D(large_world=True)
    hub = nodes.add(rotation=fw.quaternions.from_axis((0, 0, 1), angle))
    tip = nodes.add(hub, position=(1e6, 0, 0))
    nodes.end_tick()
    nodes.begin_tick(0.1)
    hub.rotation = fw.quaternions.from_axis((0, 0, 1), angle + 1e-4)
    nodes.end_tick()
    moments = np.linspace(0, 1, 101)
    for heights in (
        [tip.drawn_position(alpha)[1] for alpha in moments],
        [nodes.world_matrices(alpha)[tip.row, 3, 1] for alpha in moments],
    ):
        assert np.diff(heights) == pytest.approx(np.full(100, step), abs=2e-3)


def test_the_drawn_position_between_ticks_is_the_analytic_position(make: Make) -> None:
    """Even motion on a line has no error except rounding, one tick late."""
    game = make(Flight, tick_rate=20)
    random = np.random.default_rng(6)
    game.path = lambda time: (-3 + 5.1 * time, time, 0)
    game.advance(0.05)
    for _ in range(20):
        alpha = game.advance(float(random.uniform(0.003, 0.06)))
        time = (game.tick - 1 + alpha) * 0.05
        assert game.ball.drawn_position(alpha) == pytest.approx(
            (-3 + 5.1 * time, time, 0), abs=1e-5
        )


@pytest.mark.parametrize("motion", ["interpolate", "hermite"])
def test_an_even_rotation_is_drawn_to_a_thousandth_of_a_radian(motion: str) -> None:
    """At any rate below half a turn per tick. With an angular velocity, above this rate too."""
    random = np.random.default_rng(3)
    for _ in range(40):
        axis = random.normal(size=3)
        axis /= np.linalg.norm(axis)
        pace = random.uniform(0.01, 3.0 if motion == "interpolate" else 40.0)  # radians per tick
        transforms = moving(motion)
        for number in range(4):
            columns = {"rotation": turned(axis, number * pace)}
            if motion == "hermite":
                columns["angular_velocity"] = axis * pace / DT
            tick(transforms, **columns)
        for alpha in random.random(5):
            true = Q.from_vectors((axis * (2 + alpha) * pace)[None])
            assert rotation_difference(transforms.pose(alpha)[1], true)[0] <= 1e-3


@pytest.mark.parametrize("motion", SPEEDS)
@pytest.mark.parametrize("turns", [0.4, 0.6, 1.3, 2.9])
def test_a_wheel_faster_than_half_a_turn_per_tick_keeps_its_direction(
    motion: str, turns: float
) -> None:
    transforms = moving(motion)
    pace = turns * math.tau
    for number in range(8):
        tick(
            transforms,
            rotation=turned((1, 0, 0), number * pace),
            angular_velocity=(pace / DT, 0, 0),
        )
    drawn = np.array(
        [transforms.pose(alpha)[1][0] for alpha in np.linspace(0, 0.999, 100)], np.float64
    )
    steps = Q.to_vectors(Q.multiply(drawn[1:], Q.conjugate(drawn[:-1])))
    assert steps[:, 0].min() > 0
    assert steps[:, 0].sum() == pytest.approx(pace * 0.999, abs=2e-3)
    assert np.abs(steps[:, 1:]).max() < 1e-4


def test_rotations_take_the_short_way_for_both_signs_of_a_quaternion() -> None:
    transforms = moving()
    tick(transforms, rotation=turned((0, 0, 1), 0.2))
    tick(transforms, rotation=-turned((0, 0, 1), 0.8))
    assert rotation_difference(transforms.pose(0.25)[1], [turned((0, 0, 1), 0.35)])[0] < 1e-3


def test_scale_is_interpolated_linearly() -> None:
    transforms = moving()
    tick(transforms, scale=(1, 2, 3))
    tick(transforms, scale=(3, 2, -1))
    assert transforms.pose(0.25)[2][0] == pytest.approx((1.5, 2, 2))


def test_hermite_is_exact_for_constant_acceleration() -> None:
    transforms = moving("hermite")
    dt = 0.1
    pull = np.array([0, -9.81, 1])
    start = np.array([1.0, 5, 0])
    speed = np.array([4.0, 9, -1])
    for number in range(5):
        t = number * dt
        tick(
            transforms, dt, position=start + speed * t + pull * t * t / 2, velocity=speed + pull * t
        )
    for alpha in (0.0, 0.2, 0.5, 0.9):
        t = (3 + alpha) * dt
        assert transforms.pose(alpha)[0][0] == pytest.approx(
            start + speed * t + pull * t * t / 2, abs=1e-5
        )


def test_an_extrapolated_row_is_ahead_of_its_last_state() -> None:
    transforms = moving("extrapolate")
    turn = {"rotation": turned((0, 1, 0), 0.5), "angular_velocity": (0, 3, 0)}
    tick(transforms, position=(1, 2, 3), velocity=(60, 0, -6), **turn, jump=True)
    for ticks in range(5):
        for alpha in (0.0, 0.5, 0.9):
            age = (ticks + alpha) * DT
            position, rotation, _ = transforms.pose(alpha)
            assert position[0] == pytest.approx((1 + 60 * age, 2, 3 - 6 * age), abs=1e-4)
            assert rotation_difference(rotation, [turned((0, 1, 0), 0.5 + 3 * age)])[0] < 1e-3
        tick(transforms)


# -- teleports, spawns, removals -------------------------------------------------------------------


@pytest.mark.parametrize("motion", fw.MOTIONS)
def test_teleported_and_spawned_rows_are_drawn_at_once(motion: str) -> None:
    transforms = moving(motion)
    tick(transforms, position=(1, 2, 3), rotation=turned((1, 0, 0), 1.0), scale=2)
    tick(transforms, position=(70, 8, 9), rotation=turned((0, 1, 0), 2.0), scale=5, jump=True)
    for alpha in (0.0, 0.6):
        position, rotation, scale = transforms.pose(alpha)
        assert (position.tolist(), scale.tolist()) == ([[70, 8, 9]], [[5, 5, 5]])
        assert rotation_difference(rotation, [turned((0, 1, 0), 2.0)])[0] < 1e-3
    transforms.begin_tick(DT)
    transforms.extend(1)
    transforms.position[1] = 4, 5, 6
    transforms.end_tick()
    assert transforms.pose(0.0)[0][1].tolist() == [4, 5, 6]


@settings(max_examples=12, deadline=None)
@given(seed=seeds, motion=st.sampled_from(fw.MOTIONS), large=st.booleans())
def test_rows_keep_their_poses_when_other_rows_are_added_and_removed(
    seed: int, motion: str, large: bool
) -> None:
    """Compare with a list of single objects, each drawn by its own batch."""
    random = np.random.default_rng(seed)
    mesh = AXES
    options: dict[str, Any] = {"motion": motion, "large_world": large and motion in LARGE}
    batch = fw.MeshBatch(mesh, **options)
    singles = []
    for _ in range(8):
        everything = [batch, *singles]
        for each in everything:
            each.transforms.begin_tick(DT)
        for _ in range(int(random.integers(0, 4))):
            position = random.normal(size=3)
            batch.add(position=position)
            singles.append(fw.MeshBatch(mesh, **options))
            singles[-1].transforms.begin_tick(DT)
            singles[-1].add(position=position)
        for row, single in enumerate(singles):
            if random.random() < 0.5:
                position = random.normal(size=3)
                turn = random.normal(size=4)
                for each, at in ((batch, row), (single, 0)):
                    each.position[at] = position
                    each.rotation[at] = turn
                    if motion in SPEEDS:
                        each.velocity[at] = position
        if singles and random.random() < 0.4:
            gone = int(random.integers(len(singles)))
            batch.remove(gone)
            del singles[gone]
        for each in [batch, *singles]:
            each.transforms.end_tick()
        for alpha in (0.0, 0.3, 0.9):
            alone = [single.transforms.pose(alpha) for single in singles]
            for number, part in enumerate(batch.transforms.pose(alpha)):
                expected = np.reshape([parts[number][0] for parts in alone], part.shape)
                assert np.allclose(part, expected, atol=1e-6)


def test_a_frame_between_two_ticks_uploads_nothing(make: Make) -> None:
    class Tumbling(fw.Game):
        def setup(self) -> None:
            self.batches = [
                self.add(fw.MeshBatch(AXES, 50, large_world=large)) for large in (False, True)
            ]

        def update(self, dt: float) -> None:
            for batch in self.batches:
                batch.position[:] += 1
                batch.rotation[:] = turned((0, 1, 0), self.tick)

    game = make(Tumbling, tick_rate=20)
    game.advance(0.1)
    before = [driven(batch).uploaded_bytes for batch in game.batches]
    for _ in range(4):
        game.advance(0.01)
    assert [driven(batch).uploaded_bytes for batch in game.batches] == before
    game.advance(0.05)
    grown = np.subtract([driven(batch).uploaded_bytes for batch in game.batches], before).tolist()
    # position and rotation of one state: scale did not change
    assert grown == [50 * (12 + 16), 50 * (24 + 16)]


@pytest.mark.parametrize("motion", SPEEDS)
def test_motions_with_velocities_refuse_large_worlds(motion: str) -> None:
    with pytest.raises(ValueError, match=r"^large_world: "):
        fw.Transforms3D(motion, large_world=True)
    if motion == "extrapolate":
        with pytest.raises(
            ValueError,
            match=r"^large_world: expected the motion 'interpolate', 'hermite' or 'none'",
        ):
            fw.Nodes3D(motion, large_world=True)


@given(seed=seeds, alpha=alphas, motion=st.sampled_from(fw.MOTIONS))
def test_bounding_spheres_contain_the_drawn_mesh(seed: int, alpha: float, motion: str) -> None:
    batch = fw.MeshBatch(AXES, 20, motion=motion)
    live(batch, np.random.default_rng(seed))
    centers, radii = table_of(batch.transforms).balls(alpha, AXES)
    assert (
        np.linalg.norm(our_corners(batch, alpha) - centers[:, None], axis=2)
        <= radii[:, None] + 1e-5
    ).all()
    reach = AXES.radius + np.linalg.norm(AXES.center)
    largest = np.abs(batch.transforms.pose(alpha)[2]).max(axis=1)
    assert radii == pytest.approx(largest * reach, rel=1e-5)  # and are no larger than necessary


def test_an_angular_velocity_selects_the_direction_of_a_rotation() -> None:
    """A rotation of 4 radians per tick is nearer to each of these than the shorter arc of 4 - tau."""
    before = np.array([[0, 0, 0, 1]], "f4")
    after = np.float32(Q.from_axis((0, 0, 1), 4.0)[None])
    for angular_velocity in (0.9, 1.0, 1.1, 4.0, 7.0):
        drawn = spun(before, after, np.array([[0, 0, angular_velocity]], "f4"), 0.5)
        assert drawn[0] @ Q.from_axis((0, 0, 1), 2.0) == pytest.approx(1, abs=1e-6)
    drawn = spun(before, after, np.zeros((1, 3), "f4"), 0.5)
    # without an angular velocity, the shorter arc
    assert (drawn == Q.slerp(before, after, 0.5)).all()


def test_matrices_are_written_into_the_given_array() -> None:
    transforms = moving(count=3)
    out = np.empty((3, 4, 4), np.float32)
    assert transforms.model_matrices(0.5, out) is out
    assert (out == np.eye(4)).all()
    with pytest.raises(ValueError, match=r"^out: "):
        transforms.model_matrices(0.5, np.empty((2, 4, 4), np.float32))
