"""The function calls whose time `framework bench calls` measures.

A row is one line of the result table. It has a function that prepares objects and returns a loop
(`Work`) that performs the same call many times. The `Work` may also contain a loop that does the
same work without the framework, with Python objects or NumPy.

This module uses only public names of the framework, so that a process with an earlier version can
run the same rows (`worker_process`). Rows that need a name that the earlier version lacks are
skipped.
"""

from __future__ import annotations

import gc
import math
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import framework as fw
from framework import collide, paths, quaternions

SIZE = (320, 200)
TICK = 1 / 60
IMAGE = np.full((8, 8, 4), 255, np.uint8)

Loop = Callable[[], object]


@dataclass
class Work:
    """A loop to measure, and the number of calls that the loop makes."""

    loop: Loop
    count: int
    between: Loop | None = None
    """A function that is called after each loop, outside the measurement. For example, it removes
    the sprites that the loop has added.
    """
    by_hand: Loop | None = None
    """A loop that does the same work by hand, as many times as the loop that uses the framework."""


@dataclass(frozen=True)
class Row:
    """A row of the result table: the name of a call, and a function that prepares the measurement
    of this call.
    """

    name: str
    group: str
    beside: str
    """The name of the hand-written code that does the same work, or ""."""
    prepare: Callable[[Games], Work]


class Games:
    """The games in which the rows make their calls. Most rows share `game`. A row that measures
    frames has its own game.
    """

    def __init__(self, drawing: bool = True) -> None:
        self._options: dict[str, Any] = {"size": SIZE}
        # an earlier version may not know the option `drawing`
        self._options |= {"headless": True} if drawing else {"drawing": False}
        self.game = fw.Game(**self._options)
        self.game.advance(TICK)
        self._more: list[fw.Game] = []

    def new(self, **methods: Callable[..., Any]) -> fw.Game:
        """Create a game for a row. The keyword arguments are methods of the game, such as ``setup``
        and ``update``.
        """
        game_class = type("Measured", (fw.Game,), methods)
        game: fw.Game = game_class(**self._options)
        self._more.append(game)
        game.advance(TICK)
        return game

    def close(self) -> None:
        for game in (*self._more, self.game):
            game.close()


ROWS: list[Row] = []

Prepare = Callable[[Games], Work]


def row(group: str, name: str, beside: str = "") -> Callable[[Prepare], Prepare]:
    """Return a decorator that adds a row to the result table. The decorated function must return a
    `Work`.
    """

    def add(prepare: Prepare) -> Prepare:
        ROWS.append(Row(name, group, beside, prepare))
        return prepare

    return add


class MeasuredRows:
    """Prepared rows, which can be measured many times. With ``drawing=False``, the games do not
    draw anything and do not need OpenGL.
    """

    def __init__(self, names: Sequence[str], drawing: bool = True) -> None:
        self.games = Games(drawing)
        self.errors: dict[str, str] = {}
        """The errors of the rows that this version of the framework cannot run, by the name of the
        row.
        """
        self._works: dict[str, Work] = {}
        for each in ROWS:
            if each.name in names:
                try:
                    # the code of a row may cause a warning in a game
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        self._works[each.name] = each.prepare(self.games)
                        self.measure(each.name)  # the first call loads modules and fills caches
                except (AttributeError, TypeError, ValueError, ImportError) as error:
                    self._works.pop(each.name, None)
                    self.errors[each.name] = f"{type(error).__name__}: {error}".splitlines()[0]

    @property
    def names(self) -> list[str]:
        return list(self._works)

    def measure(self, name: str) -> list[float]:
        """Run the loop of a row once, and return the seconds per call. If the row has a
        hand-written loop, also return its seconds per call.
        """
        work = self._works[name]
        loops = [loop for loop in (work.loop, work.by_hand) if loop is not None]
        seconds = [_seconds(loop) / work.count for loop in loops]
        if work.between is not None:
            work.between()
        self.games.game.advance(TICK)
        return seconds

    def close(self) -> None:
        self.games.close()


def _seconds(loop: Loop) -> float:
    enabled = gc.isenabled()
    gc.disable()
    try:
        start = time.thread_time()
        loop()
        return time.thread_time() - start
    finally:
        if enabled:
            gc.enable()


