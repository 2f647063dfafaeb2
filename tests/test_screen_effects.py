"""Screen effects: their pixels, their order, their settings and their cost."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, MutableSequence
from typing import Any

import effect_kinds
import moderngl
import numpy as np
import pytest
from pictures import solid
from PIL import Image

import framework as fw
from framework.gpu.graphics import shared_of

SIZE = (64, 48)
SWAP = "vec4 effect(vec2 place) { return picture(place).bgra; }"
PAINT = "uniform vec3 tint; vec4 effect(vec2 place) { return vec4(tint, 1.0); }"


class Boxes(fw.Game):
    """A red box in the world, and a green box on the HUD."""

    def setup(self) -> None:
        self.box = self.sprites.add(solid(16, 16, (255, 0, 0, 255)), position=(16, 24))
        self.sign = self.add(
            fw.SpriteBatch(solid(8, 8, (0, 255, 0, 255)), count=1), camera=self.hud
        )
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


# -- the list of effects ---------------------------------------------------------------------------


def gl_calls(call: Callable[[], Any]) -> Counter[str]:
    """Return the number of calls of moderngl's C functions during a call, by name."""
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


def test_an_empty_list_makes_the_same_calls_as_no_list(make: Callable[..., Any]) -> None:
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
        assert empty._engine.painter.world.scaled is None
    off.enabled = True
    assert gl_calls(lambda: empty.advance(1 / 60))["render"] > 2


def test_effects_run_in_order_and_leave_the_hud_unchanged(game: Any) -> None:
    game.effects = [fw.Effect(SWAP)]
    pixels = picture(game)
    assert at(pixels, 16, 24) == (0, 0, 255)
    assert at(pixels, 48, 24) == (0, 255, 0)
    game.effects.append(fw.Effect(PAINT, tint="#ff8000"))
    assert at(picture(game), 16, 24) == (255, 128, 0)
    game.effects.reverse()
    assert at(picture(game), 2, 2) == (0, 128, 255)
    assert at(picture(game), 48, 24) == (0, 255, 0)
    game.effects[0].enabled = False
    del game.effects[1]
    assert at(picture(game), 16, 24) == (255, 0, 0)


def test_effects_of_a_scene_apply_to_the_scenes_below(make: Callable[..., Any]) -> None:
    class Pause(fw.Scene):
        def setup(self) -> None:
            self.sprites.add(solid(8, 8, (0, 0, 255, 255)), position=(32, 40))
            self.own = self.add(
                fw.SpriteBatch(solid(8, 8, (255, 0, 0, 255)), count=1), camera=self.hud
            )
            self.own.position = (32, 8)

    for scale in (1.0, 0.5):
        game = make(Boxes, size=SIZE, background="black", render_scale=scale)
        game.effects = [fw.Effect(SWAP)]
        pause = Pause()
        game.push(pause)
        pixels = picture(game)
        assert [at(pixels, 16, 24), at(pixels, 48, 24), at(pixels, 32, 40)] == [
            (0, 0, 255),
            (0, 255, 0),
            (0, 0, 255),
        ]
        pause.effects = [fw.Effect(SWAP), fw.Vignette(0.0)]
        pixels = picture(game)
        assert [at(pixels, 16, 24), at(pixels, 48, 24), at(pixels, 32, 40)] == [
            (255, 0, 0),
            (0, 255, 0),
            (255, 0, 0),
        ]
        assert at(pixels, 32, 8) == (255, 0, 0)
        game.effects = []
        assert at(picture(game), 16, 24) == (0, 0, 255)
        game.pop()
        assert at(picture(game), 16, 24) == (255, 0, 0)
        assert game.picture.ctx.error == "GL_NO_ERROR"


@pytest.mark.filterwarnings("ignore:advance:RuntimeWarning")  # a long frame drops ticks
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
    game.tween(vignette, strength=1.0, duration=0.4)
    game.advance(0.25)
    assert 0 < vignette.strength < 1
    game.advance(0.5)
    assert vignette.strength == 1.0


@pytest.mark.filterwarnings("ignore:advance:RuntimeWarning")
@pytest.mark.parametrize(("jumps", "red"), [(False, 3 / 8), (True, 1 / 2)])
def test_a_teleported_effect_is_drawn_without_interpolation(
    make: Callable[..., Any], jumps: bool, red: float
) -> None:
    class Fades(Boxes):
        def update(self, dt: float) -> None:
            self.effects[0].tint = (self.tick / 4, 0.0, 0.0)
            if jumps:
                self.effects[0].teleport()

    game = make(Fades, size=SIZE, tick_rate=10)
    game.effects.append(fw.Effect(PAINT, tint=(0.0, 0.0, 0.0)))
    for seconds in (0, 0.1, 0.15):
        game.advance(seconds)
    assert at(game.pixels()[..., :3], 2, 2)[0] == pytest.approx(255 * red, abs=1)


