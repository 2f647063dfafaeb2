"""Load pixels from files, Pillow images and arrays, and cut sprite sheets into images.

Pixels are uint8 arrays of the shape (height, width, 4): red, green, blue and alpha. The first row
is the top of the image. This module does not need OpenGL.
"""

from __future__ import annotations

__all__ = ["Region", "sheet"]

import io
import os
import warnings
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from .. import checks, resources
from ..arrays import Pixels
from ..errors import AssetError
from ..record.atomic_files import writing
from ..resources import Folder, check_writable, find

MAX_PIXELS = 8192 * 8192
"""The maximum number of pixels (width × height) that ``load`` decodes: 256 MiB."""

MAX_CUTS = 1 << 18
"""The maximum number of regions that ``sheet`` cuts from one image, and the maximum number of tile
images in a map.
"""

# The list does not contain all formats that Pillow supports. EPS would start Ghostscript on the
# player's machine, and a DDS file of 200 bytes can occupy Pillow for minutes.
_FORMATS = (
    "PNG",
    "JPEG",
    "GIF",
    "BMP",
    "WEBP",
    "AVIF",
    "TGA",
    "TIFF",
    "ICO",
    "PPM",
    "QOI",
    "PCX",
    "JPEG2000",
)
ASEPRITE = (".aseprite", ".ase")
"""The file name endings of Aseprite's own format, which Pillow does not read."""

_KNOWN = "PNG, JPEG, GIF, BMP, WebP, TGA, TIFF and some rarer ones"

_BAND = 1 << 20  # the number of pixels to convert in one step
_ORIENTATION_TAG = 0x0112
_ORIENTATIONS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
# metadata that may contain the orientation
_PNG_METADATA = b"eXIf", b"Raw profile type", b"adobe.xmp"
_ON_THEIR_SIDES = [_ORIENTATIONS[tag] for tag in (5, 6, 7, 8)]

T = TypeVar("T")


class LiveImage:
    """The base class of `RenderTexture`, an image that the GPU draws in each frame."""

    _transient_attributes: ClassVar[Any] = True

    size: tuple[int, int]
    _copies: list[Copy]


Copy: TypeAlias = Callable[[Any, int, int], None]
"""A function that copies an image after the GPU has drawn it. Its arguments are pyglet's GL module,
and the width and height of the image. During the call, the framebuffer of the image is bound for
reading.
"""


def blank_pixels(picture: LiveImage) -> Pixels:
    """Return the transparent pixels that a live image shows before its first frame.

    The array is uint8 with the shape (height, width, 4).
    """
    return np.zeros((picture.size[1], picture.size[0], 4), np.uint8)


def add_copy(picture: LiveImage, copy: Copy) -> None:
    """Register a function ``copy`` for a live image. The framework calls ``copy`` each time the GPU
    has drawn the image.
    """
    picture._copies.append(copy)


def remove_copy(picture: LiveImage, copy: Copy) -> None:
    """Remove a function that `add_copy` has registered."""
    if copy in picture._copies:
        picture._copies.remove(copy)


def copies_of(picture: LiveImage) -> Sequence[Copy]:
    """Return the functions that `add_copy` has registered for a live image."""
    return picture._copies


class LateImage:
    """The base class of images that a background thread decodes. If you pass a `LateImage` to
    `load`, it waits for the thread.
    """

    source: ImageSource
    size: tuple[int, int]
    patient: bool
    """Whether drawing a frame waits for the image. If True, each frame looks the same in every run.
    """

    @property
    def done(self) -> bool:
        """Whether the thread has finished decoding the image, even if an error occurred."""
        raise NotImplementedError

    def pixels(self) -> Pixels:
        """Wait until the thread has decoded the image, and return the pixels."""
        raise NotImplementedError

    def then(self, make: Callable[[Pixels], Pixels]) -> Any:
        """Make the thread call ``make(pixels)`` after it has decoded the image. Return a `Future`
        for the result of ``make``.
        """
        raise NotImplementedError


