"""Pictures behind a game, or before it: repeated without end, and going by more slowly than what is
near.
"""

from __future__ import annotations

__all__ = ["Backdrop"]

import math
from collections.abc import Set
from typing import Any, ClassVar

from ..assets import images
from ..assets.images import ImageSource, checked_source
from ..checks import Setting, choice, flag, pair, wrong_value
from ..gpu import shaders
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, FRAME_BINDING, Graphics
from ..gpu.wrapped import WrappedTexture
from .placed import Look, Placed, look_at

_IMAGE_UNIT = 0


def _repeats(name: str, value: Any) -> tuple[bool, bool]:
    if not isinstance(value, tuple | list):
        return (flag(name, value),) * 2
    if len(value) != 2:
        raise wrong_value(name, "True or False, for x and for y", value)
    return flag(name, value[0]), flag(name, value[1])


def _scale(name: str, value: Any) -> tuple[float, float]:
    return pair(name, value if isinstance(value, tuple | list) else (value, value), above=0)


class Backdrop(Placed):
    """One picture in the plane: ``self.add(fw.Backdrop("hills.png", repeat=(True, False),
    parallax=(0.3, 1)))``.

    Parameters
    ----------
    image
        A path, a PIL image, an array or a `Region`.
    position
        Where its bottom left corner is, in units, y up.
    repeat
        Whether it is repeated along x and along y, without end; or one for both.
    parallax
        By how much of the camera's motion it goes by: 1 as all else, 0 stays in the picture.
    parallax_origin
        Where the camera's middle is when it is at its ``position``; None for that of a camera that
        was never moved.
    scale
        Units a pixel of the image, in x and y; or one for both.
    filter
        "nearest" (hard pixels) or "linear". Drawn smaller, it is read from reduced ones, with both.

    ``position`` and ``color`` are interpolated: write to them in ticks, and clouds drift as
    smoothly as all else.
    """

    __slots__ = (
        "__weakref__",
        "_filter",
        "_gpu",
        "_graphics",
        "_image",
        "_image_size",
        "_repeat",
        "_scale",
    )

    not_state: ClassVar[Any] = ("_filter", "_gpu", "_graphics", "_image", "_image_size")

    repeat = Setting(_repeats, "Whether it is repeated along x and along y.")
    scale = Setting(_scale, "Units a pixel of the image, in x and y.")

    def __init__(
        self,
        image: ImageSource,
        position: tuple[float, float] = (0.0, 0.0),
        *,
        repeat: bool | tuple[bool, bool] = (False, False),
        parallax: tuple[float, float] = (1.0, 1.0),
        parallax_origin: tuple[float, float] | None = None,
        scale: float | tuple[float, float] = 1.0,
        color: Any = (1.0, 1.0, 1.0, 1.0),
        filter: str = "linear",
    ) -> None:
        self._image = checked_source("image", image)
        self._filter = choice("filter", filter, ("nearest", "linear"))
        super().__init__(position, color, parallax, parallax_origin)
        self.repeat, self.scale = repeat, scale
        self._image_size = (0, 0)
        self._graphics: Graphics | None = None
        self._gpu: tuple[moderngl.Program, moderngl.VertexArray, WrappedTexture] | None = None

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of one picture in units; known once it is added to a game."""
        (width, height), (x, y) = self._image_size, self.scale
        return width * x, height * y

    def attach(self, graphics: Graphics) -> None:
        self.attach_unseen(graphics)
        ctx = graphics.ctx
        try:
            texture = WrappedTexture(graphics, self._image, ("clamp", "clamp"), self._filter)
        except BaseException:
            self._graphics = None
            raise
        if graphics.programs is None:
            graphics.programs = shaders.Programs(ctx, graphics.folders)
        program = graphics.programs.get("backdrop.vert", "backdrop.frag")
        program["image"] = _IMAGE_UNIT
        program["Frame"].binding = FRAME_BINDING
        self._gpu = program, ctx.vertex_array(program, []), texture

    def renew(self, files: Set[str]) -> bool:
        """Load the image anew, if it is from one of these files."""
        if self._gpu is None or not self._gpu[2].renew(files):
            return False
        self._image_size = self._gpu[2].size
        return True

    def attach_unseen(self, graphics: Graphics) -> None:
        if self._graphics is not None:
            raise ValueError("backdrop: it was added to a game already")
        self._image_size = images.sizes([self._image], graphics.folders)[0]
        self._graphics = graphics

    def draw(self) -> None:
        graphics = self._graphics
        if graphics is None or self._gpu is None:
            return
        look = look_at(self, graphics)
        if look is None:
            return
        program, array, texture = self._gpu
        settings = look.window() | self._places(look)
        for name, value in settings.items():
            shaders.set_known(program, name, value)
        # Along each axis, a repeated texture or a clamped one: neighbours come in where the picture
        # is repeated alone.
        texture.repeat(*self.repeat)
        texture.use(_IMAGE_UNIT)
        graphics.ctx.enable_only(moderngl.BLEND)
        graphics.ctx.blend_func = BLEND_MODES["alpha"]  # type: ignore[assignment]  # the stubs know two factors only
        array.render(moderngl.TRIANGLE_STRIP, vertices=4)

    def _places(self, look: Look) -> dict[str, Any]:
        """The uniforms that tell where the picture is, seen from the eye, and which part of the
        plane is drawn.
        """
        seen, units = look.box(), look.units()
        low, high, origin = [], [], []
        for axis, (size, repeats) in enumerate(zip(self.size, self.repeat, strict=True)):
            eye = look.eye[axis]
            start = (
                -math.fmod(eye, size) if repeats else -eye
            )  # of a repeated one, one that is near
            view = seen[axis] - eye, seen[axis + 2] - eye
            low.append(view[0] if repeats else max(start, view[0]) - units[axis])
            high.append(view[1] if repeats else min(start + size, view[1]) + units[axis])
            origin.append(start)
        texels = max(units[0] / self.scale[0], units[1] / self.scale[1])
        return {
            "box": (*low, *high),
            "origin": tuple(origin),
            "size": self.size,
            "repeat": tuple(map(int, self.repeat)),
            "level": max(0.0, math.log2(texels)),
        }

    def release(self) -> None:
        if self._gpu is not None:
            self._gpu[1].release()
            self._gpu[2].release()
        self._gpu = self._graphics = None

    def release_unseen(self) -> None:
        self.release()
