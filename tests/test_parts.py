"""What models are made of: the room that their pictures have, and their colours."""

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
    """A picture of 1,024 pixels that says something with each."""
    return png(np.random.default_rng(seed).integers(0, 256, (16, 64, 3)))


def test_a_picture_that_is_sampled_in_several_ways_counts_so_many_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parts, "MAX_PIXELS", 3 * 1024)
    pictures = ModelImages()
    pixels = pictures.read(noise(1), "here")
    assert pictures.read(noise(1), "there") is pixels  # once
    for way in ("near", "near", "far", "near", "far", "mirrored"):
        pictures.count_sampling(pixels, way)
    for again in (
        lambda: pictures.count_sampling(pixels, "other"),
        lambda: pictures.read(noise(2), "here"),
    ):
        with pytest.raises(ValueError, match="it has more than 3,072 pixels; simplify it"):
            again()


def test_the_pictures_of_a_model_have_512_mib() -> None:
    pictures, pixels = ModelImages(), np.broadcast_to(np.uint8(0), (8192, 8192, 4))
    for way in range(3):  # the first is that of the picture itself
        pictures.count_sampling(pixels, way)
    with pytest.raises(ValueError, match="it has more than 134,217,728 pixels"):
        pictures.count_sampling(pixels, 3)


def test_pictures_that_say_as_little_as_no_photograph_have_less_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blank = png(np.zeros((256, 256, 3)))
    beyond = 256 * 256 - parts._PIXELS_A_BYTE * len(blank)
    assert beyond > 0
    monkeypatch.setattr(parts, "MAX_BLANK_PIXELS", beyond)
    pictures = ModelImages()
    for seed in range(3):
        pictures.read(noise(seed), "here")
    pictures.read(blank, "here")
    with pytest.raises(ValueError, match="pixels of nearly empty images"):
        pictures.read(blank + b"0" * (len(blank) // 2), "here")


def test_a_broken_picture_is_told_by_where_it_is_and_not_by_an_address() -> None:
    whole = noise(1)
    for broken in (whole[:-400], whole[:200] + bytes(20) + whole[220:]):
        with pytest.raises(
            ValueError, match=r"^images\[3\]: The Pillow image .* cannot be read: "
        ) as caught:
            ModelImages().read(broken, "images[3]")
        assert "0x" not in str(caught.value)


def test_a_budget_is_spent_to_the_last() -> None:
    budget = Budget("crumbs", 10)
    budget.spend(7)
    budget.allow(2)
    budget.spend(5)
    with pytest.raises(ValueError, match="it has more than 10 crumbs; simplify it, or split it up"):
        budget.spend(1)
    with pytest.raises(ValueError, match="it has more than 512 MiB of numbers"):
        Budget("numbers").spend(linked_files.MAX_BYTES + 1)


def test_colours_become_linear_between_0_and_1_and_alpha_stays() -> None:
    colors = np.array([[-1, 0.04045, 0.5, 0.5], [1, 1.5, 0.07, 7]])
    made = parts.linear(colors)
    wanted = [[0, 0.0031308, 0.2140411, 0.5], [1, 1, 0.0059811, 7]]
    np.testing.assert_allclose(made, wanted, atol=1e-6)
    assert colors[0, 0] == -1


def test_a_file_beside_a_model_is_in_its_folder_there_and_not_too_large(
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
