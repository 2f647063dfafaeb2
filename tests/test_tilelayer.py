"""Tile layers: pixels compared with a plain renderer, uploads, collisions, state and errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from drawings import driven
from pictures import solid

import framework as fw
from framework import collide
from framework.errors import AssetError
from framework.tiles.tilefacts import TileFacts
from framework.tiles.tilelayer import checked_numbers

Make = Callable[..., Any]
X = fw.TileLayer.FLIP_X
Y = fw.TileLayer.FLIP_Y
SWAP = fw.TileLayer.SWAP
TURN = fw.TileLayer.TURN
BACK = (18, 20, 28)


def sheet(
    columns: int, rows: int, width: int, height: int, *, holes: bool = False, seed: int = 0
) -> np.ndarray:
    """Return tiles of noise as uint8: opaque, or with transparent pixels."""
    pixels = np.random.default_rng(seed).integers(
        0, 256, (rows * height, columns * width, 4), dtype=np.uint8
    )
    pixels[..., 3] = 255
    if holes:
        pixels[np.random.default_rng(seed + 1).random(pixels.shape[:2]) < 0.4] = 0
    return pixels


def random_tiles(
    shape: tuple[int, int], count: int, flags: int, *, full: float = 0.8, seed: int = 2
) -> np.ndarray:
    rng = np.random.default_rng(seed)
    tiles = rng.integers(1, count + 1, shape).astype(np.uint32)
    for flag in (X, Y, SWAP, TURN):
        if flags & flag:
            tiles |= np.where(rng.random(shape) < 0.5, flag, 0).astype(np.uint32)
    tiles[rng.random(shape) >= full] = 0
    return tiles


# -- a plain renderer, like Tiled's: y down, one tile after another --------------------------------


def cell_corners(
    shape: tuple[int, int],
    tile: tuple[int, int],
    orientation: str,
    axis: str,
    index: str,
    side: int,
    skew: tuple[int, int] = (0, 0),
) -> Any:
    """Return row, column, left and bottom (y down) of the cells in draw order, and the size of the
    map."""
    rows, columns = shape
    width, height = tile
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    if orientation == "orthogonal":
        placed = [(row, column, column * width, (row + 1) * height) for row, column in cells]
        return placed, (columns * width, rows * height)
    if orientation == "oblique":
        right, down = skew
        left = max(0, -right * rows)
        top = max(0, -down * columns)
        placed = [
            (
                row,
                column,
                left + column * width + (row + 1) * right,
                top + (row + 1) * height + column * down,
            )
            for row, column in cells
        ]
        return placed, (columns * width + rows * abs(right), rows * height + columns * abs(down))
    if orientation == "isometric":
        cells.sort(key=lambda cell: (cell[0] + cell[1], cell[1]))
        placed = [
            (
                row,
                column,
                (column - row + rows - 1) * width // 2,
                (row + column) * height // 2 + height,
            )
            for row, column in cells
        ]
        return placed, ((rows + columns) * width // 2, (rows + columns) * height // 2)
    shifted = [
        [(row, column)[axis == "x"] % 2 == (index == "odd") for column in range(columns)]
        for row in range(rows)
    ]
    if axis == "y":
        pitch = (height - side) // 2 + side
        placed = [
            (
                row,
                column,
                column * width + shifted[row][column] * width // 2,
                (row + 1) * pitch + (height - side) // 2,
            )
            for row, column in cells
        ]
        return placed, (
            columns * width + (width // 2 if rows > 1 else 0),
            rows * pitch + (height - side) // 2,
        )
    pitch = (width - side) // 2 + side
    cells.sort(key=lambda cell: (cell[0], shifted[cell[0]][cell[1]], cell[1]))
    placed = [
        (row, column, column * pitch, row * height + height + shifted[row][column] * height // 2)
        for row, column in cells
    ]
    return placed, (
        columns * pitch + (width - side) // 2,
        rows * height + (height // 2 if columns > 1 else 0),
    )


def turned(picture: np.ndarray, degrees: int) -> tuple[np.ndarray, int, int]:
    """Return an image rotated clockwise about its center, pixel by pixel, and how far its box
    extends."""
    height, width = picture.shape[:2]
    reach = math.ceil(math.hypot(width, height) / 2) + 1
    out = np.zeros((2 * reach, 2 * reach, 4), np.uint8)
    cos = math.cos(math.radians(degrees))
    sin = math.sin(math.radians(degrees))
    for row in range(2 * reach):
        for column in range(2 * reach):
            x = column + 0.5 - reach
            y = row + 0.5 - reach
            source = (
                math.floor(x * cos + y * sin + width / 2),
                math.floor(-x * sin + y * cos + height / 2),
            )
            if 0 <= source[0] < width and 0 <= source[1] < height:
                out[row, column] = picture[source[1], source[0]]
    return out, reach - width // 2, reach - height // 2


def render_plainly(
    pictures: list[np.ndarray],
    tiles: np.ndarray,
    tile: tuple[int, int],
    orientation: str = "orthogonal",
    axis: str = "y",
    index: str = "odd",
    side: int = 0,
    around: int = 0,
    offset: tuple[int, int] = (0, 0),
    skew: tuple[int, int] = (0, 0),
) -> np.ndarray:
    """Return the picture of a layer with a margin of `around` pixels: uint8 (height, width, 3)."""
    cells, (wide, high) = cell_corners(tiles.shape, tile, orientation, axis, index, side, skew)
    picture = np.empty((high + 2 * around, wide + 2 * around, 3), np.uint8)
    picture[:] = BACK
    for row, column, left, bottom in cells:
        cell = int(tiles[row, column])
        if not cell:
            continue
        pixels = pictures[(cell & 0xFFFFFFF) - 1]
        x = 0
        y = 0
        if orientation != "hexagonal" and cell & SWAP:
            pixels = pixels.swapaxes(0, 1)
        pixels = pixels[:, ::-1] if cell & X else pixels
        pixels = pixels[::-1] if cell & Y else pixels
        if orientation == "hexagonal" and cell & (SWAP | TURN):
            pixels, x, y = turned(pixels, (60 if cell & SWAP else 0) + (120 if cell & TURN else 0))
        left = left - x + around + offset[0]
        bottom = bottom + y + around + offset[1]
        top = bottom - len(pixels)
        right = left + pixels.shape[1]
        cut = pixels[
            max(0, -top) : max(0, len(picture) - top),
            max(0, -left) : max(0, picture.shape[1] - left),
        ]
        into = picture[max(0, top) : max(0, bottom), max(0, left) : max(0, right)]
        into[:] = np.where(cut[..., 3:] > 0, cut[..., :3], into)
    return picture


def pictures_of(pixels: np.ndarray, width: int, height: int) -> list[np.ndarray]:
    rows = pixels.shape[0] // height
    columns = pixels.shape[1] // width
    return [
        pixels[row * height : (row + 1) * height, column * width : (column + 1) * width]
        for row in range(rows)
        for column in range(columns)
    ]


def show_layer(
    make: Make,
    layer: fw.TileLayer,
    size: tuple[int, int],
    camera: tuple[float, float] | None = None,
) -> Any:
    """Return a game that shows a layer, after a frame."""
    game = make(size=size, background=tuple(channel / 255 for channel in BACK))
    game.add(layer)
    game.camera.position = (size[0] / 2, size[1] / 2) if camera is None else camera
    game.advance(0)
    return game


def rgb(game: Any) -> np.ndarray:
    return game.pixels()[..., :3]


SHAPES = [
    ("orthogonal", "y", "odd", 0, (16, 16), X | Y | SWAP),
    ("orthogonal", "y", "odd", 0, (16, 8), X | Y),
    ("isometric", "y", "odd", 0, (32, 16), X | Y),
    ("isometric", "y", "odd", 0, (16, 16), X | Y | SWAP),
    ("staggered", "y", "odd", 0, (32, 16), X | Y),
    ("staggered", "y", "even", 0, (32, 16), X | Y),
    ("staggered", "x", "odd", 0, (32, 16), X | Y),
    ("staggered", "x", "even", 0, (30, 18), X | Y),
    ("hexagonal", "y", "odd", 8, (28, 32), X | Y | SWAP | TURN),
    ("hexagonal", "y", "even", 8, (28, 32), X | Y),
    ("hexagonal", "x", "odd", 12, (32, 28), X | Y | SWAP | TURN),
    ("hexagonal", "x", "even", 12, (32, 28), TURN),
    ("hexagonal", "y", "odd", 9, (28, 32), X | Y),
    ("hexagonal", "x", "even", 11, (32, 28), X | Y),
]


@pytest.mark.parametrize(("orientation", "axis", "index", "side", "tile", "flags"), SHAPES)
def test_every_orientation_and_flip_equals_the_plain_renderer(
    make: Make,
    orientation: str,
    axis: str,
    index: str,
    side: int,
    tile: tuple[int, int],
    flags: int,
) -> None:
    pixels = sheet(3, 2, *tile, holes=orientation != "orthogonal")
    tiles = random_tiles((9, 11), 6, flags)
    layer = fw.TileLayer(
        fw.TileSet(pixels, tile),
        tiles,
        orientation=orientation,
        stagger_axis=axis,
        stagger_index=index,
        hex_side=side,
    )
    expected = render_plainly(
        pictures_of(pixels, *tile), tiles, tile, orientation, axis, index, side, around=20
    )
    size = expected.shape[1], expected.shape[0]
    game = show_layer(make, layer, size, (size[0] / 2 - 20, size[1] / 2 - 20))
    np.testing.assert_array_equal(rgb(game), expected)
    assert driven(layer).calls <= 2
    assert layer.size == (size[0] - 40, size[1] - 40)


@pytest.mark.parametrize(
    ("skew", "tile"),
    [((0, 0), (16, 16)), ((5, 0), (16, 12)), ((-7, 3), (16, 16)), ((9, -20), (12, 16))],
)
def test_oblique_layers_equal_the_plain_renderer(
    make: Make, skew: tuple[int, int], tile: tuple[int, int]
) -> None:
    pixels = sheet(3, 2, *tile, holes=True)
    tiles = random_tiles((9, 11), 6, X | Y)

    def make_layer() -> fw.TileLayer:
        return fw.TileLayer(fw.TileSet(pixels, tile), tiles, orientation="oblique", skew=skew)

    layer = make_layer()
    expected = render_plainly(
        pictures_of(pixels, *tile), tiles, tile, "oblique", around=20, skew=skew
    )
    size = expected.shape[1], expected.shape[0]
    game = show_layer(make, layer, size, (size[0] / 2 - 20, size[1] / 2 - 20))
    np.testing.assert_array_equal(rgb(game), expected)
    assert driven(layer).calls <= 2
    assert layer.size == (size[0] - 40, size[1] - 40)
    # A small view shows the same part: no tile at its edges is missing.
    for left, top in ((0, 0), (60, 40), (size[0] - 64, size[1] - 48)):
        middle = left + 32 - 20, size[1] - top - 24 - 20
        near = show_layer(make, make_layer(), (64, 48), middle)
        np.testing.assert_array_equal(rgb(near), expected[top : top + 48, left : left + 64])


@pytest.mark.parametrize("full", [0.02, 0.3, 1.0])
def test_dense_and_sparse_chunks_draw_the_same_picture(make: Make, full: float) -> None:
    pixels = sheet(4, 4, 8, 8)
    tiles = random_tiles((70, 80), 16, X | Y | SWAP, full=full)
    tiles[:35, 30:] = random_tiles((35, 50), 16, X | Y | SWAP, full=0.1)
    layer = fw.TileLayer(fw.TileSet(pixels, (8, 8)), tiles)
    game = show_layer(make, layer, (640, 560))
    np.testing.assert_array_equal(
        rgb(game), render_plainly(pictures_of(pixels, 8, 8), tiles, (8, 8))
    )
    assert driven(layer).calls == (1 if full < 0.1 else 2)


@pytest.mark.parametrize("zoom", [1, 2, 3, 4])
def test_at_whole_zooms_each_texel_is_a_square(make: Make, zoom: int) -> None:
    pixels = sheet(2, 2, 16, 16)
    tiles = random_tiles((12, 20), 4, X | Y | SWAP)
    game = make(size=(320, 192), background=tuple(channel / 255 for channel in BACK))
    game.add(fw.TileLayer(fw.TileSet(pixels, (16, 16)), tiles))
    game.camera.zoom = zoom
    game.camera.position = 160, 96
    game.advance(0)
    whole = (
        render_plainly(pictures_of(pixels, 16, 16), tiles, (16, 16)).repeat(zoom, 0).repeat(zoom, 1)
    )
    top = (whole.shape[0] - 192) // 2
    left = (whole.shape[1] - 320) // 2
    np.testing.assert_array_equal(rgb(game), whole[top : top + 192, left : left + 320])


def test_images_larger_than_cells_extend_up_and_right_and_overlap_in_order(
    make: Make,
) -> None:
    big = [
        sheet(1, 1, 20, 37, holes=True),
        sheet(1, 1, 16, 16, seed=5),
        sheet(1, 1, 9, 50, holes=True, seed=7),
    ]
    tiles = random_tiles((9, 12), 3, X | Y | SWAP)
    expected = render_plainly(big, tiles, (16, 16), around=60)
    layer = fw.TileLayer(fw.TileSet(big, (16, 16)), tiles)
    game = show_layer(make, layer, (expected.shape[1], expected.shape[0]), (96, 72))
    np.testing.assert_array_equal(rgb(game), expected)
    assert driven(layer).calls == 1


def test_the_margin_and_spacing_of_a_tileset(make: Make) -> None:
    pixels = sheet(3, 2, 10, 10)
    apart = np.zeros((3 + 2 * 12, 3 + 3 * 12 + 4, 4), np.uint8)
    for index, picture in enumerate(pictures_of(pixels, 10, 10)):
        row, column = divmod(index, 3)
        apart[3 + 12 * row : 13 + 12 * row, 3 + 12 * column : 13 + 12 * column] = picture
    tiles = random_tiles((6, 8), 6, 0)
    game = show_layer(
        make, fw.TileLayer(fw.TileSet(apart, (10, 10), margin=3, spacing=2), tiles), (80, 60)
    )
    np.testing.assert_array_equal(
        rgb(game), render_plainly(pictures_of(pixels, 10, 10), tiles, (10, 10))
    )


# -- seams -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("filter", ["nearest", "linear"])
def test_no_seams_at_two_hundred_random_cameras(make: Make, filter: str) -> None:
    """Opaque tiles of one color, half of them in sparse chunks. The image has tiles of another
    color beside them."""
    pixels = np.zeros((16, 48, 4), np.uint8)
    pixels[:, 16:32] = 255
    pixels[:, :16], pixels[:, 32:] = (255, 0, 0, 255), (0, 0, 255, 255)
    tiles = np.full((64, 64), 2, np.uint32)
    layer = fw.TileLayer(fw.TileSet(pixels, (16, 16), filter=filter), tiles)
    hole = layer.tiles[20:50, 20:50].copy()
    game = show_layer(make, layer, (96, 64))
    layer.tiles[20:50, 20:50] = 0
    rng = np.random.default_rng(3)
    for turn in range(200):
        if turn == 100:
            layer.tiles[20:50, 20:50] = hole
        game.camera.position = rng.uniform(150, 800, 2)
        game.camera.zoom = float(np.exp(rng.uniform(-0.6, 2)))
        game.camera.angle = float(rng.choice([0, rng.uniform(0, 7)]))
        game.camera.teleport()
        game.advance(0)
        drawn = rgb(game).reshape(-1, 3)
        assert ((drawn == 255).all(1) | (drawn == BACK).all(1)).all(), (turn, game.camera.pose(1.0))
        if turn >= 100:
            assert (drawn == 255).all(), (turn, game.camera.pose(1.0))


def test_each_pixel_is_drawn_once_where_chunks_meet(make: Make) -> None:
    """With translucent tiles, two tiles over the same pixel would be visible."""
    tiles = np.ones((64, 96), np.uint32)
    tiles[:, 40:70] = np.where(np.random.default_rng(1).random((64, 30)) < 0.1, 1, 0)
    layer = fw.TileLayer(fw.TileSet(solid(16, 16, (255, 255, 255, 128)), (16, 16)), tiles)
    game = show_layer(make, layer, (160, 120))
    rng = np.random.default_rng(4)
    for _ in range(15):
        game.camera.position = rng.uniform(200, 1200), rng.uniform(200, 800)
        game.camera.zoom = float(rng.uniform(0.4, 3))
        game.camera.angle = float(rng.uniform(0, 7))
        game.camera.teleport()
        game.advance(0)
        assert len(np.unique(rgb(game).reshape(-1, 3), axis=0)) <= 2
        assert driven(layer).calls <= 2


def test_reduced_tiles_are_averaged_without_their_neighbors(make: Make) -> None:
    checks = np.zeros((16, 32, 4), np.uint8)
    checks[..., 3] = 255
    checks[::2, :16:2, :3] = checks[1::2, 1:16:2, :3] = 255
    checks[:, 16:, 0] = 255
    game = show_layer(
        make,
        fw.TileLayer(fw.TileSet(checks, (16, 16)), np.ones((64, 64), int)),
        (64, 64),
        (512, 512),
    )
    game.camera.zoom = 0.25
    game.camera.teleport()
    game.advance(0)
    assert np.unique(rgb(game).reshape(-1, 3), axis=0).tolist() == [[128, 128, 128]]


# -- changes ---------------------------------------------------------------------------------------


def test_one_changed_tile_uploads_a_few_bytes_and_an_unchanged_layer_none(make: Make) -> None:
    pixels = sheet(4, 4, 16, 16)
    tiles = np.ones((256, 256), np.uint32)
    tiles[:, 128:] = 0
    layer = fw.TileLayer(fw.TileSet(pixels, (16, 16)), tiles)
    game = show_layer(make, layer, (320, 200))
    rng = np.random.default_rng(6)
    for _ in range(30):
        row, column = rng.integers(0, 256, 2)
        before = driven(layer).uploaded_bytes
        layer.tiles[row, column] = rng.integers(0, 17)
        game.advance(1 / 60)
        assert driven(layer).uploaded_bytes - before <= 64
    before = driven(layer).uploaded_bytes
    game.camera.position = 500, 900
    game.advance(1 / 60)
    assert driven(layer).uploaded_bytes == before


@pytest.mark.parametrize("fitting", [True, False])
def test_all_changed_tiles_are_drawn(make: Make, fitting: bool) -> None:
    pixels = sheet(4, 4, 8, 8)
    cell = (8, 8) if fitting else (8, 6)
    layer = fw.TileLayer(
        fw.TileSet(pictures_of(pixels, 8, 8), cell), random_tiles((40, 50), 16, X | Y, full=0.1)
    )
    height = 40 * cell[1]
    width = 50 * cell[0]
    game = show_layer(make, layer, (width, height))
    rng = np.random.default_rng(8)
    held = layer.tiles
    for turn in range(12):
        if turn % 3 == 0:
            held[tuple(rng.integers(0, 40, 2))] = rng.integers(0, 17)
        elif turn % 3 == 1:
            layer.tiles[5 : 5 + turn, 7:40] = rng.integers(0, 17, (turn, 33))
        else:
            layer.tiles = random_tiles((40, 50), 16, X | Y | SWAP, full=turn / 12, seed=turn)
            held = layer.tiles if turn < 6 else held
        game.advance(1 / 60)
        expected = render_plainly(pictures_of(pixels, 8, 8), layer.tiles, cell)
        np.testing.assert_array_equal(rgb(game), expected)


def test_animated_tiles_follow_simulated_time_without_an_upload(make: Make) -> None:
    pixels = np.concatenate(
        [solid(8, 8, (value, value, value, 255)) for value in (50, 100, 150, 200)], axis=1
    )
    animations = {1: [(1, 0.5), (3, 0.25), (4, 0.25)]}
    layer = fw.TileLayer(
        fw.TileSet(pixels, (8, 8), animations=animations), np.array([[1, 2], [1 | X, 2]])
    )
    game = show_layer(make, layer, (16, 16))
    before = driven(layer).uploaded_bytes
    drawn = []
    for _ in range(120):
        game.advance(1 / 60)
        assert rgb(game)[0, 15, 0] == 100
        assert rgb(game)[0, 0, 0] == rgb(game)[15, 0, 0]
        drawn.append(int(rgb(game)[0, 0, 0]))
    # At alpha 0, the frame after a tick shows the state before this tick.
    # The tick itself is drawn with the next tick.
    times = (np.arange(120) / 60) % 1
    assert drawn == [
        50 if time < 0.5 - 1e-6 else 150 if time < 0.75 - 1e-6 else 200 for time in times.tolist()
    ]
    assert driven(layer).uploaded_bytes == before


def test_an_animation_pauses_with_its_scene(make: Make) -> None:
    pixels = np.concatenate([solid(8, 8), solid(8, 8, (255, 0, 0, 255))], axis=1)
    layer = fw.TileLayer(fw.TileSet(pixels, (8, 8), animations={1: [(1, 0.1), (2, 10)]}), [[1]])
    game = show_layer(make, layer, (8, 8))
    game.push(fw.Scene())
    for _ in range(20):
        game.advance(1 / 60)
    assert rgb(game).tolist() == solid(8, 8)[..., :3].tolist()
    game.pop()
    for _ in range(20):
        game.advance(1 / 60)
    assert rgb(game)[0, 0].tolist() == [255, 0, 0]


# -- position --------------------------------------------------------------------------------------


def test_position_and_parallax_are_those_of_the_frame(make: Make) -> None:
    """In a row of stripes, two units wide, a color shows how far the layer has moved in the
    picture."""
    layer = fw.TileLayer(
        fw.TileSet(solid(2, 2), (2, 2)),
        [[1]],
        position=(40, 20),
        parallax=(0.5, 1),
        parallax_origin=(50, 0),
    )
    game = make(size=(100, 50), tick_rate=10)
    game.add(layer)
    game.camera.position = 50, 25

    def at() -> tuple[int, int]:
        rows, columns = np.nonzero(rgb(game)[..., 0])
        return int(columns.min()), 50 - int(rows.max()) - 1

    game.advance(0)
    assert at() == (40, 20)
    game.advance(0.1)
    game.camera.position = 70, 25
    game.advance(0.1)  # the tick began at 70: the camera is drawn from there
    game.camera.position = 90, 25
    game.camera.teleport()
    game.advance(0.0)
    # The camera is 40 units to the right of the origin: the layer has moved by half of that.
    assert at() == (40 - 20, 20)
    layer.position = 50, 30
    layer.teleport()
    game.advance(0.0)
    assert at() == (30, 30)


def test_parallax_is_interpolated_between_two_ticks(make: Make) -> None:
    class Moving(fw.Game):
        def setup(self) -> None:
            self.far = self.add(
                fw.TileLayer(
                    fw.TileSet(solid(2, 2), (2, 2)), [[1]], position=(60, 20), parallax=(0.5, 0.5)
                )
            )
            self.camera.position = 0, 0

        def update(self, dt: float) -> None:
            self.camera.x += 16

    game = make(Moving, tick_rate=10, size=(200, 100), background=(0, 0, 0))
    game.advance(0.1)
    game.advance(0.1)  # alpha 0: the camera of the first tick, at 16
    first = np.nonzero(rgb(game)[..., 0])[1].min()
    game.advance(0.05)  # half a tick later: 8 units
    assert np.nonzero(rgb(game)[..., 0])[1].min() == first - 4


def test_a_color_multiplies_the_layer_and_an_invisible_layer_costs_nothing(make: Make) -> None:
    layer = fw.TileLayer(fw.TileSet(solid(8, 8), (8, 8)), [[1, 1]])
    game = show_layer(make, layer, (16, 8))
    layer.color = (1, 0.5, 0, 0.5)
    game.advance(0)
    game.advance(1 / 60)
    game.advance(1 / 60)
    np.testing.assert_allclose(
        rgb(game)[0, 0], np.array([255, 127.5, 0]) * 0.5 + np.array(BACK) * 0.5, atol=1
    )
    layer.visible = False
    game.advance(1 / 60)
    assert driven(layer).calls == 0
    assert (rgb(game) == BACK).all()


def test_the_picture_is_the_same_far_from_the_origin(make: Make) -> None:
    pixels = sheet(4, 4, 16, 16)
    tiles = random_tiles((40, 50), 16, X | Y | SWAP)
    near = fw.TileLayer(fw.TileSet(pixels, (16, 16)), tiles)
    far = fw.TileLayer(fw.TileSet(pixels, (16, 16)), tiles, position=(1e7, -1e7))
    game = show_layer(make, near, (160, 120), (400, 300))
    second = show_layer(make, far, (160, 120), (1e7 + 400, -1e7 + 300))
    np.testing.assert_array_equal(rgb(game), rgb(second))


def test_positions_are_converted_to_cells_and_cells_to_centers() -> None:
    layer = fw.TileLayer(
        fw.TileSet(solid(16, 16), (16, 16)), np.zeros((4, 5), int), position=(100, 10)
    )
    assert layer.world_to_cell((100, 10)) == (3, 0)
    assert layer.cell_center((0, 4)) == (172, 66)
    assert layer.world_to_cell(layer.cell_center((2, 3))) == (2, 3)
    for orientation in ("isometric", "staggered", "hexagonal", "oblique"):
        skew = (9, -5) if orientation == "oblique" else (0, 0)
        second = fw.TileLayer(
            fw.TileSet(solid(16, 16), (16, 16)),
            np.zeros((4, 5), int),
            orientation=orientation,
            skew=skew,
        )
        assert [second.world_to_cell(second.cell_center((row, 2))) for row in range(4)] == [
            (row, 2) for row in range(4)
        ]


# -- solid tiles -----------------------------------------------------------------------------------


def test_solid_follows_the_tiles_and_bodies_stand_on_it() -> None:
    tiles = np.zeros((5, 8), np.uint32)
    tiles[4] = 2
    tiles[2, 3] = 3 | X
    layer = fw.TileLayer(
        fw.TileSet(sheet(3, 1, 16, 16), (16, 16), solid=[2], one_way=[3]), tiles, position=(0, 8)
    )
    assert layer.solid.dtype == bool
    np.testing.assert_array_equal(layer.solid, tiles == 2)
    np.testing.assert_array_equal(layer.one_way, tiles == (3 | X))
    index, flags = collide.move([(20.0, 40.0)], (10, 10), [(0.0, -100.0)], layer)
    assert index.tolist() == [[20, 8 + 16 + 5]]
    assert flags.on_floor.tolist() == [True]
    # onto the one-way tile
    index, _ = collide.move([(56.0, 90.0)], (10, 10), [(0.0, -50.0)], layer)
    assert index.tolist() == [[56, 8 + 48 + 5]]
    layer.tiles[4, 1] = 0
    index, _ = collide.move([(24.0, 40.0)], (10, 10), [(0.0, -100.0)], layer)
    assert index.tolist() == [[24, -60]]
    assert not fw.paths.line_of_sight(layer, [(8, 40)], (8, 0))[0]
    layer.tiles[1:, 4] = 2
    assert not fw.paths.line_of_sight(layer, [(8, 50)], (120, 50))[0]
    assert (fw.paths.find(layer, (8, 50), (120, 50))[:, 1].max()) == 80
    with pytest.raises(ValueError, match="read-only"):
        layer.solid[0, 0] = True


@pytest.mark.parametrize("tile", [(16, 16), (8, 16)])
@pytest.mark.parametrize("flags", [0, X | Y, X | SWAP])
def test_tile_data_do_not_depend_on_gaps_in_the_tile_numbers(
    tile: tuple[int, int], flags: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide, high = tile
    tiles = random_tiles((30, 40), 5, flags)
    images = fw.TileSet(sheet(5, 1, wide, high), tile, solid=[2, 5], one_way=[3])
    layer = fw.TileLayer(images, tiles)
    sets = layer._cells.tilesets
    sets.load(())
    sets.slopes[3] = 0, 1
    assert sets.regular
    assert sets.uniform

    def facts() -> tuple[Any, ...]:
        facts = TileFacts(sets, layer._cells.spacing, tiles.copy())
        facts.update(np.flipud(tiles))
        arrays = (facts.cells, facts.solid, facts.part_solid, facts.one_way, facts.slopes)
        return *[array.tolist() for array in arrays], facts.extent, facts.fitting

    expected = facts()
    monkeypatch.setattr(sets, "regular", False)
    monkeypatch.setattr(sets, "uniform", False)
    assert facts() == expected
    table = np.array([-1, 0, 1, 2, 3, 4, -1])
    monkeypatch.setattr(sets, "_table", table)
    assert facts() == expected
    wrong = tiles.copy()
    wrong[3, 4] = 6
    with pytest.raises(ValueError, match="row 3, column 4 has tile 6"):
        TileFacts(sets, layer._cells.spacing, wrong.copy())


@pytest.mark.parametrize("number", [6, X, 0x0FFFFFFF])
def test_the_first_wrong_tile_is_named(number: int) -> None:
    layer = fw.TileLayer(fw.TileSet(sheet(5, 1, 16, 16), (16, 16)), np.ones((3, 4), np.uint32))
    layer.tiles[1, 2] = number
    with pytest.raises(ValueError, match=f"row 1, column 2 has tile {number & 0x0FFFFFFF}"):
        _ = layer.solid


def test_only_orthogonal_layers_can_collide() -> None:
    layer = fw.TileLayer(
        fw.TileSet(solid(16, 16), (16, 16), solid=[1]), [[1]], orientation="isometric"
    )
    assert layer.solid.all()
    with pytest.raises(TypeError, match="solids: expected a TileGrid"):
        collide.move([(0.0, 0.0)], (1, 1), [(0.0, 0.0)], layer)


# -- state -----------------------------------------------------------------------------------------


class Digging(fw.Game):
    saved = ("ground",)

    def setup(self) -> None:
        tiles = np.ones((20, 30), np.uint32)
        self.ground = self.add(
            fw.TileLayer(fw.TileSet(sheet(2, 2, 8, 8), (8, 8), solid=[1]), tiles)
        )

    def update(self, dt: float) -> None:
        row, column = self.random.integers(0, 20, 2)
        self.ground.tiles[row, column] = self.random.integers(0, 5)
        self.ground.position = self.ground.position[0] + 1, 0


@pytest.mark.parametrize("drawing", [True, False])
def test_snapshots_hashes_and_saves_include_the_tiles(
    make: Make, tmp_path: Any, drawing: bool
) -> None:
    game = make(Digging, drawing=drawing)
    game.run_ticks(5) if not drawing else game.run(5)
    snapshot = game.snapshot()
    digest = game.state_hash()
    tiles = game.ground.tiles.copy()
    game.save(path=tmp_path / "dug.save")
    game.run_ticks(9) if not drawing else game.run(9)
    assert game.state_hash() != digest
    assert (game.ground.tiles != tiles).any()
    game.restore(snapshot)
    np.testing.assert_array_equal(game.ground.tiles, tiles)
    assert game.state_hash() == digest
    np.testing.assert_array_equal(game.ground.solid, (tiles & 0xFFFFFFF) == 1)
    game.ground.tiles[:] = 3
    game.load(path=tmp_path / "dug.save")
    np.testing.assert_array_equal(game.ground.tiles, tiles)
    if drawing:
        game.camera.position = game.ground.position[0] + 100, 50
        game.camera.teleport()
        game.advance(0)
        pictures = pictures_of(sheet(2, 2, 8, 8), 8, 8)
        np.testing.assert_array_equal(
            rgb(game)[:100], render_plainly(pictures, tiles, (8, 8))[60:160, 0:200]
        )


class Shrinking(fw.Game):
    """A game whose image now has fewer tiles than at the time of the save."""

    saved = ("ground", "level")
    rows = 2

    def setup(self) -> None:
        self.level = 1
        tiles = fw.TileSet(sheet(2, self.rows, 8, 8), (8, 8), solid=[1])
        self.ground = self.add(fw.TileLayer(tiles, np.ones((3, 3), int)))


@pytest.mark.parametrize("drawing", [True, False])
def test_a_save_with_a_tile_that_the_layer_lacks_is_refused(
    make: Make, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, drawing: bool
) -> None:
    game = make(Shrinking, drawing=drawing)
    game.ground.tiles[1, 2] = 4
    game.level = 7
    game.save(path=tmp_path / "slot.save")
    game.close()
    monkeypatch.setattr(Shrinking, "rows", 1)
    game = make(Shrinking, drawing=drawing)
    with pytest.raises(AssetError, match="row 1, column 2 has tile 4; there are 1 to 2"):
        game.load(path=tmp_path / "slot.save")
    assert game.level == 1
    assert (game.ground.tiles == 1).all()
    assert game.ground.solid.all()
    game.run_ticks(1) if not drawing else game.run(1)


def test_a_game_that_changes_tiles_is_repeatable() -> None:
    report = fw.sync_test(Digging, ticks=24, stride=1)
    assert report.path is None, report


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "words"),
    [
        (
            (sheet(1, 1, 4, 4), (4, 4), np.ones((2, 2))),
            {},
            TypeError,
            "tiles: expected whole numbers of shape (h, w)",
        ),
        (
            (sheet(1, 1, 4, 4), (4, 4), [1, 2]),
            {},
            ValueError,
            "tiles: expected whole numbers of shape (h, w)",
        ),
        (
            (sheet(1, 1, 4, 4), (4, 4), [[1], [2, 3]]),
            {},
            ValueError,
            "tiles: expected whole numbers",
        ),
        (
            (sheet(1, 1, 4, 4), (4, 4), [[-1]]),
            {},
            ValueError,
            "whole numbers from 0 to 4,294,967,295, got -1",
        ),
        ((sheet(1, 1, 4, 4), (0, 4), [[1]]), {}, ValueError, "tile: expected a whole number"),
        ((7, (4, 4), [[1]]), {}, TypeError, "image: expected a path"),
        (
            ([], (4, 4), [[1]]),
            {},
            ValueError,
            "image: expected an image, or a list of at least one",
        ),
        (
            (sheet(1, 1, 4, 4), (4, 4), [[1]]),
            {"solid": [0]},
            ValueError,
            "solid: expected a whole number",
        ),
        (
            (sheet(1, 1, 4, 4), (4, 4), [[1]]),
            {"orientation": "round"},
            ValueError,
            "orientation: expected one of",
        ),
        (
            (sheet(1, 1, 4, 4), (4, 4), [[1]]),
            {"filter": "cubic"},
            ValueError,
            "filter: expected one of",
        ),
        (
            (sheet(1, 1, 4, 4), (4, 4), [[1]]),
            {"animations": {1: []}},
            ValueError,
            "animations: expected at least one",
        ),
        (
            (sheet(1, 1, 4, 4), (4, 4), [[1]]),
            {"animations": [1]},
            TypeError,
            "animations: expected {tile:",
        ),
        (
            (sheet(1, 1, 4, 4), (4, 4), [[1]]),
            {"margin": -1},
            ValueError,
            "margin: expected a whole number",
        ),
        (
            (sheet(1, 1, 4, 4), (4, 4), [[1]]),
            {"margin": 1 << 31},
            ValueError,
            "margin: expected a whole number from 0 to",
        ),
        (
            (sheet(1, 1, 4, 4), (4, 4), [[1]]),
            {"spacing": 1 << 31},
            ValueError,
            "spacing: expected a whole number from 0 to",
        ),
        (
            (sheet(1, 1, 4, 4), (4, 4), [[1]]),
            {"solid": range(1, 1 << 31)},
            ValueError,
            "solid: expected at most 262,144 tile numbers, got 2,147,483,647",
        ),
        (
            (sheet(1, 1, 4, 4), (4, 4), [[1]]),
            {"one_way": [1 << 31]},
            ValueError,
            "one_way: expected a whole number from 1 to",
        ),
        (
            (sheet(1, 1, 4, 4), (4, 4), [[1]]),
            {"animations": {1: [(1 << 31, 0.1)]}},
            ValueError,
            "animations: expected a whole number from 1 to",
        ),
    ],
)
def test_bad_arguments_are_refused(
    arguments: Any, options: Any, kind: type[Exception], words: str
) -> None:
    image, tile, tiles = arguments
    of_layer = {name: options.pop(name) for name in ("orientation", "parallax") if name in options}
    with pytest.raises(kind) as error:
        fw.TileLayer(fw.TileSet(image, tile, **options), tiles, **of_layer)
    assert words in str(error.value)


@pytest.mark.parametrize("number", [-1, 2**32, 2**40])
def test_a_tile_number_of_more_than_32_bits_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=rf"whole numbers from 0 to 4,294,967,295, got {number}"):
        checked_numbers("tiles", np.array([[1, number]]))


def test_a_layer_of_more_than_67_million_cells_is_refused_before_it_takes_memory() -> None:
    cells = np.broadcast_to(np.uint8(0), (2**13, 2**13 + 1))  # the memory of one cell
    with pytest.raises(ValueError, match=r"^tiles: 67,117,056 cells, a layer has at most"):
        checked_numbers("tiles", cells)


@pytest.mark.parametrize("drawing", [True, False])
def test_tiles_missing_in_the_image_are_an_error_when_the_layer_is_added(
    make: Make, drawing: bool
) -> None:
    game = make(drawing=drawing)
    with pytest.raises(
        ValueError, match="tiles: row 0, column 1 has tile 5; there are 1 to 4, and 0 for none"
    ):
        game.add(fw.TileLayer(fw.TileSet(sheet(2, 2, 8, 8), (8, 8)), [[1, 5 | X]]))
    with pytest.raises(AssetError, match=r"There is no file 'none\.png'"):
        game.add(fw.TileLayer(fw.TileSet("none.png", (8, 8)), [[1]]))
    with pytest.raises(AssetError, match="too small for a tile of 32×32"):
        game.add(fw.TileLayer(fw.TileSet(sheet(2, 2, 8, 8), (32, 32)), [[1]]))
    # larger than the image on both sides: the product of two negative counts is positive
    for wide in (40, 1 << 26):
        with pytest.raises(AssetError, match="too small for a tile of 8×8"):
            game.add(fw.TileLayer(fw.TileSet(sheet(2, 2, 8, 8), (8, 8), margin=wide), [[1]]))
    with pytest.raises(AssetError, match="it has data for tile 8, which it does not have"):
        game.add(fw.TileLayer(fw.TileSet(sheet(2, 2, 8, 8), (8, 8), solid=[9]), [[1]]))
    layer = fw.TileLayer(fw.TileSet(sheet(2, 2, 8, 8), (8, 8)), [[5]])
    with pytest.raises(ValueError, match="has tile 5"):
        game.add(layer)
    layer.tiles[0, 0] = 1
    game.add(layer)  # nothing of the failed layer is left
    layer.tiles[0, 0] = 99
    with pytest.raises(ValueError, match="row 0, column 0 has tile 99"):
        layer.solid  # noqa: B018
    layer.tiles[0, 0] = 4
    assert not layer.solid.any()
    with pytest.raises(TypeError, match="tiles: expected whole numbers"):
        layer.tiles = np.ones((1, 1))
    with pytest.raises(ValueError, match="tiles: expected uint32 numbers of shape"):
        layer.tiles = [[1, 2]]
    with pytest.raises(ValueError, match="it was added to a game already"):
        game.add(layer)
    with pytest.raises(AttributeError, match="did you mean 'tiles'"):
        layer.tile = [[1]]


def test_a_layer_larger_than_a_texture_is_an_error(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("framework.tiles.tiledrawing.driver_limit", lambda name: 64)
    game = make()
    layer = fw.TileLayer(fw.TileSet(sheet(1, 1, 4, 4), (4, 4)), np.ones((2, 65), int))
    with pytest.raises(
        AssetError, match="a layer of 65 x 2 tiles is larger than a texture may be here"
    ):
        game.add(layer)
    monkeypatch.undo()
    game.add(layer)
    game.advance(0)
    assert driven(layer).calls == 1


def test_changes_of_a_paused_game_are_drawn(make: Make) -> None:
    game = show_layer(
        make, layer := fw.TileLayer(fw.TileSet(solid(8, 8), (8, 8)), [[1, 0]]), (16, 8)
    )
    game.timestep.paused = True
    game.advance(1 / 60)
    layer.tiles[0] = 0, 1
    layer.position = 0, 2
    game.advance(1 / 60)
    assert rgb(game)[0, 8:].tolist() == [[255, 255, 255]] * 8
    assert rgb(game)[7, 8].tolist() == list(BACK)


def test_letterbox_bars_do_not_change_the_picture(make: Make) -> None:
    """The picture does not start at the corner of the window."""
    pixels = sheet(4, 4, 8, 8)
    tiles = random_tiles((10, 10), 16, X | Y | SWAP)
    game = make(size=(120, 80), resolution=(80, 80), background=(0, 0, 0))
    game.add(fw.TileLayer(fw.TileSet(pixels, (8, 8)), tiles))
    game.advance(0)
    expected = render_plainly(pictures_of(pixels, 8, 8), np.where(tiles, tiles, 0), (8, 8))
    drawn = rgb(game)[:, 20:100]
    there = np.repeat(np.repeat(tiles != 0, 8, 0), 8, 1)
    np.testing.assert_array_equal(drawn[there], expected[there])
    assert not drawn[~there].any()


@pytest.mark.parametrize("kind", ["layer", "backdrop"])
def test_objects_extremely_far_away_are_not_drawn(make: Make, kind: str) -> None:
    drawable: Any = (
        fw.TileLayer(fw.TileSet(solid(8, 8), (8, 8)), [[1]])
        if kind == "layer"
        else fw.Backdrop(solid(8, 8), repeat=True)
    )
    game = show_layer(make, drawable, (16, 8), (7, 4))
    for parallax in ((1e300, 1), (-1e308, -1e308), (1e16, 0)):
        drawable.parallax = parallax
        for position in ((0, 0), (1e300, -1e308), (1.7e308, 1.7e308)):
            drawable.position = position
            drawable.teleport()
            game.advance(0)
            assert (rgb(game) == BACK).all()


def test_a_game_without_drawing_keeps_no_list_of_changes(make: Make) -> None:
    game = make(drawing=False)
    layer = game.add(fw.TileLayer(fw.TileSet(solid(8, 8), (4, 4)), np.ones((4, 4), int)))
    facts = layer._cells.facts()
    for number in (0, 2) * 5:
        layer.tiles[1, 1] = number
        assert not layer.solid.any()
    assert facts.take_changes() == (True, [])
    assert not facts._changes


def test_layers_with_the_same_set_share_its_images(make: Make) -> None:
    pixels = sheet(2, 2, 8, 8)
    tileset = fw.TileSet(pixels, (8, 8), solid=[2])
    game = make(size=(32, 16))
    left = game.add(fw.TileLayer(tileset, [[1, 2]]))
    right = game.add(fw.TileLayer(tileset, [[3, 4]], position=(16, 0)))
    assert driven(left)._art is driven(right)._art
    assert left.solid.tolist() == [[False, True]]
    assert not right.solid.any()
    game.camera.position = 16, 8
    game.camera.teleport()
    game.advance(1 / 60)
    expected = render_plainly(pictures_of(pixels, 8, 8), np.array([[1, 2, 3, 4]]), (8, 8))
    np.testing.assert_array_equal(rgb(game)[8:], expected)
    game.remove(left)
    game.advance(1 / 60)
    np.testing.assert_array_equal(rgb(game)[8:, 16:], expected[:, 16:])
    second = make(size=(32, 16))
    with pytest.raises(ValueError, match="make another TileSet"):
        second.add(fw.TileLayer(tileset, [[1]]))
    game.remove(right)
    second.add(fw.TileLayer(tileset, [[1]]))


def test_an_earlier_argument_is_an_error_that_names_the_new_argument() -> None:
    tiles = np.ones((2, 2), int)
    for old in ((sheet(1, 1, 4, 4), (4, 4), tiles), ("tiles.png", tiles)):
        with pytest.raises(TypeError, match=r"TileLayer\(TileSet\(image, tile\), tiles\)"):
            fw.TileLayer(*old)