# -- sprites ---------------------------------------------------------------------------------------


class _Slots:
    """The fastest kind of Python object."""

    __slots__ = ("angle", "color", "x", "y")

    def __init__(self, x: float = 0.0, y: float = 0.0, color: object = None) -> None:
        self.x = x
        self.y = y
        self.angle = 0.0
        self.color = color


def _adding(games: Games, **values: Any) -> Work:
    batch = games.game.add(fw.SpriteBatch(IMAGE))
    objects: list[_Slots] = []

    def loop() -> None:
        for _ in range(200):
            batch.add(**values)

    def by_hand() -> None:
        for _ in range(200):
            objects.append(_Slots(1, 2))

    def between() -> None:
        batch.remove(slice(None))
        objects.clear()

    return Work(loop, 200, between, by_hand)


@row("sprites", "batch.add()", "append an object with slots")
def _add(games: Games) -> Work:
    return _adding(games)


@row("sprites", "batch.add(position=…, color=…)", "append an object with slots")
def _add_values(games: Games) -> Work:
    return _adding(games, position=(1, 2), color="#f80")


@row("sprites", "sprite.remove()", "pop from a list")
def _remove(games: Games) -> Work:
    batch = games.game.add(fw.SpriteBatch(IMAGE))
    sprites: list[Any] = []
    objects: list[_Slots] = []

    def loop() -> None:
        while sprites:
            sprites.pop().remove()

    def by_hand() -> None:
        while objects:
            objects.pop()

    def between() -> None:
        sprites.extend(batch.add() for _ in range(200))
        objects.extend(_Slots() for _ in range(200))

    between()
    return Work(loop, 200, between, by_hand)


@row("sprites", "x, y and angle of a sprite: read and write", "an object with slots")
def _singly(games: Games) -> Work:
    batch = games.game.add(fw.SpriteBatch(IMAGE, 2000))
    sprites = list(batch)
    objects = [_Slots() for _ in sprites]

    # Two functions, because Python optimizes a function for the class of its arguments.
    def loop() -> None:
        for sprite in sprites:
            sprite.x += 1.5
            sprite.y += 0.5
            sprite.angle += 0.01

    def by_hand() -> None:
        for sprite in objects:
            sprite.x += 1.5
            sprite.y += 0.5
            sprite.angle += 0.01

    return Work(loop, len(sprites), by_hand=by_hand)


def _setting(name: str, *values: Any) -> Prepare:
    """Return a function that prepares a row, for the decorator `row`. The row sets an attribute of
    a sprite to each of ``values`` in turn.
    """

    def prepare(games: Games) -> Work:
        sprite = games.game.add(fw.SpriteBatch(IMAGE)).add()

        def loop() -> None:
            for _ in range(500):
                for value in values:
                    setattr(sprite, name, value)

        return Work(loop, 500 * len(values))

    return prepare


row("sprites", "sprite.position = …")(_setting("position", (1, 2), (3, 4)))
row("sprites", "sprite.color = …")(_setting("color", (1, 0.5, 0), (0, 0.5, 1)))
row("sprites", 'sprite.color = "#f80"')(_setting("color", "#f80", "#08f"))
row("sprites", "sprite.alpha = …")(_setting("alpha", 0.5, 1.0))
row("sprites", "sprite.scale = …")(_setting("scale", 2, 1))
row("sprites", "sprite.visible = …")(_setting("visible", False, True))


@row("sprites", "sprite.position: read")
def _position(games: Games) -> Work:
    sprite = games.game.add(fw.SpriteBatch(IMAGE)).add()

    def loop() -> None:
        for _ in range(1000):
            sprite.position  # noqa: B018

    return Work(loop, 1000)


@row("sprites", "sprite.teleport(…)")
def _teleport(games: Games) -> Work:
    sprite = games.game.add(fw.SpriteBatch(IMAGE)).add()

    def loop() -> None:
        for index in range(300):
            sprite.teleport((index, 2))

    return Work(loop, 300)


