"""Coin Hill, step 4: gravity, and jumps."""

import framework as fw

SPEED = 90  # units per second
JUMP = 265  # units per second
GRAVITY = 600  # units per second, in each second
FLOOR = 10  # the height of the hero on the floor


class Platformer(fw.Game):
    def setup(self):
        self.background = "#84d8f4"
        self.labels.add("Coin Hill", (10, 150), font_size=20, color="#1d2b53")
        heroes = self.add(fw.SpriteBatch(fw.art.hero))
        self.hero = heroes.add(position=(50, 10))
        self.speed_up = 0.0

    def update(self, dt):
        run = self.keys.axis("left", "right")
        self.hero.x += SPEED * run * dt
        self.speed_up -= GRAVITY * dt
        self.hero.y += self.speed_up * dt
        if self.hero.y <= FLOOR:
            self.hero.y = FLOOR
            self.speed_up = 0.0
            if self.keys.just_pressed("space"):
                self.speed_up = JUMP
        self.hero.play("walk" if run else "idle")
        if run:
            self.hero.flip = run < 0, False


if __name__ == "__main__":
    fw.run(Platformer, title="Coin Hill", size=(1280, 720), resolution=(320, 180), pixel_art=True)
