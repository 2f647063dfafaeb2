"""Poles: 64 carts learn to balance poles, only from how long each pole stays up.

Four numbers decide how a cart moves. When all poles have fallen, the numbers of the next generation
are drawn at random near those of the best quarter (the cross-entropy method). Press space to start
again. `Carts` alone is an environment for agents: fw.vector_env(Carts, 9).
"""

import numpy as np

import framework as fw

CARTS = 64
MAX_AGE = 500  # ticks, at 50 a second
PIXELS = 22  # per unit of the track, which is 4.8 units long
ROWS = np.arange(CARTS)
HOMES = np.stack([60 + 120 * (ROWS % 8), 24 + 54 * (ROWS // 8)], 1).astype(np.float32)


class Carts(fw.ArrayGame):
    """Poles on carts, as in Barto, Sutton and Anderson, 1983. Each row contains the position,
    speed, angle and angular velocity.
    """

    action_space = 2  # push left, push right

    def setup(self):
        self.state = np.zeros((4, self.envs), np.float32)

    def begin(self, rows):
        self.state[:, rows] = self.uniform(rows, -0.05, 0.05, 4).T

    def update(self, dt):
        position, speed, angle, turning = self.state
        sine, cosine = fw.exact.sincos(angle)
        force = np.where(self.actions == 1, np.float32(10), np.float32(-10))
        push = (force + np.float32(0.05) * turning * turning * sine) / np.float32(1.1)
        swing = (np.float32(9.8) * sine - cosine * push) / (
            np.float32(2 / 3) - np.float32(0.05 / 1.1) * cosine * cosine
        )
        push -= np.float32(0.05 / 1.1) * swing * cosine
        position += speed * np.float32(dt)
        speed += push * np.float32(dt)
        angle += turning * np.float32(dt)
        turning += swing * np.float32(dt)
        self.ended[:] = (np.abs(position) > 2.4) | (np.abs(angle) > 0.21)
        self.rewards[:] = 1

    def observations(self):
        return self.state.T


class Poles(Carts):
    def __init__(self, **options):
        super().__init__(envs=CARTS, tick_rate=50, **options)

    def setup(self):
        super().setup()
        white = np.full((8, 8, 4), 255, np.uint8)
        self.tracks = self.add(fw.SpriteBatch(white, CARTS))
        self.tracks.position = HOMES - (0, 6)
        self.tracks.scale = 4.8 * PIXELS / 8, 0.2
        self.tracks.color = "#29405a"
        self.poles = self.add(fw.SpriteBatch(white, CARTS, anchor=(4, 0)))
        self.poles.scale = 0.5, 4.5
        self.carts = self.add(fw.SpriteBatch(white, CARTS))
        self.carts.scale = 2.5, 1.1
        hue = np.linspace(0, 1, CARTS, endpoint=False)[:, None]
        self.hues = np.clip(np.abs((hue * 6 + (0, 4, 2)) % 6 - 3) - 1, 0, 1) * 0.55 + 0.4
        self.bars = self.add(fw.SpriteBatch(white, anchor=(4, 0)))
        self.line = self.labels.add("", (24, 490))
        self.forget()

    def forget(self):
        """Start again with random numbers."""
        self.mean = np.zeros(4)
        self.spread = np.ones(4)
        self.lasting = []  # the mean of each generation
        self.bars.clear()
        self.propose()

    def on_key_press(self, symbol, modifiers):
        if symbol == fw.key.SPACE:
            self.forget()
            self.restart()

    def propose(self):
        """Draw the next generation."""
        self.policies = self.mean + self.spread * self.random.normal(size=(CARTS, 4))
        self.lasted = np.zeros(CARTS, int)
        self.fallen = np.zeros(CARTS, bool)
        self.age = 0

    def learn(self):
        """Fit the distribution of the next generation to the best carts."""
        self.lasting.append(self.lasted.mean())
        best = self.policies[np.argsort(-self.lasted, kind="stable")[: CARTS // 4]]
        self.mean = best.mean(axis=0)
        self.spread = np.sqrt(((best - self.mean) ** 2).mean(axis=0)) + 0.02
        bar = self.bars.add(position=(500 + 14 * (len(self.lasting) % 32), 470), color="#ffc860")
        bar.scale = 1.3, max(self.lasting[-1] / MAX_AGE * 7.5, 0.1)
        self.propose()
        self.restart()
        self.carts.teleport(ROWS)
        self.poles.teleport(ROWS)

    def update(self, dt):
        before = self.state.copy()
        self.actions = ((self.policies * self.observations()).sum(axis=1) > 0).astype(int)
        super().update(dt)
        self.state[:, self.fallen] = before[:, self.fallen]  # fallen poles stay where they fell
        self.fallen |= self.ended
        self.lasted += ~self.fallen
        self.age += 1
        if self.fallen.all() or self.age == MAX_AGE:
            self.learn()
        position, _, angle, _ = self.state
        self.carts.position = HOMES + np.stack([position * PIXELS, np.zeros_like(position)], 1)
        self.poles.position = self.carts.position
        self.poles.angle = -np.where(self.fallen, np.sign(angle) * np.float32(1.3), angle)
        shade = np.where(self.fallen, 0.2, 1)[:, None]
        self.carts.color = np.concatenate([self.hues * 0.6, shade], 1)
        self.poles.color = np.concatenate([self.hues, shade], 1)
        up = CARTS - self.fallen.sum()
        generation = len(self.lasting) + 1
        self.line.text = (
            f"Generation {generation}: {up} of {CARTS} are up after {self.age / 50:.1f} s"
        )


if __name__ == "__main__":
    fw.run(Poles, size=(960, 540), resolution=(960, 540))
