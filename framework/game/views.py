"""Show a scene in an area of the screen or in a texture, with a camera of its own."""

from __future__ import annotations

__all__ = ["View"]

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, cast

from .. import checks
from ..checks import Sealed, Setting
from ..current_game import between_ticks
from ..errors import FrameworkError
from ..motion.camera_base import CameraBase, dimensions_of
from ..moved_names import HasMoved, moved, renamed_options
from ..other_engines.other_options import other_options
from ..plane.camera2d import Camera2D
from ..screen_mapping import ScreenMapping

if TYPE_CHECKING:
    from ..arrays import Doubles
    from ..gpu.render_texture import RenderTexture, ViewFramebuffer
    from ..gpu.screen_effects import Effect, EffectList
    from ..space.camera3d import Camera3D
    from ..state.backend import Backend

    Camera: TypeAlias = Camera2D | Camera3D

Area: TypeAlias = tuple[float, float, float, float]
"""An area of the screen: left, bottom, width, height."""

Drawn: TypeAlias = "list[tuple[Backend[Any], Camera]]"

_WHOLE = 0.0, 0.0, 1.0, 1.0


def _compile_nothing(effects: list[Effect]) -> None:
    """Do nothing. This placeholder is replaced when the view is added to a scene."""


def _allow_any_camera(view: View, camera: Camera) -> None:
    """Do nothing. This placeholder is replaced when the view is added to a scene."""


def _checked_camera(name: str, value: object) -> Camera:
    camera = checks.instance(name, value, CameraBase, what="a Camera2D or a Camera3D")
    return cast("Camera", camera)


def _checked_area(name: str, value: object) -> Area:
    area: Area = tuple(checks.vector(name, value, 4).tolist())
    left, bottom, width, height = area
    if min(width, height) <= 0:
        raise checks.wrong_value(
            name, "left, bottom, width, height, with a width and a height above 0", value
        )
    if (
        left < 0
        or bottom < 0
        or (in_fractions(area) and max(left + width, bottom + height) > 1 + 1e-9)
    ):
        raise checks.wrong_value(
            name, "an area within the screen: fractions up to 1, or units from 0", value
        )
    return left, bottom, width, height


def in_fractions(area: Sequence[float]) -> bool:
    """Return whether the numbers of an area are fractions of the screen size. If at least one
    number is above 1, all numbers are in units.
    """
    return max(area) <= 1


def _checked_layers(name: str, value: object) -> Container[int] | None:
    if value is None or isinstance(value, range):
        return value
    return frozenset(checks.whole(name, layer) for layer in checks.items(name, value))


_MOUSE = ("motion", "drag", "press", "release", "scroll", "enter", "leave")


def _checked_mouse_handler(name: str, value: object) -> object:
    if value is not None and not any(
        callable(getattr(value, f"on_mouse_{what}", None)) for what in _MOUSE
    ):
        raise checks.wrong_type(
            name, f"an object with a method on_mouse_… ({', '.join(_MOUSE)})", value
        )
    return value


def _checked_color(name: str, value: object) -> tuple[float, float, float, float] | None:
    return None if value is None else checks.color(name, value)


class _Area(Setting[Area]):
    """The attribute `View.area`. A new area must be inside the screen."""

    def keep(self, thing: View, value: Area) -> None:
        check_within(thing, value)
        super().keep(thing, value)
        fit(thing, thing._picture)


