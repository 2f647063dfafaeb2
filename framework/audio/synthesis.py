"""Compute tones, and sound effects in the style of sfxr (T. Pettersson, 2007).

All samples are the same on every machine.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

import numpy as np

from ..arrays import Doubles, Floats
from ..assets.sounds import RATE
from ..geometry import exact

WAVES = ("sine", "square", "triangle", "sawtooth", "noise")
"""The wave shapes of a tone."""

PEAK = 0.5
"""The peak of a generated sound. The peak is below 1, so that several sounds at the same time are
not too loud.
"""

_RELEASE = 240  # samples of the fade-out of a tone that does not end with a whole wave


class Recipe(TypedDict):
    """The parameters of a generated sound effect. Durations are in seconds, frequencies are in
    hertz, and fractions are from 0 to 1.
    """

    wave: str
    seconds: float
    frequency: float
    slide: NotRequired[float]
    arpeggio: NotRequired[float]
    at: NotRequired[float]
    vibrato: NotRequired[float]
    speed: NotRequired[float]
    duty: NotRequired[float]
    sustain: NotRequired[float]
    punch: NotRequired[float]


def tone(frequency: float, seconds: float, wave: str) -> Floats:
    """Return the samples of a tone with the frequency ``frequency`` (in hertz) that lasts
    ``seconds`` seconds. The array is float32 and has the shape (n,).

    Sample n is the value at the time (n + 1/2) / 48,000 s, so the first sample is not 0.
    """
    count = max(1, round(seconds * RATE))
    turns = (np.arange(count, dtype=np.float64) + 0.5) * (frequency / RATE)
    samples: Doubles = wave_values(wave, turns, 0.5, 1) * PEAK
    cycles = seconds * frequency
    if wave == "noise" or abs(cycles - round(cycles)) > 1e-6:
        tail = min(count, _RELEASE)
        samples[-tail:] *= np.arange(tail, 0, -1) / tail
    return samples.astype(np.float32)


def effect(seed: int, kind: str | None) -> Floats:
    """Return the samples of a random sound effect. The array is float32 and has the shape (n,). If
    ``kind`` is None, the seed also determines the kind.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    chosen = KINDS[int(random.integers(len(KINDS)))]
    recipe = _RECIPES[kind or chosen](random)
    count = round(recipe["seconds"] * RATE)
    time: Doubles = (np.arange(count) + 0.5) / RATE
    part: Doubles = time / recipe["seconds"]
    turns: Doubles = np.cumsum(_frequencies_of(recipe, time, part)) / RATE
    samples = wave_values(recipe["wave"], turns, recipe.get("duty", 0.5), seed)
    samples = samples * _envelope(count, recipe.get("sustain", 0.3), recipe.get("punch", 0.0))
    loudest = float(np.abs(samples).max())
    return (samples * (PEAK / max(loudest, 1e-9))).astype(np.float32)


def _frequencies_of(recipe: Recipe, time: Doubles, part: Doubles) -> Doubles:
    """Return the frequency of a sound effect in hertz at each sample. ``time`` is in seconds.
    ``part`` is the time as a fraction of the duration.
    """
    frequency: Doubles = recipe["frequency"] * exact.exp(recipe.get("slide", 0.0) * part)
    if "arpeggio" in recipe:
        frequency = np.where(
            part > recipe.get("at", 0.4), frequency * recipe["arpeggio"], frequency
        )
    if "vibrato" in recipe:
        frequency = frequency * (
            1 + recipe["vibrato"] * exact.sin(time * 2 * np.pi * recipe.get("speed", 12.0))
        )
    return frequency


def wave_values(wave: str, turns: Doubles, duty: float, seed: int) -> Doubles:
    """Return the values of a wave such as "sine", from -1 to 1. ``turns`` is the time, measured in
    periods of the wave. For noise, a new random value is chosen eight times per period.
    """
    part = turns - np.floor(turns)
    if wave == "sine":
        samples: Doubles = exact.sin(2 * np.pi * part)
    elif wave == "square":
        samples = np.where(part < duty, 1.0, -1.0)
    elif wave == "triangle":
        shifted = part + 0.25  # the wave starts at 0, rises to 1, falls to -1 and returns to 0
        samples = 1 - 4 * np.abs(shifted - np.floor(shifted) - 0.5)
    elif wave == "sawtooth":
        samples = 2 * (part + 0.5 - np.floor(part + 0.5)) - 1
    else:
        steps = np.floor(turns * 8).astype(np.int64)
        numbers = np.random.Generator(np.random.PCG64(seed)).uniform(-1, 1, int(steps[-1]) + 1)
        samples = numbers[steps]
    return samples


