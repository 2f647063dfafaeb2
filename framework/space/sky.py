"""Draw the background of a 3D world: a sky or a single color."""

from __future__ import annotations

from ..gpu.gl import moderngl
from .surfaces import WorldAssets


class SkyPass:
    """Draws the sky behind all solids, as one triangle that covers the screen."""

    __slots__ = ("_array", "_ctx", "_program", "color")

    def __init__(self, assets: WorldAssets) -> None:
        self._ctx = assets.graphics.ctx
        self._program = assets.get("sky.vert", "sky.frag")
        self._array = self._ctx.vertex_array(self._program, [])
        self.color: tuple[float, float, float] | None = None
        """The linear color of the background. If the color is None, a sky with the sun is drawn."""

    def draw(self) -> None:
        uniform = self._program["plain"]
        assert isinstance(uniform, moderngl.Uniform)
        uniform.value = (0.0, 0.0, 0.0, 0.0) if self.color is None else (*self.color, 1.0)
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<="  # pixels without an object have the same depth as the sky
        self._array.render(moderngl.TRIANGLES, vertices=3)
        self._ctx.depth_func = "<"

    def release(self) -> None:
        """Release the vertex array of the triangle.

        The shader program belongs to the world's assets, which release it later.
        """
        self._array.release()
