"""What the shader shows of clips: in every frame the very image that the CPU says, and nothing is
uploaded for it.
"""

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


def places(count: int) -> np.ndarray:
    return np.column_stack([10 + 20 * (np.arange(count) % 10), 10 + 20 * (np.arange(count) // 10)])


def seen(game: Any, batch: fw.SpriteBatch) -> list[int]:
    """The numbers of the images that are in the picture, sprite by sprite."""
    game.advance(0)
    pixels = game.pixels()
    return [SHADES.index(int(pixels[99 - y, x, 0])) for x, y in batch.position.astype(int).tolist()]


def check(game: Any, batch: fw.SpriteBatch) -> None:
    assert seen(game, batch) == batch.shown_images(game.timestep.alpha).tolist()
    assert [
        table_of(batch).shown_image(row) for row in range(len(batch))
    ] == batch.shown_images().tolist()


class Crowd(fw.Game):
    def setup(self) -> None:
        self.crowd = self.add(fw.SpriteBatch(CLIPS, 50, smooth_edges=False, y_sort=self.sorted))
        self.crowd.position[:] = places(50)
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
            self.crowd.pace(self.random.uniform(0, 5, 50))
        if self.tick % 13 == 0:
            self.crowd.stop(rows)
        if self.sorted:  # which puts them into another order of drawing each time
            self.crowd.position[:] = self.random.permutation(places(50))
            self.crowd.teleport(slice(None))


class Sorted(Crowd):
    sorted = True


@pytest.mark.parametrize("game_class", [Crowd, Sorted])
def test_the_shader_shows_what_the_cpu_says(make: Make, game_class: type[fw.Game]) -> None:
    game = make(game_class, frame_rate=144)
    random = np.random.default_rng(4)
    for _ in range(120):
        game.advance(float(random.uniform(0, 0.03)))
        check(game, game.crowd)
    assert game.tick > 80
    assert len({*table_of(game.crowd).column("clip").data[:50].tolist()}) > 3


def test_after_days_too(make: Make) -> None:
    game = make()
    batch = game.add(fw.SpriteBatch(CLIPS, 30, smooth_edges=False))
    batch.position[:] = places(30)
    for row, name in enumerate(CLIPS):
        batch.play(name, slice(6 * row, 6 * row + 6), speed=[1, 0.5, 2, 0.77, 3.1, 1.9], skip=0.1)
    for hours in (
        1,
        7,
        24,
        24 * 365,
        24 * 365 * 20,
    ):  # the time has more than 32 bits, and then more than 53
        table_of(batch)._clock.advance(3600 * hours)
        game.advance(1 / 50)
        check(game, batch)
    assert table_of(batch)._clock.now > 2**53


def test_rows_that_come_and_go_show_their_own(make: Make) -> None:
    game = make()
    batch = game.add(fw.SpriteBatch(CLIPS, 12, smooth_edges=False))
    batch.position[:] = places(12)
    batch.play("walk", slice(0, 12, 2))
    game.advance(0.2)
    check(game, batch)
    batch.remove([0, 3, 4])
    batch[2].remove()
    batch.extend(3, 9, position=places(15)[12:])
    check(game, batch)
    game.advance(0.2)
    batch.play("quick", slice(8, 11))
    check(game, batch)
    number = batch.images.add(
        solid(8, 8, (SHADES[6], 0, 0, 255))
    )  # the atlas has more regions than before
    batch.image[1] = number
    batch.stop(1)
    batch.image[1] = number
    game.advance(0.05)
    shown = batch.shown_images(game.timestep.alpha)
    shown[shown == number] = 6
    assert seen(game, batch) == shown.tolist()
    snapshot = game.snapshot()
    game.advance(0.3)
    game.restore(snapshot)
    assert seen(game, batch) == shown.tolist()


def test_a_tick_that_changes_no_clip_uploads_nothing(make: Make) -> None:
    game = make()
    batch = game.add(fw.SpriteBatch(CLIPS, 500))
    batch.play("walk", skip=np.linspace(0, 1, 500))
    batch.play("hit", slice(0, 250))
    for _ in range(3):
        game.advance(1 / 60)
    before = drawing(batch).uploaded_bytes
    for _ in range(20):
        batch.play("walk", slice(250, None))  # what they do already
        game.advance(1 / 60)
    assert batch.playing("hit").tolist() == [*range(250)]
    assert (
        drawing(batch).uploaded_bytes == before
    )  # also where clips have ended: their last frame stays by itself


def test_what_is_played_is_uploaded_for_those_rows_alone(make: Make) -> None:
    game = make()
    batch = game.add(fw.SpriteBatch(CLIPS, 1000))
    batch.play("walk")
    game.advance(1 / 60)
    for rows, count in ((7, 1), (slice(100, 130), 30), ([5, 6, 900], 3)):
        before = drawing(batch).uploaded_bytes
        batch.play("long" if count > 1 else "quick", rows)
        game.advance(1 / 60)
        assert drawing(batch).uploaded_bytes - before == 20 * count


def test_sprites_at_nodes_play_clips(make: Make) -> None:
    game = make()
    nodes = fw.Nodes2D()
    batch = game.add(fw.NodeSprites(CLIPS, nodes, smooth_edges=False))
    for place in places(3):
        batch.show(nodes.add(position=tuple(place)))
    batch.play("walk", [0, 2])
    for _ in range(12):
        game.advance(1 / 40)
        pixels = game.pixels()
        found = [SHADES.index(int(pixels[99 - y, x, 0])) for x, y in places(3).tolist()]
        assert found == batch.shown_images(game.timestep.alpha).tolist()
    assert found[0] != found[1]


@pytest.mark.filterwarnings("ignore:advance:RuntimeWarning")  # a long frame drops time
def test_a_shader_of_the_games_own_draws_clips(make: Make) -> None:
    game = make()
    glsl = '#include "sprite.glsl"\nvoid main() { color = sprite_color().grba; }'
    batch = game.add(fw.SpriteBatch(CLIPS, 1, smooth_edges=False, shader=glsl))
    batch.position[:] = 10, 10
    batch.play("walk")
    game.advance(0.5)
    assert game.pixels()[89, 10, 1] == SHADES[batch.shown_images(game.timestep.alpha)[0]] > 20


def test_frames_of_sheets_and_of_all_sizes_are_drawn_at_their_anchors(make: Make) -> None:
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
def test_clips_that_are_drawn_small_are_the_same_images(make: Make, scale: Any) -> None:
    game = make()
    images = [solid(32, 32, (shade, 0, 0, 255)) for shade in SHADES[:4]]
    batch = game.add(fw.SpriteBatch(fw.Clips(images, it=(0, 4, 10)), 1))
    batch.position[:], batch.scale[:] = (100, 50), scale
    batch.play("it")
    for _ in range(8):
        game.advance(1 / 15)
        assert (
            abs(int(game.pixels()[49, 100, 0]) - SHADES[batch.shown_images(game.timestep.alpha)[0]])
            <= 1
        )


def test_two_runs_of_every_tick_are_the_same() -> None:
    report = fw.sync_test(Crowd, ticks=60)
    assert report.ok, report.difference


def test_a_tick_of_clips_does_hardly_more_than_one_of_plain_sprites(make: Make) -> None:
    def steps(images: Any) -> int:
        """Calls of Python's own functions in a tick and its frame, whatever they cost; arrays are
        not gone through.
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


def rows_of(game: Any, row: int, **options: Any) -> fw.SpriteBatch:
    """Ten sprites in a row of their own, in the midst of a clip."""
    batch: fw.SpriteBatch = game.add(fw.SpriteBatch(CLIPS, 10, smooth_edges=False, **options))
    batch.position[:] = places(100)[10 * row : 10 * row + 10]
    batch.play("walk", skip=np.linspace(0, 0.6, 10))
    return batch


def test_batches_whose_times_are_others_show_their_own(make: Make) -> None:
    game = make(frame_rate=144)
    slow = game.schedule.group(0.3)
    batches = [rows_of(game, 0), rows_of(game, 1, filter="nearest"), rows_of(game, 2)]
    batches[1].clips.group = slow

    def check_all() -> None:
        for _ in range(3):
            game.advance(0.013)
            for batch in batches:
                check(game, batch)

    check_all()
    batches.append(rows_of(game, 3))  # later than the others
    check_all()
    snapshot = game.snapshot()
    game.remove(batches.pop(0))  # by whose time the others were told
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
    batches[:] = [rows_of(game, 4), rows_of(game, 3)]
    check_all()


def test_a_scene_that_stands_still_under_another_shows_its_own_time(make: Make) -> None:
    game = make(frame_rate=144)
    below = rows_of(game, 0)
    game.advance(0.1)
    scene = fw.Scene()
    scene.opaque = False
    game.push(scene)
    game.advance(0.02)
    above = rows_of(scene, 1)
    for _ in range(5):
        game.advance(0.03)
        check(game, below)
        check(game, above)
    game.pop()
    game.advance(0.05)
    check(game, below)


def test_frames_write_the_time_once_for_all_that_play(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make()
    for row in range(3):
        rows_of(game, row)
    game.advance(1 / 60)
    written = []
    monkeypatch.setattr(
        "_moderngl.Uniform.write", lambda uniform, data: written.append(uniform.name)
    )
    for _ in range(20):
        game.advance(1 / 60)
    assert not written


def test_what_plays_in_front_of_lamps_keeps_its_regions(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make()
    lights = game.add(fw.Lights2D(ambient=(1, 1, 1)))
    lights.add((50, 50), (1, 1, 1), 60, height=20)
    lights.add_normals(rows_of(game, 0), [solid(8, 8, (128, 128, 255, 255))] * len(IMAGES))
    game.advance(1 / 60)
    made = []
    real = Atlas.table_of
    monkeypatch.setattr(
        Atlas, "table_of", lambda atlas, regions: made.append(atlas) or real(atlas, regions)
    )
    for _ in range(5):
        game.advance(1 / 60)
    assert not made
