"""Playing a game by program, as tests, agents and other machines do, and writing down what was
played.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import checks
from ..errors import FrameworkError
from ..input import key
from ..input.layout import KINDS, MAX_PADS, STICKS, TRIGGERS, plain, quantised
from ..input.mouse import MOUSE_BUTTONS
from ..input.pads import Pad, event_of
from ..input.players import Desk, Player
from ..input.tick_input import Event, TickInput
from ..timing.timestep import Tick
from .events import Events
from .loop import Loop, VirtualClock
from .names import kept
from .painter import Painter
from .stage import Stage
from .subsystems import Subsystems
from .surface import Surface

if TYPE_CHECKING:
    from .recorder import Recorder
    from .rewind import Rewind


class Driven(NamedTuple):
    """What of a game those need that play it by program, from the first tick on."""

    stage: Stage
    loop: Loop
    events: Events
    clock: VirtualClock
    painter: Painter


@kept
class Playing:
    """What plays a game without hands: all of it is latched by the next tick, as if it came from
    the window.

    `Game.press` and `game.keys.press`, and so on for mouse and pads, put the same events. Between
    ticks these are input: recordings and `Rewind` note them, and while a recording is played they
    are ignored. Within a tick, as in `update`, they follow from the state: they are not noted, and
    a tick that is run again puts them again.
    """

    _home: Stage
    _events: Events
    _clock: VirtualClock
    _live: Any  # a `Surface`, of a game that is open
    _loop: Loop
    _subsystems: Subsystems
    _painter: Painter
    _recorder: Recorder | None = None
    _rewind: Rewind | None = None
    _running: bool

    @property
    def players(self) -> tuple[Player, ...]:
        """Who plays, each with ``keys``, ``mouse`` and ``pads``; the first one's are the game's
        own.
        """
        return self._home.players

    def press(self, key: int | str, *, player: int = 0) -> None:
        """Press a key, its symbol or its name, as in ``press("space")``, or a gamepad's button:
        ``press("pad:a")``.

        It is down until `release`. A trigger goes to its end, and a stick to that side:
        ``press("pad:leftstickup")``. A pad is plugged in where the player has none.
        """
        self._turn("on_key_press", key, player)

    def release(self, key: int | str, *, player: int = 0) -> None:
        """Let go of a key, or of a gamepad's button."""
        self._turn("on_key_release", key, player)

    def _turn(self, name: str, key: int | str, player: int) -> None:
        if isinstance(key, str) and key[:4].lower() == "pad:":
            plain(key)  # an error before a pad is plugged in
            self._put(event_of(self._pad(player), key, name == "on_key_press"), player)
        else:
            self._put((name, self._player(player).keys.symbol(key), 0), player)

    def tilt(self, stick: str, x: float, y: float, *, player: int = 0) -> None:
        """Have a stick of the player's gamepad lean, as in ``tilt("leftstick", 0, 1)``: right and
        up, -1 to 1.
        """
        stick = checks.choice("stick", stick, STICKS)
        place = [
            checks.number(name, value, least=-1, most=1) for name, value in (("x", x), ("y", y))
        ]
        self._put(("on_pad_stick", self._pad(player).number, stick, *map(quantised, place)), player)

    def squeeze(self, trigger: str, value: float, *, player: int = 0) -> None:
        """Pull a trigger of the player's gamepad, as in ``squeeze("righttrigger", 0.8)``: 0 to
        1.
        """
        trigger = checks.choice("trigger", trigger, TRIGGERS)
        value = checks.number("value", value, least=0, most=1)
        self._put(("on_pad_trigger", self._pad(player).number, trigger, quantised(value)), player)

    def plug(
        self,
        name: str = "Gamepad",
        kind: str = "generic",
        *,
        pad: int | None = None,
        player: int = 0,
    ) -> int:
        """Plug in a gamepad that no hand holds, in a place of `Game.pads` or else in the first that
        is free; returns its place. ``kind`` is one of "xbox", "playstation", "nintendo", "generic":
        see `Pad.glyph`."""
        self._player(player)
        name, kind = checks.text("name", name), checks.choice("kind", kind, KINDS)
        there = self._plugged()
        free = [place for place, owner in enumerate(there) if owner is None]
        if pad is None and not free:
            raise FrameworkError(f"plug: all {MAX_PADS} places for gamepads are taken")
        place = free[0] if pad is None else checks.whole("pad", pad, 0, MAX_PADS - 1)
        self._put(("on_pad_connect", place, name, kind), player)
        return place

    def unplug(self, pad: int = 0) -> None:
        """Pull out a gamepad: it lets go of everything."""
        self._live  # noqa: B018
        self._put(("on_pad_disconnect", checks.whole("pad", pad, 0, MAX_PADS - 1)), 0)

    def _plugged(self) -> list[int | None]:
        """Of each place, whose pad is there when all that came is latched: -1 nobody's, None for
        none.
        """
        places = self._home.pads.after(self._home.incoming.waiting())
        return [(-1 if owner is None else owner) if there else None for there, owner in places]

    def _pad(self, player: int) -> Pad:
        """A player's pad that is there; one is plugged in for who has none."""
        self._player(player)
        there = self._plugged()
        whose = [place for place, owner in enumerate(there) if owner == player]
        return self._home.pads[whose[0] if whose else self.plug(player=player)]

    def click(self, x: float, y: float, button: str = "left", *, player: int = 0) -> None:
        """Press one of the mouse's buttons at a place of the picture, in units, and let go of it
        there. `self.mouse` is there from then on; `on_mouse_motion` is not called, which `feed`
        does."""
        self._player(player)
        place = checks.number("x", x), checks.number("y", y)
        symbol = MOUSE_BUTTONS[checks.choice("button", button, MOUSE_BUTTONS)]
        self._put(("on_mouse_press", *place, symbol, 0), player)
        self._put(("on_mouse_release", *place, symbol, 0), player)

    def type(self, text: str, *, player: int = 0) -> None:
        """Type a text: each character comes as ``on_text``, between the press and the release of
        its key if it has one.

        A line's end is the key Return, whose text is ``"\\r"``.
        """
        keys = self._player(player).keys
        for character in checks.text("text", text).replace("\n", "\r"):
            symbol = (
                key.RETURN
                if character == "\r"
                else keys.find("space" if character == " " else character)
            )
            if symbol is not None:
                self._put(("on_key_press", symbol, 0), player)
            self._put(("on_text", character), player)
            if symbol is not None:
                self._put(("on_key_release", symbol, 0), player)

    def feed(self, events: TickInput | list[Event] | tuple[Event, ...]) -> None:
        """Have the next tick latch events: those of a `TickInput`, or pyglet's, as in
        ``[("on_mouse_scroll", 9, 9, 0, 1)]``, with places in units of the picture. Raises
        `ValueError` for what is none.
        """
        self._live  # noqa: B018  (an error if it was closed)
        given = (
            events.events
            if isinstance(events, TickInput)
            else tuple(checks.items("events", events))
        )
        player = 0
        for event in TickInput.decode(
            TickInput(given).encode()
        ).events:  # numbers as a recording has them
            if event[0] == "player":
                self._player(event[1])
                player = event[1]
            elif event[0] != "still":
                self._put(event, player)

    def _player(self, number: int) -> Player:
        self._live  # noqa: B018
        return self._home.players[checks.whole("player", number, 0, len(self._home.players) - 1)]

    def _put(self, event: Event, player: int) -> None:
        incoming = self._home.incoming
        if not (incoming.own_is_recorded and incoming.ticking):
            incoming.put(event, player)

    # -- recordings --------------------------------------------------------------------------------

    def record(self, path: str | os.PathLike[str], *, hash_every: int = 60) -> None:
        """Write what is played from here on to a file, for `Replay`: block by block, so that a
        crash loses little.

        It is to be called before the first tick: a recording has what came, and the state follows
        from that. Every ``hash_every`` ticks it notes a hash of the state, where the game has one;
        0 for none. Raises `AssetError` where the file cannot be written, and `FrameworkError` when
        ticks have passed, or a recording is on.
        """
        self._live  # noqa: B018
        path, hash_every = checks.path("path", path), checks.whole("hash_every", hash_every, 0)
        if self._recorder is not None:
            raise FrameworkError(
                f"record: what is played is written to {self._recorder.path!r} already"
            )
        if self._loop.tick or self._home.busy:
            raise FrameworkError(
                f"record: {self._loop.tick} ticks have passed, which a recording would "
                "not have; call it before the "
                "first one, or start the game by `framework run FILE --record PATH`"
            )
        from .recorder import Recorder  # most games are not recorded

        def begin(place: str) -> None:
            self._recorder = self._subsystems.add(
                Recorder(self._home, self._loop, place, hash_every)
            )

        self._home.files.write(path, "file", begin)

    def stop_recording(self) -> None:
        """End the recording; the game goes on. Does nothing when there is none. `close` does it
        too.
        """
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            self._subsystems.remove(recorder)
            recorder.release()

    # -- going back --------------------------------------------------------------------------------

    @property
    def rewind(self) -> Rewind | None:
        """A `Rewind`, with which F4 shows a strip of the last ticks to go back on; None, as a game
        begins, for none.
        """
        return self._rewind

    @rewind.setter
    def rewind(self, value: Rewind | None) -> None:
        self._live  # noqa: B018
        from .rewind import Parts, Rewind  # few games are wound back

        if value is not None:
            checks.instance("rewind", value, Rewind, what="a Rewind or None")
        if value is not self._rewind:
            if value is not None:
                parts = Parts(
                    self,
                    self._home,
                    self._loop,
                    self._events,
                    self._painter,
                    partial(run_ticks, self),
                )
                value.attach(parts)
            before, self._rewind = self._rewind, value
            if before is not None:
                before.detach()
            if value is not None:
                value.begin()

    # -- what drives a game without frames ---------------------------------------------------------

    def _driven(self) -> Driven:
        return Driven(self._home, self._loop, self._events, self._clock, self._painter)


def driven(game: Playing) -> Driven:
    """The parts of a game that is to be played by program."""
    return game._driven()


def _present() -> Desk | None:
    """Who plays the game that is at work, or that was made last."""
    game = Surface.present()
    return None if game is None else driven(game).stage.desk


Desk.find = _present


def run_ticks(game: Playing, ticks: Iterable[Tick]) -> None:
    """Run ticks, each made when it is asked for, and draw nothing. `Loop.frame` draws where this
    has come to.
    """
    stage, loop, *_ = game._driven()
    with at_work(game):
        for tick in ticks:
            if stage.calls and not stage.past.standing:
                stage.make_calls()
            loop.run_tick(tick)


@contextmanager
def at_work(game: Playing) -> Iterator[None]:
    """While a program runs the game's ticks: `Game.close` waits until it is through."""
    with game._live.working():
        before, game._running = game._running, True
        try:
            yield
        finally:
            game._running = before
