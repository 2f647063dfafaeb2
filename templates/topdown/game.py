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
TILE = 32  # size of a tile in units
GRASS = (1, 2)  # the numbers of two kinds of grass in art/ground.png
STONE = 3
FACE = 4  # a stone with grass below it, which shows its front
HERO_BODY = (22, 18)  # the part of the hero that stones stop: width and height in units
SLIME_BODY = (28, 18)
WALK_SPEED = 150  # units per second
CHASE_SPEED = 92
STROLL_SPEED = 36
SIGHT = 230  # a slime sees the hero from this distance, in units
SCARE_RADIUS = 150  # units
SCARE_PAUSE = 3.0  # seconds between two scares
HEARTS = 3  # hits until the game is over
SAFE_TIME = 1.5  # for how many seconds after a hit slimes do no harm


def read_level(name):
    """Return a level file as an array of characters (rows, columns)."""
    return np.array([list(row) for row in (FOLDER / name).read_text(encoding="utf-8").split()])


class TopDown(fw.Game):
    saves_folder = "Untitled Game"

    def setup(self):
        self.background = "#1a2416"
        # An action is a name for keys and buttons. The rules of the game use only the name.
        self.actions = fw.Actions(
            walk=fw.Stick("left right down up", "a d s w", "pad:leftstick", "pad:dpad"),
            scare=["space", "pad:a"],
        )
        # For each clip: the first frame, the number of frames, and the frames per second.
        self.clips = fw.Clips(
            fw.sheet("art/hero.png", (48, 64), columns=4), stand=(0, 1, 1), walk=(0, 4, 10)
        )
        self.tiles = fw.TileSet("art/ground.png", (TILE, TILE), solid=(STONE, FACE))
        self.rings = self.add(fw.Shapes(), layer=2)
        self.sparks = self.add(fw.Particles.sparks(), layer=2)
        self.hearts = self.add(fw.SpriteBatch("art/heart.png", HEARTS), camera=self.hud, layer=3)
        self.hearts.position[:] = [(28 + 34 * n, self.height - 28) for n in range(HEARTS)]
        self.hearts.scale = 0.45
        self.stars_left = self.labels.add(
            "", (self.width - 16, self.height - 14), font_size=26, anchor=("right", "top")
        )
        self.message = self.labels.add(
            "Find the stars    Space: scare the slimes",
            (self.width / 2, 40),
            font_size=24,
            anchor=("center", "center"),
            outline="#101810",
        )
        self.level = 0
        self.parts = []  # the drawables of the level
        self.build()

    def build(self):
        """Remove the old level, and build the level `self.level` from its file."""
        for part in self.parts:
            self.remove(part)
        marks = read_level(LEVELS[self.level])
        rock = marks == "#"
        rock_below = np.vstack([rock[1:], rock[-1:]])  # whether the tile below is a rock
        grass = self.random.choice(GRASS, marks.shape, p=(0.8, 0.2))
        numbers = np.where(rock & ~rock_below, FACE, np.where(rock, STONE, grass))
        self.ground = fw.TileLayer(self.tiles, numbers)
        self.stars = fw.SpriteBatch("art/star.png")
        crates = fw.SpriteBatch("art/crate.png")
        # The position of each sprite is at its feet. Sprites that are lower on the screen are drawn
        # in front of the others.
        self.trees = fw.SpriteBatch("art/tree.png", anchor=(32, 4))
        # Each slime also has a velocity, and the number of seconds for which it is still afraid.
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
        self.lives = HEARTS
        self.safe = 0.0  # for how many more seconds slimes do no harm
        self.pause = 0.0  # seconds until the hero can scare slimes again
        self.won = False
        self.hero_cell = None  # the tile that `self.ways` leads to
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
        self.pause -= dt
        self.walk(dt)
        self.move_slimes(dt)
        self.touch()
        self.hearts.visible[:] = np.arange(HEARTS) < self.lives
        self.stars_left.text = f"Stars left: {len(self.stars)}"

    def walk(self, dt):
        """Move the hero with the keys. Stones stop the hero."""
        move = np.array(self.actions["walk"])
        self.hero.position, _ = collide.move(
            self.hero.position, HERO_BODY, move * WALK_SPEED * dt, self.ground
        )
        clip = "walk" if move.any() else "stand"
        if self.hero.clip != clip:
            self.hero.batch.play(clip)
        if move[0]:
            self.hero.flip = move[0] < 0, False
        if move.any():
            self.message.text = ""
        self.lantern.position = self.hero.x, self.hero.y + 16
        self.hero.alpha = 0.4 if self.safe > 0 and self.tick % 12 < 6 else 1.0  # blinks
        if self.actions.just_pressed("scare") and self.pause <= 0:
            self.scare()

    def scare(self):
        """Make the slimes near the hero afraid for two seconds."""
        self.pause = SCARE_PAUSE
        self.slimes.afraid[self.distances() < SCARE_RADIUS] = 2.0
        fw.art.sounds.powerup.play(volume=0.3, pitch=0.7)
        self.start(self.show_ring())

    async def show_ring(self):
        """Show a ring that grows and fades. This is a routine: ``await`` waits for the tween."""
        ring = self.rings.add_circle(self.hero.position, 20, stroke_width=3, color="#ffe27a")
        await self.tween(ring, scale=SCARE_RADIUS / 20, alpha=0, duration=0.4)
        ring.remove()

    def distances(self):
        """Return the distance of each slime to the hero."""
        return fw.exact.hypot(*(self.slimes.position - self.hero.position).T)

    def move_slimes(self, dt):
        """Move the slimes: toward the hero if they see the hero, away if they are afraid.

        Each line computes a value for all slimes at the same time: a NumPy array with one row per
        slime.
        """
        slimes = self.slimes
        hero = np.array(self.hero.position)
        slimes.afraid -= dt
        afraid = slimes.afraid > 0
        sees = fw.paths.line_of_sight(self.ground, slimes.position, hero)
        sees &= self.distances() < SIGHT
        cell = self.ground.world_to_cell(hero)
        if cell != self.hero_cell:
            # The hero has moved to another tile. Compute the shortest path from every tile to this
            # tile.
            self.hero_cell = cell
            self.ways = fw.paths.FlowField(self.ground, [hero])
        toward = self.ways.direction(slimes.position)

        # In a tick, 2 % of the slimes choose a new direction to stroll.
        turns = self.random.uniform(size=len(slimes)) < 0.02
        angles = self.random.uniform(0, 2 * np.pi, len(slimes))
        directions = np.stack([fw.exact.cos(angles), fw.exact.sin(angles)], axis=1)
        slimes.velocity[turns] = directions[turns] * STROLL_SPEED
        slimes.velocity[sees] = toward[sees] * CHASE_SPEED
        slimes.velocity[afraid] = -toward[afraid] * CHASE_SPEED

        slimes.position, flags = collide.move(
            slimes.position, SLIME_BODY, slimes.velocity * dt, self.ground
        )
        slimes.velocity[flags.on_wall | flags.on_floor | flags.on_ceiling] *= -1

        # A slime becomes narrow and high, then wide and low.
        hop = np.abs(fw.exact.sin(0.15 * self.tick + np.arange(len(slimes))))
        slimes.scale[:] = np.stack([1.1 - 0.2 * hop, 0.85 + 0.25 * hop], axis=1)
        slimes.color[:, :3] = np.where(afraid[:, None], (0.7, 0.8, 1), (1, 1, 1))

    def touch(self):
        """Collect stars, lose a heart if a slime touches the hero, and check whether the hero has
        reached the crate.
        """
        # For each pair that overlaps: 0, because there is only one hero, and the row of the star.
        for row in collide.overlaps(self.hero, self.stars)[:1, 1].tolist():
            self.sparks.emit(24, self.stars.position[row])
            fw.art.sounds.coin.play(volume=0.4)
            self.stars.remove([row])
            self.lights.remove([row + 1])  # the lantern is the first light
        if self.safe <= 0 and (self.distances() < 24).any():
            self.lives -= 1
            self.safe = SAFE_TIME
            self.camera.shake(8)
            fw.art.sounds.hit.play(volume=0.5)
        if not self.lives:
            self.message.text = "The slimes have caught you.  Space: try again"
        elif not len(self.stars) and collide.overlaps(self.hero, self.goal).size:
            self.won = True
            self.sparks.emit(100, self.goal.position)
            fw.art.sounds.powerup.play(volume=0.5)
            last = self.level + 1 == len(LEVELS)
            self.message.text = "You have found all stars!  Space: "
            self.message.text += "again" if last else "go on"

    def wait_for_key(self):
        """When a level has ended, wait for the key that starts the same level again or the next
        level.
        """
        self.hearts.visible[:] = np.arange(HEARTS) < self.lives
        if self.actions.just_pressed("scare"):
            self.level = (self.level + self.won) % len(LEVELS)
            self.message.text = ""
            self.build()


if __name__ == "__main__":
    fw.run(TopDown, title="Untitled Game", size=(960, 540), resolution=(960, 540), exact=True)
