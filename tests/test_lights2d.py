"""2D lights: images are compared with the computed light, for walls of every kind, moving or at
rest.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawings import driven
from pictures import solid

import framework as fw
from framework.geometry.tilegrid import TileGrid
from framework.light2d.light2d_walls import WallGrid
from framework.state.rows import table_of

pytestmark = pytest.mark.usefixtures("no_open_game")

Make = Callable[..., Any]

SIZE = 96, 54
GRAY = 128


def pixel_positions() -> np.ndarray:
    """Return the world positions of all pixel centers, (54, 96, 2)."""
    width, height = SIZE
    y, x = np.mgrid[0:height, 0:width]
    return np.stack([x + 0.5, height - y - 0.5], axis=-1)


class Lit(fw.Game):
    """A gray plane with lights."""

    def setup(self) -> None:
        plane = self.add(
            fw.SpriteBatch(solid(*SIZE, (GRAY, GRAY, GRAY, 255)), count=1, smooth_edges=False)
        )
        plane.position = SIZE[0] / 2, SIZE[1] / 2
        self.crates = fw.SpriteBatch(solid(8, 8, (GRAY, GRAY, GRAY, 255)), smooth_edges=False)
        self.add(self.crates)
        self.lights = self.add(fw.Lights2D(ambient=(0.1, 0.1, 0.15)), layer=1)
        self.moves: list[Callable[[], None]] = []

    def update(self, dt: float) -> None:
        for move in self.moves:
            move()


@pytest.fixture
def game(make: Make) -> Lit:
    game: Lit = make(Lit, size=SIZE, tick_rate=10)
    game.advance(0.1)
    return game


def difference(game: Lit, alpha: float = 1.0) -> np.ndarray:
    """Return the differences between the image and the computed light on the plane, in steps of
    255.
    """
    light = game.lights.at(pixel_positions().reshape(-1, 2), alpha).reshape(SIZE[1], SIZE[0], 3)
    expected = np.clip(GRAY * np.minimum(light, 2), 0, 255)
    return np.abs(game.pixels()[..., :3] - expected).max(axis=2)


def add_every_kind(game: Lit) -> None:
    lights = game.lights
    lights.add((48, 27), (1, 0.8, 0.5), 60)
    lights.add((10, 45), "#48f", 50, softness=3, flicker=0.5, seed=7)
    lights.add((85, 8), (2, 0.3, 0.3), 45, angle=2.5, cone=1.5)
    game.crates.add(position=(30, 20), angle=0.3)
    game.crates.add(position=(75, 40), scale=(1, 0.5))
    game.crates.add(position=(60, 10), visible=False)
    tiles = np.zeros((4, 8), bool)
    tiles[0, 3:6] = tiles[3, 0] = True
    lights.walls = [
        np.array([[[62, 20], [66, 30]]]),
        TileGrid(tiles, (12, 6), position=(0, 30)),
        game.crates,
    ]
    lights.add_walls([(40, 4), (48, 4), (44, 10)], depth=5)


def test_images_agree_with_the_computed_light_between_ticks(game: Lit) -> None:
    """With moving lights and boxes, cones, flicker, penumbras, tiles and polygons, the error is at
    most 2 of 255.
    """
    add_every_kind(game)

    def move() -> None:
        lights = game.lights
        crates = game.crates
        lights.position[:, 0] += (5, 3, -4)
        lights.angle[2] += 0.3
        lights.radius += 2
        lights.ambient = lights.ambient[0] + 0.05, 0.1, 0.2
        crates.position += (4, 1)
        crates.angle[0] += 0.6

    game.moves.append(move)
    game.advance(0.1)
    game.advance(0.05)
    assert game.timestep.alpha == pytest.approx(0.5)
    error = difference(game, game.timestep.alpha)
    assert (error > 2).mean() < 0.001  # at the exact edge of a shadow, rounding may decide
    assert (
        driven(game.lights).calls == 7
        # lights, static walls, boxes of one batch, three draws of light, and the final multiplication
    )
    assert (difference(game, 1.0) > 4).mean() > 0.05  # the light at another time is different


def test_64_lights_and_500_walls_need_one_draw_call_for_shadows(make: Make) -> None:
    game = make(Lit, size=SIZE, tick_rate=10)
    rng = np.random.default_rng(2)
    game.lights.extend(
        64, position=rng.uniform((0, 0), SIZE, (64, 2)), radius=25, color=(0.3, 0.2, 0.1)
    )
    middles = rng.uniform((0, 0), SIZE, (500, 2))
    halves = rng.normal(0, 0.7, (500, 2))
    game.lights.walls = np.stack([middles - halves, middles + halves], axis=1)
    velocities = rng.uniform(-4, 4, (64, 2))
    game.moves.append(lambda: game.lights.position.__iadd__(velocities))
    game.advance(0.1)
    game.advance(0.05)
    assert driven(game.lights).calls == 4  # only one of them draws shadows
    assert (difference(game, game.timestep.alpha) > 2).mean() < 0.002


class CountingGrid(TileGrid):
    """A tile grid that counts how often its tiles are read."""

    looks = 0

    @property
    def solid(self) -> np.ndarray:  # type: ignore[override]
        self.looks += 1
        return self.tiles

    @solid.setter
    def solid(self, tiles: np.ndarray) -> None:
        self.tiles = tiles


def test_light_is_computed_again_only_after_changes(game: Lit) -> None:
    """Shadows are drawn only in ticks in which lights or walls moved, and each frame has the right
    light.
    """
    grid = CountingGrid(np.zeros((2, 2), bool), 10, position=(60, 20))
    lamp = game.lights.add((20, 25), (1, 0.9, 0.8), 90)
    game.lights.add((40, 50), "#48f", 50)
    game.crates.add(position=(35, 20))
    # the batch is in no game, so its sprites have no shadow in the image
    loose = fw.SpriteBatch(solid(4, 4))
    game.lights.walls = [grid, game.crates, loose]

    def calls(*changes: Callable[[], Any]) -> list[int]:
        """Return the draw calls of two frames in the next tick and of one frame in each of the two
        ticks after. All frames must be right.
        """
        counted = []
        game.moves = list(changes)
        for time in (0.1, 0.05, 0.05, 0.1):
            game.advance(time)
            game.moves = []
            counted.append(driven(game.lights).calls)
            loose.visible = False  # the computed light would include the batch
            assert (difference(game, game.timestep.alpha) > 2).mean() < 0.002
        return counted

    game.advance(0.02)
    calls()
    looks = grid.looks
    game.advance(0.01)
    game.advance(0.01)
    assert (driven(game.lights).calls, grid.looks) == (1, looks)  # only the final multiplication
    assert calls() == [1, 1, 1, 1]
    uploaded = driven(game.lights).uploaded_bytes
    assert calls(lambda: setattr(game.lights, "ambient", (0.2, 0.1, 0.1))) == [2, 2, 2, 1]
    game.camera.zoom = 1.25
    game.advance(0.1)
    game.camera.zoom = 1
    game.camera.teleport()
    assert calls(lambda: game.crates.position.__iadd__((0, 3))) == [3, 3, 3, 1]
    assert driven(game.lights).uploaded_bytes == uploaded
    assert calls(lambda: setattr(lamp, "position", (24, 22))) == [4, 4, 4, 1]
    assert calls(lambda: setattr(lamp, "color", (0.5, 1, 1))) == [3, 3, 3, 1]
    assert calls(lambda: grid.solid.__setitem__(0, True)) == [4, 1, 1, 1]
    # Now one light has no shadows, so the light is drawn in two calls.
    assert calls(lambda: setattr(lamp, "visible", False)) == [6, 1, 1, 1]
    lamp.visible = True
    lamp.flicker = 0.5
    assert calls() == [5, 3, 3, 3]
    snapshot = game.snapshot()
    grid.solid[0] = False
    calls()
    game.restore(snapshot)
    game.advance(0)
    assert (difference(game, game.timestep.alpha) > 2).mean() < 0.002
    game.timestep.paused = True
    game.advance(0)
    lamp.position = (30, 40)
    grid.solid[0] = False
    game.crates.position += (0, 9)
    game.advance(0)
    assert (difference(game, game.timestep.alpha) > 2).mean() < 0.002


def test_light_is_multiplied_only_with_lower_layers(game: Lit) -> None:
    game.lights.ambient = 0.5, 0.5, 0.5
    over = fw.SpriteBatch(solid(10, 10, (200, 100, 50, 255)), count=1)
    over.position = 10, 10
    game.add(over, layer=2)
    hud = game.add(
        fw.SpriteBatch(solid(10, 10, (10, 220, 30, 255)), count=1), camera=game.hud, layer=2
    )
    hud.position = 50, 40
    game.advance(0.2)
    pixels = game.pixels()
    assert pixels[54 - 10, 10].tolist() == [200, 100, 50, 255]
    assert pixels[54 - 40, 50].tolist() == [10, 220, 30, 255]
    np.testing.assert_allclose(pixels[5, 5], [GRAY / 2] * 3 + [255], atol=1)


def test_labels_and_images_of_the_hud_stay_bright(make: Make) -> None:
    class Scored(fw.Game):
        def setup(self) -> None:
            floor = self.add(fw.SpriteBatch(solid(10, 10, (200, 100, 50, 255)), 1), layer=1)
            floor.position = 80, 40
            # in layer 1, like all labels
            self.labels.add("■", (40, 20), font_size=20, color="#0f0")
            panel = self.add(
                fw.SpriteBatch(solid(10, 10, (200, 100, 50, 255)), 1), camera=self.hud, layer=1
            )
            panel.position = 10, 10
            self.add(fw.Lights2D(ambient=(0.5, 0.5, 0.5)), layer=1)
            self.add(fw.SpriteBatch(solid(*SIZE, (GRAY, GRAY, GRAY, 255)), 1)).position = 48, 27

    game = make(Scored, size=SIZE)
    game.advance(0.1)
    pixels = game.pixels()
    assert [pixels[54 - y, x].tolist() for x, y in ((10, 10), (80, 40), (5, 50))] == [
        [200, 100, 50, 255], [100, 50, 26, 255], [64, 64, 64, 255]
    ]  # fmt: skip
    assert pixels[..., 1].max() == 255


def test_light_above_one_brightens_up_to_two(game: Lit) -> None:
    for ambient, factor in (((1.5, 1.5, 1.5), 1.5), ((9, 9, 9), 2)):
        game.lights.ambient = ambient
        game.advance(0.2)
        np.testing.assert_allclose(game.pixels()[5, 5, :3], min(255, GRAY * factor), atol=1)


def test_half_the_resolution_has_nearly_the_same_light(game: Lit) -> None:
    add_every_kind(game)
    game.lights.resolution = 0.5
    game.camera.zoom = 0.5
    game.camera.angle = 0.2
    game.advance(0.1)
    game.camera.zoom = 1
    game.camera.angle = 0
    game.camera.teleport()
    game.advance(0.1)
    error = difference(game)
    assert np.median(error) < 2
    assert (error > 20).mean() < 0.1


def test_light_follows_the_camera(game: Lit) -> None:
    game.lights.add((20, 20), (1, 1, 1), 15)
    game.camera.position = 20, 20
    game.camera.teleport()
    game.advance(0.1)
    pixels = game.pixels()[..., 0]
    bright = np.argwhere(pixels > 100)
    np.testing.assert_allclose(bright.mean(axis=0), (26.5, 47.5), atol=0.5)


def test_unchanged_lights_upload_nothing(game: Lit) -> None:
    add_every_kind(game)
    game.advance(0.1)
    game.advance(0.1)
    before = driven(game.lights).uploaded_bytes
    assert before > 0
    for _ in range(4):
        game.advance(0.06)
    assert driven(game.lights).uploaded_bytes == before
    game.lights[0].position = 3, 3
    game.advance(0.1)
    assert 0 < driven(game.lights).uploaded_bytes - before <= table_of(game.lights).capacity * 8


def test_the_capacity_grows_with_the_lights(game: Lit) -> None:
    lamps = [game.lights.add((x, 20), "white", 5) for x in range(3)]
    game.advance(0.1)
    rng = np.random.default_rng(1)
    game.lights.extend(
        80, position=rng.uniform((0, 0), SIZE, (80, 2)), radius=9, color=(0.5, 0.5, 0.5)
    )
    lamps[1].remove()
    game.advance(0.1)
    assert len(game.lights) == 82
    assert (difference(game) > 2).mean() < 0.001
    assert lamps[1].removed
    with pytest.raises(ValueError, match="removed"):
        lamps[1].radius = 3


def test_changed_tiles_change_the_shadows(game: Lit) -> None:
    grid = TileGrid(np.zeros((3, 3), bool), 10, position=(30, 10))
    game.lights.add((20, 25), (1, 1, 1), 80)
    game.lights.walls = grid
    assert game.lights.at((70, 25))[0] > 0.3
    game.advance(0.1)
    grid.solid[1, 1] = True
    assert game.lights.at((70, 25)).tolist() == pytest.approx([0.1, 0.1, 0.15])
    game.advance(0.1)
    assert (difference(game) > 2).mean() < 0.001
    layer = fw.TileLayer(
        fw.TileSet(solid(10, 10), (10, 10), solid=[1]), [[0, 1, 0]], position=(30, 20)
    )
    game.lights.walls = layer
    assert game.lights.at((70, 25)).tolist() == pytest.approx([0.1, 0.1, 0.15])


def test_walls_are_the_objects_that_were_set() -> None:
    lights = fw.Lights2D()
    box = [0, 0, 4, 4]
    ring = [(9.0, 9.0), (12.0, 9.0), (9.0, 12.0)]
    crates = fw.SpriteBatch(solid(4, 4))
    lights.walls = [np.array(box), crates, ring]
    assert lights.walls[1] is crates
    lights.add((-5, 2), radius=100)
    assert lights.at([(6, 2), (15, 2), (20, 22)])[:, 0].tolist()[:2] == [0, 0]
    side = [[0, 0], [0, 4]]
    square = [(0, 0), (4, 0), (4, 4), (0, 4)]
    for walls in (box, [box], [side], side, square, [ring, side]):
        lights.walls = walls
        assert lights.at((6, 2))[0] == 0, walls
    lights.walls = []
    assert lights.walls == []
    assert lights.at((6, 2))[0] > 0.9


@pytest.mark.parametrize(
    "walls",
    ["x", 3, None, [1, 2, 3], np.zeros((3, 5)), [[0, 0, 0, math.nan]], [object()], [[1e30] * 4]],
)
def test_invalid_walls_are_an_error_and_change_nothing(walls: Any) -> None:
    lights = fw.Lights2D()
    lights.walls = [0, 0, 4, 4]
    with pytest.raises((TypeError, ValueError), match="walls"):
        lights.walls = walls
    assert lights.walls == [[0, 0, 4, 4]]


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("position", (0, math.nan)),
        ("position", (1, 2, 3)),
        ("radius", -1),
        ("radius", "x"),
        ("color", (1, 2)),
        ("color", (-1, 0, 0)),
        ("cone", 0),
        ("cone", 7),
        ("flicker", 2),
        ("softness", -1),
        ("intensity", math.inf),
        ("seed", 0.5),
        ("visible", "x"),
    ],
)
def test_an_invalid_option_is_an_error_with_its_name(name: str, bad: Any) -> None:
    lights = fw.Lights2D()
    lamp = lights.add()
    for act in (
        lambda: lights.add(**{name: bad}),
        lambda: lights.extend(2, **{name: bad}),
        lambda: setattr(lamp, name, bad),
        lambda: setattr(lights, name, bad),
    ):
        with pytest.raises((TypeError, ValueError), match=name):
            act()
    assert len(lights) == 1
    with pytest.raises(ValueError, match="4,097 lights"):
        lights.extend(4096)
    with pytest.raises(ValueError, match="points"):
        lights.at([[1, 2, 3]])


def test_a_light_with_values_that_are_not_finite_is_dark(game: Lit) -> None:
    lights = game.lights
    lights.extend(4, position=(40, 20), radius=60)
    lights.position[0] = math.nan
    lights.radius[1] = -3
    lights.color[2] = math.nan
    lights.intensity[3] = math.inf
    game.advance(0.1)
    game.advance(0.1)
    assert lights.at((41, 20)).tolist() == pytest.approx([0.1, 0.1, 0.15])
    assert difference(game).max() < 2


def test_without_drawing_the_light_can_still_be_computed(make: Make) -> None:
    class Dark(fw.Game):
        def setup(self) -> None:
            self.crates = self.add(fw.SpriteBatch(solid(8, 8), count=1))
            self.crates.position = 30, 20
            self.lights = self.add(fw.Lights2D())
            self.lights.add((10, 20), radius=100, flicker=0.5)
            self.lights.walls = self.crates
            self.brightness: list[float] = []

        def update(self, dt: float) -> None:
            self.brightness.append(float(self.lights.at((50, 20))[0]))
            self.crates.position[:, 1] += 4

    drawn, undrawn = (make(Dark, size=SIZE, drawing=drawing) for drawing in (True, False))
    for game in (drawn, undrawn):
        game.run_ticks(8)
    assert drawn.brightness == undrawn.brightness
    assert drawn.brightness[0] == 0 < drawn.brightness[-1]


def test_snapshots_restore_lights_walls_and_flicker(game: Lit) -> None:
    add_every_kind(game)
    game.advance(0.1)
    before = game.lights.at(pixel_positions().reshape(-1, 2))
    image = game.pixels().copy()
    snapshot = game.snapshot()
    game.lights.clear()
    game.lights.walls = []
    game.lights.ambient = "white"
    game.crates.position += 5
    game.advance(0.4)
    assert np.abs(game.pixels().astype(int) - image).mean() > 20
    game.restore(snapshot)
    game.advance(0)
    np.testing.assert_array_equal(game.lights.at(pixel_positions().reshape(-1, 2)), before)
    assert np.abs(game.pixels().astype(int) - image).max() <= 1


def test_without_lights_the_image_is_ambient_and_removed_lights_change_nothing(game: Lit) -> None:
    game.advance(0.1)
    np.testing.assert_allclose(game.pixels()[5, 5, :3], GRAY * np.array([0.1, 0.1, 0.15]), atol=2)
    assert driven(game.lights).calls == 1
    with pytest.raises(ValueError, match="added to a game already"):
        game.add(game.lights)
    game.remove(game.lights)
    game.advance(0.1)
    assert game.pixels()[5, 5, 0] == GRAY


def bumps() -> tuple[np.ndarray, np.ndarray]:
    """Return a gray square and its normals: the left half faces left and the right half right, by
    45 degrees.
    """
    normals = np.zeros((16, 16, 4), np.uint8)
    normals[..., 3] = 255
    slant = math.sqrt(0.5)
    normals[:, :8, :3] = np.round((np.array([-slant, 0, slant]) * 0.5 + 0.5) * 255)
    normals[:, 8:, :3] = np.round((np.array([slant, 0, slant]) * 0.5 + 0.5) * 255)
    return solid(16, 16, (200, 200, 200, 255)), normals


@pytest.mark.parametrize(
    ("angle", "flip", "turn"),
    [(0.0, False, 0.0), (math.pi / 2, False, 0.0), (0.0, True, 0.0), (0.0, False, 1.2)],
)
def test_normals_rotate_with_their_sprites(
    game: Lit, angle: float, flip: bool, turn: float
) -> None:
    image, normals = bumps()
    batch = game.add(fw.SpriteBatch(image, smooth_edges=False, filter="nearest"))
    batch.add(position=(48, 27), angle=angle, flip=(flip, False))
    game.lights.ambient = "black"
    game.lights.add((60, 35), (1, 1, 1), 60, height=20)
    game.lights.add_normals(batch, normals)
    game.camera.angle = turn
    game.camera.teleport()
    game.advance(0.2)
    game.advance(0.2)
    pixels = game.pixels()[..., 0].astype(float)
    for x, y in ((43, 27), (53, 27), (48, 22), (48, 32), (45, 24), (51, 30)):
        across = math.cos(angle) * (x - 48) + math.sin(angle) * (y - 27)
        if abs(across) < 1:
            continue
        side = math.copysign(
            1, across
        )  # positions in the drawn image: a mirrored image has mirrored normals
        facing = np.array([side * math.cos(angle), side * math.sin(angle), 1]) / math.sqrt(2)
        to_lamp = np.array([60 - x, 35 - y, 20])
        share = max(float(facing @ to_lamp) / float(np.linalg.norm(to_lamp)), 0)
        expected = 200 * share * game.lights.at((x, y))[0]
        across, up = game.camera.world_to_screen((x, y))
        assert pixels[int(54 - up), int(across)] == pytest.approx(expected, abs=9), (x, y)
    plain = game.lights.at((20.5, 27.5))[0] * GRAY
    across, up = game.camera.world_to_screen((20.5, 27.5))
    assert pixels[int(54 - up), int(across)] == pytest.approx(
        plain, abs=6
    )  # sprites without normals are lit as usual


def test_normals_of_the_wrong_shape_are_refused(game: Lit) -> None:
    image, normals = bumps()
    batch = fw.SpriteBatch([image, image])
    for bad, message in (
        (normals, "expected 2"),
        ([normals], "expected 2"),
        ("x", "expected 2"),
        (3, "normals"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            game.lights.add_normals(batch, bad)
    with pytest.raises(TypeError, match="batch"):
        game.lights.add_normals("x", normals)  # type: ignore[arg-type]
    game.add(batch)
    batch.add(0)
    for third, message in ((solid(3, 3), "3 x 3 pixels"), ("nothing.png", "no file")):
        with pytest.raises(fw.AssetError, match=message):
            game.lights.add_normals(batch, [normals, third])
    game.advance(0.1)  # the errors have changed nothing


def test_walls_of_another_game_are_an_error(game: Lit, make: Any) -> None:
    second_game = make(size=(8, 8))
    game.lights.add((20, 20))
    game.lights.walls = second_game.add(fw.SpriteBatch(solid(4, 4), 1))
    with pytest.raises(fw.FrameworkError, match="in another game"):
        game.advance(0.1)


@pytest.mark.parametrize("motion", ["none", "hermite", "extrapolate"])
def test_shadow_boxes_move_with_their_sprites(game: Lit, motion: str) -> None:
    batch = game.add(
        fw.SpriteBatch(solid(8, 8, (GRAY, GRAY, GRAY, 255)), 2, motion=motion, smooth_edges=False)
    )
    batch.position = [(40, 20), (60, 35)]
    game.lights.add((48, 27), (1, 1, 1), 60)
    game.lights.walls = batch

    def move() -> None:
        batch.position += (3, 1)
        batch.angle += 0.2
        if motion != "none":
            batch.velocity = [(40, 0), (0, -40)]

    game.moves.append(move)
    for step in (0.1, 0.1, 0.05):
        game.advance(step)
    assert (difference(game, game.timestep.alpha) > 2).mean() < 0.002


def test_an_animated_sprite_has_the_normals_of_its_current_image(game: Lit) -> None:
    image, normals = bumps()
    clips = fw.Clips([image, image], turn=fw.Clip([0, 1], rate=10))
    batch = game.add(fw.SpriteBatch(clips, smooth_edges=False, filter="nearest"))
    game.lights.ambient = "black"
    game.lights.add((48, 27), (1, 1, 1), 60, height=20)
    away = normals.copy()
    away[..., 0] = 255 - away[..., 0]
    game.lights.add_normals(batch, [normals, away])
    sprite = batch.add(position=(40, 27))
    sprite.play("turn")
    frames_seen = []
    for _ in range(4):
        game.advance(0.1)
        frames_seen.append((sprite.image, game.pixels()[27, 45, 0] > game.pixels()[27, 35, 0]))
    assert {image for image, _ in frames_seen} == {0, 1}
    assert all(bright == (image == 0) for image, bright in frames_seen), frames_seen


def brute_force(
    points: np.ndarray, segments: np.ndarray, softness: float, samples: int = 200
) -> np.ndarray:
    """Return the visible fraction of a disc at the origin, by rays to points that are spread
    evenly over the disc.
    """
    k = np.arange(samples) + 0.5
    radius = softness * np.sqrt(k / samples)
    turn = k * math.pi * (3 - math.sqrt(5))
    sources = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    visible = np.zeros(len(points))
    for source in sources:
        offset_from_source = points - source
        dark = np.zeros(len(points), bool)
        for start, end in segments:
            side = end - start
            to_start = start - source
            across = offset_from_source[:, 0] * side[1] - offset_from_source[:, 1] * side[0]
            with np.errstate(divide="ignore", invalid="ignore"):
                along = (to_start[0] * side[1] - to_start[1] * side[0]) / across
                share = (
                    to_start[0] * offset_from_source[:, 1] - to_start[1] * offset_from_source[:, 0]
                ) / across
                dark |= (along > 0) & (along < 1) & (share >= 0) & (share <= 1)
        visible += ~dark
    return visible / samples


def sides_of(boxes: Any) -> np.ndarray:
    corners = np.array([[(a, b), (c, b), (c, d), (a, d)] for a, b, c, d in boxes], float)
    return np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2, 2)


BOXES = [(30, 20, 42, 32), (42, 24, 50, 40), (60, 12, 63, 44), (70, 30, 80, 34), (20, 44, 28, 50)]


@functools.cache
def disc_fractions(softness: float, lamp: tuple[float, float]) -> np.ndarray:
    """Return the fraction of a light's disc that each pixel can see past `BOXES`."""
    points = pixel_positions().reshape(-1, 2) - lamp
    shares = brute_force(points, sides_of(BOXES) - lamp, softness)
    return shares.reshape(SIZE[1], SIZE[0])


