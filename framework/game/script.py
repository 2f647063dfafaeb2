"""What a scene does over time: tweens, and routines, which wait in the time of its ticks."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from ..checks import choice, instance, items, nearest, shown, whole
from ..input.bindings import input_of
from ..input.buttons import symbol_of
from ..input.layout import plain
from ..input.tick_input import EVENTS, Event
from ..timing.routines import Routine, Script, TaskGroup, Until, wait, waiting
from ..timing.schedule import Schedule, duration

if TYPE_CHECKING:  # what few scenes use
    from ..assets.background import ImageLoading
    from ..assets.images import ImageSource
    from ..geometry.eases import Ease
    from ..input.buttons import Buttons
    from ..input.keyboard import Keys
    from ..input.mouse import Mouse
    from ..input.players import Player
    from ..motion.tweens import Tween
    from .rules import Rules

T = TypeVar("T")

_MOST_TICKS = 1 << 53


class Scripted:
    """The part of a `Scene` that deals with what takes its time."""

    _rules: Rules
    game: Any
    keys: Keys
    mouse: Mouse
    _found: Callable[[], Any]

    def load_images(self, sources: Sequence[ImageSource]) -> ImageLoading:
        """Have images decoded in a thread, from now on and one after another: ``pictures.images``
        are taken by a `SpriteBatch` at once, which draws them as soon as they are there, and
        ``await pictures.within(2)`` waits.

        Their sizes are known at once. No rule of a game can go by when they come: where it asks for
        their pixels, it waits for them. Off screen, frames wait for them too. Raises `AssetError`
        for a file that is missing or is no image; one that is broken further on raises it when it
        is drawn, or waited for.
        """
        from ..assets.background import ImageLoading  # few games need it

        graphics = self._found().graphics
        return ImageLoading(
            items("sources", sources),
            graphics.folders,
            self.game.display.headless,
            graphics.drawing,
        )

    _brings: Callable[[], list[Event]] | None = (
        None  # asked by each tick while it is on top: what threads have done
    )

    def tween(
        self,
        target: Any,
        *,
        length: float | Fraction | None = None,
        ease: Ease = "linear",
        delay: float | Fraction = 0,
        repeat: float = 1,
        ping_pong: bool = False,
        relative: bool = False,
        shortest: bool = False,
        rows: Any = None,
        group: Schedule | None = None,
        **fields: Any,
    ) -> Tween:
        """Take attributes from where they are to other values, in ``length`` simulated seconds:
        ``self.tween(card, position=(400, 300), angle=0, length=0.4, ease="out_back")``.

        ``target`` is a sprite, an instance or another handle; a batch, of which all rows are moved
        or those of ``rows`` (indices, a mask or a slice; values are for all of them, or one for
        each); or any object that has the attributes and on which each is a number or a tuple of
        numbers: a camera, a label, a light. ``x``, ``y``, ``z`` and ``alpha`` are parts of
        ``position`` and ``color``.

        It is written at the beginning of each tick, after scheduled tasks and before `update`, and
        in the tick in which it ends the value is the very one that was given. It begins now, or
        ``delay`` seconds from now, from where the attribute is then. Of two that move the same, the
        newer one goes on and the older one ends. When the row or the label is removed, it ends too.

        Parameters
        ----------
        length
            Seconds, in the time of the scene, or of a ``group`` of its schedule; may be left out
            with a `Spring`.
        ease
            A name of `EASES`, a `Bezier`, a `Spring`, or a function of shares of the time (float64
            arrays).
        repeat
            How many times it runs: 1, 2, …, or ``math.inf``. With ``ping_pong`` each second run is
            backwards.
        relative
            Values are by how much to change: ``self.tween(door, y=64, length=1, relative=True)``.
        shortest
            Values are angles in radians, and are reached by the shorter way round. (Rotations in
            space always are.)

        Raises `AttributeError` for a name that there is not, with the nearest one, `TypeError` and
        `ValueError` for what is no finite number, or too many of them.
        """
        options = {
            "length": length,
            "ease": ease,
            "delay": delay,
            "repeat": repeat,
            "ping_pong": ping_pong,
        }
        options |= {"relative": relative, "shortest": shortest}

        def asked() -> Tween:
            clock, routines = self._time_of(group), self._rules.routines
            begin = clock.now if routines is None else routines.now(clock)
            return self._rules.make_tweens().add(clock, begin, target, rows, options, fields)

        return self._rules.asked(asked)

    def start(self, coroutine: Script, *, group: Schedule | None = None) -> Routine:
        """Run a coroutine in the ticks of this scene: ``self.start(self.intro())``, where ``async
        def intro(self)``.

        It begins in the next tick (started by another one, in this tick), and is resumed at the
        beginning of ticks, after tweens and before the first systems and `update`. Within it, await
        `seconds`, `ticks`, `until`, `next`, a tween, another routine, or coroutines of your own. It
        stands still while the scene is paused by one above it, and is cancelled when that is taken
        off: its ``with`` and ``finally`` blocks are left. With a ``group`` of the schedule it waits
        in that one's time.

        An error in it is raised by the tick, with a note of where it was started. A snapshot cannot
        hold a running routine, and says so.
        """
        clock = None if group is None else self._time_of(group)
        return self._rules.make_routines().start(coroutine, clock, self._time_of(None))

    def tasks(self) -> TaskGroup:
        """Several routines that end with a block, within a routine: ``async with self.tasks() as
        tasks:``, and in it ``tasks.start(self.enemy())``. The block is left when all of them have
        ended; see `TaskGroup`."""
        return TaskGroup(self._rules.make_routines())

    @waiting
    def seconds(self, seconds: float | Fraction) -> Generator[Any, None, None]:
        """Within a routine, wait for so many simulated seconds: ``await self.seconds(1.5)``.

        They count from the moment at which the routine was due, so that waits add up exactly. 0 is
        the next tick.
        """
        if seconds.__class__ is not float or not 0 < seconds < _MOST_TICKS:
            seconds = duration("seconds", seconds)
        yield seconds or 1

    @waiting
    def ticks(self, ticks: int = 1) -> Generator[Any, None, None]:
        """Within a routine, wait for so many ticks: ``await self.ticks(3)``."""
        if ticks.__class__ is not int or ticks < 1:
            ticks = whole("ticks", ticks, 1, _MOST_TICKS)
        yield ticks

    async def until(self, condition: Callable[[], T]) -> T:
        """Within a routine, wait until a function returns what counts as true, and return that:
        ``await self.until(lambda: self.lives == 0)``. It is called in each tick, once those are
        resumed that wait for seconds and ticks: in this one too, unless that is over. What it
        raises is raised here."""
        until = Until(condition)
        await wait(until)
        found: T = until.found
        return found

    async def next(self, what: int | str) -> Any:
        """Within a routine, wait for a press or an event.

        A key, by its name or symbol, as in ``await self.next("space")``, or a button, as in
        ``"mouse:left"`` and ``"pad:a"`` (of any of the first player's pads): returns how often it
        was pressed in that tick. An event of pyglet's, as in ``await self.next("on_mouse_press")``:
        returns what the method of that name is given, in a tuple; the scene is to be on top, as for
        the method.
        """
        if isinstance(what, str) and what.startswith("on_"):
            if what not in EVENTS:
                raise ValueError(
                    f"what: {shown(what)} is no event; the nearest are {nearest(what, EVENTS)}"
                )
            return await self._rules.make_routines().heard(what)
        if isinstance(what, str) and what.startswith("pad:"):
            player: Player = self.game.players[0]
            control = plain(what)
            return await self.until(lambda: sum(pad.pressed(control) for pad in player.pads))
        buttons: Buttons = self.keys
        if isinstance(what, str) and what.startswith("mouse:"):
            buttons, what = self.mouse, what.removeprefix("mouse:")
        symbol = symbol_of(buttons, what)
        return await self.until(lambda: buttons.pressed(symbol))

    async def next_input(self, device: str | None = None, *, player: int = 0) -> str:
        """Within a routine, wait until anything is pressed, and return its name, as in "space",
        "mouse:left", "pad:a": for `Actions.rebind`. ``device`` is "key", "mouse" or "pad" where
        only such a one will do."""
        if device is not None:
            choice("device", device, ("key", "mouse", "pad"))
        players: tuple[Player, ...] = self.game.players
        who = players[whole("player", player, 0, len(players) - 1)]
        return await self.until(lambda: input_of(who, device) or "")

    def _time_of(self, group: Schedule | None) -> Schedule:
        schedule = self._rules.make_schedule()
        return schedule if group is None else instance("group", group, Schedule)