@row("sprites", "a bullet: added, moved 60 times, removed", "an object with slots")
def _bullet(games: Games) -> Work:
    batch = games.game.add(fw.SpriteBatch(IMAGE))
    objects: list[_Slots] = []

    def loop() -> None:
        bullets = [batch.add(position=(5, 5)) for _ in range(50)]
        for _ in range(60):
            for bullet in bullets:
                bullet.x += 4
        for bullet in bullets:
            bullet.remove()

    def by_hand() -> None:
        for _ in range(50):
            objects.append(_Slots(5, 5))
        for _ in range(60):
            for bullet in objects:
                bullet.x += 4
        while objects:
            objects.pop()

    return Work(loop, 50, by_hand=by_hand)


@row("sprites", "self.tween(sprite, x=…)")
def _tween(games: Games) -> Work:
    game = games.game
    sprites = list(game.add(fw.SpriteBatch(IMAGE, 50)))

    def loop() -> None:
        for sprite in sprites:
            game.tween(sprite, x=50, duration=0.01)

    return Work(loop, len(sprites), lambda: game.run_ticks(2))


# -- collisions ------------------------------------------------------------------------------------


def _boxes() -> Any:
    return collide.ConvexShapes.boxes(np.random.default_rng(5).uniform(0, 2000, (500, 2)), (32, 32))


@row("collisions", "raycast: one ray among 500 boxes", "NumPy's slab test")
def _ray(games: Games) -> Work:
    boxes = _boxes()
    centers = np.random.default_rng(5).uniform(0, 2000, (500, 2))
    origin = np.array([10.0, 20.0])
    motion = np.array([300.0, 280.0])

    def loop() -> None:
        for _ in range(50):
            collide.raycast([(10, 20)], [(300, 280)], boxes)

    def by_hand() -> None:
        for _ in range(50):
            near = (centers - 16 - origin) / motion
            far = (centers + 16 - origin) / motion
            enter = np.minimum(near, far).max(axis=1)
            leave = np.maximum(near, far).min(axis=1)
            hits = np.flatnonzero((enter <= leave) & (leave >= 0) & (enter <= 1))
            if len(hits):
                hits[enter[hits].argmin()]

    return Work(loop, 50, by_hand=by_hand)


@row("collisions", "raycast: 1,000 rays among 500 boxes, one call")
def _rays(games: Games) -> Work:
    boxes = _boxes()
    random = np.random.default_rng(6)
    origins = random.uniform(0, 2000, (1000, 2))
    motions = random.uniform(-300, 300, (1000, 2))
    return Work(lambda: collide.raycast(origins, motions, boxes), 1)


@row("collisions", "touching: one shape and one other")
def _touching(games: Games) -> Work:
    circle = collide.ConvexShapes.circles([(0, 0)], 10)
    box = collide.ConvexShapes.boxes([(12, 3)], (8, 8))

    def loop() -> None:
        for _ in range(100):
            collide.touching(circle, box)

    return Work(loop, 100)


@row("collisions", "inside: one point, one shape")
def _inside(games: Games) -> Work:
    circle = collide.ConvexShapes.circles([(0, 0)], 10)

    def loop() -> None:
        for _ in range(100):
            collide.inside([(0, 0)], circle)

    return Work(loop, 100)


@row("collisions", "overlaps: one sprite and 50 others")
def _overlaps(games: Games) -> Work:
    hero = fw.SpriteBatch(IMAGE).add(position=(60, 9))
    coins = fw.SpriteBatch(IMAGE, 50)
    coins.position = [(number * 20, 9) for number in range(50)]

    def loop() -> None:
        for _ in range(50):
            collide.overlaps(hero, coins)

    return Work(loop, 50)


def _grid(share: float) -> Any:
    return collide.TileGrid(np.random.default_rng(7).random((100, 100)) < share, 16)


@row("collisions", "line_of_sight: two points, 60 tiles apart")
def _sight(games: Games) -> Work:
    grid = _grid(0.02)

    def loop() -> None:
        for _ in range(50):
            paths.line_of_sight(grid, [(24, 24)], (800, 700))

    return Work(loop, 50)


