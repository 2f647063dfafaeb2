"""A game without a window: clock, frames, input, start and end."""

from __future__ import annotations

import gc
import math
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import moderngl
import numpy as np
import pytest
from drawings import drawing
from pictures import Slanted, blob, centroid, solid
from PIL import Image
from ticking import Plain

import framework as fw
from framework.game import painter
from framework.game.loop import ByHand
from framework.motion.camera_base import frame_block_of
from framework.state.backend import backend_of
from framework.watch.frame_stats import FrameTimes

Make = Callable[..., Any]
A = 97
ESCAPE = 0xFF1B


class Counter(fw.Game):
    """A game that records its tick in each update."""

    def __init__(self, **options: Any) -> None:
        self.ticks: list[int] = []
        super().__init__(**options)

    def update(self, dt: float) -> None:
        self.ticks.append(self.tick)


class Balls(fw.Game):
    """A game with random numbers, motion and rotation, which must be reproducible."""

    def setup(self) -> None:
        self.balls = self.add(fw.SpriteBatch(blob(), count=20))
        self.balls.position[:] = self.random.uniform((0, 0), self.size, (20, 2))
        self.speed = self.random.normal(0, 60, (20, 2))
        self.states: list[bytes] = []

    def update(self, dt: float) -> None:
        self.speed += self.random.normal(0, 5, (20, 2))
        self.balls.position[:] += self.speed * dt
        self.balls.angle[:] += 2 * dt
        self.states.append(self.balls.position.tobytes() + self.balls.angle.tobytes())


# -- the virtual clock -----------------------------------------------------------------------------


def test_sixty_frames_of_a_sixtieth_make_one_tick_each(make: Make) -> None:
    game = make(Counter)
    for frame in range(1, 241):
        assert game.advance(1 / 60) < 1e-5
        assert game.tick == frame
    assert game.ticks == list(range(1, 241))


@pytest.mark.parametrize(
    ("tick_rate", "frame_rate"), [(30, 60), (60, 30), (120, 144), (59.94, 60), (7, 24), (60, 2)]
)
def test_all_due_ticks_have_run_after_each_frame(
    make: Make, tick_rate: Any, frame_rate: Any
) -> None:
    game = make(Counter, tick_rate=tick_rate, frame_rate=frame_rate)
    for frame in range(1, 2 * frame_rate + 1):
        game.run(1)
        assert game.tick == (Fraction(frame, frame_rate) * Fraction(str(tick_rate))).__floor__()
    assert game.timestep.dropped_time == 0


def test_irregular_frame_times_run_the_due_ticks_and_return_alpha(make: Make) -> None:
    game = make(Counter, tick_rate=50)
    dice = np.random.default_rng(2)
    now = Fraction(0)
    for frame_time in dice.uniform(0, 0.1, 200):
        now += Fraction(frame_time)
        alpha = game.advance(frame_time)
        assert game.tick + alpha == pytest.approx(float(now * 50), abs=1e-6)
    assert game.debug.frames == 200


def test_a_frame_time_of_zero_draws_without_a_tick(make: Make) -> None:
    game = make(Counter)
    assert game.advance(0) == 0.0
    assert (game.tick, game.debug.frames) == (0, 1)


def test_run_draws_the_given_number_of_frames_and_continues(make: Make) -> None:
    game = make(Counter)
    game.run(3)
    game.run(0)
    game.run(np.int64(4))
    assert (game.debug.frames, game.tick) == (7, 7)


def test_exit_ends_run_after_the_frame_and_a_later_run_continues(make: Make) -> None:
    class Exiting(Counter):
        def update(self, dt: float) -> None:
            if self.tick == 3:
                self.exit()

    game = make(Exiting)
    game.run(10)
    assert game.debug.frames == 3
    game.run(2)
    assert game.debug.frames == 5


@pytest.mark.filterwarnings("ignore:advance:RuntimeWarning")  # a long frame drops time
def test_a_long_frame_time_is_limited_as_in_a_window(make: Make) -> None:
    game = make(Counter)
    game.advance(10.0)
    assert game.tick == 8
    assert game.timestep.dropped_time > 9.7


def test_a_moving_sprite_is_drawn_at_its_exact_position(make: Make) -> None:
    class Flight(fw.Game):
        def setup(self) -> None:
            self.ball = self.sprites.add(blob(), position=(40, 30))

        def update(self, dt: float) -> None:
            self.ball.x += 90 * dt
            self.ball.y += 30 * dt

    game = make(Flight, tick_rate=20)
    dice = np.random.default_rng(5)
    now = 0.0
    for _ in range(25):
        now += (step := dice.uniform(0.001, 0.07))
        game.advance(step)
        shown = max(0.0, now - 1 / 20)  # the image is one tick behind the clock
        assert centroid(game.pixels()) == pytest.approx(
            (40 + 90 * shown, 30 + 30 * shown), abs=0.05
        )


def test_the_same_seed_has_the_same_states_and_images_at_any_frame_rate(make: Make) -> None:
    runs = []
    for frame_rate in (30, 60, 144):
        game = make(Balls, seed=7, frame_rate=frame_rate)
        while game.tick < 60:
            game.run(1)
        assert (game.tick, game.timestep.alpha) == (60, pytest.approx(0, abs=1e-6))
        runs.append((b"".join(game.states), game.pixels()))
        game.close()
    for states, image in runs[1:]:
        assert states == runs[0][0]
        assert (image == runs[0][1]).all()
    other_seed = make(Balls, seed=8)
    other_seed.run(60)
    assert b"".join(other_seed.states) != runs[0][0]
    assert runs[0][1][..., :3].max() > 200  # the image is not empty


@pytest.mark.parametrize("frame_rate", [4, 10, 60, 144])
def test_a_pause_in_update_stops_at_that_tick_at_any_frame_rate(
    make: Make, frame_rate: int
) -> None:
    class Pauses(Counter):
        def update(self, dt: float) -> None:
            super().update(dt)
            if self.tick == 4:
                self.timestep.paused = True

    game = make(Pauses, frame_rate=frame_rate)
    game.run(frame_rate)
    assert game.ticks == [1, 2, 3, 4]
    assert (game.tick, game.timestep.tick) == (4, 4)
    game.timestep.paused = False
    game.advance(1 / 60)
    assert game.tick in (4, 5)  # the ticks of one frame, without the ticks of the pause


