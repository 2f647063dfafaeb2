"""Aseprite images: read the first frame of a file in Aseprite's own format (.aseprite or .ase).

The format is described in Aseprite's repository (docs/ase-file-specs.md). All visible layers are
drawn over each other with the same integer arithmetic as in Aseprite. The functions raise
`ValueError`, `struct.error` or `zlib.error` if a file is broken.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
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
_GROUP = 1
_RAW = 0
_COMPRESSED = 2
_MAX_CEL_PIXELS = 1 << 28  # in all layers together

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


def size_of(data: bytes) -> tuple[int, int]:
    """Return the width and height of an Aseprite file in pixels."""
    head = _head(data)
    return head.width, head.height


def first_frame(data: bytes) -> Pixels:
    """Return the first frame of an Aseprite file as RGBA pixels (h, w, 4), row 0 at the top.

    Raises `ValueError` if a visible layer has a blend mode other than "Normal", or is a tile map.
    """
    head = _head(data)
    layers: list[_Layer] = []
    cels: list[_Cel] = []
    palette = np.zeros((256, 4), np.uint8)
    palette[:, 3] = 255
    has_palette = False
    hidden_at: int | None = None  # the level of a hidden group
    for kind, content in _chunks(data):
        if kind == _LAYER_CHUNK:
            layer, level = _layer(content, head)
            if hidden_at is not None and level > hidden_at:
                layer = layer._replace(visible=False)
            else:
                hidden_at = level if layer.kind == _GROUP and not layer.visible else None
            layers.append(layer)
        elif kind == _CEL_CHUNK:
            cels.append(_cel(content))
        elif kind == _PALETTE_CHUNK:
            has_palette = True
            _read_palette(content, palette)
        elif kind == _OLD_PALETTE_CHUNK and not has_palette:
            _read_old_palette(content, palette)
    image = np.zeros((head.height, head.width, 4), np.int32)
    spent = 0
    for cel in sorted(cels, key=lambda cel: (cel.layer + cel.z_index, cel.z_index)):
        layer = layers[cel.layer]
        if layer.visible and layer.kind != _GROUP:
            spent += cel.width * cel.height
            if spent > _MAX_CEL_PIXELS:
                raise ValueError("its layers have too many pixels")
            _draw(image, cel, layer, head, palette)
    return image.astype(np.uint8)


def _head(data: bytes) -> _Head:
    fields = _FILE.unpack_from(data)
    magic, _, width, height, depth, flags = fields[1:7]
    if magic != _MAGIC or depth not in (8, 16, 32):
        raise ValueError("it is not in Aseprite's format")
    return _Head(width, height, depth, bool(flags & 1), fields[10])


def _chunks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the kind and the content of each chunk of the first frame."""
    offset = _FILE.size
    _, magic, old_count, _, count = _FRAME.unpack_from(data, offset)
    if magic != _FRAME_MAGIC:
        raise ValueError("it has no frames")
    offset += _FRAME.size
    for _ in range(count or old_count):
        size, kind = _CHUNK.unpack_from(data, offset)
        if size < _CHUNK.size or offset + size > len(data):
            raise ValueError("the file ends too early")
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
        bool(flags & _VISIBLE),
        bool(flags & _BACKGROUND),
        kind,
        blend_mode,
        opacity if head.has_opacity else 255,
    )
    return layer, level


def _cel(content: bytes) -> _Cel:
    """Return a cel. A linked cel or a tile map has no pixels."""
    layer, x, y, opacity, kind, z_index = _CEL.unpack_from(content)
    if kind not in (_RAW, _COMPRESSED):
        return _Cel(layer, 0, 0, 0, z_index, 0, 0, b"")
    width, height = struct.unpack_from("<HH", content, _CEL.size)
    data = content[_CEL.size + 4 :]
    return _Cel(
        layer, x, y, opacity, z_index, width, height, data if kind == _COMPRESSED else _packed(data)
    )


def _packed(data: bytes) -> bytes:
    """Return raw pixels in the form of compressed pixels."""
    return zlib.compress(data, 0)


def _read_palette(content: bytes, palette: Pixels) -> None:
    _, first, last = _PALETTE.unpack_from(content)
    offset = _PALETTE.size
    for number in range(first, min(last, 255) + 1):
        flags, *color = struct.unpack_from("<HBBBB", content, offset)
        palette[number] = color
        offset += 6
        if flags & 1:  # the color has a name
            (length,) = struct.unpack_from("<H", content, offset)
            offset += 2 + length


def _read_old_palette(content: bytes, palette: Pixels) -> None:
    (packets,) = struct.unpack_from("<H", content)
    offset = 2
    number = 0
    for _ in range(packets):
        skipped, count = struct.unpack_from("<BB", content, offset)
        offset += 2
        number += skipped
        for _ in range(count or 256):
            palette[number, :3] = struct.unpack_from("<BBB", content, offset)
            offset += 3
            number += 1


def _draw(image: Integers, cel: _Cel, layer: _Layer, head: _Head, palette: Pixels) -> None:
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
    count = cel.width * cel.height * head.depth // 8
    data = zlib.decompressobj().decompress(cel.data, count)
    if len(data) < count:
        raise ValueError("the file ends too early")
    numbers = np.frombuffer(data, np.uint8).reshape(cel.height, cel.width, -1)
    shown = numbers[top - cel.y : bottom - cel.y, left - cel.x : right - cel.x]
    source = _colors(shown, layer, head, palette).astype(np.int32)
    source[..., 3] = _product(source[..., 3], _product(cel.opacity, layer.opacity))
    part = image[top:bottom, left:right]
    part[:] = _over(part, source)


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


def _over(back: Integers, source: Integers) -> Integers:
    """Return the colors of ``source`` over ``back``, with the rounding of Aseprite."""
    alpha = source[..., 3:]
    back_alpha = back[..., 3:]
    result_alpha = alpha + back_alpha - _product(alpha, back_alpha)
    change = (source[..., :3] - back[..., :3]) * alpha
    quotient = np.abs(change) // np.maximum(result_alpha, 1) * np.sign(change)
    mixed = np.concatenate([back[..., :3] + quotient, result_alpha], axis=-1)
    result: Integers = np.where(back_alpha == 0, source, np.where(alpha == 0, back, mixed))
    return result
