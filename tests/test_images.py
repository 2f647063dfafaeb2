"""Images: loading of files and arrays, premultiplied alpha, regions and sheets."""

from __future__ import annotations

import io
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from framework.assets import images
from framework.assets.images import Region, load, load_many, premultiply, sheet, sizes
from framework.errors import AssetError
from framework.resources import find


def random_image(width: int = 7, height: int = 5) -> np.ndarray:
    return np.random.default_rng(width * height).integers(
        0, 256, (height, width, 4), dtype=np.uint8
    )


def encoded(image: Image.Image, format: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format, **options)
    return buffer.getvalue()


# loading


def check(pixels: np.ndarray, height: int, width: int) -> None:
    assert pixels.shape == (height, width, 4)
    assert pixels.dtype == np.uint8
    assert pixels.flags.c_contiguous
    assert pixels.flags.writeable
    assert pixels.base is None or pixels.base.base is None


@pytest.mark.parametrize("format", ["PNG", "TIFF", "TGA", "WEBP"])
def test_load_returns_the_pixels_of_a_file(tmp_path: Path, format: str) -> None:
    pixels = random_image()
    options = {"lossless": True, "exact": True} if format == "WEBP" else {}
    (tmp_path / "a").write_bytes(encoded(Image.fromarray(pixels), format, **options))
    loaded = load("a", [tmp_path])
    check(loaded, 5, 7)
    np.testing.assert_array_equal(loaded, pixels)
    np.testing.assert_array_equal(load(str(tmp_path / "a")), pixels)


MODES = ["1", "L", "LA", "La", "P", "PA", "RGB", "RGBA", "RGBa", "CMYK", "YCbCr", "HSV"]


@pytest.mark.parametrize("mode", MODES)
def test_load_accepts_every_mode(mode: str) -> None:
    image = Image.new("RGBA", (3, 2), (255, 255, 255, 255))
    for step in (
        {"La": "LA", "RGBa": "RGBA", "PA": "P", "HSV": "RGB", "CMYK": "RGB"}.get(mode, mode),
        mode,
    ):
        image = image.convert(step)
    pixels = load(image)
    check(pixels, 2, 3)
    assert (pixels >= 254).all()


@pytest.mark.parametrize("mode", ["I;16", "I;16B", "I;16L", "I"])
def test_load_scales_sixteen_bits(mode: str) -> None:
    kind = {"I;16B": ">u2", "I": "<i4"}.get(mode, "<u2")
    values = np.array([[0, 257, 32768, 65535]], kind)
    image = Image.frombytes(mode, (4, 1), values.tobytes())
    np.testing.assert_array_equal(load(image)[0, :, 0], [0, 1, 128, 255])
    assert (load(image)[..., 3] == 255).all()


def test_load_accepts_a_sixteen_bit_png(tmp_path: Path) -> None:
    Image.fromarray(np.array([[0, 65535]], np.uint16)).save(tmp_path / "a.png")
    np.testing.assert_array_equal(
        load(tmp_path / "a.png"), [[[0, 0, 0, 255], [255, 255, 255, 255]]]
    )


def test_load_keeps_the_transparency_of_a_palette(tmp_path: Path) -> None:
    image = Image.fromarray(np.array([[0, 1]], np.uint8)).convert("P")
    image.putpalette([10, 20, 30, 40, 50, 60])
    image.save(tmp_path / "a.png", transparency=1)
    np.testing.assert_array_equal(load(tmp_path / "a.png"), [[[10, 20, 30, 255], [40, 50, 60, 0]]])


