"""Coin Hill, step 3: the arrow keys move the hero."""

import framework as fw

SPEED = 90  # units per second


class Platformer(fw.Game):
    def setup(self):
        self.background = "#84d8f4"
        self.labels.add("Coin Hill", (10, 150), font_size=20, color="#1d2b53")
        heroes = self.add(fw.SpriteBatch(fw.art.hero))
        self.hero = heroes.add(position=(50, 10))

    def update(self, dt):
        run = self.keys.axis("left", "right")
        self.hero.x += SPEED * run * dt
        self.hero.play("walk" if run else "idle")
        if run:
            self.hero.flip = run < 0, False


if __name__ == "__main__":
    fw.run(Platformer, title="Coin Hill", size=(1280, 720), resolution=(320, 180), pixel_art=True)