def test_all_single_steps_of_a_paused_game_run(make: Make) -> None:
    game = make(Counter)
    game.timestep.paused = True
    game.advance(1.0)
    game.timestep.step(5)
    game.advance(1.0)
    game.advance(1.0)
    assert game.ticks == [1, 2, 3, 4, 5]


# -- pausing ---------------------------------------------------------------------------------------


def paused_balls(make: Make) -> Any:
    game = make(Balls)
    game.ship = game.sprites.add(solid(10, 10), position=(50, 50))
    for _ in range(5):
        game.advance(0.02)
    game.timestep.paused = True
    game.advance(0.02)
    return game


def test_a_paused_game_draws_the_same_image(make: Make) -> None:
    game = paused_balls(make)
    before = game.pixels()
    for _ in range(3):
        game.advance(0.013)
        assert (game.pixels() == before).all()


def test_paused_frames_upload_nothing(make: Make) -> None:
    game = paused_balls(make)
    before = drawing(game.balls).uploaded_bytes, drawing(game.sprites).uploaded_bytes
    for _ in range(3):
        game.advance(0.013)
    assert (drawing(game.balls).uploaded_bytes, drawing(game.sprites).uploaded_bytes) == before


def test_a_sprite_written_during_a_pause_is_drawn_at_its_new_position(make: Make) -> None:
    game = paused_balls(make)
    game.balls.visible[:] = False
    game.on_key_press = lambda symbol, modifiers: setattr(game.ship, "position", (150, 20))
    game.display.window.dispatch_event("on_key_press", A, 0)
    game.advance(0.01)
    assert centroid(game.pixels()) == pytest.approx((150, 20), abs=0.01)


# -- creation and errors ---------------------------------------------------------------------------


def test_setup_runs_after_all_init_methods(make: Make) -> None:
    class Base(fw.Game):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.speed = 3

        def setup(self) -> None:
            self.values_in_setup = (self.speed, self.lives)  # type: ignore[attr-defined]

    class Derived(Base):
        def __init__(self, lives: int, **options: Any) -> None:
            super().__init__(**options)
            self.lives = lives

    game = Derived(9, size=(64, 64), headless=True)
    assert game.values_in_setup == (3, 9)
    game.close()


def test_a_batch_added_in_init_is_drawn(make: Make) -> None:
    class Early(fw.Game):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.camera.position = 100, 50
            self.add(fw.SpriteBatch(solid(20, 20), count=1)).position = (100, 50)

    game = make(Early)
    game.advance(0)
    assert centroid(game.pixels()) == pytest.approx((100, 50), abs=0.01)


def test_an_init_without_super_is_an_error() -> None:
    class WithoutSuper(fw.Game):
        def __init__(self) -> None:
            pass

    with pytest.raises(TypeError, match=r"WithoutSuper\.__init__ must call super\(\)\.__init__"):
        WithoutSuper()


class Oops(Exception):
    pass


def _failing(where: str, error: type[BaseException] = Oops) -> type[fw.Game]:
    def fail(self: Any, *args: Any) -> None:
        raise error(where)

    def init(self: Any, **options: Any) -> None:
        fw.Game.__init__(self, **options)
        raise error(where)

    return type("Failing", (fw.Game,), {"__init__": init} if where == "__init__" else {where: fail})


@pytest.mark.parametrize("error", [Oops, KeyboardInterrupt])
@pytest.mark.parametrize("where", ["__init__", "setup", "on_enter", "update", "draw"])
def test_an_exception_is_raised_unchanged_and_the_next_game_works(
    make: Make, where: str, error: type[BaseException]
) -> None:
    games: list[Any] = []

    def play() -> None:
        games.append(make(_failing(where, error)))
        games[0].run(5)

    with pytest.raises(error, match=where) as caught:
        play()
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert caught.traceback[-1].name in ("fail", "init")
    assert bool(games) == (where in ("update", "draw"))
    for game in games:
        with pytest.raises(fw.FrameworkError, match="closed"):
            game.pixels()
    backend = make(Balls)
    backend.run(2)
    assert backend.pixels().any()
    assert backend.picture.ctx.error == "GL_NO_ERROR"


def test_an_exception_is_not_replaced_by_an_error_during_release(make: Make) -> None:
    class Stubborn:
        def attach(self, graphics: Any) -> None: ...
        def begin_tick(self, dt: float) -> None: ...
        def end_tick(self) -> None: ...
        def draw(self) -> None: ...
        def release(self) -> None:
            raise RuntimeError("release failed too")

    class Fails(fw.Game):
        def setup(self) -> None:
            self.add(Stubborn())
            self.balls = self.add(fw.SpriteBatch(blob(), count=3))

        def update(self, dt: float) -> None:
            raise Oops

    game = make(Fails)
    with pytest.raises(Oops) as caught:
        game.run(1)
    assert caught.value.__context__ is None
    assert backend_of(game.balls) is None  # the other batches were released anyway
    assert game._engine.surface.game_closed


def test_close_may_be_called_twice_and_later_use_is_a_clear_error(make: Make) -> None:
    game = make(Balls)
    game.run(1)
    game.close()
    game.close()
    calls: list[Callable[[], Any]] = [
        game.run,
        game.pixels,
        lambda: game.advance(0.1),
        lambda: game.screenshot("x.png"),
        lambda: game.display.window,
        lambda: game.picture.ctx,
        lambda: game.display.headless,
        lambda: game.push(fw.Scene()),
        lambda: game.add(fw.SpriteBatch()),
    ]
    for use in calls:
        with pytest.raises(fw.FrameworkError, match=r"This game was closed; make a new one\."):
            use()
    assert (game.tick, game.debug.frames, game.size) == (1, 1, (200, 100))


def test_a_with_statement_always_closes_the_game() -> None:
    with fw.Game(size=(64, 64), headless=True) as game:
        game.run(1)
    assert game._engine.surface.game_closed
    with pytest.raises(Oops), fw.Game(size=(64, 64), headless=True) as game:
        raise Oops
    assert game._engine.surface.game_closed


@pytest.mark.parametrize("where", ["update", "draw", "on_key_press"])
@pytest.mark.parametrize("how", ["game.close", "window.close"])
def test_close_in_a_callback_takes_effect_after_the_frame(make: Make, where: str, how: str) -> None:
    def close(self: Any, *args: Any) -> None:
        self.close() if how == "game.close" else self.display.window.close()

    game = make(type("Closes", (Counter,), {where: close}))
    if where == "on_key_press":
        game.display.window.dispatch_event("on_key_press", A, 0)
    game.run(10)
    assert game.debug.frames == 1
    with pytest.raises(fw.FrameworkError, match="closed"):
        game.run(1)


