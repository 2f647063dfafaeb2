"""Fixed ticks: the same motion at ten ticks a second, drawn raw and interpolated, side by side.

Both sides compute the same positions. Each frame leaves a shadow behind, so that you see where it
was drawn. Up and down change the speed of time, space stops it, and the right arrow then goes on by
one tick.
"""

import numpy as np
import stopping

import framework as fw

SIDES = (243, 717)  # the middle of each side
COLORS = [(1.0, 0.78, 0.4, 1), (0.37, 0.87, 0.78, 1), (1.0, 0.52, 0.42, 1)]
SHADOWS = 48  # frames that are remembered


class Ticks(fw.Game):
    not_state = ("shadows",)  # `draw` moves them, and nothing asks them

    def setup(self):
        self.background = (0.06, 0.07, 0.16)
        cards, titles = (
            self.add(fw.SpriteBatch("art/card.png")),
            self.add(fw.TextBatch(font_size=26), camera=self.hud),
        )
        for x, how in zip(SIDES, ("drawn raw", "interpolated"), strict=True):
            cards.add(position=(x, 258))
            titles.add(f"10 ticks a second, {how}", position=(x, 490), anchor=("center", "bottom"))
        images = ["art/ball.png", fw.Region("art/needle.png", anchor=(12, 12))]
        self.shadows = self.add(fw.SpriteBatch(images, 6 * SHADOWS))
        self.things = self.add(
            fw.SpriteBatch(images, 6)
        )  # three raw ones, then three that are interpolated
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
        self.things.teleport(slice(0, 3))  # the raw ones are drawn where this tick leaves them

    def place(self, time):
        """Where the three are at a time: to and fro, around a circle, and turning."""
        x, turn = 185 * fw.exact.cos(2.2 * time), 3.3 * time
        for side, middle in enumerate(SIDES):
            self.things.position[3 * side] = middle + x, 397
            self.things.position[3 * side + 1] = (
                middle - 110 + 84 * fw.exact.cos(turn),
                186 + 84 * fw.exact.sin(turn),
            )
            self.things.position[3 * side + 2] = middle + 110, 186
            self.things.angle[3 * side + 2] = turn

    def draw(self, alpha):
        """After each frame: the oldest shadows come to where the things were drawn, and the others
        fade.
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
