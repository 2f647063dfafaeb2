"""Snapshots contain few of the framework's own objects, each once, and share unchanged ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pictures import solid

import framework as fw
from framework.record.snapshots import saves_of


class Drifting(fw.Game):
    def setup(self) -> None:
        self.batch = self.add(fw.SpriteBatch(solid(4, 4), count=3))


@pytest.fixture
def game() -> Iterator[Any]:
    with Drifting(size=(64, 64), drawing=False) as game:
        game.run_ticks(2)
        yield game


def test_a_snapshot_saves_few_objects_and_none_twice(game: Any) -> None:
    saves = saves_of(game.snapshot())
    assert (
        len({id(saved) for _, saved, _ in saves}) >= len(saves) - 1
    )  # a table and its attributes are one object
    assert len(saves) <= 18  # 30 if each part were saved on its own


def test_snapshots_share_unchanged_objects(game: Any) -> None:
    first = {id(saved): held for _, saved, held in saves_of(game.snapshot())}
    second = {id(saved): held for _, saved, held in saves_of(game.snapshot())}
    for saved in (game.keys, game.mouse, game._backend.drawables):
        assert first[id(saved)] is second[id(saved)]


def drawable_lists(drawables: Any) -> tuple[Any, ...]:
    lists = (
        drawables.drawn,
        drawables._layers,
        drawables._over,
        drawables.with_own_camera,
        drawables.cameras,
        drawables._own_cameras,
    )
    return tuple(map(tuple, lists))


def test_snapshots_restore_the_list_of_drawables(game: Any) -> None:
    drawables = game._backend.drawables
    behind, front, over = (fw.SpriteBatch(solid(4, 4), count=1) for _ in range(3))
    steps = [
        lambda: game.add(behind, layer=-1),
        lambda: game.add(front, layer=2),
        lambda: game.hud,
        lambda: game.add(over, layer=behind),
        lambda: game.remove(behind),
        lambda: game.remove(front),
    ]
    taken = []
    for step in steps:
        taken.append((game.snapshot(), drawable_lists(drawables)))
        step()
        assert drawables.capture()[:-1] == drawable_lists(drawables)
        parts = drawables.parts_of(drawables.capture())
        assert all(any(part is drawable for part in parts) for drawable, _ in drawables.drawn)
        assert all(any(part is camera for part in parts) for camera in drawables.cameras)
    for snapshot, lists in [*reversed(taken), *taken]:
        game.restore(snapshot)
        assert drawable_lists(drawables) == lists
        assert drawables._backend.keys() == {id(drawable) for drawable, _ in drawables.drawn}


def test_colors_time_and_random_numbers_are_restored(game: Any) -> None:
    game.background = "#123"
    game.picture.letterbox_color = "#456"
    saved = game.snapshot()
    random = game.random
    was = (
        game.background,
        game.picture.letterbox_color,
        game.tick,
        game.timestep.time,
        random.random(),
    )
    game.background = "#fff"
    game.picture.letterbox_color = "#000"
    game.run_ticks(3)
    game.restore(saved)
    assert game.random is random
    assert (
        game.background,
        game.picture.letterbox_color,
        game.tick,
        game.timestep.time,
        random.random(),
    ) == was


def test_a_game_may_use_the_names_of_internal_attributes() -> None:
    class Chess(fw.Game):
        def setup(self) -> None:
            self.captures = [1]
            self.parts_of = {"white": 2}
            self.captured = 3

    with Chess(drawing=False) as game:
        saved = game.snapshot()
        game.captures.append(2)
        game.parts_of = {}
        game.captured = 4
        game.restore(saved)
        assert (game.captures, game.parts_of, game.captured) == ([1], {"white": 2}, 3)
