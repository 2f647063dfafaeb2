"""Collisions: find the coins that the ship touches, and count them."""

import framework as fw
from framework import collide


class Overlaps(fw.Game):
    def setup(self):
        self.background = "#222a54"
        self.coins = self.add(fw.SpriteBatch(fw.art.coin, 40))
        self.coins.position[:] = self.random.uniform((40, 90), (920, 500), (40, 2))
        self.rocks = self.add(fw.SpriteBatch(fw.art.rock, 6, columns="velocity"))
        self.rocks.position[:] = self.random.uniform((40, 90), (920, 500), (6, 2))
        self.rocks.velocity[:] = self.random.uniform(-120, 120, (6, 2))
        self.ship = self.sprites.add(fw.art.ship, position=(480, 270))
        self.touched = collide.OverlapTracker()
        self.coins_found = 0
        self.hits = 0
        self.label = self.labels.add("", (480, 14), anchor="bottom")

    def update(self, dt):
        x = self.keys.axis("left", "right")
        y = self.keys.axis("down", "up")
        self.ship.position = self.ship.x + 380 * x * dt, self.ship.y + 380 * y * dt
        self.rocks.move(dt)
        self.rocks.velocity[(self.rocks.position < 40) | (self.rocks.position > self.size)] *= -1
        caught = collide.overlaps(self.ship, self.coins)[:, 1]  # rows of the coins
        if len(caught):
            self.coins.remove(caught)
            self.coins_found += len(caught)
            fw.art.sounds.coin.play()
        self.touched.update(collide.overlaps(self.ship, self.rocks))
        if len(self.touched.entered):  # only when the ship begins to touch a rock
            self.hits += 1
            self.tween(self.ship, angle=6.283, duration=0.6, ease="out_quad", relative=True)
        self.label.text = f"Arrow keys: fly. {self.coins_found} coins, {self.hits} hits"


if __name__ == "__main__":
    fw.run(Overlaps, resolution=(960, 540))
