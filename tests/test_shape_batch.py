"""Shape batches: coverage of each pixel, compared with 16 × 16 sample points in NumPy."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawings import driven
from hypothesis import given
from hypothesis import strategies as st

import framework as fw
from framework.plane import shape_drawing
from framework.plane.shape_drawing import features, handed_on
from framework.state.rows import table_of

Make = Callable[..., Any]
SHADERS = Path(__file__).parent.parent / "shaders"

SIZE = 64
_AXIS = (np.arange(SIZE * 16) + 0.5) / 16
X, Y = np.meshgrid(_AXIS, _AXIS, sparse=True)


def covered(inside: Any) -> Any:
    """Return the covered part of each pixel, from points inside the shape. Row 0 is at the top."""
    return inside.reshape(SIZE, 16, SIZE, 16).mean(axis=(1, 3))[::-1]


def turned(x: float, y: float, angle: float) -> tuple[Any, Any]:
    c = np.cos(angle)
    s = np.sin(angle)
    return c * (X - x) + s * (Y - y), -s * (X - x) + c * (Y - y)


def within(points: Any) -> Any:
    """Return whether points of the grid are in a polygon, by the even-odd rule."""
    inside = np.zeros((SIZE * 16, SIZE * 16), bool)
    for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True):
        if ay != by:
            inside ^= ((ay > Y) != (by > Y)) & ((bx - ax) * (Y - ay) / (by - ay) + ax > X)
    return inside


@pytest.fixture(scope="module")
def board() -> Any:
    game = fw.Game(size=(SIZE, SIZE), headless=True, background=(0, 0, 0))
    yield game, game.add(fw.Shapes())
    game.close()


def draw(board: Any, add: Callable[[fw.Shapes], Any]) -> Any:
    game, shapes = board
    shapes.clear()
    add(shapes)
    game.advance(0)
    return game.pixels()[..., 0] / 255


SLIVER = [(6.2, 20.3), (58.1, 43.7), (40.3, 36.4)]  # a third of a pixel wide, and less
SPIKE = [(8.0, 30.0), (56.0, 31.3), (8.0, 32.6)]
L_SHAPE = [(10.3, 8.1), (52.2, 8.1), (52.2, 24.6), (28.4, 24.6), (28.4, 55.7), (10.3, 55.7)]


@functools.cache
def tilted() -> tuple[Any, Any]:
    return turned(31.5, 32.2, 0.4)


def across() -> Any:
    return tilted()[0]


def up() -> Any:
    return tilted()[1]


@functools.cache
def radius() -> Any:
    return np.hypot(X - 32, Y - 32)


@functools.cache
def bearing() -> Any:
    return np.arctan2(Y - 32, X - 32)


# Each case has a shape and its coverage. Coverage is computed in the test, because
# each test process imports this list.
CASES: dict[str, tuple[Callable[[fw.Shapes], Any], Callable[[], Any]]] = {
    "disc": (
        lambda s: s.add_circle((30.3, 33.8), 20.4),
        lambda: np.hypot(X - 30.3, Y - 33.8) < 20.4,
    ),
    "ring": (
        lambda s: s.add_circle((32, 32), 20, stroke_width=5),
        lambda: abs(radius() - 20) < 2.5,
    ),
    "hairline": (
        lambda s: s.add_circle((32, 32), 20, stroke_width=0.5),
        lambda: abs(radius() - 20) < 0.25,
    ),
    "ellipse": (
        lambda s: s.add_ellipse((31.5, 32.2), (50, 22), angle=0.4),
        lambda: (across() / 25) ** 2 + (up() / 11) ** 2 < 1,
    ),
    "thin ellipse": (
        lambda s: s.add_ellipse((31.5, 32.5), (52.9, 1.38)),
        lambda: ((X - 31.5) / 26.45) ** 2 + ((Y - 32.5) / 0.69) ** 2 < 1,
    ),
    "ellipse thinner than a pixel": (
        lambda s: s.add_ellipse((31.5, 32.2), (40, 0.5)),
        lambda: ((X - 31.5) / 20) ** 2 + ((Y - 32.2) / 0.25) ** 2 < 1,
    ),
    "circle scaled": (
        lambda s: s.add_circle((31.5, 32.2), 10, angle=0.4, scale=(2.5, 1.1)),
        lambda: (across() / 25) ** 2 + (up() / 11) ** 2 < 1,
    ),
    "box": (
        lambda s: s.add_box((31.5, 32.2), (40.5, 20.25), angle=0.4),
        lambda: (abs(across()) < 20.25) & (abs(up()) < 10.125),
    ),
    "thin box": (
        lambda s: s.add_box((32, 32.25), (40, 0.5)),
        lambda: (abs(X - 32) < 20) & (abs(Y - 32.25) < 0.25),
    ),
    "frame": (
        lambda s: s.add_box((32, 32), (40.5, 20.5), stroke_width=3),
        lambda: (
            (abs(X - 32) < 21.75)
            & (abs(Y - 32) < 11.75)
            & ~((abs(X - 32) < 18.75) & (abs(Y - 32) < 8.75))
        ),
    ),
    "round box": (
        lambda s: s.add_box((31.5, 32.2), (44, 30), corner=9, angle=0.4),
        lambda: np.hypot(np.maximum(abs(across()) - 13, 0), np.maximum(abs(up()) - 6, 0)) < 9,
    ),
    "round box thinner than a pixel": (
        lambda s: s.add_box((31.5, 32.2), (40, 0.5), corner=9),
        lambda: np.hypot(np.maximum(abs(X - 31.5) - 19.75, 0), Y - 32.2) < 0.25,
    ),
    "line": (
        lambda s: s.add_line(
            (31.5 - 20 * np.cos(0.4), 32.2 - 20 * np.sin(0.4)),
            (31.5 + 20 * np.cos(0.4), 32.2 + 20 * np.sin(0.4)),
            6,
        ),
        lambda: np.hypot(np.maximum(abs(across()) - 20, 0), up()) < 3,
    ),
    "dashes": (
        lambda s: s.add_line((8, 32), (56, 32), 5, cap="butt", dash=(7, 5)),
        lambda: (abs(X - 32) < 24) & (abs(Y - 32) < 2.5) & ((X - 8) % 12 < 7),
    ),
    "arc": (
        lambda s: s.add_arc((32, 32), 20, 0.5, 2, 6, cap="butt"),
        lambda: (abs(radius() - 20) < 3) & (bearing() > 0.5) & (bearing() < 2.5),
    ),
    "sector": (
        lambda s: s.add_sector((32, 32), 25, 0.5, -4.5),
        lambda: (radius() < 25) & ~((bearing() > 0.5) & (bearing() < 0.5 + 2 * np.pi - 4.5)),
    ),
    "polygon": (lambda s: s.add_polygon(L_SHAPE), lambda: within(L_SHAPE)),
    "thin sector": (
        lambda s: s.add_sector((12.2, 31.7), 48, 0.1, 0.03),
        lambda: (
            (np.hypot(X - 12.2, Y - 31.7) < 48)
            & (abs(np.arctan2(Y - 31.7, X - 12.2) - 0.115) < 0.015)
        ),
    ),
    "disc of a pixel": (
        lambda s: s.add_circle((31.8, 32.1), 0.5),
        lambda: np.hypot(X - 31.8, Y - 32.1) < 0.5,
    ),
    "sliver": (lambda s: s.add_polygon(SLIVER), lambda: within(SLIVER)),
    "spike": (lambda s: s.add_polygon(SPIKE), lambda: within(SPIKE)),
    "strip, turned": (
        lambda s: s.add_polygon(
            [(0, 0), (48, 0), (48, 0.3), (0, 0.3)], position=(31.5, 32.2), angle=0.4
        ),
        lambda: (abs(across()) < 24) & (abs(up()) < 0.15),
    ),
    "polygon smaller than a pixel": (
        lambda s: s.add_ngon((31.4, 32.6), 0.4, 6),
        lambda: within(
            [(31.4 - 0.4 * np.sin(a), 32.6 + 0.4 * np.cos(a)) for a in np.arange(6) * np.pi / 3]
        ),
    ),
    "miter": (
        lambda s: s.add_path([(12, 12), (12, 50), (50, 50)], 6, cap="butt"),
        lambda: (
            ((abs(X - 12) < 3) & (Y > 12) & (Y < 53)) | ((abs(Y - 50) < 3) & (X > 9) & (X < 50))
        ),
    ),
    "bevel": (
        lambda s: s.add_path([(12, 12), (12, 50), (50, 50)], 6, cap="butt", join="bevel"),
        lambda: (
            (((abs(X - 12) < 3) & (Y > 12) & (Y < 53)) | ((abs(Y - 50) < 3) & (X > 9) & (X < 50)))
            & (Y - X < 41)
        ),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_pixels_have_the_coverage_of_the_shape(board: Any, case: str) -> None:
    add, inside = CASES[case]
    pixels = draw(board, add)
    expected = covered(inside())
    off = np.abs(pixels - expected)
    assert off.max() < 0.25  # at corners, a distance is less exact
    assert off.mean() < 0.004
    assert pixels.sum() == pytest.approx(expected.sum(), rel=0.02, abs=0.1)


def test_a_hole_narrower_than_a_pixel_has_its_coverage(board: Any) -> None:
    # 0.4 high, in the middle
    pixels = draw(board, lambda s: s.add_ellipse((32.5, 32.5), (30, 2.8), stroke_width=2.4))
    assert pixels[31, 32] == pytest.approx(0.6, abs=0.03)
    # no hole: 0.8 in total
    pixels = draw(board, lambda s: s.add_ellipse((32.5, 32.5), (30, 0.4), stroke_width=0.4))
    assert pixels[31, 32] == pytest.approx(0.8, abs=0.03)


def test_a_polygon_without_area_covers_nothing(board: Any) -> None:
    def flat(shapes: fw.Shapes) -> None:
        shapes.add_ngon((32.5, 32), 20, 5).size = 0, 20

    assert draw(board, flat).max() == 0


@pytest.mark.parametrize("add", [fw.Shapes.add_star, fw.Shapes.add_ngon])
def test_a_star_and_a_regular_polygon_have_a_corner_at_the_top(board: Any, add: Any) -> None:
    rows, columns = np.nonzero(draw(board, lambda s: add(s, (32, 32), 20, 5)) > 0.1)
    assert columns[rows == rows.min()] == pytest.approx(31.5, abs=1)


def test_a_star_rotates_around_the_center_of_its_circle(board: Any) -> None:
    once = draw(board, lambda s: s.add_star((31.5, 32.2), 20))
    assert board[1][0].position == pytest.approx((31.5, 32.2))
    again = draw(board, lambda s: s.add_star((31.5, 32.2), 20, angle=2 * np.pi / 5))
    assert np.abs(once - again).max() < 0.01


def test_a_sector_with_a_stroke_is_filled_everywhere(board: Any) -> None:
    pixels = draw(
        board, lambda s: s.add_sector((32, 32), 20, 0.5, 7, stroke_width=2, stroke_color="#fff")
    )
    assert pixels[32, 14:50].min() == 1


def test_the_dashes_of_an_arc_start_at_its_start_in_both_directions(board: Any) -> None:
    for sweep in (1.0, 2.6):
        here = draw(board, lambda s: s.add_arc((32, 32), 25, 0, sweep, 6, cap="butt", dash=(9, 5)))  # noqa: B023
        there = draw(
            board,
            lambda s: s.add_arc((32, 32), 25, 0, -sweep, 6, cap="butt", dash=(9, 5)),  # noqa: B023
        )
        assert np.abs(here - there[::-1]).max() < 0.01
        assert here[28, 56] > 0.9


def test_round_ends_of_a_dashed_path_equal_those_of_a_line(board: Any) -> None:
    path = draw(board, lambda s: s.add_path([(12, 32), (32, 32), (52, 32)], 8, dash=(7, 5)))
    line = draw(board, lambda s: s.add_line((12, 32), (52, 32), 8, dash=(7, 5)))
    assert np.abs(path - line).max() < 0.01


def test_a_filled_shape_has_an_outline_with_its_own_color(board: Any) -> None:
    game, shapes = board
    draw(
        board,
        lambda s: s.add_circle((32, 32), 20, color="#f00", stroke_width=4, stroke_color="#0f0"),
    )
    assert game.pixels()[32, [32, 44, 52], :3].tolist() == [[255, 0, 0], [255, 0, 0], [0, 255, 0]]
    shapes[0].stroke_color = "#00f"
    shapes[0].visible = True
    game.advance(0)
    assert game.pixels()[32, 52, :3].tolist() == [0, 0, 255]


def test_gradients_run_from_the_first_color_to_the_second(board: Any) -> None:
    linear = draw(
        board,
        lambda s: s.add_box(
            (32, 32), (64, 64), color="#000", gradient="linear", gradient_to="#fff"
        ),
    )
    assert np.abs(linear - (np.arange(64) + 0.5) / 64).max() < 0.01
    radial = draw(
        board, lambda s: s.add_circle((32, 32), 32, gradient="radial", gradient_to="#000")
    )
    assert abs(radial[32, 48] - 0.5) < 0.03


def test_a_gradient_starts_transparent_and_runs_along_a_line(board: Any) -> None:
    colors = {"color": (1, 1, 1, 0), "gradient_to": "#fff"}
    pixels = draw(board, lambda s: s.add_box((32, 32), (64, 64), gradient="linear", **colors))
    assert np.abs(pixels - (np.arange(64) + 0.5) / 64).max() < 0.01
    fading = draw(board, lambda s: s.add_box((32, 32), (64, 64), gradient="linear"))
    assert np.abs(fading[:, ::-1] - pixels).max() < 0.01
    pixels = draw(board, lambda s: s.add_line((0, 32), (64, 32), 20, gradient="radial", **colors))
    assert np.abs(pixels[32] - np.abs(np.arange(64) - 31.5) / 32).max() < 0.01


def test_a_program_has_only_the_features_that_the_rows_need(board: Any) -> None:
    def needed() -> dict[str, int]:
        look, stroke, path = (
            table_of(shapes).column(name).data[: len(shapes)] for name in ("look", "stroke", "path")
        )
        return features(look, stroke[:, 0], shapes._contours.lengths[path])

    shapes = fw.Shapes()
    assert needed() == {}
    shapes.add_circle((0, 0), 3, stroke_width=1)
    shapes.add_box((0, 0), (3, 3), corner=1)
    shapes.add_line((0, 0), (9, 0), 2)
    assert needed() == {}
    shapes.add_ngon((0, 0), 9, 5)
    assert needed() == {"PATHS": 5}
    shapes.add_ellipse((0, 0), (9, 3))
    ellipse = shapes.add_ellipse((0, 0), (9, 3), stroke_width=1)
    assert needed() == {"ELLIPSES": 1, "PATHS": 5, "STROKED_ELLIPSES": 1}
    ellipse.stroke_width = 0
    assert needed() == {"ELLIPSES": 1, "PATHS": 5}
    shapes.remove([ellipse.row - 1, ellipse.row])
    star = shapes.add_star((0, 0), 9)
    assert needed() == {"PATHS": 10}
    star.stroke_width = 2
    line = shapes.add_line((0, 0), (9, 0), 2, dash=(1, 1), gradient="radial")
    assert needed() == {"DASHES": 1, "GRADIENTS": 1, "PATHS": 10, "STROKES": 1}
    line.remove()
    shapes.add_arc((0, 0), 5, 0, 1, dash=(1, 1))
    shapes.add_ngon((0, 0), 9, 11, stroke_width=1, stroke_color="#fff")
    assert set(needed()) == {"ARCS", "AROUND", "DASHES", "EDGES", "LONG_PATHS", "PATHS", "STROKES"}


def output_count(selected: dict[str, int]) -> int:
    """Return how many output vectors the vertex shader of a program declares."""
    defines = dict(selected)
    live = [True]
    count = 0
    text = (SHADERS / "include/outlines.glsl").read_text() + (SHADERS / "shapes.vert").read_text()
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word in ("#if", "#ifdef", "#ifndef"):
            rest = rest if word == "#if" else f"{'!' * (word == '#ifndef')}defined({rest})"
            live.append(condition_holds(rest, defines))
        elif word == "#elif":
            live[-1] = not live[-1] and condition_holds(rest, defines)
        elif word == "#else":
            live[-1] = not live[-1]
        elif word == "#endif":
            live.pop()
        elif word == "#define" and all(live):
            _, value = rest.split(" ", 1) if " " in rest else (rest, "0")
            defines |= {rest.split()[0]: int(eval(value.replace("/", "//"), {}, defines))}
        elif re.match(r"(flat |noperspective )?out ", line) and all(live):
            count += defines["HANDED_ON"] if "[HANDED_ON]" in line else 1
    return count


def condition_holds(condition: str, defines: dict[str, int]) -> bool:
    words = re.sub(r"defined\((\w+)\)", lambda selected: str(selected[1] in defines), condition)
    return bool(eval(words.replace("&&", " and ").replace("||", " or ").replace("!", " not ")))


@given(
    st.sets(st.sampled_from(["EDGES", "GRADIENTS", "DASHES", "ARCS", "STROKES"])),
    st.sampled_from(
        [{}, {"PATHS": 4}, {"PATHS": 5}, {"PATHS": 10}, {"PATHS": 10, "LONG_PATHS": 1}]
    ),
)
def test_a_vertex_shader_has_the_declared_number_of_output_vectors(
    names: set[str], paths: dict[str, int]
) -> None:
    selected = dict.fromkeys(names, 1) | paths
    assert handed_on(selected) == output_count(selected)
    assert not paths or handed_on(selected | {"LONG_PATHS": 1}) <= 15  # every driver has this many


def test_drivers_with_few_varyings_fetch_the_points_of_paths(make: Make, monkeypatch: Any) -> None:
    pictures = []
    for room in (60, 124):
        monkeypatch.setattr(shape_drawing, "driver_limit", lambda name, room=room: room)
        game = make(size=(SIZE, SIZE))
        shapes = game.add(fw.Shapes())
        shapes.add_polygon(L_SHAPE, color="#c04", gradient="linear", gradient_to="#0c4")
        shapes.add_star((32, 32), 20, stroke_width=2, stroke_color="#fff", color="#06c")
        shapes.add_arc((32, 32), 28, 0.5, 4, 3, dash=(5, 3))
        game.advance(0)
        pictures.append(game.pixels().astype(int))
        assert handed_on(driven(shapes).features) <= room // 4
    assert np.abs(pictures[0] - pictures[1]).max() <= 1


def test_an_arc_uses_the_first_scale_factor(board: Any) -> None:
    def arc(shapes: fw.Shapes, scale: Any) -> None:
        shapes.add_arc((32, 32), 10, 0.5, 4, 3, scale=scale).stroke_width = 3 / np.sqrt(
            scale[0] * scale[1]
        )

    round_ = draw(board, lambda s: arc(s, (2, 2)))
    flat = draw(board, lambda s: arc(s, (2, 0.5)))
    assert np.abs(round_ - flat).max() < 0.01


def test_new_kinds_of_shapes_are_noticed_while_drawing(board: Any) -> None:
    game, shapes = board
    star = L_SHAPE
    draw(board, lambda s: s.add_polygon(star))
    shapes[0].stroke_width = 4.0
    game.advance(0)
    assert game.pixels()[20, 20, 0] == 0
    assert game.pixels()[8, 10, 0] > 0
    shapes.add_polygon([(56, 40), (60, 40), (60, 60)])
    shapes.add_ngon((48, 44), 7, 40)
    game.advance(0)
    assert game.pixels()[19, 48, 0] == 255
    shapes.extend(1, "ellipse", position=(48, 8), size=(20, 6))
    game.advance(0)
    assert game.pixels()[55, [39, 48, 57], 0].tolist() == pytest.approx([255, 255, 255], abs=90)


def test_a_translucent_path_covers_each_pixel_once(board: Any) -> None:
    pixels = draw(
        board,
        lambda s: s.add_path([(8, 8), (30, 50), (52, 8)], 9, color=(1, 1, 1, 0.5), join="round"),
    )
    assert pixels.max() == pytest.approx(0.5, abs=0.01)


def test_shapes_are_interpolated_between_ticks_like_sprites(make: Make) -> None:
    class Moving(fw.Game):
        def setup(self) -> None:
            self.shapes = self.add(fw.Shapes())
            self.shape = self.shapes.add_box((10, 50), (10, 10), color=(0, 0, 0))

        def update(self, dt: float) -> None:
            self.shape.position = 50, 50
            self.shape.size = 30, 10
            self.shape.color = 1, 1, 1

    game = make(Moving)
    game.run_ticks(1)
    game.shapes.teleport(slice(None))
    game.shape.position = (10, 50)
    game.shape.size = (10, 10)
    game.shape.color = (0, 0, 0)
    game.run_ticks(1)
    old, new = table_of(game.shapes).states(slice(None))
    assert [column[0].tolist() for column in (old[0], old[3], old[4])] == [
        [10, 50],
        [10, 10],
        [0, 0, 0, 1],
    ]
    assert [column[0].tolist() for column in (new[0], new[3], new[4])] == [
        [50, 50],
        [30, 10],
        [1, 1, 1, 1],
    ]
    assert game.advance(1 / 120) == pytest.approx(0.5, abs=1e-6)
    assert game.pixels()[50, [19, 20, 30, 39, 40], 0] / 255 == pytest.approx(
        [0, 0.5, 0.5, 0.5, 0], abs=0.01
    )


def test_unchanged_rows_are_not_uploaded(make: Make) -> None:
    game = make()
    shapes = game.add(fw.Shapes())
    shapes.extend(100, "box", size=3)
    shapes.add_star((20, 20), 9)
    game.run_ticks(2)
    game.advance(0.02)
    game.advance(0.02)
    sent = driven(shapes).uploaded_bytes
    game.advance(0.1)
    assert driven(shapes).uploaded_bytes == sent > 0


def test_a_snapshot_restores_shapes(make: Make) -> None:
    game = make()
    shapes = game.add(fw.Shapes())
    shapes.add_star((50, 50), 30, color="#f00")
    game.advance(0)
    before = game.pixels()
    saved = game.snapshot()
    shapes.add_ngon((90, 50), 30, 6, layer=-1)
    shapes[0].position = 20, 20
    game.advance(0.1)
    assert (game.pixels() != before).any()
    game.restore(saved)
    game.advance(0)
    assert len(shapes) == 1
    assert (game.pixels() == before).all()


def test_the_ends_of_a_line_can_be_changed() -> None:
    shapes = fw.Shapes()
    line = shapes.add_line((0, 0), (10, 0))
    line.connect((0, 0), (0, 4))
    assert (line.position, line.size, line.kind) == ((0, 2), (4, 0), "line")
    assert line.angle == pytest.approx(np.pi / 2)
    with pytest.raises(ValueError, match="connect: expected a shape of add_line, got one of kind"):
        shapes.add_circle((0, 0), 3).connect((0, 0), (1, 1))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: s.add_polygon([(0, 0), (10, 10), (10, 0), (0, 10)]), "its edges 0 and 2 meet"),
        (
            lambda s: s.add_polygon([(0, 0), (5, 5)]),
            "points: expected at least three points that differ, got 2",
        ),
        (lambda s: s.add_polygon([(0, 0), (5, 5), (9, 9)]), "points: expected a polygon"),
        (lambda s: s.add_polygon([(0, 0), (5, float("nan")), (9, 0)]), "points: "),
        (
            lambda s: s.add_path([(1, 1), (1, 1)]),
            "points: expected at least two points that differ, got 1",
        ),
        (
            lambda s: s.add_path(np.arange(2000).reshape(-1, 2)),
            "points: expected at most 512 points, got 1,000",
        ),
        (lambda s: s.add_line((0, 0), (1, 1), 0), "width: expected a finite number above 0"),
        (lambda s: s.add_circle((0, 0), 0), "radius: expected a finite number above 0"),
        (lambda s: s.add_box((0, 0), (3, 0)), "size: "),
        (lambda s: s.add_box((0, 0), (3, 3), dash=(1, 1)), "dash: a box cannot have dashes"),
        (lambda s: s.add_circle((0, 0), 3, dash=(1, 1)), "dash: expected with a width"),
        (
            lambda s: s.add_circle((0, 0), 3, stroke_color="#fff"),
            "stroke_color: expected with a stroke_width",
        ),
        (lambda s: s.add_circle((0, float("nan")), 3), "position: "),
        (lambda s: s.extend(3, "blob"), "kind: "),
    ],
)
def test_invalid_shapes_are_refused_and_change_nothing(
    call: Callable[[Any], Any], words: str
) -> None:
    shapes = fw.Shapes()
    with pytest.raises(ValueError, match=words):
        call(shapes)
    assert len(shapes) == 0


def test_an_unknown_argument_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(TypeError, match="shapes: unknown option 'colour'; did you mean color"):
        fw.Shapes().add_circle((0, 0), 3, colour="red")


def test_a_shape_and_a_polygon_move_along_one_axis(make: Make) -> None:
    game = make(fw.Game, size=(64, 48))
    shape = game.add(fw.Shapes()).add_circle((10, 20), 5)
    polygon = game.add(fw.Polygons()).add_polygon([(0, 0), (9, 0), (0, 9)], position=(10, 20))
    for drawable in (shape, polygon):
        drawable.x += 3
        drawable.y = 5
        assert drawable.position == (13, 5)
        assert (drawable.x, drawable.y) == (13, 5)
        with pytest.raises(TypeError, match="x: expected a number, got 'x'"):
            drawable.x = "x"
    game.tween(shape, x=40, duration=0.05)
    game.run(5)
    assert shape.position == (40, 5)