def _envelope(count: int, sustain: float, punch: float) -> Doubles:
    """Return the volume of a sound effect for each of ``count`` samples.

    Within the first 2 ms, the volume rises to 1 plus ``punch``. Then the volume falls slowly to 1,
    until the fraction ``sustain`` of the duration has passed. At the end, the volume falls to 0.
    """
    attack = min(96, count)
    sustained = max(attack, round(count * sustain))
    rise = (np.arange(attack) + 0.5) / attack
    middle = 1 + punch * (1 - np.arange(sustained - attack) / max(1, sustained - attack))
    fall = np.arange(count - sustained, 0, -1) / max(1, count - sustained)
    return np.concatenate((rise * (1 + punch), middle, fall))[:count]


_Random = np.random.Generator


def _coin(random: _Random) -> Recipe:
    return {
        "wave": "square",
        "seconds": random.uniform(0.25, 0.45),
        "frequency": random.uniform(700, 1200),
        "arpeggio": random.uniform(1.3, 1.7),
        "at": random.uniform(0.15, 0.3),
        "duty": random.uniform(0.2, 0.5),
        "sustain": 0.3,
        "punch": 0.4,
    }


def _laser(random: _Random) -> Recipe:
    return {
        "wave": ("square", "sawtooth", "sine")[int(random.integers(3))],
        "seconds": random.uniform(0.15, 0.35),
        "frequency": random.uniform(900, 2200),
        "slide": random.uniform(-3.5, -1.5),
        "duty": random.uniform(0.2, 0.5),
        "sustain": 0.2,
    }


def _explosion(random: _Random) -> Recipe:
    return {
        "wave": "noise",
        "seconds": random.uniform(0.5, 1.1),
        "frequency": random.uniform(300, 1100),
        "slide": random.uniform(-2.5, -0.8),
        "sustain": random.uniform(0.1, 0.3),
        "punch": random.uniform(0.3, 0.8),
    }


def _powerup(random: _Random) -> Recipe:
    return {
        "wave": ("square", "sawtooth")[int(random.integers(2))],
        "seconds": random.uniform(0.4, 0.7),
        "frequency": random.uniform(250, 500),
        "slide": random.uniform(0.7, 1.6),
        "vibrato": random.uniform(0.02, 0.06),
        "speed": random.uniform(8, 16),
        "sustain": 0.4,
    }


def _hit(random: _Random) -> Recipe:
    return {
        "wave": ("noise", "square", "sawtooth")[int(random.integers(3))],
        "seconds": random.uniform(0.1, 0.22),
        "frequency": random.uniform(250, 800),
        "slide": random.uniform(-2.5, -1.0),
        "sustain": 0.1,
        "punch": 0.3,
    }


def _jump(random: _Random) -> Recipe:
    return {
        "wave": "square",
        "seconds": random.uniform(0.2, 0.35),
        "frequency": random.uniform(250, 450),
        "slide": random.uniform(0.7, 1.4),
        "duty": random.uniform(0.2, 0.5),
        "sustain": 0.3,
    }


def _blip(random: _Random) -> Recipe:
    return {
        "wave": ("square", "triangle")[int(random.integers(2))],
        "seconds": random.uniform(0.06, 0.12),
        "frequency": random.uniform(400, 1200),
        "duty": random.uniform(0.2, 0.5),
        "sustain": 0.5,
    }


_RECIPES = {
    "coin": _coin,
    "laser": _laser,
    "explosion": _explosion,
    "powerup": _powerup,
    "hit": _hit,
    "jump": _jump,
    "blip": _blip,
}
KINDS = tuple(_RECIPES)
"""The kinds of sound effects. If the game does not pass a kind, the seed chooses one of these
kinds. Do not reorder them, or seeds would choose other kinds.
"""
