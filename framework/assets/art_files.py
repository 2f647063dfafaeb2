"""Read the built-in pixel art from the folder `framework/art_files`.

The script `examples/art/make_set.py` draws the pixel art. It writes several large images (pages),
and an index with the position of each image in the pages, the clips, and the rules for choosing
tiles. The index and the page of an image are read when a game first uses the image.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from ..arrays import Pixels
from . import images
from .clips import Clip, Clips

FOLDER = Path(__file__).resolve().parent.parent / "art_files"


@cache
def index() -> dict[str, Any]:
    """Return the index of the pixel art. For each group of images, the index contains a dict from
    names to entries.
    """
    entries: dict[str, Any] = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
    return entries


@cache
def _page(name: str) -> Pixels:
    return images.load(FOLDER / f"{name}.png")


@cache
def picture(group: str, name: str) -> Pixels | tuple[Pixels, ...] | Clips:
    """Return the pixel art called ``name``: an image, the layers of a background, or a `Clips`
    object. The pixels are read-only.
    """
    entry = index()[group][name]
    page = _page(entry["page"])
    width, height = entry["size"]
    cut: list[Pixels] = []
    for x, y in entry["places"]:
        pixels: Pixels = page[y : y + height, x : x + width].copy()
        pixels.flags.writeable = False
        cut.append(pixels)
    if "clips" not in entry:
        return tuple(cut) if "layers" in entry else cut[0]
    return Clips(
        cut,
        **{
            clip: Clip(options["frames"], options["rate"], loop=options["loop"])
            for clip, options in entry["clips"].items()
        },
    )
