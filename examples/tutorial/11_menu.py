"""Coin Hill, step 11: a title, a pause menu, and a new game."""

import framework as fw
from framework import collide

SPEED, JUMP, FLY = 180, 520, 60  # units per second
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


class Level(fw.Scene):
    def setup(self):
        self.score = self.labels.add("Coins 0", (16, 324), font_size=20, color="#1d2b53")
        self.marks = LEVEL.split()
        numbers = [[TILES.get(mark, 0) for mark in row] for row in self.marks]
        tiles = fw.TileSet(list(fw.art.tiles), (32, 32), solid=(1, 2), one_way=(4,))
        self.ground = self.add(fw.TileLayer(tiles, numbers))
        self.coins = self.add(fw.SpriteBatch(fw.art.coin))
        self.coins.extend(len(self.find("o")), position=self.find("o"), scale=0.6)
        self.collected, self.lives, self.over = 0, 3, False
        self.star = self.sprites.add(fw.art.star, position=self.find("*")[0], scale=0.8)
        columns = {"velocity": (FLY, 0), "home": 0.0}
        self.enemies = self.add(fw.SpriteBatch(fw.art.enemy, columns=columns))
        for x, y in self.find("e"):
            self.enemies.add(position=(x, y), scale=0.8, home=x)
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
        if self.keys.just_pressed("escape"):
            self.game.pause()
        if self.over:
            if self.keys.just_pressed("space"):
                self.game.new_game()
            return
        self.move_hero(dt)
        self.move_enemies(dt)
        self.collect()
        self.meet_enemies()
        if self.hero.y < -60:
            self.lose_life()
        if len(collide.overlaps(self.hero, self.star)):
            self.win()
        self.score.text = f"Coins {self.collected}   Lives {self.lives}"

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

    def move_enemies(self, dt):
        """Move all enemies. Each enemy turns around 80 units from its home."""
        self.enemies.move(dt)
        distance = self.enemies.position[:, 0] - self.enemies.home
        self.enemies.velocity[distance > 80, 0] = -FLY
        self.enemies.velocity[distance < -80, 0] = FLY

    def collect(self):
        touched = collide.overlaps(self.hero, self.coins)[:, 1]
        if len(touched):
            fw.art.sounds.coin.play(volume=0.5)
        self.coins.remove(touched)
        self.collected += len(touched)

    def meet_enemies(self):
        for row in collide.overlaps(self.hero, self.enemies)[:1, 1]:
            if self.speed_up < 0 and self.hero.y > self.enemies.position[row, 1] + 16:
                self.enemies.remove([row])
                self.speed_up = 0.7 * JUMP
                fw.art.sounds.hit.play(volume=0.5, pitch=1.5)
            else:
                self.lose_life()

    def lose_life(self):
        self.hero.teleport(self.find("@")[0])
        self.speed_up = 0.0
        self.camera.shake(6)
        fw.art.sounds.hit.play(volume=0.5, pitch=0.7)
        self.lives -= 1
        if self.lives == 0:
            self.end("Game over")

    def win(self):
        self.star.remove()
        fw.art.sounds.powerup.play(volume=0.5)
        self.end(f"You found the star, and {self.collected} coins!")

    def end(self, words):
        self.over = True
        self.labels.add(
            words + "\nPress space",
            (self.width / 2, self.height / 2),
            anchor=("center", "center"),
            align="center",
            font_size=28,
            outline="#1d2b53",
        )


class Platformer(fw.Game):
    def setup(self):
        self.background = "#8fd3f5"
        self.new_game()

    def new_game(self):
        self.show(Level(), transition=fw.Fade(0.3))
        self.push(fw.scenes.Menu("Coin Hill", {"Play": None, "Quit": self.exit}))

    def pause(self):
        self.push(fw.scenes.Menu("Pause", {"Continue": None, "New game": self.new_game}))


if __name__ == "__main__":
    fw.run(Platformer, title="Coin Hill", size=(1280, 720), resolution=(640, 360))
