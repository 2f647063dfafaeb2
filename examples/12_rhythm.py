"""Rhythm: a drum machine that shows its own sound. Each note starts exactly on its tick.

Click on steps, or move with the arrow keys and press space. "+" and "-" (or the mouse wheel) set
the tempo. R makes a random rhythm, C clears it. Below, the waves run from right to left: a line is
a tick, and a bright line is a step.
"""

import numpy as np

import framework as fw

STEPS = 16
RATE = 48_000  # samples per second
ZOOM = 480  # pixels per second of sound
CORNER, GRID = (
    (196, 214),
    44,
)  # pixels: center of the first step in the lowest row; distance between steps
STRIP, NOW = 92, 900  # pixels: y of the waves, and x at which they start
HUES = np.array(
    [(1.0, 0.42, 0.4), (1.0, 0.7, 0.3), (0.75, 0.9, 0.4), (0.35, 0.85, 0.9), (0.72, 0.55, 1.0)]
)
FIRST = [
    "x...x...x...x...",
    "....x.......x..x",
    "x.x.x.x.x.xxx.x.",
    "..x.....x..x....",
    "x.....x...x.....",
]


def made(seconds, function):
    """Return a sound from samples, and an image of its wave."""
    t = np.arange(int(seconds * RATE)) / RATE
    samples = function(t) * np.minimum(1, (seconds - t) / 0.02)
    width, height = int(seconds * ZOOM), 64
    loud = np.abs(samples[: width * (RATE // ZOOM)]).reshape(width, -1).max(axis=1)
    rows = np.abs(np.arange(height) - (height - 1) / 2)[:, None]
    picture = np.full((height, width, 4), 255, np.uint8)
    picture[..., 3] = 255 * np.clip(loud * height / 2 - rows + 0.5, 0, 1)
    return fw.Sound.of(samples), picture


def instruments():
    noise = np.random.default_rng(7).uniform(-1, 1, RATE)

    def bell(frequency):
        return lambda t: (
            0.3
            * np.exp(-7 * t)
            * (np.sin(2 * np.pi * frequency * t) + 0.4 * np.sin(5.4 * np.pi * frequency * t))
        )

    return {
        "kick": made(
            0.3,
            lambda t: (
                0.95 * np.exp(-11 * t) * np.sin(2 * np.pi * (45 * t + 6 * (1 - np.exp(-25 * t))))
            ),
        ),
        "snare": made(
            0.2,
            lambda t: (
                np.exp(-18 * t) * (0.55 * noise[: len(t)] + 0.3 * np.sin(2 * np.pi * 190 * t))
            ),
        ),
        "hat": made(0.07, lambda t: 0.4 * np.exp(-60 * t) * np.diff(noise[: len(t) + 1])),
        "bell": made(0.45, bell(784.0)),
        "low bell": made(0.45, bell(392.0)),
    }


def pad():
    """Return a white square with round corners."""
    y, x = np.mgrid[0:38, 0:38] - 18.5
    off = np.hypot(np.maximum(np.abs(x) - 11, 0), np.maximum(np.abs(y) - 11, 0)) - 7
    picture = np.full((38, 38, 4), 255, np.uint8)
    picture[..., 3] = 255 * np.clip(0.5 - off, 0, 1)
    return picture


class Rhythm(fw.Game):
    not_state = ("playing", "told", "worst")  # only `draw` uses these values of the sound

    def setup(self):
        self.background = (0.06, 0.06, 0.13)
        made = instruments()
        self.sounds, waves = (
            [sound for sound, _ in made.values()],
            [wave for _, wave in made.values()],
        )
        count = len(made)
        self.steps = np.array([[mark == "x" for mark in line] for line in FIRST])
        self.glow = np.zeros((count, STEPS))
        self.tiles = self.add(fw.SpriteBatch(pad(), self.steps.size))
        row, column = np.divmod(np.arange(self.steps.size), STEPS)
        self.tiles.position = np.stack(
            [CORNER[0] + GRID * column, CORNER[1] + GRID * (count - 1 - row)], axis=1
        )
        self.choice = self.sprites.add(pad(), scale=1.16, color=(1, 1, 1, 0.35))
        self.bobs = self.add(fw.SpriteBatch(fw.sheet("art/puffs.png", (32, 32), columns=6), count))
        self.bobs.image, self.hop = np.arange(count), np.ones(count)
        self.floor = CORNER[1] + GRID * (count - 1 - np.arange(count))
        small = self.add(fw.TextBatch(font_size=13))
        for name, y, hue in zip(made, self.floor, HUES, strict=True):
            small.add(name, (118, int(y)), anchor=("right", "center"), color=tuple(hue))
        white = np.full((4, 4, 4), 255, np.uint8)
        self.lines = self.add(fw.SpriteBatch(white, 128, anchor=(2, 2)))
        self.waves = self.add(fw.SpriteBatch(waves, anchor=(0, 32)))
        self.add(fw.SpriteBatch(white)).add(
            position=(NOW + 100, STRIP), scale=(50, 30), color=self.background
        )
        self.head = self.sprites.add(white, position=(NOW, STRIP), scale=(0.5, 26))
        self.title = self.labels.add("", (480, 480), anchor=("center", "center"))
        self.told = self.labels.add("", (480, 26), anchor=("center", "center"))
        self.length, self.step, self.left = (
            8,
            -1,
            0,
        )  # ticks per step; the current step; its remaining ticks
        self.cursor = [0, 0]
        self.worst, self.playing = 0, []
        self.tempo(0)
        self.paint()

    def tempo(self, faster):
        self.length = min(max(self.length - faster, 4), 15)
        self.title.text = (
            f"{60 * 60 / (4 * self.length):.0f} beats a minute: a step is {self.length} ticks"
        )

    # -- sounds and drawing ------------------------------------------------------------------------

    def update(self, dt):
        self.glow *= 0.88
        self.hop = np.minimum(self.hop + 3.2 * dt, 1)
        self.run_on(dt)
        if self.left == 0:
            self.step, self.left = (self.step + 1) % STEPS, self.length
            self.begin()
        self.left -= 1
        self.paint()

    def begin(self):
        """Start a step. Its sounds start in this tick."""
        for number in np.flatnonzero(self.steps[:, self.step]).tolist():
            voice = self.sounds[number].play(pan=0.3 * (number - 2) / 2)
            self.playing.append((voice, self.tick))
            self.glow[number, self.step], self.hop[number] = 1, 0
            self.waves.add(
                number, position=(NOW, STRIP), scale=(1, 1.5), color=(*HUES[number], 0.85)
            )

    def draw(self, alpha):
        """How far, in samples, the mixer is from where the ticks say that it should be in each
        sound.
        """
        self.playing = [(voice, tick) for voice, tick in self.playing if voice.playing]
        for voice, tick in self.playing:
            passed = round(voice.seconds * RATE) - (self.tick - tick) * RATE // 60
            self.worst = max(
                self.worst, abs((passed + 400) % 800 - 400)
            )  # the mixer may be some ticks ahead
        self.told.text = f"sounds are heard at their ticks: {self.worst} samples off"

    def run_on(self, dt):
        """Move the strip to the left by whole ticks, so that lines stay at the starts of waves."""
        self.waves.position[:, 0] -= ZOOM * dt
        for wave in [wave for wave in self.waves if wave.x < -220]:
            wave.remove()

    def paint(self):
        bright = 0.16 + 0.5 * self.steps + 0.6 * self.glow
        if self.step >= 0:
            bright[:, self.step] += 0.14
        bright[:, ::4] += 0.05
        self.tiles.color[:, :3] = np.clip(bright.reshape(-1, 1) * HUES.repeat(STEPS, axis=0), 0, 1)
        self.tiles.scale[:] = (1 + 0.14 * self.glow.reshape(-1, 1)) * (1, 1)
        self.choice.position = CORNER[0] + GRID * self.cursor[1], int(self.floor[self.cursor[0]])
        self.bobs.position[:, 0] = 146
        self.bobs.position[:, 1] = self.floor + 56 * self.hop * (1 - self.hop)
        ticks = np.arange(len(self.lines))
        self.lines.position[:, 0] = NOW - ZOOM / 60 * ticks
        self.lines.position[:, 1] = STRIP
        beat = (self.length - self.left - 1 - ticks) % self.length == 0
        self.lines.scale[:] = np.where(beat[:, None], (0.5, 25), (0.25, 19))
        self.lines.color[:] = np.where(beat[:, None], (0.5, 0.52, 0.75, 0.8), (0.3, 0.32, 0.5, 0.5))

    # -- what the player does ----------------------------------------------------------------------

    def toggle(self, row, column):
        if 0 <= row < len(self.steps) and 0 <= column < STEPS:
            self.cursor = [row, column]
            self.steps[row, column] = not self.steps[row, column]

    def on_mouse_press(self, x, y, button, modifiers):
        self.toggle(round((self.floor[0] - y) / GRID), round((x - CORNER[0]) / GRID))

    def on_mouse_scroll(self, x, y, scroll_x, scroll_y):
        self.tempo(1 if scroll_y > 0 else -1)

    def on_key_press(self, symbol, modifiers):
        moves = {
            fw.key.UP: (-1, 0),
            fw.key.DOWN: (1, 0),
            fw.key.LEFT: (0, -1),
            fw.key.RIGHT: (0, 1),
        }
        if symbol in moves:
            down, right = moves[symbol]
            self.cursor = [
                (self.cursor[0] + down) % len(self.steps),
                (self.cursor[1] + right) % STEPS,
            ]
        elif symbol == fw.key.SPACE:
            self.toggle(*self.cursor)
        elif symbol in (fw.key.PLUS, fw.key.EQUAL, fw.key.NUM_ADD):
            self.tempo(1)
        elif symbol in (fw.key.MINUS, fw.key.NUM_SUBTRACT):
            self.tempo(-1)
        elif symbol == fw.key.R:
            self.steps[:] = self.random.uniform(size=self.steps.shape) < [
                [0.3],
                [0.2],
                [0.5],
                [0.2],
                [0.2],
            ]
        elif symbol == fw.key.C:
            self.steps[:] = False


if __name__ == "__main__":
    fw.run(Rhythm, size=(960, 540), resolution=(960, 540))
