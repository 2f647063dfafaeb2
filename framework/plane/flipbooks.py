"""The GPU's side of clips: the regions of their steps, and the time that frames are chosen by."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..gpu.atlas import Atlas
from ..gpu.gl import moderngl
from ..state.played import PlayedTransforms2D


class Flipbook:
    """Stands in for an atlas's table: the regions of all steps of clips, then those of the images.

    A frame writes the time, and nothing else.
    """

    def __init__(self, ctx: moderngl.Context, table: PlayedTransforms2D) -> None:
        self._ctx = ctx
        self._table = table
        self._known: tuple[Any, ...] = ()
        self._regions: Any = None
        self._clocks: dict[moderngl.Program, Any] = {}

    def use(self, program: moderngl.Program, atlas: Atlas, unit: int, alpha: float) -> None:
        """Bind the regions, and say which moment it is."""
        known = atlas, len(atlas)
        if known != self._known:
            self._known = known
            if self._regions is not None:
                self._regions.release()
            images = np.arange(len(atlas))
            self._regions = atlas.table_of(np.concatenate([self._table.timeline.images, images]))
        self._regions.use(unit)
        clock: Any = self._clocks.get(program)
        if clock is None:
            clock = self._clocks[program] = program.get("clip_clock", None)
        moment = self._table.moment(alpha)
        clock.value = moment & 0xFFFFFFFF, moment >> 32 & 0xFFFFFFFF

    def release(self) -> None:
        """Free the regions."""
        if self._regions is not None:
            self._regions.release()
        self._regions, self._known = None, ()
