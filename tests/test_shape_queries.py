"""Physics queries with a shape: bodies that overlap a shape, and the first body that it hits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework import collide
from framework.errors import FrameworkError
from framework.physics.simulation import Wall

pytest.importorskip("rapier3d", reason="Rapier is not installed: pip install 'subtick[physics]'")
pytest.importorskip("pymunk", reason="pymunk is not installed: pip install 'subtick[pymunk]'")

SHAPES: list[tuple[str, dict[str, Any]]] = [
    ("circle", {"radius": 9}),
    ("box", {"size": (30, 6)}),
    ("capsule", {"size": (6, 28)}),
    ("polygon", {"points": [(0, 0), (25, 3), (25, 12), (12, 12), (3, 25)]}),
]


def rows_at(*positions: tuple[float, float], angle: float = 0) -> fw.Transforms2D:
    table = fw.Transforms2D()
    table.extend(len(positions))
    table.position[:] = positions
    table.angle[:] = angle
    return table


def solids_at(*positions: tuple[float, float, float]) -> fw.Transforms3D:
    table = fw.Transforms3D()
    table.extend(len(positions))
    table.position[:] = positions
    return table


def scene(engine: str) -> fw.Physics2D:
    """Boxes, circles, capsules and a corner of turned lines."""
    dice = np.random.default_rng(5)
    physics = fw.Physics2D(engine=engine)
    physics.add_line([(0, -20), (300, -20), (320, 100)], radius=4)
    shapes: list[dict[str, Any]] = [
        {"size": (20, 14)},
        {"shape": "circle", "radius": 8},
        {"shape": "capsule", "size": (8, 30)},
    ]
    for options in shapes:
        positions = dice.uniform(0, 300, (12, 2)).tolist()
        physics.add(rows_at(*positions, angle=dice.uniform(0, 6)), kind="static", **options)
    return physics


def numbers(targets: list[Any]) -> list[int]:
    return [-1 if isinstance(target, Wall) else target.row for target in targets]


def test_both_engines_find_the_same_bodies() -> None:
    dice = np.random.default_rng(0)
    rapier = scene("rapier")
    munk = scene("pymunk")
    count = differences = 0
    for number in range(120):
        shape, options = SHAPES[number % 4]
        position = dice.uniform(-20, 320, 2)
        angle = dice.uniform(0, 6)
        first = rapier.query_shape(shape, position, angle=angle, **options)
        second = munk.query_shape(shape, position, angle=angle, **options)
        count += len(first)
        differences += numbers(first) != numbers(second)
        if shape == "circle":
            ahead = dice.uniform(-200, 200, 2)
            hit = rapier.shapecast(shape, position, ahead, **options)
            munk_hits = munk.shapecast(shape, position, ahead, **options)
            if not first:
                assert (hit is None) == (munk_hits is None)
            if hit is not None and munk_hits is not None and hit.fraction and munk_hits.fraction:
                assert numbers([hit.target]) == numbers([munk_hits.target])
                assert hit.distance == pytest.approx(munk_hits.distance, abs=0.05)
                assert hit.normal == pytest.approx(munk_hits.normal, abs=0.01)
    assert count > 30
    assert differences <= 1  # a shape that just touches a body


def test_a_cast_shape_is_free_until_its_hit_and_touches_there() -> None:
    dice = np.random.default_rng(1)
    physics = scene("rapier")
    hits = 0
    for number in range(60):
        shape, options = SHAPES[number % 4]
        options = {**options, "angle": dice.uniform(0, 6)}
        start = dice.uniform(-20, 320, 2)
        ahead = dice.uniform(-200, 200, 2)
        if physics.query_shape(shape, start, **options):
            continue
        hit = physics.shapecast(shape, start, ahead, **options)
        length = float(np.linalg.norm(ahead))
        direction = ahead / length
        free = length if hit is None else hit.distance - 1
        for distance in np.arange(0, free, 6):
            assert not physics.query_shape(shape, start + direction * distance, **options)
        if hit is not None:
            hits += 1
            assert hit.position == pytest.approx(start + direction * hit.distance, abs=1e-3)
            assert hit.fraction == pytest.approx(hit.distance / length)
            assert math.hypot(*hit.normal) == pytest.approx(1, abs=1e-3)
            assert np.dot(hit.normal, direction) < 1e-3
            inside = np.array(hit.position) - np.array(hit.normal)
            assert hit.target in physics.query_shape(shape, inside, **options)
    assert hits > 12


@pytest.mark.parametrize("engine", ["rapier", "pymunk"])
def test_a_ray_has_the_thickness_of_its_radius(engine: str) -> None:
    physics = fw.Physics2D(engine=engine)
    physics.add(rows_at((50, 0)), size=(10, 10))
    # The middle of the ray passes the box at a distance of 4 units.
    hit = physics.raycast((0, 9), (100, 0), radius=5)
    assert hit is not None
    assert hit.fraction == pytest.approx(0.42, abs=1e-3)
    hit = physics.shapecast("circle", (0, 9), (100, 0), radius=5)
    assert hit is not None
    assert hit.distance == pytest.approx(42, abs=0.05)
    assert physics.raycast((0, 9.1), (100, 0), radius=4) is None


@pytest.mark.parametrize("radius", [0, 2])
def test_a_ray_that_starts_inside_a_body_hits_it_only_with_pymunk(radius: float) -> None:
    for engine in ("rapier", "pymunk"):
        physics = fw.Physics2D(engine=engine)
        box = rows_at((50, 0))
        physics.add(box, size=(10, 10))
        hit = physics.raycast((49, 1), (100, 0), radius=radius)
        if engine == "rapier":
            assert hit is None
        else:
            assert hit is not None
            assert (hit.fraction, hit.point) == (0, (49, 1))


@pytest.mark.parametrize("engine", ["rapier", "pymunk"])
def test_a_body_at_the_start_stops_only_shapes_that_move_into_it(engine: str) -> None:
    physics = fw.Physics2D(engine=engine)
    tiles = np.zeros((6, 6), bool)
    tiles[4:] = True
    ground = physics.add_static(collide.TileGrid(tiles, 16))
    line = physics.add_line([(200, 0), (300, 0)], radius=20)
    box = rows_at((400, 0))
    physics.add(box, size=(20, 20))
    for start, target in (((40, 36), ground), ((250, 22), line), ((400, 13), None)):
        down = physics.shapecast("circle", start, (0, -9), radius=5)
        assert down is not None
        assert (down.fraction, down.distance, down.position) == (0, 0, start)
        assert target is None or down.target is target
        assert down.normal[1] > 0.9
        assert physics.shapecast("circle", start, (0, 90), radius=5) is None
        assert physics.shapecast("circle", start, (0, 0), radius=5) is None


def test_a_thick_line_is_solid_for_shapes() -> None:
    physics = fw.Physics2D()
    line = physics.add_line([(0, 0), (300, 0)], radius=20)
    for shape, options in SHAPES:
        assert physics.query_shape(shape, (100, -10), **options) == [line]
    small: list[tuple[str, dict[str, Any]]] = [("circle", {"radius": 2}), ("box", {"size": (4, 3)})]
    for shape, options in small:
        hit = physics.shapecast(shape, (100, 5), (0, -50), **options)
        assert hit is not None
        assert (hit.target, hit.fraction) == (line, 0)
        assert hit.normal == pytest.approx((0, 1))
        assert physics.shapecast(shape, (100, 5), (0, 50), **options) is None


def test_many_shapes_are_cast_at_once_and_turned() -> None:
    physics = fw.Physics2D()
    bodies = physics.add(rows_at((50, 0), (50, 40)), size=(10, 10))
    plank = {"size": (20, 2), "angle": math.pi / 2}
    hits = physics.shapecast("box", [(0, 0), (0, 14.5), (0, 20), (0, 80)], (100, 0), **plank)
    assert [hit and (hit.target.row, round(hit.distance, 2)) for hit in hits] == [
        (0, 44),
        (0, 44),
        None,
        None,
    ]
    assert numbers(physics.query_shape("box", (50, 20), size=(45, 2), angle=math.pi / 2)) == [0, 1]
    assert (
        physics.query_shape("box", (50, 20), size=(45, 2), angle=math.pi / 2, exclude=bodies) == []
    )
    concave = [(-30, -30), (30, -30), (30, -20), (-20, -20), (-20, 30), (-30, 30)]
    assert physics.query_shape("polygon", (60, 10), points=concave) == []
    assert numbers(physics.query_shape("polygon", (60, 20), points=concave)) == [0]


def test_shape_queries_in_space() -> None:
    physics = fw.Physics3D(gravity=(0, 0, 0))
    floor = physics.add_floor()
    physics.add(solids_at((0, 3, 0), (4, 3, 0)), size=(1, 1, 1))
    sphere = fw.Mesh.sphere(0.5)
    shapes: list[tuple[str, dict[str, Any]]] = [
        ("ball", {"radius": 0.5}),
        ("box", {"size": (1, 1, 1)}),
        ("cylinder", {"size": (1, 1, 1)}),
        ("capsule", {"size": (1, 1.5, 1)}),
        ("cone", {"size": (1, 1, 1)}),
        ("hull", {"mesh": sphere}),
        ("ball", {"mesh": sphere}),
    ]
    for shape, options in shapes:
        assert numbers(physics.query_shape(shape, (0, 2.8, 0), **options)) == [0]
        assert physics.query_shape(shape, (2, 3, 0), **options) == []
        hit = physics.shapecast(shape, (2, 3, 0), (5, 0, 0), **options)
        assert hit is not None
        assert hit.target.row == 1
        assert hit.distance == pytest.approx(1, abs=0.26 if shape == "cone" else 0.01)
        assert hit.normal == pytest.approx((-1, 0, 0), abs=0.01)
        hit = physics.shapecast(shape, (2, 3, 0), (0, -5, 0), **options)
        assert hit is not None
        assert hit.target is floor
        assert hit.distance == pytest.approx(2.25 if shape == "capsule" else 2.5, abs=0.01)
        assert physics.shapecast(shape, (2, 3, 0), (0, 5, 0), **options) is None
    tilted = (0, 0, math.sin(math.pi / 8), math.cos(math.pi / 8))
    plank: dict[str, Any] = {"size": (3, 0.1, 0.5)}
    assert physics.query_shape("box", (2, 3, 0), rotation=tilted, **plank) == []
    assert numbers(physics.query_shape("box", (2, 3, 0), **plank)) == [0, 1]
    assert numbers(physics.query_shape("box", (2.2, 3, 0), **plank)) == [1]
    hits = physics.shapecast("box", [(2, 3, 0), (2, 3, 2)], (9, 0, 0), rotation=tilted, **plank)
    assert [hit and hit.target.row for hit in hits] == [1, None]


def test_queries_change_nothing() -> None:
    def run(asks: bool) -> list[Any]:
        physics = fw.Physics2D(gravity=(0, -900))
        physics.add_line([(-50, 0), (200, 0)])
        boxes = rows_at(*[(20 * n, 20 + 5 * n) for n in range(6)])
        physics.add(boxes, size=(16, 16))
        for _ in range(40):
            physics.advance(1 / 60)
            if asks:
                physics.query_shape("box", (20, 10), size=(50, 50))
                physics.shapecast("capsule", (0, 40), (90, -50), size=(4, 9))
        return [boxes.position.tolist(), physics.world.snapshot()]

    assert run(True) == run(False)


def test_wrong_shapes_are_refused() -> None:
    plane = fw.Physics2D()
    munk = fw.Physics2D(engine="pymunk")
    space = fw.Physics3D()
    calls: list[tuple[Any, str]] = [
        (lambda: plane.query_shape("box", (0, 0)), "size: expected the width"),
        (lambda: plane.query_shape("circle", (0, 0)), "radius: expected the radius"),
        (lambda: plane.query_shape("polygon", (0, 0)), "points: a polygon needs"),
        (lambda: plane.query_shape("ball", (0, 0), radius=3), "shape: expected one of 'box'"),
        (lambda: plane.query_shape("circle", (0, 0), radius=3, size=(2, 2)), "size: only"),
        (lambda: plane.query_shape("circle", (1e13, 0), radius=3), "position: expected numbers"),
        (lambda: plane.shapecast("circle", (0, 0), (1e300, 0), radius=3), "displacement: expected"),
        (lambda: plane.shapecast("circle", (0, 0), (1, 0), radius=1e300), "radius: expected"),
        (lambda: plane.shapecast("box", [(0, 0)] * 2, [(0, 0)] * 3, size=(1, 1)), "displacement:"),
        (lambda: space.query_shape("circle", (0, 0, 0), radius=3), "shape: expected one of 'box'"),
        (lambda: space.query_shape("mesh", (0, 0, 0), mesh=fw.Mesh.cube()), "shape: expected"),
        (lambda: space.query_shape("hull", (0, 0, 0)), "mesh: expected the mesh"),
        (lambda: space.query_shape("ball", (0, 0, 0)), "radius: expected the radius"),
        (lambda: space.query_shape("cone", (0, 0, 0)), "size: expected the width"),
        (
            lambda: space.shapecast("ball", (0, 0, 0), (1, 0, 0), radius=1, rotation=(0, 0, 0, 0)),
            "rotation: expected a quaternion",
        ),
    ]
    for call, words in calls:
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(FrameworkError, match=r"pymunk can cast only 'circle'.*engine='rapier'"):
        munk.shapecast("box", (0, 0), (9, 0), size=(2, 2))
