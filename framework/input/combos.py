"""Combinations: the syntax of chords such as "ctrl+s", and of keys that are held or tapped twice.

A chord is several sources (keys or controls) that are down together. "hold:e" is a source that is
held for a while, and "double:e" a source that is pressed twice in a short time.
"""

from __future__ import annotations

from typing import NamedTuple

MODIFIERS = {
    "ctrl": ("lctrl", "rctrl"),
    "shift": ("lshift", "rshift"),
    "alt": ("lalt", "ralt"),
    "command": ("lcommand", "rcommand"),
}
"""The two keys of each modifier. Either of them counts."""
GESTURES = ("hold", "double")
MAX_PARTS = 4
"""Maximum number of sources in a chord."""


class Combination(NamedTuple):
    """The parts of a combination: "hold:ctrl+s" consists of the gesture "hold" and the words "ctrl"
    and "s".
    """

    gesture: str
    """One of `GESTURES`, or "" for a chord or modifier without a gesture."""
    words: tuple[str, ...]


def combination_of(text: str) -> Combination | None:
    """Return the words of a combination, or None if ``text`` names a single source."""
    gesture, colon, chord = text.partition(":")
    if not colon or gesture not in GESTURES:
        gesture, chord = "", text
    words = tuple(chord.split("+", MAX_PARTS))
    is_single = len(words) == 1 and not gesture and words[0] not in MODIFIERS
    return None if is_single else Combination(gesture, tuple(word.strip() for word in words))


class GestureState(NamedTuple):
    """The state of a source that is held or tapped twice, in one tick."""

    seconds: float = -1.0
    """The time since the press in question. -1: there was none."""
    active: bool = False
    """Whether the gesture is complete, and its source still down."""
    presses: int = 0
    """1 in the tick that completes the gesture, otherwise 0."""
    releases: int = 0
    """1 in the tick that releases the source of a complete gesture, otherwise 0."""

    @property
    def held(self) -> bool:
        """Whether the gesture was active at any moment since the last tick."""
        return self.active or self.releases > 0


_ROUNDING = 1e-9  # seconds: a sum of ticks is rarely exact


def next_hold(
    state: GestureState, dt: float, presses: int, is_held: bool, releases: int, seconds: float
) -> GestureState:
    """Return the new state of a source with the gesture "hold", after a tick of ``dt`` seconds. The
    player must hold the source for ``seconds``.

    ``presses``, ``is_held`` and ``releases`` describe the key or button in this tick.
    """
    ends = releases > 0 or not is_held or presses > 0
    held_for = 0.0 if presses else state.seconds + dt if state.seconds >= 0 else -1.0
    if ends and state.active:
        return GestureState(held_for if presses else -1.0, releases=1)
    if not is_held or (releases and not presses):
        return GestureState()
    active = held_for >= seconds - _ROUNDING
    return GestureState(held_for, active, int(active and not state.active))


def next_double(
    state: GestureState, dt: float, presses: int, is_held: bool, releases: int, seconds: float
) -> GestureState:
    """Return the state of a source that must be pressed twice within ``seconds``."""
    passed = state.seconds + dt if state.seconds >= 0 else -1.0
    if presses:
        is_second = presses > 1 or 0 <= passed <= seconds + _ROUNDING
        # A third press begins another pair.
        return GestureState(
            -1.0 if is_second else 0.0, is_second, int(is_second), int(state.active)
        )
    if state.active and (releases or not is_held):
        return GestureState(releases=1)
    return GestureState(passed, state.active)
