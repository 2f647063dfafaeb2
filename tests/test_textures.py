"""Textures: filters, wrap modes, mipmaps and transforms on surfaces."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from glbs import Builder, square
from shading import dark, facing, upright

import framework as fw
from framework.models import textures

Make = Callable[..., Any]

RED = (255, 0, 0)
GREEN = (0, 255, 0)
BLUE = (0, 0, 255)
WHITE = (255, 255, 255)
BLACK = (0, 0, 0)
QUARTERS = np.array([[RED, GREEN], [BLUE, WHITE]], np.uint8)
HALVES = np.array([[RED, GREEN]], np.uint8)


def colors_at(game: fw.Game, *points: tuple[float, float]) -> list[list[int]]:
    """Return the colors at points of the square that `facing` draws: 0 to 1, from its upper left
    corner."""
    game.run(1)
    pixels = game.pixels()
    return [pixels[int(25 + 50 * y), int(75 + 50 * x), :3].astype(int).tolist() for x, y in points]


def show_texture(make: Make, texture: Any, mesh: fw.Mesh | None = None, **settings: Any) -> fw.Game:
    """Return a game with a square of 50 pixels that shows a texture unchanged."""
    game = make()
    material = fw.Material(base_texture=texture, unlit=True, **settings)
    batch = facing(game, material)
    if mesh is not None:
        batch.remove(slice(None))
        game.add(fw.MeshBatch(mesh, 1, material=material))
    return game


def scaled_uvs(factor: float) -> fw.Mesh:
    plain = upright()
    return fw.Mesh(plain.positions, plain.indices, normals=plain.normals, uvs=plain.uvs * factor)


# The square is three images wide: the first pixel of an image is red, the second green.
@pytest.mark.parametrize(
    ("wrap", "expected"),
    [
        ("repeat", [RED, GREEN, RED, GREEN, RED, GREEN]),
        ("mirror", [RED, GREEN, GREEN, RED, RED, GREEN]),
        ("clamp", [RED, GREEN, GREEN, GREEN, GREEN, GREEN]),
        (("mirror", "clamp"), [RED, GREEN, GREEN, RED, RED, GREEN]),
    ],
)
def test_the_wrap_mode_sets_the_colors_beside_an_image(
    make: Make, wrap: Any, expected: list[tuple[int, ...]]
) -> None:
    texture = fw.Texture(HALVES, wrap=wrap, filter="nearest", minify="nearest")
    game = show_texture(make, texture, scaled_uvs(3))
    assert colors_at(game, *[((i + 0.5) / 6, 0.5) for i in range(6)]) == [
        list(color) for color in expected
    ]


def test_u_and_v_have_separate_wrap_modes(make: Make) -> None:
    texture = fw.Texture(QUARTERS, wrap=("clamp", "mirror"), filter="nearest", minify="nearest")
    corners = colors_at(
        show_texture(make, texture, scaled_uvs(2)), (0.1, 0.9), (0.9, 0.9), (0.1, 0.6), (0.9, 0.1)
    )
    assert corners == [list(color) for color in (RED, GREEN, BLUE, GREEN)]


def test_a_magnified_image_has_hard_edges_with_the_nearest_filter(make: Make) -> None:
    near_the_edge = (0.48, 0.25), (0.52, 0.25)
    assert colors_at(
        show_texture(make, fw.Texture(QUARTERS, filter="nearest")), *near_the_edge
    ) == [
        list(RED),
        list(GREEN),
    ]
    for color in colors_at(show_texture(make, fw.Texture(QUARTERS)), *near_the_edge):
        assert 100 < min(color[:2]) < 220


@pytest.mark.parametrize(
    "minify", ["linear_mipmap_linear", "nearest_mipmap_nearest", "linear", "nearest"]
)
def test_an_image_is_reduced_with_mipmaps_or_without(make: Make, minify: str) -> None:
    checks = np.kron([[0, 1], [1, 0]] * 1, np.ones((1, 1)))
    image = (np.tile(checks, (128, 128))[..., None] * 255).astype(np.uint8).repeat(3, axis=2)
    game = show_texture(make, fw.Texture(image, minify=minify))
    game.run(1)
    square_of_it = game.pixels()[30:70, 80:120, 0].astype(int)
    spread = square_of_it.max() - square_of_it.min()
    assert spread <= 40 if "mipmap" in minify else spread >= 100


def test_a_texture_is_scaled_rotated_and_moved(make: Make) -> None:
    plain = {"filter": "nearest", "minify": "nearest"}
    moved = show_texture(make, fw.Texture(QUARTERS, offset=(0.5, 0.0), **plain))
    assert colors_at(moved, (0.25, 0.25), (0.75, 0.75)) == [list(GREEN), list(BLUE)]
    twice = show_texture(make, fw.Texture(HALVES, scale=(2, 1), **plain))
    assert colors_at(twice, *[((i + 0.5) / 4, 0.5) for i in range(4)]) == [
        list(c) for c in (RED, GREEN, RED, GREEN)
    ]
    # After a quarter turn, colors that changed to the right change upwards: v of an image runs down.
    turned = show_texture(make, fw.Texture(QUARTERS, angle=math.pi / 2, **plain))
    assert colors_at(turned, (0.25, 0.25), (0.75, 0.25), (0.25, 0.75)) == [
        list(c) for c in (BLUE, RED, WHITE)
    ]


def test_an_image_may_be_sampled_in_two_ways_at_once(make: Make) -> None:
    game = make()
    camera = game.world.camera
    camera.ortho_height = 2.0
    camera.position = (0, 0, 2)
    for x, name in ((-0.5, "nearest"), (0.5, "linear")):
        batch = game.add(
            fw.MeshBatch(
                upright(),
                material=fw.Material(base_texture=fw.Texture(QUARTERS, filter=name), unlit=True),
            )
        )
        batch.add(position=(x, 0, 0))
    game.run(1)
    row = game.pixels()[37, :, :3].astype(int)
    assert row[73].tolist() == list(RED)
    assert row[76].tolist() == list(GREEN)
    assert 100 < row[123, 0] < 220


def test_second_coordinates_are_used_only_by_maps_that_select_them(make: Make) -> None:
    plain = upright()
    mesh = fw.Mesh(plain.positions, plain.indices, uvs=plain.uvs, second_uvs=1 - plain.uvs)
    sharp = {"filter": "nearest", "minify": "nearest"}
    assert colors_at(show_texture(make, fw.Texture(QUARTERS, **sharp), mesh), (0.25, 0.25)) == [
        list(RED)
    ]
    assert colors_at(
        show_texture(make, fw.Texture(QUARTERS, uv_set=1, **sharp), mesh), (0.25, 0.25)
    ) == [list(WHITE)]
    assert colors_at(
        show_texture(make, fw.Texture(QUARTERS, uv_set=1, **sharp), plain), (0.25, 0.25)
    ) == [list(RED)]
    # Sorted instances with alpha blending are drawn from other buffers.
    game = make()
    facing(game, fw.Material()).clear()
    material = fw.Material(
        base_texture=fw.Texture(QUARTERS, uv_set=1, **sharp), unlit=True, alpha_mode="blend"
    )
    game.add(fw.MeshBatch(mesh, 2, material=material)).position[1] = (9, 0, 0)
    assert colors_at(game, (0.25, 0.25), (0.75, 0.25)) == [list(WHITE), list(BLUE)]
    merged = fw.Mesh.merged(mesh.transformed((1, 0, 0)), plain)
    assert merged.second_uvs is not None
    assert merged.second_uvs.tolist() == [*(1 - plain.uvs).tolist(), *plain.uvs.tolist()]
    flat = mesh.flat().second_uvs
    assert flat is not None
    assert flat.tolist() == (1 - plain.uvs)[plain.indices].tolist()


def test_a_transformed_mask_cuts_the_surface_and_its_shadow(make: Make) -> None:
    holes = np.array([[(255, 255, 255, 255), (255, 255, 255, 0)]], np.uint8)
    sharp = {"filter": "nearest", "minify": "nearest"}
    for offset, lit in (((0.0, 0.0), [False, True]), ((0.5, 0.0), [True, False])):
        game = make()
        world = game.world
        dark(world)
        world.sun_direction = (0, 0, 1)
        world.sun_color = (1, 1, 1)
        world.shadows = fw.Shadows(distance=20, cascades=1, resolution=256)
        # the camera is 2 units above the floor; the mesh that casts the shadow is behind it
        wall = facing(game, size=3)
        masked = fw.Material(
            base_texture=fw.Texture(holes, offset=offset, **sharp), alpha_mode="mask"
        )
        game.add(fw.MeshBatch(upright(), material=masked)).add(position=(0, 0, 4))
        assert [color[0] > 60 for color in colors_at(game, (0.25, 0.5), (0.75, 0.5))] == lit
        assert len(wall) == 1


# -- files -----------------------------------------------------------------------------------------


def model_of(
    tmp_path: Path, material: dict[str, Any], builder: Builder, **attributes: int
) -> fw.Model:
    builder.add("materials", extensions={"KHR_materials_unlit": {}}, **material)
    builder.add(
        "nodes",
        mesh=builder.add("meshes", primitives=[{**square(builder, **attributes), "material": 0}]),
    )
    return fw.Model(builder.glb(tmp_path / "m.glb"))


def test_samplers_of_a_file_are_read(make: Make, tmp_path: Path) -> None:
    builder = Builder()
    uv = builder.array(np.array([(0, 1), (1, 1), (1, 0), (0, 0)]) * 3)
    sampler = builder.add("samplers", wrapS=33071, wrapT=33648, magFilter=9728, minFilter=9984)
    base = builder.texture(HALVES)
    builder.json["textures"][base["index"]]["sampler"] = sampler
    model = model_of(
        tmp_path, {"pbrMetallicRoughness": {"baseColorTexture": base}}, builder, TEXCOORD_0=uv
    )
    texture = model.parts[0].material.base_texture
    assert isinstance(texture, fw.Texture)
    assert texture.sampling == ("clamp", "mirror", "nearest", "nearest_mipmap_nearest")
    game = make()
    game.world.camera.ortho_height = 2.0
    game.world.camera.position = (0, 0, 2)
    dark(game.world)
    game.add(fw.ModelBatch(model)).add(scale=0.5)
    expected = [RED, GREEN, GREEN, GREEN, GREEN, GREEN]
    assert colors_at(game, *[((i + 0.5) / 6, 0.5) for i in range(6)]) == [
        list(color) for color in expected
    ]


def test_a_sampler_with_the_default_values_does_not_copy_the_image(tmp_path: Path) -> None:
    builder = Builder()
    base = builder.texture(HALVES)
    builder.json["textures"][base["index"]]["sampler"] = builder.add(
        "samplers", wrapS=10497, magFilter=9729
    )
    model = model_of(tmp_path, {"pbrMetallicRoughness": {"baseColorTexture": base}}, builder)
    assert isinstance(model.parts[0].material.base_texture, np.ndarray)


@pytest.mark.parametrize(
    "sampler", [{"wrapS": 1}, {"magFilter": 9987}, {"minFilter": "x"}, {"wrapT": [10497]}]
)
def test_an_invalid_sampler_is_an_asset_error(tmp_path: Path, sampler: dict[str, Any]) -> None:
    builder = Builder()
    base = builder.texture(HALVES)
    builder.json["textures"][base["index"]]["sampler"] = builder.add("samplers", **sampler)
    with pytest.raises(
        fw.AssetError, match=rf"its sampler has the {next(iter(sampler))} .*, expected"
    ):
        model_of(tmp_path, {"pbrMetallicRoughness": {"baseColorTexture": base}}, builder)


def test_maps_with_different_transforms_are_drawn_correctly(make: Make, tmp_path: Path) -> None:
    """The base color is not transformed. The emissive map is moved and uses the second
    coordinates."""
    builder = Builder()
    uv = builder.array([(0, 1), (1, 1), (1, 0), (0, 0)])
    second = builder.array([(0, 0), (1, 0), (1, 1), (0, 1)])  # upside down
    sampler = builder.add("samplers", magFilter=9728, minFilter=9728)
    base = builder.texture(QUARTERS)
    glow = builder.texture(np.array([[BLACK, BLACK], [WHITE, BLACK]]))
    for info in (base, glow):
        builder.json["textures"][info["index"]]["sampler"] = sampler
    move = {"KHR_texture_transform": {"offset": [0.5, 0.0], "texCoord": 1}}
    builder.add(
        "materials",
        pbrMetallicRoughness={"baseColorTexture": base},
        emissiveFactor=[0, 0, 9],
        emissiveTexture={**glow, "extensions": move},
    )
    primitive = square(builder, TEXCOORD_0=uv, TEXCOORD_1=second)
    builder.add("nodes", mesh=builder.add("meshes", primitives=[{**primitive, "material": 0}]))
    model = fw.Model(builder.glb(tmp_path / "m.glb"))
    game = make()
    world = game.world
    world.camera.ortho_height = 2.0
    world.camera.position = (0, 0, 2)
    dark(world)
    world.sky_color = world.ground_color = (1, 1, 1)
    game.add(fw.ModelBatch(model)).add(scale=0.5)
    colors = np.array(colors_at(game, (0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)))
    assert (colors[0] > 60).tolist() == [True, False, False]  # red, without emission
    assert colors[1, 1] > 60  # green
    assert colors[1, 2] > 200  # with blue emission
    assert colors[3].min() > 60  # white
    assert np.ptp(colors[3]) < 60


def test_three_sets_of_coordinates_give_a_warning(tmp_path: Path) -> None:
    builder = Builder()
    maps = [{**builder.texture(HALVES), "texCoord": number} for number in (0, 1, 2)]
    with pytest.warns(
        RuntimeWarning,
        match=r"with two sets of texture coordinates of materials\[0\], which uses 3",
    ):
        model_of(
            tmp_path,
            {"normalTexture": maps[0], "occlusionTexture": maps[1], "emissiveTexture": maps[2]},
            builder,
        )


def test_tangents_follow_the_coordinates_of_the_normal_map(tmp_path: Path) -> None:
    builder = Builder()
    uv = builder.array([(0, 1), (1, 1), (1, 0), (0, 0)])
    turn = {"KHR_texture_transform": {"rotation": math.pi / 2}}
    model = model_of(
        tmp_path,
        {
            "emissiveTexture": builder.texture(HALVES),
            "normalTexture": {**builder.texture(HALVES), "extensions": turn},
        },
        builder,
        TEXCOORD_0=uv,
    )
    assert model.parts[0].mesh.tangents[0] == pytest.approx((0, -1, 0, 1), abs=1e-6)


def test_copies_of_an_image_for_samplers_count_in_the_budget_of_pixels(tmp_path: Path) -> None:
    builder = Builder()
    image = builder.image(np.zeros((2048, 2048), np.uint8))
    for number in range(36):
        wraps = [[10497, 33648, 33071][(number // 3**axis) % 3] for axis in range(2)]
        sampler = builder.add(
            "samplers", wrapS=wraps[0], wrapT=wraps[1], minFilter=9984 + number // 9
        )
        builder.add("textures", source=image, sampler=sampler)
        builder.add("materials", emissiveTexture={"index": number})
    builder.add(
        "nodes",
        mesh=builder.add(
            "meshes", primitives=[{**square(builder), "material": number} for number in range(36)]
        ),
    )
    with pytest.raises(fw.AssetError, match="pixels; simplify it"):
        fw.Model(builder.glb(tmp_path / "m.glb"))


def test_arguments_of_a_texture_are_normalized() -> None:
    plain = fw.Texture(HALVES)
    assert (plain.moved, plain.sampling) == (
        False,
        ("repeat", "repeat", "linear", "linear_mipmap_linear"),
    )
    texture = fw.Texture(
        HALVES,
        wrap=["clamp", "mirror"],
        offset=[1, 2],
        angle=0,
        scale=np.int64([3, 4]),
        uv_set=1,
    )  # type: ignore[arg-type]
    assert (texture.wrap, texture.offset, texture.scale) == (
        ("clamp", "mirror"),
        (1.0, 2.0),
        (3.0, 4.0),
    )
    assert {type(number) for number in (*texture.offset, texture.angle, *texture.scale)} == {float}
    for options in (
        {"offset": (1, 0)},
        {"offset": (0, 1)},
        {"angle": 1},
        {"scale": (2, 1)},
        {"scale": (1, 2)},
    ):
        assert fw.Texture(HALVES, **options).moved, options  # type: ignore[arg-type]
    for number in (-1, 2):
        with pytest.raises(ValueError, match=r"^uv_set: "):
            fw.Texture(HALVES, uv_set=number)
    for value in ((1e30, 0), (0, -1e30)):
        with pytest.raises(ValueError, match=r"^offset: expected two numbers below 1e30"):
            fw.Texture(HALVES, offset=value)


def test_coordinates_are_scaled_then_rotated_then_moved() -> None:
    texture = fw.Texture(HALVES, offset=(10, 20), angle=math.pi / 2, scale=(2, 3))
    placed = textures.placed(np.float32([(1, 0), (0, 1)]), texture.matrix(), texture.offset)
    np.testing.assert_allclose(placed, [(10, 18), (13, 20)], atol=1e-5)


# -- palettes --------------------------------------------------------------------------------------


def striped(width: int, height: int) -> np.ndarray:
    """Return a palette of red and green whose texels differ from their four neighbors."""
    odd = (np.arange(width) + np.arange(height)[:, None]) % 2
    return np.stack([255 * odd, 255 - 255 * odd, 0 * odd, 0 * odd + 255], axis=-1).astype(np.uint8)


def around(texel: tuple[float, float], extent: tuple[float, float], size: tuple[int, int]) -> Any:
    """Return the square that `facing` draws. Its uvs surround a texel of an image of `size`, and
    cover `extent` texels."""
    plain = upright()
    uvs = (np.array(texel) + (plain.uvs - 0.5) * extent) / size
    return fw.Mesh(plain.positions, plain.indices, normals=plain.normals, uvs=uvs)


@pytest.mark.parametrize("samples", [0, 4])
@pytest.mark.parametrize("size", [(256, 1), (256, 16), (16, 256), (16, 16), (17, 17), (512, 256)])
def test_a_triangle_with_one_texture_coordinate_shows_this_texel(
    make: Make, size: tuple[int, int], samples: int
) -> None:
    width, height = size
    x = width // 2 + 1
    y = height // 2
    texel = tuple(striped(width, height)[y, x, :3].tolist())
    game = make(samples=samples)
    material = fw.Material(base_texture=striped(width, height), unlit=True)
    facing(game, material).remove(slice(None))
    game.add(fw.MeshBatch(around((x + 0.5, y + 0.5), (0, 0), size), 1, material=material))
    assert colors_at(game, (0.5, 0.5), (0.2, 0.8)) == [list(texel)] * 2


@pytest.mark.parametrize("size", [(16, 256), (64, 256), (256, 64)])
def test_small_images_and_lines_in_an_image_are_filtered_as_without_anisotropy(
    make: Make, size: tuple[int, int]
) -> None:
    for extent in ((0.9, 0), (0, 0.9), *[(0.6, 0.7)] * (min(size) <= 16)):
        mesh = around((8.6, 8.4), extent, size)
        filtered = show_texture(make, striped(*size), mesh)
        plain = show_texture(make, fw.Texture(striped(*size), minify="linear"), mesh)
        for game in (filtered, plain):
            game.run(1)
        assert abs(filtered.pixels().astype(int) - plain.pixels()).max() <= 2


@pytest.mark.parametrize("wrap", [*textures.WRAPS, ("mirror", "clamp"), ("repeat", "mirror")])
def test_meshes_with_one_flat_triangle_wrap_like_other_meshes(make: Make, wrap: Any) -> None:
    """The shader itself filters the enlarged image of such a mesh, in every wrap mode."""
    image = np.random.default_rng(3).integers(0, 255, (24, 20, 3), np.uint8)
    plain = upright()
    corners = np.concatenate([plain.positions, plain.positions[:3] - (0, 0, 5)])
    uvs = np.concatenate([plain.uvs * 3 - 1, np.full((3, 2), 0.5)]).astype(np.float32)
    first = len(plain.positions)
    indices = [*plain.indices.tolist(), first, first + 1, first + 2]
    mesh = fw.Mesh(corners, indices, uvs=uvs)
    material = {"size": (400, 200)}
    pictures = []
    for minify in ("linear_mipmap_linear", "linear"):
        game = make(**material)
        texture = fw.Texture(image, wrap=wrap, minify=minify)
        facing(game, fw.Material()).remove(slice(None))
        game.add(fw.MeshBatch(mesh, 1, material=fw.Material(base_texture=texture, unlit=True)))
        game.run(1)
        pictures.append(game.pixels().astype(int))
    assert abs(pictures[0] - pictures[1]).max() <= 3


def test_a_texture_with_a_scale_of_0_shows_one_texel(make: Make) -> None:
    texture = fw.Texture(striped(64, 64), scale=(0, 0), offset=(21.5 / 64, 20.5 / 64))
    assert colors_at(show_texture(make, texture), (0.5, 0.5), (0.1, 0.9)) == [list(RED)] * 2


def test_holes_of_a_palette_are_holes_of_the_shadow(make: Make) -> None:
    image = striped(64, 64)
    image[..., 3] = np.where(image[..., 0] > 0, 255, 0)  # every second texel is a hole
    for column, covered in ((21, True), (20, False)):
        mesh = around((column + 0.5, 20.5), (0, 0), (64, 64))
        game = show_texture(make, image, mesh, alpha_mode="mask", alpha_cutoff=0.95)
        game.world.shadows = True
        (color,) = colors_at(game, (0.5, 0.5))
        assert (color == list(RED)) is covered
