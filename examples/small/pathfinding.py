"""Collisions: click to make the hero walk the shortest path around the stones."""

import math

import numpy as np

import framework as fw


class Pathfinding(fw.Game):
    def setup(self):
        self.background = "#d9c7a0"
        stones = self.random.random((17, 30)) < 0.25
        stones[7:10, 13:17] = False
        tileset = fw.TileSet(fw.art.tiles, (32, 32), solid=[3])
        self.level = self.add(fw.TileLayer(tileset, np.where(stones, 3, 0)))
        self.dots = self.add(fw.SpriteBatch("../art/dab.png"))
        self.hero = self.sprites.add(fw.art.walker[0], position=self.level.cell_center((8, 15)))
        self.hero.scale = 0.6
        self.walk = None
        self.label = self.labels.add("Click somewhere", (480, 8), anchor="bottom", color="#432")

    def on_mouse_press(self, x, y, button, modifiers):
        path = fw.paths.find(self.level, self.hero.position, (x, y))
        self.label.text = f"{len(path)} steps" if len(path) else "There is no path to this point"
        self.dots.clear()
        self.dots.extend(len(path), position=path, scale=0.14, color="#c1121f")
        if self.walk:
            self.walk.cancel()
        self.walk = self.start(self.follow(path))

    async def follow(self, path):
        for point in path:
            distance = math.dist(point, self.hero.position)
            self.hero.flip = point[0] < self.hero.x, False
            await self.tween(self.hero, position=point, duration=distance / 250 + 0.01)


if __name__ == "__main__":
    fw.run(Pathfinding, resolution=(960, 540))
