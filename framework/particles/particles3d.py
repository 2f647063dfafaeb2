"""Particles in space: they face the camera, and fade out before solid things."""

from __future__ import annotations

__all__ = ["Particles3D"]

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Any, ClassVar

from ..assets.images import ImageSource
from ..checks import choice, flag, number
from ..geometry.curves import Curve
from ..gpu.graphics import Graphics
from ..motion.viewpoint import LARGEST
from ..space.facing import FacingDefaults
from .particle3d_drawing import Particle3DDrawing, ParticleLook3D, ParticleParts3D
from .particle_presets import Presets, checked_images
from .particle_system import SYSTEM_SLOTS, ParticleSystem

if TYPE_CHECKING:
    from ..space.surfaces import WorldAssets


class Particles3D(ParticleSystem, Presets, FacingDefaults):
    """`Particles` in a `World`: ``self.smoke = self.add(fw.Particles3D("puff.png", life=(0.8,
    1.4)))``.

    All is as there, but: directions are vectors (3,), and ``spread`` is how far they may be off in
    radians, to all sides; ``velocity``, ``area`` and ``gravity`` have three numbers; colours are
    linear, numbers above 1 shine, and strings are meant as a screen shows them. They face the
    camera, are drawn after what is solid, and hide nothing that is drawn later. Among themselves
    they are drawn in the order of their births, whatever is nearer.

    Parameters
    ----------
    blend
        ``"alpha"``, or ``"add"`` for what shines.
    lit
        Whether the world's light falls on them, from all sides alike; else they are as bright as
        their image.
    soft
        Units over which they fade out before what is solid behind them, so that the ground does not
        cut smoke along a line; 0: not at all.
    """

    __slots__ = ("__weakref__", "_gpu", "_soft", *SYSTEM_SLOTS)

    _transient_attributes: ClassVar[Any] = ("_gpu",)
    _dimensions = 3

    _gpu: Particle3DDrawing | None
    _look: ParticleLook3D

    def __init__(
        self,
        image: ImageSource | Sequence[ImageSource] | None = None,
        capacity: int = 10_000,
        *,
        life: float | tuple[float, float] = 1.0,
        speed: float | tuple[float, float] = 0.0,
        direction: tuple[float, float, float] | None = None,
        spread: float | None = None,
        velocity: tuple[float, float, float] | None = None,
        area: tuple[float, float, float] | None = None,
        gravity: tuple[float, float, float] | None = None,
        drag: float = 0.0,
        noise: float | tuple[float, float] = 0.0,
        size: float | Curve = 0.5,
        color: str | Sequence[float] | Curve = "#ffff",
        tint: str | Sequence[Any] | None = None,
        scale: float | tuple[float, float] = 1.0,
        angle: float | tuple[float, float] = 0.0,
        spin: float | tuple[float, float] = 0.0,
        tumble: float = 0.0,
        align: bool = False,
        blend: str = "alpha",
        lit: bool = False,
        soft: float = 0.0,
        seed: int = 0,
    ) -> None:
        self._soft = number("soft", soft, least=0, most=LARGEST)
        self._look = ParticleLook3D(
            checked_images(image),
            choice("blend", blend, ("alpha", "add")),
            flag("lit", lit),
            self._soft,
        )
        self._set_up(locals())
        self._gpu = None

    # -- driven by the world -----------------------------------------------------------------------

    def begin_tick(self, dt: float) -> None:
        """A tick of ``dt`` simulated seconds begins; 0 in a scene that is paused by one above
        it.
        """
        self._simulation.begin_tick(dt, self.time_scale)

    def end_tick(self) -> None:
        """The tick is over: emitters do their part of it."""
        self._simulation.end_tick()

    def depth(self) -> float:
        """How far from the camera the newest were born, in units."""
        return 0.0 if self._gpu is None else self._gpu.depth()

    def attach(self, graphics: Graphics, assets: WorldAssets) -> None:
        if self._gpu is not None:
            raise ValueError("particles: they were added to a game already")
        self._gpu = Particle3DDrawing(
            ParticleParts3D(self._simulation, self._flight, self._look), graphics, assets
        )

    def draw(self) -> None:
        assert self._gpu is not None
        self._gpu.draw()

    def renew(self, files: Set[str]) -> bool:
        """Load images anew that come from these files."""
        return self._gpu is not None and self._gpu.renew(files)

    def release(self) -> None:
        gpu, self._gpu = self._gpu, None
        if gpu is not None:
            gpu.release()
