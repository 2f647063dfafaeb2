"""Sprites: give each enemy its own values, such as hit points, and show a health bar."""

import numpy as np

import framework as fw


class Columns(fw.Game):
    def setup(self):
        self.background = "#1d2b53"
        self.bars = self.add(fw.Shapes())
        columns = {"velocity": (60, 0), "hp": 4, "phase": 0.0}
        self.enemies = self.add(fw.SpriteBatch(fw.art.enemy, 15, columns=columns))
        self.enemies.position[:] = self.random.uniform((60, 100), (900, 440), (15, 2))
        self.enemies.phase[:] = self.random.uniform(0, 6, 15)
        above = self.enemies.position + (0, 40)
        self.bars.extend(15, "box", position=above, size=(44, 6), color="#00e436")
        self.labels.add("Click on the saucers", (480, 20), anchor="bottom")

    def update(self, dt):
        enemies = self.enemies
        enemies.velocity[:, 0] = 80 * np.sin(self.tick * dt + enemies.phase)
        enemies.move(dt)
        if self.mouse.just_pressed("left"):
            near = np.hypot(*(enemies.position - self.mouse.position).T) < 36
            enemies.hp[near] -= 1
            enemies.color[near] = 1, 0.5, 0.5, 1
            fw.art.sounds.hit.play() if near.any() else None
            dead = enemies.hp <= 0
            enemies.remove(dead)
            self.bars.remove(dead)  # the rows stay the same in both batches
        self.bars.position = enemies.position + (0, 40)
        self.bars.size[:, 0] = 11 * enemies.hp


if __name__ == "__main__":
    fw.run(Columns, resolution=(960, 540))
