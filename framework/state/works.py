"""Faces and works: the halves of a drawable, for the game and for frames.

A `Face` is the object that a game makes and keeps: columns, rows, options. It has no graphics. Its
`Works` are made when the face is added to an active scene, and released when it is removed. Ticks
and frames call the works. Works are never state. A drawable of a game's own is no `Face`: its
`DrawableWorks` call its methods.

Other modules of the framework use the functions below. Games do not need this module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from importlib import import_module
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar, overload

from .columns import Table
from .rows import table_of

F = TypeVar("F")
W = TypeVar("W", bound="Works[Any]")


class Placement(NamedTuple):
    """The place of a drawable in a scene."""

    in_world: bool = False
    """Whether it is drawn in a `World`."""
    below_hud: bool = False
    """Whether it is drawn below everything in its layer that uses the scene's `hud`, also below
    earlier drawables.
    """
    layer_on_hud: int = 0
    """The default layer of a drawable that uses the scene's `hud`."""
    camera: Any = None
    """Its own camera, in place of the scene's."""
    composed_of: Sequence[tuple[Any, int | None]] | None = None
    """The drawables that are drawn in its place, in this order.

    Each has its own layer of the scene, or None for the layer of the whole.
    """


class Works(Generic[F]):
    """The object that ticks and frames call for a face in a game."""

    __slots__ = ("face",)

    not_state: ClassVar[Any] = True

    def __init__(self, face: F) -> None:
        self.face = face

    @property
    def keeps_light(self) -> bool:
        """Whether it draws light above white, on targets that keep it."""
        return False

    @property
    def changes_below(self) -> bool:
        """Whether it changes the colors below it, and draws nothing elsewhere."""
        return False

    @property
    def reads_depth(self) -> bool:
        """Whether its shader reads the depth of opaque objects, of which the world then makes a
        copy.
        """
        return False

    def begin_tick(self, dt: float) -> None:
        """Begin a tick of ``dt`` simulated seconds; 0 in a scene that is paused by one above it."""

    def end_tick(self) -> None:
        """End the tick."""

    def notice_writes(self) -> None:
        """Draw rows that were written since the last call without interpolation, while no ticks
        run.
        """

    def draw(self) -> None:
        """Draw. The target and the frame's uniform block are bound."""

    def shows(self, picture: object) -> bool:
        """Return whether it shows an image that is drawn while the game runs."""
        return False

    def renew(self, files: Set[str]) -> bool:
        """Reload everything made from ``files`` (absolute paths). Return whether there was any."""
        return False

    def release(self) -> None:
        """Free its resources: the face was removed, or the game has ended."""


class TableWorks(Works[F]):
    """Works that pass ticks on to the table of their face.

    In a game with ``drawing=False``, many faces need no more.
    """

    __slots__ = ("table",)

    def __init__(self, face: F, parts: object, graphics: object) -> None:
        super().__init__(face)
        table = table_of(face)
        assert table is not None
        self.table: Table = table

    def begin_tick(self, dt: float) -> None:
        self.table.begin_tick(dt)

    def end_tick(self) -> None:
        self.table.end_tick()

    def notice_writes(self) -> None:
        self.table.notice_writes()


_DRIVEN = frozenset(name for name in vars(Works) if name[0] != "_") - {"not_state", "face"}
"""The methods and properties of works. A face must not have them."""


class Face:
    """The part of a drawable that a game holds."""

    __slots__ = ("__weakref__", "_works")

    _transient_attributes: ClassVar[Any] = ("_works",)

    _placement: ClassVar[Placement] = Placement()
    _driven: ClassVar[frozenset[str]] = _DRIVEN
    _works_in: ClassVar[str]
    """The module of the works. It is imported when the first face is added to a game."""

    _works: Works[Any] | None

    def _parts(self) -> Any:
        """Return the objects that the face shares with its works."""
        raise NotImplementedError

    def _batches(self) -> Sequence[object]:
        """Return the batches that are drawn in place of the face."""
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
    """The required methods of a drawable of a game's own."""

    def attach(self, graphics: Any, /) -> object: ...
    def begin_tick(self, dt: float, /) -> object: ...
    def end_tick(self) -> object: ...
    def draw(self) -> object: ...
    def release(self) -> object: ...


