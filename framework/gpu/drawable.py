"""Drawables: the methods that a scene or a 3D world calls on each object that it draws."""

from __future__ import annotations

__all__ = ["Drawable"]

import os
from typing import Any, Protocol, TypeVar, cast
from weakref import WeakSet

from ..checks import methods, shown
from ..state.backend import Backend, Frontend
from .graphics import Graphics

T = TypeVar("T")


class Drawable(Protocol):
    """The methods that your own drawable needs, a class that draws something with OpenGL.
    `Game.add` accepts an object with these methods, as it accepts the framework's drawables.

    A game without graphics (``Game(drawing=False)``) calls only `begin_tick` and `end_tick`. The
    following methods of a drawable are optional:

    - ``notice_writes()``: called before `draw` in each frame while the game is paused. The drawable
      should then draw values that were written since the last frame, without interpolation.
    - ``renew(files)``: called when ``files`` (a set of absolute paths) have changed while the game
      runs with ``--reload``. Reload the changed files that the drawable uses. Return whether the
      drawable uses one of ``files``.
    - ``attach_unseen(graphics)``, ``release_unseen()``: called instead of `attach` and `release` in
      a game without graphics.

    The following attributes of a drawable are optional, too:

    - ``camera``: the drawable's own camera, instead of the scene's camera.
    - ``layer_on_hud``: the drawable's default layer if it is drawn with the scene's `hud`.
    - ``keeps_light``: True if the drawable draws colors brighter than white.
    - ``changes_below``: True if the drawable only changes colors that were drawn before it.
    - ``in_world``: True for a `Solid`, which is drawn in a 3D `World`.
    """

    def attach(self, graphics: Graphics) -> None:
        """Called once when the drawable is added to a game. Make your shader programs and buffers
        here, in ``graphics.ctx``.
        """

    def begin_tick(self, dt: float) -> None:
        """Called at the start of a tick of ``dt`` simulated seconds.

        ``dt`` is 0 while the scene is paused by a scene above it.
        """

    def end_tick(self) -> None: ...

    def draw(self) -> None:
        """Called in each frame and each view. During `draw`, the frame's uniform block (camera,
        alpha) and the framebuffer are bound.
        """

    def release(self) -> None:
        """Called when the game ends. Release the programs and buffers that `attach` made."""


class Solid(Protocol):
    """The methods of a drawable in a `World`: a `MeshBatch`, or an object of your own.

    Your own class needs these methods and ``in_world = True``. The methods and attributes of
    `SolidDefaults` are optional.
    """

    in_world: bool

    def attach(self, graphics: Graphics, programs: Any) -> None:
        """Called once when the solid, an object of a 3D world, is added to a game. Make your shader
        programs and buffers here, in ``graphics.ctx``.

        ``programs`` is the `WorldAssets` object of the world, with shared shader programs.
        """

    def begin_tick(self, dt: float) -> None:
        """Called at the start of a tick of ``dt`` simulated seconds.

        ``dt`` is 0 while the scene is paused by a scene above it.
        """

    def end_tick(self) -> None: ...

    def draw(self) -> None:
        """Called in each frame. During `draw`, the framebuffer and the uniform blocks of the frame
        and the world are bound.
        """

    def release(self) -> None:
        """Called when the game ends. Release the programs and buffers that `attach` made."""


class SolidDefaults:
    """The optional methods and attributes of your own `Solid`, with their default values."""

    __slots__ = ()

    in_world: bool = True
    """Whether the object is drawn in a `World`."""

    @property
    def transparent(self) -> bool:
        """Whether objects behind the solid are visible through it. A transparent solid is drawn
        after the opaque solids.
        """
        return False

    @property
    def reads_depth(self) -> bool:
        """Whether the solid's shader reads the depth of the opaque solids.

        If True, the attribute ``depth`` of the `WorldAssets` has a copy of the depth.
        """
        return False

    casts_shadow: bool = False
    """Whether the solid casts a shadow of the sun. If True, `draw_shadow` is called."""

    parts: Any = ()
    """More solids that are drawn together with this solid."""

    def notice_writes(self) -> None:
        """Called in each frame while no ticks run. The solid should then draw values that were
        written since the last call, without interpolation.
        """

    def draw_shadow(self) -> None:
        """Called in each frame for each shadow map of the sun: draw the solid's depth, as seen from
        the sun.
        """

    def depth(self) -> float:
        """Return the solid's distance from the camera, in units.

        Transparent solids are drawn in the order of this distance, the farthest first.
        """
        return 0.0


