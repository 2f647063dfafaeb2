"""Transitions between scenes: ticks, interpolation, effects and restores."""

from __future__ import annotations

import gc
import math
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pictures import colors_in, solid

import framework as fw

Make = Callable[..., Any]
SIZE = (48, 32)
MIX = "vec4 transition(vec2 place) { return mix(before(place), after(place), progress); }"


class Filled(fw.Scene):
    """A picture of one color, in the world and on the HUD."""

    opaque = True

    def __init__(self, color: tuple[int, int, int, int]) -> None:
        super().__init__()
        self.color = color

    def setup(self) -> None:
        self.sprites.add(solid(*SIZE, self.color), position=(24, 16))
        self.add(fw.SpriteBatch(solid(4, 4, self.color), count=1), camera=self.hud)


RED = (255, 0, 0, 255)
BLUE = (0, 0, 255, 255)


@pytest.fixture
def game(make: Make) -> Any:
    game = make(fw.Game, size=SIZE, tick_rate=10, background="black")
    game.push(Filled(RED))
    game.advance(0)
    return game


def colors(game: Any) -> tuple[int, ...]:
    return tuple(game.pixels()[16, 24, :3].tolist())


def test_a_fade_takes_its_duration_of_game_time_and_is_smooth_between_ticks(game: Any) -> None:
    old = weakref.ref(game.scene)
    game.show(Filled(BLUE), transition=fw.Fade(0.4))
    gc.collect()
    assert old() is None  # released, but still drawn
    frames = []
    for _ in range(11):
        game.advance(0.05)
        frames.append(colors(game)[2])
    # A frame shows the state of one tick before: in 0.05 s the tick of the switch
    # is drawn.
    share = np.clip((np.arange(1, 12) * 0.05 - 0.1) / 0.4, 0, 1)
    assert frames == pytest.approx(share * 255, abs=1.5)
    assert colors(game) == (0, 0, 255)
    assert game._engine.painter.transition is None


