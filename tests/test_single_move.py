"""`collide.move` of one body has the same bits as `collide.move` of columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import framework as fw
from framework import collide
from framework.geometry import move_and_slide


class ComparedMove:
    """Calls `collide.move` for one body and for columns, and compares the results."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch
        self.move_one = move_and_slide.move_one
        self.singles = 0
        """The number of calls without arrays."""

    def move(self, *arguments: Any, **options: Any) -> Any:
        def counted(*values: Any) -> Any:
            result = self.move_one(*values)
            self.singles += result is not None
            return result

        with self.patch.context() as patch:
            patch.setattr(move_and_slide, "move_one", lambda *values: None)
            expected = collide.move(*arguments, **options)
            patch.setattr(move_and_slide, "move_one", counted)
            moved = collide.move(*arguments, **options)
        for first, second in zip((moved[0], *moved[1]), (expected[0], *expected[1]), strict=True):
            assert first.dtype == second.dtype
            assert first.shape == second.shape
            assert first.tobytes() == second.tobytes(), (arguments, options)
        return moved


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> ComparedMove:
    return ComparedMove(monkeypatch)


def grid_of(random: np.random.Generator, number: int) -> collide.TileGrid:
    shape = tuple(random.integers(1, 12, 2))
    solid = random.random(shape) < (0.2, 0.2, 0.7)[number % 3]  # sometimes, bodies are inside walls
    return collide.TileGrid(
        solid,
        (16, (16, 8), (7.3, 5.1), 1, (0.1, 0.1))[number % 5],
        ((0, 0), (-3.7, 11.2), (0, 0), (5, 5))[number % 4],
        one_way=(random.random(shape) < 0.2) & ~solid if number % 2 else None,
    )


def test_one_body_moves_to_the_same_bits_as_in_columns(compared: ComparedMove) -> None:
    random = np.random.default_rng(1)
    stopped = 0
    for number in range(300):
        grid = grid_of(random, number)
        tile = np.array(grid.tile_size)
        extent = np.array(grid.solid.shape[::-1]) * tile
        position = grid.position + random.uniform(-0.2, 1.2, 2) * extent
        displacement = random.normal(size=2) * tile * (0.1, 1, 5)[number % 3]
        size = random.uniform(0.1, 1.5, 2) * tile
        if number % 4 == 0:  # edges that touch exactly
            position = grid.position + np.round((position - grid.position) / tile * 2) / 2 * tile
            displacement = np.round(displacement)
            size = tile.copy()
        if number % 7 == 0:
            displacement[number % 2] = 0.0
        solids: list[Any] = [grid] if number % 6 else []
        if number % 3 == 0:
            n = int(random.integers(0, 6))
            middle = grid.position + random.random((n, 2)) * extent
            one_way = random.random(n) < 0.3
            half = tile * random.uniform(0.3, 2, (n, 2))
            solids.append(collide.Boxes(middle, half, one_way=one_way))
        if number % 9 == 0:  # moving boxes, far from the body or near
            start = position + [[(0.5 if number % 2 else 50.0) * tile[0], 0]]
            solids.append(collide.Boxes(start, tile, tile * [[0.4, 0.1]]))
        body = np.array([position], (np.float32, np.float64)[number % 2])
        for _ in range(3):
            body, flags = compared.move(
                body,
                tuple(size.tolist()),
                [displacement.tolist()],
                *solids,
                step=(0.0, 0.0, float(tile[1]) / 3)[number % 3],
                through=(None, True, False, np.array([True]))[number % 4],
            )
            stopped += int(flags.on_floor[0]) + int(flags.on_wall[0])
    assert compared.singles > 600
    assert stopped > 150


def test_every_form_of_the_arguments_of_one_body_has_the_same_result(
    compared: ComparedMove,
) -> None:
    grid = collide.TileGrid(np.array([[False, False], [True, True]]), 16)
    expected = collide.move(np.array([[16.0, 23.0]]), (8, 12), (3, -5), grid)[0]
    spellings: list[Any] = [[(16, 23)], ([16.0, 23.0],), [np.array([16.0, 23.0])]]
    for spelling in spellings:
        for size in ((8, 12), [8.0, 12], np.array([[8, 12]], np.float32)):
            moved, _ = compared.move(spelling, size, [(3, -5)], grid)
            assert moved.tolist() == expected.tolist()
    assert compared.singles == 9
    single, _ = compared.move([np.array([16, 23], np.float32)], (8, 12), (3, -5), grid)
    assert single.dtype == np.float32


