"""How long a `TileMap` of 1000 x 1000 tiles takes to be made, beside pytiled-parser: ``python
tests/maprace.py [rounds]``.

Both read the same files in turn, in one process; what is told is the median of the rounds' ratios,
in processor time. Needs ``pip install pytiled-parser``, which is no dependency.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from tiledmaps import packed, pictures, tile_layer, tile_map, tileset, write

from framework.tiles.tilemap import TileMap

SIDE = 1000


def maps(folder: Path) -> list[Path]:
    """The same map as CSV, as zlib and as JSON, with all that pytiled-parser wants."""
    Image.new("RGBA", (290, 290)).save(folder / "sheet.png")
    tiles = np.random.default_rng(1).integers(0, 257, (SIDE, SIDE))
    sheet = {"firstgid": 1, **tileset(tilecount=256, columns=16, imagewidth=290, imageheight=290)}
    size = {
        "width": SIDE,
        "height": SIDE,
        "nextlayerid": 2,
        "nextobjectid": 1,
        "renderorder": "right-down",
    }
    more = {"tiledversion": "1.10.2", "opacity": 1, "visible": True}
    said = {
        **tile_map(tile_layer("ground", tiles, **more), tilesets=[sheet], **size),
        "tiledversion": "1.10.2",
    }
    how = {"data": packed(tiles), "encoding": "base64", "compression": "zlib"}
    zlib = {**said, "layers": [tile_layer("ground", tiles, **more, **how)]}
    return [
        write(folder / name, one)
        for name, one in (("csv.tmx", said), ("zlib.tmx", zlib), ("list.tmj", said))
    ]


def seconds(call: Any) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def main(rounds: int) -> None:
    import pytiled_parser

    with tempfile.TemporaryDirectory() as folder:
        for path in maps(pictures(Path(folder))):
            both = partial(TileMap, path), partial(pytiled_parser.parse_map, path)
            pairs = [tuple(map(seconds, both)) for _ in range(rounds)]
            ours, theirs = (statistics.median(one) * 1e3 for one in zip(*pairs, strict=True))
            ratio = statistics.median(other / one for one, other in pairs)
            print(f"{path.name}: {ours:.0f} ms, pytiled-parser {theirs:.0f} ms, {ratio:.1f} times")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
