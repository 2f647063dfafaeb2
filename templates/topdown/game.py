"""Top-down: find all stars in the woods by the light of a lantern, then go to the crate.

Walk with the arrow keys, WASD or a gamepad's stick. Slimes follow you when they see you. Press
space or the gamepad's A button to scare the slimes near you, once every few seconds. The levels are
text files.
"""

from pathlib import Path

import numpy as np

import framework as fw
from framework import collide

FOLDER = Path(__file__).parent
LEVELS = "levels/1.txt", "levels/2.txt"
TILE = 32
GRASS, STONE, FACE = (1, 2), 3, 4  # tile numbers; FACE is stone with grass below it
BODY, SLIME = (22, 18), (28, 18)  # sizes on the ground, in units
WALK, CHASE, STROLL = 150, 92, 36  # units per second
SIGHT, SCARE, REST = 230, 150, 3.0  # units, units, seconds
HEARTS, SAFE = 3, 1.5  # lives; seconds without harm after a hit


def read_level(name):
    """Return a level file as an array of characters (rows, columns)."""
    return np.array([list(row) for row in (FOLDER / name).read_text(encoding="utf-8").split()])


class TopDown(fw.Game):
    saves_folder = "Untitled Game"

    def setup(self):
        self.background = "#1a2416"
        self.actions = fw.Actions(
            walk=fw.Stick("left right down up", "a d s w", "pad:leftstick", "pad:dpad"),
            scare=["space", "pad:a"],
        )
        self.clips = fw.Clips(
            fw.sheet("art/hero.png", (48, 64), columns=4), stand=(0, 1, 1), walk=(0, 4, 10)
        )
        self.tiles = fw.TileSet("art/ground.png", (TILE, TILE), solid=(STONE, FACE))
        self.rings = self.add(fw.Shapes(), layer=2)
        self.sparks = self.add(fw.Particles.sparks(), layer=2)
        self.hearts = self.add(fw.SpriteBatch("art/heart.png", HEARTS), camera=self.hud, layer=3)
        self.hearts.position[:] = [(28 + 34 * n, self.height - 28) for n in range(HEARTS)]
        self.hearts.scale = 0.45
        self.found = self.labels.add(
            "", (self.width - 16, self.height - 14), font_size=26, anchor=("right", "top")
        )
        self.words = self.labels.add(
            "Find the stars    Space: scare the slimes",
            (self.width / 2, 40),
            font_size=24,
            anchor=("center", "center"),
            outline="#101810",
        )
        self.level, self.parts = 0, []
        self.build()

    def build(self):
        """Remove the old level, and build the level `self.level` from its file."""
        for part in self.parts:
            self.remove(part)
        marks = read_level(LEVELS[self.level])
        rock = marks == "#"
        face = rock & ~np.vstack([rock[1:], rock[-1:]])
        grass = self.random.choice(GRASS, marks.shape, p=(0.8, 0.2))
        numbers = np.where(face, FACE, np.where(rock, STONE, grass))
        self.ground = fw.TileLayer(self.tiles, numbers)
        self.stars = fw.SpriteBatch("art/star.png")
        crates = fw.SpriteBatch("art/crate.png")
        # The position of a sprite is at its feet. Sprites that are lower on the screen are drawn in
        # front.
        self.trees = fw.SpriteBatch("art/tree.png", anchor=(32, 4))
        self.slimes = fw.SpriteBatch(
            "art/slime.png", anchor=(20, 8), columns={"velocity": 0, "afraid": 0.0}
        )
        heroes = fw.SpriteBatch(self.clips, anchor=(24, 10))
        self.lights = fw.Lights2D(ambient=(0.34, 0.38, 0.55))
        self.parts = [self.ground, self.stars, crates, self.slimes, heroes, self.trees]
        for part in self.parts:
            self.add(part)
        self.add(self.lights, layer=1)
        self.parts.append(self.lights)
        self.stars.extend(len(self.places(marks, "*")), position=self.places(marks, "*"), scale=0.5)
        self.trees.extend(len(self.places(marks, "T")), position=self.places(marks, "T"))
        self.slimes.extend(len(self.places(marks, "s")), position=self.places(marks, "s"))
        self.goal = crates.add(position=self.places(marks, "G")[0], scale=0.7)
        self.start_point = self.places(marks, "@")[0]
        self.hero = heroes.add(position=self.start_point)
        self.lights.add_walls(self.ground, depth=20)
        self.lantern = self.lights.add(
            position=self.start_point, radius=250, color="#ffd9a0", intensity=1.1, flicker=0.1
        )
        self.lights.extend(
            len(self.stars), position=self.stars.position, radius=70, color=(1, 0.89, 0.48)
        )
        self.lives, self.safe, self.rest, self.won, self.goal_cell = HEARTS, 0.0, 0.0, False, None
        fw.Follow(self.camera, self.hero, smoothing=0.88, bounds=(0, 0, *self.ground.size))

    def places(self, marks, mark):
        """Return the centers of all tiles with the character ``mark``. The shape is (n, 2)."""
        cells = np.argwhere(marks == mark)
        places = [self.ground.cell_center(tuple(cell)) for cell in cells.tolist()]
        return np.reshape(places, (-1, 2))

    def update(self, dt):
        if self.won or not self.lives:
            self.wait_for_key()
            return
        self.safe -= dt
        self.rest -= dt
        self.walk(dt)
        self.follow_hero(dt)
        self.touch()
        self.hearts.visible[:] = np.arange(HEARTS) < self.lives
        self.found.text = f"Stars left: {len(self.stars)}"

    def walk(self, dt):
        move = np.array(self.actions["walk"])
        (self.hero.position,), _ = collide.move(
            [self.hero.position], BODY, [move * WALK * dt], self.ground
        )
        clip = "walk" if move.any() else "stand"
        if self.hero.clip != clip:
            self.hero.batch.play(clip)
        if move[0]:
            self.hero.flip = move[0] < 0, False
        if move.any():
            self.words.text = ""
        self.lantern.position = self.hero.x, self.hero.y + 16
        self.hero.alpha = 0.4 if self.safe > 0 and self.tick % 12 < 6 else 1.0
        if self.actions.just_pressed("scare") and self.rest <= 0:
            self.scare()

    def scare(self):
        self.rest = REST
        self.slimes.afraid[self.distances() < SCARE] = 2.0
        fw.art.sounds.powerup.play(volume=0.3, pitch=0.7)
        self.start(self.show_ring())

    async def show_ring(self):
        ring = self.rings.add_circle(self.hero.position, 20, stroke_width=3, color="#ffe27a")
        await self.tween(ring, scale=SCARE / 20, alpha=0, duration=0.4)
        ring.remove()

    def distances(self):
        """Return the distance of each slime to the hero."""
        return fw.exact.hypot(*(self.slimes.position - self.hero.position).T)

    def follow_hero(self, dt):
        """Move the slimes: toward the hero if they see the hero, away if they are afraid."""
        slimes, here = self.slimes, np.array(self.hero.position)
        slimes.afraid -= dt
        afraid = slimes.afraid > 0
        sees = fw.paths.line_of_sight(self.ground, slimes.position, here)
        sees &= self.distances() < SIGHT
        cell = self.ground.world_to_cell(here)
        if cell != self.goal_cell:  # the way to the hero has changed
            self.goal_cell, self.field = cell, fw.paths.FlowField(self.ground, [here])
        toward = self.field.direction(slimes.position)
        turns = self.random.uniform(size=len(slimes)) < 0.02
        angles = self.random.uniform(0, 2 * np.pi, len(slimes))
        stroll = np.stack([fw.exact.cos(angles), fw.exact.sin(angles)], axis=1) * STROLL
        slimes.velocity[turns] = stroll[turns]
        slimes.velocity[sees] = toward[sees] * CHASE
        slimes.velocity[afraid] = -toward[afraid] * CHASE
        slimes.position, flags = collide.move(
            slimes.position, SLIME, slimes.velocity * dt, self.ground
        )
        slimes.velocity[flags.on_wall | flags.on_floor | flags.on_ceiling] *= -1
        hop = np.abs(fw.exact.sin(0.15 * self.tick + np.arange(len(slimes))))
        slimes.scale[:] = np.stack([1.1 - 0.2 * hop, 0.85 + 0.25 * hop], axis=1)
        slimes.color[:, :3] = np.where(afraid[:, None], (0.7, 0.8, 1), (1, 1, 1))

    def touch(self):
        """Collect stars, lose a heart if a slime touches the hero, and check whether the hero is at
        the crate.
        """
        for row in collide.overlaps(self.hero, self.stars)[:1, 1].tolist():
            self.sparks.emit(24, self.stars.position[row])
            fw.art.sounds.coin.play(volume=0.4)
            self.stars.remove([row])
            self.lights.remove([row + 1])  # the lantern is the first light
        if self.safe <= 0 and (self.distances() < 24).any():
            self.lives -= 1
            self.safe = SAFE
            self.camera.shake(8)
            fw.art.sounds.hit.play(volume=0.5)
        if not self.lives:
            self.words.text = "The slimes have caught you.  Space: try again"
        elif not len(self.stars) and collide.overlaps(self.hero, self.goal).size:
            self.won = True
            self.sparks.emit(100, self.goal.position)
            fw.art.sounds.powerup.play(volume=0.5)
            last = self.level + 1 == len(LEVELS)
            self.words.text = "You have found all stars!  Space: " + ("again" if last else "go on")

    def wait_for_key(self):
        self.hearts.visible[:] = np.arange(HEARTS) < self.lives
        if self.actions.just_pressed("scare"):
            self.level = (self.level + self.won) % len(LEVELS)
            self.words.text = ""
            self.build()


if __name__ == "__main__":
    fw.run(TopDown, title="Untitled Game", size=(960, 540), resolution=(960, 540), exact=True)
