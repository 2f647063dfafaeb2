"""The GPU's side of clips: the regions of their steps, and the time that frames are chosen by."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from ..gpu.atlas import Atlas
from ..gpu.gl import moderngl
from ..state.played import PlayedTransforms2D

_TWO_WORDS = struct.Struct("=II")


class Flipbook:
    """Stands in for an atlas's table: the regions of all steps of clips, then those of the images.

    A frame writes the time, and nothing else.
    """

    def __init__(self, ctx: moderngl.Context, table: PlayedTransforms2D) -> None:
        self._ctx = ctx
        self._table = table
        self._atlas: Atlas | None = None
        self._count = 0  # images that the regions know of
        self._regions: Any = None
        self._program: moderngl.Program | None = None
        self._clock: Any = None  # the uniform of that program, if it reads it

    def use(self, program: moderngl.Program, atlas: Atlas, unit: int, alpha: float) -> None:
        """Bind the regions, and say which moment it is."""
        if atlas is not self._atlas or len(atlas) != self._count:
            self._take(atlas)
        self._regions.use(unit)
        if program is not self._program:
            self._program, self._clock = program, program.get("clip_clock", None)
        if self._clock is not None:
            moment = self._table.moment(alpha)
            self._clock.write(_TWO_WORDS.pack(moment & 0xFFFFFFFF, moment >> 32 & 0xFFFFFFFF))

    def _take(self, atlas: Atlas) -> None:
        """Another atlas, or more images in it."""
        if self._regions is not None:
            self._regions.release()
        self._atlas, self._count = atlas, len(atlas)
        images = self._table.timeline.images
        self._regions = atlas.table_of(np.concatenate([images, np.arange(self._count)]))

    def forget(self) -> None:
        """The regions of the atlas are others."""
        self._atlas = None

    def release(self) -> None:
        """Free the regions."""
        if self._regions is not None:
            self._regions.release()
        self._regions = self._atlas = None
