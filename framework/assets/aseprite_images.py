"""Aseprite images: read the first frame of a file in Aseprite's own format (.aseprite or .ase).

The format is described in Aseprite's repository (docs/ase-file-specs.md). All visible layers are
drawn over each other with the same integer arithmetic as in Aseprite. The functions raise
`ValueError` if a file is broken.

The files may come from strangers, so the pixels are decoded and drawn in bands of rows. Apart from
the image itself, this takes only a few megabytes, whatever the file claims.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Generator, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_FILE = struct.Struct("<IHHHHHIHIIB3xH94x")
_FRAME = struct.Struct("<IHHHxxI")
_CHUNK = struct.Struct("<IH")
_LAYER = struct.Struct("<HHHxxxxHBxxx")
_CEL = struct.Struct("<HhhBHh5x")
_PALETTE = struct.Struct("<III8x")
_MAGIC = 0xA5E0
_FRAME_MAGIC = 0xF1FA
_LAYER_CHUNK = 0x2004
_CEL_CHUNK = 0x2005
_PALETTE_CHUNK = 0x2019
_OLD_PALETTE_CHUNK = 0x0004
_VISIBLE = 1
_BACKGROUND = 8
_REFERENCE = 64
_GROUPS_HAVE_OPACITY = 2
_GROUP = 1
_RAW = 0
_COMPRESSED = 2
_MAX_CEL_PIXELS = 1 << 28  # in all layers together
_MAX_LAYERS = 1 << 16
_MAX_CHUNKS = 1 << 19
_MAX_COLORS = 1 << 18  # in all palettes together
_BAND = 1 << 16  # the number of pixels to draw in one step
_INPUT = 1 << 16  # the number of compressed bytes to read in one step

Pixels = NDArray[np.uint8]
Integers = NDArray[np.int32]


class _Head(NamedTuple):
    """The fields of a file's header."""

    width: int
    height: int
    depth: int
    """Bits per pixel: 32 for RGBA, 16 for gray and alpha, 8 for numbers of palette colors."""
    has_opacity: bool
    """Whether the opacity of layers is valid."""
    groups_have_opacity: bool
    """Whether the opacity and the blend mode of groups are valid."""
    transparent: int
    """The number of the palette color that is transparent."""


class _Layer(NamedTuple):
    name: str
    visible: bool
    is_background: bool
    kind: int
    blend_mode: int
    opacity: int


class _Cel(NamedTuple):
    """The pixels of one layer."""

    layer: int
    x: int
    y: int
    opacity: int
    z_index: int
    width: int
    height: int
    data: bytes
    is_compressed: bool


def size_of(data: bytes) -> tuple[int, int]:
    """Return the width and height of an Aseprite file in pixels."""
    head = _head(data)
    return head.width, head.height


def first_frame(data: bytes) -> Pixels:
    """Return the first frame of an Aseprite file as RGBA pixels (h, w, 4), row 0 at the top.

    Raises `ValueError` if a visible layer has a blend mode other than "Normal", or is a tile map, or if
    a visible group has an opacity or a blend mode of its own.
    """
    try:
        return _first_frame(data, _head(data))
    except struct.error:  # a part of the file is shorter than its fields
        raise ValueError(_TOO_SHORT) from None
    except zlib.error:
        raise ValueError("the pixels of a layer are damaged") from None


def _first_frame(data: bytes, head: _Head) -> Pixels:
    layers: list[_Layer] = []
    cels: dict[int, _Cel] = {}  # by layer
    palette = np.zeros((256, 4), np.uint8)
    palette[:, 3] = 255
    has_palette = False
    colors = 0
    hidden_at: int | None = None  # the level of a hidden group
    for kind, content in _chunks(data):
        if kind == _LAYER_CHUNK:
            layer, level = _layer(content, head)
            if hidden_at is not None and level > hidden_at:
                layer = layer._replace(visible=False)
            else:
                hidden_at = level if layer.kind == _GROUP and not layer.visible else None
            if layer.kind == _GROUP and layer.visible and head.groups_have_opacity:
                _check_group(layer)
            layers.append(layer)
            if len(layers) > _MAX_LAYERS:
                raise ValueError("it has too many layers")
        elif kind == _CEL_CHUNK:
            cel = _cel(content)
            if cels.setdefault(cel.layer, cel) is not cel:
                raise ValueError("a layer has two images in one frame")
        elif kind == _PALETTE_CHUNK:
            has_palette = True
            colors += _read_palette(content, palette)
        elif kind == _OLD_PALETTE_CHUNK and not has_palette:
            colors += _read_old_palette(content, palette)
        if colors > _MAX_COLORS:
            raise ValueError("its palettes have too many colors")
    if max(cels, default=-1) >= len(layers):
        raise ValueError("it has the image of a layer that does not exist")
    image = np.zeros((head.height, head.width, 4), np.uint8)
    spent = 0
    for cel in sorted(cels.values(), key=lambda cel: (cel.layer + cel.z_index, cel.z_index)):
        layer = layers[cel.layer]
        if layer.visible and layer.kind != _GROUP:
            spent += cel.width * cel.height
            if spent > _MAX_CEL_PIXELS:
                raise ValueError("its layers have too many pixels")
            _draw(image, cel, layer, head, palette)
    return image


