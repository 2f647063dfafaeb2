"""Clip playback: play and stop the animations of sprites, and change their speed."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Rows
from ..checks import Sealed, flag, instance, number, shown, text, wrong_type, wrong_value
from ..errors import FrameworkError
from ..state.columns import Codes, Table
from ..state.rows import chosen_rows
from ..timing.schedule import Schedule
from .clip_columns import MAX_SPEED, ClipTime, PerRow, PlayedPoses2D

_MAX_SKIP = 1e6  # seconds
_CLIPS = ("clip", "clip_then", "clip_ended")  # columns that contain the indices of clips


class BatchClips(Sealed):
    """The clips of a sprite batch: ``batch.clips``."""

    __slots__ = ("_batch",)

    def __init__(self, batch: Animated) -> None:
        self._batch = batch

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the clips that rows can play.

        If the batch has no clips, the tuple is empty.
        """
        table = self._batch._table
        return table.timeline.names if isinstance(table, PlayedPoses2D) else ()

    @property
    def speeds(self) -> NDArray[np.float64]:
        """A copy of the clip speed of each row. The float64 array has the shape (n,). The normal
        speed of a clip is 1.

        To set speeds, call ``batch.pace(…)``.
        """
        self._batch._table.close_holes()
        return self._batch._played("clips.speeds").speeds

    @property
    def group(self) -> Schedule | None:
        """The group of the scene's ``schedule`` whose time the clips follow.

        By default, the group is None, and the clips follow the time of ticks.
        """
        return self._batch._played("clips.group").group

    @group.setter
    def group(self, value: Schedule | None) -> None:
        table = self._batch._played("clips.group")
        table.go_with(None if value is None else instance("group", value, Schedule))


class Animated:
    """The base class of sprite batches that can play clips.

    Subclasses have an attribute ``_table``, which contains the rows.
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
        """Play the clip ``name`` from its start. ``rows`` is a sprite, an array of indices, a mask
        or a slice.

        By default, all rows play the clip. If a row is already playing the clip ``name``, the clip
        continues. With ``restart=True``, a clip that is already playing starts again. ``then`` is
        the name of a second clip, which starts exactly when the first clip ends. Without ``then``,
        the sprite keeps showing the last image when the clip has ended. ``speed`` is a factor from
        0 (paused) to 1000. At 1, the clip runs at its normal speed. With ``skip``, the first
        ``skip`` seconds of the clip are left out. For ``speed`` and ``skip``, pass one number for
        all rows, or an array with one number per row.

        A new clip is visible, from its first image, in the tick in which it starts. Raises
        `FrameworkError` if the batch has no clips. Raises `ValueError` if the batch has no clip
        with the name ``name``. The error message suggests the most similar name.
        """
        table = self._played("play")
        clip = self._clip("name", name)
        following = -1 if then is None else self._clip("then", then)
        chosen = self._chosen(rows)
        speeds = _for_each("speed", speed, chosen, MAX_SPEED)
        skips = _for_each("skip", skip, chosen, _MAX_SKIP)
        table.play(clip, chosen, speeds, following, flag("restart", restart), skips)

    def pace(self, speed: ArrayLike, rows: Any = None) -> None:
        """Set the speed of the clips on ``rows``. ``speed`` is a single number, or an array with
        one number for each row in ``rows``.

        By default, the speed of all rows is set.

        A running clip continues from its current image at the new speed. A speed of 1 is normal,
        and 0 pauses the clip.
        """
        table = self._played("pace")
        chosen = self._chosen(rows)
        table.pace(chosen, _for_each("speed", speed, chosen, MAX_SPEED))

    def stop(self, rows: Any = None) -> None:
        """Stop the clips on ``rows``. By default, the clips of all rows stop.

        The rows keep their current images.
        """
        self._played("stop").stop(self._chosen(rows))

    def ended(self, name: str | None = None) -> Rows:
        """Return the rows whose clip ended in this tick, in ascending order. A clip that loops
        never ends.

        If you pass ``name``, return only the rows whose clip is ``name``.
        """
        table = self._played("ended")
        clip = None if name is None else self._clip("name", name)
        table.close_holes()
        return table.ended(clip)

    def marked(self, name: str) -> Rows:
        """Return the rows whose clip reached the marker ``name`` in this tick, in ascending order.
        A marker is a name for an image of the clip.
        """
        table = self._played("marked")
        _check_name("name", name, table.timeline.markers, "marker")
        table.close_holes()
        return table.marked(name)

    def playing(self, name: str) -> Rows:
        """Return the rows that are playing the clip ``name`` or showing its last image, in
        ascending order.
        """
        table = self._played("playing")
        clip = self._clip("name", name)
        table.close_holes()
        return table.playing(clip)

    def shown_images(self, alpha: float = 0.0) -> NDArray[np.int32]:
        """Return the index of the image that each row shows. The int32 array has the shape (n,).

        By default, return the images at the start of this tick. To get the images of a frame
        between two ticks, pass ``alpha``. A row without a clip shows the image in its column
        ``image``. The shader computes the same images when it draws the rows.
        """
        alpha = number("alpha", alpha, least=0, most=1)
        table = self._table
        table.close_holes()
        if isinstance(table, PlayedPoses2D):
            return table.shown_images(slice(0, table.count), alpha)
        images: NDArray[np.int32] = table.column("image").current(table.count).copy()
        return images

    @property
    def clips(self) -> BatchClips:
        """The clips of the batch: their names, their speeds, and the group whose time they follow."""
        return BatchClips(self)

    # -- saves -------------------------------------------------------------------------------------

    def _further_rows(self) -> dict[str, tuple[NDArray[Any], Codes | None]]:
        """Return the clip columns for a save. The clip columns contain the names and the times of
        clips.
        """
        table = self._table
        if not isinstance(table, PlayedPoses2D):
            return {}
        names = Codes(["", *table.timeline.names])  # code 0 means no clip
        clips = {name: (table.column(name).current(table.count) + 1, names) for name in _CLIPS}
        return clips | {"clip_time": (np.full((table.count, 2), table.clip_time, np.int64), None)}

    def _put_further(self, count: int, columns: dict[str, NDArray[Any]]) -> None:
        """Set the clip columns to the values that `_further_rows` returned earlier."""
        times = columns.pop("clip_time", None)
        if times is not None:
            columns |= {name: columns[name] - 1 for name in _CLIPS}
            if count:
                now: int
                step: int
                now, step = times[0].tolist()
                self._played("clip_time").load_time(now, step)

    def _capture_extra(self) -> ClipTime | None:
        """Return the time of the clips for a snapshot. If the batch has no clips, return None."""
        table = self._table
        return table.captured_time() if isinstance(table, PlayedPoses2D) else None

    def _restore_extra(self, time: ClipTime) -> None:
        """Set the time of the clips to a value that `_capture_extra` returned earlier."""
        self._played("clip_time").put_back_time(time)

    def _check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` if rows from a save contain impossible clips or times."""
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

    def _chosen(self, rows: Any) -> Rows | slice:
        return chosen_rows(self, slice(None) if rows is None else rows)


