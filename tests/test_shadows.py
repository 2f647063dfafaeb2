"""Shadows of the sun: their position, stability and settings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shading import reflected, shown

import framework as fw
from framework.motion.camera_base import frame_block_of
from framework.screen_mapping import ScreenMapping
from framework.space.camera3d import Camera3D
from framework.space.shadows import cascades

Make = Callable[..., Any]
DOWN = (-math.sqrt(0.5), 0, 0, math.sqrt(0.5))
"""Looking down, the picture's upper edge is where -z is."""


def grey(game: fw.Game) -> np.ndarray:
    """Draw a frame, and return the mean color of each pixel: (height, width)."""
    game.run(1)
    return game.pixels()[..., :3].mean(axis=2)


def plain(
    game: fw.Game, sun: tuple[float, float, float] = (0.5, 1, 0), **shadows: Any
) -> fw.MeshBatch:
    """Add a matte floor that only the sun lights, and return its batch.

    The orthographic camera is at height 20, with 10 pixels per unit.
    """
    world = game.world
    world.shadows = fw.Shadows(**shadows)
    world.sun_direction = sun
    world.sky_color = (0, 0, 0)
    world.ground_color = (0, 0, 0)
    world.sun_color = (1, 1, 1)
    world.camera.ortho_height = 10.0
    world.camera.position = (0, 20, 0)
    world.camera.rotation = DOWN
    return game.add(fw.MeshBatch(fw.Mesh.plane((100, 100)), 1, material=fw.Material(roughness=1)))


def test_a_cube_casts_its_shadow_away_from_the_sun(make: Make) -> None:
    game = make()
    plain(game, (1, 1, 0), cascades=1, distance=40)
    cubes = game.add(fw.MeshBatch(fw.Mesh.cube(2), 1))
    # The cube is 2 to 4 above the floor: its shadow is at x = -5 to -1, z = -1 to 1.
    cubes.position[:] = (0, 3, 0)
    picture = grey(game)
    expected = np.zeros((100, 200), bool)
    expected[40:60, 50:90] = True
    # The lit cube itself is at x = -1 to 1.
    dark = picture < 5
    outside = (
        dark & ~np.roll(np.roll(expected, 1, 0), 1, 1) & ~np.roll(np.roll(expected, -1, 0), -1, 1)
    )
    assert not outside.any()
    assert dark[42:58, 53:88].all()
    lit = shown(
        reflected((1, 1, 1), 0, 1, (0, 1, 0), (0, 1, 0), np.array((1, 1, 0)) / math.sqrt(2))
    )[0]
    assert np.abs(picture[:30] - lit).max() <= 2
    assert np.abs(picture[70:] - lit).max() <= 2


def test_shadows_can_be_turned_on_and_off(make: Make) -> None:
    game = make()
    plain(game, (1, 1, 0))
    cubes = game.add(fw.MeshBatch(fw.Mesh.cube(2), 1))
    cubes.position[:] = (0, 3, 0)
    game.world.shadows = None
    assert grey(game)[50, 70] > 100
    game.world.shadows = True
    assert grey(game)[50, 70] == 0
    game.world.shadows = fw.Shadows(resolution=256, cascades=2)
    assert grey(game)[50, 70] == 0
    cubes.casts_shadow = False
    assert grey(game)[50, 70] > 100
    game.world.shadows = False
    assert game.world.shadows is None


@pytest.mark.parametrize(
    "sun", [(0, 1, 0), (0.3, 1, 0.2), (1, 0.5, 0.4), (1, 0.1, 0), (-0.2, 0.05, 1)]
)
@pytest.mark.parametrize("resolution", [256, 1024])
def test_a_lit_surface_has_no_acne(
    make: Make, sun: tuple[float, float, float], resolution: int
) -> None:
    game = make()
    floor = plain(game, sun, resolution=resolution, distance=60)
    # A slanted, turned camera, so that texels and pixels do not align.
    floor.rotation[:] = (0, math.sin(0.2), 0, math.cos(0.2))
    camera = game.world.camera
    camera.ortho_height = None
    camera.position = (0, 3, 6)
    camera.look_at((0, 0, 0))
    shaded = grey(game)[55:]
    game.world.shadows = None
    assert np.abs(shaded - grey(game)[55:]).max() <= 1


