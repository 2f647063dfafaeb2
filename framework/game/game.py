"""Game: the main class of a program, with its options, window, scenes and loop."""

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
from ..moved_names import WithMoved, moved, renamed_options
from ..screen_mapping import ScreenMapping
from ..timing.timestep import Timestep
from . import saving
from .diagnostics import Diagnostics
from .display import Display
from .engine import GameEngine, engine_of
from .game_options import GameOptions, Overrides
from .part_properties import reading, rgb, setting
from .picture import Picture
from .recordings import RecordingControl
from .reserved_names import kept
from .saving import Saves
from .scene import Scene
from .subsystems import P, checked_subsystem
from .testing import Testing

if TYPE_CHECKING:
    from pathlib import Path

    from ..audio.audio import Audio
    from ..gpu.transitions import Transition
    from ..record.snapshots import Snapshot


class _GameType(WithMoved):
    """The metaclass of games: calls ``setup`` after all ``__init__`` methods of the class and its
    bases have run.
    """

    count = 0
    """The number of games made in this process."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return make_game(cls, {}, *args, **kwargs)


def make_game(game_class: Any, overrides: Overrides, /, *args: Any, **options: Any) -> Any:
    """Make a game with overrides: options that take precedence over the arguments of the game's
    ``__init__``.

    Replays, servers and environments need overrides, because the ``__init__`` of a game may take no
    options, or pass options of its own. A game with overrides is never fullscreen and does not
    capture the mouse. Overrides do not apply to other games that this game makes.

    The override ``apart`` only gives the game a separate folder for its files. Games that this game
    makes in `setup`, in a tick or in an event also get separate folders.
    """
    _GameType.count += 1
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
        current_game.draw_again()  # the new game may have been made in another game's update
    return game


_MOUSE = ("mouse_captured", "mouse_visible", "mouse_cursor")
_DISPLAY = (*_MOUSE, "fullscreen", "pacing", "pause_when_hidden")
_PICTURE = ("palette", "render_scale", "samples", "quality")
_TESTING = {name: name for name in ("press", "release", "click", "type", "feed")} | {
    "tilt": "move_stick",
    "squeeze": "pull_trigger",
    "plug": "connect",
    "unplug": "disconnect",
}


@kept
@moved("game", {old: f"testing.{new}" for old, new in _TESTING.items()})
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
    | {name: f"debug.{name}" for name in ("frames", "state_hashes", "state_values")}
    | {"monitor": "debug.frame_stats"},
    {name: f"display.{name}" for name in _DISPLAY}
    | {name: f"picture.{name}" for name in _PICTURE}
    | {"overlay": "debug.overlay", "bar_color": "picture.letterbox_color"},
)
@moved("game", {"save_path": "saves.path", "export_json": "saves.export_json"})
class Game(Scene, metaclass=_GameType):
    """The base class of your game.

    Override `setup`, `update` and, if needed, `draw`. Start the game with ``fw.run(MyGame)``.

    Parameters
    ----------
    size
        Width and height of the window in units (logical pixels).
    title
        The title of the window. Default: the name of the class.
    tick_rate
        Ticks per second.
    timestep
        Your own timestep, in place of a `FixedTimestep` of ``tick_rate``.
    seed
        The seed of `Game.random`, 0 by default. Two runs with the same seed and the same input are
        identical.
    headless
        True draws off screen, False in a window. None, the default, opens a window if there is a
        display. Off screen, frames follow a virtual clock (no real time), so that every run is the
        same.
    drawing
        False for a game that draws nothing, such as a server. Such a game loads neither a window
        library nor OpenGL. Everything except drawing works as in an offscreen game.
    vsync, resizable, fullscreen
        Whether frames wait for the display's refresh, whether the player can resize the window, and
        whether the window fills the screen.
    pacing
        Whether time follows the display's refreshes, so that motion is even. Without pacing, time
        follows the clock, which a busy CPU reads at irregular moments (see `refresh_clock`). Pacing
        has no effect off screen, and in a window without ``vsync``.
    samples
        MSAA samples per pixel, a power of two; 0 for none.
    resolution
        A virtual size of the screen, width and height in units. `size`, the cameras and the mouse
        then use these units, at any size of the window. Default: the size of the window.
    scaling
        How the resolution is scaled to the window: ``"letterbox"``, ``"integer"`` (a whole number of
        pixels per unit) or ``"stretch"``. ``"auto"`` is ``"integer"`` in pixel art, otherwise
        ``"letterbox"``.
    pixel_art
        Whether each unit of the resolution is a texel, a square of one color in the window
        (docs/views.md).
    background
        The color behind everything: red, green, blue in 0..1.
    letterbox_color
        The color of the bars beside the game, if its resolution does not fill the window.
    frame_rate
        Frames per second off screen.
    pixel_ratio
        Framebuffer pixels per unit off screen. In a window the system sets the pixel ratio.
    escape_closes
        Whether the Escape key ends the game, if no ``on_key_press`` consumes it.
    frame_stats
        Whether `Diagnostics.frame_stats` measures the frames from the start.
    pause_when_hidden
        Whether the game is paused while its window is hidden or minimized. A hidden game never
        draws. The game does not catch up the paused time later. A game that has paused itself stays
        paused when the window is shown again.
    render_scale
        The scale of the resolution at which the world is drawn: 0.5 draws half as many pixels in
        each direction. See `Game.picture.render_scale`.
    manage_gc
        Whether `run` keeps Python's garbage collector out of the frames (see `garbage`). After the
        first frame the collector ignores all existing objects. From then on garbage is usually
        collected while the loop waits for the next frame. The end of `run` restores the collector's
        settings. Off screen the option applies to runs of at least 120 frames or without an end,
        and garbage is collected between frames.
    exact
        Whether the framework's functions give the same bits on every machine within `setup` and
        ticks. Functions that rotate or place objects then compute sines and similar functions with
        the module `exact`, not with NumPy.
    players
        The number of players, 1 to 64. `Game.players` has the keys and the mouse of each.
    immediate_events
        Whether event handlers (``on_key_press``, …) run at once, between ticks. By default event
        handlers run at the start of the next tick. Use True only if no handler changes the game's
        state.
    """

    _transient_attributes = ("_engine", "_overrides")
    saved_classes: ClassVar[tuple[type, ...]] = ()
    """The classes, including enums, from which `load` may make new objects, such as ``Enemy`` for a
    list of enemies.
    """
    saved_version: ClassVar[int] = 1
    """The version of the game's saves. Increase the number when older saves no longer fit."""
    migrations: ClassVar[Mapping[int, Callable[[dict[str, Any]], dict[str, Any] | None]]] = {}
    """Functions that update the values of a save by one version: ``{1: from_1_to_2}``."""
    saves_folder: ClassVar[str | None] = None
    """The name of the game's folder in the user's data folder. Default: None, which means the name
    of the class.
    """

    _overrides: Overrides
    _engine: GameEngine

    @renamed_options("Game", bar_color="letterbox_color", monitor="frame_stats")
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
        letterbox_color: str | Sequence[float] = (0.0, 0.0, 0.0),
        frame_rate: float | Fraction = 60,
        pixel_ratio: float = 1.0,
        escape_closes: bool = True,
        frame_stats: bool = True,
        pause_when_hidden: bool = False,
        render_scale: float = 1.0,
        manage_gc: bool = True,
        exact: bool = False,
        players: int = 1,
        immediate_events: bool = False,
    ) -> None:
        super().__init__()
        options = GameOptions(
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
            letterbox_color=letterbox_color,
            frame_rate=frame_rate,
            pixel_ratio=pixel_ratio,
            escape_closes=escape_closes,
            frame_stats=frame_stats,
            pause_when_hidden=pause_when_hidden,
            render_scale=render_scale,
            manage_gc=manage_gc,
            exact=exact,
            players=players,
            immediate_events=immediate_events,
            overrides=self._overrides,
        )
        self._engine = GameEngine(self, options)

    timestep: Timestep = reading(
        "_engine.loop.timestep", "The object that decides which ticks are due."
    )
    tick: int = reading(
        "_engine.loop.tick",
        "The number of the current or last tick; 0 before the first.",
    )
    exact: bool = reading(
        "_engine.loop.exact", "Whether ticks give the same bits on every machine; see the option."
    )
    view: ScreenMapping = reading(
        "_engine.stage.view",
        "The size of the screen in units, and its viewport on the framebuffer.",
    )
    drawing: bool = reading(
        "_engine.live.drawing", "Whether the game draws anything; see the option."
    )
    background: str | Sequence[float] = setting(
        "_engine.painter.background",
        rgb,
        "The color behind everything: red, green, blue, sRGB in 0..1, or '#123'.",
    )

    @property
    def game(self) -> Any:
        """The game itself. Other scenes have this property, too."""
        return self

    @property
    def scene(self) -> Scene:
        """The top scene; the game itself if there is no other."""
        return self._engine.scenes.top if self._engine.stage.on else self

    @property
    def players(self) -> tuple[Player, ...]:
        """The players, each with ``keys``, ``mouse`` and ``pads``. The game's own ``keys`` and
        ``mouse`` are the first player's.
        """
        return self._engine.stage.players

    @property
    def testing(self) -> Testing:
        """Input from code: ``game.testing.press("space")``, `Testing.click`, …"""
        return self._engine.testing

    @property
    def recording(self) -> RecordingControl:
        """Recording of the input to a file (`RecordingControl.start`), and the timeline
        (`RecordingControl.rewind`).
        """
        return self._engine.recording

    @property
    def display(self) -> Display:
        """The window and the mouse pointer: `Display.fullscreen`, …"""
        return self._engine.display

    @property
    def picture(self) -> Picture:
        """Rendering settings such as `Picture.quality`, and the OpenGL context `Picture.ctx`."""
        return self._engine.picture

    @property
    def debug(self) -> Diagnostics:
        """Frame statistics (`Diagnostics.frame_stats`), and the value of each part of the state."""
        return self._engine.debug

    @property
    def saves(self) -> Saves:
        """The folder of saves (`Saves.path`), and an export to JSON (`Saves.export_json`)."""
        return self._engine.saves

    @property
    def audio(self) -> Audio:
        """The sound of the game: volume, buses, music, `Audio.capture`."""
        return self._engine.audio

    # -- saves -------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the attributes that the game and its scenes declare in ``saved`` to a file. Return
        its path.

        A name without a folder is a file in the user's data folder, see `Saves.path`. The new file
        replaces the old file in a single step, after the new file is completely on the disk. The
        old file is kept in the same folder, with ``.bak`` at the end of its name.

        Raises
        ------
        FrameworkError
            For a value that cannot be saved (the message has its path), and within `draw`.
        AssetError
            If the file cannot be written. An old save is then unchanged.
        """
        return saving.save(self._engine.saves, path)

    def load(self, path: str | os.PathLike[str]) -> None:
        """Load a save into the same objects.

        The scenes on the stack must be those of the save. At the end ``after_load()`` is called on
        each object that has this method.

        Raises
        ------
        AssetError
            For a file that is missing, damaged or of another game, and for an older version without
            `migrations` to the current version. The game is then unchanged.
        FrameworkError
            Within `draw`.
        """
        saving.load(self._engine.saves, path)

    # -- scenes and subsystems ---------------------------------------------------------------------

    def push(self, scene: Scene, *, transition: Transition | None = None) -> None:
        """Put a scene on top of the stack. Within a tick or `draw`, the change happens at the end
        of the tick or the frame.

        With a ``transition`` (``fw.Fade(0.4)``, `Wipe`, `Iris` or your own) the image of this tick
        blends into the new scene. The transition does not delay the change of the stack.
        """
        self._engine.switch(self._engine.scenes.push, scene, transition)

    def pop(self, *, transition: Transition | None = None) -> None:
        """Remove the top scene from the stack. Within a tick or `draw`, the change happens at the
        end of the tick or the frame. Raises `ValueError` if only the game is left. See `push` for
        ``transition``.
        """
        self._engine.switch(self._engine.scenes.pop, transition)

    def show(self, scene: Scene, *, transition: Transition | None = None) -> None:
        """Replace all scenes except the game by one scene. Within a tick or `draw`, the change
        happens at the end of the tick or the frame. See `push` for ``transition``.
        """
        self._engine.switch(self._engine.scenes.show, scene, transition)

    def add_subsystem(self, subsystem: P) -> P:
        """Call the methods of an object in each tick and frame, until the game is closed. Return
        the object. See `Subsystem`.

        Raises `TypeError` for an object with none of a subsystem's methods.
        """
        self._engine.live  # noqa: B018 (raises an error if the game was closed)
        return self._engine.subsystems.add(checked_subsystem("subsystem", subsystem))

    # -- the loop ----------------------------------------------------------------------------------

    def run(self, frames: int | None = None) -> None:
        """Run until the window is closed, `exit` is called, or ``frames`` frames are over.

        Off screen, frame k is drawn for the virtual time k / frame_rate, as fast as the machine
        can. After `run` the game stays open until `close`, so that `pixels` can read the last
        frame. If an exception occurs, `run` closes the game and raises the exception.
        """
        self._engine.run(frames)

    def call_soon(self, function: Callable[[], object]) -> None:
        """Call ``function()`` in the game's thread, before the ticks of the next frame.

        `call_soon` may be called from any thread. Use it to change the game from a network thread,
        for example. If the function raises an exception, `run` or `advance` raises it.
        """
        self._engine.call_soon(function)

    def exit(self) -> None:
        """End `run` after this frame. If the game is not running, the next `run` ends at once."""
        self._engine.stage.exiting = True

    def advance(self, frame_time: float | Fraction) -> float:
        """Advance the game's time by ``frame_time`` seconds, run the due ticks, and draw a frame.
        Return the frame's alpha.

        If ``frame_time`` is longer than the timestep's ``max_frame_time``, the excess time is
        dropped, as in `run`.
        """
        return self._engine.drive.advance(frame_time)

    # -- state -------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Copy the whole state of the game between two ticks, in memory, for `restore`.

        The state is every object that the game refers to, directly or through other objects. You
        need not list the attributes. A class excludes attributes with ``not_state = ("fps",)``, and
        all of its objects with ``not_state = True``.

        Raises `FrameworkError` within a tick or `draw`, and for an object that cannot be restored,
        such as a generator, a file or a thread. The message has the path of the object.
        """
        return self._engine.state.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Restore the state of a snapshot into the same objects. You may restore a snapshot several
        times.

        References stay valid: sprites, tasks, closures, targets of cameras. Sprites that were added
        after the snapshot are removed. The stack has the scenes of the snapshot again, without
        calls of `on_enter` or `on_exit`. The next frames show the restored state without
        interpolation. At the end ``after_restore()`` is called on each object that has this method.

        Raises
        ------
        FrameworkError
            For a snapshot of another game, and within a tick or `draw`.
        TypeError
            If ``snapshot`` is not a snapshot.
        """
        self._engine.state.restore(snapshot)

    def state_hash(self) -> int:
        """Return a hash (64 bits, xxh3) of the game's state. Equal states have equal hashes, in
        every process and on every machine.

        The hash does not contain values that depend on the window or on the times of frames, nor
        attributes in ``not_state``.
        """
        return self._engine.state.hash()

    def run_ticks(self, ticks: int = 1) -> None:
        """Run ``ticks`` ticks at once, without waiting for the clock. Draw nothing.

        Ticks that already ran before a `restore` run a second time. In these ticks
        `RecordingControl.resimulating` is True, and effects do not run again (see `emit`). Raises
        `FrameworkError` within a tick or `draw`.
        """
        self._engine.run_ticks(ticks)

    # -- effects -----------------------------------------------------------------------------------

    def emit(self, effect: Callable[..., object] | str, *arguments: Any, **named: Any) -> None:
        """Run an effect (a sound, sparks, a print) once, after the tick, even if the tick runs
        again. Effects must not change the state.

        ``effect`` is a function, which is called with the arguments, or an event name for
        `subscribe`. If a tick runs again, only effects beyond the number of the first run are
        executed. If the game continues from an earlier tick, the later ticks count as new. Between
        ticks the effect runs at once.
        """
        self._engine.effects.emit(effect, arguments, named)

    def subscribe(self, name: str, function: Callable[..., object]) -> None:
        """Call ``function`` with the arguments of each ``emit(name, …)``. Functions that subscribed
        earlier are called first.

        Subscriptions are not state: `restore` and a rewind do not change them.
        """
        self._engine.effects.subscribe(name, function)

    def unsubscribe(self, name: str, function: Callable[..., object]) -> None:
        """Stop calling a subscribed function. Raises `ValueError` if the function was not
        subscribed.
        """
        self._engine.effects.unsubscribe(name, function)

    # -- pictures ----------------------------------------------------------------------------------

    def pixels(self) -> NDArray[np.uint8]:
        """Return the pixels of the last frame: uint8 (height, width, 4), row 0 at the top, in
        framebuffer pixels.
        """
        engine = self._engine
        engine.live.needed("pixels")
        with engine.live.working():
            return engine.painter.pixels(engine.timestep)

    def screenshot(self, path: str | os.PathLike[str]) -> None:
        """Write the last frame to an image file. The extension of the file name selects the format.

        Within `update`, `draw` or a task the file is written after the current frame, and shows
        that frame. If the file then cannot be written, `run` or `advance` raises the error. Raises
        `AssetError` if the file cannot be written.
        """
        self._engine.screenshot(path, self.pixels)

    # -- beginning and end -------------------------------------------------------------------------

    def _begin(self) -> None:
        with chosen(self.exact):
            self._engine.scenes.start(self)
            self.on_enter()

    def close(self) -> None:
        """Close the window and release the GPU memory and the subsystems. Within a frame or `run`,
        the game is closed at the end of the frame.

        A second call does nothing. ``fw.run`` and a ``with`` block close the game themselves. A
        game without references is closed before another game is made, or before the next frame of
        another game.
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
