"""Play and stop the animations (clips) of sprites, and change their speed."""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Rows
from ..checks import Sealed, flag, instance, number, shown, text, wrong_type, wrong_value
from ..errors import FrameworkError
from ..state.columns import Table
from ..state.rows import chosen_rows
from ..timing.schedule import Schedule
from .clip_columns import MAX_SPEED, PerRow, PlayedPoses2D

_MAX_SKIP = 1e6  # seconds


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

        To set speeds, call ``batch.set_clip_speed(…)``.
        """
        self._batch._table.close_holes()
        return _table_with_clips(self._batch, "clips.speeds").speeds

    @property
    def group(self) -> Schedule | None:
        """The group of the scene's ``schedule`` whose time the clips follow.

        By default, `group` is None, and the clips follow the time of ticks.
        """
        return _table_with_clips(self._batch, "clips.group").group

    @group.setter
    def group(self, value: Schedule | None) -> None:
        table = _table_with_clips(self._batch, "clips.group")
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
        the sprite keeps showing the last image after the clip has ended. ``speed`` is a factor from
        0 (paused) to 1000. At 1, the clip runs at its normal speed. The first ``skip`` seconds of
        the clip are skipped. For ``speed`` and ``skip``, pass one number for all rows, or an array
        with one number per row.

        A new clip is already visible in the tick in which it starts, beginning with its first
        image. Raises `FrameworkError` if the batch has no clips. Raises `ValueError` if the batch
        has no clip called ``name``. The error message suggests the most similar name.
        """
        table = _table_with_clips(self, "play")
        clip = _clip_number(table, "name", name)
        following = -1 if then is None else _clip_number(table, "then", then)
        chosen = _chosen(self, rows)
        speeds = _for_each("speed", speed, chosen, MAX_SPEED)
        skips = _for_each("skip", skip, chosen, _MAX_SKIP)
        table.play(clip, chosen, speeds, following, flag("restart", restart), skips)

    def set_clip_speed(self, speed: ArrayLike, rows: Any = None) -> None:
        """Set the speed of the clips on ``rows``. ``speed`` is a single number, or an array with
        one number for each row in ``rows``.

        By default, `set_clip_speed` changes the speed of all rows.

        A running clip continues from its current image at the new speed. A speed of 1 is normal,
        and 0 pauses the clip.
        """
        table = _table_with_clips(self, "set_clip_speed")
        chosen = _chosen(self, rows)
        table.pace(chosen, _for_each("speed", speed, chosen, MAX_SPEED))

    def stop(self, rows: Any = None) -> None:
        """Stop the clips on ``rows``. By default, the clips of all rows stop.

        The rows keep their current images.
        """
        _table_with_clips(self, "stop").stop(_chosen(self, rows))

    def ended(self, name: str | None = None) -> Rows:
        """Return the rows whose clip ended in this tick, in ascending order. A clip that loops
        never ends.

        If you pass ``name``, return only the rows whose clip is ``name``.
        """
        table = _table_with_clips(self, "ended")
        clip = None if name is None else _clip_number(table, "name", name)
        table.close_holes()
        return table.ended(clip)

    def marked(self, name: str) -> Rows:
        """Return the rows whose clip reached the marker ``name`` in this tick, in ascending order.
        A marker is a name for an image of the clip.
        """
        table = _table_with_clips(self, "marked")
        _check_name("name", name, table.timeline.markers, "marker")
        table.close_holes()
        return table.marked(name)

    def playing(self, name: str) -> Rows:
        """Return the rows that are playing the clip ``name``, or are still showing its last image
        after its end, in ascending order.
        """
        table = _table_with_clips(self, "playing")
        clip = _clip_number(table, "name", name)
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


def _table_with_clips(batch: Animated, method: str) -> PlayedPoses2D:
    """Return the table of a batch that has clips. Otherwise, raise `FrameworkError` with the name
    of the method that the game has called.
    """
    table = batch._table
    if not isinstance(table, PlayedPoses2D):
        hint = "make it with clips: fw.SpriteBatch(fw.Clips(images, walk=(0, 8, 12)), count)"
        raise FrameworkError(f"{method}: this batch has no clips; {hint}")
    return table


def _clip_number(table: PlayedPoses2D, argument: str, name: str) -> int:
    _check_name(argument, name, table.timeline.names, "clip")
    return table.timeline.numbers[name]


def _chosen(batch: Animated, rows: Any) -> Rows | slice:
    return chosen_rows(batch, slice(None) if rows is None else rows)


class AnimatedHandle:
    """The base class of sprites that can play clips. Each sprite is a row of an `Animated`
    batch.
    """

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
        self._batch.set_clip_speed(number("clip_speed", value, least=0, most=MAX_SPEED), self)

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
    """Return ``value`` if it is a number from 0 to ``maximum``, or an array with one such number
    per row. Otherwise, raise an error.
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
