"""Scene: what a level or a menu draws, its cameras, and its rules.

A game is itself a scene, the lowest one. Other scenes (a menu, a level, a pause menu) are put on
top of the game. Ticks and frames call the backend of each scene; see `scene_backend`.
"""

from __future__ import annotations

__all__ = ["Scene"]

from collections.abc import Callable, Generator, Iterable, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ..checks import items, whole
from ..gpu.drawable import Drawable
from ..input.keyboard import Keys
from ..input.mouse import Mouse
from ..input.pads import Gamepads
from ..moved_names import WithMoved, check_options, current_names, moved
from ..state.backend import Frontend
from ..timing.routines import Routine, Script, TaskGroup, waiting
from ..timing.schedule import Schedule, duration
from . import scene_routines
from .reserved_names import check_definitions, kept
from .rules import Systems
from .scene_backend import (
    CAMERA,
    EFFECTS,
    HUD,
    LABELS,
    SCHEDULE,
    SPRITES,
    USER_INTERFACE,
    WORLD,
    SceneBackend,
)
from .scene_views import SceneViews

if TYPE_CHECKING:  # not loaded by games that do not need it
    import numpy as np

    from ..arrays import Rows
    from ..assets.background_loading import ImageLoading
    from ..assets.images import ImageSource
    from ..audio.audio import Audio
    from ..geometry.eases import Ease
    from ..gpu.screen_effects import Effect, EffectList
    from ..input.tick_input import Event
    from ..motion.tweens import Tween
    from ..plane.camera2d import Camera2D
    from ..plane.sprites import SpriteBatch
    from ..space.world import World
    from ..text.text import TextBatch
    from ..ui.interface import UI
    from .scene_drawables import Camera

D = TypeVar("D", bound=Drawable | Frontend)
T = TypeVar("T")


def _on_stage(path: str, doc: str) -> Any:
    """Return a property that reads an attribute of the stage, which runs the stack of scenes.

    Reading the property raises `FrameworkError` while the scene is on no stack.
    """
    find = attrgetter(path)

    def read(self: Scene) -> Any:
        backend = self._backend
        return find(backend.home or backend.found())

    return property(read, doc=doc)


