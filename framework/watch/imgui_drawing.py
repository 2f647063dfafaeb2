"""Draw Dear ImGui widgets over a game, with the package slimgui."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import FrameworkError
from ..gpu import shaders
from ..gpu.gl import moderngl
from ..optional_packages import check_version
from ..timing.timestep import NANOSECONDS
from .panels import plain_state

if TYPE_CHECKING:
    from types import ModuleType

    from slimgui import imgui as widgets

_INITIAL_BYTES = 1 << 16  # the initial size of the buffers in bytes


def load() -> ModuleType:
    """Return the module ``imgui`` of slimgui. Raise `FrameworkError` if slimgui is too old or not
    installed.
    """
    check_version("slimgui", "The inspector")
    try:
        from slimgui import imgui
    except ImportError:
        raise FrameworkError(
            "The inspector is drawn with slimgui, which is not installed: pip install "
            "'subtick[debug]'"
        ) from None
    return imgui


class ImguiDrawing:
    """Draws the widgets that the function ``build`` creates in each frame. The caller sends mouse
    and key events to the attribute `io`.
    """

    def __init__(self, build: Callable[[int, int], object]) -> None:
        load()
        from slimgui import imgui

        self._build = build
        self._context: widgets.WrappedContext | None = imgui.create_context()
        imgui.set_current_context(self._context)
        self.io: widgets.IO = imgui.get_io()
        """ImGui's input object, which receives the mouse and the keys."""
        self.io.ini_filename = None
        flags = imgui.BackendFlags
        self.io.backend_flags |= flags.RENDERER_HAS_TEXTURES | flags.RENDERER_HAS_VTX_OFFSET
        self._textures: dict[int, moderngl.Texture] = {}
        self._made: list[moderngl.VertexArray | moderngl.Buffer] = []
        self._numbers = 0
        self._before: int | None = None

    def attach(self, ctx: moderngl.Context, scale: int) -> None:
        """Create the GPU objects of the panel. ``scale`` is the number of screen pixels per
        unit.
        """
        from slimgui import imgui

        self._ctx = ctx
        style = imgui.get_style()
        style.scale_all_sizes(float(scale))
        style.font_scale_main = float(scale)
        self._program = shaders.program(ctx, "inspector.vert", "inspector.frag")
        self._reserve(_INITIAL_BYTES, _INITIAL_BYTES)

    @property
    def broken(self) -> bool:
        """Whether the panel was released after an error in the function ``build``."""
        return self._context is None

    def _reserve(self, vertices: int, indices: int) -> None:
        from slimgui import imgui

        for part in self._made:
            part.release()
        ctx = self._ctx
        self._vertices = ctx.buffer(reserve=vertices)
        self._indices = ctx.buffer(reserve=indices)
        content = [(self._vertices, "2f 2f 4f1", "place", "texel", "tint")]
        size = imgui.INDEX_SIZE
        self._array = ctx.vertex_array(
            self._program, content, index_buffer=self._indices, index_element_size=size
        )
        self._made = [self._array, self._vertices, self._indices]

    def release(self) -> None:
        """Release the GPU objects of the panel and ImGui's context."""
        if self._context is None:
            return
        from slimgui import imgui

        imgui.set_current_context(self._context)
        for texture in imgui.get_platform_io().textures:
            texture.set_tex_id(0)
            texture.set_status(imgui.TextureStatus.DESTROYED)
        imgui.destroy_context(self._context)
        self._context = None
        for part in (*self._made, self._program, *self._textures.values()):
            part.release()
        self._made = []
        self._textures = {}

    def draw(self, now: int, screen: tuple[int, int]) -> None:
        """Draw the widgets to the current framebuffer. ``screen`` is the size of the framebuffer in
        pixels, and ``now`` is the current time in nanoseconds.
        """
        if self._context is None:
            return
        from slimgui import imgui

        io = self.io
        imgui.set_current_context(self._context)
        io.display_size = screen
        elapsed = 0 if self._before is None else now - self._before
        io.delta_time = min(max(elapsed / NANOSECONDS, 1e-4), 1.0)
        self._before = now
        # The package slimgui declares no type for this function.
        new_frame: Callable[[], None] = imgui.new_frame
        new_frame()
        try:
            self._build(*screen)
        except BaseException:
            self.release()  # ImGui cannot draw an incomplete frame
            raise
        imgui.render()
        with plain_state(self._ctx):
            self._render(imgui.get_draw_data(), screen)

    def _render(self, data: widgets.DrawData, screen: tuple[int, int]) -> None:
        from slimgui import imgui

        ctx = self._ctx
        target = self._ctx.fbo
        self._update_textures(data)
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        self._program["size"] = screen
        self._program["image"] = 0
        for commands in data.commands_lists:
            vertices = commands.vtx_buffer_size * imgui.VERTEX_SIZE
            indices = commands.idx_buffer_size * imgui.INDEX_SIZE
            if vertices > self._vertices.size or indices > self._indices.size:
                self._reserve(
                    max(2 * vertices, self._vertices.size), max(2 * indices, self._indices.size)
                )
            _write_memory(self._vertices, commands.vtx_buffer_data, vertices)
            _write_memory(self._indices, commands.idx_buffer_data, indices)
            for command in commands.commands:
                target.scissor = _scissor(command.clip_rect, screen[1])
                texture = self._textures.get(command.tex_ref.get_tex_id())
                if texture is not None:
                    texture.use(0)
                    self._array.render(
                        moderngl.TRIANGLES, command.elem_count, first=command.idx_offset
                    )
        target.scissor = None  # type: ignore[assignment]  # the whole framebuffer

    def _update_textures(self, data: widgets.DrawData) -> None:
        """Create, update and delete the textures that ImGui requests. ImGui adds a character to a
        texture when a widget shows it for the first time.
        """
        from slimgui import imgui

        status = imgui.TextureStatus
        for texture in data.textures or ():
            if texture.status == status.WANT_CREATE:
                self._numbers += 1
                created = self._ctx.texture(
                    (texture.width, texture.height), 4, bytes(texture.get_pixels())
                )
                self._textures[self._numbers] = created
                texture.set_tex_id(self._numbers)
            elif texture.status == status.WANT_UPDATES:
                self._textures[texture.get_tex_id()].write(bytes(texture.get_pixels()))
            elif texture.status == status.WANT_DESTROY:
                self._textures.pop(texture.get_tex_id()).release()
                texture.set_tex_id(0)
                texture.set_status(status.DESTROYED)
                continue
            texture.set_status(status.OK)


def _write_memory(buffer: moderngl.Buffer, address: int, length: int) -> None:
    """Copy ``length`` bytes of memory to a buffer on the GPU."""
    buffer.orphan()
    buffer.write((ctypes.c_char * length).from_address(address))


def _scissor(clip: tuple[float, float, float, float], height: int) -> tuple[int, int, int, int]:
    """Convert ImGui's left, top, right and bottom edges to OpenGL's left, bottom, width and height.
    ImGui measures from the top of the screen, and OpenGL from the bottom.
    """
    left, top, right, bottom = (round(edge) for edge in clip)
    return max(left, 0), max(height - bottom, 0), max(right - left, 0), max(bottom - top, 0)
