"""Images in Aseprite's own format: layers, colors, and errors in files."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aseprites import Cel, Layer, aseprite, cel_chunk, chunk, layer_chunk, old_palette, palette

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
    parts: list[Cel | Layer] = [
        Layer("group", visible=False, kind=1),
        Layer("inner group", kind=1, level=1),
        Cel(plain(RED, 1), 0, layer=Layer(level=2)),
        Cel(plain(RED, 1), 1, layer=Layer(level=1, blend_mode=3)),
        Cel(plain(RED, 1), 2),
        Cel(plain(RED, 1), 3, layer=Layer(visible=False)),
    ]
    pixels = read(tmp_path, aseprite(4, 3, parts))
    assert pixels[0, :, 3].tolist() == [0, 0, 255, 0]


def test_reference_layers_are_not_drawn(tmp_path: Path) -> None:
    photo = Cel(plain(BLUE), layer=Layer(is_reference=True))
    assert (read(tmp_path, aseprite(4, 3, [Cel(plain(RED)), photo])) == RED).all()


def test_the_opacity_of_a_group_is_an_error(tmp_path: Path) -> None:
    parts: list[Cel | Layer] = [
        Layer("Ghosts", kind=1, opacity=99),
        Cel(plain(RED), layer=Layer(level=1)),
    ]
    assert (read(tmp_path, aseprite(4, 3, parts)) == RED).all()  # the file does not use it
    with pytest.raises(fw.AssetError, match="its group 'Ghosts' has an opacity or a blend mode"):
        read(tmp_path, aseprite(4, 3, parts, flags=3))
    parts[0] = Layer("Ghosts", kind=1, opacity=99, visible=False)
    assert read(tmp_path, aseprite(4, 3, parts, flags=3)).max() == 0


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


@pytest.mark.parametrize("kind", [0, 2])
@pytest.mark.parametrize("depth", [8, 16, 32])
def test_small_bands_give_the_same_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, depth: int, kind: int
) -> None:
    random = np.random.default_rng(3)
    cels = [
        Cel(random.integers(0, 256, (9, 7, depth // 8)), x, y, 200, kind=kind)
        for x, y in ((0, 0), (-2, -3), (1, 1), (-3, 2))
    ]
    colors = [tuple(color) for color in random.integers(0, 256, (256, 4)).tolist()]
    file = aseprite(4, 3, cels, depth=depth, more=[palette(*colors)])
    whole = read(tmp_path, file)
    for size in (1, 15, 30):
        monkeypatch.setattr(aseprite_images, "_BAND", size)
        monkeypatch.setattr(aseprite_images, "_INPUT", size)
        assert (aseprite_images.first_frame(file) == whole).all()


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


def test_a_large_image_needs_little_memory() -> None:
    small = aseprite(2048, 2048, [Cel(np.full((2048, 2048, 4), 128, np.uint8))] * 3)
    assert len(small) < 100_000
    tracemalloc.start()
    try:
        pixels = aseprite_images.first_frame(small)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2 * pixels.nbytes


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ([cel_chunk(Cel(plain(RED)), 1)], "it has the image of a layer that does not exist"),
        ([cel_chunk(Cel(plain(RED)), 0)] * 2, "a layer has two images in one frame"),
        ([chunk(0x2005, b"ab")], "the file ends too early"),
        ([chunk(4, b"\2\0" + (b"\0\xff" + b"123" * 255) * 2)], "has more than 256 colors"),
        ([chunk(0x2005, b"\0" * 7 + b"\2" + b"\0" * 8 + b"\4\0\3\0broken")], "are damaged"),
        ([palette(RED)] * 9, "its palettes have too many colors"),
        ([layer_chunk(Layer())] * 9, "it has too many layers"),
        ([chunk(0, b"")] * 20, "its first frame has too many parts"),
    ],
)
def test_messages_of_broken_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunks: list[bytes], message: str
) -> None:
    monkeypatch.setattr(aseprite_images, "_MAX_COLORS", 8)
    monkeypatch.setattr(aseprite_images, "_MAX_LAYERS", 8)
    monkeypatch.setattr(aseprite_images, "_MAX_CHUNKS", 19)
    path = tmp_path / "hero.ase"
    path.write_bytes(aseprite(4, 3, [], more=[layer_chunk(Layer()), *chunks]))
    with pytest.raises(fw.AssetError, match=rf"cannot be read: .*{message}\. Save it again"):
        images.load(path)


def test_a_file_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "hero.ase"
    path.write_bytes(aseprite(4, 3, []))
    with path.open("r+b") as file:
        file.truncate(8 * images.MAX_PIXELS + 1)  # a sparse file
    with pytest.raises(fw.AssetError, match="claims more than"):
        images.load(path)