def test_a_change_while_paused_is_drawn_at_once(game: Any) -> None:
    paint = fw.Effect(PAINT, tint="red")
    game.effects = [paint]
    picture(game)
    game.timestep.paused = True
    try:
        paint.tint = "blue"
        assert at(picture(game), 2, 2) == (0, 0, 255)
    finally:
        game.timestep.paused = False


def test_effects_work_with_samples_render_scale_and_other_sizes(make: Callable[..., Any]) -> None:
    game = make(Boxes, size=SIZE, samples=4, pixel_ratio=2, background="black")
    game.effects = [fw.Bloom(), fw.Vignette(), fw.Blur(3), fw.CRT(), fw.Effect(SWAP)]
    for scale, size in ((1.0, SIZE), (0.5, SIZE), (0.5, (40, 30)), (2.0, (1, 1))):
        game.picture.render_scale = scale
        game.display.window.dispatch_event("on_resize", *size)
        game.run(2)
        assert game.pixels().shape == (2 * size[1], 2 * size[0], 4)
        assert game.picture.ctx.error == "GL_NO_ERROR"


def test_effects_are_state(make: Callable[..., Any]) -> None:
    game = make(Boxes, size=SIZE)
    bare = game.state_hash()
    game.effects = [vignette := fw.Vignette(0.2)]
    game.run(1)
    snapshot = game.snapshot()
    first = game.state_hash()
    assert first != bare
    vignette.strength = 0.9
    game.effects.append(fw.Bloom())
    assert game.state_hash() != first
    game.restore(snapshot)
    assert (list(game.effects), vignette.strength) == ([vignette], 0.2)
    assert game.state_hash() == first
    game.run(1)


def test_without_drawing_nothing_is_compiled_and_effects_can_be_set(
    make: Callable[..., Any],
) -> None:
    game = make(Boxes, size=SIZE, drawing=False)
    game.effects = [
        fw.Bloom(),
        fw.Effect("uniform float far; vec4 effect(vec2 p) { return nonsense; }", far=2),
    ]
    game.effects[1].far = 3
    game.run(2)
    assert game.effects[1].far == 3.0
    assert shared_of(game.picture.graphics).chain is None


# -- bad input -------------------------------------------------------------------------------------


def test_a_shader_that_does_not_compile_is_one_error_with_its_line(game: Any) -> None:
    game.effects = [fw.Vignette()]
    with pytest.raises(fw.ShaderError, match="<source>:2: 'nope' undeclared"):
        game.effects.append(fw.Effect("vec4 effect(vec2 place) {\n    return nope; }"))
    assert len(game.effects) == 1
    with pytest.raises(fw.ShaderError, match="effect"):
        game.effects = [fw.Effect("uniform float far;")]  # no effect function
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


def test_after_an_error_a_scene_and_a_view_without_effects_still_have_none(
    make: Callable[..., Any],
) -> None:
    game = make(size=(8, 8))
    broken = fw.Effect("vec4 effect(vec2 place) { return nope; }")
    view = game.views.add(fw.Camera2D((1, 1)))
    state = game.state_hash()
    for target in (game, view):
        with pytest.raises(fw.ShaderError):
            target.effects = [broken]
    assert game.state_hash() == state


def test_uniforms_are_checked_by_name_and_type(game: Any) -> None:
    effect = fw.Effect(
        "uniform float near = 0.5, far;\nuniform vec2 place_ = vec2(1, 2); // uniform float gone;\n"
        "uniform bool on = true;\nuniform int steps = 3;\nvec4 effect(vec2 place) { "
        "return vec4(near); }",
        far=1,
    )
    assert (effect.near, effect.far, effect.place_, effect.on, effect.steps) == (
        0.5,
        1.0,
        (1.0, 2.0),
        True,
        3,
    )
    with pytest.raises(AttributeError, match="Effect has no 'nera'; the nearest are near"):
        effect.nera = 1
    with pytest.raises(AttributeError, match="nearest are near"):
        effect.nera  # noqa: B018
    with pytest.raises(AttributeError, match="'gone'"):
        fw.Effect("uniform float near; vec4 effect(vec2 place) { return vec4(near); }", gone=1)
    for name, bad in (
        ("near", math.nan),
        ("near", "x"),
        ("place_", (1, 2, 3)),
        ("on", 2),
        ("steps", 1.5),
    ):
        before = getattr(effect, name)
        with pytest.raises((ValueError, TypeError), match=f"^{name}: expected"):
            setattr(effect, name, bad)
        assert getattr(effect, name) == before
    with pytest.raises(ValueError, match="uniform 'm': expected one of the types"):
        fw.Effect("uniform mat4 m; vec4 effect(vec2 place) { return vec4(0); }")


