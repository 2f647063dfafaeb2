"""Coin Hill, step 10: lives, and a star to reach."""

import framework as fw
from framework import collide

SPEED = 90  # units per second
JUMP = 265  # units per second
CRAWL = 20  # units per second
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
        self.lives = 3
        self.over = False
        stars = self.add(fw.SpriteBatch(fw.art.items.star))
        self.star = stars.add(position=self.find("*")[0])
        self.star.play("idle")
        columns = {"velocity": (CRAWL, 0), "home": 0.0}
        self.enemies = self.add(fw.SpriteBatch(fw.art.slime, columns=columns))
        for x, y in self.find("e"):
            self.enemies.add(position=(x, y), home=x)
        self.enemies.play("walk")
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
        if self.over:
            return
        self.move_hero(dt)
        self.move_enemies(dt)
        self.collect()
        self.meet_enemies()
        if self.hero.y < -30:
            self.lose_life()
        if len(collide.overlaps(self.hero, self.star)):
            self.win()
        self.score.text = f"Coins {self.collected}   Lives {self.lives}"

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

    def move_enemies(self, dt):
        """Move all enemies. Each enemy turns around 30 units from its home."""
        self.enemies.move(dt)
        distance = self.enemies.position[:, 0] - self.enemies.home
        self.enemies.velocity[distance > 30, 0] = -CRAWL
        self.enemies.velocity[distance < -30, 0] = CRAWL
        self.enemies.flip[:, 0] = self.enemies.velocity[:, 0] < 0

    def collect(self):
        touched = collide.overlaps(self.hero, self.coins)[:, 1]
        if len(touched):
            fw.art.sounds.coin.play(pitch=self.random.uniform(0.9, 1.1))
        self.coins.remove(touched)
        self.collected += len(touched)

    def meet_enemies(self):
        for row in collide.overlaps(self.hero, self.enemies)[:1, 1]:
            if self.speed_up < 0 and self.hero.y > self.enemies.position[row, 1] + 4:
                self.enemies.remove([row])
                self.speed_up = 0.7 * JUMP
                fw.art.sounds.bounce.play()
            else:
                self.lose_life()

    def lose_life(self):
        self.hero.teleport(self.find("@")[0])
        self.speed_up = 0.0
        self.camera.shake(3)
        fw.art.sounds.hurt.play()
        self.lives -= 1
        if self.lives == 0:
            fw.art.sounds.lose.play()
            self.end("Game over")

    def win(self):
        self.star.remove()
        fw.art.sounds.win.play()
        self.end(f"You found the star, and {self.collected} coins!")

    def end(self, words):
        self.over = True
        self.labels.add(
            words,
            (self.width / 2, 120),
            anchor=("center", "center"),
            align="center",
            font_size=14,
            color="#1d2b53",
        )


if __name__ == "__main__":
    fw.run(Platformer, title="Coin Hill", size=(1280, 720), resolution=(320, 180), pixel_art=True)
