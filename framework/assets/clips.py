"""Clips: which of a sheet's images follow each other, and how long each is seen."""

from __future__ import annotations

__all__ = ["Clip", "Clips"]

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..checks import Sealed, flag, items, shown, wrong_type, wrong_value
from ..motion.timelines import MOST_ALL_STEPS, MOST_STEPS, Strip, Timeline
from ..resources import Folder
from ..timing.schedule import exact
from .images import ImageSource, Region, checked_source

_MOST_UNEVEN_STEPS = (
    1 << 13
)  # of a clip whose frames take times of their own; their ends are rounded to one of them
_FASTEST = 10_000
_LONGEST = 1 << 20  # seconds that a frame may take


class Clip(Sealed):
    """Some images, one after another.

    ``frames`` are the numbers of the images; ``rate`` how many of them are seen in a second, or
    ``seconds`` how long each of them is (one number for each). Both are exact: 1/12 is a twelfth. A
    clip begins anew when it is through; without ``loop`` it stays at its last frame. With
    ``ping_pong`` it goes back as it came, the first and the last frame once each. ``marks`` are
    names for places in ``frames``, one or several, that `SpriteBatch.marked` tells of:
    ``fw.Clip(range(8), rate=12, marks={"step": (1, 5)})``.
    """

    __slots__ = ("frames", "loop", "marks", "ping_pong", "seconds")

    not_state = True

    def __init__(
        self,
        frames: Sequence[int],
        rate: float | Fraction | None = None,
        *,
        seconds: Sequence[float | Fraction] | None = None,
        loop: bool = True,
        ping_pong: bool = False,
        marks: Mapping[str, int | Sequence[int]] | None = None,
    ) -> None:
        numbers = tuple(checks.whole("frames", frame, 0) for frame in items("frames", frames))
        if not 1 <= len(numbers) <= MOST_STEPS // 2:
            raise wrong_value("frames", f"1 to {MOST_STEPS // 2:,} numbers of images", frames)
        self.loop, self.ping_pong = flag("loop", loop), flag("ping_pong", ping_pong)
        self.marks = {
            name: _places(name, given, len(numbers)) for name, given in _named(marks).items()
        }
        """The places of its marks, by their names."""
        if (rate is None) == (seconds is None):
            raise TypeError(
                "rate: expected frames a second, or seconds=, how long each frame is "
                "seen: one of the two"
            )
        self.frames = numbers
        """The numbers of its images, as they were given."""
        if seconds is None:
            self.seconds = (1 / _exact("rate", rate, _FASTEST),) * len(numbers)
            """How long each of the frames is seen, exactly."""
        else:
            times: list[object] = items("seconds", seconds)
            if len(times) != len(numbers):
                raise ValueError(
                    f"seconds: expected one for each of {len(numbers)} frames, got {len(times)}"
                )
            known = {
                id(time): _exact("seconds", time, _LONGEST)
                for time in {id(time): time for time in times}.values()
            }
            if min(known.values()) * _FASTEST < 1:
                raise wrong_value("seconds", f"at least {1 / _FASTEST} each", seconds)
            self.seconds = tuple(known[id(time)] for time in times)

    def __repr__(self) -> str:
        return f"<Clip of {len(self.frames)} frames, {float(self.length):g} s>"

    @property
    def order(self) -> tuple[int, ...]:
        """The places in ``frames`` that are seen one after another."""
        there = tuple(range(len(self.frames)))
        return there + there[-2:0:-1] if self.ping_pong else there

    @property
    def length(self) -> Fraction:
        """Seconds that it takes, exactly."""
        counts, unit = _counted(self)
        return sum(counts) * unit


class Clips(Sealed):
    """Clips by name, and the images that they are made of: what `SpriteBatch` takes in place of
    images.

        sheet = fw.sheet("hero.png", (32, 32), columns=8, rows=2)
        hero = fw.Clips(sheet, walk=(0, 8, 12), hit=fw.Clip([9, 10], rate=10, loop=False))
        self.heroes = self.add(fw.SpriteBatch(hero, count=200))
        self.heroes.play("walk")

    ``images`` is one or a list of them, as of a batch. A clip is a `Clip`, or (first, count, rate):
    so many images from the first one on, at a rate. Clips whose names are no names in Python are
    given as ``**{"walk left": …}``. They cannot be changed afterwards.
    """

    __slots__ = ("_clips", "_timeline", "images")

    _transient_attributes = True

    def __init__(
        self, images: ImageSource | Sequence[ImageSource], /, **clips: Clip | tuple[int, int, float]
    ) -> None:
        sources = images if isinstance(images, list | tuple) else [images]
        self.images = tuple(checked_source("images", source) for source in sources)
        """The images, as a batch has them."""
        if not clips:
            raise TypeError(
                "clips: expected one at least, by its name: fw.Clips(images, walk=(0, 8, 12))"
            )
        self._clips = {name: _clip(name, given, len(self.images)) for name, given in clips.items()}
        self._timeline = timeline(self._clips)

    @classmethod
    def from_aseprite(
        cls, path: str | os.PathLike[str], *, folders: Sequence[Folder] = ()
    ) -> Clips:
        """Those of a sprite sheet that Aseprite has exported as JSON, hash or array, and of the
        picture beside it.

        Tags are the clips, in their directions, as often as they repeat; without tags there is one,
        "all", of all frames. Durations are those of the frames. Trimmed frames stay where they are;
        of a slice with a pivot, that is the anchor. User data of cels (exported with the layers)
        and of slices are the names of marks at their frames.

        ``path`` is looked up in ``folders``, beside the files that define the game, then in the
        working directory. Raises `AssetError` for a file that is missing, broken, or claims too
        much.
        """
        from .aseprite import read  # of games that have such files

        def make(images: list[Region], found: dict[str, dict[str, Any]]) -> Clips:
            return cls(images, **{name: Clip(**options) for name, options in found.items()})

        return read(path, folders, make)

    def __getitem__(self, name: str) -> Clip:
        """A clip by its name. Raises `ValueError` for one that there is not."""
        if name not in self._clips:
            raise ValueError(
                f"name: there is no clip {shown(name)}; there are {', '.join(self._clips)}"
            )
        return self._clips[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._clips)

    def __len__(self) -> int:
        return len(self._clips)

    def __repr__(self) -> str:
        return f"<Clips {', '.join(self._clips)}>"