@dataclass(frozen=True, eq=False, slots=True)
class Region:
    """A rectangle of an image, for example one image of a sprite sheet. A region can also be a
    whole image with an anchor.

    Two regions are equal only if they are the same object. Raises `ValueError` or `TypeError` if
    the box does not consist of four whole numbers with a positive size, or if the anchor is
    invalid. Only `load` checks whether the box is inside the image.

    Parameters
    ----------
    source
        An image for ``load``.
    box
        The rectangle (x, y, width, height) in pixels. x is measured from the left, and y **down**
        from the top of the image, as in image editors. By default, the region is the whole image.
    anchor
        A point (x, y) in pixels from the bottom left corner of the region, y **up**. A sprite's
        position is at the anchor of its image. A sprite also rotates around the anchor. By default,
        the anchor is the center of the region.
    """

    not_state = True

    source: ImageSource
    box: tuple[int, int, int, int] | None = None
    anchor: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if isinstance(checked_source("source", self.source), LiveImage):
            raise checks.wrong_type(
                "source", "an image; a RenderTexture cannot be cut", self.source
            )
        if self.box is not None:
            object.__setattr__(self, "box", _checked_box(self.box))
        if self.anchor is not None:
            object.__setattr__(self, "anchor", checked_anchor("anchor", self.anchor))


ImageSource = str | os.PathLike[str] | Image.Image | NDArray[Any] | Region | LiveImage | LateImage
"""An image for ``load``: a path, a Pillow image, a NumPy array, a `Region` or a `RenderTexture`."""

_EXPECTED = "a path, a Pillow image, an array or a Region"


def checked_source(name: str, value: object) -> ImageSource:
    """Check that ``value`` is of a type that can be an image, and return it. Raises `TypeError` if
    it is not. To check the contents of the image, call `load`.
    """
    if not isinstance(
        value, str | os.PathLike | Image.Image | np.ndarray | Region | LiveImage | LateImage
    ):
        error = checks.wrong_type(name, _EXPECTED, value)
        if isinstance(value, tuple | list) and value:
            raise TypeError(
                f"{error}; for several images write fw.SpriteBatch(images), or "
                "fw.SpriteBatch(fw.Clips(images, walk=(0, 4, 8))) and batch.play('walk')"
            )
        raise error
    return value


def checked_anchor(name: str, value: object) -> tuple[float, float]:
    """Check an anchor and return it. An anchor is x and y in pixels from the bottom left corner of
    the image.
    """
    parts: Sequence[object] = value if isinstance(value, tuple | list) else [value]
    if any(isinstance(part, str) for part in parts):
        raise checks.wrong_type(
            name, "two numbers, pixels from the bottom left corner (None: the center)", value
        )
    return checks.pair(name, value)


def load(source: ImageSource, folders: Sequence[Folder] = (), live: bool = False) -> Pixels:
    """Return the pixels of an image as a uint8 array of the shape (height, width, 4). The alpha is
    straight, and the first row is the top of the image.

    The array is new and C-contiguous. ``source`` is one of the following:

    - a path, which ``find`` searches for in ``folders``: PNG, JPEG, GIF (only the first frame),
      BMP, WebP, TGA, TIFF and others
    - a Pillow image of any mode; 16-bit gray is scaled to 8 bits, and the EXIF orientation is
      applied
    - an array (height, width), (height, width, 3) or (height, width, 4): uint8, or floats from 0 to
      1
    - a Region: its box is cut from the image
    - a `RenderTexture`, if ``live`` is True: the pixels are transparent

    Raises
    ------
    AssetError
        The file is missing, broken, empty, not an image, or larger than ``MAX_PIXELS``. Also raised
        if the box of a region is not inside the region's image.
    ValueError
        ``source`` is an array with a wrong shape, dtype or range.
    TypeError
        ``source`` is not an image, or is a `RenderTexture` while ``live`` is False.
    """
    match source:
        case Region():
            return cut_region(load(source.source, folders), source)
        case np.ndarray():
            return _from_array(source)
        case LiveImage() if live:
            return blank_pixels(source)
        case LiveImage():
            raise TypeError(
                f"image: a {type(source).__name__} is drawn while the game runs, and here an "
                "image is needed that does not change; use it in sprites, polygons, ribbons, "
                "materials and effects"
            )
        case LateImage():
            return source.pixels().copy()
        case Image.Image():
            return _guarded(f"The Pillow image {checks.shown(source)}", lambda: _decode(source))
        case str() | os.PathLike():
            path = find(source, folders)
            return _guarded(f"The image {str(path)!r}", lambda: _decode_file(path))
    raise checks.wrong_type("image", _EXPECTED, source)