class HasDrawing(Protocol):
    """The graphics of a game."""

    @property
    def drawing(self) -> bool:
        """Whether the game draws."""


class DrawableWorks(Works[OwnDrawable]):
    """The works of a drawable of a game's own: they call its methods.

    Each method is looked up at every call, so that a reload of the game's code takes effect.
    """

    __slots__ = ()

    def __init__(self, face: OwnDrawable, graphics: HasDrawing) -> None:
        super().__init__(face)
        if graphics.drawing:
            face.attach(graphics)
        else:
            _call(face, "attach_unseen", graphics)

    @property
    def keeps_light(self) -> bool:
        return bool(getattr(self.face, "keeps_light", False))

    @property
    def changes_below(self) -> bool:
        return bool(getattr(self.face, "changes_below", False))

    @property
    def reads_depth(self) -> bool:
        return bool(getattr(self.face, "reads_depth", False))

    def begin_tick(self, dt: float) -> None:
        self.face.begin_tick(dt)

    def end_tick(self) -> None:
        self.face.end_tick()

    def notice_writes(self) -> None:
        _call(self.face, "notice_writes")

    def draw(self) -> None:
        self.face.draw()

    def shows(self, picture: object) -> bool:
        return bool(_call(self.face, "shows", picture))

    def renew(self, files: Set[str]) -> bool:
        return bool(_call(self.face, "renew", files))


def _call(obj: object, name: str, *arguments: object) -> object:
    """Call an optional method. Return None if there is none."""
    method: Callable[..., object] | None = getattr(obj, name, None)
    return None if method is None else method(*arguments)


Maker = Callable[..., Works[Any]]
"""Makes the works of a face from the face, its parts and the game's graphics.

For a solid in a game that draws, it also receives the assets of its world.
"""

_makers: dict[type[Face], tuple[Maker, Maker]] = {}


def drives(face: type[Face], unseen: Maker) -> Callable[[type[W]], type[W]]:
    """Return a decorator that registers a class of works for ``face`` and its subclasses.

    ``unseen`` makes the works in a game with ``drawing=False``.
    """

    def register(works: type[W]) -> type[W]:
        _makers[face] = works, unseen
        return works

    return register


def placement_of(drawable: object) -> Placement:
    """Return the place of a drawable in a scene, before it is added."""
    if isinstance(drawable, Face):
        return drawable._placement
    values: dict[str, Any] = {
        name: getattr(drawable, name, default)
        for name, default in Placement._field_defaults.items()
    }
    return Placement(**values)


def batches_of(drawable: object) -> Sequence[object]:
    """Return the batches that are drawn in place of a drawable: those of a world, or itself."""
    return drawable._batches() if isinstance(drawable, Face) else (drawable,)


def new_works(drawable: Face | OwnDrawable, graphics: HasDrawing, *shared: object) -> Any:
    """Return new works of a drawable that is added to a game with these ``graphics``.

    ``shared`` are the assets of the world of a solid, in a game that draws. Raises `ValueError`
    for a face that is in a game already.
    """
    if not isinstance(drawable, Face):
        return DrawableWorks(drawable, graphics)
    if drawable._works is not None:
        raise ValueError(f"{type(drawable).__name__}: it was added to a game already")
    import_module(drawable._works_in)
    drawn, unseen = next(_makers[kind] for kind in type(drawable).__mro__ if kind in _makers)
    make = drawn if graphics.drawing else unseen
    works = drawable._works = make(drawable, drawable._parts(), graphics, *shared)
    return works


def end_works(drawable: Face | OwnDrawable, drawing: bool) -> None:
    """Release the works of a drawable that is removed. ``drawing`` is whether the game draws."""
    if isinstance(drawable, Face):
        works = drawable._works
        drawable._works = None
        if works is not None:
            works.release()
    elif drawing:
        drawable.release()
    else:
        _call(drawable, "release_unseen")


@overload
def works_of(face: Face) -> Works[Any] | None: ...
@overload
def works_of(face: Face, kind: type[W]) -> W | None: ...
def works_of(face: Face, kind: type[Works[Any]] = Works) -> Works[Any] | None:
    """Return the works of a face if they are of the class ``kind``, or None."""
    works = face._works
    return works if isinstance(works, kind) else None
