"""Materials: their options, and the look of surfaces."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawings import driven
from PIL import Image
from shading import dark, facing, from_srgb, reflected, shown, to_srgb

import framework as fw

Make = Callable[..., Any]


def center_color(game: fw.Game) -> np.ndarray:
    """Return the color at the center of the image as three bytes."""
    game.run(1)
    pixels = game.pixels()
    return pixels[pixels.shape[0] // 2, pixels.shape[1] // 2, :3].astype(int)


def sunny(game: fw.Game, direction: tuple[float, float, float] = (0.3, 0.4, 0.8)) -> np.ndarray:
    """Make the sun the only light. Return the direction toward the sun."""
    dark(game.world)
    game.world.sun_color = (1, 1, 1)
    game.world.sun_direction = direction
    return np.array(direction) / np.linalg.norm(direction)


def texture(*color: int) -> np.ndarray:
    return np.full((4, 4, len(color)), color, np.uint8)


# -- values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("base_color", (1, math.nan, 1)),
        ("base_color", (1, 1)),
        ("base_color", "reddish"),
        ("emissive", (0, -1, 0)),
        ("metallic", math.nan),
        ("metallic", 2),
        ("roughness", None),
        ("normal_scale", math.inf),
        ("occlusion_strength", -0.1),
        ("alpha_cutoff", 7),
        ("alpha_mode", "glass"),
    ],
)
def test_an_invalid_value_is_refused_with_its_name_in_init_and_when_set(
    name: str, value: Any
) -> None:
    error = TypeError if value is None else ValueError
    with pytest.raises(error, match=f"^{name}: expected"):
        fw.Material(**{name: value})
    material = fw.Material()
    before = getattr(material, name)
    version = material.version
    with pytest.raises(error, match=f"^{name}: expected"):
        setattr(material, name, value)
    assert (getattr(material, name), material.version) == (before, version)


def test_the_version_grows_with_each_change_and_after_a_restore() -> None:
    material = fw.Material()
    versions = [material.version]
    for change in (lambda: setattr(material, "metallic", 0.5), material.after_restore) * 2:
        change()
        versions.append(material.version)
    assert versions == sorted(set(versions))


def test_a_texture_that_is_no_image_is_a_type_error() -> None:
    with pytest.raises(
        TypeError, match=r"^normal_texture: expected a path, .* an array or a Region, got 3"
    ):
        fw.Material(normal_texture=3)  # type: ignore[arg-type]


def test_a_color_of_three_numbers_is_opaque() -> None:
    assert fw.Material((0.1, 0.2, 0.3)).base_color == (0.1, 0.2, 0.3, 1.0)


# -- the light of a surface ------------------------------------------------------------------------


@pytest.mark.parametrize("metallic", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("roughness", [0.0, 0.3, 0.6, 1.0])
def test_a_lit_face_has_the_color_of_gltfs_formula(
    make: Make, metallic: float, roughness: float
) -> None:
    game = make()
    base = (0.8, 0.4, 0.1)
    facing(game, fw.Material(base, metallic=metallic, roughness=roughness))
    to_sun = sunny(game)
    expected = shown(reflected(base, metallic, roughness, (0, 0, 1), (0, 0, 1), to_sun))
    assert np.abs(center_color(game) - expected).max() <= 2


def test_light_from_behind_adds_nothing(make: Make) -> None:
    game = make()
    facing(game)
    sunny(game, (0.1, 0.2, -1))
    assert center_color(game).tolist() == [0, 0, 0]


def test_a_metal_shows_the_sky(make: Make) -> None:
    game = make()
    facing(game, fw.Material((0.9, 0.9, 0.9), metallic=1, roughness=0.1))
    game.world.sun_color = (0, 0, 0)
    assert center_color(game).min() > 40


def test_emissive_surfaces_need_no_light(make: Make) -> None:
    game = make()
    facing(game, fw.Material(emissive=(0.5, 0.25, 0)))
    dark(game.world)
    assert np.abs(center_color(game) - shown((0.5, 0.25, 0))).max() <= 1


def test_unlit_surfaces_have_exactly_the_base_color(make: Make) -> None:
    game = make()
    batch = facing(game, fw.Material((1, 0.5, 0.25), unlit=True))
    batch.color[:] = (0.5, 1, 1, 1)
    game.world.exposure = 3
    assert np.abs(center_color(game) - 255 * to_srgb((0.5, 0.5, 0.25))).max() <= 1


def test_double_sided_surfaces_are_lit_from_behind_and_others_are_invisible(make: Make) -> None:
    colors = []
    for double_sided in (False, True):
        game = make()
        batch = facing(game, fw.Material(double_sided=double_sided, roughness=1))
        batch.rotation[:] = (0, 1, 0, 0)  # half a turn
        to_sun = sunny(game)
        colors.append(center_color(game))
    assert colors[0].tolist() == [0, 0, 0]
    assert (
        np.abs(colors[1] - shown(reflected((1, 1, 1), 0, 1, (0, 0, 1), (0, 0, 1), to_sun))).max()
        <= 2
    )


# -- textures --------------------------------------------------------------------------------------


def test_color_textures_are_srgb_and_multiply_the_color(make: Make) -> None:
    game = make()
    facing(game, fw.Material((0.5, 1, 1), base_texture=texture(200, 100, 50), unlit=True))
    expected = 255 * to_srgb(from_srgb(np.array([200, 100, 50]) / 255) * (0.5, 1, 1))
    assert np.abs(center_color(game) - expected).max() <= 1


def test_texture_coordinates_begin_at_the_images_upper_left_corner(make: Make) -> None:
    image = np.zeros((2, 2, 3), np.uint8)
    image[0, 0], image[0, 1], image[1, 0], image[1, 1] = (
        (255, 0, 0),
        (0, 255, 0),
        (0, 0, 255),
        (255, 255, 255),
    )
    image = np.kron(image, np.ones((16, 16, 1), np.uint8))
    game = make()
    facing(game, fw.Material(base_texture=image, unlit=True))
    game.run(1)
    pixels = game.pixels()  # 200 x 100 pixels, and the square in the center is 50 wide
    corners = [pixels[y, x, :3].tolist() for y in (37, 62) for x in (87, 112)]
    assert corners == [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]


def test_roughness_is_the_green_and_metallic_the_blue_channel(make: Make) -> None:
    game = make()
    maps = texture(255, 102, 204)
    facing(
        game,
        fw.Material((0.8, 0.4, 0.1), metallic=0.5, roughness=1, metallic_roughness_texture=maps),
    )
    to_sun = sunny(game)
    expected = shown(reflected((0.8, 0.4, 0.1), 0.4, 0.4, (0, 0, 1), (0, 0, 1), to_sun))
    assert np.abs(center_color(game) - expected).max() <= 2


@pytest.mark.parametrize(
    ("bump", "scale"), [((0.4, 0.0), 1.0), ((0.0, 0.4), 1.0), ((0.3, -0.2), 0.5)]
)
def test_a_normal_map_tilts_the_normal_right_for_red_and_up_for_green(
    make: Make, bump: tuple[float, float], scale: float
) -> None:
    game = make()
    normal = np.array([*bump, math.sqrt(1 - bump[0] ** 2 - bump[1] ** 2)])
    pixel = np.rint((normal / 2 + 0.5) * 255).astype(int)
    facing(
        game, fw.Material(roughness=1, normal_texture=texture(*pixel.tolist()), normal_scale=scale)
    )
    to_sun = sunny(game, (0.7, 0.6, 0.4))
    turned = (pixel / 255 * 2 - 1) * (scale, scale, 1)
    turned /= np.linalg.norm(turned)
    expected = shown(reflected((1, 1, 1), 0, 1, turned, (0, 0, 1), to_sun))
    assert np.abs(center_color(game) - expected).max() <= 2
    assert abs(expected - shown(reflected((1, 1, 1), 0, 1, (0, 0, 1), (0, 0, 1), to_sun))).max() > 5


def test_occlusion_reduces_ambient_light_but_not_sunlight(make: Make) -> None:
    game = make()
    colors = {}
    batch = facing(game, fw.Material())
    for strength in (0, 1):
        batch.material = fw.Material(
            occlusion_texture=texture(0, 255, 255), occlusion_strength=strength
        )
        for sun in (0, 1):
            game.world.sun_color = (sun, sun, sun)
            colors[sun, strength] = center_color(game)
    assert colors[0, 0].min() > 50
    assert colors[0, 1].max() == 0
    assert colors[1, 1].min() > 50


def test_emissive_textures_multiply_the_emissive_color(make: Make) -> None:
    game = make()
    facing(game, fw.Material(emissive=(1, 1, 1), emissive_texture=texture(0, 188, 255)))
    dark(game.world)
    expected = shown(from_srgb(np.array([0, 188, 255]) / 255))
    assert np.abs(center_color(game) - expected).max() <= 2


def test_a_distant_texture_has_its_mean_color_without_noise(make: Make) -> None:
    checks = np.kron(np.indices((32, 32)).sum(axis=0) % 2, np.ones((2, 2))).astype(np.uint8) * 255
    game = make()
    batch = facing(game, fw.Material(base_texture=checks, unlit=True))
    batch.scale[:] = 0.16  # 64 texels in 8 pixels
    game.run(1)
    inside = game.pixels()[47:53, 97:103, :3]
    assert np.abs(inside.astype(int) - 188).max() <= 4  # half the light


def test_batches_share_textures_and_the_last_batch_frees_them(make: Make, tmp_path: Path) -> None:
    Image.fromarray(texture(10, 20, 30)).save(tmp_path / "brick.png")
    path = str(tmp_path / "brick.png")
    game = make()
    batches = [
        game.add(fw.MeshBatch(fw.Mesh.cube(), 1, material=fw.Material(base_texture=path)))
        for _ in range(3)
    ]
    image = texture(1, 2, 3)
    batches += [game.add(fw.MeshBatch(fw.Mesh.cube(), 1, material=fw.Material(base_texture=image)))]
    textures = driven(game.world).assets._textures
    assert len(textures) == 2
    for batch in batches[:2]:
        game.world.remove(batch)
    assert len(textures) == 2
    game.world.remove(batches[2])
    assert len(textures) == 1
    batches[3].material.base_texture = path
    game.run(1)
    assert [Path(key[0]).name for key in textures] == ["brick.png"]


def test_a_missing_or_broken_texture_is_an_asset_error_with_its_name(
    make: Make, tmp_path: Path
) -> None:
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nno picture")
    game = make()
    for name in ("nowhere.png", "broken.png"):
        path = str(tmp_path / name)
        with pytest.raises(fw.AssetError, match=name):
            game.add(fw.MeshBatch(fw.Mesh.cube(), 1, material=fw.Material(occlusion_texture=path)))
    batch = facing(game)
    game.run(1)
    batch.material.base_texture = str(tmp_path / "nowhere.png")
    with pytest.raises(fw.AssetError, match=r"nowhere\.png"):
        game.run(1)


# -- changes, and the game's own shaders -----------------------------------------------------------


def test_a_material_may_change_or_be_replaced_between_frames(make: Make) -> None:
    game = make()
    batch = facing(game, fw.Material((1, 0, 0), unlit=True))
    assert center_color(game).tolist() == [255, 0, 0]
    batch.material.base_color = (0, 1, 0)
    assert center_color(game).tolist() == [0, 255, 0]
    batch.material.base_texture = texture(255, 0, 255)
    assert center_color(game).tolist() == [0, 0, 0]
    batch.material = fw.Material((0, 0, 1, 0.0), unlit=True, alpha_mode="mask")
    assert center_color(game).tolist() == [0, 0, 0]
    batch.material.alpha_mode = "opaque"
    assert center_color(game).tolist() == [0, 0, 255]


_STRIPES = """
#include "surface.glsl"
uniform vec3 tint;
void main() {
    Surface s = surface();
    s.base.rgb = v_uv.x < 0.5 ? tint : vec3(0.0);
    color = lit(s);
}
"""


def test_a_custom_shader_can_use_the_surface(make: Make) -> None:
    game = make()
    material = fw.Material(shader=_STRIPES, unlit=True, uniforms={"tint": (0, 1, 0)})
    facing(game, material)
    game.run(1)
    assert game.pixels()[50, 85, :3].tolist() == [0, 255, 0]
    assert game.pixels()[50, 115, :3].tolist() == [0, 0, 0]
    material.uniforms["tint"] = (1, 0, 0)
    game.run(1)
    assert game.pixels()[50, 85, :3].tolist() == [255, 0, 0]


def test_a_missing_uniform_is_a_shader_error(make: Make) -> None:
    game = make()
    facing(game, fw.Material(shader=_STRIPES, uniforms={"tint": (0, 1, 0), "tnit": (0, 1, 0)}))
    with pytest.raises(fw.ShaderError, match="no uniform 'tnit'"):
        game.run(1)


# -- alpha -----------------------------------------------------------------------------------------


def test_opaque_surfaces_have_no_alpha(make: Make) -> None:
    game = make(background=(1, 0, 0))
    facing(game, fw.Material((0, 1, 0, 0.2), unlit=True))
    assert center_color(game).tolist() == [0, 255, 0]


def test_a_mask_cuts_holes_if_alpha_is_below_the_cutoff(make: Make) -> None:
    image = np.full((1, 2, 4), 255, np.uint8)
    image[0, 0, 3], image[0, 1, 3] = 100, 160
    for cutoff, expected in ((0.2, [255, 255]), (0.5, [0, 255]), (0.9, [0, 0])):
        game = make()
        facing(
            game,
            fw.Material(base_texture=image, unlit=True, alpha_mode="mask", alpha_cutoff=cutoff),
        )
        game.run(1)
        assert [game.pixels()[50, x, 0] for x in (80, 120)] == expected


def test_blended_surfaces_show_objects_behind_them(make: Make) -> None:
    game = make(background=(0, 0, 1))
    facing(game, fw.Material((1, 0, 0, 0.25), unlit=True, alpha_mode="blend"))
    assert np.abs(center_color(game) - (64, 0, 191)).max() <= 1


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
@pytest.mark.parametrize("together", [True, False])
def test_blended_surfaces_are_drawn_from_far_to_near(
    make: Make, order: tuple[int, ...], together: bool
) -> None:
    colors = np.array([(1, 0, 0, 0.5), (0, 1, 0, 0.5), (0, 0, 1, 0.5)])
    game = make()
    material = fw.Material(unlit=True, alpha_mode="blend")
    batches = [facing(game, material)]
    if together:
        batches[0].extend(2)
    else:
        batches += [facing(game, material), facing(game, material)]
    for layer, index in enumerate(order):
        batch, row = (batches[0], layer) if together else (batches[layer], 0)
        batch.position[row] = (0, 0, 0.3 * index)
        batch.color[row] = colors[index]
    # Blue is nearest, and red is farthest.
    assert np.abs(center_color(game) - (32, 64, 128)).max() <= 2


def test_hidden_blended_instances_are_not_drawn_and_opaque_objects_cover_them(make: Make) -> None:
    game = make()
    batch = facing(game, fw.Material(unlit=True, alpha_mode="blend"))
    batch.extend(2)
    batch.color[:] = (1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1)
    batch.position[:, 2] = 0, 0.2, 0.4
    batch.visible[2] = False
    assert center_color(game).tolist() == [0, 255, 0]
    wall = facing(game, fw.Material(unlit=True))
    wall.position[:] = (0, 0, 0.3)
    assert center_color(game).tolist() == [255, 255, 255]


def test_sorted_instances_are_interpolated(make: Make) -> None:
    images = []
    for alpha_mode in ("opaque", "blend"):
        game = make(tick_rate=10)
        batch = facing(game, fw.Material(unlit=True, alpha_mode=alpha_mode), size=0.5)
        batch.extend(1, position=(9, 9, 9))
        game.advance(0.1)
        batch.position[0] = (0.4, 0, 0)
        batch.rotation[0] = (0, 0, math.sin(0.4), math.cos(0.4))
        game.advance(0.15)
        images.append(game.pixels())
    assert (images[0] == images[1]).all()
    assert images[0].any()


def test_a_wireframe_has_only_edges(make: Make) -> None:
    lit_pixels = {}
    for wireframe in (False, True):
        game = make()
        facing(game, fw.Material(unlit=True, wireframe=wireframe))
        game.run(1)
        lit_pixels[wireframe] = (game.pixels()[..., 0] > 0).sum()
        assert not game.picture.ctx.wireframe
    assert lit_pixels[False] == 2500
    assert 150 <= lit_pixels[True] <= 300  # four sides and a diagonal of 50 pixels
