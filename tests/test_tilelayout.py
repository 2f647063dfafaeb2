"""Tile layouts: positions of tiles, compared with the formulas in Tiled's documentation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from framework.geometry.tilelayout import TileLayout
from framework.geometry.visible_tiles import CellSpacing

SHAPES: list[dict[str, Any]] = [
    {"orientation": "orthogonal", "tile_size": (16, 24)},
    {"orientation": "isometric", "tile_size": (64, 32)},
    {"orientation": "isometric", "tile_size": (31, 15)},
    *[
        {"orientation": "oblique", "tile_size": (16, 12), "skew": skew}
        for skew in ((0, 0), (5, 0), (-5, 0), (0, 3), (0, -3), (7, -4), (-40, 2))
    ],
    *[
        {
            "orientation": kind,
            "tile_size": size,
            "stagger_axis": axis,
            "stagger_index": index,
            "hex_side": side,
        }
        for kind, size, side in (
            ("staggered", (64, 32), 0),
            ("staggered", (15, 9), 0),
            ("hexagonal", (60, 51), 30),
            ("hexagonal", (14, 12), 6),
        )
        for axis in "xy"
        for index in ("odd", "even")
    ],
]


def layouts(**more: Any) -> list[TileLayout]:
    return [TileLayout(7, 5, **{**shape, **more}) for shape in SHAPES]


def tiled_center(grid: TileLayout, column: int, row: int) -> tuple[float, float]:
    """Return the center of a tile from the top left corner, y down, by the formulas of Tiled's
    renderers: orthogonal, isometric, or HexagonalRenderer::tileToScreenCoords plus half a tile.
    A staggered map is a hexagonal map without sides."""
    width, height = grid.tile_size
    if grid.orientation == "orthogonal":
        return (column + 0.5) * width, (row + 0.5) * height
    if grid.orientation == "isometric":
        x = column + 0.5
        y = row + 0.5
        return (x - y) * width / 2 + grid.rows * width / 2, (x + y) * height / 2
    if grid.orientation == "oblique":
        right, down = grid.skew
        x = column + 0.5
        y = row + 0.5
        left = max(0, -right * grid.rows)
        top = max(0, -down * grid.columns)
        return left + x * width + y * right, top + y * height + x * down
    width = width - width % 2
    height = height - height % 2
    along_x = grid.stagger_axis == "x"
    side = grid.hex_side if grid.orientation == "hexagonal" else 0
    side_x, side_y = (side, 0) if along_x else (0, side)
    column_width = (width - side_x) // 2 + side_x
    row_height = (height - side_y) // 2 + side_y
    number = column if along_x else row
    shifted = bool(number & 1) ^ (grid.stagger_index == "even")
    if along_x:
        x = column * column_width
        y = row * (height + side_y) + shifted * row_height
    else:
        x = column * (width + side_x) + shifted * column_width
        y = row * row_height
    return x + width / 2, y + height / 2


@pytest.mark.parametrize("grid", layouts(), ids=repr)
def test_tiles_have_the_positions_of_tiled_with_y_up(grid: TileLayout) -> None:
    rows, columns = np.mgrid[0:5, 0:7]
    centers = grid.centers(columns, rows)
    assert centers.shape == (5, 7, 2)
    for row in range(5):
        for column in range(7):
            x, y = tiled_center(grid, column, row)
            assert centers[row, column].tolist() == [x, grid.size[1] - y]


@pytest.mark.parametrize("grid", layouts(), ids=repr)
def test_the_size_of_a_layout_is_the_size_of_its_cells(grid: TileLayout) -> None:
    rows, columns = np.mgrid[0:5, 0:7]
    even = [length - length % 2 for length in grid.tile_size]
    cell = np.array(grid.tile_size if grid.orientation in ("orthogonal", "isometric") else even)
    centers = grid.centers(columns, rows).reshape(-1, 2)
    box = cell + np.abs(grid.skew)  # the box around a skewed cell
    low = centers.min(0) - box / 2
    high = centers.max(0) + box / 2
    if grid.orientation == "isometric":  # the four tips touch
        assert (high - low).tolist() == list(grid.size)
    assert low.tolist() == [0, 0]
    assert high.tolist() == list(grid.size)


@pytest.mark.parametrize("grid", layouts(), ids=repr)
def test_centers_and_points_near_them_are_in_their_cells(grid: TileLayout) -> None:
    rows, columns = np.mgrid[-2:8, -3:9]
    cells = np.stack([columns, rows], -1)
    shifts = ((0, 0), (2.9, 1.2), (-2.9, -1.2))
    if grid.orientation == "oblique":  # in a cell, along the sides of the cell
        width, height = grid.tile_size
        right, down = grid.skew
        sides = np.array([(width, -down), (right, -height)])
        shifts = [(x, y) @ sides for x in (-0.49, 0, 0.49) for y in (-0.49, 0.49)]
    for shift in shifts:
        assert (grid.cells(grid.centers(columns, rows) + shift) == cells).all()


@pytest.mark.parametrize(
    "grid", [grid for grid in layouts() if grid.orientation in ("staggered", "hexagonal")], ids=repr
)
def test_a_point_is_in_the_cell_with_the_nearest_center(grid: TileLayout) -> None:
    """The distance in a staggered map is measured along x and y, because its cells are rhombuses."""
    points = np.random.default_rng(1).uniform((0, 0), grid.size, (400, 2))
    rows, columns = np.mgrid[-2:8, -2:10]
    apart = np.abs(grid.centers(columns, rows).reshape(-1, 1, 2) - points)
    cell_columns, cell_rows = grid.cells(points).T
    chosen = np.abs(grid.centers(cell_columns, cell_rows) - points)
    if grid.orientation == "staggered":
        width, height = (length - length % 2 for length in grid.tile_size)
        nearest = (apart / (width, height)).sum(-1).min(0)
        distances = (chosen / (width, height)).sum(-1)
    else:
        nearest = np.hypot(*np.moveaxis(apart, -1, 0)).min(0)
        distances = np.hypot(*chosen.T)
    np.testing.assert_allclose(distances, nearest, atol=1e-9)


@pytest.mark.parametrize("grid", layouts(), ids=repr)
def test_the_camera_has_a_cell_of_its_neighborhood_everywhere(grid: TileLayout) -> None:
    """The shader counts cells from there, so that far tiles have exact positions."""
    for column, row in ((0, 0), (3, 4), (1000, 0), (0, 1000), (-70, 4000)):
        near_row, near_column = CellSpacing(grid).near(*grid.centers(column, row).tolist())
        assert near_row % 2 == near_column % 2 == 0
        assert abs(near_row - row) <= 3
        assert abs(near_column - column) <= 3


def test_hexagons_meet_halfway_between_their_centers() -> None:
    grid = TileLayout(9, 9, (60, 52), "hexagonal", hex_side=26)
    (first,) = grid.centers([4], [4])
    (second,) = grid.centers([4], [5])
    assert grid.cells(first * 0.51 + second * 0.49).tolist() == [4, 4]
    assert grid.cells(first * 0.49 + second * 0.51).tolist() == [4, 5]


def test_objects_of_an_isometric_map_use_the_axes_of_the_tiles() -> None:
    grid = TileLayout(7, 5, (64, 32), "isometric")
    assert grid.points((32 * 2.5, 32 * 3.5)).tolist() == grid.centers(2, 3).tolist()
    assert grid.points([[0, 0]]).tolist() == [[5 * 32, grid.size[1]]]  # the top corner of the map
    assert grid.picture_points((10, 20)).tolist() == [10, grid.size[1] - 20]


def test_objects_of_an_oblique_map_are_skewed_but_images_are_not() -> None:
    grid = TileLayout(7, 5, (16, 12), "oblique", skew=(-5, 3))
    corner = np.array([25, grid.size[1]])  # the top left corner of the first cell
    assert grid.points((0, 0)).tolist() == grid.picture_points((0, 0)).tolist() == corner.tolist()
    assert grid.picture_points((10, 20)).tolist() == (corner + (10, -20)).tolist()
    assert grid.points((16 * 2.5, 12 * 3.5)).tolist() == grid.centers(2, 3).tolist()


@pytest.mark.parametrize(
    "grid", [g for g in layouts() if g.orientation not in ("isometric", "oblique")], ids=repr
)
def test_objects_of_other_maps_use_pixels(grid: TileLayout) -> None:
    assert grid.points((10, 20)).tolist() == [10, grid.size[1] - 20]
    assert grid.picture_points((10, 20)).tolist() == [10, grid.size[1] - 20]


@pytest.mark.parametrize("shape", SHAPES, ids=repr)
def test_a_grid_with_another_first_cell_is_a_part_of_the_whole(shape: dict[str, Any]) -> None:
    """In an infinite map, tiles, objects and images keep their relative positions."""
    whole = TileLayout(20, 16, **shape)
    part = TileLayout(6, 5, origin=(3, 7), rows_in_file=16, **shape)
    columns = np.arange(6)
    rows = np.arange(5)[:, None]
    apart = whole.centers(columns + 3, rows + 7) - part.centers(columns, rows)
    assert (apart == apart[0, 0]).all()
    for cells in ((0, 0), (77, -5)):
        points_apart = (whole.points(cells) - part.points(cells)).tolist()
        assert points_apart == pytest.approx(apart[0, 0].tolist())
        assert (whole.picture_points(cells) - part.picture_points(cells)).tolist() == apart[
            0, 0
        ].tolist()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"tile_size": (0, 8)}, "tile_size: expected a whole number of at least 1"),
        (
            {"tile_size": (1, 8), "orientation": "staggered"},
            "tile_size: expected a whole number of at least 2",
        ),
        ({"orientation": "round"}, "orientation: "),
        (
            {"orientation": "hexagonal", "hex_side": 9},
            "hex_side: expected a whole number from 0 to 8",
        ),
        ({"stagger_axis": "z"}, "stagger_axis: "),
        ({"skew": (1, 0)}, r'skew: expected \(0, 0\) in orthogonal maps; only "oblique" maps'),
        ({"orientation": "oblique", "skew": (0.5, 0)}, "skew: expected a whole number"),
        ({"orientation": "oblique", "skew": (0, 1 << 16)}, "skew: expected a whole number from"),
        ({"orientation": "oblique", "skew": (4, 16)}, "skew: expected tiles with an area"),
        ({"stagger_index": 1}, "stagger_index: "),
        ({"columns": -1}, "columns: "),
    ],
)
def test_an_invalid_layout_is_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        TileLayout(**{"columns": 2, "rows": 2, "tile_size": (8, 8), **wrong})
