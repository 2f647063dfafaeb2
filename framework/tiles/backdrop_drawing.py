"""Draw a `Backdrop`, or only read the size of its image in a game without graphics."""

from __future__ import annotations

import math
from collections.abc import Set

from ..assets import images
from ..gpu import shaders
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, Graphics, bind_frame, programs_of
from ..gpu.wrapped import WrappedTexture
from ..state.backend import drives
from .backdrop import Backdrop, BackdropParts
from .parallax_layers import LayerView, ParallaxLayerBackend, Uniforms, layer_view

_IMAGE_UNIT = 0


class BackdropSize(ParallaxLayerBackend[Backdrop]):
    """The backend of a `Backdrop` in a game without graphics.

    It draws nothing, and only reads the size of the image.
    """

    __slots__ = ("_image",)

    def __init__(self, frontend: Backdrop, parts: BackdropParts, graphics: Graphics) -> None:
        super().__init__(frontend, parts, graphics)
        self._image = parts.image
        self._image.size = images.sizes([self._image.source], graphics.folders)[0]


@drives(Backdrop, unseen=BackdropSize)
class BackdropDrawing(BackdropSize):
    """The backend that draws a `Backdrop` with one texture and one draw call."""

    __slots__ = ("_array", "_graphics", "_program", "_texture")

    def __init__(self, frontend: Backdrop, parts: BackdropParts, graphics: Graphics) -> None:
        super().__init__(frontend, parts, graphics)
        image = parts.image
        self._graphics = graphics
        self._texture = WrappedTexture(graphics, image.source, ("clamp", "clamp"), image.filter)
        self._program = programs_of(graphics).get("backdrop.vert", "backdrop.frag")
        self._program["image"] = _IMAGE_UNIT
        bind_frame(self._program)
        self._array = graphics.ctx.vertex_array(self._program, [])

    def renew(self, files: Set[str]) -> bool:
        if not self._texture.renew(files):
            return False
        self._image.size = self._texture.size
        return True

    def draw(self) -> None:
        frontend = self.frontend
        ctx = self._graphics.ctx
        view = layer_view(frontend, self._state, self._graphics)
        if view is None:
            return
        settings = view.window() | self._image_uniforms(view)
        for name, value in settings.items():
            shaders.set_known(self._program, name, value)
        # Repeat or clamp the texture along each axis. At an edge of the image, pixels from both
        # sides are blended only if the image repeats along this axis.
        is_tiled = self._image.is_tiled
        self._texture.repeat(frontend.repeat[0] or is_tiled, frontend.repeat[1] or is_tiled)
        self._texture.use(_IMAGE_UNIT)
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = BLEND_MODES[frontend.blend]  # type: ignore[assignment]  # the stubs know two factors only
        self._array.render(moderngl.TRIANGLE_STRIP, vertices=4)

    def _image_uniforms(self, view: LayerView) -> Uniforms:
        """Return the uniforms for the shaders backdrop.vert and backdrop.frag.

        They contain the position of the image relative to the camera, and the box that it covers on
        the screen.
        """
        frontend = self.frontend
        size = self.frontend.size
        box = view.box()
        units = view.units()
        low = []
        high = []
        origin = []
        for axis, (side, repeats) in enumerate(zip(size, frontend.repeat, strict=True)):
            eye = view.eye[axis]
            # the repetition that is nearest to the center of the view
            start = -math.fmod(eye, side) if repeats else -eye
            screen_start = box[axis] - eye
            screen_end = box[axis + 2] - eye
            low.append(screen_start if repeats else max(start, screen_start) - units[axis])
            high.append(screen_end if repeats else min(start + side, screen_end) + units[axis])
            origin.append(start)
        texels = max(units[0] / frontend.scale[0], units[1] / frontend.scale[1])
        return {
            "box": (*low, *high),
            "origin": tuple(origin),
            "size": size,
            "part": self._image.texture_box,
            "repeat": tuple(map(int, frontend.repeat)),
            "level": max(0.0, math.log2(texels)),
        }

    def release(self) -> None:
        self._array.release()
        self._texture.release()
