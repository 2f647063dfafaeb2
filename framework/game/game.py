"""A game: its options, its window, its scenes, and the subsystems that run along with it."""

from __future__ import annotations

__all__ = ["Game"]

import inspect
import math
import operator
import os
import time
from _thread import get_ident
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypedDict
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .. import checks, current_game
from ..checks import flag, number, positive_fraction, whole
from ..current_game import working
from ..errors import FrameworkError
from ..geometry.exact import chosen
from ..gpu.graphics import check_thread
from ..input.players import Player
from ..input.tick_input import MAX_PLAYERS
from ..moved_names import WithMoved, moved
from ..timing.timestep import NANOSECONDS, FixedTimestep, Timestep
from ..view import SCALINGS, View, check_render_scale, check_samples
from ..watch.monitor import Monitor
from ..watch.workload import Load
from . import saving
from .audible import Audible
from .backstage import Backstage
from .diagnostics import Diagnostics
from .display import Display
from .effects import Emitting
from .events import Events
from .loop import ByHand, Loop, VirtualClock
from .names import kept
from .painter import Painter
from .picture import Picture
from .playing import Driven
from .recordings import Recording
from .restoring import Restorable
from .savefiles import Apart, SaveFiles
from .saving import Saves
from .scene import Scene, scene_works
from .settings import reading, rgb, setting
from .stack import SceneStack
from .stage import Stage
from .subsystems import P, Subsystems, checked_subsystem
from .surface import NoSurface, Surface
from .testing import Testing

if TYPE_CHECKING:
    from pathlib import Path

    from ..gpu.transitions import Transition

# A machine that draws only this many frames a second still runs at full speed; below, time is given
# up.
_SLOWEST_FRAME_RATE = 15

# Ticks in a frame: more would not end in any useful time.
_MOST_TICKS = 100_000

_MOST_RATE = 10**9  # frames a second, and the other way round
_MOST_PIXELS = 1024  # of a unit, along a side

# A run off screen of so many frames, or without an end, is worth the time that it takes to sort out
# the garbage first.
_LONG_RUN = 120


