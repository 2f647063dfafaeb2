"""Theremin: a function computes the sound while you play. Move the mouse: pitch and volume.

Left to right is the pitch, up is louder. Space changes the wave. Click to leave a second voice
behind, which goes on with its pitch. C clears all voices that you left.
"""

import numpy as np

import framework as fw

RATE = 48_000
LOWEST, OCTAVES = 110.0, 3.0
POINTS = 240  # of the drawn wave
WAVES = {
    "soft": lambda turns: np.sin(2 * np.pi * turns) + 0.2 * np.sin(4 * np.pi * turns),
    "reed": lambda turns: np.tanh(3 * np.sin(2 * np.pi * turns + np.sin(4 * np.pi * turns))),
    "glass": lambda turns: np.sin(2 * np.pi * turns) * (0.6 + 0.4 * np.cos(8 * np.pi * turns)) ** 2,
}


class Tone:
    """A voice whose pitch and volume the game changes while its function computes samples."""

    not_state = True

    def __init__(self, name, frequency=220.0, volume=0.0):
        self.name = name
        self.frequency, self.volume = frequency, volume
        self.phase, self.reached = 0.0, (frequency, 0.0)

    def samples(self, first, count):
        """Return the next samples. Pitch and volume glide to their new values."""
        old_frequency, old_volume = self.reached
        share = np.arange(1, count + 1) / count
        frequency = old_frequency + (self.frequency - old_frequency) * share
        volume = old_volume + (self.volume - old_volume) * share
        vibrato = 1 + 0.006 * np.sin(2 * np.pi * 5.5 * (first + np.arange(count)) / RATE)
        turns = self.phase + np.cumsum(frequency * vibrato) / RATE
        self.phase, self.reached = turns[-1] % 1.0, (frequency[-1], volume[-1])
        return 0.35 * volume * WAVES[self.name](turns)


class Theremin(fw.Game):
    def setup(self):
        self.background = (0.05, 0.04, 0.1)
        self.audio.buses["effects"].add_effect(fw.Echo(0.28, feedback=0.35, wet=0.25))
        self.audio.buses["effects"].add_effect(fw.Reverb(2.0, wet=0.25))
        self.kinds = list(WAVES)
        self.kind = 0
        self.hand = Tone(self.kinds[0])
        self.left = []
        fw.SoundStream(self.hand.samples).play()
        self.shapes = self.add(fw.Shapes())
        for number in range(int(OCTAVES * 12) + 1):
            black = (number + 9) % 12 in (1, 3, 6, 8, 10)
            self.shapes.add_line(
                (120 + 20 * number, 90),
                (120 + 20 * number, 480),
                width=1,
                color=(0.5, 0.45, 0.9, 0.1 if black else 0.3),
            )
        self.dots = self.add(fw.SpriteBatch(fw.art.ball, POINTS, blend="add"))
        self.dots.color[:, :3] = np.linspace((0.3, 0.9, 1.0), (1.0, 0.35, 0.9), POINTS)
        self.dots.scale = 0.18
        self.trail = self.shapes.add_circle((480, 270), 15, color=(1, 0.9, 0.6))
        self.title = self.labels.add("", (480, 508), anchor=("center", "center"))
        self.labels.add(
            "Mouse: pitch and volume    Click: leave a voice    Space: wave    C: clear",
            (480, 36),
            anchor=("center", "center"),
        )
        self.point = (480.0, 270.0)
        self.time = 0.0

    def update(self, dt):
        self.time += dt
        if self.mouse.position != (0, 0):
            self.point = self.mouse.position
        x, y = self.point
        pitch = np.clip((x - 120) / 720, 0, 1)
        loud = np.clip((y - 90) / 390, 0, 1)
        self.hand.name = self.kinds[self.kind]
        self.hand.frequency = LOWEST * 2 ** (OCTAVES * float(pitch))
        self.hand.volume = float(loud)
        self.trail.position = x, y
        self.title.text = f"{self.hand.frequency:.0f} Hz, {self.hand.name}"
        self.paint(float(loud))

    def paint(self, loud):
        """Draw the wave of the hand, so slow that you can see it."""
        across = np.linspace(0, 1, POINTS)
        turns = across * self.hand.frequency / 55 - self.time * 0.7
        wave = WAVES[self.hand.name](turns) * np.sin(np.pi * across)
        self.dots.position[:, 0] = 60 + 840 * across
        self.dots.position[:, 1] = 270 + 130 * (0.08 + loud) * wave
        self.dots.scale = 0.1 + 0.12 * loud

    def on_key_press(self, symbol, modifiers):
        if symbol == fw.key.SPACE:
            self.kind = (self.kind + 1) % len(self.kinds)
        elif symbol == fw.key.C:
            for _, voice, mark in self.left:
                voice.stop(fade=0.6)
                mark.remove()
            self.left = []

    def on_mouse_press(self, x, y, button, modifiers):
        if len(self.left) < 5:
            tone = Tone(self.hand.name, self.hand.frequency, 0.5 * self.hand.volume)
            voice = fw.SoundStream(tone.samples).play(pan=float(np.clip((x - 480) / 600, -1, 1)))
            mark = self.shapes.add_circle((x, y), 9, color=(0.4, 0.9, 1, 0.7))
            self.left = [*self.left, (tone, voice, mark)]


if __name__ == "__main__":
    fw.run(Theremin, size=(960, 540), resolution=(960, 540))
