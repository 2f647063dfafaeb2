"""What a snapshot looks at of the framework's own parts: little, each once, and again as soon as it
has changed.
"""

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


def test_few_things_are_written_down_and_none_of_them_twice(game: Any) -> None:
    saves = saves_of(game.snapshot())
    assert len({id(thing) for _, thing, _ in saves}) >= len(saves) - 1  # a table and its attributes
    assert len(saves) <= 18  # with each part looked through by itself there were 30


def test_a_snapshot_shares_what_has_not_changed_since_the_last_one(game: Any) -> None:
    first = {id(thing): held for _, thing, held in saves_of(game.snapshot())}
    second = {id(thing): held for _, thing, held in saves_of(game.snapshot())}
    for thing in (game.keys, game.mouse, game._backend.drawables):
        assert first[id(thing)] is second[id(thing)]


def listed(drawables: Any) -> tuple[Any, ...]:
    lists = (
        drawables.drawn,
        drawables._layers,
        drawables._over,
        drawables.with_own_camera,
        drawables.cameras,
        drawables._own_cameras,
    )
    return tuple(map(tuple, lists))


def test_whatever_changes_what_is_drawn_is_in_the_next_snapshot_and_goes_back(game: Any) -> None:
    drawables = game._backend.drawables
    other, far, over = (fw.SpriteBatch(solid(4, 4), count=1) for _ in range(3))
    steps = [
        lambda: game.add(other, layer=-1),
        lambda: game.add(far, layer=2),
        lambda: game.hud,
        lambda: game.add(over, layer=other),
        lambda: game.remove(other),
        lambda: game.remove(far),
    ]
    taken = []
    for step in steps:
        taken.append((game.snapshot(), listed(drawables)))
        step()
        assert drawables.capture()[:-1] == listed(drawables)
        held = drawables.parts_of(drawables.capture())
        assert all(any(part is drawable for part in held) for drawable, _ in drawables.drawn)
        assert all(any(part is camera for part in held) for camera in drawables.cameras)
    for snapshot, was in [*reversed(taken), *taken]:
        game.restore(snapshot)
        assert listed(drawables) == was
        assert drawables._backend.keys() == {id(drawable) for drawable, _ in drawables.drawn}


def test_colours_time_and_random_numbers_go_back(game: Any) -> None:
    game.background, game.picture.letterbox_color = "#123", "#456"
    saved, random = game.snapshot(), game.random
    was = (
        game.background,
        game.picture.letterbox_color,
        game.tick,
        game.timestep.time,
        random.random(),
    )
    game.background, game.picture.letterbox_color = "#fff", "#000"
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


def test_attributes_of_a_game_with_the_names_of_ours_are_its_own() -> None:
    class Chess(fw.Game):
        def setup(self) -> None:
            self.captures, self.parts_of, self.captured = [1], {"white": 2}, 3

    with Chess(drawing=False) as game:
        saved = game.snapshot()
        game.captures.append(2)
        game.parts_of, game.captured = {}, 4
        game.restore(saved)
        assert (game.captures, game.parts_of, game.captured) == ([1], {"white": 2}, 3)