def test_a_missing_source_is_an_error_by_name() -> None:
    image = np.zeros((2, 2, 4), np.uint8)
    for name, make in (
        ("source", fw.Effect),
        ("source", fw.FullscreenQuad),
        ("vertex", lambda text: fw.VertexSprites(image, vertex=text)),
        ("shader", lambda text: fw.SpriteBatch(image, shader=text)),
    ):
        with pytest.raises(ValueError, match=f"{name}: expected a file's name, or GLSL"):
            make(" ")


def test_a_list_accepts_only_effects_and_each_once(game: Any) -> None:
    target = fw.Vignette()
    game.effects = [target]
    with pytest.raises(TypeError, match="effects: expected an Effect"):
        game.effects.append("bloom")
    with pytest.raises(TypeError, match="the class Bloom: make one"):
        game.effects.insert(0, fw.Bloom)
    with pytest.raises(TypeError, match="effects: expected a sequence"):
        game.effects = 3
    assert list(game.effects) == [target]
    with pytest.raises(
        AttributeError, match="Vignette has no 'strenght'; the nearest are strength"
    ):
        target.strenght = 1


def public_names(value: object) -> set[str]:
    return {name for name in dir(value) if not name.startswith("_")}


def test_an_effect_lists_only_its_public_names() -> None:
    assert public_names(fw.Bloom) == {"enabled", "radius", "strength", "teleport", "threshold"}
    assert public_names(fw.Effect) == {"enabled", "teleport"}
    assert public_names(fw.Transition) == set()
    assert public_names(fw.Iris(1.0)) == {"center", "duration", "ease", "softness", "tint"}
    assert public_names(fw.EffectList) == public_names(MutableSequence)
    assert public_names(fw.FullscreenQuad) == {"teleport"}
    assert public_names(fw.PingPong) == {"read", "release", "step", "texture"}


def test_an_effect_of_a_shader_lists_its_uniforms() -> None:
    source = "uniform float far; uniform sampler2D ice; vec4 effect(vec2 p) { return vec4(far); }"
    effect = fw.Effect(source, ice=solid(1, 1))
    assert public_names(effect) == {"enabled", "far", "ice", "teleport"}


def test_a_subclass_may_have_more_attributes_and_methods(game: Any) -> None:
    class Flash(fw.Effect):
        def __init__(self, strength: float) -> None:
            super().__init__(PAINT, tint="white")
            self.strength = strength

        def fade(self) -> None:
            self.tint = (self.strength, 0, 0)

    flash = Flash(1.0)
    game.effects = [flash]
    flash.fade()
    flash.teleport()
    assert at(picture(game), 2, 2) == (255, 0, 0)
    with pytest.raises(TypeError, match="tint: expected"):
        flash.tint = 3


@pytest.mark.parametrize("name", effect_kinds.EFFECTS)
def test_each_effect_is_drawn_alone_and_with_others_and_is_state(
    name: str, make: Callable[..., Any]
) -> None:
    game = make(Boxes, size=SIZE, background="black")
    effect = effect_kinds.new_effect(name)
    settings = effect_kinds.defaults(name)
    assert public_names(effect) == {*settings, "enabled", "teleport"}
    for effects in ([effect], [fw.Vignette(0.1), effect, fw.Vignette(0.1)], [effect, effect]):
        game.effects = effects
        game.run(2)
        assert game.picture.ctx.error == "GL_NO_ERROR"
    snapshot = game.snapshot()
    before = {key: getattr(effect, key) for key in settings}
    for key, value in before.items():
        setattr(effect, key, 0.5 * value if isinstance(value, float) else value)
    game.run(1)
    game.restore(snapshot)
    assert {key: getattr(effect, key) for key in settings} == before


# -- each effect -----------------------------------------------------------------------------------


