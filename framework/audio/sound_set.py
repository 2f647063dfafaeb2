"""Compute the built-in sounds of `fw.art.sounds` from tones and noise.

A sound is the sum of several layers. Each layer is a tone or noise whose pitch may slide up or
down, and whose volume rises quickly and then decays. The samples of a sound are the same on every
machine. All sounds are in the public domain (CC0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import Doubles, Floats
from ..assets.sounds import RATE
from ..geometry import exact
from .synthesis import wave_values

_FADE = 0.006  # the fade-out at the end of a layer in seconds


class _Layer(NamedTuple):
    """One layer of a sound. Times are in seconds, and frequencies in hertz."""

    wave: str
    start: float
    duration: float
    frequency: float
    end_frequency: float = 0.0
    """The frequency at the end, or 0 if the frequency does not change."""
    volume: float = 1.0
    decay: float = 3.0
    """The number of times that the volume falls to 37 % during the sound."""
    attack: float = 0.003
    duty: float = 0.5
    vibrato: float = 0.0
    speed: float = 12.0


class _Recipe(NamedTuple):
    layers: Sequence[_Layer]
    peak: float = 0.7


def samples(name: str) -> Floats:
    """Return the samples of a built-in sound, 48,000 per second. The array is float32 and has the
    shape (n,).

    Raises `KeyError` if no built-in sound has this name.
    """
    recipe = RECIPES[name]
    count = round(max(layer.start + layer.duration for layer in recipe.layers) * RATE)
    mixed: Doubles = np.zeros(count)
    for number, layer in enumerate(recipe.layers):
        first = round(layer.start * RATE)
        part = _layer(layer, number)[: count - first]
        mixed[first : first + len(part)] += part
    mixed *= recipe.peak / np.abs(mixed).max()
    return mixed.astype(np.float32)


def _layer(layer: _Layer, seed: int) -> Doubles:
    count = max(2, round(layer.duration * RATE))
    part: Doubles = (np.arange(count) + 0.5) / count
    phase: Doubles = np.cumsum(_frequencies(layer, part)) / RATE
    if layer.wave == "wind":  # noise with smooth changes
        values = _smooth_noise(phase, seed)
    else:
        values = wave_values(layer.wave, phase, layer.duty, seed)
        if layer.wave == "square":
            values = values + (1 - 2 * layer.duty)  # the mean of the wave becomes 0 by this shift
    return values * _volumes(layer, part)


def _frequencies(layer: _Layer, part: Doubles) -> Doubles:
    """Return the frequency of a layer in hertz at each sample. ``part`` is the time of each sample,
    as a fraction of the layer's duration.
    """
    if layer.end_frequency:
        ratio = exact.log(layer.end_frequency / layer.frequency)
        frequency: Doubles = layer.frequency * exact.exp(ratio * part)
    else:
        frequency = np.full(len(part), layer.frequency)
    if layer.vibrato:
        turns = part * layer.duration * layer.speed
        frequency = frequency * (1 + layer.vibrato * exact.sin(2 * np.pi * turns))
    return frequency


def _volumes(layer: _Layer, part: Doubles) -> Doubles:
    """Return the volume of a layer at each sample: it rises quickly, decays, and ends at 0."""
    count = len(part)
    volume: Doubles = layer.volume * exact.exp(-layer.decay * part)
    rise = min(count, max(1, round(layer.attack * RATE)))
    volume[:rise] *= np.arange(rise) / rise
    fall = min(count, round(_FADE * RATE))
    volume[-fall:] *= np.arange(fall - 1, -1, -1) / fall
    return volume


def _smooth_noise(phase: Doubles, seed: int) -> Doubles:
    """Return random values from -1 to 1, connected by straight lines. There are eight random values
    for each period.
    """
    steps = phase * 8
    whole: Doubles = np.floor(steps)
    index = whole.astype(np.int64)
    values = np.random.Generator(np.random.PCG64(seed)).uniform(-1, 1, int(index[-1]) + 2)
    return values[index] + (values[index + 1] - values[index]) * (steps - whole)


def _notes(
    wave: str,
    notes: Sequence[tuple[float, float]],
    seconds: float,
    *,
    volume: float = 1.0,
    decay: float = 3.0,
    last: float = 0.0,
    duty: float = 0.5,
    second_voice: float = 0.0,
) -> list[_Layer]:
    """Return the layers of a melody. ``notes`` is a list of pairs. Each pair contains the start of
    a note in seconds, and its frequency in hertz. ``second_voice`` is the volume of a second voice,
    an octave higher.
    """
    layers = []
    for index, (start, frequency) in enumerate(notes):
        duration = last if last and index == len(notes) - 1 else seconds
        layers.append(_Layer(wave, start, duration, frequency, 0.0, volume, decay, 0.004, duty))
        if second_voice:
            above = volume * second_voice
            layers.append(
                _Layer("sine", start, duration, 2 * frequency, 0.0, above, decay * 1.3, 0.004)
            )
    return layers


# Frequencies of notes in hertz.
_A3 = 220.0
_C4 = 261.6
_D4 = 293.7
_E4 = 329.6
_F4 = 349.2
_G4 = 392.0
_A4 = 440.0
_B4 = 493.9
_C5 = 523.3
_D5 = 587.3
_E5 = 659.3
_F5 = 698.5
_G5 = 784.0
_A5 = 880.0
_B5 = 987.8
_C6 = 1046.5
_E6 = 1318.5
_G6 = 1568.0
_C7 = 2093.0

RECIPES: Mapping[str, _Recipe] = {
    # -- moving --
    "jump": _Recipe(
        [
            _Layer("square", 0, 0.22, 190, 620, 1.0, 3.0, 0.004, 0.3),
            _Layer("sine", 0, 0.22, 190, 620, 0.5, 3.0),
        ],
        0.56,
    ),
    "land": _Recipe(
        [
            _Layer("triangle", 0, 0.14, 260, 70, 1.0, 3.5, 0.002),
            _Layer("wind", 0, 0.1, 900, 250, 0.8, 4.5, 0.002),
        ],
        0.7,
    ),
    "step_grass": _Recipe([_Layer("wind", 0, 0.08, 900, 500, 1.0, 4.5, 0.006)], 0.24),
    "step_stone": _Recipe(
        [
            _Layer("wind", 0, 0.05, 1500, 700, 0.8, 5.0, 0.001),
            _Layer("sine", 0, 0.06, 420, 260, 0.6, 5.0, 0.001),
        ],
        0.52,
    ),
    "step_wood": _Recipe(
        [
            _Layer("triangle", 0, 0.09, 210, 130, 1.0, 5.0, 0.001),
            _Layer("wind", 0, 0.04, 1000, 500, 0.5, 5.0, 0.001),
        ],
        0.7,
    ),
    "bounce": _Recipe(
        [
            _Layer("triangle", 0, 0.3, 320, 960, 1.0, 3.2, 0.002, 0.5, 0.12, 26),
            _Layer("sine", 0, 0.08, 120, 80, 0.7, 4.0, 0.002),
        ],
        0.7,
    ),
    "dash": _Recipe([_Layer("wind", 0, 0.26, 300, 1900, 1.0, 2.2, 0.06)], 0.41),
    "splash": _Recipe(
        [
            _Layer("wind", 0, 0.4, 1700, 260, 1.0, 4.2, 0.004),
            _Layer("sine", 0.06, 0.14, 320, 780, 0.35, 3.0),
            _Layer("sine", 0.16, 0.12, 420, 980, 0.25, 3.0),
        ],
        0.41,
    ),
    # -- collecting --
    "coin": _Recipe(
        [
            *_notes("square", [(0, _B5)], 0.075, decay=0.8, duty=0.4),
            *_notes("square", [(0.07, _E6)], 0.34, decay=4.5, duty=0.4),
            *_notes("sine", [(0, _B5), (0.07, 2 * _E6)], 0.2, volume=0.4, decay=4.0),
        ],
        0.27,
    ),
    "gem": _Recipe(
        _notes(
            "triangle",
            [(0, _G5), (0.05, _C6), (0.1, _E6), (0.15, _G6)],
            0.16,
            last=0.4,
            decay=4.0,
            second_voice=0.4,
        ),
        0.34,
    ),
    "key": _Recipe(
        [
            *_notes("triangle", [(0, _E5), (0.09, _A5)], 0.12, last=0.3, second_voice=0.5),
            _Layer("square", 0.0, 0.03, 3100, 2900, 0.18, 3.0, 0.001, 0.3),
            _Layer("square", 0.09, 0.05, 3600, 3500, 0.18, 3.0, 0.001, 0.3),
        ],
        0.40,
    ),
    "powerup": _Recipe(
        _notes(
            "square",
            [(0.06 * n, f) for n, f in enumerate((_C5, _E5, _G5, _C6, _E6, _G6))],
            0.09,
            last=0.36,
            decay=2.0,
            duty=0.3,
            second_voice=0.3,
        ),
        0.33,
    ),
    "heal": _Recipe(
        _notes(
            "sine",
            [(0.07 * n, f) for n, f in enumerate((_F4, _A4, _C5, _F5, _A5))],
            0.3,
            last=0.55,
            decay=3.0,
            second_voice=0.35,
        ),
        0.41,
    ),
    # -- fighting --
    "hit": _Recipe(
        [
            _Layer("noise", 0, 0.12, 900, 180, 1.0, 4.0, 0.001),
            _Layer("square", 0, 0.1, 260, 90, 0.8, 3.5, 0.001),
        ],
        0.70,
    ),
    "hurt": _Recipe(
        [
            _Layer("sawtooth", 0, 0.3, 520, 130, 1.0, 2.8, 0.002, 0.5, 0.05, 22),
            _Layer("noise", 0, 0.09, 700, 300, 0.5, 4.0, 0.001),
        ],
        0.50,
    ),
    "shot": _Recipe(
        [
            _Layer("noise", 0, 0.2, 1800, 140, 1.0, 5.0, 0.001),
            _Layer("sine", 0, 0.1, 240, 60, 0.9, 4.0, 0.001),
        ],
        0.7,
    ),
    "laser": _Recipe(
        [
            _Layer("square", 0, 0.26, 1900, 190, 1.0, 3.2, 0.002, 0.25),
            _Layer("sawtooth", 0, 0.26, 1910, 185, 0.4, 3.2, 0.002),
        ],
        0.32,
    ),
    "explosion": _Recipe(
        [
            _Layer("noise", 0, 0.95, 850, 60, 1.0, 4.2, 0.002),
            _Layer("wind", 0.0, 0.95, 260, 50, 1.0, 3.0, 0.01),
            _Layer("sine", 0, 0.5, 110, 32, 1.1, 3.2, 0.002),
        ],
        0.7,
    ),
    "sword": _Recipe(
        [
            _Layer("wind", 0, 0.18, 2600, 900, 1.0, 2.6, 0.03),
            _Layer("triangle", 0.01, 0.16, 2300, 1900, 0.12, 3.0, 0.01),
        ],
        0.42,
    ),
    "magic": _Recipe(
        [
            _Layer("sine", 0, 0.55, 380, 1500, 1.0, 2.4, 0.03, 0.5, 0.04, 19),
            _Layer("triangle", 0.05, 0.5, 760, 3000, 0.4, 2.4, 0.03, 0.5, 0.05, 23),
            _Layer("wind", 0, 0.5, 1500, 3600, 0.18, 2.0, 0.1),
        ],
        0.45,
    ),
    "die": _Recipe(
        [
            _Layer("square", 0, 0.7, 560, 70, 1.0, 2.2, 0.003, 0.35, 0.08, 14),
            _Layer("sine", 0, 0.7, 280, 35, 0.7, 2.0, 0.003),
        ],
        0.40,
    ),
    # -- things --
    "door": _Recipe(
        [
            _Layer("wind", 0, 0.24, 240, 420, 0.7, 0.8, 0.05),
            _Layer("sawtooth", 0.02, 0.2, 95, 150, 0.16, 0.5, 0.04, 0.5, 0.15, 31),
            _Layer("triangle", 0.24, 0.16, 220, 90, 1.2, 3.5, 0.002),
            _Layer("wind", 0.24, 0.08, 900, 300, 0.5, 4.0, 0.001),
        ],
        0.7,
    ),
    "chest": _Recipe(
        [
            _Layer("wind", 0, 0.16, 300, 700, 0.8, 1.0, 0.03),
            _Layer("triangle", 0.14, 0.1, 170, 120, 1.0, 4.0, 0.001),
            *_notes(
                "triangle",
                [(0.2, _C5), (0.27, _E5), (0.34, _G5), (0.41, _C6)],
                0.12,
                last=0.45,
                second_voice=0.4,
                volume=0.9,
            ),
        ],
        0.33,
    ),
    "switch": _Recipe(
        [
            _Layer("square", 0, 0.03, 900, 700, 0.8, 2.0, 0.001, 0.3),
            _Layer("square", 0.06, 0.07, 1400, 1300, 1.0, 4.0, 0.001, 0.3),
            _Layer("sine", 0.06, 0.09, 180, 90, 0.9, 4.0, 0.001),
        ],
        0.60,
    ),
    "checkpoint": _Recipe(
        _notes(
            "triangle",
            [(0, _G4), (0.1, _C5), (0.2, _E5), (0.3, _G5)],
            0.2,
            last=0.55,
            decay=3.0,
            second_voice=0.5,
        ),
        0.35,
    ),
    # -- menus --
    "blip": _Recipe([_Layer("square", 0, 0.07, _A5, 0, 1.0, 2.0, 0.002, 0.4)], 0.24),
    "click": _Recipe(
        [
            _Layer("triangle", 0, 0.06, 880, 620, 1.0, 4.0, 0.001),
            _Layer("wind", 0, 0.02, 2400, 1200, 0.4, 3.0, 0.001),
        ],
        0.53,
    ),
    "hover": _Recipe([_Layer("sine", 0, 0.06, _C6, 0, 1.0, 3.0, 0.004)], 0.16),
    "confirm": _Recipe(
        _notes("triangle", [(0, _E5), (0.08, _B5)], 0.1, last=0.28, second_voice=0.4), 0.24
    ),
    "back": _Recipe(
        _notes("triangle", [(0, _B4), (0.08, _E4)], 0.1, last=0.22, second_voice=0.3), 0.44
    ),
    "error": _Recipe(
        [
            _Layer("square", 0, 0.11, 150, 0, 1.0, 1.0, 0.003, 0.4),
            _Layer("square", 0.14, 0.2, 138, 0, 1.0, 1.6, 0.003, 0.4),
        ],
        0.39,
    ),
    "pause": _Recipe(
        _notes("triangle", [(0, _G5), (0.09, _C5)], 0.1, last=0.3, second_voice=0.5), 0.30
    ),
    # -- the end --
    "win": _Recipe(
        [
            *_notes(
                "square",
                [(0, _C5), (0.13, _C5), (0.26, _C5), (0.39, _E5), (0.52, _G5), (0.65, _C6)],
                0.14,
                last=0.9,
                decay=1.6,
                duty=0.35,
                second_voice=0.3,
            ),
            *_notes(
                "triangle",
                [(0, _E4), (0.13, _E4), (0.26, _E4), (0.39, _G4), (0.52, _B4), (0.65, _E5)],
                0.14,
                last=0.9,
                decay=1.6,
                volume=0.8,
            ),
            *_notes("triangle", [(0, _C4), (0.39, _G4 / 2), (0.65, _C4)], 0.3, last=0.9, decay=1.6),
        ],
        0.46,
    ),
    "lose": _Recipe(
        [
            *_notes(
                "square",
                [(0, _G4), (0.2, _F4 * 1.0595), (0.4, _F4), (0.6, _E4)],
                0.22,
                last=0.8,
                decay=1.8,
                duty=0.35,
            ),
            *_notes(
                "triangle",
                [(0, _E4), (0.2, _D4 * 1.0595), (0.4, _D4), (0.6, _C4)],
                0.22,
                last=0.8,
                decay=1.8,
            ),
            *_notes("triangle", [(0, _C4 / 2), (0.6, _A3 / 2)], 0.5, last=0.8, decay=1.6),
        ],
        0.7,
    ),
}
"""The recipes of the built-in sounds, by name."""
