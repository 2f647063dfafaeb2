"""Sprite animations, called clips: a clip is a list of images, each with its own duration."""

from __future__ import annotations

__all__ = ["Clip", "Clips"]

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..checks import Sealed, flag, items, shown, wrong_type, wrong_value
from ..motion.clip_timelines import MAX_STEPS, MAX_TOTAL_STEPS, ClipSteps, Timeline
from ..moved_names import HasMoved, moved, renamed_options
from ..other_engines.other_options import other_options
from ..resources import Folder
from ..timing.schedule import exact
from .images import ImageSource, Region, checked_source

# The maximum number of steps of a clip whose frames have different durations. Such a clip rounds
# the end of each frame to a step.
_MAX_UNEVEN_STEPS = 1 << 13
_MAX_RATE = 10_000
_MAX_SECONDS = 1 << 20  # maximum duration of a frame in seconds


class Slice(NamedTuple):
    """A named part of a sprite that was marked with Aseprite's slice tool, such as a panel or the
    face of a character.
    """

    image: Region
    """The part of the sprite sheet. Its anchor is the pivot of the slice, or the center if the
    slice has no pivot. You can pass it to sprites and widgets.
    """
    border: tuple[int, int, int, int] | None
    """The widths of the edges of a 9-slice that are not stretched: left, top, right and bottom, in
    pixels, as for `NinePatch`. The value is None if the slice is not a 9-slice.
    """
    frame: int
    """The index of the frame from which `image` is cut: the frame of the slice's first key."""
    data: str
    """The user data (text) of the slice, or an empty string."""


@moved("clip", {"length": "duration"}, settings={"marks": "markers"})
class Clip(HasMoved, Sealed):
    """A sprite animation: a sequence of images with the duration of each image.

        fw.Clip(range(8), rate=12, markers={"step": (1, 5)})

    Parameters
    ----------
    frames
        The indices of the images, in the order of playback.
    rate
        The number of images per second. Pass either ``rate`` or ``seconds``. A float such as 1/12
        is treated as the exact fraction.
    seconds
        The duration of each frame in seconds. Pass one number per frame.
    loop
        Whether the clip repeats. Default: True. If ``loop`` is False, the clip stops at its last
        frame.
    ping_pong
        Whether the clip plays forwards and then backwards. The first and the last frame are not
        repeated when the direction changes. Default: False.
    markers
        A dict from marker names to one or more positions in ``frames``. With ``{"step": (1, 5)}``,
        the second and the sixth frame have the marker "step". `SpriteBatch.marked` returns the rows
        whose clips have reached a marker in this tick.
    """

    __slots__ = ("frames", "loop", "markers", "ping_pong", "seconds")

    not_state = True

    @renamed_options("Clip", marks="markers")
    def __init__(
        self,
        frames: Sequence[int],
        rate: float | Fraction | None = None,
        *,
        seconds: Sequence[float | Fraction] | None = None,
        loop: bool = True,
        ping_pong: bool = False,
        markers: Mapping[str, int | Sequence[int]] | None = None,
    ) -> None:
        numbers = tuple(checks.whole("frames", frame, 0) for frame in items("frames", frames))
        if not 1 <= len(numbers) <= MAX_STEPS // 2:
            raise wrong_value("frames", f"1 to {MAX_STEPS // 2:,} numbers of images", frames)
        self.loop = flag("loop", loop)
        self.ping_pong = flag("ping_pong", ping_pong)
        self.markers = {
            name: _positions(name, positions, len(numbers))
            for name, positions in _named(markers).items()
        }
        """The positions of each marker in ``frames``, by the name of the marker."""
        if (rate is None) == (seconds is None):
            raise TypeError(
                "rate: expected frames per second, or seconds=, the duration of each frame: "
                "one of the two"
            )
        self.frames = numbers
        """The indices of the images."""
        if seconds is None:
            self.seconds = (1 / _exact("rate", rate, _MAX_RATE),) * len(numbers)
            """The exact duration of each frame, in seconds."""
        else:
            self.seconds = _exact_seconds(seconds, len(numbers))

    def __repr__(self) -> str:
        return f"<Clip of {len(self.frames)} frames, {float(self.duration):g} s>"

    @property
    def order(self) -> tuple[int, ...]:
        """The positions in ``frames``, in the order of playback. With ``ping_pong``, this includes
        the frames that are played backwards.
        """
        forwards = tuple(range(len(self.frames)))
        return forwards + forwards[-2:0:-1] if self.ping_pong else forwards

    @property
    def duration(self) -> Fraction:
        """The exact duration of the clip from its start to its end, in seconds."""
        counts, unit = _counted(self)
        return sum(counts) * unit


