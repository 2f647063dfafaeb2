"""Sprites: walk behind and in front of objects. `y_sort` draws lower sprites later."""

import framework as fw


class Depth(fw.Game):
    def setup(self):
        self.background = "#7fb069"
        cells = fw.sheet("../art/standing.png", (56, 72), columns=4, rows=3)
        trees = cells[:5]
        houses = cells[5:7]
        walk = cells[8:12]
        clips = fw.Clips([*trees, *houses, *walk], walk=(7, 4, 8), stand=(7, 1, 1))
        # The anchor is the foot of each image: its position decides what is in front.
        self.batch = self.add(fw.SpriteBatch(clips, 70, y_sort=True, anchor=(28, 6)))
        self.batch.position[:] = self.random.uniform((40, 20), (920, 470), (70, 2))
        self.batch.image[:] = self.random.choice(7, 70, p=[0.2, 0.2, 0.2, 0.14, 0.14, 0.06, 0.06])
        self.batch.scale[:] = 1.5
        self.hero = self.batch.add(position=(480, 250), image=7, scale=1.5)
        self.labels.add("Arrow keys: walk", (480, 12), anchor="bottom", shadow="#0008")

    def update(self, dt):
        x = self.keys.axis("left", "right")
        y = self.keys.axis("down", "up")
        self.hero.position = self.hero.x + 180 * x * dt, self.hero.y + 180 * y * dt
        self.hero.play("walk" if x or y else "stand")
        if x:
            self.hero.flip = x < 0, False


if __name__ == "__main__":
    fw.run(Depth, resolution=(960, 540))
