"""Theremin: a function computes the sound while you play with the mouse.

Move the mouse to change the pitch and the volume: the keys at the bottom show the notes, and the
sound is louder farther up. The drawn wave is the wave that you hear, only slower. Space changes the
wave. Click to leave a second voice behind, which keeps its pitch. Press C to remove these voices.
"""

import numpy as np

import framework as fw

RATE = 48_000
LOWEST = 110.0
OCTAVES = 3.0
NOTES = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"]
POINTS = 360  # of the drawn wave
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
        self.frequency = frequency
        self.volume = volume
        self.phase = 0.0
        self.reached = (frequency, 0.0)

    def samples(self, first, count):
        """Return the next samples. Pitch and volume glide to their new values."""
        old_frequency, old_volume = self.reached
        share = np.arange(1, count + 1) / count
        frequency = old_frequency + (self.frequency - old_frequency) * share
        volume = old_volume + (self.volume - old_volume) * share
        vibrato = 1 + 0.006 * np.sin(2 * np.pi * 5.5 * (first + np.arange(count)) / RATE)
        turns = self.phase + np.cumsum(frequency * vibrato) / RATE
        self.phase = turns[-1] % 1.0
        self.reached = (frequency[-1], volume[-1])
        return 0.35 * volume * WAVES[self.name](turns)


class Theremin(fw.Game):
    def setup(self):
        self.background = (0.045, 0.035, 0.09)
        self.audio.buses["effects"].add_effect(fw.Echo(0.28, feedback=0.35, wet=0.25))
        self.audio.buses["effects"].add_effect(fw.Reverb(2.0, wet=0.25))
        self.kinds = list(WAVES)
        self.kind = 0
        self.hand = Tone(self.kinds[0])
        self.left = []
        fw.SoundStream(self.hand.samples).play()
        self.shapes = self.add(fw.Shapes())
        self.build_stage()
        self.waves = self.add(fw.SpriteBatch(fw.art.ball, POINTS, blend="add"))
        self.waves.color[:, :3] = np.linspace((0.3, 0.9, 1.0), (1.0, 0.35, 0.9), POINTS)
        self.lines = self.add(fw.Shapes())
        self.across = self.lines.add_box((480, 270), (720, 1.5), color=(1, 0.9, 0.6, 0.35))
        self.upright = self.lines.add_box((480, 270), (1.5, 390), color=(1, 0.9, 0.6, 0.35))
        self.glow = [
            self.lines.add_circle((480, 270), radius, color=(1, 0.85, 0.5, alpha))
            for radius, alpha in ((46, 0.08), (28, 0.14), (15, 0.9))
        ]
        self.title = self.labels.add(
            "", (480, 512), anchor=("center", "center"), font_size=24, color=(1, 0.92, 0.7)
        )
        self.point = (480.0, 270.0)
        self.time = 0.0

    def build_stage(self):
        """Add the scales of pitch and volume, and the names of the notes."""
        for number in range(int(OCTAVES * 12) + 1):
            name = NOTES[(number + 9) % 12]
            is_black = len(name) == 2
            x = 120 + 20 * number
            alpha = 0.07 if is_black else 0.5 if name == "C" else 0.22
            self.shapes.add_box((x, 285), (1.5, 390), color=(0.55, 0.5, 1.0, alpha))
            key = (0.12, 0.1, 0.2) if is_black else (0.85, 0.84, 0.95)
            self.shapes.add_box((x, 74), (18, 24), color=key, corner=3)
            if not is_black:
                self.labels.add(
                    name,
                    (x, 74),
                    anchor=("center", "center"),
                    font_size=12,
                    color=(0.2, 0.16, 0.34),
                )
        for number in range(14):  # the scale of the volume
            self.shapes.add_box(
                (88, 100 + 29 * number), (6 + 2.2 * number, 5), color=(0.3, 0.9, 1.0, 0.5), corner=2
            )
        for text, x, y in (("loud", 88, 502), ("quiet", 88, 74)):
            self.labels.add(text, (x, y), anchor=("center", "center"), font_size=12)
        self.labels.add(
            "Mouse: pitch and volume    Click: leave a voice    Space: wave    C: clear",
            (480, 30),
            anchor=("center", "center"),
            font_size=14,
        )

    def update(self, dt):
        self.time += dt
        if self.mouse.position != (0, 0):
            self.point = self.mouse.position
        x = float(np.clip(self.point[0], 120, 840))
        y = float(np.clip(self.point[1], 90, 480))
        loud = (y - 90) / 390
        steps = (x - 120) / 20  # semitones above the lowest note
        self.hand.name = self.kinds[self.kind]
        self.hand.frequency = LOWEST * 2 ** (steps / 12)
        self.hand.volume = loud
        note = round(steps)
        name = f"{NOTES[(note + 9) % 12]}{2 + (note + 9) // 12}"
        self.title.text = f"{name}    {self.hand.frequency:.0f} Hz    {self.hand.name}"
        self.across.position = 480, y
        self.upright.position = x, 285
        for ring in self.glow:
            ring.position = x, y
        for _, _, mark in self.left:
            mark.scale = 1 + 0.25 * float(fw.exact.sin(7 * self.time))
        self.paint(loud)

    def paint(self, loud):
        """Draw the wave of the hand, so slow that you can see it."""
        across = np.linspace(0, 1, POINTS)
        turns = across * self.hand.frequency / 55 - self.time * 0.7
        wave = WAVES[self.hand.name](turns) * np.sin(np.pi * across)
        self.waves.position[:, 0] = 120 + 720 * across
        self.waves.position[:, 1] = 285 + 130 * (0.08 + loud) * wave
        self.waves.scale = (0.06 + 0.12 * loud) * (0.6 + 0.4 * np.abs(wave[:, None]))

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
            mark = self.lines.add_circle((x, y), 11, color=(0.4, 0.9, 1, 0.75))
            self.left = [*self.left, (tone, voice, mark)]


if __name__ == "__main__":
    fw.run(Theremin, size=(960, 540), resolution=(960, 540))
