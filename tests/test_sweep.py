"""Collisions of moving bodies with tiles and boxes: stops, slopes, one-way tiles and platforms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework import collide
from framework.geometry.tilegrid import Boxes, TileGrid

seeds = st.integers(0, 2**32 - 1)
BODY = (12.0, 14.0)


def grid(
    *rows: str, size: float | tuple[float, float] = 16.0, position: tuple[float, float] = (0.0, 0.0)
) -> TileGrid:
    r"""Return a grid from rows of characters: # solid, - one way, / and \ slopes, l h and H L
    gentle slopes of two tiles."""
    tiles = np.array([list(row) for row in rows])
    heights = {
        "/": (0, 1),
        "\\": (1, 0),
        "l": (0, 0.5),
        "h": (0.5, 1),
        "H": (1, 0.5),
        "L": (0.5, 0),
    }
    slopes = np.array([[heights.get(tile, (0, 0)) for tile in row] for row in rows], float)
    return TileGrid(
        tiles == "#", size, position, one_way=tiles == "-", slopes=slopes if slopes.any() else None
    )


def inside(position: Any, size: Any, tiles: TileGrid) -> Any:
    """Return which bodies overlap a solid tile, by a test of every body with every tile."""
    rows, columns = np.nonzero(tiles.solid)
    low = (
        np.column_stack([columns, len(tiles.solid) - 1 - rows]) * np.array(tiles.tile_size)
        + tiles.position
    )
    high = (
        np.column_stack([columns + 1, len(tiles.solid) - rows]) * np.array(tiles.tile_size)
        + tiles.position
    )
    return within(position, size, low, high)


def within(position: Any, size: Any, low: Any, high: Any) -> Any:
    middle = np.asarray(position, float)[:, None]
    half = np.asarray(size, float).reshape(-1, 1, 2) / 2
    return ((middle - half < high) & (middle + half > low)).all(axis=2).any(axis=1)


def move_body(
    position: Any, displacement: Any, *solids: Any, **options: Any
) -> tuple[list[float], list[str]]:
    """Move a body of 12 x 14, and return its position and the names of its contact flags."""
    moved, flags = collide.move([position], BODY, [displacement], *solids, **options)
    return moved[0].tolist(), [name for name, hit in flags._asdict().items() if hit[0]]


# -- walls -----------------------------------------------------------------------------------------


@settings(max_examples=12)
@given(
    seed=seeds,
    size=st.sampled_from([16.0, (10.0, 7.0), (0.1, 0.3)]),
    position=st.sampled_from([(0.0, 0.0), (-33.3, 1 / 3)]),
    dtype=st.sampled_from(["f4", "f8"]),
)
def test_no_body_is_ever_inside_a_wall(seed: int, size: Any, position: Any, dtype: Any) -> None:
    random = np.random.default_rng(seed)
    tiles = TileGrid(random.random((20, 20)) < 0.3, size, position)
    tile = np.broadcast_to(size, 2)
    bodies = random.uniform(0.2, 2.2, (150, 2)) * tile
    positions = (random.uniform(-1, 21, (150, 2)) * tile + position).astype(dtype)
    free = ~inside(positions, bodies, tiles)
    positions = positions[free]
    bodies = bodies[free]
    for _ in range(6):
        displacement = random.normal(0, 1, positions.shape) * tile * random.choice([0.01, 0.5, 5])
        moved, flags = collide.move(positions, bodies, displacement, tiles)
        assert moved.dtype == dtype
        assert not inside(moved, bodies, tiles).any()
        stopped = np.column_stack([flags.on_wall, flags.on_floor | flags.on_ceiling])
        # each of the 32 steps may be wrong by half of the last digit
        rounded = 16 * np.spacing(np.abs(moved).max(initial=1))
        assert (
            np.abs(moved - positions) <= np.abs(displacement) * (1 + 1e-5) + 1e-4 * tile + rounded
        ).all()
        assert moved[~stopped] == pytest.approx(
            (positions + displacement)[~stopped], rel=1e-4, abs=1e-4
        )
        positions = moved


@settings(max_examples=12)
@given(seed=seeds, dtype=st.sampled_from(["f4", "f8"]))
def test_no_body_is_ever_inside_a_box(seed: int, dtype: Any) -> None:
    random = np.random.default_rng(seed)
    boxes = Boxes(random.uniform(0, 30, (40, 2)), random.uniform(0.1, 6, (40, 2)))
    bodies = random.uniform(0.1, 3, (60, 2))
    positions = random.uniform(0, 30, (60, 2)).astype(dtype)
    free = ~within(positions, bodies, boxes.low, boxes.high)
    positions = positions[free]
    bodies = bodies[free]
    tiles = TileGrid(np.zeros((3, 3), bool))
    for _ in range(8):
        displacement = random.normal(0, 1, positions.shape) * random.choice([0.1, 10])
        positions, _ = collide.move(positions, bodies, displacement, boxes, tiles)
        assert not within(positions, bodies, boxes.low, boxes.high).any()


@given(seed=seeds)
def test_boxes_stop_bodies_like_tiles_at_the_same_positions(seed: int) -> None:
    random = np.random.default_rng(seed)
    tiles = TileGrid(random.random((8, 8)) < 0.3)
    rows, columns = np.nonzero(tiles.solid)
    boxes = Boxes(np.column_stack([columns + 0.5, 7.5 - rows]) * 16, (16, 16))
    positions = random.uniform(0, 128, (50, 2))
    positions = positions[~inside(positions, BODY, tiles)]
    displacement = random.normal(0, 12, positions.shape)
    first, two = (
        collide.move(positions, BODY, displacement, solid, TileGrid(np.zeros((1, 1), bool)))
        for solid in (tiles, boxes)
    )
    assert first[0].tolist() == two[0].tolist()
    assert np.array_equal(first[1], two[1])


def test_a_body_slides_along_a_wall_and_reports_the_side() -> None:
    room = grid("####", "#..#", "#..#", "####")
    assert move_body((30, 30), (40, 5), room) == ([42, 35], ["on_right"])
    assert move_body((30, 30), (-40, -40), room) == ([22, 23], ["on_floor", "on_left"])
    assert move_body((30, 30), (0, 100), room) == ([30, 41], ["on_ceiling"])
    assert move_body((30, 30), (5, 5), room) == ([35, 35], [])


def test_no_body_tunnels_at_any_speed() -> None:
    walls = grid("....#....", "....#....")
    assert move_body((10, 16), (1e6, 0), walls) == ([58, 16], ["on_right"])
    assert move_body((200, 16), (-1e6, 0), walls) == ([86, 16], ["on_left"])
    assert move_body((10, 16), (1e6, 0), Boxes([(1000, 16)], (1, 100))) == (
        [993.5, 16],
        ["on_right"],
    )
    assert move_body((10, 100), (1e6, 0), walls)[0] == [1e6 + 10, 100]


def test_a_fast_body_does_not_cut_corners() -> None:
    """The body moves down to the right under a block, which a move along x alone would hit."""
    block = grid("......", "....#.", "......", "......")
    assert move_body((40, 40), (48, -45), block) == ([88, -5], [])


def test_a_resting_body_is_on_the_floor_and_a_hanging_body_is_not() -> None:
    floor = grid("...", "###")
    assert move_body((24, 23), (0, 0), floor)[1] == ["on_floor"]
    assert move_body((24, 24), (0, 0), floor) == ([24, 24], [])
    assert move_body((24, 23), (3, -2), floor) == ([27, 23], ["on_floor"])


def test_a_body_inside_a_wall_may_leave_but_gets_no_deeper() -> None:
    wall = grid(".##.")
    assert move_body((14, 8), (-20, 0), wall)[0] == [-6, 8]
    assert move_body((14, 8), (20, 0), wall) == ([14, 8], ["on_right"])


def depth(position: Any, size: Any, low: Any, high: Any) -> Any:
    """Return the distance of each body to its nearest way out of one box, 0 for bodies outside."""
    middle = np.asarray(position, float)
    half = np.asarray(size, float) / 2
    displacements = np.concatenate([middle + half - low, high - (middle - half)], axis=1)
    return np.maximum(displacements.min(axis=1), 0)


@settings(max_examples=25)
@given(
    seed=seeds,
    shape=st.sampled_from([(1, 1), (1, 4), (5, 1), (3, 4)]),
    dtype=st.sampled_from(["f4", "f8"]),
    as_boxes=st.booleans(),
)
def test_bodies_inside_a_wall_get_no_deeper(
    seed: int, shape: tuple[int, int], dtype: Any, as_boxes: bool
) -> None:
    """Try walls of one tile or many, and a box, with bodies smaller and larger than the wall."""
    rng = np.random.default_rng(seed)
    solid = np.zeros((9, 9), bool)
    solid[2 : 2 + shape[0], 3 : 3 + shape[1]] = True
    low = np.array([3, 7 - shape[0]]) * 16.0
    high = low + np.array(shape[::-1]) * 16.0
    wall = Boxes([(low + high) / 2], high - low) if as_boxes else TileGrid(solid, 16)
    size = rng.uniform(2, 40, (80, 2))
    position = rng.uniform(low - size / 2, high + size / 2).astype(dtype)
    displacement = rng.normal(size=(80, 2)) * rng.choice([0.5, 6, 60], (80, 1))
    if seed % 2:
        displacement[:, rng.integers(2)] = 0
    before = depth(position, size, low, high)
    moved, _ = collide.move(position, size, displacement, wall)
    assert (depth(moved, size, low, high) <= before + 1e-5).all()
    for row in range(0, 80, 8):
        alone, _ = collide.move(position[row : row + 1], size[row], displacement[row], wall)
        assert (alone == moved[row]).all()


@settings(max_examples=15)
@given(seed=seeds, as_boxes=st.booleans())
def test_bodies_inside_a_wall_leave_by_the_nearest_way(seed: int, as_boxes: bool) -> None:
    rng = np.random.default_rng(seed)
    wall = Boxes([(24, 24)], (16, 48)) if as_boxes else grid(".#.", ".#.", ".#.")
    size = rng.uniform(2, 14, (60, 2))
    out = rng.uniform(0.1, 0.9, 60) * np.minimum(size[:, 0], 8)  # overlap with the left side
    position = np.column_stack([16 + out - size[:, 0] / 2, rng.uniform(14, 34, 60)])
    moved, flags = collide.move(position, size, np.column_stack([-out - 1, np.zeros(60)]), wall)
    assert moved[:, 0] == pytest.approx(position[:, 0] - out - 1)
    assert not flags.on_wall.any()


def test_no_body_walks_through_a_wall_of_one_tile_from_an_overlap() -> None:
    for wall in (grid(".#.."), Boxes([(24, 8)], (16, 16)), Boxes([(24, 4), (24, 12)], (16, 8))):
        position = np.array([[13.0, 8.0]])
        for _ in range(30):
            position, flags = collide.move(position, (8, 8), (1, 0), wall)
            assert flags.on_right[0]
        assert position[0, 0] == 13


def test_a_small_body_does_not_leave_a_wall_through_the_seam_of_two_tiles() -> None:
    for wall in (grid(".#.", ".#."), Boxes([(24, 8), (24, 24)], (16, 16))):
        moved, flags = collide.move([(17, 16)], (4, 4), (5, 0), wall)
        assert (moved[0, 0], flags.on_right[0]) == (17, True)


def test_a_body_that_grew_into_a_ceiling_does_not_jump_out_through_it() -> None:
    cave = grid("##", "..", "##")
    moved, flags = collide.move([(8, 26)], (8, 20), (0, 30), cave)
    assert (moved.tolist(), flags.on_ceiling[0]) == ([[8, 26]], True)
    moved, flags = collide.move([(8, 26)], (8, 20), (0, -30), cave)
    assert (moved.tolist(), flags.on_floor[0]) == ([[8, 26]], True)


def test_a_body_sunk_into_the_floor_can_walk_and_jump_out() -> None:
    for floor in (grid("....", "####"), Boxes([(32, 8)], (64, 16))):
        moved, flags = collide.move([(24, 20)], (12, 14), (1, -2), floor)
        assert moved.tolist() == [[25, 20]]
        assert (flags.on_floor[0], flags.on_right[0]) == (True, False)
        assert collide.move([(24, 20)], (12, 14), (0, 9), floor)[0].tolist() == [[24, 29]]


def test_a_body_sunk_into_a_corner_can_leave_in_both_directions() -> None:
    corner = grid("..#", "..#", "###")
    start = (27, 22)  # one unit in the floor, one in the wall
    assert move_body(start, (0, 2), corner)[0] == [27, 24]
    assert move_body(start, (-5, 0), corner)[0] == [22, 22]
    assert move_body(start, (5, 0), corner)[0] == [27, 22]
    assert move_body(start, (0, -5), corner)[0] == [27, 22]


def test_a_body_deep_in_rock_stays_there() -> None:
    """No side of the rock is near: the edges of the next tiles stop the body."""
    rock = TileGrid(np.ones((150, 150), bool), 4)
    moved, _ = collide.move(np.full((4, 2), 301.0), (2, 2), np.eye(4, 2) * 90 - 45, rock)
    assert (np.abs(moved - 301) <= 4).all()


# -- one way ---------------------------------------------------------------------------------------


def test_one_way_tiles_hold_only_bodies_from_above() -> None:
    ledge = grid("...", "---", "...")
    assert move_body((24, 45), (0, -20), ledge) == ([24, 39], ["on_floor"])
    assert move_body((24, 8), (0, 30), ledge) == ([24, 38], [])
    # the body was not above the tile yet
    assert move_body((24, 38), (0, -20), ledge) == ([24, 18], [])
    assert move_body((-20, 24), (40, 0), ledge) == ([20, 24], [])
    assert move_body((24, 39), (0, -4), ledge, through=True) == ([24, 35], [])


def test_a_body_that_passes_a_one_way_tile_for_one_tick_falls_through() -> None:
    level = grid("...", "---", "...", "---", "...")
    position = np.float32([(24, 71.25)])
    for tick, through in enumerate([False, True, *[False] * 20]):
        position, flags = collide.move(
            position, (14.5, 14.5), (0, -0.001 - 2 * (tick > 1)), level, through=[through]
        )
        assert bool(flags.on_floor[0]) == (tick == 0 or position[0, 1] <= 39.25)
    assert position[0].tolist() == pytest.approx([24, 39.25], abs=1e-4)


def test_one_way_boxes_hold_only_bodies_from_above() -> None:
    ledge = Boxes([(24, 24)], (48, 16), one_way=True)
    assert move_body((24, 45), (0, -20), ledge) == ([24, 39], ["on_floor"])
    assert move_body((24, 8), (0, 30), ledge) == ([24, 38], [])
    assert move_body((-20, 24), (40, 0), ledge) == ([20, 24], [])
    assert move_body((24, 39), (0, -4), ledge, through=[True]) == ([24, 35], [])


# -- slopes and steps ------------------------------------------------------------------------------


def walked(
    tiles: TileGrid, start: tuple[float, float], speed: float, ticks: int, **options: Any
) -> tuple[Any, Any]:
    """Return the positions of a body that falls and walks, and its floor and wall flags."""
    positions = [np.array([start])]
    flags_by_tick = []
    for _ in range(ticks):
        moved, flags = collide.move(positions[-1], BODY, [(speed, -3.0)], tiles, **options)
        positions.append(moved)
        flags_by_tick.append((bool(flags.on_floor[0]), bool(flags.on_wall[0])))
    return np.concatenate(positions), flags_by_tick


@pytest.mark.parametrize("speed", [1.9, 7.5, 12.0])
def test_a_body_walks_over_a_hill_without_leaving_the_ground(speed: float) -> None:
    hill = grid("............", "...lhHL.....", "../####\\....", "############")
    ticks = int(190 / speed)
    positions, flags = walked(hill, (7, 23), speed, ticks)
    assert flags == [(True, False)] * ticks
    assert positions[-1, 0] == pytest.approx(7 + speed * ticks)
    assert positions[:, 1].max() == pytest.approx(16 + 32 + 7, abs=1e-9 if speed == 12 else 0.01)
    assert positions[-1, 1] == 23
    assert not inside(positions, BODY, hill).any()
    back, flags = walked(hill, tuple(positions[-1]), -speed, ticks)
    assert flags == [(True, False)] * ticks
    assert back[-1] == pytest.approx((7, 23))


def test_a_body_falls_onto_its_corner_that_first_meets_a_slope() -> None:
    slope = grid("..", "/.", "..")
    # its right corner, at x = 8, is over a height of 8
    assert move_body((2, 45), (0, -30), slope) == ([2, 31], ["on_floor"])
    assert move_body((2, 31), (4, 0), slope)[0] == [6, 35]
    # from below, the slope is a full tile
    assert move_body((2, 8), (0, 20), slope) == ([2, 9], ["on_ceiling"])


def test_the_high_side_of_a_slope_is_a_wall() -> None:
    slope = grid("...", "./.", "###")
    assert move_body((40, 23), (-20, 0), slope) == ([38, 23], ["on_floor", "on_left"])
    assert move_body((40, 39), (-8, 0), slope) == ([32, 39], [])


def test_a_slope_under_a_ceiling_stops_the_body() -> None:
    tunnel = grid("####", "..#.", "../#", "####")
    positions, flags = walked(tunnel, (7, 23), 3, 20)
    assert not inside(positions, BODY, tunnel).any()
    assert flags[-1] == (True, True)


def test_only_bodies_on_the_floor_with_a_step_climb_stairs() -> None:
    floor = np.zeros((12, 24), bool)
    floor[-1] = True
    for step in range(6):
        floor[-2 - step, 8 + 3 * step :] = True
    stairs = TileGrid(floor, 4)
    positions, flags = walked(stairs, (10, 11), 2, 36, step=4)
    assert flags == [(True, False)] * 36
    assert positions[-1].tolist() == [82, 31]
    assert not inside(positions, BODY, stairs).any()
    down, flags = walked(stairs, (82, 31), -2, 36, step=4)
    assert flags == [(True, False)] * 36
    assert down[-1].tolist() == [10, 11]
    assert move_body((25, 11), (4, -1), stairs) == ([26, 11], ["on_floor", "on_right"])
    assert move_body((25, 11), (4, -1), stairs, step=3.9) == ([26, 11], ["on_floor", "on_right"])
    assert move_body((25, 13), (4, 0), stairs, step=4) == ([26, 13], ["on_right"])  # in the air


@settings(max_examples=settings().max_examples // 10)
@given(seed=seeds, step=st.sampled_from([0.0, 5.0, 20.0]))
def test_no_body_is_ever_inside_a_wall_among_slopes_and_steps(seed: int, step: float) -> None:
    random = np.random.default_rng(seed)
    kinds = random.choice(list("..........####-/\\lhHL"), (16, 16))
    tiles = grid(*("".join(row) for row in kinds))
    bodies = random.uniform(3, 30, (200, 2))
    positions = random.uniform(0, 256, (200, 2)).astype("f4")
    free = ~inside(positions, bodies, tiles)
    positions = positions[free]
    bodies = bodies[free]
    for _ in range(10):
        displacement = random.normal(0, 6, positions.shape) - (0, 3)
        positions, _ = collide.move(positions, bodies, displacement, tiles, step=step)
        assert not inside(positions, bodies, tiles).any()


# -- refused arguments -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"position": [(0, 0, 0)]}, "position: "),
        ({"position": [(0, float("nan"))]}, "position: "),
        ({"size": (-1, 2)}, "size: expected numbers of at least 0"),
        ({"size": [(1, 1)] * 2}, "size: "),
        ({"displacement": [(0, float("inf"))]}, "displacement: "),
        ({"displacement": "fast"}, "displacement: "),
        ({"step": -1}, "step: "),
        ({"through": [0.5]}, r"through: expected bools of shape \(1,\)"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_by_name(change: dict[str, Any], words: str) -> None:
    values: dict[str, Any] = {
        "position": [(0, 0)],
        "size": (1, 1),
        "displacement": [(1, 1)],
        **change,
    }
    with pytest.raises((TypeError, ValueError), match=f"^{words}"):
        collide.move(**values)


def test_objects_that_are_not_solid_are_refused() -> None:
    with pytest.raises(
        TypeError, match=r"^solids: expected a TileGrid, Boxes, or an object with solid"
    ):
        collide.move([(0, 0)], (1, 1), [(1, 1)], "wall")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^solid: expected bools of shape \(h, w\)"):
        TileGrid([[1, 0]])
    with pytest.raises(ValueError, match=r"^slopes: expected numbers from 0 to 1"):
        TileGrid([[False]], slopes=[[(0, 2)]])
    with pytest.raises(ValueError, match=r"^slopes: a tile cannot be both"):
        TileGrid([[True]], slopes=[[(0, 1)]])
    with pytest.raises(ValueError, match=r"^size: "):
        TileGrid([[True]], size=0)
    with pytest.raises(ValueError, match=r"^size: "):
        Boxes([(0, 0)], (1, -1))


def test_no_bodies_and_no_solids_are_allowed() -> None:
    moved, flags = collide.move(np.empty((0, 2), "f4"), (1, 1), np.empty((0, 2)), grid("#"))
    assert moved.shape == (0, 2)
    assert len(flags.on_wall) == 0
    assert move_body((1, 2), (3, 4)) == ([4, 6], [])


def test_any_object_with_tiles_works_and_is_read_in_each_call() -> None:
    class Layer:
        solid = np.array([[False, True]])
        tile_size = (16, 16)
        position = (0, 0)

    layer = Layer()
    assert move_body((8, 8), (20, 0), layer) == ([10, 8], ["on_right"])
    layer.solid[:] = False
    assert move_body((8, 8), (20, 0), layer) == ([28, 8], [])


def test_tiles_have_cells_and_centers() -> None:
    tiles = grid("..", "..", "..", size=(16, 8), position=(100, 50))
    assert tiles.world_to_cell((100, 50)) == (2, 0)
    assert tiles.world_to_cell((131.9, 73.9)) == (0, 1)
    assert tiles.cell_center((0, 1)) == (124, 70)
    assert repr(tiles) == "<TileGrid of 2 x 3 tiles at (100.0, 50.0)>"


# -- boxes that move -------------------------------------------------------------------------------


@pytest.mark.parametrize("displacement", [(3.7, 0), (0, 2.3), (0, -2.3), (-1.1, 5.9), (2.2, -5.3)])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_body_on_a_platform_moves_with_it(displacement: tuple[float, float], dtype: Any) -> None:
    platform = np.array([[100.3, 50.7]])
    position = np.array([[101, 70]], dtype)
    position, flags = collide.move(position, BODY, [(0, -30)], Boxes(platform, (64, 16)))
    for tick in range(40):
        platform = platform + displacement
        position, flags = collide.move(
            position, BODY, [(0, -3)], Boxes(platform, (64, 16), [displacement])
        )
        assert flags.on_floor[0]
        assert not flags.crushed[0]
        assert position[0] == pytest.approx(
            (101 + displacement[0] * (tick + 1), 65.7 + displacement[1] * (tick + 1)), abs=1e-3
        )
        assert not within(position, BODY, platform - (32, 8), platform + (32, 8)).any()


def test_a_body_in_the_way_of_a_platform_is_pushed_and_crushed_at_a_wall() -> None:
    wall = grid("...#", "...#")
    door = Boxes([(20, 16)], (20, 32), [(8, 0)])  # the right side of the box moved from 22 to 30
    assert move_body((30, 16), (0, 0), door, wall) == ([36, 16], [])
    assert move_body((42, 16), (0, 0), door, wall) == ([42, 16], [])
    wide = Boxes([(28, 16)], (20, 32), [(8, 0)])  # to 38: 10 units are left
    assert move_body((38, 16), (0, 0), wide, wall) == ([42, 16], ["crushed"])
    press = Boxes([(8, 40)], (16, 32), [(0, -6)])
    assert move_body((8, 17), (0, 0), press) == ([8, 17], [])
    assert move_body((8, 22.5), (0, 0), press) == ([8, 17], [])
    assert move_body((8, 7), (4, 0), Boxes([(8, -8)], (16, 16), [(2, 0)], one_way=True)) == (
        [14, 7],
        ["on_floor"],
    )


def test_a_platform_lifts_no_body_into_a_ceiling() -> None:
    tiles = grid("###", "...", "...")
    lift = Boxes([(24, 12)], (40, 8), [(0, 5)])  # the top of the platform moved from 11 to 16
    assert move_body((24, 18), (0, -1), lift, tiles) == ([24, 23], ["on_floor"])
    lift = Boxes([(24, 18)], (40, 8), [(0, 8)])  # to 22: no room for a height of 14
    moved, flags = move_body((24, 21), (0, -1), lift, tiles)
    assert "crushed" in flags
    assert moved[1] <= 25


def test_a_platform_of_any_speed_carries_riders_and_pushes_bodies_in_its_way() -> None:
    # from 7
    assert move_body((30, 16), (0, 0), Boxes([(30, 77)], (40, 4), [(0, 70)])) == (
        [30, 86],
        ["on_floor"],
    )
    # from -10
    assert move_body((30, 16), (0, 0), Boxes([(30, 60)], (40, 4), [(0, 70)])) == (
        [30, 69],
        ["on_floor"],
    )
    assert move_body((30, 16), (0, 0), Boxes([(60, 16)], (4, 32), [(50, 0)])) == ([68, 16], [])
    # passed below the body
    assert move_body((15, 46), (0, 0), Boxes([(46, 46)], (8, 8), [(50, 50)])) == ([15, 46], [])
    assert move_body((30, 16), (0, 0), Boxes([(60, 16)], (4, 32), [(50, 0)], one_way=True)) == (
        [30, 16],
        [],
    )


def test_a_rising_one_way_platform_carries_bodies_and_crushes_none() -> None:
    # the top of the lift moved from 7 to 10
    lift = Boxes([(30, 8)], (40, 4), [(0, 3)], one_way=True)
    assert move_body((30, 16.5), (0, -5), lift) == ([30, 17], ["on_floor"])
    assert move_body((30, 16.5), (0, -1), lift, through=[True]) == ([30, 15.5], [])
    assert move_body((30, 13), (0, -1), lift) == ([30, 12], [])  # the body was inside the platform
    assert move_body((8, 16.5), (0, -1), lift, grid("#", ".", position=(0, 7.5))) == ([8, 15.5], [])
    assert move_body((30, -3), (0, 0), Boxes([(30, 8)], (40, 4), [(0, -3)], one_way=True)) == (
        [30, -3],
        [],
    )


def test_a_platform_carries_riders_up_slopes_and_pushes_bodies_up_slopes() -> None:
    tiles = grid("......", "......", "../###", "######")
    assert move_body((24, 25), (0, -1), Boxes([(32, 17)], (14, 2), [(8, 0)]), tiles) == (
        [32, 29],
        ["on_floor"],
    )
    assert move_body((24, 23), (0, -1), Boxes([(16, 24)], (16, 16), [(8, 0)]), tiles) == (
        [30, 27],
        ["on_floor"],
    )


def test_a_rider_carried_into_an_approaching_platform_is_pushed() -> None:
    lifts = Boxes([(-4, 0), (12, 10)], [(40, 4), (20, 12)], [(-4, 0), (8, 0)])
    assert move_body((20, 9), (0, 0), lifts) == ([28, 9], [])


@settings(max_examples=10)
@given(seed=seeds, dtype=st.sampled_from(["f4", "f8"]))
def test_platforms_move_no_body_into_a_wall_and_overlap_only_crushed_bodies(
    seed: int, dtype: Any
) -> None:
    random = np.random.default_rng(seed)
    tiles = TileGrid(random.random((12, 12)) < 0.25)
    positions = random.uniform(0, 192, (5, 2))
    sizes = random.uniform(4, 50, (5, 2))
    displacements = random.choice([-1, 0, 1], (5, 2)) * random.uniform(
        0, random.choice([2, 8, 40]), (5, 2)
    )
    bodies = random.uniform(3, 20, (150, 2))
    under = random.integers(0, 5, 150)
    across = random.uniform(-0.5, 0.5, 150) * sizes[under, 0]
    where = np.column_stack([across, (sizes[under, 1] + bodies[:, 1]) / 2]) + positions[under]
    where[75:] = random.uniform(0, 192, (75, 2))
    where = where.astype(dtype)
    for _ in range(4):
        free = ~inside(where, bodies, tiles) & ~within(
            where, bodies, positions - sizes / 2, positions + sizes / 2
        )
        where = where[free]
        bodies = bodies[free]
        positions = positions + displacements
        moved, flags = collide.move(
            where, bodies, (0, -1), tiles, Boxes(positions, sizes, displacements)
        )
        assert not inside(moved, bodies, tiles).any()
        assert not (
            within(moved, bodies, positions - sizes / 2, positions + sizes / 2) & ~flags.crushed
        ).any()
        where = moved


def test_a_body_that_drops_through_a_platform_does_not_ride_on_it() -> None:
    lift = Boxes([(24, 10)], (40, 8), [(0, 2)], one_way=True)
    assert move_body((24, 19), (0, -1), lift) == ([24, 21], ["on_floor"])
    assert move_body((24, 19), (0, -1), lift, through=[True]) == ([24, 18], [])


# -- helpers ---------------------------------------------------------------------------------------


def jumps(floor: str, keys: str, coyote: float = 0.25, buffer: float = 0.25) -> str:
    """Return the ticks of 1/8 second with a jump, from ticks on the floor and ticks with a press."""
    helper = collide.JumpTimer(coyote, buffer)
    ticks = zip(floor, keys, strict=True)
    return "".join(".j"[int(helper.update(0.125, [on == "_"], key == "x")[0])] for on, key in ticks)


def test_a_jump_may_be_pressed_a_little_too_late_or_too_early() -> None:
    assert jumps("__......", "....x...") == "........"
    assert jumps("__......", "...x....") == "...j...."
    assert jumps("__......", "...xx...") == "...j...."  # one jump for each landing
    assert jumps("......__", "....x...") == "......j."
    assert jumps("......__", "...x....") == "........"
    assert jumps("____", ".x..") == ".j.."
    assert jumps("_.", ".x", 0, 0) == ".."


def test_jumps_of_many_bodies_and_values_that_are_no_bools() -> None:
    helper = collide.JumpTimer()
    assert helper.update(0.1, [True, False], [True, True]).tolist() == [True, False]
    assert helper.update(0.1, [True, True, True], True).tolist() == [True] * 3
    with pytest.raises(TypeError, match=r"^pressed: expected bools"):
        helper.update(0.1, [True], 1)
    with pytest.raises(ValueError, match=r"^coyote: "):
        collide.JumpTimer(-1)


@given(seed=seeds)
def test_bodies_have_the_tiles_that_they_overlap(seed: int) -> None:
    random = np.random.default_rng(seed)
    tiles = TileGrid(random.random((6, 7)) < 0.3, (5, 9), (3, -4))
    positions = random.uniform(-10, 60, (40, 2))
    sizes = random.uniform(0, 20, (40, 2))
    result = collide.on_tiles(tiles, tiles.solid, positions, sizes)
    assert np.array_equal(result, inside(positions, sizes, tiles))
