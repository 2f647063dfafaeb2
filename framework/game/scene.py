"""A scene: things to draw, a camera to see them with, and the rules by which they move.

A game is a scene itself, the lowest; others (a menu, a level, a pause over the level) are put on
top of it. What ticks and frames call is in `scene_works`.
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
from ..input.pads import Pads
from ..moved_names import WithMoved, current_names, moved
from ..state.works import Face
from ..timing.routines import Routine, Script, TaskGroup, waiting
from ..timing.schedule import Schedule, duration
from . import script
from .names import check_definitions, kept
from .rules import Systems
from .scene_views import SceneViews
from .scene_works import (
    CAMERA,
    EFFECTS,
    HUD,
    LABELS,
    SCHEDULE,
    SPRITES,
    USER_INTERFACE,
    WORLD,
    SceneWorks,
)

if TYPE_CHECKING:  # what a game does without need not be loaded
    import numpy as np

    from ..arrays import Rows
    from ..assets.background import ImageLoading
    from ..assets.images import ImageSource
    from ..audio.audio import Audio
    from ..geometry.eases import Ease
    from ..gpu.grading import Effect, EffectList
    from ..input.tick_input import Event
    from ..motion.tweens import Tween
    from ..plane.camera2d import Camera2D
    from ..plane.sprites import SpriteBatch
    from ..space.world import World
    from ..text.text import TextBatch
    from ..ui.interface import UI
    from .contents import Camera

D = TypeVar("D", bound=Drawable | Face)
T = TypeVar("T")


def _on_stage(path: str, doc: str) -> Any:
    """A property that reads an attribute of the stage: a `FrameworkError` while the scene is on in
    no game.
    """
    find = attrgetter(path)

    def read(self: Scene) -> Any:
        works = self._works
        return find(works.home or works.found())

    return property(read, doc=doc)


class _FromInit(Generic[T]):
    """An attribute that `Scene.__init__` sets: where a subclass has not called it, reading one says
    so.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    if TYPE_CHECKING:

        def __set__(self, scene: Scene, value: T) -> None: ...

    def __get__(self, scene: Scene, owner: type) -> T:
        raise TypeError(
            f"{type(scene).__name__}.__init__ must call super().__init__() before all else"
        )