@pytest.mark.parametrize("kind", ["walls", "sprites"])
@pytest.mark.parametrize(
    ("softness", "lamp"),
    [(1, (14, 14)), (4, (14, 22)), (8, (12, 26)), (10, (56, 27)), (6, (28, 24))],
)
def test_soft_shadows_are_those_of_a_disc_of_light(
    game: Lit, kind: str, softness: float, lamp: tuple[float, float]
) -> None:
    """Points that see nothing of the disc are dark.

    Other points have the right fraction of light, also at boxes side by side.
    """
    game.lights.ambient = "black"
    game.lights.add(lamp, radius=500, softness=softness)
    if kind == "walls":
        game.lights.walls = np.array(BOXES, float)
    else:
        for a, b, c, d in BOXES:
            game.crates.add(position=((a + c) / 2, (b + d) / 2), scale=((c - a) / 8, (d - b) / 8))
        game.lights.walls = game.crates
    game.advance(0.2)
    game.advance(0.1)
    assert difference(game).max() <= 2
    points = pixel_positions().reshape(-1, 2) - lamp
    expected = disc_fractions(softness, lamp)
    falloff = (1 - (points**2).sum(axis=1) / 500**2).reshape(SIZE[1], SIZE[0]) ** 2
    share = (
        game.lights.at(pixel_positions().reshape(-1, 2))[:, 0].reshape(SIZE[1], SIZE[0]) / falloff
    )
    inside = np.any(
        [
            ((pixel_positions() > box[:2]) & (pixel_positions() < box[2:])).all(axis=2)
            for box in BOXES
        ],
        axis=0,
    )
    assert share[(expected == 0)].max() <= 0.01
    assert np.abs(share - expected)[~inside].max() < 0.05
    assert np.abs(share - expected)[~inside].mean() < 0.01