def test_bloom_lights_pixels_beside_bright_pixels(game: Any) -> None:
    plain = picture(game)
    game.effects = [bloom := fw.Bloom(1.0, threshold=0.2, radius=0.8)]
    shining = picture(game)
    assert at(plain, 27, 24) == (0, 0, 0)
    assert at(shining, 27, 24)[0] > 30
    assert at(shining, 27, 24)[1:] == (0, 0)
    bloom.strength = 0.0
    assert np.abs(picture(game) - plain).max() <= 1


def test_bloom_uses_the_light_of_space_before_tone_mapping(make: Callable[..., Any]) -> None:
    class Sky(fw.Game):
        def setup(self) -> None:
            self.world.sky = (30.0, 30.0, 30.0)

    game = make(Sky, size=SIZE)
    plain = picture(game)
    assert (plain == 255).all()
    game.effects = [fw.Bloom(0.5, threshold=6.0)]  # brighter than white in an 8-bit picture
    game.advance(0)
    texture = game._engine.painter.world.scaled.texture
    assert texture.dtype == "f2"
    assert np.frombuffer(texture.read(), np.float16).max() > 1.01
    assert (picture(game) == 255).all()
    assert game._engine.stage.graphics.moment.above_white is False
    # float textures keep these values
    game.effects = [fw.Afterimage(0.5), fw.Blur(9.0), fw.Vignette(0.0), *game.effects]
    picture(game)
    shelf = shared_of(game.picture.graphics).chain._textures._cached
    game.advance(0)
    used = max(at for _, _, at in shelf.values())
    assert {key[-1] for key, (_, _, at) in shelf.items() if at == used} == {"f2"}
    game.effects = []
    assert (picture(game) == plain).all()


def test_a_blur_keeps_the_sum_of_light_and_its_center(game: Any) -> None:
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


@pytest.mark.parametrize("radius", [4.0, 8.0, 14.0])
def test_a_blur_has_the_width_of_its_radius(make: Callable[..., Any], radius: float) -> None:
    line = np.full((64, 1, 4), 255, np.uint8)
    game = make(size=(64, 16), background=(0, 0, 0))
    game.add(fw.SpriteBatch(line, 1)).position = 32.5, 8
    game.effects = [
        fw.Blur(radius),
        fw.Effect("vec4 effect(vec2 place) { return picture(place) * 6.0; }"),
    ]
    game.advance(0)
    row = game.pixels()[8, :, 0].astype(float)
    x = np.arange(64) - 32
    assert np.sqrt((row * x * x).sum() / row.sum()) == pytest.approx(radius / 2, rel=0.05)


def test_a_vignette_darkens_only_the_corners(game: Any) -> None:
    game.effects = [fw.Effect(PAINT, tint="white"), fw.Vignette(1.0, radius=0.2, softness=0.5)]
    pixels = picture(game)
    assert at(pixels, 0, 0) == (0, 0, 0)
    assert at(pixels, 32, 23) == (255, 255, 255)


def test_crt_has_lines_and_black_corners(game: Any) -> None:
    game.effects = [
        fw.Effect(PAINT, tint=(0.5, 0.5, 0.5)),
        fw.CRT(1.0, scanlines=0.6, mask=0.0, lines=12),
    ]
    pixels = picture(game)
    assert at(pixels, 0, 0) == (0, 0, 0)
    column = pixels[:, 32, 0]
    assert column.max() - column[column > 0].min() > 40
    assert column[8:40].mean() == pytest.approx(127.5, rel=0.1)


def test_chromatic_aberration_separates_colors_towards_the_sides(game: Any) -> None:
    game.effects = [fw.Effect("vec4 effect(vec2 p) { return vec4(step(0.5, p.x * 1.6 - 0.2)); }")]
    plain = picture(game)[24]
    game.effects.append(fw.ChromaticAberration(8.0))
    pixels = picture(game)[24]
    assert (pixels[:, 1] == plain[:, 1]).all()
    assert [int(pixels[:, channel].sum()) for channel in (0, 2)] != [int(plain[:, 0].sum())] * 2


def test_outlines_are_drawn_where_colors_change(game: Any) -> None:
    game.effects = [fw.Outline(1.0, threshold=0.1, tint="white")]
    pixels = picture(game)
    assert at(pixels, 8, 24) == (255, 255, 255)
    assert at(pixels, 16, 24) == (255, 0, 0)
    assert at(pixels, 30, 40) == (0, 0, 0)


