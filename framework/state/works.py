"""Faces and works: the part of a drawable that a game holds, and the part that frames drive.

A `Face` is the object that a game makes and keeps: columns, rows, options. It has no graphics. Its
`Works` are made when the face comes into a game whose scene is on, and released when it leaves.
Ticks and frames call the works. They are never state. A drawable of a game's own is no `Face`: its
works, `DrawableWorks`, call its methods.

Other modules of the framework use the functions below. Games need none of this module.
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
    """Whether it is drawn below everything that is seen through the scene's `hud` in its layer,
    also below what was added before it.
    """
    layer_on_hud: int = 0
    """The default layer when it is seen through the scene's `hud`."""
    camera: Any = None
    """Its own camera, which takes the place of the scene's."""
    composed_of: Sequence[tuple[Any, int | None]] | None = None
    """The drawables that are drawn in its place, in this order: each with its own layer of the
    scene, or None for the layer of the whole.
    """


class Works(Generic[F]):
    """The object that ticks and frames call for a face that is in a game."""

    __slots__ = ("face",)

    not_state: ClassVar[Any] = True

    def __init__(self, face: F) -> None:
        self.face = face

    @property
    def keeps_light(self) -> bool:
        """Whether it draws light above white where that is kept."""
        return False

    @property
    def changes_below(self) -> bool:
        """Whether it changes the colors of what was drawn before it, and draws nothing elsewhere."""
        return False

    @property
    def reads_depth(self) -> bool:
        """Whether it copies the depth of what it draws."""
        return False

    def begin_tick(self, dt: float) -> None:
        """Begin a tick of ``dt`` simulated seconds; 0 in a scene that is paused by one above it."""

    def end_tick(self) -> None:
        """End the tick."""

    def notice_writes(self) -> None:
        """While no ticks run, draw rows that were written since the last call without a
        displacement.
        """

    def draw(self) -> None:
        """Draw. The frame's uniform block is bound, the target is set."""

    def shows(self, picture: object) -> bool:
        """Return whether it shows an image that is drawn while the game runs."""
        return False

    def renew(self, files: Set[str]) -> bool:
        """Reload what was made of ``files`` (absolute paths). Return whether there was any."""
        return False

    def release(self) -> None:
        """Free what it holds: the face was discarded, or the game has ended."""


class TableWorks(Works[F]):
    """Works that pass ticks on to the table of their face.

    In a game without pictures, many faces need no more.
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
"""The names that frames look for in works, and never in a face."""


class Face:
    """The part of a drawable that a game holds."""

    __slots__ = ("__weakref__", "_works")

    _transient_attributes: ClassVar[Any] = ("_works",)

    _placement: ClassVar[Placement] = Placement()
    _driven: ClassVar[frozenset[str]] = _DRIVEN
    _works_in: ClassVar[str]
    """The module with the works, which is imported when the first face is added to a game."""

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
    """A drawable of a game's own: the methods that it must have."""

    def attach(self, graphics: Any, /) -> object: ...
    def begin_tick(self, dt: float, /) -> object: ...
    def end_tick(self) -> object: ...
    def draw(self) -> object: ...
    def release(self) -> object: ...


class HasDrawing(Protocol):
    """The graphics of a game."""

    @property
    def drawing(self) -> bool:
        """Whether the game has pictures."""


class DrawableWorks(Works[OwnDrawable]):
    """The works of a drawable of a game's own: they call its methods, if it has them.

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


def _call(thing: object, name: str, *arguments: object) -> object:
    """Call an optional method. Return None if there is none."""
    method: Callable[..., object] | None = getattr(thing, name, None)
    return None if method is None else method(*arguments)


Maker = Callable[..., Works[Any]]
"""Make the works of a face, of its parts, with the graphics of a game; of a solid in a game with
pictures, also with its world's assets.
"""

_makers: dict[type[Face], tuple[Maker, Maker]] = {}


def drives(face: type[Face], unseen: Maker) -> Callable[[type[W]], type[W]]:
    """Return a decorator that registers a class of works for ``face`` and its subclasses.

    ``unseen`` makes the works in a game without pictures.
    """

    def register(works: type[W]) -> type[W]:
        _makers[face] = works, unseen
        return works

    return register


def placement_of(thing: object) -> Placement:
    """Return the place of a drawable in a scene, before it is added."""
    if isinstance(thing, Face):
        return thing._placement
    values: dict[str, Any] = {
        name: getattr(thing, name, default) for name, default in Placement._field_defaults.items()
    }
    return Placement(**values)


def batches_of(thing: object) -> Sequence[object]:
    """Return the batches that are drawn in place of a drawable: those of a world, or itself."""
    return thing._batches() if isinstance(thing, Face) else (thing,)


def new_works(thing: Face | OwnDrawable, graphics: HasDrawing, *shared: object) -> Any:
    """Return new works of a drawable that comes into a game with these ``graphics``.

    ``shared`` are the assets of the world that a solid is in, in a game with pictures. Raises
    `ValueError` for a face that is in a game already.
    """
    if not isinstance(thing, Face):
        return DrawableWorks(thing, graphics)
    if thing._works is not None:
        raise ValueError(f"{type(thing).__name__}: it was added to a game already")
    import_module(thing._works_in)
    seen, unseen = next(_makers[kind] for kind in type(thing).__mro__ if kind in _makers)
    make = seen if graphics.drawing else unseen
    works = thing._works = make(thing, thing._parts(), graphics, *shared)
    return works


def end_works(thing: Face | OwnDrawable, drawing: bool) -> None:
    """Release the works of a drawable that leaves a game, with pictures if ``drawing``."""
    if isinstance(thing, Face):
        works, thing._works = thing._works, None
        if works is not None:
            works.release()
    elif drawing:
        thing.release()
    else:
        _call(thing, "release_unseen")


@overload
def works_of(face: Face) -> Works[Any] | None: ...
@overload
def works_of(face: Face, kind: type[W]) -> W | None: ...
def works_of(face: Face, kind: type[Works[Any]] = Works) -> Works[Any] | None:
    """Return the works of a face if they are of the class ``kind``, or None."""
    works = face._works
    return works if isinstance(works, kind) else None
