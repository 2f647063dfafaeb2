"""Strips of a picture through points in the plane: what ribbons and trails have in common."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .. import checks
from ..arrays import Doubles, Floats
from ..assets.images import ImageSource, checked_source
from ..checks import Sealed
from ..gpu import shaders
from ..gpu.drawable import DrawableDefaults
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, FRAME_BINDING, Graphics, check_thread
from ..gpu.wrapped import WrappedTexture

MOST_POINTS = 1 << 16
"""Of one strip."""

_TEXELS = 4  # of each point; shaders/ribbons.vert reads them
_ROW = 256  # texels
_IMAGE_UNIT, _POINTS_UNIT = 0, 1
_WHITE = np.full((1, 1, 4), 255, np.uint8)


class Band(NamedTuple):
    """A strip at one moment, a row each point."""

    position: Doubles | Floats
    """(n, 2), units."""
    width: Doubles | Floats
    """(n,), units. A piece whose ends have none is not seen."""
    color: Doubles | Floats
    """(n, 4), straight alpha."""
    along: Doubles | Floats
    """(n,), where in the image: its left edge is at 0, its right one at 1."""


def along(position: Doubles | Floats, repeat: float | None) -> Doubles:
    """Where in the image points lie: it is shown once every ``repeat`` units, or once."""
    steps = np.diff(position, axis=0).astype(np.float64)
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    lengths[~np.isfinite(lengths)] = 0  # pieces that are not drawn
    far: Doubles = np.concatenate([np.zeros(min(1, len(position))), np.cumsum(lengths)])
    if repeat is not None:
        return far / repeat
    return far / far[-1] if len(far) and far[-1] > 0 else far


class Strip(DrawableDefaults, Sealed):
    """Draws a `Band` that moves; what derives from it says where it was and is."""

    __slots__ = ("__weakref__", "_blend", "_filter", "_gpu", "_image", "_repeat")

    not_state: ClassVar[Any] = ("_blend", "_filter", "_gpu", "_image")

    def __init__(
        self, image: ImageSource | None, repeat: float | None, filter: str, blend: str
    ) -> None:
        self._image = _WHITE if image is None else checked_source("image", image)
        self._filter = checks.choice("filter", filter, ("linear", "nearest"))
        self._blend = checks.choice("blend", blend, BLEND_MODES)
        self._repeat = None if repeat is None else checks.number("repeat", repeat, above=0)
        self._gpu: _StripGpu | None = None

    def bands(self) -> tuple[Band, Band] | None:
        """What it was when the tick began, and what it is, of as many points; None: as when this
        was last asked.
        """
        raise NotImplementedError

    @property
    def uploaded_bytes(self) -> int:
        """Bytes written to the GPU so far."""
        return 0 if self._gpu is None else self._gpu.uploaded

    def attach(self, graphics: Graphics) -> None:
        if self._gpu is not None:
            raise ValueError(f"{type(self).__name__}: it was added to a game already")
        repeated = "clamp" if self._repeat is None else "repeat"
        self._gpu = _StripGpu(
            graphics, WrappedTexture(graphics, self._image, (repeated, "clamp"), self._filter)
        )
        self.after_restore()

    def after_restore(self) -> None:
        """A snapshot was put back: all is handed over anew."""

    def renew(self, files: Set[str]) -> bool:
        """Load the image anew, if it is from one of these files."""
        return self._gpu is not None and self._gpu.image.renew(files)

    def shows(self, picture: object) -> bool:
        """Whether its image is this one, which is drawn while the game runs."""
        return self._image is picture

    def draw(self) -> None:
        gpu = self._gpu
        assert gpu is not None
        bands = self.bands()
        if bands is not None:
            gpu.write(*bands)
        if gpu.count > 1:
            gpu.draw(BLEND_MODES[self._blend], self._filter == "linear")

    def release(self) -> None:
        if self._gpu is not None:
            self._gpu.release()
        self._gpu = None


class _StripGpu:
    """Everything of a strip that lives on the GPU."""

    def __init__(self, graphics: Graphics, image: WrappedTexture) -> None:
        check_thread(graphics.thread)
        self._graphics, self.image = graphics, image
        if graphics.programs is None:
            graphics.programs = shaders.Programs(graphics.ctx, graphics.folders)
        self._points: moderngl.Texture | None = None
        self._array: moderngl.VertexArray | None = None
        self.count = self.uploaded = 0

    def write(self, old: Band, new: Band) -> None:
        """Have this drawn from now on."""
        n = self.count = len(new.position)
        if n < 2:
            return
        rows = -(-n * _TEXELS // _ROW)
        texels: Floats = np.zeros((rows * _ROW // _TEXELS, _TEXELS, 4), np.float32)
        used = texels[:n]
        # Whole images say nothing about where they begin: small numbers keep their digits.
        whole = np.floor(min(old.along.min(), new.along.min()))
        for place, band in enumerate((old, new)):
            used[:, 0, 2 * place : 2 * place + 2] = band.position
            used[:, 1, place], used[:, 1, 2 + place] = band.width, band.along - whole
            used[:, 2 + place] = band.color
        if self._points is None or self._points.height < rows:
            if self._points is not None:
                self._points.release()
            height = 1 << (rows - 1).bit_length()
            self._points = self._graphics.ctx.texture((_ROW, height), 4, dtype="f4")
            self._points.filter = moderngl.NEAREST, moderngl.NEAREST
        self._points.write(texels, viewport=(0, 0, _ROW, rows))
        self.uploaded += texels.nbytes

    def draw(self, blend: tuple[int, int, int, int], smooth: bool) -> None:
        ctx = self._graphics.ctx
        if self._array is None:
            smooth = smooth and not self._graphics.pixel_art
            program = self._graphics.programs.get(
                "ribbons.vert", "ribbons.frag", {"SMOOTH_EDGES": 1} if smooth else {}
            )
            program["image"], program["points"], program["Frame"].binding = (
                _IMAGE_UNIT,
                _POINTS_UNIT,
                FRAME_BINDING,
            )
            self._array = ctx.vertex_array(program, [])
        assert self._points is not None
        self.image.use(_IMAGE_UNIT)
        self._points.use(_POINTS_UNIT)
        self._array.program["count"] = self.count
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = blend  # type: ignore[assignment]  # the stubs know two factors only
        self._array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=self.count - 1)

    def release(self) -> None:
        self.image.release()
        for part in (self._points, self._array):
            if part is not None:
                part.release()
