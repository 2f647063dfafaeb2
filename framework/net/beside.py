"""Run a game in two processes: a child process runs the rules, and this process draws.

Slow rules then do not delay drawing. Both processes create a game of the same class. The child runs
the ticks, but draws nothing. The first process shows the window and never runs the rules: it draws
the child's batches and cameras from shared memory, so it can keep drawing while the child is busy
with a slow tick.

The first process decides when a tick runs. For each tick, it sends the player's input to the child
and requests the next tick. If the child does not finish within the duration of one tick, the game
falls behind: no new tick starts, and the window keeps showing the last state.
"""

from __future__ import annotations

__all__ = ["Beside"]

import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from ..checks import flag, whole
from ..errors import FrameworkError
from ..game.driven_game import driven
from ..game.game import Game
from ..game.scene_backend import CAMERA, WORLD
from ..game.session import SessionStats
from ..game.tick_driver import PausedDriver
from ..input import key
from ..input.tick_input import Event, HeldInput, TickInput
from ..plane.sprites import SpriteBatch
from ..state.rows import table_of
from ..timing.timestep import Tick
from ..watch.message_panel import ALARM, HINT, PLAIN, Line, MessagePanel
from . import beside_child
from .beside_child import named_batches
from .beside_process import ChildProcess, start_of
from .plain_values import restored
from .process_pipe import Message
from .shared_memory import SharedMemory
from .shared_states import MAX_AHEAD, BatchReader, NewMemory

_HINT = "R: start again    C: copy    Escape: end"
# Seconds; if the child has sent nothing for longer than this, the player can close the window.
_HANGS_AFTER = 1.0
_WAIT = 0.1  # how many seconds a game without a window waits for the child before it checks again
_CALM = 240  # after this number of frames without a wait, fewer states are requested ahead
_MAX_LINES = 200  # the maximum number of lines of a traceback in the window


