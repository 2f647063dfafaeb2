"""Billboards: images in 3D space that face the camera."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from drawings import driven
from pictures import blob, centroid, solid

import framework as fw
from framework.state.rows import table_of

Make = Callable[..., Any]
RED = (1, 0, 0, 1)
GREEN = (0, 1, 0, 1)
BLUE = (0, 0, 1, 1)


def game_with_billboards(make: Make, image: Any = None, count: int = 1, **options: Any) -> Any:
    """Return a game with a camera 10 units away that looks along -z. A unit is 10 pixels."""
    game = make(fw.Game, tick_rate=20)
    game.world.camera.ortho_height = 10.0
    game.world.camera.position = 0, 0, 10
    game.world.camera.teleport()
    game.batch = game.add(fw.Billboards(solid(8, 8) if image is None else image, count, **options))
    return game


def drawn_positions(batch: fw.Billboards, alpha: float) -> Any:
    """Return the positions at which billboards are drawn at ``alpha``: (n, 3)."""
    (before, *_), (now, *_) = table_of(batch).states(slice(None))
    return before + (now - before) * alpha


def colors(game: fw.Game, x: int = 100, y: int = 50) -> Any:
    return game.pixels()[y, x, :3].tolist()


def test_a_billboard_has_its_size_and_color(make: Make) -> None:
    game = game_with_billboards(make)
    game.batch.size = 4, 2
    game.batch.color = 1, 0.2140411, 0, 1  # linear: half of the value on the screen
    game.advance(0)
    inside = game.pixels()[..., 0] > 250
    rows, columns = np.nonzero(inside)
    assert (np.ptp(columns) + 1, np.ptp(rows) + 1) == (40, 20)
    assert colors(game) == pytest.approx([255, 128, 0], abs=1)


@pytest.mark.parametrize("center", [(0, 0, 0), (1e6, 2e6, -1e6)])
def test_billboards_move_smoothly_even_a_million_units_from_the_origin(
    make: Make, center: Any
) -> None:
    game = game_with_billboards(make, blob(33, 5), blend="add")
    game.world.camera.position = np.add(center, (0, 0, 10))
    game.world.camera.teleport()
    game.batch.size = 3
    position_at = lambda time: np.add(center, (-5 + 3 * time, time, 2))  # noqa: E731
    game.update = lambda dt: game.batch.position.__setitem__(0, position_at(game.tick * dt))
    game.advance(0.1)
    random = np.random.default_rng(2)
    for _ in range(8):
        alpha = game.advance(float(random.uniform(0.01, 0.07)))
        x, y, _ = drawn_positions(game.batch, alpha)[0] - center
        assert math.dist(centroid(game.pixels()), (100 + 10 * x, 50 + 10 * y)) <= 0.05


def test_size_and_color_are_interpolated(make: Make) -> None:
    game = game_with_billboards(make)
    game.batch.size = 2, 2
    game.advance(0.05)

    def change(dt: float) -> None:
        game.batch.size = (6, 2)
        game.batch.color = (0, 1, 0, 1)

    game.update = change
    alpha = game.advance(0.05 + 0.025)
    width = (game.pixels()[50, :, 1] > 20).sum()
    assert alpha == pytest.approx(0.5)
    assert width == pytest.approx(40, abs=1)
    assert colors(game) == pytest.approx(
        [188, 255, 188], abs=2
    )  # half of the light, as sRGB values


@pytest.mark.parametrize("nearer_last", [False, True])
def test_near_billboards_cover_far_ones_in_any_order(make: Make, nearer_last: bool) -> None:
    game = game_with_billboards(make, count=2)
    near, far = (1, 0) if nearer_last else (0, 1)
    game.batch.position[near], game.batch.position[far] = (0, 0, 3), (0, 0, -3)
    game.batch.color[near], game.batch.color[far] = RED, GREEN
    game.batch.size = 3
    game.advance(0)
    assert colors(game) == [255, 0, 0]
    game.world.camera.position = (
        0,
        0,
        -10,
    )  # from the other side: the next tick sorts the rows again
    game.world.camera.look_at((0, 0, 0))
    game.world.camera.teleport()
    game.update = lambda dt: None
    game.advance(0.06)
    game.advance(0.05)
    game.batch.position[:] += 0
    game.advance(0.05)
    assert colors(game) == [0, 255, 0]


def test_blend_add_does_not_depend_on_the_order(make: Make) -> None:
    game = game_with_billboards(make, count=2, blend="add")
    game.batch.color[:2] = (1, 0, 0, 1), (0, 1, 0, 1)
    game.batch.position[1] = 0, 0, 1
    game.batch.size = 3
    game.advance(0)
    assert colors(game) == [255, 255, 0]


def test_meshes_hide_billboards_behind_them(make: Make) -> None:
    game = game_with_billboards(make, count=2)
    game.batch.position[:] = (0, 0, -3), (6, 0, 3)
    game.batch.size = 12, 2
    game.add(fw.MeshBatch(fw.Mesh.cube(4), 1, material=fw.Material(BLUE, unlit=True)))
    game.advance(0)
    assert colors(game, 85) == [0, 0, 255]
    assert colors(game, 70) == [255] * 3  # behind the cube and beside it
    assert colors(game, 110) == [255] * 3  # in front of the cube


def test_billboards_face_the_camera_from_every_side(make: Make) -> None:
    game = game_with_billboards(make)
    game.batch.size = 4, 2
    for eye in ((10, 0, 0), (3, 8, -5), (-4, -6, 2)):
        game.world.camera.position = eye
        game.world.camera.look_at((0, 0, 0))
        game.world.camera.teleport()
        game.advance(0)
        assert (game.pixels()[..., 0] > 250).sum() == pytest.approx(800, abs=20)


def test_rows_have_their_own_images_and_can_be_removed(make: Make) -> None:
    game = game_with_billboards(
        make, [solid(8, 8, (255, 0, 0, 255)), solid(4, 4, (0, 255, 0, 255))], 0
    )
    batch = game.batch
    assert batch.extend(
        3, position=[(-4, 0, 0), (0, 0, 0), (4, 0, 0)], image=[0, 1, 0], size=2
    ) == slice(0, 3)
    game.advance(0)
    assert [colors(game, x) for x in (60, 100, 140)] == [[255, 0, 0], [0, 255, 0], [255, 0, 0]]
    batch.remove([0])
    game.advance(0)
    assert [colors(game, x) for x in (60, 100, 140)] == [[0, 0, 0], [0, 255, 0], [255, 0, 0]]
    batch.clear()
    game.advance(0)
    assert not game.pixels()[..., :3].any()
    assert len(batch) == 0


def test_a_new_row_has_its_own_image_and_not_that_of_a_removed_row(make: Make) -> None:
    game = game_with_billboards(
        make, [solid(8, 8, (255, 0, 0, 255)), solid(8, 8, (0, 255, 0, 255))]
    )
    game.batch.image[0] = 1
    game.advance(0)
    assert colors(game) == [0, 255, 0]
    game.batch.remove([0])
    game.advance(0)
    assert colors(game) == [0, 0, 0]
    game.batch.extend(1)
    game.advance(0)
    assert colors(game) == [255, 0, 0]
    game.batch.remove([0])
    game.batch.extend(1, image=1)
    game.advance(0)
    assert colors(game) == [0, 255, 0]


def test_new_and_teleported_rows_are_not_interpolated(make: Make) -> None:
    game = game_with_billboards(make)
    game.advance(0.05)

    def jump(dt: float) -> None:
        if game.tick == 2:
            game.batch.position[0] = 5, 5, 5
            game.batch.teleport([0])
            game.batch.extend(1, position=(7, 7, 7))

    game.update = jump
    game.advance(0.05)
    assert game.tick == 2
    assert drawn_positions(game.batch, 0.0).tolist() == [[5, 5, 5], [7, 7, 7]]


def test_a_frame_between_two_ticks_uploads_nothing(make: Make) -> None:
    game = game_with_billboards(make, count=50)
    game.update = lambda dt: game.batch.position.__iadd__(0.1)
    game.advance(0.1)
    before = driven(game.batch).uploaded_bytes
    for _ in range(4):
        game.advance(0.01)
    assert driven(game.batch).uploaded_bytes == before
    game.advance(0.05)
    assert driven(game.batch).uploaded_bytes == before + 50 * 120


def test_only_lit_billboards_need_light(make: Make) -> None:
    for lit, dark in ((True, True), (False, False)):
        game = game_with_billboards(make, lit=lit)
        for name in ("sun_color", "sky_color", "ground_color"):
            setattr(game.world, name, (0, 0, 0))
        game.batch.size = 3
        game.advance(0)
        assert (colors(game) == [0, 0, 0]) == dark


def test_the_default_image_is_a_soft_spot(make: Make) -> None:
    game = make(fw.Game)
    game.world.camera.ortho_height = 10.0
    game.world.camera.position = (0, 0, 10)
    game.world.camera.teleport()
    game.add(fw.Billboards(count=1)).size = 4
    game.advance(0)
    pixels = game.pixels()[50, :, 0].astype(int)
    assert pixels[100] > 250
    assert pixels[79] == pixels[121] == 0
    assert (np.diff(pixels[80:100]) >= 0).all()


def redness_at_floor(
    make: Make, soft: float, lens: float | None = 10.0, **options: Any
) -> np.ndarray:
    """Return the redness along the middle column, upwards, of a red puff that cuts a floor."""
    game = make(fw.Game, **options)
    camera = game.world.camera
    camera.ortho_height = lens
    camera.position = (0, 6, 8)
    camera.near = 0.1
    camera.far = 100
    camera.look_at((0, 0, 0))
    camera.teleport()
    game.add(fw.MeshBatch(fw.Mesh.plane((40, 40)), 1, material=fw.Material((0, 0, 0), unlit=True)))
    puff = game.add(fw.Billboards(solid(8, 8, (255, 0, 0, 255)), 1, soft=soft))
    puff.size = 4
    game.advance(0)
    return np.asarray(game.pixels()[::-1, 100, 0].astype(int))


@pytest.mark.parametrize("lens", [10.0, None])
@pytest.mark.parametrize(
    "options", [{}, {"samples": 4}, {"render_scale": 0.5, "samples": 4}, {"resolution": (50, 50)}]
)
def test_soft_billboards_fade_near_the_ground(
    make: Make, options: dict[str, Any], lens: float | None
) -> None:
    hard, soft = (redness_at_floor(make, soft, lens, **options) for soft in (0.0, 1.5))
    assert np.abs(np.diff(hard)).max() > 120  # a hard edge, one or two pixels wide
    edge = int(np.argmax(hard > 120))
    rising = soft[edge - 3 : edge + 12]
    assert np.diff(rising).max() < 60
    assert (np.diff(rising) >= -1).all()
    assert rising[0] < 3
    assert soft.max() == 255  # away from the ground


def test_soft_billboards_without_contact_look_like_hard_ones(
    make: Make,
) -> None:
    images = []
    for soft in (0.0, 2.0):
        game = game_with_billboards(make, count=2, soft=soft)
        game.batch.position[:] = (6, 0, 0), (-6, 0, -5)
        game.batch.size = 3
        cube = game.add(fw.MeshBatch(fw.Mesh.cube(4), 1, material=fw.Material(BLUE, unlit=True)))
        cube.position = -6, 0, 0
        game.advance(0)
        images.append(game.pixels())
    assert np.array_equal(*images)


def test_depth_is_copied_only_for_soft_billboards(make: Make) -> None:
    game = game_with_billboards(make)
    game.advance(0)
    assert driven(game.world).assets.depth is None
    game.soft = game.add(fw.Billboards(solid(8, 8), 1, soft=1.0))
    game.advance(0)
    assert driven(game.world).assets.depth is not None
    game.run(1)
    assert game.picture.ctx.error == "GL_NO_ERROR"


def test_wrong_arguments_are_errors_with_their_names(make: Make) -> None:
    with pytest.raises(ValueError, match=r"^blend: "):
        fw.Billboards(blend="multiply")
    with pytest.raises(ValueError, match=r"^image: "):
        fw.Billboards([])
    with pytest.raises(TypeError, match=r"^speed: "):
        fw.Billboards().extend(1, speed=3)
    with pytest.raises(ValueError, match=r"^position: "):
        fw.Billboards().extend(1, position=(1, 2))
    game = game_with_billboards(make)
    game.batch.image = 3
    with pytest.raises(ValueError, match=r"^image: "):
        game.advance(0)
