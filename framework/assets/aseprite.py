"""Read sprite sheets and clips from the JSON files that Aseprite exports.

The module reads the output of ``aseprite --data`` (json-hash and json-array). The format is
described in Aseprite's documentation and in its source file ``src/app/doc_exporter.cpp``. A damaged
file raises `AssetError`. The size of the files is limited, which also limits the time and memory
needed to read them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from ..checks import path as checked_path
from ..checks import shown
from ..current_game import current_folders
from ..errors import AssetError
from ..motion.clip_timelines import MAX_TOTAL_STEPS
from ..resources import Folder, checked_folders, find
from .images import Region
from .json_fields import parsed
from .linked_files import beside

Json = dict[str, Any]

Options = dict[str, Any]
"""The options of a clip: ``frames``, ``seconds``, ``loop``, ``ping_pong``, ``markers``."""

Box = tuple[int, int, int, int]
SliceParts = tuple[Region, Box | None, int, str]
"""The fields of a `Slice`: image, border, frame and user data."""

T = TypeVar("T")

_MAX_BYTES = 32 << 20
_MAX_VALUES = 1 << 21  # the maximum number of JSON values in a file, which take a second to parse
_MAX_FRAMES = 1 << 14
_MAX_CLIPS = 4096
_MAX_MARKERS = 1 << 17  # for all clips of a file together
_MAX_SLICES = 4096
_MAX_NAMES = 64  # the maximum number of marker names of one frame
_MAX_PIXELS = 1 << 16  # the maximum width and height of the canvas
_MAX_MILLISECONDS = 1 << 24
_MAX_REPEATS = 1000
_DIRECTIONS = ("forward", "reverse", "pingpong", "pingpong_reverse")


def read(
    path: str | os.PathLike[str],
    folders: Sequence[Folder],
    make: Callable[[list[Region], dict[str, Options], dict[str, SliceParts]], T],
) -> T:
    """Read a file that Aseprite exported, and return the result of ``make(images, clips, slices)``.

    ``clips`` is a dict from clip names to the options of a `Clip`. ``slices`` is a dict from slice
    names to the fields of a `Slice`. Raises an `AssetError` that names the file and the reason if
    the file cannot be read.
    """
    file = find(
        checked_path("path", path), [*checked_folders("folders", folders), *current_folders()]
    )
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise ValueError(f"it has more than {_MAX_BYTES >> 20} MiB")
        sheet = _Sheet(file, parsed(file.read_bytes(), _MAX_VALUES, "an export of Aseprite's"))
        return make(sheet.images, sheet.clips(), sheet.slices())
    except (ValueError, TypeError, OSError, MemoryError, AssetError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        words = f"{reason.rstrip('.')}. Export them again from Aseprite"
        raise AssetError(f"The clips {str(file)!r} cannot be used: {words}.") from error


class _Sheet:
    """The contents of a sprite sheet that Aseprite exported, which the constructor checks."""

    def __init__(self, path: Path, json: Json) -> None:
        meta = _object(json, "meta", "the file")
        self._picture = beside(path.parent, _string(meta, "image", "meta"), "meta.image", "JSON")
        self._meta = meta
        self._frames = _frames(json)
        self._seconds = [
            Fraction(_whole(frame, "duration", where, 1, _MAX_MILLISECONDS), 1000)
            for where, frame in self._frames
        ]
        self._markers: dict[int, list[str]] = {}  # marker names, by the index of the frame
        self._markers_left = _MAX_MARKERS  # for all clips together
        # Pivots by the index of their first frame, in pixels from the canvas's top left corner.
        self._pivots: dict[int, tuple[int, int]] = {}
        self._read_slices()
        self._read_cels()
        self.images = self._images()

    def _images(self) -> list[Region]:
        """Return one region of the sprite sheet's image for each frame. Frames with the same box
        and the same anchor share one region.
        """
        regions: dict[tuple[Any, ...], Region] = {}
        images = []
        pivot = None
        for number, (where, frame) in enumerate(self._frames):
            pivot = self._pivots.get(number, pivot)
            box = _box(_object(frame, "frame", where), f"{where}.frame")
            if frame.get("rotated"):
                raise ValueError(
                    f"{where}: it is rotated in the sheet, which is not supported; export "
                    "without rotation"
                )
            anchor = self._anchor(frame, where, box, pivot)
            key = box, anchor
            if key not in regions:
                regions[key] = Region(str(self._picture), box, anchor)
            images.append(regions[key])
        return images

    def _anchor(
        self, frame: Json, where: str, box: tuple[int, int, int, int], pivot: tuple[int, int] | None
    ) -> tuple[float, float] | None:
        """Return the anchor of a frame, or None if the frame is not trimmed and has no pivot.

        The anchor is in pixels from the bottom left corner of the frame.
        """
        if pivot is None and frame.get("trimmed") is not True:
            return None
        canvas = _object(frame, "sourceSize", where)
        width, height = (_whole(canvas, key, f"{where}.sourceSize", 1, _MAX_PIXELS) for key in "wh")
        left, top = _trimmed(frame, where)
        x, y = (Fraction(width, 2), Fraction(height, 2)) if pivot is None else pivot
        return float(x - left), float(top + box[3] - y)

    # -- anchors and markers ----------------------------------------------------------------------

    def _read_slices(self) -> None:
        for where, part in _objects(self._meta, "slices", "meta"):
            data = part.get("data")
            for at, key in _objects(part, "keys", where):
                frame = _whole(key, "frame", at, 0, len(self._frames) - 1)
                if "pivot" in key:
                    corner = _object(key, "bounds", at)
                    pivot = _object(key, "pivot", at)
                    x, y = (_near(corner, side, at) + _near(pivot, side, at) for side in "xy")
                    self._pivots.setdefault(frame, (x, y))
                self._add_marker(data, frame)

    def slices(self) -> dict[str, SliceParts]:
        """Return the image of each named slice, cut from the frame of the slice's first key.

        If a part of a slice was trimmed off, the image contains only the rest. A slice without
        pixels is left out.
        """
        slices: dict[str, SliceParts] = {}
        counts: dict[str, int] = {}
        for where, part in _objects(self._meta, "slices", "meta"):
            name = part.get("name")
            keys = _objects(part, "keys", where)
            if not keys or not isinstance(name, str) or not name:
                continue
            parts = self._slice(*keys[0], part.get("data"))
            if parts is None:
                continue
            if len(slices) == _MAX_SLICES:
                raise ValueError(f"it has more than {_MAX_SLICES:,} slices")
            slices[_unused_name(name, slices, counts)] = parts
        return slices

    def _slice(self, where: str, key: Json, data: Any) -> SliceParts | None:
        number = _whole(key, "frame", where, 0, len(self._frames) - 1)
        x, y, width, height = _rectangle(key, "bounds", where)
        at, frame = self._frames[number]
        sheet_x, sheet_y, columns, rows = _box(_object(frame, "frame", at), f"{at}.frame")
        left_cut, top_cut = _trimmed(frame, at)
        # the part of the slice that is in the sheet, in pixels of the canvas
        left = max(x, left_cut)
        right = min(x + width, left_cut + columns)
        top = max(y, top_cut)
        bottom = min(y + height, top_cut + rows)
        if left >= right or top >= bottom:
            return None
        anchor = _anchor_of(key, where, (x - left, bottom - y))
        border = None
        if "center" in key:
            start, upper, wide, high = _rectangle(key, "center", where)
            center = x + start, y + upper, x + start + wide, y + upper + high
            border = _border((left, top, right, bottom), center)
        box = sheet_x + left - left_cut, sheet_y + top - top_cut, right - left, bottom - top
        image = Region(str(self._picture), box, anchor)
        return image, border, number, data if isinstance(data, str) else ""

    def _read_cels(self) -> None:
        for where, layer in _objects(self._meta, "layers", "meta"):
            for at, cel in _objects(layer, "cels", where):
                if cel.get("data"):
                    self._add_marker(
                        cel["data"], _whole(cel, "frame", at, 0, len(self._frames) - 1)
                    )

    def _add_marker(self, name: Any, frame: int) -> None:
        names = self._markers.setdefault(frame, [])
        if isinstance(name, str) and name and name not in names[:_MAX_NAMES]:
            if len(names) == _MAX_NAMES:
                raise ValueError(f"frame {frame} has more than {_MAX_NAMES} markers")
            names.append(name)

    # -- clips -------------------------------------------------------------------------------------

    def clips(self) -> dict[str, Options]:
        """Return one clip for each tag in the file, or one clip with all frames if the file has no
        tags.
        """
        tags = _objects(self._meta, "frameTags", "meta")
        if not tags:
            return {"all": self._clip("meta", {"from": 0, "to": len(self._frames) - 1})}
        if len(tags) > _MAX_CLIPS:
            raise ValueError(f"it has {len(tags):,} tags, at most {_MAX_CLIPS:,} can be played")
        clips: dict[str, Options] = {}
        counts: dict[str, int] = {}
        left = MAX_TOTAL_STEPS
        for where, tag in tags:
            name = _unused_name(_string(tag, "name", where), clips, counts)
            clips[name] = clip = self._clip(where, tag, left)
            left -= len(clip["frames"])
        return clips

    def _clip(self, where: str, tag: Json, max_frames: int = MAX_TOTAL_STEPS) -> Options:
        last = len(self._frames) - 1
        first = _whole(tag, "from", where, 0, last)
        end = _whole(tag, "to", where, 0, last)
        if first > end:
            raise ValueError(f"{where}: it goes from frame {first} to {end}")
        direction = tag.get("direction", "forward")
        if direction not in _DIRECTIONS:
            raise ValueError(
                f"{where}: its direction is {shown(direction)}, expected one of "
                f"{', '.join(_DIRECTIONS)}"
            )
        frames = list(range(first, end + 1))
        if direction in ("reverse", "pingpong_reverse"):
            frames.reverse()
        repeats = _repeats(tag, where)
        if max(1, repeats) * len(frames) > max_frames:
            raise ValueError(
                f"{where}: with it there are more than {MAX_TOTAL_STEPS:,} frames in clips"
            )
        there_and_back = direction.startswith("pingpong")
        if repeats:
            frames = _back_and_forth(frames, repeats) if there_and_back else frames * repeats
        return {
            "frames": frames,
            "seconds": [self._seconds[frame] for frame in frames],
            "loop": not repeats,
            "markers": self._markers_in(frames, where),
            "ping_pong": there_and_back and not repeats,
        }

    def _markers_in(self, frames: list[int], where: str) -> dict[str, list[int]]:
        """Return the positions of each marker in ``frames``, by the name of the marker."""
        markers: dict[str, list[int]] = {}
        for index, frame in enumerate(frames):
            for name in self._markers.get(frame, ()):
                markers.setdefault(name, []).append(index)
                self._markers_left -= 1
        if self._markers_left < 0:
            raise ValueError(
                f"{where}: with it there are more than {_MAX_MARKERS:,} markers in clips"
            )
        return markers


def _unused_name(name: str, used: Container[str], counts: dict[str, int]) -> str:
    """Return ``name``, or a name such as "walk 2" if ``used`` already contains it. ``counts`` is a
    dict with the last number for each name, which this function updates.
    """
    unused = name
    while unused in used:
        counts[name] = counts.get(name, 1) + 1
        unused = f"{name} {counts[name]}"
    return unused


def _frames(json: Json) -> list[tuple[str, Json]]:
    frames = json.get("frames")
    if isinstance(frames, dict):
        entries = [(f"frames[{shown(name)}]", frame) for name, frame in frames.items()]
    elif isinstance(frames, list):
        entries = [(f"frames[{index}]", frame) for index, frame in enumerate(frames)]
    else:
        raise ValueError(f"frames: expected a list or an object, got {shown(frames)}")
    if not 1 <= len(entries) <= _MAX_FRAMES:
        raise ValueError(f"frames: expected 1 to {_MAX_FRAMES:,}, got {len(entries):,}")
    for where, frame in entries:
        if not isinstance(frame, dict):
            raise ValueError(f"{where}: expected an object, got {shown(frame)}")
    return entries


def _anchor_of(key: Json, where: str, corner: tuple[int, int]) -> tuple[float, float] | None:
    """Return the pivot of a slice in pixels from the bottom left corner of its image, or None.
    ``corner`` is the top left corner of the slice in the same coordinates.
    """
    if "pivot" not in key:
        return None
    pivot = _object(key, "pivot", where)
    across, down = (_near(pivot, side, where) for side in "xy")
    return float(corner[0] + across), float(corner[1] - down)


def _border(outer: Box, center: Box) -> Box:
    """Return the width of the four edges around the center of a 9-slice: left, top, right and
    bottom. Both boxes are left, top, right and bottom in pixels. The center may reach beyond
    ``outer``.
    """
    width = outer[2] - outer[0]
    height = outer[3] - outer[1]
    return (
        min(max(center[0] - outer[0], 0), width),
        min(max(center[1] - outer[1], 0), height),
        min(max(outer[2] - center[2], 0), width),
        min(max(outer[3] - center[3], 0), height),
    )


def _back_and_forth(frames: list[int], repeats: int) -> list[int]:
    """Return ``frames`` repeated ``repeats`` times, alternately forwards and backwards. The frame
    at a turning point is not repeated.
    """
    backwards = frames[::-1][1:]
    result = frames
    for number in range(1, repeats):
        result = result + (backwards if number % 2 else frames[1:])
    return result


def _repeats(tag: Json, where: str) -> int:
    """Return how many times a tag plays its clip, or 0 if the clip repeats forever."""
    repeat = tag.get("repeat", 0)
    if isinstance(repeat, str) and repeat.isascii() and repeat.isdigit() and len(repeat) < 6:
        repeat = int(repeat)
    return _whole({"repeat": repeat}, "repeat", where, 0, _MAX_REPEATS)


def _object(holder: Json, key: str, where: str) -> Json:
    value = holder.get(key)
    if not isinstance(value, dict):
        raise ValueError(f"{where}: expected an object {key!r}, got {shown(value)}")
    return value


def _objects(holder: Json, key: str, where: str) -> list[tuple[str, Json]]:
    """Return the objects in a JSON list, each with its position in the file for error messages. If
    the list is missing, the result is empty.
    """
    value = holder.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError(f"{where}.{key}: expected a list of objects, got {shown(value)}")
    return [(f"{where}.{key}[{index}]", item) for index, item in enumerate(value)]


def _string(holder: Json, key: str, where: str) -> str:
    value = holder.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{where}: expected a text {key!r}, got {shown(value)}")
    return value


def _whole(holder: Json, key: str, where: str, minimum: int, maximum: int) -> int:
    value = holder.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
        raise ValueError(
            f"{where}: expected {key!r} from {minimum} to {maximum}, got {shown(value)}"
        )
    return value


def _near(holder: Json, key: str, where: str) -> int:
    return _whole(holder, key, where, -_MAX_PIXELS, _MAX_PIXELS)


def _trimmed(frame: Json, where: str) -> tuple[int, int]:
    """Return the columns and rows that were trimmed at the left and at the top of a frame."""
    if frame.get("trimmed") is not True:
        return 0, 0
    part = _object(frame, "spriteSourceSize", where)
    left, top = (_whole(part, key, f"{where}.spriteSourceSize", 0, _MAX_PIXELS) for key in "xy")
    return left, top


def _rectangle(holder: Json, key: str, where: str) -> Box:
    """Return a rectangle of a slice. A slice may reach beyond the canvas, and may be empty."""
    rectangle = _object(holder, key, where)
    x, y = (_near(rectangle, side, f"{where}.{key}") for side in "xy")
    width, height = (_whole(rectangle, side, f"{where}.{key}", 0, _MAX_PIXELS) for side in "wh")
    return x, y, width, height


def _box(rectangle: Json, where: str) -> tuple[int, int, int, int]:
    x, y = (_whole(rectangle, key, where, 0, _MAX_PIXELS) for key in "xy")
    width, height = (_whole(rectangle, key, where, 1, _MAX_PIXELS) for key in "wh")
    return x, y, width, height