class AnimatedHandle:
    """The base class of sprites that can play clips. Each of them is a row of an `Animated` batch."""

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
        """Play the clip ``name`` from its start. If the sprite is already playing the clip
        ``name``, the clip continues.

        For the options, see `SpriteBatch.play`.
        """
        try:
            continues = (
                not restart and name is not None and self._playing() == (name, False, speed, then)
            )
        except ValueError:  # the argument is an array: `play` raises a better error
            continues = False
        if not continues:
            self._batch.play(name, self, then=then, speed=speed, restart=restart, skip=skip)

    def stop(self) -> None:
        """Stop the clip of the sprite. The sprite keeps its current image."""
        self._batch.stop(self)

    @property
    def clip(self) -> str | None:
        """The name of the clip that the sprite is playing. When a clip has ended, the sprite keeps
        showing its last image, and `clip` is still the name of this clip.

        If the sprite has no clip, `clip` is None.
        """
        return self._playing()[0]

    @property
    def clip_ended(self) -> bool:
        """Whether the clip of the sprite has ended, in this tick or earlier.

        When another clip starts, `clip_ended` becomes False.
        """
        return self._playing()[1]

    @property
    def clip_speed(self) -> float:
        """The speed of the clip: 1 is normal, and 0 pauses the clip.

        If you set a new speed, the clip continues from its current image.
        """
        return self._playing()[2]

    @clip_speed.setter
    def clip_speed(self, value: float) -> None:
        self._batch.pace(number("clip_speed", value, least=0, most=MAX_SPEED), self)

    def _playing(self) -> tuple[str | None, bool, float, str | None]:
        """Return the name of the sprite's clip, whether the clip has ended, the clip's speed, and
        the name of the next clip.
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
    """Check that ``value`` is a number from 0 to ``maximum``, or an array with one such number per
    row, and return it. Otherwise, raise an error.
    """
    try:
        numbers = np.asarray(value)
    except ValueError:  # the rows have different lengths
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
