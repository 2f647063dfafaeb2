"""Nodes in a hierarchy: blended poses, world matrices, parents, skins, sprites and meshes."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from drawings import driven
from hypothesis import given, settings
from hypothesis import strategies as st

import framework as fw
from framework import quaternions
from framework.state.rows import table_of

QUARTER = quaternions.from_axis((0, 1, 0), math.pi / 2)


def tree(count: int, depth: int, seed: int = 0) -> fw.Nodes3D:
    """Return ``count`` moving nodes at ``depth`` levels, in random order."""
    random = np.random.default_rng(seed)
    per = count // depth
    parents = np.concatenate([np.full(per, -1), random.integers(0, per, count - per)])
    parents[per:] += np.repeat(np.arange(depth - 1) * per, per)
    order = random.permutation(count)
    new_rows = np.argsort(order)
    nodes = fw.Nodes3D()
    nodes.extend(count, parent=np.where(parents < 0, -1, new_rows[parents])[order])
    for _ in range(2):
        nodes.begin_tick(0.1)
        nodes.position[:] = random.normal(size=(count, 3))
        nodes.rotation[:] = random.normal(size=(count, 4))
        nodes.scale[:] = random.uniform(0.8, 1.2, (count, 3))
        nodes.end_tick()
    return nodes


def test_world_matrices_are_products_of_blended_local_matrices() -> None:
    nodes = tree(60, 5)
    local = nodes.model_matrices(0.3)
    world = nodes.world_matrices(0.3)
    assert world.shape == (60, 4, 4)
    assert world.dtype == np.float32
    assert [len(level) for level in table_of(nodes).levels] == [12] * 5
    for row in range(60):
        product = np.eye(4)
        for ancestor in table_of(nodes).ancestry(row):
            product = product @ local[ancestor].astype(float)
        assert world[row] == pytest.approx(product, abs=1e-4)
        assert table_of(nodes).world_matrix(0.3, row) == pytest.approx(product, abs=1e-4)
    eye = np.array([5.0, -3.0, 2.0])
    relative = world.copy()
    relative[:, 3, :3] -= eye
    assert nodes.world_matrices(0.3, eye=eye) == pytest.approx(relative, abs=1e-5)
    out = np.empty_like(world)
    assert nodes.world_matrices(0.3, out) is out
    with pytest.raises(ValueError, match="out: expected float32 of shape"):
        nodes.world_matrices(0.3, out[:5])


def test_positions_relative_to_the_eye_stay_exact_far_from_the_origin() -> None:
    nodes = fw.Nodes3D()
    arm = nodes.add(nodes.add(position=(1e6, 0, 0)), position=(0, 0.125, 0))
    position = nodes.world_matrices(1.0, eye=np.array([1e6 - 0.03, 0.0, 0.0]))[arm.row, 3, :3]
    assert position == pytest.approx((0.03, 0.125, 0), abs=1e-6)


def test_ten_thousand_nodes_at_depth_five_take_a_few_milliseconds() -> None:
    nodes = tree(10_000, 5)
    nodes.world_matrices(0.5)
    times = []
    for _ in range(15):
        start = time.process_time()
        nodes.world_matrices(0.5)
        times.append(time.process_time() - start)
    assert min(times) < 0.02  # about 2 ms on an idle machine


def test_a_child_of_a_turning_parent_moves_along_an_arc() -> None:
    nodes = fw.Nodes3D()
    wheel = nodes.add()
    rim = nodes.add(wheel, position=(0, 0, -1))
    nodes.end_tick()
    nodes.begin_tick(0.1)
    wheel.rotation = QUARTER
    nodes.end_tick()
    assert rim.drawn_position(0.5) == pytest.approx((-math.sqrt(0.5), 0, -math.sqrt(0.5)), abs=1e-6)
    assert rim.drawn_matrix(1.0)[3, :3] == pytest.approx((-1, 0, 0), abs=1e-6)


def test_children_of_a_teleported_parent_are_not_interpolated() -> None:
    nodes = fw.Nodes3D()
    ship = nodes.add()
    flag = nodes.add(nodes.add(ship, position=(0, 2, 0)), position=(0, 1, 0))
    nodes.begin_tick(0.1)
    ship.teleport((100, 0, 0))
    nodes.end_tick()
    for alpha in (0.0, 0.4, 1.0):
        assert flag.drawn_position(alpha) == pytest.approx((100, 3, 0))


def test_a_cycle_of_parents_is_an_error_that_names_the_nodes() -> None:
    nodes = fw.Nodes3D()
    a = nodes.add()
    b = nodes.add(a)
    c = nodes.add(b)
    with pytest.raises(ValueError, match="nodes would be their own ancestors: 0 → 2 → 1 → 0"):
        nodes.attach(a, c)
    assert nodes.parent.tolist() == [-1, 0, 1]
    with pytest.raises(ValueError, match="1 → 1"):
        b.parent = b
    with pytest.raises(ValueError, match="there are 3 nodes, and node 1 has the parent 7"):
        nodes.parent = [-1, 7, 0]
    with pytest.raises(ValueError, match="their own ancestors: 3 → 4 → 3"):
        nodes.extend(2, parent=[4, 3])
    assert len(nodes) == 3
    with pytest.raises(ValueError, match="read-only"):
        nodes.parent[0] = 2
    with pytest.raises(ValueError, match="parent: expected a whole number from -1 to 2, got 3"):
        nodes.add(3)
    with pytest.raises(ValueError, match="another batch"):
        nodes.add(fw.Nodes3D().add())


def test_a_node_with_a_new_parent_is_drawn_there_at_once() -> None:
    nodes = fw.Nodes3D()
    left = nodes.add(position=(-10, 0, 0))
    right = nodes.add(position=(10, 0, 0))
    ball = nodes.add(left, position=(0, 1, 0))
    nodes.begin_tick(0.1)
    ball.parent = right
    nodes.end_tick()
    assert ball.drawn_position(0.5) == pytest.approx((10, 1, 0))
    assert right.children == [ball]
    assert ball.parent is right
    ball.parent = None
    assert ball.parent is None
    assert ball.drawn_position(0.5) == pytest.approx((0, 1, 0))


def test_a_removed_node_takes_its_descendants_with_it() -> None:
    nodes = fw.Nodes3D()
    first = nodes.add()
    tank = nodes.add(position=(1, 0, 0))
    gun = nodes.add(nodes.add(tank))
    last = nodes.add(first, position=(0, 5, 0))
    tank.remove()
    assert len(nodes) == 2
    assert gun.removed
    assert last.row == 1
    assert nodes.parent.tolist() == [-1, 0]
    assert last.drawn_position(1.0) == pytest.approx((0, 5, 0))
    with pytest.raises(ValueError, match="it was removed, or what it hung on"):
        _ = gun.position
    with pytest.raises(AttributeError, match="angle: there is no such column; there are position"):
        _ = last.angle
    with pytest.raises(ValueError, match="position: expected three numbers"):
        last.position = (1, 2)
    with pytest.raises(IndexError, match="there are 2 nodes, asked for number 2"):
        _ = nodes[2]


@settings(max_examples=50)
@given(st.data())
def test_parents_stay_correct_under_random_changes(data: st.DataObject) -> None:
    nodes = fw.Nodes3D()
    nodes_and_parents: list[tuple[fw.Node, fw.Node | None]] = []
    for step in range(data.draw(st.integers(1, 25))):
        living = [node for node, _ in nodes_and_parents if not node.removed]
        action = data.draw(st.sampled_from(["add", "add", "remove", "attach"])) if living else "add"
        if action == "add":
            parent = data.draw(st.sampled_from([None, *living]))
            nodes_and_parents.append((nodes.add(parent, position=(step, 1, 0)), parent))
            continue
        node = data.draw(st.sampled_from(living))
        if action == "remove":
            node.remove()
        else:
            parent = data.draw(st.sampled_from([None, *living]))
            above = parent
            while above is not None and above is not node:
                above = above.parent
            if above is node:
                with pytest.raises(ValueError, match="ancestors"):
                    nodes.attach(node, parent)
            else:
                nodes.attach(node, parent)
                nodes_and_parents = [
                    (child, parent if child is node else old) for child, old in nodes_and_parents
                ]
        for child, old in nodes_and_parents:
            if not child.removed:
                assert child.parent is old  # a removed node takes its children with it
    assert len(nodes) == sum(not node.removed for node, _ in nodes_and_parents)


# -- in the plane ----------------------------------------------------------------------------------


def test_poses_in_the_plane_are_relative_to_the_parent() -> None:
    nodes = fw.Nodes2D()
    ship = nodes.add(position=(100, 50), angle=math.pi / 2, scale=2)
    gun = nodes.add(ship, position=(10, 0), angle=0.25, scale=0.5)
    assert gun.drawn_position(1.0) == pytest.approx((100, 70), abs=1e-4)
    position, angle, scale = nodes.world_pose(1.0, np.array([gun.row]))
    assert position[0] == pytest.approx((100, 70), abs=1e-4)
    assert angle[0] == pytest.approx(math.pi / 2 + 0.25)
    assert scale[0] == pytest.approx((1, 1))
    ship.scale = (-2, 2)  # mirrored: the gun is on the other side, and its rotation is reversed
    assert gun.drawn_position(1.0) == pytest.approx((100, 30), abs=1e-4)
    assert nodes.world_pose(1.0)[1][gun.row] == pytest.approx(math.pi / 2 - 0.25)
    local = nodes.model_matrices(1.0)
    assert gun.drawn_matrix(1.0) == pytest.approx(local[gun.row] @ local[ship.row], abs=1e-4)


def test_a_gun_is_drawn_on_its_ship_between_ticks(make: Any) -> None:
    from pictures import centroid, solid

    class Ships(fw.Game):
        def setup(self) -> None:
            self.nodes = fw.Nodes2D()
            self.ship = self.nodes.add(position=(50, 50))
            self.gun = self.nodes.add(self.ship, position=(30, 0))
            self.batch = self.add(fw.NodeSprites(solid(6, 6), self.nodes))
            self.shown = self.batch.show(self.gun)

        def update(self, dt: float) -> None:
            self.ship.angle += math.pi / 2

    game = make(Ships, tick_rate=10)
    game.advance(0)
    game.advance(0.15)
    assert game.timestep.alpha == pytest.approx(0.5)
    assert centroid(game.pixels()) == pytest.approx(
        (50 + 30 * math.sqrt(0.5), 50 + 30 * math.sqrt(0.5)), abs=0.1
    )
    second_node = game.nodes.add(position=(5, 5))
    game.batch.show(second_node, color=(1, 0, 0, 1))
    game.ship.remove()
    assert len(game.batch) == 1
    game.advance(0)
    assert centroid(game.pixels()) == pytest.approx((5, 5), abs=0.1)
    assert second_node.row == 0


# -- meshes ----------------------------------------------------------------------------------------


def middle(pixels: np.ndarray, channel: int) -> tuple[float, float]:
    """Return the middle of the pixels of one color, in pixels from the bottom left."""
    y, x = np.nonzero((pixels[..., channel] > 60) & (pixels[..., (channel + 1) % 3] < 50))
    return x.mean() + 0.5, pixels.shape[0] - y.mean() - 0.5


class Tank(fw.Game):
    """A red hull, and a green ball at the end of its gun, drawn from above."""

    def setup(self) -> None:
        self.nodes = fw.Nodes3D()
        self.hull = self.nodes.add()
        self.gun = self.nodes.add(self.hull, position=(0, 0, -2))
        red = fw.Material((1, 0, 0), unlit=True)
        green = fw.Material((0, 1, 0), unlit=True)
        self.hulls = self.add(fw.NodeMeshes(fw.Mesh.cube(), self.nodes, [self.hull], material=red))
        self.balls = self.add(
            fw.NodeMeshes(fw.Mesh.sphere(), self.nodes, [self.gun], material=green)
        )
        self.world.camera.ortho_height = 10
        self.world.camera.position = (0, 20, 0)
        self.world.camera.look_at((0, 0, 0), up=(0, 0, -1))

    def update(self, dt: float) -> None:
        self.hull.rotation = quaternions.from_axis((0, 1, 0), -math.pi / 2 * self.tick)


def test_a_mesh_is_drawn_at_its_node_between_ticks(make: Any) -> None:
    game = make(Tank, tick_rate=10)
    game.advance(0)
    game.advance(0.15)
    assert middle(game.pixels(), 0) == pytest.approx((100, 50), abs=0.5)
    assert middle(game.pixels(), 1) == pytest.approx(
        (100 + 20 * math.sqrt(0.5), 50 + 20 * math.sqrt(0.5)), abs=0.5
    )
    uploaded = driven(game.balls).uploaded_bytes
    game.advance(0.01)
    assert driven(game.balls).uploaded_bytes == uploaded + 64  # one matrix per frame
    game.hull.remove()
    assert len(game.hulls) == len(game.balls) == 0
    game.advance(0.01)
    assert not (game.pixels()[..., :2] > 60).any()


def test_transparent_meshes_of_nodes_have_their_own_colors_and_may_be_hidden(make: Any) -> None:
    class Panes(fw.Game):
        def setup(self) -> None:
            nodes = self.nodes = fw.Nodes3D()
            rows = [nodes.add(position=(0, height, 0)) for height in (2, 0, 1)]
            glass = fw.Material(unlit=True, alpha_mode="blend")
            self.panes = self.add(fw.NodeMeshes(fw.Mesh.plane((4, 4)), nodes, rows, material=glass))
            self.panes.color[:] = (0, 0, 1, 0.5), (1, 0, 0, 0.5), (0, 1, 0, 0.5)
            self.world.camera.ortho_height = 10
            self.world.camera.position = (0, 20, 0)
            self.world.camera.look_at((0, 0, 0), up=(0, 0, -1))

    game = make(Panes)
    game.advance(0)
    # The upper panes cover the lower panes, in any order of rows.
    assert game.pixels()[50, 100, :3].astype(int) == pytest.approx([32, 64, 128], abs=2)
    game.panes.visible[0] = False
    game.advance(0)
    assert game.pixels()[50, 100, :3].astype(int) == pytest.approx([64, 128, 0], abs=2)


def test_nodes_of_several_batches_are_stored_once_per_tick(make: Any) -> None:
    game = make(Tank, tick_rate=10, timestep=None)
    game.advance(0)
    game.hull.position = (0, 0, 0)
    game.advance(0.1)
    game.hull.position = (1, 0, 0)
    assert game.hull.drawn_position(0.0)[0] == pytest.approx(0.0)


def test_a_skin_bends_a_mesh_by_its_joints(make: Any) -> None:
    class Bent(fw.Game):
        def setup(self) -> None:
            nodes = self.nodes = fw.Nodes3D()
            for x in (-3.0, 0.0):
                root = nodes.add(position=(x, 0, 0))
                nodes.add(root, position=(0, 0, -1), rotation=QUARTER if x else (0, 0, 0, 1))
            ball = fw.Mesh.sphere(0.4)
            mesh = fw.Mesh(
                ball.positions + np.array([0, 0, -2], "f4"), ball.indices
            )  # beyond the second joint
            inverse = np.tile(np.eye(4), (2, 1, 1))
            inverse[1, 3, 2] = 1
            joints = np.tile([0, 1, 0, 0], (len(mesh.positions), 1))
            skin = fw.Skin([0, 1], inverse, joints, np.tile([0, 3.0, 0, 0], (len(joints), 1)))
            white = fw.Material((1, 0, 0), unlit=True)
            self.meshes = self.add(fw.NodeMeshes(mesh, nodes, [0, 2], material=white, skin=skin))
            self.world.camera.ortho_height = 10
            self.world.camera.position = (0, 20, 0)
            self.world.camera.look_at((0, 0, 0), up=(0, 0, -1))

    game = make(Bent)
    game.advance(0)
    pixels = game.pixels()
    assert middle(pixels[:, :90], 0) == pytest.approx((60, 60), abs=0.5)  # bent to the left
    assert middle(pixels[:, 90:], 0) == pytest.approx((10, 70), abs=0.5)  # straight


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"nodes": []}, "nodes: expected 1 to 1,024 joints"),
        ({"inverse": np.eye(4)}, "inverse: expected finite numbers of shape"),
        (
            {"joints": [[0, 1, 2, 0]]},
            "joints: expected whole numbers from 0 to 1, got some from 0 to 2",
        ),
        ({"nodes": []}, "nodes: expected 1 to [0-9,]+ joints, got 0"),
        ({"weights": [[1, math.nan, 0, 0]]}, "weights: expected finite numbers"),
        ({"weights": [[1, -1, 0, 0]]}, "weights: expected numbers of at least 0"),
    ],
)
def test_a_bad_skin_is_a_value_error_that_names_the_argument(
    bad: dict[str, Any], words: str
) -> None:
    arguments = {
        "nodes": [0, 1],
        "inverse": None,
        "joints": [[0, 1, 0, 0]],
        "weights": [[1, 0, 0, 0]],
    }
    fw.Skin(**arguments)
    with pytest.raises(ValueError, match=words):
        fw.Skin(**{**arguments, **bad})


def test_skin_weights_are_normalized_and_default_to_the_first_joint() -> None:
    skin = fw.Skin([5, 6], None, [[0, 1, 0, 0], [1, 0, 0, 0]], [[1, 3, 0, 0], [0, 0, 0, 0]])
    assert skin.weights.tolist() == [[0.25, 0.75, 0, 0], [1, 0, 0, 0]]
    world = np.tile(np.eye(4), (7, 1, 1))
    world[5:, 3, 0] = 4, 8
    positions = np.float32([(1, 2, 3), (0, 0, 0)])
    assert skin.skinned(positions, world, 0).tolist() == [[8, 2, 3], [8, 0, 0]]
    with pytest.raises(ValueError, match=r"nodes: expected 1 to 1,024 joints, got 1,025"):
        fw.Skin(np.arange(1025), None, [[0, 0, 0, 0]], [[1, 0, 0, 0]])


def test_joint_spheres_enclose_the_vertices_of_each_joint() -> None:
    inverse = np.tile(np.eye(4), (3, 1, 1))
    inverse[2, 3, 1] = -10
    positions = np.float32([(1, 0, 0), (3, 0, 0), (0, 10, 7)])
    joints = [[0, 2, 0, 0], [0, 0, 0, 0], [2, 1, 0, 0]]
    skin = fw.Skin([4, 5, 6], inverse, joints, np.tile((1, 0, 0, 0), (3, 1)))
    balls = [
        (node, middle.tolist(), radius) for node, middle, radius in skin.joint_spheres(positions)
    ]
    assert balls == [(4, [2, 0, 0], 1), (6, [0, 0, 7], 0)]
    world = np.tile(np.eye(4, dtype=np.float32), (30, 1, 1))
    world[:, 3, 0] = np.arange(30)
    positions = skin.matrices(world, np.array([10, 20], np.int32))[:, :, 3, :2]  # of two copies
    assert positions.tolist() == [[[14, 0], [15, 0], [16, -10]], [[24, 0], [25, 0], [26, -10]]]


def test_node_batches_accept_only_nodes() -> None:
    with pytest.raises(TypeError, match="nodes: expected a Nodes3D"):
        fw.NodeMeshes(fw.Mesh.cube(), [1])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="nodes: expected a Nodes2D"):
        fw.NodeSprites(None, fw.Nodes3D())  # type: ignore[arg-type]


def test_the_world_rotation_of_a_node_ignores_the_scale() -> None:
    nodes = fw.Nodes3D()
    parent = nodes.add(rotation=QUARTER, scale=(2, 3, 2))
    child = nodes.add(parent, rotation=QUARTER, scale=3)
    assert child.drawn_rotation(1.0) == pytest.approx((0, 1, 0, 0), abs=1e-6)


@pytest.mark.parametrize("scale", [(-1, 1, 1), (1, -2, 1), (-1, -1, -3), (0, 1, 1), (3, 1, 1)])
def test_mirrored_flat_and_sheared_nodes_have_a_drawn_pose(
    scale: Any,
) -> None:
    nodes = fw.Nodes3D()
    turn = quaternions.from_axis((1, 2, 3), 1.1)
    node = nodes.add(position=(1, 2, 3), rotation=turn, scale=scale)
    below = nodes.add(node, rotation=quaternions.from_axis((1, 1, 0), 0.7))
    meshes = fw.NodeMeshes(fw.Mesh.cube(), nodes, [node, below])
    assert node.drawn_rotation(1.0) == pytest.approx(turn, abs=1e-6)  # as for a row of a MeshBatch
    assert meshes[0].drawn_position(1.0) == (1, 2, 3)
    assert repr(meshes[1]) == "<Instance at (1.0, 2.0, 3.0)>"
    if abs(np.prod(scale)) == 1:  # without shear the matrix is the rotation with mirrored axes
        plain = nodes.add(node, rotation=below.rotation)
        signs = np.diag(np.sign(scale))
        expected = signs @ plain.drawn_matrix(1.0)[:3, :3]
        assert quaternions.matrix_one(np.array(plain.drawn_rotation(1.0))) == pytest.approx(
            expected, abs=1e-5
        )


def test_a_mirrored_node_in_the_plane_has_a_drawn_rotation() -> None:
    nodes = fw.Nodes2D()
    parent = nodes.add(angle=0.3, scale=(-1, 1))
    child = nodes.add(parent, angle=0.5)
    assert child.drawn_rotation(1.0) == pytest.approx(
        quaternions.from_axis((0, 0, 1), 0.3 - 0.5), abs=1e-6
    )


def test_nodes_have_the_velocity_columns_of_their_motion() -> None:
    nodes = fw.Nodes3D(motion="hermite")
    node = nodes.add()
    node.velocity = (1, 2, 3)
    node.angular_velocity = (0, 4, 0)
    assert (node.velocity, node.angular_velocity) == ((1, 2, 3), (0, 4, 0))
    assert nodes.velocity.tolist() == [[1, 2, 3]]
    with pytest.raises(AttributeError, match="velocity"):
        fw.Nodes2D().add().velocity = 1, 2


def test_an_instance_of_node_meshes_has_the_drawn_pose_of_its_node(make: Any) -> None:
    game = make()
    nodes = fw.Nodes3D()
    hull = nodes.add(position=(1, 2, 3))
    gun = nodes.add(hull, position=(0, 1, 0))
    guns = game.add(fw.NodeMeshes(fw.Mesh.cube(), nodes, [gun]))
    game.run(1)
    hull.rotation = quaternions.from_axis((0, 0, 1), 1.0)
    for alpha in (0.0, 0.5, 1.0):
        assert guns[0].drawn_position(alpha) == gun.drawn_position(alpha)
        assert guns[0].drawn_rotation(alpha) == gun.drawn_rotation(alpha)
    assert guns[0].drawn_position(1.0) == pytest.approx((1 - math.sin(1), 2 + math.cos(1), 3))


@pytest.mark.parametrize("column", ["position", "rotation", "scale"])
def test_node_meshes_refuse_pose_columns(column: str) -> None:
    nodes = fw.Nodes3D()
    node = nodes.add()
    meshes = fw.NodeMeshes(fw.Mesh.cube(), nodes)
    for call in (meshes.show, lambda node, **pose: meshes.add(**pose)):
        with pytest.raises(TypeError, match=f"{column}: not a column"):
            call(node, **{column: 1.0})
    assert len(meshes) == 0


def test_a_node_attached_in_a_tick_is_drawn_at_its_new_position_at_once() -> None:
    nodes = fw.Nodes3D()
    ship, moon, cargo, still = (nodes.add(position=(x, 0, 0)) for x in (10, 20, 1, 2))
    nodes.begin_tick(0.1)
    nodes.attach(cargo, ship)
    cargo.position = (0, 3, 0)
    still.position = (0, 3, 0)
    nodes.end_tick()
    assert cargo.drawn_position(0.0) == cargo.drawn_position(0.5) == (10, 3, 0)
    assert still.drawn_position(0.0) == (2, 0, 0)
    nodes.begin_tick(0.1)
    cargo.position = (0, 5, 0)
    cargo.parent = moon
    nodes.end_tick()
    assert cargo.drawn_position(0.0) == cargo.drawn_position(1.0) == (20, 5, 0)


def test_a_new_parent_set_by_the_column_affects_only_that_node() -> None:
    nodes = fw.Nodes2D()
    ship, cargo, still = (nodes.add(position=(x, 0)) for x in (100, 10, 0))

    def drawn_after_a_tick_to(x: float) -> list[float]:
        nodes.begin_tick(1)
        nodes.parent = [-1, ship.row, -1]
        cargo.position = still.position = (x, 0)
        nodes.end_tick()
        return [node.drawn_position(0.5)[0] for node in (cargo, still)]

    assert drawn_after_a_tick_to(4) == [104, 2]
    assert drawn_after_a_tick_to(6) == [105, 5]  # cargo has that parent already


def test_a_refused_attachment_changes_nothing() -> None:
    nodes = fw.Nodes3D()
    top = nodes.add()
    child = nodes.add(top)
    nodes.begin_tick(0.1)
    with pytest.raises(ValueError, match="0 → 1 → 0"):
        nodes.attach(top, child)
    top.position = (4, 0, 0)
    nodes.end_tick()
    assert nodes.parent.tolist() == [-1, 0]
    assert top.drawn_position(0.5) == (2, 0, 0)


@pytest.mark.parametrize("parent", [2, 7, -2])
def test_the_error_names_the_first_missing_parent(parent: int) -> None:
    nodes = fw.Nodes3D()
    nodes.extend(2)
    with pytest.raises(ValueError, match=f"there are 2 nodes, and node 1 has the parent {parent}"):
        nodes.parent = [-1, parent]
    assert nodes.parent.tolist() == [-1, -1]


def test_removing_a_node_removes_only_its_own_sprite() -> None:
    nodes = fw.Nodes2D()
    ships = [nodes.add(position=(10 * row, 0)) for row in range(3)]
    batch = fw.NodeSprites(np.full((2, 2, 4), 255, np.uint8), nodes)
    first, second, third = (batch.show(ship) for ship in ships)
    first.remove()
    ships[1].remove()
    assert second.removed
    assert not third.removed
    assert third.drawn_position(1.0) == (20, 0)


def test_a_node_sprite_has_the_drawn_position_of_its_node(make: Any) -> None:
    game = make()
    nodes = fw.Nodes2D()
    ship = nodes.add(position=(10, 0))
    gun = game.add(fw.NodeSprites(np.full((2, 2, 4), 255, np.uint8), nodes)).show(
        nodes.add(ship, position=(1, 0))
    )
    game.run(2)
    nodes.begin_tick(0.1)
    ship.position = 50, 4
    nodes.end_tick()
    assert gun.drawn_position(0.5) == (31, 2)
    assert gun.drawn_position(1.0) == (51, 4)


def test_the_node_column_of_sprites_may_be_written(make: Any) -> None:
    game = make()
    nodes = fw.Nodes2D()
    nodes.extend(3, position=[(10, 0), (20, 0), (30, 0)])
    batch = game.add(fw.NodeSprites(np.full((2, 2, 4), 255, np.uint8), nodes))
    gun = batch.show(2)
    batch.extend(2, node=[0, -1])
    assert batch.node.tolist() == [2, 0, -1]
    assert batch.node.dtype == np.int32
    batch.node[0] = 1
    assert gun.drawn_position(1.0) == (20, 0)
    batch.node = 0
    assert gun.drawn_position(1.0) == (10, 0)
    game.advance(0)
    assert batch.position.tolist() == [[10, 0]] * 3
    for number in (3, -2):
        batch.node[1] = number
        with pytest.raises(
            ValueError, match=rf"^node: row 1 asks for number {number}, there are 3 nodes"
        ):
            game.advance(0)


@pytest.mark.parametrize(("number", "cull"), [(7, False), (-1, False), (7, True)])
def test_a_missing_node_is_an_error_that_names_the_row(make: Any, number: int, cull: bool) -> None:
    game = make()
    nodes = fw.Nodes3D()
    cubes = game.add(fw.NodeMeshes(fw.Mesh.cube(), nodes, [nodes.add(), nodes.add()]))
    cubes.cull = cull
    cubes.node[1] = number
    with pytest.raises(
        ValueError, match=rf"^node: row 1 asks for number {number}, there are 2 nodes"
    ):
        game.advance(0)
