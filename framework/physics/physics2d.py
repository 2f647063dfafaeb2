"""2D physics: rigid bodies for sprites, simulated by Rapier or pymunk."""

from __future__ import annotations

__all__ = ["Physics2D"]

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..errors import FrameworkError
from ..geometry.tilegrid import Tiles, checked_tiles, is_tiles
from ..moved_names import moved, renamed_options
from ..other_engines.other_options import other_options
from ..other_engines.physics_names import body_options_2d, physics2_d_names, wall_options_2d
from ..state.columns import Table, Tabular
from ..state.rows import Handle
from ..timing.schedule import Schedule
from .body_materials import material, wall_material
from .bodysets import Bodies
from .breakable_joints import JointBreaker
from .engines import pymunk, rapier3d
from .joints2d import Joint2D, Joints2D
from .physics_world import HasSystems
from .placed_shapes import PlacedShape, path_of, solid_shapes
from .plane_engine import PlaneEngine
from .pymunk_engine import PymunkEngine
from .queries2d import Queries2D
from .rapier_plane import RapierPlaneEngine
from .shapes2d import checked_shape
from .simulation import Simulation, Wall
from .snapshots2d import SpaceSnapshots


@moved(
    "physics",
    {
        "at": "query_point",
        "cast": "raycast",
        "left": "exited",
        "line": "add_line",
        "outlines": "debug_lines",
        "solid": "add_static",
        "within": "query_area",
    },
)
@physics2_d_names
class Physics2D(Joints2D, Queries2D):
    """A 2D world of rigid bodies that fall, bounce, roll and stack. Joints connect bodies.

        self.physics = fw.Physics2D(self, gravity=(0, -900))
        self.physics.add_static(level)
        self.physics.add(self.crates)

    Lengths are in units, times are in seconds, and angles are in radians. The y axis points up. The
    same physics steps always give exactly the same results in every process on one machine. With
    Rapier, `Game.snapshot` stores the whole physics state. A restored game with Rapier continues
    with exactly the same results.

    Parameters
    ----------
    scene
        The scene or the game. A scene simulates its physics in every tick, in the phase "physics",
        before `update`. If ``scene`` is None, your code must call `advance`.
    gravity
        The acceleration of dynamic bodies, in units / s². The default is (0, 0), for games that are
        seen from above. For platformers in which a unit is a pixel, use about (0, -900).
    engine
        The physics library: "rapier" or "pymunk". With the default "rapier", snapshots can store
        the physics, fast bodies stop at thin walls, and stacks are stiffer than with pymunk. Only
        "pymunk" has gears, ropes with a minimum length, and a maximum force for every kind of
        joint.
    rate
        Physics steps per second of game time, for example 120 or 240. The rate of physics steps is
        independent of the tick rate. With a ``rate``, the number of steps in a tick depends on the
        duration of the tick. If ``rate`` is None, each tick simulates ``substeps`` steps.
    substeps
        The number of physics steps per tick, from 1 to 1,000. ``substeps`` has no effect if
        ``rate`` is not None. The default of ``substeps`` is 1 with Rapier, and 2 with pymunk. With
        pymunk, stacks of bodies are too soft with only 1 step.
    group
        A group of tasks in the scene's schedule. With ``group``, the physics runs at the speed of
        the group. For example, ``scene.schedule.group(0.2)`` runs the physics in slow motion. By
        default, the physics runs at the speed of the scene.
    iterations
        The number of solver iterations per physics step, from 1 to 1,000. With more iterations,
        joints and stacks are stiffer, but each step takes more time. The default of ``iterations``
        is 4 with Rapier, and 10 with pymunk.
    sleep_after
        The time in seconds after which a body that is not moving falls asleep. A sleeping body is
        not simulated until another body touches it. With ``sleep_after=None``, bodies never sleep.
    length_unit
        The number of units per meter. Rapier's tolerances are in meters: bodies may overlap by up
        to 0.005 meters, and bodies that are slower than 0.05 meters per second fall asleep. The
        default of ``length_unit`` is 1/18 of the gravity, but at least 1. The number 18 is the
        gravity of a typical game, in m / s². For example, a gravity of (0, -900) gives 50 pixels
        per meter. Without gravity, the default is 50 units per meter. pymunk does not use
        ``length_unit``.
    snapshots
        How `Game.snapshot` handles pymunk: "refuse" or "near". pymunk does not give access to its
        whole state, so a snapshot cannot be exact. With "refuse", the default, `Game.snapshot`
        raises an error. With "near", a snapshot stores only positions and velocities of bodies.
        After a "near" snapshot is restored, the game continues with slightly different results.

    Raises
    ------
    FrameworkError
        If the package of the engine is not installed: ``pip install 'subtick[physics]'`` installs
        Rapier, and ``pip install 'subtick[pymunk]'`` installs pymunk.
    """

    _not_hashed = ("_breaker",)

    def __init__(
        self,
        scene: HasSystems | None = None,
        *,
        gravity: tuple[float, float] = (0.0, 0.0),
        engine: str = "rapier",
        rate: float | Fraction | None = None,
        substeps: int | None = None,
        group: Schedule | None = None,
        iterations: int | None = None,
        sleep_after: float | None = 0.5,
        length_unit: float | None = None,
        snapshots: str | None = None,
    ) -> None:
        chosen = checks.choice("engine", engine, ("rapier", "pymunk"))
        steps, default_iterations = _DEFAULTS[chosen]
        count = default_iterations if iterations is None else iterations
        checked_iterations = checks.whole("iterations", count, 1, 1000)
        seconds = (
            None if sleep_after is None else checks.number("sleep_after", sleep_after, above=0)
        )
        self._engine: PlaneEngine[Any]
        self._snapshots: SpaceSnapshots | None = None
        if chosen == "pymunk":
            if length_unit is not None:
                raise ValueError("length_unit: expected None with engine='pymunk', got a number")
            mode = checks.choice("snapshots", snapshots or "refuse", ("refuse", "near"))
            pymunk_engine = PymunkEngine(checked_iterations, seconds)
            self._engine = pymunk_engine
            self._snapshots = SpaceSnapshots(self, pymunk_engine, mode)
        else:
            if snapshots is not None:
                raise ValueError(
                    "snapshots: expected None with engine='rapier', whose snapshots are exact, "
                    f"got {checks.shown(snapshots)}"
                )
            meter = _meter(gravity) if length_unit is None else length_unit
            checked_meter = checks.number("length_unit", meter, above=0)
            self._engine = RapierPlaneEngine(checked_iterations, seconds, checked_meter)
        simulation: Simulation[Any] = Simulation(
            self._engine, gravity, rate, steps if substeps is None else substeps
        )
        super().__init__(simulation, scene, group)
        self._breaker = JointBreaker(simulation, Joint2D)

    def __repr__(self) -> str:
        engine = self._engine
        bodies = (
            engine.space.bodies if isinstance(engine, PymunkEngine) else self.world.rigid_bodies
        )
        return f"<Physics2D of {len(bodies)} bodies>"

    @property
    def space(self) -> pymunk.Space:
        """The `Space` of pymunk, for features that `Physics2D` does not have.

        Raises `FrameworkError` with ``engine="rapier"``: use `world` instead.
        """
        if not isinstance(self._engine, PymunkEngine):
            raise _other_engine("space", "pymunk", "physics.world")
        return self._engine.space

    @property
    def world(self) -> rapier3d.PhysicsWorld:
        """The `PhysicsWorld` of Rapier, for features that `Physics2D` does not have.

        `Game.restore` replaces the world with a new object, so read the property `world` again
        after a restore. Do not set ``event_handler`` and ``physics_hooks`` of the world, because
        the framework uses them for contacts. Raises `FrameworkError` with ``engine="pymunk"``: use
        `space` instead.
        """
        if not isinstance(self._engine, RapierPlaneEngine):
            raise _other_engine("world", "rapier", "physics.space")
        return self._engine.world

    # -- bodies ------------------------------------------------------------------------------------

    @body_options_2d
    def add(
        self,
        batch: Tabular[Table] | Handle[Any],
        rows: object = None,
        *,
        shape: str = "box",
        size: tuple[float, float] | None = None,
        radius: float | None = None,
        points: ArrayLike | Sequence[ArrayLike] | None = None,
        tolerance: float = 1.0,
        kind: str | None = None,
        mass: float | None = None,
        density: float | None = None,
        friction: float = 0.7,
        elasticity: float = 0.0,
        sensor: bool = False,
        fixed_rotation: bool = False,
        fast: bool | None = None,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Bodies:
        """Create a body for each row (sprite) of a batch, including rows that the game adds later.

        In every tick, the framework writes the positions and angles of the bodies to the batch's
        columns ``position`` and ``angle``. If the game writes to ``position`` or ``angle``, the
        bodies move to the new values. When the game removes a row, the body of the row is also
        removed.

        Lengths are in pixels of the row's image. If a row has no image, lengths are in units. The
        scale and the flip of a row are read only when its body is created.

        Parameters
        ----------
        batch
            A batch of sprites, another batch with the columns ``position`` and ``angle``, or one
            sprite.
        rows
            The rows to create bodies for: a sprite, an array of row indices, a mask or a slice. By
            default, all rows get bodies, including rows that the game adds later.
        shape
            The shape of the bodies. "box", "circle" and "capsule" fit the opaque pixels of a row's
            image. A capsule is parallel to the longer side of the opaque part. "polygon" uses the
            corners in ``points``. "outline" follows the outline of the opaque pixels.
        size
            The width and height of a box or a capsule. The default is the size of the opaque part
            of the image.
        radius
            The radius of a circle. For a capsule with a ``size``, ``radius`` is the radius of its
            round ends. The default radius fits the opaque part of the image.
        points
            The corners of a polygon: an array with the shape (k, 2), or a list of such arrays for
            several polygons. Polygons may be concave.
        tolerance
            How far an "outline" may be from the edge of the opaque pixels, in pixels of the image.
        kind
            With "dynamic", forces and collisions move the body. With "kinematic", the game moves
            the body, and the body pushes dynamic bodies. With "static", the body does not move. By
            default, a sensor without ``mass`` and ``density`` is "kinematic", so that it does not
            fall. All other bodies are "dynamic".
        mass, density
            ``mass`` is the mass of each body. ``density`` is the mass per square unit. Without
            ``mass`` and ``density``, each body has a mass of 1.
        friction, elasticity
            ``friction`` is the friction of the bodies, 0 or more. ``elasticity`` is the bounce of
            the bodies, from 0 to 1. When two bodies touch, their frictions are multiplied, and so
            are their elasticities.
        sensor
            Whether the bodies are sensors, which pass through all other bodies. `entered` also
            returns pairs with sensors.
        fixed_rotation
            Whether to prevent forces and collisions from rotating the bodies.
        fast
            Whether to use continuous collision detection, so that fast bodies do not pass through
            thin bodies. By default, a dynamic body uses this detection only if it moves farther
            than a quarter of its thickness in a step. Static bodies stop fast bodies even without
            continuous collision detection. Kinematic bodies also stop fast bodies: if a thin moving
            wall passes the center of a body, the body is put back in front of the wall. Two bodies
            that both use continuous collision detection may pass through each other. pymunk does
            not have continuous collision detection.
        layer
            The name of a layer for the bodies, used by `entered`, queries and ``hits``.
        hits
            The names of the layers with which the bodies collide. Two bodies collide only if the
            ``hits`` of each body contains the layer of the other body. By default, the bodies
            collide with all layers.
        """
        spec = checked_shape(shape, size, radius, points, tolerance)
        if spec.kind == "outline" and not hasattr(getattr(batch, "batch", batch), "shown_images"):
            raise checks.wrong_type("batch", "a batch of sprites, for shape='outline'", batch)
        stuff = material(
            self._simulation.layers,
            kind,
            mass,
            density,
            friction,
            elasticity,
            sensor,
            fixed_rotation,
            layer,
            hits,
        )
        continuous = None if fast is None else checks.flag("fast", fast)
        if continuous and isinstance(self._engine, PymunkEngine):
            raise _lacks_fast()
        return self._simulation.add_bodies(batch, rows, (spec, continuous), stuff)

    # -- static bodies -----------------------------------------------------------------------------

    @wall_options_2d
    def add_static(
        self,
        tiles: Tiles | PlacedShape,
        *,
        friction: float = 0.7,
        elasticity: float = 0.0,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Wall:
        """Add a wall that does not move, from the solid tiles of a grid or from an object of a tile
        map.

            self.physics.add_static(level["ground"])
            for rock in level.objects.of("rock"):
                self.physics.add_static(rock)

        The wall is a copy of the tiles at the time of the call: if the tiles change, call
        `Wall.remove` and add a new wall. Neighboring tiles are merged, so that sliding bodies do
        not get stuck at the border between two tiles. The inside of the wall is solid: a body that
        the game moves into the wall is pushed out. Slopes and half tiles (`TileLayer.tile_shapes`)
        are solid as well. Tiles that are True in ``one_way`` stop bodies only from above.

        ``tiles`` is a `collide.TileGrid`, a `TileLayer`, or an object with ``solid``, ``tile_size``
        and ``position``. ``tiles`` can also be an object of a `TileMap`. Map objects that are
        rectangles, ellipses, capsules, polygons or tiles become solid. A map object that is a
        polyline becomes a line with a thickness of 2 units. A tile object gets the collision shapes
        of its tile. If the tile has no collision shapes, the whole tile is solid. See
        `Physics2D.add` for the parameters ``friction``, ``elasticity``, ``layer`` and ``hits``.
        """
        shape: Any
        if is_tiles(tiles) or not isinstance(tiles, PlacedShape):
            shape = self._engine.tile_shape(checked_tiles("tiles", cast(Tiles, tiles)))
        else:
            path = path_of(tiles)
            shape = (
                self._engine.solid_shape(solid_shapes(tiles))
                if path is None
                else self._engine.line_shape(path, 1.0)
            )
        stuff = wall_material(self._simulation.layers, friction, elasticity, layer, hits)
        return self._simulation.new_wall(shape, stuff)

    @renamed_options("Physics2D.drop_through", thing="body")
    def drop_through(self, body: Handle[Any] | tuple[Bodies, int]) -> None:
        """Let a body fall through the one-way tiles on which it is standing.

        One-way tiles that are farther down still stop the body. `drop_through` does nothing if no
        one-way tile is under the body. You can call `drop_through` in every tick while the player
        holds the "down" key. ``body`` is a row's handle, such as a sprite, or a pair
        ``(bodies, row)``.
        """
        self._engine.drop_through(self._simulation.body_of("body", body))

    @other_options(_="write physics.add_line([(0, 0), (800, 0)])")
    def add_line(
        self,
        points: ArrayLike,
        *,
        closed: bool = False,
        radius: float = 1.0,
        friction: float = 0.7,
        elasticity: float = 0.0,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Wall:
        """Add a line as a wall, for hills, pinball tables and borders.

        ``points`` is an array with the shape (k, 2). ``radius`` is half the thickness of the line,
        in units. The ends of the line are round. With ``closed=True``, a line also connects the
        last point with the first point. See `Physics2D.add` for the parameters ``friction``,
        ``elasticity``, ``layer`` and ``hits``.
        """
        corners = checks.numbers("points", points, (None, 2))
        if len(corners) < 2:
            raise checks.wrong_value("points", "at least two points", points)
        checked_radius = checks.number("radius", radius, least=0)
        path = np.concatenate([corners, corners[:1]]) if checks.flag("closed", closed) else corners
        if not np.ptp(corners, axis=0).any():
            raise checks.wrong_value("points", "points that differ", points)
        shape = self._engine.line_shape(path, checked_radius)
        stuff = wall_material(self._simulation.layers, friction, elasticity, layer, hits)
        return self._simulation.new_wall(shape, stuff)


_DEFAULTS = {"rapier": (1, 4), "pymunk": (2, 10)}
"""The default substeps and iterations of each engine."""

_GRAVITY = 18.0
"""The gravity of a typical game, in meters / s²."""


def _meter(gravity: ArrayLike) -> float:
    """Return the default of ``length_unit``: the number of units per meter."""
    size = float(np.linalg.norm(checks.vector("gravity", gravity, 2)))
    return max(1.0, size / _GRAVITY) if size else 50.0


def _other_engine(name: str, engine: str, instead: str) -> FrameworkError:
    return FrameworkError(
        f"{name}: expected Physics2D(…, engine={engine!r}), got another engine; "
        f"its own object is {instead}"
    )


def _lacks_fast() -> FrameworkError:
    return FrameworkError(
        "fast: pymunk has no continuous collision detection; make the physics world with "
        "Physics2D(…, engine='rapier'), or use more substeps"
    )
