"""The picture of docs/tilemaps.md: a map of Tiled with hills that go by more slowly, coins from its
objects, and tiles in the other orientations.

    framework run docs/pictures/tilemaps.py --headless --frames 20 --screenshot docs/pictures/tilemaps.png
"""

import numpy as np
from PIL import Image, ImageDraw

import framework as fw
from framework import resources

ART = resources.folder("examples") / "art"
SIZE = 960, 540
COLORS = ["#6fb257", "#a8d66b", "#d9c27a", "#3f8fd0", "#8a5a44", "#a7a3c4"]


def shape(corners, size, color, lift):
    """A block seen from above: its top, and what is below it in a darker colour."""
    picture = Image.new("RGBA", (size[0] * 4, (size[1] + lift) * 4))
    draw = ImageDraw.Draw(picture)
    red, green, blue = bytes.fromhex(color[1:])
    for down in range(lift * 4, -1, -1):
        shade = 0.55 if down else 1.0
        draw.polygon(
            [(x * 4, y * 4 + down) for x, y in corners],
            (*(int(c * shade) for c in (red, green, blue)), 255),
        )
    return np.asarray(picture.resize((size[0], size[1] + lift), Image.Resampling.LANCZOS))


def island(rows, columns, seed):
    """Numbers of tiles: water, sand, grass, hills."""
    rng = np.random.default_rng(seed)
    row, column = np.mgrid[:rows, :columns]
    height = sum(
        rng.uniform(0.4, 1)
        * np.cos((row / rows - 0.5) * a * 3 + rng.uniform(-1, 1))
        * np.cos((column / columns - 0.5) * a * 3)
        / a
        for a in (1, 2, 3)
    )
    return np.choose(
        np.digitize(height, np.quantile(height, [0.3, 0.45, 0.7, 0.9])), [4, 3, 2, 1, 6]
    )


class Tilemaps(fw.Game):
    def __init__(self, **options):
        super().__init__(
            **{"size": SIZE, "resolution": SIZE, "background": (0.62, 0.83, 0.96), **options}
        )

    def setup(self):
        sky = (
            np.linspace((120, 180, 235), (235, 245, 250), 540)[:, None]
            .repeat(8, 1)
            .astype(np.uint8)
        )
        self.add(fw.Backdrop(sky, (0, 135), scale=(1, 0.5), repeat=(True, False), parallax=(0, 0)))
        self.level = self.add(fw.TileMap(ART / "valley.tmx"))
        self.camera.position, self.camera.zoom = (260, 135), 2
        coins = self.add(fw.SpriteBatch(), layer=self.level["ground"])
        for coin in self.level.objects.of("coin"):
            coins.add(coin.image, position=coin.position)
        self.panel()

    def panel(self):
        diamond = [(0, 12), (24, 0), (48, 12), (24, 24)]
        hexagon = [(0, 9), (14, 0), (28, 9), (28, 23), (14, 32), (0, 23)]
        flat = [(0, 14), (9, 0), (23, 0), (32, 14), (23, 28), (9, 28)]
        across = np.full((190, 960, 4), (26, 30, 48, 255), np.uint8)
        self.add(fw.Backdrop(across, (0, 350)), camera=self.hud)
        for x, corners, size, options in (
            (20, diamond, (48, 24), {"orientation": "isometric"}),
            (338, hexagon, (28, 32), {"orientation": "hexagonal", "hex_side": 14}),
            (
                648,
                flat,
                (32, 28),
                {"orientation": "hexagonal", "hex_side": 14, "stagger_axis": "x"},
            ),
        ):
            tiles = [shape(corners, size, color, 5) for color in COLORS]
            rows, columns = (6, 6) if x == 20 else (7, 10) if x < 600 else (6, 13)
            layer = fw.TileLayer(
                fw.TileSet(tiles, size, filter="linear"),
                island(rows, columns, x),
                position=(x, 354),
                **options,
            )
            self.add(layer, camera=self.hud)


if __name__ == "__main__":
    fw.run(Tilemaps)
