"""The overlay of F3: graph, numbers and timing bars, for frame times that the tests set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
import pytest
from pictures import solid

import framework as fw
from framework.watch.frame_stats import FrameStats
from framework.watch.message_panel import MessagePanel
from framework.watch.panels import NOTE, in_bytes

Make = Callable[..., Any]
F3 = 0xFFC0
MS = 1_000_000

# Position of the graph and of the strip in an image of 280 x 230: columns from the left, rows from
# the top.
LEFT = 16
RIGHT = 256
GRAPH_BOTTOM = 189
STRIP_BOTTOM = 215


def overlay_pixels(
    make: Make, frames: list[tuple[int, int, int, int, float]], **options: Any
) -> Any:
    """Return the pixels of a game with the overlay. Each frame is (update, draw, other, wait) in ms
    and an alpha."""
    game = make(fw.Game, size=(280, 230), **options)
    game.debug.overlay = True
    monitor = game.debug.frame_stats
    now = 0
    monitor.clear()
    for update, draw, other, wait, alpha in frames:
        monitor.recorder.begin_frame(now)
        monitor.recorder.ticked(now, now + update * MS)
        monitor.recorder.drawn(now, now + draw * MS, alpha, 0.0)
        monitor.span("wait", now, now + wait * MS)
        now += (update + draw + other + wait) * MS
        monitor.recorder.end_frame(now)
    return game.pixels()[..., :3].astype(int)


def is_like(pixel: Any, red: float, green: float, blue: float) -> bool:
    return bool(np.abs(np.asarray(pixel) - np.array([red, green, blue]) * 255).max() <= 12)


def test_f3_shows_the_overlay_and_hides_it(make: Make) -> None:
    game = make(fw.Game, size=(280, 230))
    game.run(2)
    assert not game.pixels()[..., :3].any()
    game.display.window.dispatch_event("on_key_press", F3, 0)
    assert game.debug.overlay
    game.run(2)
    assert game.pixels()[..., :3].max() > 200  # the text of the overlay
    game.display.window.dispatch_event("on_key_press", F3, 0)
    assert not game.debug.overlay
    game.run(1)
    assert not game.pixels()[..., :3].any()


def test_a_scene_that_handles_f3_shows_no_overlay(make: Make) -> None:
    class HandlesF3(fw.Game):
        def on_key_press(self, symbol: int, modifiers: int) -> bool:
            return symbol == F3

    game = make(HandlesF3)
    game.display.window.dispatch_event("on_key_press", F3, 0)
    assert not game.debug.overlay
    game.advance(1 / 60)
    assert not game.debug.overlay


def test_an_unhandled_press_of_f3_toggles_the_overlay_once(make: Make) -> None:
    class IgnoresKeys(fw.Game):
        def on_key_press(self, symbol: int, modifiers: int) -> None:
            pass

    for game in (make(IgnoresKeys), make(fw.Game), make(IgnoresKeys, immediate_events=True)):
        game.display.window.dispatch_event("on_key_press", F3, 0)
        for _ in range(3):
            game.advance(1 / 60)
        assert game.debug.overlay


def test_the_overlay_enables_frame_stats(make: Make) -> None:
    game = make(fw.Game, frame_stats=False)
    game.debug.overlay = True
    game.run(3)
    assert len(game.debug.frame_stats) == 3


def test_the_graph_stacks_update_draw_other_and_wait(make: Make) -> None:
    # 60 rows show 33.3 ms, so 10 ms have 18 rows.
    pixels = overlay_pixels(make, [(10, 0, 0, 0, 0.0)] + [(5, 5, 5, 5, 0.0)])
    newest = pixels[:GRAPH_BOTTOM, RIGHT - 1]
    assert is_like(newest[-4], 0.35, 0.68, 1)  # update, up to row 9
    assert is_like(newest[-13], 0.45, 0.86, 0.5)  # draw, up to row 18
    assert is_like(newest[-22], 1, 0.76, 0.3)  # other, up to row 27
    assert newest[-34].max() < 110  # wait, dim
    assert newest[-34].min() > newest[-40].max()  # nothing above the wait
    previous = pixels[:GRAPH_BOTTOM, RIGHT - 3]
    assert is_like(previous[-17], 0.35, 0.68, 1)
    assert previous[-22].max() < 40
    assert pixels[GRAPH_BOTTOM - 4, RIGHT - 5].max() < 40  # no frame recorded yet


def test_a_very_long_frame_ends_at_the_top_of_the_graph(make: Make) -> None:
    pixels = overlay_pixels(make, [(0, 500, 0, 0, 0.0)])
    column = pixels[:, RIGHT - 1]
    assert is_like(column[GRAPH_BOTTOM - 59], 0.45, 0.86, 0.5)
    assert column[GRAPH_BOTTOM - 62].max() < 40


def test_the_strip_shows_ticks_and_alpha_of_each_frame(make: Make) -> None:
    pixels = overlay_pixels(make, [(1, 1, 1, 1, 0.75)])
    strip = pixels[STRIP_BOTTOM - 18 : STRIP_BOTTOM, RIGHT - 1]
    assert is_like(strip[-3], 0.68, 0.56, 1)  # one of at most four ticks: 4.5 of 18 rows
    assert strip[-10][0] > 150  # alpha, up to row 13.5
    assert strip[-16].max() < 40


def test_the_overlay_is_drawn_over_all_scenes(make: Make) -> None:
    class White(fw.Game):
        def setup(self) -> None:
            self.add(fw.SpriteBatch(solid(600, 600), count=1))

    class Over(fw.Scene):
        def setup(self) -> None:
            self.sprites.add(solid(600, 600))

        def draw(self, alpha: float) -> None:
            self.game.picture.ctx.viewport = (0, 0, 3, 3)

    game = make(White, size=(280, 230))
    game.push(Over())
    game.camera.zoom = 3
    game.debug.overlay = True
    game.run(2)
    assert game.pixels()[12, 12, :3].max() < 60  # the dark panel
    assert game.pixels()[3, 3, :3].min() == 255


def test_the_numbers_change_four_times_a_second(make: Make) -> None:
    game = make(fw.Game)
    game.debug.overlay = True
    overlay = game._engine.painter.panels.overlay
    written_at: list[int] = []
    overlay._write_numbers = lambda: written_at.append(now)
    for now in range(0, 1_000 * MS, 10 * MS):
        overlay.draw(now, (200, 100))
    assert written_at == [0, 250 * MS, 500 * MS, 750 * MS]


def test_the_overlay_follows_a_resize_and_releases_its_blocks(make: Make) -> None:
    game = make(fw.Game, size=(280, 230))
    game.debug.overlay = True
    game.run(2)
    game.display.window.dispatch_event("on_resize", 320, 300)
    game.run(2)
    pixels = game.pixels()[..., :3]
    assert pixels.shape == (300, 320, 3)
    assert pixels[12:100].max() > 200  # still at the top
    game.debug.overlay = False
    assert not game._engine.stage.stack[0].drawables.frame_blocks
    game.debug.overlay = True
    game.run(1)


def test_a_hidden_overlay_does_not_change_the_image_of_the_game(make: Make) -> None:
    class Moves(fw.Game):
        def setup(self) -> None:
            self.ball = self.sprites.add(solid(9, 9))
            self.labels.add("Score", (5, 5))

        def update(self, dt: float) -> None:
            self.ball.position = 3 * self.tick, 50

    pictures = []
    for with_overlay in (False, True):
        game = make(Moves, tick_rate=25)
        game.run(5)
        game.debug.overlay = with_overlay
        game.run(5)
        game.debug.overlay = False
        game.run(3)
        pictures.append(game.pixels())
    assert (pictures[0] == pictures[1]).all()


def test_the_overlay_is_drawn_in_one_call_and_uploads_only_its_bars(make: Make) -> None:
    game = make(fw.Game)
    game.debug.overlay = True
    game.run(2)
    overlay = game._engine.painter.panels.overlay
    calls = []
    array = overlay._array
    buffer = overlay._buffer
    words = overlay._words

    class Spy:
        def __init__(self, target: Any, name: str) -> None:
            self.thing = target
            self.name = name

        def __getattr__(self, attribute: str) -> Any:
            if attribute in ("render", "write"):
                calls.append((self.name, attribute))
            return getattr(self.thing, attribute)

    overlay._array = Spy(array, "array")
    overlay._buffer = Spy(buffer, "bars")
    overlay._words = Spy(words, "words")
    overlay._refreshed = 2**62  # in the future, as if the clock was set back
    game.run(1)
    assert calls == [("words", "write"), ("bars", "write"), ("array", "render")]
    calls.clear()
    overlay.draw(
        overlay._refreshed + 1, (200, 100)
    )  # no new frame and no new numbers, except the frame that was just drawn
    assert calls == [("bars", "write"), ("array", "render")]
    calls.clear()
    overlay.draw(overlay._refreshed + 2, (200, 100))
    assert calls == [("array", "render")]
    overlay._array = array
    overlay._buffer = buffer
    overlay._words = words


def leave_default_state(ctx: Any) -> None:
    pass


def leave_depth_and_culling(ctx: Any) -> None:
    ctx.enable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.RASTERIZER_DISCARD)
    ctx.depth_func = "<"
    ctx.front_face = "cw"


def leave_wireframe_and_equation(ctx: Any) -> None:
    ctx.wireframe = True
    ctx.blend_equation = moderngl.FUNC_REVERSE_SUBTRACT


def leave_scissor(ctx: Any) -> None:
    ctx.scissor = (0, 0, 5, 5)


def leave_stencil_and_logic(ctx: Any) -> None:
    from pyglet import gl

    ctx.enable_direct(gl.GL_STENCIL_TEST)
    gl.glStencilFunc(gl.GL_NEVER, 0, 255)
    ctx.enable_direct(gl.GL_COLOR_LOGIC_OP)
    gl.glLogicOp(gl.GL_CLEAR)


def leave_another_framebuffer(ctx: Any) -> None:
    ctx.own = ctx.simple_framebuffer((16, 16))
    ctx.own.use()


@pytest.mark.parametrize(
    "leave",
    [
        leave_depth_and_culling,
        leave_wireframe_and_equation,
        leave_scissor,
        leave_stencil_and_logic,
        leave_another_framebuffer,
    ],
)
def test_the_overlay_is_drawn_correctly_after_any_opengl_state(
    make: Make, leave: Callable[[Any], None]
) -> None:
    pictures = []
    for leave_state in (leave_default_state, leave):

        class LeavesState(fw.Game):
            def draw(self, alpha: float, leave_state: Callable[[Any], None] = leave_state) -> None:
                leave_state(self.picture.ctx)

        game = make(LeavesState, size=(280, 230))
        game.debug.overlay = True
        overlay = game._engine.painter.panels.overlay
        overlay._monitor = FrameStats(clock=lambda: 0)  # the same numbers in both games
        game.run(1)
        pictures.append(game.pixels())
        overlay._monitor.close()
        assert game.picture.ctx.error == "GL_NO_ERROR"
    assert pictures[0][40, 20:120].max() > 120
    assert (pictures[0] == pictures[1]).all()


def test_the_overlay_restores_the_opengl_state_of_the_game(make: Make) -> None:
    from pyglet import gl

    game = make(fw.Game)
    game.debug.overlay = True
    game.picture.ctx.wireframe = True
    game.picture.ctx.enable_direct(gl.GL_STENCIL_TEST)
    game.picture.ctx.blend_equation = moderngl.MAX
    game.run(1)
    assert game.picture.ctx.wireframe
    assert gl.glIsEnabled(gl.GL_STENCIL_TEST)
    equation = gl.GLint()
    gl.glGetIntegerv(gl.GL_BLEND_EQUATION_RGB, equation)
    assert equation.value == gl.GL_MAX
    assert game.picture.ctx.error == "GL_NO_ERROR"


def test_the_overlay_shows_time_scale_pause_gpu_time_and_phases(make: Make) -> None:
    game = make(fw.Game, size=(280, 290))
    game.debug.overlay = True
    game.run(1)
    overlay = game._engine.painter.panels.overlay
    height = overlay._words.size[1]

    def overlay_text() -> dict[str, str]:
        overlay._refreshed = None
        game.run(1)
        return dict(overlay._said)

    def highlighted_pixels() -> int:
        return int((overlay._panel == in_bytes(NOTE)).all(axis=-1).sum())

    first_text = overlay_text()
    assert first_text["time"] == "x 1"
    assert not highlighted_pixels()
    game.timestep.time_scale = 0.05
    assert overlay_text()["time"] == "x 0.05"
    assert highlighted_pixels()
    game.timestep.paused = True
    assert overlay_text()["time"] == "paused"
    game.timestep.paused = False
    game.debug.frame_stats.clear()
    game.debug.frame_stats.recorder.begin_frame(0)
    game.debug.frame_stats.recorder.gpu_took(game.debug.frame_stats.recorder.number, 3 * MS)
    game.debug.frame_stats.recorder.end_frame(5 * MS)
    game.systems.add("ai", lambda dt: None)
    overlay._write_numbers()
    assert overlay._said["gpu"] == "3.00 ms"
    assert "update.ai" not in overlay._said
    game.timestep.time_scale = 1
    game.run(2)
    overlay._write_numbers()
    assert overlay._said["update.ai"].endswith(" ms")
    assert overlay._words.size[1] == height + 15  # one more line, for ai and movement


def test_at_pixel_ratio_2_the_overlay_has_twice_as_many_pixels(make: Make) -> None:
    game = make(fw.Game, size=(280, 230), pixel_ratio=2)
    game.debug.overlay = True
    game.run(2)
    pixels = game.pixels()[..., :3].astype(int)
    assert pixels.shape == (460, 560, 3)
    assert pixels[20, 20].max() < 60
    assert is_like(pixels[2 * STRIP_BOTTOM - 3, 2 * RIGHT - 1], 0.68, 0.56, 1)
    assert game._engine.painter.panels.overlay._words.size == (512, 430)


def test_the_overlay_covers_the_bars_of_a_letterbox(make: Make) -> None:
    game = make(fw.Game, size=(280, 400), resolution=(28, 10), background=(1, 1, 1))
    game.debug.overlay = True
    game.run(2)
    pixels = game.pixels()[..., :3].astype(int)
    assert is_like(pixels[STRIP_BOTTOM - 2, RIGHT - 1], 0.68, 0.56, 1)
    game.debug.overlay = False
    game.run(1)
    assert game.pixels()[0, 0, :3].max() == game.pixels()[399, 0, :3].max()


def test_the_text_of_a_low_panel_is_cut(make: Make) -> None:
    game = make(fw.Game, size=(64, 48))
    panel = MessagePanel([("words", NOTE)], whole=True)
    panel.attach(game.picture.ctx, 1)
    for height in (1, 12, 48):
        panel.draw(0, (64, height))
    panel.release()
