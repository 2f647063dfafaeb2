"""Clip playback: the methods `play`, `stop` and `pace` of batches and sprites."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Rows, row_indices
from ..checks import Sealed, flag, instance, number, shown, text, wrong_type, wrong_value
from ..errors import FrameworkError
from ..state.columns import Codes, Table
from ..state.rows import rows_of
from ..timing.schedule import Schedule
from .clip_columns import MAX_SPEED, ClipTime, PerRow, PlayedPoses2D

_MAX_SKIP = 1e6  # seconds
_CLIPS = ("clip", "clip_then", "clip_ended")  # columns that hold numbers of clips


class BatchClips(Sealed):
    """The clips of a batch: ``batch.clips``."""

    __slots__ = ("_batch",)

    def __init__(self, batch: Animated) -> None:
        self._batch = batch

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the clips that rows can play.

        The names are empty if the batch has no clips.
        """
        table = self._batch._table
        return table.timeline.names if isinstance(table, PlayedPoses2D) else ()

    @property
    def speeds(self) -> NDArray[np.float64]:
        """A copy of the clip speed of each row: float64 (n,). The normal speed of a clip is 1.

        To set speeds, call ``batch.pace(…)``.
        """
        self._batch._close()
        return self._batch._played("clips.speeds").speeds

    @property
    def group(self) -> Schedule | None:
        """The group of the scene's ``schedule`` that sets the time of the clips.

        If the group is None, the default, clips run with the time of ticks.
        """
        return self._batch._played("clips.group").group

    @group.setter
    def group(self, value: Schedule | None) -> None:
        table = self._batch._played("clips.group")
        table.go_with(None if value is None else instance("group", value, Schedule))


