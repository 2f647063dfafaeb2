"""Physics in space, by Rapier: https://rapier.rs."""

from __future__ import annotations

__all__ = ["Physics3D"]

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike

from .. import checks
from ..geometry.heightfield import Heightfield
from ..geometry.mesh import Mesh
from ..state.columns import Table, Tabular
from ..state.rows import Handle
from ..timing.schedule import Schedule
from .body_materials import material, wall_material
from .bodysets import Bodies
from .characters import Character
from .engines import rapier3d
from .joints3d import Joining3D
from .physics_world import HasSystems
from .queries3d import Asking3D
from .rapier_engine import RapierEngine
from .shapes3d import checked_solid
from .simulation import Simulation, Wall
from .vehicles import Vehicle


class Physics3D(Joining3D, Asking3D):
    """Bodies that fall, bounce, roll, pile up and hang together, in space: units, seconds, radians,
    y up.

    Parameters
    ----------
    scene
        The scene or the game whose ticks it goes along with: it is a system of the phase "physics",
        before `update`. None for one whose `advance` you call yourself.
    gravity
        Units / s².
    rate
        Steps a second of game time, 120, 240: exactly so many, some in each tick, whatever the rate
        of ticks.
    substeps
        Without a rate: steps in each tick.
    group
        The schedule whose time it keeps, for slow motion: ``scene.schedule.group(0.2)``.

    Needs ``pip install 'subtick[physics3d]'``, else it is a `FrameworkError`. The same steps give
    the same bits on a machine, and `Game.snapshot` holds all of it: what is put back goes on bit
    for bit as it did.
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
        """Rapier's own, for what there are no words for here. Another one after `Game.restore`:
        fetch it anew.
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
        """A body for each row of a batch of meshes or models, those that are added later too; with
        ``rows`` (an instance, indices, a mask, a slice), or with an instance for the batch, for
        these only.

        ``position`` and ``rotation`` of the batch are the bodies' from now on: written by each
        tick, drawn between ticks; what the game writes to them moves the bodies there. Rows that
        are removed lose their bodies.

        ``shape`` is "box", "ball", "capsule", "cylinder" or "cone" (upright), around the batch's
        mesh unless ``size=`` (width, height, depth) or ``radius=`` (of a ball) are given; "hull",
        the convex hull of a mesh; or "mesh", its triangles, for what does not fall. ``mesh=`` is
        another one than the batch's. All of it is scaled as the row is when its body is made.

        ``kind``: "dynamic", "kinematic" (moved by what the game writes, and pushing others) or
        "static". ``mass`` is 1 for each body, or ``density`` that of a cubic unit. What touches
        what is told by `entered` by their ``layer``; they bump into layers that ``hits`` names, all
        unless told, if those bump into theirs too. A ``sensor`` bumps into nothing, and tells. What
        is ``fast`` does not fly through what is thin.
        """
        of: object = getattr(batch, "batch", batch)
        chosen = checks.choice("kind", kind, ("dynamic", "kinematic", "static"))
        solid = checked_solid(shape, size, radius, mesh, of, chosen == "dynamic")
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
        quick = checks.flag("fast", fast)
        return self._simulation.add_bodies(batch, rows, (solid, quick), stuff)

    # -- what stands still -------------------------------------------------------------------------

    def solid(
        self,
        ground: Heightfield | Mesh,
        position: ArrayLike = (0.0, 0.0, 0.0),
        *,
        friction: float = 0.5,
        elasticity: float = 0.0,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Wall:
        """A ground that stands still: a `Heightfield`, or the triangles of a `Mesh` at
        ``position``.
        """
        place = checks.vector("position", position, 3)
        if isinstance(ground, Heightfield):
            mesh = ground.mesh()
        else:
            mesh = checks.instance("ground", ground, Mesh, what="a Heightfield or a Mesh")
        shape = self._engine.mesh_shape(mesh, place)
        stuff = wall_material(self._simulation.layers, friction, elasticity, layer, hits)
        return self._simulation.new_wall(shape, stuff)

    def floor(
        self,
        height: float = 0.0,
        *,
        friction: float = 0.5,
        elasticity: float = 0.0,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Wall:
        """All that is below a height is solid, as far as the world goes."""
        shape = self._engine.floor_shape(checks.number("height", height))
        stuff = wall_material(self._simulation.layers, friction, elasticity, layer, hits)
        return self._simulation.new_wall(shape, stuff)

    # -- what goes by itself -----------------------------------------------------------------------

    def character(
        self,
        thing: Handle[Any] | tuple[Bodies, int],
        *,
        step: float = 0.3,
        slope: float = 0.8,
        snap: float = 0.2,
        gap: float = 0.01,
    ) -> Character:
        """One that walks: up stairs of ``step`` units, up slopes of ``slope`` radians, slides along
        walls.

        ``thing`` is a handle of a row, or (bodies, row), of ``kind="kinematic"``. See
        `Character.move`.
        """
        return Character(self._simulation, self._engine, thing, step, slope, snap, gap)

    def vehicle(
        self,
        thing: Handle[Any] | tuple[Bodies, int],
        wheels: ArrayLike,
        *,
        radius: float = 0.35,
        **options: float,
    ) -> Vehicle:
        """A car: wheels on springs, that feel for the ground with rays. ``thing`` is a handle of
        the row that is its chassis, or (bodies, row).

        ``wheels`` (n, 3) are where the springs begin, from the chassis' middle; it drives along its
        own +z. Options: ``suspension`` the springs' length, ``stiffness``, ``travel``, ``grip``,
        ``damping``: see `Vehicle`.
        """
        return Vehicle(self._simulation, self._engine, thing, wheels, radius, **options)
