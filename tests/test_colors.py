"""Colors: strings for every color, sRGB values in 2D, linear values for light."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import framework as fw
from framework import checks

Make = Callable[..., Any]
ORANGE = 1.0, 136 / 255, 0.0
LINEAR = 1.0, ((136 / 255 + 0.055) / 1.055) ** 2.4, 0.0
WHITE = np.full((4, 4, 4), 255, np.uint8)


@pytest.mark.parametrize(
    ("color", "expected"),
    [
        ("#f80", LINEAR),
        ("#ff8800", LINEAR),
        ("#FF8800", LINEAR),
        ("#f808", (*LINEAR, 136 / 255)),
        (ORANGE, LINEAR),
        ((*ORANGE, 0.5), (*LINEAR, 0.5)),
        ("white", (1, 1, 1)),
        ("black", (0, 0, 0)),
        ("rgb(255, 136, 0)", LINEAR),
        (np.array(ORANGE), LINEAR),
    ],
)
def test_srgb_returns_linear_values(color: Any, expected: tuple[float, ...]) -> None:
    assert fw.srgb(color) == pytest.approx(expected, abs=1e-7)


@given(st.integers(0, 255))
def test_srgb_matches_the_standard_formula(channel: int) -> None:
    linear = fw.srgb((channel / 255,) * 3)[0]
    back = linear * 12.92 if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
    assert back * 255 == pytest.approx(channel, abs=1e-3)


@pytest.mark.parametrize("bad", ["", "f80", "#f", "#ggg", "oragne", " #f80"])
def test_an_invalid_string_is_refused_with_an_example(bad: str) -> None:
    for check in (checks.color, checks.light):
        with pytest.raises(
            ValueError, match=r"^tint: expected a color such as '#ff8800' or 'orange', got '"
        ):
            check("tint", bad)


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ((1, 2), ValueError),
        (5, TypeError),
        (None, TypeError),
        ((-1, 0, 0), ValueError),
        ((math.nan, 0, 0), ValueError),
    ],
)
def test_srgb_refuses_other_values(bad: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^color: expected 3 or 4 finite numbers"):
        fw.srgb(bad)


def test_strings_in_2d_are_srgb_colors(make: Make) -> None:
    game = make(background="#123456")
    assert game.pixels()[0, 0, :3].tolist() == [0x12, 0x34, 0x56]
    game.background = "black"
    batch = game.add(fw.SpriteBatch(WHITE))
    sprite = batch.add(position=(20, 50), color="#f80")
    more = batch.extend(2, position=(60, 50), color="#f80")
    batch.extend(1, position=(100, 50))
    batch[3].color = "#ff880080"
    label = game.labels.add("H", color="#f80")
    game.advance(0)
    assert game.pixels()[50, 20, :3].tolist() == [0xFF, 0x88, 0]
    assert sprite.color == pytest.approx((*ORANGE, 1))
    np.testing.assert_allclose(batch.color[more], [(*ORANGE, 1)] * 2, atol=1e-6)
    assert batch[3].color == pytest.approx((*ORANGE, 128 / 255))
    batch[3].color = "red"  # alpha does not change
    assert batch[3].color == pytest.approx((1, 0, 0, 128 / 255))
    batch.color = ["red", (0, 1, 0), "blue", "#00000080"]  # a color for each row
    assert batch.color[:3].tolist() == [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]]
    assert batch.color[3].tolist() == pytest.approx([0, 0, 0, 128 / 255])
    batch.color = np.where([True, False, False, True], "red", "white")
    assert batch.color[:2].tolist() == [[1, 0, 0, 1], [1, 1, 1, 1]]
    with pytest.raises(ValueError, match=r"color\[1\]: expected a color such as .*, got 'bluee'"):
        batch.color = ["red", "bluee", "red", "red"]
    with pytest.raises(ValueError, match=r"color: expected float32 numbers of shape \(4, 4\)"):
        batch.color = ["red", "blue"]
    batch.color = "#08f"
    np.testing.assert_allclose(batch.color, [(0, 136 / 255, 1, 1)] * 4, atol=1e-6)
    assert label.color == pytest.approx((*ORANGE, 1))
    label.color = "lime"
    assert label.color == (0, 1, 0, 1)


def test_strings_in_3d_become_linear_values(make: Make) -> None:
    game = make()
    world = game.world
    meshes = game.add(
        fw.MeshBatch(fw.Mesh.cube(), 2, material=fw.Material(base_color="#f80", emissive="#f80"))
    )
    np.testing.assert_allclose(meshes.material.base_color, (*LINEAR, 1))
    np.testing.assert_allclose(meshes.material.emissive, LINEAR)
    meshes.color = "#f80"
    np.testing.assert_allclose(meshes.color, [(*LINEAR, 1)] * 2, atol=1e-6)
    meshes[0].color = "#0008"
    assert meshes.add(color="#f80").color == pytest.approx((*LINEAR, 1), abs=1e-6)
    assert meshes[0].color == pytest.approx((0, 0, 0, 136 / 255))
    puffs = game.add(fw.Billboards(WHITE))
    puffs.extend(1, color="#f80")
    np.testing.assert_allclose(puffs.color, [(*LINEAR, 1)], atol=1e-6)
    np.testing.assert_allclose(fw.Mesh.cube().with_color("#f80").colors[5], (*LINEAR, 1), atol=1e-6)
    for name in ("sun_color", "sky_color", "ground_color", "fog_color", "sky"):
        setattr(world, name, "#f80")
        np.testing.assert_allclose(getattr(world, name), LINEAR)
    light = world.lights.add((0, 0, 0), color="#f80")
    np.testing.assert_allclose(light.color, LINEAR)
    world.lines.add((0, 0, 0), (1, 0, 0), color="#f80")
    game.advance(0)


@pytest.mark.parametrize("column", ["position", "scale", "flip", "visible"])
def test_other_columns_refuse_color_strings(column: str) -> None:
    batch = fw.SpriteBatch(WHITE, 2)
    for change in (
        lambda: setattr(batch, column, "red"),
        lambda: setattr(batch[0], column, "red"),
        lambda: batch.extend(1, **{column: "red"}),
    ):
        with pytest.raises(TypeError, match=f"^{column}: expected"):
            change()
    assert len(batch) == 2
