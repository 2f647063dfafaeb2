"""Effects: what they do to the picture, in which order, and that without any there is nothing of them."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from pictures import solid

import framework as fw

SIZE = (64, 48)
SWAP = "vec4 effect(vec2 place) { return picture(place).bgra; }"
PAINT = "uniform vec3 tint; vec4 effect(vec2 place) { return vec4(tint, 1.0); }"


class Boxes(fw.Game):
    """A red box in the world, a green one on the hud."""

    def setup(self) -> None:
        self.box = self.sprites.add(solid(16, 16, (255, 0, 0, 255)), position=(16, 24))
        self.sign = self.add(fw.SpriteBatch(solid(8, 8, (0, 255, 0, 255)), count=1), camera=self.hud)
        self.sign.position = (48, 24)


@pytest.fixture(scope="module")
def shared() -> Iterator[Any]:
    with Boxes(size=SIZE, headless=True, background="black") as game:
        yield game


@pytest.fixture
def game(shared: Any) -> Iterator[Any]:
    shared.effects = []
    yield shared
    shared.effects = []


def picture(game: Any) -> np.ndarray:
    game.advance(0)
    return game.pixels()[..., :3].astype(int)


def at(pixels: np.ndarray, x: int, y: int) -> tuple[int, ...]:
    return tuple(pixels[SIZE[1] - 1 - y, x].tolist())


# -- the chain -------------------------------------------------------------------------------------------------------


def gl_calls(call: Callable[[], Any]) -> Counter[str]:
    """The calls into moderngl's own C meanwhile, by name."""
    calls: Counter[str] = Counter()

    def profile(frame: Any, event: str, argument: Any) -> None:
        if event == "c_call" and "mgl" in type(getattr(argument, "__self__", None)).__module__:
            calls[argument.__name__] += 1

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
    return calls


def test_an_empty_list_makes_the_same_calls_as_none(make: Callable[..., Any]) -> None:
    plain, empty = (make(Boxes, size=SIZE) for _ in range(2))
    off = fw.Vignette()
    off.enabled = False
    for game in (plain, empty):
        game.run(3)
    before = gl_calls(lambda: plain.advance(1 / 60))
    assert before["render"] == 2
    for effects in ([], [off]):
        empty.effects = effects
        assert gl_calls(lambda: empty.advance(1 / 60)) == before
        assert empty._painter.scaled is None
    off.enabled = True
    assert gl_calls(lambda: empty.advance(1 / 60))["render"] > 2


def test_effects_are_done_in_order_and_the_hud_is_left_alone(game: Any) -> None:
    game.effects = [fw.Effect(SWAP)]
    seen = picture(game)
    assert at(seen, 16, 24) == (0, 0, 255)
    assert at(seen, 48, 24) == (0, 255, 0)
    game.effects.append(fw.Effect(PAINT, tint="#ff8000"))
    assert at(picture(game), 16, 24) == (255, 128, 0)
    game.effects.reverse()
    assert at(picture(game), 2, 2) == (0, 128, 255)
    assert at(picture(game), 48, 24) == (0, 255, 0)
    game.effects[0].enabled = False
    del game.effects[1]
    assert at(picture(game), 16, 24) == (255, 0, 0)


def test_the_scenes_below_go_through_the_effects_of_one_above(make: Callable[..., Any]) -> None:
    class Pause(fw.Scene):
        def setup(self) -> None:
            self.sprites.add(solid(8, 8, (0, 0, 255, 255)), position=(32, 40))
            self.own = self.add(fw.SpriteBatch(solid(8, 8, (255, 0, 0, 255)), count=1), camera=self.hud)
            self.own.position = (32, 8)

    for scale in (1.0, 0.5):
        game = make(Boxes, size=SIZE, background="black", render_scale=scale)
        game.effects = [fw.Effect(SWAP)]
        pause = Pause()
        game.push(pause)
        seen = picture(game)
        assert [at(seen, 16, 24), at(seen, 48, 24), at(seen, 32, 40)] == [(0, 0, 255), (0, 255, 0), (0, 0, 255)]
        pause.effects = [fw.Effect(SWAP), fw.Vignette(0.0)]
        seen = picture(game)
        assert [at(seen, 16, 24), at(seen, 48, 24), at(seen, 32, 40)] == [(255, 0, 0), (0, 255, 0), (255, 0, 0)]
        assert at(seen, 32, 8) == (255, 0, 0)
        game.effects = []
        assert at(picture(game), 16, 24) == (0, 0, 255)
        game.pop()
        assert at(picture(game), 16, 24) == (255, 0, 0)
        assert game.ctx.error == "GL_NO_ERROR"


