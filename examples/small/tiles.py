"""Tiles: dig and build with the mouse in a map of tiles that needs no file."""

import numpy as np

import framework as fw

TURF, EARTH, STONE, BRICKS, SAND, WATER = range(1, 7)


class Tiles(fw.Game):
    def setup(self):
        self.background = "#9fd8ef"
        x = np.arange(30)
        surface = (7 + 2 * np.sin(x / 3) + 1.5 * np.sin(x / 7 + 2)).astype(int)
        depth = np.arange(17)[:, None] - surface  # rows below the surface, row 0 is at the top
        tiles = np.select([depth < 0, depth == 0, depth < 4], [0, TURF, EARTH], STONE)
        lake = (np.arange(17)[:, None] >= 8) & (depth < 0)
        tiles[lake] = WATER
        tileset = fw.TileSet(fw.art.tiles, (32, 32), solid=range(1, 6))
        self.ground = self.add(fw.TileLayer(tileset, tiles))
        self.frame = self.add(fw.Shapes()).add_box((0, 0), (32, 32), stroke_width=3, color="#fff")
        help = "Left button: dig. Right button: build a wall."
        self.labels.add(help, (480, 12), anchor="bottom", shadow="#000a")

    def update(self, dt):
        cell = self.ground.world_to_cell(self.camera.screen_to_world(self.mouse.position))
        self.frame.position = self.ground.cell_center(cell)
        row, column = cell
        if 0 <= row < 17 and 0 <= column < 30:
            if self.mouse["left"]:
                self.ground.tiles[row, column] = 0
            elif self.mouse["right"]:
                self.ground.tiles[row, column] = BRICKS


if __name__ == "__main__":
    fw.run(Tiles, resolution=(960, 540))
