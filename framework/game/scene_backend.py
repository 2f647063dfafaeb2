"""The internal object behind a scene, which holds its drawables, rules and cameras.

The code of a game uses only the class `Scene`. Ticks, frames and the scene stack call the methods
of each scene's `SceneBackend`.

The cameras, the world, the batches, the widgets, the effects and the schedule of a scene are
created on first use.

Code may first use such an object in `draw` or between two ticks. Reading it there must not change
the state of the game, because a replay would then differ from its recording. Therefore, an object
that was created there does not belong to the state yet. It becomes part of the state when the game
changes it, or when a tick reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ..checks import instance, whole, wrong_type
from ..errors import FrameworkError
from ..gpu.drawable import Drawable, check_drawable
from ..state.backend import Frontend, placement_of
from ..timing.schedule import Schedule
from .rules import Rules
from .scene_drawables import SceneDrawables
from .stage import Stage

if TYPE_CHECKING:  # only for type checkers: games that do not need these modules do not import them
    from ..gpu.screen_effects import Effect, EffectList
    from ..plane.camera2d import Camera2D
    from ..plane.sprites import SpriteBatch
    from ..space.world import World
    from ..text.text import TextBatch
    from ..ui.interface import UI
    from .scene_drawables import Camera, Drawn

T = TypeVar("T")

TOP_LAYER = 2**31 - 1

_DRAWN = ("sprites", "labels", "world")  # the scene adds these parts as drawables, too


class ScenePart(Generic[T]):
    """Describes one part of a scene. The part is created on first use.

    For example, the camera, the world and the widgets are parts. ``find`` returns the part of a
    scene, or None if it has not been created yet. ``make`` creates the part. ``use`` adds the part
    to the scene. ``camera_of`` returns the camera of the part, because the scene must set the
    screen size of this camera. For parts without a camera, ``camera_of`` is None.
    """

    __slots__ = ("camera_of", "find", "make", "name", "use")

    def __init__(
        self,
        name: str,
        find: Callable[[SceneBackend], T | None],
        make: Callable[[SceneBackend], T],
        use: Callable[[SceneBackend, T], None],
        camera_of: Callable[[T], Camera] | None = None,
    ) -> None:
        self.name = name
        self.find = find
        self.make = make
        self.use = use
        self.camera_of = camera_of


class SceneBackend:
    """The internal object behind a scene. Ticks, frames and the scene stack call the methods of
    this object.

    ``owner`` is the name of the scene's class, for error messages.
    """

    _not_hashed = ("_owner", "stage", "home", "untouched")
    _lasting_attributes = ("_owner",)
    _path_steps: ClassVar[dict[str, str]] = {"drawables": "._drawables", "rules": "._rules"}

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self.drawables = SceneDrawables()
        self.rules = Rules()
        self.stage: Stage | None = None
        """The stage of the game, while the scene is on the scene stack. Otherwise None."""
        self.home: Stage | None = None
        """The stage of the game if this scene is the game itself, otherwise None. It is set before
        `setup`, and removed after the game has closed.
        """
        self.sprites: SpriteBatch | None = None
        self.labels: TextBatch | None = None
        self.camera: Camera2D | None = None
        self.world: World | None = None
        self.untouched: dict[str, tuple[Any, int]] | None = None
        """The parts that were created between ticks and do not belong to the state yet, each with a
        hash of its values. If the hash is different later, the game has changed the part.
        """

    # -- on a stage --------------------------------------------------------------------------------

    def found(self) -> Stage:
        """Return the stage (the internal object that runs the scene stack). Raise `FrameworkError`
        if the scene is not on a stack.
        """
        stage = self.home or self.stage
        if stage is None:
            raise FrameworkError(
                f"{self._owner} is not on in a game: use its keys, size, … from setup() on"
            )
        return stage

    def check_free(self) -> None:
        """Raise `ValueError` if the scene is already on a stack."""
        if self.drawables.graphics is not None:
            raise ValueError(f"scene: {self._owner} is on already")

    def attach(self, stage: Stage) -> None:
        """Connect the scene to a stage, and create the backends of its drawables."""
        self.stage = stage
        self.drawables.attach(stage.graphics, stage.view)

    def detach(self) -> None:
        """Cancel all tasks of the scene, then release its drawables."""
        try:  # an error in the first `release` must not prevent the second one
            self.rules.release()
        finally:
            self.stage = self.untouched = None
            self.sprites = self.labels = self.camera = self.world = None
            self.drawables.release()

    # -- parts that are made at their first use ----------------------------------------------

    def parts(self) -> dict[str, object]:
        """Return a dict of the scene's ``sprites``, ``labels`` and ``world``. Objects that have not
        been created yet are left out.
        """
        parts = {"sprites": self.sprites, "labels": self.labels, "world": self.world}
        return {name: part for name, part in parts.items() if part is not None}

    def read(self, part: ScenePart[T]) -> T:
        """Return a part of the scene, such as the camera. The part is created when it is first
        read.

        A part created in a tick or an event handler belongs to the game's state immediately. A part
        created between ticks or in `draw` is added to the state later: when the game changes the
        part, or when a tick reads it.
        """
        stage = self.stage
        if stage is None or not stage.between_ticks:
            return self.own(part)
        from ..record.hashes import state_hash

        if self.untouched is None:
            self.untouched = {}
        if part.name not in self.untouched:
            new = part.make(self)
            if isinstance(new, Schedule):
                self.rules.untouched = new
            if isinstance(new, Frontend) and part.name in ("sprites", "labels"):
                with stage.surface.working():
                    self.drawables.prepare(new)
            self.untouched[part.name] = new, state_hash({"": new})
            stage.untouched = True
        value: T
        value, before = self.untouched[part.name]
        if state_hash({"": value}) != before:
            return self.own(part)
        camera = None if part.camera_of is None else part.camera_of(value)
        if camera is not None and camera.view != stage.view:
            camera.view = stage.view
            self.untouched[part.name] = value, state_hash({"": value})
        return value

    def own(self, part: ScenePart[T]) -> T:
        """Return a part of the scene, and add the part to the game's state."""
        value = part.find(self)
        if value is None:
            untouched = (self.untouched or {}).pop(part.name, None)
            value = part.make(self) if untouched is None else untouched[0]
            part.use(self, value)
        return value

    def use_read(self, part: object) -> None:
        """Add ``part`` to the game's state if it was created between ticks. Do nothing with any
        other object.
        """
        for name, (value, _) in list((self.untouched or {}).items()):
            if value is part:
                self.own(_PARTS[name])

    def _use_drawables(self) -> None:
        """Add all drawables that were created between ticks to the scene and to the game's state.
        Drawables that are added later are drawn above these.
        """
        stage = self.stage
        if stage is not None and stage.between_ticks:
            # With this flag, `own` adds the parts to the scene.
            stage.between_ticks = False
            try:
                for name in list(self.untouched or ()):
                    if name in (*_DRAWN, "ui"):
                        self.own(_PARTS[name])
            finally:
                stage.between_ticks = True

    def use_touched(self) -> None:
        """If a part was created between ticks and has changed since then, add it to the game's
        state.
        """
        if self.untouched:
            from ..record.hashes import state_hash

            for name, (part, before) in list(self.untouched.items()):
                if _PARTS[name].find(self) is part:
                    self.untouched.pop(name, None)
                elif state_hash({"": part}) != before:
                    self.own(_PARTS[name])

    def listener(self, dimensions: int) -> Camera | None:
        """Return the camera from which the player hears sounds (the listener), or None.
        ``dimensions`` is 2 for the 2D camera, or 3 for the 3D camera.
        """
        if dimensions == 2:
            return self.camera
        world = self.world
        if world is None and self.untouched and "world" in self.untouched:
            world = self.untouched["world"][0]  # reading the listener must not change the state
        return None if world is None else world.camera

    def replace_effects(self, effects: Iterable[Effect]) -> None:
        """Replace all effects of the scene with new effects."""
        if self.untouched and "effects" in self.untouched:
            self.own(EFFECTS)
        self.drawables.replace_effects(effects)

    # -- what is drawn -----------------------------------------------------------------------------

    def add(
        self, drawable: Drawn, camera: Camera | None = None, layer: int | Drawn | None = None
    ) -> None:
        """Add a drawable to the scene. For details, see `Scene.add`."""
        if self.home is not None:
            self.home.live  # noqa: B018 (raises an error if the game was closed)
        if self.untouched:
            self._use_drawables()
        check_drawable("drawable", drawable)
        placement = placement_of(drawable)
        over, number = self._checked_layer(layer)
        if placement.composed_of is not None:
            self._add_parts(placement.composed_of, camera, number if over is None else over)
        elif placement.in_world:
            self._add_to_world(drawable, camera, number is not None or over is not None)
        else:
            camera = self._camera_for(drawable, placement.camera, camera)
            if self.untouched:
                self.use_read(camera)
            if number is None:
                number = placement.layer_on_hud if camera is self.drawables.hud else 0
            if self.drawables.graphics is None:
                self.drawables.add(drawable, camera, number, over)
            else:
                with self.found().surface.working():
                    self.drawables.add(drawable, camera, number, over)
            self.drawables.check_growth(drawable)

    def _add_to_world(self, drawable: Drawn, camera: Camera | None, in_layer: bool) -> None:
        if in_layer:
            hint = "use self.add(World(), layer=…) for a world in another layer"
            raise TypeError(
                f"layer: {type(drawable).__name__} is 3D and drawn with its world; {hint}"
            )
        if camera is not None:
            hint = "omit it, or add the drawable to a World with its own camera"
            raise TypeError(
                f"camera: {type(drawable).__name__} is 3D and seen through its world's camera; {hint}"
            )
        self.own(WORLD).add(drawable)

    def _camera_for(self, drawable: Drawn, own: Camera | None, camera: Camera | None) -> Camera:
        """Return the camera that draws a drawable. ``own`` is the drawable's own camera, and
        ``camera`` is the argument ``camera`` of `add`.
        """
        from ..plane.camera2d import Camera2D

        camera_class: type[Camera] = Camera2D
        if own is not None:
            from ..space.camera3d import Camera3D  # imported here so that 2D games do not load it

            camera_class = Camera3D if isinstance(own, Camera3D) else Camera2D
            if camera is not None and camera_class is Camera3D:
                from ..space.world import World

                if isinstance(drawable, World):
                    drawable.camera = camera  # the setter of `camera` checks the camera
        if camera is None:
            camera = own if camera_class is not Camera2D else self.own(CAMERA)
        return instance("camera", camera, camera_class)

    def _checked_layer(self, layer: int | Drawn | None) -> tuple[Drawn | None, int | None]:
        """Check the argument ``layer`` of `add`, and return a pair: a drawable and a layer number.
        At least one of them is None.
        """
        if layer is None:
            return None, None
        if isinstance(layer, int) or not (isinstance(layer, Frontend) or hasattr(layer, "draw")):
            if not hasattr(layer, "__index__"):
                raise wrong_type("layer", "a whole number, or a drawable of this scene", layer)
            return None, whole("layer", layer, -TOP_LAYER, TOP_LAYER)
        self.use_read(layer)
        parts = placement_of(layer).composed_of
        over = layer if not parts else parts[-1][0]
        if not self.drawables.holds(over):
            raise ValueError(f"layer: {layer!r} is not drawn in this scene; add it first")
        return over, None

    def _add_parts(
        self,
        parts: Sequence[tuple[Any, int | None]],
        camera: Camera | None,
        layer: int | Drawn | None,
    ) -> None:
        """Add all parts of a drawable that consists of several drawables, such as the layers of a
        `TileMap`. If one part raises an error, none of the parts is added.
        """
        added: list[Drawn] = []
        try:
            for part, own in parts:
                self.add(part, camera, layer if own is None else own)
                added.append(part)
        except BaseException:
            for part in added:
                self.remove(part)
            raise

    def remove(self, drawable: Drawable | Frontend) -> None:
        """Remove a drawable from the scene. For details, see `Scene.remove`."""
        self.use_read(drawable)
        placement = placement_of(drawable)
        if placement.composed_of is not None:
            for part, _ in placement.composed_of:
                self.remove(part)
            return
        in_space = placement.in_world and self.world is not None
        holder: Any = self.world if in_space else self.drawables
        try:
            if self.drawables.graphics is None:
                holder.remove(drawable)
            else:
                with self.found().surface.working():
                    holder.remove(drawable)
        finally:
            for name in _DRAWN:
                if getattr(self, name) is drawable:
                    setattr(self, name, None)


