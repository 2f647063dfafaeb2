"""Stage: the stack of scenes, with the screen, the input and the random numbers that the scenes
share.
"""

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
from ..input.input_source import InputSource
from ..input.keyboard import every_key
from ..input.players import InputDevices, forget_input
from ..input.tick_input import Event, Inbox, Scale, TickInput, by_player, split_paused
from ..screen_mapping import ScreenMapping, fit
from ..watch.debug_notes import DebugNotes
from ..watch.frame_stats import FrameStats
from ..watch.garbage import GarbageCollector
from .error_advice import advise
from .game_protocols import RunningGame, RunningScene
from .resimulation import Resimulation
from .rules import Rules, TickTimes
from .save_files import SaveFiles
from .scene_drawables import SceneDrawables
from .surface import GameSurface
from .tick_driver import TickDriver

if TYPE_CHECKING:
    from ..audio.audio import Audio
    from ..gpu.transitions import Transition
    from ..resources import Folder
    from ..timing.timestep import Tick
    from ..ui.interface import Interface

# The limit of scene changes that hooks request one after another. More would be an endless loop.
_MAX_SWITCHES = 1000

# The mouse events that the mouse handlers of views receive.
_MOUSE = frozenset(
    f"on_mouse_{what}"
    for what in ("motion", "drag", "press", "release", "scroll", "enter", "leave")
)


class OnStage(Protocol):
    """The methods of a scene's backend that `Stage` calls."""

    rules: Rules

    def parts(self) -> dict[str, object]: ...
    def use_touched(self) -> None: ...
    def take_off(self) -> None: ...


class HasRelease(Protocol):
    """The interface of an object with a method `release`, here a transition that is in progress. If
    an error occurs, the stack of scenes releases the transition.
    """

    def release(self) -> None: ...


class HasNotes(Protocol):
    """The interface of a game's inspector, which stores the notes of `fw.debug`."""

    notes: DebugNotes

    def close(self) -> None: ...


class Entry(NamedTuple):
    """A scene on the stack, together with its drawables and its backend."""

    scene: RunningScene
    drawables: SceneDrawables
    backend: OnStage

    @property
    def rules(self) -> Rules:
        """The schedule, the systems and the routines of the scene."""
        return self.backend.rules


