"""A world: what is in space, the light that falls on it, and the camera that sees it. It is drawn as one thing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, Protocol, TypeVar

import moderngl
import numpy as np
from numpy.typing import NDArray

from .camera3d import Camera3D, Shot
from .graphics import BLEND_MODES, WORLD_BINDING, Graphics
from .lights import LIGHT_FLOATS, MAX_LIGHTS, Latched, Lights, color, finite, unit
from .lines import Lines
from .shaders import Programs
from .shadows import MAX_CASCADES, ShadowMap, Shadows
from .surfaces import SHADOW_UNIT, WorldAssets

# The uniform block of shaders/include/world.glsl, std140: where its parts begin, in floats.
_SUN, _SUN_COLOR, _SKY, _GROUND, _FOG, _COUNTS, _TEXELS, _CASCADES = range(0, 32, 4)
_EXPOSURE = _SKY + 3
_LIGHTS = _CASCADES + 16 * MAX_CASCADES
_FLOATS = _LIGHTS + LIGHT_FLOATS * MAX_LIGHTS

Three = tuple[float, float, float]


class Solid(Protocol):
    """What a `World` draws: a `MeshBatch`, or anything of your own with these methods, and ``in_world = True``.

    One that throws shadows has a method ``draw_shadow()`` too, and ``casts_shadow`` says whether it is called. One that
    is transparent may have ``depth()``, how far from the camera it is: what is farther is drawn first.
    """

    in_world: bool

    @property
    def transparent(self) -> bool:
        """Whether what is behind shows through, so that it must be drawn last."""

    def attach(self, graphics: Graphics, programs: Programs) -> None:
        """It was added to a game: make what it needs in ``graphics.ctx``. Called once.

        ``programs`` are the world's `WorldAssets`.
        """

    def begin_tick(self, dt: float) -> None:
        """A tick of ``dt`` simulated seconds begins; 0 in a scene that is paused by one above it."""

    def end_tick(self) -> None: ...

    def draw(self) -> None:
        """Draw. The frame's and the world's uniform blocks are bound, the target is set."""

    def release(self) -> None:
        """The game has ended: free what `attach` made."""


S = TypeVar("S", bound=Any)


class World:
    """Things in space, with a `Camera3D` and light: a sun, a sky, and any number of `lights`.

    Colours of light are linear and may be above 1: the colour of a light is what a white matt surface that faces it
    shows. The picture is tone mapped and sRGB. A bad value is a `ValueError` that names what was set.
    """

    def __init__(self, camera: Camera3D | None = None) -> None:
        self.camera = Camera3D() if camera is None else camera
        self.lights = Lights()
        """Point and spot lights."""
        self._values = np.zeros(_FLOATS)  # of the uniform block
        self._sun = Latched(3, 1)
        self.sun_direction = (0.4, 0.8, 0.45)
        self.sun_color = (1.1, 1.02, 0.9)
        self.sky_color = (0.18, 0.24, 0.32)
        self.ground_color = (0.10, 0.09, 0.075)
        self.fog_color = (0.42, 0.50, 0.60)
        self.fog = 0.0
        self.exposure = 1.0
        self.sky = None
        self.shadows = None
        self._solids: list[Any] = []  # of `Solid`s
        self._lines: Lines | None = None
        self._graphics: Graphics | None = None
        self._assets: WorldAssets | None = None
        self._block: moderngl.Buffer | None = None
        self._shadow_map: ShadowMap | None = None
        self._no_shadows: moderngl.Texture | None = None
        self._backdrop: _Backdrop | None = None

    # -- light -----------------------------------------------------------------------------------------------------

    @property
    def sun_direction(self) -> Three:
        """The way to the sun, set of any length, then of length 1. It is interpolated."""
        x, y, z = self._sun.current[0].tolist()
        return x, y, z

    @sun_direction.setter
    def sun_direction(self, value: Sequence[float]) -> None:
        self._sun.current[0] = unit("sun_direction", value)

    @property
    def sun_color(self) -> Three:
        """Black for a night without it."""
        return self._three(_SUN_COLOR)

    @sun_color.setter
    def sun_color(self, value: Sequence[float]) -> None:
        self._set(_SUN_COLOR, color("sun_color", value))

    @property
    def sky_color(self) -> Three:
        """Ambient light from above. The sky that mirrors show, and that is drawn with `sky`, is made of it."""
        return self._three(_SKY)

    @sky_color.setter
    def sky_color(self, value: Sequence[float]) -> None:
        self._set(_SKY, color("sky_color", value))

    @property
    def ground_color(self) -> Three:
        """Ambient light from below."""
        return self._three(_GROUND)

    @ground_color.setter
    def ground_color(self, value: Sequence[float]) -> None:
        self._set(_GROUND, color("ground_color", value))

    @property
    def fog_color(self) -> Three:
        """What is seen of something in endless fog."""
        return self._three(_FOG)

    @fog_color.setter
    def fog_color(self, value: Sequence[float]) -> None:
        self._set(_FOG, color("fog_color", value))

    @property
    def fog(self) -> float:
        """How much fog there is in a unit: of what is 1 / fog away, 37 % is seen; 0 for none."""
        return float(self._values[_FOG + 3])

    @fog.setter
    def fog(self, value: float) -> None:
        self._set(_FOG + 3, _at_least_0("fog", value))

    @property
    def exposure(self) -> float:
        """What all light is multiplied with before it is tone mapped."""
        return float(self._values[_EXPOSURE])

    @exposure.setter
    def exposure(self, value: float) -> None:
        self._set(_EXPOSURE, _at_least_0("exposure", value))

    @property
    def sky(self) -> bool | Three | None:
        """What is drawn behind everything: True for a sky with the sun, a colour of light for that alone, or None.

        It covers what was drawn before the world.
        """
        return self._sky

    @sky.setter
    def sky(self, value: bool | Sequence[float] | None) -> None:
        if value is None or isinstance(value, bool):
            self._sky: bool | Three | None = value or None
        else:
            red, green, blue = color("sky", value).tolist()
            self._sky = red, green, blue

    @property
    def shadows(self) -> Shadows | None:
        """The sun's shadows: True, or `Shadows` with settings; None for none, which is the cheapest."""
        return self._shadows

    @shadows.setter
    def shadows(self, value: Shadows | bool | None) -> None:
        if value is not None and not isinstance(value, bool | Shadows):
            raise ValueError(f"shadows: expected True, None or Shadows(…), got {value!r}")
        self._shadows = value if isinstance(value, Shadows) else Shadows() if value else None

    def _three(self, place: int) -> Three:
        x, y, z = self._values[place : place + 3].tolist()
        return x, y, z

    def _set(self, place: int, value: NDArray[np.float64]) -> None:
        self._values[place : place + max(1, value.size)] = value

    # -- things ----------------------------------------------------------------------------------------------------

    def add(self, solid: S) -> S:
        """Draw ``solid`` (a `MeshBatch`, …), and the ``parts`` that it may consist of; returns it."""
        if self._graphics is not None and self._assets is not None:
            solid.attach(self._graphics, self._assets)
        self._solids.append(solid)
        for part in getattr(solid, "parts", ()):
            self.add(part)
        return solid

    def discard(self, solid: Any) -> None:
        """Stop drawing something that was added, and release it."""
        for index, known in enumerate(self._solids):
            if known is solid:
                del self._solids[index]
                if known is self._lines:
                    self._lines = None
                if self._assets is not None:
                    known.release()
                for part in getattr(known, "parts", ()):
                    self.discard(part)
                return
        raise ValueError("solid: it is not in this world")

    @property
    def lines(self) -> Lines:
        """Lines to see what the game computes, hidden by what is before them, added at their first use."""
        if self._lines is None:
            self._lines = self.add(Lines())
        return self._lines

    # -- driven by the game --------------------------------------------------------------------------------------

    def attach(self, graphics: Graphics) -> None:
        self._graphics = graphics
        self._assets = WorldAssets(graphics)
        self._block = graphics.ctx.buffer(reserve=4 * _FLOATS, dynamic=True)
        self._no_shadows = graphics.ctx.depth_texture((1, 1))
        self._no_shadows.compare_func = "<="
        for solid in self._solids:
            solid.attach(graphics, self._assets)

    def begin_tick(self, dt: float) -> None:
        self._sun.begin_tick()
        self.lights.begin_tick()
        for solid in self._solids:
            solid.begin_tick(dt)

    def end_tick(self) -> None:
        self._sun.end_tick()
        self.lights.end_tick()
        for solid in self._solids:
            solid.end_tick()

    def notice_writes(self) -> None:
        """While no ticks run, draw what was written since the last call where it is now."""
        self._sun.notice_writes()
        self.lights.notice_writes()
        for solid in self._solids:
            solid.notice_writes()

    def draw(self) -> None:
        graphics, assets, shot = self._graphics, self._assets, self.camera.shot
        assert graphics is not None
        assert assets is not None
        assert shot is not None
        ctx = graphics.ctx
        assets.shot = shot
        self._light(ctx, shot)
        target = ctx.fbo
        _clear_depth(target)
        clear = [solid for solid in self._solids if solid.transparent]
        for solid in self._solids:
            if not solid.transparent:
                solid.draw()
        if self._sky is not None:
            if self._backdrop is None:
                self._backdrop = _Backdrop(ctx, assets)
            self._backdrop.draw(self._sky)
        if clear:
            ctx.blend_func = BLEND_MODES["alpha"]  # type: ignore[assignment]  # the stubs know two factors only
            target.depth_mask = False
            target.use()
            for solid in sorted(clear, key=_depth, reverse=True):
                solid.draw()
            target.depth_mask = True
            target.use()
        ctx.enable_only(moderngl.BLEND)

    def _light(self, ctx: moderngl.Context, shot: Shot) -> None:
        """Draw the shadows, and bring the uniform block up to date."""
        sun = self._sun.at(shot.alpha)[0]
        length = float(np.linalg.norm(sun))
        # Half way between two opposite ones there is no direction to take.
        sun = sun / length if length > 1e-6 else self._sun.current[0]
        cascades = self._draw_shadows(ctx, sun)
        lights = self.lights.packed(shot)
        reach = min(self._shadows.distance, self.camera.far) if self._shadows else 0.0
        values = self._values
        values[_SUN : _SUN + 3] = sun
        values[_COUNTS : _COUNTS + 3] = len(lights), len(cascades), reach
        for index, (matrix, texel) in enumerate(cascades):
            values[_TEXELS + index] = texel
            values[_CASCADES + 16 * index : _CASCADES + 16 * (index + 1)] = matrix.reshape(-1)
        values[_LIGHTS : _LIGHTS + lights.size] = lights.reshape(-1)
        assert self._block is not None
        self._block.write(values.astype(np.float32))
        self._block.bind_to_uniform_block(WORLD_BINDING)

    def _draw_shadows(self, ctx: moderngl.Context, sun: NDArray[np.float64]) -> list[tuple[NDArray[np.float64], float]]:
        settings, shadow_map = self._shadows, self._shadow_map
        if shadow_map is not None and shadow_map.settings != settings:
            shadow_map.release()
            shadow_map = self._shadow_map = None
        if settings is None or not self._values[_SUN_COLOR : _SUN_COLOR + 3].any():
            assert self._no_shadows is not None
            self._no_shadows.use(SHADOW_UNIT)
            return []
        if shadow_map is None:
            shadow_map = self._shadow_map = ShadowMap(ctx, settings)
        casters = [solid for solid in self._solids if getattr(solid, "casts_shadow", False)]
        cascades = shadow_map.draw(self.camera, sun, casters)
        shadow_map.texture.use(SHADOW_UNIT)
        return cascades

    def release(self) -> None:
        with ExitStack() as stack:
            for part in (self._assets, self._block, self._no_shadows, self._shadow_map, self._backdrop):
                if part is not None:
                    stack.callback(part.release)
            for solid in self._solids:
                stack.callback(solid.release)
        self._graphics = self._assets = self._block = self._no_shadows = self._shadow_map = self._backdrop = None


