"""Write files in Aseprite's own format, for tests."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Layer:
    """A layer, a group (``kind=1``) or a tile map (``kind=2``)."""

    name: str = "Layer"
    visible: bool = True
    kind: int = 0
    level: int = 0
    blend_mode: int = 0
    opacity: int = 255
    is_background: bool = False
    is_reference: bool = False


@dataclass
class Cel:
    """The pixels of a layer: an array (h, w, bytes per pixel)."""

    pixels: Any
    x: int = 0
    y: int = 0
    opacity: int = 255
    z_index: int = 0
    kind: int = 2  # compressed
    layer: Layer = field(default_factory=Layer)


def chunk(kind: int, content: bytes) -> bytes:
    return struct.pack("<IH", len(content) + 6, kind) + content


def layer_chunk(layer: Layer) -> bytes:
    flags = layer.visible + 8 * layer.is_background + 64 * layer.is_reference
    name = layer.name.encode()
    content = struct.pack(
        "<HHHHHHB3xH",
        flags,
        layer.kind,
        layer.level,
        0,
        0,
        layer.blend_mode,
        layer.opacity,
        len(name),
    )
    return chunk(0x2004, content + name)


def cel_chunk(cel: Cel, index: int) -> bytes:
    content = struct.pack("<HhhBHh5x", index, cel.x, cel.y, cel.opacity, cel.kind, cel.z_index)
    pixels = np.asarray(cel.pixels, np.uint8)
    data = pixels.tobytes()
    content += struct.pack("<HH", pixels.shape[1], pixels.shape[0])
    return chunk(0x2005, content + (zlib.compress(data) if cel.kind == 2 else data))


def palette(*colors: tuple[int, int, int, int], first: int = 0) -> bytes:
    content = struct.pack("<III8x", len(colors), first, first + len(colors) - 1)
    for number, color in enumerate(colors):
        name = b"" if number % 2 else struct.pack("<H", 3) + b"red"
        content += struct.pack("<HBBBB", not number % 2, *color) + name
    return chunk(0x2019, content)


def old_palette(*colors: tuple[int, int, int]) -> bytes:
    content = struct.pack("<HBB", 1, 0, len(colors)) + b"".join(bytes(color) for color in colors)
    return chunk(0x0004, content)


def aseprite(
    width: int,
    height: int,
    parts: Sequence[Cel | Layer],
    *,
    depth: int = 32,
    more: Sequence[bytes] = (),
    transparent: int = 0,
    flags: int = 1,
) -> bytes:
    """Return a file with one frame. A `Cel` has a layer of its own. A `Layer` has no pixels."""
    chunks = list(more)
    chunks += [layer_chunk(part.layer if isinstance(part, Cel) else part) for part in parts]
    chunks += [cel_chunk(part, index) for index, part in enumerate(parts) if isinstance(part, Cel)]
    body = b"".join(chunks)
    frame = (
        struct.pack("<IHHHxxI", len(body) + 16, 0xF1FA, min(len(chunks), 0xFFFF), 100, len(chunks))
        + body
    )
    head = struct.pack(
        "<IHHHHHIHIIB3xH94x",
        *(128 + len(frame), 0xA5E0, 1, width, height, depth, flags, 100, 0, 0, transparent, 256),
    )
    return head + frame