@kept
@moved(
    "scene",
    {"schedule_once": "schedule.once", "schedule_interval": "schedule.interval"}
    | {"add_system": "systems.add", "system": "systems.add", "remove_system": "systems.remove"}
    | {"phase_times": "systems.phase_times", "system_times": "systems.times"}
    | {"add_view": "views.add", "remove_view": "views.remove", "view_at": "views.at"},
)
class Scene(metaclass=WithMoved):
    """Subclass it, override what you need, and put it on with ``game.push(MyScene())``.

    ``setup`` runs when the scene is put on, before the one below is left: when it, or that one's
    `leave`, fails, nothing has changed. In each tick scheduled tasks run first, tweens and routines
    next, then the systems of each phase; `update` is the first of "movement". ``enter`` and
    ``leave`` run whenever the scene comes to be, or stops being, the one on top. pyglet's events
    (``on_key_press(symbol, modifiers)``, ``on_mouse_press(x, y, button, modifiers)``, …) arrive as
    methods of the scene on top, then of the game; one that returns True keeps the event to itself.
    They run when the tick begins that latches them, at any frame rate; while time stands still, in
    the next frame. Coordinates are units of the picture, y up.
    """

    _path_steps: ClassVar[dict[str, str]] = {"_works": ""}  # "game.sprites", as games name it
    _transient_attributes: ClassVar[tuple[str, ...]] = ("_systems", "_views")

    saved: ClassVar[tuple[str, ...]] = ()
    """The attributes that `Game.save` writes; those of the bases too."""

    pauses_below = True
    """Whether the scenes below stand still."""
    hides_below = False
    """Whether the scenes below are not drawn."""

    _works = _FromInit[SceneWorks]()
    _views = _FromInit[SceneViews]()
    _systems = _FromInit[Systems]()

    _brings: Callable[[], list[Event]] | None = None
    """Returns what threads have done, in each tick while the scene is on top."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        check_definitions(cls)

    def __init__(self) -> None:
        self._works = works = SceneWorks(type(self).__name__)
        self._views, self._systems = SceneViews(works), Systems(works.rules)

    def __dir__(self) -> list[str]:
        return [*current_names(type(self), super().__dir__()), *vars(self)]

    # -- to override -------------------------------------------------------------------------------

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
        """After the scene's batches were drawn: draw more. ``alpha`` in [0, 1) is the fraction of a
        tick gone by.
        """

    # -- what is drawn -----------------------------------------------------------------------------

    def add(
        self,
        drawable: D,
        *,
        camera: Camera | None = None,
        layer: int | Drawable | Face | None = None,
    ) -> D:
        """Draw ``drawable`` (a `SpriteBatch`, a `TextBatch`, …) over what was added before it;
        returns it.

        What is in a higher ``layer`` is drawn over what is in a lower one, whenever it was added;
        and with something that was added before in place of a number (a layer of a `TileMap`), it
        is drawn right over that. Text that is seen through `Scene.hud` is in layer 1 unless told,
        all else in layer 0.

        It is seen through ``camera``: `Scene.camera` unless given; pass `Scene.hud` for what stays
        in place. What is in space (a `MeshBatch`, …) is added to `Scene.world`; a `World` is seen
        through its own camera, which ``camera`` becomes.
        """
        self._works.add(drawable, camera, layer)
        return drawable

    def discard(self, drawable: Drawable | Face) -> None:
        """Stop drawing something that was added, and release it; what is in space is taken out of
        `Scene.world`.
        """
        self._works.discard(drawable)

    def tagged(self, *names: str) -> list[tuple[Any, Rows]]:
        """The batches of the scene whose rows may have all of these tags, in the order in which
        they are drawn, each with the rows that do: see `SpriteBatch.tagged`."""
        batches: Sequence[Any] = self._works.contents.batches()
        return [
            (batch, batch.tagged(*names))
            for batch in batches
            if {*names} <= {*getattr(batch, "tag_names", ())}
        ]

    @property
    def camera(self) -> Camera2D:
        """The camera over the world."""
        camera = self._works.camera
        return self._works.read(CAMERA) if camera is None else camera

    @property
    def hud(self) -> Camera2D:
        """A camera that never moves: (0, 0) is the picture's bottom left corner, one unit a
        pixel.
        """
        hud = self._works.contents.hud
        return self._works.read(HUD) if hud is None else hud

    @property
    def views(self) -> SceneViews:
        """The views that the scene is seen in; none: in the whole picture. See `SceneViews.add`."""
        return self._views

    @property
    def world(self) -> World:
        """What is in space: meshes, light, a `Camera3D` to see them with. It is added at its first
        use.

        It is drawn where it was added, in layer 0: use it before the sprites that are to be over
        it.
        """
        world = self._works.world
        return self._works.read(WORLD) if world is None else world

    @property
    def sprites(self) -> SpriteBatch:
        """A batch for sprites of any images, added at its first use: ``self.sprites.add("ship.png",
        …)``.
        """
        sprites = self._works.sprites
        return self._works.read(SPRITES) if sprites is None else sprites

    @property
    def labels(self) -> TextBatch:
        """A batch for text on the picture, added at its first use: ``self.labels.add("Score",
        position=…)``.

        It is seen through `hud`, in layer 1: over all that is added without a layer.
        """
        labels = self._works.labels
        return self._works.read(LABELS) if labels is None else labels

    @property
    def ui(self) -> UI:
        """The scene's widgets, over all that it draws: ``menu = self.ui.column(anchor="center")``.

        Made at its first use, from `setup` on. It hears the events of a tick first, while the scene
        is on top; or as the game's own, while no scene over it has it stand still.
        """
        interface = self._works.contents.ui
        return self._works.read(USER_INTERFACE) if interface is None else interface.face

    @property
    def effects(self) -> EffectList:
        """What is done to the picture of the scene, and of those below it, before it is shown: a
        list of `Effect`s.

        ``self.effects = [fw.Bloom(0.6), fw.CRT()]`` has the first one done first. What is seen
        through `hud`, and all that is drawn after the first of it, is left as it is. A list that is
        empty costs nothing.
        """
        effects = self._works.contents.effects
        return self._works.read(EFFECTS) if effects is None else effects

    @effects.setter
    def effects(self, value: Iterable[Effect]) -> None:
        self._works.replace_effects(value)

    # -- what happens when -------------------------------------------------------------------------

    @property
    def schedule(self) -> Schedule:
        """The scene's scheduled tasks, whose time begins at its first use.

        They stand still while the scene is paused by one above it, and are cancelled when it is
        taken off.
        """
        schedule = self._works.rules.schedule
        return self._works.read(SCHEDULE) if schedule is None else schedule

    @property
    def systems(self) -> Systems:
        """The functions that each phase of a tick calls: ``self.systems.add("ai", self.think)``."""
        return self._systems

    def load_images(self, sources: Sequence[ImageSource]) -> ImageLoading:
        """Have images decoded in a thread, from now on and one after another: ``pictures.images``
        are taken by a `SpriteBatch` at once, which draws them as soon as they are there, and
        ``await pictures.within(2)`` waits.

        Their sizes are known at once. No rule of a game can go by when they come: where it asks for
        their pixels, it waits for them. Off screen, frames wait for them too. Raises `AssetError`
        for a file that is missing or is no image; one that is broken further on raises it when it
        is drawn, or waited for.
        """
        from ..assets.background import ImageLoading  # few games need it

        stage = self._works.found()
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
        length: float | Fraction | None = None,
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
        """Take attributes from where they are to other values, in ``length`` simulated seconds:
        ``self.tween(card, position=(400, 300), angle=0, length=0.4, ease="out_back")``.

        ``target`` is a sprite, an instance or another handle; a batch, of which all rows are moved
        or those of ``rows`` (indices, a mask or a slice; values are for all of them, or one for
        each); or any object that has the attributes and on which each is a number or a tuple of
        numbers: a camera, a label, a light. ``x``, ``y``, ``z`` and ``alpha`` are parts of
        ``position`` and ``color``.

        It is written at the beginning of each tick, after scheduled tasks and before `update`, and
        in the tick in which it ends the value is the very one that was given. It begins now, or
        ``delay`` seconds from now, from where the attribute is then. Of two that move the same, the
        newer one goes on and the older one ends. When the row or the label is removed, it ends too.

        Parameters
        ----------
        length
            Seconds, in the time of the scene, or of a ``group`` of its schedule; may be left out
            with a `Spring`.
        ease
            A name of `EASES`, a `Bezier`, a `Spring`, or a function of shares of the time (float64
            arrays).
        repeat
            How many times it runs: 1, 2, …, or ``math.inf``. With ``ping_pong`` each second run is
            backwards.
        relative
            Values are by how much to change: ``self.tween(door, y=64, length=1, relative=True)``.
        shortest
            Values are angles in radians, and are reached by the shorter way round. (Rotations in
            space always are.)

        Raises `AttributeError` for a name that there is not, with the nearest one, `TypeError` and
        `ValueError` for what is no finite number, or too many of them.
        """
        options = {
            "length": length,
            "ease": ease,
            "delay": delay,
            "repeat": repeat,
            "ping_pong": ping_pong,
        }
        options |= {"relative": relative, "shortest": shortest}
        return script.begin_tween(self._works.rules, target, rows, group, options, fields)

    def start(self, coroutine: Script, *, group: Schedule | None = None) -> Routine:
        """Run a coroutine in the ticks of this scene: ``self.start(self.intro())``, where ``async
        def intro(self)``.

        It begins in the next tick (started by another one, in this tick), and is resumed at the
        beginning of ticks, after tweens and before the first systems and `update`. Within it, await
        `seconds`, `ticks`, `until`, `next`, a tween, another routine, or coroutines of your own. It
        stands still while the scene is paused by one above it, and is cancelled when that is taken
        off: its ``with`` and ``finally`` blocks are left. With a ``group`` of the schedule it waits
        in that one's time.

        An error in it is raised by the tick, with a note of where it was started. A snapshot cannot
        hold a running routine, and says so.
        """
        return script.begin_routine(self._works.rules, coroutine, group)

    def tasks(self) -> TaskGroup:
        """Several routines that end with a block, within a routine: ``async with self.tasks() as
        tasks:``, and in it ``tasks.start(self.enemy())``. The block is left when all of them have
        ended; see `TaskGroup`."""
        return TaskGroup(self._works.rules.make_routines())

    @waiting
    def seconds(self, seconds: float | Fraction) -> Generator[Any, None, None]:
        """Within a routine, wait for so many simulated seconds: ``await self.seconds(1.5)``.

        They count from the moment at which the routine was due, so that waits add up exactly. 0 is
        the next tick.
        """
        if seconds.__class__ is not float or not 0 < seconds < script.MAX_TICKS:
            seconds = duration("seconds", seconds)
        yield seconds or 1

    @waiting
    def ticks(self, ticks: int = 1) -> Generator[Any, None, None]:
        """Within a routine, wait for so many ticks: ``await self.ticks(3)``."""
        if ticks.__class__ is not int or ticks < 1:
            ticks = whole("ticks", ticks, 1, script.MAX_TICKS)
        yield ticks

    async def until(self, condition: Callable[[], T]) -> T:
        """Within a routine, wait until a function returns what counts as true, and return that:
        ``await self.until(lambda: self.lives == 0)``. It is called in each tick, once those are
        resumed that wait for seconds and ticks: in this one too, unless that is over. What it
        raises is raised here."""
        found: T = await script.condition(condition)
        return found

    async def next(self, what: int | str) -> Any:
        """Within a routine, wait for a press or an event.

        A key, by its name or symbol, as in ``await self.next("space")``, or a button, as in
        ``"mouse:left"`` and ``"pad:a"`` (of any of the first player's pads): returns how often it
        was pressed in that tick. An event of pyglet's, as in ``await self.next("on_mouse_press")``:
        returns what the method of that name is given, in a tuple; the scene is to be on top, as for
        the method.
        """
        player = self._works.found().players[0]
        return await script.next_press(self._works.rules, player, what)

    async def next_input(self, device: str | None = None, *, player: int = 0) -> str:
        """Within a routine, wait until anything is pressed, and return its name, as in "space",
        "mouse:left", "pad:a": for `Actions.rebind`. ``device`` is "key", "mouse" or "pad" where
        only such a one will do."""
        return await script.next_input(self._works.found().players, device, player)

    # -- the game's own things, at hand ------------------------------------------------------------

    game: Any = _on_stage(
        "game",
        "The game that the scene is on in: a subclass of `Game`, with what it set on itself.",
    )
    keys: Keys = _on_stage("keys", "The keyboard in this tick.")
    mouse: Mouse = _on_stage("mouse", "The mouse in this tick.")
    pads: Pads = _on_stage(
        "pads", "The places for gamepads, whether one is there or not: ``pads[0]`` is the first."
    )
    random: np.random.Generator = _on_stage("random", "The game's random numbers, from its seed.")
    size: tuple[float, float] = _on_stage("view.size", "Width and height of the picture in units.")

    def ear(self, dimensions: int) -> Camera | None:
        """The camera that hears what is in the plane (2) or in space (3), if the scene has one."""
        return self._works.listener(dimensions)

    @property
    def audio(self) -> Audio:
        """What is heard of the game: volume, groups, music."""
        return self._works.found().audio

    @property
    def width(self) -> float:
        """Of the picture in units."""
        return self.size[0]

    @property
    def height(self) -> float:
        """Of the picture in units."""
        return self.size[1]


def scene_works(scene: Scene) -> SceneWorks:
    """Return the works of a scene, for the stack of scenes and for games."""
    return scene._works
