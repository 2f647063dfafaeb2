"""Swarm: 200,000 sparks fly around your mouse, and are slow to compute.

Computing a tick takes almost as long as the tick itself. The rules run in a second process, so the
window still draws every frame on time. Space moves the rules into the same process as the window,
and back. F3 shows the times of the frames: in one process, every frame with a tick is late.
"""

import numpy as np

import framework as fw
from framework import exact

SPARKS = 200_000
LAMPS = 18  # points around which sparks fly; the first is the mouse
EYE = 70.0  # units from a lamp in which its pull gets weaker
PULL = 12_000.0
SWIRL = 11_000.0
DRAG = 0.5
FASTEST = 520.0  # units a second


def spark():
    """Return a soft round dot."""
    y, x = np.mgrid[-1:1:7j, -1:1:7j]
    light = np.clip(1 - np.sqrt(x * x + y * y), 0, 1)
    glow = light * np.sqrt(light)
    white = np.full((7, 7), 255)
    return np.dstack([white, white, white, 255 * glow]).astype(np.uint8)


def palette(count):
    """Return colors from blue through violet, red and gold to green, and back to blue."""
    stops = np.array(
        [
            (0.1, 0.35, 1),
            (0.55, 0.2, 1),
            (1, 0.15, 0.4),
            (1, 0.6, 0.1),
            (0.1, 0.9, 0.6),
            (0.1, 0.35, 1),
        ]
    )
    shares = np.linspace(0, len(stops) - 1, count)
    colors = [np.interp(shares, np.arange(len(stops)), channel) for channel in stops.T]
    return np.stack([*colors, np.full(count, 0.13)], axis=1)


class Swarm(fw.Game):
    saved = ("sparks", "time")

    def setup(self):
        self.time = 0.0
        self.sparks = self.add(
            fw.SpriteBatch(spark(), SPARKS, blend="add", columns={"velocity": 0.0})
        )
        angles = np.sort(self.random.uniform(0, 2 * np.pi, SPARKS))  # neighbors have one color
        radii = np.sqrt(self.random.uniform(0.01, 1, SPARKS)) * 420
        sin, cos = exact.sincos(angles)
        self.sparks.position[:] = np.stack([cos, sin], axis=1) * radii[:, None] + (480, 270)
        self.sparks.velocity[:] = np.stack([-sin, cos], axis=1) * 160
        self.sparks.color[:] = palette(SPARKS)
        self.sparks.scale = 0.7
        self.labels.add(
            "Mouse: lead the swarm    Space: one process or two    F3: frames", (20, 18)
        )

    def lamps(self):
        """Return the positions of the lamps (LAMPS, 2): the mouse, and lamps that wander."""
        numbers = np.arange(LAMPS)
        x = exact.sin(self.time * (0.31 + 0.03 * numbers) + numbers * 1.9)
        y = exact.sin(self.time * (0.53 - 0.025 * numbers) + numbers * 2.7)
        lamps = np.stack([480 + 330 * x, 270 + 170 * y], axis=1)
        if self.mouse.position != (0, 0):
            lamps[0] = self.mouse.position
        return lamps.astype(np.float32)

    def update(self, dt):
        self.time += dt
        position = self.sparks.position
        velocity = self.sparks.velocity
        x, y = position.T.copy()
        push_x, push_y = np.zeros((2, len(x)), np.float32)
        for number, (lamp_x, lamp_y) in enumerate(self.lamps().tolist()):
            to_x = lamp_x - x
            to_y = lamp_y - y
            closeness = 1 / (to_x * to_x + to_y * to_y + EYE * EYE)
            pull = PULL * closeness
            swirl = (SWIRL if number % 2 else -SWIRL) * closeness
            push_x += to_x * pull - to_y * swirl
            push_y += to_y * pull + to_x * swirl
        waves = exact.sin(x * 0.011 + y * 0.017 + np.float32(self.time))
        push_x += 90 * waves
        push_y -= 90 * exact.sin(y * 0.013 - x * 0.007 + np.float32(self.time * 0.8))
        velocity[:, 0] += dt * push_x
        velocity[:, 1] += dt * push_y
        velocity *= 1 - DRAG * dt
        speed = np.sqrt((velocity * velocity).sum(axis=1))
        velocity *= np.minimum(1, FASTEST / np.maximum(speed, 1))[:, None]
        position += velocity * dt

    def draw(self, alpha):
        if self.display.headless and self.debug.frames >= 45:
            self.exit()  # without a GPU, a frame takes long, and enough sparks are visible by now

    def on_key_press(self, symbol, modifiers):
        if symbol == fw.key.SPACE:
            self.emit(self.switch)  # the session belongs to the window

    def switch(self):
        """Move the rules to the other process."""
        if self.session is not None:
            self.session.processes = 3 - self.session.processes


if __name__ == "__main__":
    looks = {"title": "Swarm", "background": (0.01, 0.012, 0.03), "tick_rate": 30, "exact": True}
    fw.run(Swarm, session=fw.Beside(), size=(960, 540), resolution=(960, 540), **looks)
