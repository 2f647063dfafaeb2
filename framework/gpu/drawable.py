"""The methods that a scene calls on each object that it draws."""

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
    """The methods that the class of your own drawable must have. A drawable is an object that draws
    something with OpenGL. Add your object with `Game.add`, like a drawable of the framework.

    Without graphics (``Game(drawing=False)``), the game calls only `begin_tick` and `end_tick`. You
    may add the following methods:

    - ``notice_writes()``: called before `draw` in each frame while the game is paused. In `draw`,
      do not interpolate values that the game has set since the last frame.
    - ``renew(files)``: called when files have changed on disk, in a game that runs with
      ``--reload``. ``files`` is a set of absolute paths. Reload the files that the drawable uses.
      Return whether the drawable uses one of ``files``.
    - ``attach_unseen(graphics)``, ``release_unseen()``: a game without graphics calls these methods
      instead of `attach` and `release`.

    You may add the following attributes:

    - ``camera``: the camera for this drawable, instead of the scene's camera.
    - ``layer_on_hud``: the default layer of a drawable that you add to the scene's `hud`.
    - ``keeps_light``: True if the drawable draws colors brighter than white.
    - ``changes_below``: True if the drawable only changes the colors of pixels that were drawn
      before.
    - ``in_world``: True for a `Solid`, which is drawn in a 3D `World`.
    """

    def attach(self, graphics: Graphics) -> None:
        """Called once when you add the drawable to a game. Use ``graphics.ctx`` to create shader
        programs and buffers here.
        """

    def begin_tick(self, dt: float) -> None:
        """Called at the start of a tick. ``dt`` is the length of the tick in simulated seconds.

        ``dt`` is 0 while another scene pauses the scene of the drawable.
        """

    def end_tick(self) -> None: ...

    def draw(self) -> None:
        """Called in each frame, once for each view. The framework has already bound the
        framebuffer, and the uniform block with the camera and alpha.
        """

    def release(self) -> None:
        """Called when the drawable or its scene is removed, or when the game closes. Release the
        shader programs and buffers that you created in `attach`.
        """


class Solid(Protocol):
    """The methods of an object in a 3D `World`, such as a `MeshBatch` or your own object.

    Your own class needs the methods of `Solid` and the attribute ``in_world = True``. Your class
    may also have the methods and attributes of `SolidDefaults`.
    """

    in_world: bool

    def attach(self, graphics: Graphics, programs: Any) -> None:
        """Called once when you add the solid to a game. Use ``graphics.ctx`` to create shader
        programs and buffers here.

        ``programs`` is the `WorldAssets` object of the world. Your solid can use the shader
        programs in ``programs``.
        """

    def begin_tick(self, dt: float) -> None:
        """Called at the start of a tick. ``dt`` is the length of the tick in simulated seconds.

        ``dt`` is 0 while another scene pauses the scene of the solid.
        """

    def end_tick(self) -> None: ...

    def draw(self) -> None:
        """Called in each frame. The framework has already bound the framebuffer, and the uniform
        blocks of the frame and the world.
        """

    def release(self) -> None:
        """Called when the drawable or its scene is removed, or when the game closes. Release the
        shader programs and buffers that you created in `attach`.
        """


class SolidDefaults:
    """The optional methods and attributes of a `Solid`, with default values."""

    __slots__ = ()

    in_world: bool = True
    """Whether a `World` draws the object."""

    @property
    def transparent(self) -> bool:
        """Whether the solid is transparent, like glass or water. The world draws transparent solids
        after all opaque solids.
        """
        return False

    @property
    def reads_depth(self) -> bool:
        """Whether the solid's shader reads the depth of opaque solids.

        If `reads_depth` is True, the `WorldAssets` contain a copy of the depth as ``depth``.
        """
        return False

    casts_shadow: bool = False
    """Whether the solid casts a shadow in the light of the sun. If False, the world does not call
    `draw_shadow`.
    """

    parts: Any = ()
    """Other solids that the world draws together with this solid."""

    def notice_writes(self) -> None:
        """Called in each frame while no ticks run, for example in a paused game. Do not interpolate
        values that the game has set since the last call.
        """

    def draw_shadow(self) -> None:
        """Called in each frame, once for each shadow map. Draw the depth of the solid as seen from
        the sun.
        """

    def depth(self) -> float:
        """Return the distance between the solid and the camera, in units.

        The world sorts transparent solids by this distance, and draws the farthest solid first.
        """
        return 0.0


added: WeakSet[Any] = WeakSet()
"""All drawables and solids of the framework that the game has added to a scene or a world, even if
they were removed later.

`game.unadded_batches` reads this set.
"""

_METHODS = ("attach", "begin_tick", "end_tick", "draw", "release")


def check_drawable(name: str, drawable: object) -> None:
    """Raise `TypeError` if ``drawable`` does not have all methods of `Drawable`. The error message
    contains ``name``, the name of the argument that the game passed.
    """
    if isinstance(drawable, Frontend):
        added.add(drawable)
    else:
        _check_methods(name, drawable)


def completed(name: str, solid: T, defaults: type[SolidDefaults]) -> T:
    """Return ``solid``. If the game has defined the class of ``solid``, return a `Completed`
    wrapper around ``solid`` instead.

    Raises `TypeError` if ``solid`` does not have all methods of `Solid`. The error message contains
    ``name``, the name of the argument that the game passed.
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
    "Nodes2D": "nodes are not drawn: write self.add(fw.NodeSprites(image, nodes))",
    "Nodes3D": "nodes are not drawn: write self.add(fw.NodeMeshes(mesh, nodes))",
}
"""A dict from class names to advice for the error message. The advice is shown if a game passes an
object of that class to `Scene.add`.
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
    """A wrapper around a solid of the game's own class. If the solid does not have an optional
    attribute, the wrapper returns a default value.
    """

    __slots__ = ("_defaults", "thing")

    def __init__(self, thing: object, defaults: object) -> None:
        self.thing = thing
        self._defaults = defaults

    def __getattr__(self, name: str) -> Any:
        return getattr(self.thing if hasattr(self.thing, name) else self._defaults, name)


def original(drawn: Any) -> Any:
    """Return the object that the game passed to ``add``. ``drawn`` may be the game's object, its
    backend, or its `Completed` wrapper.
    """
    if isinstance(drawn, Backend):
        return drawn.frontend
    return drawn.thing if type(drawn) is Completed else drawn
