"""Coin Hill, step 3: the arrow keys move the hero."""

import framework as fw

SPEED = 180  # units per second


class Platformer(fw.Game):
    def setup(self):
        self.background = "#8fd3f5"
        self.labels.add("Coin Hill", (20, 310), font_size=32, color="#1d2b53")
        self.hero = self.sprites.add(fw.art.hero[0], position=(100, 30))

    def update(self, dt):
        run = self.keys.axis("left", "right")
        self.hero.x += SPEED * run * dt
        if run:
            self.hero.flip = run < 0, False


if __name__ == "__main__":
    fw.run(Platformer, title="Coin Hill", size=(1280, 720), resolution=(640, 360))
