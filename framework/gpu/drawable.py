"""Drawables: the methods that a scene calls on drawables, and a world on solids."""

from __future__ import annotations

__all__ = ["Drawable"]

from typing import Any, Protocol, TypeVar, cast
from weakref import WeakSet

from ..checks import methods
from ..state.works import Face, Works
from .graphics import Graphics

T = TypeVar("T")


class Drawable(Protocol):
    """The methods of a drawable of your own, which `Game.add` takes as it takes the framework's.

    In a game without pictures (``Game(drawing=False)``) only `begin_tick` and `end_tick` are
    called. These methods are optional:

    - ``notice_writes()``: called before `draw` in each frame while the game is paused. Draw what
      the game wrote since the last frame without a displacement.
    - ``renew(files)``: called when ``files`` (a set of absolute paths) have changed while the game
      runs with ``--reload``. Reload them, and return whether any of them is in use.
    - ``attach_unseen(graphics)``, ``release_unseen()``: called instead of `attach` and `release` in
      a game without pictures.

    So are the attributes ``camera`` (its own camera, in place of the scene's), ``layer_on_hud``
    (its default layer if it is seen through the scene's `hud`), ``keeps_light`` (True if it draws
    light above white), ``changes_below`` (True if it only changes colors that were drawn before it)
    and ``in_world`` (True for a solid, which is drawn in a `World`).
    """

    def attach(self, graphics: Graphics) -> None:
        """The thing was added to a game: make what it needs in ``graphics.ctx``. Called once."""

    def begin_tick(self, dt: float) -> None:
        """A tick of ``dt`` simulated seconds begins; 0 in a scene that is paused by one above
        it.
        """

    def end_tick(self) -> None: ...

    def draw(self) -> None:
        """Draw. The frame's uniform block (camera, alpha) is bound, the target is set."""

    def release(self) -> None:
        """The game has ended: free what `attach` made."""


class Solid(Protocol):
    """What a `World` draws: a `MeshBatch`, or anything of your own with these methods, and
    ``in_world = True``.

    The methods and attributes of `SolidDefaults` are optional.
    """

    in_world: bool

    def attach(self, graphics: Graphics, programs: Any) -> None:
        """It was added to a game: make what it needs in ``graphics.ctx``. Called once.

        ``programs`` are the world's `WorldAssets`.
        """

    def begin_tick(self, dt: float) -> None:
        """A tick of ``dt`` simulated seconds begins; 0 in a scene that is paused by one above
        it.
        """

    def end_tick(self) -> None: ...

    def draw(self) -> None:
        """Draw. The frame's and the world's uniform blocks are bound, the target is set."""

    def release(self) -> None:
        """The game has ended: free what `attach` made."""


class SolidDefaults:
    """The optional methods and attributes of a solid of a game's own; see `Completed`."""

    __slots__ = ()

    in_world: bool = True
    """Whether it is drawn in a `World`."""

    @property
    def transparent(self) -> bool:
        """Whether what is behind shows through, so that it must be drawn last."""
        return False

    @property
    def reads_depth(self) -> bool:
        """Whether it is to know how deep what is opaque was drawn: the world's assets then have a
        copy in ``depth``.
        """
        return False

    casts_shadow: bool = False
    """Whether it throws the sun's shadow: `draw_shadow` is then called."""

    parts: Any = ()
    """Solids that it consists of, to be drawn with it."""

    def notice_writes(self) -> None:
        """No ticks run: what was written since the last call is drawn where it is, without a
        displacement.
        """

    def draw_shadow(self) -> None:
        """Draw its depth, seen from the sun."""

    def depth(self) -> float:
        """How far from the camera it is, in units: of those that are transparent, what is farther
        is drawn first.
        """
        return 0.0


added: WeakSet[Any] = WeakSet()
"""The framework's own drawables and solids that were ever added to a scene or a world: see
`game.forgotten`.
"""

_METHODS = ("attach", "begin_tick", "end_tick", "draw", "release")


def check_drawable(name: str, thing: object) -> None:
    """Raise `TypeError`, which names ``name``, if a method of `Drawable` is missing."""
    if isinstance(thing, Face):
        added.add(thing)
    else:
        _check_methods(name, thing)


def completed(name: str, thing: T, defaults: type[SolidDefaults]) -> T:
    """Return a solid, or an object that stands for it and has the ``defaults``, too.

    Raises `TypeError`, which names ``name``, if a method of `Solid` is missing.
    """
    if isinstance(thing, Face):
        added.add(thing)
        return thing
    _check_methods(name, thing)
    return cast(T, Completed(thing, defaults()))


def _check_methods(name: str, thing: object) -> None:
    methods(name, thing, _METHODS, f"a batch, or an object with the methods {', '.join(_METHODS)}")


class Completed:
    """Stands for a solid of the game's own: the defaults have what it leaves out."""

    __slots__ = ("_defaults", "thing")

    def __init__(self, thing: object, defaults: object) -> None:
        self.thing = thing
        self._defaults = defaults

    def __getattr__(self, name: str) -> Any:
        return getattr(self.thing if hasattr(self.thing, name) else self._defaults, name)


def original(thing: Any) -> Any:
    """Return the object that the game added, for its works or its stand-in."""
    if isinstance(thing, Works):
        return thing.face
    return thing.thing if type(thing) is Completed else thing
