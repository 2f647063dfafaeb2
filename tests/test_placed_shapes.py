"""Physics walls in the shapes of the objects and tile objects of a tile map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import framework as fw

pytest.importorskip("rapier3d", reason="Rapier is not installed: pip install 'subtick[physics]'")
pytest.importorskip("pymunk", reason="pymunk is not installed: pip install 'subtick[pymunk]'")

# Objects have the class "rock", and their shape as their name. The map is 320 x 160 units.
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

    def walls_at(x: float, y: float) -> list[str]:
        hits = physics.query_shape("circle", (x, y), radius=0.5)
        return [name for name, wall in walls.items() if wall in hits]

    assert walls_at(25, 45) == ["rectangle"]
    assert walls_at(6, 42) == walls_at(12, 41) == ["rectangle"]
    assert (
        walls_at(45, 58) == walls_at(12, 35) == []
    )  # the rectangle is rotated clockwise about its top left corner
    assert walls_at(90, 50) == walls_at(71.5, 50) == ["ellipse"]
    assert walls_at(73, 58) == []
    assert walls_at(140, 58) == ["circle"]
    assert walls_at(205, 45) == walls_at(172, 35) == ["polygon"]
    assert walls_at(190, 45) == []
    assert walls_at(260, 50.5) == ["polyline"]
    assert walls_at(260, 56) == []

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


# A tile of 20 x 10 pixels whose lower left triangle is solid, with a circle in the upper right
# corner.
TILES = """<map version="1.10" orientation="orthogonal" width="20" height="10" tilewidth="16"
 tileheight="16"><tileset firstgid="1" name="t" tilewidth="20" tileheight="10" tilecount="2"
 columns="1"><image source="t.png" width="20" height="20"/><tile id="0"><objectgroup>
 <object id="1" x="0" y="0"><polygon points="0,0 20,10 0,10"/></object>
 <object id="2" x="16" y="0" width="4" height="4"><ellipse/></object>
 <object id="3" x="3" y="3"><point/></object></objectgroup></tile></tileset>
 <objectgroup name="rocks">OBJECTS</objectgroup></map>"""


def tile_object(folder: Path, gid: int, attributes: str = "") -> Any:
    element = f'<object id="9" gid="{gid}" x="100" y="100" width="40" height="20" {attributes}/>'
    path = folder / "tiles.tmx"
    path.write_text(TILES.replace("OBJECTS", element))
    Image.new("RGBA", (20, 20), "red").save(folder / "t.png")
    return fw.TileMap(path).objects[0]


def test_tile_objects_have_the_collision_shapes_of_their_tile(tmp_path: Path) -> None:
    # The bottom left corner of the object is at (100, 60), and the object is twice as large as the
    # tile.
    flip_x = 1 << 31
    flip_y = 1 << 30
    swap = 1 << 29
    corners = {
        0: [(100, 80), (140, 60), (100, 60)],
        flip_x: [(140, 80), (100, 60), (140, 60)],
        flip_y: [(100, 60), (140, 80), (100, 80)],
        swap: [(100, 100), (120, 60), (120, 100)],
        swap | flip_x: [(120, 100), (100, 60), (100, 100)],
    }
    for flips, expected in corners.items():
        triangle, circle = tile_object(tmp_path, 1 | flips).tile_shapes
        assert triangle.tolist() == [pytest.approx(corner) for corner in expected]
        assert np.ptp(circle, axis=0) == pytest.approx([8, 8], abs=0.2)
    rotated = tile_object(tmp_path, 1, 'rotation="90"')
    assert rotated.tile_shapes[0].tolist() == [
        pytest.approx(corner) for corner in ((120, 60), (100, 20), (100, 60))
    ]
    assert tile_object(tmp_path, 2).tile_shapes == []


@pytest.mark.parametrize("engine", ["rapier", "pymunk"])
def test_tile_objects_are_walls_and_bodies(tmp_path: Path, engine: str) -> None:
    rock = tile_object(tmp_path, 1)
    plain = tile_object(tmp_path, 2)
    physics = fw.Physics2D(engine=engine)
    wall = physics.add_static(rock)
    assert physics.query_point((105, 65)) == physics.query_point((136, 76)) == [wall]
    assert physics.query_point((125, 75)) == []
    wall.remove()
    wall = physics.add_static(plain)
    assert physics.query_point((125, 75)) == [wall]
    wall.remove()
    rows = fw.Transforms2D()
    rows.extend(1)
    rows.position[0] = 10, 20
    points = [polygon - rock.position for polygon in rock.tile_shapes]
    physics.add(rows, shape="polygon", points=points)
    assert len(physics.query_point((-5, 15))) == len(physics.query_point((26, 26))) == 1
    assert physics.query_point((15, 25)) == []