def test_round_meshes_have_no_acne(make: Make) -> None:
    game = make()
    plain(game, (1, 0.8, 0.5), resolution=512)
    ball = game.add(fw.MeshBatch(fw.Mesh.sphere(2, 64), 1, material=fw.Material(roughness=1)))
    ball.position[:] = (0, 3, 0)
    shaded = grey(game)
    game.world.shadows = None
    plain_light = grey(game)
    y, x = np.indices((100, 200))
    inside = (x - 99.5) ** 2 + (y - 49.5) ** 2 < 18**2
    facing = plain_light > 60  # except on surfaces that face away from the sun
    assert np.abs(shaded - plain_light)[inside & facing].max() <= 2


def test_a_cube_on_the_floor_casts_its_shadow_from_its_base(make: Make) -> None:
    game = make()
    plain(game, (1, 1, 0))
    cubes = game.add(fw.MeshBatch(fw.Mesh.cube(2), 1))
    cubes.position[:] = (0, 1, 0)
    picture = grey(game)
    foot = picture[50, 80:90]  # x from -2 to -1
    assert (foot < 5).all()


def test_the_edge_of_a_long_shadow_has_no_teeth(make: Make) -> None:
    """A low sun stretches the steps of the shadow map on the floor: a level edge may look like a
    saw."""
    game = make()
    plain(game, (-1, 0.1, 0), resolution=1024, cascades=1, distance=60)
    walls = game.add(fw.MeshBatch(fw.Mesh.box((0.2, 2, 60)), 1))
    walls.position[:] = (-9, -0.25, 0)
    # the top of the edge falls by one texel in twelve
    walls.rotation[:] = (math.sin(0.04), 0, 0, math.cos(0.04))
    picture = grey(game)
    lit = picture[:, 150:].mean()
    # pixels of the edge, row by row: expected on a straight line
    ends = (picture[:, 20:] < lit / 2).sum(axis=1)[4:-4]
    rows = np.arange(len(ends))
    off = ends - np.polyval(np.polyfit(rows, ends, 1), rows)
    assert 20 < ends.mean() < 150
    assert off.std() < 0.8
    assert np.abs(off).max() < 2


@pytest.mark.parametrize("step", [1, 7, 30])
def test_shadows_do_not_flicker_while_the_camera_moves(make: Make, step: int) -> None:
    game = make()
    plain(game, (0.7, 1, 0.4), resolution=256, cascades=1)
    meshes = game.add(fw.MeshBatch(fw.Mesh.torus(2, 0.5), 3))
    meshes.position[:] = (-4, 3, 0), (1, 2, 1), (5, 3, -2)
    meshes.rotation[:] = (0.3, 0, 0.2, 0.93)
    first = grey(game)
    game.world.camera.position = (step / 10, 20, 0)  # whole pixels to the right
    game.world.camera.teleport()
    second = grey(game)
    still = np.abs(first[:, step:] - second[:, :-step])
    assert still.mean() < 0.1
    assert (still > 20).mean() < 0.002  # single pixels at edges may differ
    assert (first < 5).mean() > 0.015


def test_shadows_are_the_same_far_from_the_worlds_origin(make: Make) -> None:
    pictures = []
    for offset in (0.0, 2.0**20):
        game = make()
        floor = plain(game, (0.7, 1, 0.4))
        meshes = game.add(fw.MeshBatch(fw.Mesh.cube(2), 2))
        floor.position[:, 0] = offset
        meshes.position[:] = (offset - 4, 3, 0), (offset + 1, 2, 1)
        game.world.camera.position = (offset, 20, 0)
        pictures.append(grey(game))
    assert np.abs(pictures[0] - pictures[1]).mean() < 0.5
    assert (pictures[0] < 5).mean() > 0.03


def test_holes_of_a_mask_let_light_through(make: Make) -> None:
    image = np.full((2, 2, 4), 255, np.uint8)
    image[:, 0, 3] = 0
    game = make()
    plain(game, (0, 1, 0), cascades=1)
    material = fw.Material(base_texture=image, alpha_mode="mask", double_sided=True)
    sheet = game.add(fw.MeshBatch(fw.Mesh.plane((4, 4)), 1, material=material))
    sheet.position[:] = (0, 30, 0)  # above the camera: only its shadow is visible
    picture = grey(game)
    assert picture[50, 90] > 100
    assert picture[50, 110] == 0
    assert picture[50, 150] > 100


def test_objects_outside_the_picture_still_cast_shadows_into_it(make: Make) -> None:
    game = make()
    plain(game, (0, 1, 0), cascades=1, distance=30)
    tower = game.add(fw.MeshBatch(fw.Mesh.cube(2), 1))
    tower.position[:] = (0, 5000, 0)
    assert grey(game)[50, 100] == 0


