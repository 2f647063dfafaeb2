"""The base classes for drawable objects: a frontend for the game, and a backend that draws.

A `Frontend` is the object that a game creates, such as a `SpriteBatch`. It stores columns, rows and
options, but does not use GPU resources. When the frontend is added to a scene, the game creates a
`Backend` for it, and calls the backend's methods in every tick and every frame. When the frontend
is removed, the backend is released. Snapshots and hashes never contain a backend. A game can also
define a drawable class that is not a `Frontend`. A `DrawableBackend` then calls the methods of this
drawable. The functions in this module, such as `backend_of`, are for the framework only, not for
games.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence, Set
from importlib import import_module
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar, overload

from ..current_game import note_created
from ..moved_names import HasMoved
from .columns import Table
from .rows import table_of

F = TypeVar("F")
W = TypeVar("W", bound="Backend[Any]")


class Placement(NamedTuple):
    """The options that control where a scene draws a drawable: in a `World` or not, in which layer,
    and with which camera.
    """

    in_world: bool = False
    """Whether a `World` draws the drawable. A `World` is the 3D part of a scene."""
    below_hud: bool = False
    """Whether the drawable is drawn below the drawables in its layer that use the `hud` camera."""
    layer_on_hud: int = 0
    """The default layer of the drawable if it uses the scene's `hud` camera."""
    camera: Any = None
    """The drawable's own camera, or None for the scene's camera."""
    composed_of: Sequence[tuple[Any, int | None]] | None = None
    """The parts of a drawable that consists of several parts, such as a tile map, in drawing order.
    Each item is a tuple of a part and the part's layer. If the layer is None, the part uses the
    layer of the whole drawable.
    """


class Backend(Generic[F]):
    """The internal object that runs the ticks of one drawable (its *frontend*) and draws it in each
    frame.
    """

    __slots__ = ("frontend",)

    not_state: ClassVar[Any] = True

    def __init__(self, frontend: F) -> None:
        self.frontend = frontend

    @property
    def keeps_light(self) -> bool:
        """Whether the drawable may draw colors brighter than white (above 1). Only float
        framebuffers can store such colors.
        """
        return False

    @property
    def changes_below(self) -> bool:
        """Whether the drawable only changes the colors of pixels that have already been drawn, as
        `Lights2D` does.
        """
        return False

    @property
    def reads_depth(self) -> bool:
        """Whether the shader of the drawable reads the depth of opaque objects. If so, the `World`
        copies the depth buffer before it draws this drawable.
        """
        return False

    def begin_tick(self, dt: float) -> None:
        """Begin a tick of ``dt`` simulated seconds. While another scene pauses the scene of the
        drawable, ``dt`` is 0.
        """

    def end_tick(self) -> None:
        """Called at the end of each tick."""

    def notice_writes(self) -> None:
        """Find the rows that the game has changed since `notice_writes` was last called. These rows
        are drawn with their new values, without interpolation. Called in every frame of a paused
        game.
        """

    def draw(self) -> None:
        """Draw the frontend into the current framebuffer. The caller has already bound the
        framebuffer, and the uniform block with the values that all shaders of a frame read.
        """

    def shows(self, picture: object) -> bool:
        """Return whether the drawable shows ``picture``, an image that changes while the game is
        running, such as a render texture.
        """
        return False

    def renew(self, files: Set[str]) -> bool:
        """Reload the images and shaders that come from ``files``, a set of absolute paths. Return
        whether the drawable uses any of ``files``.
        """
        return False

    def release(self) -> None:
        """Release the GPU resources of the drawable. Called when the frontend is removed from the
        scene, and when the game ends.
        """


class TableBackend(Backend[F]):
    """A backend that does not draw: it only calls `begin_tick` and `end_tick` on the frontend's
    table.

    Most frontends use a `TableBackend` in a game with ``drawing=False``.
    """

    __slots__ = ("table",)

    def __init__(self, frontend: F, parts: object, graphics: object) -> None:
        super().__init__(frontend)
        table = table_of(frontend)
        assert table is not None
        self.table: Table = table

    def begin_tick(self, dt: float) -> None:
        self.table.begin_tick(dt)

    def end_tick(self) -> None:
        self.table.end_tick()

    def notice_writes(self) -> None:
        self.table.notice_writes()


_DRIVEN = frozenset(name for name in vars(Backend) if name[0] != "_") - {"not_state", "frontend"}
"""The names of the methods and properties of backends. A frontend must not have attributes with
these names.
"""


class Frontend(HasMoved):
    """The base class of drawables, such as `SpriteBatch`. A `Frontend` is the object that the game
    creates and stores. A `Backend` draws it.
    """

    __slots__ = ("__weakref__", "_backend")

    _transient_attributes: ClassVar[Any] = ("_backend",)

    _placement: ClassVar[Placement] = Placement()
    _driven: ClassVar[frozenset[str]] = _DRIVEN
    _backend_in: ClassVar[str]
    """The name of the module that contains the backend. It is imported when a game adds the first
    frontend of the class.
    """

    _has_no_rows: ClassVar[bool] = False
    """True if the frontend has no rows, and has no use unless it is added to a scene."""
    _is_only_drawn: ClassVar[bool] = False
    """True if a frontend has no use when it has no rows, is not in a scene, and no code refers to
    it.
    """

    _backend: Backend[Any] | None

    def __new__(cls, *arguments: object, **options: object) -> Self:
        created = super().__new__(cls)
        note_created(created, sys._getframe(1))
        return created

    def _parts(self) -> Any:
        """Return the objects, such as tables, that the frontend shares with its backend."""
        raise NotImplementedError

    def _batches(self) -> Sequence[object]:
        """Return the batches that belong to the frontend. By default, return only the frontend
        itself.
        """
        return (self,)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        overridden = sorted(cls._driven & vars(cls).keys())
        if overridden:
            base = cls.__mro__[1].__name__
            raise TypeError(
                f"{cls.__name__}.{overridden[0]}: scenes do not call it on a {base}; "
                "for a drawable of your own see fw.Drawable"
            )