def test_pixelate_gives_each_square_one_color(game: Any) -> None:
    game.effects = [fw.Effect("vec4 effect(vec2 p) { return vec4(p, 0, 1); }"), fw.Pixelate(8)]
    pixels = picture(game)
    pixels[16:32, 40:56] = pixels[0, 0]  # the HUD
    blocks = pixels.reshape(6, 8, 8, 8, 3)
    assert (blocks == blocks[:, :1, :, :1]).all()
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) >= 40


def test_heat_haze_moves_rows_over_time(make: Callable[..., Any]) -> None:
    game = make(Boxes, size=SIZE, background="black")
    game.effects = [fw.HeatHaze(3.0, wavelength=16)]
    game.advance(0)
    first = game.pixels()[..., 0].astype(int)
    game.advance(0.1)
    second = game.pixels()[..., 0].astype(int)
    assert (first != second).any()
    assert int(second.sum()) == pytest.approx(int(first.sum()), rel=0.1)


def test_afterimages_fade_over_time_and_end_at_a_restore(
    make: Callable[..., Any],
) -> None:
    lefts = []
    for frames in (1, 4):
        game = make(Boxes, size=SIZE, background="black", tick_rate=60)
        game.effects = [fw.Afterimage(0.8)]
        game.advance(1 / 60)
        game.box.x = 56
        game.box.teleport()
        for _ in range(4 * frames):
            game.advance(1 / 60 / frames)
        lefts.append(game.pixels()[24, 16, 0] / 255)
    assert lefts == pytest.approx([0.8**4] * 2, abs=0.06)
    game.restore(game.snapshot())
    game.advance(0)
    assert game.pixels()[24, 16, 0] == 0
    game.display.window.dispatch_event("on_resize", 40, 30)
    game.run(1)
    assert game.picture.ctx.error == "GL_NO_ERROR"


def test_a_palette_limits_the_colors(game: Any) -> None:
    colors = ["#000000", "#ff0000", "#00ff00", "#fff1e8", "#1d2b53"]
    ramp = fw.Effect("vec4 effect(vec2 p) { return vec4(p.x); }")
    game.effects = [palette := fw.PaletteEffect(colors, dither=0.0)]
    assert at(picture(game), 16, 24) == (255, 0, 0)
    game.effects.insert(0, ramp)
    palette_colors = {tuple(int(color[i : i + 2], 16) for i in (1, 3, 5)) for color in colors}
    hard = picture(game)
    palette.dither = 1.0
    soft = picture(game)
    for pixels in (hard, soft):
        assert {tuple(color) for color in pixels.reshape(-1, 3).tolist()} <= palette_colors
    assert (hard != soft).any()
    for bad in (["red"], ["red"] * 257, fw.Palette(["red"]), ["rde", "blue"], 3):
        with pytest.raises((ValueError, TypeError), match=r"^colors: expected"):
            fw.PaletteEffect(bad)


def test_a_palette_can_be_a_name_or_a_file(game: Any, tmp_path: Any) -> None:
    path = tmp_path / "two.hex"
    path.write_text("102030\nf0e0d0\n")
    for colors in (str(path), path, fw.Palette(path, dither=0.25)):
        game.effects = [palette := fw.PaletteEffect(colors)]
        assert palette.dither == (0.25 if isinstance(colors, fw.Palette) else 0.5)
        palette.dither = 0.0
        assert {at(picture(game), 16, 24), at(picture(game), 2, 2)} == {(16, 32, 48)}
    with pytest.raises(fw.AssetError, match=r"There is no file 'none\.gpl'"):
        fw.PaletteEffect("none.gpl")


SHOW = "uniform sampler2D shown; vec4 effect(vec2 place) { return texture(shown, place); }"


def quarters() -> np.ndarray:
    """Return a red top left quarter, green top right, blue and white below."""
    return np.array([[(255, 0, 0), (0, 255, 0)], [(0, 0, 255), (255, 255, 255)]], np.uint8)