def test_a_running_game_cannot_be_run_again(make: Make) -> None:
    class Nested(fw.Game):
        call = "run"

        def update(self, dt: float) -> None:
            getattr(self, self.call)(1)

    for call in ("run", "advance"):
        game = make(Nested)
        game.call = call
        with pytest.raises(fw.FrameworkError, match=f"{call}: this game is running already"):
            game.run(1)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="EGL is for Linux")
def test_a_separate_moderngl_context_outlives_the_games_of_its_process(unfrozen: None) -> None:
    context = moderngl.create_context(standalone=True, backend="egl")
    with context:
        buffer = context.buffer(b"abcd")
    with fw.Game(headless=True, size=(4, 4)):
        pass
    gc.collect()  # collecting pyglet's unused display would end all contexts
    with context:
        assert buffer.read() == b"abcd"
    context.release()


# In another process: after a test has opened windows, games without a window use a hidden window
# on the same display.
_TWO_CONTEXTS = """
import framework as fw

with fw.Game(headless=True, size=(4, 4)) as game:
    from pyglet.gl import gl, gl_info  # off screen, as the game is

    known = game.display.window.context.get_info()

def queried_again(*args):
    raise AssertionError("queried again")

gl.glGetStringi = queried_again
with fw.Game(headless=True, size=(4, 4)) as game:
    info = game.display.window.context.get_info()
    assert info is not known
    assert info.extensions == known.extensions
    assert gl_info.get_extensions() == known.extensions
    assert gl_info.have_context()
    assert info.have_version(3, 3)
    assert gl_info.get_renderer() == info.get_renderer() != ""
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="EGL is for Linux")
def test_pyglet_queries_the_driver_only_once() -> None:
    process = subprocess.run(
        [sys.executable, "-c", _TWO_CONTEXTS], capture_output=True, text=True, timeout=100
    )
    assert process.returncode == 0, process.stderr


def test_two_games_do_not_draw_on_each_other(make: Make) -> None:
    class First(fw.Game):
        def setup(self) -> None:
            self.box = self.sprites.add(solid(20, 20), position=(50, 50))

    class Second(fw.Game):  # in this game, the names of OpenGL objects mean different objects
        def setup(self) -> None:
            for _ in range(3):
                self.add(fw.SpriteBatch([blob(), solid(3, 3)], count=7)).visible = False
            self.box = self.sprites.add(solid(10, 10, (255, 0, 0, 255)), position=(150, 50))

    first = make(First)
    second = make(Second)
    for _ in range(3):
        first.advance(1 / 60)
        second.advance(1 / 60)
    assert centroid(first.pixels()) == pytest.approx((50, 50), abs=0.01)
    first.sprites.add(solid(4, 4, (0, 255, 0, 255)), position=(50, 80))
    first.advance(0)
    second.push(fw.Scene())
    assert centroid(second.pixels()) == pytest.approx((150, 50), abs=0.01)
    assert tuple(first.pixels()[19, 50]) == (0, 255, 0, 255)
    assert tuple(first.pixels()[49, 50]) == (255, 255, 255, 255)
    first.close()
    second.advance(1 / 60)
    assert centroid(second.pixels()) == pytest.approx((150, 50), abs=0.01)


def test_the_context_of_the_running_game_is_current(make: Make) -> None:
    # Mesa can draw to a framebuffer from the other game's context. Other drivers cannot.
    class Querying(fw.Game):
        def update(self, dt: float) -> None:
            from pyglet import gl

            self.current = gl.current_context is self.display.window.context

    games = [make(Querying), make(Querying)]
    for game in (*games, *games):
        game.current = False
        game.advance(1 / 60)
        assert game.current


# -- arguments -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        *[
            {"size": size}
            for size in [(0, 10), (-5, 5), (1.5, 2), "ab", "12", 5, None, (1, 2, 3), (math.nan, 1)]
        ],
        *[{"resolution": size} for size in [(0, 10), "ab", (320, 1.5)]],
        *[{"samples": samples} for samples in (-1, "4", 2.5, None, True)],
        *[{"pixel_ratio": ratio} for ratio in (0, -1, "2", math.nan, math.inf, None)],
        *[{"background": color} for color in ("red!", (1, 0), 7, None, (math.nan, 0, 0))],
        *[{"tick_rate": rate} for rate in (0, "60", math.nan, None)],
        *[{"frame_rate": rate} for rate in (0, "60", math.nan, None)],
        *[{"scaling": scaling} for scaling in ("fit", "", None)],
        *[{"seed": seed} for seed in (-1, "x", 1.5)],
        *[{"timestep": loop} for loop in (60, "fixed", fw.FixedTimestep)],
    ],
    ids=str,
)
def test_an_invalid_option_is_refused_with_its_name(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises((ValueError, TypeError), match=rf"^{name}: expected"):
        fw.Game(**{"size": (64, 64), "headless": True, **options})


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="heigth"):
        fw.Game(heigth=5)  # type: ignore[call-arg]


def test_a_timestep_that_has_run_is_refused(make: Make) -> None:
    loop = fw.FixedTimestep(30)
    game = make(Counter, timestep=loop)
    assert game.timestep is loop
    game.run(4)
    assert game.tick == 2
    with pytest.raises(ValueError, match="got one that has run 2 ticks"):
        make(Counter, timestep=loop)


@pytest.mark.parametrize("frames", [-1, 1.5, "3", True])
def test_an_invalid_number_of_frames_is_refused(make: Make, frames: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=r"^frames: expected"):
        make().run(frames)


@pytest.mark.parametrize("seconds", [-0.1, math.nan, math.inf, "1", None, True])
def test_an_invalid_frame_time_is_refused_and_the_game_continues(make: Make, seconds: Any) -> None:
    game = make()
    with pytest.raises((ValueError, TypeError), match=r"^frame_time: expected"):
        game.advance(seconds)
    game.advance(np.float32(0.02))
    assert game.tick == 1


def test_a_size_above_the_limit_of_opengl_is_refused() -> None:
    with pytest.raises(
        fw.DisplayError,
        match=r"size: expected at most \d+ pixels per side",
    ):
        fw.Game(size=(200_000, 10), headless=True)
    fw.Game(size=(64, 64), headless=True).close()


# -- images ----------------------------------------------------------------------------------------


class Corner(fw.Game):
    """A game with a red square at the bottom left and a green square at the top right."""

    def setup(self) -> None:
        self.sprites.add(solid(20, 10, (255, 0, 0, 255)), position=(10, 5))
        self.sprites.add(
            solid(20, 10, (0, 255, 0, 255)), position=(self.width - 10, self.height - 5)
        )


def test_pixels_are_rgba_rows_from_the_top(make: Make) -> None:
    image = make(Corner, background=(0, 0, 1)).pixels()
    assert image.shape == (100, 200, 4)
    assert image.dtype == np.uint8
    assert image.flags.writeable
    assert image.flags.c_contiguous
    assert tuple(image[95, 5]) == (255, 0, 0, 255)  # the last row is the bottom
    assert tuple(image[5, 195]) == (0, 255, 0, 255)
    assert tuple(image[50, 100]) == (0, 0, 255, 255)


def test_pixels_before_the_first_frame_show_the_sprites_of_setup(make: Make) -> None:
    assert make(Corner).pixels()[95, 5, 0] == 255


def test_pixels_within_draw_are_refused(make: Make) -> None:
    class Reading(fw.Game):
        def draw(self, alpha: float) -> None:
            self.pixels()

    with pytest.raises(fw.FrameworkError, match="pixels: the frame is not finished"):
        make(Reading).run(1)


def test_an_image_stays_opaque_with_every_blend_mode(make: Make) -> None:
    game = make()
    for blend in ("alpha", "add", "multiply", "screen", "exclusion", "replace"):
        game.add(fw.SpriteBatch(solid(50, 50, (255, 0, 0, 100)), count=1, blend=blend)).position = (
            100,
            50,
        )
    assert (game.pixels()[..., 3] == 255).all()


def test_the_background_can_be_changed_and_is_checked(make: Make) -> None:
    game = make()
    game.background = (0.2, 0.4, 1)
    game.advance(0)
    assert tuple(game.pixels()[0, 0]) == (51, 102, 255, 255)
    with pytest.raises(ValueError, match=r"^background: expected 3 or 4 finite numbers, got"):
        game.background = (0.1, 0.2)
    assert game.background == (0.2, 0.4, 1)


@pytest.mark.parametrize(
    "options", [{"tick_rate": 1e9}, {"frame_rate": 1e-9}, {"tick_rate": 1e4, "frame_rate": 0.01}]
)
def test_too_many_ticks_in_a_frame_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(
        ValueError, match=r"tick_rate: expected at most 100,000 ticks in a frame \(which may take"
    ):
        fw.Game(headless=True, size=(8, 8), **options)


def test_a_screenshot_has_the_pixels_of_the_game(make: Make, tmp_path: Path) -> None:
    game = make(Corner)
    game.advance(0)
    for name in ("shot.png", tmp_path / "shot.bmp"):
        game.screenshot(tmp_path / name)
        assert (np.asarray(Image.open(tmp_path / name).convert("RGBA")) == game.pixels()).all()
    game.screenshot(str(tmp_path / "shot.jpg"))
    assert np.asarray(Image.open(tmp_path / "shot.jpg"))[95, 3, 0] > 200


@pytest.mark.parametrize(
    "name", ["no/such/folder.png", "", "noending", "shot.xyz", ".", "nul\0l.png"]
)
def test_a_screenshot_that_cannot_be_written_is_an_asset_error(
    make: Make, tmp_path: Path, name: str
) -> None:
    with pytest.raises(fw.AssetError, match="The image cannot be written to"):
        make().screenshot(f"{tmp_path}/{name}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("within", ["update", "draw", "task", "scene"])
def test_a_screenshot_during_a_frame_shows_that_frame(
    make: Make, tmp_path: Path, within: str
) -> None:
    class Shoots(Balls):
        def shoot(self, *_: object) -> None:
            if self.tick == 3:
                self.screenshot(tmp_path / "shot.png")
                assert not (tmp_path / "shot.png").exists()

        def update(self, dt: float) -> None:
            super().update(dt)
            if within == "update":
                self.shoot()
            elif within == "scene" and self.tick == 3:
                self.push(Shot())

        def draw(self, alpha: float) -> None:
            if within == "draw":
                self.shoot()

    class Shot(fw.Scene):
        def on_enter(self) -> None:
            self.game.schedule.once(self.game.shoot, 0)
            self.game.screenshot(tmp_path / "shot.png")

    game = make(Shoots)
    if within == "task":
        game.schedule.interval(game.shoot, 1 / 60)
    for _ in range(3):
        game.advance(1 / 60)
    if within != "scene":  # in a scene's on_enter, the screenshot shows the image before the scene
        assert (np.asarray(Image.open(tmp_path / "shot.png")) == game.pixels()).all()
    (tmp_path / "shot.png").unlink()
    game.advance(1 / 60)
    assert list(tmp_path.iterdir()) == []


def test_a_screenshot_during_a_frame_raises_if_it_cannot_be_written(
    make: Make,
) -> None:
    class Shoots(fw.Game):
        def update(self, dt: float) -> None:
            self.screenshot("no/such/folder.png")

    game = make(Shoots)
    with pytest.raises(fw.AssetError, match="The image cannot be written to 'no"):
        game.advance(1 / 60)


def test_a_screenshot_that_fails_does_not_prevent_the_others(make: Make, tmp_path: Path) -> None:
    class Shoots(fw.Game):
        def update(self, dt: float) -> None:
            for name in ("a.png", "no/first.png", "b.png", "no/second.png", "c.png"):
                self.screenshot(tmp_path / name)

    game = make(Shoots)
    with pytest.raises(fw.AssetError, match=r"first\.png"):
        game.advance(1 / 60)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.png", "b.png", "c.png"]


def test_msaa_smooths_a_slanted_edge(make: Make) -> None:
    hard = make(Slanted).pixels()
    smooth = make(Slanted, samples=4).pixels()
    assert set(np.unique(hard[..., 0])) == {0, 255}
    between = (smooth[..., 0] > 0) & (smooth[..., 0] < 255)
    assert between.sum() > 50
    assert abs(smooth[..., 0].mean() - hard[..., 0].mean()) < 1


def test_pixel_ratio_2_doubles_the_pixels_but_not_the_units(make: Make) -> None:
    game = make(Corner, pixel_ratio=2)
    assert game.size == (200, 100)
    assert game.pixels().shape == (200, 400, 4)
    assert tuple(game.pixels()[190, 39]) == (255, 0, 0, 255)
    assert tuple(game.pixels()[190, 41]) == (0, 0, 0, 255)


@pytest.mark.parametrize(
    ("scaling", "left_bar", "red"),
    [("letterbox", 50, (5, 45)), ("integer", 60, (15, 60)), ("stretch", 0, (5, 10))],
)
def test_the_view_is_scaled_to_the_window(
    make: Make, scaling: str, left_bar: int, red: Any
) -> None:
    size = (180, 90) if scaling == "integer" else (200, 100)
    game = make(
        Corner,
        size=size,
        resolution=(50, 50) if scaling != "integer" else (60, 60),
        scaling=scaling,
    )
    assert game.size in ((50, 50), (60, 60))
    image = game.pixels()
    if left_bar:
        assert not image[:, : left_bar - 1, :3].any()
    assert image[-red[0] - 1, left_bar + 2, 0] == 255


# -- input -----------------------------------------------------------------------------------------


def test_letterbox_bars_have_their_own_color(make: Make) -> None:
    game = make(size=(200, 100), resolution=(100, 100), background=(0, 0, 1))
    game.advance(0)
    assert game.pixels()[50, 20, :3].tolist() == [0, 0, 0]
    assert game.pixels()[50, 100, :3].tolist() == [0, 0, 255]
    game.picture.letterbox_color = (1, 0, 0)
    game.advance(0)
    for x, color in (
        (0, [255, 0, 0]),
        (49, [255, 0, 0]),
        (50, [0, 0, 255]),
        (149, [0, 0, 255]),
        (150, [255, 0, 0]),
    ):
        assert game.pixels()[50, x, :3].tolist() == color
    game.display.window.dispatch_event("on_resize", 100, 100)
    game.advance(0)
    assert (game.pixels()[..., :3] == [0, 0, 255]).all()
    with pytest.raises(ValueError, match="letterbox_color"):
        game.picture.letterbox_color = (1, 2)
    assert game.picture.letterbox_color == (1, 0, 0)


class Listener(fw.Game):
    """A game that records the state of the key A in each tick, and all events."""

    handled: Any = None

    def setup(self) -> None:
        self.key_states: list[tuple[bool, int, int]] = []
        self.events: list[tuple[Any, ...]] = []

    def update(self, dt: float) -> None:
        self.key_states.append((self.keys["a"], self.keys.presses(A), self.keys.releases("A")))


def _note(name: str) -> Callable[..., Any]:
    def handler(self: Any, *args: Any) -> Any:
        self.events.append((name, *args))
        return self.handled

    return handler


EVENTS: list[tuple[Any, ...]] = [
    ("on_key_press", A, 2),
    ("on_key_release", A, 2),
    ("on_mouse_motion", 30, 40, 3, -4),
    ("on_mouse_drag", 30, 40, 3, -4, 1, 0),
    ("on_mouse_press", 30, 40, 1, 0),
    ("on_mouse_release", 30, 40, 1, 0),
    ("on_mouse_scroll", 30, 40, 0, -1),
    ("on_mouse_enter", 30, 40),
    ("on_mouse_leave", 30, 40),
    ("on_text", "é"),
    ("on_text_motion", 5),
    ("on_text_motion_select", 5),
    ("on_activate",),
    ("on_deactivate",),
    ("on_show",),
    ("on_hide",),
    ("on_file_drop", 3, 4, ["x"]),
    ("on_move", 3, 4),
    ("on_resize", 200, 100),
    ("on_close",),
]
for _event in EVENTS:
    setattr(Listener, _event[0], _note(_event[0]))


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event[0])
def test_every_window_event_calls_the_games_method_in_the_next_tick(make: Make, event: Any) -> None:
    game = make(Listener)
    game.display.window.dispatch_event(*event)
    game.advance(1 / 120)  # a frame between two ticks
    assert (game.events, game.tick) == ([], 0)
    game.advance(1 / 120)
    assert (game.events, game.tick) == ([event], 1)
    game.advance(1 / 60)
    assert game.events == [event]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event[0])
def test_immediate_events_arrive_at_once(make: Make, event: Any) -> None:
    game = make(Listener, immediate_events=True)
    game.display.window.dispatch_event(*event)
    assert game.events == [event]
    game.advance(1 / 60)
    assert game.events == [event]


@pytest.mark.parametrize("still", ["paused", "time_scale 0", "hidden"])
def test_events_arrive_in_the_next_frame_while_time_is_stopped(make: Make, still: str) -> None:
    game = make(Listener, pause_when_hidden=True)
    game.advance(1 / 60)
    if still == "hidden":
        game.display.window.dispatch_event("on_hide")
        game.advance(1 / 60)
        game.events.clear()
    else:
        game.timestep.paused = still == "paused"
        game.timestep.time_scale = float(still == "paused")
    game.display.window.dispatch_event("on_key_press", A, 0)
    game.display.window.dispatch_event("on_text", "a")
    assert game.events == []
    ticks = game.tick
    game.advance(0)
    assert game.events == [("on_key_press", A, 0), ("on_text", "a")]
    assert game.tick == ticks
    game.timestep.paused = False
    game.timestep.time_scale = 1.0
    game.display.window.dispatch_event("on_show")
    game.advance(1 / 60)
    game.advance(1 / 60)
    assert game.key_states.count((True, 1, 0)) == 1  # the next tick still receives the press
    assert game.events == [("on_key_press", A, 0), ("on_text", "a"), ("on_show",)]


@pytest.mark.parametrize("frame_rate", [7, 30, 60, 144, 1000])
def test_event_methods_run_in_the_tick_of_their_input_at_any_frame_rate(
    make: Make, frame_rate: int
) -> None:
    order: list[Any] = []

    class Notes(fw.Game):
        def update(self, dt: float) -> None:
            order.append((self.tick, "update"))

        def on_key_press(self, symbol: int, modifiers: int) -> None:
            order.append((self.tick, symbol, self.keys.presses(symbol), self.mouse.x))

        def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> None:
            order.append((self.tick, x))

    game = make(Notes, frame_rate=frame_rate)
    while game.tick < 20:
        game.run(1)
    order.clear()
    tick = game.tick + 1
    game.display.window.dispatch_event("on_key_press", A, 0)
    game.display.window.dispatch_event("on_mouse_motion", 5, 6, 1, 1)
    game.display.window.dispatch_event("on_key_press", A + 1, 0)
    while game.tick < tick:
        game.run(1)
    assert order[:4] == [(tick, A, 1, 5), (tick, 5), (tick, A + 1, 1, 5), (tick, "update")]
    assert all(event == "update" for _, event, *_ in order[3:])


@pytest.mark.parametrize("frame_rate", [10, 60, 144, 1000])
def test_a_press_shorter_than_a_tick_is_in_exactly_one_tick(make: Make, frame_rate: int) -> None:
    game = make(Listener, frame_rate=frame_rate)
    game.run(frame_rate // 5)
    game.display.window.dispatch_event("on_key_press", A, 0)
    game.display.window.dispatch_event("on_key_release", A, 0)
    game.run(frame_rate // 5)
    assert game.key_states.count((True, 1, 1)) == 1
    assert set(game.key_states) == {(True, 1, 1), (False, 0, 0)}


def test_held_presses_and_releases_follow_the_key_in_each_tick(make: Make) -> None:
    game = make(Listener)
    for kind in (None, "on_key_press", None, "on_key_release", None):
        if kind:
            game.display.window.dispatch_event(kind, A, 0)
        game.advance(1 / 60)
    assert game.key_states == [
        (False, 0, 0),
        (True, 1, 0),
        (True, 0, 0),
        (True, 0, 1),
        (False, 0, 0),
    ]


def test_several_presses_within_a_tick_are_counted(make: Make) -> None:
    game = make(Listener)
    for _ in range(3):
        game.display.window.dispatch_event("on_key_press", A, 0)
        game.display.window.dispatch_event("on_key_release", A, 0)
    game.advance(1 / 60)
    assert game.key_states == [(True, 3, 3)]


def test_losing_the_focus_releases_keys_and_buttons(make: Make) -> None:
    game = make()
    game.display.window.dispatch_event("on_key_press", A, 0)
    game.display.window.dispatch_event("on_mouse_press", 1, 1, 4, 0)
    game.advance(1 / 60)
    assert (game.keys["a"], game.mouse["right"]) == (True, True)
    game.display.window.dispatch_event("on_deactivate")
    game.advance(1 / 60)
    assert (game.keys.releases("a"), game.mouse.releases("right")) == (1, 1)
    game.advance(1 / 60)
    assert (game.keys["a"], game.mouse["right"]) == (False, False)


def test_keys_have_the_names_of_pyglet_and_digits_their_own(make: Make) -> None:
    game = make()
    for symbol in (32, 49, 0xFF52, 0xFFE1):
        game.display.window.dispatch_event("on_key_press", symbol, 0)
    game.advance(1 / 60)
    assert all(game.keys[name] for name in ("space", "SPACE", "1", "up", "LSHIFT"))
    for name in ("spcae", "mod_shift", "motion_up"):
        with pytest.raises(ValueError, match=name):
            game.keys[name]


def test_mouse_positions_are_in_the_games_units(make: Make) -> None:
    # A game of 100 x 100 units in a window of 200 x 100 has bars of 50 window units.
    game = make(Listener, resolution=(100, 100))
    game.display.window.dispatch_event("on_mouse_motion", 60, 25, 10, 5)
    game.advance(1 / 60)
    assert game.mouse.position == (10, 25)
    assert (game.mouse.dx, game.mouse.dy) == (10, 5)
    assert game.events == [("on_mouse_motion", 10, 25, 10, 5)]

    game = make(
        Listener, resolution=(50, 25), pixel_ratio=2
    )  # a unit is 4 units of the window, 8 pixels
    game.display.window.dispatch_event("on_mouse_motion", 60, 24, 10, 4)
    game.display.window.dispatch_event("on_mouse_motion", 64, 24, 4, 0)
    game.display.window.dispatch_event("on_mouse_scroll", 64, 24, 0, 1.5)
    game.display.window.dispatch_event("on_mouse_scroll", 64, 24, 1, 1.5)
    game.advance(1 / 60)
    assert game.mouse.position == (16, 6)
    assert (game.mouse.dx, game.mouse.dy) == (3.5, 1)
    assert (game.mouse.scroll_x, game.mouse.scroll_y) == (1, 3)
    assert game.events[0] == ("on_mouse_motion", 15, 6, 2.5, 1)


def test_escape_closes_the_game_unless_it_is_handled_or_disabled(make: Make) -> None:
    def frames(handled: Any, **options: Any) -> int:
        game = make(Listener, **options)
        game.handled = handled
        game.display.window.dispatch_event("on_key_press", ESCAPE, 0)
        game.run(3)
        return game.debug.frames  # type: ignore[no-any-return]

    assert frames(None) == 1  # the frame of the tick that received the key
    assert frames(True) == 3
    assert frames(None, escape_closes=False) == 3


def test_closing_the_window_ends_run_unless_on_close_returns_true(make: Make) -> None:
    class Quits(fw.Game):
        stay = False

        def update(self, dt: float) -> None:
            if self.tick == 2:
                self.display.window.dispatch_event("on_close")

        def on_close(self) -> bool:
            return self.stay

    game = make(Quits)
    game.run(10)
    assert game.debug.frames == 3  # the next tick receives the event
    game = make(Quits)
    game.stay = True
    game.run(10)
    assert game.debug.frames == 10


def test_a_new_window_size_changes_image_camera_and_game(make: Make) -> None:
    class Resized(Corner):
        def on_resize(self, width: float, height: float) -> None:
            self.resized_to = width, height

    game = make(Resized, pixel_ratio=2)
    game.display.window.dispatch_event("on_resize", 120, 60)
    game.advance(1 / 120)
    assert game.size == (
        200,
        100,
    )  # the size of the game changes in the next tick, the image at once
    assert game.pixels().shape == (120, 240, 4)
    game.advance(1 / 120)
    assert game.picture.ctx.error == "GL_NO_ERROR"
    assert game.resized_to == game.size == (120, 60)
    picture = game.pixels()
    assert picture.shape == (120, 240, 4)
    assert tuple(picture[110, 10]) == (255, 0, 0, 255)
    assert game.camera.position == (60, 30)


def test_a_window_of_size_0_runs_ticks_but_draws_nothing(make: Make) -> None:
    class Draws(Counter):
        drawn = 0

        def draw(self, alpha: float) -> None:
            self.drawn += 1

    game = make(Draws)
    game.run(2)
    game.display.window.dispatch_event("on_resize", 0, 0)
    game.run(5)
    assert (game.debug.frames, game.tick, game.drawn) == (7, 7, 2)
    for size in ((0, 0), (30, 0), (0, 20)):
        game.display.window.dispatch_event("on_resize", *size)
        assert game.pixels().shape == (*size[::-1], 4)
    with pytest.raises(fw.AssetError, match="its size is 0"):
        game.screenshot("nothing.png")
    game.display.window.dispatch_event("on_resize", 200, 100)
    game.run(1)
    assert (game.drawn, game.pixels().shape) == (3, (100, 200, 4))


# -- drawing with pyglet ---------------------------------------------------------------------------


class Guarded(fw.Game):
    """A batch, then shapes and a label of pyglet, then the batch of another scene."""

    guarded = True

    def setup(self) -> None:
        self.sprites.add(solid(30, 30, (0, 0, 255, 255)), position=(20, 80))
        self.add(fw.SpriteBatch(solid(16, 16, (0, 0, 255, 128)), count=1)).position = (20, 20)

    def draw(self, alpha: float) -> None:
        import pyglet

        if self.guarded:
            with self.picture.pyglet_drawing():
                if not hasattr(self, "square"):
                    self.square = pyglet.shapes.Rectangle(100, 10, 20, 10, color=(255, 0, 0))
                    self.label = pyglet.text.Label(
                        "MM", x=150, y=70, font_size=14, color=(0, 255, 0, 255)
                    )
                self.square.draw()
                self.label.draw()


class Above(fw.Scene):
    pauses_below = False

    def setup(self) -> None:
        self.sprites.add(solid(10, 10, (255, 255, 0, 255)), position=(105, 15))
        self.add(fw.SpriteBatch(solid(16, 16, (0, 255, 255, 128)), count=1)).position = (60, 20)


@pytest.mark.parametrize(
    "options", [{}, {"pixel_ratio": 2}, {"size": (300, 100), "resolution": (200, 100)}], ids=str
)
def test_pyglets_drawing_lies_between_the_batches_in_the_games_units(
    make: Make, options: Any
) -> None:
    game = make(Guarded, **options)
    plain = make(Guarded, **options)
    plain.guarded = False
    for each in (game, plain):
        each.push(Above())
        for _ in range(3):
            each.advance(1 / 60)
    ratio = options.get("pixel_ratio", 1)
    left = 50 * ("resolution" in options)

    def at(image: np.ndarray, x: float, y: float) -> tuple[int, ...]:
        return tuple(int(part) for part in image[-1 - int(y * ratio), left + int(x * ratio), :3])

    image = game.pixels()
    without = plain.pixels()
    assert at(image, 115, 15) == (255, 0, 0)  # the bottom right part of the rectangle, with y up
    assert at(image, 115, 85) == (0, 0, 0)  # the rectangle is not mirrored
    assert at(image, 102, 12) == (255, 255, 0)  # the scene above covers the rectangle
    green = (image[..., 1] > 128) & (image[..., 0] < 100) & (image[..., 2] < 100)
    rows, columns = np.nonzero(green)
    height = image.shape[0]
    assert len(rows) > 20
    assert 149 * ratio + left <= columns.min() <= columns.max() <= 190 * ratio + left
    assert 69 * ratio <= height - 1 - rows.max() <= height - 1 - rows.min() <= 90 * ratio
    # Outside the rectangle and the label, the image is the same as without them.
    image = image.copy()
    without = without.copy()
    box = slice(-21 * ratio, -9 * ratio), slice(left + 99 * ratio, left + 121 * ratio)
    image[box] = without[box] = 0
    image[: 35 * ratio, left + 148 * ratio :] = without[: 35 * ratio, left + 148 * ratio :] = 0
    assert (image == without).all()
    assert game.picture.ctx.error == "GL_NO_ERROR"


def test_pyglets_programs_are_created_only_when_pyglet_draws(make: Make) -> None:
    game = make(Guarded)
    plain = make(Guarded)
    plain.guarded = False
    for each in (game, plain):
        assert "ubo" not in vars(each.display.window)
        each.advance(1 / 60)
    assert plain.display.window.viewport == game.display.window.viewport == (0, 0, 200, 100)
    assert ("ubo" in vars(game.display.window), "ubo" in vars(plain.display.window)) == (
        True,
        False,
    )
    assert tuple(game.display.window.view) == (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)


def test_the_opengl_state_is_restored_after_pyglets_drawing(make: Make) -> None:
    class ChangesState(Corner):
        def draw(self, alpha: float) -> None:
            from pyglet import gl

            with self.picture.pyglet_drawing():
                gl.glViewport(0, 0, 10, 10)
                gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
                gl.glEnable(gl.GL_DEPTH_TEST)
                gl.glEnable(gl.GL_CULL_FACE)
                gl.glDisable(gl.GL_BLEND)
                gl.glBlendFunc(gl.GL_ZERO, gl.GL_ZERO)
                gl.glUseProgram(0)
                gl.glBindVertexArray(0)
                gl.glActiveTexture(gl.GL_TEXTURE5)
                gl.glBindTexture(gl.GL_TEXTURE_2D, 0)

    careless = make(ChangesState)
    careful = make(Corner)
    for game in (careless, careful):
        game.push(Above())
        game.run(2)
    assert (careless.pixels() == careful.pixels()).all()


def test_the_opengl_state_is_restored_after_an_exception(make: Make) -> None:
    game = make(Corner)
    before = game.pixels()
    with pytest.raises(Oops), game.picture.pyglet_drawing():
        raise Oops
    game.advance(0)
    assert (game.pixels() == before).all()


# -- memory ----------------------------------------------------------------------------------------

_MANY_GAMES = """
import os, sys
import numpy as np
import framework as fw

