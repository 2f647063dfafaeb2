"""The child process of a `Beside` session, which runs the ticks of the game without drawing.

For each tick, the parent process sends a request with the player's input. The child runs the tick,
writes the rows of all batches to shared memory, and sends back a message. The message contains the
effects of the tick, such as sounds, and says where in the shared memory the new state is. If the
parent process ends, the child ends too.
"""

from __future__ import annotations

import importlib
import signal
import socket
import sys
import time
import traceback
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..errors import FrameworkError
from ..game.driven_game import driven
from ..game.game import Game, make_game
from ..game.game_options import Overrides
from ..game.scene import Scene
from ..input.tick_input import Event, TickInput
from ..plane.sprites import SpriteBatch
from ..space.meshes import MeshBatch
from ..state.rows import table_of
from .plain_values import plain, restored
from .process_pipe import Message, ProcessPipe
from .shared_states import BatchWriter

_roles: list[str] = []  # contains "child" if this process runs `main`
_classes_to_load: list[str] = []  # not empty while the child is running the parent's main program
_LAST_WORDS = 2.0  # how many seconds the parent has to read the child's error

Batch = SpriteBatch | MeshBatch


class Start(NamedTuple):
    """The first message from the parent to the child process, which describes the game that the
    child must create.
    """

    file: str
    """The path of the main program if it contains the class of the game, otherwise ""."""
    module: str
    name: str
    """The class's name in its module, such as "Outer.MyGame"."""
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    size: tuple[int, int]
    path: list[str]
    """The list of folders where Python searches for modules."""
    argv: list[str]


def named_batches(game: Scene) -> dict[str, Batch]:
    """Return a dict with all batches that are attributes of the game, or items of its lists, tuples
    and dicts. The keys of the dict are names such as "enemies[2]".
    """
    backend = game._backend
    attributes = {**backend.parts(), **vars(game)}
    batches: dict[str, Batch] = {}
    batch_ids: set[int] = set()
    for name, value in attributes.items():
        for path, entry in _entries(name, value):
            if isinstance(entry, SpriteBatch | MeshBatch) and id(entry) not in batch_ids:
                batch_ids.add(id(entry))
                batches[path] = entry
    return batches


def _entries(name: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, list | tuple):
        for index, entry in enumerate(value):
            yield f"{name}[{index}]", entry
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield f"{name}[{key!r}]", entry
    else:
        yield name, value


def game_class(start: Start) -> type[Game]:
    """Import and return the class of the game. If the class is defined in the parent's main
    program, run this program in the child until it calls ``fw.run``.
    """
    sys.path[:] = start.path
    sys.argv[:] = start.argv
    first, *inner = start.name.split(".")
    if start.file:
        value: Any = _from_file(start.file, first)
    else:
        value = vars(importlib.import_module(start.module))[first]
    for part in inner:
        value = getattr(value, part)
    kind: type[Game] = value
    return kind


class _Loaded(BaseException):
    """An exception that stops the main program in the child process as soon as the game class is
    defined.
    """


def _from_file(file: str, name: str) -> Any:
    """Run a Python file until the file calls ``fw.run``. Stop earlier if the file creates a
    `Beside` after it has defined the class ``name``. Return the class ``name``.
    """
    from ..sim.game_files import NoGameStarted, game_class_of

    _classes_to_load.append(name)
    try:
        game_class_of(file)
    except (_Loaded, NoGameStarted):
        pass  # the main program may also create its game without `fw.run`
    finally:
        _classes_to_load.clear()
    names = vars(sys.modules["__main__"])
    if name not in names:
        raise FrameworkError(
            f"session: the file {file} has not defined the class {name} before it makes a game"
        )
    return names[name]


def stop_loading() -> None:
    """Called when a `Beside` is created. Stop the main program in the child process if it has
    already defined the game class.
    """
    if _classes_to_load and _classes_to_load[0] in vars(sys.modules["__main__"]):
        raise _Loaded