def test_a_transition_is_the_same_at_any_frame_rate(make: Make) -> None:
    pictures = []
    for rate in (10, 40):
        game = make(fw.Game, size=SIZE, tick_rate=10, frame_rate=rate)
        game.push(Filled(RED))
        game.schedule.once(
            lambda dt, game=game: game.show(Filled(BLUE), transition=fw.Wipe(0.5)), 0.2
        )
        game._engine.scenes.top.pauses_below = False
        game.run(rate // 2)
        pictures.append(game.pixels())
    assert 0 < (pictures[0][..., 2] > 128).mean() < 1
    assert (pictures[0] == pictures[1]).all()


def test_a_transition_during_a_transition_starts_from_the_drawn_picture(game: Any) -> None:
    game.push(Filled(BLUE), transition=fw.Fade(0.4))
    game.advance(0.1)
    game.advance(0.2)
    game.pop(transition=fw.Fade(10))
    game.advance(0.1)
    red, _, blue = colors(game)
    # the state of the computed tick, at 0.3 s
    assert (red, blue) == pytest.approx((64, 191), abs=3)


@pytest.mark.parametrize(
    ("kind", "middle", "corner"),
    [
        (fw.Wipe(1.0, softness=0.0), BLUE, RED),
        (fw.Iris(1.0), BLUE, (0, 0, 0, 255)),
        (fw.Transition(MIX, 1.0), None, None),
    ],
)
def test_wipe_iris_and_a_custom_transition(game: Any, kind: Any, middle: Any, corner: Any) -> None:
    game.push(Filled(BLUE), transition=kind)
    game.advance(0.1)
    for _ in range(6):
        game.advance(0.1)
    picture = game.pixels().astype(int)
    if middle is None:
        assert picture[16, 24, :3] == pytest.approx((102, 0, 153), abs=1.5)
    else:
        assert tuple(picture[16, 24 - (isinstance(kind, fw.Wipe)) * 8]) == middle
        assert tuple(picture[16, 47] if isinstance(kind, fw.Wipe) else picture[0, 0]) == corner


def test_a_fade_through_a_color_with_an_ease(game: Any) -> None:
    game.push(Filled(BLUE), transition=fw.Fade(1.0, color="white", ease="in_quad"))
    game.advance(0.1)
    for _ in range(7):
        game.advance(0.1)
    assert colors(game) == pytest.approx((255, 255, 255), abs=8)  # 0.7 ** 2 is about a half


@pytest.mark.parametrize(
    "kind",
    [
        fw.Fade(1.0),
        fw.Fade(1.0, color="lime"),
        fw.Wipe(1.0, angle=0.4),
        fw.Iris(1.0, tint="lime", center=(0.3, 0.6)),
    ],
    ids=["fade", "dip", "wipe", "iris"],
)
def test_a_transition_drawn_with_effects_equals_one_over_effects(
    make: Make, kind: fw.Transition
) -> None:
    class Drawn(Filled):
        def setup(self) -> None:
            self.sprites.add(solid(*SIZE, self.color), position=(24, 16))
            if self.with_hud:
                self.add(fw.SpriteBatch(solid(4, 4)), camera=self.hud)
            self.effects = [fw.Vignette(0.8, tint="red"), fw.Vignette(0.5)]

    frames = []
    for with_hud in (False, True):
        game = make(fw.Game, size=SIZE, tick_rate=10, background="black")
        game.push(Filled(RED))
        game.advance(0)
        scene = Drawn(BLUE)
        scene.with_hud = with_hud
        game.show(scene, transition=kind)
        for _ in range(8):
            game.advance(0.1)
        assert game._engine.painter.transition is not None
        frames.append(game.pixels()[:-4, 4:].astype(int))  # except the HUD
    assert np.abs(frames[0] - frames[1]).max() <= 2
    assert colors_in(frames[0]) > 3


def test_a_restore_ends_a_transition_and_later_ticks_start_it_again(game: Any) -> None:
    class Switches(fw.Game):
        def update(self, dt: float) -> None:
            if self.tick == 3:
                self.push(Filled(BLUE), transition=fw.Fade(0.4))

    with Switches(size=SIZE, tick_rate=10, headless=True, background="black") as game:
        game.advance(0.2)
        snapshot = game.snapshot()
        hashes = []
        for _ in range(2):
            game.run_ticks(3)
            game.advance(0)
            assert 0 < colors(game)[2] < 255
            hashes.append(game.state_hash())
            game.restore(snapshot)
            game.advance(0)
            assert colors(game) == (0, 0, 0)
            assert game._engine.painter.transition is None
        assert hashes[0] == hashes[1]


def test_transitions_with_samples_render_scale_effects_bars_and_other_sizes(make: Make) -> None:
    game = make(
        fw.Game, size=SIZE, samples=4, resolution=(32, 32), tick_rate=10, letterbox_color="lime"
    )
    game.effects = [fw.Vignette(0.1)]
    game.push(Filled(RED))
    game.picture.render_scale = 0.5
    game.advance(0)
    game.show(Filled(BLUE), transition=fw.Iris(1.0))
    game.advance(0.3)
    assert (game.pixels()[:, 0, :3] == (0, 255, 0)).all()
    game.display.window.dispatch_event("on_resize", 30, 60)
    game.advance(0.1)
    assert game.pixels().shape == (60, 30, 4)
    assert game.picture.ctx.error == "GL_NO_ERROR"


def test_without_drawing_scenes_are_switched_as_well(make: Make) -> None:
    game = make(fw.Game, size=SIZE, drawing=False)
    game.push(Filled(RED), transition=fw.Fade(0.5))
    assert isinstance(game.scene, Filled)
    game.run(2)


def test_invalid_arguments_change_nothing(game: Any) -> None:
    before = game.scene
    with pytest.raises(TypeError, match="transition: expected a Transition, got 'fade'"):
        game.push(Filled(BLUE), transition="fade")
    with pytest.raises(fw.ShaderError, match="<source>:1: 'nope' undeclared"):
        game.push(
            Filled(BLUE), transition=fw.Transition("vec4 transition(vec2 p) { return nope; }")
        )

    class Fails(fw.Scene):
        def setup(self) -> None:
            raise KeyError("mine")

    with pytest.raises(KeyError):
        game.push(Fails(), transition=fw.Fade(0.5))
    assert game.scene is before
    assert game._engine.painter.transition is None
    for bad in (0, -1, math.nan, math.inf, "x", None):
        with pytest.raises((ValueError, TypeError), match=r"^duration: expected"):
            fw.Fade(bad)
    with pytest.raises(ValueError, match="ease: expected the name of an ease"):
        fw.Wipe(1, ease="out_cubik")
    with pytest.raises(ValueError, match="softness: expected"):
        fw.Wipe(1, softness=2)


@pytest.mark.parametrize("kind", [fw.Fade, fw.Wipe])
def test_a_transition_over_effects_mixes_the_two_drawn_pictures(make: Make, kind: Any) -> None:
    # The stripes are brighter than white, and are drawn as white. The old picture covers a part
    # of this white.
    def bright(color: tuple[int, int, int, int]) -> fw.Scene:
        scene = fw.Scene()
        scene.sprites.add(solid(*SIZE, color), position=(24, 16))
        scene.effects = [fw.CRT(0.0, mask=1.0, scanlines=0.0)]
        return scene

    game = make(fw.Game, size=SIZE, tick_rate=10, background="black")
    frames = []
    for color in ((255, 0, 0, 255), (255, 255, 255, 255)):
        game.show(bright(color))
        game.advance(0.2)
        frames.append(game.pixels()[..., :3].astype(float))
    game.show(bright((255, 0, 0, 255)))
    game.advance(0.2)
    game.show(bright((255, 255, 255, 255)), transition=kind(1.0))
    for _ in range(6):
        game.advance(0.1)
    share = (
        0.5
        if kind is fw.Fade
        else np.clip((0.5 * 1.1 - (np.arange(48) + 0.5) / 48) / 0.1, 0, 1)[:, None]
    )
    mixed = frames[0] + (frames[1] - frames[0]) * share
    assert np.abs(game.pixels()[..., :3] - mixed).max() <= 2
    assert game.picture.ctx.error == "GL_NO_ERROR"


class Reading(fw.Game):
    """A game whose `draw` reads values that are created, or change the state, when rules read
    them."""

    not_state = ("reads",)

    def __init__(self, reads: bool, **options: Any) -> None:
        self.reads = reads
        super().__init__(**options)

    def setup(self) -> None:
        self.physics = fw.Physics2D(self)
        self.bodies = self.physics.add(self.add(fw.SpriteBatch(solid(4, 4), 2)))

    def update(self, dt: float) -> None:
        if self.tick == 2:
            self.push(Filled(BLUE), transition=fw.Fade(0.1))

    def draw(self, alpha: float) -> None:
        if self.reads:
            assert not self.bodies.force.any()
            assert self.world.camera is not None
            assert self.effects is not None


def test_reads_in_draw_do_not_change_the_state_when_a_transition_begins(make: Make) -> None:
    games = [make(Reading, reads=reads) for reads in (False, True)]
    for _ in range(6):
        for game in games:
            game.advance(1 / 60)
        assert games[0].debug.state_hashes() == games[1].debug.state_hashes()
