"""Images from files, Pillow and numpy, as arrays of pixels that are ready for a texture.

Every array is uint8 (height, width, 4), red green blue alpha, row 0 at the top of the picture.
Nothing here needs OpenGL.
"""

from __future__ import annotations

import difflib
import io
import math
import operator
import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from framework.errors import AssetError

MAX_PIXELS = 8192 * 8192
"""Largest width × height that ``load`` decodes: 256 MiB of pixels."""

# Not every format that Pillow knows: EPS would start Ghostscript on the player's machine, and a DDS file
# of 200 bytes can keep Pillow busy for minutes.
_FORMATS = (
    "PNG", "JPEG", "GIF", "BMP", "WEBP", "AVIF", "TGA", "TIFF", "ICO", "PPM", "QOI", "PCX", "JPEG2000",
)  # fmt: skip
_KNOWN = "PNG, JPEG, GIF, BMP, WebP, TGA, TIFF and some rarer ones"

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

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Region:
    """A rectangle of an image, or a whole image with an anchor. Compared and hashed by identity.

    ``source``: what ``load`` takes. ``box``: (x, y, width, height) in pixels, x to the right and y **down**
    from the image's top left corner, as image editors show it; None is the whole image. ``anchor``: (x, y)
    in pixels from the region's bottom left corner, y **up**; None is the centre. The anchor is the point
    that a sprite's position puts in the world, and the one that it turns around.

    Raises ValueError for a box that is not four whole numbers with a positive size, or a bad anchor.
    Whether the box lies inside its image is known when the image is loaded.
    """

    source: ImageSource
    box: tuple[int, int, int, int] | None = None
    anchor: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.box is not None:
            object.__setattr__(self, "box", _checked_box(self.box))
        if self.anchor is not None:
            object.__setattr__(self, "anchor", checked_anchor(self.anchor))


ImageSource = str | os.PathLike[str] | Image.Image | NDArray[Any] | Region
"""What ``load`` takes: a path, a Pillow image, a numpy array, or a Region of one of them."""


def find(name: str | os.PathLike[str], folders: Sequence[Path] = ()) -> Path:
    """The file that ``name`` means.

    An absolute path is taken as it is. A relative one is looked up in each of ``folders`` in order, then in
    the current working directory. AssetError when there is no such file; it names the nearest ones there are.
    """
    asked = os.fspath(name)
    bases = list(dict.fromkeys([*(Path(folder) for folder in folders), Path.cwd()]))
    if os.path.isabs(asked):
        bases = [Path(Path(asked).anchor)]
    places = [base / asked for base in bases]
    for place in places:
        # os.path and not Path.is_file: it answers False where Path raises (a name too long, no permission).
        if os.path.isfile(place):
            return place
    for place in places:
        if os.path.isdir(place):
            raise AssetError(f"{asked!r} is a folder ({place}), and a file is needed. Name a file in it.")
    where = "" if os.path.isabs(asked) else " in " + " or ".join(str(base) for base in bases)
    raise AssetError(f"There is no file {asked!r}{where}. {_suggestion(asked, bases)}")


def load(source: ImageSource, folders: Sequence[Path] = ()) -> Pixels:
    """The pixels of an image: uint8 (height, width, 4), straight alpha, row 0 at the top, C-contiguous.

    The array is the caller's own. ``source`` may be

    - a path, looked up by ``find`` in ``folders``: PNG, JPEG, GIF (its first frame), BMP, WebP, TGA, TIFF …
    - a Pillow image of any mode; 16-bit grey is scaled to 8 bits, and the EXIF orientation is applied
    - an array (height, width), (height, width, 3) or (height, width, 4), uint8 or float in 0..1
    - a Region: its source's pixels, cut to its box

    AssetError: the file is missing, broken, not an image, empty or larger than ``MAX_PIXELS``, or a region's
    box leaves its image. ValueError: an array of another shape, dtype or range. TypeError: anything else.
    """
    match source:
        case Region():
            return _cut(load(source.source, folders), source)
        case np.ndarray():
            return _from_array(source)
        case Image.Image():
            return _guarded(f"The Pillow image {source!r}", lambda: _decode(source))
        case str() | os.PathLike():
            path = find(source, folders)
            return _guarded(f"The image {str(path)!r}", lambda: _decode_file(path))
    raise TypeError(
        "An image must be a path, a Pillow image, a numpy array or a Region, "
        f"and not {type(source).__name__}."
    )


def load_many(sources: Sequence[ImageSource], folders: Sequence[Path] = ()) -> list[Pixels]:
    """``load`` for each of ``sources``, decoding only once what several regions share (a sprite sheet)."""
    decoded: dict[object, Pixels] = {}
    result = []
    for source in sources:
        root = source.source if isinstance(source, Region) else source
        key = os.fspath(root) if isinstance(root, str | os.PathLike) else id(root)
        if key not in decoded:
            decoded[key] = load(root, folders)
        pixels = decoded[key]
        result.append(_cut(pixels, source) if isinstance(source, Region) else pixels.copy())
    return result


