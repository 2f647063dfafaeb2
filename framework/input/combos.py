"""Parse key combinations such as "ctrl+s", "hold:e" and "double:e".

"ctrl+s" is a chord: the player must hold several keys or controls at the same time. "hold:e" means
that the player holds the key down for some time, and "double:e" that the player presses the key
twice within a short time.
"""

from __future__ import annotations

from typing import NamedTuple

MODIFIERS = {
    "ctrl": ("lctrl", "rctrl"),
    "shift": ("lshift", "rshift"),
    "alt": ("lalt", "ralt"),
    "command": ("lcommand", "rcommand"),
}
"""The two keys of each modifier, left and right. In a chord, the player needs to hold only one of
them.
"""
GESTURES = ("hold", "double")
MAX_PARTS = 4
"""The maximum number of keys or controls in a chord."""


class Combination(NamedTuple):
    """The parts of a combination. For example, "hold:ctrl+s" has the gesture "hold" and the words
    "ctrl" and "s".
    """

    gesture: str
    """The gesture: "hold", "double", or "" for a chord without a gesture."""
    words: tuple[str, ...]


def combination_of(text: str) -> Combination | None:
    """Return the parts of a combination. If ``text`` is the name of a single key or control, return
    None.
    """
    gesture, colon, chord = text.partition(":")
    if not colon or gesture not in GESTURES:
        gesture = ""
        chord = text
    words = tuple(chord.split("+", MAX_PARTS))
    is_single = len(words) == 1 and not gesture and words[0] not in MODIFIERS
    return None if is_single else Combination(gesture, tuple(word.strip() for word in words))


class GestureState(NamedTuple):
    """The state of a gesture in one tick, such as "hold:e" or "double:e"."""

    seconds: float = -1.0
    """The time in seconds since the key was pressed. The value is -1 if the key is not pressed."""
    active: bool = False
    """True if the gesture is complete and the key is still down."""
    presses: int = 0
    """1 in the tick that completes the gesture, otherwise 0."""
    releases: int = 0
    """1 in the tick that ends a completed gesture, otherwise 0."""

    @property
    def held(self) -> bool:
        """True if the gesture is active now, or was active for part of the tick."""
        return self.active or self.releases > 0


_ROUNDING = 1e-9  # in seconds, because a sum of tick durations is rarely exact


def next_hold(
    state: GestureState, dt: float, presses: int, is_held: bool, releases: int, seconds: float
) -> GestureState:
    """Return the next state of a "hold" gesture. ``dt`` is the duration of the tick in seconds. The
    gesture becomes active once the player has held the key for ``seconds`` seconds.

    ``presses``, ``is_held`` and ``releases`` describe the key in this tick.
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
    """Return the next state of a "double" gesture. ``dt`` is the duration of the tick in seconds.
    The gesture becomes active if the player presses the key twice within ``seconds`` seconds.
    """
    passed = state.seconds + dt if state.seconds >= 0 else -1.0
    if presses:
        is_second = presses > 1 or 0 <= passed <= seconds + _ROUNDING
        # A third press starts another pair.
        return GestureState(
            -1.0 if is_second else 0.0, is_second, int(is_second), int(state.active)
        )
    if state.active and (releases or not is_held):
        return GestureState(releases=1)
    return GestureState(passed, state.active)