def timeline_of(clips: Clips) -> Timeline:
    """Return clips as numbers, for what plays them."""
    return clips._timeline


def _exact(name: str, value: object, most: int) -> Fraction:
    number = checks.exact_number(name, value)
    if not 0 < number <= most:
        raise wrong_value(name, f"a number above 0, at most {most:,}", value)
    return exact(number) if isinstance(number, float) else Fraction(number)


def _named(marks: object) -> dict[str, object]:
    return (
        {}
        if marks is None
        else checks.named("marks", marks, "places in frames by the names of marks")
    )


def _places(name: str, given: object, count: int) -> tuple[int, ...]:
    several: list[object] = (
        items(f"marks[{name!r}]", given) if isinstance(given, Sequence | np.ndarray) else [given]
    )
    return tuple(checks.whole(f"marks[{name!r}]", place, 0, count - 1) for place in several)


def _clip(name: str, given: Clip | tuple[int, int, float], count: int) -> Clip:
    if isinstance(given, Clip):
        clip = given
    else:
        expected = "a Clip, or (first, count, rate)"
        if isinstance(given, str):
            raise wrong_type(name, expected, given)
        try:
            first, length, rate = given
        except TypeError:
            raise wrong_type(name, expected, given) from None
        except ValueError:
            raise wrong_value(name, expected, given) from None
        first = checks.whole(f"{name}: first", first, 0)
        length = checks.whole(f"{name}: count", length, 1)
        if first + length > count:
            raise ValueError(
                f"{name}: it ends at image {first + length - 1}, and there are "
                f"{count}: 0 to {count - 1}"
            )
        clip = Clip(range(first, first + length), rate)
    if max(clip.frames) >= count:
        raise ValueError(
            f"{name}: it shows image {max(clip.frames)}, and there are {count}: 0 to {count - 1}"
        )
    return clip


def timeline(clips: Mapping[str, Clip]) -> Timeline:
    """Clips as numbers. Raises `ValueError` where they are too many."""
    total = sum([len(clip.order) for clip in clips.values()])
    if total > MOST_ALL_STEPS:
        raise ValueError(
            f"clips: they have {total:,} frames, at most {MOST_ALL_STEPS:,} can be played"
        )
    room = max(0, MOST_ALL_STEPS - total) // len(clips)
    return Timeline(
        {name: _strip(clip, min(_MOST_UNEVEN_STEPS, room)) for name, clip in clips.items()}
    )


def _strip(clip: Clip, room: int) -> Strip:
    """A clip in equal steps: a frame each, or as many as are needed for their ends to fall on
    one.
    """
    order, (counts, unit) = clip.order, _counted(clip)
    steps = sum(counts)
    length, most = steps * unit, max(room, len(order))
    ends = np.array([*accumulate(counts)])
    if steps > most:
        ends = np.array([(2 * end * most + steps) // (2 * steps) for end in accumulate(counts)])
    begins = np.concatenate([[0], ends[:-1]])
    images: NDArray[np.int32] = np.repeat(
        np.array(clip.frames, np.int32)[list(order)], ends - begins
    )
    places: dict[int, list[int]] = {}
    for at, place in enumerate(order):
        if ends[at] > begins[at]:
            places.setdefault(place, []).append(int(begins[at]))
    begun = {
        name: [at for place in {*given} for at in places.get(place, ())]
        for name, given in clip.marks.items()
    }
    return Strip(images, length, clip.loop, begun)


def _counted(clip: Clip) -> tuple[list[int], Fraction]:
    """How long what is seen one after another is, in multiples of the longest time of which all
    are.
    """
    seconds = [clip.seconds[place] for place in clip.order]
    parts = math.lcm(*{time.denominator for time in seconds})
    counts = [time.numerator * (parts // time.denominator) for time in seconds]
    unit = math.gcd(*counts)
    return [count // unit for count in counts], Fraction(unit, parts)
