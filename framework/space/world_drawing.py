"""The backend of `World`, and the steps (passes) in which it draws a frame."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from ..arrays import Doubles, Floats
from ..gpu.depth import DepthCopy
from ..gpu.draw_pass import Pass
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, WORLD_BINDING, Graphics
from ..state.backend import Backend, drives, end_backend, new_backend
from . import lights
from .camera3d import Camera3D, Shot
from .shadows import MAX_CASCADES, ShadowMap, Shadows
from .sky import SkyPass
from .solids import AddedSolid, DrivenSolid, SolidFrontend
from .surfaces import SHADOW_UNIT, WorldAssets
from .world import World, WorldParts

# The first float of each member in the uniform block of shaders/include/world.glsl (std140 layout).
_TEXELS = 24
_CASCADES = 28
_LIGHTS = _CASCADES + 16 * MAX_CASCADES
_FLOATS = _LIGHTS + lights.LIGHT_FLOATS * lights.MAX_LIGHTS


class WorldTicks(Backend[World]):
    """The backend of a `World` in a game without graphics. It runs the ticks of the world and its
    solids, and draws nothing.
    """

    __slots__ = ("_by_solid", "_graphics", "_solids", "_sun", "_use_lines", "driven")

    def __init__(self, frontend: World, parts: WorldParts, graphics: Graphics) -> None:
        super().__init__(frontend)
        self._graphics = graphics
        self._solids = parts.solids
        self._sun = parts.sun
        self._use_lines = parts.use_lines
        # a dict from the id of each solid
        self._by_solid: dict[int, tuple[AddedSolid, DrivenSolid]] = {}
        self.driven: list[DrivenSolid] = []
        """The backends of all solids, in the order of the solids."""
        try:
            self.follow()
        except BaseException:
            self.release()
            raise
        parts.solids.driver = self

    def follow(self) -> None:
        """Create backends for new solids, and release the backends of removed solids."""
        solids = {id(solid): solid for solid in self._solids.all}
        for key in self._by_solid.keys() - solids.keys():
            self._end_solid(self._by_solid.pop(key)[0])
        for key, solid in solids.items():
            if key not in self._by_solid:
                self._by_solid[key] = solid, self._new_solid(solid)
        self.driven = [self._by_solid[key][1] for key in solids]

    def _new_solid(self, solid: AddedSolid) -> DrivenSolid:
        if isinstance(solid, SolidFrontend):
            backend: DrivenSolid = new_backend(solid, self._graphics)
            return backend
        return solid

    def _end_solid(self, solid: AddedSolid) -> None:
        if isinstance(solid, SolidFrontend):
            end_backend(solid, drawing=False)

    def _end_solids(self) -> None:
        solids = [solid for solid, _ in self._by_solid.values()]
        self._by_solid = {}
        self.driven = []
        with ExitStack() as stack:
            for solid in solids:
                stack.callback(self._end_solid, solid)

    def begin_tick(self, dt: float) -> None:
        self._use_lines()
        self._sun.begin_tick()
        lights.begin_tick(self.frontend.lights)
        for solid in self.driven:
            solid.begin_tick(dt)

    def end_tick(self) -> None:
        self._sun.end_tick()
        lights.end_tick(self.frontend.lights)
        for solid in self.driven:
            solid.end_tick()

    def notice_writes(self) -> None:
        self._sun.notice_writes()
        lights.notice_writes(self.frontend.lights)
        for solid in self.driven:
            solid.notice_writes()

    def release(self) -> None:
        self._solids.driver = None
        self._end_solids()


class _WorldFrame:
    """The values of the current frame that all passes of a world need."""

    __slots__ = ("camera", "cascades", "clear", "opaque", "shot", "sun", "target")

    camera: Camera3D
    """The camera of the world, or the camera of the view that shows the world."""
    shot: Shot
    sun: lights.Three
    """The direction to the sun, as a vector of length 1."""
    target: moderngl.Framebuffer
    opaque: Sequence[DrivenSolid]
    clear: Sequence[DrivenSolid]
    """The transparent solids to draw in this frame."""
    cascades: Sequence[tuple[Doubles, float]]
    """For each cascade, its matrix and the size of its texels in units."""


@drives(World, unseen=WorldTicks)
class WorldDrawing(WorldTicks):
    """The backend that draws a `World` in a game with graphics. It owns the GPU data of the lights,
    and the passes (the steps in which a frame is drawn).
    """

    __slots__ = (
        "_ctx",
        "_depth",
        "_frame",
        "_light",
        "_no_shadows",
        "_pass_options",
        "_passes",
        "_shadows",
        "_sky",
        "assets",
    )

    def __init__(self, frontend: World, parts: WorldParts, graphics: Graphics) -> None:
        self._ctx = graphics.ctx
        self.assets = WorldAssets(graphics)
        self._frame = _WorldFrame()
        self._light = _LightPass(frontend, self.assets, self._frame)
        self._no_shadows = _NoShadowPass(self._ctx, self._frame)
        self._shadows: _ShadowPass | None = None
        self._sky: SkyPass | None = None
        self._depth = _DepthPass(self.assets, self._frame)
        self._passes: list[Pass] = []
        self._pass_options: object = None
        """The arguments with which `_choose_passes` created the current list of passes."""
        super().__init__(frontend, parts, graphics)

    @property
    def keeps_light(self) -> bool:
        return True

    @property
    def reads_depth(self) -> bool:
        return any(solid.reads_depth for solid in self.driven)

    def follow(self) -> None:
        # another game in this process may have changed the OpenGL state
        with self._graphics.working():
            super().follow()

    def _new_solid(self, solid: AddedSolid) -> DrivenSolid:
        if isinstance(solid, SolidFrontend):
            backend: DrivenSolid = new_backend(solid, self._graphics, self.assets)
            return backend
        solid.attach(self._graphics, self.assets)
        return solid

    def _end_solid(self, solid: AddedSolid) -> None:
        if isinstance(solid, SolidFrontend):
            end_backend(solid, drawing=True)
        else:
            solid.release()

    def shows(self, texture: object) -> bool:
        return self.assets.shows(texture)

    def draw(self) -> None:
        self._use_lines()
        frontend = self.frontend
        frame = self._frame
        assets = self.assets
        frame.camera = assets.graphics.moment.camera
        shot = frame.camera.shot
        assert shot is not None
        assets.shot = frame.shot = shot
        (frame.sun,) = self._sun.at(shot.alpha)
        frame.target = self._ctx.fbo
        opaque: list[DrivenSolid] = []
        clear: list[DrivenSolid] = []
        for solid in self.driven:
            (clear if solid.transparent else opaque).append(solid)
        frame.opaque = opaque
        frame.clear = clear
        shadows = frontend.shadows
        lit = shadows is not None and any(frontend.sun_color)
        soft = bool(clear) and any(solid.reads_depth for solid in clear)
        options = shadows, lit, frontend.sky, bool(clear), soft
        if options != self._pass_options:
            self._choose_passes(shadows if lit else None, bool(clear), soft)
            self._pass_options = options
        for step in self._passes:
            step.draw()
        # the references are deleted, so that Python can free removed solids
        frame.opaque = frame.clear = ()
        self._ctx.enable_only(moderngl.BLEND)

    def _choose_passes(self, shadows: Shadows | None, clear: bool, soft: bool) -> None:
        """Choose the passes of a frame: shadows, light, opaque solids, sky, transparent solids."""
        frame = self._frame
        self._passes = [
            self._choose_shadow_pass(shadows),
            self._light,
            _ClearDepthPass(frame),
            _OpaquePass(frame),
        ]
        sky = self.frontend.sky
        if sky is not None:
            if self._sky is None:
                self._sky = SkyPass(self.assets)
            self._sky.color = None if isinstance(sky, bool) else sky
            self._passes.append(self._sky)
        if soft:
            self._passes.append(self._depth)
        if clear:
            self._passes.append(_ClearPass(self._ctx, frame))

    def _choose_shadow_pass(self, shadows: Shadows | None) -> _ShadowPass | _NoShadowPass:
        """Return the pass for the shadows of the sun, with the settings ``shadows``."""
        if self._shadows is not None and self._shadows.settings != self.frontend.shadows:
            self._shadows.release()
            self._shadows = None
        if shadows is None:
            return self._no_shadows
        if self._shadows is None:
            self._shadows = _ShadowPass(self._ctx, shadows, self._frame, self)
        return self._shadows

    def release(self) -> None:
        shadows = self._shadows
        sky = self._sky
        self._passes = []
        self._pass_options = None
        self._shadows = None
        self._sky = None
        with ExitStack() as stack:
            for part in (self.assets, self._light, self._no_shadows, shadows, sky):
                if part is not None:
                    stack.callback(part.release)
            stack.callback(super().release)


class _NoShadowPass:
    """A pass that replaces `_ShadowPass` in a world without shadows. The pass binds a shadow
    texture of one pixel, so that no surface is in shadow.
    """

    def __init__(self, ctx: moderngl.Context, frame: _WorldFrame) -> None:
        self._frame = frame
        self._texture = ctx.depth_texture((1, 1))
        self._texture.compare_func = "<="

    def draw(self) -> None:
        self._texture.use(SHADOW_UNIT)
        self._frame.cascades = ()

    def release(self) -> None:
        self._texture.release()


class _ShadowPass:
    """The pass that draws the shadow textures for the sun."""

    def __init__(
        self, ctx: moderngl.Context, settings: Shadows, frame: _WorldFrame, world: WorldTicks
    ) -> None:
        self.settings = settings
        self._frame = frame
        self._world = world
        self._map = ShadowMap(ctx, settings)

    def draw(self) -> None:
        frame = self._frame
        casters = [solid for solid in self._world.driven if solid.casts_shadow]
        frame.cascades = self._map.draw(frame.camera, np.array(frame.sun), casters)
        self._map.texture.use(SHADOW_UNIT)

    def release(self) -> None:
        self._map.release()


class _LightPass:
    """The pass that uploads the uniform block of the world, with lights, sun, fog and cascades."""

    def __init__(self, world: World, assets: WorldAssets, frame: _WorldFrame) -> None:
        self._world = world
        self._frame = frame
        self._moment = assets.graphics.moment
        self._values: Floats = np.zeros(_FLOATS, np.float32)
        self._block = assets.graphics.ctx.buffer(reserve=4 * _FLOATS, dynamic=True)

    def draw(self) -> None:
        world = self._world
        frame = self._frame
        values = self._values
        cascades = frame.cascades
        shadows = world.shadows
        rows = lights.packed(world.lights, frame.shot)
        values[:_TEXELS] = (
            *frame.sun,
            0.0,
            *world.sun_color,
            0.0,
            *world.sky_color,
            world.exposure,
            *world.ground_color,
            0.0,
            *world.fog_color,
            world.fog,
            len(rows),
            len(cascades),
            min(shadows.distance, frame.camera.far) if shadows else 0.0,
            0.04 * self._moment.above_white,
        )
        for index, (matrix, texel) in enumerate(cascades):
            values[_TEXELS + index] = texel
            values[_CASCADES + 16 * index : _CASCADES + 16 * (index + 1)] = matrix.reshape(-1)
        values[_LIGHTS : _LIGHTS + rows.size] = rows.reshape(-1)
        self._block.write(values)
        self._block.bind_to_uniform_block(WORLD_BINDING)

    def release(self) -> None:
        self._block.release()


class _ClearDepthPass:
    """The pass that clears the depth buffer. Otherwise, solids of a world that was drawn earlier in
    the frame could hide parts of this world.
    """

    def __init__(self, frame: _WorldFrame) -> None:
        self._frame = frame

    def draw(self) -> None:
        target = self._frame.target
        # moderngl returns four bools, or four bools for each attachment
        mask: Any = target.color_mask
        closed: Any = tuple([False if isinstance(part, bool) else (False,) * 4 for part in mask])
        target.color_mask = closed
        target.clear()
        target.color_mask = mask
        target.use()  # moderngl applies color masks when a framebuffer is bound


class _OpaquePass:
    """The pass that draws the opaque solids."""

    def __init__(self, frame: _WorldFrame) -> None:
        self._frame = frame

    def draw(self) -> None:
        for solid in self._frame.opaque:
            solid.draw()


class _DepthPass:
    """The pass that copies the depth of the opaque solids to a texture. Soft billboards and soft
    particles read the copied depth.
    """

    def __init__(self, assets: WorldAssets, frame: _WorldFrame) -> None:
        self._assets = assets
        self._frame = frame

    def draw(self) -> None:
        assets = self._assets
        if assets.depth is None:
            assets.depth = DepthCopy(assets.graphics.ctx)
        assets.depth.take(self._frame.target)


class _ClearPass:
    """The pass that draws the transparent solids, the farthest first."""

    def __init__(self, ctx: moderngl.Context, frame: _WorldFrame) -> None:
        self._ctx = ctx
        self._frame = frame

    def draw(self) -> None:
        target = self._frame.target
        self._ctx.blend_func = BLEND_MODES["alpha"]  # type: ignore[assignment]  # the stubs know two factors only
        target.depth_mask = False
        target.use()
        for solid in sorted(self._frame.clear, key=lambda solid: solid.depth(), reverse=True):
            solid.draw()
        target.depth_mask = True
        target.use()