def test_shadows_fade_out_at_their_distance(make: Make) -> None:
    game = make()
    plain(game, (1, 1, 0), distance=15)  # the camera is 20 above the floor
    cubes = game.add(fw.MeshBatch(fw.Mesh.cube(2), 1))
    cubes.position[:] = (0, 3, 0)
    assert grey(game)[50, 70] > 100


@pytest.mark.parametrize(
    "options", [{}, {"render_scale": 0.5}, {"samples": 4}, {"render_scale": 0.5, "samples": 4}]
)
def test_drawing_shadows_restores_framebuffer_and_viewport(
    make: Make, options: dict[str, Any]
) -> None:
    """Draw in a letterbox, with sprites after the shadows: framebuffer, viewport and flags are
    restored."""
    pictures = []
    game = make(resolution=(50, 100), background=(0, 0, 1), **options)
    plain(game, (0, 1, 0))
    spot = np.full((10, 10, 4), 255, np.uint8)
    game.sprites.add(spot, position=(5, 5))
    for shadows in (None, fw.Shadows(resolution=64)):
        game.world.shadows = shadows
        game.run(2)
        pictures.append(game.pixels())
    assert (pictures[0] == pictures[1]).all()
    assert pictures[0][50, 10].tolist() == [0, 0, 0, 255]
    assert pictures[0][95, 80].tolist() == [255, 255, 255, 255]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("resolution", 0),
        ("resolution", 3.5),
        ("cascades", 5),
        ("distance", math.nan),
        ("distance", 0),
    ],
)
def test_bad_settings_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(TypeError if value == 3.5 else ValueError, match=f"^{name}: expected"):
        fw.Shadows(**{name: value})


def test_the_shadows_option_is_true_none_or_settings() -> None:
    with pytest.raises(TypeError, match=r"^shadows: expected"):
        fw.World().shadows = 3  # type: ignore[assignment]


# -- fit of the cascades ---------------------------------------------------------------------------

ways = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda way: np.linalg.norm(way) > 0.1)


@given(ways, ways, st.floats(0.2, 2.5), st.sampled_from([None, 12.0]), st.integers(1, 4))
@settings(max_examples=60)
def test_every_point_of_the_view_is_in_its_cascade(
    look: tuple[float, ...], sun: tuple[float, ...], fov: float, height: float | None, count: int
) -> None:
    camera = Camera3D(fov, 0.1, 500, ortho_height=height)
    camera.view = ScreenMapping((200, 100), (0, 0, 200, 100))
    camera.position = (300.5, 2, -70)
    camera.look_at(np.array(camera.position) + look, (0.1, 0.9, 0.3))
    camera.teleport()
    frame_block_of(camera)(1.0, 0.0)
    shot = camera.shot
    assert shot is not None
    to_sun = np.array(sun) / np.linalg.norm(sun)
    fitted = cascades(fw.Shadows(256, 80, count), shot, to_sun, 0.1, 500)
    inverse = np.linalg.inv(shot.view @ shot.projection)
    covered = 0.1
    for depth in np.geomspace(0.1, 80, 9):
        clip_z = (np.array([0, 0, -depth, 1]) @ shot.projection)[2:]
        for corner in ((-1, -1), (1, 1), (-1, 1), (0, 0)):
            position = np.array([*corner, clip_z[0] / clip_z[1], 1]) @ inverse
            position = position[:3] / position[3]
            inside = [
                np.abs(np.append(position, 1) @ matrix)[:3].max() <= 1 for matrix, _ in fitted
            ]
            assert any(inside), (depth, corner)
            covered += 1
    texels = [texel for _, texel in fitted]
    assert texels == sorted(texels)


@given(ways, st.floats(-1e6, 1e6), st.floats(-50, 50))
@settings(max_examples=40)
def test_the_texel_fraction_of_a_point_does_not_depend_on_the_camera(
    sun: tuple[float, ...], start: float, step: float
) -> None:
    camera = Camera3D()
    camera.view = ScreenMapping((200, 100), (0, 0, 200, 100))
    to_sun = np.array(sun) / np.linalg.norm(sun)
    position = np.array([start, 3.0, -7.0])
    parts = []
    for x in (start, start + step):
        camera.position = (x, 2, 5)
        camera.look_at((x + 0.3 * step, 0, -5))
        camera.teleport()
        frame_block_of(camera)(1.0, 0.0)
        assert camera.shot is not None
        (matrix, _), *_ = cascades(fw.Shadows(256, 40, 1), camera.shot, to_sun, 0.1, 1000)
        at = (np.append(position - camera.shot.eye, 1) @ matrix)[:2]
        parts.append(at * 128)
    drift = parts[0] - parts[1]
    assert np.abs(drift - np.rint(drift)).max() < 1e-4
