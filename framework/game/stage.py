"""The stage: what a game's scenes and its window's events are given, without knowing the game."""

from __future__ import annotations

import os
import time
from _thread import get_ident
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from ..errors import FrameworkError
from ..gpu.graphics import Graphics, check_thread, shared_of
from ..input.buttons import Latching
from ..input.keyboard import every_key
from ..input.players import Desk, forget_input
from ..input.tick_input import Event, Inbox, Scale, TickInput, by_player, told_before
from ..view import View, fit
from ..watch.garbage import Collector
from ..watch.monitor import Monitor
from ..watch.notes import Notes
from .contents import Contents
from .past import Past
from .rules import Rules, TickTimes
from .running import RunningGame, RunningScene
from .savefiles import SaveFiles
from .surface import Surface

if TYPE_CHECKING:
    from ..audio.audio import Audio
    from ..gpu.transitions import Transition
    from ..resources import Folder
    from ..ui.interface import Interface

# Switches of scenes that hooks ask for one after another: more would be without end.
_MOST_SWITCHES = 1000

# What views may have listeners for.
_MOUSE = frozenset(
    f"on_mouse_{what}"
    for what in ("motion", "drag", "press", "release", "scroll", "enter", "leave")
)


class OnStage(Protocol):
    """The works of a scene, as far as the stage needs them."""

    rules: Rules

    def parts(self) -> dict[str, object]: ...
    def use_touched(self) -> None: ...
    def take_off(self) -> None: ...


class HasRelease(Protocol):
    """A transition that was begun, as far as the stack of scenes needs it."""

    def release(self) -> None: ...


class HasNotes(Protocol):
    """The inspector, as far as the stage needs it."""

    notes: Notes

    def close(self) -> None: ...


class Entry(NamedTuple):
    """A scene that is on, with what it draws and its works."""

    scene: RunningScene
    contents: Contents
    works: OnStage

    @property
    def rules(self) -> Rules:
        """What its ticks run beside `update`."""
        return self.works.rules


