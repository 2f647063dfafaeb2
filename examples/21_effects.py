"""Effects: an island before and after each effect, with a slider between the two images.

The mouse, or A and D, move the slider. Left and right change the effect, up and down change its
strength, and Space turns it off and on. Transitions between the effects fade, wipe, or close like
an iris. Without a player, the slider moves and the gallery continues by itself.
"""

import math
from contextlib import suppress

import numpy as np

import framework as fw

STAY = 5.0  # seconds per effect, without a player
N = 64  # the island has N x N cells
CELL = 48  # units
VILLAGE = 1900, 1360  # the middle of the camera's way
LEVELS = (-0.45, -0.06, 0.0, 0.12, 0.5, 1.1, 1.7)  # heights, and the ground color at each
COLORS = np.array([(59, 143, 181), (120, 205, 204), (246, 224, 168), (214, 219, 136),
                   (139, 201, 110), (86, 165, 106), (168, 150, 184)]) / 255  # fmt: skip
# Each kind of object: its image, the probability per cell, and the lowest and highest ground.
KINDS = [(5, 0.06, 0.15, 0.6), (6, 0.06, 0.15, 0.6), (0, 0.8, 0.9, 1.6), (1, 0.28, 0.3, 1.0),
         (2, 0.16, 0.25, 0.9), (3, 0.3, 1.45, 9), (4, 0.2, 0.1, 0.7), (7, 0.1, 0.2, 0.7)]  # fmt: skip
HOUSES = (5, 6)
SHEEP = 7
# The palette "Sweetie 16" of GrafxKid.
SWEETIE = ["#1a1c2c", "#5d275d", "#b13e53", "#ef7d57", "#ffcd75", "#a7f070", "#38b764", "#257179"]
SWEETIE += ["#29366f", "#3b5dc9", "#41a6f6", "#73eff7", "#f4f4f4", "#94b0c2", "#566c86", "#333c57"]
COMPARE = """
uniform sampler2D before;
uniform float split = 0.5;

vec4 effect(vec2 place) {
    return vec4(place.x < split ? texture(before, place).rgb : picture(place).rgb, 1.0);
}
"""
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
    # Green goes down, blue by slices, and red to the right.
    green, blue, red = np.meshgrid(level, level, level, indexing="ij")
    grey = 0.3 * red + 0.6 * green + 0.1 * blue
    table = np.stack([red * 0.6 + 0.5 * grey, green * 0.8, blue * 0.6 + 0.25 * (1 - grey)], axis=-1)
    return (table.reshape(16, 256, 3).clip(0, 1) * 255).astype(np.uint8)


# Each effect: its name, a function that makes it, the value that up and down change, and the step.
GALLERY = [
    ("Bloom", lambda: [fw.Bloom(0.8, threshold=0.6)], "strength", 0.2),
    ("Blur", lambda: [fw.Blur(8)], "radius", 2),
    ("Vignette", lambda: [fw.Vignette(0.9, radius=0.3)], "strength", 0.1),
    ("Outline", lambda: [fw.Outline(1, threshold=0.3, tint="#2b1d3a")], "strength", 0.1),
    ("Chromatic aberration", lambda: [fw.ChromaticAberration(8)], "offset", 1),
    ("Palette", lambda: [fw.PaletteEffect(SWEETIE, dither=0.6, dither_cell=3), fw.Pixelate(3)],
     "dither", 0.1),
    ("Color table", lambda: [fw.LUT(warm())], "strength", 0.1),
    ("Pixelate", lambda: [fw.Pixelate(10)], "cell", 1),
    ("Heat haze", lambda: [fw.HeatHaze(3)], "strength", 0.5),
    ("Afterimage", lambda: [fw.Afterimage(0.985)], "strength", 0.005),
    ("Old television", lambda: [fw.Bloom(0.4, threshold=0.6), fw.CRT(0.4, scanlines=0.5, lines=180)],
     "strength", 0.1),
    ("Your own shader", lambda: [fw.Effect(NEGATIVE)], "strength", 0.1),
    ("A shader with an image", lambda: [fw.Effect(FROST, ice=frozen())], "strength", 0.01),
]  # fmt: skip


class Show(fw.Scene):
    """A scene that shows one effect of the gallery. The island below continues to move."""

    pauses_below = False

    def __init__(self, number):
        super().__init__()
        self.number = number
        self.shown = 0.0

    def setup(self):
        name, make, self.value, self.step = GALLERY[self.number]
        self.changed = make()
        self.effects = [*self.changed, self.game.compare]
        middle = self.height / 2
        self.handle = self.add(fw.Shapes(), camera=self.hud)
        self.bar = self.handle.add_box((0, middle), (3, self.height), color="white")
        self.rim = self.handle.add_circle((0, middle), 24, color="white")
        self.knob = self.handle.add_circle((0, middle), 21, color="#2b1d3a")
        arrows = self.add(
            fw.SpriteBatch([fw.art.icons.left, fw.art.icons.right], 2), camera=self.hud
        )
        self.arrows = arrows
        arrows.image[:] = 0, 1
        self.handle.add_box((self.width / 2, 32), (self.width, 64), color="#2b1d3ac0")
        text = self.text = self.add(fw.TextBatch(fw.art.fonts.title, 20), camera=self.hud, layer=1)
        text.add(f"[b]{name}[/]", (24, 20), font_size=32, color="#ffd88a")
        self.amount = text.add("", (self.width - 24, 24), anchor=("right", "bottom"))
        look = {"shadow": "#2b1d3a", "font_size": 22}
        self.sides = [text.add("[b]before[/]", anchor=("right", "top"), **look),
                      text.add("[b]after[/]", anchor=("left", "top"), **look)]  # fmt: skip
        self.move_handle()

    def move_handle(self):
        x = self.game.compare.split * self.width
        top = self.height
        self.bar.x = self.rim.x = self.knob.x = x
        self.arrows.position[:] = (x - 9, top / 2), (x + 9, top / 2)
        self.sides[0].position = (x - 14, top - 12)
        self.sides[1].position = (x + 14, top - 12)

    def update(self, dt):
        self.shown += dt
        game = self.game
        step = self.keys.presses("right") - self.keys.presses("left")
        if step or (game.alone and self.shown >= STAY):
            game.alone = game.alone and not step
            game.turn(self.number + (step or 1))
        for effect in self.changed:
            if self.keys.just_pressed("space"):
                effect.enabled = not effect.enabled
        first = self.changed[0]
        stronger = self.keys.presses("up") - self.keys.presses("down")
        if stronger:
            with suppress(ValueError):  # stop when the value reaches its limit
                value = getattr(first, self.value) + stronger * self.step
                setattr(first, self.value, round(value, 4))
        amount = f"{self.value} {getattr(first, self.value):.3g}" if first.enabled else "off"
        self.amount.text = f"{amount}     {self.number + 1} / {len(GALLERY)}"
        self.move_handle()


