"""The scene stack of a running game, with the screen and the input that all scenes share."""

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
from ..input.buttons import TickDevice
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

# The maximum number of scene changes in a row that hooks of scenes may request. More are probably
# an endless loop.
_MAX_SWITCHES = 1000

# The mouse events that are passed to the mouse handlers of views.
_MOUSE = frozenset(
    f"on_mouse_{what}"
    for what in ("motion", "drag", "press", "release", "scroll", "enter", "leave")
)


class OnStage(Protocol):
    """The methods of a scene's backend that the stage calls."""

    rules: Rules

    def parts(self) -> dict[str, object]: ...
    def use_touched(self) -> None: ...
    def detach(self) -> None: ...


class HasRelease(Protocol):
    """An object with a method `release`, such as a transition. After an error, the stage releases
    it.
    """

    def release(self) -> None: ...


class HasNotes(Protocol):
    """The attributes of an inspector that the stage reads. The attribute ``notes`` contains the
    lines, values and shapes from `fw.debug`.
    """

    notes: DebugNotes

    def close(self) -> None: ...


class Entry(NamedTuple):
    """An entry of the scene stack: a scene, its drawables and its backend."""

    scene: RunningScene
    drawables: SceneDrawables
    backend: OnStage

    @property
    def rules(self) -> Rules:
        """The scheduled tasks, tweens, routines and systems of the scene."""
        return self.backend.rules