@moved("view", {}, settings={"listener": "mouse_handler"})
class View(HasMoved, Sealed):
    """A part of the screen, or a texture, that shows a scene with a camera.

    To create a view, call ``scene.views.add(camera, area)``.

    Parameters
    ----------
    camera
        A `Camera2D` or a `Camera3D` that no other view uses.
    area
        The left edge, bottom edge, width and height of the view, with y pointing up. If all numbers
        are at most 1, they are fractions of the screen size, and the view is resized together with
        the screen. If at least one number is above 1, all numbers are in units, and the view keeps
        its size. If the screen becomes too small for such a view, the view is cut off.
    layers
        The layers of the scene that the view shows: a ``range``, or a list of layer numbers. With
        the default None, the view shows all layers.
    background
        The color behind all drawables in the view. With the default None, the view is transparent.
    texture
        A `RenderTexture` to which the view is drawn, instead of the screen.
    mouse_handler
        An object with event handlers for the mouse, such as `on_mouse_press`. Its methods are
        called for mouse events in the view, with positions in units relative to the view. If a
        handler returns True, the event is not passed to the scene. After a mouse button has been
        pressed in a view, its drags and its release are passed to the same view. The handlers
        `on_mouse_enter` and `on_mouse_leave` are called when the mouse enters or leaves the view.
    """

    __slots__ = (
        *(
            "_area",
            "_background",
            "_camera",
            "_effects",
            "_hud",
            "_layers",
            "_mouse_handler",
            "_read_effects",
        ),
        *("_exchanges", "_picture", "_prepares", "_texture", "_visible", "size"),
    )

    _transient_attributes: ClassVar[Any] = ("_exchanges", "_prepares", "_texture")
    _not_hashed = ("_picture", "_read_effects", "size")

    area = _Area(
        _checked_area,
        "The left edge, bottom edge, width and height, in fractions of the screen or in units.",
    )
    layers = Setting(
        _checked_layers, "The scene's layers that the view shows, or None for all layers."
    )
    background = Setting(_checked_color, "The color behind the view, or None for no background.")
    visible = Setting(checks.flag, "Whether the view is drawn.")
    mouse_handler = Setting(
        _checked_mouse_handler, "The object that receives mouse events in the view, or None."
    )

    _area: Area
    _layers: Container[int] | None
    _background: tuple[float, float, float, float] | None
    _visible: bool
    _mouse_handler: object
    # Set on first use, so that hashes of views without effects do not change.
    _effects: EffectList
    _read_effects: EffectList

    @renamed_options("View", listener="mouse_handler")
    @other_options(
        _="a View is a camera with an area of the screen; for a screen of a game, write class Menu(fw.Scene) and game.push(Menu())"
    )
    def __init__(
        self,
        camera: Camera,
        area: Sequence[float] = _WHOLE,
        *,
        layers: Container[int] | None = None,
        background: str | Sequence[float] | None = None,
        texture: RenderTexture | None = None,
        mouse_handler: object = None,
    ) -> None:
        self._camera: Camera = _checked_camera("camera", camera)
        self._hud: Camera2D | None = None
        # The scene sets these functions. They compile effects, and check a new camera.
        self._prepares: Callable[[list[Effect]], None] = _compile_nothing
        self._exchanges: Callable[[View, Camera], None] = _allow_any_camera
        self._texture = texture
        if texture is not None:
            # Imported here so that views without a texture do not load it.
            from ..gpu.render_texture import RenderTexture

            checks.instance("texture", texture, RenderTexture)
        self.size = (1.0, 1.0)
        """The width and height of the view in units."""
        self._picture: ScreenMapping | None = (
            None  # the size and viewport of the screen, or None before they are known
        )
        self.layers = layers
        self.background = background
        self.visible = True
        self.mouse_handler = mouse_handler
        self.area = area

    @property
    def camera(self) -> Camera:
        """The camera of the view. After you set another camera, the next frame is drawn without
        interpolation. Raises `ValueError` if another view already uses this camera.
        """
        return self._camera

    @camera.setter
    def camera(self, camera: Camera) -> None:
        if _checked_camera("camera", camera) is not self._camera:
            self._exchanges(self, camera)
            self._camera = camera
            fit(self, self._picture)
            camera.teleport()

    @property
    def texture(self) -> RenderTexture | None:
        """The texture to which the view is drawn, or None for a view on the screen."""
        return self._texture

    @property
    def hud(self) -> Camera2D:
        """A second camera of the view, which never moves, for drawables at fixed positions in the
        view. The position (0, 0) is the bottom left corner of the view.

        A drawable that you add with ``camera=view.hud`` is drawn only in this view.
        """
        if self._hud is None:
            self._hud = Camera2D(self.size)
            fit(self, self._picture)
        return self._hud

    @property
    def effects(self) -> EffectList:
        """A list of the view's effects, as in `Scene.effects`. The effects also change drawables
        that use the view's `hud`.

        If a view has effects but no ``background``, it uses the background color of the game. If a
        view with effects is drawn to a texture, the texture becomes opaque.
        """
        if not has_effects(self):
            if between_ticks():
                return self._read_list()
            self._effects = self._read_list()
        return self._effects

    @effects.setter
    def effects(self, value: Iterable[Effect]) -> None:
        new = not has_effects(self)
        if not new or not isinstance(value, list | tuple) or value:
            try:
                self.effects[:] = value
            except BaseException:
                if new and has_effects(self):
                    del self._effects
                raise

    def _read_list(self) -> EffectList:
        """Return the list of effects of the view. The list becomes part of the game's state when a
        tick reads it, or when the game changes it.
        """
        if not hasattr(self, "_read_effects"):
            from ..gpu.screen_effects import EffectList

            self._read_effects = EffectList(self._prepare)
        return self._read_effects

    def _prepare(self, effects: list[Effect]) -> None:
        self._prepares(effects)
        self._effects = self._read_list()

    # -- area --------------------------------------------------------------------------------------

    @property
    def box(self) -> Area:
        """The left edge, bottom edge, width and height of the view, in units of the screen."""
        assert self._picture is not None, "a view is drawn in a scene"
        left, bottom, width, height = self._area
        across, up = self._picture.size
        if in_fractions(self._area):
            return left * across, bottom * up, width * across, height * up
        return left, bottom, min(width, across - left), min(height, up - bottom)

    # -- positions ---------------------------------------------------------------------------------

    def to_local(self, x: float, y: float) -> tuple[float, float]:
        """Convert a position on the screen to a position in the view: in units from the bottom left
        corner of the view.
        """
        x = checks.number("x", x)
        y = checks.number("y", y)
        return (x, y) if self.texture is not None else (x - self.box[0], y - self.box[1])

    def from_local(self, x: float, y: float) -> tuple[float, float]:
        """Convert a position in the view to a position on the screen. Mouse handlers of views
        receive positions in the view. Convert such a position with `from_local` before you pass it
        to `to_world`.
        """
        x = checks.number("x", x)
        y = checks.number("y", y)
        return (x, y) if self.texture is not None else (x + self.box[0], y + self.box[1])

    def to_world(self, x: float, y: float, alpha: float = 1.0) -> tuple[float, float]:
        """Convert a position on the screen, such as ``self.mouse.position``, to a position in the
        2D world. For a view with a 3D camera, use `ray`.
        """
        x = checks.number("x", x)
        y = checks.number("y", y)
        alpha = checks.number("alpha", alpha)
        if not isinstance(self.camera, Camera2D):
            raise TypeError(
                "to_world: a position in a 3D view is a ray, not a point: use view.ray(x, y)"
            )
        return self.camera.screen_to_world(self.to_local(x, y), alpha)

    def ray(self, x: float, y: float, alpha: float = 1.0) -> tuple[Doubles, Doubles]:
        """Return the ray from the camera through a position on the screen into the 3D world. The
        result is two arrays of three numbers: the ray's origin, and its direction as a vector of
        length 1.
        """
        x = checks.number("x", x)
        y = checks.number("y", y)
        alpha = checks.number("alpha", alpha)
        if isinstance(self.camera, Camera2D):
            raise TypeError("ray: this view has a 2D camera: use view.to_world(x, y)")
        return self.camera.screen_ray(self.to_local(x, y), alpha)

    def to_screen(self, point: Sequence[float], alpha: float = 1.0) -> tuple[float, float] | None:
        """Convert a position in the world to a position on the screen. Return None if the position
        is behind the view's 3D camera.
        """
        camera: Any = self.camera
        position: tuple[float, float] | None = camera.world_to_screen(point, alpha)
        if position is None or self.texture is not None:
            return position
        return position[0] + self.box[0], position[1] + self.box[1]