def premultiply(pixels: Pixels) -> Pixels:
    """A copy of uint8 (height, width, 4) pixels with red, green and blue times alpha, rounded to nearest.

    Textures hold premultiplied colours because the GPU's linear filter mixes neighbours: with straight alpha
    the (mostly black) colour of fully transparent pixels bleeds into the edge as a dark fringe.
    """
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 4:
        raise ValueError(f"pixels must be uint8 (height, width, 4), and not {pixels.dtype} {pixels.shape}.")
    result = pixels.copy(order="C")
    alpha = pixels[..., 3:].astype(np.uint16)
    # 255 is odd, so there are no ties, and 255 * 255 + 127 still fits 16 bits.
    result[..., :3] = (pixels[..., :3] * alpha + 127) // 255
    return result


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
    """A sprite sheet cut into regions, row by row from the top left. Opens no file.

    ``size``: (width, height) of each picture in pixels. ``count``: how many of the columns × rows pictures
    are there (None: all). ``margin``: pixels around the whole sheet. ``spacing``: pixels between pictures.
    ``anchor``: as in Region, for each. Raises ValueError for numbers that are not whole or are too small.
    """
    if len(size) != 2:
        raise ValueError(f"size must be two numbers (width, height) in pixels, and not {size!r}.")
    width, height = _whole("size's width", size[0], 1), _whole("size's height", size[1], 1)
    columns, rows = _whole("columns", columns, 1), _whole("rows", rows, 1)
    margin, spacing = _whole("margin", margin, 0), _whole("spacing", spacing, 0)
    count = columns * rows if count is None else _whole("count", count, 1)
    if count > columns * rows:
        raise ValueError(f"count is {count}, but {columns} columns × {rows} rows hold {columns * rows}.")
    corners = (
        (margin + column * (width + spacing), margin + row * (height + spacing))
        for row, column in (divmod(i, columns) for i in range(count))
    )
    return [Region(source, (x, y, width, height), anchor) for x, y in corners]


def checked_anchor(anchor: Sequence[float]) -> tuple[float, float]:
    """``anchor`` as two floats; ValueError when it is not two finite numbers."""
    with suppress(TypeError, ValueError):
        x, y = (float(value) for value in anchor)
        if math.isfinite(x) and math.isfinite(y):
            return x, y
    raise ValueError(f"anchor must be two finite numbers (x, y) in pixels, and not {anchor!r}.")


def _checked_box(box: Sequence[int]) -> tuple[int, int, int, int]:
    with suppress(TypeError, ValueError):
        x, y, width, height = (operator.index(value) for value in box)
        if width > 0 and height > 0:
            return x, y, width, height
    raise ValueError(
        f"box must be four whole numbers (x, y, width, height) with a positive size, and not {box!r}."
    )


def _whole(name: str, value: int, least: int) -> int:
    with suppress(TypeError):
        number = operator.index(value)
        if number >= least:
            return number
    raise ValueError(f"{name} must be a whole number from {least} up, and not {value!r}.")


def _suggestion(asked: str, bases: Sequence[Path]) -> str:
    parts = Path(asked).parts or ("",)
    near: dict[str, float] = {}
    for base in bases:
        depth, names = _first_gap(base, parts)
        matcher = difflib.SequenceMatcher(b=parts[depth])
        for name in names:
            there = Path(*parts[:depth], name)
            if name.lower() == parts[depth].lower():
                return f"There is {str(base / there)!r}: only upper and lower case differ, and they count."
            matcher.set_seq1(name)
            if matcher.quick_ratio() > 0.7:
                near[str(there)] = matcher.ratio()
    nearest = sorted((name for name in near if near[name] > 0.7), key=lambda name: -near[name])[:3]
    if nearest:
        return f"The nearest there is: {', '.join(map(repr, nearest))}."
    return "Put the file there, or give its absolute path."


def _first_gap(base: Path, parts: Sequence[str]) -> tuple[int, list[str]]:
    """The number of the first part that is not in ``base``, and the names that are there in its place."""
    folder, depth = base, 0
    while depth < len(parts) - 1 and os.path.isdir(folder / parts[depth]):
        folder /= parts[depth]
        depth += 1
    last = depth == len(parts) - 1
    names: list[str] = []
    with suppress(OSError, ValueError), os.scandir(folder) as entries:
        # Comparing names is slow; of a folder with more than these, only a part is compared.
        names = sorted(entry.name for entry in islice(entries, 2000) if entry.is_file() == last)
    return depth, names


