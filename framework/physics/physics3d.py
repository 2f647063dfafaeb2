"""3D physics: rigid bodies for the rows of batches, by Rapier (https://rapier.rs)."""

from __future__ import annotations

__all__ = ["Physics3D"]

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike

from .. import checks
from ..geometry.heightfield import Heightfield
from ..geometry.mesh import Mesh
from ..moved_names import moved, renamed_options
from ..state.columns import Table, Tabular
from ..state.rows import Handle
from ..timing.schedule import Schedule
from .body_materials import KINDS, material, wall_material
from .bodysets import Bodies
from .characters import Character
from .engines import rapier3d
from .joints3d import Joints3D
from .physics_world import HasSystems
from .queries3d import Queries3D
from .rapier_engine import RapierEngine
from .shapes3d import checked_solid
from .simulation import Simulation, Wall
from .vehicles import Vehicle


@moved(
    "physics",
    {
        "at": "query_point",
        "cast": "raycast",
        "floor": "add_floor",
        "left": "exited",
        "outlines": "debug_lines",
        "solid": "add_static",
        "within": "query_area",
    },
)
class Physics3D(Joints3D, Queries3D):
    """A 3D world of rigid bodies that fall, bounce, roll, stack and hang on joints.

        self.physics = fw.Physics3D(self)
        self.physics.add_floor()
        self.physics.add(self.boxes)

    Lengths are in units, times in seconds, angles in radians. y points up. The same steps give the
    same bits on a machine. `Game.snapshot` stores the whole state: a restored game continues bit
    for bit.

    Parameters
    ----------
    scene
        The scene or the game that advances the physics in every tick, in the phase "physics",
        before `update`. None: call `advance` yourself.
    gravity
        The acceleration of dynamic bodies, in units / s². The default fits games whose unit is a
        meter.
    rate
        Steps per second of game time, for example 120 or 240, whatever the tick rate is. Each tick
        simulates the steps that are due. Default: ``substeps`` steps per tick.
    substeps
        Steps per tick without a rate, 1 to 1,000.
    group
        The schedule that gives the time, for slow motion: ``scene.schedule.group(0.2)``. Default:
        the time of the scene.

    Raises
    ------
    FrameworkError
        If rapier3d is not installed: ``pip install 'subtick[physics3d]'``.
    """

    def __init__(
        self,
        scene: HasSystems | None = None,
        *,
        gravity: tuple[float, float, float] = (0.0, -9.81, 0.0),
        rate: float | Fraction | None = None,
        substeps: int = 1,
        group: Schedule | None = None,
    ) -> None:
        self._engine = RapierEngine()
        super().__init__(Simulation(self._engine, gravity, rate, substeps), scene, group)

    def __repr__(self) -> str:
        return f"<Physics3D of {len(self.world.rigid_bodies)} bodies>"

    @property
    def world(self) -> rapier3d.PhysicsWorld:
        """Rapier's own `PhysicsWorld`, for features that `Physics3D` does not have.

        `Game.restore` replaces the object: read this property again afterwards.
        """
        return self._engine.world

    # -- bodies ------------------------------------------------------------------------------------

    def add(
        self,
        batch: Tabular[Table] | Handle[Any],
        rows: object = None,
        *,
        shape: str = "box",
        size: tuple[float, float, float] | None = None,
        radius: float | None = None,
        mesh: Mesh | None = None,
        kind: str = "dynamic",
        mass: float | None = None,
        density: float | None = None,
        friction: float = 0.5,
        elasticity: float = 0.0,
        sensor: bool = False,
        fixed_rotation: bool = False,
        fast: bool = False,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Bodies:
        """Make a body for each row of a batch, including rows that are added later.

        Every tick then writes ``position`` and ``rotation`` of the rows. If the game writes to
        these columns, the bodies move there. When a row is removed, its body is removed, too. The
        scale of a row is applied once, when its body is made.

        Parameters
        ----------
        batch
            A batch of meshes or models, a table with columns position and rotation, or one
            instance.
        rows
            Make bodies for these rows only: an instance, indices, a mask or a slice.
        shape
            "box", "ball", "capsule", "cylinder" or "cone" (upright) around the mesh. "hull": the
            convex hull of the mesh. "mesh": the triangles of the mesh, for bodies that are not
            dynamic.
        size
            Width, height and depth of the shape. Default: the bounds of the mesh.
        radius
            Radius of a ball. Default: from the bounds of the mesh.
        mesh
            The mesh for the shape. Default: the mesh or the model of the batch.
        kind
            "dynamic": forces and collisions move the body. "kinematic": the game moves the body,
            which pushes dynamic bodies. "static": the body does not move.
        mass, density
            Mass per body, or mass per cubic unit. Default: a mass of 1 per body.
        friction, elasticity
            Friction, and bounce from 0 to 1. Two touching bodies use the average of their numbers.
        sensor
            Whether the bodies collide with nothing, and only report contacts to `entered`.
        fixed_rotation
            Whether collisions and forces do not rotate the bodies.
        fast
            Whether to use continuous collision detection, so that fast bodies do not pass through
            thin ones.
        layer
            The name of the bodies' layer, for `entered`, queries and ``hits``.
        hits
            Names of the layers that the bodies collide with. Bodies of such a layer must have this
            layer in their ``hits``, too. Default: all layers.
        """
        owner: object = getattr(batch, "batch", batch)
        checked_kind = checks.choice("kind", kind, KINDS)
        solid = checked_solid(shape, size, radius, mesh, owner, checked_kind == "dynamic")
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
        shape_and_speed = solid, checks.flag("fast", fast)
        return self._simulation.add_bodies(batch, rows, shape_and_speed, stuff)

    # -- static bodies -----------------------------------------------------------------------------

    def add_static(
        self,
        ground: Heightfield | Mesh,
        position: ArrayLike = (0.0, 0.0, 0.0),
        *,
        friction: float = 0.5,
        elasticity: float = 0.0,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Wall:
        """Add a `Heightfield`, or the triangles of a `Mesh`, as a wall: terrain that does not move.

        ``position`` (3,) moves the terrain, in units. See `add` for the other parameters.
        """
        checked_position = checks.vector("position", position, 3)
        if isinstance(ground, Heightfield):
            mesh = ground.mesh()
        else:
            mesh = checks.instance("ground", ground, Mesh, what="a Heightfield or a Mesh")
        shape = self._engine.mesh_shape(mesh, checked_position)
        stuff = wall_material(self._simulation.layers, friction, elasticity, layer, hits)
        return self._simulation.new_wall(shape, stuff)

    def add_floor(
        self,
        height: float = 0.0,
        *,
        friction: float = 0.5,
        elasticity: float = 0.0,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Wall:
        """Add an infinite floor as a wall: everything below ``height`` is solid.

        See `add` for the other parameters.
        """
        shape = self._engine.floor_shape(checks.number("height", height))
        stuff = wall_material(self._simulation.layers, friction, elasticity, layer, hits)
        return self._simulation.new_wall(shape, stuff)

    # -- characters and vehicles -------------------------------------------------------------------

    @renamed_options("Physics3D.character", thing="body")
    def character(
        self,
        body: Handle[Any] | tuple[Bodies, int],
        *,
        step: float = 0.3,
        slope: float = 0.8,
        snap: float = 0.2,
        gap: float = 0.01,
    ) -> Character:
        """Return a `Character`, which climbs stairs and slopes, and slides along walls.

        Call `Character.move` in every tick.

        Parameters
        ----------
        body
            The handle of a row, or ``(bodies, row)``. The body of the row must have
            ``kind="kinematic"``.
        step
            The largest height of a stair, in units. 0: no stairs.
        slope
            The steepest slope that the character climbs, in radians, 0 to 1.57. The character
            slides down steeper slopes.
        snap
            The largest distance in units over which the character is pulled down to the floor.
        gap
            The distance to obstacles that the character keeps, in units, above 0.
        """
        return Character(self._simulation, self._engine, body, step, slope, snap, gap)

    @renamed_options("Physics3D.vehicle", thing="body")
    def vehicle(
        self,
        body: Handle[Any] | tuple[Bodies, int],
        wheels: ArrayLike,
        *,
        radius: float = 0.35,
        **options: float,
    ) -> Vehicle:
        """Return a `Vehicle`: a chassis on sprung wheels, which drives along its own +z.

        Parameters
        ----------
        body
            The chassis: the handle of a row, or ``(bodies, row)``. The body of the chassis must
            be dynamic.
        wheels
            The upper ends of the springs (n, 3), relative to the center of the chassis.
        radius
            The radius of the wheels, in units.
        options
            ``suspension``, ``stiffness``, ``travel``, ``damping`` and ``grip``. See `Vehicle`.
        """
        return Vehicle(self._simulation, self._engine, body, wheels, radius, **options)