class Clips(Sealed):
    """A set of named clips and their images. Pass a `Clips` object to a `SpriteBatch` instead of
    images.

        sheet = fw.sheet("hero.png", (32, 32), columns=8, rows=2)
        hero = fw.Clips(sheet, walk=(0, 8, 12), hit=fw.Clip([9, 10], rate=10, loop=False))
        self.heroes = self.add(fw.SpriteBatch(hero, count=200))
        self.heroes.play("walk")

    ``images`` is an image or a list of images, as in a `SpriteBatch`. Each keyword is a clip: a
    `Clip` object or a tuple (first, count, rate). The tuple means ``count`` images from the image
    ``first`` on, at ``rate`` images per second. For a name that is not valid in Python, write
    ``**{"walk left": …}``. You cannot change the clips after you have created them.
    """

    __slots__ = ("_clips", "_timeline", "images", "slices")

    _transient_attributes = True

    @other_options(
        _="the images come first: write fw.Clips(fw.art.walker, walk=(0, 4, 8)), where the numbers are "
        "the first image, the count, and images per second"
    )
    def __init__(
        self, images: ImageSource | Sequence[ImageSource], /, **clips: Clip | tuple[int, int, float]
    ) -> None:
        if isinstance(images, Clips):
            raise TypeError(
                "images: expected images, got Clips, which have images and clips already: write "
                "fw.SpriteBatch(fw.art.hero), or pass the images of a walk: "
                "fw.Clips(fw.art.walker, walk=(0, 4, 8))"
            )
        sources = images if isinstance(images, list | tuple) else [images]
        self.images = tuple(checked_source("images", source) for source in sources)
        """The images. Their indices are the numbers in the batch's column ``image``."""
        if not clips:
            raise TypeError(
                "clips: expected at least one, by its name: fw.Clips(images, walk=(0, 8, 12))"
            )
        self._clips = {name: _clip(name, clip, len(self.images)) for name, clip in clips.items()}
        self._timeline = timeline(self._clips)
        self.slices: dict[str, Slice] = {}
        """The slices of an Aseprite file, by name. For other clips, the dict is empty."""

    @classmethod
    def from_aseprite(
        cls, path: str | os.PathLike[str], *, folders: Sequence[Folder] = ()
    ) -> Clips:
        """Return the clips and images of a sprite sheet that Aseprite has exported. ``path`` is the
        JSON file of the export.

        The JSON file may have either of Aseprite's formats, hash or array. Each tag becomes a clip
        with the direction and the repetitions of the tag. If the file has no tags, `from_aseprite`
        returns one clip "all" that contains all frames. Each frame has the same duration as in
        Aseprite. A frame from which Aseprite has trimmed transparent edges is still drawn at the
        right position. The pivot of a slice becomes the anchor of the slice's frames. The user data
        (text) of a cel or a slice becomes the name of a marker. The user data of cels is only
        exported if you export the layers. The attribute `slices` contains the parts of the image
        that slices mark.

        The file is searched for in ``folders``, then beside the game's files, and then in the
        working directory. Raises `AssetError` if the file is missing, damaged or too large.
        """
        from .aseprite import SliceParts, read  # few games have Aseprite files

        def make(
            images: list[Region],
            options_by_name: dict[str, dict[str, Any]],
            slices: dict[str, SliceParts],
        ) -> Clips:
            clips = cls(
                images, **{name: Clip(**options) for name, options in options_by_name.items()}
            )
            clips.slices = {name: Slice(*parts) for name, parts in slices.items()}
            return clips

        return read(path, folders, make)

    def __getitem__(self, name: str) -> Clip:
        """Return the clip with the name ``name``. Raises `ValueError` if there is no clip with this
        name.
        """
        if isinstance(name, int):
            raise TypeError(
                f"name: expected the name of a clip, such as {next(iter(self._clips))!r}, got "
                f"{shown(name)}; clips.images[{shown(name)}] is an image, and fw.art.walker is a "
                "tuple of images"
            )
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
    """Return the timeline of ``clips``, which stores when each frame of a clip is visible."""
    return clips._timeline


def _exact(name: str, value: object, maximum: int) -> Fraction:
    number = checks.exact_number(name, value)
    if not 0 < number <= maximum:
        raise wrong_value(name, f"a number above 0, at most {maximum:,}", value)
    return exact(number) if isinstance(number, float) else Fraction(number)


