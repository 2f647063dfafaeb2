"""Rhythm: a drum machine that shows its own sound, and a game on its beat.

Click on steps, or move with the arrow keys and press space. "+" and "-" (or the mouse wheel) set
the tempo. R makes a random rhythm, C clears it. P starts the game: you are the drummer of the
chosen row, and press space on each of its steps. K measures the delay of your sound device.

Below, the waves of the sound move from right to left: each line is a tick, and each bright line is
a step. Each note starts exactly at its time, even between two ticks. `framework run rhythm SONG.ogg
128` plays the drums to a song with 128 beats per minute.
"""

import sys

import numpy as np

import framework as fw

STEPS = 16
RATE = 48_000  # samples per second
ZOOM = 480  # pixels per second of sound
CORNER = (196, 214)  # pixels: center of the first step in the lowest row
GRID = 44  # pixels between two steps
REACH = 0.1  # seconds by which a tap may be early or late
STRIP = 92  # pixels: y of the waves
NOW = 900  # pixels: x at which the waves start
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
    width = int(seconds * ZOOM)
    height = 64
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
    not_state = ("playing", "status", "worst")  # only `draw` uses these values from the sound

    def setup(self):
        self.background = (0.06, 0.06, 0.13)
        made = instruments()
        self.sounds = [sound for sound, _ in made.values()]
        waves = [wave for _, wave in made.values()]
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
        self.bobs.image = np.arange(count)
        self.hop = np.ones(count)
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
        self.status = self.labels.add("", (480, 26), anchor=("center", "center"))
        self.bpm = 112.5  # beats per minute
        self.step = -1
        self.first = 0  # the step at beat 0
        self.cursor = [0, 0]
        self.row = -1  # the row that the player plays; -1: none
        self.waiting = []
        self.hits = 0
        self.errors = []
        self.judged = 0
        self.worst = 0
        self.playing = []
        self.song = sys.argv[1:] if sys.argv[-1].replace(".", "").isdigit() else []
        self.tempo(0)
        self.paint()

    def tempo(self, faster):
        """Change the tempo from the next step on."""
        music = self.audio.music
        wait = 0.0
        if music.clock is not None:
            coming = np.ceil(4 * music.beat - 1e-9)
            wait = max(0.0, music.clock.time_of(coming / 4) - self.audio.time)
            self.first += int(coming)
            self.step = self.first - 1
            self.waiting = []
        self.bpm = min(max(self.bpm + faster, 60), 225)
        if self.tick:
            music.start_clock(self.bpm, first_beat=wait)
        self.show_title()

    def show_title(self):
        if self.row < 0:
            self.title.text = f"{self.bpm:g} beats a minute.   P: play along"
        else:
            late = 1000 * np.mean(self.errors) if self.errors else 0
            self.title.text = (
                f"Press space: {self.hits} of {self.judged} steps, {abs(late):.0f} ms "
                f"{'late' if late >= 0 else 'early'} on average"
            )

    # -- sounds and drawing ------------------------------------------------------------------------

    def update(self, dt):
        music = self.audio.music
        if music.clock is None:
            if self.song:
                self.bpm = float(self.song[1])
                music.play(self.song[0], bpm=self.bpm)
            else:
                music.start_clock(self.bpm)
            self.show_title()
        self.glow *= 0.88
        self.hop = np.minimum(self.hop + 3.2 * dt, 1)
        self.run_on(dt)
        for beat in music.every(beats=0.25):
            self.step = self.first + round(4 * beat.beat)
            self.begin(beat.time)
        if self.row >= 0:
            self.expect(dt)
            self.judge()
        self.paint()

    def begin(self, time):
        """Start the sounds of a step at an exact time, before the next tick."""
        for number in np.flatnonzero(self.steps[:, self.step % STEPS]).tolist():
            if number != self.row:  # the player plays this row
                self.play(number, time)

    def play(self, number, time):
        voice = self.sounds[number].play(pan=0.3 * (number - 2) / 2, at=time)
        self.playing.append((voice, time))
        self.glow[number, self.step % STEPS] = 1
        self.hop[number] = 0
        self.waves.add(
            number,
            position=(NOW + ZOOM * (time - self.audio.time), STRIP),
            scale=(1, 1.5),
            color=(*HUES[number], 0.85),
        )

    # -- the game ----------------------------------------------------------------------------------

    def expect(self, dt):
        """Store the next steps of the player's row in time, so that a tap may also be too early."""
        begin = self.audio.time + REACH
        for beat in self.audio.music.clock.between(begin, begin + dt, 0.25):
            if self.steps[self.row, (self.first + round(4 * beat.beat)) % STEPS]:
                self.waiting.append(beat.time)

    def hit(self):
        """Compare the time of the tap with the nearest step, as the player hears it."""
        self.play(self.row, self.audio.time)
        heard = self.audio.time - self.audio.delay
        nearest = min(self.waiting, key=lambda time: abs(time - heard), default=None)
        if nearest is not None and abs(nearest - heard) < REACH:
            self.waiting.remove(nearest)
            self.hits += 1
            self.judged += 1
            self.errors = [*self.errors[-15:], heard - nearest]
            self.show_title()

    def judge(self):
        """Count the steps that the player has missed."""
        heard = self.audio.time - self.audio.delay
        missed = [time for time in self.waiting if time < heard - REACH]
        if missed:
            self.judged += len(missed)
            self.waiting = self.waiting[len(missed) :]
            self.show_title()

    def draw(self, alpha):
        """Show how far, in samples, the mixer is from the exact times of the sounds."""
        self.playing = [(voice, time) for voice, time in self.playing if voice.playing]
        for voice, time in self.playing:
            if voice.seconds:  # the sound has started
                passed = round((voice.seconds - self.audio.time + time) * RATE)
                # The mixer may be some ticks ahead.
                self.worst = max(self.worst, abs((passed + 400) % 800 - 400))
        self.status.text = f"sounds are heard at their times: {self.worst} samples off"

    def run_on(self, dt):
        """Move the strip to the left by whole ticks, so that lines stay at the starts of waves."""
        self.waves.position[:, 0] -= ZOOM * dt
        for wave in [wave for wave in self.waves if wave.x < -220]:
            wave.remove()

    def paint(self):
        bright = 0.16 + 0.5 * self.steps + 0.6 * self.glow
        if self.step >= 0:
            bright[:, self.step % STEPS] += 0.14
        if self.row >= 0:
            bright[self.row] += 0.2
        bright[:, ::4] += 0.05
        self.tiles.color[:, :3] = np.clip(bright.reshape(-1, 1) * HUES.repeat(STEPS, axis=0), 0, 1)
        self.tiles.scale[:] = (1 + 0.14 * self.glow.reshape(-1, 1)) * (1, 1)
        self.choice.position = CORNER[0] + GRID * self.cursor[1], int(self.floor[self.cursor[0]])
        self.bobs.position[:, 0] = 146
        self.bobs.position[:, 1] = self.floor + 56 * self.hop * (1 - self.hop)
        ticks = np.arange(len(self.lines))
        self.lines.position[:, 0] = NOW - ZOOM / 60 * ticks
        self.lines.position[:, 1] = STRIP
        beats = self.audio.music.beat_at(self.audio.time) - ticks * self.bpm / 3600
        beat = (4 * beats + 1e-6) % 1 < self.bpm / 900
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
        self.tempo(2 if scroll_y > 0 else -2)

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
        elif symbol == fw.key.SPACE and self.row >= 0:
            self.hit()
        elif symbol == fw.key.SPACE:
            self.toggle(*self.cursor)
        elif symbol in (fw.key.PLUS, fw.key.EQUAL, fw.key.NUM_ADD):
            self.tempo(2)
        elif symbol in (fw.key.MINUS, fw.key.NUM_SUBTRACT):
            self.tempo(-2)
        elif symbol == fw.key.P:
            self.row = -1 if self.row >= 0 else self.cursor[0]
            self.waiting = []
            self.hits = 0
            self.errors = []
            self.judged = 0
            self.show_title()
        elif symbol == fw.key.K:
            self.push(fw.scenes.Calibration())
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