@pytest.mark.parametrize("softness", [2, 8, 16, 24])
@pytest.mark.parametrize("angle", [0.0, 0.3, 1.1])
def test_light_along_a_straight_wall_is_smooth(softness: float, angle: float) -> None:
    """The points are next to all four sides of a box, one pixel apart."""
    lights = fw.Lights2D()
    lights.add((0, 0), radius=1e6, softness=softness)
    corners = np.array([(50, -10), (72, -10), (72, 14), (50, 14)], float)
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    corners = (corners - (61, 2)) @ turn + (61, 2)
    lights.walls = corners
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        direction = (end - start) / np.hypot(*(end - start))
        out = np.array([direction[1], -direction[0]])
        points = (
            start + direction * np.arange(0.5, np.hypot(*(end - start)), 1)[:, None] + 0.5 * out
        )
        brightness = lights.at(points)[:, 0]
        sides = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
        slope = np.abs(np.diff(brute_force(points, sides, softness)))
        assert (np.abs(np.diff(brightness)) <= np.maximum(0.05, slope + 0.02)).all()
        if out @ ((start + end) / 2) < 0 and start @ out < -softness and end @ out < -softness:
            assert brightness.min() > 0.99  # the side faces the whole light


def test_a_light_whose_disc_touches_a_wall_is_partly_hidden(game: Lit) -> None:
    game.lights.ambient = "black"
    for lamp in ((28, 26), (42, 22), (36, 18), (43, 33)):
        game.lights.clear()
        game.lights.add(lamp, radius=500, softness=6)
        game.lights.walls = np.array(BOXES[:2], float)
        game.advance(0.2)
        assert (difference(game) > 2).mean() < 0.001
        points = pixel_positions().reshape(-1, 2) - lamp
        share = (
            game.lights.at(pixel_positions().reshape(-1, 2))[:, 0]
            / (1 - (points**2).sum(axis=1) / 500**2) ** 2
        )
        expected = brute_force(points, sides_of(BOXES[:2]) - lamp, 6)
        assert share[expected == 0].max() <= 0.01
        assert np.abs(share - expected).mean() < 0.02