@row("collisions", "move: one hero through tiles")
def _move(games: Games) -> Work:
    grid = _grid(0.15)
    position = np.array([(800.0, 800.0)])
    motion = np.array([(1.0, -2.0)])

    def loop() -> None:
        for _ in range(100):
            collide.move(position, (10, 14), motion, grid)

    return Work(loop, 100)


# -- particles -------------------------------------------------------------------------------------


@row("particles", "particles.emit(10, position=…)")
def _emit(games: Games) -> Work:
    particles = games.game.add(fw.Particles(IMAGE, capacity=5000, lifetime=0.05))

    def loop() -> None:
        for index in range(50):
            particles.emit(10, position=(index, 5))

    return Work(loop, 50, lambda: games.game.run_ticks(5))


@row("particles", "an emitter with a birth per tick: a tick of one of 20")
def _emitter(games: Games) -> Work:
    def setup(self: Any) -> None:
        self.sparks = self.add(fw.Particles(IMAGE, capacity=5000, lifetime=0.5))
        for index in range(20):
            self.sparks.emitter((index * 9, 20), rate=60)

    game = games.new(setup=setup)
    return Work(lambda: game.run_ticks(10), 200)


# -- frames ----------------------------------------------------------------------------------------


def _frames(game: fw.Game, frames: int = 5, things: int = 1) -> Work:
    """Return a `Work` that runs frames of ``game``, with one tick per frame. The result of the row
    is the time of a frame divided by ``things``, the number of objects.
    """

    def loop() -> None:
        for _ in range(frames):
            game.advance(TICK)

    return Work(loop, frames * things)


@row("frames", "an empty game: tick and frame")
def _empty(games: Games) -> Work:
    return _frames(games.new(), 20)


@row("frames", "a batch of one sprite: tick and frame of one of 100")
def _batches_of_one(games: Games) -> Work:
    def setup(self: Any) -> None:
        self.heroes = [self.add(fw.SpriteBatch(IMAGE, 1)) for _ in range(100)]

    def update(self: Any, dt: float) -> None:
        for hero in self.heroes:
            hero.position += 1

    return _frames(games.new(setup=setup, update=update), 2, 100)


def _resting(count: int) -> Callable[..., Any]:
    def setup(self: Any) -> None:
        self.batch = self.add(fw.SpriteBatch(IMAGE, count))
        self.batch.position = self.random.uniform((0, 0), self.size, (count, 2))

    return setup


@row("frames", "1,000 sprites at rest: tick and frame")
def _at_rest(games: Games) -> Work:
    return _frames(games.new(setup=_resting(1000)), 10)


@row("frames", "1,000 sprites that move: tick and frame", "NumPy's addition alone")
def _moving(games: Games) -> Work:
    def update(self: Any, dt: float) -> None:
        self.batch.position += 1
        self.batch.angle += 0.01

    work = _frames(games.new(setup=_resting(1000), update=update), 10)
    position = np.zeros((1000, 2), np.float32)
    angle = np.zeros(1000, np.float32)

    def by_hand() -> None:
        for _ in range(10):
            np.add(position, 1, out=position)
            np.add(angle, 0.01, out=angle)

    work.by_hand = by_hand
    return work


@row("frames", "1,500 sprites moved one by one: tick and frame")
def _one_by_one(games: Games) -> Work:
    def update(self: Any, dt: float) -> None:
        for sprite in self.batch:
            sprite.x += 1
            sprite.y += 1

    return _frames(games.new(setup=_resting(1500), update=update), 2)


@row("frames", "one of 10,000 sprites out, one in: tick and frame")
def _churn(games: Games) -> Work:
    def setup(self: Any) -> None:
        self.batch = self.add(fw.SpriteBatch(IMAGE))
        self.queue = [self.batch.add(position=(number % 300, 5)) for number in range(10_000)]

    def update(self: Any, dt: float) -> None:
        self.queue.pop(0).remove()
        self.queue.append(self.batch.add(position=(3, 4)))

    return _frames(games.new(setup=setup, update=update), 5)


@row("frames", "100 changed labels of 100: tick and frame")
def _labels(games: Games) -> Work:
    return _frames(_labelled(games), 1)


