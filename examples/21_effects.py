"""Effects: a gallery of lanterns over water, with one effect after another.

Left and right change the picture. Space turns the effect off and on, up and down change its
strength. Transitions fade, wipe or close like an iris. Without a player, the gallery continues by
itself.
"""

import math
from contextlib import suppress

import numpy as np

import framework as fw

STAY = 4.0  # seconds per picture, without a player
PICO = ["#000000", "#1d2b53", "#7e2553", "#008751", "#ab5236", "#5f574f", "#c2c3c7", "#fff1e8"]
PICO += ["#ff004d", "#ffa300", "#ffec27", "#00e436", "#29adff", "#83769c", "#ff77a8", "#ffccaa"]
NEGATIVE = """
uniform float strength = 1.0;

vec4 effect(vec2 place) {
    float ring = smoothstep(0.35, 0.3, length((place - 0.5) * units / units.y));
    vec3 seen = picture(place).rgb;
    return vec4(mix(seen, 1.0 - seen, ring * strength), 1.0);
}
"""


FROST = """
uniform sampler2D ice;
uniform float strength = 0.03;

vec4 effect(vec2 place) {
    float edge = smoothstep(0.2, 0.7, length(place - 0.5));
    vec3 grain = texture(ice, place * units / 160.0).rgb;
    vec3 seen = picture(place + strength * edge * (grain.rg - 0.5)).rgb;
    return vec4(mix(seen, vec3(0.75, 0.88, 1.0), edge * grain.b * 0.6), 1.0);
}
"""


def frozen():
    """Return an image of ice flowers: crossing waves that tile seamlessly."""
    y, x = np.mgrid[0:64, 0:64] * math.tau / 64
    waves = [np.sin(a * x + b * y + a * np.sin(b * x)) for a, b in ((1, 2), (2, -1), (3, 1))]
    return (np.stack(waves, axis=-1) * 127 + 128).astype(np.uint8)


def warm():
    """Return a color table: shadows to blue, lights to orange."""
    level = np.linspace(0, 1, 16)
    green, blue, red = np.meshgrid(
        level, level, level, indexing="ij"
    )  # down, in slices, to the right
    grey = 0.3 * red + 0.6 * green + 0.1 * blue
    table = np.stack(
        [red * 0.7 + 0.42 * grey, green * 0.9, blue * 0.6 + 0.25 * (1 - grey)], axis=-1
    )
    return (table.reshape(16, 256, 3).clip(0, 1) * 255).astype(np.uint8)


# Each effect: its name, a function that makes it, the value that up and down change, and the step.
GALLERY = [
    ("As it is drawn", list, "", 0),
    ("Bloom", lambda: [fw.Bloom(1.0, threshold=0.25)], "strength", 0.2),
    ("Blur", lambda: [fw.Blur(10)], "radius", 2),
    ("Vignette", lambda: [fw.Vignette(0.9, radius=0.3)], "strength", 0.1),
    ("Outline", lambda: [fw.Outline(1.5, threshold=0.15, tint="white")], "strength", 0.1),
    ("Chromatic aberration", lambda: [fw.ChromaticAberration(6)], "offset", 1),
    (
        "A palette, dithered",
        lambda: [fw.PaletteEffect(PICO, dither=0.6, dither_cell=3), fw.Pixelate(3)],
        "dither",
        0.1,
    ),
    ("A table of colours", lambda: [fw.LUT(warm())], "strength", 0.1),
    ("Pixels", lambda: [fw.Pixelate(8)], "cell", 1),
    ("Heat haze", lambda: [fw.HeatHaze(4)], "strength", 0.5),
    ("Afterimage", lambda: [fw.Afterimage(0.985)], "strength", 0.005),
    (
        "Bloom and a tube",
        lambda: [fw.Bloom(0.7), fw.CRT(0.4, scanlines=0.5, lines=180)],
        "strength",
        0.1,
    ),
    ("A shader of its own", lambda: [fw.Effect(NEGATIVE)], "strength", 0.1),
    ("One that reads an image", lambda: [fw.Effect(FROST, ice=frozen())], "strength", 0.01),
]