image = np.full((8, 8, 4), 255, np.uint8)

class Full(fw.Game):
    def setup(self):
        self.add(fw.SpriteBatch([image, image.copy()], count=50))
        self.sprites.add(image)
        self.labels.add("Score")
        self.push(fw.Scene())

def measure():
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6, len(os.listdir("/proc/self/fd"))

for number in range(1, 61):
    game = (Full if number % 2 else fw.Game)(size=(64, 64), headless=True, samples=4 * (number % 24 == 1))
    game.run(2)
    game.pixels()
    assert game.picture.ctx.error == "GL_NO_ERROR", game.picture.ctx.error
    if number in (2, 60):
        from pyglet import gl
        kinds = "Buffer", "Texture", "Program", "VertexArray", "Framebuffer", "Renderbuffer"
        print(*[sum(getattr(gl, "glIs" + kind)(name) for name in range(1, 200)) for kind in kinds])
    game.close()
    if number in (25, 60):
        print(*measure())
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_60_games_in_one_process_leak_nothing() -> None:
    process = subprocess.run(
        [sys.executable, "-c", _MANY_GAMES], capture_output=True, text=True, timeout=100
    )
    assert process.returncode == 0, process.stderr
    first_objects, early, last_objects, late = (
        line.split() for line in process.stdout.splitlines()
    )
    assert first_objects == last_objects
    # In megabytes. moderngl never frees 20 kB of each context, 1.9 MB in total here.
    assert float(late[0]) - float(early[0]) < 2.8
    assert early[1] == late[1]  # open files