class Stage:
    """The stack of scenes of one game, with the screen, the input and the random numbers that the
    scenes use.

    Parameters
    ----------
    game
        The game, for `Scene.game`.
    surface
        The surface (window or offscreen image) to which the game draws.
    folders
        The folders in which the game looks for its files.
    seed
        The seed of the random numbers of the game.
    frame_stats
        The object that records the times of each frame and phase.
    resolution, scaling
        ``resolution`` is the virtual size of the screen, or None for the size of the window.
        ``scaling`` is the way in which the virtual size is scaled to the window.
    players
        The number of players in the game.
    immediate
        Whether event handlers run immediately when an event arrives, even between ticks.
    """

    not_state = True  # `EngineState` captures the part of it that is state

    files: SaveFiles
    capture: Callable[[Transition], HasRelease | None] = staticmethod(lambda transition: None)
    """Paints the current scenes to an image, for a transition. The resulting transition is then
    passed to `cross`.

    Returns None in a game with ``drawing=False``.
    """
    cross: Callable[[Any], None] = staticmethod(lambda transition: None)

    between_ticks = False
    """True while the game's rules do not run: no tick, no event handler and no `setup`.
    `between_ticks` is also True while a frame is painted.
    """
    restores_routines = False
    """Whether the game must be able to restore its running routines, because it has a `Rewind`.
    """
    untouched = False
    """Whether a part of a scene, such as its camera, may have been made between ticks: see
    `SceneBackend.read`.
    """
    tick_times: TickTimes
    """The object that receives the times of each phase and system: the recorder of the frame
    statistics, or the probe of a sync test.
    """

    def __init__(
        self,
        game: RunningGame,
        surface: GameSurface,
        folders: tuple[Folder, ...],
        seed: int,
        frame_stats: FrameStats,
        resolution: tuple[float, float] | None,
        scaling: str,
        players: int,
        immediate: bool,
    ) -> None:
        self.game = game
        self.surface = surface
        self.seed = seed
        self._random: np.random.Generator | None = None
        self.frame_stats = frame_stats
        self.tick_times = frame_stats.recorder
        self.input_devices = InputDevices(every_key(), players)
        self.players, self.pads = self.input_devices.players, self.input_devices.pads
        self.keys, self.mouse = self.players[0].keys, self.players[0].mouse
        own: list[Latching] = [
            device for player in self.players for device in (player.keys, player.mouse)
        ]
        self.devices: list[Latching] = [*own, self.pads, self.input_devices]
        """The keyboards, mice and gamepads. When a tick begins, each device applies the events that
        wait for this tick.
        """
        self.incoming = self.input_devices.incoming
        self.incoming.taken = self.taken
        self.immediate = immediate
        self.created: list[tuple[Any, str, int]] = []
        """The drawables that the running `setup` or tick has created so far, each with the file
        and the line.
        """
        self.engines: set[str] = set()
        """The packages of the physics engines that this game has used."""
        self.notes: list[Callable[[int, list[Event], bool], object]] = []
        """Functions that are called with a tick's number, the tick's events, and a bool.

        The bool is True if the game is paused and its event handlers run before the tick. For
        events in a tick, the bool is False.
        """
        self.latching = False
        """True while the event handlers of a tick run."""
        self.resimulation = Resimulation()
        """The flags and queues about ticks that run again."""
        self.rules_elsewhere: Callable[[Tick], object] | None = None
        """A function that ticks call in place of `update` and all other rules of the scenes, because
        another process runs the rules. Widgets and event handlers then receive no events, either.
        None in a game that runs its own rules.
        """
        self.source: InputSource | None = None
        """The source of the input of each tick: `Game.input` or a session. None means the input of
        this machine.
        """
        self.local_player = 0
        """The index of the player who uses this machine. A session sets another index."""
        self.driver: TickDriver | None = None
        """A replay, a rewind or an error screen that decides, in place of the clock and of
        `source`, which ticks run, and with which input. None in a game that is played.
        """
        self.unanswered: Callable[[Event], object] | None = None
        """Called with each event that no event handler consumed."""
        self.collector = GarbageCollector()
        self.after_frame: Callable[[], object] | None = None
        """A function to call after this frame, as a part of loading, or None. No game time passes
        during the call.
        """
        self.resolution = resolution
        self._scaling = scaling
        self.magnified = resolution is not None
        """Whether the game was made with a ``resolution``. In replays of games without a
        resolution, `keep_size` sets a resolution later.
        """
        self.barred = False
        """Whether there are bars beside the game, because its resolution does not fill the window.
        """
        self.view = self.seen = ScreenMapping(surface.size, (0, 0, *surface.framebuffer_size))
        """The size of the screen in units, and its viewport on the framebuffer, as ticks read these
        values. `seen` has the values of the current window, which a later tick receives.
        """
        self.scale = Scale()
        """Converts positions in the window to units of the screen."""
        self._fit()
        self.view = self.seen
        self.graphics = Graphics(
            surface.ctx, folders, max(self.view.pixels_per_unit), surface.drawing
        )
        self.graphics.working = surface.working
        self.on: list[Entry] = []
        """The scenes on the stack, the game itself first."""
        self.busy = False
        """True in a tick and while a frame is painted. Scene changes wait until `busy` is False."""
        self.painting = False
        self.switches: list[Callable[[], None]] = []
        """Scene changes that wait for the end of the tick or the frame."""
        self.changes = 0
        """The number of scene changes that were requested so far."""
        self.switching = False
        """True while scenes are changed. Other changes of the stack wait while `switching` is True.
        """
        self.pictures: list[Callable[[], object]] = []
        """Screenshots to write after the frame is painted."""
        self.calls: deque[Callable[[], object]] = deque()
        """Functions to call before the next frame, from `Game.call_soon`."""
        self.made_with: tuple[tuple[Any, ...], dict[str, Any]] = (), {}
        """The arguments with which the game was made."""
        self.shows_error: Callable[[Exception], bool] | None = None
        """Called with an error that occurred in a frame in a window. If this function returns True,
        it shows the error, and the loop continues.
        """
        self.inspector: HasNotes | None = None
        """The inspector while it is open, or None."""
        self.inspect: Callable[[], object] | None = None
        """The function that F2 calls to open or close the inspector, or None."""
        self.exiting = False
        """Whether `Game.run` ends after this frame."""

    # -- as the current game -----------------------------------------------------------------------

    @property
    def folders(self) -> tuple[Folder, ...]:
        """The folders in which the game looks for its files."""
        return self.graphics.folders

    @property
    def audio(self) -> Audio:
        """The `Audio` object of the game, which is created when it is first used."""
        return self.game.audio

    @property
    def ticks_run(self) -> int:
        """The number of ticks that the game has run. A tick that ran twice is counted twice."""
        return self.resimulation.passes

    def draw_again(self) -> None:
        """Make the GL context of this game current again, after another game was drawn. Nothing
        happens if the game was closed.
        """
        surface = self.surface
        if (
            surface.window is not None and surface.thread == get_ident() and not surface.forked
        ):  # a forked process can run another game, without drawing
            surface.make_current()

    def draw_if_free(self) -> bool:
        """Make the GL context of this game current if no game's context is current. Return False if
        the game has no graphics, or draws in another thread.
        """
        surface = self.surface
        if surface.gl is None or surface.thread != get_ident() or surface.forked:
            return False
        if surface.gl.current_context is None:
            surface.make_current()
        return True

    def read_file(self, path: str) -> bytes | None:
        """Return the content of a save file, or None if the caller is in another thread than the
        game.
        """
        return self.files.read(os.path.abspath(path)) if self.files.in_own_thread else None

    def write_file(self, path: str, do: Callable[[str], object]) -> None:
        """Call ``do`` with the path at which the file must be written. In a replay, ``do`` is
        called with a path in a separate folder, or is not called. See `save_files`.
        """
        if self.files.in_own_thread:
            self.files.write(path, "file", do)
        else:
            do(path)

    # ----------------------------------------------------------------------------------------------

    @property
    def random(self) -> np.random.Generator:
        """The random number generator of the game. The generator is created when it is first used,
        because loading NumPy's random module takes long.
        """
        if self._random is None:
            self._random = np.random.default_rng(self.seed)
        return self._random

    @property
    def inbox(self) -> Inbox:
        """The input events of all players since the last tick."""
        return self.incoming.inbox

    @inbox.setter
    def inbox(self, value: Inbox) -> None:
        self.incoming.inbox = value

    @property
    def live(self) -> GameSurface:
        """The surface (window or offscreen image) of the game, while the game is open. Reading
        `live` after the game was closed raises `FrameworkError`.
        """
        if self.surface.game_closed:
            raise FrameworkError("This game was closed; make a new one.")
        return self.surface

    # -- the screen -------------------------------------------------------------------------------

    def resized(self, width: int, height: int) -> None:
        """Store the new size of the window, in units. The next tick receives the new size with the
        event ``on_resize``.
        """
        self.surface.resized(width, height)
        self._fit()
        self._look(ScreenMapping(self.view.size, self.seen.viewport))

    def keep_size(self) -> None:
        """From now on, keep the size of the screen in units, even if the size of the window
        changes.
        """
        self.resolution = self.resolution or self.view.size
        self._fit()
        self._look(ScreenMapping(self.view.size, self.seen.viewport))

    def have_size(self, size: tuple[float, float]) -> None:
        """Set the size of the screen, in units, to a size from a recording or snapshot. Ticks that
        run after this call use the new size.
        """
        if size != self.view.size:
            self._look(ScreenMapping(size, self.seen.viewport))

    def _look(self, view: ScreenMapping) -> None:
        self.view = view
        for entry in self.on:
            entry.drawables.look(view)

    def _fit(self) -> None:
        surface = self.surface
        if not surface.drawable:
            return
        if self.resolution is not None:
            self.seen = fit(self.resolution, surface.framebuffer_size, self._scaling)
        else:
            self.seen = ScreenMapping(surface.size, (0, 0, *surface.framebuffer_size))
        left, bottom, _, _ = viewport = self.seen.viewport
        self.barred = viewport != (0, 0, *surface.framebuffer_size)
        self.scale = Scale(surface.pixel_ratio, left, bottom, *self.seen.pixels_per_unit)

    def settle(self) -> int:
        """Call the function that was stored in `after_frame`, if there is one. Return the time that
        this function took, in nanoseconds.
        """
        start = time.perf_counter_ns()
        task = self.after_frame
        self.after_frame = None
        if task is not None:
            task()
        return time.perf_counter_ns() - start

    def write_pictures(self) -> None:
        """Write all screenshots that were requested in this frame. If a screenshot cannot be
        written, raise the first error at the end.
        """
        writers = self.pictures
        self.pictures = []
        errors = []
        for write in writers:
            try:
                write()
            except Exception as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def make_calls(self) -> None:
        """Call the functions that were passed to `Game.call_soon` so far."""
        self.resimulation.disturbed = True
        for _ in range(len(self.calls)):
            self.calls.popleft()()

    # -- input -------------------------------------------------------------------------------------

    def hear(self, event: Event) -> None:
        """Receive an event of the window, for the next tick. If ``immediate_events`` is True, call
        the event handlers now, unless the game has a source of input of its own.
        """
        if self.immediate and self.source is None and self.game is not None:
            self._handle_now(self.game.tick + 1, [event])
        else:
            self.inbox.put(event)

    def hear_still(self, number: int) -> None:
        """Call the event handlers for the events in the inbox while the game is paused. The key
        presses in these events count for the next tick, which has the number ``number``.
        """
        self._handle_now(number, self.inbox.take())

    def _handle_now(self, number: int, events: list[Event]) -> None:
        """Call the event handlers for ``events`` without running a tick. Events that the code of
        the last tick added are handled first, and recordings store these events too.
        """
        if self.incoming.own.events:
            events = [*self.incoming.own.take(), *events]
        for note in self.notes:
            note(number, events, True)
        self._handle(events)

    def hear_again(self, number: int, tick_input: TickInput) -> None:
        """Put the recorded input of the tick ``number`` into the inbox. Replays use this method,
        and so do ticks that run again.
        """
        handled, events = split_paused(tick_input.events)
        if handled:
            if not self.incoming.own_is_recorded:
                self.incoming.own.take()  # the recording contains these events: see `_handle_now`
            self.inbox.events = [*handled]
            self.hear_still(number)
        self.inbox.events = [*events]

    def use_touched(self) -> None:
        """Add objects of scenes, such as cameras, to the game's state if they were created between
        ticks and have changed since then.
        """
        for entry in self.on:
            entry.backend.use_touched()

    @contextmanager
    def rules(self) -> Iterator[None]:
        """Return a context manager. In its ``with`` block, the game's code may run and change the
        state outside a tick.
        """
        before = self.between_ticks
        self.between_ticks = False
        try:
            yield
            for entry in self.on:
                for ending in entry.rules.endings:
                    ending()
        except (TypeError, AttributeError, OverflowError, ValueError) as error:
            advise(error)
            raise
        finally:
            self.between_ticks = before

    def _handle(self, events: list[Event]) -> None:
        with self.rules():
            self._handle_all(events)

    def _handle_all(self, events: list[Event]) -> None:
        interfaces, events = self._offer_to_interfaces(events)
        self._act(interfaces)
        for player, event in by_player(events):
            self.players[player]._take(event)
            if not player:
                self._dispatch(event)

    def _offer_to_interfaces(self, events: list[Event]) -> tuple[list[Interface], list[Event]]:
        """Pass events to the widgets of the top scene and of the game. Return the interfaces that
        received the events, and the events that no widget used.
        """
        if not self.on or self.rules_elsewhere is not None:
            return [], events
        interfaces = self.interfaces()
        for interface in interfaces:
            events = interface.handle_events(events)
        return interfaces, events

    def interfaces(self) -> list[Interface]:
        """Return the interfaces that receive events: of the top scene, and of the game unless the
        top scene pauses the game.
        """
        entries = [
            self.on[-1],
            *(self.on[:1] if len(self.on) > 1 and not self.first("pauses_below") else ()),
        ]
        return [entry.drawables.ui for entry in entries if entry.drawables.ui is not None]

    def taken(self) -> set[tuple[Any, ...]]:
        """Return the keys and buttons that are held down, if a widget has used their press."""
        captured = [entry.drawables.ui.taken for entry in self.on if entry.drawables.ui is not None]
        return set().union(*captured)

    def _act(self, interfaces: Sequence[Interface]) -> None:
        top = self.on[-1:]
        for interface in interfaces:
            interface.call_pending(lambda: not self.switches and self.on[-1:] == top)

    def latch(self, number: int) -> None:
        """Begin the tick ``number``: pass the waiting input to widgets, devices and event handlers."""
        events = self.inbox.take()
        if self.on[-1].scene._brings is not None:
            events += self._arrivals(number)
        for note in self.notes:
            note(number, events, False)
        if self.incoming.own.events:
            events = [*self.incoming.own.take(), *events]
        self.latching = True
        try:
            interfaces, events = self._offer_to_interfaces(events) if events else ((), events)
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
        """Return events for work that a thread has finished for the top scene, such as loading.

        The time at which such work is finished depends on the machine, so these events are handled
        as input. Recordings contain the events of finished work. A tick that runs again receives
        the same events of finished work as in its first run.
        """
        resimulation = self.resimulation
        if resimulation.at_earlier_tick or resimulation.replaying:
            return []
        if number > resimulation.reached:
            resimulation.arrived.pop(number, None)
            collect = self.on[-1].scene._brings
            events = [] if collect is None else collect()
            if events:
                resimulation.arrived[number] = events
        return resimulation.arrived.get(number, [])

    def _dispatch(self, event: Event) -> None:
        """Pass an event to the top scene, and then to the game, unless a handler returns True."""
        name, *args = event
        if name == "on_resize":
            self._look(ScreenMapping((args[0], args[1]), self.seen.viewport))
        if not self.on or self.rules_elsewhere is not None:  # closed by a handler
            return
        entries = list({id(entry): entry for entry in (self.on[-1], self.on[0])}.values())
        changes = self.changes
        for entry in entries:
            if entry.rules.routines is not None:
                entry.rules.routines.dispatch_event(name, tuple(args))
        for scene, views in [(entry.scene, entry.drawables.views) for entry in entries]:
            if views is not None and name in _MOUSE and views.hear(name, *args):
                return
            handler = getattr(scene, name, None)
            if handler is not None and handler(*args):
                return
            if self.changes != changes:
                # The scene has used the event. Otherwise the Escape that closes a pause menu would
                # reach the game, which could open the menu again.
                return
        if self.unanswered is not None and not self._is_remote:
            self.unanswered(event)

    @property
    def _is_remote(self) -> bool:
        """Whether the events of the first player in this tick came from another machine, or were
        handled before, so that Escape and F3 must not act on this machine.
        """
        if self.local_player:
            return True
        return self.source is not None and self.resimulation.resimulating

    def listens(self, name: str) -> bool:
        """Return whether the top scene or the game has widgets, or an event handler called
        ``name``.
        """
        if not self.on:
            return False
        top = self.on[-1]
        if top.drawables.ui is not None or self.on[0].drawables.ui is not None:
            return True
        return any(hasattr(scene, name) for scene in (top.scene, self.game))

    # -- the scenes --------------------------------------------------------------------------------

    def switch(self, change: Callable[[], None]) -> None:
        """Change the stack of scenes: at once, or at the end of the tick or the frame."""
        check_thread(self.surface.thread)
        self.changes += 1
        self.switches.append(change)
        if not self.busy:
            with self.surface.working():
                self.make_switches()
            # Forget the press that brought the scene. Otherwise the press would count in the new
            # scene too, and close a pause menu at once.
            for player in self.players:
                forget_input(player)

    def make_switches(self) -> None:
        """Run the waiting changes of the stack of scenes."""
        if self.switching:  # requested by a hook of a scene that is being changed: it comes next
            return
        self.switching = True
        try:
            for _ in range(_MAX_SWITCHES):
                if not self.switches:
                    return
                with self.rules():
                    self.switches.pop(0)()
            raise FrameworkError(
                f"scenes: {_MAX_SWITCHES} changes in a row; does every on_enter() push another scene?"
            )
        finally:
            self.switching = False
            self.switches.clear()

    def check_between_ticks(self, method: str) -> None:
        """Raise `FrameworkError` within a tick, while a frame is painted, or while the scenes
        change.
        """
        check_thread(self.surface.thread)
        if self.busy or self.switching or self.switches:
            raise FrameworkError(
                f"{method}: a tick or a frame is not finished yet; call it between frames: "
                f"game.call_soon(lambda: game.{method}(…))"
            )

    def take_off_all_but(self, scenes: Sequence[object]) -> None:
        """Remove all scenes that are not in ``scenes`` from the stack, without calling `on_exit`."""
        kept_ids = set(map(id, scenes))
        for entry in self.on.copy():
            if id(entry.scene) not in kept_ids:
                self.on.remove(entry)
                entry.backend.take_off()

    def first(self, attribute: str) -> int:
        """Return the index of the highest scene on the stack whose attribute ``attribute`` is true,
        or 0 if no scene has it.

        ``attribute`` is "pauses_below" or "opaque".
        """
        for index in range(len(self.on) - 1, 0, -1):
            if getattr(self.on[index].scene, attribute):
                return index
        return 0

    def release(self) -> None:
        """Delete the stage's references to other objects when the game has ended. Because of this,
        the memory of the game is freed even without the garbage collector.
        """
        nothing: Any = None
        self.game = nothing
        self.incoming.taken = set
        self.on = []
        self.switches = []
        self.created = []
        self.pictures = []
        self.calls.clear()
        self.after_frame = None
        for shared in (self.graphics.programs, shared_of(self.graphics).chain):
            if shared is not None:
                shared.release()