added: WeakSet[Any] = WeakSet()
"""All framework drawables and solids that were ever added to a scene or a world.

The module `game.unadded_batches` reads this set.
"""

_METHODS = ("attach", "begin_tick", "end_tick", "draw", "release")


def check_drawable(name: str, drawable: object) -> None:
    """Raise `TypeError` if ``drawable`` does not have all methods of `Drawable`. ``name`` is the
    name of the argument in the message.
    """
    if isinstance(drawable, Frontend):
        added.add(drawable)
    else:
        _check_methods(name, drawable)


def completed(name: str, solid: T, defaults: type[SolidDefaults]) -> T:
    """Return ``solid``, or a wrapper that adds ``defaults`` to a solid of the game's own class.

    Raises `TypeError` if ``solid`` does not have all methods of `Solid`. ``name`` is the name of
    the argument in the message.
    """
    if isinstance(solid, Frontend):
        added.add(solid)
        return solid
    _check_methods(name, solid)
    return cast(T, Completed(solid, defaults()))


_OTHER_OBJECTS = {
    "Scene": "write game.push(scene) or game.show(scene)",
    "PhysicsWorld": "nothing to add: fw.Physics2D(self) steps in every tick of the scene self",
    "Handle": "its batch draws it: write self.add(batch)",
    "Label": "its batch draws it",
    "Sound": "write sound.play()",
    "Mesh": "write self.add(fw.MeshBatch(mesh))",
    "Model": "write self.add(fw.ModelBatch(model))",
    "Widget": "write self.ui.add(root), or menu = self.ui.column()",
    "Effect": "write scene.effects.append(effect)",
    "Camera2D": "write self.add(batch, camera=camera), or self.views.add(camera)",
    "World": "self.world is drawn already: write self.world.add(batch)",
    "Clips": "write self.add(fw.SpriteBatch(clips))",
    "TileSet": "write self.add(fw.TileLayer(tileset, tiles))",
    "Actions": "write self.actions = fw.Actions(…)",
}
"""Advice on objects that games pass to `Scene.add`, by class."""


def _check_methods(name: str, drawable: object) -> None:
    for kind in type(drawable).__mro__:
        if kind.__name__ in _OTHER_OBJECTS and kind.__module__.startswith("framework."):
            raise TypeError(
                f"{name}: expected a batch, got {shown(drawable)}; {_OTHER_OBJECTS[kind.__name__]}"
            )
    if isinstance(drawable, str | os.PathLike) or hasattr(drawable, "dtype"):
        raise TypeError(
            f"{name}: expected a batch, got {shown(drawable)}; "
            "write self.sprites.add('ship.png', position=(x, y))"
        )
    methods(
        name, drawable, _METHODS, f"a batch, or an object with the methods {', '.join(_METHODS)}"
    )


class Completed:
    """A wrapper around a solid of the game's own class that adds defaults for missing attributes."""

    __slots__ = ("_defaults", "thing")

    def __init__(self, thing: object, defaults: object) -> None:
        self.thing = thing
        self._defaults = defaults

    def __getattr__(self, name: str) -> Any:
        return getattr(self.thing if hasattr(self.thing, name) else self._defaults, name)


def original(drawn: Any) -> Any:
    """Return the object that the game added. ``drawn`` is this object, its backend, or the
    `Completed` wrapper around it.
    """
    if isinstance(drawn, Backend):
        return drawn.frontend
    return drawn.thing if type(drawn) is Completed else drawn