def test_an_image_added_to_one_of_two_games_is_in_that_game(make: Make) -> None:
    first = make()
    second = make()
    first.sprites.add(solid(4, 4, (255, 0, 0, 255)), position=(20, 50))
    second.sprites.add(solid(4, 4, (0, 255, 0, 255)), position=(20, 50))
    first.advance(0.02)
    second.advance(0.02)
    first.sprites.add(
        solid(4, 4, (0, 0, 255, 255)), position=(60, 50)
    )  # another game's context is current
    first.labels.add("label", position=(100, 50))
    second.advance(0.02)
    assert second.pixels()[..., 2].max() == 0
    first.advance(0.02)
    assert first.pixels()[50, 60, :3].tolist() == [0, 0, 255]
    assert first.pixels()[30:50, 100:140].min(axis=2).max() > 0  # the letters of the label
    assert first.pixels()[50, 20, :3].tolist() == [255, 0, 0]


def test_run_refuses_classes_that_are_no_games() -> None:
    class Level(fw.Scene):
        pass

    with pytest.raises(
        TypeError,
        match=r"^game_class: expected a subclass of Game, got the scene Level; derive it ",
    ):
        fw.run(Level)  # type: ignore[type-var,arg-type]
    with pytest.raises(
        TypeError, match=r"^game_class: expected a subclass of Game, got the class int"
    ):
        fw.run(int)  # type: ignore[type-var,arg-type]
    with (
        fw.Game(headless=True, size=(8, 8)) as game,
        pytest.raises(TypeError, match="a game that exists already"),
    ):
        fw.run(game)  # type: ignore[arg-type]


