"""A world: what is in space, the light that falls on it, and the camera that sees it. It is drawn
as one thing.
"""

from __future__ import annotations

__all__ = ["World"]

import math
from contextlib import ExitStack
from functools import partial
from typing import Any, TypeVar

import numpy as np

from .. import checks
from ..arrays import Doubles, Floats
from ..checks import Sealed, Setting
from ..current_game import between_ticks
from ..gpu.depth import DepthCopy
from ..gpu.drawable import DrawableDefaults, SolidDefaults, completed, original
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, WORLD_BINDING, Graphics
from ..motion.viewpoint import LARGEST
from ..state.latched import Latched, LatchedValue, linear
from .camera3d import Camera3D, Shot
from .lights import LIGHT_FLOATS, MAX_LIGHTS, Lights, Three, color
from .lines import Lines
from .shadows import MAX_CASCADES, ShadowMap, Shadows
from .sky import Backdrop
from .surfaces import SHADOW_UNIT, WorldAssets

# The uniform block of shaders/include/world.glsl, std140: where its parts begin, in floats.
_TEXELS, _CASCADES = 24, 28
_LIGHTS = _CASCADES + 16 * MAX_CASCADES
_FLOATS = _LIGHTS + LIGHT_FLOATS * MAX_LIGHTS

S = TypeVar("S", bound=Any)


def _direction(name: str, value: Any) -> Three:
    x, y, z = checks.direction(name, value).tolist()
    return x, y, z


def _checked_sky(name: str, value: Any) -> bool | Three | None:
    if value is None or isinstance(value, bool):
        return value or None
    return color(name, value)


def _checked_shadows(name: str, value: Any) -> Shadows | None:
    if value is None or isinstance(value, bool):
        return Shadows() if value else None
    return checks.instance(name, value, Shadows, what="True, None or Shadows(…)")


def _blend_sun(previous: tuple[Three], current: tuple[Three], alpha: float) -> tuple[Three]:
    """A direction of length 1 on the straight line from one to another."""
    x, y, z = linear(previous[0], current[0], alpha)
    length = math.sqrt(x * x + y * y + z * z)
    # In the middle between two opposite ones there is no direction to take.
    return ((x / length, y / length, z / length),) if length > 1e-6 else current