class _Backdrop:
    """The sky as it is drawn: one triangle behind everything."""

    def __init__(self, ctx: moderngl.Context, assets: WorldAssets) -> None:
        self._ctx = ctx
        self._program = assets.get("sky.vert", "sky.frag")
        self._array = ctx.vertex_array(self._program, [])

    def draw(self, sky: bool | Three) -> None:
        uniform = self._program["plain"]
        assert isinstance(uniform, moderngl.Uniform)
        uniform.value = (0.0, 0.0, 0.0, 0.0) if isinstance(sky, bool) else (*sky, 1.0)
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<="  # it is as far away as the depth buffer reaches
        self._array.render(moderngl.TRIANGLES, vertices=3)
        self._ctx.depth_func = "<"

    def release(self) -> None:
        self._array.release()


def _clear_depth(target: moderngl.Framebuffer) -> None:
    """A world hides nothing of one that is drawn over it."""
    mask: Any = target.color_mask  # four bools, or so many for each attachment
    closed: Any = tuple([False if isinstance(part, bool) else (False,) * 4 for part in mask])
    target.color_mask = closed
    target.clear()
    target.color_mask = mask
    target.use()  # masks count from here on


def _depth(solid: Any) -> float:
    depth = getattr(solid, "depth", None)
    return 0.0 if depth is None else float(depth())


def _at_least_0(name: str, value: Any) -> NDArray[np.float64]:
    number = finite(name, value, 0)
    if number < 0:
        raise ValueError(f"{name}: expected a number of at least 0, got {value!r}")
    return number