class Child:
    """The game in the second process of a `Beside` session. The game runs one tick for each request
    of the parent.
    """

    def __init__(self, pipe: ProcessPipe, start: Start) -> None:
        self._pipe = pipe
        overrides: Overrides = {"drawing": False, "size": start.size}
        arguments = restored(start.arguments)
        options = restored(start.options)
        self.game: Game = make_game(game_class(start), overrides, *arguments, **options)
        self._stage, self._loop, self._events, *_ = driven(self.game)
        self._stage.unhandled = self._pass_back
        self._unanswered: list[Event] = []
        self._effects: list[tuple[bool, str, tuple[Any, ...], dict[str, Any]]] = []
        self.game._engine.effects.send_effect = self._note_effect
        self._writers: dict[str, BatchWriter] = {}
        self._tables: dict[str, int] = {}
        self._images: dict[str, int] = {}
        self._number = 0
        self._released = -1
        self._due = 0  # the number of requested ticks that have not run yet

    @property
    def exiting(self) -> bool:
        """Whether the game has ended."""
        return self._stage.exiting

    def answer(self, message: Message) -> None:
        """Handle a message from the parent. Run a tick, or handle the input of a paused game. If a
        tick is requested during a pause, it runs after the pause.
        """
        kind, data, released = message
        stage = self._stage
        self._released = released
        if kind == "pack":
            self._pipe.send(("packed", self.game.saves.pack()))
            return
        if kind == "unpack":
            self._number += 1
            self.game.saves.unpack(data)
            self.send_state("moved")
            return
        stage.inbox.events += TickInput.decode(data).events
        if kind == "tick":
            self._due += 1
        if self.game.timestep.paused:
            stage.handle_paused_events(self._loop.tick + 1)
            self._pipe.send(("still", self._outcome()))
        while self._due and not self.game.timestep.paused and not stage.exiting:
            self._due -= 1
            self._run_tick()

    def _run_tick(self) -> None:
        begun = time.perf_counter_ns()
        self._number += 1
        self.game.run_ticks(1)
        self.send_state("state", time.perf_counter_ns() - begun)

    # -- effects and events ------------------------------------------------------------------------

    def _note_effect(self, effect: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        name = effect
        is_method = not isinstance(effect, str)
        if is_method:
            name = getattr(effect, "__name__", "")
            if getattr(effect, "__self__", None) is not self.game:
                raise FrameworkError(
                    f"effect: expected a name or a method of the game, got {effect!r}; the effect "
                    "runs in the process of the window, so write emit('name', …) and subscribe"
                )
        values = plain("emit", arguments), plain("emit", named)
        self._effects.append((is_method, name, *values))

    def _pass_back(self, event: Event) -> None:
        self._unanswered.append(event)

    # -- states ------------------------------------------------------------------------------------

    def send_state(self, kind: str, duration: int = 0) -> None:
        """Send the state of the game to the parent. ``duration`` is the time in nanoseconds that
        the tick took. ``kind`` is the first entry of the message: "setup", "state" or "moved".
        """
        states = {}
        for name, batch in named_batches(self.game).items():
            table = table_of(batch)
            assert table is not None
            if self._tables.get(name) != id(table):
                self._tables[name] = id(table)
                self._writers[name] = BatchWriter(table)
                self._images[name] = -1
            self._send_images(name, batch)
            state, new = self._writers[name].write(self._number, self._released)
            if new is not None:
                memory, size, plan = new
                self._pipe.send(("memory", name, memory.name, size, plan), memory.fd)
            states[name] = state
        self._pipe.send((kind, self._number, states, self._cameras(), self._outcome(), duration))

    def _send_images(self, name: str, batch: Batch) -> None:
        """Send the images that were added to a batch since the last call. The parent needs only
        images that are added later, because its own `setup` loads the first images.
        """
        if not isinstance(batch, SpriteBatch):
            return
        sources = batch._images.sources
        first = self._images[name]
        self._images[name] = len(sources)
        if 0 <= first < len(sources):
            self._pipe.send(("images", name, first, plain("images", sources[first:])))

    def _cameras(self) -> Any:
        """Return the values of the scene's 2D camera and of the world's camera, before and after
        the tick. If a camera does not exist, its value is None.
        """
        backend = self.game._backend
        world = backend.world
        cameras = (backend.camera, None if world is None else world.camera)
        return tuple(
            None
            if camera is None
            else plain("camera", (camera._state.previous, camera._state.current))
            for camera in cameras
        )

    def _outcome(self) -> Message:
        """Return three values: the effects of a tick, the events that no handler has handled, and
        the flags of the game. The flags are whether the game has ended, whether it is paused, and
        its time scale.
        """
        effects = self._effects
        self._effects = []
        events = self._unanswered
        self._unanswered = []
        timestep = self.game.timestep
        flags = self._stage.exiting, bool(timestep.paused), float(timestep.time_scale)
        return tuple(effects), plain("event", tuple(events)), flags


class Service:
    """The main loop of the child process, which creates the game and handles the messages from the
    parent.
    """

    def __init__(self, pipe: ProcessPipe) -> None:
        self._pipe = pipe
        self._child: Child | None = None
        self.failed = False
        """True once the game has raised an error and the error has been sent to the parent."""

    @property
    def is_over(self) -> bool:
        """True once the game or the parent process has ended."""
        if self._pipe.closed or self.failed:
            return True
        return self._child is not None and self._child.exiting

    def wait(self) -> None:
        """Wait until the parent sends a message."""
        self._pipe.wait(None)

    def step(self) -> None:
        """Handle all messages that have arrived from the parent."""
        pipe = self._pipe
        try:
            for message in pipe.receive():
                if self._child is None:
                    self._child = Child(pipe, Start(*message))
                    self._child.send_state("setup")
                else:
                    self._child.answer(message)
        except BaseException as error:
            self.failed = True
            # Imported here because it is needed only after an error.
            from ..game.development_run import described

            trace = "".join(traceback.format_exception(error))
            pipe.send(("error", trace, tuple(map(tuple, described(error)))))
        if self.is_over:
            pipe.flush_for(_LAST_WORDS)


def is_child() -> bool:
    """Return whether this process is the second process of a `Beside` session."""
    return bool(_roles)


def main() -> None:
    """Run the child process. The last command-line argument is the file descriptor of the socket
    that connects the child to the parent. On Windows, the parent sends the socket through stdin.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C must end the parent first
    if sys.platform == "win32":  # pragma: no cover
        size = int.from_bytes(sys.stdin.buffer.read(4), "little")
        connection = socket.fromshare(sys.stdin.buffer.read(size))
    else:
        connection = socket.socket(fileno=int(sys.argv[-1]))
    _roles.append("child")
    service = Service(ProcessPipe(connection))
    while not service.is_over:
        service.wait()
        service.step()
    raise SystemExit(service.failed)
