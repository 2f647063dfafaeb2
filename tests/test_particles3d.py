"""Particles in space: drawing through a camera, directions, light, emitters and snapshots."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from drawings import driven
from pictures import blob, centroid, solid

import framework as fw
from framework import quaternions
from framework.particles.particle_system import simulation_of

Make = Callable[..., Any]
LIVELY: dict[str, Any] = {
    "lifetime": (0.5, 2.0),
    "speed": (1, 4),
    "spread": 1.0,
    "direction": (1, 1, 0),
    "gravity": (0, -3, 1),
    "damping": 0.7,
    "noise": (0.3, 0.8),
    "size": fw.Curve(0.2, 1, 0.1),
    "color": fw.Curve("#fc8a", "#08f2"),
    "tint": ["#fff", "#f80"],
    "scale": (0.5, 1.5),
    "angle": (-2, 2),
    "angular_velocity": (-5, 5),
    "emission_size": (1, 0.5, 2),
}


def game_with_dust(make: Make, image: Any = None, **options: Any) -> Any:
    """Return a game with a camera at z = 10 that looks along -z. Ten units are as high as the
    image, so a unit has 10 pixels."""
    game = make(fw.Game, tick_rate=20, frame_rate=20)
    game.world.camera.ortho_height = 10.0
    game.world.camera.position = 0, 0, 10
    game.world.camera.teleport()
    game.dust = game.add(fw.Particles3D(blob(21, 3) if image is None else image, **options))
    return game


def colors(game: fw.Game, x: int = 100, y: int = 50) -> Any:
    return game.pixels()[y, x, :3].tolist()


@pytest.mark.parametrize("center", [(0, 0, 0), (1e6, 2e6, -1e6)])
def test_particles_are_drawn_at_their_pose_near_and_far_from_the_origin(
    make: Make, center: Any
) -> None:
    options = LIVELY | {
        "emission_size": (8, 6, 2),
        "lifetime": 3,
        "color": "#fff",
        "size": 2,
        "scale": 1,
        "tint": "#fff",
    }
    random = np.random.default_rng(3)
    for seed in range(5):
        game = game_with_dust(make, blend="add", **options, seed=seed)
        game.world.camera.position = np.add(center, (0, 0, 10))
        game.world.camera.teleport()
        game.dust.emit(1, center)
        game.run(int(random.integers(1, 14)))
        alpha = game.advance(float(random.uniform(0.01, 0.04)))
        x, y, _ = game.dust.pose(alpha)[0][0] - center
        assert math.dist(centroid(game.pixels()), (100 + 10 * x, 50 + 10 * y)) <= 0.1


def test_the_drawn_size_angle_and_color_agree_with_pose(make: Make) -> None:
    game = game_with_dust(
        make,
        solid(12, 6),
        lifetime=2,
        size=fw.Curve(2, 6),
        color=fw.Curve("#fff", "#f00"),
        angle=0.4,
        angular_velocity=1.2,
    )
    game.dust.emit()
    game.run(20)  # one second, drawn one tick in the past
    _, size, angle, color = game.dust.pose(0.0)
    lit = np.argwhere(game.pixels()[..., 0] > 60)
    spread = np.linalg.eigh(np.cov(lit.T))
    assert size[0] == pytest.approx(2 + 4 * 0.95 / 2)
    assert math.sqrt(spread[0][1] * 12) == pytest.approx(10 * size[0], rel=0.02)
    up, right = spread[1][:, 1]
    assert math.atan2(-up, right) % math.pi == pytest.approx(float(angle[0]), abs=0.04)
    assert color[0].tolist() == pytest.approx([1, 0.525, 0.525, 1], abs=1e-3)
    assert colors(game) == pytest.approx([255, *[255 * 0.525 ** (1 / 2.2)] * 2], abs=4)


def test_the_pixels_are_the_same_at_20_40_and_120_frames_a_second(make: Make) -> None:
    pictures: list[list[bytes]] = []
    for rate in (20, 40, 120):
        game = make(fw.Game, tick_rate=30, frame_rate=rate)
        game.world.camera.position = 0, 0, 10
        dust = game.add(fw.Particles3D(blob(9, 2), **LIVELY, align=True))
        ball = game.add(fw.MeshBatch(fw.Mesh.cube(), 1))[0]
        dust.emitter(ball, 200, inherit=0.3)
        game.update = lambda dt, ball=ball: setattr(
            ball, "position", np.add(ball.position, (6 * dt, dt, 0))
        )
        pictures.append([])
        for _ in range(8):
            game.run(rate // 20)
            pictures[-1].append(game.pixels().tobytes())
    assert pictures[0] == pictures[1] == pictures[2]
    assert len(set(pictures[0])) == 8


def test_aligned_particles_point_along_their_drawn_direction(make: Make) -> None:
    game = game_with_dust(make, solid(12, 2), lifetime=9, size=4, align=True, velocity=(3, 3, 5))
    for eye, slope in (((0, 0, 10), 1), ((0, 0, -10), -1)):
        game.world.camera.position = eye
        game.world.camera.look_at((0, 0, 0))
        game.world.camera.teleport()
        game.dust.clear()
        game.dust.emit()
        game.run(1)
        y, x = np.argwhere(game.pixels()[..., 0] > 100).T
        assert np.corrcoef(x, -y)[0, 1] * slope > 0.9


def test_directions_are_uniform_in_the_cone() -> None:
    dust = fw.Particles3D(capacity=20_000, speed=1, direction=(2, 1, -2), spread=0.5)
    dust.emit(20_000)
    cosine = simulation_of(dust).births.rows()["velocity"] @ (np.array([2, 1, -2]) / 3)
    assert cosine.min() == pytest.approx(math.cos(0.5), abs=1e-4)
    # of the area of a spherical cap, which has a uniform distribution
    share = (1 - cosine) / (1 - math.cos(0.5))
    assert np.abs(np.histogram(share, 10, (0, 1))[0] / 2000 - 1).max() < 0.1
    everywhere = fw.Particles3D(capacity=20_000, speed=1)
    everywhere.emit(20_000)
    assert np.abs(simulation_of(everywhere).births.rows()["velocity"].mean(axis=0)).max() < 0.02


def test_meshes_hide_particles_and_additive_colors_add_up(make: Make) -> None:
    game = game_with_dust(make, solid(8, 8), size=2, lifetime=9, blend="add")
    game.add(fw.MeshBatch(fw.Mesh.cube(2), 1, material=fw.Material((0, 0, 1), unlit=True)))
    game.dust.emit(1, (0, 0, -3), tint="#f00")
    game.dust.emit(1, (6, 0, 0), tint="#f00")
    game.dust.emit(1, (6, 0, -3), tint="#0f0")
    game.run(1)
    assert colors(game) == [0, 0, 255]
    assert colors(game, 160) == [255, 255, 0]


def test_soft_particles_fade_at_the_ground_and_lit_particles_need_light(make: Make) -> None:
    columns = []
    for soft in (0.0, 1.5):
        game = make(fw.Game)
        camera = game.world.camera
        camera.ortho_height = 10.0
        camera.position = (0, 6, 8)
        camera.look_at((0, 0, 0))
        camera.teleport()
        game.add(
            fw.MeshBatch(fw.Mesh.plane((40, 40)), 1, material=fw.Material((0, 0, 0), unlit=True))
        )
        puff = game.add(
            fw.Particles3D(solid(8, 8, (255, 0, 0, 255)), size=4, lifetime=9, soft=soft)
        )
        puff.emit(1, (0, 0, 0))
        game.run(1)
        columns.append(game.pixels()[::-1, 100, 0].astype(int))
    hard, faded = columns
    assert np.abs(np.diff(hard)).max() > 120
    assert np.diff(faded[: int(np.argmax(hard > 120)) + 12]).max() < 60
    assert faded.max() == 255
    for lit, dark in ((True, True), (False, False)):
        game = game_with_dust(make, size=3, lifetime=9, lit=lit)
        for name in ("sun_color", "sky_color", "ground_color"):
            setattr(game.world, name, (0, 0, 0))
        game.dust.emit()
        game.run(1)
        assert (colors(game) == [0, 0, 0]) == dark


def test_an_emitter_turns_with_an_instance_and_a_node(make: Make) -> None:
    turn = tuple(quaternions.from_axis((0, 1, 0), math.pi / 2).tolist())
    for kind in ("instance", "node"):
        game = game_with_dust(make, lifetime=9)
        if kind == "instance":
            target: Any = game.add(fw.MeshBatch(fw.Mesh.cube(), 1))[0]
        else:
            nodes = fw.Nodes3D()
            target = nodes.add()
            game.add(fw.NodeMeshes(fw.Mesh.cube(), nodes, [target]))
        target.rotation = turn
        target.teleport()
        game.run(1)
        game.dust.emitter(target, 20, direction=(0, 0, -1), spread=0, speed=3, offset=(0, 0, 2))

        def update(dt: float, target: Any = target) -> None:
            target.position = np.add(target.position, (0, 1, 0))

        game.update = update
        game.run(2)
        rows = simulation_of(game.dust).births.rows()
        assert np.allclose(rows["position"], [(2, 1, 0), (2, 2, 0)], atol=1e-5)
        assert np.allclose(rows["velocity"], [(-3, 0, 0)] * 2, atol=1e-5)


def test_a_restored_snapshot_has_the_same_image(make: Make) -> None:
    game = game_with_dust(make, **LIVELY)
    game.dust.emitter((0, 0, 0), 70)
    game.run(12)
    first = game.pixels()
    snapshot = game.snapshot()
    first_hash = game.state_hash()
    game.run(9)
    later = game.pixels()
    game.restore(snapshot)
    assert game.state_hash() == first_hash
    game.run(9)
    assert np.array_equal(game.pixels(), later)
    assert not np.array_equal(first, later)


def test_only_new_births_are_uploaded(make: Make) -> None:
    game = game_with_dust(make, lifetime=9)
    game.dust.emitter((0, 0, 0), 100)
    game.run(3)
    assert simulation_of(game.dust).births.type.itemsize == 76
    assert driven(game.dust).uploaded_bytes == 15 * 76
    for _ in range(3):
        game.advance(0.01)
    assert driven(game.dust).uploaded_bytes == 15 * 76
    game.advance(0.03)
    assert driven(game.dust).uploaded_bytes == 20 * 76


def test_the_error_of_a_bad_option_names_it(make: Make) -> None:
    for options, words in [
        ({"blend": "multiply"}, "blend: expected one of 'alpha', 'add', got 'multiply'"),
        ({"direction": (0, 0, 0)}, "direction: expected three numbers that are not all 0"),
        ({"gravity": (0, 1)}, "gravity: expected three finite numbers"),
        ({"soft": -1}, "soft: expected a finite number"),
        ({"capacity": 0}, "capacity: expected a whole number from 1"),
    ]:
        with pytest.raises(ValueError, match=f"^{words}"):
            fw.Particles3D(**options)
    with pytest.raises(TypeError, match=r"^direction: expected three finite numbers, got 1.5"):
        fw.Particles3D(direction=1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^position: "):
        fw.Particles3D().emit(1, (1, 2))
    game = game_with_dust(make)
    with pytest.raises(ValueError, match=r"^solid: already added to this world"):
        game.add(game.dust)


def test_tab_completion_shows_no_internal_names() -> None:
    names = {name for name in dir(fw.Particles3D) if name[0] != "_"}
    assert names == {name for name in dir(fw.Particles) if name[0] != "_"}
