"""Bodies with one collider per node of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.geometry import quaternions
from framework.models.parts import Part

pytest.importorskip(
    "rapier3d", reason="rapier3d is not installed: pip install 'subtick[physics3d]'"
)


def table_model() -> fw.Model:
    """Return a table: a top of 2 x 0.2 x 2 at a height of 1, four legs, and a node without a mesh."""
    wood = fw.Material()
    legs = [(x, -0.5, z) for x in (-0.9, 0.9) for z in (-0.9, 0.9)]
    return fw.Model.of(
        [
            Part(fw.Mesh.box((2, 0.2, 2)), wood, [1]),
            Part(fw.Mesh.box((0.2, 1, 0.2)), wood, [2, 3, 4, 5]),
        ],
        names=["root", "top", "leg.1", "leg.2", "leg.3", "leg.4"],
        parent=[-1, 0, 1, 1, 1, 1],
        position=[(0, 0, 0), (0, 1, 0), *legs],
    )


def tables(**options: Any) -> tuple[fw.Physics3D, Any, Any]:
    physics = fw.Physics3D()
    physics.add_floor()
    batch = fw.ModelBatch(table_model(), 2)
    batch.position[:] = (0, 0.6, 0), (6, 0.6, 0)
    return physics, batch, physics.add(batch, **options)


def run(physics: fw.Physics3D, ticks: int) -> None:
    for _ in range(ticks):
        physics.advance(1 / 60)


@pytest.mark.parametrize(
    "options",
    [
        {"parts": True},
        {"parts": ["top", "leg*"], "shape": "hull"},
        {"parts": {"top": "box", "leg.?": "cylinder"}},
    ],
)
def test_a_table_stands_on_its_legs_and_is_open_below(options: dict[str, Any]) -> None:
    physics, batch, bodies = tables(mass=8, **options)
    assert len(bodies[0].colliders) == 5
    assert bodies[0].mass == pytest.approx(8, rel=1e-5)
    run(physics, 90)
    assert batch.position[:, 1] == pytest.approx([0, 0], abs=0.02)
    assert physics.raycast((0, 0.5, -5), (0, 0, 10)) is None  # the ray passes between the legs
    top, leg = physics.raycast([(0, 5, 0), (0.9, 0.5, -5)], [(0, -10, 0), (0, 0, 10)])
    assert top is not None
    assert leg is not None
    assert top.target == leg.target == batch[0]
    assert top.point[1] == pytest.approx(1.1, abs=0.02)
    # The top has a volume of 0.8 and the legs have at most 0.16, so the center of mass is high.
    assert bodies[0].center_of_mass.y > 0.85


def test_parts_have_the_scale_of_their_row() -> None:
    physics = fw.Physics3D()
    batch = fw.ModelBatch(table_model(), 1)
    batch.scale[0] = 2, 1, 3
    physics.add(batch, parts=["top"], kind="static")
    hits = physics.raycast([(1.9, 5, 2.9), (2.1, 5, 0)], (0, -10, 0))
    assert [hit is not None for hit in hits] == [True, False]


def test_a_body_of_parts_collides_and_can_be_removed() -> None:
    physics, batch, bodies = tables(parts=True, layer="table")
    ball = fw.Transforms3D()
    ball.extend(1)
    ball.position[0] = 0, 5, 0
    physics.add(ball, shape="ball", radius=0.3, layer="ball")
    entered = []
    for _ in range(120):
        run(physics, 1)
        entered += physics.entered("ball", "table")
    assert [pair[1] for pair in entered] == [batch[0]]  # five colliders belong to one body
    physics.remove(bodies)
    run(physics, 120)
    assert ball.position[0, 1] == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"parts": ["lid"]},
            "parts: no node with a mesh is called 'lid'; there are 'top', 'leg.1'",
        ),
        ({"parts": ["root"]}, "parts: no node with a mesh is called 'root'"),
        ({"parts": []}, "parts: expected at least one node"),
        ({"parts": False}, "parts: expected True"),
        ({"parts": 3}, "parts: expected"),
        ({"parts": "top"}, "parts: expected"),
        ({"parts": {"top": "blob"}}, "parts: expected one of 'box'"),
        ({"parts": True, "shape": "mesh"}, "cannot move"),
        ({"parts": True, "shape": "blob"}, "shape: expected one of"),
        ({"parts": True, "size": (1, 1, 1)}, "size: parts= takes the shapes from the nodes"),
        ({"parts": True, "mesh": fw.Mesh.cube()}, "mesh: parts= takes"),
    ],
)
def test_invalid_parts_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        tables(**options)


def test_only_models_have_parts() -> None:
    physics = fw.Physics3D()
    with pytest.raises(ValueError, match="parts: only a ModelBatch has parts"):
        physics.add(fw.MeshBatch(fw.Mesh.cube(), 1), parts=True)


def test_a_mesh_with_a_hole_is_solid_beside_the_hole() -> None:
    physics = fw.Physics3D()
    ring = [(x, z) for x in (-1, 0, 1) for z in (-1, 0, 1) if x or z]
    pieces = [fw.Mesh.plane((2, 2)).transformed((2 * x, 0, 2 * z)) for x, z in ring]
    physics.add_static(fw.Mesh.merged(*pieces))
    balls = fw.Transforms3D()
    balls.extend(2)
    balls.position[:] = (0, 1, 0), (2, 1, 0)
    bodies = physics.add(balls, shape="ball", radius=0.3)
    run(physics, 90)
    assert balls.position[0, 1] < -3
    assert balls.position[1, 1] == pytest.approx(0.3, abs=0.03)
    assert bodies.sleeping[1]


def test_parts_are_restored(make: Callable[..., Any]) -> None:
    class Fall(fw.Game):
        def setup(self) -> None:
            self.physics = fw.Physics3D(self)
            self.physics.add_floor()
            self.tables = self.add(fw.ModelBatch(table_model(), 3))
            self.tables.position[:] = (0, 2, 0), (0.5, 4, 0.3), (0, 6, 0)
            self.tables.rotation[1] = quaternions.from_axis((0, 0, 1), 0.5)
            self.physics.add(self.tables, parts=True)

    game = make(Fall, drawing=False)
    game.run_ticks(30)
    before = game.snapshot()
    game.run_ticks(60)
    end = game.state_hash()
    game.restore(before)
    game.run_ticks(60)
    assert game.state_hash() == end
    assert np.isfinite(game.tables.position).all()
