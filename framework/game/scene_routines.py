"""Start the tweens and routines (coroutines) of a scene, and let routines wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..checks import choice, instance, nearest, shown, whole
from ..input.bindings import input_of
from ..input.buttons import symbol_of
from ..input.gamepad_layout import control_name
from ..input.tick_input import EVENTS
from ..timing.routines import ConditionWait, Routine, Script, wait
from ..timing.schedule import Schedule

if TYPE_CHECKING:  # only for type checkers: most scenes do not import it
    from collections.abc import Callable

    from ..input.buttons import Buttons
    from ..input.players import Player
    from ..motion.tweens import Tween
    from .rules import Rules

MAX_TICKS = 1 << 53
"""The maximum number of ticks or seconds in one wait of a routine."""

_CALLERS = 3  # the number of calls from the game's call of `Scene.start` to `Routines.start`


def begin_tween(
    rules: Rules,
    target: Any,
    rows: Any,
    group: Schedule | None,
    options: dict[str, Any],
    fields: dict[str, Any],
) -> Tween:
    """Start a tween in a scene. For details, see `Scene.tween`."""

    def begin() -> Tween:
        clock = _clock(rules, group)
        routines = rules.routines
        now = clock.now if routines is None else routines.now(clock)
        return rules.make_tweens().add(clock, now, target, rows, options, fields)

    return rules.call_or_undo(begin)


def check_fields(target: object, fields: dict[str, Any]) -> None:
    """Raise `TypeError` if ``fields`` contains the name of a tween option in another engine, for
    example ``time`` instead of ``duration``.
    """
    # Imported here because only error messages need it.
    from ..motion.tween_targets import OTHER_OPTIONS

    for name in fields:
        if name in OTHER_OPTIONS and not hasattr(target, name):
            raise TypeError(f"tween: unknown option {name!r}; {OTHER_OPTIONS[name]}")


def begin_routine(rules: Rules, coroutine: Script, group: Schedule | None) -> Routine:
    """Start a routine (a coroutine) in a scene. For details, see `Scene.start`."""
    routines = rules.routines
    if routines is None:
        routines = rules.make_routines()
    default = rules.schedule or rules.make_schedule()
    clock = None if group is None else instance("group", group, Schedule)
    return routines.start(coroutine, clock, default, _CALLERS)


def _clock(rules: Rules, group: Schedule | None) -> Schedule:
    schedule = rules.make_schedule()
    return schedule if group is None else instance("group", group, Schedule)


async def condition(function: Callable[[], Any]) -> Any:
    """Wait in a routine until ``function()`` returns a true value, and return this value. For
    details, see `Scene.until`.
    """
    until = ConditionWait(function)
    await wait(until)
    return until.value


async def next_press(rules: Rules, player: Player, what: int | str) -> Any:
    """Wait in a routine until the first player presses a key or button, or until an event arrives.
    For details, see `Scene.next`.
    """
    if isinstance(what, str) and what.startswith("on_"):
        if what not in EVENTS:
            raise ValueError(
                f"what: expected an event, got {shown(what)}; the nearest are {nearest(what, EVENTS)}"
            )
        return await rules.make_routines().next_event(what)
    if isinstance(what, str) and what.startswith("pad:"):
        control = control_name(what)
        return await condition(lambda: sum(pad.presses(control) for pad in player.pads))
    buttons: Buttons = player.keys
    if isinstance(what, str) and what.startswith("mouse:"):
        buttons = player.mouse
        what = what.removeprefix("mouse:")
    symbol = symbol_of(buttons, what)
    return await condition(lambda: buttons.presses(symbol))


async def next_input(players: Sequence[Player], device: str | None, number: int) -> str:
    """Wait in a routine until a player presses any key or button, and return the name of this key
    or button. For details, see `Scene.next_input`.
    """
    if device is not None:
        choice("device", device, ("key", "mouse", "pad"))
    player = players[whole("player", number, 0, len(players) - 1)]
    name: str = await condition(lambda: input_of(player, device) or "")
    return name
