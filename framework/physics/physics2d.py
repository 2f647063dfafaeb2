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
class Physics2D(Joints2D, Queries2D):
    """A 2D world of rigid bodies that fall, bounce, roll, stack and hang on joints.

        self.physics = fw.Physics2D(self, gravity=(0, -900))
        self.physics.add_static(level)
        self.physics.add(self.crates)

    Lengths are in units, times in seconds, angles in radians. y points up. The same steps give the
    same bits in every process on a machine.

    Parameters
    ----------
    scene
        The scene or the game that advances the physics in every tick, in the phase "physics",
        before `update`. None: call `advance` yourself.
    gravity
        The acceleration of dynamic bodies, in units / s². Default: none, for games seen from above.
        (0, -900) suits side views whose unit is a pixel.
    rate
        Steps per second of game time, for example 120 or 240, whatever the tick rate is. Each tick
        simulates the steps that are due. Default: ``substeps`` steps per tick.
    substeps
        Steps per tick, 1 to 1,000, if ``rate`` is None. The default of 2 makes stiffer stacks than 1.
    group
        The schedule that gives the time, for slow motion: ``scene.schedule.group(0.2)``. Default:
        the time of the scene.
    iterations
        Solver iterations per step, 1 to 1,000. More iterations make joints and stacks stiffer, and
        take more time.
    sleep_after
        Seconds until a resting body sleeps. A sleeping body is not simulated until another body
        touches it. None: bodies never sleep.
    snapshots
        pymunk hides a part of its state. "refuse": `Game.snapshot` raises an error. "near": a
        snapshot stores poses and velocities, and the restored game continues almost as before, but
        not bit for bit.

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
        """Make a body for each row of a batch, including rows that are added later.

        Every tick then writes ``position`` and ``angle`` of the rows. If the game writes to these
        columns, the bodies move there. When a row is removed, its body is removed, too.

        Lengths are in pixels of the image, or in units for rows without an image. The scale and the
        flips of a row are applied once, when its body is made.

        Parameters
        ----------
        batch
            A batch of sprites, a table with columns position and angle, or one sprite.
        rows
            Make bodies for these rows only: a sprite, indices, a mask or a slice.
        shape
            "box", "circle" or "capsule" (along its longer side) around the opaque part of a row's
            image. "polygon": the shape of ``points``. "outline": the outline of the opaque part of
            the image.
        size
            Width and height of a box or capsule. Default: the opaque part of the image.
        radius
            Radius of a circle, or of the ends of a capsule with ``size``. Default: from the image.
        points
            Corners (k, 2) of a polygon, or a list of such arrays. Polygons may be concave.
        tolerance
            Largest error of an "outline", in pixels.
        kind
            "dynamic": forces and collisions move the body. "kinematic": the game moves the body,
            which pushes dynamic bodies. "static": the body does not move.
        mass, density
            Mass per body, or mass per square unit. Default: a mass of 1 per body.
        friction, elasticity
            Friction, and bounce from 0 to 1. Two touching bodies use the product of their numbers.
        sensor
            Whether the bodies collide with nothing, and only report contacts to `entered`.
        fixed_rotation
            Whether collisions and forces do not rotate the bodies.
        layer
            The name of the bodies' layer, for `entered`, queries and ``hits``.
        hits
            Names of the layers that the bodies collide with. Bodies of such a layer must have this
            layer in their ``hits``, too. Default: all layers.
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

        The wall is a copy of the current tiles. After tiles change, call `Wall.remove` and add a
        new wall. Neighboring sides are merged to long lines, so that sliding bodies do not catch on
        them. Slopes are solid, too. ``one_way`` tiles stop only bodies from above.

        ``tiles`` is a `collide.TileGrid`, a `TileLayer`, or an object with ``solid``, ``tile_size``
        and ``position``. See `add` for the other parameters.
        """
        grid = checked_tiles("tiles", tiles)
        shape = self._engine.tile_shape(grid)
        stuff = wall_material(self._simulation.layers, friction, elasticity, layer, hits)
        return self._simulation.new_wall(shape, stuff)

    @renamed_options("Physics2D.drop_through", thing="body")
    def drop_through(self, body: Handle[Any] | tuple[Bodies, int]) -> None:
        """Let a body fall through the one-way tiles under it. One-way tiles below hold the body
        again.

        Without one-way tiles under the body, the call does nothing: you can call this method in
        every tick while the "down" key is held. ``body`` is the handle of the row, or ``(bodies,
        row)``.
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

        ``radius`` is half the thickness of the line, in units. The ends of the line are round. With
        ``closed``, the last point is connected to the first. See `add` for the other parameters.
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
