"""A game: its options, its window, its scenes, and the subsystems that run along with it."""

from __future__ import annotations

__all__ = ["Game"]

import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .. import current_game
from ..geometry.exact import chosen
from ..input.players import Player
from ..moved_names import WithMoved, moved
from ..timing.timestep import Timestep
from ..view import View
from . import saving
from .diagnostics import Diagnostics
from .display import Display
from .engine import Engine, engine_of
from .names import kept
from .options import Options, Overrides
from .picture import Picture
from .recordings import Recording
from .saving import Saves
from .scene import Scene
from .settings import reading, rgb, setting
from .subsystems import P, checked_subsystem
from .testing import Testing

if TYPE_CHECKING:
    from pathlib import Path

    from ..audio.audio import Audio
    from ..gpu.transitions import Transition
    from ..record.snapshots import Snapshot


class _GameType(WithMoved):
    """Runs ``setup`` once the whole chain of ``__init__`` is through, so that it may use what they
    set.
    """

    made = 0
    """Games made in this process so far."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return make_game(cls, {}, *args, **kwargs)


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
        engine = engine_of(game)
        if engine is None:
            raise TypeError(f"{game_class.__name__}.__init__ must call super().__init__(**options)")
        stage = engine.stage
        stage.made_with = args, options
        with engine.surface.working(), stage.rules():
            game._begin()
        stage.incoming.ticking = False
        stage.between_ticks = True
    except BaseException:
        engine = engine_of(game)
        if engine is not None:
            engine.give_up()
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
class Game(Scene, metaclass=_GameType):
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

    _transient_attributes = ("_engine", "_overrides")
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
    _engine: Engine

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
        options = Options(
            size=size,
            title=title,
            tick_rate=tick_rate,
            timestep=timestep,
            seed=seed,
            headless=headless,
            drawing=drawing,
            vsync=vsync,
            pacing=pacing,
            resizable=resizable,
            fullscreen=fullscreen,
            samples=samples,
            resolution=resolution,
            scaling=scaling,
            pixel_art=pixel_art,
            background=background,
            bar_color=bar_color,
            frame_rate=frame_rate,
            pixel_ratio=pixel_ratio,
            escape_closes=escape_closes,
            monitor=monitor,
            pause_when_hidden=pause_when_hidden,
            render_scale=render_scale,
            manage_gc=manage_gc,
            exact=exact,
            players=players,
            immediate_events=immediate_events,
            overrides=self._overrides,
        )
        self._engine = Engine(self, options)

    timestep: Timestep = reading("_engine.loop.timestep", "The rules by which ticks are due.")
    tick: int = reading(
        "_engine.loop.tick",
        "The number of the tick that is running, or of the last one; 0 before them.",
    )
    exact: bool = reading(
        "_engine.loop.exact", "Whether ticks give the same bits on every machine; see the option."
    )
    view: View = reading("_engine.stage.view", "How the picture's units lie on the framebuffer.")
    drawing: bool = reading("_engine.live.drawing", "Whether there are pictures; see the option.")
    background: str | Sequence[float] = setting(
        "_engine.painter.background",
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
        return self._engine.scenes.top if self._engine.stage.on else self

    @property
    def players(self) -> tuple[Player, ...]:
        """Who plays, each with ``keys``, ``mouse`` and ``pads``; the first one's are the game's
        own.
        """
        return self._engine.stage.players

    @property
    def testing(self) -> Testing:
        """Plays the game by program: ``game.testing.press("space")``, `Testing.click`, …"""
        return self._engine.testing

    @property
    def recording(self) -> Recording:
        """Records what is played, `Recording.start`, and goes back in time, `Recording.rewind`."""
        return self._engine.recording

    @property
    def display(self) -> Display:
        """The window, the mouse pointer and the screen: `Display.fullscreen`, …"""
        return self._engine.display

    @property
    def picture(self) -> Picture:
        """How the game is drawn, `Picture.quality`, …; and OpenGL, `Picture.ctx`."""
        return self._engine.picture

    @property
    def debug(self) -> Diagnostics:
        """What frames took, `Diagnostics.monitor`, and each value of the state."""
        return self._engine.debug

    @property
    def saves(self) -> Saves:
        """The folder of saves, `Saves.path`, and a copy for people, `Saves.export_json`."""
        return self._engine.saves

    @property
    def audio(self) -> Audio:
        """What is heard of the game: volume, groups, music, `Audio.capture`."""
        return self._engine.audio

    # -- saves -------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write what the game and its scenes declare in ``saved`` to a file; returns where it is.

        A name without a folder is one in the user's data folder, see `Saves.path`. The file takes
        the place of what was there in one step, when all of it is on the disk; what was there is
        kept beside it, with ``.bak`` at the end. Raises `FrameworkError` for what cannot be saved,
        by its path, and within `draw`, and `AssetError` where no file can be written: then all is
        as it was.
        """
        return saving.save(self._engine.saves, path)

    def load(self, path: str | os.PathLike[str]) -> None:
        """Bring back what `save` wrote, into the same objects.

        The scenes that are on must be those of the save. What has a method ``after_load()`` has it
        called when all is back. Raises `AssetError` for a file that is missing, broken, of another
        game, or of a version from which no `migrations` lead here; then nothing has changed. Raises
        `FrameworkError` within `draw`.
        """
        saving.load(self._engine.saves, path)

    # -- scenes and subsystems ---------------------------------------------------------------------

    def push(self, scene: Scene, *, transition: Transition | None = None) -> None:
        """Put a scene on top. Within a tick or `draw`, it is put on when that ends.

        With a ``transition`` (``fw.Fade(0.4)``, `Wipe`, `Iris` or one of your own) the picture goes
        over to the new one, from that of this tick; the scenes themselves are switched at once.
        """
        self._engine.switch(self._engine.scenes.push, scene, transition)

    def pop(self, *, transition: Transition | None = None) -> None:
        """Take the top scene off. Within a tick or `draw`, it is taken off when that ends. See
        `push`.
        """
        self._engine.switch(self._engine.scenes.pop, transition)

    def show(self, scene: Scene, *, transition: Transition | None = None) -> None:
        """Put a scene on in place of all others but the game. Within a tick or `draw`, when that
        ends. See `push`.
        """
        self._engine.switch(self._engine.scenes.show, scene, transition)

    def add_subsystem(self, subsystem: P) -> P:
        """Have something go along with ticks and frames until the game is closed, and return it;
        see `Subsystem`.

        Raises `TypeError` for what has none of a subsystem's methods.
        """
        self._engine.live  # noqa: B018  (an error if it was closed)
        return self._engine.subsystems.add(checked_subsystem("subsystem", subsystem))

    # -- the loop ----------------------------------------------------------------------------------

    def run(self, frames: int | None = None) -> None:
        """Run until the window is closed, `exit` is called, or ``frames`` frames are over.

        Off screen, frame k is drawn for the virtual time k / frame_rate, as fast as it goes. The
        game stays open (for `pixels`, say) until `close`; but an exception in it closes it and is
        raised here.
        """
        self._engine.run(frames)

    def call_soon(self, function: Callable[[], object]) -> None:
        """Call ``function()`` in the game's thread, before the ticks of its next frame.

        This is what another thread (of a network, say) uses to change anything of a game: it may be
        called from any. An exception in the function comes out of `run` or `advance`.
        """
        self._engine.call_soon(function)

    def exit(self) -> None:
        """End `run` after this frame; the next `run`, when none is on."""
        self._engine.stage.exiting = True

    def advance(self, frame_time: float | Fraction) -> float:
        """Drive the game by hand: let ``frame_time`` seconds pass, run the ticks due, draw. Returns
        alpha.

        The loop's limits hold as in `run`: of a hitch longer than its ``max_frame_time`` the rest
        is dropped.
        """
        return self._engine.drive.advance(frame_time)

    # -- state -------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """All that can be reached from the game, as it is between two ticks, in memory; `restore`
        puts it back.

        Nothing has to be declared for it. A class may name attributes that are to be left alone:
        ``not_state = ("fps",)``, or say ``not_state = True`` for all that its objects have. Raises
        `FrameworkError` within a tick or `draw`, and for what cannot be put back, such as a
        generator, a file or a thread, which it names by its path.
        """
        return self._engine.state.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Have everything as it was when the snapshot was taken, in the same objects; any number of
        times.

        References stay valid: sprites, tasks, closures, targets of cameras. Sprites that were made
        since then are removed. Scenes that were taken off since then are on again, and those that
        were put on are off, without `enter` or `leave`. The picture is that of then, at any alpha;
        an object's ``after_restore()`` is called in the end, where its class has one. Raises
        `FrameworkError` for a snapshot of another game, and within a tick or `draw`; `TypeError`
        for what is no snapshot.
        """
        self._engine.state.restore(snapshot)

    def state_hash(self) -> int:
        """A hash (64 bits, xxh3) of the game's state: the same in every process and on every
        machine that has the same.

        It leaves out what depends on the window and on when frames are drawn, and what is
        ``not_state``.
        """
        return self._engine.state.hash()

    def run_ticks(self, ticks: int = 1) -> None:
        """Run ticks at once, whatever the clock says, and draw nothing.

        After a `restore` they are run again, as far as they had been run: `Recording.resimulating` is true,
        and effects that were delivered are not delivered again (see `emit`). Raises
        `FrameworkError` within a tick or `draw`.
        """
        self._engine.run_ticks(ticks)

    # -- effects -----------------------------------------------------------------------------------

    def emit(self, effect: Callable[..., object] | str, *arguments: Any, **named: Any) -> None:
        """Do something that is no state of the game (a sound, sparks, a print) once, when the tick
        is over.

        ``effect`` is called with the arguments; a string is a name to which others `subscribe`.
        When a tick is run again, effects that it has had are left out: of each tick, the first is
        delivered once, the second once, …. When the game goes on from a tick of the past, the next
        ticks are new ones. Between ticks, it is done at once.
        """
        self._engine.effects.emit(effect, arguments, named)

    def subscribe(self, name: str, function: Callable[..., object]) -> None:
        """Have a function called with the arguments of each ``emit(name, …)``, after those that
        subscribed before.

        Who has subscribed is no state of the game: going back does not change it.
        """
        self._engine.effects.subscribe(name, function)

    def unsubscribe(self, name: str, function: Callable[..., object]) -> None:
        """Have it called no longer. Raises `ValueError` when it has not subscribed."""
        self._engine.effects.unsubscribe(name, function)

    # -- pictures ----------------------------------------------------------------------------------

    def pixels(self) -> NDArray[np.uint8]:
        """The picture as it was last drawn: uint8 (height, width, 4), row 0 at the top, in
        framebuffer pixels.
        """
        engine = self._engine
        engine.live.needed("pixels")
        with engine.live.working():
            return engine.painter.pixels(engine.timestep)

    def screenshot(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to an image file; its ending says which kind. Raises `AssetError` when
        that fails.

        Within `update`, `draw` or a task it is written when the frame is finished, of which it then
        is; an error comes out of `run` or `advance`.
        """
        self._engine.screenshot(path, self.pixels)

    # -- beginning and end -------------------------------------------------------------------------

    def _begin(self) -> None:
        with chosen(self.exact):
            self._engine.scenes.start(self)
            self.enter()

    def close(self) -> None:
        """Release everything and close the window; within a frame or `run`, when that ends. Twice
        does nothing more.

        This gives the window, the GPU's memory and what subsystems hold back at a moment of your
        choice; `run` of the module, and ``with`` do it. A game that nobody refers to any more is
        closed all the same, before the next frame of another game, or before another is made.
        """
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._engine.shut()