_TOO_SHORT = "the file ends too early"


def _head(data: bytes) -> _Head:
    if len(data) < _FILE.size:
        raise ValueError(_TOO_SHORT)
    fields = _FILE.unpack_from(data)
    magic, _, width, height, depth, flags = fields[1:7]
    if magic != _MAGIC or depth not in (8, 16, 32):
        raise ValueError("it is not in Aseprite's format")
    return _Head(
        width, height, depth, bool(flags & 1), bool(flags & _GROUPS_HAVE_OPACITY), fields[10]
    )


def _chunks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the kind and the content of each chunk of the first frame."""
    offset = _FILE.size
    _, magic, old_count, _, count = _FRAME.unpack_from(data, offset)
    if magic != _FRAME_MAGIC:
        raise ValueError("it has no frames")
    offset += _FRAME.size
    for number in range(count or old_count):
        if number == _MAX_CHUNKS:
            raise ValueError("its first frame has too many parts")
        size, kind = _CHUNK.unpack_from(data, offset)
        if size < _CHUNK.size or offset + size > len(data):
            raise ValueError(_TOO_SHORT)
        yield kind, data[offset + _CHUNK.size : offset + size]
        offset += size


def _layer(content: bytes, head: _Head) -> tuple[_Layer, int]:
    """Return a layer, and the number of groups that contain it."""
    flags, kind, level, blend_mode, opacity = _LAYER.unpack_from(content)
    (length,) = struct.unpack_from("<H", content, _LAYER.size)
    start = _LAYER.size + 2
    name = content[start : start + length].decode("utf-8", "replace")
    layer = _Layer(
        name,
        bool(flags & _VISIBLE) and not flags & _REFERENCE,  # no exported image has references
        bool(flags & _BACKGROUND),
        kind,
        blend_mode,
        opacity if head.has_opacity else 255,
    )
    return layer, level


def _check_group(group: _Layer) -> None:
    if (group.blend_mode, group.opacity) != (0, 255):
        raise ValueError(f"its group {group.name!r} has an opacity or a blend mode")


def _cel(content: bytes) -> _Cel:
    """Return a cel. A linked cel or a tile map has no pixels."""
    layer, x, y, opacity, kind, z_index = _CEL.unpack_from(content)
    if kind not in (_RAW, _COMPRESSED):
        return _Cel(layer, 0, 0, 0, z_index, 0, 0, b"", False)
    width, height = struct.unpack_from("<HH", content, _CEL.size)
    data = content[_CEL.size + 4 :]
    return _Cel(layer, x, y, opacity, z_index, width, height, data, kind == _COMPRESSED)


def _read_palette(content: bytes, palette: Pixels) -> int:
    """Store the colors of a palette, and return their number."""
    _, first, last = _PALETTE.unpack_from(content)
    offset = _PALETTE.size
    for number in range(first, min(last, 255) + 1):
        flags, *color = struct.unpack_from("<HBBBB", content, offset)
        palette[number] = color
        offset += 6
        if flags & 1:  # the color has a name
            (length,) = struct.unpack_from("<H", content, offset)
            offset += 2 + length
    return len(range(first, min(last, 255) + 1)) or 1


def _read_old_palette(content: bytes, palette: Pixels) -> int:
    """Store the colors of a palette in the form of old files, and return their number."""
    (packets,) = struct.unpack_from("<H", content)
    offset = 2
    number = 0
    for _ in range(packets):
        skipped, count = struct.unpack_from("<BB", content, offset)
        offset += 2
        number += skipped
        if number + (count or 256) > 256:
            raise ValueError("its palette has more than 256 colors")
        for _ in range(count or 256):
            palette[number, :3] = struct.unpack_from("<BBB", content, offset)
            offset += 3
            number += 1
    return number + int(packets)


def _draw(image: Pixels, cel: _Cel, layer: _Layer, head: _Head, palette: Pixels) -> None:
    """Draw a cel over ``image``."""
    if layer.kind != 0:
        raise ValueError(f"its layer {layer.name!r} is a tile map")
    if layer.blend_mode != 0:
        raise ValueError(f"its layer {layer.name!r} has a blend mode other than Normal")
    left = max(cel.x, 0)
    top = max(cel.y, 0)
    right = min(cel.x + cel.width, head.width)
    bottom = min(cel.y + cel.height, head.height)
    if left >= right or top >= bottom:
        return
    opacities = _product(np.arange(256, dtype=np.int32), _product(cel.opacity, layer.opacity))
    scaled = opacities.astype(np.uint8)
    first = 0
    for band in _bands(cel, head.depth // 8, bottom - cel.y):
        start = max(top - cel.y - first, 0)  # the rows before are above the image
        if start < len(band):
            shown = band[start:, left - cel.x : right - cel.x]
            source = _colors(shown, layer, head, palette)
            row = cel.y + first + start
            _draw_over(image[row : row + len(source), left:right], source, scaled)
        first += len(band)


def _bands(cel: _Cel, pixel_size: int, height: int) -> Iterator[Pixels]:
    """Yield the first ``height`` rows of a cel, in arrays (h, w, ``pixel_size``) of few rows."""
    rows = max(_BAND // cel.width, 1)
    stride = cel.width * pixel_size
    pieces = _inflated(cel.data) if cel.is_compressed else _sliced(cel.data)
    next(pieces)
    for first in range(0, height, rows):
        data = pieces.send(min(rows, height - first) * stride)
        yield np.frombuffer(data, np.uint8).reshape(-1, cel.width, pixel_size)


def _sliced(data: bytes) -> Generator[bytes, int, None]:
    """Yield the next bytes of ``data``. Each number that is sent is the number of bytes."""
    count = yield b""
    offset = 0
    while offset + count <= len(data):
        offset += count
        count = yield data[offset - count : offset]
    raise ValueError(_TOO_SHORT)


def _inflated(data: bytes) -> Generator[bytes, int, None]:
    """Decompress ``data``, and yield the next bytes. Each number that is sent is their number."""
    inflater = zlib.decompressobj()
    count = yield b""
    offset = 0
    piece = bytearray()
    while True:
        packed = inflater.unconsumed_tail
        if not packed:
            packed = data[offset : offset + _INPUT]
            offset += len(packed)
        added = inflater.decompress(packed, count - len(piece))
        piece += added
        if len(piece) == count:
            count = yield bytes(piece)
            piece.clear()
        elif inflater.eof or not (packed or added):
            raise ValueError(_TOO_SHORT)


def _colors(numbers: Pixels, layer: _Layer, head: _Head, palette: Pixels) -> Pixels:
    """Return the RGBA colors of pixels, which are stored in ``head.depth`` bits."""
    if head.depth == 32:
        return numbers
    if head.depth == 16:
        return numbers[..., [0, 0, 0, 1]]
    colors = palette[numbers[..., 0]]
    if not layer.is_background:
        colors[numbers[..., 0] == head.transparent] = 0
    return colors


def _product(a: Integers | int, b: Integers | int) -> Integers:
    """Return the product of two numbers from 0 to 255, where 255 means 1. The result is rounded."""
    product = np.asarray(a, np.int32) * b + 128
    result: Integers = ((product >> 8) + product) >> 8
    return result


def _draw_over(back: Pixels, source: Pixels, scaled: Pixels) -> None:
    """Draw ``source`` over ``back``. ``scaled`` maps each alpha of ``source`` to the alpha with
    which it is drawn.
    """
    source = np.ascontiguousarray(source)
    alpha = scaled[source[..., 3]]
    drawn = source.copy()
    drawn[..., 3] = alpha
    # A pixel is copied as one number of 32 bits, which takes less time than four bytes.
    numbers = drawn.view(np.uint32)[..., 0]
    back_numbers = back.view(np.uint32)[..., 0]
    copied = back[..., 3] == 0
    copied |= alpha == 255
    mixed = ~copied
    mixed &= alpha != 0
    np.copyto(back_numbers, numbers, where=copied)
    if mixed.any():
        below = back_numbers[mixed].view(np.uint8).reshape(-1, 4)
        above = numbers[mixed].view(np.uint8).reshape(-1, 4)
        back_numbers[mixed] = _over(below, above).view(np.uint32)[:, 0]


def _over(back: Pixels, source: Pixels) -> Pixels:
    """Return the colors (n, 4) of ``source`` over ``back``, with the rounding of Aseprite. No pixel
    may be transparent.
    """
    alpha = source[:, 3].astype(np.int32)
    back_alpha = back[:, 3].astype(np.int32)
    result = np.empty_like(back)
    result_alpha = alpha + back_alpha - _product(alpha, back_alpha)
    result[:, 3] = result_alpha
    # Quotients of whole numbers this small are exact enough as float32 to be rounded toward 0.
    divisor = result_alpha.astype(np.float32)
    for i in range(3):
        before = back[:, i].astype(np.int32)
        change = ((source[:, i] - before) * alpha).astype(np.float32)
        result[:, i] = before + (change / divisor).astype(np.int32)
    return result
