"""The views of a scene: a list to which views are added, and which finds the view at a place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

from ..checks import Sealed, number
from ..motion.viewpoint import dimensions_of
from .scene_works import CAMERA, SceneWorks

if TYPE_CHECKING:
    from .contents import Camera
    from .views import View


class SceneViews(Sealed):
    """The views that a scene is seen in, in the order in which they are drawn: `Scene.views`.

    Without any, the scene is seen in the whole picture. The views are state; this list is not.
    """

    __slots__ = ("_works",)
    not_state = True

    def __init__(self, works: SceneWorks) -> None:
        self._works = works

    def add(self, camera: Camera, area: Sequence[float] = (0, 0, 1, 1), **options: object) -> View:
        """Add a view of the scene through ``camera``, in an area of the picture, over the views
        before it. Return the `View`.

        A view of the plane shows what is added with `Scene.camera`, one of space what is in worlds,
        and either what is added with its own ``camera`` or ``hud``. What is seen through
        `Scene.hud` is drawn once, over all views (below them in a layer below 0). ``options`` are
        those of `View`.
        """
        from .views import View  # of games that have one

        works = self._works
        make: type = View  # `options` are checked by it
        view: View = make(camera, area, **options)
        for each in (view.camera, view.hud):
            works.use_read(each)
        main = works.own(CAMERA) if dimensions_of(view.camera) == 2 else works.camera
        works.contents.seen_in(view, main)
        return view

    def remove(self, view: View) -> None:
        """Remove a view. Without any, the scene is seen in the whole picture.

        Raises `ValueError` for a view that is not in the list.
        """
        self._works.contents.seen_no_longer_in(view)

    def at(self, x: float, y: float) -> View | None:
        """Return the topmost view at a place of the picture, or None:
        ``scene.views.at(*self.mouse.position)``.
        """
        x, y, views = number("x", x), number("y", y), self._works.contents.views
        return None if views is None else views.at(x, y)

    def _all(self) -> list[View]:
        views = self._works.contents.views
        return [] if views is None else views.all

    @overload
    def __getitem__(self, index: int) -> View: ...
    @overload
    def __getitem__(self, index: slice) -> list[View]: ...
    def __getitem__(self, index: int | slice) -> View | list[View]:
        return self._all()[index]

    def __iter__(self) -> Iterator[View]:
        return iter(self._all().copy())  # a loop may remove views

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return f"<SceneViews of {len(self)}>"
