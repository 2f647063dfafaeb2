"""Screen mapping: a picture in units on a framebuffer in pixels."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from framework.screen_mapping import ScreenMapping, fit

Size = tuple[int, int]

sizes = st.tuples(st.integers(1, 4000), st.integers(1, 4000))


@given(size=sizes, framebuffer=sizes)
@example(size=(1, 4000), framebuffer=(100, 100))
@example(size=(4000, 1), framebuffer=(100, 100))
def test_a_letterboxed_picture_touches_two_borders_and_keeps_its_shape(
    size: Size, framebuffer: Size
) -> None:
    view = fit(size, framebuffer, "letterbox")
    x, y, w, h = view.viewport
    assert (w, h) == framebuffer or w == framebuffer[0] or h == framebuffer[1]
    assert w <= framebuffer[0]
    assert h <= framebuffer[1]
    assert min(w, h) >= 1
    assert abs((framebuffer[0] - w) - 2 * x) <= 1
    assert abs((framebuffer[1] - h) - 2 * y) <= 1
    factor = min(framebuffer[0] / size[0], framebuffer[1] / size[1])
    assert abs(w - size[0] * factor) <= 1
    assert abs(h - size[1] * factor) <= 1
    assert view.size == size


@given(size=sizes, framebuffer=sizes)
def test_integer_scaling_uses_a_whole_factor_if_one_fits(size: Size, framebuffer: Size) -> None:
    view = fit(size, framebuffer, "integer")
    _, _, w, h = view.viewport
    if framebuffer[0] >= size[0] and framebuffer[1] >= size[1]:
        assert (w % size[0], h % size[1]) == (0, 0)
        assert (
            w // size[0]
            == h // size[1]
            == min(framebuffer[0] // size[0], framebuffer[1] // size[1])
        )
    else:
        assert view == fit(size, framebuffer, "letterbox")


@given(size=sizes, framebuffer=sizes)
def test_a_stretched_picture_fills_the_framebuffer(size: Size, framebuffer: Size) -> None:
    assert fit(size, framebuffer, "stretch").viewport == (0, 0, *framebuffer)


def test_a_view_returns_the_pixels_per_unit() -> None:
    assert ScreenMapping((320.0, 180.0), (0, 20, 640, 720)).pixels_per_unit == (2.0, 4.0)