def _new_camera(backend: SceneBackend) -> Camera2D:
    from ..plane.camera2d import Camera2D

    return Camera2D(backend.drawables.size)


def _new_world(backend: SceneBackend) -> World:
    from ..space.world import World

    return World()


def _new_sprites(backend: SceneBackend) -> SpriteBatch:
    from ..plane.sprites import SpriteBatch

    return SpriteBatch()


def _new_labels(backend: SceneBackend) -> TextBatch:
    from ..text.text import TextBatch

    return TextBatch()


def _new_ui(backend: SceneBackend) -> UI:
    from ..ui.interface import Interface

    stage = backend.found()
    drawables = backend.drawables
    copy = stage.files.copy
    folders = stage.graphics.folders
    return Interface(drawables, folders, copy, magnified=stage.magnified).frontend


def _new_effects(backend: SceneBackend) -> EffectList:
    from ..gpu.screen_effects import EffectList

    return EffectList(backend.drawables.prepare_effects)


def _use_camera(backend: SceneBackend, camera: Camera2D) -> None:
    backend.camera = camera
    backend.drawables.add_camera(camera)


def _use_hud(backend: SceneBackend, camera: Camera2D) -> None:
    backend.drawables.hud = camera
    backend.drawables.add_camera(camera)


def _use_world(backend: SceneBackend, world: World) -> None:
    backend.add(world)
    backend.world = world


