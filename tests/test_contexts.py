"""Games side by side: whatever is done between two frames of a game reaches that game's own GL
context.
"""

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
def strays(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The calls of moderngl so far whose game's context was not current."""
    found: list[str] = []

    def guarded(
        name: str, call: Callable[..., Any], of: Callable[[Any], Any]
    ) -> Callable[..., Any]:
        def guard(self: Any, *arguments: Any, **options: Any) -> Any:
            current = sys.modules["pyglet.gl"].current_context
            stages: list[Any] = [known() for known in current_game._open]
            surfaces = [stage.surface for stage in stages if stage is not None]
            own = [
                surface
                for surface in surfaces
                if surface.gl is not None and surface.ctx is of(self)
            ]
            if own and own[0].window is not None and own[0].window.context is not current:
                found.append(f"{name}, {'another' if current else 'none'} is current")
            return call(self, *arguments, **options)

        return guard

    for kind in _RESOURCES:
        cls = getattr(moderngl, kind)
        for name in _ON_GPU & vars(cls).keys():
            monkeypatch.setattr(
                cls, name, guarded(f"{kind}.{name}", vars(cls)[name], lambda thing: thing.ctx)
            )
    for name in _MAKERS:
        call = vars(moderngl.Context)[name]
        monkeypatch.setattr(moderngl.Context, name, guarded(name, call, lambda context: context))
    return found


class Painted(fw.Game):
    """Has one of everything whose pictures may change between two frames."""

    def setup(self) -> None:
        self.label = self.labels.add("Hello", (5, 5))
        self.batch = self.add(fw.SpriteBatch(WHITE, 1))
        self.target = fw.RenderTexture((16, 16))
        self.screen_view: Any = None
        self.elsewhere: Callable[[], object] = lambda: None

    def frame(self) -> None:
        """Draw a frame, after which this game's context is no longer current."""
        self.advance(0)
        self.elsewhere()

    def show_texture(self) -> None:
        self.screen_view = self.views.add(fw.Camera2D((16, 16)), texture=self.target)


def blob(shade: int) -> Any:
    return np.full((6, 6, 4), (shade, 255 - shade, shade // 2, 255), np.uint8)


def own_uniform(game: Any) -> object:
    effect = fw.Vignette()
    game.effects = [effect]
    effect.strength = 0.3
    return effect


def views_cameras(game: Any) -> None:
    view = game.views.add(fw.Camera2D((160, 100)))
    game.frame()
    view.camera = fw.Camera2D((160, 100))


def ping_pong(game: Any) -> None:
    source = "vec4 following(vec2 place) { return last(place); }"
    picture = fw.PingPong(game.picture.graphics, (4, 4), source)
    picture.step(2)
    picture.read()
    picture.release()


def many_moving(game: Any) -> None:
    """The older state of large columns is read back from the GPU."""
    batch = game.add(fw.SpriteBatch(WHITE, 40_000))
    for _ in range(4):
        game.schedule.once(lambda dt: batch.position.__iadd__(1.0), 0)
        game.advance(1 / 60)
    game.elsewhere()
    batch.transforms.pose(0.5)


def inspected(game: Any) -> None:
    pytest.importorskip("slimgui")
    from framework.game.inspector import Inspector

    inspector = Inspector(game)
    game.frame()
    inspector.close()


def raw(game: Any) -> None:
    """GL calls of a program's own."""
    with game.picture.graphics.working():
        texture = game.picture.ctx.texture((4, 4), 4, b"\xff" * 64)
        assert texture.read() == b"\xff" * 64
        texture.release()


DOINGS: dict[str, Callable[[Any], object]] = {
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
    "uniform": own_uniform,
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
    "view's camera": views_cameras,
    "ping pong": ping_pong,
    "read back": many_moving,
    "raw": raw,
    "overlay": lambda game: (
        setattr(game.debug, "overlay", True),
        game.frame(),
        setattr(game.debug, "overlay", False),
    ),
    "inspector": inspected,
    "remove": lambda game: game.remove(game.batch),
    "scene": lambda game: game.push(fw.Scene(), transition=fw.Fade(0.1)),
    "snapshot": lambda game: game.restore(game.snapshot()),
    "soon": lambda game: game.call_soon(lambda: game.labels.add("World 123", (5, 50))),
    "pixels": lambda game: game.pixels(),
}


def nothing_current() -> None:
    """As after a game was closed while no other one is open."""
    sys.modules["pyglet.gl"].current_context = None


@pytest.mark.parametrize("doing", DOINGS)
def test_what_is_done_between_frames_reaches_the_games_own_context(
    make: Make, strays: list[str], doing: str
) -> None:
    pictures = []
    for how in ("alone", "closed", "open"):
        game = make(Painted, size=(160, 100))
        game.advance(1 / 60)
        if how != "alone":
            other = make(Painted, size=(160, 100))
            other.labels.add(
                "World 123", (5, 50)
            )  # the same letters, at the same places of an atlas
            other.advance(1 / 60)
            game.elsewhere = partial(other.advance, 0) if how == "open" else nothing_current
            if how == "closed":
                other.close()
        game.elsewhere()
        DOINGS[doing](game)
        assert not strays, how
        for _ in range(3):
            game.advance(1 / 60)
        pictures.append(game.pixels())
        assert not strays, how
        game.close()
    assert (pictures[1] == pictures[0]).all()
    assert (pictures[2] == pictures[0]).all()


def test_after_a_game_was_closed_the_context_of_the_one_that_is_left_is_current(make: Make) -> None:
    game = make(Painted, size=(64, 64))
    game.advance(1 / 60)
    with Painted(headless=True, size=(64, 64)) as other:
        other.advance(1 / 60)
    texture = game.picture.ctx.texture((4, 4), 4, bytes(range(64)))
    assert texture.read() == bytes(range(64))
    texture.release()


def test_a_texture_of_a_closed_game_is_released_without_touching_another_game(
    make: Make, strays: list[str]
) -> None:
    first, second = make(Painted, size=(64, 64)), make(Painted, size=(64, 64))
    for game in (first, second):
        game.show_texture()
        game.advance(1 / 60)
    expected = second.pixels()
    first.close()
    framebuffer_of(first.target).release()
    second.advance(0)
    assert (second.pixels() == expected).all()
    assert not strays


# -- at random -------------------------------------------------------------------------------------

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789?!äöüß"
_DONE: tuple[Callable[[Any, random.Random], object], ...] = (
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


class Played:
    """A game, and the chances by which it is played."""

    def __init__(self, seed: int, headless: bool) -> None:
        self.seed, self.chance, self.steps = seed, random.Random(seed), 0
        self.game = Painted(headless=headless, size=(160, 100), background=(0, 0, 0), vsync=False)

    def step(self) -> None:
        """Do one more thing."""
        self.chance.choice(_DONE)(self.game, self.chance)
        self.steps += 1

    def picture(self) -> Any:
        """What is seen at last."""
        for _ in range(2):
            self.game.advance(1 / 60)
        return self.game.pixels()


def played_at_random(seed: int, headless: bool = True) -> None:
    """Up to three games are made, played and closed in any order; each is then played alone."""
    chance = random.Random(seed)
    games, ended = [], []
    for number in range(5):
        games.append(Played(100 * seed + number, headless))
        for _ in range(chance.randrange(5, 25)):
            chance.choice(games).step()
        if len(games) == 3:
            over = games.pop(chance.randrange(3))
            ended.append((over, over.picture()))
            over.game.close()
    for over in games:
        ended.append((over, over.picture()))
        assert over.game.picture.ctx.error == "GL_NO_ERROR"
        over.game.close()
    for over, picture in ended:
        alone = Played(over.seed, headless)
        for _ in range(over.steps):
            alone.step()
        assert (alone.picture() == picture).all(), over.seed
        alone.game.close()


@pytest.mark.parametrize("seed", range(4))
def test_games_side_by_side_show_what_each_shows_alone(seed: int, strays: list[str]) -> None:
    played_at_random(seed)
    assert not strays


@pytest.mark.skipif(
    not (sys.platform.startswith("linux") and display_reachable()), reason="there is no X display"
)
def test_windows_side_by_side_show_what_each_shows_alone() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import "
        "test_contexts as tests\n"
    )
    done = run_python(f"{code}tests.played_at_random(1, headless=False)")
    assert done.returncode == 0, done.stderr