@pytest.mark.parametrize("softness", [0, 5])
def test_slopes_have_shadows_of_their_shape(game: Lit, softness: float) -> None:
    """A slope that rises to the right, beside a solid tile.

    Only its upper left half lets light through.
    """
    slopes = np.zeros((3, 4, 2))
    slopes[2, 1] = 0, 1
    solid_tiles = np.zeros((3, 4), bool)
    solid_tiles[2, 2] = True
    grid = TileGrid(solid_tiles, 12, position=(20, 10), slopes=slopes)
    game.lights.add((20, 40), radius=300, softness=softness)
    game.lights.walls = grid
    game.advance(0.2)
    assert (difference(game) > 2).mean() < 0.001
    lit = game.lights.at([(35, 20), (43, 21), (35, 12), (43, 12), (40, 5)])[:, 0]
    assert (lit[:2] > 0.5).all()
    np.testing.assert_allclose(lit[2:], 0.1)
    grid.slopes[2, 1] = 0, 0  # type: ignore[index]
    game.advance(0.2)
    assert (difference(game) > 2).mean() < 0.001
    assert game.lights.at((35, 12))[0] > 0.5


def test_soft_and_hard_lights_with_deep_walls(game: Lit) -> None:
    """Walls that light can enter, a soft light, one light more than the capacity, and new sprites."""
    lights = game.lights
    lights.extend(63, position=(5, 5), radius=0.5)
    hard = lights.add((70, 45), (0.4, 0.3, 0.2), 90)
    lights.add_walls(np.array(BOXES, float), depth=5)
    lights.add_walls(game.crates, depth=3)
    for _ in range(3):
        game.crates.add(position=(15 + 20 * len(game.crates), 14), angle=0.4)
        game.advance(0.2)
        assert (difference(game) > 2).mean() < 0.002
        lights.add((10, 50), (0.3, 0.3, 0.5), 90, softness=5)
        hard.softness = 3 - hard.softness
        game.advance(0.2)
        assert (difference(game) > 2).mean() < 0.002
    lights.softness = 0
    game.advance(0.2)
    assert (difference(game) > 2).mean() < 0.002