def is_among(source: ImageSource, files: Set[str], folders: Sequence[Folder]) -> bool:
    """Return whether the image ``source`` comes from one of the files in ``files``. ``files``
    contains absolute paths without symbolic links.
    """
    return resources.is_among(_root(fresh(source))[0], files, folders)


def images_among(
    sources: Iterable[ImageSource], files: Set[str], folders: Sequence[Folder]
) -> dict[int, ImageSource]:
    """Return a dict with the images in ``sources`` that come from one of ``files``. The keys of the
    dict are indices in ``sources``.
    """
    return {
        i: fresh(source) for i, source in enumerate(sources) if is_among(source, files, folders)
    }


def late(source: ImageSource) -> LateImage | None:
    """Return the image that a thread is still decoding: ``source``, or the image of the region
    ``source``. If no thread is decoding it, return None.
    """
    root = source.source if isinstance(source, Region) else source
    return root if isinstance(root, LateImage) and not root.done else None


def fresh(source: ImageSource) -> ImageSource:
    """Replace a `LateImage` in ``source`` by the path or array that its thread decodes. Any other
    image is returned unchanged.
    """
    if isinstance(source, Region) and isinstance(source.source, LateImage):
        return Region(source.source.source, source.box, source.anchor)
    return source.source if isinstance(source, LateImage) else source


def check_image_path(path: str | os.PathLike[str]) -> None:
    """Raise `AssetError` if ``path`` cannot be written, or Pillow does not know its extension."""
    check_writable(path)
    ending = Path(path).suffix.lower()
    if Image.registered_extensions().get(ending) not in Image.SAVE:
        raise AssetError(
            f"{os.fspath(path)!r} cannot be written: {ending!r} is not an ending of an image "
            "file; use .png"
        )


def described(source: ImageSource) -> str:
    """Return the text that describes an image in error messages: its path or its type."""
    root = _root(fresh(source))[0]
    return repr(os.fspath(root)) if isinstance(root, str | os.PathLike) else type(root).__name__


def load_many(
    sources: Sequence[ImageSource], folders: Sequence[Folder] = (), live: bool = False
) -> list[Pixels]:
    """Load several images; see `load`. A sprite sheet is decoded only once, even if several regions
    come from it.
    """
    decoded: dict[object, Pixels] = {}
    result = []
    for source in sources:
        root, key = _root(source)
        if key not in decoded:
            decoded[key] = load(root, folders, live)
        pixels = decoded[key]
        result.append(cut_region(pixels, source) if isinstance(source, Region) else pixels.copy())
    return result


def _root(source: ImageSource) -> tuple[ImageSource, object]:
    """Return the image that contains the region ``source``, or ``source`` itself if it is not a
    region. Also return a key that is equal for all regions of an image.
    """
    root = source.source if isinstance(source, Region) else source
    return root, os.fspath(root) if isinstance(root, str | os.PathLike) else id(root)


def sizes(
    sources: Sequence[ImageSource], folders: Sequence[Folder] = (), live: bool = False
) -> list[tuple[int, int]]:
    """Return the width and height of each image in ``sources``, in pixels.

    This is faster than `load`, because only the beginning of each file is read. Raises the same
    errors as `load`, but does not notice damage in the rest of a file.
    """
    known_sizes: dict[object, tuple[int, int]] = {}
    result = []
    for source in sources:
        root, key = _root(source)
        if key not in known_sizes:
            known_sizes[key] = (
                root.size if live and isinstance(root, LiveImage) else _size(root, folders)
            )
        box = source.box if isinstance(source, Region) else None
        if box is not None:
            _check_inside(box, source, *known_sizes[key])
        result.append(known_sizes[key] if box is None else box[2:])
    return result


