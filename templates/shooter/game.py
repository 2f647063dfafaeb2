"""Shooter: shoot the saucers and the rocks that come in waves, and keep your three hearts.

Fly with the arrow keys, WASD or a gamepad's stick. Press space or the gamepad's A button to shoot.
Each wave is harder than the wave before it. The best score is saved.
"""

import math

import numpy as np

import framework as fw
from framework import collide

WIDTH = 540  # size of the screen in units
HEIGHT = 720
SHIP_SPEED = 380  # units per second
SHOT_SPEED = 760
RELOAD_TIME = 0.16  # seconds between two shots
HEARTS = 3  # hits until the game is over
SAFE_TIME = 1.5  # for how many seconds after a hit the ship cannot be hit again
ROCK = 0  # the images of enemies
SAUCER = 1
HITS = (1, 2)  # hits that destroy a rock and a saucer
POINTS = (10, 25)  # points for a rock and for a saucer


class Shooter(fw.Game):
    saves_folder = "Untitled Game"
    saved = ("best",)

    def setup(self):
        self.background = "#0b1026"
        self.effects = [fw.Bloom(0.4, threshold=0.7)]  # bright colors glow
        # An action is a name for keys and buttons. The rules of the game use only the name.
        self.actions = fw.Actions(
            move=fw.Stick("left right down up", "a d s w", "pad:leftstick", "pad:dpad"),
            shoot=["space", "pad:a", "pad:righttrigger"],
        )
        self.stars = self.add(fw.SpriteBatch(np.full((2, 2, 4), 255, np.uint8), 160))
        self.stars.position[:] = self.random.uniform((0, 0), (WIDTH, HEIGHT), (160, 2))
        # Near stars are brighter and move faster than far stars.
        self.nearness = self.random.uniform(0.2, 1, 160)
        self.stars.color[:, 3] = self.nearness
        self.shots = self.add(fw.SpriteBatch("art/bullet.png", columns="velocity"))
        self.bolts = self.add(fw.SpriteBatch("art/bullet.png", columns="velocity"))
        self.enemies = self.add(
            fw.SpriteBatch(
                ["art/rock.png", "art/enemy.png"],
                columns={"velocity": 0, "angular_velocity": 0, "hits": 1, "age": 0.0},
            )
        )
        self.ship = self.sprites.add("art/ship.png", position=(WIDTH / 2, 90))
        self.sparks = self.add(fw.Particles.sparks(capacity=3000))
        self.flame = self.sparks.emitter(
            self.ship, 90, offset=(0, -26), direction=-math.pi / 2, spread=0.2, lifetime=(0.1, 0.3)
        )
        self.hearts = self.add(fw.SpriteBatch("art/heart.png", HEARTS), camera=self.hud, layer=1)
        self.hearts.position[:] = [(28 + 34 * n, HEIGHT - 28) for n in range(HEARTS)]
        self.hearts.scale = 0.45
        self.points = self.labels.add(
            "", (WIDTH - 16, HEIGHT - 14), font_size=26, anchor=("right", "top")
        )
        self.message = self.labels.add(
            "", (WIDTH / 2, HEIGHT * 0.6), font_size=34, anchor=("center", "center"), align="center"
        )
        self.best = 0
        if self.saves.exists("best"):
            self.load("best")
        self.begin()

    def begin(self):
        """Begin a new game."""
        for batch in (self.shots, self.bolts, self.enemies):
            batch.clear()
        self.score = 0
        self.lives = HEARTS
        self.reload = 0.0  # seconds until the next shot
        self.safe = 0.0  # seconds until the ship can be hit again
        self.over = False
        self.ship.teleport((WIDTH / 2, 90))
        self.ship.visible = self.flame.emitting = True
        self.routine = self.start(self.waves())

    async def waves(self):
        """Send one wave of enemies after another while the player is alive.

        This is a routine: ``await self.seconds(1.5)`` waits here while the game continues.
        """
        wave = 1
        while True:
            self.message.text = f"Wave {wave}"
            await self.seconds(1.5)
            self.message.text = ""
            for _ in range(4 + 2 * wave):
                self.add_enemy(wave)
                await self.seconds(self.random.uniform(0.4, 1.0) / (1 + 0.1 * wave))
            await self.until(lambda: not len(self.enemies))
            wave += 1

    def add_enemy(self, wave):
        """Add a saucer or a rock above the screen. In later waves, enemies are faster."""
        kind = SAUCER if self.random.uniform() < 0.25 + 0.05 * wave else ROCK
        fall = self.random.uniform(90, 130) + 12 * wave
        self.enemies.add(
            kind,
            position=(self.random.uniform(50, WIDTH - 50), HEIGHT + 40),
            velocity=(0, -fall) if kind == SAUCER else (self.random.uniform(-50, 50), -fall),
            angular_velocity=0 if kind == SAUCER else self.random.uniform(-3, 3),
            scale=0.9 if kind == SAUCER else self.random.uniform(0.7, 1.2),
            hits=HITS[kind],
        )

    def update(self, dt):
        self.move_stars(dt)
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

    def move_stars(self, dt):
        """Move the stars down. A star below the screen comes back at the top."""
        self.stars.position[:, 1] -= 140 * self.nearness * dt
        below = self.stars.position[:, 1] < 0
        self.stars.position[below, 1] += HEIGHT
        self.stars.teleport(below)  # so that no line is drawn through the whole screen

    def fly(self, dt):
        """Move the ship with the keys, and shoot."""
        across, up = self.actions["move"]
        position = np.array(self.ship.position) + np.array((across, up)) * SHIP_SPEED * dt
        self.ship.position = np.clip(position, (30, 40), (WIDTH - 30, HEIGHT * 0.6))
        self.ship.angle += (-0.25 * across - self.ship.angle) * 0.2
        self.ship.alpha = 0.4 if self.safe > 0 and self.tick % 12 < 6 else 1.0  # the ship blinks
        if self.actions.held("shoot") and self.reload <= 0:
            self.reload = RELOAD_TIME
            for side in (-14, 14):
                self.shots.add(
                    position=(self.ship.x + side, self.ship.y + 24), velocity=(0, SHOT_SPEED)
                )
            fw.art.sounds.laser.play(volume=0.2)

    def move_enemies(self, dt):
        """Move enemies and shots, let saucers shoot, and remove everything that has left the
        screen.
        """
        enemies = self.enemies
        saucers = enemies.image == SAUCER
        enemies.age += dt
        enemies.velocity[saucers, 0] = 110 * fw.exact.cos(2.4 * enemies.age[saucers])
        for batch in (self.shots, self.bolts, enemies):
            batch.move(dt)
        shoots = saucers & (self.random.uniform(size=len(enemies)) < 0.006)
        for x, y in enemies.position[shoots]:
            self.bolts.add(position=(x, y - 20), velocity=(0, -300), color="#ff9bd0")
        self.shots.remove(self.shots.position[:, 1] > HEIGHT + 20)
        self.bolts.remove(self.bolts.position[:, 1] < -20)
        enemies.remove(enemies.position[:, 1] < -60)

    def hit(self):
        """Let shots hit enemies, and let enemies and bolts hit the ship."""
        # for each shot that overlaps an enemy: the row of the shot, and the row of the enemy
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
        """Show sparks, shake the camera, and play a sound."""
        self.sparks.emit(50, position, speed=(30, 260), lifetime=(0.3, 0.9))
        self.camera.shake(5, ticks=15)
        fw.art.sounds.explosion.play(volume=0.3, position=tuple(position))

    def lose_heart(self):
        """Take a heart from the player. If no heart is left, the game is over."""
        self.lives -= 1
        self.safe = SAFE_TIME
        self.explode(self.ship.position)
        if self.lives:
            return
        self.over = True
        self.reload = 0.0
        self.ship.visible = self.flame.emitting = False
        self.routine.cancel()
        is_record = self.score > self.best
        title = "New record" if is_record else "Game over"
        self.message.text = f"{title}: {self.score}\nSpace: again"
        if is_record:
            self.best = self.score
            self.save("best")


if __name__ == "__main__":
    fw.run(
        Shooter, title="Untitled Game", size=(WIDTH, HEIGHT), resolution=(WIDTH, HEIGHT), exact=True
    )
