"""What a batch needs to know of the place it draws to."""

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

# GL's numbers, for what must not load it.
_ZERO, _ONE, _ONE_MINUS_SRC_COLOR, _ONE_MINUS_SRC_ALPHA, _DST_COLOR = 0, 1, 0x0301, 0x0303, 0x0306

# GL's blend factors, by the name of the mode: source and destination for colour, then for alpha.
# Colours are premultiplied by alpha everywhere, so that filtering and blending agree at soft edges.
BLEND_MODES: dict[str, tuple[int, int, int, int]] = {
    "alpha": (_ONE, _ONE_MINUS_SRC_ALPHA, _ONE, _ONE_MINUS_SRC_ALPHA),
    "add": (_ONE, _ONE, _ZERO, _ONE),
    "multiply": (_DST_COLOR, _ONE_MINUS_SRC_ALPHA, _ZERO, _ONE),
    "screen": (_ONE, _ONE_MINUS_SRC_COLOR, _ONE, _ONE_MINUS_SRC_ALPHA),
    "replace": (_ONE, _ZERO, _ONE, _ZERO),
}

# pyglet keeps uniform block binding 0 for its window block; a clash makes all of its text vanish.
FRAME_BINDING = 1

# Of the block that a `World` has in common: light, fog.
WORLD_BINDING = 2

# Of a batch's material, and of what stands for the frame's block while shadows are drawn.
MATERIAL_BINDING = 3
SHADOW_FRAME_BINDING = 4


class Surface(Protocol):
    """A window or an offscreen surface with a GL context."""

    def working(self) -> AbstractContextManager[object]: ...


_surfaces: WeakKeyDictionary[moderngl.Context, ReferenceType[Surface]] = WeakKeyDictionary()


def belongs_to(ctx: moderngl.Context, surface: Surface) -> None:
    """Note the surface whose ``working()`` makes a context current, for `in_context`."""
    _surfaces[ctx] = ref(surface)


def in_context(ctx: moderngl.Context) -> AbstractContextManager[object]:
    """``with in_context(ctx):`` makes the context of a game current; at the end, the context of the
    game at work.

    GL draws into the current context of the process, or drops every call while there is none. That
    context is the game's own only in its frames. So each method that uses the GPU and that a
    program may call between two frames does so within this guard. Raises `FrameworkError` if the
    game was closed, and in another thread than the game's.
    """
    reference = _surfaces.get(ctx)
    surface = None if reference is None else reference()
    return nullcontext() if surface is None else surface.working()


class Clock(Protocol):
    """A time in flicks; see `flicks.TickClock`."""

    now: int
    length: int


class Moment:
    """The moment that a frame shows: ``alpha`` as of the game's timestep, and the ``camera`` that
    is seen through.
    """

    __slots__ = ("above_white", "alpha", "camera", "clock", "flicks", "next_clock")

    def __init__(self) -> None:
        self.alpha = 0.0
        self.camera: Any = None
        self.clock: Clock | None = None
        """By which the frame's ``flicks`` are told; None: by one that is none of a batch's."""
        self.flicks = 0
        """In the frame's block, as it is written once for all: what goes by another clock tells the
        difference.
        """
        self.next_clock: Clock | None = None
        """By which those of the next frame are: the first one that was there."""
        self.above_white = False
        """Whether what is drawn to keeps light above white."""


class SharedChain(Protocol):
    """What draws the effects of a game: `passes.EffectChain`."""

    begin_frame: Callable[[], None]

    def release(self) -> None: ...


class Shared:
    """What the drawables of a game share, each made when it is first needed."""

    __slots__ = ("atlases", "chain")

    def __init__(self) -> None:
        self.atlases: object = None
        """The atlases of batches: `atlas.Atlases`."""
        self.chain: SharedChain | None = None


class Graphics:
    """The GL context of a game, where its files are looked up, and how many framebuffer pixels make
    a unit.
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
        """Whether anything is drawn; there is no ``ctx`` otherwise."""
        self.pixel_art = False
        """Whether a unit is a texel: sprites stand on whole ones, with hard pixels."""
        self.moment = Moment()
        """Of the frame that is drawn; for what is blended on the CPU."""
        self.thread = get_ident()
        """The one in which all is drawn."""
        self.programs: Programs | None = None
        """The shader programs that drawables share. None until `programs_of` returns them."""
        self._shared = Shared()
        self.working: Callable[[], AbstractContextManager[object]] = nullcontext
        """``with graphics.working():`` has GL draw in this game, whichever drew last."""

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
        """A program of your own: each shader is a file, looked up beside the game, or GLSL itself.

        ``#include "frame.glsl"`` has the camera, alpha and time of what is drawn (shaders/include);
        without a ``#version`` it is 330 core. ``varyings`` are the outputs that transform feedback
        writes, one after the other; without a ``fragment`` the program draws nothing. It is yours
        to release.

        Raises `ShaderError`, with the file and the line, for what does not compile or link, and
        `FrameworkError` in a game without pictures.
        """
        from . import shaders  # which an empty game need not load

        if not self.drawing:
            raise FrameworkError(
                "program: a game without pictures draws nothing; make it in a drawable's attach"
            )
        names = {"vertex": vertex, "fragment": fragment, "geometry": geometry}
        names |= {"tess_control": tess_control, "tess_evaluation": tess_evaluation}
        given = {stage: text(stage, name) for stage, name in names.items() if name is not None}
        written = tuple(text("varyings", name) for name in items("varyings", varyings))
        known = (
            None if defines is None else named("defines", defines, "values by the names of macros")
        )
        with self.working():
            made = shaders.program(
                self.ctx, **given, folders=self.folders, varyings=written, defines=known
            )
            if "Frame" in made:
                bind_frame(made)
        return made


def shared_of(graphics: Graphics) -> Shared:
    """Return what the drawables of a game share."""
    return graphics._shared


def bind_frame(program: moderngl.Program) -> None:
    """Bind the program's block ``Frame`` to the uniforms of the frame that is drawn."""
    block: Any = program["Frame"]
    block.binding = FRAME_BINDING


def programs_of(graphics: Graphics) -> Programs:
    """Return the shader programs that the drawables of a game share."""
    if graphics.programs is None:
        from .shaders import Programs  # which an empty game need not load

        graphics.programs = Programs(graphics.ctx, graphics.folders)
    return graphics.programs


def driver_limit(name: str) -> int:
    """What the current context's driver can do at the most:
    ``driver_limit("GL_MAX_TEXTURE_SIZE")``.

    moderngl's ``ctx.info`` would ask it for ninety such numbers each time.
    """
    import ctypes  # loaded with OpenGL only

    gl = opengl()
    number = ctypes.c_int()
    key: int = getattr(gl, name)
    gl.glGetIntegerv(key, ctypes.byref(number))
    return number.value


def check_thread(thread: int) -> None:
    """Raise `FrameworkError` in any other thread than this one, in which a game was made."""
    if get_ident() != thread:
        raise FrameworkError(
            "wrong thread: a game and what is drawn in it are used in the thread that made it; "
            "have it done there with game.call_soon(function)"
        )