class World(Sealed, DrawableDefaults):
    """Things in space, with a `Camera3D` and light: a sun, a sky, and any number of `lights`.

    Colours of light are linear and may be above 1: the colour of a light is what a white matt
    surface that faces it shows. The picture is tone mapped and sRGB. A bad value is an error that
    names what was set.
    """

    __slots__ = (
        *(
            "_assets",
            "_attached",
            "_backdrop",
            "_block",
            "_camera",
            "_exposure",
            "_fog",
            "_fog_color",
            "_graphics",
        ),
        *(
            "_lines",
            "_no_shadows",
            "_shadow_map",
            "_shadows",
            "_sky",
            "_sky_color",
            "_solids",
            "_sun",
            "_sun_color",
        ),
        *("__weakref__", "_ground_color", "_read_lines", "_values", "lights"),
    )

    not_state = (
        "_assets",
        "_attached",
        "_backdrop",
        "_block",
        "_graphics",
        "_no_shadows",
        "_shadow_map",
        "_values",
    )

    _not_hashed = ("_read_lines",)

    keeps_light = True

    _shadows: Shadows | None
    _sky: bool | Three | None

    camera = Setting(
        partial(checks.instance, kind=Camera3D), "What it is seen with; another one may be set."
    )
    sun_direction = LatchedValue(
        "_sun",
        0,
        _direction,
        "The direction to the sun, set of any length, then of length 1. It is interpolated.",
    )
    sun_color = Setting(color, "Black for a night without it.")
    sky_color = Setting(
        color,
        "Ambient light from above. The sky that mirrors show, and that is drawn with "
        "`sky`, is made of it.",
    )
    ground_color = Setting(color, "Ambient light from below.")
    fog_color = Setting(color, "What is seen of something in endless fog.")
    fog = Setting(
        partial(checks.number, least=0, most=LARGEST),
        "How much fog there is in a unit: of what is 1 / fog away, 37 % is seen; 0 for none.",
    )
    exposure = Setting(
        partial(checks.number, least=0, most=LARGEST),
        "What all light is multiplied with before it is tone mapped.",
    )
    sky = Setting(
        _checked_sky,
        """What is drawn behind everything: True for a sky with the sun, a colour of light for that alone, or None.

        It covers what was drawn before the world.
        """,
    )
    shadows = Setting(
        _checked_shadows,
        "The sun's shadows: True, or `Shadows` with settings; None for none, which is "
        "the cheapest.",
    )

    def __init__(self, camera: Camera3D | None = None) -> None:
        self.camera = Camera3D() if camera is None else camera
        self.lights = Lights()
        """Point and spot lights."""
        self._sun = Latched((_direction("sun_direction", (0.4, 0.8, 0.45)),), _blend_sun)
        self.sun_color, self.sky_color = (1.1, 1.02, 0.9), (0.18, 0.24, 0.32)
        self.ground_color, self.fog_color = (0.10, 0.09, 0.075), (0.42, 0.50, 0.60)
        self.fog, self.exposure = 0.0, 1.0
        self.sky = self.shadows = None
        self._solids: list[Any] = []  # of `Solid`s
        self._attached: list[Any] = []  # those that have what they need on the GPU
        self._lines: Lines | None = None
        self._read_lines: Lines | None = (
            None  # made when somebody looked at them between ticks; until they are used
        )
        self._values: Floats = np.zeros(_FLOATS, np.float32)  # of the uniform block
        self._graphics: Graphics | None = None
        self._assets: WorldAssets | None = None
        self._block: moderngl.Buffer | None = None
        self._shadow_map: ShadowMap | None = None
        self._no_shadows: moderngl.Texture | None = None
        self._backdrop: Backdrop | None = None

    # -- things ------------------------------------------------------------------------------------

    def add(self, solid: S) -> S:
        """Draw ``solid`` (a `MeshBatch`, …), and the ``parts`` that it may consist of; returns
        it.
        """
        drawn: Any = completed("solid", solid, SolidDefaults)
        if not drawn.in_world:
            hint = "add it to the scene: scene.add(…)"
            raise checks.wrong_type(
                "solid", f"what is in space, such as a MeshBatch; {hint}", solid
            )
        if self._assets is None and any(
            original(known) is solid for known in self._solids
        ):  # else `attach` says so
            raise ValueError("solid: it was added to this world already")
        if self._graphics is not None and self._assets is not None:
            with self._graphics.working():  # another game may have drawn last
                drawn.attach(self._graphics, self._assets)
            self._attached.append(drawn)
        self._solids.append(drawn)
        for part in drawn.parts:
            self.add(part)
        return solid

    def discard(self, solid: Any) -> None:
        """Stop drawing something that was added, and release it."""
        for index, known in enumerate(self._solids):
            if original(known) is solid:
                del self._solids[index]
                if known is self._lines:
                    self._lines = None
                if self._graphics is not None and self._assets is not None:
                    self._attached = [
                        attached for attached in self._attached if attached is not known
                    ]
                    with self._graphics.working():
                        known.release()
                for part in known.parts:
                    self.discard(part)
                return
        raise ValueError("solid: it is not in this world")

    @property
    def lines(self) -> Lines:
        """Lines to see what the game computes, hidden by what is before them, added at their first
        use.
        """
        if self._lines is None:
            if self._read_lines is None:
                self._read_lines = Lines()
            if between_ticks() and self._read_lines.untouched:
                return self._read_lines
            self._use_lines(self._read_lines)
        assert self._lines is not None
        return self._lines

    def _use_lines(self, lines: Lines) -> None:
        self._read_lines, self._lines = None, self.add(lines)

    def _use_touched_lines(self) -> None:
        lines = self._read_lines
        if lines is not None and not lines.untouched:
            self._use_lines(lines)

    # -- driven by the game ------------------------------------------------------------------------

    @property
    def batches(self) -> list[Any]:
        """All that it has rows of: its lights, and the solids."""
        return [self.lights, *self._solids]

    def attach(self, graphics: Graphics) -> None:
        if self._assets is not None:
            raise ValueError("world: it was added to a game already")
        self._graphics = graphics
        self._assets = WorldAssets(graphics)
        self._block = graphics.ctx.buffer(reserve=4 * _FLOATS, dynamic=True)
        self._no_shadows = graphics.ctx.depth_texture((1, 1))
        self._no_shadows.compare_func = "<="
        for solid in self._solids:
            solid.attach(graphics, self._assets)
            self._attached.append(solid)

    def after_restore(self) -> None:
        """A snapshot was put back: have the solids attached that there were, and no others."""
        if self._graphics is None or self._assets is None:
            return
        solids, attached = (
            {id(solid) for solid in self._solids},
            {id(solid) for solid in self._attached},
        )
        for solid in self._attached:
            if id(solid) not in solids:
                solid.release()
        self._attached = list(self._solids)
        for solid in self._solids:
            if id(solid) not in attached:
                solid.attach(self._graphics, self._assets)

    def begin_tick(self, dt: float) -> None:
        self._use_touched_lines()
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
        """What is opaque, the sky, then what lets it through, the farthest first."""
        self._use_touched_lines()
        assets = self._assets
        assert assets is not None
        camera: Camera3D = (
            assets.graphics.moment.camera
        )  # a view's, where the scene is seen in views
        shot = camera.shot
        assert shot is not None
        ctx = assets.graphics.ctx
        assets.shot = shot
        self._light(assets, camera, shot)
        target = ctx.fbo
        _clear_depth(target)
        clear = [solid for solid in self._solids if solid.transparent]
        for solid in self._solids:
            if not solid.transparent:
                solid.draw()
        if self._sky is not None:
            self._draw_sky(assets, self._sky)
        if clear:
            if any(solid.reads_depth for solid in clear):
                self._copy_depth(assets, target)
            ctx.blend_func = BLEND_MODES["alpha"]  # type: ignore[assignment]  # the stubs know two factors only
            target.depth_mask = False
            target.use()
            for solid in sorted(clear, key=lambda solid: solid.depth(), reverse=True):
                solid.draw()
            target.depth_mask = True
            target.use()
        ctx.enable_only(moderngl.BLEND)

    def shows(self, picture: object) -> bool:
        """Whether a material in it shows this picture, which is drawn while the game runs."""
        return self._assets is not None and self._assets.shows(picture)

    @property
    def reads_depth(self) -> bool:
        """Whether anything in it does: it must then be drawn where depth can be copied from."""
        return any(solid.reads_depth for solid in self._solids)

    def _copy_depth(self, assets: WorldAssets, target: moderngl.Framebuffer) -> None:
        if assets.depth is None:
            assets.depth = DepthCopy(assets.graphics.ctx)
        assets.depth.take(target)

    def _draw_sky(self, assets: WorldAssets, sky: bool | Three) -> None:
        if self._backdrop is None:
            self._backdrop = Backdrop(assets)
        self._backdrop.draw(None if isinstance(sky, bool) else sky)

    def _light(self, assets: WorldAssets, camera: Camera3D, shot: Shot) -> None:
        """Draw the shadows, and bring the uniform block up to date."""
        ctx = assets.graphics.ctx
        (sun,) = self._sun.at(shot.alpha)
        cascades = self._draw_shadows(ctx, camera, np.array(sun))
        lights = self.lights.packed(shot)
        reach = min(self._shadows.distance, camera.far) if self._shadows else 0.0
        values = self._values
        values[:_TEXELS] = (
            *sun,
            0.0,
            *self.sun_color,
            0.0,
            *self.sky_color,
            self.exposure,
            *self.ground_color,
            0.0,
            *self.fog_color,
            self.fog,
            len(lights),
            len(cascades),
            reach,
            0.04 * assets.graphics.moment.above_white,
        )
        for index, (matrix, texel) in enumerate(cascades):
            values[_TEXELS + index] = texel
            values[_CASCADES + 16 * index : _CASCADES + 16 * (index + 1)] = matrix.reshape(-1)
        values[_LIGHTS : _LIGHTS + lights.size] = lights.reshape(-1)
        assert self._block is not None
        self._block.write(values)
        self._block.bind_to_uniform_block(WORLD_BINDING)

    def _draw_shadows(
        self, ctx: moderngl.Context, camera: Camera3D, sun: Doubles
    ) -> list[tuple[Doubles, float]]:
        settings, shadow_map = self._shadows, self._shadow_map
        if shadow_map is not None and shadow_map.settings != settings:
            shadow_map.release()
            shadow_map = self._shadow_map = None
        if settings is None or not any(self.sun_color):
            assert self._no_shadows is not None
            self._no_shadows.use(SHADOW_UNIT)
            return []
        if shadow_map is None:
            shadow_map = self._shadow_map = ShadowMap(ctx, settings)
        casters = [solid for solid in self._solids if solid.casts_shadow]
        cascades = shadow_map.draw(camera, sun, casters)
        shadow_map.texture.use(SHADOW_UNIT)
        return cascades

    def release(self) -> None:
        with ExitStack() as stack:
            for part in (
                self._assets,
                self._block,
                self._no_shadows,
                self._shadow_map,
                self._backdrop,
            ):
                if part is not None:
                    stack.callback(part.release)
            for solid in self._attached:
                stack.callback(solid.release)
        self._attached = []
        self._graphics = self._assets = self._block = self._no_shadows = self._shadow_map = (
            self._backdrop
        ) = None


def _clear_depth(target: moderngl.Framebuffer) -> None:
    """A world hides nothing of one that is drawn over it."""
    mask: Any = target.color_mask  # four bools, or so many for each attachment
    closed: Any = tuple([False if isinstance(part, bool) else (False,) * 4 for part in mask])
    target.color_mask = closed
    target.clear()
    target.color_mask = mask
    target.use()  # masks count from here on
