"""Physics in the plane, by pymunk: https://www.pymunk.org (Chipmunk2D)."""

from __future__ import annotations

__all__ = ["Physics2D"]

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..geometry.tilegrid import Tiles, checked_tiles
from ..state.columns import Table, Tabular
from ..state.rows import Handle
from ..timing.schedule import Schedule
from .body_materials import material, wall_material
from .bodysets import Bodies
from .engines import pymunk
from .joints2d import Joining2D
from .physics_world import HasSystems
from .pymunk_engine import PymunkEngine
from .queries2d import Asking2D
from .shapes2d import checked_shape
from .simulation import Simulation, Wall
from .snapshots2d import SpaceSnapshots


class Physics2D(Joining2D, Asking2D):
    """Bodies that fall, bounce, roll, pile up and hang together, in the plane: units, seconds,
    radians, y up.

    Parameters
    ----------
    scene
        The scene or the game whose ticks it goes along with: it is a system of the phase "physics",
        before `update`. None for one whose `advance` you call yourself.
    gravity
        Units / s²: (0, -900) for pixels, say.
    rate
        Steps a second of game time, 120, 240: exactly so many, some in each tick, whatever the rate
        of ticks.
    substeps
        Without a rate: steps in each tick. Two make stiffer heaps than one.
    group
        The schedule whose time it keeps, for slow motion: ``scene.schedule.group(0.2)``.
    iterations
        How often each step goes over all contacts: more are stiffer and slower.
    sleep_after
        Seconds after which what lies still costs nothing any more, until something touches it; None
        for never.
    snapshots
        pymunk does not tell all that a body's next step depends on. "refuse": `Game.snapshot` says
        so. "near": it puts back poses and velocities, from which the game goes on nearly as it did,
        but not bit for bit.

    Needs ``pip install 'subtick[physics]'``, else it is a `FrameworkError`. The same steps give the
    same bits, in every process on a machine.
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
        """pymunk's own `Space`, for what there are no words for here."""
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
        """A body for each row of a batch, those that are added later too; with ``rows`` (a sprite,
        indices, a mask, a slice), or with a sprite for the batch, for these only.

        ``position`` and ``angle`` of the batch are the bodies' from now on: written by each tick,
        drawn between ticks; what the game writes to them moves the bodies there. Rows that are
        removed lose their bodies.

        ``shape`` is "box", "circle" or "capsule" (along its longer side) around what is opaque of a
        row's image, unless ``size=`` (width, height) or ``radius=`` are given; "polygon" of
        ``points`` (k, 2), also several, also concave; or "outline", of what is opaque of the image,
        to ``tolerance`` pixels. All of it in pixels of the image: scaled and mirrored as the row is
        when its body is made.

        ``kind``: "dynamic", "kinematic" (moved by what the game writes, and pushing others) or
        "static". ``mass`` is 1 for each body, or ``density`` that of a square unit. What touches
        what is told by `entered` by their ``layer``; they bump into layers that ``hits`` names, all
        unless told, if those bump into theirs too. A ``sensor`` bumps into nothing, and tells.
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

    # -- what stands still -------------------------------------------------------------------------

    def solid(
        self,
        tiles: Tiles,
        *,
        friction: float = 0.7,
        elasticity: float = 0.0,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Wall:
        """The solid tiles of a grid: a `collide.TileGrid`, a layer of a map, what has ``solid``,
        ``tile_size`` and ``position``. As they are now: when they change, `Wall.remove` it and make
        it anew.

        Their open sides are merged to lines as long as they can be, so that what slides along them
        catches nowhere. Slopes are solid too. Tiles that are ``one_way`` hold what comes from
        above, and let through all else.
        """
        grid = checked_tiles("tiles", tiles)
        shape = self._engine.tile_shape(grid)
        stuff = wall_material(self._simulation.layers, friction, elasticity, layer, hits)
        return self._simulation.new_wall(shape, stuff)

    def drop_through(self, thing: Handle[Any] | tuple[Bodies, int]) -> None:
        """A body lets go of the one-way tiles that hold it, and falls through them; what is below
        them holds it again.

        ``thing`` is a handle of its row, or (bodies, row). Of one that stands on none, does
        nothing: so it may be called in each tick while the key for "down" is held.
        """
        self._engine.drop_through(self._simulation.body_of("thing", thing))

    def line(
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
        """A line through points (k, 2) that stands still, as thick as twice its ``radius``, round
        at its ends.
        """
        places = checks.numbers("points", points, (None, 2))
        if len(places) < 2:
            raise checks.wrong_value("points", "two points at least", points)
        reach = checks.number("radius", radius, least=0)
        path = np.concatenate([places, places[:1]]) if checks.flag("closed", closed) else places
        shape = self._engine.line_shape(path, reach)
        if not shape.shapes:
            raise checks.wrong_value("points", "points that differ", points)
        stuff = wall_material(self._simulation.layers, friction, elasticity, layer, hits)
        return self._simulation.new_wall(shape, stuff)
