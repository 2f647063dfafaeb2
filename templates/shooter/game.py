"""Shooter: shoot the saucers and the rocks that come in waves, and keep your three hearts.

Fly with the arrow keys, WASD or a gamepad's stick. Press space or the gamepad's A button to shoot.
Each wave is harder than the wave before it. The best score is saved.
"""

import math

import numpy as np

import framework as fw
from framework import collide

WIDE, HIGH = 540, 720
SPEED, SHOT_SPEED, RELOAD = 380, 760, 0.16  # units per second; seconds
HEARTS, SAFE = 3, 1.5  # lives; seconds without harm after a hit
ROCK, SAUCER = 0, 1  # the images of enemies
HITS, POINTS = (1, 2), (10, 25)  # hits that an enemy needs, and its points, by image


class Shooter(fw.Game):
    saves_folder = "Untitled Game"
    saved = ("best",)

    def setup(self):
        self.background = "#0b1026"
        self.effects = [fw.Bloom(0.4, threshold=0.7)]
        self.actions = fw.Actions(
            move=fw.Stick("left right down up", "a d s w", "pad:leftstick", "pad:dpad"),
            shoot=["space", "pad:a", "pad:righttrigger"],
        )
        self.stars = self.add(fw.SpriteBatch(np.full((2, 2, 4), 255, np.uint8), 160))
        self.stars.position[:] = self.random.uniform((0, 0), (WIDE, HIGH), (160, 2))
        self.depth = self.random.uniform(0.2, 1, 160)
        self.stars.color[:, 3] = self.depth
        self.shots = self.add(fw.SpriteBatch("art/bullet.png", columns="velocity"))
        self.bolts = self.add(fw.SpriteBatch("art/bullet.png", columns="velocity"))
        self.enemies = self.add(
            fw.SpriteBatch(
                ["art/rock.png", "art/enemy.png"],
                columns={"velocity": 0, "angular_velocity": 0, "hits": 1, "age": 0.0},
            )
        )
        self.ship = self.sprites.add("art/ship.png", position=(WIDE / 2, 90))
        self.sparks = self.add(fw.Particles.sparks(capacity=3000))
        self.flame = self.sparks.emitter(
            self.ship, 90, offset=(0, -26), direction=-math.pi / 2, spread=0.2, lifetime=(0.1, 0.3)
        )
        self.hearts = self.add(fw.SpriteBatch("art/heart.png", HEARTS), camera=self.hud, layer=1)
        self.hearts.position[:] = [(28 + 34 * n, HIGH - 28) for n in range(HEARTS)]
        self.hearts.scale = 0.45
        self.points = self.labels.add(
            "", (WIDE - 16, HIGH - 14), font_size=26, anchor=("right", "top")
        )
        self.words = self.labels.add(
            "", (WIDE / 2, HIGH * 0.6), font_size=34, anchor=("center", "center"), align="center"
        )
        self.best = 0
        if self.saves.exists("best"):
            self.load("best")
        self.begin()

    def begin(self):
        """Begin a new game."""
        for batch in (self.shots, self.bolts, self.enemies):
            batch.clear()
        self.score, self.lives, self.reload, self.safe, self.over = 0, HEARTS, 0.0, 0.0, False
        self.ship.teleport((WIDE / 2, 90))
        self.ship.visible = self.flame.emitting = True
        self.story = self.start(self.waves())

    async def waves(self):
        """Send one wave of enemies after another while the player is alive."""
        wave = 1
        while True:
            self.words.text = f"Wave {wave}"
            await self.seconds(1.5)
            self.words.text = ""
            for _ in range(4 + 2 * wave):
                self.add_enemy(wave)
                await self.seconds(self.random.uniform(0.4, 1.0) / (1 + 0.1 * wave))
            await self.until(lambda: not len(self.enemies))
            wave += 1

    def add_enemy(self, wave):
        kind = SAUCER if self.random.uniform() < 0.25 + 0.05 * wave else ROCK
        fall = self.random.uniform(90, 130) + 12 * wave
        self.enemies.add(
            kind,
            position=(self.random.uniform(50, WIDE - 50), HIGH + 40),
            velocity=(0, -fall) if kind == SAUCER else (self.random.uniform(-50, 50), -fall),
            angular_velocity=0 if kind == SAUCER else self.random.uniform(-3, 3),
            scale=0.9 if kind == SAUCER else self.random.uniform(0.7, 1.2),
            hits=HITS[kind],
        )

    def update(self, dt):
        self.stars.position[:, 1] -= 140 * self.depth * dt
        below = self.stars.position[:, 1] < 0
        self.stars.position[below, 1] += HIGH
        self.stars.teleport(below)
        if self.over:
            if self.actions.just_pressed("shoot") and self.reload < -0.8:
                self.begin()
        else:
            self.fly(dt)
        self.reload -= dt
        self.safe -= dt
        self.move_enemies(dt)
        self.hit()
        self.points.text = f"{self.score}    best {max(self.best, self.score)}"
        self.hearts.visible[:] = np.arange(HEARTS) < self.lives

    def fly(self, dt):
        across, up = self.actions["move"]
        position = np.array(self.ship.position) + np.array((across, up)) * SPEED * dt
        self.ship.position = np.clip(position, (30, 40), (WIDE - 30, HIGH * 0.6))
        self.ship.angle += (-0.25 * across - self.ship.angle) * 0.2
        self.ship.alpha = 0.4 if self.safe > 0 and self.tick % 12 < 6 else 1.0
        if self.actions.held("shoot") and self.reload <= 0:
            self.reload = RELOAD
            for side in (-14, 14):
                self.shots.add(
                    position=(self.ship.x + side, self.ship.y + 24), velocity=(0, SHOT_SPEED)
                )
            fw.art.sounds.laser.play(volume=0.2)

    def move_enemies(self, dt):
        enemies = self.enemies
        saucers = enemies.image == SAUCER
        enemies.age += dt
        enemies.velocity[saucers, 0] = 110 * fw.exact.cos(2.4 * enemies.age[saucers])
        for batch in (self.shots, self.bolts, enemies):
            batch.move(dt)
        for x, y in enemies.position[saucers & (self.random.uniform(size=len(enemies)) < 0.006)]:
            self.bolts.add(position=(x, y - 20), velocity=(0, -300), color="#ff9bd0")
        self.shots.remove(self.shots.position[:, 1] > HIGH + 20)
        self.bolts.remove(self.bolts.position[:, 1] < -20)
        enemies.remove(enemies.position[:, 1] < -60)

    def hit(self):
        """Let shots hit enemies, and let enemies and bolts hit the ship."""
        pairs = collide.overlaps(self.shots, self.enemies)
        for shot, row in pairs.tolist():
            self.sparks.emit(4, self.shots.position[shot])
            self.enemies.hits[row] -= 1
        self.shots.remove(pairs[:, 0])
        dead = np.flatnonzero(self.enemies.hits <= 0)
        for row in dead:
            self.score += POINTS[self.enemies.image[row]]
            self.explode(self.enemies.position[row])
        self.enemies.remove(dead)
        if self.over or self.safe > 0:
            return
        rocks = collide.overlaps(self.ship, self.enemies)[:, 1]
        bolts = collide.overlaps(self.ship, self.bolts)[:, 1]
        self.enemies.remove(rocks)
        self.bolts.remove(bolts)
        if len(rocks) or len(bolts):
            self.lose_heart()

    def explode(self, position):
        self.sparks.emit(50, position, speed=(30, 260), lifetime=(0.3, 0.9))
        self.camera.shake(5, ticks=15)
        fw.art.sounds.explosion.play(volume=0.3, position=tuple(position))

    def lose_heart(self):
        self.lives -= 1
        self.safe = SAFE
        self.explode(self.ship.position)
        if self.lives:
            return
        self.over, self.reload = True, 0.0
        self.ship.visible = self.flame.emitting = False
        self.story.cancel()
        record = self.score > self.best
        self.words.text = f"{'New record' if record else 'Game over'}: {self.score}\nSpace: again"
        if record:
            self.best = self.score
            self.save("best")


if __name__ == "__main__":
    fw.run(Shooter, title="Untitled Game", size=(WIDE, HIGH), resolution=(WIDE, HIGH), exact=True)