class _FromInit(Generic[T]):
    """An attribute that `Scene.__init__` sets.

    Reading it raises `TypeError` if a subclass has not called `Scene.__init__`.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    if TYPE_CHECKING:

        def __set__(self, scene: Scene, value: T) -> None: ...

    def __get__(self, scene: Scene, owner: type) -> T:
        raise TypeError(f"{type(scene).__name__}.__init__ must call super().__init__() first")


@kept
@moved(
    "scene",
    {"schedule_once": "schedule.once", "schedule_interval": "schedule.interval"}
    | {"add_system": "systems.add", "system": "systems.add", "remove_system": "systems.remove"}
    | {"phase_times": "systems.phase_times", "system_times": "systems.times"}
    | {"add_view": "views.add", "remove_view": "views.remove", "view_at": "views.at"}
    | {"discard": "remove"},
    hooks={
        "enter": "on_enter",
        "leave": "on_exit",
        "ear": "default_listener",
        "hides_below": "opaque",
    },
)
class Scene(metaclass=WithMoved):
    """A part of a game with its own drawables, camera and rules, such as a level or a menu.

    Write a subclass of `Scene`, override its hooks, and put a scene on the stack with
    ``game.push(MyScene())``.

    `setup` runs when the scene is put on the stack, before the `on_exit` of the scene below. If
    `setup` or `on_exit` raises an error, the stack is unchanged. `on_enter` runs whenever the scene
    becomes the top scene, and `on_exit` whenever it is no longer the top scene.

    In each tick scheduled tasks run first, then tweens and routines, then the systems of each
    phase. `update` is the first part of the phase "movement".

    Event handlers are methods named after pyglet's events: ``on_key_press(symbol, modifiers)``,
    ``on_mouse_press(x, y, button, modifiers)`` and so on. The top scene receives an event first,
    then the game. If a handler returns True, no other handler receives the event. Handlers run at
    the beginning of the next tick. While the game is paused, handlers run in the next frame.
    Positions in events are in units of the screen, y up.
    """

    # paths begin with "game.sprites", as in a game's code
    _path_steps: ClassVar[dict[str, str]] = {"_backend": ""}
    _transient_attributes: ClassVar[tuple[str, ...]] = ("_systems", "_views")

    saved: ClassVar[tuple[str, ...]] = ()
    """The names of the attributes that `Game.save` writes. The names in base classes are added."""

    pauses_below = True
    """Whether the scenes below this scene are paused. Default: True."""
    opaque = False
    """Whether the scenes below are not drawn, because this scene covers the whole screen. Default:
    False.
    """

    _backend = _FromInit[SceneBackend]()
    _views = _FromInit[SceneViews]()
    _systems = _FromInit[Systems]()

    _brings: Callable[[], list[Event]] | None = None
    """Called in each tick while the scene is on top. The function returns the events of finished
    background work.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        check_definitions(cls)

    def __init__(self) -> None:
        self._backend = backend = SceneBackend(type(self).__name__)
        self._views, self._systems = SceneViews(backend), Systems(backend.rules)

    def __dir__(self) -> list[str]:
        return [*current_names(type(self), super().__dir__()), *vars(self)]

    # -- hooks -------------------------------------------------------------------------------------

    def setup(self) -> None:
        """Called once, when the scene is put on the stack. Make the sprites, labels and widgets
        here.
        """

    def on_enter(self) -> None:
        """Called when the scene becomes the top scene: after `setup`, and after the scene above was
        removed.
        """

    def on_exit(self) -> None:
        """Called when the scene is no longer the top scene: another scene was pushed, or this one
        is removed.
        """

    def update(self, dt: float) -> None:
        """Called in each tick. ``dt`` is the tick's simulated seconds, always the same.

        Scheduled tasks and the systems of the phases "input", "ai" and "physics" have already run.
        """

    def draw(self, alpha: float) -> None:
        """Called in each frame, after the scene's drawables were drawn. Override `draw` for your
        own drawing with OpenGL or pyglet.

        ``alpha`` in [0, 1) is the fraction of a tick that has passed since the last tick.
        """

    # -- drawing -----------------------------------------------------------------------------------

    def add(
        self,
        drawable: D,
        *,
        camera: Camera | None = None,
        layer: int | Drawable | Frontend | None = None,
    ) -> D:
        """Add a drawable (a `SpriteBatch`, a `TextBatch`, …), above the drawables added before.
        Return the drawable.

        Drawables in a higher ``layer`` are drawn above lower layers, whenever they were added.
        ``layer`` may also be a drawable of this scene, such as a layer of a `TileMap`. The new
        drawable is then drawn directly above it. The default layer is 0, or 1 for text on
        `Scene.hud`.

        ``camera`` defaults to `Scene.camera`. Pass `Scene.hud` for a drawable that stays in place
        on the screen. A 3D drawable (a `MeshBatch`, …) is added to `Scene.world`. A `World` has its
        own camera. The argument ``camera`` replaces it.
        """
        self._backend.add(drawable, camera, layer)
        return drawable

    def remove(self, drawable: Drawable | Frontend) -> None:
        """Remove a drawable from the scene, and release its GPU memory. A 3D drawable is removed
        from `Scene.world`.
        """
        self._backend.remove(drawable)

    def tagged(self, *names: str) -> list[tuple[Any, Rows]]:
        """Return the batches that declare all of these tags, in drawing order, each with the rows
        that have the tags.

        See `SpriteBatch.tagged`.
        """
        batches: Sequence[Any] = self._backend.drawables.batches()
        return [
            (batch, batch.tagged(*names))
            for batch in batches
            if {*names} <= {*getattr(batch, "tag_names", ())}
        ]

    @property
    def camera(self) -> Camera2D:
        """The 2D camera of the scene, made at its first use. See docs/cameras.md."""
        camera = self._backend.camera
        return self._backend.read(CAMERA) if camera is None else camera

    @property
    def hud(self) -> Camera2D:
        """A camera that never moves, with the units of the screen. (0, 0) is the bottom left
        corner.
        """
        hud = self._backend.drawables.hud
        return self._backend.read(HUD) if hud is None else hud

    @property
    def views(self) -> SceneViews:
        """The views of the scene. If the list is empty, the scene fills the whole screen. See
        `SceneViews.add`.
        """
        return self._views

    @property
    def world(self) -> World:
        """The 3D world of the scene: meshes, light and a `Camera3D`. The scene adds its world when
        this property is first read.

        The world is drawn in layer 0, above drawables added before and below drawables added later.
        """
        world = self._backend.world
        return self._backend.read(WORLD) if world is None else world

    @property
    def sprites(self) -> SpriteBatch:
        """A batch for sprites of any images, added at its first use: ``self.sprites.add("ship.png",
        …)``.
        """
        sprites = self._backend.sprites
        return self._backend.read(SPRITES) if sprites is None else sprites

    @property
    def labels(self) -> TextBatch:
        """A batch for text on the screen, added at its first use: ``self.labels.add("Score",
        position=…)``.

        The labels use the camera `hud`, in layer 1. The labels are therefore above all drawables
        that were added without a layer.
        """
        labels = self._backend.labels
        return self._backend.read(LABELS) if labels is None else labels

    @property
    def ui(self) -> UI:
        """The scene's widgets, drawn above everything else: ``menu =
        self.ui.column(anchor="center")``.

        The interface is made at its first use, in `setup` or later. While the scene is on top, its
        widgets receive the events of a tick first. The game's own widgets also receive events,
        unless a scene above pauses the game.
        """
        interface = self._backend.drawables.ui
        return self._backend.read(USER_INTERFACE) if interface is None else interface.frontend

    @property
    def effects(self) -> EffectList:
        """The effects on the image of the scene and of the scenes below it: a list of `Effect`
        objects.

        ``self.effects = [fw.Bloom(0.6), fw.CRT()]`` applies the bloom first. Drawables on `hud`,
        and drawables after the first one on `hud`, stay unchanged. An empty list costs no time.
        """
        effects = self._backend.drawables.effects
        return self._backend.read(EFFECTS) if effects is None else effects

    @effects.setter
    def effects(self, value: Iterable[Effect]) -> None:
        self._backend.replace_effects(value)

    # -- time --------------------------------------------------------------------------------------

    @property
    def schedule(self) -> Schedule:
        """The scene's scheduled tasks. The time of the schedule begins at its first use.

        The tasks pause with the scene, and are cancelled when the scene is removed.
        """
        schedule = self._backend.rules.schedule
        return self._backend.read(SCHEDULE) if schedule is None else schedule

    @property
    def systems(self) -> Systems:
        """The functions that each phase of a tick calls: ``self.systems.add("ai", self.think)``."""
        return self._systems

    def load_images(self, sources: Sequence[ImageSource]) -> ImageLoading:
        """Decode images in a thread, one after another.

        A `SpriteBatch` accepts ``pictures.images`` of the result at once, and draws each image as
        soon as it is decoded. ``await pictures.within(2)`` waits for all images.

        The sizes of the images are known at once. Code that reads the pixels waits until they are
        decoded, so the time of decoding does not change the game. Off screen, frames also wait for
        the pixels.

        Raises `AssetError` for a missing file, and for a file that is not an image. If only the
        pixels of an image are damaged, the error is raised when the image is drawn or waited for.
        """
        from ..assets.background_loading import ImageLoading  # few games need it

        stage = self._backend.found()
        return ImageLoading(
            items("sources", sources),
            stage.graphics.folders,
            stage.surface.headless,
            stage.graphics.drawing,
        )

    def tween(
        self,
        target: Any,
        *,
        duration: float | Fraction | None = None,
        ease: Ease = "linear",
        delay: float | Fraction = 0,
        repeat: float = 1,
        ping_pong: bool = False,
        relative: bool = False,
        shortest: bool = False,
        rows: Any = None,
        group: Schedule | None = None,
        **fields: Any,
    ) -> Tween:
        """Move attributes to other values in ``duration`` simulated seconds.

            self.tween(card, position=(400, 300), angle=0, duration=0.4, ease="out_back")

        ``target`` is a sprite, an instance or another handle, or a batch, or any other object. In a
        batch the tween moves all rows, or ``rows`` (indices, a mask or a slice), to one value, or
        to one value per row. The attributes of other objects (a camera, a label, a light) must be
        numbers or tuples of numbers. ``x``, ``y``, ``z`` and ``alpha`` move a part of ``position``
        or ``color``.

        The tween begins now, or after ``delay`` seconds, at the value that the attribute has at
        that moment. The tween writes at the beginning of each tick, after scheduled tasks and
        before `update`. In the last tick the attribute is exactly the passed value. If two tweens
        move the same attribute, the newer one continues and the older one ends. A tween also ends
        if its row or label is removed.

        Parameters
        ----------
        duration
            Seconds, in the time of the scene, or of a ``group`` of its schedule. Optional with a
            `Spring`.
        ease
            A name of `EASES`, a `Bezier`, a `Spring`, or a function of fractions of the time (float64
            arrays).
        repeat
            The number of runs: 1, 2, …, or ``math.inf``. With ``ping_pong`` every second run goes
            back to the start.
        relative
            Whether the passed values are added to the current values: ``self.tween(door, y=64,
            duration=1, relative=True)``.
        shortest
            Whether values are angles in radians that take the shorter way round. Rotations in space
            always take the shorter way.

        Raises
        ------
        AttributeError
            For an unknown attribute. The message has the nearest name.
        TypeError, ValueError
            For values that are not finite numbers, and for too many values.
        """
        if duration is None:
            check_options("Scene.tween", fields)
        options = {
            "duration": duration,
            "ease": ease,
            "delay": delay,
            "repeat": repeat,
            "ping_pong": ping_pong,
        }
        options |= {"relative": relative, "shortest": shortest}
        return scene_routines.begin_tween(self._backend.rules, target, rows, group, options, fields)

    def start(self, coroutine: Script, *, group: Schedule | None = None) -> Routine:
        """Run a coroutine in the ticks of this scene: ``self.start(self.intro())`` with ``async def
        intro(self)``.

        The routine begins in the next tick. If another routine starts it, the routine begins in
        this tick. The routine resumes at the beginning of ticks, after tweens and before the first
        systems and `update`. In a routine, await `seconds`, `ticks`, `until`, `next`, a tween,
        another routine, or your own coroutines.

        The routine pauses with the scene. When the scene is removed, the routine is cancelled, and
        its ``with`` and ``finally`` blocks run. With a ``group`` of the schedule, the routine waits
        in the time of that group.

        If the coroutine raises an error, the tick raises this error. A note in the error says where
        the routine was started. A snapshot cannot contain a running routine: `Game.snapshot` then
        raises an error.
        """
        return scene_routines.begin_routine(self._backend.rules, coroutine, group)

    def tasks(self) -> TaskGroup:
        """Return a group of routines for an ``async with`` block in a routine. The block waits for
        the group's routines.

        In ``async with self.tasks() as tasks:`` call ``tasks.start(self.enemy())``. The block ends
        when all of its routines have ended; see `TaskGroup`.
        """
        return TaskGroup(self._backend.rules.make_routines())

    @waiting
    def seconds(self, seconds: float | Fraction) -> Generator[Any, None, None]:
        """Wait in a routine for simulated seconds: ``await self.seconds(1.5)``.

        The wait begins at the exact time at which the routine was due, not at the tick. Several
        waits therefore add up exactly. 0 waits for the next tick.
        """
        if seconds.__class__ is not float or not 0 < seconds < scene_routines.MAX_TICKS:
            seconds = duration("seconds", seconds)
        yield seconds or 1

    @waiting
    def ticks(self, ticks: int = 1) -> Generator[Any, None, None]:
        """Wait in a routine for ``ticks`` ticks: ``await self.ticks(3)``."""
        if ticks.__class__ is not int or ticks < 1:
            ticks = whole("ticks", ticks, 1, scene_routines.MAX_TICKS)
        yield ticks

    async def until(self, condition: Callable[[], T]) -> T:
        """Wait in a routine until a function returns a true value, and return that value.

        ``await self.until(lambda: self.lives == 0)``. The function is called in each tick, after
        the routines that wait for seconds and ticks. If this tick has not called such functions
        yet, the first call is in this tick. `until` raises the errors of the function.
        """
        result: T = await scene_routines.condition(condition)
        return result

    async def next(self, what: int | str) -> Any:
        """Wait in a routine for a press or an event.

        ``await self.next("space")`` waits for a key, by its name or symbol. ``"mouse:left"`` is a
        mouse button, and ``"pad:a"`` a button of any gamepad of the first player. For keys and
        buttons the result is the number of presses in that tick.

        ``await self.next("on_mouse_press")`` waits for one of pyglet's events and returns its
        arguments as a tuple. The scene must be on top, as for an event handler with that name.
        """
        player = self._backend.found().players[0]
        return await scene_routines.next_press(self._backend.rules, player, what)

    async def next_input(self, device: str | None = None, *, player: int = 0) -> str:
        """Wait in a routine until the player presses a key or a button, and return its name.

        The result is a name such as "space", "mouse:left" or "pad:a", which `Actions.rebind`
        accepts. ``device`` restricts the wait to "key", "mouse" or "pad".
        """
        return await scene_routines.next_input(self._backend.found().players, device, player)

    # -- the game's objects ------------------------------------------------------------------------

    game: Any = _on_stage(
        "game",
        "The game that the scene is on in, as an object of its own class.",
    )
    keys: Keys = _on_stage("keys", "The keyboard in this tick.")
    mouse: Mouse = _on_stage("mouse", "The mouse in this tick.")
    pads: Gamepads = _on_stage(
        "pads", "The gamepad slots, connected or not: ``pads[0]`` is the first."
    )
    random: np.random.Generator = _on_stage(
        "random", "The game's random number generator, made from its seed."
    )
    size: tuple[float, float] = _on_stage("view.size", "Width and height of the screen in units.")

    def default_listener(self, dimensions: int) -> Camera | None:
        """Return the camera at which sound in the plane (2) or in space (3) is heard, or None."""
        return self._backend.listener(dimensions)

    @property
    def audio(self) -> Audio:
        """The sound of the game: volume, buses, music."""
        return self._backend.found().audio

    @property
    def width(self) -> float:
        """Width of the screen in units."""
        return self.size[0]

    @property
    def height(self) -> float:
        """Height of the screen in units."""
        return self.size[1]


def scene_backend(scene: Scene) -> SceneBackend:
    """Return the backend of a scene, for the stack of scenes and for games."""
    return scene._backend
