"""Clips on the GPU: upload the place of each clip image in the atlas, and the clip clock."""

from __future__ import annotations

import struct
from typing import Protocol

import numpy as np

from ..gpu.atlas import Atlas
from ..gpu.gl import moderngl
from ..gpu.graphics import FrameMoment
from ..motion.clip_columns import PlayedPoses2D

_TIME = struct.Struct("=Q")
_MASK_64 = 2**64 - 1
_MAX_ATLASES = 4  # the maximum number of atlases whose regions are cached


class _Ahead(Protocol):
    """The uniform by which a shader knows how far clips are ahead of the frame, in 1/705,600,000
    s.
    """

    extra: int | None
    """The number that was written to the uniform last."""

    def write(self, data: bytes) -> None: ...


class _Unread:
    """A stand-in for the uniform ``clip_ahead`` in shader programs that have no ``clip_ahead``."""

    extra: int | None = 0

    def write(self, data: bytes) -> None:
        """Do nothing."""


_UNREAD = _Unread()


class ClipBuffer:
    """A texture in which the shader finds the place of each clip step, and each image, in the
    atlas.

    Most frames upload nothing, because the clip time is in the uniform block of the frame. If the
    clip clock of this batch differs from the frame's clip time, a uniform receives the difference.
    The difference between clip clock and frame time changes only in pauses and in slow motion.
    """

    def __init__(self, table: PlayedPoses2D, moment: FrameMoment) -> None:
        self.clock = table.clip_clock
        self._images = table.timeline.images
        self._moment = moment
        if moment.next_clock is None:
            moment.next_clock = self.clock
        self._tables: dict[
            Atlas, moderngl.Texture
        ] = {}  # one for each atlas in use; normal maps have another atlas
        # The atlas and the shader program of the current draw call.
        self.atlas: Atlas | None = None
        self.regions: moderngl.Texture | None = None
        """The texture with the regions of the images in `atlas`."""
        self.program: moderngl.Program | None = None
        self.ahead: _Ahead = _UNREAD
        """The uniform ``clip_ahead`` of the shader program `program`."""

    def write_difference(self) -> None:
        """Write the time difference to the program, unless the program has the same number
        already.
        """
        moment = self._moment
        ahead = self.ahead
        if moment.next_clock is None:  # the batch that set the clock was removed
            moment.next_clock = self.clock
        difference = self.clock.moment(moment.alpha) - moment.flicks & _MASK_64
        if (ahead.extra or 0) != difference:
            ahead.extra = difference
            ahead.write(_TIME.pack(difference))

    def use(self, program: moderngl.Program, atlas: Atlas) -> None:
        """Select a shader program, and the texture with the image rectangles of an atlas, for the
        next draw call.
        """
        if program is not self.program:
            ahead: _Ahead = program.get("clip_ahead", _UNREAD)  # type: ignore[assignment]
            self.program = program
            self.ahead = ahead
        if atlas not in self._tables:
            if len(self._tables) >= _MAX_ATLASES:
                self.forget()
            self._tables[atlas] = atlas.table_of(
                np.concatenate([self._images, np.arange(len(atlas))])
            )
        self.atlas, self.regions = atlas, self._tables[atlas]

    def forget(self) -> None:
        """Release the textures with the rectangles of images.

        The backend calls `forget` when an atlas changes or is replaced.
        """
        for regions in self._tables.values():
            regions.release()
        self._tables.clear()
        self.atlas = self.regions = None

    def release(self) -> None:
        """Release the textures with the rectangles, and reset the frame's clock if this batch set
        it.
        """
        self.forget()
        if self._moment.next_clock is self.clock:
            self._moment.clock = self._moment.next_clock = None