class Beside:
    """A session that runs the ticks in a second process: ``fw.run(MyGame, session=fw.Beside())``.

    The window can then draw frames while a slow tick is running in the second process. `setup` runs
    in both processes. `update`, event handlers, tasks and routines run only in the second process.
    The window draws the sprite batches and mesh batches that are attributes of the game, using the
    game's cameras. Batches in lists, tuples or dicts that are attributes of the game are also
    shown. To show labels and particles, and to play sounds, use effects. For example, call
    ``game.emit("score", 3)`` in a tick. All functions that are subscribed to "score" are then
    called in the window's process. See docs/beside.md.

    If ``processes`` is 1, the rules initially run in the window's process. To move them to the
    second process later, set the property `processes` to 2. If ``waits`` is True, each tick waits
    for the second process, and the window draws nothing while it waits. By default, ``waits`` is
    False for a game in a window. It is True for a game without a window, so that each run has the
    same result.

    If an error ends the second process, the window shows the traceback, and the player can press R
    to restart the second process. In a game without a window, `FrameworkError` is raised instead.
    """

    not_state = True

    def __init__(self, *, processes: int = 2, waits: bool | None = None) -> None:
        beside_child.stop_loading()
        self._processes = whole("processes", processes, 1, 2)
        self._waits_option = None if waits is None else flag("waits", waits)
        self.stats = SessionStats()
        """``stalls`` is the number of frames in which the second process was late. ``ahead`` is the
        number of requested ticks that have not been shown yet.
        """
        self.failure: str | None = None
        """The traceback of the error that ended the second process, or None."""
        self.tick_duration = 0.0
        """How many seconds the second process needed for the last tick."""
        self._game: Any = None
        self._mode = 2  # the number of processes since the rules were last moved
        self._child: ChildProcess | None = None
        self._screen: MessagePanel | None = None
        self._forget()

    def _forget(self) -> None:
        """Reset all values that belong to the child process."""
        self._states: deque[Message] = deque()
        self._shown: Message | None = None
        self._readers: dict[str, BatchReader] = {}
        self._cameras: Any = None
        self._events: tuple[Event, ...] = ()
        self._flags: tuple[Any, ...] = ()
        self._requested = 0
        self._received = 0
        self._asked_at = time.monotonic()
        self._ahead = 1
        self._ticks = 0  # the number of ticks in this frame so far
        self._most_ticks = 0  # the largest number of ticks in any of the most recent frames
        self._frames = 0
        self._is_ready = False  # whether the second process can run ticks
        self._is_moving = False

    # -- the session -------------------------------------------------------------------------------

    def start(self, game: Game) -> None:
        """Start the second process. The game calls this method after its `setup`."""
        if beside_child.is_child():
            return
        if self._game is not None:
            raise FrameworkError(
                "session: this fw.Beside() belongs to another game; make a new one"
            )
        self._game = game
        self._stage, self._loop, self._window_events, _, self._painter, _ = driven(game)
        off_screen = self._stage.surface.headless
        self._waits = off_screen if self._waits_option is None else self._waits_option
        self._held = [HeldInput()] * len(self._stage.players)
        self._mode = self._processes
        if self._processes == 2:
            self._stage.remote_tick = self._show
            self._launch()

    @property
    def processes(self) -> int:
        """The number of processes. If it is 2, the default, the rules run in the second process. If
        it is 1, the rules run in the first process. Set `processes` during the game to move the
        rules to the other process. The attributes that are listed in ``saved`` are moved with
        `Saves.pack`. No tick runs until the move is complete.
        """
        return self._processes

    @processes.setter
    def processes(self, value: int) -> None:
        self._processes = whole("processes", value, 1, 2)

    def _launch(self) -> None:
        self._sent_held = [HeldInput()] * len(self._stage.players)
        width, height = self._stage.surface.size
        self._child = ChildProcess(start_of(self._game, (round(width), round(height))))

    def restart(self) -> None:
        """End the second process. Unless the rules run in the first process, start the second
        process again with a new game.
        """
        if self._game is None:
            raise FrameworkError("restart: this session has not started")
        self.close()
        self.failure = None
        self._hide_failure()
        self._forget()
        if self._mode == 2:
            self._launch()

    def before_tick(self, game: Game, number: int) -> None:
        """Do nothing, because the second process runs the rules."""

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Return ``local`` if the state of the next tick has arrived, otherwise None, so that no
        tick runs.
        """
        if self._game is None:
            return local
        self._read()
        while self.failure is None:
            if self._mode != self._processes:
                self._move()
            if self._mode == 1 == self._processes:
                self._note_held(local)
                return local
            if self._states:
                self._shown = self._states.popleft()
                self._events += local.events
                self._note_held(local)
                self._ticks += 1
                # Return the local input, so that the window's keys and mouse can be read, too.
                return local
            if not self._wait(local):
                break
        return None

    def frame(self, game: Game) -> None:
        """Handle the messages from the second process. The game calls this method in each frame."""
        if self._game is None:
            return
        self._read()
        self._adapt()
        inbox = self._stage.inbox
        runs = self._mode == 2 and self._child is not None and not self._is_moving
        if runs and inbox.events and game.timestep.paused:
            local = TickInput(tuple(inbox.events))
            self._note_held(local)
            self._send("still", local.encode())
            self._stage.handle_paused_events(self._loop.tick + 1)

    def code_reloaded(self) -> str:
        """Called when ``framework run --reload`` has replaced code of the game. Return a message
        for the developer.
        """
        if self._processes == 1:
            return ""
        return (
            "Beside: the code was reloaded in the window, but not in the second process, which runs "
            "the rules; session.restart() starts a new second process"
        )

    def close(self) -> None:
        """End the second process."""
        child = self._child
        self._child = None
        if child is not None:
            child.close()

    @property
    def process_id(self) -> int | None:
        """The process ID of the second process, or None if there is no second process."""
        return None if self._child is None else self._child.pid

    # -- requests ----------------------------------------------------------------------------------

    @property
    def _released(self) -> int:
        """The number of the newest state that the window no longer draws. The child may overwrite
        this state in shared memory.
        """
        return -1 if self._shown is None else int(self._shown[1]) - 1

    def _send(self, kind: str, data: bytes) -> None:
        assert self._child is not None
        self._child.pipe.send((kind, data, self._released))

    @property
    def _outstanding(self) -> int:
        """The number of requested ticks that the window has not yet shown."""
        return self._requested - self._received + len(self._states)

    def _request(self) -> None:
        """Request enough ticks that the second process always has a tick to run."""
        while self._processes == 2 and self._is_ready and self._outstanding < self._ahead:
            data = TickInput(self._events).encode()
            self._events = ()
            self._sent_held = self._held
            self._requested += 1
            self._asked_at = time.monotonic()
            self._send("tick", data)
        self.stats.ahead = self._outstanding

    def _wait(self, local: TickInput) -> bool:
        """Wait for a message from the second process. Return False if the message is late, so that
        the window must draw a frame first.
        """
        self._request()
        if self._waits:
            assert self._child is not None
            self._child.pipe.wait(_WAIT)
            self._read()
            return True
        if not self._is_ready:
            return False
        self.stats.stalls += 1
        if self._ticks:  # the display is slow: this frame already has several ticks
            self._ahead = min(self._ahead + 1, MAX_AHEAD)
            self._request()
        if time.monotonic() - self._asked_at > _HANGS_AFTER:
            self._close_without_child(local)
        return False

    def _move(self) -> None:
        """Move the rules of the game to the other process. The move waits until the window has
        shown all requested ticks.
        """
        if self._processes == 1:
            if self._is_ready and not self._is_moving and not self._outstanding:
                self._is_moving = True
                self._send("pack", b"")
            return
        data = self._game.saves.pack()
        if self._child is None:
            self._launch()
        self._is_moving = True
        self._is_ready = False
        self._mode = 2
        self._stage.remote_tick = self._show
        self._send("unpack", data)
        self._events = self._changes_of_held()

    def _note_held(self, local: TickInput) -> None:
        """Store the keys and buttons that the players hold."""
        if local.events:
            players = range(len(self._stage.players))
            self._held = [local.of(player).held(self._held[player]) for player in players]

    def _changes_of_held(self) -> tuple[Event, ...]:
        """Return the key releases and mouse events that the second process has not received. Key
        presses are not included, because sending them again would call the event handlers twice. A
        key that is held during the move therefore has no effect until the player presses it again.
        """
        inputs = []
        for now, sent in zip(self._held, self._sent_held, strict=True):
            events = now.since(sent).events
            inputs.append(TickInput(tuple([e for e in events if not e[0].endswith("_press")])))
        return TickInput.merge(inputs).events

    def _take_over(self, data: bytes) -> None:
        """Continue the game in the first process, with the attributes from the second process."""
        for reader in self._readers.values():
            reader.stop()
        self._game.saves.unpack(data)
        self._stage.remote_tick = None
        self._is_moving = False
        self._mode = 1

    def _close_without_child(self, local: TickInput) -> None:
        """While the second process is not responding, handle the events that close the window."""
        for event in local.events:
            if event[0] == "on_close" or event[:2] == ("on_key_press", key.ESCAPE):
                self._window_events.answer(event)

    def _adapt(self) -> None:
        """Reduce the number of ticks that are requested in advance if the most recent frames needed
        fewer ticks.
        """
        self._most_ticks = max(self._most_ticks, self._ticks)
        self._ticks = 0
        self._frames += 1
        if self._frames >= _CALM:
            if 0 < self._most_ticks < self._ahead:
                self._ahead -= 1
            self._frames = self._most_ticks = 0

    # -- messages of the second process ------------------------------------------------------------

    def _read(self) -> None:
        child = self._child
        if child is None or self.failure is not None:
            return
        for message in child.receive():
            self._take(message)
        if child.ended and self._mode == 1:
            self.close()
        elif child.ended and not self._stage.exiting and self.failure is None:
            words = child.words_of_end()
            self._fail(words, [(words, ALARM)])

    def _take(self, message: Message) -> None:
        assert self._child is not None
        kind = message[0]
        if kind == "state":
            self._received += 1
            self._states.append(message)
            self.tick_duration = message[5] / 1e9
        elif kind == "moved" or (kind == "setup" and not self._is_moving):
            self._is_ready = True
            self._is_moving = False
            self._shown = message
            self._show_state(message)
            self._request()
        elif kind == "packed":
            self._take_over(message[1])
        elif kind == "memory":
            _, name, memory_name, size, plan = message
            memory = self._opened_memory(memory_name, size)
            self._reader(name).use(NewMemory(memory, size, plan))
        elif kind == "images":
            _, name, first, sources = message
            self._add_images(name, first, restored(sources))
        elif kind == "still":
            self._follow(message[1])
        elif kind == "error":
            # The arguments are the traceback and its lines for the window.
            self._fail(message[1], message[2])

    def _opened_memory(self, name: str, size: int) -> SharedMemory:
        """Open shared memory of the child. If it has no name, the child has sent a descriptor."""
        assert self._child is not None
        if name:
            return SharedMemory.open_name(name, size)
        return SharedMemory.open_file(self._child.pipe.take_descriptor(), size)

    def _add_images(self, name: str, first: int, sources: list[Any]) -> None:
        """Add new images from the second process to a batch. ``sources[0]`` becomes the image with
        the index ``first`` in the batch.
        """
        batch = named_batches(self._game).get(name)
        if isinstance(batch, SpriteBatch):
            for source in sources[max(0, len(batch.images) - first) :]:
                batch.images.add(source)

    def _reader(self, name: str) -> BatchReader:
        """Return the reader for a batch, creating it if needed."""
        reader = self._readers.get(name)
        if reader is None:
            batch = named_batches(self._game).get(name)
            table = None if batch is None else table_of(batch)
            if table is None:
                raise FrameworkError(
                    f"{name}: this batch is only in the second process; make it in setup(), which "
                    "runs in both processes"
                )
            reader = self._readers[name] = BatchReader(name, table)
        return reader

    # -- showing states ----------------------------------------------------------------------------

    def _show(self, tick: Tick) -> None:
        """Show the new state from the second process. The game calls this method in each tick,
        instead of running its own rules.
        """
        state = self._shown
        assert state is not None
        self._show_state(state)
        self._request()

    def _show_state(self, state: Message) -> None:
        _, _, states, cameras, outcome, _ = state
        for name, batch_state in states.items():
            self._readers[name].receive(batch_state)
        self._show_cameras(cameras)
        self._follow(outcome)

    def _show_cameras(self, cameras: Any) -> None:
        if cameras == self._cameras:
            return
        self._cameras = cameras
        backend = self._game._backend
        for part, values in zip((CAMERA, WORLD), cameras, strict=True):
            if values is not None:
                owner = backend.own(part)
                camera = owner if part is CAMERA else owner.camera
                previous, current = restored(values)
                latched = camera._state
                latched.current = current
                latched.previous = current if values[0] == values[1] else previous
                latched.teleported = False

    def _follow(self, outcome: Message) -> None:
        """Apply the results of a tick: run its effects, pause or exit this game, and set its time
        scale, as in the second process.
        """
        effects, events, flags = outcome
        game = self._game
        for is_method, name, arguments, named in effects:
            effect = getattr(game, name) if is_method else name
            game.emit(effect, *restored(arguments), **restored(named))
        for event in events:
            self._window_events.answer(event)
        if flags != self._flags:
            self._flags = flags
            exiting, game.timestep.paused, game.timestep.time_scale = flags
            self._stage.exiting = self._stage.exiting or exiting

    # -- errors ------------------------------------------------------------------------------------

    def _fail(self, trace: str, lines: Sequence[Line]) -> None:
        """Show the error of the second process in the window. Without a window, raise
        `FrameworkError`.
        """
        self.failure = trace
        self.close()
        self._states.clear()
        surface = self._stage.surface
        if not surface.drawing or (surface.headless and self._waits):
            raise FrameworkError(f"the process of the simulation has failed:\n{trace}")
        lines = [(_HINT, HINT), ("", PLAIN), *lines[:_MAX_LINES]]
        self._screen = MessagePanel(lines, whole=True)
        self._painter.panels.covered = True
        self._painter.panels.put_over(self._screen)
        self._stage.driver = PausedDriver(self._game.timestep, self._handle_event)

    def _hide_failure(self) -> None:
        if self._screen is not None:
            self._stage.driver = None
            self._painter.panels.covered = False
            self._painter.panels.remove(self._screen)
            self._screen = None

    def _handle_event(self, event: Event) -> None:
        """Handle key presses while the window is showing an error."""
        if event[0] == "on_close" or event[:2] == ("on_key_press", key.ESCAPE):
            self._stage.exiting = True
        elif event[:2] == ("on_key_press", key.R):
            self.restart()
        elif event[:2] == ("on_key_press", key.C) and self.failure is not None:
            window = self._stage.surface.window
            if window is not None:
                window.set_clipboard_text(self.failure)