def _size(source: ImageSource, folders: Sequence[Folder]) -> tuple[int, int]:
    if isinstance(source, str | os.PathLike):
        path = find(source, folders)
        return _guarded(f"The image {str(path)!r}", lambda: _size_in_file(path))
    if isinstance(source, Region):
        return sizes([source], folders)[0]
    if isinstance(source, LateImage):
        return source.size
    height, width = load(source).shape[:2]
    return width, height


def halved(pixels: Pixels, times: int) -> list[Pixels]:
    """Return ``times`` smaller copies of an image that has premultiplied alpha. The first copy has
    half the width and height of the image, the second copy a quarter, and so on. ``pixels`` may
    also have only one channel: uint8 (height, width).

    Widths and heights of the copies are rounded down. Each pixel of a copy is the mean of several
    pixels of the image.
    """
    copies = []
    # The last image as a Pillow image, or None if Pillow has not resized it yet.
    picture: Image.Image | None = None
    for _ in range(times):
        height: int = pixels.shape[0]
        width: int = pixels.shape[1]
        if height % 2 == width % 2 == 0:
            pixels = _halved_evenly(pixels)
            picture = None
        else:
            # With an odd size, a box filter would use one pixel in some places and two in others. A
            # triangle filter uses weights instead.
            picture = (_as_pillow(pixels) if picture is None else picture).resize(
                (max(1, width // 2), max(1, height // 2)), Image.Resampling.BILINEAR
            )
            pixels = np.frombuffer(picture.tobytes(), np.uint8).reshape(
                picture.height, picture.width, *pixels.shape[2:]
            )
        copies.append(pixels)
    return copies


def _as_pillow(pixels: Pixels) -> Image.Image:
    mode = "L" if pixels.ndim == 2 else "RGBa"
    size = pixels.shape[1], pixels.shape[0]
    return Image.frombuffer(mode, size, np.ascontiguousarray(pixels), "raw", mode, 0, 1)


def _halved_evenly(pixels: Pixels) -> Pixels:
    # Pillow has the same function, but it would import Pillow's file modules, which would slow down
    # the start.
    pairs = np.add(pixels[::2], pixels[1::2], dtype=np.uint16)
    fours = pairs[:, ::2] + pairs[:, 1::2]
    fours += 2  # so that the shift rounds to the nearest integer
    fours >>= 2
    return fours.astype(np.uint8)


def save(pixels: Pixels, path: str | os.PathLike[str]) -> None:
    """Save an image as a file. The extension of the file name selects the format.

    Raises `AssetError` if the file cannot be written.
    """
    where = os.fspath(path)
    if not pixels.size:
        raise AssetError(f"The image {where!r} is not written: its size is 0")
    picture = Image.fromarray(pixels)
    ending = Path(where).suffix.lower()
    if ending in (".jpg", ".jpeg"):
        picture = picture.convert("RGB")
    try:
        # Pillow's encoders do not notice if the disk is full and has stored only a part of the data
        encoded = io.BytesIO()
        picture.save(encoded, format_of(ending))
        with writing(where) as file:
            file.write(encoded.getbuffer())
    except (AssetError, ValueError, OSError) as error:
        reason = str(error).removeprefix(f"{where!r} cannot be written: ")
        raise AssetError(f"The image cannot be written to {where!r}: {reason}") from error


def format_of(ending: str) -> str:
    """Return Pillow's name of an image format, such as "PNG". ``ending`` is the extension of a file
    name, such as ".png". Raises `ValueError` for an unknown extension.
    """
    Image.preinit()  # `preinit` loads only the usual formats
    name = Image.EXTENSION.get(ending) or Image.registered_extensions().get(ending)
    if name is None:
        raise ValueError(f"unknown file extension: {ending}")
    return name


def premultiply(pixels: Pixels) -> Pixels:
    """Return a copy of ``pixels`` whose colors are multiplied by alpha. ``pixels`` is a uint8 array
    of the shape (height, width, 4).

    The results are rounded to whole numbers. Textures need premultiplied colors, because the GPU's
    linear filter mixes neighboring pixels. Otherwise, transparent pixels (usually black) would
    darken the edges of images.
    """
    checked_pixels(pixels)
    result = pixels.copy(order="C")
    alpha = pixels[..., 3:].astype(np.uint16)
    # Adding 127 rounds to the nearest integer. There are no ties, because 255 is odd. 255 * 255 +
    # 127 still fits into 16 bits.
    result[..., :3] = (pixels[..., :3] * alpha + 127) // 255
    return result


def premultiplied_letter(pixels: Pixels) -> Pixels:
    """Return a glyph (the image of one letter) with premultiplied alpha. The array of a white
    glyph, uint8 (height, width), contains only opacity and is returned unchanged.
    """
    return pixels if pixels.ndim == 2 else premultiply(pixels)


def checked_pixels(pixels: object) -> None:
    """Raise `TypeError` or `ValueError` if ``pixels`` is not a uint8 array of the shape (height,
    width, 4).
    """
    checks.instance("pixels", pixels, np.ndarray, what="an array", hint="see images.load")
    assert isinstance(pixels, np.ndarray)
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 4:
        raise checks.wrong_value("pixels", "uint8 of shape (height, width, 4)", pixels)


def sheet(
    source: ImageSource,
    size: tuple[int, int],
    *,
    columns: int,
    rows: int = 1,
    count: int | None = None,
    margin: int = 0,
    spacing: int = 0,
    anchor: tuple[float, float] | None = None,
) -> list[Region]:
    """Cut a sprite sheet into regions of the same size. The first region is at the top left. The
    regions are ordered row by row, and from left to right within each row. The file is not read
    yet.

    ``size`` is the width and height of each image, in pixels. ``count`` is the number of images in
    the sheet. It is needed only if the last row is not full, and defaults to columns × rows.
    ``margin`` is the width of the empty border around the whole sheet, in pixels. ``spacing`` is
    the distance between neighboring images, in pixels. ``anchor`` becomes the anchor of each
    `Region`. Raises `ValueError` or `TypeError` if a number is not whole, or is too small or too
    large.
    """
    checked_source("source", source)
    width, height = checks.size("size", size)
    columns = checks.whole("columns", columns, 1, MAX_PIXELS)
    rows = checks.whole("rows", rows, 1, MAX_PIXELS)
    margin = checks.whole("margin", margin, 0, MAX_PIXELS)
    spacing = checks.whole("spacing", spacing, 0, MAX_PIXELS)
    count = columns * rows if count is None else checks.whole("count", count, 1)
    _check_image_count(count, (width, height), columns, rows)
    corners = (
        (margin + column * (width + spacing), margin + row * (height + spacing))
        for row, column in (divmod(i, columns) for i in range(count))
    )
    return [Region(source, (x, y, width, height), anchor) for x, y in corners]


def _check_image_count(count: int, size: tuple[int, int], columns: int, rows: int) -> None:
    if count > columns * rows:
        raise ValueError(
            f"count: {columns} columns × {rows} rows have {columns * rows} images, got {count}"
        )
    width, height = size
    limit = min(max(MAX_PIXELS // (width * height), 1), MAX_CUTS)
    if count > limit:
        name = "columns" if columns >= rows else "rows"
        raise ValueError(
            f"{name}: expected at most {limit:,} images of {width} × {height} pixels, got "
            f"{columns:,} columns × {rows:,} rows; columns and rows count images, not pixels"
        )


def _checked_box(box: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    expected = "four whole numbers (x, y, width, height)"
    try:
        x, y, width, height = box
    except TypeError:
        raise checks.wrong_type("box", expected, box) from None
    except ValueError:
        raise checks.wrong_value("box", expected, box) from None
    return (
        checks.whole("box: x", x),
        checks.whole("box: y", y),
        checks.whole("box: width", width, 1),
        checks.whole("box: height", height, 1),
    )


def _guarded(label: str, decode: Callable[[], T]) -> T:
    """Return the value of ``decode()``. Convert errors from Pillow to an `AssetError`."""
    try:
        # The warnings filter belongs to the whole process, so only the main thread may change the
        # filter.
        if current_thread() is not main_thread():
            return decode()
        with warnings.catch_warnings():
            # Pillow warns about strange metadata and about huge images. Ignore the first warning,
            # and raise an error for the second.
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            return decode()
    except AssetError as error:
        raise AssetError(f"{label} {error}") from error.__cause__
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise AssetError(f"{label} {_TOO_LARGE}") from error
    except UnidentifiedImageError as error:
        raise AssetError(
            f"{label} is in no format that can be read. Save it as one of {_KNOWN}."
        ) from error
    except Exception as error:
        # Broken files raise OSError, SyntaxError, ValueError, struct.error, EOFError, IndexError
        # and other errors.
        reason = str(error).strip().rstrip(".") or type(error).__name__
        raise AssetError(
            f"{label} cannot be read: {reason}. Save it again, as PNG for instance."
        ) from error


_TOO_LARGE = (
    f"claims more than {MAX_PIXELS:,} pixels (8192 × 8192). Scale it down or cut it into pieces."
)


def _decode_file(path: Path) -> Pixels:
    if path.suffix.lower() in ASEPRITE:
        from .aseprite_images import first_frame  # few games have such files

        _size_in_file(path)  # checks the size before the pixels are decoded
        return first_frame(_contents(path))
    with _opened(path) as image:
        return _decode(image)


def _size_in_file(path: Path) -> tuple[int, int]:
    if path.suffix.lower() in ASEPRITE:
        from .aseprite_images import size_of

        with path.open("rb") as stream:
            width, height = size_of(stream.read(128))
        _check_sides(width, height)
        return width, height
    with _opened(path) as image:
        _check_size(image)
        if image.format == "ICO":
            image.load()  # an icon has its real size only after `load`
            _check_size(image)
        width, height = image.size
        # Pillow would decode all pixels of a PNG to find the metadata at the end of the file.
        file = getattr(image, "fp", None)
        data = file.getvalue() if image.format == "PNG" and isinstance(file, io.BytesIO) else None
        has_metadata = data is None or any(mark in data for mark in _PNG_METADATA)
        orientation = _orientation(image) if has_metadata else None
    return (height, width) if orientation in _ON_THEIR_SIDES else (width, height)


def _opened(path: Path) -> Image.Image:
    Image.init()
    formats = [name for name in _FORMATS if name in Image.OPEN]
    # Open the image from memory, because Pillow trusts the lengths in a file. If a broken PNG
    # claims 4 GiB, Pillow would allocate 4 GiB for a real file. From memory, Pillow reads only the
    # existing bytes.
    return Image.open(io.BytesIO(_contents(path)), formats=formats)


def _contents(path: Path) -> bytes:
    if path.stat().st_size > 8 * MAX_PIXELS:  # the largest format has 8 bytes per pixel
        raise AssetError(_TOO_LARGE)
    return path.read_bytes()


def _decode(image: Image.Image) -> Pixels:
    """Return the pixels of a Pillow image. Error messages do not contain the file name, which
    `_guarded` adds.
    """
    _check_size(image)
    image.load()
    _check_size(image)  # an icon has its real size only after `load`
    orientation = _orientation(image)
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        pixels = _from_grey(image)
    else:
        if image.mode == "La":
            image = image.convert("LA")  # Pillow can convert "La" to RGBA only through "LA"
        pixels = _in_bands(image, lambda band: np.asarray(band.convert("RGBA")))
    if orientation is not None:
        pixels = np.array(Image.fromarray(pixels).transpose(orientation))
    return pixels


def _orientation(image: Image.Image) -> Image.Transpose | None:
    """Return the flip or rotation that makes a photo upright, according to the photo's EXIF data.
    Return None if the image is already upright.
    """
    with suppress(Exception):  # an image with broken EXIF data is still an image
        return _ORIENTATIONS.get(image.getexif().get(_ORIENTATION_TAG, 1))
    return None


def _check_size(image: Image.Image) -> None:
    _check_sides(image.width, image.height)


def _check_sides(width: int, height: int) -> None:
    if width < 1 or height < 1:
        raise AssetError(f"is empty: {width}×{height} pixels.")
    if width * height > MAX_PIXELS:
        raise AssetError(f"({width}×{height}) {_TOO_LARGE}")


def _from_grey(image: Image.Image) -> Pixels:
    """Convert a 16-bit gray image to 8 bits per channel, and return its pixels. Pillow's own
    conversion would cut values off at 255 instead of scaling them.
    """
    if image.mode == "F":
        return _in_bands(image, lambda band: _from_array(np.asarray(band)))
    # Mode "I" has 32 bits. Most versions of Pillow use it for 16-bit files.
    return _in_bands(
        image, lambda band: _from_array(np.clip(np.asarray(band), 0, 65535) / np.float32(65535))
    )


def _in_bands(image: Image.Image, pixels: Callable[[Image.Image], Pixels]) -> Pixels:
    """Convert an image a few rows at a time, to save memory. ``pixels`` is the function that
    converts these rows.
    """
    result = np.empty((image.height, image.width, 4), np.uint8)
    rows = max(1, _BAND // image.width)
    for top in range(0, image.height, rows):
        bottom = min(top + rows, image.height)
        result[top:bottom] = pixels(image.crop((0, top, image.width, bottom)))
    return result


def _from_array(array: NDArray[Any]) -> Pixels:
    shape = array.shape
    if array.size == 0 or array.ndim not in (2, 3) or (array.ndim == 3 and shape[2] not in (3, 4)):
        expected = "an array of shape (height, width), (height, width, 3) or (height, width, 4)"
        raise checks.wrong_value("image", expected, array)
    if array.dtype != np.uint8:
        array = _from_floats(array)
    result = np.full((*shape[:2], 4), 255, np.uint8)
    if array.ndim == 2:
        result[..., :3] = array[..., None]
    else:
        result[..., : shape[2]] = array
    return result


def _from_floats(array: NDArray[Any]) -> Pixels:
    if array.dtype.kind != "f":
        raise checks.wrong_value("image", "an array of uint8, or of floats in 0..1", array)
    low = float(array.min())
    high = float(array.max())
    slack = 1e-3  # for the rounding errors of float16; NaN fails both comparisons
    if not (low >= -slack and high <= 1 + slack):
        raise ValueError(
            f"image: expected floats in 0..1, got some in {low:g}..{high:g}; divide by "
            "255, or convert to uint8"
        )
    result: Pixels = np.rint(np.clip(array, 0, 1) * 255).astype(np.uint8)
    return result


def cut_region(pixels: Pixels, region: Region) -> Pixels:
    """Cut the box of ``region`` from ``pixels``, which contains the whole image. Raises
    `AssetError` if the box of the region is not inside the image.
    """
    if region.box is None:
        return pixels.copy()
    x, y, width, height = region.box
    rows, columns = pixels.shape[:2]
    _check_inside(region.box, region, columns, rows)
    return pixels[y : y + height, x : x + width].copy()


def _check_inside(
    box: tuple[int, int, int, int], source: ImageSource, columns: int, rows: int
) -> None:
    x, y, width, height = box
    if x < 0 or y < 0 or x + width > columns or y + height > rows:
        raise AssetError(
            f"The region of {width}×{height} pixels at ({x}, {y}) is not inside its "
            f"image {described(source)} of "
            f"{columns}×{rows} pixels. Check the region's box, or the sheet's size, "
            "columns and rows."
        )
