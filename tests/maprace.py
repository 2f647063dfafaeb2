"""Benchmark: the time to load a `TileMap` of 1000 x 1000 tiles, compared with pytiled-parser.

Run it with ``python tests/maprace.py [rounds]``.

Both read the same files in turn, in one process. The result is the median ratio of all rounds, in
processor time. ``pip install pytiled-parser`` is needed, which is no dependency of the project.
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
    """Write the same map as CSV, zlib and JSON, with the fields that pytiled-parser needs."""
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
    content = {
        **tile_map(tile_layer("ground", tiles, **more), tilesets=[sheet], **size),
        "tiledversion": "1.10.2",
    }
    encoding = {"data": packed(tiles), "encoding": "base64", "compression": "zlib"}
    zlib = {**content, "layers": [tile_layer("ground", tiles, **more, **encoding)]}
    return [
        write(folder / name, document)
        for name, document in (("csv.tmx", content), ("zlib.tmx", zlib), ("list.tmj", content))
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
            ours, theirs = (statistics.median(times) * 1e3 for times in zip(*pairs, strict=True))
            ratio = statistics.median(parser_time / our_time for our_time, parser_time in pairs)
            print(f"{path.name}: {ours:.0f} ms, pytiled-parser {theirs:.0f} ms, {ratio:.1f} times")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