def _named(markers: object) -> dict[str, object]:
    return (
        {}
        if markers is None
        else checks.named("markers", markers, "positions in frames by the names of markers")
    )


def _positions(name: str, positions: object, count: int) -> tuple[int, ...]:
    listed: list[object] = (
        items(f"markers[{name!r}]", positions)
        if isinstance(positions, Sequence | np.ndarray)
        else [positions]
    )
    return tuple(checks.whole(f"markers[{name!r}]", position, 0, count - 1) for position in listed)


def _exact_seconds(seconds: Sequence[float | Fraction], count: int) -> tuple[Fraction, ...]:
    """Check the durations of ``count`` frames, and return them as fractions."""
    times: list[object] = items("seconds", seconds)
    if len(times) != count:
        raise ValueError(f"seconds: expected one for each of {count} frames, got {len(times)}")
    # A long clip may contain the same few objects many times. Each is converted only once.
    exact = {
        key: _exact("seconds", time, _MAX_SECONDS)
        for key, time in {id(time): time for time in times}.items()
    }
    if min(exact.values()) * _MAX_RATE < 1:
        raise wrong_value("seconds", f"at least {1 / _MAX_RATE} each", seconds)
    return tuple(exact[id(time)] for time in times)


def _clip(name: str, value: Clip | tuple[int, int, float], count: int) -> Clip:
    clip = value if isinstance(value, Clip) else _clip_of_range(name, value, count)
    if max(clip.frames) >= count:
        raise ValueError(
            f"{name}: it shows image {max(clip.frames)}, and there are {count}: 0 to {count - 1}"
        )
    return clip


def _clip_of_range(name: str, value: tuple[int, int, float], count: int) -> Clip:
    expected = "a Clip, or (first, count, rate)"
    if isinstance(value, str):
        raise wrong_type(name, expected, value)
    try:
        first, length, rate = value
    except TypeError:
        raise wrong_type(name, expected, value) from None
    except ValueError:
        raise wrong_value(name, expected, value) from None
    first = checks.whole(f"{name}: first", first, 0)
    length = checks.whole(f"{name}: count", length, 1)
    if first + length > count:
        raise ValueError(
            f"{name}: it ends at image {first + length - 1}, and there are {count}: 0 to "
            f"{count - 1}"
        )
    return Clip(range(first, first + length), rate)


def timeline(clips: Mapping[str, Clip]) -> Timeline:
    """Create a timeline for ``clips``. Raises `ValueError` if all clips together have too many
    frames.
    """
    total = sum([len(clip.order) for clip in clips.values()])
    if total > MAX_TOTAL_STEPS:
        raise ValueError(
            f"clips: expected at most {MAX_TOTAL_STEPS:,} frames in all clips, got {total:,}"
        )
    room = max(0, MAX_TOTAL_STEPS - total) // len(clips)
    return Timeline(
        {name: _strip(clip, min(_MAX_UNEVEN_STEPS, room)) for name, clip in clips.items()}
    )


def _strip(clip: Clip, room: int) -> ClipSteps:
    """Convert a clip to a list of images that are all shown for the same time, in which the image
    of a longer frame occurs several times.
    """
    order = clip.order
    counts, unit = _counted(clip)
    steps = sum(counts)
    length = steps * unit
    max_steps = max(room, len(order))
    ends = np.array([*accumulate(counts)])
    if steps > max_steps:
        ends = np.array(
            [(2 * end * max_steps + steps) // (2 * steps) for end in accumulate(counts)]
        )
    begins = np.concatenate([[0], ends[:-1]])
    images: NDArray[np.int32] = np.repeat(
        np.array(clip.frames, np.int32)[list(order)], ends - begins
    )
    starts: dict[int, list[int]] = {}  # the steps at which a frame begins, by its position
    for position, begin, end in zip(order, begins.tolist(), ends.tolist(), strict=True):
        if end > begin:
            starts.setdefault(position, []).append(begin)
    begun = {
        name: [step for position in {*positions} for step in starts.get(position, ())]
        for name, positions in clip.markers.items()
    }
    return ClipSteps(images, length, clip.loop, begun)


def _counted(clip: Clip) -> tuple[list[int], Fraction]:
    """Find the longest unit of time that divides every frame duration without a remainder. Return
    each frame duration as a multiple of this unit, and the unit in seconds.
    """
    seconds = [clip.seconds[position] for position in clip.order]
    parts = math.lcm(*{time.denominator for time in seconds})
    counts = [time.numerator * (parts // time.denominator) for time in seconds]
    unit = math.gcd(*counts)
    return [count // unit for count in counts], Fraction(unit, parts)
