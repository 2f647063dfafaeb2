"""Rooms: music and bells go through the effects of a bus, and you see the spectrum of the sound.

Press 1 to 5 (or the arrow keys) to walk into another room: the filters and the reverb change over
a second. Space, or a click, rings a bell, and the music becomes quieter while the bell sounds.
"""

import numpy as np

import framework as fw

BARS = 48
RATE = 48_000
# name, colors of the wall and of the bars, low-pass and high-pass in hertz, echo, reverb
ROOMS = [
    ("open air", (0.16, 0.34, 0.52), (0.65, 0.9, 1.0), 18_000, 20, 0.0, 0.03),
    ("cathedral", (0.2, 0.12, 0.26), (1.0, 0.72, 0.45), 9_000, 40, 0.0, 0.75),
    ("under water", (0.02, 0.16, 0.2), (0.3, 0.95, 0.8), 500, 20, 0.0, 0.35),
    ("canyon", (0.34, 0.17, 0.09), (1.0, 0.85, 0.5), 12_000, 60, 0.6, 0.12),
    ("old radio", (0.14, 0.12, 0.1), (0.95, 0.8, 0.6), 2_600, 700, 0.0, 0.0),
]
CHORDS = [(220, 262, 330, 392), (175, 220, 262, 349), (196, 247, 294, 392), (165, 208, 247, 330)]


def tone(frequency, seconds, partials, decay):
    """Return a plucked tone of several partials."""
    t = np.arange(round(seconds * RATE)) / RATE
    fade = np.minimum(1, np.minimum(t / 0.004, (seconds - t) / 0.03))
    waves = [
        strength * np.exp(-decay * t * factor) * np.sin(2 * np.pi * frequency * factor * t)
        for factor, strength in partials
    ]
    return fade * sum(waves)


def tune():
    """Return eight seconds of chords, broken into notes."""
    samples = np.zeros((8 * RATE, 2))
    for step in range(32):
        chord = CHORDS[step // 8]
        note = chord[(0, 2, 1, 3, 2, 1, 3, 2)[step % 8]]
        plucked = tone(note, 0.9, [(1, 0.2), (2, 0.08), (3, 0.05), (5, 0.02)], 3.0)
        places = (step * RATE // 4 + np.arange(len(plucked))) % len(samples)
        pan = 0.5 + 0.3 * np.sin(step * 0.9)
        samples[places] += plucked[:, None] * (1 - pan, pan)
        if step % 8 == 0:
            bass = tone(chord[0] / 2, 1.9, [(1, 0.3), (2, 0.1)], 0.8)
            places = (step * RATE // 4 + np.arange(len(bass))) % len(samples)
            samples[places] += bass[:, None] * 0.7
    return fw.Sound.of(samples)


class Rooms(fw.Game):
    # Only `draw` uses the bars, because sound is not part of the state of a game.
    not_state = ("bars", "heights")

    def setup(self):
        buses = self.audio.buses
        world, music, bells = buses.add("world"), buses["music"], buses.add("bells")
        music.parent = bells.parent = world
        self.low = world.add_effect(fw.LowPass(18_000))
        self.high = world.add_effect(fw.HighPass(20))
        self.echo = world.add_effect(fw.Echo(0.34, feedback=0.45, wet=0))
        self.reverb = world.add_effect(fw.Reverb(3.2, damping=0.35, wet=0))
        music.add_effect(fw.Ducking(bells, 10, release=0.8))
        self.bell = fw.Sound.of(
            tone(1174, 2.5, [(1, 0.3), (2.76, 0.2), (5.4, 0.1), (0.5, 0.15)], 1.6)
        )
        tune().play(loop=True, bus="music", volume=0.8)

        self.room = 0
        self.shapes = self.add(fw.Shapes())
        self.wall = self.shapes.add_box((480, 270), (960, 540), color=ROOMS[0][1])
        self.floor = self.shapes.add_box((480, 60), (960, 120), color=(0, 0, 0, 0.35))
        self.ring = self.shapes.add_circle((480, 380), 60, color=(1, 1, 1, 0.0))
        self.heart = self.shapes.add_circle((480, 380), 34, color=ROOMS[0][2])
        self.bars = self.add(fw.Shapes())  # drawn over the other shapes
        for number in range(BARS):
            x = 480 + (number - BARS / 2 + 0.5) * 17
            self.bars.add_box((x, 120), (11, 4), color=ROOMS[0][2])
        self.heights = np.zeros(BARS)
        self.title = self.labels.add("", (480, 490), anchor=("center", "center"), font_size=28)
        self.labels.add(
            "1 to 5, arrows: walk into a room    Space, click: ring the bell",
            (480, 28),
            anchor=("center", "center"),
        )
        self.walk_into(0, 0.0)

    def walk_into(self, number, seconds=1.0):
        """Walk into a room: all effects change to its sound."""
        self.room = number % len(ROOMS)
        name, wall, light, low, high, echo, reverb = ROOMS[self.room]
        self.title.text = name
        if seconds == 0:
            self.low.frequency, self.high.frequency = low, high
            self.echo.wet, self.reverb.wet = echo, reverb
            return
        self.tween(self.low, frequency=low, duration=seconds, ease="out_cubic")
        self.tween(self.high, frequency=high, duration=seconds)
        self.tween(self.echo, wet=echo, duration=seconds)
        self.tween(self.reverb, wet=reverb, duration=seconds)
        self.tween(self.wall, color=(*wall, 1), duration=seconds)
        self.tween(self.heart, color=(*light, 1), duration=seconds)

    def ring_bell(self):
        self.bell.play(bus="bells", pitch=self.random.choice([1.0, 1.122, 1.335, 0.749]))
        self.ring.scale = 1
        self.ring.color = (1, 1, 1, 0.5)
        self.tween(self.ring, scale=5, alpha=0, duration=1.2, ease="out_quad")

    def draw(self, alpha):
        """Draw the spectrum of everything that is heard, on a scale of 60 decibels."""
        world = self.audio.buses["world"]
        decibels = 20 * np.log10(np.maximum(world.spectrum(BARS), 1e-4))
        heights = np.clip(1 + (decibels + 6) / 60, 0, 1)
        self.heights = np.maximum(heights, self.heights * 0.9)
        self.bars.size[:, 1] = 4 + 190 * self.heights
        self.bars.position[:, 1] = 122 + 95 * self.heights
        color = np.array(ROOMS[self.room][2])
        self.bars.color[:, :3] = color * (0.55 + 0.45 * self.heights[:, None])

    def on_key_press(self, symbol, modifiers):
        if fw.key._1 <= symbol < fw.key._1 + len(ROOMS):
            self.walk_into(symbol - fw.key._1)
        elif symbol in (fw.key.LEFT, fw.key.RIGHT):
            self.walk_into(self.room + (1 if symbol == fw.key.RIGHT else -1))
        elif symbol == fw.key.SPACE:
            self.ring_bell()

    def on_mouse_press(self, x, y, button, modifiers):
        self.ring_bell()


if __name__ == "__main__":
    fw.run(Rooms, size=(960, 540), resolution=(960, 540))
