"""Upload the data from which the sprite shader finds the current image of each animation clip.

The data are the clip time, and the positions of the images in the atlas.
"""

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
_MAX_ATLASES = 4  # maximum number of atlases whose regions are cached


class _Ahead(Protocol):
    """A shader variable (uniform) for a batch whose clips have a separate clock. The uniform
    contains the clip time of the batch minus the clip time of the frame, in units of 1/705,600,000
    second.
    """

    extra: int | None
    """The value that was last written to the uniform."""

    def write(self, data: bytes) -> None: ...


class _Unread:
    """A replacement for the uniform ``clip_ahead``, for shader programs that do not declare it."""

    extra: int | None = 0

    def write(self, data: bytes) -> None:
        """Do nothing."""


_UNREAD = _Unread()


class ClipBuffer:
    """A texture from which the shader reads the position of each image in the texture atlas. It has
    one entry for each image, and one entry for each step of an animation clip.

    In most frames, no clip time is uploaded: all batches read the clip time of the frame from its
    uniform block. If a batch has a separate clock, a uniform contains the clip time of the batch
    minus the clip time of the frame. The time difference changes only while a scene is paused or in
    slow motion.
    """

    def __init__(self, table: PlayedPoses2D, moment: FrameMoment) -> None:
        self.clock = table.clip_clock
        self._images = table.timeline.images
        self._moment = moment
        if moment.next_clock is None:
            moment.next_clock = self.clock
        # The texture with the regions of each atlas. Normal maps have an atlas of their own.
        self._tables: dict[Atlas, moderngl.Texture] = {}
        # The atlas and the shader program of the current draw call.
        self.atlas: Atlas | None = None
        self.regions: moderngl.Texture | None = None
        """The texture with the rectangles of the images in `atlas`."""
        self.program: moderngl.Program | None = None
        self.ahead: _Ahead = _UNREAD
        """The uniform ``clip_ahead`` of the shader program `program`."""

    def write_difference(self) -> None:
        """Write the clip time of the batch, minus that of the frame, to the shader program. If the
        difference has not changed since the last call, do nothing.
        """
        moment = self._moment
        ahead = self.ahead
        if moment.next_clock is None:  # the game has removed the batch that sets the clock
            moment.next_clock = self.clock
        difference = self.clock.moment(moment.alpha) - moment.flicks & _MASK_64
        if (ahead.extra or 0) != difference:
            ahead.extra = difference
            ahead.write(_TIME.pack(difference))

    def use(self, program: moderngl.Program, atlas: Atlas) -> None:
        """Bind the shader program and the atlas for the next draw call."""
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
        self.atlas = atlas
        self.regions = self._tables[atlas]

    def forget(self) -> None:
        """Release the textures that contain the image positions.

        The backend calls `forget` when the atlas has changed or has been replaced.
        """
        for regions in self._tables.values():
            regions.release()
        self._tables.clear()
        self.atlas = self.regions = None

    def release(self) -> None:
        """Release the textures that contain the image positions. If the frame's clip time comes
        from this batch's clock, later frames no longer use that clock.
        """
        self.forget()
        if self._moment.next_clock is self.clock:
            self._moment.clock = self._moment.next_clock = None
