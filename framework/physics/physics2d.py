"""2D physics: rigid bodies for the rows of batches, by pymunk (https://www.pymunk.org)."""

from __future__ import annotations

__all__ = ["Physics2D"]

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..geometry.tilegrid import Tiles, checked_tiles
from ..moved_names import moved, renamed_options
from ..other_names import other_names, words
from ..other_options import other_options
from ..state.columns import Table, Tabular
from ..state.rows import Handle
from ..timing.schedule import Schedule
from .body_materials import material, wall_material
from .bodysets import Bodies
from .engines import pymunk
from .joints2d import Joints2D
from .physics_world import HasSystems
from .pymunk_engine import PymunkEngine
from .queries2d import Queries2D
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
@other_names(
    "physics",
    {
        **words(
            "step update simulate",
            "nothing to call: fw.Physics2D(self) steps in every tick of the scene",
        ),
        **words(
            "add_sprite add_sprite_list add_body add_rigid_body add_object create_body",
            "write bodies = physics.add(batch)",
        ),
        **words(
            "add_box add_circle add_sphere add_static_body",
            "write physics.add(batch, shape='circle')",
        ),
        **words("add_wall add_ground add_floor", "write physics.add_static(level['ground'])"),
        **words(
            "on_collision add_collision_handler on_collide collisions contacts get_contacts on_collision_enter",
            "write for a, b in physics.entered('crate', 'ground'), with layers from physics.add(batch, layer='crate')",
        ),
        **words(
            "is_on_ground is_grounded grounded is_on_floor can_jump",
            "write physics.staying('ball', 'ground'), with layers from physics.add(batch, layer='ball')",
        ),
        **words(
            "apply_impulse apply_force add_force set_velocity get_velocity",
            "write bodies = physics.add(batch), and bodies.impulse((0, -900))",
        ),
        **words("set_gravity", "write physics.gravity = (0, -900)"),
        **words("cast_ray ray_cast intersect_ray", "write physics.raycast(start, displacement)"),
        **words("overlap_circle overlap_point query", "write physics.query_point((x, y))"),
        **words("remove_sprite remove_body", "write physics.remove(bodies), or sprite.remove()"),
        **words("draw debug_draw", "write physics.debug_lines()"),
    },
)
class Physics2D(Joints2D, Queries2D):
    """A 2D world of rigid bodies that fall, bounce, roll, stack and are held by joints.

        self.physics = fw.Physics2D(self, gravity=(0, -900))
        self.physics.add_static(level)
        self.physics.add(self.crates)

    Lengths are in units, times in seconds, and angles in radians. The y axis points up. The same
    physics steps give the same results, bit for bit, in every process on one machine.

    Parameters
    ----------
    scene
        The scene or the game that advances the physics in every tick, in the phase "physics",
        before `update`. If ``scene`` is None, call `advance` yourself.
    gravity
        The acceleration of dynamic bodies, in units / s². ``gravity`` defaults to (0, 0), for games
        seen from above. A gravity of (0, -900) suits games seen from the side whose unit is a
        pixel.
    rate
        Physics steps per second of game time, for example 120 or 240, independent of the tick rate.
        Each tick simulates as many steps as the elapsed time requires. If ``rate`` is None, each
        tick simulates ``substeps`` steps.
    substeps
        Physics steps per tick, 1 to 1,000, if ``rate`` is None. The default of 2 steps per tick
        makes stiffer stacks of bodies than 1 step.
    group
        The schedule whose time the physics follows, for slow motion: ``scene.schedule.group(0.2)``.
        ``group`` defaults to None: the physics follows the time of the scene.
    iterations
        Iterations of pymunk's solver per step, 1 to 1,000. More iterations make joints and stacks
        of bodies stiffer, and take more time.
    sleep_after
        Time in seconds after which a resting body falls asleep. A sleeping body is not simulated
        until another body touches the sleeping body. With ``sleep_after=None``, bodies never sleep.
    snapshots
        The behavior of `Game.snapshot`, because pymunk does not show all of its state. With
        "refuse", `Game.snapshot` raises an error. With "near", a snapshot stores positions and
        velocities; the restored game continues almost, but not bit for bit, as before.

    Raises
    ------
    FrameworkError
        If pymunk is not installed: ``pip install 'subtick[physics]'``.
    """

    def __init__(
        self,
        scene: HasSystems | None = None,
        *,
        gravity: tuple[float, float] = (0.0, 0.0),
        rate: float | Fraction | None = None,
        substeps: int = 2,
        group: Schedule | None = None,
        iterations: int = 10,
        sleep_after: float | None = 0.5,
        snapshots: str = "refuse",
    ) -> None:
        mode = checks.choice("snapshots", snapshots, ("refuse", "near"))
        self._engine = PymunkEngine(
            checks.whole("iterations", iterations, 1, 1000),
            None if sleep_after is None else checks.number("sleep_after", sleep_after, above=0),
        )
        super().__init__(Simulation(self._engine, gravity, rate, substeps), scene, group)
        self._snapshots = SpaceSnapshots(self, self._engine, mode)

    def __repr__(self) -> str:
        return f"<Physics2D of {len(self.space.bodies)} bodies>"

    @property
    def space(self) -> pymunk.Space:
        """pymunk's own `Space`, for features that `Physics2D` does not have."""
        return self._engine.space

    # -- bodies ------------------------------------------------------------------------------------

    @other_options(
        **dict.fromkeys(
            ("kinematic", "is_kinematic"), "write physics.add(batch, kind='kinematic')"
        ),
        **dict.fromkeys(("static", "is_static"), "write physics.add(batch, kind='static')"),
        **dict.fromkeys(
            ("dynamic", "body_type", "type"), "kind= is 'dynamic', 'static' or 'kinematic'"
        ),
        **dict.fromkeys(
            ("damping", "drag"), "write bodies.damping = 0.5, where bodies = physics.add(batch)"
        ),
        **dict.fromkeys(
            ("gravity", "gravity_scale"), "write fw.Physics2D(self, gravity=(0, -900))"
        ),
        **dict.fromkeys(
            ("max_velocity", "velocity"), "write bodies.velocity, where bodies = physics.add(batch)"
        ),
    )
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
        kind: str = "dynamic",
        mass: float | None = None,
        density: float | None = None,
        friction: float = 0.7,
        elasticity: float = 0.0,
        sensor: bool = False,
        fixed_rotation: bool = False,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Bodies:
        """Make a body for each row of a batch, including rows that the game adds later.

        The physics then writes ``position`` and ``angle`` of the rows in every tick. If the game
        writes to ``position`` or ``angle``, the bodies move to the new values. When the game
        removes a row, the physics removes the body of the row.

        Lengths are in pixels of the row's image, or in units for rows without an image. The scale
        and the flips of a row are applied only once, when the body of the row is made.

        Parameters
        ----------
        batch
            A batch of sprites, a table with columns position and angle, or one sprite.
        rows
            The rows that get bodies: a sprite, row indices, a mask or a slice. With ``rows=None``,
            all rows get bodies, including rows that the game adds later.
        shape
            "box", "circle" or "capsule" makes a shape of this name around the opaque pixels of a
            row's image. A capsule follows the longer side. "polygon" makes the shape from
            ``points``. "outline" makes the shape from the outline of the image's opaque pixels.
        size
            The width and height of a box or a capsule. ``size`` defaults to the size of the image's
            opaque part.
        radius
            The radius of a circle, or of the ends of a capsule that has a ``size``. ``radius``
            defaults to a radius that fits the image's opaque part.
        points
            The corners (k, 2) of a polygon, or a list of such arrays. Polygons may be concave.
        tolerance
            The largest error of an "outline", in pixels of the image.
        kind
            With "dynamic", forces and collisions move the body. With "kinematic", the game moves
            the body, and the body pushes dynamic bodies. With "static", the body does not move.
        mass, density
            ``mass`` is the mass of each body, and ``density`` the mass per square unit. Without
            ``mass`` and ``density``, each body has the mass 1.
        friction, elasticity
            ``friction`` is 0 or more, and ``elasticity`` is the bounce from 0 to 1. For two
            touching bodies, the two frictions and the two elasticities are multiplied.
        sensor
            Whether the bodies pass through all other bodies, and only report contacts to `entered`.
        fixed_rotation
            Whether the bodies never rotate when forces or collisions act on them.
        layer
            The name of the bodies' layer, for `entered`, queries and ``hits``.
        hits
            The names of the layers that the bodies collide with. Two bodies collide only if each
            has the other's layer in ``hits``. ``hits`` defaults to None: the bodies collide with
            all layers.
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
        return self._simulation.add_bodies(batch, rows, spec, stuff)

    # -- static bodies -----------------------------------------------------------------------------

    def add_static(
        self,
        tiles: Tiles,
        *,
        friction: float = 0.7,
        elasticity: float = 0.0,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Wall:
        """Add the solid tiles of a grid as a wall: level geometry that does not move.

        The wall is a copy of the current tiles. When the tiles change, call `Wall.remove` and add a
        new wall. Sides of neighboring tiles are merged to long lines, so that sliding bodies do not
        catch between tiles. Slopes in the grid are solid, too. Tiles marked as ``one_way`` stop
        only bodies that come from above.

        ``tiles`` is a `collide.TileGrid`, a `TileLayer`, or an object with ``solid``, ``tile_size``
        and ``position``. `Physics2D.add` describes the parameters that are not listed here.
        """
        grid = checked_tiles("tiles", tiles)
        shape = self._engine.tile_shape(grid)
        stuff = wall_material(self._simulation.layers, friction, elasticity, layer, hits)
        return self._simulation.new_wall(shape, stuff)

    @renamed_options("Physics2D.drop_through", thing="body")
    def drop_through(self, body: Handle[Any] | tuple[Bodies, int]) -> None:
        """Let a body fall through the one-way tiles under the body.

        One-way tiles below that one stop the body.

        If no one-way tile is under the body, the call does nothing. You can call this method in
        every tick while the "down" key is held. ``body`` is the handle of the body's row, such as a
        sprite, or a pair ``(bodies, row)``.
        """
        self._engine.drop_through(self._simulation.body_of("body", body))

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
        """Add a line through ``points`` (k, 2) as a wall: hills, pinball tables, borders.

        ``radius`` is half the thickness of the line, in units. Both ends of the line are round.
        With ``closed=True``, the last point is connected to the first. `Physics2D.add` describes
        the parameters that are not listed here.
        """
        corners = checks.numbers("points", points, (None, 2))
        if len(corners) < 2:
            raise checks.wrong_value("points", "at least two points", points)
        checked_radius = checks.number("radius", radius, least=0)
        path = np.concatenate([corners, corners[:1]]) if checks.flag("closed", closed) else corners
        shape = self._engine.line_shape(path, checked_radius)
        if not shape.shapes:
            raise checks.wrong_value("points", "points that differ", points)
        stuff = wall_material(self._simulation.layers, friction, elasticity, layer, hits)
        return self._simulation.new_wall(shape, stuff)