def disc(side, soft):
    """Return a white disc with a soft edge, whose width is in pixels."""
    y, x = np.mgrid[0:side, 0:side] - (side - 1) / 2
    picture = np.full((side, side, 4), 255, np.uint8)
    picture[..., 3] = 255 * np.clip((side / 2 - np.hypot(x, y)) / soft, 0, 1)
    return picture


class Show(fw.Scene):
    """A picture of the gallery."""

    opaque = True

    def __init__(self, number):
        super().__init__()
        self.number = number
        self.shown = 0.0

    def setup(self):
        self.name, make, self.value, self.by = GALLERY[self.number]
        count, size = 36, np.array(self.size)
        self.water = self.add(
            fw.SpriteBatch(np.full((4, 4, 4), 255, np.uint8), count=24, smooth_edges=False)
        )
        rows = np.arange(24)
        self.water.position[:] = np.stack([np.full(24, size[0] / 2), rows * 9.0], axis=1)
        self.water.scale[:] = size[0] / 4, 2.5
        self.water.color[:] = np.stack(
            [0.02 + rows * 0.006, 0.05 + rows * 0.009, 0.16 + rows * 0.012, rows * 0 + 1], 1
        )
        self.lanterns = self.add(fw.SpriteBatch([disc(28, 2), disc(90, 45)], count=2 * count))
        self.places = self.random.uniform((0, 230), size - (0, 30), (count, 2))
        self.phases = self.random.uniform(0, math.tau, count)
        hues = np.array([(1, 0.75, 0.3), (1, 0.45, 0.25), (1, 0.9, 0.6), (0.5, 0.8, 1)])
        hues = hues[self.random.integers(0, 4, count)]
        self.lanterns.image[count:] = 1
        self.lanterns.color[:count, :3] = self.lanterns.color[count:, :3] = hues
        self.lanterns.color[count:, 3] = 0.25
        self.effects = make()
        self.label = self.labels.add(f"{self.number + 1} / {len(GALLERY)}  {self.name}", (20, 20))
        self.move()
        self.lanterns.teleport(slice(None))

    def move(self):
        """Let the lanterns rise and fall in the wind."""
        time = self.shown + self.phases
        sway = np.stack([np.sin(time * 0.9) * 26, np.sin(time * 1.7) * 12], axis=1)
        self.lanterns.position[:] = np.concatenate([self.places + sway] * 2)

    def update(self, dt):
        self.shown += dt
        self.move()
        game = self.game
        step = self.keys.presses("right") - self.keys.presses("left")
        if step or (game.alone and self.shown >= STAY):
            game.alone = game.alone and not step
            game.turn(self.number + (step or 1))
        for effect in self.effects:
            if self.keys.just_pressed("space"):
                effect.enabled = not effect.enabled
        stronger = self.keys.presses("up") - self.keys.presses("down")
        if stronger and self.effects:
            first = self.effects[0]
            with suppress(ValueError):  # stop at the limit of the value
                setattr(first, self.value, getattr(first, self.value) + stronger * self.by)


class Effects(fw.Game):
    def setup(self):
        self.alone = True
        self.push(Show(0))

    def turn(self, number):
        """Change to another picture."""
        wipe, dark = fw.Wipe(0.7, angle=0.4, ease="in_out_sine"), fw.Fade(0.8, color="black")
        transition = (fw.Fade(0.5), wipe, fw.Iris(0.9), dark)[number % 4]
        self.show(Show(number % len(GALLERY)), transition=transition)


if __name__ == "__main__":
    looks = {"title": "An effects gallery", "background": (0.03, 0.04, 0.1)}
    fw.run(Effects, size=(960, 540), resolution=(960, 540), exact=True, **looks)
