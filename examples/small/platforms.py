"""Collisions: run and jump on tiles, and through thin platforms from below."""

import numpy as np

import framework as fw

# One letter is two by three tiles. Platforms and turf are one tile thick.
LEVEL = [
    "---.....---....",
    "....--......---",
    ".---.....#.....",
    ".....--.##.--..",
    "======...======",
]


class Platforms(fw.Game):
    def setup(self):
        self.background = "#ffe5c4"
        letters = np.array([list(row) for row in LEVEL]).repeat(3, axis=0).repeat(2, axis=1)
        tiles = np.select([letters == "=", letters == "#", letters == "-"], [1, 2, 4])
        for below in tiles[1::3], tiles[2::3]:
            below[:] = np.select([below == 1, below == 4], [2, 0], below)
        tileset = fw.TileSet(fw.art.tiles, (32, 32), solid=(1, 2), one_way=[4])
        self.level = self.add(fw.TileLayer(tileset, tiles))
        self.hero = self.add(fw.SpriteBatch(fw.art.hero, 1, columns="velocity"))
        self.hero.position[:] = 200, 200
        self.jumps = fw.collide.JumpTimer(coyote=0.1, buffer=0.1)

    def update(self, dt):
        hero, keys = self.hero, self.keys
        hero.velocity += (260 * keys.axis("left", "right") - hero.velocity[0, 0], -1500 * dt)
        motion = hero.velocity * dt
        hero.position, flags = fw.collide.move(hero.position, (30, 60), motion, self.level)
        hero.velocity[flags.on_floor | flags.on_ceiling, 1] = 0
        hero.velocity[self.jumps.update(dt, flags.on_floor, keys.just_pressed("up")), 1] = 640


if __name__ == "__main__":
    fw.run(Platforms, resolution=(960, 540))
