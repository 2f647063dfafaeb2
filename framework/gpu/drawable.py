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
    """The methods that you write for your own drawable, an object that draws something with OpenGL.
    Add the object with `Game.add`, as you add drawables of the framework.

    If the game has no graphics (``Game(drawing=False)``), only `begin_tick` and `end_tick` are
    called. The following methods are optional:

    - ``notice_writes()``: called before `draw` in each frame while the game is paused. Draw values
      that were set since the last frame without interpolation.
    - ``renew(files)``: called when files have changed while the game runs with ``--reload``.
      ``files`` is a set of absolute paths. Reload the files that you use. Return whether the
      drawable uses one of ``files``.
    - ``attach_unseen(graphics)``, ``release_unseen()``: called instead of `attach` and `release` in
      a game without graphics.

    The following attributes are optional:

    - ``camera``: a camera that is used instead of the scene's camera.
    - ``layer_on_hud``: the default layer for drawing with the scene's `hud`.
    - ``keeps_light``: True if you draw colors that are brighter than white.
    - ``changes_below``: True if you only change colors that were drawn before.
    - ``in_world``: True for a `Solid`, which is drawn in a 3D `World`.
    """

    def attach(self, graphics: Graphics) -> None:
        """Called once when the drawable is added to a game. Create shader programs and buffers
        here, with ``graphics.ctx``.
        """

    def begin_tick(self, dt: float) -> None:
        """Called at the start of a tick. ``dt`` is its length in simulated seconds.

        ``dt`` is 0 if another scene pauses this scene.
        """

    def end_tick(self) -> None: ...

    def draw(self) -> None:
        """Called in each frame, once for each view. The framebuffer and the uniform block of the
        frame (camera, alpha) are bound.
        """

    def release(self) -> None:
        """Called when the game ends. Release the programs and buffers that you created in `attach`."""


class Solid(Protocol):
    """The methods of an object in a `World`, such as a `MeshBatch` or an object of your own.

    Your own class needs these methods and ``in_world = True``. The methods and attributes of
    `SolidDefaults` are optional.
    """

    in_world: bool

    def attach(self, graphics: Graphics, programs: Any) -> None:
        """Called once when the solid is added to a game. Create shader programs and buffers here,
        with ``graphics.ctx``.

        ``programs`` is the `WorldAssets` of the world. You can share the shader programs in
        ``programs``.
        """

    def begin_tick(self, dt: float) -> None:
        """Called at the start of a tick. ``dt`` is its length in simulated seconds.

        ``dt`` is 0 if another scene pauses this scene.
        """

    def end_tick(self) -> None: ...

    def draw(self) -> None:
        """Called in each frame. The framebuffer and the uniform blocks of the frame and of the
        world are bound.
        """

    def release(self) -> None:
        """Called when the game ends. Release the programs and buffers that you created in `attach`."""


class SolidDefaults:
    """The optional methods and attributes of a `Solid`, with their default values."""

    __slots__ = ()

    in_world: bool = True
    """Whether the object is drawn in a `World`."""

    @property
    def transparent(self) -> bool:
        """Whether you can see objects behind the solid through it. Transparent solids are drawn
        after the opaque ones.
        """
        return False

    @property
    def reads_depth(self) -> bool:
        """Whether the shader of the solid reads the depth of the opaque solids.

        If True, ``depth`` of the `WorldAssets` contains a copy of the depth.
        """
        return False

    casts_shadow: bool = False
    """Whether the solid casts a shadow in the light of the sun. If False, `draw_shadow` is not
    called.
    """

    parts: Any = ()
    """Other solids that are drawn together with this one."""

    def notice_writes(self) -> None:
        """Called in each frame while no ticks run. Draw values that were set since the last call
        without interpolation.
        """

    def draw_shadow(self) -> None:
        """Called in each frame, once for each shadow map. Draw the depth of the solid as seen from
        the sun.
        """

    def depth(self) -> float:
        """Return the distance between the solid and the camera, in units.

        The farthest transparent solid is drawn first.
        """
        return 0.0


added: WeakSet[Any] = WeakSet()
"""All drawables and solids of the framework that were ever added to a scene or a world.

`game.unadded_batches` reads this set.
"""

_METHODS = ("attach", "begin_tick", "end_tick", "draw", "release")


def check_drawable(name: str, drawable: object) -> None:
    """Raise `TypeError` if ``drawable`` does not have all methods of `Drawable`. The error message
    contains ``name``, the name of the argument.
    """
    if isinstance(drawable, Frontend):
        added.add(drawable)
    else:
        _check_methods(name, drawable)


def completed(name: str, solid: T, defaults: type[SolidDefaults]) -> T:
    """Return ``solid``. If ``solid`` is an object of the game's own class, return a wrapper that
    adds ``defaults``.

    Raises `TypeError` if ``solid`` does not have all methods of `Solid`. The error message contains
    ``name``, the name of the argument.
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
"""Advice for other objects that games pass to `Scene.add`: a dict from names of classes to texts.
"""


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
    """A wrapper around a solid of the game's own class. The wrapper has default values for missing
    attributes.
    """

    __slots__ = ("_defaults", "thing")

    def __init__(self, thing: object, defaults: object) -> None:
        self.thing = thing
        self._defaults = defaults

    def __getattr__(self, name: str) -> Any:
        return getattr(self.thing if hasattr(self.thing, name) else self._defaults, name)


def original(drawn: Any) -> Any:
    """Return the object that the game has added. ``drawn`` is this object, its backend, or its
    `Completed` wrapper.
    """
    if isinstance(drawn, Backend):
        return drawn.frontend
    return drawn.thing if type(drawn) is Completed else drawn
