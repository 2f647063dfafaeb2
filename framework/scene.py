"""A scene: things to draw, a camera to see them with, and the rules by which they move.

A game is a scene itself, the lowest; others (a menu, a level, a pause over the level) are put on top of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from .batch import Drawable
from .camera import Camera2D
from .camera3d import Camera3D
from .errors import FrameworkError
from .input import Keys, Mouse
from .schedule import Callback, Schedule, Task, name_of
from .sprites import SpriteBatch
from .systems import PHASES, System
from .text import TextBatch
from .timestep import NANOSECONDS

if TYPE_CHECKING:
    from .game import Game
    from .world import World

D = TypeVar("D", bound=Drawable)
S = TypeVar("S", bound=Callback)
Camera = Camera2D | Camera3D

# The monitor's names for the phases.
_SERIES = {phase: f"update.{phase}" for phase in PHASES}


class Scene:
    """Subclass it, override what you need, and put it on with ``game.push(MyScene())``.

    ``setup`` runs when the scene is put on, before the one below is left: when it fails, nothing has changed.
    In each tick scheduled tasks run first, then the systems of each phase; `update` is the first of "movement".
    ``enter`` and ``leave`` run whenever the scene comes to be, or stops being, the one on top. pyglet's events
    (``on_key_press(symbol, modifiers)``, ``on_mouse_press(x, y, button, modifiers)``, …) arrive as methods of the
    scene on top, then of the game; one that returns True keeps the event to itself. Coordinates are units of the
    picture, y up.
    """

    pauses_below = True
    """Whether the scenes below stand still."""
    hides_below = False
    """Whether the scenes below are not drawn."""

    _game: Game | None = None

    def __init__(self) -> None:
        self._drawn: list[tuple[Drawable, Camera]] = []
        self._cameras: list[Camera] = []
        self._open = False
        self._sprites: SpriteBatch | None = None
        self._labels: TextBatch | None = None
        self._camera: Camera2D | None = None
        self._hud: Camera2D | None = None
        self._world: World | None = None
        self._schedule: Schedule | None = None
        self._systems: dict[str, tuple[System, ...]] = {}  # of the phases that have any
        self._phase_times: dict[str, float] = {}
        self._system_times: list[tuple[str, Callback, float]] = []

    # -- to override ---------------------------------------------------------------------------------------------

    def setup(self) -> None:
        """Make what the scene needs."""

    def enter(self) -> None:
        """The scene is on top now."""

    def leave(self) -> None:
        """The scene is no longer on top."""

    def update(self, dt: float) -> None:
        """One tick: ``dt`` simulated seconds, always the same.

        Scheduled tasks ran before it, and the systems of the phases "input", "ai" and "physics".
        """

    def draw(self, alpha: float) -> None:
        """After the scene's batches were drawn: draw more. ``alpha`` in [0, 1) is the fraction of a tick gone by."""

    # -- what is drawn -------------------------------------------------------------------------------------------

    def add(self, drawable: D, *, camera: Camera | None = None) -> D:
        """Draw ``drawable`` (a `SpriteBatch`, a `TextBatch`, …) over what was added before it; returns it.

        It is seen through ``camera``: `Scene.camera` unless given; pass `Scene.hud` for what stays in place. What is
        in space (a `MeshBatch`, …) is added to `Scene.world`, a `World` is seen through its own camera.
        """
        if camera is None and getattr(drawable, "in_world", False):
            return self.world.add(drawable)
        _check_drawable(drawable)
        own = getattr(drawable, "camera", None)
        if camera is None:
            camera = own if isinstance(own, Camera3D) else self.camera
        wanted = Camera3D if isinstance(own, Camera3D) else Camera2D
        if not isinstance(camera, wanted):
            raise TypeError(f"camera: expected a {wanted.__name__}, got {camera!r}")
        if self._open:
            self.game._live.make_current()
            drawable.attach(self.game.graphics)
        self._drawn.append((drawable, camera))
        self._watch(camera)
        return drawable

    def discard(self, drawable: Drawable) -> None:
        """Stop drawing something that was added, and release it."""
        for entry in self._drawn:
            if entry[0] is drawable:
                self._drawn.remove(entry)
                if drawable is self._sprites:
                    self._sprites = None
                if drawable is self._labels:
                    self._labels = None
                if drawable is self._world:
                    self._world = None
                drawable.release()
                return
        raise ValueError("drawable: it is not in this scene")

    @property
    def camera(self) -> Camera2D:
        """The camera over the world."""
        if self._camera is None:
            self._camera = Camera2D(self._first_size())
            self._watch(self._camera)
        return self._camera

    @property
    def hud(self) -> Camera2D:
        """A camera that never moves: (0, 0) is the picture's bottom left corner, one unit a pixel."""
        if self._hud is None:
            self._hud = Camera2D(self._first_size())
            self._watch(self._hud)
        return self._hud

    @property
    def world(self) -> World:
        """What is in space: meshes, light, a `Camera3D` to see them with. It is added at its first use.

        It is drawn where it was added: use it before the sprites and labels that are to be over it.
        """
        if self._world is None:
            from .world import World  # a game in the plane need not load it

            self._world = self.add(World())
        return self._world

    @property
    def sprites(self) -> SpriteBatch:
        """A batch for sprites of any images, added at its first use: ``self.sprites.add("ship.png", …)``."""
        if self._sprites is None:
            self._sprites = self.add(SpriteBatch())
        return self._sprites

    @property
    def labels(self) -> TextBatch:
        """A batch for text on the picture, added at its first use: ``self.labels.add("Score", position=…)``."""
        if self._labels is None:
            self._labels = self.add(TextBatch(), camera=self.hud)
        return self._labels

    def _first_size(self) -> tuple[float, float]:
        # A scene may use its cameras in __init__, before it is in any game; `_start` tells them the size.
        return self.game.size if self._open else (1.0, 1.0)

    def _watch(self, camera: Camera) -> None:
        if camera not in self._cameras:
            self._cameras.append(camera)
            if self._open:
                camera.view = self.game.view

    # -- what happens when ---------------------------------------------------------------------------------------

    @property
    def schedule(self) -> Schedule:
        """The scene's scheduled tasks, whose time begins at its first use.

        They stand still while the scene is paused by one above it, and are cancelled when it is taken off.
        """
        if self._schedule is None:
            self._schedule = Schedule()
        return self._schedule

    def schedule_once(self, callback: Callback, delay: float | Fraction, *, order: float = 0) -> Task:
        """Call ``callback(delay)`` once, ``delay`` simulated seconds from now; see `Schedule.schedule_once`."""
        return self.schedule.schedule_once(callback, delay, order=order)

    def schedule_interval(self, callback: Callback, interval: float | Fraction, *, order: float = 0) -> Task:
        """Call ``callback(interval)`` every ``interval`` simulated seconds; see `Schedule.schedule_interval`."""
        return self.schedule.schedule_interval(callback, interval, order=order)

    def add_system(
        self, phase: str, function: S, *, group: Schedule | None = None, rate: float | Fraction | None = None
    ) -> S:
        """Call ``function(dt)`` in every tick, in one of the `PHASES`, after what was added to it before; returns it.

        ``dt`` is the tick's simulated seconds. `update` is the first system of "movement": it finds what input, ai
        and physics decided, and collisions find what it moved. What is added to the phase that is running, or removed
        from it, counts from the next tick on. Raises `ValueError` for any other phase.

        ``group`` (of `schedule`, say ``self.schedule.group(0.1)``) gives it another pace: ``dt`` is then the tick in
        the group's time, and what it moves is drawn as smoothly as the rest. ``rate`` has it called so many times a
        second instead of in every tick: 10 for what thinks, 120 for stiff physics; see `systems.System`.
        """
        _check_phase(phase)
        self._systems[phase] = (*self._systems.get(phase, ()), System(function, group, rate))
        return function

    def system(
        self, phase: str, *, group: Schedule | None = None, rate: float | Fraction | None = None
    ) -> Callable[[S], S]:
        """`add_system` as a decorator.

        @self.system("ai", rate=10)
        def think(dt): ...
        """
        _check_phase(phase)
        return lambda function: self.add_system(phase, function, group=group, rate=rate)

    def remove_system(self, phase: str, function: Callback) -> None:
        """Do not call it any more. Raises `ValueError` if it is not in that phase."""
        _check_phase(phase)
        systems = list(self._systems.get(phase, ()))
        for index, system in enumerate(systems):
            if system.function == function:
                del systems[index]
                break
        else:
            raise ValueError(f"function: {function!r} is not a system of the phase {phase!r}")
        if systems:
            self._systems[phase] = tuple(systems)
        else:
            del self._systems[phase]

    @property
    def phase_times(self) -> dict[str, float]:
        """Real seconds that each phase took in the scene's last tick, "movement" with `update`.

        Empty while the scene has no system: then nothing is measured.
        """
        return dict(self._phase_times)

    @property
    def system_times(self) -> list[tuple[str, Callback, float]]:
        """Phase, function and real seconds of each system in the scene's last tick, in the order in which they ran."""
        return list(self._system_times)

    # -- the game's own things, at hand -------------------------------------------------------------------------

    @property
    def game(self) -> Game:
        """The game that the scene is on in."""
        if self._game is None:
            raise FrameworkError(f"{type(self).__name__} is not on in a game: use its keys, size, … from setup() on")
        return self._game

    @property
    def keys(self) -> Keys:
        """The keyboard in this tick."""
        return self.game._keys

    @property
    def mouse(self) -> Mouse:
        """The mouse in this tick."""
        return self.game._mouse

    @property
    def random(self) -> np.random.Generator:
        """The game's random numbers, from its seed."""
        return self.game._random

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the picture in units."""
        return self.game.view.size

    @property
    def width(self) -> float:
        return self.size[0]

    @property
    def height(self) -> float:
        return self.size[1]

    # -- driven by the game --------------------------------------------------------------------------------------

    def _start(self, game: Game) -> None:
        self._game = game
        self._open = True
        for drawable, _ in self._drawn:
            drawable.attach(game.graphics)
        self._look()
        self.setup()
        for camera in self._cameras:
            camera.teleport()  # where setup left it is where it starts

    def _look(self) -> None:
        """The picture has another size."""
        for camera in self._cameras:
            camera.view = self.game.view

    def _begin_tick(self, dt: float) -> None:
        for drawable, _ in self._drawn:
            drawable.begin_tick(dt)

    def _update(self, dt: float) -> None:
        if self._schedule is not None:
            began = time.perf_counter_ns()
            self._schedule.advance(dt)
            self.game._monitor.span("update.tasks", began, time.perf_counter_ns())
        if self._systems:
            self._run_phases(dt)
        else:
            if self._phase_times:  # the last system was removed
                self._phase_times, self._system_times = {}, []
            self.update(dt)

    def _run_phases(self, dt: float) -> None:
        phases: dict[str, float] = {}
        singly: list[tuple[str, Callback, float]] = []
        monitor = self.game._monitor
        before = time.perf_counter_ns()
        for phase in PHASES:
            began = before
            systems = self._systems.get(phase, ())
            if phase == "movement":
                self.update(dt)
                before = time.perf_counter_ns()
            for system in systems:
                start = before
                system.run(dt)
                before = time.perf_counter_ns()
                singly.append((phase, system.function, (before - start) / NANOSECONDS))
                monitor.detail(name_of(system.function), start, before)
            phases[phase] = (before - began) / NANOSECONDS
            if systems or phase == "movement":
                monitor.span(_SERIES[phase], began, before)
        self._phase_times, self._system_times = phases, singly

    def _end_tick(self) -> None:
        for drawable, _ in self._drawn:
            drawable.end_tick()

    def _stop(self) -> None:
        """The scene is taken off: everything it added is released."""
        self._open = False
        self._game = None
        drawn, self._drawn = self._drawn, []
        self._cameras.clear()
        self._sprites = self._labels = self._camera = self._hud = self._world = None
        if self._schedule is not None:
            self._schedule.cancel()
            self._schedule = None
        self._systems, self._phase_times, self._system_times = {}, {}, []
        with ExitStack() as stack:  # one that fails does not keep the others from being released
            for drawable, _ in drawn:
                stack.callback(drawable.release)


_DRAWABLE = ("attach", "begin_tick", "end_tick", "draw", "release")


def _check_drawable(drawable: object) -> None:
    missing = [name for name in _DRAWABLE if not callable(getattr(drawable, name, None))]
    if isinstance(drawable, type) or missing:
        what = f"the class {drawable.__name__}" if isinstance(drawable, type) else repr(drawable)
        raise TypeError(f"drawable: expected a batch, or an object with the methods {', '.join(_DRAWABLE)}; got {what}")


def _check_phase(phase: object) -> None:
    if phase not in PHASES:
        raise ValueError(f"phase: expected one of {', '.join(PHASES)}; got {phase!r}")
