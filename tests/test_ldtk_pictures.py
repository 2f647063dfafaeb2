"""LDtk pictures: levels are drawn as in LDtk, compared with a painter in NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ldtks import layer, level, project, tile, tileset
from numpy.typing import NDArray
from PIL import Image
from tiledmaps import write

import framework as fw

BACKGROUND = (16, 32, 48)
Image8 = NDArray[np.uint8]


def noise(path: Path, width: int, height: int, seed: int = 1) -> Image8:
    """Write an image of random pixels, and return the pixels."""
    pixels = np.random.default_rng(seed).integers(60, 256, (height, width, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(path)
    return pixels


def shown(path: Path, size: tuple[int, int], camera: tuple[float, float] | None = None) -> Image8:
    """Draw a level of LDtk in a window. ``camera`` is a position in pixels of the level, y down."""
    with fw.Game(headless=True, size=size, background=tuple(c / 255 for c in BACKGROUND)) as game:
        level_map = game.add(fw.TileMap(path))
        x, y = camera or (level_map.size[0] / 2, level_map.size[1] / 2)
        game.camera.position = x, level_map.size[1] - y
        game.advance(0)
        return game.pixels()[..., :3]


@pytest.mark.parametrize("pivot", [(0, 0), (0.5, 0.5), (1, 0), (0.25, 1)])
@pytest.mark.parametrize("image_size", [(8, 12), (40, 8), (48, 40)])
def test_a_background_image_that_repeats_fills_the_level(
    tmp_path: Path, pivot: tuple[float, float], image_size: tuple[int, int]
) -> None:
    image = noise(tmp_path / "sky.png", *image_size)
    placed = {"topLeftPx": [0, 0], "scale": [1, 1], "cropRect": [0, 0, 8, 9]}
    project_json = project(
        level(
            "One",
            bgRelPath="sky.png",
            bgPos="Repeat",
            bgPivotX=pivot[0],
            bgPivotY=pivot[1],
            __bgPos=placed,
        )
    )
    pixels = shown(write(tmp_path / "cave.ldtk", project_json), (40, 32))
    left, top = (round(pivot[i] * ((32, 24)[i] - image_size[i])) for i in (0, 1))
    expected = np.full((32, 40, 3), BACKGROUND, np.uint8)
    rows = np.arange(24) - top
    columns = np.arange(32) - left
    expected[4:28, 4:36] = image[rows % image_size[1]][:, columns % image_size[0]]
    np.testing.assert_array_equal(pixels, expected)


def parallax_project(folder: Path, scaling: bool, factors: tuple[float, float]) -> Path:
    tiles = [tile(8, 8, 1), tile(16, 8, 6, f=1)]
    loose = layer("far", "Tiles", gridTiles=tiles, __pxTotalOffsetX=2, __pxTotalOffsetY=-3)
    project_json = project(level("One", loose))
    project_json["defs"]["layers"][0] |= {
        "parallaxFactorX": factors[0],
        "parallaxFactorY": factors[1],
        "parallaxScaling": scaling,
    }
    return write(folder / "cave.ldtk", project_json)


def painted(sheet: Image8, size: tuple[int, int], corner: tuple[int, int], scale: int) -> Image8:
    """Paint the two tiles of `parallax_project`. ``corner`` is the layer's top left corner."""
    pixels = np.full((size[1], size[0], 3), BACKGROUND, np.uint8)
    first = sheet[0:8, 8:16]
    second = sheet[0:8, 48:56][:, ::-1]
    for x, picture in ((8, first), (16, second)):
        left = corner[0] + scale * (x + 2)
        top = corner[1] + scale * (8 - 3)
        side = 8 * scale
        pixels[top : top + side, left : left + side] = picture.repeat(scale, 0).repeat(scale, 1)
    return pixels


def test_a_layer_with_a_parallax_is_unshifted_at_the_center_of_the_level(tmp_path: Path) -> None:
    sheet = noise(tmp_path / "sheet.png", 72, 36)
    path = parallax_project(tmp_path, False, (0.5, 0.25))
    size = (64, 56)
    np.testing.assert_array_equal(shown(path, size), painted(sheet, size, (16, 16), 1))
    # The camera moves right by 8 and down by 4, the layer by half and by three quarters of it.
    moved = shown(path, size, (16 + 8, 12 + 4))
    np.testing.assert_array_equal(moved, painted(sheet, size, (16 - 4, 16 - 3), 1))