def test_values_are_interpolated_and_tweened(make: Callable[..., Any]) -> None:
    class Fades(Boxes):
        def update(self, dt: float) -> None:
            self.paint.tint = (self.tick / 4, 0.0, 0.0)

    game = make(Fades, size=SIZE, tick_rate=10)
    game.paint = fw.Effect(PAINT, tint=(0.0, 0.0, 0.0))
    game.effects.append(game.paint)
    game.advance(0)
    game.advance(0.1)
    game.advance(0.15)
    assert game.paint.tint == (0.5, 0.0, 0.0)
    assert at(game.pixels()[..., :3], 2, 2)[0] == pytest.approx(255 * 3 / 8, abs=1)
    vignette = fw.Vignette(0.0)
    game.effects.append(vignette)
    game.tween(vignette, strength=1.0, length=0.4)
    game.advance(0.25)
    assert 0 < vignette.strength < 1
    game.advance(0.5)
    assert vignette.strength == 1.0


def test_while_paused_what_is_written_is_seen_at_once(game: Any) -> None:
    paint = fw.Effect(PAINT, tint="red")
    game.effects = [paint]
    picture(game)
    game.timestep.paused = True
    try:
        paint.tint = "blue"
        assert at(picture(game), 2, 2) == (0, 0, 255)
    finally:
        game.timestep.paused = False


def test_effects_go_with_samples_scale_and_other_sizes(make: Callable[..., Any]) -> None:
    game = make(Boxes, size=SIZE, samples=4, pixel_ratio=2, background="black")
    game.effects = [fw.Bloom(), fw.Vignette(), fw.Blur(3), fw.CRT(), fw.Effect(SWAP)]
    for scale, size in ((1.0, SIZE), (0.5, SIZE), (0.5, (40, 30)), (2.0, (1, 1))):
        game.render_scale = scale
        game.window.dispatch_event("on_resize", *size)
        game.run(2)
        assert game.pixels().shape == (2 * size[1], 2 * size[0], 4)
        assert game.ctx.error == "GL_NO_ERROR"


def test_they_are_state(make: Callable[..., Any]) -> None:
    game = make(Boxes, size=SIZE)
    bare = game.state_hash()
    game.effects = [vignette := fw.Vignette(0.2)]
    game.run(1)
    snapshot, first = game.snapshot(), game.state_hash()
    assert first != bare
    vignette.strength = 0.9
    game.effects.append(fw.Bloom())
    assert game.state_hash() != first
    game.restore(snapshot)
    assert (list(game.effects), vignette.strength) == ([vignette], 0.2)
    assert game.state_hash() == first
    game.run(1)


def test_without_pictures_nothing_is_compiled_and_all_can_be_set(make: Callable[..., Any]) -> None:
    game = make(Boxes, size=SIZE, drawing=False)
    game.effects = [fw.Bloom(), fw.Effect("uniform float far; vec4 effect(vec2 p) { return nonsense; }", far=2)]
    game.effects[1].far = 3
    game.run(2)
    assert game.effects[1].far == 3.0
    assert game.graphics.chain is None


# -- bad input -------------------------------------------------------------------------------------------------------


def test_what_does_not_compile_is_one_error_with_its_line_and_changes_nothing(game: Any) -> None:
    game.effects = [fw.Vignette()]
    with pytest.raises(fw.ShaderError, match="<source>:2: 'nope' undeclared"):
        game.effects.append(fw.Effect("vec4 effect(vec2 place) {\n    return nope; }"))
    assert len(game.effects) == 1
    with pytest.raises(fw.ShaderError, match="effect"):
        game.effects = [fw.Effect("uniform float far;")]  # no function
    assert len(game.effects) == 1
    with pytest.raises(fw.ShaderError, match=r"no shader|no file"):
        fw.Effect("missing.frag")

    class Broken(fw.Scene):
        def __init__(self) -> None:
            super().__init__()
            self.effects = [fw.Effect("vec4 effect(vec2 place) { return nope; }")]

    with pytest.raises(fw.ShaderError):
        game.push(Broken())
    assert game.scene is game
    picture(game)


