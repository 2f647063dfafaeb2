"""The internal parts of a game, such as its loop and its painter, behind the public class `Game`.

A `GameEngine` creates the window and all internal parts, runs the game, and releases everything
when the game is closed.
"""

from __future__ import annotations

import inspect
import operator
import os
import sys
from _thread import get_ident
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from .. import checks, current_game
from ..checks import whole
from ..errors import FrameworkError
from ..gpu.graphics import check_thread
from ..input.input_source import CheckedSource, InputSource, LocalInput
from ..timing.timestep import NANOSECONDS, Timestep
from ..watch.frame_stats import FrameStats
from ..watch.workload import Workload
from . import misspelled_names, unadded_batches
from .diagnostics import Diagnostics
from .display import Display
from .driven_game import DrivenGame
from .engine_state import EngineState
from .game_audio import new_audio
from .game_options import GameOptions
from .loop import Drive, Loop, VirtualClock
from .network import Network
from .painter import Painter
from .picture import Picture
from .recordings import RecordingControl
from .replication import Replication
from .restoring import GameState
from .save_files import SaveFiles
from .saving import Saves
from .scene import Scene, scene_backend
from .scene_stack import SceneStack
from .session import check_clock
from .stage import Stage
from .subsystems import Subsystems
from .surface import GameSurface, NoSurface
from .testing import Testing
from .tick_effects import TickEffects
from .window_events import WindowEvents

if TYPE_CHECKING:
    from ..audio.audio import Audio
    from .game_protocols import RunningGame

# A run of at least this many frames starts with a garbage collection, which saves time in long
# runs.
_LONG_RUN = 120
# After this many ticks, a game has probably added all its batches.
_LONG_PLAY = 60

_LOCAL = LocalInput()