class OwnDrawable(Protocol):
    """The methods that a game's own drawable class must have."""

    def attach(self, graphics: Any, /) -> object: ...
    def begin_tick(self, dt: float, /) -> object: ...
    def end_tick(self) -> object: ...
    def draw(self) -> object: ...
    def release(self) -> object: ...


class HasDrawing(Protocol):
    """The part of the game's graphics that this module uses."""

    @property
    def drawing(self) -> bool:
        """Whether the game draws. The value is False if the game was created with
        ``drawing=False``.
        """


class DrawableBackend(Backend[OwnDrawable]):
    """The backend of a drawable class that a game defines itself. It calls the methods of the
    drawable.

    The methods of the drawable are looked up on every call, because hot reload may replace them.
    """

    __slots__ = ()

    def __init__(self, frontend: OwnDrawable, graphics: HasDrawing) -> None:
        super().__init__(frontend)
        if graphics.drawing:
            frontend.attach(graphics)
        else:
            _call(frontend, "attach_unseen", graphics)

    @property
    def keeps_light(self) -> bool:
        return bool(getattr(self.frontend, "keeps_light", False))

    @property
    def changes_below(self) -> bool:
        return bool(getattr(self.frontend, "changes_below", False))

    @property
    def reads_depth(self) -> bool:
        return bool(getattr(self.frontend, "reads_depth", False))

    def begin_tick(self, dt: float) -> None:
        self.frontend.begin_tick(dt)

    def end_tick(self) -> None:
        self.frontend.end_tick()

    def notice_writes(self) -> None:
        _call(self.frontend, "notice_writes")

    def draw(self) -> None:
        self.frontend.draw()

    def shows(self, picture: object) -> bool:
        return bool(_call(self.frontend, "shows", picture))

    def renew(self, files: Set[str]) -> bool:
        return bool(_call(self.frontend, "renew", files))


def _call(obj: object, name: str, *arguments: object) -> object:
    """Call the method ``name`` of a drawable and return the result, or None if there is no such
    method.
    """
    method: Callable[..., object] | None = getattr(obj, name, None)
    return None if method is None else method(*arguments)


Maker = Callable[..., Backend[Any]]
"""A function that creates the backend of a frontend. The arguments are the frontend, the objects of
`Frontend._parts`, and the game's graphics.

If a `World` draws the frontend, the assets of the world are another argument.
"""

_makers: dict[type[Frontend], tuple[Maker, Maker]] = {}


def drives(frontend: type[Frontend], unseen: Maker) -> Callable[[type[W]], type[W]]:
    """Return a decorator that registers a backend class for ``frontend`` and its subclasses.

    Games with ``drawing=False`` use the backend class ``unseen`` instead.
    """

    def register(backend: type[W]) -> type[W]:
        _makers[frontend] = backend, unseen
        return backend

    return register


def placement_of(drawable: object) -> Placement:
    """Return the placement of a drawable before it is added to a scene."""
    if isinstance(drawable, Frontend):
        return drawable._placement
    values: dict[str, Any] = {
        name: getattr(drawable, name, default)
        for name, default in Placement._field_defaults.items()
    }
    return Placement(**values)


def batches_of(drawable: object) -> Sequence[object]:
    """Return the batches that belong to a drawable, such as the batches of a `World`. If the
    drawable has no batches, return the drawable itself.
    """
    return drawable._batches() if isinstance(drawable, Frontend) else (drawable,)


def new_backend(drawable: Frontend | OwnDrawable, graphics: HasDrawing, *shared: object) -> Any:
    """Create and return the backend of a drawable. ``graphics`` is the graphics object of the game.

    If a `World` draws the drawable, ``shared`` contains the assets of that world. Raises
    `ValueError` if the frontend already belongs to a game.
    """
    if not isinstance(drawable, Frontend):
        return DrawableBackend(drawable, graphics)
    if drawable._backend is not None:
        raise ValueError(f"{type(drawable).__name__}: it was added to a game already")
    import_module(drawable._backend_in)
    drawn, unseen = next(_makers[kind] for kind in type(drawable).__mro__ if kind in _makers)
    make = drawn if graphics.drawing else unseen
    backend = drawable._backend = make(drawable, drawable._parts(), graphics, *shared)
    return backend


def end_backend(drawable: Frontend | OwnDrawable, drawing: bool) -> None:
    """Release the backend of a drawable that was removed from its scene. ``drawing`` is False in a
    game with the option ``drawing=False``.
    """
    if isinstance(drawable, Frontend):
        backend = drawable._backend
        drawable._backend = None
        if backend is not None:
            backend.release()
    elif drawing:
        drawable.release()
    else:
        _call(drawable, "release_unseen")


@overload
def backend_of(frontend: Frontend) -> Backend[Any] | None: ...
@overload
def backend_of(frontend: Frontend, kind: type[W]) -> W | None: ...
def backend_of(frontend: Frontend, kind: type[Backend[Any]] = Backend) -> Backend[Any] | None:
    """Return the backend of a frontend, or None if the backend is not of the class ``kind``."""
    backend = frontend._backend
    return backend if isinstance(backend, kind) else None
