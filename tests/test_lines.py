"""3D lines: width, color, lifetime and depth."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as fw

Make = Callable[..., Any]


class Drawn(fw.Game):
    """A game whose view is 20 units high, with 5 pixels per unit."""

    def setup(self) -> None:
        self.world.camera.ortho_height = 20.0
        self.world.camera.position = 0, 0, 10

    def update(self, dt: float) -> None:
        self.mark()

    def mark(self) -> None: ...


def lit(game: fw.Game) -> Any:
    return game.pixels()[..., :3].astype(int).sum(axis=2)


def drawn(make: Make, mark: Callable[[fw.Game], object]) -> Any:
    game = make(Drawn)
    game.mark = lambda: mark(game)
    game.run(2)
    return game


@pytest.mark.parametrize("width", [1, 2.5, 6])
@pytest.mark.parametrize("end", [(10, 0, 0), (0, 8, 0), (6, 6, 3)])
def test_a_line_has_its_width_and_color(make: Make, width: float, end: Any) -> None:
    game = drawn(make, lambda game: game.world.lines.add((-10, -0.1, 0), end, (0, 1, 0.5), width))
    pixels = game.pixels().astype(float) / 255
    length = 5 * math.hypot(end[0] + 10, end[1] + 0.1)
    assert pixels[..., 1].sum() == pytest.approx(length * width, rel=0.08, abs=2 * width)
    assert pixels[..., 0].max() == 0
    if width > 2:
        assert pixels[..., 2].max() == pytest.approx(0.5, abs=0.01)


def test_a_color_string_is_the_color_on_the_screen(make: Make) -> None:
    game = drawn(make, lambda game: game.world.lines.add((-10, 0, 0), (10, 0, 0), "#804020", 20))
    height, width, _ = game.pixels().shape
    assert game.pixels()[height // 2, width // 2].tolist() == pytest.approx(
        [0x80, 0x40, 0x20, 255], abs=1
    )


def test_a_line_lasts_one_tick_unless_it_is_kept(make: Make) -> None:
    game = make(Drawn)
    kept_lines = game.add(fw.Lines(keep=True))

    def mark() -> None:
        if game.tick < 3:
            game.world.lines.add((-9, 3, 0), (9, 3, 0))
            kept_lines.add((-9, -3, 0), (9, -3, 0))

    game.mark = mark
    for _ in range(4):
        game.advance(1 / 60)
        if game.tick == 2:
            assert lit(game)[:50].any()
    assert game.tick > 2
    assert not lit(game)[:50].any()
    assert lit(game)[50:].any()
    kept_lines.clear()
    game.advance(1 / 60)
    assert not lit(game).any()
    assert len(kept_lines) == 0


def test_lines_of_a_frame_follow_interpolated_positions(make: Make) -> None:
    class Moved(Drawn):
        def setup(self) -> None:
            super().setup()
            self.ball = self.add(fw.MeshBatch(fw.Mesh.sphere(0.1))).add(visible=False)
            self.world.lines.each_frame(self.frame)

        def frame(self, alpha: float) -> None:
            x, _, _ = self.ball.drawn_position(alpha)
            self.world.lines.add((x, -5, 0), (x, 5, 0))

        def update(self, dt: float) -> None:
            self.ball.position = self.tick, 0, 0

    game = make(Moved, tick_rate=10)
    game.advance(0.1)
    for _ in range(6):
        alpha = game.advance(0.037)
        column = (lit(game).sum(axis=0) * (np.arange(200) + 0.5)).sum() / lit(game).sum()
        assert column == pytest.approx(100 + 5 * game.ball.drawn_position(alpha)[0], abs=0.05)
    assert len(game.world.lines) == 0


@pytest.mark.parametrize("over", [False, True])
def test_lines_are_hidden_by_nearer_meshes_or_drawn_on_top(make: Make, over: bool) -> None:
    game = make(Drawn)
    game.add(fw.MeshBatch(fw.Mesh.cube(8), 1, material=fw.Material((0, 0, 0))))
    lines = game.add(fw.Lines(on_top=over))
    game.mark = lambda: lines.add((-9, 0, -6), (9, 0, -6), (1, 0, 0), 3)
    game.run(2)
    assert (game.pixels()[50, 100, 0] > 200) == over
    assert game.pixels()[50, 70, 0] > 200


def test_a_line_that_passes_behind_the_camera_ends_at_the_edge_of_the_view(make: Make) -> None:
    game = make(Drawn)
    game.world.camera.ortho_height = None
    game.world.camera.position = 0, 0, 0
    game.mark = lambda: game.world.lines.add((0, -1, -5), (0, -1, 5), (1, 1, 1), 3)
    game.run(2)
    picture = lit(game)
    assert picture[-1, 99:101].any()
    assert not picture[:50].any()
    game.mark = lambda: game.world.lines.add((0, 1, 1), (0, -1, 5), (1, 1, 1), 3)
    game.run(2)
    assert not lit(game).any()


def test_lines_are_accurate_a_million_units_away(make: Make) -> None:
    images = []
    for center in ((0, 0, 0), (2.0**20, -(2.0**20), 2.0**19)):
        game = make(Drawn)
        position = np.array(center)
        game.world.camera.position = position + (0, 0, 10)
        game.world.camera.teleport()
        game.mark = lambda game=game, position=position: game.world.lines.rotated_box(
            position, (4, 3, 2), (0, 0.6, 0, 0.8), width=2
        )
        game.run(2)
        images.append(lit(game))
    assert images[0].any()
    assert np.abs(images[0] - images[1]).max() <= 6


def test_boxes_axes_spheres_and_grids_consist_of_lines() -> None:
    lines = fw.Lines()
    lines.box([(0, 0, 0), (5, 5, 5)], [(1, 2, 3), (6, 6, 6)])
    assert len(lines) == 24
    ends = np.concatenate([part[:, :6].reshape(-1, 3) for part in lines._lines])
    assert sorted({tuple(end) for end in ends[:24].tolist()}) == sorted(
        [(float(x), float(y), float(z)) for x in (0, 1) for y in (0, 2) for z in (0, 3)]
    )
    lines.axes(np.zeros((4, 3)), [(0, 0, 0, 1)] * 4)
    lines.sphere((0, 0, 0), 2)
    assert np.linalg.norm(lines._lines[-1][:, :3], axis=1) == pytest.approx(2)
    lines.grid(5, 1)
    assert len(lines) == 24 + 12 + 96 + 22


def test_boxes_and_spheres_have_the_same_default_color() -> None:
    lines = fw.Lines()
    lines.box((0, 0, 0), (1, 2, 3))
    lines.rotated_box((0, 0, 0), (1, 2, 3), (0, 0, 0, 1))
    lines.sphere((0, 0, 0), 2)
    colors = np.concatenate([part[:, 6:10] for part in lines._lines])
    assert np.unique(colors, axis=0).tolist() == [[1.0, 0.8, 0.2, 1.0]]  # yellow


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("start", ((1, 2), (0, 0, 0))),
        ("end", ((1, 2, 3), np.zeros((2, 2)))),
        ("color", ((0, 0, 0), (1, 1, 1), (1, 1))),
        ("width", ((0, 0, 0), (1, 1, 1), (1, 1, 1), 0)),
        ("start, end, color", (np.zeros((2, 3)), np.ones((3, 3)))),
        ("start", ((math.nan, 0, 0), (1, 1, 1))),
    ],
)
def test_invalid_lines_are_errors_with_the_parameters_name(name: str, arguments: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: "):
        fw.Lines().add(*arguments)


@pytest.mark.parametrize(
    ("call", "error", "name"),
    [
        (lambda lines: lines.add((0, 0, 0), (1, 1, 1), width="x"), TypeError, "width"),
        (lambda lines: lines.sphere((0, 0, 0), "x"), TypeError, "radius"),
        (lambda lines: lines.sphere((0, 0, 0), math.nan), ValueError, "radius"),
        (lambda lines: lines.box(np.zeros((2, 3)), np.ones((3, 3))), ValueError, "low, high"),
        (lambda lines: lines.rotated_box((0, 0, 0), (1, 1, 1), (0, 0, 1)), ValueError, "rotation"),
        (lambda lines: lines.axes(size=math.inf), ValueError, "size"),
        (lambda lines: lines.grid(step=0), ValueError, "step"),
        (lambda lines: lines.add((0, 0, 0), (1, 1, 1), "rde"), ValueError, "color"),
        (lambda lines: lines.each_frame(3), TypeError, "function"),
        (lambda lines: fw.Lines(on_top="yes"), TypeError, "on_top"),
    ],
)
def test_invalid_shapes_are_errors_with_the_parameters_name_and_add_nothing(
    call: Callable[[fw.Lines], object], error: type[Exception], name: str
) -> None:
    lines = fw.Lines()
    with pytest.raises(error, match=rf"^{name}: "):
        call(lines)
    assert len(lines) == 0
