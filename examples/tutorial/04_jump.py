"""Coin Hill, step 4: gravity, and jumps."""

import framework as fw

SPEED, JUMP = 180, 520  # units per second
GRAVITY = 1200  # units per second, in each second
FLOOR = 30  # the height of the hero on the floor


class Platformer(fw.Game):
    def setup(self):
        self.background = "#8fd3f5"
        self.labels.add("Coin Hill", (20, 310), font_size=32, color="#1d2b53")
        self.hero = self.sprites.add(fw.art.hero[0], position=(100, 30))
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
        if run:
            self.hero.flip = run < 0, False


if __name__ == "__main__":
    fw.run(Platformer, title="Coin Hill", size=(1280, 720), resolution=(640, 360))