def test_load_returns_the_first_frame_of_a_gif(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (4, 3), color) for color in ((255, 0, 0), (0, 255, 0))]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    assert (load(tmp_path / "a.gif") == (255, 0, 0, 255)).all()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_load_rotates_a_photo_by_its_exif_data(tmp_path: Path, orientation: int) -> None:
    pixels = random_image(3, 2)
    p = pixels.transpose(1, 0, 2)
    upright = [
        pixels,
        pixels[:, ::-1],
        pixels[::-1, ::-1],
        pixels[::-1],
        p,
        p[:, ::-1],
        p[::-1, ::-1],
        p[::-1],
    ][orientation - 1]
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(pixels).save(tmp_path / "a.png", exif=exif)
    loaded = load(tmp_path / "a.png")
    check(loaded, *upright.shape[:2])
    np.testing.assert_array_equal(loaded, upright)
    height, width = upright.shape[:2]
    assert sizes([tmp_path / "a.png"], [tmp_path]) == [(width, height)]


def test_load_ignores_broken_exif_data(tmp_path: Path) -> None:
    Image.fromarray(random_image()).save(
        tmp_path / "a.png", exif=b"Exif\0\0MM\0*\0\0\0\x08\xff\xff\x01"
    )
    np.testing.assert_array_equal(load(tmp_path / "a.png"), random_image())


def test_load_does_not_share_memory(tmp_path: Path) -> None:
    pixels = random_image()
    for source in (pixels, Image.fromarray(pixels), Region(pixels), Region(pixels, (0, 0, 7, 5))):
        loaded = load(source)
        check(loaded, 5, 7)
        np.testing.assert_array_equal(loaded, pixels)
        assert not np.shares_memory(loaded, pixels)
        loaded[:] = 0
        np.testing.assert_array_equal(load(source), pixels)


