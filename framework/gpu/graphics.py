"""Give drawables the OpenGL context and the shader programs of their game.

Each drawable gets a `Graphics` object in its method ``attach``.
"""

from __future__ import annotations

__all__ = ["Graphics"]

from _thread import get_ident
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Protocol
from weakref import ReferenceType, WeakKeyDictionary, ref

from ..checks import items, named, text
from ..errors import FrameworkError
from .gl import opengl

if TYPE_CHECKING:
    from ..resources import Folder
    from .gl import moderngl
    from .shaders import Programs

# Constants of OpenGL. The constants are copied, so that this module does not have to import
# `pyglet.gl`.
_ZERO = 0
_ONE = 1
_ONE_MINUS_SRC_COLOR = 0x0301
_ONE_MINUS_SRC_ALPHA = 0x0303
_DST_COLOR = 0x0306
_ONE_MINUS_DST_COLOR = 0x0307

# A dict from blend modes to OpenGL's blend factors: source and destination of the color, then
# source and destination of alpha. All colors are premultiplied by alpha, so that soft edges look
# the same after filtering and blending.
BLEND_MODES: dict[str, tuple[int, int, int, int]] = {
    "alpha": (_ONE, _ONE_MINUS_SRC_ALPHA, _ONE, _ONE_MINUS_SRC_ALPHA),
    "add": (_ONE, _ONE, _ZERO, _ONE),
    "multiply": (_DST_COLOR, _ONE_MINUS_SRC_ALPHA, _ZERO, _ONE),
    "screen": (_ONE, _ONE_MINUS_SRC_COLOR, _ONE, _ONE_MINUS_SRC_ALPHA),
    "exclusion": (_ONE_MINUS_DST_COLOR, _ONE_MINUS_SRC_COLOR, _ONE, _ONE_MINUS_SRC_ALPHA),
    "replace": (_ONE, _ZERO, _ONE, _ZERO),
}

# pyglet uses uniform block binding 0 for its window block. If the framework used the same binding,
# pyglet's text would be invisible.
FRAME_BINDING = 1

# The binding of the uniform block that all solids of a `World` share: light and fog.
WORLD_BINDING = 2

# The bindings of the uniform block of a batch's material, and of the frame block while shadows are
# drawn.
MATERIAL_BINDING = 3
SHADOW_FRAME_BINDING = 4


class ContextOwner(Protocol):
    """A window or an offscreen surface that has an OpenGL context."""

    def working(self) -> AbstractContextManager[object]: ...


_surfaces: WeakKeyDictionary[moderngl.Context, ReferenceType[ContextOwner]] = WeakKeyDictionary()


def belongs_to(ctx: moderngl.Context, surface: ContextOwner) -> None:
    """Register ``surface`` as the owner of an OpenGL context. `in_context` calls
    ``surface.working()`` to make the context current.
    """
    _surfaces[ctx] = ref(surface)


def in_context(ctx: moderngl.Context) -> AbstractContextManager[object]:
    """Make the OpenGL context ``ctx`` current inside a ``with`` block.

        with in_context(ctx):
            …

    After the block, the context that was current before is current again. OpenGL calls always use
    the current context. Without a current context, OpenGL ignores every call. The context of a game
    is current only while the game draws a frame. Use `in_context` in each method that uses the GPU
    and that a game may call between two frames.

    Raises `FrameworkError` if the game was closed, or if `in_context` is called from another
    thread.
    """
    reference = _surfaces.get(ctx)
    surface = None if reference is None else reference()
    return nullcontext() if surface is None else surface.working()


class FrameClock(Protocol):
    """A clock for animation clips that counts time in flicks; see `flicks.TickClock`."""

    now: int
    length: int


class FrameMoment:
    """The values of the current frame: ``alpha``, the ``camera``, and the time of animation clips."""

    __slots__ = ("above_white", "alpha", "camera", "clock", "flicks", "next_clock")

    def __init__(self) -> None:
        self.alpha = 0.0
        self.camera: Any = None
        self.clock: FrameClock | None = None
        """The clock that sets ``flicks`` of this frame. None if no batch plays clips."""
        self.flicks = 0
        """The time of sprite clips in the uniform block. The framework writes the block once per
        frame.

        A batch with a different clock passes the difference between the two times to its shader.
        """
        self.next_clock: FrameClock | None = None
        """The clock for the next frame. The clock belongs to the first batch that plays clips."""
        self.above_white = False
        """Whether the framebuffer can store colors above white."""


class SharedChain(Protocol):
    """The object that draws the screen effects of a game; see `passes.EffectChain`."""

    begin_frame: Callable[[], None]

    def release(self) -> None: ...


class SharedObjects:
    """The objects that all drawables of a game share, such as the texture atlases. Each object is
    created when it is first needed.
    """

    __slots__ = ("atlases", "chain", "pooled_sprites")

    def __init__(self) -> None:
        self.atlases: object = None
        """The atlases of sprite batches, as an `atlas.Atlases` object."""
        self.chain: SharedChain | None = None
        self.pooled_sprites: object = None
        """The rows of sprite batches that are drawn together, as a `sprite_runs.PooledSprites`
        object.
        """


