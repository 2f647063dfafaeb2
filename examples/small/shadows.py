"""Light: a torch at the mouse, colored lamps, and walls that cast shadows."""

import numpy as np

import framework as fw


class Shadows(fw.Game):
    def setup(self):
        floor = fw.TileSet(fw.art.tiles, (32, 32))
        self.add(fw.TileLayer(floor, np.full((17, 30), 3)))
        self.crates = self.add(fw.SpriteBatch(fw.art.crate, 7))
        self.crates.position[:] = [
            (150, 380),
            (300, 150),
            (400, 420),
            (560, 270),
            (680, 440),
            (760, 130),
            (870, 320),
        ]
        self.lights = self.add(fw.Lights2D(ambient=(0.12, 0.12, 0.2)), layer=1)
        self.lights.add((60, 90), color="#4080ff", radius=420, softness=10, intensity=1.3)
        self.lights.add((900, 480), color="#ff3070", radius=420, softness=10, intensity=1.3)
        self.torch = self.lights.add(
            (480, 270), color="#ffc070", radius=420, softness=8, flicker=0.25, intensity=1.6
        )
        self.lights.add_walls(self.crates, depth=50)
        self.labels.add("Move the torch with the mouse", (480, 10), anchor="bottom")

    def update(self, dt):
        self.crates.angle[::2] += 0.4 * dt
        if self.mouse.inside:
            self.torch.position = self.mouse.position


if __name__ == "__main__":
    fw.run(Shadows, resolution=(960, 540))
