"""A scene: things to draw, a camera to see them with, and the rules by which they move.

A game is a scene itself, the lowest; others (a menu, a level, a pause over the level) are put on
top of it.
"""

from __future__ import annotations

__all__ = ["Scene"]

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ..checks import instance, number, whole, wrong_type
from ..errors import FrameworkError
from ..gpu.drawable import Drawable, DrawableDefaults, completed
from ..input.keyboard import Keys
from ..input.mouse import Mouse
from ..input.pads import Pads
from ..state.works import Face, placement_of
from ..timing.schedule import Callback, Schedule, Task
from .contents import Contents
from .first_use import TOP_LAYER, FirstUse
from .names import check_definitions, current_names, kept
from .rules import Rules, check_phase
from .script import Scripted
from .stage import Entry, Stage

if TYPE_CHECKING:  # what a game does without need not be loaded
    import numpy as np

    from ..arrays import Rows
    from ..audio.audio import Audio
    from ..gpu.grading import Effect, EffectList
    from ..plane.camera2d import Camera2D
    from ..plane.sprites import SpriteBatch
    from ..space.world import World
    from ..text.text import TextBatch
    from ..ui.interface import UI, Interface
    from .contents import Camera
    from .views import View

D = TypeVar("D", bound=Drawable | Face)
T = TypeVar("T")
S = TypeVar("S", bound=Callback)


