"""The sky, as it is drawn behind everything in a world."""

from __future__ import annotations

from ..gpu.gl import moderngl
from .surfaces import WorldAssets


class SkyPass:
    """The pass that draws the sky.

    It is one triangle over the whole screen, as far away as the depth buffer reaches.
    """

    __slots__ = ("_array", "_ctx", "_program", "color")

    def __init__(self, assets: WorldAssets) -> None:
        self._ctx = assets.graphics.ctx
        self._program = assets.get("sky.vert", "sky.frag")
        self._array = self._ctx.vertex_array(self._program, [])
        self.color: tuple[float, float, float] | None = None
        """A color of light, or None for a sky with the sun."""

    def draw(self) -> None:
        uniform = self._program["plain"]
        assert isinstance(uniform, moderngl.Uniform)
        uniform.value = (0.0, 0.0, 0.0, 0.0) if self.color is None else (*self.color, 1.0)
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<="  # where nothing was drawn, the depth is the farthest too
        self._array.render(moderngl.TRIANGLES, vertices=3)
        self._ctx.depth_func = "<"

    def release(self) -> None:
        """Free its memory on the GPU; the program belongs to the world's assets."""
        self._array.release()