class Effects(fw.Game):
    def setup(self):
        self.alone = True
        self.make_island()
        texture = fw.RenderTexture((960, 540), depth=False)  # the island without effects
        self.second = fw.Camera2D(self.size)
        self.views.add(self.second, texture=texture, background=self.background)
        self.compare = fw.Effect(COMPARE, before=texture)
        self.steer(0)
        self.push(Show(0))

    def make_island(self):
        often = fw.exact.hypot(np.fft.fftfreq(N)[:, None], np.fft.rfftfreq(N))
        noise = np.fft.rfft2(self.random.normal(size=(N, N)))
        ground = np.fft.irfft2(noise / fw.exact.power(often + 5 / N, 3), (N, N))
        rim = fw.exact.power(np.abs(np.linspace(-1, 1, N)), 6)
        # Rounded, because the last digits of the Fourier transform depend on the machine.
        heights = 0.65 * ground / ground.std() + 0.5 - 3 * np.maximum(rim, rim[:, None])
        heights = np.round(heights, 5).ravel()
        cells = np.stack(np.indices((N, N))[::-1], axis=-1).reshape(-1, 2)  # (x, y) of each
        positions = (cells + self.random.uniform(0.2, 0.8, cells.shape)) * CELL

        dabs = self.add(fw.SpriteBatch("art/dab.png"))
        low_first = np.argsort(heights, kind="stable")
        low_first = low_first[heights[low_first] > LEVELS[0]]
        dabs.extend(len(low_first), position=positions[low_first], scale=1.35)
        colors = [np.interp(heights[low_first], LEVELS, channel) for channel in COLORS.T]
        dabs.color[:, :3] = np.stack(colors, axis=-1)
        sea = (heights < -0.2) & (self.random.uniform(size=N * N) < 0.3)
        self.waves = self.add(fw.SpriteBatch("art/wave.png"))
        self.waves.extend(sea.sum(), position=positions[sea], color=(1, 1, 1, 0.4))
        self.still = self.waves.position.copy()

        images = fw.sheet("art/standing.png", (56, 72), columns=4, rows=3, anchor=(28, 6))
        self.things = self.add(fw.SpriteBatch(images, y_sort=True))
        smoke = self.add(fw.Particles.smoke(unit=0.8, velocity=(14, 0)))
        free = np.ones(N * N, bool)
        for kind, chance, low, high in KINDS:
            chosen = self.random.uniform(size=N * N) < chance
            here = free & (heights > low) & (heights < high) & chosen
            free &= ~here
            rows = self.things.extend(here.sum(), kind, position=positions[here])
            for x, y in positions[here] if kind in HOUSES else ():
                smoke.emitter((x + 10, y + 62), rate=6, prewarm=3)
        self.sheep = rows
        self.sheep_home = positions[here]

    def steer(self, time):
        """Move the camera in a circle over the village."""
        sine, cosine = fw.exact.sincos(0.1 * time + 3)
        self.camera.position = VILLAGE[0] + 240 * cosine, VILLAGE[1] + 160 * sine
        self.second.position = self.camera.position

    def turn(self, number):
        """Change to another effect."""
        wipe = fw.Wipe(0.7, angle=0.4, ease="in_out_sine")
        dark = fw.Fade(0.8, color="black")
        transition = (fw.Fade(0.5), wipe, fw.Iris(0.9), dark)[number % 4]
        self.show(Show(number % len(GALLERY)), transition=transition)

    def update(self, dt):
        time = self.tick * dt
        self.steer(time)
        self.waves.position[:, 1] = self.still[:, 1] + 3 * fw.exact.sin(time + self.still[:, 0])
        hop = 0.4 * time + np.arange(len(self.sheep_home))
        self.things.position[self.sheep, 0] = self.sheep_home[:, 0] + 20 * fw.exact.sin(hop)
        self.things.flip[self.sheep, 0] = fw.exact.cos(hop) < 0
        split = self.compare.split
        slide = self.keys.axis("a", "d")
        if self.mouse.dx or slide:
            self.alone = False
        if self.mouse.dx:
            split = self.mouse.x / self.width
        elif self.alone:
            split = 0.5 + 0.3 * float(fw.exact.sin(0.9 * time))
        self.compare.split = float(np.clip(split + 0.6 * slide * dt, 0.02, 0.98))


if __name__ == "__main__":
    looks = {"title": "An effects gallery", "background": (0.2, 0.5, 0.66)}
    fw.run(Effects, size=(960, 540), resolution=(960, 540), exact=True, **looks)