class _GameType(WithMoved):
    """Runs ``setup`` once the whole chain of ``__init__`` is through, so that it may use what they
    set.
    """

    made = 0
    """Games made in this process so far."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return make_game(cls, {}, *args, **kwargs)


class Overrides(TypedDict, total=False):
    """Options of a game that count whatever its ``__init__`` passes on. See `make_game`."""

    size: tuple[int, int]
    pixel_ratio: float
    headless: bool | None
    drawing: bool
    seed: int
    players: int
    apart: Apart


def make_game(game_class: Any, overrides: Overrides, /, *args: Any, **options: Any) -> Any:
    """Make a game with options that count whatever its ``__init__`` passes on.

    A replay, a server and an environment need them: a class may have an ``__init__`` of its own
    that takes no options, or sets them. Such a game never fills the screen, and leaves the mouse
    to whoever looks on. Games that it makes itself have the options that it gives them.

    ``apart`` keeps the game's files apart from the player's, and changes nothing else. A game that
    this game makes in `setup`, in a tick or in an event keeps its files apart, too.
    """
    _GameType.made += 1
    game: Any = game_class.__new__(game_class, *args, **options)
    game._overrides = overrides
    try:
        game.__init__(*args, **options)
        if game._surface is None:
            raise TypeError(f"{game_class.__name__}.__init__ must call super().__init__(**options)")
        game._home.made_with = args, options
        with game._surface.working(), game._home.rules():
            game._begin()
        game._home.incoming.ticking = False
        game._home.between_ticks = True
    except BaseException:
        game._give_up()
        raise
    finally:
        current_game.draw_again()  # made in another game's update, say
    return game


_MOUSE = ("mouse_captured", "mouse_visible", "mouse_cursor")
_DISPLAY = (*_MOUSE, "fullscreen", "pacing", "pause_when_hidden")
_PICTURE = ("bar_color", "palette", "render_scale", "samples", "quality")
_TESTING = ("press", "release", "click", "type", "tilt", "squeeze", "plug", "unplug", "feed")


@kept
@moved("game", {name: f"testing.{name}" for name in _TESTING})
@moved(
    "game",
    {"record": "recording.start", "stop_recording": "recording.stop"}
    | {"resimulating": "recording.resimulating"},
    {"rewind": "recording.rewind"},
)
@moved(
    "game",
    {name: f"display.{name}" for name in ("window", "headless", "running_slowly", "to_clipboard")}
    | {name: f"picture.{name}" for name in ("ctx", "graphics", "pyglet_drawing")}
    | {name: f"debug.{name}" for name in ("frames", "monitor", "state_hashes", "state_values")},
    {name: f"display.{name}" for name in _DISPLAY}
    | {name: f"picture.{name}" for name in _PICTURE}
    | {"overlay": "debug.overlay"},
)
@moved("game", {"save_path": "saves.path", "export_json": "saves.export_json"})
class Game(Restorable, Emitting, Audible, Scene, metaclass=_GameType):
    """Subclass it, override `setup`, `update` and if need be `draw`, and start it with `run`.

    Parameters
    ----------
    size
        Width and height of the window in units (logical pixels).
    title
        Of the window; default: the class's name.
    tick_rate
        Ticks a second.
    timestep
        A loop of your own choice, instead of a `FixedTimestep` of ``tick_rate``.
    seed
        Of `random`.
    headless
        True draws off screen, False in a window; None takes a window where there is a display. Off
        screen, frames follow a virtual clock, so that every run is the same.
    drawing
        False for a game without pictures, as on a server: it loads neither a window's library nor
        OpenGL, and all but drawing works, as off screen.
    vsync, resizable, fullscreen
        As of the window.
    pacing
        Whether time follows the display's refreshes instead of the moments at which a busy CPU gets
        to read the clock: frames are then drawn for evenly spaced moments, as they are shown (see
        `refresh`). In a window whose flips wait for the screen; elsewhere, and off screen, it
        changes nothing.
    samples
        MSAA samples a pixel, a power of two; 0 for none.
    resolution
        A virtual size: `size`, the cameras and the mouse then count in its units, whatever the
        window's size is.
    scaling
        How the resolution lies in the window: ``"letterbox"``, ``"integer"`` (a whole number of
        pixels a unit) or ``"stretch"``. ``"auto"`` is ``"integer"`` in pixel art, else
        ``"letterbox"``.
    pixel_art
        Whether each unit of the resolution is a texel, a square of one colour in the window
        (docs/views.md).
    background
        Colour behind everything: red, green, blue in 0..1.
    bar_color
        Of the bars beside the picture, where a resolution leaves some of the window free.
    frame_rate
        Frames a second off screen.
    pixel_ratio
        Framebuffer pixels in a unit off screen (a window asks the system).
    escape_closes
        Whether the Escape key ends the game when no ``on_key_press`` returned True for it.
    monitor
        Whether `monitor` times the frames from the start.
    pause_when_hidden
        Whether time stands still while the window is hidden or minimised. Nothing is drawn then in
        any case. What passed meanwhile is never made up for; a game that had paused itself is still
        paused when it is shown again.
    render_scale
        Of the pictures that cameras take of the world: 0.5 draws half as many pixels in each
        direction. See `Game.picture.render_scale`.
    manage_gc
        Whether `run` keeps Python's garbage collector out of the frames (see `garbage`): after the
        first one what is alive is frozen, then garbage is collected while the loop waits. When
        `run` ends, all is as it was before. Off screen in runs without an end, or of at least 120
        frames: between them.
    exact
        Whether the framework's own functions give the same bits on every machine within `setup` and
        ticks: those that turn and place things take sines and their kin from `exact`, not from
        NumPy.
    players
        How many play, 1 to 64: `Game.players` has the keys and the mouse of each.
    immediate_events
        Whether pyglet's events reach the methods (``on_key_press``, …) at once, between ticks,
        instead of at the start of the tick that latches them: for what never touches the game's
        state.
    """

    _transient_attributes = (
        *("_audio", "_backstage", "_by_hand", "_clock", "_closing", "_debug", "_display"),
        *("_effects", "_events", "_frame_time", "_home", "_load", "_loop", "_manages_gc"),
        *("_overrides", "_painter", "_picture", "_recording", "_running", "_saves", "_scenes"),
        *("_subsystems", "_surface", "_testing"),
    )  # `_backstage` has what of these is state
    saved_classes: ClassVar[tuple[type, ...]] = ()
    """Classes of which `load` may make new objects, and enums: what a list of enemies is made
    of.
    """
    saved_version: ClassVar[int] = 1
    """To be raised when saves of before no longer fit."""
    migrations: ClassVar[Mapping[int, Callable[[dict[str, Any]], dict[str, Any] | None]]] = {}
    """What brings the values of a save from each version to the next one: ``{1: from_1_to_2}``."""
    saves_folder: ClassVar[str | None] = None
    """The name of the game's folder among the user's data; None for that of its class."""

    _overrides: Overrides
    _surface: Surface | None = None  # None before it is open and after it is closed

    def __init__(
        self,
        *,
        size: tuple[int, int] = (1280, 720),
        title: str | None = None,
        tick_rate: float | Fraction = 60,
        timestep: Timestep | None = None,
        seed: int = 0,
        headless: bool | None = None,
        drawing: bool = True,
        vsync: bool = True,
        pacing: bool = True,
        resizable: bool = True,
        fullscreen: bool = False,
        samples: int = 0,
        resolution: tuple[int, int] | None = None,
        scaling: str = "auto",
        pixel_art: bool = False,
        background: str | Sequence[float] = (0.07, 0.08, 0.11),
        bar_color: str | Sequence[float] = (0.0, 0.0, 0.0),
        frame_rate: float | Fraction = 60,
        pixel_ratio: float = 1.0,
        escape_closes: bool = True,
        monitor: bool = True,
        pause_when_hidden: bool = False,
        render_scale: float = 1.0,
        manage_gc: bool = True,
        exact: bool = False,
        players: int = 1,
        immediate_events: bool = False,
    ) -> None:
        super().__init__()
        size = checks.size("size", size)
        resolution = None if resolution is None else checks.size("resolution", resolution)
        scaling = _scaling(scaling, flag("pixel_art", pixel_art), resolution)
        color, bars = rgb("background", background), rgb("bar_color", bar_color)
        render_scale = check_render_scale("render_scale", render_scale)
        self._frame_time = 1 / _checked_rate(frame_rate)
        time_loop = (
            _default_timestep(tick_rate, self._frame_time) if timestep is None else _fresh(timestep)
        )
        self._manages_gc = flag("manage_gc", manage_gc)
        self._running = self._closing = False
        self._clock = VirtualClock()
        overrides = self._overrides
        watched = bool(overrides.keys() - {"apart"})
        seed = whole("seed", overrides.get("seed", seed), 0)
        self._subsystems = subsystems = Subsystems()
        self._surface = surface = _surface(
            overrides.get("drawing", flag("drawing", drawing)),
            overrides.get("size", size),
            title=type(self).__name__ if title is None else checks.text("title", title),
            headless=overrides.get(
                "headless", None if headless is None else flag("headless", headless)
            ),
            vsync=flag("vsync", vsync),
            resizable=flag("resizable", resizable),
            fullscreen=flag("fullscreen", fullscreen) and not watched,
            samples=check_samples("samples", samples),
            pixel_ratio=overrides.get(
                "pixel_ratio", number("pixel_ratio", pixel_ratio, above=0, most=_MOST_PIXELS)
            ),
            takes_mouse=not watched,
        )
        subsystems.ending.callback(surface.close)
        times = Monitor(on=flag("monitor", monitor))
        subsystems.ending.callback(times.close)
        times.gpu = not surface.headless
        players = overrides.get("players", players)
        play = whole("players", players, 1, MAX_PLAYERS), flag("immediate_events", immediate_events)
        where = surface, folders_of(type(self))
        self._home = subsystems.add(Stage(self, *where, seed, times, resolution, scaling, *play))
        scene_works(self).home = self._home
        self._home.files = subsystems.add(SaveFiles(self._home, overrides.get("apart")))
        surface.belongs_to(self._home)
        self._painter = subsystems.add(Painter(self._home, color, bars, render_scale, pixel_art))
        budget = self._frame_time if surface.headless else 1 / Fraction(surface.refresh_rate)
        self._load = Load(round(NANOSECONDS * budget))
        self._loop = Loop(self._home, time_loop, self._painter, subsystems, self._load)
        self._loop.exact = flag("exact", exact)
        self._backstage = Backstage(self._home, self._painter, self._loop, subsystems, self._clock)
        self._testing = Testing(self._home)
        self._saves = Saves(self._home, self._loop)
        self._by_hand = ByHand(surface)
        self._display = Display(self._home, self._loop, self._load)
        self._display.pacing, self._display.pause_when_hidden = pacing, pause_when_hidden
        self._picture = Picture(self._home, self._painter)
        self._debug = Diagnostics(self._home, self._loop, self._painter, self._listing)
        self._scenes = subsystems.add(SceneStack(self._home, self))
        escapes = flag("escape_closes", escape_closes)
        self._events = subsystems.add(
            Events(self._home, lambda: self._painter.paint(self.timestep), escapes)
        )
        self._recording = Recording(self._driven(), subsystems)
        surface.closes_by(self.close)  # pyglet's own would leave us without a GL context
        self.timestep.advance(0)

    timestep: Timestep = reading("_loop.timestep", "The rules by which ticks are due.")
    tick: int = reading(
        "_loop.tick", "The number of the tick that is running, or of the last one; 0 before them."
    )
    exact: bool = reading(
        "_loop.exact", "Whether ticks give the same bits on every machine; see the option."
    )
    view: View = reading("_home.view", "How the picture's units lie on the framebuffer.")
    drawing: bool = reading("_live.drawing", "Whether there are pictures; see the option.")
    background: str | Sequence[float] = setting(
        "_painter.background",
        rgb,
        "Colour behind everything: red, green, blue, sRGB in 0..1, or '#123'.",
    )

    @property
    def game(self) -> Any:
        """The game itself, as for any scene."""
        return self

    @property
    def scene(self) -> Scene:
        """The scene on top; the game itself when there is no other."""
        return self._scenes.top if self._home.on else self

    @property
    def players(self) -> tuple[Player, ...]:
        """Who plays, each with ``keys``, ``mouse`` and ``pads``; the first one's are the game's
        own.
        """
        return self._home.players

    @property
    def testing(self) -> Testing:
        """Plays the game by program: ``game.testing.press("space")``, `Testing.click`, …"""
        return self._testing

    @property
    def recording(self) -> Recording:
        """Records what is played, `Recording.start`, and goes back in time, `Recording.rewind`."""
        return self._recording

    @property
    def display(self) -> Display:
        """The window, the mouse pointer and the screen: `Display.fullscreen`, …"""
        return self._display

    @property
    def picture(self) -> Picture:
        """How the game is drawn, `Picture.quality`, …; and OpenGL, `Picture.ctx`."""
        return self._picture

    @property
    def debug(self) -> Diagnostics:
        """What frames took, `Diagnostics.monitor`, and each value of the state."""
        return self._debug

    @property
    def saves(self) -> Saves:
        """The folder of saves, `Saves.path`, and a copy for people, `Saves.export_json`."""
        return self._saves

    @property
    def _in_window(self) -> bool:
        return not self._live.headless

    @property
    def _live(self) -> Surface:
        if self._surface is None:
            raise FrameworkError("This game was closed; make a new one.")
        return self._surface

    # -- saves -------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write what the game and its scenes declare in ``saved`` to a file; returns where it is.

        A name without a folder is one in the user's data folder, see `Saves.path`. The file takes
        the place of what was there in one step, when all of it is on the disk; what was there is
        kept beside it, with ``.bak`` at the end. Raises `FrameworkError` for what cannot be saved,
        by its path, and within `draw`, and `AssetError` where no file can be written: then all is
        as it was.
        """
        return saving.save(self._saves, path)

    def load(self, path: str | os.PathLike[str]) -> None:
        """Bring back what `save` wrote, into the same objects.

        The scenes that are on must be those of the save. What has a method ``after_load()`` has it
        called when all is back. Raises `AssetError` for a file that is missing, broken, of another
        game, or of a version from which no `migrations` lead here; then nothing has changed. Raises
        `FrameworkError` within `draw`.
        """
        saving.load(self._saves, path)

    # -- scenes and subsystems ---------------------------------------------------------------------

    def push(self, scene: Scene, *, transition: Transition | None = None) -> None:
        """Put a scene on top. Within a tick or `draw`, it is put on when that ends.

        With a ``transition`` (``fw.Fade(0.4)``, `Wipe`, `Iris` or one of your own) the picture goes
        over to the new one, from that of this tick; the scenes themselves are switched at once.
        """
        self._switch(self._scenes.push, scene, transition)

    def pop(self, *, transition: Transition | None = None) -> None:
        """Take the top scene off. Within a tick or `draw`, it is taken off when that ends. See
        `push`.
        """
        self._switch(self._scenes.pop, transition)

    def show(self, scene: Scene, *, transition: Transition | None = None) -> None:
        """Put a scene on in place of all others but the game. Within a tick or `draw`, when that
        ends. See `push`.
        """
        self._switch(self._scenes.show, scene, transition)

    def _switch(self, change: Callable[..., None], *given: Any) -> None:
        self._live  # noqa: B018
        try:
            change(*given)
        except BaseException:
            if self._closing and not self._at_work:
                self._give_up()
            raise
        if self._closing and not self._at_work:  # by a hook of one of the scenes
            self._shut()

    def add_subsystem(self, subsystem: P) -> P:
        """Have something go along with ticks and frames until the game is closed, and return it;
        see `Subsystem`.

        Raises `TypeError` for what has none of a subsystem's methods.
        """
        self._live  # noqa: B018
        return self._subsystems.add(checked_subsystem("subsystem", subsystem))

    # -- the loop ----------------------------------------------------------------------------------

    def run(self, frames: int | None = None) -> None:
        """Run until the window is closed, `exit` is called, or ``frames`` frames are over.

        Off screen, frame k is drawn for the virtual time k / frame_rate, as fast as it goes. The
        game stays open (for `pixels`, say) until `close`; but an exception in it closes it and is
        raised here.
        """
        frames = None if frames is None else whole("frames", frames, 0)
        surface = self._live
        if self._running:
            raise FrameworkError("run: this game is running already")
        last = None if frames is None else self._loop.frames + frames
        stage, collector = self._home, self._home.collector
        surface.begin_work()
        self._running = True
        if self._manages_gc and (self._in_window or frames is None or frames >= _LONG_RUN):
            stage.after_frame = collector.begin
        try:
            if not self._in_window:
                while not stage.exiting and self._loop.frames != last:
                    self._step(self._frame_time)
                    collector.use(NANOSECONDS)  # nobody waits for a frame here
            elif frames != 0 and not stage.exiting:
                from .windowed import Windowed  # pacing, and the display's refreshes

                Windowed(stage, self._loop, self._painter, self._load, self._clock).run(last)
        except BaseException:
            self._running = False
            self._give_up()
            raise
        finally:
            stage.after_frame = None
            collector.end()
            surface.end_work()
        self._running = stage.exiting = False
        if self._loop.frames >= _LONG_RUN:
            from .forgotten import (
                remark,
            )  # at the end of a game, which need not load it at its beginning

            remark(entry.scene for entry in stage.on)
        if self._closing:
            self._shut()

    def call_soon(self, function: Callable[[], object]) -> None:
        """Call ``function()`` in the game's thread, before the ticks of its next frame.

        This is what another thread (of a network, say) uses to change anything of a game: it may be
        called from any. An exception in the function comes out of `run` or `advance`.
        """
        stage, thread = self._home, self._live.thread
        checks.function("function", function)
        if stage.past.resimulating and get_ident() == thread:  # by a tick that is run again
            stage.past.again.append(function)
        else:
            stage.calls.append(function)

    def exit(self) -> None:
        """End `run` after this frame; the next `run`, when none is on."""
        self._home.exiting = True

    def advance(self, frame_time: float | Fraction) -> float:
        """Drive the game by hand: let ``frame_time`` seconds pass, run the ticks due, draw. Returns
        alpha.

        The loop's limits hold as in `run`: of a hitch longer than its ``max_frame_time`` the rest
        is dropped.
        """
        surface = self._live
        if self._running:
            raise FrameworkError("advance: this game is running already")
        if type(frame_time) is not float or not 0 <= frame_time < math.inf:
            frame_time = checks.seconds("frame_time", frame_time)
        if get_ident() != surface.thread:
            check_thread(surface.thread)
        outer = working.get()
        working.set((*outer, self._home))
        self._running = True
        try:
            self._step(frame_time)
        except BaseException:
            if self._closing:
                self._give_up()
            raise
        finally:
            self._running = False
            working.set(outer)
            if outer:
                current_game.draw_again()
        if self._closing:
            self._shut()
        return self.timestep.alpha

    def _step(self, frame_time: float | Fraction) -> None:
        surface = self._live
        if not surface.headless:
            surface.window.dispatch_events()
        self._clock.advance(frame_time)
        self._loop.frame(self._clock, self._by_hand)
        self._loop.end_frame(time.perf_counter_ns())
        if self._home.after_frame is not None:
            self._home.settle()

    # -- pictures ----------------------------------------------------------------------------------

    def pixels(self) -> NDArray[np.uint8]:
        """The picture as it was last drawn: uint8 (height, width, 4), row 0 at the top, in
        framebuffer pixels.
        """
        self._live.needed("pixels")
        with self._live.working():
            return self._painter.pixels(self.timestep)

    def screenshot(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to an image file; its ending says which kind. Raises `AssetError` when
        that fails.

        Within `update`, `draw` or a task it is written when the frame is finished, of which it then
        is; an error comes out of `run` or `advance`.
        """
        from ..assets.images import save  # most games write none

        self._live.needed("screenshot")
        where = checks.path("path", path)
        do = self._home.pictures.append if self._home.busy else operator.call
        self._home.files.write(where, "file", lambda place: do(lambda: save(self.pixels(), place)))

    # -- beginning and end -------------------------------------------------------------------------

    def _begin(self) -> None:
        with chosen(self.exact):
            self._scenes.start(self)
            self.enter()

    def _driven(self) -> Driven:
        return Driven(self._home, self._loop, self._events, self._clock, self._painter)

    def close(self) -> None:
        """Release everything and close the window; within a frame or `run`, when that ends. Twice
        does nothing more.

        This gives the window, the GPU's memory and what subsystems hold back at a moment of your
        choice; `run` of the module, and ``with`` do it. A game that nobody refers to any more is
        closed all the same, before the next frame of another game, or before another is made.
        """
        if self._at_work:
            self._closing = self._home.exiting = True
        else:
            self._shut()

    @property
    def _at_work(self) -> bool:
        return self._running or self._home.busy or self._home.switching

    def _give_up(self) -> None:
        """Release what can be released: an exception is on its way, and another must not take its
        place.
        """
        with suppress(Exception):
            self._shut()

    def _shut(self) -> None:
        surface = self._surface
        if surface is not None:
            check_thread(surface.thread)
            self._surface = None
            surface.given_up()
            surface.closes_by(None)
            try:
                surface.make_current()
            finally:
                try:
                    self._subsystems.release()
                finally:
                    current_game.draw_again()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._shut()


def _surface(drawing: bool, size: tuple[int, int], **options: Any) -> Surface:
    """Where the pictures go, if there are any."""
    if not drawing:
        return NoSurface(size, pixel_ratio=options["pixel_ratio"], samples=options["samples"])
    from .window import WindowSurface  # which loads pyglet

    return WindowSurface(size, **options)


def _scaling(scaling: str, pixel_art: bool, resolution: tuple[int, int] | None) -> str:
    """How the resolution lies in the window."""
    checks.choice("scaling", scaling, ("auto", *SCALINGS))
    if pixel_art and resolution is None:
        raise ValueError(
            "pixel_art: it needs a resolution, whose units are the texels: resolution=(320, 180)"
        )
    return scaling if scaling != "auto" else "integer" if pixel_art else "letterbox"


def _checked_rate(value: float | Fraction) -> Fraction:
    rate = positive_fraction("frame_rate", value)
    if not Fraction(1, _MOST_RATE) <= rate <= _MOST_RATE:
        raise checks.wrong_value("frame_rate", "1e-9 to 1e9 frames a second", value)
    return rate


def _default_timestep(tick_rate: float | Fraction, frame_time: Fraction) -> FixedTimestep:
    rate = positive_fraction("tick_rate", tick_rate)
    longest = max(Fraction(1, _SLOWEST_FRAME_RATE), frame_time)
    if rate * longest > _MOST_TICKS:
        limit = f"at most {_MOST_TICKS:,} ticks in a frame (which may take {float(longest):g} s)"
        raise checks.wrong_value("tick_rate", limit, tick_rate)
    return FixedTimestep(
        tick_rate, max(0.25, 2 * float(frame_time)), max(8, math.ceil(rate * longest))
    )


def _fresh(timestep: Timestep) -> Timestep:
    names = (
        "alpha",
        "tick",
        "time",
        "dropped_time",
        "time_scale",
        "paused",
        "advance",
        "step",
        "give_back",
    )
    missing = [name for name in names if not hasattr(timestep, name)]
    if isinstance(timestep, type) or missing:
        lacks = f" has no {', '.join(missing)}" if missing else " is a class: make one"
        raise TypeError(
            f"timestep: expected a FixedTimestep or the like; {checks.shown(timestep)}{lacks}"
        )
    if timestep.tick:
        raise ValueError(
            f"timestep: it has run for {timestep.tick} ticks already; each game needs "
            "one of its own"
        )
    return timestep


def folders_of(game_class: type) -> tuple[str, ...]:
    """The folders of the files that define the game, its own class first; the working directory is
    searched after.
    """
    known = _known_folders.get(game_class)
    if known is not None:
        return known
    found: list[str] = []
    for cls in game_class.__mro__:
        if cls is Game:
            break
        try:
            folder = os.path.dirname(os.path.realpath(inspect.getfile(cls)))
        except (TypeError, OSError):  # made in an interactive session
            continue
        if folder not in found:
            found.append(folder)
    return _known_folders.setdefault(game_class, tuple(found))


_known_folders: WeakKeyDictionary[type, tuple[str, ...]] = WeakKeyDictionary()
