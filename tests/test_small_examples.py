"""Small examples: each is played with keys, and does what its topic says."""

from __future__ import annotations

import ast
import importlib
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
import pytest
from pictures import colors_in

import framework as fw
from framework import resources
from framework.sim import synctest
from framework.tools import gamefiles

FOLDER = resources.folder("examples") / "small"
FILES = {path.stem: path for path in sorted(FOLDER.glob("*.py"))}
SITE = Path(__file__).parents[1] / "docs" / "site"
FEWER = {"hundred_thousand": {"COUNT": 2_000}, "instances": {"SIDE": 30}, "dominoes": {"COUNT": 30}}
NEEDED = dict.fromkeys(("crates", "bridge", "boats", "dominoes"), "rapier3d")

Promise = Callable[[Any, Any], None]
PROMISES: dict[str, Promise] = {}


def promise(function: Promise) -> Promise:
    """Register the check of a small example, which has the function's name. It receives the game
    and the module of the plays."""
    PROMISES[function.__name__.strip("_")] = function
    return function


@pytest.fixture(scope="module")
def plays() -> Iterator[Any]:
    sys.path.insert(0, str(SITE))
    yield importlib.import_module("small_examples")
    sys.path.remove(str(SITE))
    sys.modules.pop("small_examples", None)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Restore the global state that an example changes, and keep saves in another folder."""
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *names, **options: str(tmp_path))


def test_each_small_example_is_short_and_has_a_topic(plays: Any) -> None:
    assert sorted(PROMISES) == [*FILES]
    assert len(FILES) >= 60
    for name, path in FILES.items():
        lines = path.read_text("utf-8").splitlines()
        assert len(lines) <= 40, name
        # `python NAME.py` puts its own folder on sys.path
        assert name not in sys.stdlib_module_names
        assert max(map(len, lines)) <= 100, name
        tree = ast.parse("\n".join(lines))
        first = (ast.get_docstring(tree) or "").partition("\n")[0]
        assert first.partition(": ")[0] in plays.TOPICS, first
        assert first.endswith((".", "`.")), first
        games = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
        assert games[-1].lower() == name.replace("_", ""), name


def test_the_small_examples_are_found_by_name_and_listed_by_topic(plays: Any) -> None:
    listed = [each for each in gamefiles.examples() if each.folder.path == "small"]
    assert {each.topic for each in listed} == set(plays.TOPICS)
    assert all(gamefiles.find_game(name)[0] == path for name, path in FILES.items())


@pytest.mark.repository
def test_the_page_shows_each_example_with_a_small_picture(plays: Any) -> None:
    assert plays.PAGE.read_text("utf-8") == plays.page()
    pictures = {path.stem: path.stat().st_size for path in plays.PICTURES.glob("*.webp")}
    assert sorted(pictures) == [*FILES]
    assert sum(pictures.values()) < 1 << 20


@pytest.mark.parametrize("name", FILES)
def test_a_small_example_does_what_its_topic_says(name: str, plays: Any) -> None:
    pytest.importorskip(NEEDED.get(name, "numpy"))
    kind, options = plays.load(name)
    kind.setup.__globals__.update(FEWER.get(name, {}))
    chosen = {"headless": True, "size": (240, 135), "seed": 0}
    with kind(**options | chosen) as game:
        PROMISES[name](game, plays)
        assert colors_in(game.pixels()) > 20
        assert game.picture.ctx.error == "GL_NO_ERROR"
        report = synctest._SyncTest(game, fw.RandomPlayer(3), 8).run(16, 8, None)
        report.check()


def ticks(game: Any, count: int) -> None:
    game.run_ticks(count)


def press(game: Any, *keys: str) -> None:
    for key in keys:
        game.testing.press(key)
        game.run_ticks(1)
        game.testing.release(key)
    game.run_ticks(1)


# -- Input -----------------------------------------------------------------------------------------


@promise
def keys(game: Any, plays: Any) -> None:
    plays.play(game, "keys")
    assert len(game.bolts) >= 4
    assert (np.diff(game.bolts.position[:, 1]) < 0).all()  # the first crate is the highest
    game.testing.release("left")
    ticks(game, 120)
    assert game.ship.x == 920  # at the edge


@promise
def mouse(game: Any, plays: Any) -> None:
    plays.play(game, "mouse")
    assert len(game.paint) == 180
    assert len(np.unique(game.paint.color, axis=0)) == 6
    game.testing.release("mouse:left")
    ticks(game, 2)
    press(game, "mouse:middle")
    assert len(game.paint) == 0


@promise
def gamepads(game: Any, plays: Any) -> None:
    plays.play(game, "gamepads")
    assert game.saucer.x == pytest.approx(480 + 350 * 0.8, abs=7)
    assert game.beam.visible
    game.testing.release("right")
    game.testing.move_stick("leftstick", -1, 0)
    ticks(game, 60)
    assert game.saucer.x == pytest.approx(410, abs=10)
    assert game.help.text.endswith("Dash: Right trigger.") or "Beam" in game.help.text


@promise
def two_players(game: Any, plays: Any) -> None:
    plays.play(game, "two_players")
    left, right = game.bats
    assert (left.y, right.y) == (480, 60)
    assert game.points[0] + game.points[1] == 1


@promise
def dragging(game: Any, plays: Any) -> None:
    plays.play(game, "dragging")
    assert game.toys[0].position == (480, 150)
    assert game.dragged is None
    assert game.toys[1].position != (480, 150)


# -- Sprites ---------------------------------------------------------------------------------------


@promise
def clips(game: Any, plays: Any) -> None:
    plays.play(game, "clips")
    assert game.hero.clip == "run"
    assert game.hero.x == pytest.approx(480 + 300 * 0.6, abs=6)
    game.testing.release("right")
    game.testing.press("space")
    ticks(game, 1)
    assert game.hero.clip == "wave"
    ticks(game, 30)
    assert game.hero.clip == "stand"


@promise
def tags(game: Any, plays: Any) -> None:
    plays.play(game, "tags")
    scaled = [batch.scale[:, 0] > 1.1 for batch in (game.round_things, game.others)]
    tagged = dict(game.tagged("red"))
    for batch, large in zip((game.round_things, game.others), scaled, strict=True):
        assert np.flatnonzero(large).tolist() == tagged[batch].tolist()


@promise
def depth(game: Any, plays: Any) -> None:
    plays.play(game, "depth")
    assert game.hero.clip == "walk"
    assert game.hero.x > 480
    assert game.hero.y < 250


@promise
def colors(game: Any, plays: Any) -> None:
    plays.play(game, "colors")
    color = game.lamps.color.copy()
    assert len(np.unique(color.round(2), axis=0)) > 50
    ticks(game, 5)
    assert abs(game.lamps.color - color).max() > 0.1


@promise
def blending(game: Any, plays: Any) -> None:
    plays.play(game, "blending", 0.1)
    pixels = game.pixels()[..., :3].astype(int)
    columns = [pixels[50:85, x : x + 48].mean() for x in (6, 66, 126, 186)]
    assert columns[1] > columns[0] > columns[3]  # add, alpha, multiply
    game.testing.press("space")
    ticks(game, 2)
    angle = game.angle
    ticks(game, 5)
    assert game.angle == angle


@promise
def columns(game: Any, plays: Any) -> None:
    plays.play(game, "columns")
    count = len(game.enemies)
    for shots in range(3, -1, -1):
        game.testing.click(*game.enemies.position[0])
        ticks(game, 1)
        assert shots == 0 or game.enemies.hp[0] == shots
    assert len(game.enemies) == count - 1 == len(game.bars)


@promise
def planets(game: Any, plays: Any) -> None:
    plays.play(game, "planets", 1)
    moon = game.balls[-1]
    before = moon.drawn_position(1)
    game.testing.press("space")
    ticks(game, 10)
    assert math.dist(before, moon.drawn_position(1)) > 10


@promise
def hundred_thousand(game: Any, plays: Any) -> None:
    plays.play(game, "hundred_thousand", 0.3)
    before = game.stars.position.copy()
    ticks(game, 1)
    moved = np.hypot(*(game.stars.position - before).T)
    assert (moved > 0).all()
    before = game.angle.copy()
    game.testing.press("mouse:left")
    ticks(game, 1)
    assert game.angle - before == pytest.approx(4 * 25 / 60 / (40 + game.radius))


# -- Shapes, text ----------------------------------------------------------------------------------


@promise
def shapes(game: Any, plays: Any) -> None:
    plays.play(game, "shapes")
    assert len(game.shapes) == 10
    assert all(shape.angle > 0.15 for shape in game.shapes)


@promise
def gradients(game: Any, plays: Any) -> None:
    plays.play(game, "gradients", 2.5)
    assert game.night
    assert game.sun.y == 320
    assert tuple(game.sky.color)[:3] == pytest.approx((7 / 255, 11 / 255, 36 / 255), abs=0.01)


@promise
def ribbons(game: Any, plays: Any) -> None:
    plays.play(game, "ribbons", 0.5)
    calm = np.ptp(game.ribbons[0].position[:, 1])
    press(game, "space")
    ticks(game, 45)
    assert np.ptp(game.ribbons[0].position[:, 1]) > 1.4 * calm


@promise
def trails(game: Any, plays: Any) -> None:
    plays.play(game, "trails")
    game.mouse.move(300, 200)
    game.testing.press("mouse:left")
    ticks(game, 60)
    assert np.hypot(*(game.comets.position - (300, 200)).T).max() < 80


@promise
def text(game: Any, plays: Any) -> None:
    plays.play(game, "text")
    heights = [letter.y for letter in game.letters]
    assert max(heights) - min(heights) > 40
    assert game.counter.text.startswith("2.0 seconds")
    assert game.title.size[0] > 300


@promise
def fonts(game: Any, plays: Any) -> None:
    plays.play(game, "fonts", 0.2)
    game.testing.type("ab")
    ticks(game, 1)
    assert {line.text.rstrip("|") for line in game.last_lines} == {"Type something: 5 €ab"}
    assert len({line.line_height for line in game.last_lines}) >= 2


@promise
def typewriter(game: Any, plays: Any) -> None:
    plays.play(game, "typewriter", 0.5)
    assert 10 < game.speech.visible_characters < 20
    press(game, "space")
    assert game.speech.visible_characters == game.speech.character_count
    press(game, "space")
    assert game.speech.text.startswith("One evening")


@promise
def floating_text(game: Any, plays: Any) -> None:
    plays.play(game, "floating_text", 0.5)
    labels = list(game.numbers._labels)
    assert len(labels) == 5
    ticks(game, 90)
    assert all(label.removed for label in labels)


# -- Cameras ---------------------------------------------------------------------------------------


@promise
def zoom(game: Any, plays: Any) -> None:
    game.mouse.move(600, 300)
    ticks(game, 1)
    before = game.camera.screen_to_world((600, 300))
    game.mouse.scroll(0, 2)
    ticks(game, 1)
    assert game.camera.zoom == pytest.approx(1.44)
    assert game.camera.screen_to_world((600, 300)) == pytest.approx(before, abs=1e-3)


@promise
def shake(game: Any, plays: Any) -> None:
    plays.play(game, "shake", 2.9)
    assert len(game.rocks) >= 3
    rest = game.camera.pose(1.0)
    game.testing.press("space")
    ticks(game, 4)
    assert len(game.rocks) == 0
    assert len(game.sparks) >= 180
    assert abs(np.subtract(game.camera.pose(1.0)[:2], rest[:2])).max() > 1


@promise
def parallax(game: Any, plays: Any) -> None:
    plays.play(game, "parallax")
    assert game.camera.pose(1.0)[0] == pytest.approx(game.ship.x)
    assert game.ship.x > 2000


@promise
def split_screen(game: Any, plays: Any) -> None:
    plays.play(game, "split_screen")
    first, second = game.saucers
    assert (first.x, first.y) == pytest.approx((250, 0), abs=8)
    assert (second.x, second.y) == pytest.approx((550, 400), abs=8)
    for saucer, x in ((first, 240), (second, 720)):  # near the middle of each half
        assert math.dist(game.views.at(x, 270).to_world(x, 270), saucer.position) < 90


@promise
def minimap(game: Any, plays: Any) -> None:
    plays.play(game, "minimap")
    assert game.marker.position == game.ship.position
    assert game.ship.x == pytest.approx(750, abs=10)
    picture = game.pixels()[:, :, :3].astype(int)
    x, y = game.map.to_screen(game.ship.position)
    red, green, _ = picture[round((540 - y) / 4), round(x / 4)]
    assert red > green + 60


@promise
def monitors(game: Any, plays: Any) -> None:
    plays.play(game, "monitors", 0.3)
    before = game.pixels().astype(int)
    game.film.x += 300
    game.film.teleport()
    ticks(game, 1)
    changed = abs(game.pixels().astype(int) - before).max(axis=2) > 40
    assert changed[40:80, 20:110].sum() > 30  # on the largest screen
    assert changed[:, :6].sum() == 0  # beside the largest screen


@promise
def pixel_art(game: Any, plays: Any) -> None:
    plays.play(game, "pixel_art")
    assert game.hero.clip == "run"
    assert game.hero.x == pytest.approx(120 + 80 * 1.5, abs=3)
    assert abs(game.camera.x - game.hero.x) < 25


@promise
def following(game: Any, plays: Any) -> None:
    assert game.camera.pose(1.0)[0] == pytest.approx(480, abs=1)  # the left end of the level
    game.testing.press("right")
    ticks(game, 60)
    assert game.camera.pose(1.0)[0] == pytest.approx(480, abs=1)  # the hero is in the dead zone
    ticks(game, 240)
    assert abs(game.hero.x - game.camera.pose(1.0)[0]) < 150
    ticks(game, 800)
    assert game.camera.pose(1.0)[0] == pytest.approx(2520, abs=1)


# -- Tiles, collisions -----------------------------------------------------------------------------


@promise
def tiles(game: Any, plays: Any) -> None:
    solid = game.ground.solid.sum()
    plays.play(game, "tiles")
    assert game.ground.solid.sum() < solid - 5
    game.testing.release("mouse:left")
    game.mouse.move(500, 500)
    ticks(game, 2)
    press(game, "mouse:right")
    assert game.ground.tiles[game.ground.world_to_cell((500, 500))] == 4


@promise
def lifts(game: Any, plays: Any) -> None:
    sled = 0
    game.hero.position[:] = game.place[sled] + (0, 16)
    ticks(game, 10)
    offset = game.hero.position[0] - game.place[sled]
    ticks(game, 60)
    assert game.hero.position[0] - game.place[sled] == pytest.approx(offset, abs=0.1)
    game.hero.position[:] = 160, -40
    ticks(game, 30)
    assert game.hero.position[0, 0] == 16  # back at the start


@promise
def platforms(game: Any, plays: Any) -> None:
    ticks(game, 60)
    floor = game.hero.position[0, 1]
    assert game.hero.velocity[0, 1] == 0
    game.hero.position[:] = 130, 38  # the hero is below a platform
    game.hero.velocity[:] = 0, 270
    ticks(game, 12)
    assert game.hero.position[0, 1] > floor + 20  # the hero jumped through it
    ticks(game, 60)
    standing = game.hero.position[0, 1]
    assert standing == pytest.approx(64 + 10, abs=1)
    game.testing.press("up")
    ticks(game, 12)
    assert game.hero.position[0, 1] > standing + 20


@promise
def overlaps(game: Any, plays: Any) -> None:
    game.ship.position = game.coins.position[0]
    ticks(game, 2)
    assert game.coins_found >= 1
    assert len(game.coins) == 40 - game.coins_found
    game.rocks.velocity[:] = 0
    game.ship.position = game.rocks.position[0]
    ticks(game, 5)
    assert game.hits == 1


@promise
def sight(game: Any, plays: Any) -> None:
    plays.play(game, "sight")
    visible = fw.paths.line_of_sight(game.walls, game.guards.position, game.hero.position)
    assert 0 < visible.sum() < 7
    assert len(game.rays) == visible.sum()
    assert ((game.guards.color[:, 0] == 1) == visible).all()


@promise
def pathfinding(game: Any, plays: Any) -> None:
    plays.play(game, "pathfinding", 6)
    assert game.label.text.endswith("steps")
    assert math.dist(game.hero.position, (880, 80)) < 20
    assert not game.level.solid[game.level.world_to_cell(game.hero.position)]


@promise
def crowd_flow(game: Any, plays: Any) -> None:
    before = np.hypot(*(game.crowd.position - (300, 300)).T).mean()
    plays.play(game, "crowd_flow", 2.5)
    after = np.hypot(*(game.crowd.position - (300, 300)).T).mean()
    assert after < 0.7 * before


# -- Motion ----------------------------------------------------------------------------------------


@promise
def tweens(game: Any, plays: Any) -> None:
    plays.play(game, "tweens", 1.5)
    assert game.balls.position[:, 0].tolist() == [130 + 100 * number for number in range(8)]
    game.testing.click(700, 400)
    ticks(game, 60)
    assert game.star.position == pytest.approx((700, 400))


@promise
def eases(game: Any, plays: Any) -> None:
    plays.play(game, "eases", 0.75)
    linear, slow, fast = (game.balls[row].x for row in range(3))
    assert slow < linear < fast
    ticks(game, 120)
    assert game.balls.position[:, 0] == pytest.approx(820, abs=0.01)


@promise
def timers(game: Any, plays: Any) -> None:
    plays.play(game, "timers", 2.9)
    assert 15 <= len(game.coins) <= 29
    ticks(game, 12)
    assert len(game.coins) >= 55
    press(game, "space")
    assert game.rain.cancelled
    ticks(game, 150)
    assert len(game.coins) < 20


@promise
def cutscene(game: Any, plays: Any) -> None:
    ticks(game, 200)
    assert game.hero.x == 300  # the cutscene waits for the key
    assert game.saucer.x == 1100
    press(game, "space")
    ticks(game, 80)
    assert game.saucer.x == 660
    press(game, "space")
    ticks(game, 70)
    assert game.camera.zoom == pytest.approx(1.4)


@promise
def states(game: Any, plays: Any) -> None:
    game.mouse.move(0, 0)
    ticks(game, 5)
    assert game.mind.state == "patrol"
    game.mouse.move(*game.guard.position)
    ticks(game, 2)
    assert game.mind.state == "chase"
    ticks(game, 160)
    assert game.mind.state == "rest"
    ticks(game, 92)
    assert game.mind.state == "patrol" or game.mind.previous == "patrol"


@promise
def slow_motion(game: Any, plays: Any) -> None:
    plays.play(game, "slow_motion")
    assert game.slow.time_scale == pytest.approx(0.1)
    before = game.bullets.position[0].copy()
    hero = game.hero.x
    game.testing.press("right")
    ticks(game, 6)
    assert math.dist(before, game.bullets.position[0]) < 8
    assert game.hero.x > hero + 20


# -- Particles, light, effects ---------------------------------------------------------------------


@promise
def fire(game: Any, plays: Any) -> None:
    plays.play(game, "fire")
    count = len(game.fire)
    game.testing.press("space")
    ticks(game, 60)
    assert len(game.fire) > 1.6 * count


@promise
def fireworks(game: Any, plays: Any) -> None:
    plays.play(game, "fireworks", 1.65)
    rockets = len(game.rockets)
    game.testing.click(300, 300)
    ticks(game, 1)
    assert len(game.rockets) == rockets + 1
    ticks(game, 70)
    assert len(game.stars) > 600


@promise
def shadows(game: Any, plays: Any) -> None:
    plays.play(game, "shadows")
    assert game.torch.position == (440, 250)
    hidden, lit = game.lights.at([(690, 272), (440, 200)])
    game.crates.position[:] = 5000  # without walls
    ticks(game, 1)
    assert game.lights.at([(690, 272)])[0].sum() > 1.5 * hidden.sum()
    assert lit.max() > 0.6


@promise
def glow(game: Any, plays: Any) -> None:
    plays.play(game, "glow")
    assert [effect.enabled for effect in game.effects] == [True, True, False, False, False]
    before = game.pixels().astype(int)
    press(game, "5")
    assert game.effects[4].enabled
    assert abs(game.pixels().astype(int) - before).mean() > 1


@promise
def transitions(game: Any, plays: Any) -> None:
    ticks(game, 2)
    first = game.scene
    press(game, "space")
    assert game.scene is not first
    assert game.scene.number == 1
    ticks(game, 70)
    press(game, "space")
    assert game.scene.number == 2


@promise
def ripples(game: Any, plays: Any) -> None:
    plays.play(game, "ripples", 0.5)
    ages = sorted(effect.age for effect in game.effects)
    assert ages[0] < ages[1] < 0.5 < 9 < ages[2]
    assert {tuple(effect.center) for effect in game.effects} > {(0.5, 0.5)}


@promise
def plasma(game: Any, plays: Any) -> None:
    plays.play(game, "plasma", 0.2)
    before = game.pixels().astype(int)
    game.mouse.enter()
    game.mouse.move(100, 500)
    game.mouse.scroll(0, 3)
    ticks(game, 2)
    assert game.quad.zoom == pytest.approx(1.331)
    assert abs(game.pixels().astype(int) - before).mean() > 5


@promise
def grass(game: Any, plays: Any) -> None:
    plays.play(game, "grass", 0.2)
    before = game.pixels().astype(int)
    game.mouse.move(700, 150)
    ticks(game, 1)
    changed = abs(game.pixels().astype(int) - before).max(axis=2) > 30
    assert changed[85:105, 165:185].sum() > changed[85:105, 20:40].sum()


@promise
def drawable(game: Any, plays: Any) -> None:
    plays.play(game, "drawable", 0.1)
    before = game.pixels().astype(int)
    assert (before.max(axis=2) > 100).mean() > 0.05
    ticks(game, 10)
    assert abs(game.pixels().astype(int) - before).mean() > 2


# -- Physics ---------------------------------------------------------------------------------------


@promise
def crates(game: Any, plays: Any) -> None:
    top = game.crates.position[-1].copy()
    plays.play(game, "crates", 2.5)
    assert len(game.balls) == 3
    assert math.dist(top, game.crates.position[-1]) > 2
    assert game.crates.position[:, 1].min() > 30  # the crates are above the ground


@promise
def bridge(game: Any, plays: Any) -> None:
    plays.play(game, "bridge")
    assert len(game.balls) == 3
    heights = [plank.y for plank in game.planks]
    assert min(heights) < 210
    assert math.dist(game.weight.position, (480, 530)) == pytest.approx(
        math.dist((700, 480), (480, 530)), abs=4
    )
    broken = 0
    for number in range(40):
        game.balls.add(position=(300 + 37 * number % 360, 420))
        for _ in range(20):
            game.run_ticks(1)
            broken += len(game.physics.broken_joints)
    assert broken >= 1
    assert min(plank.y for plank in game.planks) < 0  # a half hangs down, or fell


@promise
def boats(game: Any, plays: Any) -> None:
    ticks(game, 400)
    depth = game.surface(game.crates.position[:, 0]) - game.crates.position[:, 1]
    assert abs(depth).max() < 90  # the boats float
    game.testing.click(480, 500)
    ticks(game, 2)
    assert len(game.crates) == 7


@promise
def dominoes(game: Any, plays: Any) -> None:
    ticks(game, 30)
    assert game.stones.position[:, 1] == pytest.approx(0.8, abs=0.05)
    press(game, "space")
    ticks(game, 150)
    assert (game.stones.position[:10, 1] < 0.7).all()


# -- Sound -----------------------------------------------------------------------------------------


@promise
def piano(game: Any, plays: Any) -> None:
    plays.play(game, "piano")
    sounds = [voice.sound for voice in game.audio.voices]
    assert game.tones[0] in sounds
    assert game.tones[4] in sounds
    assert len(game.notes) >= 12


@promise
def passing_by(game: Any, plays: Any) -> None:
    plays.play(game, "passing_by")
    assert [voice.position for voice in game.audio.voices] == [*game.saucers]
    ticks(game, 200)
    assert (abs(game.saucers.position[:, 0] - 480) < 920).all()
    assert len(game.rings) <= 12


@promise
def beats(game: Any, plays: Any) -> None:
    ticks(game, 31)
    assert game.audio.music.beat == pytest.approx(31 / 60 * 2, abs=0.1)
    kicks = [voice for voice in game.audio.voices if voice.sound is game.sounds["kick"]]
    assert len(kicks) == 1
    assert game.lamps["kick", 4].scale[0] > 1.1


@promise
def underwater(game: Any, plays: Any) -> None:
    plays.play(game, "underwater")
    assert game.muffled.frequency == 400
    assert game.hall.wet == 0.5
    assert game.boat.y == 150
    assert game.audio.buses["music"].parent is game.audio.buses["world"]


@promise
def engine(game: Any, plays: Any) -> None:
    plays.play(game, "engine", 1)
    assert game.speed == pytest.approx(600, abs=10)
    samples = game.samples(0, 4800)
    assert samples.shape == (4800,)
    crossings = (np.diff(np.sign(samples)) > 0).sum()
    assert crossings == pytest.approx((30 + game.speed / 8) / 10, abs=1.5)


# -- Menus -----------------------------------------------------------------------------------------


@promise
def title_menu(game: Any, plays: Any) -> None:
    ticks(game, 5)
    game.testing.click("One more")
    ticks(game, 2)
    assert len(game.balls) == 31
    press(game, "down", "enter")
    assert (game.balls.velocity == 0).all()


@promise
def sliders(game: Any, plays: Any) -> None:
    plays.play(game, "sliders", 0.1)
    assert len(game.shapes) == 8
    press(game, "tab", "right", "right")
    assert game.flower.petals > 7
    ticks(game, 1)
    assert len(game.shapes) == round(game.flower.petals) + 1


@promise
def asking(game: Any, plays: Any) -> None:
    ticks(game, 80)
    assert len(game.coins) == 0
    game.testing.click("Kick it")
    ticks(game, 2)
    assert game.line.text == "Ouch."
    ticks(game, 170)
    game.testing.click("Open it")
    ticks(game, 2)
    assert len(game.coins) == 30


@promise
def inventory(game: Any, plays: Any) -> None:
    plays.play(game, "inventory")
    game.testing.click("Heart")
    ticks(game, 2)
    assert game.text.text.startswith("Heart")
    count = len(game.dropped)
    game.testing.click("Drop it")
    ticks(game, 2)
    assert len(game.dropped) == count + 1


@promise
def dialogue(game: Any, plays: Any) -> None:
    ticks(game, 2)
    game.testing.click("Why?")
    ticks(game, 2)
    game.testing.click("Tell me one.")
    ticks(game, 2)
    assert game.box.children[0].text == "You are in an example of 40 lines."


@promise
def settings(game: Any, plays: Any) -> None:
    plays.play(game, "settings", 0.1)
    press(game, "space")
    assert game.hero.y > 160
    press(game, "escape")
    assert game.scene is not game
    game.testing.click("Settings")
    ticks(game, 2)
    assert game.scene is game.settings


# -- State -----------------------------------------------------------------------------------------


@promise
def saves(game: Any, plays: Any) -> None:
    game.testing.click(300, 200)
    ticks(game, 2)
    press(game, "s")
    positions = game.trees.position.tolist()
    press(game, "c")
    game.planted = 0
    assert len(game.trees) == 0
    press(game, "l")
    assert game.trees.position.tolist() == positions
    assert game.planted == 1


@promise
def high_scores(game: Any, plays: Any) -> None:
    ticks(game, 2)
    game.testing.click(*game.stars.position[0])
    ticks(game, 490)
    points = game.points
    assert points >= 1
    game.testing.type("Eve")
    ticks(game, 1)
    press(game, "enter")
    ticks(game, 2)
    assert (points, "Eve") in game.scores
    assert "Eve" in game.board.text
    assert game.saves.exists("scores")


@promise
def undo(game: Any, plays: Any) -> None:
    ticks(game, 90)
    before = game.balls.position.copy()
    ticks(game, 60)
    press(game, "backspace")
    ticks(game, 1)
    assert game.tick < 100
    game.recording.rewind.seek(90)
    assert np.array_equal(game.balls.position, before)
    game.recording.rewind.resume()
    game.recording.rewind = None


@promise
def ghost(game: Any, plays: Any) -> None:
    plays.play(game, "ghost")
    assert 200 < len(game.best) < 500
    assert game.ghost.visible
    assert game.ghost.position == game.best[len(game.lap)][0]


@promise
def film(game: Any, plays: Any) -> None:
    plays.play(game, "film", 0.5)
    assert game.twist == pytest.approx(1.5, abs=0.02)
    assert len({shape.position for shape in game.spiral}) > 170


@promise
def reloading(game: Any, plays: Any) -> None:
    plays.play(game, "reloading", 0.1)
    assert len(game.shapes) == 36
    type(game).update.__globals__["SPEED"] = 6000
    before = game.x
    ticks(game, 1)
    assert game.x == pytest.approx(before + 100)


# -- 3D, programs ----------------------------------------------------------------------------------


@promise
def picking(game: Any, plays: Any) -> None:
    ticks(game, 2)
    where = game.world.camera.world_to_screen(game.cubes[12].position)
    game.testing.click(*where)
    ticks(game, 40)
    assert game.cubes[12].position[1] == pytest.approx(1.2)
    assert (game.cubes.position[:, 1] > 0.5).sum() == 1


@promise
def first_person(game: Any, plays: Any) -> None:
    plays.play(game, "first_person", 0.5)
    x, y, z = game.fly.position
    assert x > 4
    assert y == pytest.approx(1.2)
    ticks(game, 240)  # walk into a wall
    x, _, z = game.fly.position
    assert not game.grid.solid[game.grid.world_to_cell((x, -z))]


@promise
def instances(game: Any, plays: Any) -> None:
    plays.play(game, "instances", 0.1)
    calm = np.ptp(game.boxes.position[:, 1])
    press(game, "space")
    ticks(game, 40)
    assert np.ptp(game.boxes.position[:, 1]) > 3 * calm


@promise
def windmills(game: Any, plays: Any) -> None:
    plays.play(game, "windmills", 0.1)
    first = game.wings[0]
    before = first.drawn_rotation(1)
    game.testing.press("space")
    ticks(game, 10)
    turned = 2 * math.acos(min(abs(np.dot(before, first.drawn_rotation(1))), 1))
    assert turned == pytest.approx(1, abs=0.15)
    assert first.drawn_position(1) == pytest.approx(
        np.add(game.towers[0].drawn_position(1), (0, 2, 1)), abs=1e-4
    )


@promise
def night_lamps(game: Any, plays: Any) -> None:
    plays.play(game, "night_lamps", 0.2)
    for ball, light in game.lamps:
        assert ball.position == pytest.approx(tuple(light.position))
    before = game.pixels().astype(int)
    ticks(game, 60)
    assert abs(game.pixels().astype(int) - before).mean() > 3


@promise
def crowd(game: Any, plays: Any) -> None:
    plays.play(game, "crowd", 0.1)
    assert len(game.robots.playing("Wave")) == 400
    press(game, "space")
    assert len(game.robots.playing("Jump")) == 400


@promise
def network(game: Any, plays: Any) -> None:
    game.testing.press("right")
    game.testing.press("up", player=1)
    ticks(game, 30)
    assert game.ships[0].x == pytest.approx(420, abs=8)
    assert game.ships[1].y == pytest.approx(450, abs=8)
    game.coin.position = game.ships[1].position
    ticks(game, 2)
    assert game.points[1] >= 1


@promise
def learning(game: Any, plays: Any) -> None:
    ticks(game, 143)
    first = game.nearest.mean()
    ticks(game, 144 * 8)
    assert game.age == 143
    assert game.nearest.mean() < 0.6 * first


@promise
def many_runs(game: Any, plays: Any) -> None:
    plays.play(game, "many_runs", 1)
    assert sum(game.wins.values()) == 60
    assert game.wins["Ada"] > game.wins["Bob"] > 0
