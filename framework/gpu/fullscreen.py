"""Draw the whole screen with a shader of your own, or run a simulation on the GPU."""

from __future__ import annotations

__all__ = ["FullscreenQuad", "PingPong"]

from contextlib import suppress
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..errors import FrameworkError
from ..moved_names import renamed_options
from ..state.backend import Backend, Frontend, drives
from .gl import moderngl
from .graphics import BLEND_MODES, Graphics
from .passes import EffectChain, Target
from .uniforms import Shaded, Uniforms

_set = object.__setattr__

# the maximum number of steps in one call, which takes several seconds even on the fastest GPU
_MAX_STEPS = 100_000


class FullscreenQuadParts(NamedTuple):
    """The objects that a `FullscreenQuad` passes to its backend, which draws the quad."""

    blend: str
    uniforms: Uniforms


class FullscreenQuad(Shaded, Frontend):
    """A rectangle that covers the whole screen. Your own fragment shader computes its colors.

        self.add(fw.FullscreenQuad("stars.frag", speed=0.2))

    You can draw the rectangle in any layer, below or above other drawables.

    Parameters
    ----------
    source
        A file name relative to the game's folder, or GLSL code. The shader must contain a function
        ``vec4 fill(vec2 place)``. ``fill`` returns the color at ``place``, with premultiplied
        alpha. In the shader, ``size`` is the width and height of the drawn area. The unit of
        ``size`` is a pixel of the framebuffer, or a texel for pixel art. See
        shaders/include/fill.glsl.
    blend
        The blend mode: how colors mix with the background; see `SpriteBatch`. ``blend``
        defaults to ``"alpha"``.
    uniforms
        Keyword arguments: initial values for the uniforms of the shader. You can read and write the
        uniforms as attributes; see `Effect`.
    """

    _include: ClassVar[str] = "fill.glsl"
    _backend_in = "framework.gpu.fullscreen"
    _has_no_rows = True

    def __init__(self, source: str, *, blend: str = "alpha", **uniforms: Any) -> None:
        _set(self, "_backend", None)
        _set(self, "_blend", checks.choice("blend", blend, BLEND_MODES))
        self._read_source(source, uniforms)

    def _parts(self) -> FullscreenQuadParts:
        return FullscreenQuadParts(self._blend, self._uniforms)

    def teleport(self) -> None:
        """Draw the new values of the uniforms, without interpolation from the last tick."""
        self._uniforms.teleport()


class FullscreenQuadTicks(Backend[FullscreenQuad]):
    """The backend of a `FullscreenQuad` in a game without graphics."""

    __slots__ = ("_uniforms",)

    def __init__(
        self, frontend: FullscreenQuad, parts: FullscreenQuadParts, graphics: Graphics
    ) -> None:
        super().__init__(frontend)
        self._uniforms = parts.uniforms

    def begin_tick(self, dt: float) -> None:
        self._uniforms.begin_tick()

    def end_tick(self) -> None:
        self._uniforms.end_tick()

    def notice_writes(self) -> None:
        self._uniforms.notice_writes()


@drives(FullscreenQuad, unseen=FullscreenQuadTicks)
class FullscreenQuadDrawing(FullscreenQuadTicks):
    """The backend of a `FullscreenQuad` in a game with graphics.

    The effect chain of the game creates and releases the shader program. Quads with the same shader
    share one program.
    """

    __slots__ = ("_chain", "_factors", "_graphics")

    def __init__(
        self, frontend: FullscreenQuad, parts: FullscreenQuadParts, graphics: Graphics
    ) -> None:
        """Compile the shader of the quad. Raises `ShaderError` if the shader does not compile."""
        super().__init__(frontend, parts, graphics)
        self._graphics = graphics
        self._factors = BLEND_MODES[parts.blend]
        self._chain = EffectChain.of(graphics)
        self._chain.prepare([frontend])

    def draw(self) -> None:
        uniforms = self._uniforms
        chain = self._chain
        ctx = self._graphics.ctx
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = self._factors  # type: ignore[assignment]  # the stubs know two factors only
        drawn = chain.own_pass(uniforms)
        for name, value in uniforms.at(self._graphics.moment.alpha).items():
            drawn.set(name, value)
        drawn.draw(chain.textures_of(uniforms))

    def shows(self, texture: object) -> bool:
        return self._uniforms.shows(texture)


