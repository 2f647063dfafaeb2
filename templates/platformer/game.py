"""Platformer: collect coins, avoid the saucers, and reach the star of each level.

Run with the arrow keys, A and D, or a gamepad's stick. Jump with space, the up key or the gamepad's
A button. A short press makes a low jump. Press down to drop through a plank. The levels are text
files.
"""

from pathlib import Path

import numpy as np

import framework as fw
from framework import collide

FOLDER = Path(__file__).parent
LEVELS = "levels/1.txt", "levels/2.txt"
TILE = 32  # size of a tile in units
NUMBERS = {"#": 2, "=": 7, "~": 6}  # the tile number of each character in a level file
BODY = (24, 52)  # width and height of the hero's body in units
RUN_SPEED = 240  # units per second
RUN_ACCELERATION = 2400  # units per second²
JUMP_SPEED = 640
GRAVITY = 1700
MAX_FALL_SPEED = 900
SAUCER_SPEED = 70
SAUCER_WAY = 90  # a saucer turns around at this distance from its initial position


def read_level(name):
    """Return a level file as an array of characters (rows, columns)."""
    rows = (FOLDER / name).read_text(encoding="utf-8").split()
    width = max(map(len, rows))
    return np.array([list(row.ljust(width, ".")) for row in rows])


class Platformer(fw.Game):
    saves_folder = "Untitled Game"

    def setup(self):
        self.background = "#8fd3f5"
        # An action is a name for keys and buttons. The rules of the game use only the name.
        self.actions = fw.Actions(
            run=fw.Axis("left right", "a d", "pad:leftx", "pad:dpleft pad:dpright"),
            jump=["space", "up", "w", "pad:a"],
            drop=["down", "s", "pad:dpdown"],
        )
        # For each clip: the first frame, the number of frames, and the frames per second.
        self.clips = fw.Clips(
            fw.sheet("art/hero.png", (48, 64), columns=4), stand=(0, 1, 1), run=(0, 4, 12)
        )
        self.tiles = fw.TileSet("art/tiles.png", (TILE, TILE), solid=(1, 2, 3, 4, 5), one_way=(7,))
        self.add(
            fw.Backdrop("art/hills.png", (0, 60), repeat=(True, False), parallax=(0.3, 0.6)),
            layer=-1,
        )
        self.sparks = self.add(fw.Particles.sparks(), layer=1)
        self.score = self.labels.add("", (16, self.height - 44), font_size=26, outline="#2b2440")
        self.message = self.labels.add(
            "Arrow keys: run    Space: jump",
            (self.width / 2, self.height - 130),
            font_size=30,
            anchor=("center", "center"),
            outline="#2b2440",
        )
        self.level = 0
        self.coins_found = 0
        self.parts = []  # the drawables of the level
        self.build()

    def build(self):
        """Remove the old level, and build the level `self.level` from its file."""
        for part in self.parts:
            self.remove(part)
        marks = read_level(LEVELS[self.level])
        numbers = np.vectorize(lambda mark: NUMBERS.get(mark, 0))(marks)
        has_air_above = np.roll(numbers, 1, axis=0) == 0
        numbers[(numbers == 2) & has_air_above] = 1  # earth that is covered with grass
        self.ground = fw.TileLayer(self.tiles, numbers)
        self.water = numbers == NUMBERS["~"]
        trees = fw.SpriteBatch("art/tree.png", anchor=(32, 0))
        self.coins = fw.SpriteBatch("art/coin.png")
        self.enemies = fw.SpriteBatch("art/enemy.png", columns="velocity")
        stars = fw.SpriteBatch("art/star.png")
        heroes = fw.SpriteBatch(self.clips, columns="velocity", anchor=(24, 26))
        self.parts = [self.ground, trees, self.coins, self.enemies, stars, heroes]
        for part in self.parts:
            self.add(part)
        trees.extend(len(self.places(marks, "T")), position=self.places(marks, "T", -TILE / 2))
        self.coins.extend(len(self.places(marks, "o")), position=self.places(marks, "o"))
        self.coins.scale = 0.7
        self.enemies.extend(len(self.places(marks, "e")), position=self.places(marks, "e"))
        self.enemies.velocity[:, 0] = SAUCER_SPEED
        self.first_positions = self.enemies.position.copy()
        self.goal = stars.add(position=self.places(marks, "*")[0])
        self.start_point = self.places(marks, "@", (BODY[1] - TILE) / 2)[0]
        self.hero = heroes.add(position=self.start_point)
        self.jumps = collide.JumpTimer()
        self.won = False
        fw.Follow(
            self.camera,
            self.hero,
            (0, 60),
            smoothing=0.9,
            dead_zone=(80, 120),
            bounds=(0, 0, *self.ground.size),
        )

    def places(self, marks, mark, up=0.0):
        """Return the centers of all tiles with the character ``mark``, moved up by ``up``. The
        shape is (n, 2).
        """
        cells = np.argwhere(marks == mark)
        places = [self.ground.cell_center(tuple(cell)) for cell in cells.tolist()]
        return np.reshape(places, (-1, 2)) + (0, up)

    def update(self, dt):
        run = self.actions["run"]  # from -1 to 1
        jump = self.actions.just_pressed("jump")
        if self.won:
            self.celebrate(jump)
            return
        self.move_hero(dt, run, jump)
        self.fly(dt)
        self.touch()
        self.score.text = f"Level {self.level + 1}    Coins {self.coins_found}"
        if run:
            self.message.text = ""

    def move_hero(self, dt, run, jump):
        """Run, jump and fall. Tiles stop the hero."""
        velocity = self.hero.batch.velocity  # one row for each sprite; the hero is row 0
        most = RUN_ACCELERATION * dt
        velocity[0, 0] += np.clip(RUN_SPEED * run - velocity[0, 0], -most, most)
        if velocity[0, 1] > JUMP_SPEED / 2 and not self.actions.held("jump"):
            velocity[0, 1] = JUMP_SPEED / 2  # the key was released early: a low jump
        velocity[0, 1] = max(velocity[0, 1] - GRAVITY * dt, -MAX_FALL_SPEED)
        self.hero.batch.position, flags = collide.move(
            self.hero.batch.position,
            BODY,
            velocity * dt,
            self.ground,
            step=6,
            through=self.actions.held("drop"),
        )
        velocity[flags.on_floor & (velocity[:, 1] < 0), 1] = 0
        velocity[flags.on_ceiling & (velocity[:, 1] > 0), 1] = 0
        velocity[flags.on_wall, 0] = 0
        # The hero can still jump a moment after leaving the floor, and jumps on landing if the key
        # was pressed a moment before.
        if self.jumps.update(dt, flags.on_floor, jump)[0]:
            velocity[0, 1] = JUMP_SPEED
            fw.art.sounds.jump.play(volume=0.4)
        clip = "run" if abs(velocity[0, 0]) > 20 else "stand"
        if self.hero.clip != clip:
            self.hero.batch.play(clip)
        if run:
            self.hero.flip = run < 0, False

    def fly(self, dt):
        """Move the saucers from left to right and back."""
        enemies = self.enemies
        enemies.move(dt)
        away = enemies.position[:, 0] - self.first_positions[:, 0]
        turning = np.abs(away) > SAUCER_WAY
        enemies.velocity[turning, 0] = -SAUCER_SPEED * np.sign(away[turning])

    def touch(self):
        """Collect coins, jump on saucers, and check whether the hero touches water, a saucer or the
        star.
        """
        # For each pair that overlaps: 0, because there is only one hero, and the row of the coin.
        coins = collide.overlaps(self.hero, self.coins)[:, 1]
        for row in coins:
            self.sparks.emit(12, self.coins.position[row])
            fw.art.sounds.coin.play(volume=0.4)
        self.coins_found += len(coins)
        self.coins.remove(coins)
        for row in collide.overlaps(self.hero, self.enemies)[:1, 1].tolist():
            velocity = self.hero.batch.velocity
            if velocity[0, 1] < 0 and self.hero.y > self.enemies.position[row, 1] + 20:
                velocity[0, 1] = JUMP_SPEED * 0.8  # the hero came from above
                self.sparks.emit(30, self.enemies.position[row])
                fw.art.sounds.hit.play(volume=0.5, pitch=1.4)
                self.first_positions = np.delete(self.first_positions, row, axis=0)
                self.enemies.remove([row])
            else:
                self.lose()
        if collide.on_tiles(self.ground, self.water, self.hero.batch.position, (8, BODY[1]))[0]:
            self.lose()
        if collide.overlaps(self.hero, self.goal).size:
            self.won = True
            self.sparks.emit(100, self.goal.position)
            fw.art.sounds.powerup.play(volume=0.5)

    def lose(self):
        """Move the hero back to the start of the level."""
        self.sparks.emit(30, self.hero.position)
        self.camera.shake(8)
        fw.art.sounds.hit.play(volume=0.5, pitch=0.7)
        self.hero.teleport(tuple(self.start_point))
        self.hero.batch.velocity[:] = 0

    def celebrate(self, jump):
        """Show that the level is complete, and wait for the jump key."""
        last = self.level + 1 == len(LEVELS)
        self.message.text = "You found all stars!" if last else "Level complete!"
        self.message.text += "  Space: " + ("play again" if last else "next level")
        if jump:
            self.level = 0 if last else self.level + 1
            self.coins_found = 0 if last else self.coins_found
            self.message.text = ""
            self.build()


if __name__ == "__main__":
    fw.run(Platformer, title="Untitled Game", size=(960, 540), resolution=(960, 540), exact=True)
