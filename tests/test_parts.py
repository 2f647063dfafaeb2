"""Parts of models: limits for images, broken images, linked files and linear colors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from glbs import png

from framework.assets import linked_files
from framework.assets.linked_files import Budget, NoSuchFile
from framework.models import parts
from framework.models.parts import ModelImages


def noise(seed: int) -> bytes:
    """Return an image of 1,024 random pixels."""
    return png(np.random.default_rng(seed).integers(0, 256, (16, 64, 3)))


def test_an_image_counts_once_for_each_way_of_sampling(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parts, "MAX_PIXELS", 3 * 1024)
    images = ModelImages()
    pixels = images.read(noise(1), "here")
    assert images.read(noise(1), "there") is pixels  # cached
    for sampling in ("near", "near", "far", "near", "far", "mirrored"):
        images.count_sampling(pixels, sampling)
    for beyond_limit in (
        lambda: images.count_sampling(pixels, "other"),
        lambda: images.read(noise(2), "here"),
    ):
        with pytest.raises(ValueError, match="it has more than 3,072 pixels; simplify it"):
            beyond_limit()


def test_the_images_of_a_model_are_limited_to_512_mib() -> None:
    images = ModelImages()
    pixels = np.broadcast_to(np.uint8(0), (8192, 8192, 4))
    for sampling in range(3):  # the first way of sampling belongs to the image itself
        images.count_sampling(pixels, sampling)
    with pytest.raises(ValueError, match="it has more than 134,217,728 pixels"):
        images.count_sampling(pixels, 3)


def test_nearly_empty_images_have_a_lower_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blank = png(np.zeros((256, 256, 3)))
    beyond = 256 * 256 - parts._PIXELS_A_BYTE * len(blank)
    assert beyond > 0
    monkeypatch.setattr(parts, "MAX_BLANK_PIXELS", beyond)
    images = ModelImages()
    for seed in range(3):
        images.read(noise(seed), "here")
    images.read(blank, "here")
    with pytest.raises(ValueError, match="pixels of nearly empty images"):
        images.read(blank + b"0" * (len(blank) // 2), "here")


def test_the_error_of_a_broken_image_has_its_position_in_the_file() -> None:
    whole = noise(1)
    for bad_data in (whole[:-400], whole[:200] + bytes(20) + whole[220:]):
        with pytest.raises(
            ValueError, match=r"^images\[3\]: The Pillow image .* cannot be read: "
        ) as caught:
            ModelImages().read(bad_data, "images[3]")
        assert "0x" not in str(caught.value)


def test_a_budget_allows_its_whole_amount() -> None:
    budget = Budget("crumbs", 10)
    budget.spend(7)
    budget.allow(2)
    budget.spend(5)
    with pytest.raises(ValueError, match="it has more than 10 crumbs; simplify it, or split it up"):
        budget.spend(1)
    with pytest.raises(ValueError, match="it has more than 512 MiB of numbers"):
        Budget("numbers").spend(linked_files.MAX_BYTES + 1)


def test_linear_converts_colors_and_keeps_alpha() -> None:
    colors = np.array([[-1, 0.04045, 0.5, 0.5], [1, 1.5, 0.07, 7]])
    result = parts.linear(colors)
    expected = [[0, 0.0031308, 0.2140411, 0.5], [1, 1, 0.0059811, 7]]
    np.testing.assert_allclose(result, expected, atol=1e-6)
    assert colors[0, 0] == -1


def test_a_linked_file_must_exist_in_the_folder_within_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.png").write_bytes(b"1234")
    monkeypatch.setattr(linked_files, "MAX_BYTES", 4)
    for name in ("sub/a.png", "sub\\a.png", "sub/../sub/a.png"):
        assert linked_files.beside(tmp_path, name, "here") == tmp_path / "sub" / "a.png"
    for name in ("sub/b.png", "sub"):
        with pytest.raises(NoSuchFile, match=r"^here: there is no file"):
            linked_files.beside(tmp_path, name, "here")
    for name, words in (
        ("../a.png", "leads out of"),
        (str(tmp_path), "is not a path"),
        ("a\0", "is not a path"),
    ):
        with pytest.raises(ValueError, match=f"^here: .* {words}"):
            linked_files.beside(tmp_path, name, "here")
    monkeypatch.setattr(linked_files, "MAX_BYTES", 3)
    with pytest.raises(ValueError, match=r"^here: 'sub/a\.png' has more than"):
        linked_files.beside(tmp_path, "sub/a.png", "here")