def test_uniforms_are_known_by_name_and_kind(game: Any) -> None:
    effect = fw.Effect(
        "uniform float near = 0.5, far;\nuniform vec2 place_ = vec2(1, 2); // uniform float gone;\n"
        "uniform bool on = true;\nuniform int steps = 3;\nvec4 effect(vec2 place) { return vec4(near); }",
        far=1,
    )
    assert (effect.near, effect.far, effect.place_, effect.on, effect.steps) == (0.5, 1.0, (1.0, 2.0), True, 3)
    with pytest.raises(AttributeError, match="Effect has no 'nera'; the nearest are near"):
        effect.nera = 1
    with pytest.raises(AttributeError, match="nearest are near"):
        effect.nera  # noqa: B018
    with pytest.raises(AttributeError, match="'gone'"):
        fw.Effect("uniform float near; vec4 effect(vec2 place) { return vec4(near); }", gone=1)
    for name, bad in (("near", math.nan), ("near", "x"), ("place_", (1, 2, 3)), ("on", 2), ("steps", 1.5)):
        before = effect.value_of(name)
        with pytest.raises((ValueError, TypeError), match=f"^{name}: expected"):
            setattr(effect, name, bad)
        assert effect.value_of(name) == before
    with pytest.raises(ValueError, match="uniform 'm': expected one of the types"):
        fw.Effect("uniform mat4 m; vec4 effect(vec2 place) { return vec4(0); }")


def test_a_list_takes_effects_alone_and_each_once(game: Any) -> None:
    one = fw.Vignette()
    game.effects = [one]
    with pytest.raises(TypeError, match="effects: expected an Effect"):
        game.effects.append("bloom")
    with pytest.raises(TypeError, match="the class Bloom: make one"):
        game.effects.insert(0, fw.Bloom)
    with pytest.raises(TypeError, match="effects: expected a sequence"):
        game.effects = 3
    assert list(game.effects) == [one]
    with pytest.raises(AttributeError, match="Vignette has no 'strenght'; the nearest are strength"):
        one.strenght = 1


# -- what each does --------------------------------------------------------------------------------------------------


def test_bloom_shines_over_what_is_beside(game: Any) -> None:
    plain = picture(game)
    game.effects = [bloom := fw.Bloom(1.0, threshold=0.2, radius=0.8)]
    shining = picture(game)
    assert at(plain, 27, 24) == (0, 0, 0)
    assert at(shining, 27, 24)[0] > 30
    assert at(shining, 27, 24)[1:] == (0, 0)
    bloom.strength = 0.0
    assert np.abs(picture(game) - plain).max() <= 1


def test_bloom_takes_the_light_of_space_before_it_is_tone_mapped(make: Callable[..., Any]) -> None:
    class Sky(fw.Game):
        def setup(self) -> None:
            self.world.sky = (30.0, 30.0, 30.0)

    game = make(Sky, size=SIZE)
    plain = picture(game)
    assert (plain == 255).all()
    game.effects = [fw.Bloom(0.5, threshold=6.0)]  # above all that white is in a picture of 8 bits
    game.advance(0)
    texture = game._painter.scaled.texture
    assert texture.dtype == "f2"
    assert np.frombuffer(texture.read(), np.float16).max() > 1.01
    assert (picture(game) == 255).all()
    assert game._home.graphics.moment.above_white is False
    game.effects = []
    assert (picture(game) == plain).all()


def test_a_blur_keeps_the_light_and_its_middle(game: Any) -> None:
    plain = picture(game)[:, :32, 0]
    for radius in (2.0, 9.0):
        game.effects = [fw.Blur(radius)]
        soft = picture(game)[:, :40, 0]
        assert soft.sum() == pytest.approx(plain.sum(), rel=0.12)
        assert soft.max() <= 255
        x = (soft * np.arange(40)).sum() / soft.sum()
        assert x == pytest.approx(15.5, abs=0.6)
    game.effects = [fw.Blur(0.0)]
    assert (picture(game)[:, :32, 0] == plain).all()


def test_a_vignette_is_darker_in_the_corners_alone(game: Any) -> None:
    game.effects = [fw.Effect(PAINT, tint="white"), fw.Vignette(1.0, radius=0.2, softness=0.5)]
    seen = picture(game)
    assert at(seen, 0, 0) == (0, 0, 0)
    assert at(seen, 32, 23) == (255, 255, 255)


def test_a_tube_has_lines_and_black_corners(game: Any) -> None:
    game.effects = [fw.Effect(PAINT, tint=(0.5, 0.5, 0.5)), fw.CRT(1.0, scanlines=0.6, mask=0.0, lines=12)]
    seen = picture(game)
    assert at(seen, 0, 0) == (0, 0, 0)
    column = seen[:, 32, 0]
    assert column.max() - column[column > 0].min() > 40
    assert column[8:40].mean() == pytest.approx(127.5, rel=0.1)
