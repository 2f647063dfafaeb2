"""The picture of forces in docs/physics.md: crates float on water, and an explosion throws some.

framework run docs/pictures/forces.py --headless --frames 2 --screenshot docs/pictures/forces.png
"""

import pathlib
import re

import numpy as np

import framework as fw

SIZE = 960, 540
TICKS = 320
AFTER = 24  # ticks between the explosion and the picture

# The program of the page itself.
PAGE = pathlib.Path(__file__).parent.parent.joinpath("physics.md").read_text("utf-8")
(PROGRAM,) = [
    block for block in re.findall(r"(?ms)^```python\n(.*?)^```", PAGE) if "class Harbor" in block
]
NAMES = {"__name__": "forces"}
exec(PROGRAM, NAMES)


def ripples():
    """Return an image of water in many shades."""
    shades = np.random.default_rng(3).integers(-12, 13, (512, 512, 3))
    image = np.full((512, 512, 4), 255, np.uint8)
    image[..., :3] = 240 + shades
    return image


class Explosion(NAMES["Harbor"]):
    def __init__(self, **options):
        super().__init__(**({"size": SIZE} | options))

    def setup(self):
        super().setup()
        self.water.base_texture = ripples()
        self.orbit.distance = 9
        for tick in range(TICKS):
            self.physics.advance(1 / 60)
            self.push_up()
            if tick == TICKS - AFTER:
                self.explode((0.5, -1, 0.5), strength=6000, radius=4)
        self.crates.teleport(slice(None))


if __name__ == "__main__":
    fw.run(Explosion)
