"""Images in Aseprite's own format: layers, colors, and errors in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aseprites import Cel, Layer, aseprite, old_palette, palette

import framework as fw
from framework.assets import aseprite_images, images

RED = (255, 0, 0, 255)
BLUE = (0, 0, 255, 255)


def plain(color: tuple[int, ...], width: int = 4, height: int = 3) -> Any:
    return np.full((height, width, len(color)), color, np.uint8)


def read(folder: Path, data: bytes) -> Any:
    path = folder / "hero.aseprite"
    path.write_bytes(data)
    assert images.sizes([path]) == [(4, 3)]
    return images.load(path)


@pytest.mark.parametrize("kind", [0, 2])
def test_a_layer_is_drawn_at_its_place(tmp_path: Path, kind: int) -> None:
    pixels = read(tmp_path, aseprite(4, 3, [Cel(plain(RED, 2, 1), 1, 2, kind=kind)]))
    expected = np.zeros((3, 4, 4), np.uint8)
    expected[2, 1:3] = RED
    assert (pixels == expected).all()


def test_a_layer_may_end_outside_the_image(tmp_path: Path) -> None:
    square = np.arange(9, dtype=np.uint8)[:, None] + np.array([0, 0, 0, 200], np.uint8)
    square = square.reshape(3, 3, 4)
    pixels = read(
        tmp_path, aseprite(4, 3, [Cel(square, -1, -2), Cel(square, 3, 1), Cel(square, 9, 9)])
    )
    assert (pixels[0, :2] == square[2, 1:]).all()
    assert (pixels[1:, 3] == square[:2, 0]).all()
    assert pixels[1:, :3].max() == 0


def test_upper_layers_cover_lower_layers(tmp_path: Path) -> None:
    assert (read(tmp_path, aseprite(4, 3, [Cel(plain(RED)), Cel(plain(BLUE))])) == BLUE).all()
    lifted = [Cel(plain(RED), z_index=1), Cel(plain(BLUE))]
    assert (read(tmp_path, aseprite(4, 3, lifted)) == RED).all()


def test_translucent_layers_are_mixed_as_in_aseprite(tmp_path: Path) -> None:
    half = Cel(plain((0, 0, 255, 128)), opacity=200, layer=Layer(opacity=100))
    pixels = read(tmp_path, aseprite(4, 3, [Cel(plain(RED)), half]))
    # 128 * (200 * 100 / 255 = 78) / 255 = 39. Then 255 - 255 * 39 / 255 = 216, and 0 + 39.
    assert (pixels == (216, 0, 39, 255)).all()
    clear = read(tmp_path, aseprite(4, 3, [Cel(plain((0, 0, 255, 128))), Cel(plain((9, 9, 9, 0)))]))
    assert (clear == (0, 0, 255, 128)).all()
    over_half = [Cel(plain((255, 0, 0, 128))), Cel(plain((0, 0, 255, 128)))]
    # The alpha is 128 + 128 - 64 = 192. The blue part is 255 * 128 / 192 = 170.
    assert (read(tmp_path, aseprite(4, 3, over_half)) == (85, 0, 170, 192)).all()


def test_the_opacity_of_layers_in_old_files_is_ignored(tmp_path: Path) -> None:
    part = Cel(plain(RED), layer=Layer(opacity=0))
    assert (read(tmp_path, aseprite(4, 3, [part], flags=0)) == RED).all()
    assert read(tmp_path, aseprite(4, 3, [part]))[..., 3].max() == 0


def test_hidden_layers_and_groups_are_not_drawn(tmp_path: Path) -> None:
    parts = [
        Layer("group", visible=False, kind=1),
        Layer("inner group", kind=1, level=1),
        Cel(plain(RED, 1), 0, layer=Layer(level=2)),
        Cel(plain(RED, 1), 1, layer=Layer(level=1, blend_mode=3)),
        Cel(plain(RED, 1), 2),
        Cel(plain(RED, 1), 3, layer=Layer(visible=False)),
    ]
    pixels = read(tmp_path, aseprite(4, 3, parts))
    assert pixels[0, :, 3].tolist() == [0, 0, 255, 0]


def test_palette_colors(tmp_path: Path) -> None:
    numbers = plain((0,))
    numbers[0, 0] = 1
    numbers[1, 1] = 2
    colors = [(9, 9, 9, 255), RED, (0, 0, 255, 128)]
    file = aseprite(4, 3, [Cel(numbers)], depth=8, more=[palette(*colors), old_palette((5, 5, 5))])
    pixels = read(tmp_path, file)
    assert pixels[0, 0].tolist() == [*RED]
    assert pixels[1, 1].tolist() == [0, 0, 255, 128]
    assert pixels[2, 2].tolist() == [0, 0, 0, 0]
    background = Cel(numbers, layer=Layer(is_background=True))
    pixels = read(tmp_path, aseprite(4, 3, [background], depth=8, more=[palette(*colors)]))
    assert pixels[2, 2].tolist() == [9, 9, 9, 255]
    pixels = read(
        tmp_path,
        aseprite(
            4, 3, [Cel(numbers)], depth=8, more=[old_palette((1, 2, 3), (4, 5, 6))], transparent=9
        ),
    )
    assert pixels[0, 0].tolist() == [4, 5, 6, 255]
    assert pixels[2, 2].tolist() == [1, 2, 3, 255]


def test_gray_images(tmp_path: Path) -> None:
    pixels = read(tmp_path, aseprite(4, 3, [Cel(plain((70, 200)))], depth=16))
    assert (pixels == (70, 70, 70, 200)).all()


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (Layer("Glow", blend_mode=1), "its layer 'Glow' has a blend mode other than Normal"),
        (Layer("Ground", kind=2), "its layer 'Ground' is a tile map"),
    ],
)
def test_layers_that_cannot_be_drawn_are_errors(tmp_path: Path, layer: Layer, message: str) -> None:
    with pytest.raises(fw.AssetError, match=rf"hero\.aseprite' cannot be read: {message}.*as PNG"):
        read(tmp_path, aseprite(4, 3, [Cel(plain(RED), layer=layer)]))


def test_broken_files_are_clear_errors(tmp_path: Path) -> None:
    path = tmp_path / "hero.ase"
    whole = aseprite(4, 3, [Cel(plain(RED), opacity=99), Cel(plain(BLUE))], more=[palette(RED)])
    random = np.random.default_rng(1)
    for length in range(0, len(whole), 3):
        path.write_bytes(whole[:length])
        with pytest.raises(fw.AssetError, match=r"hero\.ase"):
            images.load(path)
    for _ in range(300):
        changed = bytearray(whole)
        for _ in range(3):
            changed[int(random.integers(len(whole)))] = int(random.integers(256))
        path.write_bytes(bytes(changed))
        try:
            pixels = images.load(path)
        except fw.AssetError:
            continue
        assert pixels.shape[2] == 4


def test_a_file_that_claims_a_huge_size_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "hero.ase"
    path.write_bytes(aseprite(65535, 65535, []))
    for reading in (images.load, lambda path: images.sizes([path])):
        with pytest.raises(fw.AssetError, match="claims more than"):
            reading(path)
    monkeypatch.setattr(aseprite_images, "_MAX_CEL_PIXELS", 23)
    path.write_bytes(aseprite(4, 3, [Cel(plain(RED)), Cel(plain(BLUE))]))
    with pytest.raises(fw.AssetError, match="its layers have too many pixels"):
        images.load(path)
    path.write_bytes(aseprite(0, 3, []))
    with pytest.raises(fw.AssetError, match="is empty"):
        images.load(path)