class Stage:
    """The scene stack of one game, with the screen, the input and the random numbers that all
    scenes share.

    Parameters
    ----------
    game
        The game, which is the lowest scene on the stack.
    surface
        The surface (window or offscreen image) to which the game draws.
    folders
        The folders in which the game searches for its files.
    seed
        The seed of the random numbers of the game.
    frame_stats
        The object that records how long each frame and each phase takes.
    resolution, scaling
        ``resolution`` is the virtual size of the screen, or None for the window's own size.
        ``scaling`` determines how the virtual size is fitted to the window: "letterbox", "integer"
        or "stretch".
    players
        The number of players in the game.
    immediate
        Whether event handlers are called as soon as an event arrives, even between ticks.
    """

    not_state = True  # `EngineState` captures only the attributes that are state

    files: SaveFiles
    capture: Callable[[Transition], HasRelease | None] = staticmethod(lambda transition: None)
    """A function that receives a transition, paints an image of the current scenes, and returns the
    running transition for `cross`. In a game with ``drawing=False``, it returns None.
    """
    cross: Callable[[Any], None] = staticmethod(lambda transition: None)

    between_ticks = False
    """True while no tick, event handler or `setup` of the game is running. Also True while a frame
    is being painted.
    """
    restores_routines = False
    """Whether the game must be able to restore its running routines, because it has a `Rewind`."""
    untouched = False
    """Whether a part of a scene, such as its camera, may have been created between ticks. For
    details, see `SceneBackend.read`.
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
        self.players = self.input_devices.players
        self.pads = self.input_devices.pads
        self.keys = self.players[0].keys
        self.mouse = self.players[0].mouse
        own: list[TickDevice] = [
            device for player in self.players for device in (player.keys, player.mouse)
        ]
        self.devices: list[TickDevice] = [*own, self.pads, self.input_devices]
        """The keyboards, mice and gamepads. At the start of a tick, each device handles the events
        that have arrived since the last tick.
        """
        self.incoming = self.input_devices.incoming
        self.incoming.taken = self.taken
        self.immediate = immediate
        self.created: list[tuple[Any, str, int]] = []
        """The drawables that the current `setup` or tick has created so far, each with the file and
        the line of code.
        """
        self.engines: set[str] = set()
        """The names of the physics engines that this game has used so far."""
        self.notes: list[Callable[[int, list[Event], bool], object]] = []
        """Functions that record the input. Each is called as ``note(number, events, still)``, with
        the number of a tick and its input events.

        ``still`` is True if the game handles the events during a pause, before the tick. For the
        events of a running tick, ``still`` is False.
        """
        self.handling_input = False
        """True while the event handlers of a tick are running."""
        self.resimulation = Resimulation()
        """The state of ticks that run again: flags, and lists of effects and calls."""
        self.remote_tick: Callable[[Tick], object] | None = None
        """A function that is called in each tick if another process runs the rules of the game. The
        scenes then run neither `update` nor other rules, and no events are passed to widgets and
        event handlers. None if this process runs the rules.
        """
        self.source: InputSource | None = None
        """The object that provides the input of each tick: `Game.input` or a session. With None,
        the input comes from the devices of this machine.
        """
        self.local_player = 0
        """The index of the player who uses this machine. A session can set a different index."""
        self.driver: TickDriver | None = None
        """The object that decides when ticks run, and with which input: a replay, a rewind or an
        error screen. It replaces the clock and `source`. In a normal game, `driver` is None.
        """
        self.unhandled: Callable[[Event], object] | None = None
        """A function that is called with each event for which no event handler has returned
        True.
        """
        self.collector = GarbageCollector()
        self.after_frame: Callable[[], object] | None = None
        """A function to call once after this frame, or None. The call counts as loading, so no game
        time passes while it runs.
        """
        self.resolution = resolution
        self._scaling = scaling
        self.magnified = resolution is not None
        """Whether the game was created with a ``resolution``. In replays of games without a
        resolution, `freeze_size` sets a resolution later.
        """
        self.barred = False
        """Whether the game is drawn with bars at its edges, because its resolution does not fill
        the window.
        """
        self.view = self.window_view = ScreenMapping(
            surface.size, (0, 0, *surface.framebuffer_size)
        )
        """The size of the screen in units, and its viewport on the framebuffer. Ticks use the size
        in `view`. `window_view` contains the values for the current window. After the window has
        been resized, a later tick sets `view` to the values in `window_view`.
        """
        self.scale = Scale()
        """Converts positions in the window to units of the screen."""
        self._fit()
        self.view = self.window_view
        self.graphics = Graphics(
            surface.ctx, folders, max(self.view.pixels_per_unit), surface.drawing
        )
        self.graphics.working = surface.working
        self.stack: list[Entry] = []
        """The scenes on the stack, the game itself first."""
        self.busy = False
        """True while a tick is running, or while a frame is being painted. Changes to the scene
        stack wait until `busy` is False.
        """
        self.painting = False
        self.switches: list[Callable[[], None]] = []
        """Changes to the scene stack that are waiting for the end of the tick or of the frame."""
        self.changes = 0
        """The number of scene changes that were requested so far."""
        self.switching = False
        """True while the scene stack is changing. Other changes wait until `switching` is False."""
        self.pictures: list[Callable[[], object]] = []
        """Functions that write screenshots. They are called after the current frame."""
        self.calls: deque[Callable[[], object]] = deque()
        """The functions from `Game.call_soon`, to call before the next frame."""
        self.made_with: tuple[tuple[Any, ...], dict[str, Any]] = (), {}
        """The arguments that were passed to the class of the game."""
        self.shows_error: Callable[[Exception], bool] | None = None
        """A function that is called with an error that a frame has raised, in a game with a window.
        If it returns True, it has shown the error in the window, and the loop continues.
        """
        self.inspector: HasNotes | None = None
        """The inspector while it is open, or None."""
        self.inspect: Callable[[], object] | None = None
        """A function that opens or closes the inspector, or None. The F2 key calls this
        function.
        """
        self.exiting = False
        """Whether `Game.run` ends after this frame."""

    # -- as the current game -----------------------------------------------------------------------

    @property
    def folders(self) -> tuple[Folder, ...]:
        """The folders in which the game searches for its files."""
        return self.graphics.folders

    @property
    def audio(self) -> Audio:
        """The `Audio` object of the game, which is created on first use."""
        return self.game.audio

    @property
    def ticks_run(self) -> int:
        """The number of ticks that have run since the game started. A tick that has run twice
        counts twice.
        """
        return self.resimulation.passes

    def draw_again(self) -> None:
        """Make the OpenGL context of this game current again after another game has been drawn. If
        the game is closed, this method does nothing.
        """
        surface = self.surface
        if surface.window is not None and surface.thread == get_ident() and not surface.forked:
            # The surface may belong to another thread, or this may be a forked process that runs
            # the game without drawing.
            surface.make_current()

    def draw_if_free(self) -> bool:
        """If no game's OpenGL context is current, make the context of this game current. Return
        False if the game has no graphics, or if it draws in another thread.
        """
        surface = self.surface
        if surface.gl is None or surface.thread != get_ident() or surface.forked:
            return False
        if surface.gl.current_context is None:
            surface.make_current()
        return True

    def read_file(self, path: str) -> bytes | None:
        """Return the content of a save file, or None if this method is called outside the game's
        own thread.
        """
        return self.files.read(os.path.abspath(path)) if self.files.in_own_thread else None

    def write_file(self, path: str, do: Callable[[str], object]) -> None:
        """Call ``do`` with the path at which it must write a file. In a replay, the path is in a
        separate folder, or ``do`` is not called at all. See `save_files`.
        """
        if self.files.in_own_thread:
            self.files.write(path, "file", do)
        else:
            do(path)

    # ----------------------------------------------------------------------------------------------

    @property
    def random(self) -> np.random.Generator:
        """The random number generator of the game. The generator is created on first use, because
        importing NumPy's random module takes a long time.
        """
        if self._random is None:
            self._random = np.random.default_rng(self.seed)
        return self._random

    @property
    def inbox(self) -> Inbox:
        """The input events of all players that have arrived since the last tick."""
        return self.incoming.inbox

    @inbox.setter
    def inbox(self, value: Inbox) -> None:
        self.incoming.inbox = value

    @property
    def live(self) -> GameSurface:
        """The surface (window or offscreen image) of the game, while the game is open. Raises
        `FrameworkError` after the game has been closed.
        """
        if self.surface.game_closed:
            raise FrameworkError("This game was closed; make a new one.")
        return self.surface

    # -- the screen -------------------------------------------------------------------------------

    def resized(self, width: int, height: int) -> None:
        """Called after the window has been resized. ``width`` and ``height`` are in units. The next
        tick receives the new size as the event ``on_resize``.
        """
        self.surface.resized(width, height)
        self._fit()
        self._set_view(ScreenMapping(self.view.size, self.window_view.viewport))

    def freeze_size(self) -> None:
        """Keep the current size of the screen in units, even if the window is resized later."""
        self.resolution = self.resolution or self.view.size
        self._fit()
        self._set_view(ScreenMapping(self.view.size, self.window_view.viewport))

    def set_size(self, size: tuple[float, float]) -> None:
        """Set the size of the screen in units, for example to the size in a recording or a
        snapshot. The next ticks use this size.
        """
        if size != self.view.size:
            self._set_view(ScreenMapping(size, self.window_view.viewport))

    def _set_view(self, view: ScreenMapping) -> None:
        self.view = view
        for entry in self.stack:
            entry.drawables.set_view(view)

    def _fit(self) -> None:
        surface = self.surface
        if not surface.drawable:
            return
        if self.resolution is not None:
            self.window_view = fit(self.resolution, surface.framebuffer_size, self._scaling)
        else:
            self.window_view = ScreenMapping(surface.size, (0, 0, *surface.framebuffer_size))
        left, bottom, _, _ = viewport = self.window_view.viewport
        self.barred = viewport != (0, 0, *surface.framebuffer_size)
        self.scale = Scale(surface.pixel_ratio, left, bottom, *self.window_view.pixels_per_unit)

    def settle(self) -> int:
        """Call the function in `after_frame`, unless `after_frame` is None. Return the duration of
        the call in nanoseconds.
        """
        start = time.perf_counter_ns()
        task = self.after_frame
        self.after_frame = None
        if task is not None:
            task()
        return time.perf_counter_ns() - start

    def write_pictures(self) -> None:
        """Write all screenshots that were requested in this frame. If some of them cannot be
        written, write all others, and then raise the first error.
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
        """Call all functions that were passed to `Game.call_soon` so far."""
        self.resimulation.disturbed = True
        for _ in range(len(self.calls)):
            self.calls.popleft()()

    # -- input -------------------------------------------------------------------------------------

    def receive_event(self, event: Event) -> None:
        """Store a window event for the next tick. With the option ``immediate_events``, call the
        event handlers immediately instead, unless the game has its own input source.
        """
        if self.immediate and self.source is None and self.game is not None:
            self._handle_now(self.game.tick + 1, [event])
        else:
            self.inbox.put(event)

    def handle_paused_events(self, number: int) -> None:
        """While the game is paused, call the event handlers for the stored events. Keys that the
        player presses during the pause count as pressed in the next tick. ``number`` is the number
        of the next tick.
        """
        self._handle_now(number, self.inbox.take())

    def _handle_now(self, number: int, events: list[Event]) -> None:
        """Call the event handlers for ``events`` without running a tick. Events that the game's own
        code created in the last tick come first, and are recorded.
        """
        if self.incoming.own.events:
            events = [*self.incoming.own.take(), *events]
        for note in self.notes:
            note(number, events, True)
        self._handle(events)

    def replay_input(self, number: int, tick_input: TickInput) -> None:
        """Put the recorded input of the tick ``number`` into the inbox.

        Used by replays, and by ticks that run again.
        """
        handled, events = split_paused(tick_input.events)
        if handled:
            if not self.incoming.own_is_recorded:
                # Drop these events, because the recording contains them; see `_handle_now`.
                self.incoming.own.take()
            self.inbox.events = [*handled]
            self.handle_paused_events(number)
        self.inbox.events = [*events]

    def use_touched(self) -> None:
        """If an object of a scene, such as a camera, was created between ticks and has changed
        since then, add it to the game's state.
        """
        for entry in self.stack:
            entry.backend.use_touched()

    @contextmanager
    def rules(self) -> Iterator[None]:
        """Return a context manager for calling the game's code outside of ticks. In the ``with``
        block, the code may change the state.
        """
        before = self.between_ticks
        self.between_ticks = False
        try:
            yield
            for entry in self.stack:
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
        received them, and all events that no widget has used.
        """
        if not self.stack or self.remote_tick is not None:
            return [], events
        interfaces = self.interfaces()
        for interface in interfaces:
            events = interface.handle_events(events)
        return interfaces, events

    def interfaces(self) -> list[Interface]:
        """Return the interfaces (widgets) that receive events.

        The list contains the interface of the top scene, and then the interface of the game. If a
        scene on the stack pauses the game, the interface of the game is not included.
        """
        entries = [
            self.stack[-1],
            *(self.stack[:1] if len(self.stack) > 1 and not self.first("pauses_below") else ()),
        ]
        return [entry.drawables.ui for entry in entries if entry.drawables.ui is not None]

    def taken(self) -> set[tuple[Any, ...]]:
        """Return the keys and buttons that the player is still holding, and whose press a widget
        has used.
        """
        captured = [
            entry.drawables.ui.taken for entry in self.stack if entry.drawables.ui is not None
        ]
        return set().union(*captured)

    def _act(self, interfaces: Sequence[Interface]) -> None:
        top = self.stack[-1:]
        for interface in interfaces:
            interface.call_pending(lambda: not self.switches and self.stack[-1:] == top)

    def handle_input(self, number: int) -> None:
        """Begin the tick ``number``: pass the stored input to widgets, devices and event
        handlers.
        """
        events = self.inbox.take()
        if self.stack[-1].scene._finished_work is not None:
            events += self._arrivals(number)
        for note in self.notes:
            note(number, events, False)
        if self.incoming.own.events:
            events = [*self.incoming.own.take(), *events]
        self.handling_input = True
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
            self.handling_input = False

    def _arrivals(self, number: int) -> list[Event]:
        """Return events for the top scene about work that a background thread has finished, such as
        loaded files.

        How long background work takes depends on the machine, so events about it are part of the
        input and of recordings. If a tick runs again, it receives the same events as in its first
        run.
        """
        resimulation = self.resimulation
        if resimulation.at_earlier_tick or resimulation.replaying:
            return []
        if number > resimulation.reached:
            resimulation.arrived.pop(number, None)
            collect = self.stack[-1].scene._finished_work
            events = [] if collect is None else collect()
            if events:
                resimulation.arrived[number] = events
        return resimulation.arrived.get(number, [])

    def _dispatch(self, event: Event) -> None:
        """Pass an event to the top scene. Unless a handler of the scene returns True, also pass the
        event to the game.
        """
        name, *args = event
        if name == "on_resize":
            self._set_view(ScreenMapping((args[0], args[1]), self.window_view.viewport))
        if not self.stack or self.remote_tick is not None:  # a handler has closed the game
            return
        entries = list({id(entry): entry for entry in (self.stack[-1], self.stack[0])}.values())
        changes = self.changes
        for entry in entries:
            if entry.rules.routines is not None:
                entry.rules.routines.dispatch_event(name, tuple(args))
        for scene, views in [(entry.scene, entry.drawables.views) for entry in entries]:
            if views is not None and name in _MOUSE and views.handle_mouse_event(name, *args):
                return
            handler = getattr(scene, name, None)
            if handler is not None and handler(*args):
                return
            if self.changes != changes:
                # The scene has used the event. Without this line, the Escape key that closes a
                # pause menu would also be passed to the game, which could open the menu again.
                return
        if self.unhandled is not None and not self._is_remote:
            self.unhandled(event)

    @property
    def _is_remote(self) -> bool:
        """True if the events of the first player come from another machine, or if this tick is
        running again. Such events, for example the Escape key, do not end this game or open its
        panels.
        """
        if self.local_player:
            return True
        return self.source is not None and self.resimulation.resimulating

    def listens(self, name: str) -> bool:
        """Return whether the top scene or the game has widgets, or has an event handler with the
        name ``name``.
        """
        if not self.stack:
            return False
        top = self.stack[-1]
        if top.drawables.ui is not None or self.stack[0].drawables.ui is not None:
            return True
        return any(hasattr(scene, name) for scene in (top.scene, self.game))

    # -- the scenes --------------------------------------------------------------------------------

    def switch(self, change: Callable[[], None]) -> None:
        """Change the scene stack, immediately or at the end of the tick or the frame."""
        check_thread(self.surface.thread)
        self.changes += 1
        self.switches.append(change)
        if not self.busy:
            with self.surface.working():
                self.make_switches()
            # Ignore the press that pushed the scene. Otherwise the new scene would receive the same
            # press, which could close a pause menu immediately.
            for player in self.players:
                forget_input(player)

    def make_switches(self) -> None:
        """Make all requested changes to the scene stack."""
        # A hook of a scene has requested this change; the loop that is running makes it.
        if self.switching:
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
        """Raise `FrameworkError` in a tick and in its event handlers, while a frame is being
        painted, or while the scene stack is changing.
        """
        if get_ident() != self.surface.thread:
            check_thread(self.surface.thread)
        if self.busy or self.handling_input or self.switching or self.switches:
            raise FrameworkError(
                f"{method}: a tick or a frame is not finished yet; call it between frames: "
                f"game.call_soon(lambda: game.{method}(…))"
            )

    def remove_all_but(self, scenes: Sequence[object]) -> None:
        """Keep only ``scenes`` on the stack, and remove all other scenes without calling their
        `on_exit`.
        """
        if len(self.stack) == 1:  # only the game itself, which is in every snapshot
            return
        kept_ids = set(map(id, scenes))
        for entry in self.stack.copy():
            if id(entry.scene) not in kept_ids:
                self.stack.remove(entry)
                entry.backend.detach()

    def first(self, attribute: str) -> int:
        """Return the index of the highest scene on the stack for which ``attribute`` is True. If
        there is none, return 0, the index of the game.

        ``attribute`` is the name "pauses_below" or "opaque".
        """
        for index in range(len(self.stack) - 1, 0, -1):
            if getattr(self.stack[index].scene, attribute):
                return index
        return 0

    def release(self) -> None:
        """Called when the game ends. Drop the stage's references to other objects, so that Python
        frees the game's memory immediately instead of waiting for the garbage collector.
        """
        nothing: Any = None
        self.game = nothing
        self.incoming.taken = set
        self.stack = []
        self.switches = []
        self.created = []
        self.pictures = []
        self.calls.clear()
        self.after_frame = None
        for shared in (self.graphics.programs, shared_of(self.graphics).chain):
            if shared is not None:
                shared.release()