class Animated:
    """The base of batches whose rows can play clips.

    Subclasses have an attribute ``_table`` with the rows.
    """

    __slots__ = ()

    _table: Table

    def play(
        self,
        name: str,
        rows: Any = None,
        *,
        then: str | None = None,
        speed: ArrayLike = 1.0,
        restart: bool = False,
        skip: ArrayLike = 0.0,
    ) -> None:
        """Play a clip from its start. ``rows`` is a sprite, an array of indices, a mask or a slice.

        By default, all rows play the clip. A row that already plays this clip continues, unless
        ``restart`` is True. ``then`` is the name of a second clip. The clip ``then`` starts exactly
        when this clip ends. Without ``then``, the last frame stays visible. ``speed`` is a factor
        from 0 (paused) to 1000. ``skip`` is in seconds: the clip starts as if it had already played
        for ``skip`` seconds. Pass ``speed`` and ``skip`` as one number for all rows, or as arrays
        with one number per row.

        A clip that starts in a tick is visible at once, from its first frame. Raises
        `FrameworkError` for a batch without clips. Raises `ValueError` for an unknown clip. The
        message of the error names the most similar clip.
        """
        table = self._played("play")
        clip = self._clip("name", name)
        following = -1 if then is None else self._clip("then", then)
        chosen = self._chosen(rows)
        speeds = _for_each("speed", speed, chosen, MAX_SPEED)
        skips = _for_each("skip", skip, chosen, _MAX_SKIP)
        table.play(clip, chosen, speeds, following, flag("restart", restart), skips)

    def pace(self, speed: ArrayLike, rows: Any = None) -> None:
        """Set the speed of clips. ``speed`` is one number, or an array with one number for each of
        ``rows``.

        By default, the speed of all rows is set.

        Running clips continue from their current frame at the new speed. A speed of 1 is the clip's
        normal speed, and 0 pauses the clip.
        """
        table = self._played("pace")
        chosen = self._chosen(rows)
        table.pace(chosen, _for_each("speed", speed, chosen, MAX_SPEED))

    def stop(self, rows: Any = None) -> None:
        """Stop the clips of ``rows``. By default, the clips of all rows stop.

        The rows continue to show their current images.
        """
        self._played("stop").stop(self._chosen(rows))

    def ended(self, name: str | None = None) -> Rows:
        """Return the rows whose clip ended in this tick, in ascending order. A clip that loops
        never ends.

        If you pass ``name``, only rows with this clip are returned.
        """
        table = self._played("ended")
        clip = None if name is None else self._clip("name", name)
        self._close()
        return table.ended(clip)

    def marked(self, name: str) -> Rows:
        """Return the rows whose clip reached a frame with the marker ``name`` in this tick. Rows
        are in ascending order.
        """
        table = self._played("marked")
        _check_name("name", name, table.timeline.markers, "marker")
        self._close()
        return table.marked(name)

    def playing(self, name: str) -> Rows:
        """Return the rows that play the clip ``name`` or show its last frame, in ascending
        order.
        """
        table = self._played("playing")
        clip = self._clip("name", name)
        self._close()
        return table.playing(clip)

    def shown_images(self, alpha: float = 0.0) -> NDArray[np.int32]:
        """Return the index of the image that each row shows: int32 (n,).

        By default, these are the images that the rows show in this tick. Pass ``alpha`` for the
        images of a frame between two ticks. A row without a clip shows the image in its column
        ``image``. The shader draws the same images.
        """
        alpha = number("alpha", alpha, least=0, most=1)
        self._close()
        table = self._table
        if isinstance(table, PlayedPoses2D):
            return table.shown_images(slice(0, table.count), alpha)
        images: NDArray[np.int32] = table.column("image").current(table.count).copy()
        return images

    @property
    def clips(self) -> BatchClips:
        """The clips of the batch: names, speeds, and the group whose time the clips use."""
        return BatchClips(self)

    # -- saves -------------------------------------------------------------------------------------

    def _further_rows(self) -> dict[str, tuple[NDArray[Any], Codes | None]]:
        """Return the clip columns for a save: the names and the times of clips."""
        table = self._table
        if not isinstance(table, PlayedPoses2D):
            return {}
        names = Codes(["", *table.timeline.names])  # code 0 means no clip
        clips = {name: (table.column(name).current(table.count) + 1, names) for name in _CLIPS}
        return clips | {"clip_time": (np.full((table.count, 2), table.clip_time, np.int64), None)}

    def _put_further(self, count: int, columns: dict[str, NDArray[Any]]) -> None:
        """Read the clip columns of a save, which `_further_rows` returned."""
        times = columns.pop("clip_time", None)
        if times is not None:
            columns |= {name: columns[name] - 1 for name in _CLIPS}
            if count:
                now: int
                step: int
                now, step = times[0].tolist()
                self._played("clip_time").load_time(now, step)

    def _capture_extra(self) -> ClipTime | None:
        """Return the time of the clips for a snapshot, or None for a batch without clips."""
        table = self._table
        return table.captured_time() if isinstance(table, PlayedPoses2D) else None

    def _restore_extra(self, time: ClipTime) -> None:
        """Restore a time that `_capture_extra` returned."""
        self._played("clip_time").put_back_time(time)

    def _check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` if rows from a save have clips or times that cannot exist."""
        if isinstance(self._table, PlayedPoses2D):
            self._table.check_rows(columns)

    # -- private -----------------------------------------------------------------------------------

    def _played(self, method: str) -> PlayedPoses2D:
        table = self._table
        if not isinstance(table, PlayedPoses2D):
            hint = "make it with clips: fw.SpriteBatch(fw.Clips(images, walk=(0, 8, 12)), count)"
            raise FrameworkError(f"{method}: this batch has no clips; {hint}")
        return table

    def _clip(self, argument: str, name: str) -> int:
        table = self._played("play")
        _check_name(argument, name, table.timeline.names, "clip")
        return table.timeline.numbers[name]

    def _close(self) -> None:
        """Move the last rows into the gaps of removed rows."""
        if self._table.holes:
            self._table.close_holes()

    def _chosen(self, rows: Any) -> Rows | slice:
        self._close()
        return row_indices(slice(None) if rows is None else rows_of(self, rows), self._table.count)


class AnimatedHandle:
    """The base of sprites that can play clips. The batch of such sprites is an `Animated`."""

    __slots__ = ()

    _batch: Any
    _row: int
    _table: Any

    def play(
        self,
        name: str,
        *,
        then: str | None = None,
        speed: float = 1.0,
        restart: bool = False,
        skip: float = 0.0,
    ) -> None:
        """Play a clip from its start. A clip that is already playing continues.

        For the options, see `SpriteBatch.play`.
        """
        try:
            continues = (
                not restart and name is not None and self._playing() == (name, False, speed, then)
            )
        except ValueError:  # an array as an argument: `play` raises the error
            continues = False
        if not continues:
            self._batch.play(name, self, then=then, speed=speed, restart=restart, skip=skip)

    def stop(self) -> None:
        """Stop the clip of the sprite. The sprite continues to show its current image."""
        self._batch.stop(self)

    @property
    def clip(self) -> str | None:
        """The name of the sprite's clip. The name stays after the clip has ended, while its last
        frame is visible.

        The name is None if the sprite has no clip.
        """
        return self._playing()[0]

    @property
    def clip_ended(self) -> bool:
        """Whether the clip has ended, in this tick or earlier.

        When another clip starts, the property is False again.
        """
        return self._playing()[1]

    @property
    def clip_speed(self) -> float:
        """The speed of the clip: 1 is the normal speed, and 0 pauses the clip.

        When you set a new speed, the clip continues from its current frame.
        """
        return self._playing()[2]

    @clip_speed.setter
    def clip_speed(self, value: float) -> None:
        self._batch.pace(number("clip_speed", value, least=0, most=MAX_SPEED), self)

    def _playing(self) -> tuple[str | None, bool, float, str | None]:
        """Return the name of the clip, whether the clip has ended, its speed, and the name of the
        next clip.
        """
        table: PlayedPoses2D = self._table
        return table.clip_of(self._row) if table.has("clip") else _NOTHING


_NOTHING = (None, False, 1.0, None)


def _check_name(argument: str, name: str, names: tuple[str, ...], kind: str) -> None:
    """Raise `ValueError` if ``name`` is not one of ``names``. The error message suggests the most
    similar name.
    """
    if text(argument, name) not in names:
        near = difflib.get_close_matches(name, names, 1)
        hint = (
            f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names[:20]) or 'none'}"
        )
        raise ValueError(f"{argument}: there is no {kind} {shown(name)}; {hint}")


def _for_each(name: str, value: ArrayLike, rows: Rows | slice, maximum: float) -> PerRow:
    """Check and return ``value``: a number from 0 to ``maximum``, or an array with one such number
    per row.
    """
    try:
        numbers = np.asarray(value)
    except ValueError:  # rows of different lengths
        raise wrong_type(name, "a number, or one for each row", value) from None
    if not numbers.ndim:
        return number(name, value, least=0, most=maximum)
    count: int = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
    if numbers.dtype.kind not in "iuf":
        raise wrong_type(name, "a number, or one for each row", value)
    if numbers.shape != (count,):
        raise ValueError(
            f"{name}: expected a number, or one for each of {count} rows, got {shown(value)}"
        )
    per_row: Doubles = numbers.astype(np.float64)
    if not ((per_row >= 0) & (per_row <= maximum)).all():
        raise wrong_value(name, f"numbers from 0 to {maximum:g}", value)
    return per_row
