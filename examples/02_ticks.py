"""Fixed ticks: the same motion at ten ticks a second, without interpolation and with it.

Both sides compute the same positions. Each frame leaves a shadow that shows where the object was
drawn. Up and down change the speed of time. Space pauses, and then the right arrow runs one tick.
"""

import numpy as np
import stopping

import framework as fw

SIDES = (243, 717)  # x of the center of each side
COLORS = [(1.0, 0.78, 0.4, 1), (0.37, 0.87, 0.78, 1), (1.0, 0.52, 0.42, 1)]
SHADOWS = 48  # number of shadows: one per frame


class Ticks(fw.Game):
    not_state = ("shadows",)  # only `draw` uses the shadows

    def setup(self):
        self.background = (0.06, 0.07, 0.16)
        cards = self.add(fw.SpriteBatch("art/card.png"))
        titles = self.add(fw.TextBatch(font_size=26), camera=self.hud)
        for x, how in zip(SIDES, ("drawn raw", "interpolated"), strict=True):
            cards.add(position=(x, 258))
            titles.add(f"10 ticks a second, {how}", position=(x, 490), anchor=("center", "bottom"))
        images = ["art/ball.png", fw.Region("art/needle.png", anchor=(12, 12))]
        self.shadows = self.add(fw.SpriteBatch(images, 6 * SHADOWS))
        self.things = self.add(
            fw.SpriteBatch(images, 6)
        )  # three without interpolation, then three with it
        self.things.image = [0, 0, 1, 0, 0, 1]
        self.things.scale = [[0.9], [0.8], [1.7]] * 2
        self.things.color = COLORS * 2
        self.shadows.image = np.tile(self.things.image, SHADOWS)
        self.shadows.scale = np.tile(self.things.scale, (SHADOWS, 1))
        self.shadows.visible = False
        words = stopping.words(self.timestep)
        self.state = self.labels.add(
            words, position=(480, 10), anchor=("center", "bottom"), color=(0.7, 0.73, 0.95)
        )
        self.place(0)

    def update(self, dt):
        self.place(self.tick * dt)
        self.things.teleport(slice(0, 3))  # without interpolation

    def place(self, time):
        """Set the poses of the three objects on both sides: moving to and fro, circling, and
        turning.
        """
        x = 185 * fw.exact.cos(2.2 * time)
        turn = 3.3 * time
        for side, middle in enumerate(SIDES):
            self.things.position[3 * side] = middle + x, 397
            self.things.position[3 * side + 1] = (
                middle - 110 + 84 * fw.exact.cos(turn),
                186 + 84 * fw.exact.sin(turn),
            )
            self.things.position[3 * side + 2] = middle + 110, 186
            self.things.angle[3 * side + 2] = turn

    def draw(self, alpha):
        """After each frame, move the oldest shadows to where the objects were drawn. Fade the
        others.
        """
        now = 6 * (self.debug.frames % SHADOWS) + np.arange(6)
        self.shadows.position[now], self.shadows.angle[now], _ = self.things.transforms.pose(alpha)
        self.shadows.color[:, 3] *= 0.95
        self.shadows.color[now] = self.things.color * (1, 1, 1, 0.25)
        self.shadows.visible[now] = True
        self.shadows.teleport(now)

    def on_key_press(self, symbol, modifiers):
        self.state.text = stopping.press(self.timestep, symbol)


if __name__ == "__main__":
    fw.run(Ticks, size=(960, 540), resolution=(960, 540), tick_rate=10)