def test_many_walls_of_soft_lights_share_bits(game: Lit) -> None:
    rng = np.random.default_rng(8)
    middles = rng.uniform((0, 0), SIZE, (700, 2))
    halves = rng.normal(0, 0.4, (700, 2))
    game.lights.walls = np.stack([middles - halves, middles + halves], axis=1)
    game.lights.extend(
        3,
        position=[(20, 20), (50, 30), (90, 50)],
        radius=50,
        softness=[1, 3, 6],
        color=(0.3, 0.2, 0.1),
    )
    game.advance(0.2)
    assert driven(game.lights).calls == 4
    assert (difference(game) > 2).mean() < 0.002


def test_walls_from_a_save_have_shadows_at_once(make: Make, tmp_path: Path) -> None:
    class Cave(Lit):
        saved = ("ground", "lights")

        def setup(self) -> None:
            super().setup()
            tiles = np.zeros((3, 6), int)
            self.ground = self.add(
                fw.TileLayer(fw.TileSet(solid(16, 16), (16, 16), solid=[1]), tiles)
            )
            self.ground.visible = False
            self.lights.add((20, 25), (1, 0.9, 0.8), 90)
            self.lights.walls = self.ground

    game = make(Cave, size=SIZE, tick_rate=10)
    game.ground.tiles[1, 3] = 1
    game.advance(0.1)
    game.save(path=tmp_path / "wall.save")
    game.ground.tiles[1, 3] = 0
    game.advance(0.1)
    game.advance(0.02)
    game.load(path=tmp_path / "wall.save")
    game.advance(0.01)
    assert game.ground.solid[1, 3]
    assert (difference(game, game.timestep.alpha) > 2).mean() < 0.002


