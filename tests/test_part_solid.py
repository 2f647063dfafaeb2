"""Partly solid tiles: half tiles, slopes and other collision shapes of Tiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import solid
from PIL import Image

import framework as fw
from framework import collide, paths
from framework.geometry.tileedges import outline
from framework.light2d.light2d_walls import TileWalls

FLIP_X = 0x80000000
FLIP_Y = 0x40000000
SWAP = 0x20000000

# 1: a whole tile, 2: the lower half, 3: a slope, 4: a triangle under the ceiling, 5: the lower half
# with the property solid, 6: a one-way half, 7: a post of two shapes, 8: a polygon that crosses
# itself
TILES = """<tileset firstgid="1" name="t" tilewidth="16" tileheight="16" tilecount="8" columns="8">
<image source="t.png" width="128" height="16"/>
<tile id="0"><objectgroup><object x="0" y="0" width="16" height="16"/></objectgroup></tile>
<tile id="1"><objectgroup><object x="0" y="8" width="16" height="8"/></objectgroup></tile>
<tile id="2"><objectgroup><object x="0" y="16"><polygon points="0,0 16,0 16,-8"/></object></objectgroup></tile>
<tile id="3"><objectgroup><object x="0" y="0"><polygon points="0,0 16,0 0,16"/></object></objectgroup></tile>
<tile id="4"><properties><property name="solid" type="bool" value="true"/></properties>
<objectgroup><object x="0" y="8" width="16" height="8"/></objectgroup></tile>
<tile id="5"><properties><property name="one_way" type="bool" value="true"/></properties>
<objectgroup><object x="0" y="8" width="16" height="8"/></objectgroup></tile>
<tile id="6"><objectgroup><object x="6" y="4" width="4" height="12"/>
<object x="2" y="0" width="12" height="4"/></objectgroup></tile>
<tile id="7"><objectgroup><object x="0" y="0"><polygon points="0,4 16,12 16,2 0,10"/></object></objectgroup></tile>
</tileset>"""


def layer_of(folder: Path, rows: list[list[int]]) -> Any:
    """Return the layer "ground" of a map with these tiles."""
    Image.new("RGBA", (128, 16), "white").save(folder / "t.png")
    numbers = ",".join(str(number) for row in rows for number in row)
    height = len(rows)
    width = len(rows[0])
    path = folder / "level.tmx"
    path.write_text(
        f'<map orientation="orthogonal" width="{width}" height="{height}" tilewidth="16" '
        f'tileheight="16">{TILES}<layer name="ground" width="{width}" height="{height}">'
        f'<data encoding="csv">{numbers}</data></layer></map>'
    )
    return fw.TileMap(path)["ground"]


def test_the_shapes_of_a_tile_make_it_solid_or_partly_solid(tmp_path: Path) -> None:
    layer = layer_of(tmp_path, [[1, 2, 3, 4, 5, 6, 7, 8]])
    assert layer.solid.tolist() == [[True, False, False, False, True, False, False, False]]
    assert layer.part_solid.tolist() == [[False, True, False, True, False, False, True, True]]
    assert layer.one_way.tolist() == [[False] * 5 + [True, False, False]]
    assert layer.slopes[0, 2].tolist() == [0, 0.5]
    shapes = layer.tile_shapes
    assert len(shapes) == 5
    assert shapes[0].tolist() == [[16, 8], [32, 8], [32, 0], [16, 0]]
    assert shapes[1].tolist() == [[48, 16], [64, 16], [48, 0]]
    with pytest.raises(ValueError, match="read-only"):
        layer.part_solid[0, 0] = True


def test_shapes_are_flipped_and_move_with_their_tiles_and_layer(tmp_path: Path) -> None:
    tile = 4 + FLIP_X
    layer = layer_of(tmp_path, [[2 + FLIP_Y, tile, 2 + SWAP, 2 + SWAP + FLIP_X]])
    layer.position = 100, 10
    bounds = [
        (*shape.min(axis=0).tolist(), *shape.max(axis=0).tolist()) for shape in layer.tile_shapes
    ]
    assert sorted(bounds) == [
        (100, 18, 116, 26),
        (116, 10, 132, 26),
        (140, 10, 148, 26),
        (148, 10, 156, 26),
    ]
    (triangle,) = [shape for shape in layer.tile_shapes if len(shape) == 3]
    assert [132.0, 10.0] in triangle.tolist()  # on the right, under the ceiling
    layer.tiles[0, :] = 0, 2, 1, 0
    assert [shape.min(axis=0).tolist() for shape in layer.tile_shapes] == [[116, 10]]
    assert layer.part_solid.tolist() == [[False, True, False, False]]
    assert layer.solid.tolist() == [[False, False, True, False]]


def walk(layer: Any, start: tuple[float, float], ticks: int, **options: Any) -> tuple[Any, Any]:
    position = np.array([start], np.float32)
    for _ in range(ticks):
        position, flags = collide.move(position, (6, 12), (1.5, -4), layer, **options)
    return position[0], flags


def test_characters_walk_on_half_tiles(tmp_path: Path) -> None:
    rows = [[0] * 6, [0, 0, 0, 0, 0, 0], [0, 2, 2, 3, 1, 1]]
    layer = layer_of(tmp_path, rows)
    position, flags = walk(layer, (20, 40), 20)
    assert flags.on_floor[0]
    assert position[1] == 8 + 6  # on the half tiles, without stops between the tiles
    assert position[0] == 50
    assert not flags.on_right[0]
    standing, _ = walk(layer, (34, 40), 8)
    assert standing[1] == 14
    blocked, flags = walk(layer_of(tmp_path, [[0, 0, 0], [2, 2, 1]]), (6, 20), 30)
    assert blocked.tolist() == [32 - 3, 14]  # a step of half a tile
    assert flags.on_right[0]
    climbed, _ = walk(layer_of(tmp_path, [[0, 0, 0], [2, 2, 1]]), (6, 20), 26, step=8.0)
    assert climbed[0] > 40
    assert climbed[1] == 16 + 6
    post, flags = walk(layer_of(tmp_path, [[0, 7, 0], [1, 1, 1]]), (4, 40), 30)
    assert post.tolist() == [22 - 3, 22]
    assert flags.on_right[0]


def test_a_body_jumps_against_the_lower_side_of_a_shape(tmp_path: Path) -> None:
    layer = layer_of(tmp_path, [[2], [0], [0]])
    position, flags = collide.move([(8, 20)], (6, 12), [(0, 30)], layer)
    assert position.tolist() == [[8, 26]]
    assert flags.on_ceiling.tolist() == [True]


def test_a_partly_solid_tile_blocks_paths_and_rays(tmp_path: Path) -> None:
    layer = layer_of(tmp_path, [[0, 2, 0], [0, 2, 0]])
    assert not paths.line_of_sight(layer, (8, 24), (40, 24)).any()
    assert len(paths.find(layer, (8, 24), (40, 24))) == 0


def test_the_outline_has_no_side_between_neighbors(tmp_path: Path) -> None:
    layer = layer_of(tmp_path, [[0, 0, 0, 0], [2, 2, 1, 2]])
    sides = {tuple(map(tuple, side)) for side in outline(layer).round(6).tolist()}
    assert sides == {
        ((32, 8), (0, 8)),
        ((0, 0), (64, 0)),
        ((0, 8), (0, 0)),
        ((32, 16), (32, 8)),
        ((48, 16), (32, 16)),
        ((48, 8), (48, 16)),
        ((64, 8), (48, 8)),
        ((64, 0), (64, 8)),
    }


@pytest.mark.parametrize("engine", ["rapier", "pymunk"])
def test_bodies_lie_and_roll_on_half_tiles(tmp_path: Path, engine: str) -> None:
    layer = layer_of(tmp_path, [[0] * 40, [2] * 38 + [8, 4]])
    physics: Any = fw.Physics2D(gravity=(0, -900), engine=engine)
    physics.add_static(layer)
    balls: Any = fw.SpriteBatch(solid(8, 8), 3)
    balls.position[:] = (20, 13), (200, 60), (500, 13)
    bodies = physics.add(balls, shape="circle")
    bodies.velocity[0] = 200, 0
    heights = []
    for _ in range(60):
        physics.advance(1 / 60)
        heights.append(float(balls.position[0, 1]))
    assert balls.position[0, 0] > 150  # the ball was not stopped
    assert max(heights[5:]) - min(heights[5:]) < 0.3
    assert balls.position[:, 1] == pytest.approx(12, abs=0.5)


def test_a_body_in_a_half_tile_is_pushed_out(tmp_path: Path) -> None:
    layer = layer_of(tmp_path, [[0, 0, 0], [7, 2, 4], [1, 1, 1]])
    physics: Any = fw.Physics2D(gravity=(0, 0))
    physics.add_static(layer)
    balls: Any = fw.SpriteBatch(solid(4, 4), 1)
    balls.position[0] = 24, 19
    physics.add(balls, shape="circle")
    for _ in range(120):
        physics.advance(1 / 60)
    assert balls.position[0, 1] > 24


def test_2d_light_stops_at_the_shapes_of_tiles(tmp_path: Path) -> None:
    layer = layer_of(tmp_path, [[2, 0]])
    walls = TileWalls(layer)
    assert walls.segments[..., 1].max() == 8
    layer.tiles[0, 0] = 2 + FLIP_Y
    assert walls.segments[..., 1].max() == 16
    layer.tiles[0, 0] = 0
    assert len(walls.segments) == 0


class Ground(fw.Game):
    """Crates on half tiles. The game removes three of the tiles."""

    folder = Path()

    def setup(self) -> None:
        self.layer = layer_of(self.folder, [[0] * 8, [2] * 8])
        self.add(self.layer)
        self.physics = fw.Physics2D(self, gravity=(0, -900))
        self.wall = self.physics.add_static(self.layer)
        self.crates = self.add(fw.SpriteBatch(solid(8, 8), 6))
        self.crates.position[:] = [(12 + 20 * row, 30 + row) for row in range(6)]
        self.physics.add(self.crates)

    def update(self, dt: float) -> None:
        if self.tick == 20:
            self.layer.tiles[1, 3:6] = 0
            self.wall.remove()
            self.wall = self.physics.add_static(self.layer)


def test_a_game_on_half_tiles_is_restored(tmp_path: Path) -> None:
    Ground.folder = tmp_path
    fw.sync_test(Ground, ticks=40).check()
