"""Music: composes the built-in loops, and writes them as Ogg Vorbis: ``python make_music.py``.

Each loop is written as notes, and a few simple instruments play it. The sound of the last notes and
the echo of the room continue at the beginning of the loop, so you hear no seam. All music is in the
public domain (CC0). The script needs `pip install soundfile`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

OUTPUT = Path(__file__).parent.parent.parent / "framework" / "art_files"
RATE = 48_000
PEAK = 10 ** (-3 / 20)
LOUDNESS = 10 ** (-19 / 20)  # root mean square

Samples = NDArray[np.float64]
Voice = Callable[[float, float], Samples]

_STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}


def pitch(note: str) -> float:
    """Return the frequency of a note such as "A4" or "C#5"."""
    step = _STEPS[note[0]] + note.count("#") - note.count("b")
    octave = int(note[-1])
    return 440.0 * 2 ** ((step + 12 * octave - 57) / 12)


# -- instruments -----------------------------------------------------------------------------------


def _time(seconds: float) -> Samples:
    return np.arange(round(seconds * RATE)) / RATE


def _envelope(time: Samples, attack: float, hold: float, release: float) -> Samples:
    """Return a volume that rises, stays, and falls after ``hold`` seconds."""
    rise = np.clip(time / attack, 0, 1)
    return np.asarray(rise * np.exp(-np.maximum(0, time - hold) / release))


def pluck(frequency: float, seconds: float) -> Samples:
    """Return a note of a music box or harp."""
    time = _time(seconds + 1.2)
    result = np.zeros_like(time)
    for harmonic, volume, decay in (
        (1, 1.0, 0.55),
        (2, 0.45, 0.3),
        (3, 0.18, 0.18),
        (5, 0.06, 0.1),
    ):
        wave = np.sin(2 * np.pi * frequency * harmonic * time)
        result += volume * wave * np.exp(-time / decay)
    return result * np.clip(time / 0.004, 0, 1) * np.clip((time[-1] - time) / 0.05, 0, 1)


def pad(frequency: float, seconds: float) -> Samples:
    """Return a soft note of strings: three voices that are a little out of tune."""
    time = _time(seconds + 0.9)
    result = np.zeros_like(time)
    for detune in (-0.0025, 0.0, 0.003):
        phase = frequency * (1 + detune) * time
        for harmonic in range(1, 6):
            result += np.sin(2 * np.pi * phase * harmonic + harmonic) / harmonic**1.8
    return (
        result / 3 * _envelope(time, 0.25, seconds, 0.22) * np.clip((time[-1] - time) / 0.05, 0, 1)
    )


def bass(frequency: float, seconds: float) -> Samples:
    time = _time(seconds + 0.15)
    wave = sum(
        np.sin(2 * np.pi * frequency * harmonic * time) / harmonic**1.5 for harmonic in (1, 2, 3, 4)
    )
    return wave * np.exp(-time / 1.2) * _envelope(time, 0.008, seconds * 0.9, 0.03)


def lead(frequency: float, seconds: float) -> Samples:
    """Return a note of a small flute: a soft square wave with vibrato."""
    time = _time(seconds + 0.2)
    vibrato = 0.006 * np.clip((time - 0.15) / 0.2, 0, 1) * np.sin(2 * np.pi * 5.4 * time)
    phase = np.cumsum(frequency * (1 + vibrato)) / RATE
    result = np.zeros_like(time)
    for harmonic in (1, 3, 5, 7, 9):
        if frequency * harmonic < 9000:
            result += np.sin(2 * np.pi * phase * harmonic) / harmonic**1.3
    return result * _envelope(time, 0.012, seconds * 0.85, 0.05) * np.exp(-time / 3)


def horn(frequency: float, seconds: float) -> Samples:
    """Return a note of a horn, whose tone becomes brighter at its beginning."""
    time = _time(seconds + 0.25)
    bright = np.clip(time / 0.12, 0, 1) * np.exp(-time / 1.8)
    result = np.zeros_like(time)
    for harmonic in range(1, 9):
        if frequency * harmonic < 9000:
            volume = np.exp(-0.55 * (harmonic - 1) / (0.25 + bright))
            result += volume * np.sin(2 * np.pi * frequency * harmonic * time)
    return result * _envelope(time, 0.03, seconds * 0.9, 0.07)


def kick(frequency: float, seconds: float) -> Samples:
    time = _time(0.28)
    phase = 48 * time + 14 * (1 - np.exp(-time / 0.03)) * 0.35
    return np.sin(2 * np.pi * phase) * np.exp(-time / 0.09) * np.clip(time / 0.002, 0, 1)


def _noise(seconds: float, seed: int) -> Samples:
    return np.random.default_rng(seed).uniform(-1, 1, round(seconds * RATE))


def snare(frequency: float, seconds: float) -> Samples:
    time = _time(0.22)
    body = np.sin(2 * np.pi * 190 * time) * np.exp(-time / 0.05)
    noise = np.diff(_noise(0.22, 5), prepend=0) * 0.5 * np.exp(-time / 0.06)
    return (0.6 * body + noise) * np.clip(time / 0.001, 0, 1)


def hat(frequency: float, seconds: float) -> Samples:
    time = _time(0.07)
    noise = np.diff(np.diff(_noise(0.07, 9), prepend=0), prepend=0) * 0.4
    return noise * np.exp(-time / 0.018) * np.clip(time / 0.001, 0, 1)


def tom(frequency: float, seconds: float) -> Samples:
    time = _time(0.5)
    phase = np.cumsum(frequency * (1 + 0.5 * np.exp(-time / 0.04))) / RATE
    return np.sin(2 * np.pi * phase) * np.exp(-time / 0.14) * np.clip(time / 0.003, 0, 1)


# -- the loop --------------------------------------------------------------------------------------


class Loop:
    """A piece of music that repeats endlessly. Times are in beats."""

    def __init__(self, bpm: int, beats: int) -> None:
        self.beat = Fraction(60 * RATE, bpm)
        self.bpm, self.beats = bpm, beats
        length = self.beat * beats
        assert length.denominator == 1, "the loop must have a whole number of samples"
        self.sound: Samples = np.zeros((int(length), 2))
        self.wet: Samples = np.zeros((int(length), 2))

    def add(
        self,
        voice: Voice,
        beat: float,
        beats: float,
        note: str,
        volume: float,
        pan: float,
        room: float,
    ) -> None:
        seconds = float(beats * self.beat / RATE)
        samples = voice(pitch(note), seconds) * volume
        start = round(float(beat * self.beat))
        index = (start + np.arange(len(samples))) % len(self.sound)
        angle = (pan + 1) * np.pi / 4
        stereo = samples[:, None] * [np.cos(angle), np.sin(angle)]
        np.add.at(self.sound, index, stereo)
        np.add.at(self.wet, index, room * stereo)

    def melody(
        self,
        voice: Voice,
        notes: str,
        *,
        start: float = 0.0,
        volume: float = 1.0,
        pan: float = 0.0,
        room: float = 0.2,
        repeat: int = 1,
    ) -> None:
        """Play notes such as "C4:1 E4:0.5 -:0.5 C4+E4+G4:2". A note has a length in beats, and "-"
        is a rest. "|" has no meaning.
        """
        beat = start
        for word in notes.replace("|", " ").split() * repeat:
            names, _, length = word.partition(":")
            beats = float(length or 1)
            for name in names.split("+"):
                if name != "-":
                    accent = 1.0 if beat % 1 == 0 else 0.86
                    self.add(voice, beat, beats, name, volume * accent, pan, room)
            beat += beats

    def drums(
        self, voice: Voice, pattern: str, volume: float, pan: float = 0.0, room: float = 0.05
    ) -> None:
        """Play a pattern of sixteenth notes again and again: "x" is loud, "o" is soft."""
        steps = pattern.replace("|", "").replace(" ", "")
        for index in range(self.beats * 4):
            step = steps[index % len(steps)]
            if step != ".":
                loud = volume if step == "x" else volume * 0.45
                self.add(voice, index / 4, 0.25, "C4", loud, pan, room)

    def mixed(self) -> Samples:
        """Return the samples (n, 2) with the sound of a room, at a standard loudness."""
        length = len(self.sound)
        time = np.arange(round(1.6 * RATE)) / RATE
        random = np.random.default_rng(1)
        tail = random.normal(size=(len(time), 2)) * np.exp(-time / 0.32)[:, None]
        smooth = np.cumsum(tail, axis=0)
        tail = (smooth[6:] - smooth[:-6]) / 6  # fewer high frequencies
        tail[: round(0.012 * RATE)] = 0
        tail /= np.sqrt((tail**2).sum(axis=0))
        # A convolution with the transform of the whole loop wraps around to its beginning.
        room = np.fft.irfft(
            np.fft.rfft(self.wet, axis=0) * np.fft.rfft(tail, length, axis=0), length, axis=0
        )
        mixed = self.sound + room
        mixed -= mixed.mean(axis=0)
        mixed *= LOUDNESS / np.sqrt((mixed**2).mean())
        # Smoothly limit the peaks.
        loud = np.abs(mixed)
        knee = PEAK * 0.6
        over = np.maximum(loud - knee, 0)
        rest = PEAK * 0.97 - knee
        limited = np.where(loud > knee, knee + rest * np.tanh(over / rest), loud)
        return np.asarray(np.sign(mixed) * limited)


# -- the pieces ------------------------------------------------------------------------------------


def calm() -> Loop:
    """Eight bars in C major at 80 beats per minute."""
    loop = Loop(80, 32)
    chords = [
        ("C3", "G3", "C4", "E4", "G4", "B4"),
        ("A2", "E3", "A3", "C4", "E4", "G4"),
        ("F2", "C3", "F3", "A3", "C4", "E4"),
        ("G2", "D3", "G3", "B3", "D4", "A4"),
        ("E2", "B2", "E3", "G3", "B3", "D4"),
        ("A2", "E3", "A3", "C4", "E4", "B4"),
        ("D3", "A3", "D4", "F4", "A4", "C5"),
        ("G2", "D3", "G3", "C4", "D4", "B3"),
    ]
    for bar, chord in enumerate(chords):
        root, *rest = chord
        loop.add(bass, 4 * bar, 3.5, root, 0.5, 0, 0.05)
        for note in rest[1:4]:
            loop.add(pad, 4 * bar, 4, note, 0.16, -0.2, 0.3)
        order = (0, 1, 2, 3, 4, 3, 2, 1)
        for step, index in enumerate(order):
            volume = 0.2 if step % 2 else 0.26
            loop.add(pluck, 4 * bar + step / 2, 0.5, rest[index], volume, 0.35, 0.3)
    loop.melody(
        pluck,
        "E5:1.5 G5:0.5 B5:2 | A5:1 G5:1 E5:2 | C5:1.5 E5:0.5 A5:1 G5:1 | D5:3 -:1 |"
        "B4:1 D5:1 G5:1.5 E5:0.5 | C5:1 E5:1 B5:1 A5:1 | F5:1.5 E5:0.5 D5:1 A4:1 | C5:2 B4:2",
        volume=0.5,
        pan=-0.15,
        room=0.45,
    )
    return loop


def _chords(loop: Loop, voice: Voice, chords: Sequence[str], volume: float, pan: float) -> None:
    """Play a chord in each bar of four beats: "C4+E4+G4"."""
    for bar, chord in enumerate(chords):
        for note in chord.split("+"):
            loop.add(voice, 4 * bar, 4, note, volume, pan, 0.3)


def adventure() -> Loop:
    """Sixteen bars in D major at 128 beats per minute."""
    loop = Loop(128, 64)
    roots = ["D2", "D2", "A2", "A2", "B2", "B2", "G2", "A2"] * 2
    for bar, root in enumerate(roots):
        above = root[:-1] + str(int(root[-1]) + 1)
        for step in range(8):
            note = above if step in (3, 6) else root
            loop.add(bass, 4 * bar + step / 2, 0.42, note, 0.5, 0, 0.03)
    _chords(
        loop,
        pad,
        [
            "D4+F#4+A4",
            "D4+F#4+A4",
            "C#4+E4+A4",
            "C#4+E4+A4",
            "D4+F#4+B4",
            "D4+F#4+B4",
            "D4+G4+B4",
            "C#4+E4+A4",
        ]
        * 2,
        0.11,
        -0.3,
    )
    first = (
        "D5:0.75 A4:0.25 D5:0.5 E5:0.5 F#5:1 A5:1 | F#5:0.5 E5:0.5 D5:1 -:0.5 D5:0.5 E5:0.5 F#5:0.5 |"
        "E5:0.75 C#5:0.25 A4:0.5 B4:0.5 C#5:1 E5:1 | C#5:0.5 B4:0.5 A4:1 -:1 A4:0.5 C#5:0.5 |"
        "D5:0.75 B4:0.25 D5:0.5 E5:0.5 F#5:1 B5:1 | A5:0.5 F#5:0.5 D5:1 -:0.5 F#5:0.5 G5:0.5 A5:0.5 |"
        "B5:1 A5:0.5 G5:0.5 F#5:0.5 G5:0.5 D5:1 | E5:1 F#5:0.5 E5:0.5 C#5:1 A4:1 |"
    )
    second = (
        "A5:1.5 F#5:0.5 D5:1 F#5:1 | A5:0.5 B5:0.5 A5:0.5 F#5:0.5 D5:1 -:1 |"
        "A5:1.5 E5:0.5 C#5:1 E5:1 | G5:0.5 F#5:0.5 E5:0.5 C#5:0.5 A4:1 -:1 |"
        "B5:1.5 F#5:0.5 D5:1 F#5:1 | B5:0.5 C#6:0.5 D6:0.5 C#6:0.5 B5:1 F#5:1 |"
        "G5:1 B5:1 A5:0.5 G5:0.5 F#5:0.5 G5:0.5 | A5:1.5 G5:0.5 F#5:0.5 E5:0.5 C#5:1 |"
    )
    loop.melody(lead, first + second, volume=0.3, pan=0.12, room=0.25)
    loop.melody(
        pluck,
        "D5:0.5 F#5:0.5 A5:0.5 F#5:0.5 " * 4
        + "C#5:0.5 E5:0.5 A5:0.5 E5:0.5 " * 4
        + "D5:0.5 F#5:0.5 B5:0.5 F#5:0.5 " * 4
        + "D5:0.5 G5:0.5 B5:0.5 G5:0.5 " * 2
        + "C#5:0.5 E5:0.5 A5:0.5 E5:0.5 " * 2,
        start=32,
        volume=0.14,
        pan=-0.4,
        room=0.3,
    )
    loop.drums(kick, "x...|..x.|x...|....", 0.8)
    loop.drums(snare, "....|x...|....|x..o", 0.4)
    loop.drums(hat, "x.o.|x.o.|x.o.|x.oo", 0.22, 0.3)
    return loop


def tense() -> Loop:
    """Twelve bars in E minor at 100 beats per minute."""
    loop = Loop(100, 48)
    for bar, root in enumerate(("E2", "E2", "F2", "E2") * 3):
        for step in range(16):
            note = root if step % 4 != 3 else "B1" if root == "E2" else "C2"
            loop.add(bass, 4 * bar + step / 4, 0.2, note, 0.46 if step % 4 == 0 else 0.3, 0, 0.05)
    _chords(
        loop,
        pad,
        [
            "E3+B3+G4",
            "E3+B3+F#4",
            "F3+C4+A4",
            "E3+B3+G4",
            "E3+B3+G4",
            "E3+C4+A4",
            "F3+C4+A4",
            "D#3+B3+F#4",
        ]
        + ["E3+B3+E4", "G3+B3+E4", "F3+A3+E4", "D#3+B3+F#4"],
        0.17,
        0.25,
    )
    loop.melody(
        pluck,
        "E5:0.5 -:0.5 B4:0.5 -:1.5 A#4:0.5 B4:0.5 | -:4 | F5:0.5 -:0.5 C5:0.5 -:1.5 B4:0.5 C5:0.5 | -:2 B4:1 -:1 |"
        "E5:0.5 -:0.5 B4:0.5 -:1.5 A#4:0.5 B4:0.5 | -:3 G5:0.5 F#5:0.5 | F5:0.5 -:0.5 C5:0.5 -:1.5 E5:0.5 F5:0.5 | D#5:2 B4:2 |"
        "E5:0.5 G5:0.5 B5:1 A#5:0.5 B5:0.5 G5:1 | -:4 | F5:0.5 A5:0.5 C6:1 B5:0.5 A5:0.5 F5:1 | D#5:1 F#5:1 B4:2",
        volume=0.34,
        pan=-0.3,
        room=0.6,
    )
    loop.melody(
        tom,
        "E2:1.5 E2:0.5 -:1 B1:1 | E2:1 -:2 G2:0.5 G2:0.5",
        repeat=6,
        volume=0.55,
        pan=0.1,
        room=0.2,
    )
    loop.drums(hat, "o.o.|x.o.|o.oo|x.o.", 0.2, -0.2)
    return loop


def title() -> Loop:
    """Twelve bars in G major at 96 beats per minute."""
    loop = Loop(96, 48)
    chords = [
        "G3+B3+D4",
        "D3+A3+F#4",
        "E3+B3+G4",
        "C3+G3+E4",
        "G3+B3+D4",
        "D3+A3+F#4",
        "C3+G3+E4",
        "D3+A3+F#4",
    ]
    chords += ["E3+B3+G4", "C3+G3+E4", "A2+E3+C4", "D3+A3+F#4"]
    _chords(loop, pad, chords, 0.18, -0.2)
    for bar, chord in enumerate(chords):
        low, middle, high = chord.split("+")
        root = low[:-1] + str(int(low[-1]) - 1)
        for beat, beats in ((0, 1.4), (1.5, 0.4), (2, 1.9)):
            loop.add(bass, 4 * bar + beat, beats, root, 0.5, 0, 0.05)
        above = low[:-1] + str(int(low[-1]) + 1)
        for step, note in enumerate((low, middle, high, above, high, middle, high, above)):
            loop.add(pluck, 4 * bar + step / 2, 0.5, note, 0.2, 0.4, 0.3)
    loop.melody(
        horn,
        "D4:1 G4:1 B4:1.5 A4:0.5 | A4:2 F#4:1 D4:1 | G4:1 B4:1 E5:1.5 D5:0.5 | C5:2 B4:1 A4:1 |"
        "D4:1 G4:1 B4:1.5 D5:0.5 | D5:2 A4:1 F#4:1 | E5:1.5 D5:0.5 C5:1 B4:1 | A4:3 -:1 |",
        volume=0.34,
        pan=0.0,
        room=0.4,
    )
    loop.melody(
        lead,
        "G5:1.5 F#5:0.5 E5:1 B4:1 | C5:1 E5:1 G5:2 | A5:1.5 G5:0.5 E5:1 C5:1 | D5:1 E5:0.5 F#5:0.5 A5:1 F#5:1",
        start=32,
        volume=0.26,
        pan=0.1,
        room=0.4,
    )
    loop.melody(horn, "B4:4 | G4:4 | E4:4 | F#4:3 -:1", start=32, volume=0.18, pan=-0.1, room=0.4)
    loop.drums(kick, "x...|....|x.x.|....", 0.6)
    loop.drums(snare, "....|o...|....|o.oo", 0.32, room=0.15)
    loop.drums(hat, "o...|x...|o...|x.o.", 0.16, 0.3)
    return loop


PIECES = {"adventure": adventure, "calm": calm, "tense": tense, "title": title}


def encode(samples: Samples, path: Path) -> None:
    import soundfile

    with soundfile.SoundFile(
        path, "w", RATE, 2, subtype="VORBIS", format="OGG", compression_level=0.75
    ) as file:
        step = 1 << 12  # libsndfile needs a lot of stack for longer blocks
        for first in range(0, len(samples), step):
            file.write(samples[first : first + step])


def main() -> None:
    for name in sys.argv[1:] or PIECES:
        encode(PIECES[name]().mixed(), OUTPUT / f"{name}.ogg")


if __name__ == "__main__":
    main()
