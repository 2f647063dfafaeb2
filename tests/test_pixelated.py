"""Pixel art: square texels, smooth motion, views, backdrops, light, palettes, and the mouse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import centroid, colors_in, solid

import framework as fw

RED = (255, 0, 0, 255)
GREEN = (0, 255, 0, 255)
WHITE = (255, 255, 255, 255)


class Art(fw.Game):
    """Sprites between texels in the world, and a sign on the hud."""

    drift = 0.0

    def __init__(self, **options: Any) -> None:
        options = {
            "size": (128, 72),
            "resolution": (32, 18),
            "pixel_art": True,
            "headless": True,
        } | options
        super().__init__(background="#000", **options)

    def setup(self) -> None:
        noise = np.full((5, 7, 4), 255, np.uint8)
        noise[..., :3] = np.random.default_rng(3).integers(0, 255, (5, 7, 3))
        self.boxes = self.add(fw.SpriteBatch([solid(3, 3, WHITE), noise], 3))
        self.boxes.position[:] = [(20, 9.5), (6.3, 4.4), (25.8, 13.7)]
        self.boxes.image = (0, 1, 1)
        self.boxes.angle[1] = 0.4
        self.sign = self.add(fw.SpriteBatch(solid(2, 2, GREEN), 1), camera=self.hud)
        self.sign.position = (1, 17)

    def update(self, dt: float) -> None:
        self.camera.x += self.drift


def has_square_texels(pixels: np.ndarray, zoom: int) -> bool:
    """Return whether each texel is a square of one color."""
    height = pixels.shape[0] // zoom
    width = pixels.shape[1] // zoom
    blocks = pixels.reshape(height, zoom, width, zoom, 4)
    return bool((blocks == blocks[:, :1, :, :1]).all())


@pytest.mark.parametrize(("size", "zoom"), [((128, 72), 4), ((96, 54), 3), ((32, 18), 1)])
def test_each_texel_is_a_square_of_one_color(size: tuple[int, int], zoom: int) -> None:
    with Art(size=size) as game:
        game.advance(1 / 60)
        assert has_square_texels(game.pixels(), zoom)
        assert colors_in(game.pixels()) > 30
        game.camera.x += 3
        game.advance(1 / 60)
        assert has_square_texels(game.pixels(), zoom)


def test_a_window_of_another_size_has_bars_or_blends_only_the_seams() -> None:
    with Art(size=(140, 80)) as game:
        game.advance(1 / 60)
        assert game.picture.screen_mapping.viewport == (6, 4, 128, 72)
        assert has_square_texels(game.pixels()[4:76, 6:134], 4)
        assert not game.pixels()[:4, :, :3].any()
    with Art(size=(112, 63), scaling="letterbox") as game:  # 3.5 pixels per texel
        game.boxes.visible[1:] = False
        game.advance(1 / 60)
        row = game.pixels()[31, :, 0]
        assert row.astype(int).sum() / 255 == pytest.approx(3 * 3.5, abs=0.02)
        assert ((row > 0) & (row < 255)).sum() <= 2


@pytest.mark.parametrize("size", [(128, 72), (96, 54), (112, 63)])
def test_a_slow_camera_shifts_each_frame_by_the_same_amount(size: tuple[int, int]) -> None:
    with Art(size=size, scaling="letterbox") as game:
        game.boxes.visible[1:] = False
        game.sign.visible = False
        game.drift = 0.25
        game.advance(1 / 60)
        zoom = size[0] / 32
        middles = []
        for _ in range(12):
            game.advance(1 / 60)
            middles.append(centroid(game.pixels()))
        steps = np.diff(np.array(middles), axis=0) / zoom
        assert np.abs(steps - (-0.25, 0)).max() <= 0.02
        game.camera.x += 0.03  # between two ticks, too
        game.advance(1 / 60)
        before = centroid(game.pixels())[0]
        game.advance(1 / 120)
        assert (centroid(game.pixels())[0] - before) / zoom == pytest.approx(-0.125, abs=0.02)


def test_the_hud_does_not_move_with_the_world() -> None:
    with Art() as game:
        game.drift = 0.3
        for _ in range(3):
            game.advance(1 / 60)
            corner = game.pixels()[:8, :8]
            assert (corner == GREEN).all()
            assert (game.pixels()[:8, 8:16, 1] < 255).all()


class Chase(Art):
    """The camera follows one of three sprites, over a box of another batch."""

    def setup(self) -> None:
        self.under = self.add(fw.SpriteBatch(solid(6, 6, RED), 1))
        self.under.position = (14.3, 15)
        self.boxes = self.add(fw.SpriteBatch([solid(3, 3, WHITE), solid(3, 3, GREEN)], 3))
        self.boxes.position[:] = [(10, 9), (16.4, 9.3), (22, 9)]
        self.boxes.image = [1, 0, 1]
        self.camera.follow(self.boxes[1])

    def update(self, dt: float) -> None:
        self.boxes.position[1] += (self.drift, 0.07)


@pytest.mark.parametrize("size", [(128, 72), (112, 63)])
def test_a_followed_sprite_stays_on_its_pixels_and_the_world_moves_evenly(
    size: tuple[int, int],
) -> None:
    with Chase(size=size, scaling="letterbox") as game:
        game.drift = 0.25
        zoom = size[0] / 32
        still = []
        red = []
        game.advance(1 / 60)
        for _ in range(9):
            game.advance(1 / 90)  # between two ticks, too
            pixels = game.pixels()
            still.append(pixels[..., 2].copy())  # of the sprites only the white one contains blue
            only_red = pixels * (pixels[..., :1] > pixels[..., 1:2])
            red.append(centroid(only_red)[0])
        assert np.ptp(np.array(still, int), axis=0).max() <= 1  # rounding of the driver at a seam
        assert still[0].sum() / 255 == pytest.approx((3 * zoom) ** 2, rel=1e-3)
        steps = np.diff(red) / zoom
        assert np.abs(steps - steps.mean()).max() <= 0.02


def test_a_followed_sprite_keeps_its_drawing_order() -> None:
    with Chase() as game:
        game.under.position = (14.3, 9)
        game.boxes.position[:] = [(15, 9.5), (16, 9.5), (17, 9.5)]
        game.advance(1 / 60)
        middle = game.pixels()[36, :, :3]
        assert [tuple(middle[x]) for x in (48, 56, 60, 66, 72)] == [
            RED[:3],
            GREEN[:3],
            WHITE[:3],
            *[GREEN[:3]] * 2,
        ]
        game.boxes.layer = [0, 2, 1]
        game.advance(1 / 60)
        middle = game.pixels()[36, :, :3]
        assert [tuple(middle[x]) for x in (56, 60, 66, 72)] == [
            GREEN[:3],
            WHITE[:3],
            WHITE[:3],
            GREEN[:3],
        ]
        game.boxes[1].remove()
        game.advance(1 / 60)
        assert not (game.pixels()[..., :3] == 255).all(axis=2).any()


def test_light_falls_on_a_followed_sprite_and_on_sprites_below_it() -> None:
    """The followed sprite and the rest are drawn to separate images. A followed sprite at NaN is
    not drawn at all."""
    with Chase() as game:
        game.lights = game.add(fw.Lights2D(ambient=(0.5, 0.25, 1.0)))
        game.add(fw.SpriteBatch(solid(2, 2, WHITE), 1)).position = (12, 9)  # above the light
        game.advance(1 / 60)
        colors = {tuple(color) for color in game.pixels()[..., :3].reshape(-1, 3).tolist()}
        assert {(128, 64, 255), (128, 0, 0), (0, 64, 0), (255, 255, 255)} <= colors
        game.boxes.position[1] = np.nan
        with (
            pytest.warns(RuntimeWarning, match="is NaN"),
            pytest.warns(RuntimeWarning, match="last valid position"),
        ):
            game.advance(1 / 60)
        assert (game.pixels()[..., :3] == (128, 0, 0)).all(axis=2).any()


@pytest.mark.parametrize("pixel_art", [False, True])
def test_normals_are_lit_in_views_and_on_a_followed_sprite(pixel_art: bool) -> None:
    normals = np.full((16, 16, 4), 255, np.uint8)
    normals[:, :8, :3], normals[:, 8:, :3] = (
        (37, 128, 218),
        (218, 128, 218),
    )  # to the left and to the right, by 45°

    class Rocks(fw.Game):
        def setup(self) -> None:
            self.rocks = self.add(
                fw.SpriteBatch(solid(16, 16, (200, 200, 200, 255)), 2, smooth_edges=False)
            )
            self.rocks.position = [(24, 27), (72, 27)]
            self.lights = self.add(fw.Lights2D(ambient="black"), layer=1)
            self.lights.add((44, 35), (1, 1, 1), 60, height=20)
            self.lights.add_normals(self.rocks, normals)
            second = fw.Camera2D((1, 1))
            second.position = (72, 27)
            self.views.add(self.camera, (0, 0, 0.5, 1))
            self.views.add(second, (0.5, 0, 0.5, 1))
            self.camera.follow(self.rocks[0])

    with Rocks(
        size=(96, 54), resolution=(96, 54), pixel_art=pixel_art, headless=True, background="#000"
    ) as game:
        game.advance(1 / 60)
        for view, middle in zip(game.views, (24, 72), strict=True):
            for side in (-5, 5):
                position = np.array((middle + side + 0.5, 27.5))
                x, y = view.to_screen(position)
                to_lamp = np.array([44 - position[0], 35 - position[1], 20])
                share = (
                    max(
                        float(np.array([np.sign(side), 0, 1]) @ to_lamp / np.linalg.norm(to_lamp)),
                        0,
                    )
                    / 2**0.5
                )
                expected = 200 * share * game.lights.at(position)[0]
                assert game.pixels()[53 - int(y), int(x), 0] == pytest.approx(expected, abs=3), (
                    position
                )


def test_light_falls_on_the_scenes_below_too() -> None:
    class Dim(fw.Scene):
        def setup(self) -> None:
            self.add(fw.Lights2D(ambient=(0.5, 0.25, 1.0)))

    with Art() as game:
        game.push(Dim())
        game.advance(1 / 60)
        assert (game.pixels()[:8, :8] == (0, 64, 0, 255)).all()


def test_a_backdrop_with_parallax_moves_smoothly() -> None:
    with Art() as game:
        game.boxes.visible = game.sign.visible = False
        stripes = np.zeros((18, 16, 4), np.uint8)
        stripes[4:14, 3:5] = WHITE
        game.add(fw.Backdrop(stripes, parallax=(0.5, 0.5), repeat=(True, False)))
        game.drift = 0.3
        middles = []
        for _ in range(6):
            game.advance(1 / 60)
            middles.append(centroid(game.pixels()[:, 24:88])[0])
        assert np.abs(np.diff(middles) / 4 + 0.15).max() <= 0.02


def test_sprites_that_move_together_stay_together() -> None:
    with Art() as game:
        game.boxes.image = 0
        game.boxes.angle[:] = 0
        game.sign.visible = False
        game.boxes.position[:] = [(5, 4), (12, 9), (20, 14)]
        distances = []
        for _ in range(7):
            game.boxes.position += (0.21, 0.13)
            game.camera.position = tuple(np.add(game.camera.position, (0.13, 0.05)))
            game.advance(1 / 60)
            parts = np.split(game.pixels(), [34, 66], axis=1)
            middles = np.array([centroid(part) for part in parts]) + [[0, 0], [34, 0], [66, 0]]
            distances.append(np.diff(middles, axis=0) / 4)
        assert np.abs(np.array(distances) - [[7, 5], [8, 5]]).max() <= 0.02


def test_the_mouse_counts_in_texels() -> None:
    with Art(size=(140, 80)) as game:
        assert game.size == (32, 18)
        assert game._engine.stage.scale.units(6 + 40, 4 + 20) == (10, 5)
        assert game.camera.screen_to_world((10, 5)) == (10, 5)


def test_each_view_has_its_own_texels() -> None:
    class TwoViews(Art):
        def setup(self) -> None:
            super().setup()
            self.views.add(self.camera, (0, 0, 0.5, 1))
            second = fw.Camera2D((1, 1))
            second.position = (20.25, 9.5)
            self.boxes.position[0] = (20.5, 9.5)
            self.right = self.views.add(second, (0.5, 0, 0.5, 1), background="#00f")

    with TwoViews() as game:
        game.boxes.visible[1:] = False
        game.advance(1 / 60)
        pixels = game.pixels()
        assert (pixels[:8, :8] == GREEN).all()
        right = pixels[:, 64:].copy()
        assert tuple(right[0, 0]) == (0, 0, 255, 255)
        right[..., 2] = 0
        assert centroid(right)[0] == pytest.approx(
            4 * 8.25, abs=0.02
        )  # half a texel to the right of its camera, minus 0.25
        assert has_square_texels(pixels[:, :64], 4)


@pytest.mark.parametrize("effects", [[], [fw.Vignette(0.1)]])
def test_frames_are_complete_after_changes_of_views(effects: list[fw.Effect]) -> None:
    def drawn_frames() -> list[bytes]:
        pictures = []
        for _ in range(4):  # the second frame frees the textures that are no longer drawn
            game.advance(1 / 60)
            pictures.append(game.pixels().tobytes())
        return pictures

    with Art() as game:
        game.effects = effects
        frames = [drawn_frames()]
        view = game.views.add(game.camera, (0, 0, 0.5, 1))
        frames.append(drawn_frames())
        view.area = (0, 0, 0.5, 0.5)
        frames.append(drawn_frames())
        game.views.remove(view)
        frames.append(drawn_frames())
    assert [len(set(pictures)) for pictures in frames] == [1, 1, 1, 1]
    assert frames[3] == frames[0]


def test_a_palette_maps_each_texel_to_the_nearest_color(tmp_path: Path) -> None:
    with Art() as game:
        assert game.picture.palette is None
        game.picture.palette = ["#000", "#f00", "#00ff00", (1.0, 1.0, 1.0)]
        game.advance(1 / 60)
        colors = {tuple(color) for color in game.pixels()[..., :3].reshape(-1, 3).tolist()}
        assert colors <= {(0, 0, 0), (255, 0, 0), (0, 255, 0), (255, 255, 255)}
        assert len(colors) >= 3
        assert has_square_texels(game.pixels(), 4)
        path = tmp_path / "two.gpl"
        path.write_text(
            "GIMP Palette\nName: Two\nColumns: 2\n#\n  0   0  64\tDark\n255 240 200\tLight\n"
        )
        game.picture.palette = str(path)
        assert game.picture.palette.bytes == ((0, 0, 64), (255, 240, 200))
        game.advance(1 / 60)
        assert colors_in(game.pixels()) == 2
        with pytest.raises(fw.AssetError, match="missing"):
            game.picture.palette = "missing.gpl"
        assert len(game.picture.palette) == 2
        game.picture.palette = None
        game.advance(1 / 60)
        assert colors_in(game.pixels()) > 30


def test_a_restored_game_has_the_palette_of_the_snapshot() -> None:
    with Art() as game:
        game.advance(1 / 60)
        first_pixels = game.pixels()
        before = game.snapshot()
        game.picture.palette = ["#f00", "#0f0"]
        after = game.snapshot()
        game.restore(before)
        game.advance(0)
        assert game.picture.palette is None
        assert np.array_equal(game.pixels(), first_pixels)
        game.restore(after)
        game.advance(0)
        assert colors_in(game.pixels()) == 2


def test_a_palette_is_read_from_several_file_formats(tmp_path: Path) -> None:
    (tmp_path / "a.hex").write_text("ff004d\n00e436\n")
    (tmp_path / "b.pal").write_text("JASC-PAL\n0100\n2\n255 0 77\n0 228 54\n")
    pixels = np.zeros((1, 3, 4), np.uint8)
    pixels[0] = [(255, 0, 77, 255), (0, 228, 54, 255), (255, 0, 77, 255)]
    from PIL import Image

    Image.fromarray(pixels).save(tmp_path / "c.png")
    for name in ("a.hex", "b.pal", "c.png"):
        assert fw.Palette(tmp_path / name).bytes == ((255, 0, 77), (0, 228, 54))
    for name, content in (
        ("d.hex", b""),
        ("e.gpl", b"\xff\xfe\x00"),
        ("f.gpl", b"999 0 0\n"),
        ("g.hex", b"0" * 70000),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(fw.AssetError, match="palette"):
            fw.Palette(tmp_path / name)
    for colors in ([], ["#000"] * 257):
        with pytest.raises(ValueError, match="256"):
            fw.Palette(colors)


def test_colors_of_a_palette_must_be_from_0_to_1() -> None:
    for color in ((1, 2, 0), (0, -0.1, 0)):
        with pytest.raises(ValueError, match="colors: expected red, green and blue from 0 to 1"):
            fw.Palette([color])


def test_dither_mixes_the_two_nearest_colors() -> None:
    with Art() as game:
        game.boxes.image = 0
        game.boxes.scale[:] = 6
        game.boxes.color[:, :3] = 0.5
        game.picture.palette = fw.Palette(["#000", "#fff"], dither=1)
        game.advance(1 / 60)
        inside = game.pixels()[30:42, 70:90, 0]
        assert 0.2 < (inside == 255).mean() < 0.8
        assert has_square_texels(game.pixels(), 4)


def test_translucent_sprites_are_dithered_over_a_followed_sprite() -> None:
    with Chase() as game:
        game.under.visible = False
        smoke = game.add(fw.SpriteBatch(solid(16, 4, (255, 0, 0, 100)), 1))
        glow = game.add(fw.SpriteBatch(solid(16, 4, (0, 200, 0, 255)), 1, blend="add"))
        smoke.position = (16, 15)
        glow.position = (16, 4)
        game.boxes.position[1] = (16, 8.93)
        game.picture.palette = fw.Palette(["#000", "#f00", "#0f0"], dither=1)
        game.advance(1 / 60)
        texels = game.pixels()[2::4, 2::4, :3]
        assert 0.25 < (texels[1:5, 9:23] == RED[:3]).all(axis=2).mean() < 0.55
        assert (texels[13:15, 9:23] == GREEN[:3]).all(axis=2).mean() > 0.7
        game.picture.palette = fw.Palette(["#000", "#f00", "#0f0"])
        game.advance(0)
        texels = game.pixels()[2::4, 2::4, :3]
        assert not texels[1:5, 9:23].any()
        assert (texels[13:15, 9:23] == GREEN[:3]).all()


def test_pixel_art_without_a_resolution_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a resolution too"):
        Art(resolution=None)
    with pytest.raises(ValueError, match="resolution"):
        Art(resolution=(0, 180))
    with (
        fw.Game(headless=True, size=(32, 18)) as plain,
        pytest.raises(ValueError, match="pixel-art game"),
    ):
        plain.picture.palette = ["#000"]