def test_a_sampler_shows_an_image(game: Any, tmp_path: Any) -> None:
    path = tmp_path / "quarters.png"
    Image.fromarray(quarters()).save(path)
    effects = [
        fw.Effect(SHOW, shown=source) for source in (quarters(), path, str(path), Image.open(path))
    ]
    for effect in effects:
        game.effects = [effect]
        pixels = picture(game)
        assert [at(pixels, x, y) for x, y in ((16, 35), (15, 12), (47, 35))] == [
            pytest.approx(color, abs=12) for color in ((255, 0, 0), (0, 0, 255), (0, 255, 0))
        ]
    effect.shown = solid(4, 4, (0, 255, 255, 255))
    assert at(picture(game), 2, 2) == (0, 255, 255)
    assert effect.shown.shape == (4, 4, 4)
    snapshot = game.snapshot()
    first = game.state_hash()
    effect.shown = path
    assert game.state_hash() != first
    game.restore(snapshot)
    assert game.state_hash() == first
    assert at(picture(game), 2, 2) == (0, 255, 255)


def test_a_sampler_shows_a_texture_that_changes(make: Callable[..., Any]) -> None:
    class Watched(Boxes):
        def setup(self) -> None:
            super().setup()
            self.texture = fw.RenderTexture((16, 16))
            self.second = fw.Camera2D((16, 16))
            self.second.position = (16, 24)
            self.views.add(self.second, texture=self.texture, background="blue")
            self.cells = fw.PingPong(
                self.picture.graphics, (2, 2), "vec4 following(vec2 p) { return last(p) + 0.25; }"
            )

    game = make(Watched, size=SIZE, background="black")
    game.advance(0)
    game.effects = [live := fw.Effect(SHOW, shown=game.texture)]
    assert at(picture(game), 2, 2) == (255, 0, 0)
    game.box.x = 24
    game.box.teleport()
    game.advance(1 / 60)
    assert at(game.pixels(), 8, 24)[:3] == (0, 0, 255)
    live.shown = game.cells.texture  # the second step draws to this texture
    for expected in (0, 128):
        game.cells.step()
        assert at(picture(game), 2, 2)[0] == pytest.approx(expected, abs=1)
    live.shown = game.cells
    game.run(20)
    assert game.texture._copies == []  # no shader samples this texture any longer
    assert at(picture(game), 2, 2)[0] == pytest.approx(128, abs=1)
    game.add(fw.FullscreenQuad(SHOW.replace("effect", "fill"), shown=quarters()), camera=game.hud)
    assert at(picture(game), 16, 35) == pytest.approx((255, 0, 0), abs=12)
    step = "uniform sampler2D more; vec4 following(vec2 p) { return last(p) + texture(more, p); }"
    pair = fw.PingPong(game.picture.graphics, (2, 2), step, more=quarters())
    pair.step(2)
    assert pair.read()[1, 0].tolist() == [2, 0, 0, 2]
    assert game.picture.ctx.error == "GL_NO_ERROR"


def test_values_that_a_sampler_cannot_show_are_one_error(tmp_path: Any) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"\x89PNG and no more")
    with pytest.raises(fw.AssetError, match=r"There is no file 'none\.png'"):
        fw.Effect(SHOW, shown="none.png")
    with pytest.raises(fw.AssetError, match=r"broken\.png' is in no format"):
        fw.Effect(SHOW, shown=broken)
    with pytest.raises(
        TypeError, match="shown: the shader has a sampler2D of this name; set an image"
    ):
        fw.Effect(SHOW)
    with pytest.raises(AttributeError, match="Effect has no 'shwon'; the nearest are shown"):
        fw.Effect(SHOW, shwon=quarters())
    effect = fw.Effect(SHOW, shown=quarters())
    for bad in (3, None, [1, 2], fw.PingPong):
        with pytest.raises(TypeError, match=r"^shown: expected a path"):
            effect.shown = bad
    with pytest.raises(ValueError, match="image: expected an array of shape"):
        effect.shown = np.zeros((2, 2, 2), np.uint8)
    with pytest.raises(AttributeError, match="nearest are shown"):
        effect.shwon = quarters()
    assert effect.shown.shape == (2, 2, 3)


