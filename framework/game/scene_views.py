"""The views of a scene, for example for a split screen: `scene.views`.

A view is an area of the screen with its own camera.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

from ..checks import Sealed, number
from ..motion.camera_base import dimensions_of
from .scene_backend import CAMERA, SceneBackend

if TYPE_CHECKING:
    from .scene_drawables import Camera
    from .views import View


class SceneViews(Sealed):
    """The views of a scene as a list, in drawing order. The property `Scene.views` is an object of
    this class.

    A scene without views fills the whole screen. The views are part of the game's state, but the
    list itself is not.
    """

    __slots__ = ("_backend",)
    not_state = True

    def __init__(self, backend: SceneBackend) -> None:
        self._backend = backend

    def add(self, camera: Camera, area: Sequence[float] = (0, 0, 1, 1), **options: object) -> View:
        """Add a view: an area of the screen that shows the scene with its own camera. Return the
        new `View`.

        The new view is drawn above all views that you added before.

        A view with a 2D camera shows all drawables that use `Scene.camera`. A view with a 3D camera
        shows all worlds of the scene. A view also shows all drawables that use the view's own
        ``camera`` or ``hud``. Drawables that use `Scene.hud` are drawn once for the whole screen,
        above all views, or below all views if their layer is below 0. ``options`` are the options
        of `View`.
        """
        from .views import View  # imported here because few games use views

        backend = self._backend
        make: type = View  # no types here, because `View` checks the options
        view: View = make(camera, area, **options)
        for camera_of_view in (view.camera, view.hud):
            backend.use_read(camera_of_view)
        main = backend.own(CAMERA) if dimensions_of(view.camera) == 2 else backend.camera
        backend.drawables.add_view(view, main)
        return view

    def remove(self, view: View) -> None:
        """Remove a view from the scene. If no view remains, the scene fills the whole screen.

        Raises `ValueError` if the view does not belong to this scene.
        """
        self._backend.drawables.remove_view(view)

    def at(self, x: float, y: float) -> View | None:
        """Return the highest view at a position on the screen, for example
        ``scene.views.at(*self.mouse.position)``, or None if there is no view.
        """
        x = number("x", x)
        y = number("y", y)
        views = self._backend.drawables.views
        return None if views is None else views.at(x, y)

    def _all(self) -> list[View]:
        views = self._backend.drawables.views
        return [] if views is None else views.all

    @overload
    def __getitem__(self, index: int) -> View: ...
    @overload
    def __getitem__(self, index: slice) -> list[View]: ...
    def __getitem__(self, index: int | slice) -> View | list[View]:
        return self._all()[index]

    def __iter__(self) -> Iterator[View]:
        return iter(self._all().copy())  # a copy, because the game may remove views in a loop

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return f"<SceneViews of {len(self)}>"