@row("frames", "100 changed labels with outline, wrapped: tick and frame")
def _wrapped(games: Games) -> Work:
    return _frames(_labelled(games, outline="#000", width=60), 1)


def _labelled(games: Games, **options: Any) -> fw.Game:
    def setup(self: Any) -> None:
        self.shown = [
            self.labels.add(f"score {number}", (number % 10 * 30, number // 10 * 18), **options)
            for number in range(100)
        ]

    def update(self: Any, dt: float) -> None:
        for number, label in enumerate(self.shown):
            label.text = f"score {self.tick * 7 % 100 + number + 100}"

    return games.new(setup=setup, update=update)


@row("frames", "100 lights: tick and frame")
def _lights(games: Games) -> Work:
    def setup(self: Any) -> None:
        self.lights = self.add(fw.Lights2D(ambient=(0.2, 0.2, 0.2)), layer=1)
        for number in range(100):
            self.lights.add((number * 3, number), radius=40)

    return _frames(games.new(setup=setup), 2)


# -- text and widgets ------------------------------------------------------------------------------


@row("text and widgets", "label.text = …")
def _label(games: Games) -> Work:
    label = games.game.labels.add("0", (9, 9))
    numbers = iter(range(1, 10**9))

    def loop() -> None:
        for _ in range(100):
            label.text = str(next(numbers) % 1000)

    return Work(loop, 100)


@row("text and widgets", "labels.add(text, position)")
def _add_label(games: Games) -> Work:
    labels = games.game.add(fw.TextBatch())
    added: list[Any] = []

    def loop() -> None:
        for _ in range(50):
            added.append(labels.add("score", (1, 2)))

    def between() -> None:
        while added:
            added.pop().remove()

    return Work(loop, 50, between)


def _widgets(games: Games, count: int, texts: Sequence[str]) -> Work:
    def setup(self: Any) -> None:
        column = self.ui.column(anchor="top left")
        rows = [column.row() for _ in range(max(1, count // 10))]
        self.words = [rows[number // 10].label("100") for number in range(count)]

    game: Any = games.new(setup=setup)
    changes = iter(range(10**9))

    def loop() -> None:
        for _ in range(4):
            game.words[0].text = texts[next(changes) % len(texts)]
            game.advance(TICK)

    return Work(loop, 4)


@row("text and widgets", "a changed text of one widget: with tick and frame")
def _widget(games: Games) -> Work:
    return _widgets(games, 10, ["100", "101", "102"])


@row("text and widgets", "a text of another width among 1,000 widgets: with tick and frame")
def _wide_widget(games: Games) -> Work:
    return _widgets(games, 1000, ["100", "100000"])


# -- other calls -----------------------------------------------------------------------------------


@row("shapes and lights", 'shapes.add_circle(…, color="#f80")')
def _add_circle(games: Games) -> Work:
    shapes = games.game.add(fw.Shapes())

    def loop() -> None:
        for index in range(100):
            shapes.add_circle((index, 3), 4, color="#f80")

    return Work(loop, 100, lambda: shapes.remove(slice(None)))


@row("shapes and lights", "shape.position = …")
def _move_shape(games: Games) -> Work:
    circle = games.game.add(fw.Shapes()).add_circle((1, 1), 3)

    def loop() -> None:
        for index in range(500):
            circle.position = (index, 1)

    return Work(loop, 500)


@row("shapes and lights", "line.connect(a, b)")
def _connect(games: Games) -> Work:
    line = games.game.add(fw.Shapes()).add_line((0, 0), (9, 9), 2)

    def loop() -> None:
        for index in range(200):
            line.connect((0, 0), (index, 5))

    return Work(loop, 200)


@row("shapes and lights", "light.position = …")
def _move_light(games: Games) -> Work:
    light = fw.Lights2D().add((9, 9), radius=50)

    def loop() -> None:
        for index in range(300):
            light.position = (index, 9)

    return Work(loop, 300)


@row("shapes and lights", "lights.at(one point)")
def _light_at(games: Games) -> Work:
    lights = fw.Lights2D(ambient=(0.2, 0.2, 0.2))
    lights.add((9, 9), radius=50)

    def loop() -> None:
        for _ in range(50):
            lights.at((20, 20))

    return Work(loop, 50)


@row("3D", "instance.position = …")
def _move_instance(games: Games) -> Work:
    instance = fw.MeshBatch(fw.Mesh.box(), 10)[0]

    def loop() -> None:
        for index in range(300):
            instance.position = (index, 1, 2)

    return Work(loop, 300)


@row("3D", "instance.rotation = …")
def _rotate_instance(games: Games) -> Work:
    instance = fw.MeshBatch(fw.Mesh.box(), 10)[0]

    def loop() -> None:
        for _ in range(300):
            instance.rotation = (0, 0, 0, 1)

    return Work(loop, 300)


@row("3D", "batch.pick(ray): a hit among 10 boxes")
def _pick(games: Games) -> Work:
    boxes = fw.MeshBatch(fw.Mesh.box(), 10)

    def loop() -> None:
        for _ in range(30):
            boxes.pick((0.1, 0.2, 9), (0, 0, -1))

    return Work(loop, 30)


@row("3D", "node.position = …")
def _move_node(games: Games) -> Work:
    node = fw.Nodes3D().add()

    def loop() -> None:
        for index in range(300):
            node.position = (index, 1, 2)

    return Work(loop, 300)


@row("3D", "quaternions.from_axis(axis, angle)", "math")
def _from_axis(games: Games) -> Work:
    def loop() -> None:
        for _ in range(200):
            quaternions.from_axis((0, 1, 0), 0.1)

    def by_hand() -> None:
        for _ in range(200):
            sine = math.sin(0.05)
            (0 * sine, 1 * sine, 0 * sine, math.cos(0.05))

    return Work(loop, 200, by_hand=by_hand)


@row("game", 'self.keys["space"]')
def _key(games: Games) -> Work:
    keys = games.game.keys

    def loop() -> None:
        for _ in range(500):
            keys["space"]

    return Work(loop, 500)


@row("game", 'self.keys.axis("left", "right")')
def _axis(games: Games) -> Work:
    keys = games.game.keys

    def loop() -> None:
        for _ in range(500):
            keys.axis("left", "right")

    return Work(loop, 500)


@row("game", "self.random.uniform(0, 1)", "random.uniform")
def _random(games: Games) -> Work:
    import random

    generator = games.game.random

    def loop() -> None:
        for _ in range(500):
            generator.uniform(0, 1)

    def by_hand() -> None:
        for _ in range(500):
            random.uniform(0, 1)

    return Work(loop, 500, by_hand=by_hand)


@row("game", "camera.position = …")
def _move_camera(games: Games) -> Work:
    camera = games.game.camera

    def loop() -> None:
        for index in range(300):
            camera.position = (index, 3)

    return Work(loop, 300)


@row("game", "camera.screen_to_world(…)")
def _to_world(games: Games) -> Work:
    camera = games.game.camera

    def loop() -> None:
        for _ in range(200):
            camera.screen_to_world((5, 5))

    return Work(loop, 200)


@row("game", "self.schedule.once(function, seconds)")
def _schedule(games: Games) -> Work:
    game = games.game

    def loop() -> None:
        for _ in range(50):
            game.schedule.once(_nothing, 0.01)

    return Work(loop, 50, lambda: game.run_ticks(2))


def _nothing(*arguments: Any) -> None:
    """Do nothing."""


@row("game", "self.start(routine)")
def _routine(games: Games) -> Work:
    game = games.game

    async def routine() -> None:
        await game.ticks(1)

    def loop() -> None:
        for _ in range(50):
            game.start(routine())

    return Work(loop, 50, lambda: game.run_ticks(3))


@row("game", "sound.play()")
def _play(games: Games) -> Work:
    sound = fw.Sound.tone(440, 0.05)

    def loop() -> None:
        for _ in range(20):
            sound.play()

    return Work(loop, 20, lambda: games.game.run_ticks(6))


@row("game", "game.snapshot(): 1,000 sprites that moved")
def _snapshot(games: Games) -> Work:
    game: Any = games.new(setup=_resting(1000))

    def loop() -> None:
        for _ in range(10):
            game.batch.position += 1
            game.snapshot()

    return Work(loop, 10)
