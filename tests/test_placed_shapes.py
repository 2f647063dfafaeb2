"""Walls of the physics in the shape of the objects of a tile map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as fw

pytest.importorskip("rapier3d", reason="Rapier is not installed: pip install 'subtick[physics]'")
pytest.importorskip("pymunk", reason="pymunk is not installed: pip install 'subtick[pymunk]'")

# Objects have the class "rock", and the shape as their name. The map is 320 x 160 units.
MAP = """<map version="1.10" orientation="orthogonal" width="20" height="10" tilewidth="16"
 tileheight="16"><objectgroup name="rocks">
 <object id="1" name="rectangle" class="rock" x="10" y="100" width="40" height="20" rotation="20"/>
 <object id="2" name="ellipse" class="rock" x="70" y="100" width="40" height="20"><ellipse/></object>
 <object id="3" name="circle" class="rock" x="130" y="100" width="20" height="20"><ellipse/></object>
 <object id="4" name="polygon" class="rock" x="170" y="130">
  <polygon points="0,0 40,0 40,-20 30,-20 30,-10 0,-10"/></object>
 <object id="5" name="polyline" class="rock" x="230" y="100">
  <polyline points="0,0 30,10 60,0"/></object>
 <object id="6" name="point" x="300" y="20"><point/></object>
 <object id="7" name="thin" x="300" y="20"><polygon points="0,0 40,0 20,0"/></object>
 <object id="8" name="lonely" x="300" y="20"><polyline points="0,0 0,0"/></object>
</objectgroup></map>"""


@pytest.fixture
def objects(tmp_path: Path) -> Any:
    path = tmp_path / "level.tmx"
    path.write_text(MAP)
    return fw.TileMap(path).objects


@pytest.mark.parametrize("engine", ["rapier", "pymunk"])
def test_objects_of_a_map_are_walls(objects: Any, engine: str) -> None:
    physics = fw.Physics2D(gravity=(0, -900), engine=engine)
    walls = {rock.name: physics.add_static(rock, layer="rock") for rock in objects.of("rock")}

    def at(x: float, y: float) -> list[str]:
        hits = physics.query_shape("circle", (x, y), radius=0.5)
        return [name for name, wall in walls.items() if wall in hits]

    assert at(25, 45) == ["rectangle"]
    assert at(6, 42) == at(12, 41) == ["rectangle"]
    assert (
        at(45, 58) == at(12, 35) == []
    )  # the rectangle is turned about its top left corner, clockwise
    assert at(90, 50) == at(71.5, 50) == ["ellipse"]
    assert at(73, 58) == []
    assert at(140, 58) == ["circle"]
    assert at(205, 45) == at(172, 35) == ["polygon"]
    assert at(190, 45) == []
    assert at(260, 50.5) == ["polyline"]
    assert at(260, 56) == []

    balls = fw.Transforms2D()
    balls.extend(4)
    balls.position[:] = (80, 90), (141, 90), (186, 90), (262, 90)
    physics.add(balls, shape="circle", radius=3, layer="ball")
    lowest = np.full(4, 200.0)
    for _ in range(60):
        physics.advance(1 / 60)
        lowest = np.minimum(lowest, balls.position[:, 1])
    assert lowest[2] == pytest.approx(43, abs=2)  # in the corner of the polygon
    assert lowest[3] == pytest.approx(54, abs=2)  # in the valley of the polyline
    assert (lowest[:2] < 0).all()  # rolled off
    for wall in walls.values():
        wall.remove()
    assert physics.query_area((0, 0), (320, 160), layers=["rock"]) == []


def test_objects_without_area_are_refused(objects: Any) -> None:
    physics = fw.Physics2D()
    for name in ("point", "thin", "lonely"):
        with pytest.raises(ValueError, match=f"tiles: .*MapObject '{name}'"):
            physics.add_static(objects[name])
    with pytest.raises(TypeError, match="tiles: expected a TileGrid"):
        physics.add_static(objects)
