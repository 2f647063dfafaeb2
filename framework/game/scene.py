"""Scenes, such as a level or a menu, each with its own drawables, cameras and rules.

The game itself is a scene, too: the lowest scene on the scene stack. Other scenes, such as a level
or a pause menu, are put on top of it. In each tick and each frame, the game loop calls methods of
the scenes' backends (see `scene_backend`).
"""

from __future__ import annotations

__all__ = ["Scene"]

from collections.abc import Callable, Generator, Iterable, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ..checks import items, whole
from ..coroutines.adoption import note_scene
from ..gpu.drawable import Drawable
from ..input.keyboard import Keys
from ..input.mouse import Mouse
from ..input.pads import Gamepads
from ..moved_names import WithMoved, check_options, current_names, moved
from ..other_engines.game_names import drawable_options, scene_names
from ..other_engines.other_names import declare_own
from ..other_engines.other_options import other_options
from ..state.backend import Frontend
from ..timing.routines import Routine, Script, TaskGroup, waiting
from ..timing.schedule import Schedule, duration
from . import misspelled_names, scene_routines
from .reserved_names import check_definitions, guard_methods, kept
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

if TYPE_CHECKING:  # only for type checkers: games that do not need these modules do not import them
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
    """Return a property that reads an attribute of the scene's stage: the internal object that runs
    the scene stack.

    If the scene is not on a stack, reading the property raises `FrameworkError`.
    """
    find = attrgetter(path)

    def read(self: Scene) -> Any:
        backend = self._backend
        return find(backend.home or backend.found())

    return property(read, doc=doc)


