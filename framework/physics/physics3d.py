"""3D physics: rigid bodies for meshes and models, simulated by Rapier (https://rapier.rs)."""

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
from ..other_engines.physics_names import body_options_3d, physics3_d_names
from ..state.columns import Table, Tabular
from ..state.rows import Handle
from ..timing.schedule import Schedule
from .body_materials import checked_kind, material, wall_material
from .body_traits import body_traits
from .bodysets import Bodies
from .breakable_joints import JointBreaker
from .characters import CHARACTER_BODY, Character, new_character
from .engines import rapier3d
from .joints3d import Joint3D, Joints3D
from .model_parts import CompoundSpec, PartNames, checked_parts
from .physics_world import HasSystems
from .queries3d import Queries3D
from .rapier_engine import RapierEngine
from .riders import Riders
from .shapes3d import SHAPES, SolidSpec, checked_solid
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
@physics3_d_names
class Physics3D(Joints3D, Queries3D):
    """A 3D world of rigid bodies that fall, bounce, roll and stack. Joints connect bodies.

        self.physics = fw.Physics3D(self)
        self.physics.add_floor()
        self.physics.add(self.boxes)

    Lengths are in units, times are in seconds, and angles are in radians. The y axis points up. The
    same physics steps always give exactly the same results on one machine. `Game.snapshot` stores
    the whole physics state. A restored game continues with exactly the same results as before.

    Parameters
    ----------
    scene
        The scene or the game. A scene simulates its physics in every tick, in the phase "physics",
        before `update`. If ``scene`` is None, your code must call `advance`.
    gravity
        The acceleration of dynamic bodies, in units / s². The default is the gravity of the Earth,
        for games in which a unit is a meter.
    rate
        Physics steps per second of game time, for example 120 or 240. The rate of physics steps is
        independent of the tick rate. With a ``rate``, the number of steps in a tick depends on the
        duration of the tick. If ``rate`` is None, each tick simulates ``substeps`` steps.
    substeps
        The number of physics steps per tick, from 1 to 1,000. ``substeps`` has no effect if
        ``rate`` is not None.
    group
        A group of tasks in the scene's schedule. With ``group``, the physics runs at the speed of
        the group. For example, ``scene.schedule.group(0.2)`` runs the physics in slow motion. By
        default, the physics runs at the speed of the scene.

    Raises
    ------
    FrameworkError
        If rapier3d is not installed: ``pip install 'subtick[physics]'``.
    """

    _not_hashed = ("_breaker", "_riders")

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
        self._riders = Riders(self._simulation, self._engine)
        self._breaker = JointBreaker(self._simulation, Joint3D)

    def __repr__(self) -> str:
        return f"<Physics3D of {len(self.world.rigid_bodies)} bodies>"

    @property
    def world(self) -> rapier3d.PhysicsWorld:
        """The `PhysicsWorld` of Rapier, for features that `Physics3D` does not have.

        `Game.restore` replaces the world with a new object, so read the property `world` again
        after a restore. Do not set ``event_handler`` and ``physics_hooks`` of the world, because
        the framework uses them for contacts.
        """
        return self._engine.world

    # -- bodies ------------------------------------------------------------------------------------

    @body_options_3d
    def add(
        self,
        batch: Tabular[Table] | Handle[Any],
        rows: object = None,
        *,
        shape: str = "box",
        size: tuple[float, float, float] | None = None,
        radius: float | None = None,
        mesh: Mesh | None = None,
        parts: PartNames | None = None,
        kind: str | None = None,
        mass: float | None = None,
        density: float | None = None,
        friction: float = 0.5,
        elasticity: float = 0.0,
        sensor: bool = False,
        fixed_rotation: bool = False,
        locked: Iterable[str] = (),
        damping: float = 0.0,
        angular_damping: float = 0.0,
        gravity_scale: float = 1.0,
        can_sleep: bool = True,
        fast: bool | None = None,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Bodies:
        """Create a body for each row (mesh or model) of a batch, including rows that the game adds
        later.

        In every tick, the framework writes the positions and rotations of the bodies to the batch's
        columns ``position`` and ``rotation``. If the game writes to ``position`` or ``rotation``,
        the bodies move to the new values. When the game removes a row, the body of the row is also
        removed. The scale of a row is read only when its body is created.

        Parameters
        ----------
        batch
            A batch of meshes or models, another batch with the columns ``position`` and
            ``rotation``, or one instance.
        rows
            The rows to create bodies for: an instance, an array of row indices, a mask or a slice.
            By default, all rows get bodies, including rows that the game adds later.
        shape
            The shape of the bodies. "box", "ball", "capsule", "cylinder" and "cone" are upright
            shapes around the mesh. "hull" is the convex hull of the mesh. "mesh" uses the triangles
            of the mesh. A body with the shape "mesh" cannot be dynamic.
        size
            The width, height and depth of the shape in units. The size of the body is ``size``
            times the scale of the row. By default, the shape is as large as the bounds of the mesh.
        radius
            The radius of a ball. The default radius fits the bounds of the mesh.
        mesh
            The mesh that determines the shape. The default is the mesh or the model of the batch.
        parts
            The nodes of a model that become pieces of the shape, such as ``["Hull", "Mast*"]``.
            ``True`` selects all nodes with a mesh. Only a `ModelBatch` accepts ``parts``. With
            ``parts``, ``shape`` is the shape of each piece. To choose a shape for each node, pass a
            dict: ``{"Hull": "hull", "Mast*": "capsule"}``. Animations of the model do not move the
            pieces. By default, the shape has only one piece.
        kind
            With "dynamic", forces and collisions move the body. With "kinematic", the game moves
            the body, and the body pushes dynamic bodies. With "static", the body does not move. By
            default, a sensor without ``mass`` and ``density`` is "kinematic", so that it does not
            fall. All other bodies are "dynamic".
        mass, density
            ``mass`` is the mass of each body. ``density`` is the mass per cubic unit. Without
            ``mass`` and ``density``, each body has a mass of 1.
        friction, elasticity
            ``friction`` is the friction of the bodies, 0 or more. ``elasticity`` is the bounce of
            the bodies, from 0 to 1. When two bodies touch, the average of their frictions and the
            average of their elasticities are used.
        sensor
            Whether the bodies are sensors, which pass through all other bodies. `entered` also
            returns pairs with sensors.
        fixed_rotation
            Whether to prevent forces and collisions from rotating the bodies.
        locked
            The locked axes, as a list or a string. Forces and collisions never move the bodies
            along a locked axis "x", "y" or "z". Forces and collisions never turn the bodies about a
            locked axis "rx", "ry" or "rz". For example, ``locked="z rx ry"`` lets bodies move only
            in the x-y plane, as in a 2D game.
        damping, angular_damping
            ``damping`` slows down the movement of the bodies. ``angular_damping`` slows down the
            rotation of the bodies. With a damping of 0.5, a body loses about 40 % of its velocity
            per second. Default: 0.
        gravity_scale
            The factor by which the gravity on the bodies is multiplied. With a factor of 0, a body
            floats, and with -1, it rises like a balloon. Default: 1.
        can_sleep
            Whether bodies that are not moving fall asleep. Sleeping bodies are not simulated.
            Default: True.
        fast
            Whether to use continuous collision detection, so that fast bodies do not pass through
            thin bodies. By default, a dynamic body uses this detection only if it moves farther
            than a quarter of its thickness in a step. Static bodies stop fast bodies even without
            continuous collision detection. Kinematic bodies also stop fast bodies: if a thin moving
            wall passes the center of a body, the body is put back in front of the wall. Two bodies
            that both use continuous collision detection may pass through each other.
        layer
            The name of a layer for the bodies, used by `entered`, queries and ``hits``.
        hits
            The names of the layers with which the bodies collide. Two bodies collide only if the
            ``hits`` of each body contains the layer of the other body. By default, the bodies
            collide with all layers.
        """
        owner: object = getattr(batch, "batch", batch)
        moves = checked_kind(kind, sensor, mass, density) == "dynamic"
        solid: SolidSpec | CompoundSpec
        if parts is None:
            solid = checked_solid(shape, size, radius, mesh, owner, moves)
        else:
            for name, value in (("size", size), ("radius", radius), ("mesh", mesh)):
                if value is not None:
                    raise ValueError(
                        f"{name}: parts= takes the shapes from the nodes; omit {name}="
                    )
            kind_of_pieces = checks.choice("shape", shape, SHAPES)
            solid = checked_parts(parts, kind_of_pieces, owner, moves)
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
        traits = body_traits(
            damping, angular_damping, gravity_scale, can_sleep, locked, fixed_rotation
        )
        shape_and_speed = solid, None if fast is None else checks.flag("fast", fast)
        return self._simulation.add_bodies(batch, rows, shape_and_speed, stuff, traits)

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
        """Add terrain that does not move, from a `Heightfield` or a `Mesh`. For a `Mesh`, the
        terrain consists of the triangles of the mesh.

        ``position`` is the position of the terrain, a vector with the shape (3,). See
        `Physics3D.add` for the parameters ``friction``, ``elasticity``, ``layer`` and ``hits``.
        """
        checked_position = checks.vector("position", position, 3)
        if isinstance(ground, Heightfield):
            mesh = ground.mesh()
        else:
            mesh = checks.instance(
                "ground",
                ground,
                Mesh,
                what="a Heightfield or a Mesh",
                hint="for a batch, write physics.add(batch, kind='static')",
            )
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
        """Add an infinite floor as a wall. Everything below ``height`` is solid.

        See `Physics3D.add` for the parameters ``friction``, ``elasticity``, ``layer`` and ``hits``.
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
        mass: float | None = None,
        keep_velocity: bool = True,
    ) -> Character:
        """Return a `Character`: a walking body that climbs stairs and slopes, rides lifts and
        pushes crates.

        Call `Character.move` in every tick.

        Parameters
        ----------
        body
            The handle of a row, or ``(bodies, row)``. The body of the character must have
            ``kind="kinematic"``.
        step
            The height of the highest stair that the character can climb, in units. With a ``step``
            of 0, the character cannot climb stairs.
        slope
            The steepest slope that the character can climb, in radians from 0 to 1.57. On a slope
            that is steeper than ``slope``, the character slides down.
        snap
            The maximum distance, in units, at which a walking character is pulled down to the
            floor. For example, this keeps a character on the stairs while it walks down.
        gap
            The distance that the character keeps from obstacles, in units. ``gap`` must be above 0.
        mass
            The mass of the character, which matters when it pushes dynamic bodies. The force with
            which the character pushes a body is at most the character's weight. A character easily
            moves a crate of half its mass, but not a crate of ten times its mass. The weight of the
            character also presses down on a dynamic body under its feet. The default mass is the
            ``mass`` of the body in `Physics3D.add`.
        keep_velocity
            Whether a character that jumps off a moving floor keeps the floor's velocity until it
            lands. For example, a character that jumps on a moving sled lands on the sled again.

        Raises
        ------
        ValueError
            If the body is not kinematic, has no convex shape, or has a character already.
        """
        return new_character(
            self._riders,
            self._simulation.body_of("body", body, CHARACTER_BODY),
            step=step,
            slope=slope,
            snap=snap,
            gap=gap,
            mass=mass,
            keep_velocity=keep_velocity,
        )

    @renamed_options("Physics3D.vehicle", thing="body")
    def vehicle(
        self,
        body: Handle[Any] | tuple[Bodies, int],
        wheels: ArrayLike,
        *,
        radius: float = 0.35,
        **options: float,
    ) -> Vehicle:
        """Return a `Vehicle`: a body on wheels with springs. The body of the row becomes the
        chassis of the vehicle. The vehicle drives along the +z axis of the body.

        Parameters
        ----------
        body
            The chassis: the handle of a row, or ``(bodies, row)``. The body of the vehicle must
            have ``kind="dynamic"``.
        wheels
            The positions of the upper ends of the wheel springs, relative to the center of the
            chassis. ``wheels`` is an array with the shape (n, 3), for n wheels.
        radius
            The radius of the wheels, in units.
        options
            The options of the wheels: ``suspension``, ``stiffness``, ``travel``, ``damping`` and
            ``grip``. See `Vehicle`.
        """
        return Vehicle(self._simulation, self._engine, body, wheels, radius, **options)
