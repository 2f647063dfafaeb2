"""Mistakes of beginners: each program gets a clear error or warning."""

from __future__ import annotations

import asyncio
import operator
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import solid
from PIL import Image

import framework as fw
from framework import collide
from framework.plane.row_growth import RowGrowth, Rows

pytestmark = pytest.mark.usefixtures("no_open_game")

IMG = solid(8, 8)

MAP = """<map orientation="orthogonal" width="2" height="2" tilewidth="16" tileheight="16">
<tileset firstgid="1" tilewidth="16" tileheight="16" tilecount="1" columns="1">
<image source="t.png"/></tileset>
<layer name="ground" width="2" height="2"><data encoding="csv">0,0,1,1</data></layer>
<objectgroup name="things"><object name="start" x="8" y="8"><point/></object></objectgroup></map>"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a folder with maps and make it the working directory."""
    (tmp_path / "m.tmx").write_text(MAP)
    Image.new("RGBA", (16, 16), "red").save(tmp_path / "t.png")
    (tmp_path / "bad.tmx").write_text(MAP.replace("t.png", "tiles.png"))
    (tmp_path / "short.tmx").write_text(MAP.replace("0,0,1,1", "0,0,1"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


def play(
    setup: Callable[[Any], object] | None = None,
    update: Callable[[Any], object] | None = None,
    *,
    ticks: int = 3,
    drawing: bool = False,
    **members: Any,
) -> None:
    def run_setup(self: Any) -> None:
        if setup is not None:
            setup(self)

    def run_update(self: Any, dt: float) -> None:
        if update is not None:
            update(self)

    members = {"setup": run_setup, "update": run_update, "__module__": __name__} | members
    game_class = type("G", (fw.Game,), members)
    with game_class(size=(200, 100), headless=True, drawing=drawing) as game:
        game.run_ticks(ticks)
        if drawing:
            game.advance(1 / 60)


def program(body: str, ticks: int = 3, **names: Any) -> Any:
    """Run a game with this class body, in a new module, and return the game."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    namespace: dict[str, Any] = {"__name__": "beginner", "fw": fw, **names}
    exec(f"class G(fw.Game):\n{lines}", namespace)
    with namespace["G"](headless=True, drawing=False) as game:
        game.run_ticks(ticks)
    return game


def actions(use: Callable[[Any], object], **named: Any) -> None:
    def setup(game: Any) -> None:
        game.actions = fw.Actions(**named)

    play(setup, lambda game: use(game.actions))


def batch(use: Callable[[Any], object]) -> None:
    play(lambda game: use(game.add(fw.SpriteBatch(IMG, 3))))


def routine(make: Callable[[Any], Any]) -> None:
    play(lambda game: game.start(make(game)))


async def _sleep(game: Any) -> None:
    await asyncio.sleep(1)


async def _number(game: Any) -> None:
    await 1.5  # type: ignore[misc]


async def _waits_for(value: Any) -> None:
    await value


async def _key(game: Any) -> None:
    await game.next("spcae")


async def _until(game: Any) -> None:
    await game.until(game.tick > 5)


async def _inside(game: Any) -> None:
    await game.ticks(1)
    game.nothing += 1


async def _missing_await(game: Any) -> None:
    game.seconds(1)


def _physics(game: Any) -> None:
    game.physics = fw.Physics2D(game)
    game.physics.add(game.add(fw.SpriteBatch(IMG, 3)), layer="crate")


def _physics_alone(game: Any) -> None:
    game.physics = fw.Physics2D(gravity=(0, -900))
    game.physics.add(game.add(fw.SpriteBatch(IMG, 3)))


def _particles_without_a_batch(game: Any) -> None:
    game.sparks = fw.Particles.sparks()


def _label_without_a_batch(game: Any) -> None:
    game.title = fw.TextBatch().add("hi", (1, 1))


class _Fixed(fw.Game):
    def __init__(self) -> None:
        super().__init__(size=(800, 600), title="My game")


def _calls_a_replaced_method(game: Any) -> None:
    game.start = (5, 5)
    game.start(5)


def _trail(game: Any) -> None:
    game.trail = fw.Trail(game.sprites.add(IMG))


def _blue(framework: Any) -> Any:
    """Return a scene class in a new module, where no code reads a background."""
    lines = "class Blue(fw.Scene):\n    def setup(self): self.background = 'blue'"
    namespace: dict[str, Any] = {"__name__": "beginner", "fw": framework}
    exec(lines, namespace)
    return namespace["Blue"]


def _character(game: Any) -> None:
    physics = fw.Physics3D(game)
    cube = game.add(fw.MeshBatch(fw.Mesh.cube(), 1))
    physics.add(cube)
    physics.character(cube[0])


def saving(value: object, **members: Any) -> None:
    def setup(game: Any) -> None:
        game.thing = value
        game.save("one")

    play(setup, **members)


def tween(**options: Any) -> None:
    play(lambda game: game.tween(game.sprites.add(IMG), **options))


COIN = fw.art.sounds.coin

# The program, the kind of the error or warning, and a pattern of its message.
MISTAKES: dict[str, tuple[Callable[[], object], type[BaseException], str]] = {
    "sound missing": (lambda: fw.Sound("boom.ogg"), fw.AssetError, "There is no file 'boom.ogg'"),
    "sound folder": (lambda: fw.Sound("."), fw.AssetError, "is a folder"),
    "sound percent": (
        lambda: play(lambda g: COIN.play(volume=80)),
        ValueError,
        "volume: .* 0 to 16, got 80",
    ),
    "sound pan": (lambda: play(lambda g: COIN.play(pan=-90)), ValueError, "pan: .* -1 to 1"),
    "sound speed": (
        lambda: play(lambda g: COIN.play(speed=2)),
        TypeError,
        "unknown option 'speed'; did you mean pitch",
    ),
    "sound art": (
        lambda: fw.art.sounds.shoot,
        AttributeError,
        "no sound 'shoot'; did you mean shot.* It has back",
    ),
    "sound sfx": (lambda: fw.Sound.sfx(3, "shoot"), ValueError, "kind: expected one of 'coin'"),
    "sound bus": (
        lambda: play(lambda g: g.audio.buses["musik"]),
        RuntimeWarning,
        r"'musik' is a new bus; did you mean 'music'.*buses\.add\('musik'\)",
    ),
    "sound music volume": (
        lambda: play(lambda g: setattr(g.audio.music, "volume", 0.3)),
        AttributeError,
        r"write audio\.buses\['music'\]\.volume",
    ),
    "sound no game": (COIN.play, fw.FrameworkError, "no game is open"),
    "sound loop": (lambda: play(lambda g: COIN.play(loop=3)), TypeError, "loop: expected two"),
    "actions key": (lambda: fw.Actions(jump=["spcae"]), ValueError, "the nearest are space"),
    "actions pad": (lambda: fw.Actions(jump=["pad:A1"]), ValueError, "the nearest are pad:a"),
    "actions name": (
        lambda: actions(lambda a: a.just_pressed("jmup"), jump=["space"]),
        ValueError,
        "unknown name 'jmup'; the nearest are jump",
    ),
    "actions string": (lambda: fw.Actions(jump="space pad:a"), ValueError, "not a key"),
    "actions stick": (lambda: fw.Stick("a d w"), ValueError, "expected 4 sources"),
    "actions attribute": (
        lambda: actions(lambda a: a.jump, jump=["space"]),
        AttributeError,
        r"write actions\.just_pressed\('jump'\)",
    ),
    "actions axis": (
        lambda: actions(lambda a: a.just_pressed("move"), move=fw.Axis("a d")),
        ValueError,
        r"use actions\['move'\]",
    ),
    "actions rebind": (
        lambda: fw.Actions(jump=["space"]).rebind("jmp", "x"),
        ValueError,
        "the nearest are jump",
    ),
    "actions stick times dt": (
        lambda: actions(lambda a: 260 * a["move"] * 0.1, move=fw.Stick("a d s w")),
        TypeError,
        "tuples of numbers",
    ),
    "keys": (lambda: play(None, lambda g: g.keys["rigth"]), ValueError, "the nearest are right"),
    "map missing": (lambda: fw.TileMap("levl.tmx"), fw.AssetError, "no file 'levl.tmx'"),
    "map tileset": (lambda: fw.TileMap("bad.tmx"), fw.AssetError, "no file 'tiles.png'"),
    "map short": (lambda: fw.TileMap("short.tmx"), fw.AssetError, "3 numbers, expected 4"),
    "map layer": (
        lambda: fw.TileMap("m.tmx", expect_solid=False)["grund"],
        KeyError,
        "'ground', 'things'",
    ),
    "map object": (
        lambda: fw.TileMap("m.tmx", expect_solid=False).objects["strat"],
        KeyError,
        "there are 'start'",
    ),
    "map class": (
        lambda: fw.TileMap("m.tmx", expect_solid=False).objects.of("coins"),
        RuntimeWarning,
        "no object has the class 'coins'.*optional=True",
    ),
    "map objects of a name": (
        lambda: fw.TileMap("m.tmx", expect_solid=False).objects.named("strat"),
        RuntimeWarning,
        "no object has the name 'strat'; there are 'start'",
    ),
    "map not solid": (
        lambda: collide.move([(8, 30)], (8, 8), [(0, -9)], fw.TileMap("m.tmx")["ground"]),
        RuntimeWarning,
        "no solid tile.*expect_solid=False",
    ),
    "map as solid": (
        lambda: collide.move([(8, 30)], (8, 8), [(0, -9)], fw.TileMap("m.tmx", expect_solid=False)),  # type: ignore[arg-type]
        TypeError,
        "solids: expected a TileGrid",
    ),
    "tiles of floats": (
        lambda: fw.TileLayer(fw.TileSet(solid(16, 16), (16, 16)), np.ones((4, 4)) * 0.5),
        TypeError,
        r"tiles: expected whole numbers of shape \(h, w\), 0 for no tile",
    ),
    "tile number": (
        lambda: play(
            lambda g: g.add(fw.TileLayer(fw.TileSet(solid(16, 16), (16, 16)), np.full((4, 4), 7)))
        ),
        ValueError,
        "row 0, column 0 has tile 7; there are 1 to 1, and 0 for none",
    ),
    "move a sprite": (
        lambda: batch(
            lambda b: collide.move(b[0], (8, 8), [(0, -1)], collide.TileGrid([[True]], 16))
        ),
        TypeError,
        r"position: expected positions, such as sprite.position, got <Sprite",
    ),
    "add a table of nodes": (
        lambda: program("def setup(self): self.add(fw.Nodes2D())"),
        TypeError,
        r"drawable: expected a batch, got .*Nodes2D.*; .*self\.add\(fw\.NodeSprites\(image, nodes\)\)",
    ),
    "overlaps of a position": (
        lambda: batch(lambda b: collide.overlaps(b[0].position, b)),
        TypeError,
        "expected a batch of sprites, or a sprite, got ",
    ),
    "move without velocity": (
        lambda: batch(lambda b: b.move(0.1)),
        AttributeError,
        "columns=",
    ),
    "velocity": (lambda: batch(lambda b: b.velocity), AttributeError, "columns="),
    "sprite attribute": (
        lambda: batch(lambda b: setattr(b[0], "hp", 3)),
        AttributeError,
        # Python 3.13 adds "and no __dict__ for setting new attributes".
        r"'hp'.*; for a value of your own in each row, make the batch with columns=\{'hp': 0\.0\}",
    ),
    "unknown option of a base class": (
        lambda: play(lambda g: fw.art.sounds.coin.play(speed=2)),  # type: ignore[call-arg]
        TypeError,
        r"^play: unknown option 'speed'; did you mean pitch\?",
    ),
    "await of a number": (
        lambda: play(lambda g: g.start(_waits_for(1.5))),
        TypeError,
        r"; write await self\.seconds\(1\.5\), or await self\.ticks\(90\)",
    ),
    "await of a condition": (
        lambda: play(lambda g: g.start(_waits_for(False))),
        TypeError,
        r"; write await self\.until\(lambda: ",
    ),
    "await of a plain function": (
        lambda: play(lambda g: g.start(_waits_for(None))),
        TypeError,
        "; the function after await returned None: write async def, or leave out await",
    ),
    "await of a list": (
        lambda: play(lambda g: g.start(_waits_for([1]))),
        TypeError,
        "; a routine waits for calls such as",
    ),
    "attribute of a slider": (
        lambda: play(lambda g: g.ui.column().slider("Volume", g.audio, "volum")),
        AttributeError,
        "the nearest are volume, occlusion, voices$",
    ),
    "own column": (
        lambda: fw.SpriteBatch(IMG, 3, columns=("hp",)),
        ValueError,
        r"for columns of your own pass a dict, as in columns=\{'hp': 3\.0\}",
    ),
    "physics gravity": (
        lambda: play(lambda g: fw.Physics2D(g, gravity=-900)),  # type: ignore[arg-type]
        TypeError,
        "gravity: expected two finite numbers, got -900",
    ),
    "physics shape": (
        lambda: play(lambda g: fw.Physics2D(g).add(g.add(fw.SpriteBatch(IMG, 3)), shape="ball")),
        ValueError,
        "shape: expected one of 'box', 'circle'.*, got 'ball'",
    ),
    "physics layer": (
        lambda: play(_physics, lambda g: g.physics.entered("crat", "crate")),
        ValueError,
        "no body has the layer 'crat'; did you mean 'crate'",
    ),
    "physics of meshes": (
        lambda: play(lambda g: fw.Physics2D(g).add(g.add(fw.MeshBatch(fw.Mesh.cube(), 3)))),
        TypeError,
        "batch: expected a batch of sprites",
    ),
    "character": (
        lambda: play(_character),
        ValueError,
        "a character needs a body of kind='kinematic'",
    ),
    "sprite opacity": (
        lambda: batch(lambda b: setattr(b[0], "opacity", 0.5)),
        AttributeError,
        r"write sprite\.alpha",
    ),
    "sprite kill": (lambda: batch(lambda b: b[0].kill()), AttributeError, r"sprite\.remove\(\)"),
    "shapes rectangle": (
        lambda: fw.Shapes().add_rectangle((0, 0)),  # type: ignore[attr-defined]
        AttributeError,
        r"write shapes\.add_box",
    ),
    "text color": (
        lambda: play(lambda g: g.labels.add("0", color=(255, 128, 0))),
        ValueError,
        "divide numbers up to 255 by 255",
    ),
    "text font": (
        lambda: play(lambda g: g.add(fw.TextBatch("Comic Sanz")).add("a"), drawing=True),
        fw.AssetError,
        "The system has no font of that name either",
    ),
    "text size": (
        lambda: play(lambda g: g.labels.add("0", (1, 1), size=30)),
        TypeError,
        "font_size",
    ),
    "text anchor": (
        lambda: play(lambda g: g.labels.add("0", anchor="middle")),
        ValueError,
        "or one of 'top left', 'top'",
    ),
    "text color name": (
        lambda: play(lambda g: g.labels.add("x", color="organge")),
        ValueError,
        "'orange', got 'organge'",
    ),
    "text in each tick": (
        lambda: play(None, lambda g: g.labels.add(f"Score {g.tick}"), ticks=130),
        RuntimeWarning,
        r"128 labels, because labels are added in every tick.*labels\.may_grow = True",
    ),
    "sprites in each tick": (
        lambda: play(
            None, lambda g: g.sprites.add(IMG, position=(3 * g.tick % 200, 9)), ticks=1100
        ),
        RuntimeWarning,
        r"1,024 sprites, because sprites are added in every tick.*batch\.may_grow = True",
    ),
    "widget called": (
        lambda: play(lambda g: g.ui.column().button("Go", None)),
        TypeError,
        "on_press: expected a function, got None; pass the function without calling it",
    ),
    "widget slider called": (
        lambda: play(lambda g: g.ui.column().slider("Volume", None)),
        TypeError,
        "target: expected a function, got None",
    ),
    "widget anchor": (
        lambda: play(lambda g: g.ui.column(anchor="middle")),
        ValueError,
        "anchor: expected one of 'top left'",
    ),
    "widget attribute": (
        lambda: play(lambda g: g.ui.column().slider("Volume", g.audio, "volum", 0, 1)),
        AttributeError,
        "the nearest are volume",
    ),
    "widget enabeld": (
        lambda: play(lambda g: setattr(g.ui.column().button("a"), "enabeld", False)),
        RuntimeWarning,
        "Button.enabeld: it was set, but nothing reads it; did you mean enabled",
    ),
    "widget selected": (
        # the name is in two parts, because the warning is not shown if the code contains the name
        lambda: play(lambda g: setattr(g.ui.column().button("a"), "".join(["selec", "ted"]), True)),
        RuntimeWarning,
        r"Button\.selected: .*nothing reads it; .*write menu\.toggle",
    ),
    "widget width": (
        lambda: play(lambda g: setattr(g.ui.column().button("a"), "width", 30)),
        AttributeError,
        r"widget\.style\(width=…\)",
    ),
    "widget without a group": (
        lambda: play(lambda g: g.ui.button("Go")),
        AttributeError,
        r"a group creates widgets: self\.ui\.column\(.*\)\.button",
    ),
    "widget on_click": (
        lambda: play(lambda g: g.ui.column().button("Go", on_click=print)),
        TypeError,
        "did you mean on_press",
    ),
    "widget position": (
        lambda: play(lambda g: g.ui.column().button("Go", x=100)),
        TypeError,
        "a layout places the widgets",
    ),
    "widget theme": (lambda: fw.Theme().with_(acent="#f80"), TypeError, "the nearest are accent"),
    "effects one": (
        lambda: play(lambda g: setattr(g, "effects", fw.Bloom())),
        TypeError,
        "expected a sequence",
    ),
    "effects class": (
        lambda: play(lambda g: setattr(g, "effects", [fw.Bloom])),
        TypeError,
        "make one, Bloom",
    ),
    "effects glsl": (
        lambda: play(
            lambda g: g.effects.append(fw.Effect("vec4 effect(vec2 p) { return picure(p); }")),
            drawing=True,
        ),
        fw.ShaderError,
        "picure",
    ),
    "effects main": (
        lambda: fw.Effect("void main() {}"),
        fw.ShaderError,
        r"expected a function vec4 effect\(vec2 place\), got void main",
    ),
    "effects uniform": (
        lambda: setattr(
            fw.Effect("uniform float k; vec4 effect(vec2 p) { return picture(p) * k; }"), "kk", 3
        ),
        AttributeError,
        "Effect has no 'kk'; the nearest are k",
    ),
    "particles size": (
        lambda: fw.Particles(size=(4, 30)),  # type: ignore[arg-type]
        TypeError,
        "size: expected a number",
    ),
    "particles position": (
        lambda: fw.Particles.sparks().emit(40),
        RuntimeWarning,
        r"born at \(0, 0\).*position=\(0, 0\)",
    ),
    "particles preset": (
        lambda: fw.Particles.explosion(),  # type: ignore[attr-defined]
        AttributeError,
        "the presets are fire, smoke",
    ),
    "lights color": (
        lambda: fw.Lights2D().add((1, 1), color=(255, 200, 100)),
        ValueError,
        "divide numbers up to 255 by 255, and set intensity=",
    ),
    "transition": (
        lambda: play(lambda g: g.push(fw.Scene(), transition="fade")),
        TypeError,
        r"say fw\.Fade",
    ),
    "routine not called": (
        lambda: play(lambda g: g.start(_inside)),
        TypeError,
        "got the function _inside; call it",
    ),
    "routine asyncio": (lambda: routine(_sleep), fw.FrameworkError, "asyncio's functions"),
    "routine number": (lambda: routine(_number), TypeError, "can't be (used in 'await'|awaited)"),
    "routine plain": (lambda: routine(lambda g: None), TypeError, "got None; a call of an async"),
    "routine key": (lambda: routine(_key), ValueError, "the nearest are space"),
    "routine until": (lambda: routine(_until), TypeError, "expected a function without arg"),
    "routine error": (lambda: routine(_inside), AttributeError, "no attribute 'nothing'"),
    "tween no duration": (lambda: tween(x=3), TypeError, "duration: expected seconds"),
    "tween ease": (
        lambda: tween(x=3, duration=1, ease="easeOutQuad"),
        ValueError,
        "did you mean 'out_quad'",
    ),
    "tween attribute": (
        lambda: tween(postion=(3, 3), duration=1),
        AttributeError,
        "did you mean 'position'",
    ),
    "tween seconds": (lambda: tween(x=3, seconds=1), TypeError, "duration"),
    "tween text": (
        lambda: play(lambda g: g.tween(g.labels.add("x"), text="abc", duration=1)),
        TypeError,
        "text",
    ),
    "tween nothing": (lambda: tween(duration=1), TypeError, "name an attribute to change"),
    "schedule called": (
        lambda: play(lambda g: g.schedule.once(None, 1)),
        TypeError,
        "expected a function of dt, got None",
    ),
    "schedule no dt": (
        lambda: play(lambda g: g.schedule.once(lambda: None, 1)),
        TypeError,
        "add the argument",
    ),
    "schedule swapped": (
        lambda: play(lambda g: g.schedule.interval(0.5, lambda dt: None)),
        TypeError,
        r"got 0\.5; the function comes first: write schedule\.interval\(function, 0\.5\)$",
    ),
    "save nothing": (lambda: saving(1), fw.FrameworkError, "declares nothing to be saved"),
    "save missing": (lambda: saving(1, saved=("scor",)), fw.FrameworkError, "game has no 'scor'"),
    "save module": (lambda: saving(np, saved=("thing",)), fw.FrameworkError, "is a module"),
    "save string": (lambda: saving(1, saved="thing"), fw.FrameworkError, "expected a tuple"),
    "save function": (lambda: saving(print, saved=("thing",)), fw.FrameworkError, "thing"),
    "load missing": (
        lambda: play(lambda g: g.load("nothing"), saved=("score",)),
        fw.AssetError,
        "cannot be read",
    ),
    "saves exist": (
        lambda: play(lambda g: g.saves.has("best")),
        AttributeError,
        r"write game\.saves\.exists\(slot\)",
    ),
    "has save": (
        lambda: play(lambda g: g.has_save("best")),
        AttributeError,
        r"write game\.saves\.exists\(slot\)",
    ),
    "clip": (
        lambda: play(
            lambda g: g.add(fw.SpriteBatch(fw.Clips([IMG] * 2, walk=(0, 2, 8)), 1)).play("wlak")
        ),
        ValueError,
        "there is no clip 'wlak'; did you mean 'walk'",
    ),
    "clip out of range": (lambda: fw.Clips([IMG, IMG], walk=(0, 8, 8)), ValueError, "image 7"),
    "play without clips": (
        lambda: batch(lambda b: b.play("walk")),
        fw.FrameworkError,
        "this batch has no clips",
    ),
    "follow bounds": (
        lambda: play(lambda g: fw.Follow(g.camera, g.sprites.add(IMG), bounds=(1, 1))),
        ValueError,
        "expected four finite numbers",
    ),
    "view": (
        lambda: play(lambda g: g.views.add((0, 0, 0.5, 1), g.camera)),
        TypeError,
        "expected a Camera2D",
    ),
    "scene class": (lambda: play(lambda g: g.push(fw.Scene)), TypeError, "make one"),
    "run option": (
        lambda: fw.run(fw.Game, out="x.png"),
        TypeError,
        "run: unknown option 'out'; did you mean screenshot",
    ),
    "mouse button": (
        lambda: play(lambda g: g.testing.press("mouse:lft")),
        ValueError,
        "there are mouse:left",
    ),
    "method updat": (
        lambda: program("def updat(self, dt): pass"),
        RuntimeWarning,
        r"G\.updat: nothing calls this method; did you mean update\? .*own_names = \('updat',\)",
    ),
    "method on_key_pres": (
        lambda: program("def on_key_pres(self, symbol, modifiers): pass"),
        RuntimeWarning,
        "did you mean on_key_press",
    ),
    "method on_draw": (
        lambda: program("def on_draw(self): pass"),
        RuntimeWarning,
        r"did you mean draw\(self, alpha\)",
    ),
    "attribute of the class": (
        lambda: program("pause_below = False"),
        RuntimeWarning,
        "did you mean pauses_below",
    ),
    "attribute backgroud": (
        lambda: program("def setup(self): self.backgroud = '#f00'"),
        RuntimeWarning,
        "did you mean background",
    ),
    "attribute set later": (
        lambda: program("def on_show(self): self.backgroud = '#f00'"),
        RuntimeWarning,
        "did you mean background",
    ),
    "batch never added": (
        lambda: play(lambda g: fw.SpriteBatch(IMG, 3) and None),
        RuntimeWarning,
        r"G\.setup: a SpriteBatch with 3 rows was never added.*own_names = \('probe',\)",
    ),
    "batch with a sprite never added": (
        lambda: play(lambda g: fw.SpriteBatch(IMG).add(position=(1, 1)) and None),
        RuntimeWarning,
        r"G\.setup: a SpriteBatch with 1 row was never added",
    ),
    "particles never added": (
        lambda: play(
            _particles_without_a_batch, lambda g: g.sparks.emit(9, position=(1, 1)), ticks=60
        ),
        RuntimeWarning,
        r"G\.sparks: a Particles with .* was never added.*own_names = \('sparks',\)",
    ),
    "text in a local variable": (
        lambda: play(lambda g: fw.TextBatch().add("hi", (1, 1)) and None),
        RuntimeWarning,
        r"G\.setup: a TextBatch with 1 row was never added.*write self\.add\(fw\.TextBatch\(…\)\)",
    ),
    "label of a text never added": (
        lambda: play(_label_without_a_batch, ticks=60),
        RuntimeWarning,
        r"G\.title: a TextBatch with 1 row was never added.*call self\.add\(fw\.TextBatch",
    ),
    "particles of an emitter in a local variable": (
        lambda: play(lambda g: fw.Particles(IMG, 9).emitter((1, 1), 5) and None),
        RuntimeWarning,
        r"G\.setup: a Particles with 0 rows was never added",
    ),
    "shapes in a local variable of update": (
        lambda: play(lambda g: None, lambda g: fw.Shapes().add_circle((1, 1), 2) and None),
        RuntimeWarning,
        r"G: a Shapes with 1 row was never added",
    ),
    "backdrop in a local variable": (
        lambda: play(lambda g: fw.Backdrop(IMG) and None),
        RuntimeWarning,
        r"G\.setup: a Backdrop was never added",
    ),
    "tiles in a local variable": (
        lambda: play(lambda g: fw.TileLayer(fw.TileSet(IMG, (4, 4)), [[1]]) and None),
        RuntimeWarning,
        r"G\.setup: a TileLayer was never added",
    ),
    "trail never added": (
        lambda: play(_trail, ticks=60),
        RuntimeWarning,
        r"G\.trail: a Trail was never added, .*self\.trail = self\.add\(fw\.Trail",
    ),
    "physics without a scene": (
        lambda: play(_physics_alone, ticks=60),
        RuntimeWarning,
        r"G\.physics: a Physics2D with bodies has no scene.*fw\.Physics2D\(self, …\)",
    ),
    "background of a scene": (
        lambda: program("def setup(self): self.push(blue(fw)())", blue=_blue),
        RuntimeWarning,
        r"Blue\.background: it was set.*write self\.game\.background = '#123'",
    ),
    "class of a sprite": (
        lambda: type("Enemy", (fw.Sprite,), {"__module__": __name__}),
        TypeError,
        r"class Enemy\(Sprite\): .*columns=\{'hp': 3\}.*sprite\.hp",
    ),
    "class of an instance": (
        lambda: type("Enemy", (fw.Instance,), {"__module__": __name__}),
        TypeError,
        r"columns=\{'hp': 3\}, and each Instance has its own hp",
    ),
    "key as a string": (
        lambda: program("def on_key_press(self, key, modifiers): return key == 'escape'"),
        RuntimeWarning,
        r"key is a number and never equals 'escape'; write key == fw\.key\.ESCAPE",
    ),
    "keys as strings": (
        lambda: program("def on_key_release(self, key, modifiers): return key in ('a', 'left')"),
        RuntimeWarning,
        r"key is a number and never equals 'a'",
    ),
    "method on_collision_enter": (
        lambda: program("def on_collision_enter(self, a, b): pass\ndef update(self, dt): pass"),
        RuntimeWarning,
        r"nothing calls this method; .*physics\.entered\('ball', 'wall'\) in update",
    ),
    "method OnTriggerExit2D": (
        lambda: program("def OnTriggerExit2D(self, other): pass"),
        RuntimeWarning,
        r"physics\.exited\('ball', 'wall'\)",
    ),
    "method ready": (lambda: program("def ready(self): pass"), RuntimeWarning, r"setup\(self\)"),
    "method late_update": (
        lambda: program("def late_update(self): pass"),
        RuntimeWarning,
        r"update\(self, dt\)",
    ),
    "method on_mouse_wheel": (
        lambda: program("def on_mouse_wheel(self, dy): pass"),
        RuntimeWarning,
        r"on_mouse_scroll\(self",
    ),
    "init without options": (
        lambda: _Fixed(headless=True),  # type: ignore[call-arg]
        TypeError,
        r"_Fixed\.__init__ must accept the options of the game: def __init__\(self, \*\*options\)\. "
        r'Or put .* setup\(self\), .* into fw\.run\(_Fixed, size=\(800, 600\), title="My game"\)',
    ),
    "sprite made by hand": (
        lambda: play(lambda g: fw.Sprite("ship.png", 0.5)),  # type: ignore[arg-type]
        AttributeError,
        r"^Sprite: .*write self\.sprites\.add\('ship\.png', position=\(x, y\), scale=0\.5\)",
    ),
    "instance made by hand": (
        lambda: play(lambda g: fw.Instance("ship.glb", 0)),  # type: ignore[arg-type]
        AttributeError,
        r"^Instance: the framework makes each Instance; write batch = self\.add",
    ),
    "label made by hand": (
        lambda: play(lambda g: fw.Label("Score", 12)),  # type: ignore[arg-type]
        AttributeError,
        r"^Label: .*write self\.labels\.add",
    ),
    "truth of pairs": (
        lambda: batch(lambda b: 1 if collide.overlaps(b, b) else 2),
        ValueError,
        r"; write if len\(pairs\):",
    ),
    "part of a position": (
        lambda: batch(lambda b: operator.setitem(b[0].position, 0, 5)),
        TypeError,
        r"; a tuple never changes: write sprite\.x \+= 5, or sprite\.position = \(x, y\)$",
    ),
    "part of a position in code": (
        lambda: program(
            "def setup(self): self.ship = self.sprites.add(image)\n"
            "def update(self, dt): self.ship.position[0] += 5",
            image=IMG,
        ),
        TypeError,
        r"write sprite\.x \+= 5, or sprite\.position = \(x, y\)$",
    ),
    "part of a scale": (
        lambda: program(
            "def setup(self): self.sprites.add(image).scale[0] = 5\n",
            image=IMG,
        ),
        TypeError,
        "'tuple' object does not support item assignment; a tuple never changes",
    ),
    "part of the camera's position": (
        lambda: program("def update(self, dt): self.camera.position[0] += 5"),
        TypeError,
        r"x, y = camera\.position, and camera\.position = \(x \+ 5, y\)$",
    ),
    "x of a position": (
        lambda: batch(lambda b: b[0].position.x),
        AttributeError,
        r"write sprite\.x \+= 5, or sprite\.position = \(x, y\)",
    ),
    "keys pressed": (
        lambda: play(None, lambda g: g.keys.pressed("LEFT")),
        AttributeError,
        r"keys\.presses .*; presses counts: write keys\['left'\] .* or keys\.just_pressed\('left'\)",
    ),
    "mouse pressed": (
        lambda: play(None, lambda g: g.mouse.pressed("left")),
        AttributeError,
        r"write mouse\['left'\] .* or mouse\.just_pressed\('left'\)",
    ),
    "width of the window": (
        lambda: play(None, lambda g: g.window.width),
        AttributeError,
        r"moved to game\.display\.window .*; self\.width",
    ),
    "velocity of a sprite": (
        lambda: play(lambda g: setattr(g.sprites.add(IMG), "velocity", (5, 0))),
        AttributeError,
        r"^velocity: the batch has no such column; write fw\.SpriteBatch\(image, "
        r'columns="velocity"\), and batch\.move\(dt\) in update',
    ),
    "velocity of a new sprite": (
        lambda: play(lambda g: g.sprites.add(IMG, velocity=(5, 0))),
        AttributeError,
        r"^velocity: the batch has no such column; write fw\.SpriteBatch",
    ),
    "method replaced": (
        lambda: program(
            "def setup(self):\n    self.start = (5, 5)\n    self.start(self.go())\n"
            "async def go(self): pass"
        ),
        AttributeError,
        r"^G\.start: the framework has a method of this name.*such as my_start$",
    ),
    "method replaced from outside": (
        lambda: play(lambda g: setattr(g, "until", 5)),
        RuntimeWarning,
        r"^G\.until: the framework has a method of this name.*such as my_until$",
    ),
    "update replaced": (
        lambda: program("def setup(self): self.update = None"),
        AttributeError,
        r"^G\.update: the framework has a method of this name.*such as my_update$",
    ),
    "replaced method called": (
        lambda: play(_calls_a_replaced_method),
        TypeError,
        r"'tuple' object is not callable; start is a method of the framework.*such as my_start$",
    ),
    "schedule as a function": (
        lambda: play(lambda g: g.schedule(print, 1.0)),
        TypeError,
        r"; write self\.schedule\.interval\(f, 1\.0\)",
    ),
    "once with the seconds first": (
        lambda: play(lambda g: g.schedule.once(2.0, print)),
        TypeError,
        r"the function comes first: write schedule\.once\(print, 2\.0\)$",
    ),
    "interval with the seconds first": (
        lambda: play(lambda g: g.schedule.interval(2, print)),
        TypeError,
        r"the function comes first: write schedule\.interval\(print, 2\)$",
    ),
    "in keys": (
        lambda: play(None, lambda g: fw.key.LEFT in g.keys),
        TypeError,
        r"; write self\.keys\['left'\]$",
    ),
    "sound called": (lambda: play(lambda g: COIN()), TypeError, r"; write sound\.play\(\)$"),  # type: ignore[operator]
    "sprite scael": (
        lambda: batch(lambda b: setattr(b[0], "scael", 3)),
        AttributeError,
        r"'scael'.*; did you mean 'scale'\?$",
    ),
    "color lightblu": (
        lambda: batch(lambda b: setattr(b[0], "color", "lightblu")),
        ValueError,
        "got 'lightblu'; the nearest are lightblue",
    ),
    "color redd": (
        lambda: play(lambda g: setattr(g, "background", "Redd")),
        ValueError,
        "got 'Redd'; the nearest are red",
    ),
    "tiles of text": (
        lambda: fw.TileLayer(fw.art.platformer, ["##"]),
        TypeError,
        r"got \['##'\]; .*kit\.from_text\(rows, legend\)",
    ),
    "clips of clips": (
        lambda: fw.Clips(fw.art.hero, walk=(0, 4, 8)),  # type: ignore[arg-type]
        TypeError,
        r"got Clips, .*fw\.Clips\(fw\.art\.walker, walk=\(0, 4, 8\)\)",
    ),
    "image of clips": (
        lambda: fw.art.hero[0],  # type: ignore[index]
        TypeError,
        r"name of a clip, such as 'idle', got 0; .*fw\.art\.walker",
    ),
    "batch in every tick": (
        lambda: play(None, lambda g: g.add(fw.SpriteBatch(IMG, 1)), ticks=130),
        RuntimeWarning,
        r"^drawables: 100 drawables, because a SpriteBatch is added in every tick and never removed; "
        r"add one SpriteBatch once, in setup",
    ),
    "method on_joystick_press": (
        lambda: program("def on_joystick_press(self, button): pass"),
        RuntimeWarning,
        r"on_pad_press\(self, pad, button\)",
    ),
}

OTHER_ENGINES = ["time_scale", "paused", "title", "background_color", "fps"]


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_a_clear_error_or_warning(name: str) -> None:
    program, kind, words = MISTAKES[name]
    with pytest.raises(kind) as caught:  # a warning is an error in the tests
        program()
    text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    assert re.search(words, text, re.DOTALL), text


@pytest.mark.parametrize("name", ["_start", "_missing_await", "_ask"])
def test_a_coroutine_that_is_never_awaited_is_warned_about(name: str) -> None:
    def setup(game: Any) -> None:
        if name == "_start":
            waits = [_key(game)]
            waits.clear()
        elif name == "_ask":
            game.ui.ask("Quit?", "Yes", "No")
        else:
            game.start(_missing_await(game))

    with pytest.warns(RuntimeWarning, match="was never awaited"):
        play(setup)


def test_correct_programs_have_no_warnings() -> None:
    def setup(game: Any) -> None:
        game.text = game.labels.add("0", (1, 1), anchor="center")
        game.text.text = 12
        game.text.x += 3
        game.labels.add("[#f80]gold", (1, 1), font_size=30)
        menu = game.ui.column()
        menu.label("0").text = 5
        menu.progress_bar(0.5).value = 1.0000001
        menu.button("Go")
        menu.button("a").my_data = 3
        menu.slider("Volume", game.audio.buses["music"], "volume")
        game.audio.buses.add("musik").volume = 0.5
        game.audio.buses["speech"].volume = 0.5
        assert game.audio.buses["musik"].volume == 0.5
        fw.TileMap("m.tmx", expect_solid=False).objects.of("coins", optional=True)

    fw.Actions(jump=["space"])  # before a game exists
    play(setup)


@pytest.mark.parametrize("name", OTHER_ENGINES)
def test_a_name_of_another_engine_warns_once(name: str) -> None:
    with pytest.warns(RuntimeWarning, match=rf"own_names = \('{name}',\)") as warnings:
        game = program(f"def update(self, dt): self.{name} = self.tick", ticks=5)
    assert len(warnings) == 1
    assert (getattr(game, name), vars(game)[name]) == (5, 5)
    with pytest.raises(AttributeError, match=rf"^scene\.{name}: there is no such attribute"):
        getattr(fw.Scene(), name)
    assert name not in dir(fw.Scene())


@pytest.mark.parametrize("name", OTHER_ENGINES)
def test_a_declared_name_of_another_engine_has_no_warning(name: str) -> None:
    program(f"def update(self, dt): self.{name} = 3; print(self.{name})")
    program(f"own_names = ('{name}',)\ndef update(self, dt): self.{name} = 3")
    program(f"{name} = 2\ndef update(self, dt): self.{name} = 3")
    program(f"{name}: int\ndef update(self, dt): self.{name} = 3")


def test_attributes_with_names_of_other_engines_work_as_usual() -> None:
    class Mixin:
        title = "mixed"

    class Level(fw.Game, Mixin):
        saved = ("time_scale",)
        own_names = ("fps",)
        paused = False
        caption: str

        def update(self, dt: float) -> None:
            self.fps = self.tick
            self.caption = f"{self.tick}"
            self.time_scale = 0.5
            self.title = self.camera  # an object with this name has no warning
            self.background_color = "red" if self.tick % 2 else "blue"
            if not self.paused:
                self.colors = self.background_color

    with Level(headless=True, drawing=False) as game:
        game.run_ticks(3)
        assert (game.title, game.fps, game.caption) == (game.camera, 3, "3")
        assert (game.time_scale, Level.title) == (0.5, "mixed")
        before = game.state_hash()
        state = game.snapshot()
        game.save("one")
        game.run_ticks(2)
        game.restore(state)
        assert (game.state_hash(), game.background_color) == (before, "red")
    with Level(headless=True, drawing=False) as game:
        game.load("one")
        assert game.time_scale == 0.5


def test_called_and_declared_methods_are_no_misspellings() -> None:
    class Level(fw.Game):
        own_names = ("on_draw",)

        def update(self, dt: float) -> None:
            self.updates()

        def updates(self) -> None: ...

        def on_draw(self) -> None: ...

        def on_hit(self) -> None: ...

    with Level(headless=True, drawing=False) as game:
        game.run_ticks(2)


def test_a_batch_from_setup_may_be_added_later() -> None:
    class Level(fw.Game):
        def setup(self) -> None:
            self.later = [fw.SpriteBatch(IMG, 3)]

        def update(self, dt: float) -> None:
            if self.tick == 2:
                self.add(self.later[0])

    with Level(headless=True, drawing=False) as game:
        game.run_ticks(3)


def test_may_grow_stops_the_warning_about_labels() -> None:
    play(
        lambda game: setattr(game.labels, "may_grow", True),
        lambda game: game.labels.add("x"),
        ticks=300,
    )
    play(None, lambda game: game.labels.add("x").remove(), ticks=300)
    with pytest.warns(RuntimeWarning) as warnings:
        play(None, lambda game: game.labels.add("x"), ticks=700)
    assert len(warnings) == 1


def _hearts(game: Any) -> None:
    for column in range(3):
        game.sprites.add(IMG, position=(10 * column, 90))


def test_sprites_that_are_added_in_every_tick_are_reported_once() -> None:
    with pytest.warns(RuntimeWarning, match="never removed") as warnings:
        play(None, _hearts, ticks=800)
    assert len(warnings) == 1


def test_batches_that_are_added_in_every_tick_are_reported_once() -> None:
    with pytest.warns(RuntimeWarning, match="drawables: 100 drawables") as warnings:
        play(None, lambda game: game.add(fw.SpriteBatch(IMG, 1)), ticks=250)
    assert len(warnings) == 1


@pytest.mark.parametrize(("per_tick", "reported"), [(1, 8192), (4, 8192), (5, None)])
def test_sprites_that_are_far_apart_are_reported_later(per_tick: int, reported: int | None) -> None:
    positions = np.random.default_rng(3).uniform(0, 1e5, (20_000, 2)).astype(np.float32)
    images = np.zeros(20_000, np.int32)
    rows = Rows(positions, np.ones_like(positions), images, lambda image: (8.0, 8.0))
    growth = RowGrowth()
    counts = range(512, 20_000, 64)
    warned_counts = [
        n for n in counts if growth.is_endless(n, n // per_tick, rows, has_removed=False)
    ]
    assert warned_counts[:1] == ([] if reported is None else [reported])


def _bullets(game: Any) -> None:
    bullet = game.sprites.add(IMG, position=(5, 5))
    game.bullets = [*getattr(game, "bullets", ()), bullet]
    if len(game.bullets) > 620:
        game.bullets.pop(0).remove()


def _particles(game: Any) -> None:
    for _ in range(5):
        game.sprites.add(IMG, position=(5, 5))
    game.sprites.position[:, 1] += 1
    game.sprites.remove(game.sprites.position[:, 1] > 225)


def _level(game: Any) -> None:
    row, column = divmod(4 * (game.tick - 1), 80)
    for step in range(4):
        game.sprites.add(IMG, position=(8 * (column + step), 8 * row))


def _forest(game: Any) -> None:
    game.sprites.add(IMG, position=tuple(game.random.uniform(0, 2000, 2)), scale=4)


def _wave(game: Any) -> None:
    for _ in range(300 if game.tick % 200 == 0 else 0):
        game.sprites.add(IMG, position=(5, 5))


def _seldom(game: Any) -> None:
    if game.tick % 3 == 0:
        game.sprites.add(IMG, position=(5, 5))


@pytest.mark.parametrize(
    ("update", "ticks"),
    [
        (_bullets, 1400),
        (_particles, 320),
        (_level, 1100),
        (_forest, 1100),
        (_wave, 1700),
        (_seldom, 3100),
    ],
)
def test_removed_sprites_and_levels_have_no_warning(
    update: Callable[[Any], None], ticks: int
) -> None:
    play(None, update, ticks=ticks)


def test_may_grow_stops_the_warning_about_sprites() -> None:
    def setup(game: Any) -> None:
        for number in range(3000):
            game.sprites.add(IMG, position=(number % 7, 5))

    play(lambda game: setattr(game.sprites, "may_grow", True), _hearts, ticks=400)
    play(setup)


@pytest.mark.parametrize(
    "add",
    [
        lambda shapes, tick: shapes.add_circle((3 * tick % 200, 9), 8),
        lambda shapes, tick: shapes.add_line((0, 0), (tick % 100, 50), 2),
        lambda shapes, tick: shapes.add_box((10, 10), (tick % 200 + 1, 6), color="red"),
    ],
)
def test_shapes_that_are_added_in_every_tick_are_reported_once(add: Callable[..., Any]) -> None:
    def setup(game: Any) -> None:
        game.shapes = game.add(fw.Shapes())

    with pytest.warns(RuntimeWarning, match=r"1,024 shapes.*batch\.may_grow = True") as warnings:
        play(setup, lambda game: add(game.shapes, game.tick), ticks=2300)
    assert len(warnings) == 1


def test_shapes_that_may_grow_or_are_apart_have_no_warning() -> None:
    def setup(game: Any) -> None:
        game.shapes, game.trail = game.add(fw.Shapes()), game.add(fw.Shapes())
        game.trail.may_grow = True

    def update(game: Any) -> None:
        game.shapes.add_line((10 * game.tick, 0), (10 * game.tick + 10, 5))
        game.trail.add_circle((5, 5), 3)

    play(setup, update, ticks=1100)


def test_pixels_after_run_ticks_are_up_to_date() -> None:
    class Level(fw.Game):
        def setup(self) -> None:
            self.ship = self.sprites.add(IMG, position=(10, 20))

        def update(self, dt: float) -> None:
            self.ship.x += 1

    def middle(game: Any) -> float:
        return float(game.pixels()[..., :3].max(axis=(0, 2)).argmax())

    with Level(size=(100, 40), headless=True, background="black") as game:
        game.run_ticks(2)
        first = middle(game)
        frames = game.debug.frames
        game.run_ticks(30)
        assert middle(game) == first + 30
        game.advance(1 / 60)
        assert middle(game) in (first + 30, first + 31)
        assert game.debug.frames == frames + 1


def test_test_input_moves_the_mouse_and_presses_named_buttons() -> None:
    game: Any
    with fw.Game(headless=True, drawing=False) as game:
        game.actions = fw.Actions(fire=["mouse:left"])
        game.mouse.move(30, 40)
        game.mouse.move(35, 50)
        game.testing.press("mouse:left")
        game.run_ticks(1)
        assert (game.mouse.position, game.mouse.dx, game.mouse.dy) == ((35, 50), 35, 50)
        assert game.actions.held("fire")
        game.testing.release("mouse:left")
        game.run_ticks(2)
        assert not game.actions.held("fire")


def test_an_object_with_the_name_of_another_engine_has_no_warning() -> None:
    game = program("def setup(self): self.title = self.labels.add('Pause')")
    assert vars(game)["title"].text == "Pause"


class Odd:
    """An object that raises an error for each attribute that is read."""

    def __getattr__(self, name: str) -> Any:
        raise ValueError(name)


def test_the_name_check_reads_no_attributes_of_objects() -> None:
    with pytest.warns(RuntimeWarning, match="write game.background"):
        program("def setup(self): self.background_color = 'red'", odd=Odd())


def test_declared_names_and_called_methods_have_no_warning() -> None:
    program("own_names = ('ready',)\ndef ready(self): pass")
    program("def ready(self): pass\ndef update(self, dt): self.ready()")
    program("def on_key_press(self, key, modifiers):\n    name = 'a'\n    return name == 'b'")


def test_a_batch_with_another_use_has_no_warning() -> None:
    def setup(game: Any) -> None:
        game.later = fw.SpriteBatch(IMG, 3)
        game.pool = fw.SpriteBatch(IMG, 3)
        game.physics = fw.Physics2D()
        game.physics.add(game.pool)

    def update(game: Any) -> None:
        game.physics.advance(1 / 60)
        if game.tick == 50:
            game.add(game.later)

    play(setup, update, ticks=60, own_names=("pool",))


class Menus(fw.Game):
    """A game whose code replaces a method by another method, and extends a method."""

    played = 0

    def setup(self) -> None:
        self.ticks = 0  # type: ignore[assignment,method-assign]  # no call of this method
        self.update = self.update_menu  # type: ignore[method-assign]
        self.start(self.seconds(0))

    def update(self, dt: float) -> None:
        raise AssertionError

    def update_menu(self, dt: float) -> None:
        self.played += 1

    def start(self, *args: Any, **options: Any) -> Any:
        self.played += 100
        return super().start(*args, **options)


def test_a_function_may_replace_a_method_and_a_method_may_extend_one() -> None:
    with Menus(headless=True, drawing=False) as game:
        game.run_ticks(3)
        assert game.played == 103
        with pytest.raises(AttributeError, match=r"^Menus\.push: .*my_push$"):
            game.push = 5  # type: ignore[assignment,method-assign]
        game.score = 5  # type: ignore[attr-defined]


def test_only_classes_that_replace_methods_check_their_assignments() -> None:
    assert Menus.__setattr__ is not object.__setattr__
    assert _Fixed.__setattr__ is object.__setattr__


def _bounded(game: Any) -> None:
    if game.tick > 40:
        game.remove(game.shots.pop(0))
    game.shots.append(game.add(fw.SpriteBatch(IMG, 1)))


def _by_level(game: Any) -> None:
    if game.tick % 50 == 1:
        for _ in range(64):
            game.add(fw.SpriteBatch(IMG, 1))


def _now_and_then(game: Any) -> None:
    if game.tick % 3 == 0:
        game.add(fw.SpriteBatch(IMG, 1))


@pytest.mark.parametrize("update", [_bounded, _by_level, _now_and_then])
def test_batches_that_are_removed_or_added_together_have_no_warning(
    update: Callable[[Any], None],
) -> None:
    play(lambda game: setattr(game, "shots", []), update, ticks=260)


def test_the_warning_about_batches_in_every_tick_is_about_the_line_of_the_game() -> None:
    with pytest.warns(RuntimeWarning, match="^drawables: 100 drawables") as caught:
        play(None, lambda game: game.add(fw.SpriteBatch(IMG, 1)), ticks=300)
    assert [warning.filename for warning in caught] == [__file__]