def test_completion_shows_no_internal_names() -> None:
    names = {name for name in dir(fw.Lights2D) if name[0] != "_"}
    driven_names = {"attach", "begin_tick", "draw", "release", "uploaded_bytes", "calls"}
    assert not names & (driven_names | {"not_state", "below_hud", "changes_below"})


def test_the_light_at_one_point_has_the_same_bits_as_in_an_array() -> None:
    random = np.random.default_rng(1)
    for number in range(16):
        game = fw.Game(drawing=False)
        lights = game.add(fw.Lights2D(ambient=(0.2, 0.1, 0.3)))
        for row in range(number % 7):
            light = lights.add(
                tuple(random.uniform(0, 100, 2)),
                radius=float(random.uniform(5, 80)),
                color=tuple(random.random(3)),
                intensity=float(random.uniform(0.1, 3)),
            )
            light.visible = row != 3
            if number % 4 == 1 and row == 1:
                light.cone = 1.0
            if number % 4 == 2 and row == 1:
                light.flicker = 0.5
        if number == 5:
            lights.walls = fw.collide.TileGrid(random.random((5, 5)) < 0.3, 20)
        game.run_ticks(1)
        lights.position[:] += random.normal(size=(len(lights), 2))
        lights.radius[:] *= 1.1
        game.run_ticks(1)
        if number % 7 == 3:
            lights.position[0] = np.nan
        for alpha in (1.0, 0.0, 0.37):
            points = random.uniform(0, 100, (6, 2))
            expected = lights.at(points, alpha)
            for point, light_there in zip(points, expected, strict=True):
                for spelling in (point, tuple(point.tolist()), [point.tolist()]):
                    single = lights.at(spelling, alpha)
                    assert single.shape == np.shape(spelling)[:-1] + (3,)
                    assert single.tobytes() == light_there.tobytes()