@pytest.mark.parametrize(("loop", "dt"), [(None, 0.05), (Plain, 1 / 60)])
def test_run_ticks_uses_the_ticks_of_the_games_loop(make: Any, loop: Any, dt: float) -> None:
    class Counting(fw.Game):
        ticks_seen: ClassVar[list[tuple[int, float]]] = []

        def update(self, dt: float) -> None:
            self.ticks_seen.append((self.tick, dt))

    Counting.ticks_seen = []
    game = make(Counting, **({"timestep": loop()} if loop else {"tick_rate": 20}))
    game.run_ticks(3)
    assert Counting.ticks_seen == [(1, dt), (2, dt), (3, dt)]
    assert game.timestep.tick == (0 if loop else 3)
    assert loop or game.timestep.time == pytest.approx(0.15)


@pytest.mark.parametrize("headless", [True, False])
def test_advance_flips_only_with_a_window(headless: bool) -> None:
    flips: list[int] = []
    surface: Any = SimpleNamespace(
        headless=headless, flip=lambda: flips.append(1), drawable=True, drawing=True
    )
    frame = FrameTimes(1, 0)
    screen = ByHand(surface)
    frame.worked = 5
    assert not screen.hidden()
    screen.show(frame)
    assert (len(flips), list(frame.spans[:2])) == ((0, []) if headless else (1, ["wait", 5]))
    surface.drawing = False
    assert screen.hidden()