def test_a_lut_changes_colors(game: Any, tmp_path: Any) -> None:
    n = 16
    steps = np.round(np.linspace(0, 255, n)).astype(np.uint8)
    strip = np.zeros((n, n * n, 3), np.uint8)
    for blue in range(n):  # swaps red and blue
        strip[:, blue * n : (blue + 1) * n] = np.stack(
            [np.full((n, n), steps[blue]), np.tile(steps[:, None], (1, n)), np.tile(steps, (n, 1))],
            axis=-1,
        )
    cube = tmp_path / "swap.cube"
    rows = [f"{b} {g} {r}" for b in (0, 1) for g in (0, 1) for r in (0, 1)]
    cube.write_text('TITLE "swap"\n# a comment\nLUT_3D_SIZE 2\n' + "\n".join(rows) + "\n")
    for source in (strip, str(cube)):
        game.effects = [lut := fw.LUT(source)]
        assert at(picture(game), 16, 24) == pytest.approx((0, 0, 255), abs=1)
        lut.strength = 0.5
        assert at(picture(game), 16, 24) == pytest.approx((128, 0, 128), abs=1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("LUT_3D_SIZE 2\n0 0 0\n", "n³ rows of three numbers, got 1 rows"),
        ("LUT_3D_SIZE 999\n", "line 1: expected 2 to 65 entries, got 999"),
        ("LUT_1D_SIZE 2\n0 0 0\n1 1 1\n", "is a 1D one"),
        ("LUT_3D_SIZE x\n", "line 1: expected numbers"),
        ("LUT_3D_SIZE 2\n" + "0 0 nan\n" * 8, "n³ rows"),
        ("LUT_3D_SIZE 2\n" + "0 0 0x\n" * 8, "n³ rows"),
        ("DOMAIN_MAX 4 4 4\nLUT_3D_SIZE 2\n" + "0 0 0\n" * 8, "expected one for 0 to 1"),
    ],
)
def test_an_invalid_lut_is_one_error(tmp_path: Any, text: str, words: str) -> None:
    path = tmp_path / "bad.cube"
    path.write_text(text)
    with pytest.raises(fw.AssetError, match=words):
        fw.LUT(str(path))


def test_the_image_of_a_table_has_at_least_two_entries() -> None:
    fw.LUT(solid(4, 2))
    with pytest.raises(fw.AssetError, match="is 1 × 1 pixels; expected n slices"):
        fw.LUT(solid(1, 1))


def test_a_missing_lut_or_a_wrong_shape_is_one_error() -> None:
    with pytest.raises(fw.AssetError, match=r"There is no file 'missing\.cube'"):
        fw.LUT("missing.cube")
    with pytest.raises(fw.AssetError, match="is 20 × 10 pixels; expected n slices"):
        fw.LUT(solid(20, 10))
    with pytest.raises(TypeError, match=r"^source: expected"):
        fw.LUT(3)


# -- several effects -------------------------------------------------------------------------------


def moved(game: Any) -> None:
    """Move the box to the right, and draw a frame."""
    game.advance(1 / 60)
    game.box.x = 56
    game.box.teleport()
    game.advance(1 / 60)


def test_many_effects_in_several_lists_keep_their_history(make: Callable[..., Any]) -> None:
    game = make(Boxes, size=SIZE, background="black", tick_rate=60)
    table = np.zeros((2, 4, 3), np.uint8)
    game.effects = [fw.Afterimage(0.9), *[fw.LUT(table, strength=0.0) for _ in range(5)]]
    over = fw.Scene()
    over.pauses_below = False
    over.effects = [fw.LUT(table, strength=0.0) for _ in range(5)]
    game.push(over)
    moved(game)
    assert game.pixels()[24, 16, 0] > 200


def test_an_effect_may_be_in_two_lists_and_twice_in_one_list(make: Callable[..., Any]) -> None:
    game = make(Boxes, size=SIZE, background="black", tick_rate=60)
    trails = fw.Afterimage(0.9)
    swap = fw.Effect(SWAP)
    game.effects = [trails, swap, swap]
    game.effects[0], game.effects[1] = game.effects[1], game.effects[0]
    assert list(game.effects) == [swap, trails, swap]
    over = fw.Scene()
    over.pauses_below = False
    over.effects = [fw.Effect(PAINT, tint="black"), trails]
    game.push(over)
    moved(game)
    assert game.pixels()[24, 16, :3].max() == 0  # no afterimage of the other scene
    game.pop()
    game.advance(1 / 60)
    assert game.pixels()[24, 16, 0] > 180  # the game has its own afterimage
    game.effects = [trails, swap, swap, trails]
    game.advance(1 / 60)
    assert game.pixels()[24, 16, :3].max() > 180


def test_a_transition_keeps_afterimages(make: Callable[..., Any]) -> None:
    game = make(Boxes, size=SIZE, background="black", tick_rate=60)
    game.effects = [fw.Afterimage(0.9)]
    moved(game)
    scene = fw.Scene()
    scene.pauses_below = False
    game.push(scene, transition=fw.Fade(0.5))
    game.advance(1 / 240)  # a frame between two ticks
    game.push(fw.Scene(), transition=fw.Fade(1e-3))
    game.advance(1 / 240)
    game._engine.painter.cross(None)
    game.advance(1 / 240)
    assert game.pixels()[24, 16, 0] > 180


