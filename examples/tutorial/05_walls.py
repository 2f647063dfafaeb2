"""Coin Hill, step 5: a level of tiles."""

import framework as fw
from framework import collide

SPEED = 90  # units per second
JUMP = 265  # units per second
GRAVITY = 600  # units per second, in each second
BODY = (10, 20)  # the size of the hero
LEGEND = {"#": "grass", "=": "platform", "~": "water"}  # the tiles of the characters
LEVEL = """
................................................................
................................................................
................................................................
.................................o.o............................
................................=====...........................
.............o.o..........................o...............o..*..
............=====...........==..........=====...........########
......o.o.............................................o.########
.@...====..............o................................########
..................o...###..o.....eo...........o.e....##.########
##################..#########.#######.####..##########..########
##################~~#########~#######~####~~##########~~########
"""


class Platformer(fw.Game):
    def setup(self):
        self.background = "#84d8f4"
        self.labels.add("Coin Hill", (10, 150), font_size=20, color="#1d2b53")
        tiles = fw.art.platformer
        self.ground = self.add(fw.TileLayer(tiles, tiles.from_text(LEVEL, LEGEND)))
        heroes = self.add(fw.SpriteBatch(fw.art.hero))
        self.hero = heroes.add(position=self.find("@")[0])
        self.jumps = collide.JumpTimer()
        self.speed_up = 0.0

    def find(self, mark):
        """Return the centers of all cells that have this character in the level."""
        return [
            self.ground.cell_center((row, column))
            for row, line in enumerate(LEVEL.split())
            for column, character in enumerate(line)
            if character == mark
        ]

    def update(self, dt):
        run = self.keys.axis("left", "right")
        self.speed_up -= GRAVITY * dt
        motion = SPEED * run * dt, self.speed_up * dt
        self.hero.position, flags = collide.move(self.hero.position, BODY, motion, self.ground)
        if flags.on_floor or flags.on_ceiling:
            self.speed_up = 0.0
        if self.jumps.update(dt, flags.on_floor, self.keys.just_pressed("space")):
            self.speed_up = JUMP
        self.hero.play("walk" if run else "idle")
        if run:
            self.hero.flip = run < 0, False


if __name__ == "__main__":
    fw.run(Platformer, title="Coin Hill", size=(1280, 720), resolution=(320, 180), pixel_art=True)
