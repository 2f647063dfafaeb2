"""Several games: every GL call between two frames of a game uses that game's context."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
import pytest
from programs import run_python

import framework as fw
from framework import current_game
from framework.game.window import display_reachable
from framework.gpu.render_texture import framebuffer_of

Make = Callable[..., Any]
WHITE = np.full((8, 8, 4), 255, np.uint8)

_RESOURCES = (
    "Buffer",
    "Framebuffer",
    "Program",
    "Renderbuffer",
    "Sampler",
    "Texture",
    "TextureArray",
    "VertexArray",
)
_ON_GPU = {
    "read",
    "read_into",
    "write",
    "release",
    "use",
    "clear",
    "orphan",
    "build_mipmaps",
    "render",
    "transform",
}
_MAKERS = {
    *(
        "buffer",
        "texture",
        "texture_array",
        "depth_texture",
        "framebuffer",
        "renderbuffer",
        "depth_renderbuffer",
    ),
    *("program", "vertex_array", "sampler", "copy_buffer", "copy_framebuffer"),
}


@pytest.fixture
def calls_in_wrong_context(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list of the moderngl calls so far that ran in the context of another game."""
    stray_calls: list[str] = []

    def guarded(
        name: str, call: Callable[..., Any], context_of: Callable[[Any], Any]
    ) -> Callable[..., Any]:
        def guard(self: Any, *arguments: Any, **options: Any) -> Any:
            current = sys.modules["pyglet.gl"].current_context
            stages: list[Any] = [known() for known in current_game._open]
            surfaces = [stage.surface for stage in stages if stage is not None]
            own_surfaces = [
                surface
                for surface in surfaces
                if surface.gl is not None and surface.ctx is context_of(self)
            ]
            if (
                own_surfaces
                and own_surfaces[0].window is not None
                and own_surfaces[0].window.context is not current
            ):
                stray_calls.append(f"{name}, {'another' if current else 'none'} is current")
            return call(self, *arguments, **options)

        return guard

    for kind in _RESOURCES:
        cls = getattr(moderngl, kind)
        for name in _ON_GPU & vars(cls).keys():
            monkeypatch.setattr(
                cls, name, guarded(f"{kind}.{name}", vars(cls)[name], lambda resource: resource.ctx)
            )
    for name in _MAKERS:
        call = vars(moderngl.Context)[name]
        monkeypatch.setattr(moderngl.Context, name, guarded(name, call, lambda context: context))
    return stray_calls


class Painted(fw.Game):
    """A game with one object of each kind whose drawing can change between frames."""

    def setup(self) -> None:
        self.label = self.labels.add("Hello", (5, 5))
        self.batch = self.add(fw.SpriteBatch(WHITE, 1))
        self.target = fw.RenderTexture((16, 16))
        self.screen_view: Any = None
        self.elsewhere: Callable[[], object] = lambda: None

    def frame(self) -> None:
        """Draw a frame, and then make another context current."""
        self.advance(0)
        self.elsewhere()

    def show_texture(self) -> None:
        self.screen_view = self.views.add(fw.Camera2D((16, 16)), texture=self.target)


