"""Window: the smallest complete program, paper lanterns over a lake at night.

Click to release another lantern. Escape closes the window.
"""

import numpy as np

import framework as fw

SHORE = 160  # top of the water, in pixels from the bottom


class Window(fw.Game):
    def setup(self):
        self.sprites.add("art/night.png", position=(480, 270))
        self.mirrored = self.add(fw.SpriteBatch("art/lantern.png"))
        self.glow = self.add(fw.SpriteBatch("art/glow.png", blend="add"))
        self.lanterns = self.add(fw.SpriteBatch("art/lantern.png"))
        for position in self.random.uniform((0, SHORE + 20), (960, 500), (16, 2)):
            self.release(*position)
        self.labels.add(
            "Click to let a lantern go", position=(480, 24), anchor=("center", "bottom")
        )

    def release(self, x, y):
        far = self.random.uniform(0.25, 0.9)  # small lanterns look far away
        self.lanterns.add(position=(x, y), scale=far)
        self.glow.add(position=(x, y), scale=far * 4, color=(1.0, 0.6, 0.3, 0.5))
        self.mirrored.add(
            position=(x, y), scale=far, flip=(False, True), color=(1.0, 0.8, 0.8, 0.25)
        )

    def on_mouse_press(self, x, y, button, modifiers):
        self.release(x, max(y, SHORE))

    def update(self, dt):
        size = self.lanterns.scale[:, 0]
        position = self.lanterns.position
        time = self.tick * dt + np.arange(len(size))
        position[:, 0] += size * (12 + 8 * fw.exact.sin(time)) * dt
        position[:, 1] += size * 14 * dt
        self.lanterns.angle = 0.08 * fw.exact.sin(time)
        gone = (position[:, 1] > self.height + 60) | (position[:, 0] > self.width + 60)
        position[gone] = self.random.uniform(
            (-50, SHORE), (self.width, SHORE + 60), (gone.sum(), 2)
        )
        self.glow.position = position
        self.mirrored.position = position * (1, -1) + (0, 2 * SHORE)
        for batch in (self.lanterns, self.glow, self.mirrored):
            batch.teleport(gone)


if __name__ == "__main__":
    fw.run(Window, size=(960, 540), resolution=(960, 540))
