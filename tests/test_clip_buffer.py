"""Clips in the shader: every frame shows the image that the CPU computes, without an upload."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from drawings import drawing
from pictures import solid

import framework as fw
from framework.gpu.atlas import Atlas
from framework.state.rows import table_of

Make = Callable[..., Any]

SHADES = [20 + 20 * number for number in range(12)]
IMAGES = [solid(8, 8, (shade, 0, 0, 255)) for shade in SHADES]
CLIPS = fw.Clips(
    IMAGES,
    walk=(0, 8, 12),
    hit=fw.Clip([8, 9], rate=10, loop=False),
    uneven=fw.Clip([1, 3, 5], seconds=[0.1, 0.25, 0.03], ping_pong=True),
    quick=fw.Clip([11, 2, 7], rate=7, loop=False),
    long=fw.Clip([4, 10], seconds=[0.5, 40]),
)


def grid_positions(count: int) -> np.ndarray:
    return np.column_stack([10 + 20 * (np.arange(count) % 10), 10 + 20 * (np.arange(count) // 10)])


def drawn_images(game: Any, batch: fw.SpriteBatch) -> list[int]:
    """Return the indices of the drawn images, sprite by sprite."""
    game.advance(0)
    pixels = game.pixels()
    return [SHADES.index(int(pixels[99 - y, x, 0])) for x, y in batch.position.astype(int).tolist()]


def check(game: Any, batch: fw.SpriteBatch) -> None:
    assert drawn_images(game, batch) == batch.shown_images(game.timestep.alpha).tolist()
    assert [
        table_of(batch).shown_image(row) for row in range(len(batch))
    ] == batch.shown_images().tolist()


class Crowd(fw.Game):
    def setup(self) -> None:
        self.crowd = self.add(fw.SpriteBatch(CLIPS, 50, smooth_edges=False, y_sort=self.sorted))
        self.crowd.position[:] = grid_positions(50)
        self.crowd.play(
            "walk", skip=self.random.uniform(0, 1, 50), speed=self.random.uniform(0.3, 3, 50)
        )

    sorted = False

    def update(self, dt: float) -> None:
        name = str(self.random.choice(self.crowd.clips.names))
        then = str(self.random.choice(self.crowd.clips.names)) if self.tick % 3 else None
        rows = self.random.integers(50, size=self.random.integers(4))
        if self.tick % 4 == 0:
            self.crowd.play(
                name, rows, then=then, speed=float(self.random.uniform(0, 4)), skip=0.03
            )
        if self.tick % 9 == 0:
            self.crowd.set_clip_speed(self.random.uniform(0, 5, 50))
        if self.tick % 13 == 0:
            self.crowd.stop(rows)
        if self.sorted:  # this changes the drawing order in each tick
            self.crowd.position[:] = self.random.permutation(grid_positions(50))
            self.crowd.teleport(slice(None))


class Sorted(Crowd):
    sorted = True


@pytest.mark.parametrize("game_class", [Crowd, Sorted])
def test_the_shader_draws_the_images_of_the_cpu(make: Make, game_class: type[fw.Game]) -> None:
    game = make(game_class, frame_rate=144)
    random = np.random.default_rng(4)
    for _ in range(120):
        game.advance(float(random.uniform(0, 0.03)))
        check(game, game.crowd)
    assert game.tick > 80
    assert len({*table_of(game.crowd).column("clip").data[:50].tolist()}) > 3


def test_clips_work_after_years_of_clip_time(make: Make) -> None:
    game = make()
    batch = game.add(fw.SpriteBatch(CLIPS, 30, smooth_edges=False))
    batch.position[:] = grid_positions(30)
    for row, name in enumerate(CLIPS):
        batch.play(name, slice(6 * row, 6 * row + 6), speed=[1, 0.5, 2, 0.77, 3.1, 1.9], skip=0.1)
    for hours in (
        1,
        7,
        24,
        24 * 365,
        24 * 365 * 20,
    ):  # the clip time needs more than 32 bits, and later more than 53
        table_of(batch)._clock.advance(3600 * hours)
        game.advance(1 / 50)
        check(game, batch)
    assert table_of(batch)._clock.now > 2**53


def test_added_and_removed_rows_draw_their_clips(make: Make) -> None:
    game = make()
    batch = game.add(fw.SpriteBatch(CLIPS, 12, smooth_edges=False))
    batch.position[:] = grid_positions(12)
    batch.play("walk", slice(0, 12, 2))
    game.advance(0.2)
    check(game, batch)
    batch.remove([0, 3, 4])
    batch[2].remove()
    batch.extend(3, 9, position=grid_positions(15)[12:])
    check(game, batch)
    game.advance(0.2)
    batch.play("quick", slice(8, 11))
    check(game, batch)
    image = batch.images.add(solid(8, 8, (SHADES[6], 0, 0, 255)))  # the atlas gets more regions
    batch.image[1] = image
    batch.stop(1)
    batch.image[1] = image
    game.advance(0.05)
    expected = batch.shown_images(game.timestep.alpha)
    expected[expected == image] = 6
    assert drawn_images(game, batch) == expected.tolist()
    snapshot = game.snapshot()
    game.advance(0.3)
    game.restore(snapshot)
    assert drawn_images(game, batch) == expected.tolist()


def test_a_tick_that_changes_no_clip_uploads_nothing(make: Make) -> None:
    game = make()
    batch = game.add(fw.SpriteBatch(CLIPS, 500))
    batch.play("walk", skip=np.linspace(0, 1, 500))
    batch.play("hit", slice(0, 250))
    for _ in range(3):
        game.advance(1 / 60)
    before = drawing(batch).uploaded_bytes
    for _ in range(20):
        batch.play("walk", slice(250, None))  # the clips that these rows play already
        game.advance(1 / 60)
    assert batch.playing("hit").tolist() == [*range(250)]
    assert (
        drawing(batch).uploaded_bytes == before
    )  # clips that have ended stay on their last frame without an upload


def test_play_uploads_only_its_rows(make: Make) -> None:
    game = make()
    batch = game.add(fw.SpriteBatch(CLIPS, 1000))
    batch.play("walk")
    game.advance(1 / 60)
    for rows, count in ((7, 1), (slice(100, 130), 30), ([5, 6, 900], 3)):
        before = drawing(batch).uploaded_bytes
        batch.play("long" if count > 1 else "quick", rows)
        game.advance(1 / 60)
        assert drawing(batch).uploaded_bytes - before == 20 * count


def test_node_sprites_play_clips(make: Make) -> None:
    game = make()
    nodes = fw.Nodes2D()
    batch = game.add(fw.NodeSprites(CLIPS, nodes, smooth_edges=False))
    for position in grid_positions(3):
        batch.show(nodes.add(position=tuple(position)))
    batch.play("walk", [0, 2])
    for _ in range(12):
        game.advance(1 / 40)
        pixels = game.pixels()
        drawn = [SHADES.index(int(pixels[99 - y, x, 0])) for x, y in grid_positions(3).tolist()]
        assert drawn == batch.shown_images(game.timestep.alpha).tolist()
    assert drawn[0] != drawn[1]


@pytest.mark.filterwarnings("ignore:advance:RuntimeWarning")  # this frame is longer than the limit
def test_a_custom_shader_draws_clips(make: Make) -> None:
    game = make()
    glsl = '#include "sprite.glsl"\nvoid main() { color = sprite_color().grba; }'
    batch = game.add(fw.SpriteBatch(CLIPS, 1, smooth_edges=False, shader=glsl))
    batch.position[:] = 10, 10
    batch.play("walk")
    game.advance(0.5)
    assert game.pixels()[89, 10, 1] == SHADES[batch.shown_images(game.timestep.alpha)[0]] > 20


def test_frames_of_different_sizes_are_drawn_at_their_anchors(make: Make) -> None:
    sheet = np.zeros((8, 24, 4), np.uint8)
    sheet[:, :8], sheet[:, 8:16], sheet[:4, 16:] = (
        (200, 0, 0, 255),
        (0, 200, 0, 255),
        (0, 0, 200, 255),
    )
    regions = [*fw.sheet(sheet, (8, 8), columns=2), fw.Region(sheet, (16, 0, 8, 4), anchor=(0, 0))]
    game = make(tick_rate=10)
    batch = game.add(fw.SpriteBatch(fw.Clips(regions, it=(0, 3, 10)), 1, smooth_edges=False))
    batch.position[:] = 100, 50
    batch.play("it")
    boxes = []
    for _ in range(3):
        game.advance(0.1)
        pixels = game.pixels()
        channel = int(pixels[..., :3].sum(axis=(0, 1)).argmax())
        rows, columns = np.nonzero(pixels[..., channel] == 200)
        boxes.append((channel, columns.min(), columns.max(), rows.min(), rows.max()))
    assert boxes == [(0, 96, 103, 46, 53), (1, 96, 103, 46, 53), (2, 100, 107, 46, 49)]


@pytest.mark.parametrize("scale", [0.3, (0.3, 1)])
def test_scaled_down_clips_draw_the_same_images(make: Make, scale: Any) -> None:
    game = make()
    images = [solid(32, 32, (shade, 0, 0, 255)) for shade in SHADES[:4]]
    batch = game.add(fw.SpriteBatch(fw.Clips(images, it=(0, 4, 10)), 1))
    batch.position[:] = (100, 50)
    batch.scale[:] = scale
    batch.play("it")
    for _ in range(8):
        game.advance(1 / 15)
        assert (
            abs(int(game.pixels()[49, 100, 0]) - SHADES[batch.shown_images(game.timestep.alpha)[0]])
            <= 1
        )


def test_clips_pass_a_sync_test() -> None:
    report = fw.sync_test(Crowd, ticks=60)
    assert report.ok, report.difference


def test_clips_need_few_calls_more_than_plain_sprites(make: Make) -> None:
    def steps(images: Any) -> int:
        """Return the number of function calls in a tick and its frame.

        The count does not depend on the machine's speed, and arrays count as one call.
        """
        game = make()
        batch = game.add(fw.SpriteBatch(images, 1000))
        if batch.clips.names:
            batch.play("walk", skip=np.linspace(0, 1, 1000))
        for _ in range(5):
            game.advance(1 / 60)
        count = 0

        def profile(frame: Any, event: str, argument: Any) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        before = sys.getprofile()
        gc.disable()
        sys.setprofile(profile)
        try:
            game.advance(1 / 60)
        finally:
            sys.setprofile(before)
            gc.enable()
        return count

    assert steps(CLIPS) - steps(IMAGES) <= 6


def batch_in_row(game: Any, row: int, **options: Any) -> fw.SpriteBatch:
    """Add ten sprites in a row of the screen, in the middle of a clip."""
    batch: fw.SpriteBatch = game.add(fw.SpriteBatch(CLIPS, 10, smooth_edges=False, **options))
    batch.position[:] = grid_positions(100)[10 * row : 10 * row + 10]
    batch.play("walk", skip=np.linspace(0, 0.6, 10))
    return batch


def test_batches_draw_their_own_clip_times(make: Make) -> None:
    game = make(frame_rate=144)
    slow = game.schedule.group(0.3)
    batches = [
        batch_in_row(game, 0),
        batch_in_row(game, 1, filter="nearest"),
        batch_in_row(game, 2),
    ]
    batches[1].clips.group = slow

    def check_all() -> None:
        for _ in range(3):
            game.advance(0.013)
            for batch in batches:
                check(game, batch)

    check_all()
    batches.append(batch_in_row(game, 3))  # later than the other batches
    check_all()
    snapshot = game.snapshot()
    game.remove(batches.pop(0))  # the clip time of this batch was the reference of the others
    check_all()
    slow.time_scale = 2
    check_all()
    game.timestep.paused = True
    batches[0].play("quick")
    check_all()
    game.timestep.paused = False
    game.restore(snapshot)
    check_all()
    for batch in batches:
        game.remove(batch)
    batches[:] = [batch_in_row(game, 4), batch_in_row(game, 3)]
    check_all()


def test_a_covered_scene_keeps_its_clip_time(make: Make) -> None:
    game = make(frame_rate=144)
    below = batch_in_row(game, 0)
    game.advance(0.1)
    scene = fw.Scene()
    scene.opaque = False
    game.push(scene)
    game.advance(0.02)
    above = batch_in_row(scene, 1)
    for _ in range(5):
        game.advance(0.03)
        check(game, below)
        check(game, above)
    game.pop()
    game.advance(0.05)
    check(game, below)


def test_playing_batches_write_no_uniforms(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    game = make()
    for row in range(3):
        batch_in_row(game, row)
    game.advance(1 / 60)
    written = []
    monkeypatch.setattr(
        "_moderngl.Uniform.write", lambda uniform, data: written.append(uniform.name)
    )
    for _ in range(20):
        game.advance(1 / 60)
    assert not written


def test_clips_with_normal_maps_build_no_new_tables(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make()
    lights = game.add(fw.Lights2D(ambient=(1, 1, 1)))
    lights.add((50, 50), (1, 1, 1), 60, height=20)
    lights.add_normals(batch_in_row(game, 0), [solid(8, 8, (128, 128, 255, 255))] * len(IMAGES))
    game.advance(1 / 60)
    tables = []
    real = Atlas.table_of
    monkeypatch.setattr(
        Atlas, "table_of", lambda atlas, regions: tables.append(atlas) or real(atlas, regions)
    )
    for _ in range(5):
        game.advance(1 / 60)
    assert not tables
