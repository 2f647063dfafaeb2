"""What a scene draws, and the cameras that it is seen through."""

from __future__ import annotations

from bisect import bisect_right
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeAlias

from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics, in_context
from ..state.works import Face, batches_of, end_works, new_works, placement_of, works_of
from ..view import View

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..gpu.drawable import Drawable
    from ..gpu.grading import Effect, EffectList
    from ..gpu.uniforms import Uniforms
    from ..plane.camera2d import Camera2D  # what a game does without need not be loaded
    from ..space.camera3d import Camera3D
    from ..state.works import Works
    from ..ui.interface import Interface
    from .views import View as SceneView
    from .views import Views

    Camera: TypeAlias = Camera2D | Camera3D
    Drawn: TypeAlias = Drawable | Face


class Contents:
    """The drawables of a scene in the order in which they are drawn, each with its camera.

    Before `attach` they wait for the game that they are to be drawn in; what is added after it is
    attached at once.
    """

    views: Views | None = None  # of its own once there is one: scenes without are hashed as ever
    """The views that it is seen in."""

    not_state = ("_prepared", "_stale", "_view", "_works", "driven", "frame_blocks", "graphics")

    # of few scenes: those that have none are in the same state as if there were no such thing
    ui: Interface | None = None
    """The scene's interface, if it has one."""
    _not_hashed = (
        "_brought",
        "_over",
        "_saved",
        "bringing",
        "cameras",
    )  # which follow from what is drawn
    _captured_attributes = (
        "_brought",
        "_layers",
        "_over",
        "_saved",
        "bringing",
        "cameras",
        "drawn",
    )

    # Of few scenes: those that have none are in the same state as if there were no such thing.
    effects: EffectList | None = None

    def __init__(self) -> None:
        self.drawn: list[tuple[Drawn, Camera]] = []
        self._layers: list[int] = []  # of those drawn: ascending
        self._over: list[Drawn | None] = []  # of those drawn: over what each was put, if it was
        self.bringing: list[Drawn] = []
        """Those of the drawables that are seen through the camera that they bring, which may be
        exchanged.
        """
        self.cameras: list[Camera] = []
        self._brought: list[Camera] = []  # those among them that only what is drawn needs
        self.hud: Camera2D | None = None
        """The camera that never moves: what is seen through it is drawn at full resolution."""
        self.frame_blocks: dict[Camera, moderngl.Buffer] = {}
        """The frame's uniform block of each camera that was drawn through; the painter's."""
        self.graphics: Graphics | None = None
        self._view = View((1.0, 1.0), (0, 0, 1, 1))
        # The drawables that are in the game, each with its works, by their ids.
        self._works: dict[int, tuple[Drawn, Works[Any]]] = {}
        self._prepared: set[int] = set()  # ids of drawables that have works, and are not drawn yet
        self._stale = False  # whether `drawn` was put back, so that `driven` has to follow
        self.driven: list[tuple[Works[Any], Camera]] = []
        """The works of what is drawn, each with its camera; row for row with `drawn`, while the
        scene is on.
        """
        self._saved: tuple[Any, ...] | None = (
            None  # what `captured` returned, as long as nothing has changed since
        )

    def captured(self) -> tuple[Any, ...]:
        """What is drawn and watched, for `put_back`: the same as long as nothing has changed."""
        if self._saved is None:
            lists: list[list[Any]] = [
                self.drawn,
                self._layers,
                self._over,
                self.bringing,
                self.cameras,
                self._brought,
            ]
            things = [thing for part in (*self.drawn, self._over, self.cameras) for thing in part]
            once = {id(thing): thing for thing in things if thing is not None}
            self._saved = *[tuple(part) for part in lists], [*once.values()]
        return self._saved

    def parts_of(self, saved: tuple[Any, ...]) -> list[Any]:
        """What of it is to be looked at."""
        things: list[Any] = saved[-1]
        return things

    def put_back(self, saved: tuple[Any, ...]) -> None:
        """Be as it was when `captured` returned this."""
        if self._saved is not saved:
            (
                self.drawn[:],
                self._layers[:],
                self._over[:],
                self.bringing[:],
                self.cameras[:],
                self._brought[:],
                _,
            ) = self._saved = saved
            self._stale = True

    @property
    def size(self) -> tuple[float, float]:
        """Of the picture in units; (1, 1) before `attach`, when nobody knows it."""
        return self._view.size

    def layered(self) -> Iterator[tuple[Works[Any], Camera, int]]:
        """The works of what is drawn, in order, with its camera and its layer."""
        for (works, camera), layer in zip(self.driven, self._layers, strict=True):
            yield works, camera, layer

    def attach(self, graphics: Graphics, view: View) -> None:
        """The scene was put on."""
        self.graphics = graphics
        for drawable, _ in self.drawn:
            self._attach(drawable, graphics)
        self._drive()
        for effects in self.effect_lists():
            self.prepare_effects(list(effects))
        self.look(view)

    def make_effects(self) -> EffectList:
        """The effects, from when they are first asked for."""
        if self.effects is None:
            from ..gpu.grading import EffectList

            self.effects = EffectList(self.prepare_effects)
        return self.effects

    def replace_effects(self, effects: Iterable[Effect]) -> None:
        """Have these effects and no others; a list that was never asked for is not there after an
        error either.
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
        """Compile those that are new, where there is something to compile them with."""
        graphics = self.graphics
        if graphics is not None and graphics.drawing:
            from ..gpu.passes import EffectChain

            with graphics.working():
                EffectChain.of(graphics).prepare(effects)

    def effect_lists(self) -> Sequence[EffectList]:
        """Those of the scene and of its views, as far as there are any."""
        own = () if self.effects is None else (self.effects,)
        if self.views is None:
            return own
        return *own, *self.views.effect_lists()

    def effect_values(self) -> Iterator[Uniforms]:
        """The values of all effects of the scene and of its views, which ticks and frames drive."""
        lists = self.effect_lists()
        if lists:
            from ..gpu.grading import values_of

            yield from values_of(lists)

    def add(self, drawable: Drawn, camera: Camera, layer: int, over: Drawn | None = None) -> None:
        """Draw it over what is in lower layers, and what was added to its own before; or right
        ``over`` something, and what was put there before."""
        drawing = (
            self.graphics is not None and self.graphics.drawing
        )  # then what is attached twice says so
        if not drawing and isinstance(drawable, Face) and self.holds(drawable):
            raise ValueError("drawable: it was added to a game already")
        if id(drawable) in self._prepared:
            self._prepared.discard(id(drawable))
        elif self.graphics is not None:
            self._attach(drawable, self.graphics)
        placement = placement_of(drawable)
        if over is None:
            place = self._place_in(layer, placement.below_hud and camera is not self.hud)
        else:
            place = self._place_over(over)
        self._saved = None
        self.drawn.insert(place, (drawable, camera))
        self._layers.insert(place, layer if over is None else self._layers[place - 1])
        self._over.insert(place, over)
        if self.graphics is not None:
            self.driven.insert(place, (self._works_of(drawable), camera))
        if placement.camera is camera:
            self.bringing.append(drawable)
            self._welcome(camera)
        else:
            self.watch(camera)

    def _place_in(self, layer: int, below_hud: bool) -> int:
        place = bisect_right(self._layers, layer)
        while (
            below_hud
            and place
            and self._layers[place - 1] == layer
            and self.drawn[place - 1][1] is self.hud
        ):
            place -= 1
        return place

    def _place_over(self, over: Drawn) -> int:
        place = 1 + [drawn is over for drawn, _ in self.drawn].index(True)
        while place < len(self._over) and self._over[place] is over:
            place += 1
        return place

    def holds(self, drawable: object) -> bool:
        """Whether it is drawn."""
        return any(drawn is drawable for drawn, _ in self.drawn)

    def prepare(self, drawable: Drawn) -> None:
        """Make the works of a drawable that may be added later: its images are loaded when they are
        named, and an error comes there and not with the next tick.
        """
        if self.graphics is not None:
            self._attach(drawable, self.graphics)
            self._prepared.add(id(drawable))

    def _attach(self, drawable: Drawn, graphics: Graphics) -> None:
        works: Works[Any] = new_works(drawable, graphics)
        self._works[id(drawable)] = drawable, works

    def _works_of(self, drawable: Drawn) -> Works[Any]:
        return self._works[id(drawable)][1]

    def _drive(self) -> None:
        """Have `driven` follow `drawn`."""
        self._stale = False
        self.driven[:] = [(self._works_of(drawable), camera) for drawable, camera in self.drawn]

    def _release(self, drawable: Drawn) -> None:
        self._works.pop(id(drawable), None)
        self._prepared.discard(id(drawable))
        end_works(drawable, self.graphics is None or self.graphics.drawing)

    def exchange_cameras(self) -> None:
        """See what brings its camera through the one that it has now: at once, as a cut."""
        for index, (drawable, camera) in enumerate(self.drawn):
            own: Camera | None = camera
            if drawable in self.bringing:
                own = placement_of(drawable).camera
            if own is not camera and own is not None:
                self._saved = None
                self.drawn[index] = drawable, own
                self.driven[index] = self._works_of(drawable), own
                self._welcome(own)
                self._forget(camera)
                own.teleport()

    def _welcome(self, camera: Camera) -> None:
        """Watch a camera that something brings."""
        if camera not in self.cameras:
            self._brought.append(camera)
            self._saved = None
            self.watch(camera)

    def _forget(self, camera: Camera) -> None:
        """What brought the camera is not seen through it any more: is it needed by nothing else, it
        is let go.
        """
        viewed = self.views is not None and any(view.camera is camera for view in self.views.all)
        if (
            not viewed
            and camera in self._brought
            and all(other is not camera for _, other in self.drawn)
        ):
            self._brought.remove(camera)
            self._saved = None
            self._drop(camera)

    def _drop(self, camera: Camera) -> None:
        self.cameras.remove(camera)
        self._saved = None
        block = self.frame_blocks.pop(camera, None)
        if block is not None:
            with in_context(block.ctx):
                block.release()

    def come_back(self, graphics: Graphics, view: View) -> bool:
        """A snapshot was put back, with the scene on: have what it draws attached, and nothing
        else. Returns whether anything was not yet."""
        if not self._stale and self.graphics is graphics:
            self.look(view)
            return False
        drawn = {id(drawable) for drawable, _ in self.drawn}
        for drawable, _ in [*self._works.values()]:
            if id(drawable) not in drawn:
                self._release(drawable)
        missing = [drawable for drawable, _ in self.drawn if id(drawable) not in self._works]
        self.graphics = graphics
        for drawable in missing:
            self._attach(drawable, graphics)
        self._drive()
        self.look(view)
        return bool(missing)

    def batches(self) -> list[object]:
        """What is drawn, with what is in a world instead of that."""
        return [batch for drawable, _ in self.drawn for batch in batches_of(drawable)]

    def reloaded(self) -> list[Any]:
        """The works of `batches`, which reload the files that they were made of."""
        return [
            works_of(batch)
            if isinstance(batch, Face)
            else self._works.get(id(batch), (batch, batch))[1]
            for batch in self.batches()
        ]

    def discard(self, drawable: object) -> None:
        """Stop drawing it, and release it. Raises `ValueError` if it was not added."""
        for index, (drawn, camera) in enumerate(self.drawn):
            if drawn is drawable:
                del self.drawn[index], self._layers[index], self._over[index]
                del self.driven[index : index + 1]
                self._saved = None
                if drawn in self.bringing:
                    self.bringing.remove(drawn)
                self._forget(camera)
                self._release(drawn)
                return
        raise ValueError("drawable: it is not in this scene")

    def watch(self, camera: Camera) -> None:
        """The camera moves in the scene's ticks, and follows the size of the picture."""
        if camera not in self.cameras:
            self.cameras.append(camera)
            self._saved = None
            if self.graphics is not None:
                camera.view = self._view

    def seen_in(self, view: SceneView, main: Camera2D | None) -> None:
        """Have a view, whose cameras move in the scene's ticks; ``main``: the scene's own
        camera.
        """
        from .views import Views, fit  # of scenes that have one

        views = Views(self) if self.views is None else self.views
        views.add(view, None if self.graphics is None else self._view)
        views.main = main or views.main
        self.views = views
        self.watch(view.camera)
        self.watch(view.hud)
        fit(view, None if self.graphics is None else self._view)

    def seen_no_longer_in(self, view: SceneView) -> None:
        """Have a view no more. Raises `ValueError` for one that it has not."""
        if self.views is None or all(known is not view for known in self.views.all):
            raise ValueError("view: it is not one of this scene")
        main = self.views.main
        self.views.forget(view)
        if not self.views.all:
            del self.views
        for camera in (view.camera, view.hud):
            self._look_no_longer(camera, main)

    def exchange_camera(self, view: SceneView, camera: Camera) -> None:
        """Before a view has another camera. Raises `ValueError` for one that another view has."""
        if self.views is None or all(
            known is not view for known in self.views.all
        ):  # it was removed
            return
        self.views.check_free(camera)
        self.watch(camera)
        self._look_no_longer(view.camera, self.views.main)

    def _look_no_longer(self, camera: Camera, main: Camera2D | None) -> None:
        """A camera is no view's any more."""
        camera.view = self._view
        if camera is not main and all(other is not camera for _, other in self.drawn):
            self._drop(camera)

    def look(self, view: View) -> None:
        """The picture has another size."""
        self._view = view
        views = self.views
        through = (
            ()
            if views is None
            else [camera for each in views.all for camera in (each.camera, each.hud)]
        )
        for camera in self.cameras:
            if camera.view is not view and camera not in through:
                camera.view = view
        if views is not None:
            views.look(view)

    def release(self) -> None:
        """The scene was taken off: everything in it is released."""
        canvases = () if self.views is None else self.views.canvases()
        drawn, self.drawn, self._layers, self._over = self.drawn, [], [], []
        blocks, self.frame_blocks = self.frame_blocks, {}
        self.cameras, self.bringing, self._brought, self.driven = [], [], [], []
        self.hud = self.effects = self._saved = None
        ui: Interface | None = vars(self).pop("ui", None)
        if ui is not None:
            ui.act(lambda: False)  # what was pressed is not done any more
        vars(self).pop("views", None)
        with ExitStack() as stack:  # one that fails does not keep the others from being released
            stack.callback(setattr, self, "graphics", None)
            for canvas in canvases:
                stack.callback(canvas.release)
            for block in blocks.values():
                stack.callback(block.release)
            for drawable, _ in drawn:
                stack.callback(self._release, drawable)
            for drawable, _ in [self._works[key] for key in self._prepared]:
                stack.callback(self._release, drawable)