def test_a_layer_with_a_scaling_parallax_is_scaled_around_the_point_under_the_camera(
    tmp_path: Path,
) -> None:
    sheet = noise(tmp_path / "sheet.png", 72, 36)
    path = parallax_project(tmp_path, True, (-1, -1))
    for camera in ((16, 12), (20, 9), (12, 14)):
        corner = 48 - 2 * camera[0], 40 - 2 * camera[1]
        pixels = shown(path, (96, 80), camera)
        np.testing.assert_array_equal(pixels, painted(sheet, (96, 80), corner, 2))


def test_a_scaled_layer_has_the_cells_that_are_drawn(tmp_path: Path) -> None:
    noise(tmp_path / "sheet.png", 72, 36)
    far = fw.TileMap(parallax_project(tmp_path, True, (-1, -1)))["far"]
    assert far.tile_size == (16, 16)
    assert far.size == (64, 48)
    assert far.position == (4, 24 + 6 - 48)
    assert far.cell_center((1, 2)) == (4 + 40, 24 + 6 - 24)
    assert far.world_to_cell(far.cell_center((1, 2))) == (1, 2)


@pytest.mark.parametrize("side", [4, 16])
@pytest.mark.parametrize(("uid", "pivot"), [(1, (0.0, 0.0)), (2, (0.5, 1.0))])
@pytest.mark.parametrize("flips", range(4))
def test_a_flipped_tile_of_another_size_is_mirrored_with_its_cell(
    tmp_path: Path, side: int, uid: int, pivot: tuple[float, float], flips: int
) -> None:
    sheet = noise(tmp_path / "sheet.png", 64, 32)
    stamp = tile(16, 8, 1, f=flips)
    project_json = project(level("One", layer("a", "Tiles", uid, gridTiles=[stamp])))
    project_json["defs"]["layers"][1] |= {"parallaxFactorX": 0, "parallaxFactorY": 0}
    size = {"pxWid": 64, "pxHei": 32, "__cWid": 64 // side, "__cHei": 32 // side}
    project_json["defs"]["tilesets"] = [tileset(tileGridSize=side, **size)]
    pixels = shown(write(tmp_path / "cave.ldtk", project_json), (64, 56))
    expected = np.full((56, 64, 3), BACKGROUND, np.uint8)
    picture = sheet[0:side, side : 2 * side]
    left, top = (round(part * (8 - side)) for part in pivot)
    if flips & 1:
        picture = picture[:, ::-1]
        left = 8 - side - left
    if flips & 2:
        picture = picture[::-1]
        top = 8 - side - top
    left = left + 16 + 16
    top = top + 16 + 8
    expected[top : top + side, left : left + side] = picture
    np.testing.assert_array_equal(pixels, expected)


def test_tiles_may_end_outside_the_image_of_their_tileset(tmp_path: Path) -> None:
    """LDtk counts the columns and rows of an image that is no multiple of the tiles upward."""
    sheet = noise(tmp_path / "sheet.png", 19, 13)
    stamps = [tile(0, 0, 5), tile(16, 8, 2, f=1)]
    project_json = project(level("One", layer("a", "Tiles", gridTiles=stamps)))
    size = {"pxWid": 19, "pxHei": 13, "__cWid": 3, "__cHei": 2}
    project_json["defs"]["tilesets"] = [tileset(**size)]
    path = write(tmp_path / "cave.ldtk", project_json)
    expected = np.full((24, 32, 3), BACKGROUND, np.uint8)
    expected[0:5, 0:3] = sheet[8:13, 16:19]
    expected[8:16, 21:24] = sheet[0:8, 16:19][:, ::-1]
    np.testing.assert_array_equal(shown(path, (32, 24)), expected)


def test_an_image_without_a_pixel_of_the_last_column_is_an_error(tmp_path: Path) -> None:
    noise(tmp_path / "sheet.png", 16, 13)
    size: dict[str, Any] = {"pxWid": 16, "pxHei": 13, "__cWid": 3, "__cHei": 2}
    project_json = project(level("One", layer("a", "Tiles", gridTiles=[tile(0, 0, 5)])))
    project_json["defs"]["tilesets"] = [tileset(**size)]
    path = write(tmp_path / "cave.ldtk", project_json)
    with pytest.raises(fw.AssetError, match="16×13 pixels is too small for 6 tiles in 3 columns"):
        fw.TileMap(path)