def test_load_accepts_arrays() -> None:
    gray = np.array([[0, 51], [102, 255]], np.uint8)
    np.testing.assert_array_equal(load(gray)[..., 1], gray)
    assert (load(gray)[..., 3] == 255).all()
    np.testing.assert_array_equal(load(random_image()[..., :3])[..., :3], random_image()[..., :3])
    np.testing.assert_array_equal(load(random_image()[::-1, ::2]), random_image()[::-1, ::2])
    for dtype in (np.float16, np.float32, np.float64):
        np.testing.assert_array_equal(load(gray.astype(dtype) / 255), load(gray))
    assert (load(np.array([[1.0000001, -1e-7]])) == [[[255] * 4, [0, 0, 0, 255]]]).all()


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((2, 3, 2), np.uint8), r"got uint8 of shape \(2, 3, 2\)"),
        (np.zeros(5, np.uint8), r"got uint8 of shape \(5,\)"),
        (np.zeros((0, 3, 4), np.uint8), r"got uint8 of shape \(0, 3, 4\)"),
        (np.zeros((2, 3), np.int64), "got int64"),
        (np.zeros((2, 3), bool), "got bool"),
        (np.zeros((2, 3), complex), "got complex128"),
        (np.full((2, 3), math.nan), r"in nan\.\.nan"),
        (np.array([[0.0, math.nan]], np.float32), r"in nan\.\.nan"),
        (np.array([[0.0, 255.0]]), r"in 0\.\.255.*divide by 255"),
        (np.array([[-math.inf, 1.0]]), r"in -inf\.\.1"),
    ],
)
def test_load_refuses_other_arrays(array: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load(array)


def test_load_refuses_other_types() -> None:
    for source in (3, None, b"drop.png"):
        with pytest.raises(TypeError, match=f"^image: expected a path, .* got {source!r}"):
            load(source)  # type: ignore[arg-type]


# broken files


def test_load_reports_a_file_that_is_no_image(tmp_path: Path) -> None:
    for content in (
        b"",
        b"hello",
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n",
    ):
        (tmp_path / "notes.png").write_bytes(content)
        with pytest.raises(
            AssetError, match=r"notes\.png' is in no format that can be read. Save it as"
        ):
            load("notes.png", [tmp_path])


def test_load_reports_a_truncated_file(tmp_path: Path) -> None:
    data = encoded(Image.fromarray(random_image(64, 64)), "PNG")
    (tmp_path / "half.png").write_bytes(data[: len(data) // 2])
    with pytest.raises(AssetError, match=r"half\.png' cannot be read: .*truncated.*Save it again"):
        load("half.png", [tmp_path])


def test_load_refuses_empty_images() -> None:
    with pytest.raises(AssetError, match="is empty: 0×5 pixels"):
        load(Image.new("RGB", (0, 5)))


def test_load_reports_a_closed_image(tmp_path: Path) -> None:
    Image.fromarray(random_image()).save(tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        pass
    with pytest.raises(AssetError, match=r"The Pillow image .* cannot be read"):
        load(image)


@pytest.mark.parametrize(
    ("width", "height"), [(8193, 8192), (10_000, 10_000), (60_000, 60_000), (2**30, 1)]
)
def test_load_refuses_an_image_with_a_huge_size_in_its_header(
    tmp_path: Path, width: int, height: int
) -> None:
    data = bytearray(encoded(Image.new("L", (1, 1)), "BMP"))
    data[18:26] = width.to_bytes(4, "little") + height.to_bytes(4, "little")
    (tmp_path / "huge.bmp").write_bytes(data)
    with pytest.raises(
        AssetError, match=r"huge\.bmp' .*claims more than 67,108,864 pixels.*Scale it down"
    ):
        load("huge.bmp", [tmp_path])


def test_load_refuses_a_huge_file_without_reading_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "MAX_PIXELS", 12)
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail("it was read"))
    (tmp_path / "huge.png").write_bytes(bytes(8 * 12 + 1))
    with pytest.raises(AssetError, match=r"huge\.png' claims more than"):
        load("huge.png", [tmp_path])


def test_an_image_of_the_maximum_size_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MAX_PIXELS", 12)
    check(load(Image.new("RGB", (4, 3))), 3, 4)
    with pytest.raises(AssetError, match=r"\(13×1\) claims more"):
        load(Image.new("RGB", (13, 1)))


FORMATS = {
    "PNG": lambda: encoded(Image.fromarray(random_image(24, 20)), "PNG"),
    "PNG palette": lambda: encoded(
        Image.fromarray(random_image(24, 20)).convert("P"), "PNG", transparency=3
    ),
    "JPEG": lambda: encoded(Image.fromarray(random_image(24, 20)[..., :3]), "JPEG"),
    "GIF": lambda: encoded(Image.fromarray(random_image(24, 20)).convert("P"), "GIF"),
    "BMP": lambda: encoded(Image.fromarray(random_image(24, 20)), "BMP"),
    "TGA": lambda: encoded(Image.fromarray(random_image(24, 20)), "TGA", compression="tga_rle"),
    "TIFF": lambda: encoded(Image.fromarray(random_image(24, 20)), "TIFF"),
    "WEBP": lambda: encoded(Image.fromarray(random_image(24, 20)), "WEBP"),
    "ICO": lambda: encoded(Image.fromarray(random_image(24, 20)), "ICO", sizes=[(16, 16)]),
    "PPM": lambda: encoded(Image.fromarray(random_image(24, 20)[..., :3]), "PPM"),
}


def load_or_refuse(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        pixels = load(path)
    except AssetError as error:
        assert path.name in str(error)  # noqa: PT017
    else:
        check(pixels, *pixels.shape[:2])


@pytest.mark.parametrize("name", FORMATS)
def test_any_truncation_is_an_asset_error_or_an_image(tmp_path: Path, name: str) -> None:
    data = FORMATS[name]()
    for length in range(0, len(data), max(1, len(data) // 100)):
        load_or_refuse(tmp_path / "cut", data[:length])


@pytest.mark.parametrize("name", FORMATS)
def test_any_broken_bytes_are_an_asset_error_or_an_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(
        images, "MAX_PIXELS", 2**20
    )  # so that a changed size within the limit needs little time
    chance, whole = random.Random(name), FORMATS[name]()
    for _ in range(100):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 3, 20))):
            # The header has the most important fields.
            index = chance.randrange(min(64, len(data)) if chance.random() < 0.5 else len(data))
            data[index] = chance.randrange(256)
        load_or_refuse(tmp_path / "broken", bytes(data))


# premultiplied alpha


def test_premultiply_rounds_to_nearest_for_every_pair() -> None:
    color, alpha = np.meshgrid(np.arange(256), np.arange(256))
    pixels = np.stack([color, color, 255 - color, alpha], axis=-1).astype(np.uint8)
    exact = np.array([[round(Fraction(c * a, 255)) for c in range(256)] for a in range(256)])
    result = premultiply(pixels)
    check(result, 256, 256)
    np.testing.assert_array_equal(result[..., 0], exact)
    np.testing.assert_array_equal(result[..., 2], exact[:, ::-1])
    np.testing.assert_array_equal(result[..., 3], alpha)


def test_premultiply_returns_a_contiguous_copy_and_refuses_other_arrays() -> None:
    pixels = random_image()
    before = pixels.copy()
    check(premultiply(pixels[::-1, ::2]), 5, 4)
    np.testing.assert_array_equal(pixels, before)
    with pytest.raises(
        ValueError, match=r"^pixels: expected uint8 .* got float64 of shape \(2, 2, 4\)"
    ):
        premultiply(np.zeros((2, 2, 4)))  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"^pixels: expected uint8 .* got uint8 of shape \(2, 2, 3\)"
    ):
        premultiply(np.zeros((2, 2, 3), np.uint8))


# regions and sheets


def test_a_region_cuts_its_box_from_the_top_left() -> None:
    np.testing.assert_array_equal(
        load(Region(random_image(), (2, 1, 3, 4))), random_image()[1:5, 2:5]
    )
    inner = Region(Region(random_image(), (2, 1, 4, 4)), (1, 1, 2, 2))
    np.testing.assert_array_equal(load(inner), random_image()[2:4, 3:5])


@pytest.mark.parametrize("box", [(5, 0, 3, 1), (0, 5, 1, 1), (-1, 0, 2, 2), (0, 0, 8, 5)])
def test_a_box_outside_its_image_is_refused_with_both_sizes(
    tmp_path: Path, box: tuple[int, int, int, int]
) -> None:
    Image.fromarray(random_image()).save(tmp_path / "a.png")
    message = (
        rf"{box[2]}×{box[3]} pixels at \({box[0]}, {box[1]}\) is not inside its image "
        r"'a\.png' of 7×5"
    )
    with pytest.raises(AssetError, match=message):
        load(Region("a.png", box), [tmp_path])
    with pytest.raises(AssetError, match="image ndarray of 7×5"):
        load(Region(random_image(), box))


@pytest.mark.parametrize(
    ("box", "error", "message"),
    [
        ((0, 0, 0, 1), ValueError, "box: width: expected a whole number of at least 1, got 0"),
        ((0, 0, 1, -1), ValueError, "box: height: expected a whole number of at least 1, got -1"),
        ((0, 0, 1), ValueError, "box: expected four whole numbers"),
        ((0.5, 0, 1, 1), TypeError, "box: x: expected a whole number, got 0.5"),
        ("abcd", TypeError, "box: x: expected a whole number, got 'a'"),
        (3, TypeError, "box: expected four whole numbers"),
    ],
)
def test_a_region_refuses_an_invalid_box(box: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        Region("a.png", box)


@pytest.mark.parametrize(
    ("anchor", "error"),
    [
        ((0,), ValueError),
        ((0, math.nan), ValueError),
        ((0, math.inf), ValueError),
        ("ab", TypeError),
        (3, TypeError),
    ],
)
def test_a_region_refuses_an_invalid_anchor(anchor: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^anchor: expected (two|a) (finite )?number"):
        Region("a.png", anchor=anchor)


@pytest.mark.parametrize("source", [None, 3, b"a.png", Region])
def test_regions_and_sheets_refuse_sources_that_are_no_images(source: Any) -> None:
    for cut in (lambda: Region(source), lambda: sheet(source, (1, 1), columns=1)):
        with pytest.raises(
            TypeError, match=r"^source: expected a path, a Pillow image, an array or a Region"
        ):
            cut()


def test_regions_are_hashed_by_identity_and_accept_numpy_numbers() -> None:
    box = np.array([0, 0, 1, 1])
    first, second = Region(random_image(), box), Region(random_image(), box, anchor=box[:2])  # type: ignore[arg-type]
    assert len({first, second, first}) == 2
    assert first.box == (0, 0, 1, 1)
    assert second.anchor == (0.0, 0.0)


def test_a_sheet_has_its_regions_row_by_row_from_the_top_left() -> None:
    regions = sheet("a.png", (4, 3), columns=3, rows=2, count=5, margin=1, spacing=2, anchor=(2, 0))
    assert [region.box for region in regions] == [
        (1, 1, 4, 3), (7, 1, 4, 3), (13, 1, 4, 3), (1, 6, 4, 3), (7, 6, 4, 3),
    ]  # fmt: skip
    assert {region.anchor for region in regions} == {(2.0, 0.0)}
    assert {region.source for region in regions} == {"a.png"}


@given(
    columns=st.integers(1, 5),
    rows=st.integers(1, 5),
    margin=st.integers(0, 3),
    spacing=st.integers(0, 3),
)
def test_the_regions_of_a_sheet_contain_all_its_tiles(
    columns: int, rows: int, margin: int, spacing: int
) -> None:
    tiles = random_image(3, 2 * columns * rows).reshape(rows, columns, 2, 3, 4)
    size = (
        2 * margin + rows * (2 + spacing) - spacing,
        2 * margin + columns * (3 + spacing) - spacing,
        4,
    )
    whole = np.zeros(size, np.uint8)
    for (row, column), _ in np.ndenumerate(tiles[..., 0, 0, 0]):
        y, x = margin + row * (2 + spacing), margin + column * (3 + spacing)
        whole[y : y + 2, x : x + 3] = tiles[row, column]
    cut = load_many(
        sheet(whole, (3, 2), columns=columns, rows=rows, margin=margin, spacing=spacing)
    )
    np.testing.assert_array_equal(np.array(cut), tiles.reshape(-1, 2, 3, 4))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": 0}, "columns: expected a whole number from 1 to 67108864, got 0"),
        ({"rows": 1.5}, "rows: expected a whole number, got 1.5"),
        ({"size": (0, 3)}, "size: expected a whole number of at least 1, got 0"),
        ({"size": (1, 2, 3)}, "size: expected two whole numbers above 0"),
        ({"margin": -1}, "margin: expected a whole number from 0 to 67108864, got -1"),
        ({"spacing": "x"}, "spacing: expected a whole number, got 'x'"),
        ({"count": 0}, "count: expected a whole number of at least 1, got 0"),
        ({"count": 7}, "count: 3 columns × 2 rows have 6 images, got 7"),
        ({"columns": 1 << 31}, "columns: expected a whole number from 1 to 67108864"),
        ({"rows": 1 << 62}, "rows: expected a whole number from 1 to 67108864"),
        ({"margin": 1 << 31}, "margin: expected a whole number from 0 to"),
        ({"spacing": 1 << 31}, "spacing: expected a whole number from 0 to"),
        (
            {"columns": 1 << 26},
            "columns: expected at most 262,144 images of 4 × 3 pixels, got 67,108,864 columns × 2",
        ),
        ({"size": (4096, 4096), "rows": 5}, "rows: expected at most 4 images of 4096 × 4096"),
    ],
)
def test_sheet_checks_its_numbers(changes: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=f"^{message}"):
        sheet("a.png", **{"size": (4, 3), "columns": 3, "rows": 2, **changes})


def test_load_many_decodes_a_shared_file_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Image.fromarray(random_image(6, 4)).save(tmp_path / "a.png")
    opened = []
    original = find
    monkeypatch.setattr(images, "find", lambda *args: opened.append(args) or original(*args))
    sources = [*sheet("a.png", (3, 2), columns=2, rows=2), "a.png", random_image()]
    result = load_many(sources, [tmp_path])
    assert len(opened) == 1
    for source, pixels in zip(sources, result, strict=True):
        np.testing.assert_array_equal(pixels, load(source, [tmp_path]))
    assert not any(np.shares_memory(a, b) for a in result for b in result if a is not b)