class _FromInit(Generic[T]):
    """A placeholder for an attribute that `Scene.__init__` sets later.

    Reading the placeholder raises `TypeError`, because a subclass has not called `Scene.__init__`.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    if TYPE_CHECKING:

        def __set__(self, scene: Scene, value: T) -> None: ...

    def __get__(self, scene: Scene, owner: type) -> T:
        raise TypeError(f"{type(scene).__name__}.__init__ must call super().__init__() first")


@kept
@scene_names
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
    """A part of a game, such as a level or a menu. Each scene has its own drawables, camera and
    rules.

    Write a subclass of `Scene`, override methods such as `setup`, and call
    ``game.push(MyScene())``.

    `game.push` puts the scene on the stack: it calls `setup` of the new scene, and then `on_exit`
    of the scene below. If `setup` or `on_exit` raises an error, the stack stays unchanged.
    `on_enter` is called each time the scene becomes the top scene. `on_exit` is called each time
    the scene stops being the top scene.

    In each tick, a scene first runs its scheduled tasks, then its tweens and routines, and then the
    systems (functions) of each phase. `update` is called at the beginning of the phase "movement".

    Event handlers are methods with the names of pyglet's events: ``on_key_press(symbol,
    modifiers)``, ``on_mouse_press(x, y, button, modifiers)`` and so on. Each event is passed first
    to the top scene, and then to the game. If an event handler returns True, no other event handler
    receives the event. Event handlers are called at the beginning of the next tick or, while the
    game is paused, in the next frame. Mouse positions in events are in units of the screen, with y
    pointing up.
    """

    # Paths begin with "game.sprites", as in the game's code, and leave out the backend.
    _path_steps: ClassVar[dict[str, str]] = {"_backend": ""}
    _transient_attributes: ClassVar[tuple[str, ...]] = ("_systems", "_views")

    saved: ClassVar[tuple[str, ...]] = ()
    """The names of the attributes that `Game.save` writes. `Game.save` also writes the attributes
    that base classes list in ``saved``.
    """

    saved_classes: ClassVar[tuple[type, ...]] = ()
    """The classes of which `Game.load` may create new objects. For example, to save a list of
    enemies, add the class ``Enemy``. Also add the class of every enum that you save. A load uses
    the classes that the game and all scenes on the stack list.
    """

    saved_routines: ClassVar[tuple[Callable[..., Any], ...]] = ()
    """The functions that a saved routine may run, such as ``(intro, say)``. If a routine passes
    methods to `until`, also add these methods. A save uses the functions that the game and all
    scenes on the stack list.
    """

    own_names: ClassVar[tuple[str, ...]] = ()
    """The names of your own attributes and methods that must not cause a warning. The framework
    warns about names that look like a spelling mistake, or like a name of another engine.
    """

    pauses_below = True
    """Whether the scenes below this scene are paused. Default: True."""
    opaque = False
    """Whether this scene covers the whole screen, so that the scenes below it are not drawn.
    Default: False.
    """

    _backend = _FromInit[SceneBackend]()
    _views = _FromInit[SceneViews]()
    _systems = _FromInit[Systems]()

    _finished_work: Callable[[], list[Event]] | None = None
    """Called in each tick while the scene is the top scene. Returns events about finished
    background work.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        check_definitions(cls)
        guard_methods(cls)
        declare_own(cls, misspelled_names.own_names(cls))
        note_scene(cls)

    def __init__(self) -> None:
        self._backend = backend = SceneBackend(type(self).__name__)
        self._views = SceneViews(backend)
        self._systems = Systems(backend.rules)

    def __dir__(self) -> list[str]:
        return [*current_names(type(self), super().__dir__()), *vars(self)]

    # -- hooks -------------------------------------------------------------------------------------

    def setup(self) -> None:
        """The game calls this method each time the scene is put on the stack. Override `setup` to add
        the sprites, labels and widgets of the scene.
        """

    def on_enter(self) -> None:
        """The game calls this method when the scene becomes the top scene. This happens after the
        scene's `setup`, and each time the scene above it has been removed.
        """

    def on_exit(self) -> None:
        """The game calls this method when the scene stops being the top scene: another scene was
        pushed, or this scene was removed.
        """

    def update(self, dt: float) -> None:
        """The game calls this method in each tick. Override `update` to move the objects of the
        scene. ``dt`` is the duration of the tick in seconds of game time. With the default
        timestep, all ticks have the same ``dt``.

        Before `update`, the scene runs its scheduled tasks, and the systems of the phases "input",
        "ai" and "physics".
        """

    def draw(self, alpha: float) -> None:
        """The game calls this method in each frame, after all drawables of the scene have been
        drawn. Override `draw` for your own drawing with OpenGL or pyglet.

        ``alpha`` is the fraction of a tick that has passed since the last tick, at least 0 and
        below 1.
        """

    # -- drawing -----------------------------------------------------------------------------------

    @drawable_options
    def add(
        self,
        drawable: D,
        *,
        camera: Camera | None = None,
        layer: int | Drawable | Frontend | None = None,
    ) -> D:
        """Add a drawable, such as a `SpriteBatch`, and return it. The drawable is drawn above all
        drawables that you added before.

        A drawable with a higher ``layer`` is always drawn above drawables with a lower layer. You
        can also pass a drawable of this scene as ``layer``, such as a layer of a `TileMap`, to draw
        the new drawable directly above it. The default layer is 0, or 1 for text that uses the
        camera `Scene.hud`.

        The default of ``camera`` is `Scene.camera`. With `Scene.hud`, the drawable stays at its
        position on the screen. If you add a 3D drawable, such as a `MeshBatch`, it becomes part of
        `Scene.world`. A `World` has its own camera, which is replaced if you pass a ``camera``.
        """
        self._backend.add(drawable, camera, layer)
        return drawable

    def remove(self, drawable: Drawable | Frontend) -> None:
        """Remove a drawable from the scene, and free its GPU memory. A 3D drawable is removed from
        `Scene.world`.
        """
        self._backend.remove(drawable)

    def tagged(self, *names: str) -> list[tuple[Any, Rows]]:
        """Return all rows that have all the tags ``names``, from all batches of the scene. The
        result is a list of pairs in drawing order: a batch, and its rows that have these tags.
        Batches that do not declare all these tags are left out.

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
        """The 2D camera of the scene. The camera is created when you first use it. See
        docs/cameras.md.
        """
        camera = self._backend.camera
        return self._backend.read(CAMERA) if camera is None else camera

    @property
    def hud(self) -> Camera2D:
        """A camera that never moves, for text and other objects at fixed positions on the screen.
        Positions are in units of the screen, and (0, 0) is the bottom left corner.
        """
        hud = self._backend.drawables.hud
        return self._backend.read(HUD) if hud is None else hud

    @property
    def views(self) -> SceneViews:
        """The views of the scene, for example for a split screen. A view is an area of the screen
        with its own camera. Without views, the scene fills the whole screen. See `SceneViews.add`.
        """
        return self._views

    @property
    def world(self) -> World:
        """The 3D world of the scene, with meshes, light and a `Camera3D`. The world is created and
        added to the scene when you first use `world`.

        The world is drawn in layer 0, above drawables that you added before. Drawables that you add
        afterwards are drawn above the world.
        """
        world = self._backend.world
        return self._backend.read(WORLD) if world is None else world

    @property
    def sprites(self) -> SpriteBatch:
        """A batch for sprites with any images: ``self.sprites.add("ship.png", …)``. The batch is
        created and added to the scene when you first use `sprites`.
        """
        sprites = self._backend.sprites
        return self._backend.read(SPRITES) if sprites is None else sprites

    @property
    def labels(self) -> TextBatch:
        """A batch for text on the screen: ``self.labels.add("Score", position=…)``. The batch is
        created and added to the scene when you first use `labels`.

        The labels use the camera `hud` and the layer 1, so they are drawn above all drawables that
        you added without a layer.
        """
        labels = self._backend.labels
        return self._backend.read(LABELS) if labels is None else labels

    @property
    def ui(self) -> UI:
        """The widgets of the scene: ``menu = self.ui.column(anchor="center")``. Widgets are drawn
        above everything else.

        The interface is created when you first use `ui`, in `setup` or later. In each tick, the
        widgets of the top scene receive events before the event handlers of the scene. The widgets
        of the game itself also receive events, unless a scene on the stack pauses the game.
        """
        interface = self._backend.drawables.ui
        return self._backend.read(USER_INTERFACE) if interface is None else interface.frontend

    @property
    def effects(self) -> EffectList:
        """A list of `Effect` objects, which change the image of this scene and of all scenes below
        it.

        For example, ``self.effects = [fw.Bloom(0.6), fw.CRT()]`` first applies the bloom effect,
        and then the CRT effect. Effects do not change drawables that use the camera `hud`. An empty
        list costs no time.
        """
        effects = self._backend.drawables.effects
        return self._backend.read(EFFECTS) if effects is None else effects

    @effects.setter
    def effects(self, value: Iterable[Effect]) -> None:
        self._backend.replace_effects(value)

    # -- time --------------------------------------------------------------------------------------

    @property
    def schedule(self) -> Schedule:
        """The schedule of the scene, for tasks that are called later. Its time starts at 0 when you
        first use it.

        While the scene is paused, its tasks do not run. When the scene is removed, its tasks are
        cancelled.
        """
        schedule = self._backend.rules.schedule
        return self._backend.read(SCHEDULE) if schedule is None else schedule

    @property
    def systems(self) -> Systems:
        """The functions that the scene calls in each phase of a tick: ``self.systems.add("ai",
        self.think)``.
        """
        return self._systems

    def load_images(self, sources: Sequence[ImageSource]) -> ImageLoading:
        """Decode image files in a background thread, one after another, while the game continues.

        For example, write ``pictures = self.load_images(["ship.png"])``. You can pass
        ``pictures.images`` to a `SpriteBatch` immediately, before the images are decoded. Sprites
        become visible as soon as their image has been decoded. In a routine, ``await
        pictures.within(2)`` waits for the images for 2 seconds of game time. If they are not
        decoded after 2 seconds, the whole game waits for them.

        The sizes of the images are available immediately. Code that reads the pixels of an image
        waits until that image has been decoded. So the state of the game does not depend on the
        speed of the disk. In a game without a window, each frame waits until the images have been
        decoded.

        Raises `AssetError` if a file is missing, or if a file is not an image. If the pixels of an
        image are damaged, the error is raised only when the image is drawn, or when a routine waits
        for it.
        """
        # Imported here because few games use it.
        from ..assets.background_loading import ImageLoading

        stage = self._backend.found()
        return ImageLoading(
            items("sources", sources),
            stage.graphics.folders,
            stage.surface.headless,
            stage.graphics.drawing,
        )

    @other_options(_="write self.tween(sprite, x=400, duration=1)")
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
        """Change attributes of ``target`` smoothly to new values, during ``duration`` seconds of
        game time.

            self.tween(card, position=(400, 300), angle=0, duration=0.4, ease="out_back")

        ``target`` can be any object, for example a sprite, a batch, a label or a camera. If
        ``target`` is a batch, the tween changes all rows, or only ``rows`` (indices, a mask or a
        slice). You can pass one value for all rows, or a list with one value per row. If ``target``
        is another object, such as a camera or a light, its attributes must be numbers or tuples of
        numbers. The names ``x``, ``y``, ``z`` and ``alpha`` change one component of ``position`` or
        ``color``.

        The tween starts immediately or after ``delay`` seconds, from the value that the attribute
        has at that time. The tween sets the attribute in each tick, after the scheduled tasks and
        before `update`, and ends at exactly the new value. If you start another tween of the same
        attribute, the first tween ends. A tween also ends when its row or label is removed.

        Parameters
        ----------
        duration
            The duration in seconds, in the time of the scene or of ``group``. With a `Spring` as
            ``ease``, ``duration`` is optional.
        ease
            How the speed changes during the tween: the name of an ease in `EASES`, a `Bezier`, a
            `Spring`, or a function. The function is called with a float64 array of fractions of the
            duration, and returns an array.
        repeat
            How many times the tween runs: a whole number, or ``math.inf`` for no end. With
            ``ping_pong``, every second run goes in reverse, from the new value back to the initial
            value.
        relative
            Whether the new values are added to the current values: ``self.tween(door, y=64,
            duration=1, relative=True)``.
        shortest
            If True, the values are angles in radians, and each angle turns in the shorter
            direction. 3D rotations always turn in the shorter direction.

        Raises
        ------
        AttributeError
            For an unknown attribute. The error message suggests the attribute with the most similar
            name.
        TypeError, ValueError
            If a value is not a finite number, or if there are too many values.
        """
        if duration is None:
            check_options("Scene.tween", fields)
            scene_routines.check_fields(target, fields)
        options = {
            "duration": duration,
            "ease": ease,
            "delay": delay,
            "repeat": repeat,
            "ping_pong": ping_pong,
            "relative": relative,
            "shortest": shortest,
        }
        return scene_routines.begin_tween(self._backend.rules, target, rows, group, options, fields)

    def start(self, coroutine: Script, *, group: Schedule | None = None) -> Routine:
        """Run a coroutine in the ticks of this scene, for example ``self.start(self.intro())``,
        where ``intro`` is defined with ``async def``.

        The running coroutine is called a routine. The routine starts in the next tick, or in the
        current tick if another routine starts it. In each tick, routines run after the tweens, and
        before the first systems and `update`. In a routine, you can await `seconds`, `ticks`,
        `until`, `next`, a tween, another routine, or your own coroutines.

        While the scene is paused, its routines do not run. When the scene is removed, its routines
        are cancelled, and their ``with`` and ``finally`` blocks run. If you pass a group of the
        schedule as ``group``, the routine waits in the time of that group.

        An error in the coroutine is raised by the current tick. A note in the traceback shows the
        line that started the routine.

        Snapshots and rewinds include the running routines. Saves include the routines stored in
        `saved` attributes. A few routines cannot be restored, for example a routine with an
        ``await`` in a ``finally`` block. In a game with a `Rewind`, `start` raises a
        `FrameworkError` for such a routine. Without a `Rewind`, only `Game.snapshot` raises this
        error. The error message contains the file and the line of the routine's code.
        """
        return scene_routines.begin_routine(self._backend.rules, coroutine, group)

    def tasks(self) -> TaskGroup:
        """Return a group of routines, for an ``async with`` block in a routine.

        In the block ``async with self.tasks() as tasks:``, call ``tasks.start(self.enemy())``. The
        block ends when all routines of the group have ended. For details, see `TaskGroup`.
        """
        return TaskGroup(self._backend.rules.make_routines())

    @waiting
    def seconds(self, seconds: float | Fraction) -> Generator[Any, None, None]:
        """Wait in a routine for ``seconds`` seconds of game time, for example ``await
        self.seconds(1.5)``.

        The wait starts exactly when the routine's previous wait has ended, even between two ticks,
        so the sum of several waits has no rounding error. A wait of 0 seconds ends in the next
        tick.
        """
        if seconds.__class__ is not float or not 0 < seconds < scene_routines.MAX_TICKS:
            seconds = duration("seconds", seconds)
        yield seconds or 1

    @waiting
    def ticks(self, ticks: int = 1) -> Generator[Any, None, None]:
        """Wait in a routine for ``ticks`` ticks, for example ``await self.ticks(3)``."""
        if ticks.__class__ is not int or ticks < 1:
            ticks = whole("ticks", ticks, 1, scene_routines.MAX_TICKS)
        yield ticks

    async def until(self, condition: Callable[[], T]) -> T:
        """Wait in a routine until ``condition()`` returns a true value, and return this value.

        For example, ``await self.until(lambda: self.lives == 0)`` waits until the player has no
        lives left. `until` calls ``condition`` once per tick, after the routines that wait for
        seconds and ticks have run. The first call happens in the current tick, or in the next tick
        if the scene has already tested all conditions. An error in ``condition`` is raised by
        ``await self.until(…)``.
        """
        result: T = await scene_routines.condition(condition)
        return result

    async def next(self, what: int | str) -> Any:
        """Wait in a routine until a key or button is pressed, or until an event arrives.

        ``await self.next("space")`` waits until the space key is pressed. A key can be a name or a
        pyglet symbol. Write ``"mouse:left"`` for a mouse button, and ``"pad:a"`` for a button on
        any gamepad of the first player. For a key or button, the result is the number of presses in
        the tick that ends the wait.

        ``await self.next("on_mouse_press")`` waits for a pyglet event, and returns the event's
        arguments as a tuple. The event must arrive while the scene is the top scene, as with event
        handlers.
        """
        player = self._backend.found().players[0]
        return await scene_routines.next_press(self._backend.rules, player, what)

    async def next_input(self, device: str | None = None, *, player: int = 0) -> str:
        """Wait in a routine until a player presses any key or button, and return the name of this
        key or button.

        The name is "space", "mouse:left" or "pad:a", for example. You can pass it to
        `Actions.rebind`. With the ``device`` "key", "mouse" or "pad", only a press on this device
        ends the wait.
        """
        return await scene_routines.next_input(self._backend.found().players, device, player)

    # -- the game's objects ------------------------------------------------------------------------

    game: Any = _on_stage(
        "game",
        "The game that this scene belongs to, an object of your own game class.",
    )
    keys: Keys = _on_stage("keys", "The state of the keyboard in this tick.")
    mouse: Mouse = _on_stage("mouse", "The state of the mouse in this tick.")
    pads: Gamepads = _on_stage(
        "pads", "The gamepads of the game, connected or not: ``pads[0]`` is the first."
    )
    random: np.random.Generator = _on_stage(
        "random", "The random number generator of the game, created from the game's seed."
    )
    size: tuple[float, float] = _on_stage(
        "view.size", "The width and height of the screen in units."
    )

    def default_listener(self, dimensions: int) -> Camera | None:
        """Return the camera from which the player hears sounds (the listener), or None.
        ``dimensions`` is 2 for sounds with a 2D position, and 3 for sounds with a 3D position.
        """
        return self._backend.listener(dimensions)

    @property
    def audio(self) -> Audio:
        """The audio of the game: volume, buses and music."""
        return self._backend.found().audio

    @property
    def width(self) -> float:
        """The width of the screen in units."""
        return self.size[0]

    @property
    def height(self) -> float:
        """The height of the screen in units."""
        return self.size[1]


def scene_backend(scene: Scene) -> SceneBackend:
    """Return the backend of a scene, for internal code such as the scene stack."""
    return scene._backend
