"""The batches and other drawables of a scene in drawing order, each with its camera."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeAlias

from ..current_game import current_game
from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics, in_context
from ..screen_mapping import ScreenMapping
from ..state.backend import Frontend, backend_of, batches_of, end_backend, new_backend, placement_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..gpu.drawable import Drawable
    from ..gpu.screen_effects import Effect, EffectList
    from ..gpu.uniforms import Uniforms

    # Only for type checkers: games that do not need it do not import it.
    from ..plane.camera2d import Camera2D
    from ..plane.sprite_runs import Grouping
    from ..space.camera3d import Camera3D
    from ..state.backend import Backend
    from ..ui.interface import Interface
    from .views import View, Views

    Camera: TypeAlias = Camera2D | Camera3D
    Drawn: TypeAlias = Drawable | Frontend


_MAX_GROUPINGS = 16  # each view of a scene has its own grouping

# After this many frames, check again whether a batch can be drawn together with other batches.
_RETRY_FRAMES = 64


class _Grouped:
    """A list of drawables in which neighboring sprite batches are joined into runs. Each run of
    sprite batches is drawn in one call.
    """

    not_state = True

    def __init__(self, pairs: tuple[tuple[Any, Camera], ...], grouping: Grouping) -> None:
        self.pairs = pairs
        self.grouping = grouping
        self._frames = 0

    def is_current(self) -> bool:
        """Prepare the runs for a frame. Return False if the runs cannot be used in this frame."""
        grouping = self.grouping
        if not grouping.is_complete:
            self._frames += 1
            if self._frames >= _RETRY_FRAMES:
                return False
        return all([run.is_valid() for run in grouping.runs])  # noqa: C419  (quicker)


_MAX_ADDING_TICKS = 100
"""After this many ticks with a new drawable, `SceneDrawables.check_growth` warns."""

_MAX_GAP = 2  # the maximum number of ticks between two new drawables that count as "in every tick"


class SceneDrawables:
    """All drawables of a scene in drawing order, each with its camera.

    When the scene is put on the stack, the method `attach` creates a backend for each drawable. A
    backend is an internal object that updates and draws a drawable. If the scene is already on the
    stack, the backend of a new drawable is created immediately.
    """

    # A class attribute: each object gets an attribute of its own on first use, so that hashes of
    # scenes without views do not change.
    views: Views | None = None
    """The views of the scene, or None."""

    not_state = (
        "_groupings",
        "_growth",
        "_prepared",
        "_stale",
        "_view",
        "_backend",
        "driven",
        "frame_blocks",
        "graphics",
    )

    # A class attribute, so that the state of a scene without an interface stays the same as in
    # older versions.
    ui: Interface | None = None
    """The interface of the scene's widgets, or None."""
    # Not part of the hash, because the drawables determine these values.
    _not_hashed = ("_own_cameras", "_over", "_saved", "with_own_camera", "cameras")
    _captured_attributes = (
        "_own_cameras",
        "_layers",
        "_over",
        "_saved",
        "with_own_camera",
        "cameras",
        "drawn",
    )

    # The last tick in which the game added a drawable, and the number of such ticks in a row, with
    # no drawable removed. None after the warning. Not part of the state.
    _growth: tuple[int, int] | None = (0, 0)

    # A class attribute, so that the state of a scene without effects stays the same as in older
    # versions.
    effects: EffectList | None = None

    def __init__(self) -> None:
        self.drawn: list[tuple[Drawn, Camera]] = []
        # The layer of each entry of `drawn`, in ascending order.
        self._layers: list[int] = []
        # For each entry of `drawn`: the drawable directly below it, if the game passed one.
        self._over: list[Drawn | None] = []
        self.with_own_camera: list[Drawn] = []
        """The drawables that have their own camera, such as a `World`. The game can replace the
        camera of a drawable.
        """
        self.cameras: list[Camera] = []
        # Cameras that belong to a drawable and not to the scene.
        self._own_cameras: list[Camera] = []
        self.hud: Camera2D | None = None
        """The camera that never moves (`Scene.hud`), or None. Drawables with the camera `hud` are
        drawn at full resolution.
        """
        self.frame_blocks: dict[Camera, moderngl.Buffer] = {}
        """The uniform block of each camera in use. The painter writes to the blocks in each
        frame.
        """
        self.graphics: Graphics | None = None
        self._view = ScreenMapping((1.0, 1.0), (0, 0, 1, 1))
        # The attached drawables and their backends. The key is the `id` of the drawable.
        self._backend: dict[int, tuple[Drawn, Backend[Any]]] = {}
        self._prepared: set[int] = (
            set()
        )  # the `id` of each drawable that has a backend but is not drawn yet
        self._stale = False  # True after `drawn` has been restored, until `driven` is updated
        self.driven: list[tuple[Backend[Any], Camera]] = []
        """The backends of the drawables, each with its camera, in the order of `drawn`. The list is
        empty while the scene is not on the stack.
        """
        # The lists of drawables in the most recent frames, and which sprite batches in them are
        # drawn together.
        self._groupings: list[_Grouped] = []
        self._saved: tuple[Any, ...] | None = (
            None  # the cached result of `capture`, or None after a change
        )

    def capture(self) -> tuple[Any, ...]:
        """Return the drawables and cameras of the scene, for `restore`. If nothing has changed
        since the last call, return the same tuple.
        """
        if self._saved is None:
            lists: list[list[Any]] = [
                self.drawn,
                self._layers,
                self._over,
                self.with_own_camera,
                self.cameras,
                self._own_cameras,
            ]
            members = [
                member for part in (*self.drawn, self._over, self.cameras) for member in part
            ]
            unique = {id(member): member for member in members if member is not None}
            self._saved = *[tuple(part) for part in lists], [*unique.values()]
        return self._saved

    def parts_of(self, saved: tuple[Any, ...]) -> list[Any]:
        """Return all drawables and cameras in a tuple that the method `capture` has returned."""
        members: list[Any] = saved[-1]
        return members

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Restore the drawables and cameras in a tuple that the method `capture` has returned."""
        if self._saved is not saved:
            (
                self.drawn[:],
                self._layers[:],
                self._over[:],
                self.with_own_camera[:],
                self.cameras[:],
                self._own_cameras[:],
                _,
            ) = self._saved = saved
            self._stale = True

    @property
    def size(self) -> tuple[float, float]:
        """The size of the screen in units. Before `attach` is called, the size is (1, 1)."""
        return self._view.size

    def layered(self) -> Iterator[tuple[Backend[Any], Camera, int]]:
        """Yield the backend, the camera and the layer of each drawable, in drawing order."""
        for (backend, camera), layer in zip(self.driven, self._layers, strict=True):
            yield backend, camera, layer

    def attach(self, graphics: Graphics, view: ScreenMapping) -> None:
        """Called when the scene is put on the stack. Create the backends of all drawables."""
        self.graphics = graphics
        for drawable, _ in self.drawn:
            self._attach(drawable, graphics)
        self._drive()
        for effects in self.effect_lists():
            self.prepare_effects(list(effects))
        self.set_view(view)

    def make_effects(self) -> EffectList:
        """Return the list of the scene's effects. The first call creates it."""
        if self.effects is None:
            from ..gpu.screen_effects import EffectList

            self.effects = EffectList(self.prepare_effects)
        return self.effects

    def replace_effects(self, effects: Iterable[Effect]) -> None:
        """Replace all effects of the scene. If this method has created the list of effects and then
        raises an error, it removes the list again.
        """
        new = self.effects is None
        if new and isinstance(effects, list | tuple) and not effects:
            return
        try:
            self.make_effects()[:] = effects
        except BaseException:
            if new:
                del self.effects
            raise

    def prepare_effects(self, effects: list[Effect]) -> None:
        """If the game draws, compile the shaders of new effects."""
        graphics = self.graphics
        if graphics is not None and graphics.drawing:
            from ..gpu.passes import EffectChain

            with graphics.working():
                EffectChain.of(graphics).prepare(effects)

    def effect_lists(self) -> Sequence[EffectList]:
        """Return the effect lists of the scene and of its views. Lists that do not exist yet are
        left out.
        """
        own = () if self.effects is None else (self.effects,)
        if self.views is None:
            return own
        return *own, *self.views.effect_lists()

    def effect_values(self) -> Iterator[Uniforms]:
        """Yield the uniforms (shader parameters) of all effects of the scene and its views."""
        lists = self.effect_lists()
        if lists:
            from ..gpu.screen_effects import values_of

            yield from values_of(lists)

    def add(self, drawable: Drawn, camera: Camera, layer: int, over: Drawn | None = None) -> None:
        """Insert a drawable above all drawables with the same layer or a lower layer.

        If ``over`` is a drawable of the scene, insert the new drawable above ``over``. If other
        drawables have already been inserted above ``over``, the new drawable is inserted above
        them.
        """
        # If the game draws, `attach` raises this error.
        drawing = self.graphics is not None and self.graphics.drawing
        if not drawing and isinstance(drawable, Frontend) and self.holds(drawable):
            raise ValueError("drawable: it was added to a game already")
        if id(drawable) in self._prepared:
            self._prepared.discard(id(drawable))
        elif self.graphics is not None:
            self._attach(drawable, self.graphics)
        placement = placement_of(drawable)
        if over is None:
            index = self._place_in(layer, placement.below_hud and camera is not self.hud)
        else:
            index = self._place_over(over)
        self._saved = None
        self.drawn.insert(index, (drawable, camera))
        self._layers.insert(index, layer if over is None else self._layers[index - 1])
        self._over.insert(index, over)
        if self.graphics is not None:
            self.driven.insert(index, (self._backend_of(drawable), camera))
            self._forget_groupings()
        if placement.camera is camera:
            self.with_own_camera.append(drawable)
            self._add_own_camera(camera)
        else:
            self.add_camera(camera)

    def check_growth(self, drawable: Drawn) -> None:
        """Warn once if the game adds drawables of the same class in nearly every tick. Called after
        `Scene.add` has added ``drawable``.
        """
        game = current_game()
        if game is None or self._growth is None:
            return
        tick = game.ticks_run
        last_tick, ticks = self._growth
        if tick != last_tick:
            ticks = ticks + 1 if tick - last_tick <= _MAX_GAP else 1
            self._growth = tick, ticks
        count = len(self.drawn)
        if ticks < _MAX_ADDING_TICKS or count < _MAX_ADDING_TICKS:
            return
        kind = type(drawable)
        if sum(type(drawn) is kind for drawn, _ in self.drawn) < 0.75 * count:
            return
        self._growth = None
        name = kind.__name__
        # The warning must show the game's line. There are two calls between that line and this one:
        # `SceneBackend.add` and `Scene.add`.
        warnings.warn(
            f"drawables: {count} drawables, because a {name} is added in every tick and never "
            f"removed; add one {name} once, in setup, and change its rows in update: "
            f"self.batch = self.add(fw.{name}(…)). self.remove(batch) removes a {name}",
            RuntimeWarning,
            stacklevel=4,
        )

    def _place_in(self, layer: int, below_hud: bool) -> int:
        index = bisect_right(self._layers, layer)
        while (
            below_hud
            and index
            and self._layers[index - 1] == layer
            and self.drawn[index - 1][1] is self.hud
        ):
            index -= 1
        return index

    def _place_over(self, over: Drawn) -> int:
        index = 1 + [drawn is over for drawn, _ in self.drawn].index(True)
        while index < len(self._over) and self._over[index] is over:
            index += 1
        return index

    def holds(self, drawable: object) -> bool:
        """Return whether a drawable belongs to this scene."""
        return any(drawn is drawable for drawn, _ in self.drawn)

    def prepare(self, drawable: Drawn) -> None:
        """Create the backend of a drawable before the drawable is added to the scene. The backend
        loads the images of the drawable, and raises an error if an image cannot be loaded.
        """
        if self.graphics is not None:
            self._attach(drawable, self.graphics)
            self._prepared.add(id(drawable))

    def _attach(self, drawable: Drawn, graphics: Graphics) -> None:
        backend: Backend[Any] = new_backend(drawable, graphics)
        self._backend[id(drawable)] = drawable, backend

    def _backend_of(self, drawable: Drawn) -> Backend[Any]:
        return self._backend[id(drawable)][1]

    def _drive(self) -> None:
        """Update the list `driven` after the list `drawn` has changed."""
        self._stale = False
        self._forget_groupings()
        self.driven[:] = [(self._backend_of(drawable), camera) for drawable, camera in self.drawn]

    def _release(self, drawable: Drawn) -> None:
        self._backend.pop(id(drawable), None)
        self._prepared.discard(id(drawable))
        end_backend(drawable, self.graphics is None or self.graphics.drawing)

    # -- runs of sprite batches --------------------------------------------------------------------

    def grouped(self, drawn: Sequence[tuple[Any, Camera]]) -> Sequence[tuple[Any, Camera]]:
        """Replace neighboring sprite batches in ``drawn`` with objects that draw several batches in
        one call. ``drawn`` is a list of pairs in drawing order: the backend of a drawable, and its
        camera.
        """
        pairs = tuple(drawn)
        for entry in self._groupings:
            if entry.pairs == pairs:
                if entry.is_current():
                    return entry.grouping.steps
                self._forget_groupings()
                break
        # Imported here so that games with few drawables do not load it.
        from ..plane.sprite_runs import grouped

        assert self.graphics is not None
        entry = _Grouped(pairs, grouped(pairs, self.graphics))
        entry.is_current()
        if len(self._groupings) >= _MAX_GROUPINGS:
            self._forget_groupings()
        self._groupings.append(entry)
        return entry.grouping.steps

    def _forget_groupings(self) -> None:
        """Called after the drawables of the scene have changed. Delete the stored runs of sprite
        batches.
        """
        groupings = self._groupings
        if not groupings:
            return
        self._groupings = []
        runs = [run for entry in groupings for run in entry.grouping.runs]
        if runs and self.graphics is not None:
            with in_context(self.graphics.ctx):
                for run in runs:
                    run.release()

    def exchange_cameras(self) -> None:
        """Update the cameras of drawables that have their own camera, such as a `World`. If the
        game has replaced such a camera, the first frame with the new camera is drawn without
        interpolation.
        """
        for index, (drawable, camera) in enumerate(self.drawn):
            own: Camera | None = camera
            if drawable in self.with_own_camera:
                own = placement_of(drawable).camera
            if own is not camera and own is not None:
                self._saved = None
                self.drawn[index] = drawable, own
                self.driven[index] = self._backend_of(drawable), own
                self._forget_groupings()
                self._add_own_camera(own)
                self._remove_own_camera(camera)
                own.teleport()

    def _add_own_camera(self, camera: Camera) -> None:
        """Add a drawable's own camera, such as the camera of a `World`."""
        if camera not in self.cameras:
            self._own_cameras.append(camera)
            self._saved = None
            self.add_camera(camera)

    def _remove_own_camera(self, camera: Camera) -> None:
        """Called after a drawable has been removed. Remove its camera, unless another drawable or a
        view uses it.
        """
        viewed = self.views is not None and any(view.camera is camera for view in self.views.all)
        if (
            not viewed
            and camera in self._own_cameras
            and all(camera_in_use is not camera for _, camera_in_use in self.drawn)
        ):
            self._own_cameras.remove(camera)
            self._saved = None
            self._drop(camera)

    def _drop(self, camera: Camera) -> None:
        self.cameras.remove(camera)
        self._saved = None
        block = self.frame_blocks.pop(camera, None)
        if block is not None:
            with in_context(block.ctx):
                block.release()

    def update_backends(self, graphics: Graphics, view: ScreenMapping) -> bool:
        """Called after a snapshot has been restored. Create the backends of drawables that have
        returned to the scene, and release the backends of drawables that are no longer in it.

        Return True if a new backend was created.
        """
        if not self._stale and self.graphics is graphics:
            self.set_view(view)
            return False
        drawn = {id(drawable) for drawable, _ in self.drawn}
        for drawable, _ in [*self._backend.values()]:
            if id(drawable) not in drawn:
                self._release(drawable)
        missing = [drawable for drawable, _ in self.drawn if id(drawable) not in self._backend]
        self.graphics = graphics
        for drawable in missing:
            self._attach(drawable, graphics)
        self._drive()
        self.set_view(view)
        return bool(missing)

    def batches(self) -> list[object]:
        """Return all drawables of the scene as a list. For a `World`, the list contains its batches
        instead of the `World` itself.
        """
        return [batch for drawable, _ in self.drawn for batch in batches_of(drawable)]

    def reloaded(self) -> list[Any]:
        """Return the backends of all drawables in `batches`, for hot reload. The method ``renew``
        of a backend reloads changed files.
        """
        return [
            backend_of(batch)
            if isinstance(batch, Frontend)
            else self._backend.get(id(batch), (batch, batch))[1]
            for batch in self.batches()
        ]

    def remove(self, drawable: object) -> None:
        """Remove a drawable from the scene, and free its GPU memory. Raise `ValueError` if the
        drawable is not in this scene.
        """
        for index, (drawn, camera) in enumerate(self.drawn):
            if drawn is drawable:
                del self.drawn[index], self._layers[index], self._over[index]
                del self.driven[index : index + 1]
                self._forget_groupings()
                if self._growth is not None:
                    self._growth = 0, 0
                self._saved = None
                if drawn in self.with_own_camera:
                    self.with_own_camera.remove(drawn)
                self._remove_own_camera(camera)
                self._release(drawn)
                return
        raise ValueError("drawable: it is not in this scene")

    def add_camera(self, camera: Camera) -> None:
        """Add a camera to the list of the scene's cameras. The scene updates all its cameras in
        each tick, and sets their screen size.
        """
        if camera not in self.cameras:
            self.cameras.append(camera)
            self._saved = None
            if self.graphics is not None:
                camera.view = self._view

    def add_view(self, view: View, main: Camera2D | None) -> None:
        """Add a view to the scene. ``main`` is the 2D camera of the scene, or None."""
        from .views import Views, fit  # imported here so that scenes without views do not load it

        views = Views(self) if self.views is None else self.views
        views.add(view, None if self.graphics is None else self._view)
        views.main = main or views.main
        self.views = views
        self.add_camera(view.camera)
        self.add_camera(view.hud)
        fit(view, None if self.graphics is None else self._view)

    def remove_view(self, view: View) -> None:
        """Remove a view from the scene. Raise `ValueError` if the view is not in this scene."""
        if self.views is None or all(each is not view for each in self.views.all):
            raise ValueError("view: it is not one of this scene")
        main = self.views.main
        self.views.forget(view)
        if not self.views.all:
            del self.views
        for camera in (view.camera, view.hud):
            self._remove_view_camera(camera, main)

    def exchange_camera(self, view: View, camera: Camera) -> None:
        """In the list of the scene's cameras, replace the camera of ``view`` with ``camera``. Raise
        `ValueError` if another view already uses the new camera.
        """
        views = self.views
        if views is None or all(each is not view for each in views.all):
            return  # the view has been removed from the scene
        views.check_free(camera)
        self.add_camera(camera)
        self._remove_view_camera(view.camera, views.main)

    def _remove_view_camera(self, camera: Camera, main: Camera2D | None) -> None:
        """Remove from the scene a camera that no view uses any longer."""
        camera.view = self._view
        if camera is not main and all(
            camera_in_use is not camera for _, camera_in_use in self.drawn
        ):
            self._drop(camera)

    def set_view(self, view: ScreenMapping) -> None:
        """Set the size and the viewport of the screen for all cameras and views of the scene."""
        self._view = view
        views = self.views
        view_cameras = (
            ()
            if views is None
            else [camera for each in views.all for camera in (each.camera, each.hud)]
        )
        for camera in self.cameras:
            if camera.view is not view and camera not in view_cameras:
                camera.view = view
        if views is not None:
            views.set_view(view)

    def release(self) -> None:
        """Called after the scene has been removed from the stack. Release the backends of all
        drawables.
        """
        self._forget_groupings()
        canvases = () if self.views is None else self.views.canvases()
        drawn = self.drawn
        self.drawn = []
        self._layers = []
        self._over = []
        blocks = self.frame_blocks
        self.frame_blocks = {}
        self.cameras = []
        self.with_own_camera = []
        self._own_cameras = []
        self.driven = []
        self.hud = self.effects = self._saved = None
        ui: Interface | None = vars(self).pop("ui", None)
        if ui is not None:
            # Presses on widgets that are waiting for the next tick are dropped.
            ui.call_pending(lambda: False)
        vars(self).pop("views", None)
        with ExitStack() as stack:  # an error in one `release` must not prevent the others
            stack.callback(setattr, self, "graphics", None)
            for canvas in canvases:
                stack.callback(canvas.release)
            for block in blocks.values():
                stack.callback(block.release)
            for drawable, _ in drawn:
                stack.callback(self._release, drawable)
            for drawable, _ in [self._backend[key] for key in self._prepared]:
                stack.callback(self._release, drawable)
