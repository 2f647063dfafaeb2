"""Coin Hill, step 8: sounds and music."""

import framework as fw
from framework import collide

SPEED, JUMP = 180, 520  # units per second
GRAVITY = 1200  # units per second, in each second
BODY = (28, 60)  # the size of the hero
TILES = {"#": 1, ":": 2, "=": 4, "~": 6}  # the number of the tile for each character
MELODY = 0, 7, 12, 7, 3, 7, 12, 7, -2, 5, 10, 5, -4, 3, 8, 3  # semitones above the tone
LEVEL = """
................................................................
................................................................
................................................................
.................................o.o............................
................................=====...........................
.............o.o..........................o...............o..*..
............=====...........==..........=====...........########
......o.o.............................................o.::::::::
.@...====..............o........e...............e.......::::::::
..................o...###..o......o...........o......##.::::::::
##################..#########.#######.####..##########..::::::::
::::::::::::::::::~~:::::::::~:::::::~::::~~::::::::::~~::::::::
"""


class Platformer(fw.Game):
    def setup(self):
        self.background = "#8fd3f5"
        self.score = self.labels.add("Coins 0", (16, 324), font_size=20, color="#1d2b53")
        self.marks = LEVEL.split()
        numbers = [[TILES.get(mark, 0) for mark in row] for row in self.marks]
        tiles = fw.TileSet(list(fw.art.tiles), (32, 32), solid=(1, 2), one_way=(4,))
        self.ground = self.add(fw.TileLayer(tiles, numbers))
        self.coins = self.add(fw.SpriteBatch(fw.art.coin))
        self.coins.extend(len(self.find("o")), position=self.find("o"), scale=0.6)
        self.collected = 0
        clips = fw.Clips(fw.art.hero, stand=(0, 1, 1), walk=(0, 4, 10))
        self.hero = self.add(fw.SpriteBatch(clips)).add(position=self.find("@")[0])
        fw.Follow(self.camera, self.hero, smoothing=0.85, bounds=(0, 0, *self.ground.size))
        self.jumps = collide.JumpTimer()
        self.tone = fw.Sound.tone(220, 0.3, wave="triangle")
        self.note = 0
        self.schedule.interval(self.play_note, 0.25)
        self.speed_up = 0.0

    def find(self, mark):
        """Return the centers of all tiles that have this character in the level."""
        return [
            self.ground.cell_center((row, column))
            for row, line in enumerate(self.marks)
            for column, character in enumerate(line)
            if character == mark
        ]

    def play_note(self, dt):
        semitones = MELODY[self.note % len(MELODY)]
        self.tone.play(pitch=2 ** (semitones / 12), volume=0.3, bus="music")
        self.note += 1

    def update(self, dt):
        self.move_hero(dt)
        self.collect()
        self.score.text = f"Coins {self.collected}"

    def move_hero(self, dt):
        run = self.keys.axis("left", "right")
        self.speed_up -= GRAVITY * dt
        motion = SPEED * run * dt, self.speed_up * dt
        positions, flags = collide.move([self.hero.position], BODY, [motion], self.ground)
        self.hero.position = positions[0]
        if flags.on_floor[0] or flags.on_ceiling[0]:
            self.speed_up = 0.0
        if self.jumps.update(dt, flags.on_floor, self.keys.just_pressed("space"))[0]:
            self.speed_up = JUMP
            fw.art.sounds.jump.play(volume=0.5)
        self.hero.play("walk" if run else "stand")
        if run:
            self.hero.flip = run < 0, False

    def collect(self):
        touched = collide.overlaps(self.hero, self.coins)[:, 1]
        if len(touched):
            fw.art.sounds.coin.play(volume=0.5)
        self.coins.remove(touched)
        self.collected += len(touched)


if __name__ == "__main__":
    fw.run(Platformer, title="Coin Hill", size=(1280, 720), resolution=(640, 360))