def has_effects(view: View) -> bool:
    """Return whether the view already has a list of effects, which is created on first use."""
    return hasattr(view, "_effects")


def check_within(view: View, area: Area) -> None:
    """Raise `ValueError` if the area of a view is not inside the screen."""
    picture = view._picture
    if picture is None or in_fractions(area) or view.texture is not None:
        return
    width, height = picture.size
    if area[0] + area[2] > width or area[1] + area[3] > height:
        raise checks.wrong_value(
            "area", f"an area within the screen of {width:g} × {height:g} units", area
        )


def fit(view: View, picture: ScreenMapping | None) -> None:
    """Update the size of a view and the screen size of its cameras. Called after the size or the
    viewport of the screen has changed.
    """
    if picture is None:
        return
    view._picture = picture
    _, _, width, height = view.box
    if view.texture is not None:
        width, height = view.texture.size
    if min(width, height) <= 0:  # the view is outside the screen, which became smaller
        return
    view.size = width, height
    fitted = ScreenMapping(view.size, pixels_of(view, picture.viewport))
    for camera in (view.camera, view._hud):
        if camera is not None:
            camera.view = fitted


def pixels_of(view: View, viewport: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Return the area of a view in pixels, as x, y, width and height. ``viewport`` is the viewport
    of the whole screen in pixels. There is no gap between the pixels of two views that are side by
    side.
    """
    if view.texture is not None:
        return 0, 0, *view.texture.size
    assert view._picture is not None
    left, bottom, width, height = view.box
    x = viewport[0]
    y = viewport[1]
    across, up = view._picture.size
    kx = viewport[2] / across
    ky = viewport[3] / up
    first = round(left * kx), round(bottom * ky)
    last = round((left + width) * kx), round((bottom + height) * ky)
    return x + first[0], y + first[1], max(0, last[0] - first[0]), max(0, last[1] - first[1])


def _holds(view: View, x: float, y: float) -> bool:
    """Return whether a view is visible and contains a position on the screen."""
    if view.texture is not None or not view.visible:
        return False
    left, bottom, width, height = view.box
    return left <= x < left + width and bottom <= y < bottom + height


def _check_apart(view: View, drawn: Drawn) -> None:
    """Raise `FrameworkError` if a view shows its own texture: the texture to which the view is
    drawn.
    """
    for effect in view.effects if has_effects(view) else ():
        # Imported here so that games without effects do not load it.
        from ..gpu.uniforms import uniforms_of

        if effect.enabled and uniforms_of(effect).shows(view.texture):
            raise FrameworkError(
                "texture: an effect reads the texture that its view is drawn to; give the effect another "
                "image"
            )
    for drawable, _ in drawn:
        if drawable.shows(view.texture):
            raise FrameworkError(
                f"texture: the view shows a {type(drawable.frontend).__name__} with the texture that the "
                "view is drawn to; put it into another layer, and exclude that layer with "
                "views.add(…, layers=…)"
            )


def _call_mouse_handler(view: View | None, name: str, x: float, y: float, *more: int) -> bool:
    """Call the method ``name`` of a view's mouse handler, if there is one. If it returns a true
    value, return True, because the event must not be passed on.
    """
    if view is None:
        return False
    handler: Callable[..., object] | None = getattr(view.mouse_handler, name, None)
    return handler is not None and bool(handler(*view.to_local(x, y), *more))


def _canvases(views: Iterable[View]) -> list[ViewFramebuffer]:
    textures = [view.texture for view in views if view.texture is not None]
    if not textures:
        return []
    # Imported here so that views without a texture do not load it.
    from ..gpu.render_texture import framebuffer_of

    return [framebuffer_of(texture) for texture in textures]


class ViewedScene(Protocol):
    """The attributes and methods of `SceneDrawables` that the views of a scene use."""

    hud: Camera2D | None

    def layered(self) -> Iterator[tuple[Backend[Any], Camera, int]]: ...

    def prepare_effects(self, effects: list[Effect]) -> None: ...

    def exchange_camera(self, view: View, camera: Camera) -> None: ...


class Views:
    """All views of a scene. The class `Views` also computes which drawables each view shows."""

    _not_hashed = ("main", "under")

    def __init__(self, drawables: ViewedScene) -> None:
        self._drawables = drawables
        self.all: list[View] = []
        self.pressed: dict[int, View] | None = None
        """A dict that maps each pressed mouse button to the view in which it was pressed. None if
        no button is pressed.
        """
        self.under: View | None = None
        """The view under the mouse pointer, or None."""
        self.main: Camera2D | None = None
        """The camera of the scene. Drawables that use it are drawn in all 2D views."""

    def add(self, view: View, picture: ScreenMapping | None) -> None:
        """Add a view. The new view is drawn above all views that were added before. Raise
        `ValueError` if another view already uses the same camera or texture.
        """
        self.check_free(view.camera)
        for existing in self.all:
            if view.texture is not None and existing.texture is view.texture:
                raise ValueError(
                    "texture: another view is drawn to it already; each view needs its own texture"
                )
        view._picture = picture
        view._prepares = self._drawables.prepare_effects
        view._exchanges = self._drawables.exchange_camera
        check_within(view, view.area)
        self.all.append(view)

    def check_free(self, camera: Camera) -> None:
        """Raise `ValueError` if a view already uses the camera."""
        if any(existing.camera is camera for existing in self.all):
            raise ValueError("camera: another view has it already; each view needs its own camera")

    def set_view(self, picture: ScreenMapping) -> None:
        """Set the size and the viewport of the screen for all views."""
        for view in self.all:
            fit(view, picture)

    def effect_lists(self) -> list[EffectList]:
        """Return the effect lists of all views. Lists that do not exist yet are left out."""
        return [view.effects for view in self.all if has_effects(view)]

    def canvases(self) -> list[ViewFramebuffer]:
        """Return the framebuffers of all views that are drawn to textures."""
        return _canvases(self.all)

    def at(self, x: float, y: float) -> View | None:
        """Return the highest view at a position on the screen. Return None if there is no view at
        this position.
        """
        return next((view for view in reversed(self.all) if _holds(view, x, y)), None)

    def handle_mouse_event(self, name: str, x: float, y: float, *more: int) -> bool:
        """Pass a mouse event to the mouse handler of the view in which it happens. Return True if
        the handler has used the event, which must then not be passed on.
        """
        view = self.at(x, y)
        self._cross(None if name == "on_mouse_leave" else view, x, y)
        if name in ("on_mouse_enter", "on_mouse_leave"):
            return False
        pressed = self.pressed or {}
        if name == "on_mouse_press" and view is not None:
            pressed = pressed | {more[0]: view}
        elif name == "on_mouse_release":
            view = pressed.get(more[0])
            pressed = {
                button: pressed_view
                for button, pressed_view in pressed.items()
                if button != more[0]
            }
        elif name in ("on_mouse_drag", "on_mouse_motion"):
            # The release of a button may have been passed to another scene.
            down = more[2] if name == "on_mouse_drag" else 0
            pressed = {
                button: pressed_view for button, pressed_view in pressed.items() if button & down
            }
            view = next(iter(pressed.values()), None) if down else view
        self.pressed = pressed or None
        return _call_mouse_handler(view, name, x, y, *more)

    def _cross(self, view: View | None, x: float, y: float) -> None:
        """Store ``view`` as the view under the mouse pointer. If the mouse pointer has left a view,
        call `on_mouse_leave` of that view's handler. If the mouse pointer has entered a view, call
        `on_mouse_enter` of that view's handler.
        """
        before = self.under
        self.under = view
        if before is not view:
            _call_mouse_handler(before, "on_mouse_leave", x, y)
            _call_mouse_handler(view, "on_mouse_enter", x, y)

    def forget(self, view: View) -> None:
        """Remove a view from the list of views, and release its framebuffer."""
        self.all.remove(view)
        pressed = self.pressed or {}
        self.pressed = {
            button: pressed_view
            for button, pressed_view in pressed.items()
            if pressed_view is not view
        } or None
        self.under = None if self.under is view else self.under
        for canvas in _canvases([view]):
            canvas.release()

    def passes(self) -> Iterator[tuple[View | None, Drawn]]:
        """Yield pairs in drawing order: a view, and the drawables that the view shows. For
        drawables on the whole screen, the pair contains None instead of a view.
        """
        shown = [view for view in self.all if view.visible]
        for view in shown:
            if view.texture is not None:
                yield view, self._shown_in(view)
        parts = [view for view in shown if view.texture is None]
        below, over = self._whole(parts)
        yield None, below
        for view in parts:
            yield view, self._shown_in(view)
        if over:
            yield None, over

    def _shown_in(self, view: View) -> Drawn:
        shown: Drawn = []
        for drawable, camera, layer in self._drawables.layered():
            if view.layers is None or layer in view.layers:
                if self._shared(camera) and dimensions_of(camera) == dimensions_of(view.camera):
                    shown.append((drawable, view.camera))
                elif camera is view.camera or camera is view.hud:
                    shown.append((drawable, camera))
        if view.texture is not None:
            _check_apart(view, shown)
        return shown

    def _shared(self, camera: Camera) -> bool:
        """Return whether more than one view may show the drawables that use ``camera``. The result
        is True for the camera of the scene, and for 3D cameras.
        """
        return camera is self.main or dimensions_of(camera) == 3

    def _whole(self, parts: list[View]) -> tuple[Drawn, Drawn]:
        """Return two lists of drawables that are drawn on the whole screen: the first below all
        views, the second above all views.
        """
        kinds = {dimensions_of(view.camera) for view in parts}
        own = {id(camera) for view in self.all for camera in (view.camera, view.hud)} - {
            id(self.main)
        }
        hud = self._drawables.hud
        below: Drawn = []
        over: Drawn = []
        reached = False
        for drawable, camera, layer in self._drawables.layered():
            if self._shared(camera):
                if dimensions_of(camera) in kinds:
                    reached = True
                    continue
            elif id(camera) in own:
                continue
            on_top = reached or (camera is hud and layer >= 0)
            (over if on_top and parts else below).append((drawable, camera))
        return below, over