def _use_sprites(backend: SceneBackend, sprites: SpriteBatch) -> None:
    backend.add(sprites)
    backend.sprites = sprites


def _use_labels(backend: SceneBackend, labels: TextBatch) -> None:
    backend.add(labels, backend.own(HUD))
    backend.labels = labels


def _use_ui(backend: SceneBackend, ui: UI) -> None:
    from ..ui.interface import interface_of

    interface = interface_of(ui)
    backend.add(interface.canvas, backend.own(HUD), TOP_LAYER)
    backend.drawables.ui = interface


def _use_effects(backend: SceneBackend, effects: EffectList) -> None:
    backend.drawables.effects = effects
    backend.drawables.prepare_effects(list(effects))


def _use_schedule(backend: SceneBackend, schedule: Schedule) -> None:
    backend.rules.untouched = schedule
    backend.rules.make_schedule()


def _camera_itself(camera: Camera2D) -> Camera:
    return camera


def _camera_of_world(world: World) -> Camera:
    return world.camera


def _find_ui(backend: SceneBackend) -> UI | None:
    interface = backend.drawables.ui
    return None if interface is None else interface.frontend


CAMERA = ScenePart(
    "camera", lambda backend: backend.camera, _new_camera, _use_camera, _camera_itself
)
WORLD = ScenePart("world", lambda backend: backend.world, _new_world, _use_world, _camera_of_world)
SPRITES = ScenePart("sprites", lambda backend: backend.sprites, _new_sprites, _use_sprites)
LABELS = ScenePart("labels", lambda backend: backend.labels, _new_labels, _use_labels)
HUD = ScenePart("hud", lambda backend: backend.drawables.hud, _new_camera, _use_hud, _camera_itself)
USER_INTERFACE = ScenePart("ui", _find_ui, _new_ui, _use_ui)
EFFECTS = ScenePart(
    "effects", lambda backend: backend.drawables.effects, _new_effects, _use_effects
)
SCHEDULE = ScenePart(
    "schedule", lambda backend: backend.rules.schedule, lambda backend: Schedule(), _use_schedule
)
_PARTS: dict[str, ScenePart[Any]] = {
    part.name: part
    for part in (CAMERA, WORLD, SPRITES, LABELS, HUD, USER_INTERFACE, EFFECTS, SCHEDULE)
}