class Graphics:
    """The objects that a drawable needs from its game: the OpenGL context, the folders, and the
    number of pixels per unit.
    """

    __slots__ = (
        "_shared",
        "ctx",
        "drawing",
        "folders",
        "moment",
        "pixel_art",
        "pixel_ratio",
        "programs",
        "thread",
        "working",
    )

    _transient_attributes: ClassVar[Any] = True

    def __init__(
        self,
        ctx: moderngl.Context,
        folders: tuple[Folder, ...] = (),
        pixel_ratio: float = 1.0,
        drawing: bool = True,
    ) -> None:
        self.ctx = ctx
        self.folders = folders
        self.pixel_ratio = pixel_ratio
        self.drawing = drawing
        """Whether the game draws. If the game does not draw, there is no ``ctx``."""
        self.pixel_art = False
        """True if one unit is one texel, so that sprites are drawn at whole texels with sharp
        pixels.
        """
        self.moment = FrameMoment()
        """The values of the current frame, such as ``alpha``, for drawables that interpolate on the
        CPU.
        """
        self.thread = get_ident()
        """The thread in which the game draws."""
        self.programs: Programs | None = None
        """The shader programs that drawables share. None until `programs_of` is called for the
        first time.
        """
        self._shared = SharedObjects()
        self.working: Callable[[], AbstractContextManager[object]] = nullcontext
        """A context manager that makes the OpenGL context of this game current: ``with
        graphics.working():``. Use `working` before OpenGL calls, because another game may have
        drawn before.
        """

    def program(
        self,
        vertex: str,
        fragment: str | None = None,
        *,
        geometry: str | None = None,
        tess_control: str | None = None,
        tess_evaluation: str | None = None,
        varyings: Sequence[str] = (),
        defines: Mapping[str, str | int | float] | None = None,
    ) -> moderngl.Program:
        """Compile and link a shader program from your own shaders.

        Pass each shader as GLSL code, or as a file name relative to the game's folder. With
        ``#include "frame.glsl"``, a shader can read the camera, alpha and time of the frame; see
        shaders/include. Shaders without a ``#version`` line get ``#version 330 core``. When you no
        longer need the program, call its method ``release``.

        Parameters
        ----------
        vertex, fragment, geometry, tess_control, tess_evaluation
            The shaders. Without ``fragment``, the program draws nothing. Use a program without
            ``fragment`` for transform feedback.
        varyings
            Outputs of the vertex shader. Transform feedback (shader output into a buffer) writes
            the outputs in the order of ``varyings``.
        defines
            Macros for all shaders, as a dict from names to values. Each item becomes a
            ``#define`` line.

        Raises
        ------
        ShaderError
            If a shader cannot be compiled or linked. The error contains the file name and the line
            number.
        FrameworkError
            If the game has no graphics.
        """
        from . import shaders  # a game without graphics does not import this module

        if not self.drawing:
            raise FrameworkError(
                "program: a game without graphics has no shaders; call it in a drawable's attach"
            )
        names = {"vertex": vertex, "fragment": fragment, "geometry": geometry}
        names |= {"tess_control": tess_control, "tess_evaluation": tess_evaluation}
        shader_texts = {
            stage: text(stage, name) for stage, name in names.items() if name is not None
        }
        written = tuple(text("varyings", name) for name in items("varyings", varyings))
        macros = (
            None if defines is None else named("defines", defines, "values by the names of macros")
        )
        with self.working():
            program = shaders.program(
                self.ctx, **shader_texts, folders=self.folders, varyings=written, defines=macros
            )
            if "Frame" in program:
                bind_frame(program)
        return program


def shared_of(graphics: Graphics) -> SharedObjects:
    """Return the objects that all drawables of a game share, such as the texture atlases."""
    return graphics._shared


def bind_frame(program: moderngl.Program) -> None:
    """Connect the uniform block ``Frame`` of a shader program to the camera and time of the current
    frame.
    """
    block: Any = program["Frame"]
    block.binding = FRAME_BINDING


def programs_of(graphics: Graphics) -> Programs:
    """Return the shader programs that the drawables of a game share."""
    if graphics.programs is None:
        from .shaders import Programs  # an empty game does not import this module

        graphics.programs = Programs(graphics.ctx, graphics.folders)
    return graphics.programs


def driver_limit(name: str) -> int:
    """Return a limit of the driver, such as ``driver_limit("GL_MAX_TEXTURE_SIZE")``.

    `driver_limit` is fast, because it reads only one limit. The attribute ``ctx.info`` of moderngl
    reads ninety limits, which takes longer.
    """
    import ctypes  # only needed with OpenGL

    gl = opengl()
    number = ctypes.c_int()
    key: int = getattr(gl, name)
    gl.glGetIntegerv(key, ctypes.byref(number))
    return number.value


def check_thread(thread: int) -> None:
    """Raise `FrameworkError` if the current thread is not ``thread``. ``thread`` is the thread that
    created the game.
    """
    if get_ident() != thread:
        raise FrameworkError(
            "wrong thread: use a game and its drawables only in the thread that made the game; "
            "call this there with game.call_soon(function)"
        )