def blob(shade: int) -> Any:
    return np.full((6, 6, 4), (shade, 255 - shade, shade // 2, 255), np.uint8)


def set_own_uniform(game: Any) -> object:
    effect = fw.Vignette()
    game.effects = [effect]
    effect.strength = 0.3
    return effect


def camera_of_a_view(game: Any) -> None:
    view = game.views.add(fw.Camera2D((160, 100)))
    game.frame()
    view.camera = fw.Camera2D((160, 100))


def use_ping_pong(game: Any) -> None:
    source = "vec4 following(vec2 place) { return last(place); }"
    ping_pong_image = fw.PingPong(game.picture.graphics, (4, 4), source)
    ping_pong_image.step(2)
    ping_pong_image.read()
    ping_pong_image.release()


def read_back_columns(game: Any) -> None:
    """Read the previous state of large columns back from the GPU."""
    batch = game.add(fw.SpriteBatch(WHITE, 40_000))
    for _ in range(4):
        game.schedule.once(lambda dt: batch.position.__iadd__(1.0), 0)
        game.advance(1 / 60)
    game.elsewhere()
    batch.transforms.pose(0.5)


def open_inspector(game: Any) -> None:
    pytest.importorskip("slimgui")
    from framework.game.inspector import Inspector

    inspector = Inspector(game)
    game.frame()
    inspector.close()


def raw_gl_calls(game: Any) -> None:
    """Make GL calls of the game itself."""
    with game.picture.graphics.working():
        texture = game.picture.ctx.texture((4, 4), 4, b"\xff" * 64)
        assert texture.read() == b"\xff" * 64
        texture.release()


ACTIONS: dict[str, Callable[[Any], object]] = {
    "text": lambda game: setattr(game.label, "text", "World 123"),
    "label": lambda game: game.labels.add("World 123", (5, 50)),
    "measured": lambda game: game.labels.measure("xyz"),
    "size": lambda game: game.labels.add("World", (5, 5), font_size=33),
    "letters": lambda game: game.labels._writer.flush(),
    "image": lambda game: game.batch.images.add(blob(200)),
    "sprite": lambda game: game.sprites.add(blob(90), position=(50, 50)),
    "sprite's image": lambda game: setattr(game.batch.add(position=(9, 50)), "image", blob(20)),
    "shapes": lambda game: game.add(fw.Shapes()).add_circle((50, 50), 20),
    "particles": lambda game: game.add(fw.Particles(WHITE)).emit(9, (50, 50), speed=10, lifetime=5),
    "tiles": lambda game: game.add(fw.TileLayer(fw.TileSet(WHITE, (8, 8)), np.zeros((4, 4), int))),
    "widgets": lambda game: game.ui.column().button("World"),
    "ribbon": lambda game: game.add(fw.Ribbon(WHITE, [(0, 0), (90, 60)], width=9)),
    "mesh": lambda game: game.add(fw.MeshBatch(fw.Mesh.cube(), 1)),
    "material": lambda game: game.add(
        fw.MeshBatch(fw.Mesh.cube(), 1, material=fw.Material(base_texture=blob(7)))
    ),
    "lights": lambda game: game.add(fw.Lights2D(ambient=(1.0, 1.0, 1.0))),
    "backdrop": lambda game: game.add(fw.Backdrop(blob(70))),
    "scale": lambda game: setattr(game.picture, "render_scale", 0.5),
    "uniform": set_own_uniform,
    "palette": lambda game: setattr(game, "effects", [fw.PaletteEffect(["#000", "#fff", "#f80"])]),
    "texture": lambda game: game.show_texture(),
    "texture's release": lambda game: (
        game.show_texture(),
        game.frame(),
        game.views.remove(game.screen_view),
    ),
    "view's end": lambda game: (
        game.show_texture(),
        game.frame(),
        game.views.remove(game.screen_view),
    ),
    "view's camera": camera_of_a_view,
    "ping pong": use_ping_pong,
    "read back": read_back_columns,
    "raw": raw_gl_calls,
    "overlay": lambda game: (
        setattr(game.debug, "overlay", True),
        game.frame(),
        setattr(game.debug, "overlay", False),
    ),
    "inspector": open_inspector,
    "remove": lambda game: game.remove(game.batch),
    "scene": lambda game: game.push(fw.Scene(), transition=fw.Fade(0.1)),
    "snapshot": lambda game: game.restore(game.snapshot()),
    "soon": lambda game: game.call_soon(lambda: game.labels.add("World 123", (5, 50))),
    "pixels": lambda game: game.pixels(),
}


def clear_current_context() -> None:
    """Make no context current, as after the last game was closed."""
    sys.modules["pyglet.gl"].current_context = None


@pytest.mark.parametrize("action", ACTIONS)
def test_actions_between_frames_use_the_context_of_their_game(
    make: Make, calls_in_wrong_context: list[str], action: str
) -> None:
    images = []
    for kind in ("alone", "closed", "open"):
        game = make(Painted, size=(160, 100))
        game.advance(1 / 60)
        if kind != "alone":
            other_game = make(Painted, size=(160, 100))
            other_game.labels.add(
                "World 123", (5, 50)
            )  # the same letters, at the same positions in an atlas
            other_game.advance(1 / 60)
            game.elsewhere = (
                partial(other_game.advance, 0) if kind == "open" else clear_current_context
            )
            if kind == "closed":
                other_game.close()
        game.elsewhere()
        ACTIONS[action](game)
        assert not calls_in_wrong_context, kind
        for _ in range(3):
            game.advance(1 / 60)
        images.append(game.pixels())
        assert not calls_in_wrong_context, kind
        game.close()
    assert (images[1] == images[0]).all()
    assert (images[2] == images[0]).all()


def test_after_a_close_the_context_of_the_other_game_is_current(make: Make) -> None:
    game = make(Painted, size=(64, 64))
    game.advance(1 / 60)
    with Painted(headless=True, size=(64, 64)) as closed_game:
        closed_game.advance(1 / 60)
    texture = game.picture.ctx.texture((4, 4), 4, bytes(range(64)))
    assert texture.read() == bytes(range(64))
    texture.release()


def test_releasing_a_texture_of_a_closed_game_does_not_affect_another_game(
    make: Make, calls_in_wrong_context: list[str]
) -> None:
    first = make(Painted, size=(64, 64))
    second = make(Painted, size=(64, 64))
    for game in (first, second):
        game.show_texture()
        game.advance(1 / 60)
    expected = second.pixels()
    first.close()
    framebuffer_of(first.target).release()
    second.advance(0)
    assert (second.pixels() == expected).all()
    assert not calls_in_wrong_context


# -- random actions --------------------------------------------------------------------------------

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789?!äöüß"
_RANDOM_ACTIONS: tuple[Callable[[Any, random.Random], object], ...] = (
    lambda game, chance: setattr(game.label, "text", "".join(chance.sample(_LETTERS, 9))),
    lambda game, chance: game.labels.add(
        "".join(chance.sample(_LETTERS, 5)), (chance.randrange(90), 60)
    ),
    lambda game, chance: game.batch.add(
        blob(chance.randrange(256)), position=(chance.randrange(160), 20)
    ),
    lambda game, chance: game.sprites.add(
        blob(chance.randrange(256)), position=(chance.randrange(160), 80)
    ),
    lambda game, chance: game.call_soon(
        lambda: game.labels.add("".join(chance.sample(_LETTERS, 5)), (9, 40))
    ),
    lambda game, chance: game.add(fw.Shapes()).add_circle((chance.randrange(160), 50), 9),
    lambda game, chance: setattr(game.picture, "render_scale", chance.choice((0.5, 1.0))),
    lambda game, chance: setattr(
        game, "effects", [fw.Vignette(chance.random())] if chance.random() < 0.5 else []
    ),
    lambda game, chance: game.advance(1 / 60),
    lambda game, chance: game.advance(1 / 60),
)


class RandomRun:
    """A game and the random numbers that choose its actions."""

    def __init__(self, seed: int, headless: bool) -> None:
        self.seed = seed
        self.chance = random.Random(seed)
        self.steps = 0
        self.game = Painted(headless=headless, size=(160, 100), background=(0, 0, 0), vsync=False)

    def step(self) -> None:
        """Run one more action."""
        self.chance.choice(_RANDOM_ACTIONS)(self.game, self.chance)
        self.steps += 1

    def final_pixels(self) -> Any:
        """Return the pixels at the end."""
        for _ in range(2):
            self.game.advance(1 / 60)
        return self.game.pixels()


def play_at_random(seed: int, headless: bool = True) -> None:
    """Create, play and close up to three games in random order. Then play each of them alone."""
    chance = random.Random(seed)
    games = []
    results = []
    for number in range(5):
        games.append(RandomRun(100 * seed + number, headless))
        for _ in range(chance.randrange(5, 25)):
            chance.choice(games).step()
        if len(games) == 3:
            ended_run = games.pop(chance.randrange(3))
            results.append((ended_run, ended_run.final_pixels()))
            ended_run.game.close()
    for ended_run in games:
        results.append((ended_run, ended_run.final_pixels()))
        assert ended_run.game.picture.ctx.error == "GL_NO_ERROR"
        ended_run.game.close()
    for ended_run, pixels in results:
        alone = RandomRun(ended_run.seed, headless)
        for _ in range(ended_run.steps):
            alone.step()
        assert (alone.final_pixels() == pixels).all(), ended_run.seed
        alone.game.close()


@pytest.mark.parametrize("seed", range(4))
def test_games_side_by_side_draw_as_alone(seed: int, calls_in_wrong_context: list[str]) -> None:
    play_at_random(seed)
    assert not calls_in_wrong_context


@pytest.mark.skipif(
    not (sys.platform.startswith("linux") and display_reachable()), reason="there is no X display"
)
def test_windows_side_by_side_draw_as_alone() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import "
        "test_contexts as tests\n"
    )
    completed = run_python(f"{code}tests.play_at_random(1, headless=False)")
    assert completed.returncode == 0, completed.stderr