def _on_stage(path: str, doc: str) -> Any:
    """A property for reading what the stage has: a `FrameworkError` while the scene is on in no
    game.
    """
    find = attrgetter(path)

    def read(self: Scene) -> Any:
        return find(self._found())

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
class Scene(FirstUse, Scripted):
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

    not_hashed: ClassVar[tuple[str, ...]] = ("_stage",)

    saved: ClassVar[tuple[str, ...]] = ()
    """The attributes that `Game.save` writes; those of the bases too."""

    pauses_below = True
    """Whether the scenes below stand still."""
    hides_below = False
    """Whether the scenes below are not drawn."""

    _stage: Stage | None = None

    _contents = _FromInit[Contents]()
    _rules = _FromInit[Rules]()
    _sprites = _FromInit["SpriteBatch | None"]()
    _labels = _FromInit["TextBatch | None"]()
    _camera = _FromInit["Camera2D | None"]()
    _world = _FromInit["World | None"]()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        check_definitions(cls)

    def __init__(self) -> None:
        self._contents = Contents()
        self._rules = Rules()
        self._sprites = self._labels = self._camera = self._world = None

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
        if self._untouched:
            self._use_drawables()
        thing: Any = completed("drawable", drawable, DrawableDefaults)
        placement = placement_of(thing)
        over, layer = self._checked_layer(layer)
        if placement.composed_of is not None:
            self._add_parts(placement.composed_of, camera, layer if over is None else over)
            return drawable
        if placement.in_world:
            if layer is not None or over is not None:
                hint = "self.add(World(), layer=…) makes one in a layer of its own"
                raise TypeError(
                    f"layer: {type(drawable).__name__} is in space, drawn with its world; {hint}"
                )
            if camera is None:
                world: World = self._own("world")
                return world.add(drawable)
            hint = "leave it out, or add it to a World with a camera of its own"
            raise TypeError(
                f"camera: {type(drawable).__name__} is in space, seen through its "
                f"world's camera; {hint}"
            )
        from ..plane.camera2d import Camera2D

        own: Any = placement.camera
        wanted: Any = Camera2D
        if own is not None:
            from ..space.camera3d import Camera3D  # a game in the plane need not load it

            wanted = Camera3D if isinstance(own, Camera3D) else Camera2D
            if camera is not None and wanted is Camera3D:
                from ..space.world import World

                if isinstance(thing, World):
                    thing.camera = camera
        if camera is None:
            camera = own if wanted is not Camera2D else self._own("camera")
        camera = instance("camera", camera, wanted)
        if self._untouched:
            self._use_read(camera)
        if layer is None:
            layer = placement.layer_on_hud if camera is self._contents.hud else 0
        if self._contents.graphics is None:
            self._contents.add(thing, camera, layer, over)
        else:
            with self._found().surface.working():
                self._contents.add(thing, camera, layer, over)
        return drawable

    def _checked_layer(self, layer: Any) -> tuple[Any, int | None]:
        """What something is to be right over, or the number of the layer that it is to be in."""
        if layer is None:
            return None, None
        if not (isinstance(layer, Face) or hasattr(layer, "draw")):
            if not hasattr(layer, "__index__"):
                raise wrong_type(
                    "layer", "a whole number, or something that is drawn in this scene", layer
                )
            return None, whole("layer", layer, -TOP_LAYER, TOP_LAYER)
        self._use_read(layer)
        parts = getattr(layer, "composed_of", None)
        over = layer if not parts else parts[-1][0]
        if not self._contents.holds(over):
            raise ValueError(
                f"layer: {layer!r} is not drawn in this scene, nothing can be right "
                "over it; add it first"
            )
        return over, None

    def _add_parts(self, parts: Any, camera: Camera | None, layer: Any) -> None:
        """Add what something consists of, all or nothing."""
        added: list[Any] = []
        try:
            for part, own in parts:
                self.add(part, camera=camera, layer=layer if own is None else own)
                added.append(part)
        except BaseException:
            for part in added:
                self.discard(part)
            raise

    def discard(self, drawable: Drawable | Face) -> None:
        """Stop drawing something that was added, and release it; what is in space is taken out of
        `Scene.world`.
        """
        self._use_read(drawable)
        for part, _ in getattr(drawable, "composed_of", None) or ():
            self.discard(part)
        if getattr(drawable, "composed_of", None) is not None:
            return
        in_space = getattr(drawable, "in_world", False) and self._world is not None
        holder: Any = self._world if in_space else self._contents
        try:
            if self._contents.graphics is None:
                holder.discard(drawable)
            else:
                with self._found().surface.working():
                    holder.discard(drawable)
        finally:
            for name in ("_sprites", "_labels", "_world"):
                if getattr(self, name) is drawable:
                    setattr(self, name, None)

    def tagged(self, *names: str) -> list[tuple[Any, Rows]]:
        """The batches of the scene whose rows may have all of these tags, in the order in which
        they are drawn, each with the rows that do: see `SpriteBatch.tagged`."""
        batches = self._contents.batches()
        return [
            (batch, batch.tagged(*names))
            for batch in batches
            if {*names} <= {*getattr(batch, "tag_names", ())}
        ]

    @property
    def camera(self) -> Camera2D:
        """The camera over the world."""
        camera = self._camera
        return self._read("camera") if camera is None else camera

    @property
    def hud(self) -> Camera2D:
        """A camera that never moves: (0, 0) is the picture's bottom left corner, one unit a
        pixel.
        """
        hud = self._contents.hud
        return self._read("hud") if hud is None else hud

    @property
    def views(self) -> tuple[View, ...]:
        """The views that the scene is seen in, in the order in which they are drawn; none: in the
        whole picture.
        """
        return () if self._contents.views is None else tuple(self._contents.views.all)

    def add_view(
        self, camera: Camera, area: Sequence[float] = (0, 0, 1, 1), **options: Any
    ) -> View:
        """Have the scene seen through ``camera`` in an area of the picture, over the views before
        it; see `View`.

        A view of the plane shows what is added with `Scene.camera`, one of space what is in worlds,
        and either what is added with its own ``camera`` or ``hud``. What is seen through
        `Scene.hud` is drawn once, over all views (below them in a layer below 0). ``options`` are
        those of `View`.
        """
        from .views import View  # of games that have one

        view = View(camera, area, **options)
        for each in (view.camera, view.hud):
            self._use_read(each)
        main = self._own("camera") if view.camera.dimensions == 2 else self._camera
        self._contents.seen_in(view, main)
        return view

    def remove_view(self, view: View) -> None:
        """Have it no more; without any, the scene is seen in the whole picture."""
        self._contents.seen_no_longer_in(view)

    def view_at(self, x: float, y: float) -> View | None:
        """The topmost view at a place of the picture (``scene.view_at(*self.mouse.position)``), if
        there is one.
        """
        x, y, views = number("x", x), number("y", y), self._contents.views
        return None if views is None else views.at(x, y)

    @property
    def world(self) -> World:
        """What is in space: meshes, light, a `Camera3D` to see them with. It is added at its first
        use.

        It is drawn where it was added, in layer 0: use it before the sprites that are to be over
        it.
        """
        world = self._world
        return self._read("world") if world is None else world

    @property
    def sprites(self) -> SpriteBatch:
        """A batch for sprites of any images, added at its first use: ``self.sprites.add("ship.png",
        …)``.
        """
        sprites = self._sprites
        return self._read("sprites") if sprites is None else sprites

    @property
    def labels(self) -> TextBatch:
        """A batch for text on the picture, added at its first use: ``self.labels.add("Score",
        position=…)``.

        It is seen through `hud`, in layer 1: over all that is added without a layer.
        """
        labels = self._labels
        return self._read("labels") if labels is None else labels

    @property
    def ui(self) -> UI:
        """The scene's widgets, over all that it draws: ``menu = self.ui.column(anchor="center")``.

        Made at its first use, from `setup` on. It hears the events of a tick first, while the scene
        is on top; or as the game's own, while no scene over it has it stand still.
        """
        interface: Interface | None = self._contents.ui
        return self._read("ui") if interface is None else interface.face

    @property
    def effects(self) -> EffectList:
        """What is done to the picture of the scene, and of those below it, before it is shown: a
        list of `Effect`s.

        ``self.effects = [fw.Bloom(0.6), fw.CRT()]`` has the first one done first. What is seen
        through `hud`, and all that is drawn after the first of it, is left as it is. A list that is
        empty costs nothing.
        """
        effects = self._contents.effects
        return self._read("effects") if effects is None else effects

    @effects.setter
    def effects(self, value: Iterable[Effect]) -> None:
        if self._untouched and "effects" in self._untouched:
            self._own("effects")
        self._contents.replace_effects(value)

    # -- what happens when -------------------------------------------------------------------------

    @property
    def schedule(self) -> Schedule:
        """The scene's scheduled tasks, whose time begins at its first use.

        They stand still while the scene is paused by one above it, and are cancelled when it is
        taken off.
        """
        schedule = self._rules.schedule
        return self._read("schedule") if schedule is None else schedule

    def schedule_once(
        self, callback: Callback, delay: float | Fraction, *, order: float = 0
    ) -> Task:
        """Call ``callback(delay)`` once, ``delay`` simulated seconds from now; see
        `Schedule.schedule_once`.
        """
        return self._rules.asked(
            lambda: self._rules.make_schedule().schedule_once(callback, delay, order=order)
        )

    def schedule_interval(
        self, callback: Callback, interval: float | Fraction, *, order: float = 0
    ) -> Task:
        """Call ``callback(interval)`` every ``interval`` simulated seconds; see
        `Schedule.schedule_interval`.
        """
        return self._rules.asked(
            lambda: self._rules.make_schedule().schedule_interval(callback, interval, order=order)
        )

    def add_system(
        self,
        phase: str,
        function: S,
        *,
        group: Schedule | None = None,
        rate: float | Fraction | None = None,
    ) -> S:
        """Call ``function(dt)`` in every tick, in one of the `PHASES`, after what was added to it
        before; returns it.

        ``dt`` is the tick's simulated seconds. `update` is the first system of "movement": it finds
        what input, ai and physics decided, and collisions find what it moved. What is added to the
        phase that is running, or removed from it, counts from the next tick on. Raises `ValueError`
        for any other phase.

        ``group`` (of `schedule`, say ``self.schedule.group(0.1)``) gives it another pace: ``dt`` is
        then the tick in the group's time, and what it moves is drawn as smoothly as the rest.
        ``rate`` has it called so many times a second instead of in every tick: 10 for what thinks,
        120 for stiff physics; see `systems.System`.
        """
        self._rules.add(phase, function, group, rate)
        return function

    def system(
        self, phase: str, *, group: Schedule | None = None, rate: float | Fraction | None = None
    ) -> Callable[[S], S]:
        """`add_system` as a decorator.

        @self.system("ai", rate=10)
        def think(dt): ...
        """
        check_phase(phase)
        return lambda function: self.add_system(phase, function, group=group, rate=rate)

    def remove_system(self, phase: str, function: Callback) -> None:
        """Do not call it any more. Raises `ValueError` if it is not in that phase."""
        self._rules.remove(phase, function)

    @property
    def phase_times(self) -> dict[str, float]:
        """Real seconds that each phase took in the scene's last tick, "movement" with `update`.

        Empty while the scene has no system: then nothing is measured.
        """
        return dict(self._rules.phase_times)

    @property
    def system_times(self) -> list[tuple[str, Callback, float]]:
        """Phase, function and real seconds of each system in the scene's last tick, in the order in
        which they ran.
        """
        return list(self._rules.system_times)

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
        if dimensions == 2:
            return self._camera
        world = self._world
        if world is None and self._untouched and "world" in self._untouched:
            world = self._untouched["world"][0]  # a listener is no state
        return None if world is None else world.camera

    @property
    def audio(self) -> Audio:
        """What is heard of the game: volume, groups, music."""
        audio: Audio = self._found().game.audio
        return audio

    @property
    def width(self) -> float:
        """Of the picture in units."""
        return self.size[0]

    @property
    def height(self) -> float:
        """Of the picture in units."""
        return self.size[1]

    # -- driven by the stack of scenes -------------------------------------------------------------

    def _found(self) -> Stage:
        if self._stage is None:
            raise FrameworkError(
                f"{type(self).__name__} is not on in a game: use its keys, size, … from setup() on"
            )
        return self._stage

    def _entry(self) -> Entry:
        return Entry(self, self._contents, self._rules)

    def _check_free(self) -> None:
        if self._contents.graphics is not None:
            raise ValueError(f"scene: {type(self).__name__} is on already")

    def _put_on(self, stage: Stage) -> Entry:
        """The scene is to be on in a game: what it has so far is attached."""
        self._stage = stage
        self._contents.attach(stage.graphics, stage.view)
        return self._entry()

    def _take_off(self) -> None:
        """Everything that the scene added is released, after what it has begun was ended."""
        try:  # one that fails does not keep the other from being released
            self._rules.release()
        finally:
            self._be_off()
            self._contents.release()

    def _be_off(self) -> None:
        self._stage = self._untouched = None
        self._sprites = self._labels = self._camera = self._world = None