def test_textures_of_effects_are_released(make: Callable[..., Any]) -> None:
    game = make(Boxes, size=SIZE, background="black")
    game.effects = [fw.Bloom(), fw.Blur(9), fw.Afterimage(), fw.LUT(np.zeros((2, 4, 3), np.uint8))]
    game.run(12)
    shelf = shared_of(game.picture.graphics).chain._textures
    count = len(shelf._cached)
    for width in range(40, 50):
        game.display.window.dispatch_event("on_resize", width, 30)
        game.run(1)
    game.run(12)
    assert len(shelf._cached) == count
    game.effects = []
    game.run(12)
    assert len(shelf._cached) == 0
    assert game.picture.ctx.error == "GL_NO_ERROR"


def test_all_effects_work_at_one_pixel_and_at_no_pixel(make: Callable[..., Any]) -> None:
    game = make(Boxes, size=(1, 1))
    game.effects = [effect_kinds.new_effect(name) for name in effect_kinds.EFFECTS]
    for size in ((0, 0), (1, 1)):
        game.display.window.dispatch_event("on_resize", *size)
        game.run(2)
        game.show(fw.Scene(), transition=fw.Fade(0.1))
        game.run(1)
    assert game.pixels().shape == (1, 1, 4)
    assert game.picture.ctx.error == "GL_NO_ERROR"


def test_effects_after_the_game_was_closed(make: Callable[..., Any]) -> None:
    game = make(Boxes, size=SIZE)
    game.effects = [fw.Vignette()]
    effects = game.effects
    pair = fw.PingPong(game.picture.graphics, (4, 4), "vec4 following(vec2 p) { return last(p); }")
    cells = fw.PingPong(game.picture.graphics, (4, 4), "vec4 following(vec2 p) { return last(p); }")
    cells.release()
    cells.release()
    with pytest.raises(fw.FrameworkError, match="already released"):
        cells.step()
    game.close()
    effects.append(fw.Effect(SWAP))
    game.effects = [fw.Bloom()]
    for call in (pair.step, pair.read):
        with pytest.raises(fw.FrameworkError, match="This game was closed"):
            call()
    pair.release()


def test_lines_too_small_to_draw_fade_and_the_picture_keeps_its_brightness(game: Any) -> None:
    grey = fw.Effect(PAINT, tint=(0.5, 0.5, 0.5))
    for lines in (24.0, 25.0, 30.0, 700.0):  # lines of two pixels and less
        game.effects = [grey, fw.CRT(0.6, scanlines=1.0, mask=0.0, lines=lines)]
        column = picture(game)[10:14, 32, 0]  # in the center of the picture
        assert column == pytest.approx(128, abs=1)
    game.effects = [grey, fw.CRT(0.0, scanlines=0.8, mask=0.5, lines=12)]
    assert picture(game)[:16, :30].mean() == pytest.approx(127.5, rel=0.03)


def test_drawables_after_effects_ignore_the_depth_of_earlier_pictures(
    make: Callable[..., Any],
) -> None:
    class Deep:
        """A green square over the whole picture, at a depth of its own."""

        depth = 0.0

        def attach(self, graphics: Any) -> None:
            vertex = "#version 330\nuniform float z; void main() { gl_Position = vec4("
            vertex += "vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, z, 1.0); }"
            fragment = "#version 330\nout vec4 c; void main() { c = vec4(0, 1, 0, 1); }"
            self.ctx = graphics.ctx
            self.program = graphics.ctx.program(vertex_shader=vertex, fragment_shader=fragment)
            self.array = self.ctx.vertex_array(self.program, [])

        def begin_tick(self, dt: float) -> None:
            pass

        def end_tick(self) -> None:
            pass

        def draw(self) -> None:
            self.program["z"] = self.depth
            self.ctx.enable_only(moderngl.DEPTH_TEST)
            self.array.render(moderngl.TRIANGLE_STRIP, vertices=4)

        def release(self) -> None:
            self.array.release()
            self.program.release()

    game = make(Boxes, size=SIZE, background="black")
    game.effects = [fw.Vignette(0.0)]
    deep = game.add(Deep(), camera=game.hud)
    for deep.depth in (-0.5, 0.5):
        assert at(picture(game), 2, 2) == (0, 255, 0)
    game.effects = []
    assert at(picture(game), 2, 2) == (0, 255, 0)
