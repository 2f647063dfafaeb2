"""The GPU's side of clips: the regions of their steps, and the time that frames are chosen by."""

from __future__ import annotations

import struct
from typing import Protocol

import numpy as np

from ..gpu.atlas import Atlas
from ..gpu.gl import moderngl
from ..gpu.graphics import Moment
from ..motion.played import PlayedPoses2D

_TIME = struct.Struct("=Q")
_MOST = 2**64 - 1
_MOST_ATLASES = 4  # whose regions are kept


class _Ahead(Protocol):
    """The uniform of a program that takes the time."""

    extra: int | None
    """The number that was written last."""

    def write(self, data: bytes) -> None: ...


class _Unread:
    """Stands in for the uniform of a program that does not read it."""

    extra: int | None = 0

    def write(self, data: bytes) -> None:
        """Do nothing."""


_UNREAD = _Unread()


class Flipbook:
    """Stands in for an atlas's table: the regions of all steps of clips, then those of the images.

    A frame writes nothing: the time is in its block. Only where the clips' own is further on, or
    behind, the difference is written once it is another one: it stays the same between pauses, and
    for all batches that play at one pace.
    """

    def __init__(self, table: PlayedPoses2D, moment: Moment) -> None:
        self.clock = table.clip_clock
        self._images = table.timeline.images
        self._moment = moment
        if moment.next_clock is None:
            moment.next_clock = self.clock
        self._made: dict[
            Atlas, moderngl.Texture
        ] = {}  # of all that were drawn from: normal maps have one of their own
        # What is drawn with, as far as it was turned to:
        self.atlas: Atlas | None = None
        self.regions: moderngl.Texture | None = None
        """Of that atlas, for shaders."""
        self.program: moderngl.Program | None = None
        self.ahead: _Ahead = _UNREAD
        """The uniform of that program."""

    def tell(self) -> None:
        """Write the difference, unless it was the last that was written to the program, by
        whichever batch.
        """
        moment, ahead = self._moment, self.ahead
        if moment.next_clock is None:  # whose it was is gone
            moment.next_clock = self.clock
        difference = self.clock.moment(moment.alpha) - moment.flicks & _MOST
        if (ahead.extra or 0) != difference:
            ahead.extra = difference
            ahead.write(_TIME.pack(difference))

    def turn_to(self, program: moderngl.Program, atlas: Atlas) -> None:
        """Draw with these from now on."""
        if program is not self.program:
            ahead: _Ahead = program.get("clip_ahead", _UNREAD)  # type: ignore[assignment]
            self.program, self.ahead = program, ahead
        if atlas not in self._made:
            if len(self._made) >= _MOST_ATLASES:
                self.forget()
            self._made[atlas] = atlas.table_of(
                np.concatenate([self._images, np.arange(len(atlas))])
            )
        self.atlas, self.regions = atlas, self._made[atlas]

    def forget(self) -> None:
        """The regions of an atlas are others, or it is another one that takes its place."""
        for regions in self._made.values():
            regions.release()
        self._made.clear()
        self.atlas = self.regions = None

    def release(self) -> None:
        """Free the regions."""
        self.forget()
        if self._moment.next_clock is self.clock:
            self._moment.clock = self._moment.next_clock = None
