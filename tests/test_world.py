"""Worlds: light, fog, sky, draw order and bad input."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from drawings import driven
from pictures import solid
from shading import dark, facing, reflected, shown, to_srgb

import framework as fw
from framework import quaternions
from framework.state.backend import backend_of

Make = Callable[..., Any]
WHITE = (1.0, 1.0, 1.0)


def picture(game: fw.Game) -> np.ndarray:
    """Return the picture after a frame: int (height, width, 3)."""
    game.run(1)
    return game.pixels()[..., :3].astype(int)


def center_color(game: fw.Game) -> np.ndarray:
    pixels = picture(game)
    return pixels[pixels.shape[0] // 2, pixels.shape[1] // 2]


# -- lights ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("position", [(0, 0, 1), (0.5, -0.3, 0.8), (2, 1, 2)])
def test_a_point_light_has_the_color_of_the_gltf_formula(
    make: Make, position: tuple[float, float, float]
) -> None:
    game = make()
    facing(game, fw.Material((0.8, 0.4, 0.1), roughness=0.5), size=0.02)
    dark(game.world)
    game.world.camera.ortho_height = 0.02
    game.world.lights.add(position, color=(1, 0.5, 0.25), intensity=1.5, range=5)
    away = float(np.linalg.norm(position))
    strength = 1.5 * np.array((1, 0.5, 0.25)) * (1 - (away / 5) ** 4) / away**2
    direction = np.array(position) / away
    expected = shown(reflected((0.8, 0.4, 0.1), 0, 0.5, (0, 0, 1), (0, 0, 1), direction) * strength)
    assert np.abs(center_color(game) - expected).max() <= 2


def test_a_light_ends_at_its_range(make: Make) -> None:
    game = make()
    facing(game)
    dark(game.world)
    light = game.world.lights.add((0, 0, 1.9), intensity=100, range=1.8)
    assert center_color(game).max() == 0
    light.range = 3
    assert center_color(game).min() > 200


def test_a_spot_light_lights_only_its_cone(make: Make) -> None:
    game = make()
    facing(game, fw.Material(roughness=1), size=2)
    dark(game.world)
    game.world.lights.add(
        (0, 0, 1), intensity=3, direction=(0, 0, -1), angle=math.atan(0.5), softness=0.2
    )
    # 50 pixels per unit: the edge of the cone is 25 pixels from the center
    row = picture(game)[50, :, 0]
    assert (row[:74] == 0).all()
    assert (row[126:] == 0).all()
    assert row[100] > 200
    assert (np.diff(row[100:126]) <= 0).all()


def test_a_world_may_have_many_lights(make: Make) -> None:
    game = make()
    facing(game, fw.Material(roughness=1), size=2)
    dark(game.world)
    for number in range(fw.MAX_LIGHTS):
        game.world.lights.add((number / 32 - 0.98, 0, 0.2), intensity=0.02, range=0.5)
    row = picture(game)[50, 52:148, 0]
    assert row.min() > 60
    assert row.max() - row.min() < 40


def test_the_position_of_a_light_is_interpolated_with_the_common_alpha(make: Make) -> None:
    class Lamp(fw.Game):
        def setup(self) -> None:
            facing(self, fw.Material(roughness=1), size=4)
            dark(self.world)
            self.lamp = self.world.lights.add((-1, 0, 0.3), intensity=0.2, range=2)

        def update(self, dt: float) -> None:
            self.lamp.position = (self.lamp.position[0] + 0.5, 0, 0.3)

    def brightest(game: fw.Game) -> float:
        row = game.pixels()[50, :, 0].astype(float) ** 8
        return float((row * np.arange(200)).sum() / row.sum()) - 99.5

    game = make(Lamp, tick_rate=10)
    game.advance(0.2)  # two ticks: at -0.5 and 0
    for time, x in ((0.02, -0.4), (0.05, -0.15), (0.06, 0.15)):
        game.advance(time)
        assert brightest(game) == pytest.approx(50 * x, abs=1)


def test_the_direction_of_the_sun_is_interpolated(make: Make) -> None:
    class Day(fw.Game):
        def setup(self) -> None:
            facing(self, fw.Material(roughness=1))
            dark(self.world)
            self.world.sun_color = WHITE
            self.world.sun_direction = (0, 0, 1)

        def update(self, dt: float) -> None:
            self.world.sun_direction = (0, 4, 3)

    game = make(Day, tick_rate=10)
    for time, direction in ((0.05, (0, 0, 1)), (0.1, (0, 0.4, 0.8)), (0.1, (0, 0.8, 0.6))):
        game.advance(time)
        direction = np.array(direction) / np.linalg.norm(direction)
        expected = shown(reflected(WHITE, 0, 1, (0, 0, 1), (0, 0, 1), direction))
        assert np.abs(game.pixels()[50, 100, :3] - expected).max() <= 2


# -- default light ---------------------------------------------------------------------------------


def test_a_white_matte_cube_is_bright_but_not_clipped_and_its_faces_differ(make: Make) -> None:
    game = make()
    cube = game.add(fw.MeshBatch(fw.Mesh.cube(), 1))
    cube.rotation[:] = quaternions.from_vectors(np.array([[0.5, 0.6, 0]], np.float32))
    game.world.camera.position = (0, 0, 2.4)
    pixels = picture(game)
    visible = pixels[pixels.sum(axis=2) > 0]
    _, counts = np.unique(visible // 4, axis=0, return_counts=True)
    assert (counts > 300).sum() >= 3
    assert 200 < visible.max() < 245
    assert visible.min() > 60


def test_default_light_from_above_is_blue_and_light_from_below_is_brown(make: Make) -> None:
    colors = []
    for side in (1, -1):
        game = make()
        game.add(fw.MeshBatch(fw.Mesh.cube(4), 1))
        game.world.sun_color = 0, 0, 0
        game.world.camera.position = 0, 10 * side, 0
        game.world.camera.look_at((0, 0, 0), up=(0, 0, -1))
        colors.append(center_color(game).tolist())
    (red, green, blue), below = colors
    assert red < green < blue
    assert below == sorted(below, reverse=True)
    assert max(below) < blue


def test_exposure_multiplies_all_light(make: Make) -> None:
    game = make()
    facing(game, fw.Material(emissive=(0.2, 0.2, 0.2)))
    dark(game.world)
    game.world.exposure = 2.0
    assert np.abs(center_color(game) - shown((0.4, 0.4, 0.4))).max() <= 1


# -- fog and sky -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("fog", "unlit"), [(0.1, False), (0.5, False), (0.5, True)])
def test_fog_depends_on_the_distance_through_it(make: Make, fog: float, unlit: bool) -> None:
    game = make()
    facing(game, fw.Material((1, 0, 0), unlit=unlit, emissive=(1, 0, 0)))
    dark(game.world)
    game.world.fog = fog
    game.world.fog_color = (0.1, 0.2, 0.4)
    pixels = math.exp(-2 * fog)
    if unlit:
        expected = 255 * to_srgb((1, 0, 0)) * pixels + shown((0.1, 0.2, 0.4)) * (1 - pixels)
    else:
        expected = shown(np.array((1, 0, 0)) * pixels + np.array((0.1, 0.2, 0.4)) * (1 - pixels))
    assert np.abs(center_color(game) - expected).max() <= 2


def test_without_a_sky_the_background_is_drawn(make: Make) -> None:
    game = make(background=(0.2, 0.4, 0.6))
    assert game.world.sky is None
    assert np.abs(picture(game) - (51, 102, 153)).max() <= 1


def test_a_sky_of_one_color_is_the_color_of_distant_fog(make: Make) -> None:
    game = make()
    game.world.sky = game.world.fog_color = (0.1, 0.3, 0.5)
    game.world.fog = 1.0
    game.add(fw.MeshBatch(fw.Mesh.cube(10), 1)).position[:] = (0, 0, -50)
    assert np.abs(picture(game) - shown((0.1, 0.3, 0.5))).max() <= 1.5


@pytest.mark.parametrize("height", [None, 10.0])
def test_the_sky_shows_the_sun_and_is_bluer_above(make: Make, height: float | None) -> None:
    game = make()
    world = game.world
    world.sky = True
    world.camera.ortho_height = height
    world.sun_direction = (0.3, 0.2, -1)
    up = picture(game)
    if height is not None:  # an orthographic camera looks in one direction only
        assert np.abs(up - up[0, 0]).max() <= 1
        return
    y, x = np.unravel_index(up.sum(axis=2).argmax(), up.shape[:2])
    visible = world.camera.world_to_screen((300, 200, -1000))
    assert visible is not None
    assert (x + 0.5, 100 - y - 0.5) == pytest.approx(visible, abs=3)
    world.sun_direction = (0, 0.3, 1)  # behind the camera
    world.camera.look_at((0, 0.7, -1))
    world.camera.teleport()
    pixels = picture(game)
    blue = pixels[..., 2] / pixels[..., 0]
    assert blue[5].mean() > blue[95].mean() + 0.1


def test_the_sky_is_behind_all_meshes_and_before_translucent_meshes(make: Make) -> None:
    game = make()
    game.world.sky = (0.0, 0.0, 10.0)
    facing(game, fw.Material((1, 0, 0, 0.5), unlit=True, alpha_mode="blend"))
    blue = shown((0, 0, 10))
    assert np.abs(center_color(game) - ((128, 0, 0) + blue / 2)).max() <= 2
    assert np.abs(picture(game)[50, 10] - blue).max() <= 1


# -- order -----------------------------------------------------------------------------------------


def test_a_second_world_is_drawn_over_the_first(make: Make) -> None:
    game = make()
    facing(game, fw.Material((1, 0, 0), unlit=True), size=2)
    over = fw.World()
    # farther from its square than the first camera is
    over.camera.ortho_height = 2.0
    over.camera.position = (0, 0, 50)
    square = over.add(fw.MeshBatch(fw.Mesh.cube(), 1, material=fw.Material((0, 1, 0), unlit=True)))
    square.position[:] = (0, 0, 0)
    game.add(over)
    pixels = picture(game)
    assert pixels[50, 100].tolist() == [0, 255, 0]
    assert pixels[50, 60].tolist() == [255, 0, 0]


def test_sprites_added_before_a_world_are_behind_it_and_later_sprites_over_it(make: Make) -> None:
    game = make()
    game.sprites.add(solid(200, 100, (255, 0, 0, 255)), position=(100, 50))
    facing(game, fw.Material((0, 1, 0), unlit=True))
    last = game.add(fw.SpriteBatch(solid(10, 10, (0, 0, 255, 255)), count=1))
    last.position[:] = (100, 50)
    pixels = picture(game)
    assert [pixels[50, x].tolist() for x in (10, 80, 100)] == [
        [255, 0, 0],
        [0, 255, 0],
        [0, 0, 255],
    ]


def test_near_meshes_hide_far_meshes_in_any_order(make: Make) -> None:
    for near_first in (True, False):
        game = make()
        squares = [facing(game, fw.Material(unlit=True)) for _ in range(2)]
        near, far = squares if near_first else squares[::-1]
        near.position[:] = (0, 0, 0.1)
        near.color[:] = (0, 1, 0, 1)
        far.color[:] = (1, 0, 0, 1)
        assert center_color(game).tolist() == [0, 255, 0]


def everything(game: fw.Scene) -> None:
    """Add every kind of solid to the world of a scene."""
    world = game.world
    world.sky = True
    world.shadows = fw.Shadows(resolution=128)
    world.fog = 0.02
    game.add(fw.MeshBatch(fw.Mesh.plane((30, 30)), 1, material=fw.Material((0.4, 0.5, 0.3))))
    rng = game.random
    for material in (
        fw.Material(metallic=1, roughness=0.2),
        fw.Material(base_texture=rng.integers(0, 255, (16, 16, 4), np.uint8), alpha_mode="mask"),
        fw.Material((1, 1, 1, 0.4), alpha_mode="blend"),
        fw.Material(wireframe=True),
    ):
        batch = game.add(fw.MeshBatch(fw.Mesh.torus(), 15, material=material))
        batch.position[:] = rng.uniform((-4, 0.5, -4), (4, 3, 4), (15, 3))
        batch.color[:, :3] = rng.uniform(0.2, 1, (15, 3))
    for x in range(5):
        world.lights.add(
            (x - 2, 1, 2), color=rng.uniform(0, 1, 3), range=4, direction=None if x else (0, -1, 0)
        )
    world.camera.position = (0, 3, 7)
    world.camera.look_at((0, 1, 0))


def test_the_picture_is_the_same_on_every_run(make: Make) -> None:
    pictures = []
    for _ in range(2):
        game = make(samples=4, size=(80, 40))
        everything(game)
        game.run(2)
        pictures.append(game.pixels())
    assert (pictures[0] == pictures[1]).all()
    assert pictures[0].std() > 20


def test_samples_smooth_the_edges(make: Make) -> None:
    shades = []
    for samples in (0, 4):
        game = make(samples=samples)
        batch = facing(game, fw.Material(unlit=True))
        batch.rotation[:] = (0, 0, math.sin(0.1), math.cos(0.1))
        shades.append(len(np.unique(picture(game)[..., 0])))
    assert shades[0] == 2
    assert shades[1] >= 4


def test_a_frame_between_two_ticks_uploads_no_data_of_solids(make: Make) -> None:
    game = make(tick_rate=10)
    batch = facing(game)
    game.world.shadows = fw.Shadows(resolution=64)
    game.advance(0.1)
    before = driven(batch).uploaded_bytes
    for _ in range(4):
        game.advance(0.02)
    assert driven(batch).uploaded_bytes == before


def test_a_released_world_leaves_no_buffers(make: Make) -> None:
    game = make(size=(16, 16))

    class Level(fw.Scene):
        def setup(self) -> None:
            self.world.shadows = fw.Shadows(resolution=128)
            self.add(fw.MeshBatch(fw.Mesh.cube(), 1))

    level = Level()
    game.push(level)
    game.run(2)
    world = level.world
    game.pop()
    assert backend_of(world) is None
    game.run(1)


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sun_direction", (0, 0, 0)),
        ("sun_direction", (0, math.nan, 1)),
        ("sun_direction", (1, 2)),
        ("sun_color", (1, math.inf, 1)),
        ("sky_color", (-0.1, 0, 0)),
        ("ground_color", None),
        ("fog_color", "greyish"),
        ("fog", -1),
        ("fog", math.nan),
        ("fog", 1e39),
        ("exposure", math.inf),
        ("sun_color", (1, 1e39, 1)),
        ("camera", None),
        ("shadows", 3),
        ("sky", (1, 2)),
        ("sky", (math.nan, 0, 0)),
    ],
)
def test_a_bad_value_is_refused_by_name_and_changes_nothing(name: str, value: Any) -> None:
    world = fw.World()
    before = getattr(world, name)
    error = TypeError if value is None or (isinstance(value, int) and name != "fog") else ValueError
    with pytest.raises(error, match=f"^{name}: expected"):
        setattr(world, name, value)
    assert getattr(world, name) == before


def test_an_unknown_attribute_is_an_error_with_the_nearest_name() -> None:
    for target, name, nearest in (
        (fw.World(), "shadow", "shadows"),
        (fw.World().lights.add(), "colour", "color"),
        (fw.Lines(), "ontop", "on_top"),
    ):
        with pytest.raises(
            AttributeError, match=f"has no attribute '{name}'; did you mean '{nearest}'"
        ):
            setattr(target, name, True)


def test_attributes_return_the_values_that_were_set() -> None:
    world = fw.World()
    world.sun_color = (0.1, 0.2, 0.3)
    world.fog = 0.02
    world.exposure = 1.1
    world.sky = (0.7, 0.8, 0.9)
    assert (world.sun_color, world.fog, world.exposure, world.sky) == (
        (0.1, 0.2, 0.3),
        0.02,
        1.1,
        (0.7, 0.8, 0.9),
    )
    world.sun_direction = (0, 1e-200, 0)
    assert world.sun_direction == (0, 1, 0)
    world.sky = False
    assert world.sky is None


def test_a_solid_of_no_world_cannot_be_removed(make: Make) -> None:
    game = make()
    batch = facing(game)
    game.world.remove(batch)
    with pytest.raises(ValueError, match="solid: expected a solid of this world"):
        game.world.remove(batch)
    assert picture(game).max() == 0


class OnlyDocumented:
    """A solid with only the methods of the protocol `Solid`."""

    in_world = True
    transparent = False
    drawn = 0

    def attach(self, graphics: fw.Graphics, programs: Any) -> None: ...

    def begin_tick(self, dt: float) -> None: ...

    def end_tick(self) -> None: ...

    def draw(self) -> None:
        self.drawn += 1

    def release(self) -> None: ...


def test_a_solid_with_the_documented_methods_is_drawn_while_the_game_is_paused(make: Make) -> None:
    game = make()
    solid = game.add(OnlyDocumented())
    game.timestep.paused = True
    game.run(2)
    assert solid.drawn == 2


# -- cameras and removals --------------------------------------------------------------------------


def test_a_world_is_drawn_with_its_current_camera(make: Make) -> None:
    game = make(size=(60, 60))
    cube = game.add(fw.MeshBatch(fw.Mesh.cube(), 1, material=fw.Material(unlit=True)))
    game.world.camera.position = 0, 0, 3
    assert center_color(game).min() == 255
    away = game.world.camera
    game.world.camera = fw.Camera3D()  # inside the cube, from where no face is visible
    game.world.camera.position = 50, 0, 3
    assert center_color(game).max() < 60
    game.world.camera = away
    assert center_color(game).min() == 255
    second = fw.World()
    second.add(fw.MeshBatch(fw.Mesh.cube(), 1, material=fw.Material((1, 0, 0), unlit=True)))
    game.remove(cube)
    game.add(second, camera=away)
    assert center_color(game).tolist() == [255, 0, 0]
    assert second.camera is away


def test_a_scene_keeps_nothing_of_a_removed_world(make: Make) -> None:
    game = make()
    for _ in range(3):
        world = game.add(fw.World())
        game.run(1)
        game.remove(world)
    assert not game._backend.drawables.cameras
    assert not game._backend.drawables.frame_blocks
    batch = game.add(fw.SpriteBatch(solid(2, 2), 1))
    game.run(1)
    game.remove(batch)
    assert game._backend.drawables.cameras == [game.camera]


def test_a_mesh_batch_is_removed_through_the_object_it_was_added_to(make: Make) -> None:
    game = make()
    cubes = game.add(fw.MeshBatch(fw.Mesh.cube(), 1))
    game.remove(cubes)
    with pytest.raises(ValueError, match="solid: expected a solid of this world"):
        game.remove(cubes)
    game.add(cubes)
    game.run(1)


def test_nothing_can_be_added_twice(make: Make) -> None:
    game = make()
    lines = game.world.add(fw.Lines())
    with pytest.raises(ValueError, match=r"^solid: already added to this world"):
        game.world.add(lines)
    with pytest.raises(ValueError, match=r"^World: it was added to a game already"):
        game.add(game.world)
    game.run(1)


@pytest.mark.parametrize("drawing", [True, False])
def test_invalid_or_repeated_solids_are_refused_before_any_change(
    drawing: bool,
) -> None:
    with (
        fw.Game(headless=True, size=(16, 16))
        if drawing
        else fw.Game(drawing=False, size=(16, 16)) as game
    ):
        world = game.world
        cubes = fw.MeshBatch(fw.Mesh.cube(), 1)
        labels = game.labels
        before = game.state_hash()
        with pytest.raises(TypeError, match=r"^solid: expected a solid.* add it to the scene"):
            world.add(labels)
        assert game.state_hash() == before
        world.add(cubes)
        with pytest.raises(ValueError, match=r"already added to (a|this) world"):
            world.add(cubes)
        with pytest.raises(ValueError, match=r"added to (a|this) (game|scene) already"):
            game.add(labels)
        game.run_ticks(2)


def test_solids_added_after_another_game_was_closed_use_the_context_of_their_game(
    make: Make,
) -> None:
    game = make()
    facing(game, fw.Material((1.0, 1.0, 1.0)), size=0.02)
    game.run(1)
    with fw.Game(headless=True, size=(16, 16)) as second:
        second.run(1)
    cubes = game.world.add(fw.MeshBatch(fw.Mesh.cube(), 1))
    game.run(1)
    with fw.Game(headless=True, size=(16, 16)) as second:
        second.run(1)
    game.world.remove(cubes)
    game.run(1)
