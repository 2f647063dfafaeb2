"""Images that a thread decodes: their first frame, ticks that wait for them, and broken files."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from drawings import drawing
from PIL import Image

import framework as fw
from framework.assets import background_loading
from framework.assets.background_loading import BackgroundImage, Worker
from framework.gpu import late_images


@pytest.fixture
def image_paths(tmp_path: Path) -> list[str]:
    """Return the paths of a red image and of a larger green image."""
    paths = []
    for name, color, size in (("red", (255, 0, 0), (8, 8)), ("green", (0, 255, 0), (16, 32))):
        paths.append(str(tmp_path / f"{name}.png"))
        Image.new("RGB", size, color).save(paths[-1])
    return paths


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Return an event that decoding waits for."""
    gate = Event()
    load = background_loading.load

    def slow(*arguments: Any) -> Any:
        assert gate.wait(20)
        return load(*arguments)

    monkeypatch.setattr(background_loading, "load", slow)
    return gate


def colors_at(game: fw.Game) -> list[list[int]]:
    game.advance(0)
    return [game.pixels()[32, x, :3].tolist() for x in (16, 48)]


def test_a_batch_has_sizes_at_once_and_draws_images_later(
    image_paths: list[str], gate: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A quarter of the larger image.
    monkeypatch.setattr(late_images, "MAX_BYTES_PER_FRAME", 16 * 8 * 4)
    with fw.Game(size=(64, 64), headless=True, background=(0, 0, 0)) as game:
        loading = game.load_images([image_paths[0], fw.Region(image_paths[1], (0, 0, 16, 32))])
        for image in loading.images:
            assert isinstance(image, BackgroundImage)
            image.patient = False  # like an image in a game with a window
        batch = game.add(fw.SpriteBatch(loading.images, 2))
        batch.position = [(16, 32), (48, 32)]
        batch.image = [0, 1]
        assert batch.images.size(1) == (16, 32)
        before = game.state_hash()
        assert colors_at(game) == [[0, 0, 0], [0, 0, 0]]
        assert loading.progress == 0
        gate.set()
        loading.wait()
        gpu: Any = drawing(batch)
        for job, _ in gpu.atlas.late_images._pending.values():
            job.exception()
        frames = [colors_at(game) for _ in range(12)]
        assert frames[0] == [[255, 0, 0], [0, 0, 0]]
        assert frames[-1] == [[255, 0, 0], [0, 255, 0]]
        assert game.state_hash() == before
        assert loading.progress == 1
        batch.scale = 0.5  # the mipmaps are also uploaded
        batch.teleport(slice(None))
        assert colors_at(game) == frames[-1]
    with fw.Game(drawing=False) as game:
        loading = game.load_images(image_paths)
        batch = game.add(fw.SpriteBatch(loading.images, 2))
        assert batch.images.size(1) == (16, 32)
        assert all(isinstance(image, str) for image in loading.images)


def test_headless_frames_wait_for_images(image_paths: list[str]) -> None:
    with fw.Game(size=(64, 64), headless=True, background=(0, 0, 0)) as game:
        red, green = game.load_images(image_paths).images
        game.add(fw.SpriteBatch(fw.Region(red, (0, 0, 4, 4)), 1)).position = 16, 32
        game.add(fw.Polygons(green)).add_box((48, 32), (10, 10))
        assert colors_at(game) == [[255, 0, 0], [0, 255, 0]]


def test_a_routine_continues_at_the_same_tick_at_any_loading_time(
    image_paths: list[str], gate: Event
) -> None:
    with fw.Game(headless=True, tick_rate=10) as game:
        loading = game.load_images(image_paths)
        progress = []

        async def wait() -> None:
            await loading.within(0.5)
            progress.append(loading.progress)

        game.start(wait())
        game.run_ticks(4)
        assert not progress
        gate.set()
        game.run_ticks(1)
        assert progress == [1.0]


def test_missing_files_fail_at_once_and_broken_ones_after_decoding(
    image_paths: list[str], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.png"
    noise = np.random.default_rng(1).integers(0, 255, (64, 64, 3), np.uint8)
    Image.fromarray(noise).save(broken)
    broken.write_bytes(broken.read_bytes()[:3000])
    with fw.Game(size=(64, 64), headless=True) as game:
        with pytest.raises(fw.AssetError, match=r"mising\.png"):
            game.load_images([image_paths[0], "mising.png"])
        with pytest.raises(TypeError, match="sources"):
            game.load_images("red.png")  # type: ignore[arg-type]
        loading = game.load_images([str(broken), image_paths[0]])
        with pytest.raises(fw.AssetError, match=r"broken\.png"):
            loading.wait()
        with pytest.raises(fw.AssetError, match=r"broken\.png"):
            game.add(fw.SpriteBatch(loading.images, 1))


def test_jobs_run_in_order_in_a_thread() -> None:
    worker = Worker()
    done = []
    jobs = [worker.submit(lambda number=number: done.append(number)) for number in range(20)]
    failing = worker.submit(lambda: 1 / 0)
    for job in jobs:
        job.exception()
    with pytest.raises(ZeroDivisionError):
        failing.result()
    assert done == list(range(20))
    assert worker.submit(lambda: 7).result() == 7


def test_a_result_of_an_image_does_not_wait_for_the_next_image(
    image_paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gates = {path: Event() for path in image_paths}
    load = background_loading.load

    def slow(source: Any, *more: Any) -> Any:
        assert gates[source].wait(20)
        return load(source, *more)

    monkeypatch.setattr(background_loading, "load", slow)
    with fw.Game(drawing=True, headless=True) as game:
        first, second = game.load_images(image_paths).images
        assert isinstance(first, BackgroundImage)
        assert isinstance(second, BackgroundImage)
        second_shape = second.then(lambda pixels: pixels.shape)
        first_shape = first.then(lambda pixels: pixels.shape)
        gates[image_paths[0]].set()
        assert first_shape.result(20) == (8, 8, 4)
        assert not second_shape.done()
        gates[image_paths[1]].set()
        assert second_shape.result(20) == (32, 16, 4)


def test_the_loading_scene_ends_when_all_images_are_loaded(image_paths: list[str]) -> None:
    sizes: list[tuple[int, ...]] = []
    for is_drawing in (True, False):
        with fw.Game(headless=True, drawing=is_drawing) as game:
            pending_images = game.load_images(image_paths)
            loading = fw.scenes.Loading(pending_images, lambda pixels: sizes.append(pixels.shape))
            game.push(loading)
            loading._parts[-1].result()
            game.run_ticks(4)
            assert game.scene is game
    assert sizes == [(8, 8, 4), (32, 16, 4)] * 2
