"""Batches and sprites that play clips: `play`, and what has become of it."""

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
from .played import MOST_SPEED, ClipTime, Each, PlayedPoses2D

_LONGEST_SKIP = 1e6  # seconds
_CLIPS = ("clip", "clip_then", "clip_ended")  # the columns whose numbers are clips


class BatchClips(Sealed):
    """The clips of a batch, as a game sees them: ``batch.clips``."""

    __slots__ = ("_batch",)

    def __init__(self, batch: Animated) -> None:
        self._batch = batch

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the clips that rows can play; empty for a batch without clips."""
        table = self._batch._table
        return table.timeline.names if isinstance(table, PlayedPoses2D) else ()

    @property
    def speeds(self) -> NDArray[np.float64]:
        """The speed of each row's clip, 1 for the clip's own: float64 (n,), a copy.

        Set speeds with ``batch.pace(…)``.
        """
        self._batch._close()
        return self._batch._played("clips.speeds").speeds

    @property
    def group(self) -> Schedule | None:
        """The group of the scene's ``schedule`` in whose time clips run; None, the default, for
        the time of its ticks.
        """
        return self._batch._played("clips.group").group

    @group.setter
    def group(self, value: Schedule | None) -> None:
        table = self._batch._played("clips.group")
        table.go_with(None if value is None else instance("group", value, Schedule))


class Animated:
    """A batch whose rows play clips, if it was made with any. What derives from it has a
    ``table``.
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
        """Have rows (a sprite, indices, a mask, a slice; all unless told) play a clip, from its
        beginning.

        Those that play it already go on, unless ``restart``. ``then`` is the clip that follows when
        it ends, at that very moment; without one, its last frame stays. ``speed`` (1 is the clip's
        own, 0 stands still, at most 1000) and ``skip`` (seconds that are left out, at that speed)
        are one number for all, or one for each of the rows.

        What is played in a tick is seen from its first frame on, at once. Raises `ValueError` for a
        clip that there is not, with the nearest there is, and `FrameworkError` of a batch that has
        none.
        """
        table = self._played("play")
        clip, following = self._clip("name", name), -1 if then is None else self._clip("then", then)
        chosen = self._chosen(rows)
        speeds = _for_each("speed", speed, chosen, MOST_SPEED)
        skips = _for_each("skip", skip, chosen, _LONGEST_SKIP)
        table.play(clip, chosen, speeds, following, flag("restart", restart), skips)

    def pace(self, speed: ArrayLike, rows: Any = None) -> None:
        """Have the clips of rows go on at another speed from where they are: one number, or one for
        each row.
        """
        table, chosen = self._played("pace"), self._chosen(rows)
        table.pace(chosen, _for_each("speed", speed, chosen, MOST_SPEED))

    def stop(self, rows: Any = None) -> None:
        """Have rows play no clip any more, and show the image that they show now."""
        self._played("stop").stop(self._chosen(rows))

    def ended(self, name: str | None = None) -> Rows:
        """The rows whose clip of this name (or any) ended in this tick, ascending. Loops never
        end.
        """
        table = self._played("ended")
        clip = None if name is None else self._clip("name", name)
        self._close()
        return table.ended(clip)

    def marked(self, name: str) -> Rows:
        """The rows whose clips have come in this tick to a frame with the mark of this name,
        ascending.
        """
        table = self._played("marked")
        _known("name", name, table.timeline.marks, "mark")
        self._close()
        return table.marked(name)

    def playing(self, name: str) -> Rows:
        """The rows that play a clip, also those that show its last frame since it ended,
        ascending.
        """
        table, clip = self._played("playing"), self._clip("name", name)
        self._close()
        return table.playing(clip)

    def shown_images(self, alpha: float = 0.0) -> NDArray[np.int32]:
        """The image that each row shows: that of its clip at this tick, or in the picture at
        ``alpha``; or the number in its column ``image``: int32 (n,). The shader chooses the
        same."""
        alpha = number("alpha", alpha, least=0, most=1)
        self._close()
        table = self._table
        if isinstance(table, PlayedPoses2D):
            return table.shown_images(slice(0, table.count), alpha)
        images: NDArray[np.int32] = table.column("image").current(table.count).copy()
        return images

    @property
    def clips(self) -> BatchClips:
        """The clips that rows can play: their names, their speeds, and the time that they run
        in.
        """
        return BatchClips(self)

    # -- saves -------------------------------------------------------------------------------------

    def _further_rows(self) -> dict[str, tuple[NDArray[Any], Codes | None]]:
        """The clips by their names, and their time, which a save has beside the rows."""
        table = self._table
        if not isinstance(table, PlayedPoses2D):
            return {}
        names = Codes(["", *table.timeline.names])  # the first is nothing
        clips = {name: (table.column(name).current(table.count) + 1, names) for name in _CLIPS}
        return clips | {"clip_time": (np.full((table.count, 2), table.clip_time, np.int64), None)}

    def _put_further(self, count: int, columns: dict[str, NDArray[Any]]) -> None:
        """A save brings rows, and the time in which their clips run."""
        times = columns.pop("clip_time", None)
        if times is not None:
            columns |= {name: columns[name] - 1 for name in _CLIPS}
            if count:
                now: int
                step: int
                now, step = times[0].tolist()
                self._played("clip_time").bring_time(now, step)

    def _captured_further(self) -> ClipTime | None:
        """That time, for `_put_back_further`, when the table itself is put back."""
        table = self._table
        return table.captured_time() if isinstance(table, PlayedPoses2D) else None

    def _put_back_further(self, held: ClipTime) -> None:
        """Have it again."""
        self._played("clip_time").put_back_time(held)

    def _check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` for what cannot be, among rows that somebody brings."""
        if isinstance(self._table, PlayedPoses2D):
            self._table.check_rows(columns)

    # -- within ------------------------------------------------------------------------------------

    def _played(self, asked: str) -> PlayedPoses2D:
        table = self._table
        if not isinstance(table, PlayedPoses2D):
            hint = "make it with some: fw.SpriteBatch(fw.Clips(images, walk=(0, 8, 12)), count)"
            raise FrameworkError(f"{asked}: this batch has no clips; {hint}")
        return table

    def _clip(self, argument: str, name: str) -> int:
        table = self._played("play")
        _known(argument, name, table.timeline.names, "clip")
        return table.timeline.numbers[name]

    def _close(self) -> None:
        """Rows close up over those that are gone."""
        if self._table.holes:
            self._table.close_holes()

    def _chosen(self, rows: Any) -> Rows | slice:
        self._close()
        return row_indices(slice(None) if rows is None else rows_of(self, rows), self._table.count)


class AnimatedHandle:
    """A sprite that plays clips. What derives from it is a handle of an `Animated` batch."""

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
        """Play a clip from its beginning; one that it plays already goes on. See
        `SpriteBatch.play`.
        """
        try:
            goes_on = (
                not restart and name is not None and self._playing() == (name, False, speed, then)
            )
        except ValueError:  # of arrays, which `play` refuses
            goes_on = False
        if not goes_on:
            self._batch.play(name, self, then=then, speed=speed, restart=restart, skip=skip)

    def stop(self) -> None:
        """Play no clip any more, and show the image that it shows now."""
        self._batch.stop(self)

    @property
    def clip(self) -> str | None:
        """The name of the clip that it plays, or of which it shows the last frame since it ended;
        None for none.
        """
        return self._playing()[0]

    @property
    def clip_ended(self) -> bool:
        """Whether its clip has ended, in this tick or before, and nothing was played since."""
        return self._playing()[1]

    @property
    def clip_speed(self) -> float:
        """At which speed its clip runs, 1 for its own; what is set counts from here on."""
        return self._playing()[2]

    @clip_speed.setter
    def clip_speed(self, value: float) -> None:
        self._batch.pace(number("clip_speed", value, least=0, most=MOST_SPEED), self)

    def _playing(self) -> tuple[str | None, bool, float, str | None]:
        """The clip, whether it has ended, its speed, and the clip that follows."""
        table: PlayedPoses2D = self._table
        return table.clip_of(self._row) if table.has("clip") else _NOTHING


_NOTHING = (None, False, 1.0, None)


def _known(argument: str, name: str, names: tuple[str, ...], what: str) -> None:
    """Raise an error unless it is one of the names."""
    if text(argument, name) not in names:
        near = difflib.get_close_matches(name, names, 1)
        there = (
            f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names[:20]) or 'none'}"
        )
        raise ValueError(f"{argument}: there is no {what} {shown(name)}; {there}")


def _for_each(name: str, value: ArrayLike, rows: Rows | slice, most: float) -> Each:
    """A number from 0 to ``most``, or one for each of the rows."""
    try:
        numbers = np.asarray(value)
    except ValueError:  # ragged
        raise wrong_type(name, "a number, or one for each row", value) from None
    if not numbers.ndim:
        return number(name, value, least=0, most=most)
    count: int = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
    if numbers.dtype.kind not in "iuf":
        raise wrong_type(name, "a number, or one for each row", value)
    if numbers.shape != (count,):
        raise ValueError(
            f"{name}: expected a number, or one for each of {count} rows, got {shown(value)}"
        )
    each: Doubles = numbers.astype(np.float64)
    if not ((each >= 0) & (each <= most)).all():
        raise wrong_value(name, f"numbers from 0 to {most:g}", value)
    return each