def test_garbage_collection_in_a_frame_is_in_the_frame_stats(make: Any) -> None:
    class Collecting(fw.Game):
        def update(self, dt: float) -> None:
            gc.collect()

    game = make(Collecting)
    game.debug.frame_stats.on = True
    for _ in range(3):
        game.advance(1 / 60)
    assert (game.debug.frame_stats.series("gc")[:2] > 0).all()


class TickRecorder(fw.Drawable):
    """A drawable that records the lengths of its ticks."""

    def __init__(self) -> None:
        self.lengths: list[float] = []

    def begin_tick(self, dt: float) -> None:
        self.lengths.append(dt)


def test_a_pausing_scene_continues_and_objects_below_stop(
    make: Make,
) -> None:
    game = make(tick_rate=20)
    below = TickRecorder()
    above = TickRecorder()
    game.add(below)
    top = fw.Scene()
    top.add(above)
    game.push(top)
    game.run_ticks(2)
    assert below.lengths[-2:] == [0.0, 0.0]
    assert above.lengths == [0.05, 0.05]


class Repeats(fw.Game):
    again: list[bool]

    def setup(self) -> None:
        self.again = []

    def update(self, dt: float) -> None:
        self.again = [*self.again, self.recording.resimulating]


def test_repeated_ticks_have_resimulating_true_and_new_ticks_do_not() -> None:
    with Repeats(drawing=False) as game:
        game.run_ticks(2)
        before = game.snapshot()
        game.run_ticks(3)
        game.restore(before)
        game.run_ticks(1)
        assert not game.recording.resimulating
        game.run_ticks(4)
        assert game.again == [False, False, True, True, True, False, False]


def test_every_tick_of_a_seek_has_resimulating_true(make: Make) -> None:
    resimulating: list[bool] = []

    class Wound(fw.Game):
        def update(self, dt: float) -> None:
            resimulating.append(self.recording.resimulating)

    game = make(Wound)
    game.recording.rewind = fw.Rewind(duration=5)
    for _ in range(100):
        game.advance(1 / 60)
    resimulating.clear()
    for tick in (97, 53, 11):
        game.recording.rewind.seek(tick)
    assert resimulating
    assert all(resimulating)


def test_shaders_receive_the_time_of_the_drawn_frame(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make(tick_rate=10)
    game.sprites.add(solid(2, 2))
    times = []

    def block_of(camera: Any) -> Callable[..., bytes]:
        def block(alpha: float, time: float, *more: Any) -> bytes:
            times.append(time)
            return frame_block_of(camera)(alpha, time, *more)

        return block

    monkeypatch.setattr(painter, "frame_block_of", block_of)
    game.advance(0.25)
    game.advance(0.05)
    assert times == pytest.approx([0.15, 0.2])