def test_lights_without_walls_in_range_need_no_shadows(make: Make) -> None:
    """The image is the same as if all lights had shadows, with fewer rows of shadows."""
    rng = np.random.default_rng(4)
    images = []
    for is_known in (True, False):
        game = make(Lit, size=SIZE, tick_rate=10)
        rng = np.random.default_rng(4)
        game.crates.remove(slice(1, None))
        game.crates.position = 90, 10
        game.lights.walls = [np.array([[[20, 5], [26, 12]], [[30, 40], [28, 44]]]), game.crates]
        game.lights.extend(
            40,
            position=rng.uniform((0, 0), SIZE, (40, 2)),
            radius=rng.uniform(4, 16, 40),
            softness=rng.choice([0, 2], 40),
            cone=rng.choice([2, math.tau], 40),
            color=(0.3, 0.2, 0.1),
        )
        game.moves.append(lambda game=game: game.lights.position.__iadd__((0.7, 0.4)))
        light_map = driven(game.lights)
        if not is_known:
            light_map._lamps_near_walls = lambda *arguments: None
        for dt in (0.1, 0.05, 0.13):
            game.advance(dt)
            images.append(game.pixels())
        near = light_map._near
        assert near is None or 2 < near.sum() < 30
        assert (light_map.calls > 8) == is_known
    for without_extra_shadows, with_all_shadows in zip(images[:3], images[3:], strict=True):
        assert (without_extra_shadows == with_all_shadows).all()


def test_a_grid_of_walls_finds_every_wall() -> None:
    rng = np.random.default_rng(6)
    middles = rng.normal(0, 50, (60, 2))
    halves = rng.normal(0, 3, (60, 2))
    walls = np.stack([middles - halves, middles + halves], axis=1)
    low = rng.normal(0, 60, (400, 2))
    high = low + rng.uniform(0, 25, (400, 2))
    touches = WallGrid(walls).touches(low, high)
    start = walls.min(axis=1)
    end = walls.max(axis=1)
    meets = ((start <= high[:, None]) & (end >= low[:, None])).all(axis=2).any(axis=1)
    assert touches[meets].all()
    assert 40 < meets.sum() <= touches.sum() < 1.5 * meets.sum()
    bad = np.array([[np.nan, 0], [np.inf, 0], [-np.inf, -np.inf]])
    assert WallGrid(walls).touches(bad, np.abs(bad)).dtype == bool
    point = WallGrid(np.zeros((1, 2, 2)))
    assert point.touches(np.array([[-1.0, -1], [1, 1]]), np.array([[1.0, 1], [2, 2]])).tolist() == [
        True,
        False,
    ]