def _guarded(label: str, decode: Callable[[], Pixels]) -> Pixels:
    """What ``decode`` returns, with each of the many things that Pillow raises turned into an AssetError."""
    try:
        with warnings.catch_warnings():
            # Pillow warns of odd metadata, which is nobody's concern, and of huge images, which is ours.
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            return decode()
    except AssetError as error:
        raise AssetError(f"{label} {error}") from error.__cause__
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise AssetError(f"{label} {_TOO_LARGE}") from error
    except UnidentifiedImageError as error:
        raise AssetError(f"{label} is in no format that can be read. Save it as one of {_KNOWN}.") from error
    except Exception as error:
        # Broken files raise OSError, SyntaxError, ValueError, struct.error, EOFError, IndexError and more.
        reason = str(error).strip().rstrip(".") or type(error).__name__
        raise AssetError(f"{label} cannot be read: {reason}. Save it again, as PNG for instance.") from error


_TOO_LARGE = f"claims more than {MAX_PIXELS:,} pixels (8192 × 8192). Scale it down or cut it into pieces."


def _decode_file(path: Path) -> Pixels:
    Image.init()
    formats = [name for name in _FORMATS if name in Image.OPEN]
    if path.stat().st_size > 8 * MAX_PIXELS:  # bytes of a pixel in the widest format
        raise AssetError(_TOO_LARGE)
    # In memory, because Pillow believes the lengths that it finds in a file: to read a broken PNG's "4 GiB"
    # from a real file takes 4 GiB, and from these bytes no more than there are.
    with Image.open(io.BytesIO(path.read_bytes()), formats=formats) as image:
        return _decode(image)


def _decode(image: Image.Image) -> Pixels:
    """The pixels of a Pillow image. Its AssetErrors lack their subject, which ``_guarded`` adds."""
    _check_size(image)
    image.load()
    _check_size(image)  # an icon's size is known only now
    orientation = None
    with suppress(Exception):  # a picture with broken EXIF data is still a picture
        orientation = _ORIENTATIONS.get(image.getexif().get(_ORIENTATION_TAG, 1))
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        pixels = _from_grey(image)
    else:
        if image.mode == "La":
            image = image.convert("LA")  # Pillow has no direct way from it
        pixels = np.array(image.convert("RGBA"))
    if orientation is not None:
        pixels = np.array(Image.fromarray(pixels).transpose(orientation))
    return pixels


def _check_size(image: Image.Image) -> None:
    if image.width < 1 or image.height < 1:
        raise AssetError(f"is empty: {image.width}×{image.height} pixels.")
    if image.width * image.height > MAX_PIXELS:
        raise AssetError(f"({image.width}×{image.height}) {_TOO_LARGE}")


def _from_grey(image: Image.Image) -> Pixels:
    """Grey in 16 bits or more. Pillow would clip it at 255 and not scale it."""
    grey = np.asarray(image)
    if image.mode == "F":
        return _from_array(grey)
    # Mode "I" has 32 bits, and holds 16-bit files in most of Pillow's versions.
    return _from_array(np.clip(grey, 0, 65535) / np.float32(65535))


def _from_array(array: NDArray[Any]) -> Pixels:
    shape = array.shape
    if array.size == 0 or array.ndim not in (2, 3) or (array.ndim == 3 and shape[2] not in (3, 4)):
        raise ValueError(
            "An image array must be (height, width), (height, width, 3) or (height, width, 4), "
            f"and not {shape}."
        )
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
        raise ValueError(f"An image array must be uint8, or float in 0..1, and not {array.dtype}.")
    low, high = float(array.min()), float(array.max())
    slack = 1e-3  # what float16 arithmetic may be off by; NaN fails both comparisons
    if not (low >= -slack and high <= 1 + slack):
        raise ValueError(
            f"A float image array must lie in 0..1, and this one in {low:g}..{high:g}. "
            "Divide by 255, or convert to uint8."
        )
    result: Pixels = np.rint(np.clip(array, 0, 1) * 255).astype(np.uint8)
    return result


def _cut(pixels: Pixels, region: Region) -> Pixels:
    if region.box is None:
        return pixels.copy()
    x, y, width, height = region.box
    rows, columns = pixels.shape[:2]
    if x < 0 or y < 0 or x + width > columns or y + height > rows:
        source = region.source
        image = repr(os.fspath(source)) if isinstance(source, str | os.PathLike) else type(source).__name__
        raise AssetError(
            f"The region of {width}×{height} pixels at ({x}, {y}) is not inside its image {image} of "
            f"{columns}×{rows} pixels. Check the region's box, or the sheet's size, columns and rows."
        )
    return pixels[y : y + height, x : x + width].copy()