class Stage:
    """Where scenes play: the picture, what the player did, the game's random numbers, and the
    scenes that are on.

    Parameters
    ----------
    game
        The game, for `Scene.game`.
    surface
        What is drawn to.
    folders
        Where the game's files are looked up.
    seed
        Of the game's random numbers.
    monitor
        What the scenes' phases are timed by.
    resolution, scaling
        The virtual size of the picture, None for the window's own, and how it lies in the window.
    players
        How many play.
    immediate
        Whether events reach the methods at once, between ticks.
    """

    not_state = True  # what of it is state, `Backstage` sees to

    files: SaveFiles
    capture: Callable[[Transition], HasRelease | None] = staticmethod(lambda transition: None)
    """Begins a transition, with the picture of the scenes that are on; it is under way once it is
    given to `cross`. None where there are no pictures."""
    cross: Callable[[Any], None] = staticmethod(lambda crossing: None)

    between_ticks = False
    """Whether no rules run: no tick, no event handler, no `setup`. While a picture is drawn,
    too.
    """
    untouched = False
    """Whether things may have been made because they were read between ticks: see `SceneWorks.read`."""
    tick_times: TickTimes
    """Receives the parts of each tick: the monitor's recorder, or the probe of a sync test."""

    def __init__(
        self,
        game: RunningGame,
        surface: Surface,
        folders: tuple[Folder, ...],
        seed: int,
        monitor: Monitor,
        resolution: tuple[float, float] | None,
        scaling: str,
        players: int,
        immediate: bool,
    ) -> None:
        self.game = game
        self.surface = surface
        self.seed = seed
        self._random: np.random.Generator | None = None
        self.monitor, self.tick_times = monitor, monitor.recorder
        self.desk = Desk(every_key(), players)
        self.players, self.pads = self.desk.players, self.desk.pads
        self.keys, self.mouse = self.players[0].keys, self.players[0].mouse
        own: list[Latching] = [
            device for player in self.players for device in (player.keys, player.mouse)
        ]
        self.devices: list[Latching] = [*own, self.pads, self.desk]
        """What is latched when a tick begins, where something is pending."""
        self.incoming = self.desk.incoming
        self.incoming.taken = self.taken
        self.immediate = immediate
        self.notes: list[Callable[[int, list[Event], bool], object]] = []
        """Are told the events that the tick of a number latches; with True, of some that came
        before it, while time stood still."""
        self.latching = False
        """The methods hear of what a tick latches."""
        self.past = Past()
        """What is known of ticks that were run before."""
        self.unanswered: Callable[[Event], object] | None = None
        """Is told of the events that no method kept to itself."""
        self.collector = Collector()
        self.after_frame: Callable[[], object] | None = None
        """To be done after this frame, as a part of loading: no game time passes in it."""
        self.resolution, self._scaling = resolution, scaling
        self.magnified = resolution is not None
        """Whether the game itself has a resolution. A replay gives one to a game that has none: see
        `keep_size`.
        """
        self.barred = False
        """Whether the picture leaves some of the window free."""
        self.view = self.seen = View(surface.size, (0, 0, *surface.framebuffer_size))
        """How the picture lies on the framebuffer, of the size that the ticks know of, and of that
        of the window.
        """
        self.scale = Scale()
        """How places in the window become units of the picture."""
        self._fit()
        self.view = self.seen
        self.graphics = Graphics(
            surface.ctx, folders, max(self.view.pixels_per_unit), surface.drawing
        )
        self.graphics.working = surface.working
        self.on: list[Entry] = []
        """The scenes that are on, the game itself first."""
        self.busy = False
        """In a tick or while painting: scenes are switched after it."""
        self.painting = False
        self.switches: list[Callable[[], None]] = []
        """Of scenes, that are still to be made."""
        self.switching = False
        """Scenes are being switched: others wait their turn."""
        self.pictures: list[Callable[[], object]] = []
        """To be written when the frame's picture is finished."""
        self.calls: deque[Callable[[], object]] = deque()
        """What other threads, or anybody, want done before the next frame."""
        self.made_with: tuple[tuple[Any, ...], dict[str, Any]] = (), {}
        """The arguments that the game was made with."""
        self.shows_error: Callable[[Exception], bool] | None = None
        """Is given the errors of frames in a window: whether it shows them there, and the loop goes
        on.
        """
        self.inspector: HasNotes | None = None
        """The panel that shows what there is, while it is open."""
        self.inspect: Callable[[], object] | None = None
        """Opens it, and closes it, where F2 does that."""
        self.exiting = False
        """Whether `Game.run` ends after this frame."""

    # -- as the current game -----------------------------------------------------------------------

    @property
    def folders(self) -> tuple[Folder, ...]:
        """The folders of the files that define the game."""
        return self.graphics.folders

    @property
    def audio(self) -> Audio:
        """The game's `Audio`, made when it is first used."""
        return self.game.audio

    def draw_again(self) -> None:
        """Have GL draw in this game again; do nothing if it was closed."""
        if self.surface.window is not None and self.surface.thread == get_ident():
            self.surface.make_current()

    def draw_if_free(self) -> bool:
        """Have GL draw in this game if no game's context is current. Return False if the game draws
        nothing in this thread.
        """
        surface = self.surface
        if surface.gl is None or surface.thread != get_ident():
            return False
        if surface.gl.current_context is None:
            surface.make_current()
        return True

    def read_file(self, path: str) -> bytes | None:
        """Return the content of a save; None in a thread that only works for the game."""
        return self.files.read(os.path.abspath(path)) if self.files.in_own_thread else None

    def write_file(self, path: str, do: Callable[[str], object]) -> None:
        """Have ``do`` write a file: at the path, elsewhere, or not at all. See `savefiles`."""
        if self.files.in_own_thread:
            self.files.write(path, "file", do)
        else:
            do(path)

    # ----------------------------------------------------------------------------------------------

    @property
    def random(self) -> np.random.Generator:
        """The game's random numbers, made when they are first asked for: few things take longer to
        load.
        """
        if self._random is None:
            self._random = np.random.default_rng(self.seed)
        return self._random

    @property
    def inbox(self) -> Inbox:
        """What the players did since the last tick."""
        return self.incoming.inbox

    @inbox.setter
    def inbox(self, value: Inbox) -> None:
        self.incoming.inbox = value

    @property
    def live(self) -> Surface:
        """The surface of a game that is open. Raises `FrameworkError` after the game was closed."""
        if self.surface.game_closed:
            raise FrameworkError("This game was closed; make a new one.")
        return self.surface

    # -- the picture -------------------------------------------------------------------------------

    def resized(self, width: int, height: int) -> None:
        """The window has another size, in units. The ticks are told of it by the event
        ``on_resize``.
        """
        self.surface.resized(width, height)
        self._fit()
        self._look(View(self.view.size, self.seen.viewport))

    def keep_size(self) -> None:
        """From now on, the picture has the size that it has, whatever the window's."""
        self.resolution = self.resolution or self.view.size
        self._fit()
        self._look(View(self.view.size, self.seen.viewport))

    def have_size(self, size: tuple[float, float]) -> None:
        """The ticks know of a picture of this size, as they did once."""
        if size != self.view.size:
            self._look(View(size, self.seen.viewport))

    def _look(self, view: View) -> None:
        self.view = view
        for entry in self.on:
            entry.contents.look(view)

    def _fit(self) -> None:
        surface = self.surface
        if not surface.drawable:
            return
        if self.resolution is not None:
            self.seen = fit(self.resolution, surface.framebuffer_size, self._scaling)
        else:
            self.seen = View(surface.size, (0, 0, *surface.framebuffer_size))
        left, bottom, _, _ = viewport = self.seen.viewport
        self.barred = viewport != (0, 0, *surface.framebuffer_size)
        self.scale = Scale(surface.pixel_ratio, left, bottom, *self.seen.pixels_per_unit)

    def settle(self) -> int:
        """Do what was to be done after the frame. Returns the nanoseconds that it took."""
        start = time.perf_counter_ns()
        task, self.after_frame = self.after_frame, None
        if task is not None:
            task()
        return time.perf_counter_ns() - start

    def write_pictures(self) -> None:
        """Write those that were asked for in this frame, all that can be. Raises the first one's
        error.
        """
        pictures, self.pictures = self.pictures, []
        errors = []
        for write in pictures:
            try:
                write()
            except Exception as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def make_calls(self) -> None:
        """Make the calls that were asked for until now."""
        self.past.disturbed = True
        for _ in range(len(self.calls)):
            self.calls.popleft()()

    # -- what the players do -----------------------------------------------------------------------

    def hear(self, event: Event) -> None:
        """Something came from the window: for the next tick, or where events are immediate, for the
        methods now.
        """
        if self.immediate and self.game is not None:
            self._hear_now(self.game.tick + 1, [event])
        else:
            self.inbox.put(event)

    def hear_still(self, number: int) -> None:
        """Time stands still: what came reaches the methods without a tick. The keys count in the
        tick ``number``.
        """
        self._hear_now(number, self.inbox.take())

    def _hear_now(self, number: int, events: list[Event]) -> None:
        """Without a tick: what the game itself put in its last one is heard first, and is input
        from here on.
        """
        if self.incoming.own.events:
            events = [*self.incoming.own.take(), *events]
        for note in self.notes:
            note(number, events, True)
        self._tell(events)

    def hear_again(self, number: int, came: TickInput) -> None:
        """Have the tick ``number`` latch what was noted of it, in a replay or a tick that is run
        again.
        """
        told, events = told_before(came.events)
        if told:
            if not self.incoming.own_is_recorded:
                self.incoming.own.take()  # it is among what was noted: see `_hear_now`
            self.inbox.events = [*told]
            self.hear_still(number)
        self.inbox.events = [*events]

    def use_touched(self) -> None:
        """Have scenes use what was made when it was read between ticks, if it was changed since."""
        for entry in self.on:
            entry.works.use_touched()

    @contextmanager
    def rules(self) -> Iterator[None]:
        """Rules run within, though no tick does."""
        before, self.between_ticks = self.between_ticks, False
        try:
            yield
            for entry in self.on:
                for ending in entry.rules.endings:
                    ending()
        finally:
            self.between_ticks = before

    def _tell(self, events: list[Event]) -> None:
        with self.rules():
            self._tell_all(events)

    def _tell_all(self, events: list[Event]) -> None:
        interfaces, events = self._ask_interfaces(events)
        self._act(interfaces)
        for player, event in by_player(events):
            self.players[player]._take(event)
            if not player:
                self._dispatch(event)

    def _ask_interfaces(self, events: list[Event]) -> tuple[list[Interface], list[Event]]:
        """The interfaces of the scenes that hear what came, and what of it was for none of their
        widgets.
        """
        if not self.on:
            return [], events
        hearing = [
            self.on[-1],
            *(self.on[:1] if len(self.on) > 1 and not self.first("pauses_below") else ()),
        ]
        interfaces = [entry.contents.ui for entry in hearing if entry.contents.ui is not None]
        for interface in interfaces:
            events = interface.hear(events)
        return interfaces, events

    def taken(self) -> set[tuple[Any, ...]]:
        """What is down, whose press was for a widget."""
        found = [entry.contents.ui.taken for entry in self.on if entry.contents.ui is not None]
        return set().union(*found)

    def _act(self, interfaces: Sequence[Interface]) -> None:
        top = self.on[-1:]
        for interface in interfaces:
            interface.act(lambda: not self.switches and self.on[-1:] == top)

    def latch(self, number: int) -> None:
        """The tick ``number`` begins: it latches what came, and the methods hear of that."""
        events = self.inbox.take()
        if self.on[-1].scene._brings is not None:
            events += self._arrivals(number)
        for note in self.notes:
            note(number, events, False)
        if self.incoming.own.events:
            events = [*self.incoming.own.take(), *events]
        self.latching = True
        try:
            interfaces, events = self._ask_interfaces(events) if events else ((), events)
            for player, event in by_player(events):
                self.players[player]._take(event)
            for device in self.devices:
                device.begin_tick()
            self._act(interfaces)
            for player, event in by_player(events):
                if not player:
                    self._dispatch(event)
        finally:
            self.latching = False

    def _arrivals(self, number: int) -> list[Event]:
        """What the scene on top has from a thread. When it came is the machine's affair, so it
        comes as the player's events do: a recording has it, and ticks that are run again get it
        when they got it before."""
        past = self.past
        if past.standing or past.replaying:
            return []
        if number > past.reached:
            past.arrived.pop(number, None)
            brings = self.on[-1].scene._brings
            found = [] if brings is None else brings()
            if found:
                past.arrived[number] = found
        return past.arrived.get(number, [])

    def _dispatch(self, event: Event) -> None:
        """Give an event to the scene on top, then to the game, unless that one kept it to
        itself.
        """
        name, *args = event
        if name == "on_resize":
            self._look(View((args[0], args[1]), self.seen.viewport))
        if not self.on:  # closed by one of the methods
            return
        hearing = list({id(entry): entry for entry in (self.on[-1], self.on[0])}.values())
        for entry in hearing:
            if entry.rules.routines is not None:
                entry.rules.routines.hear(name, tuple(args))
        for scene, views in [(entry.scene, entry.contents.views) for entry in hearing]:
            if views is not None and name in _MOUSE and views.hear(name, *args):
                return
            handler = getattr(scene, name, None)
            if handler is not None and handler(*args):
                return
        if self.unanswered is not None:
            self.unanswered(event)

    def listens(self, name: str) -> bool:
        """Whether a method would hear of an event, or a widget might."""
        if not self.on:
            return False
        top = self.on[-1]
        if top.contents.ui is not None or self.on[0].contents.ui is not None:
            return True
        return any(hasattr(scene, name) for scene in (top.scene, self.game))

    # -- the scenes --------------------------------------------------------------------------------

    def switch(self, change: Callable[[], None]) -> None:
        """Put a scene on or take one off: now, or when the tick or the picture is finished."""
        check_thread(self.surface.thread)
        self.switches.append(change)
        if not self.busy:
            with self.surface.working():
                self.make_switches()
            # The press whose event brought the scene is not one for the scene itself: it would end
            # a pause at once.
            for player in self.players:
                forget_input(player)

    def make_switches(self) -> None:
        """Make those that were put off."""
        if self.switching:  # asked for by a hook of a scene that is being switched: it comes next
            return
        self.switching = True
        try:
            for _ in range(_MOST_SWITCHES):
                if not self.switches:
                    return
                with self.rules():
                    self.switches.pop(0)()
            raise FrameworkError(
                f"scenes: {_MOST_SWITCHES} were switched in a row; does each one's "
                "enter() push another?"
            )
        finally:
            self.switching = False
            self.switches.clear()

    def check_between_ticks(self, asked: str) -> None:
        """Raise `FrameworkError` within a tick or while a picture is painted, and between two
        scenes.
        """
        check_thread(self.surface.thread)
        if self.busy or self.switching or self.switches:
            raise FrameworkError(
                f"{asked}: a tick or a picture is not finished yet, and half of it is "
                "no state to go back to; "
                "do it between frames, or have it done there: game.call_soon(lambda: "
                f"game.{asked}(…))"
            )

    def take_off_all_but(self, scenes: Sequence[object]) -> None:
        """Take off the scenes that are not among these, without a word to them."""
        kept = set(map(id, scenes))
        for entry in self.on.copy():
            if id(entry.scene) not in kept:
                self.on.remove(entry)
                entry.works.take_off()

    def first(self, attribute: str) -> int:
        """The index of the highest scene that pauses or hides what is below it; 0 when none
        does.
        """
        for index in range(len(self.on) - 1, 0, -1):
            if getattr(self.on[index].scene, attribute):
                return index
        return 0

    def release(self) -> None:
        """The game is over: it is referred to no longer, and need not wait for the garbage
        collector.
        """
        nothing: Any = None
        self.game = nothing
        self.incoming.taken = set
        self.on = []
        self.switches = []
        self.pictures = []
        self.calls.clear()
        self.after_frame = None
        for shared in (self.graphics.programs, shared_of(self.graphics).chain):
            if shared is not None:
                shared.release()