class GameEngine:
    """The internal parts of a game, such as the loop, the painter and the scene stack. If one part
    cannot be created, all other parts are released.
    """

    not_state = True  # `EngineState` captures only the attributes that are state

    def __init__(self, game: Scene, options: GameOptions) -> None:
        self.options = options
        self._closed = False
        self.clock = VirtualClock()
        self.subsystems = Subsystems()
        self.surface = _surface(options, type(game).__name__)
        self.in_window = not self.surface.headless
        self._audio: Audio | None = None
        try:
            self._assemble(game, options)
        except BaseException:
            self.close_after_error()
            raise

    def _assemble(self, game: Scene, options: GameOptions) -> None:
        surface = self.surface
        subsystems = self.subsystems
        subsystems.ending.callback(surface.close)
        times = FrameStats(on=options.frame_stats)
        subsystems.ending.callback(times.close)
        times.gpu = not surface.headless
        self.stage = stage = subsystems.add(_new_stage(game, options, surface, times))
        scene_backend(game).home = stage
        stage.files = subsystems.add(SaveFiles(stage, options.overrides.get("separate_run")))
        surface.belongs_to(stage)
        _apply_window_options(stage, options, type(game).__name__)
        self.painter = painter = subsystems.add(
            Painter(stage, *options.colors, options.render_scale, options.pixel_art)
        )
        budget = options.frame_time if surface.headless else 1 / Fraction(surface.refresh_rate)
        self.load = Workload(round(NANOSECONDS * budget))
        self.loop = loop = Loop(stage, options.loop, painter, subsystems, self.load)
        loop.exact = options.exact
        engine_state = EngineState(stage, painter, loop, subsystems, self.clock)
        self.state = GameState(stage, engine_state, loop, subsystems)
        self.effects = TickEffects(stage)
        self.replication = Replication(bool(getattr(options.session, "decides", True)))
        self.network = Network(self.replication, stage)
        self.testing = Testing(stage)
        self.saves = Saves(stage, loop)
        self.drive = Drive(stage, loop, self.clock, self.close_now, self.close_after_error)
        self.display = Display(stage, loop, self.load)
        loop.pacing = options.pacing
        loop.pause_when_hidden = options.pause_when_hidden
        self.picture = Picture(stage, painter)
        self.debug = Diagnostics(stage, loop, painter, self.state.listing)
        self.scenes = subsystems.add(SceneStack(stage, game))
        self.events = subsystems.add(
            WindowEvents(
                stage,
                lambda: painter.paint(loop.timestep),
                options.escape_closes,
                self.effects.emit,
            )
        )
        self.recording = RecordingControl(self.driven, subsystems, self.effects)
        # Pyglet's own close handler would delete the GL context of the game.
        surface.closes_by(self.close)
        self.timestep.advance(0)

    @property
    def driven(self) -> DrivenGame:
        """The internal parts of the game, for code that runs ticks of the game, such as a
        replay.
        """
        return DrivenGame(
            self.stage, self.loop, self.events, self.clock, self.painter, self.subsystems
        )

    @property
    def live(self) -> GameSurface:
        """The surface (window or offscreen image) of the game. Raises `FrameworkError` if the game
        is closed.
        """
        return self.stage.live

    @property
    def input(self) -> InputSource:
        """The object that provides the input of each tick. For details, see `Game.input`."""
        source = self.stage.source
        if source is None:
            return _LOCAL
        return source.source if isinstance(source, CheckedSource) else source

    @input.setter
    def input(self, value: InputSource | None) -> None:
        stage = self.stage
        stage.live  # noqa: B018 (raises an error if the game was closed)
        if self.loop.session is not None or self.options.session is not None:
            kind = type(self.loop.session or self.options.session).__name__
            raise FrameworkError(
                f"input: the session {kind} decides the input of each tick, so input cannot be set"
            )
        if value is None or type(value) is LocalInput:
            stage.source = None
            return
        if isinstance(value, type) or not callable(getattr(value, "tick", None)):
            raise checks.wrong_type(
                "input", "an object with the method tick(number, local), or None", value
            )
        stage.source = CheckedSource(value, len(stage.players))

    def begin_session(self) -> None:
        """Start the session of the game, if it has one."""
        session = self.options.session
        if session is not None:
            self.subsystems.ending.callback(session.close)
            check_clock(self.timestep)
            self.loop.session = self.stage.source = session
            session.start(self.stage.game)

    @property
    def timestep(self) -> Timestep:
        """The timestep of the game, which decides when ticks run."""
        return self.loop.timestep

    @property
    def audio(self) -> Audio:
        """The audio object of the game. The object is created when this property is first read."""
        if self._audio is None:
            self._audio = new_audio(self.stage, self.loop, self.subsystems)
        return self._audio

    def switch(self, change: Callable[..., None], *arguments: Any) -> None:
        """Call ``change(*arguments)``, a function that changes the scene stack. If `on_enter` or
        `on_exit` of a scene closes the game, release all parts of the game.
        """
        self.live  # noqa: B018 (raises an error if the game was closed)
        try:
            change(*arguments)
        except BaseException:
            if self.drive.closing and not self.at_work:
                self.close_after_error()
            raise
        # A hook of a scene, such as `on_exit`, has closed the game.
        if self.drive.closing and not self.at_work:
            self.close_now()

    # -- the loop ----------------------------------------------------------------------------------

    def run(self, frames: int | None = None) -> None:
        """Run the game until its window is closed, or for ``frames`` frames. For details, see
        `Game.run`.
        """
        frames = None if frames is None else whole("frames", frames, 0)
        surface = self.live
        drive = self.drive
        if drive.running:
            raise FrameworkError("run: this game is running already")
        last = None if frames is None else self.loop.frames + frames
        stage = self.stage
        collector = stage.collector
        surface.begin_work()
        drive.running = True
        if self.options.manage_gc and (self.in_window or frames is None or frames >= _LONG_RUN):
            stage.after_frame = collector.begin
        try:
            if self.in_window:
                self._run_in_window(last)
            else:
                self._run_without_window(last)
        except BaseException:
            drive.running = False
            self.close_after_error()
            raise
        finally:
            stage.after_frame = None
            collector.end()
            surface.end_work()
        drive.running = stage.exiting = False
        if self.loop.frames >= _LONG_RUN:
            self._remark()
        if drive.closing:
            self.close_now()

    def _run_in_window(self, last: int | None) -> None:
        """Run frames until `Loop.frames` is ``last``, or until the window is closed."""
        stage = self.stage
        if self.loop.frames != last and not stage.exiting:
            # Imported here because it loads modules for pacing and refresh clocks.
            from .window_loop import WindowLoop

            WindowLoop(stage, self.loop, self.painter, self.load, self.clock).run(last)

    def _run_without_window(self, last: int | None) -> None:
        """Run frames until `Loop.frames` is ``last``, or until the game ends."""
        stage = self.stage
        drive = self.drive
        while not stage.exiting and self.loop.frames != last:
            drive.step(self.options.frame_time)
            # Without a window, no frame can be late, so there is always time to collect garbage.
            stage.collector.use(NANOSECONDS)

    def call_soon(self, function: Callable[[], object]) -> None:
        """Call ``function`` in the game's thread before the next tick. For details, see
        `Game.call_soon`.
        """
        stage = self.stage
        thread = self.live.thread
        checks.function("function", function)
        if (
            stage.resimulation.resimulating and get_ident() == thread
        ):  # called by a tick that is running again
            stage.resimulation.again.append(function)
        else:
            stage.calls.append(function)

    def run_ticks(self, ticks: int) -> None:
        """Run ``ticks`` ticks without drawing. For details, see `Game.run_ticks`."""
        ticks = whole("ticks", ticks, 0)
        with self.live.working():
            stage = self.stage
            stage.check_between_ticks("run_ticks")
            if ticks:
                self.painter.mark_unpainted()
            for _ in range(ticks):
                if stage.calls and not stage.resimulation.at_earlier_tick:
                    stage.make_calls()
                self.loop.run_known_tick("run_ticks")

    def screenshot(self, path: str | os.PathLike[str], pixels: Callable[[], Any]) -> None:
        """Write the pixels that ``pixels()`` returns to the image file ``path``. If a frame is
        being drawn, the file is written after this frame.
        """
        from ..assets.images import save  # imported here because most games write no images

        self.live.needed("screenshot")
        where = checks.path("path", path)
        do = self.stage.pictures.append if self.stage.busy else operator.call
        self.stage.files.write(where, "file", lambda file: do(lambda: save(pixels(), file)))

    # -- the end -----------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the game, immediately or at the end of the current frame. For details, see
        `Game.close`.
        """
        if self.at_work:
            self.drive.closing = self.stage.exiting = True
        else:
            self.close_now()

    @property
    def at_work(self) -> bool:
        """Whether `Game.run` or a frame is running, or whether the scene stack is changing."""
        return self.drive.running or self.stage.busy or self.stage.switching

    def _remark(self) -> None:
        """Warn about mistakes that can be found only after the game has run for a while."""
        stage = self.stage
        unadded_batches.remark(entry.scene for entry in stage.stack)
        for entry in stage.stack:
            misspelled_names.remark(entry.scene, entry.drawables.ui)

    def close_after_error(self) -> None:
        """Release all parts of the game after an exception. Ignore exceptions that are raised
        during the release.
        """
        with suppress(Exception):
            self.close_now()

    def close_now(self) -> None:
        """Close the game immediately, and release all its parts. If the game is already closed, do
        nothing. In a forked process, release nothing, because the parts belong to the parent
        process.
        """
        if self._closed:
            return
        surface = self.surface
        check_thread(surface.thread)
        self._closed = True
        if surface.forked:  # a forked process must not close the files or free the GPU memory
            return
        surface.mark_closed()
        surface.closes_by(None)
        try:
            if self.loop.tick >= _LONG_PLAY and sys.exc_info()[0] is None:
                self._remark()
            surface.make_current()
        finally:
            try:
                self.subsystems.release()
            finally:
                current_game.draw_again()


def engine_of(game: Any) -> GameEngine | None:
    """Return the engine of a game, or None if the game's ``__init__`` has not called
    ``super().__init__``.
    """
    engine: GameEngine | None = vars(game).get("_engine")
    return engine


def _surface(options: GameOptions, name: str) -> GameSurface:
    """Create the surface (window or offscreen image) of a game. ``name`` is the window title if the
    options do not set one.
    """
    if not options.drawing:
        return NoSurface(options.size, pixel_ratio=options.pixel_ratio, samples=options.samples)
    from .window import WindowSurface  # imported here because it loads pyglet

    return WindowSurface(
        options.size,
        title=name if options.title is None else options.title,
        headless=options.headless,
        vsync=options.vsync,
        resizable=options.resizable,
        fullscreen=options.fullscreen,
        samples=options.samples,
        pixel_ratio=options.pixel_ratio,
        takes_mouse=not options.watched,
        borderless=options.borderless,
        screen=options.screen,
        physical_keys=options.physical_keys,
    )


def _new_stage(
    game: Scene, options: GameOptions, surface: GameSurface, frame_stats: FrameStats
) -> Stage:
    return Stage(
        cast("RunningGame", game),
        surface,
        folders_of(type(game)),
        options.seed,
        frame_stats,
        options.resolution,
        options.scaling,
        options.players,
        options.immediate_events,
    )


def _apply_window_options(stage: Stage, options: GameOptions, name: str) -> None:
    """Set the title, the icon and the frame rate of the window. ``name`` is the title if the
    options do not set one.
    """
    settings = stage.surface.settings
    settings.title = name if options.title is None else options.title
    settings.vsync = options.vsync
    settings.max_fps = options.max_fps
    settings.min_size = options.min_size
    settings.set_icon(options.icon, stage.folders)


def folders_of(game_class: type) -> tuple[str, ...]:
    """Return the folders that contain the Python files of a game. The folder of the game's class
    comes first, followed by the folders of its base classes. The list does not contain the working
    directory, because the framework always searches there last.
    """
    cached = _known_folders.get(game_class)
    if cached is not None:
        return cached
    folders: list[str] = []
    for cls in game_class.__mro__:
        if cls.__module__ == "framework.game.game":
            break
        try:
            folder = os.path.dirname(os.path.realpath(inspect.getfile(cls)))
        except (TypeError, OSError):  # a class defined in an interactive session has no file
            continue
        if folder not in folders:
            folders.append(folder)
    return _known_folders.setdefault(game_class, tuple(folders))


_known_folders: WeakKeyDictionary[type, tuple[str, ...]] = WeakKeyDictionary()