def test_slopes_stairs_and_lifts_are_left_to_columns(compared: ComparedMove) -> None:
    floor = np.zeros((4, 6), bool)
    floor[3] = True
    slopes = np.zeros((4, 6, 2))
    slopes[2, 4] = 0, 1
    slope = collide.TileGrid(floor, 16, slopes=slopes)
    compared.move([(60, 22)], (8, 12), (6, -2), slope)
    compared.move([(8, 10)], (13, 13), (2, -1), collide.TileGrid(np.ones((30, 30), bool), 1))
    stair = floor.copy()
    stair[2, 4] = True
    compared.move([(56, 22)], (8, 12), (9, -2), collide.TileGrid(stair, 16), step=16)
    lift = collide.Boxes([(56, 8)], (16, 16), [(0, 2)])
    compared.move([(56, 20)], (8, 12), (1, -1), lift)
    assert compared.singles == 0
    compared.move([(40, 22)], (8, 12), (9, -2), collide.TileGrid(stair, 16), step=16)
    assert compared.singles == 1


@pytest.mark.parametrize(
    ("position", "size", "displacement"),
    [
        ([(np.nan, 0)], (8, 8), (0, 0)),
        ([(0, 0)], (8, np.inf), (0, 0)),
        ([(0, 0)], (-8, 8), (0, 0)),
        ([(0, 0)], (8, 8), (0, np.nan)),
        ([(0, 0)], (8, 8), (0, "1")),
        ((0, np.nan), (8, 8), (0, 0)),
        ([(0, True)], (8, 8, 8), (0, 0)),
    ],
)
def test_wrong_numbers_of_one_body_are_refused(position: Any, size: Any, displacement: Any) -> None:
    grid = collide.TileGrid(np.zeros((2, 2), bool), 16)
    with pytest.raises((TypeError, ValueError), match=r"position|size|displacement"):
        collide.move(position, size, displacement, grid)


def test_a_long_way_and_far_coordinates_end_the_same(compared: ComparedMove) -> None:
    grid = collide.TileGrid(np.eye(8, dtype=bool), 16)
    for position, displacement in (
        ((64.5, 130.5), (0, -1e5)),
        ((-4000, 64), (9000, 0)),
        ((1e15, 64), (-3, 1)),
        ((1e31, 64), (-3, 1)),
        ((20.0, 20.0), (0.0, 0.0)),
        ((20.0, 20.0), (-0.0, -0.0)),
    ):
        compared.move([position], (8, 8), displacement, grid)
        compared.move(np.array([position], np.float32), (8, 8), displacement, grid)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_moving_boxes_without_rows_stop_no_bodies(compared: ComparedMove, count: int) -> None:
    boxes = collide.Boxes(np.empty((0, 2)), (4, 4), np.empty((0, 2)))
    starts = 50.0 * np.ones((count, 2)) * np.arange(count)[:, None]
    position, contacts = compared.move(starts, (4, 4), np.ones((count, 2)), boxes)
    assert position.tolist() == (starts + 1).tolist()
    assert not contacts.on_floor.any()


@pytest.mark.parametrize("name", ["position", "displacement"])
def test_a_column_of_two_numbers_is_not_a_point(name: str) -> None:
    values = {"position": np.ones((1, 2)), "displacement": np.ones((1, 2))}
    values[name] = np.ones((2, 1))
    grid = collide.TileGrid(np.zeros((4, 4), bool), 16)
    with pytest.raises(ValueError, match=rf"{name}: expected finite numbers of shape .*\(2, 1\)"):
        collide.move(values["position"], (2, 2), values["displacement"], grid)


def test_a_single_position_gives_a_single_position_and_single_flags() -> None:
    random = np.random.default_rng(7)
    for number in range(60):
        grid = grid_of(random, number)
        position = random.uniform(-20, 180, 2).astype(np.float32 if number % 2 else np.float64)
        motion = random.uniform(-30, 30, 2)
        options: dict[str, Any] = {"step": float(number % 3), "through": number % 5 == 0}
        rows, columns = collide.move(position[None], (10, 20), motion[None], grid, **options)
        moved, flags = collide.move(position, (10, 20), motion, grid, **options)
        assert moved.dtype == position.dtype
        assert moved.tolist() == rows[0].tolist()
        assert [*flags] == [bool(column[0]) for column in columns]
        assert flags.on_wall == columns.on_wall[0]


def test_a_single_sprite_stands_on_a_moving_box_and_jumps() -> None:
    sprite = fw.SpriteBatch(np.zeros((4, 4, 4), np.uint8)).add(position=(0, 10))
    lift = collide.Boxes([(3, 1)], (40, 10), [(3, 1)])  # was at (0, 0)
    sprite.position, flags = collide.move(sprite.position, (10, 10), (0, -2), lift)
    assert sprite.position == (3, 11)
    assert flags.on_floor is True
    assert flags.on_wall is False
    jumps = collide.JumpTimer()
    assert jumps.update(1 / 60, flags.on_floor, True)
    assert not jumps.update(1 / 60, False, False)


@pytest.mark.parametrize("displacement", [3, (1, 2, 3), [(1, 2)], None])
def test_a_single_position_needs_a_single_displacement(displacement: Any) -> None:
    with pytest.raises(TypeError, match="displacement: expected two numbers, as for position, got"):
        collide.move((1, 2), (10, 20), displacement)
