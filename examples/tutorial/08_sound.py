"""Coin Hill, step 8: sounds and music."""

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
        self.audio.music.play(fw.art.music.calm, volume=0.5)
        self.score = self.labels.add("Coins 0", (8, 162), font_size=11, color="#1d2b53")
        tiles = fw.art.platformer
        self.ground = self.add(fw.TileLayer(tiles, tiles.from_text(LEVEL, LEGEND)))
        self.coins = self.add(fw.SpriteBatch(fw.art.items.coin))
        self.coins.extend(len(self.find("o")), position=self.find("o"))
        self.coins.play("idle")
        self.collected = 0
        heroes = self.add(fw.SpriteBatch(fw.art.hero))
        self.hero = heroes.add(position=self.find("@")[0])
        fw.Follow(self.camera, self.hero, smoothing=0.85, bounds=(0, 0, *self.ground.size))
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
        self.move_hero(dt)
        self.collect()
        self.score.text = f"Coins {self.collected}"

    def move_hero(self, dt):
        run = self.keys.axis("left", "right")
        self.speed_up -= GRAVITY * dt
        motion = SPEED * run * dt, self.speed_up * dt
        self.hero.position, flags = collide.move(self.hero.position, BODY, motion, self.ground)
        if flags.on_floor or flags.on_ceiling:
            self.speed_up = 0.0
        if self.jumps.update(dt, flags.on_floor, self.keys.just_pressed("space")):
            self.speed_up = JUMP
            fw.art.sounds.jump.play(volume=0.5)
        if flags.on_floor:
            self.hero.play("walk" if run else "idle")
        else:
            self.hero.play("jump" if self.speed_up > 0 else "fall")
        if run:
            self.hero.flip = run < 0, False

    def collect(self):
        touched = collide.overlaps(self.hero, self.coins)[:, 1]
        if len(touched):
            fw.art.sounds.coin.play(pitch=self.random.uniform(0.9, 1.1))
        self.coins.remove(touched)
        self.collected += len(touched)


if __name__ == "__main__":
    fw.run(Platformer, title="Coin Hill", size=(1280, 720), resolution=(320, 180), pixel_art=True)
