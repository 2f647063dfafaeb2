"""Write images to a video file with PyAV, or to a GIF file with Pillow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np
from PIL import Image

from .. import checks, resources
from ..arrays import Pixels
from ..errors import AssetError, FrameworkError
from ..optional_packages import check_version
from ..record.atomic_files import replacing, sync

if TYPE_CHECKING:
    import av

_FORMATS = {".mp4": "mp4", ".mkv": "matroska", ".mov": "mov", ".webm": "webm"}
VIDEOS = (*_FORMATS,)
# Numbers of the standard ITU-T H.273: BT.709 colors, and the range from 16 to 235.
_BT709 = _LIMITED = 1
_MIN_DURATION = 2  # the minimum time of an image in a GIF, in hundredths of a second
_CODECS = {".webm": ("libvpx-vp9", "libvpx"), "": ("libx264", "mpeg4")}


def check_video(path: str) -> None:
    """Raise an error if `write_video` cannot write the video file. Call `check_video` before you
    draw the images, because drawing them may take minutes.

    Raises `AssetError` for an unknown file type, and `FrameworkError` if a library is missing.
    """
    ending = Path(path).suffix.lower()
    if ending not in (*VIDEOS, ".gif"):
        raise AssetError(f"{path!r}: a video's name ends in {', '.join(VIDEOS)} or .gif.")
    resources.check_writable(Path(path))
    if ending != ".gif":
        _check_library()


def write_video(path: str, pictures: Iterable[Pixels], fps: Fraction) -> int:
    """Write a video of the images ``pictures``, with ``fps`` images per second, and return their
    number. Each image is a uint8 array of shape (height, width, 4). Row 0 of an image is at the
    top. The width and height of a video must be even. If the width or height is odd, the last
    column or row of pixels is omitted. A GIF shows at most 50 images per second. If ``fps`` is
    higher than 50, some images are left out. Raises `AssetError` if the file cannot be written.
    """
    counted = _Counted(pictures)
    try:
        with replacing(path) as beside:  # if the disk is full, no part of the video remains
            if Path(path).suffix.lower() == ".gif":
                _write_gif(path, beside, iter(counted), fps)
            else:
                _write_video(path, beside, iter(counted), fps)
            sync(beside)
    except OSError as error:  # includes the errors of PyAV
        raise AssetError(f"{path!r} cannot be written: {error}.") from error
    return counted.count


class _Counted:
    def __init__(self, pictures: Iterable[Pixels]) -> None:
        self._pictures = pictures
        self.count = 0

    def __iter__(self) -> Iterator[Pixels]:
        for picture in self._pictures:
            self.count += 1
            yield picture


def _check_library() -> None:
    try:
        import av  # noqa: F401
    except ImportError:
        raise FrameworkError(
            "Videos need PyAV: pip install 'subtick[video]'; a GIF (a name that ends "
            "in .gif) does not."
        ) from None
    check_version("av", "A video")


def _write_gif(path: str, beside: str, pictures: Iterator[Pixels], fps: Fraction) -> None:
    images = _timed(pictures, fps)
    first = next(images, None)
    if first is None:
        raise AssetError(f"{path!r}: there is no picture to write.")
    with open(beside, "wb") as file:
        first.save(cast(Any, _Sink(file)), "GIF", save_all=True, append_images=images, loop=0)


class _Sink:
    """A file object without a file descriptor. Pillow notices that the disk is full only if it
    cannot get a descriptor.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.write = file.write
        self.flush = file.flush
        self.tell = file.tell
        self.seek = file.seek


def _timed(pictures: Iterator[Pixels], fps: Fraction) -> Iterator[Image.Image]:
    """Yield the images for a GIF, with the duration of each image. A GIF stores durations in 1/100
    s, and viewers show each image for at least 2/100 s. Images that would be shown for a shorter
    time are left out, without changing the duration of the whole GIF.
    """
    image = None
    begin = 0
    count = 0
    for picture in pictures:
        time = round(100 * count / fps)
        count += 1
        if image is not None and time - begin < _MIN_DURATION:
            continue
        if image is not None:
            image.info["duration"] = 10 * (time - begin)
            yield image
        image = Image.fromarray(np.ascontiguousarray(picture[..., :3]))
        begin = time
    if image is not None:
        image.info["duration"] = 10 * max(_MIN_DURATION, round(100 * count / fps) - begin)
        yield image


def _write_video(path: str, beside: str, pictures: Iterator[Pixels], fps: Fraction) -> None:
    _check_library()
    import av

    codec = _codec_for(path)
    with av.open(beside, "w", format=_FORMATS[Path(path).suffix.lower()]) as container:
        stream: av.VideoStream | None = None
        for picture in pictures:
            height = picture.shape[0] & ~1
            width = picture.shape[1] & ~1
            if stream is None:
                # A cast, because `isinstance` is not possible: PyAV 12 has no class
                # `av.VideoStream`.
                stream = cast("av.VideoStream", container.add_stream(codec, rate=fps))
                _set_format(stream, width, height)
            frame = av.VideoFrame.from_ndarray(
                np.ascontiguousarray(picture[:height, :width, :3]), format="rgb24"
            )
            container.mux(stream.encode(frame.reformat(format="yuv420p", dst_colorspace="ITU709")))
        if stream is None:
            raise AssetError(f"{path!r}: there is no picture to write.")
        container.mux(stream.encode(None))


def _codec_for(path: str) -> str:
    """Return the first codec for the file type of ``path`` that PyAV supports."""
    import av

    names = _CODECS.get(Path(path).suffix.lower(), _CODECS[""])
    name = next((name for name in names if name in av.codecs_available), None)
    if name is None:
        raise FrameworkError(
            f"{path!r}: this PyAV has none of the encoders {', '.join(names)}; try a GIF."
        )
    return name


def _set_format(stream: av.VideoStream, width: int, height: int) -> None:
    """Set the size of a video, and its color space."""
    stream.width, stream.height = checks.size("size", (width, height))
    stream.pix_fmt = "yuv420p"
    # Without these settings, a video player guesses the color space from the size of the video.
    # Large videos would then have different colors.
    context = stream.codec_context
    context.colorspace = context.color_primaries = context.color_trc = _BT709
    context.color_range = _LIMITED