class PingPong(Shaded):
    """Two textures for simulations on the GPU. Each `step` reads the image in one texture and draws
    the next image into the other texture. Typical uses are simulations, feedback effects and blurs.

    Create the `PingPong` in `setup`. Call `step` in `draw` or `update`. To show the texture of a
    `PingPong`, use your own shader program. Saves and snapshots do not contain the textures. Call
    `release` when you no longer need the textures.

    Parameters
    ----------
    graphics
        ``game.picture.graphics`` of a game that has graphics.
    size
        The width and height of both textures in texels.
    source
        The fragment shader, as a file name or as GLSL code. The shader must contain a function
        ``vec4 following(vec2 place)``. ``following`` returns the new value of the texel at
        ``place``. See shaders/include/following.glsl.
    start
        The first image. ``start`` has the shape (height, width, 4), and row 0 is the bottom. By
        default, all values in the first image are 0.
    dtype
        The type of the values: ``"f4"`` (default) or ``"f2"`` for floats. ``"f1"`` stores values
        from 0 to 1 in bytes.
    uniforms
        Keyword arguments: initial values for the uniforms of the shader. You can read and write the
        uniforms as attributes of the `PingPong`.
    """

    _include: ClassVar[str] = "following.glsl"
    _graphics: Graphics
    _targets: list[Target]
    _transient_attributes: ClassVar[Any] = True

    def __init__(
        self,
        graphics: Graphics,
        size: tuple[int, int],
        source: str,
        *,
        start: ArrayLike | None = None,
        dtype: str = "f4",
        **uniforms: Any,
    ) -> None:
        checks.instance("graphics", graphics, Graphics, hint="pass game.picture.graphics")
        width, height = checks.size("size", size, 16384)
        checks.choice("dtype", dtype, tuple(_TYPES))
        begin = (
            None
            if start is None
            else checks.numbers("start", start, (height, width, 4), dtype="f4")
        )
        self._read_source(source, uniforms)
        _set(self, "_graphics", graphics)
        with graphics.working():
            EffectChain.of(graphics).prepare([self])
            targets = [Target(graphics.ctx, (width, height), dtype) for _ in range(2)]
            for target in targets:
                target.texture.filter = moderngl.NEAREST, moderngl.NEAREST
                target.framebuffer.clear()
            _set(self, "_targets", targets)
            if begin is not None:
                targets[0].texture.write(_texels(begin, dtype))

    @property
    def texture(self) -> moderngl.Texture:
        """The texture that contains the image of the last `step`.

        Raises `FrameworkError` after `release`.
        """
        return self._open[0].texture

    @property
    def _open(self) -> list[Target]:
        if not self._targets:
            raise FrameworkError("PingPong: already released; make a new one")
        return self._targets

    @renamed_options("PingPong.step", times="count")
    def step(self, count: int = 1) -> None:
        """Run ``count`` steps, each of which computes the next image. Each step reads one texture
        and draws into the other texture.

        `step` does not change which framebuffer and viewport are active.
        """
        count = checks.whole("count", count, 0, _MAX_STEPS)
        with self._graphics.working():
            ctx = self._graphics.ctx
            chain = EffectChain.of(self._graphics)
            before = ctx.fbo
            viewport = ctx.fbo.viewport
            ctx.enable_only(moderngl.NOTHING)
            uniforms = self._uniforms
            drawn = chain.own_pass(uniforms)
            textures = chain.textures_of(uniforms)
            for name, value in uniforms.at(1.0).items():
                drawn.set(name, value)
            drawn.set("size", tuple(map(float, self._open[0].size)))
            for _ in range(count):
                self._targets[1].use()
                drawn.draw({"source": self._targets[0].texture, **textures})
                self._targets.reverse()
            before.viewport = viewport
            before.use()
            ctx.enable_only(moderngl.BLEND)

    def read(self) -> NDArray[np.float32]:
        """Return the image of the last `step`. The array is float32 with the shape (height, width,
        4), and row 0 is at the bottom.

        Do not call `read` in every frame, because `read` waits until the GPU has finished drawing.
        """
        target = self._open[0]
        with self._graphics.working():
            data = np.frombuffer(target.texture.read(), _TYPES[target.dtype]).astype(np.float32)
        width, height = target.size
        return data.reshape(height, width, 4) / np.float32(255 if target.dtype == "f1" else 1)

    def release(self) -> None:
        """Release the two textures. Calling `release` again, or after the game was closed, does
        nothing.
        """
        targets = [*self._targets]
        self._targets[:] = []
        with suppress(FrameworkError), self._graphics.working():
            for target in targets:
                target.release()


_TYPES: dict[str, type[np.number[Any]]] = {"f1": np.uint8, "f2": np.float16, "f4": np.float32}


def _texels(values: NDArray[Any], dtype: str) -> bytes:
    """Return the bytes of a texture. Bytes ("f1") store values from 0 to 1."""
    numbers = (values.clip(0, 1) * 255).round() if dtype == "f1" else values
    return numbers.astype(_TYPES[dtype]).tobytes()
