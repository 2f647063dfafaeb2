"""Copy the depth of a framebuffer to a texture, which shaders can read."""

from __future__ import annotations

from .gl import moderngl, opengl


class DepthCopy:
    """A texture that contains a copy of a framebuffer's depth values. A depth of 0 is the smallest
    distance at which the camera draws objects, and a depth of 1 is the largest.

    The texture has the same size in pixels as the framebuffer. In a shader, read the texture with
    ``texelFetch(depth, ivec2(gl_FragCoord.xy), 0)``. With MSAA, a pixel has several samples. The
    texture contains the depth of one sample per pixel. A framebuffer with MSAA must have a 24-bit
    depth buffer and no stencil buffer. The framework's own framebuffers meet this condition. The
    depth buffer of a window may have any format. A window's depth can be copied only without MSAA.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._gl = opengl()
        self._texture: moderngl.Texture | None = None
        self._framebuffer: moderngl.Framebuffer | None = None

    def take(self, target: moderngl.Framebuffer) -> None:
        """Copy the depth of all pixels in the viewport from ``target`` to the texture. After the
        call, ``target`` is the bound framebuffer.
        """
        gl = self._gl
        x, y, width, height = target.viewport
        texture = self._texture_of((x + width, y + height))
        if target.samples:
            if self._framebuffer is None:
                self._framebuffer = self._ctx.framebuffer([], texture)
            area = x, y, x + width, y + height
            gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, target.glo)
            gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, self._framebuffer.glo)
            gl.glBlitFramebuffer(*area, *area, gl.GL_DEPTH_BUFFER_BIT, gl.GL_NEAREST)
            target.use()
        else:  # `glCopyTexSubImage2D` accepts all depth formats
            texture.use(0)
            gl.glCopyTexSubImage2D(gl.GL_TEXTURE_2D, 0, x, y, x, y, width, height)

    def _texture_of(self, size: tuple[int, int]) -> moderngl.Texture:
        if self._texture is None or self._texture.size != size:
            self.release()
            self._texture = self._ctx.depth_texture(size)
            # shaders read the depth, and OpenGL does not compare the depth
            self._texture.compare_func = ""
            self._texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        return self._texture

    def use(self, unit: int) -> None:
        """Bind the texture to a texture unit, so that a ``sampler2D`` can read the texture."""
        assert self._texture is not None
        self._texture.use(unit)

    def release(self) -> None:
        """Release the texture and the framebuffer. Calling `release` again does nothing."""
        for part in (self._framebuffer, self._texture):
            if part is not None:
                part.release()
        self._framebuffer = self._texture = None
