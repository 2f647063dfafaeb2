"""Game: the base class of every game, with options, window, scenes and loop."""

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
from ..other_engines.other_options import other_options
from ..screen_mapping import ScreenMapping
from ..timing.timestep import Timestep
from . import saving
from .diagnostics import Diagnostics
from .display import Display
from .engine import GameEngine, engine_of
from .error_advice import advise
from .game_options import GameOptions, Overrides
from .part_properties import reading, rgb, setting
from .picture import Picture
from .recordings import RecordingControl
from .replication import checked_replica
from .reserved_names import kept
from .saving import Saves
from .scene import Scene
from .subsystems import P, checked_subsystem
from .testing import Testing

if TYPE_CHECKING:
    from pathlib import Path

    from ..assets.images import ImageSource
    from ..audio.audio import Audio
    from ..gpu.transitions import Transition
    from ..input.input_source import InputSource
    from ..record.snapshots import Snapshot
    from .session import Session


class _GameType(WithMoved):
    """The metaclass of games. The metaclass calls ``setup`` after all ``__init__`` methods of the
    class and its bases.
    """

    count = 0
    """The number of games made in this process."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return make_game(cls, {}, *args, **kwargs)


def make_game(game_class: Any, overrides: Overrides, /, *args: Any, **options: Any) -> Any:
    """Create a game with overrides. These are options that replace the arguments from the game's
    own ``__init__``.

    Replays, servers and environments need overrides, because the game's ``__init__`` may ignore its
    options, or pass other options to `Game`. A game with overrides is never fullscreen and does not
    capture the mouse. The overrides do not apply to other games that this game creates.

    With the override ``apart``, the game uses a separate folder for its files. Games that this game
    creates in `setup`, in a tick or in an event also get separate folders.
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
        engine.begin_session()
    except BaseException as error:
        engine = engine_of(game)
        if engine is not None:
            engine.give_up()
        if isinstance(error, TypeError | AttributeError | OverflowError | ValueError):
            advise(error)
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
    """The base class of every game.

    In your subclass, override `setup`, `update` and, if needed, `draw`. Start the game with
    ``fw.run(MyGame)``.

    Parameters
    ----------
    size
        Width and height of the window in units (logical pixels).
    title
        The title of the window. The default is the name of the class.
    tick_rate
        The number of ticks per second.
    timestep
        Your own timestep object. Default: a `FixedTimestep` with ``tick_rate`` ticks per second.
    seed
        The seed for `Game.random`. Two runs with the same seed and the same input have the same
        results. Default: 0.
    headless
        If True, the game draws to an offscreen image. If False, it opens a window. Default: a
        window if the machine has a display. Off screen, the game uses a virtual clock, not real
        time, so that every run is the same.
    drawing
        Whether the game draws. Use False for a game without images, such as a server. Such a game
        does not load pyglet and OpenGL, but everything else works as in an offscreen game. Default:
        True.
    vsync
        Whether each frame waits for the refresh of the display. Without vsync, the game draws as
        many frames as possible, and uses a whole CPU core.
    max_fps
        The maximum number of frames per second in a window. Default: no maximum.
    resizable, fullscreen, borderless
        Whether the player can resize the window. Whether the window fills its screen. Whether the
        window has no title bar and no border.
    screen
        The index of the screen (monitor) for the window, such as 1 for the second screen. Default:
        the operating system chooses. If there is no such screen, the game warns and uses the
        default.
    min_size
        The minimum width and height of the window when the player resizes it.
    icon
        The image of the window in the taskbar, or a list of images in several sizes. You can pass
        the same kinds of images as to `SpriteBatch`.
    physical_keys
        Whether key names mean positions on a US keyboard. With ``physical_keys``, "w", "a", "s" and
        "d" are the same four keys on every keyboard (docs/input.md).
    pacing
        Whether the game measures time by the refreshes of the display, which makes motion smooth.
        Without pacing, the game uses the computer's clock. A busy CPU reads this clock at irregular
        times, so motion is less smooth (see `refresh_clock`). Pacing has no effect off screen, and
        in a window without ``vsync``.
    samples
        The number of MSAA samples per pixel, a power of two, or 0 for no antialiasing.
    resolution
        A virtual size of the screen, as width and height in units. `size`, the cameras and the
        mouse use these units for any size of the window. Default: the size of the window.
    scaling
        How the resolution is scaled to the window: ``"letterbox"``, ``"integer"`` (a whole number
        of pixels per unit) or ``"stretch"``. ``"auto"`` means ``"integer"`` in a game with pixel
        art, otherwise ``"letterbox"``.
    pixel_art
        Whether each unit of the resolution is drawn as a texel, a square of one color in the window
        (docs/views.md).
    background
        The color behind everything else: red, green and blue from 0 to 1.
    letterbox_color
        The color of the bars at the edges of the window, if the game does not fill the window.
    frame_rate
        The number of frames per second off screen.
    pixel_ratio
        The number of framebuffer pixels per unit off screen. In a window the operating system sets
        the pixel ratio.
    escape_closes
        Whether the Escape key ends the game. If an ``on_key_press`` handler returns True, the key
        does not end the game.
    frame_stats
        Whether `Diagnostics.frame_stats` measures frames from the start of the game.
    pause_when_hidden
        Whether the game pauses while its window is hidden or minimized. A hidden window draws
        nothing, with or without this option. When the game continues, it does not run the missed
        ticks. A game that paused itself stays paused when the window is visible again.
    render_scale
        The scale of the resolution of the world. With 0.5, the game draws half as many pixels in
        each direction. See `Game.picture.render_scale`.
    manage_gc
        Whether `run` collects Python's garbage between frames (see `garbage`). After the first
        frame, the garbage collector ignores all existing objects. It then usually runs while the
        loop waits for the next frame. At the end of `run`, the garbage collector gets its old
        settings. Off screen, ``manage_gc`` applies only to runs of at least 120 frames, and to runs
        without a number of frames.
    exact
        Whether the framework's functions give the same bits on every machine, in `setup` and ticks.
        With ``exact``, the framework computes sines and similar functions with the module `exact`,
        not with NumPy.
    players
        The number of players, from 1 to 64. `Game.players` contains the keys and the mouse of each
        player.
    immediate_events
        Whether event handlers, such as ``on_key_press``, run at once, even between ticks. By
        default, they run at the start of the next tick. Use True only if no event handler changes
        the state of the game.
    session
        A session that connects the ticks of the game with other machines or processes, such as
        `Rollback`. The default is None, a game on this machine alone.
    """

    _transient_attributes = ("_engine", "_overrides")
    saved_classes: ClassVar[tuple[type, ...]] = ()
    """The classes, including enums, from which `load` may make new objects, such as ``Enemy`` for a
    list of enemies.
    """
    saved_routines: ClassVar[tuple[Callable[..., Any], ...]] = ()
    """The functions that a saved routine may run, such as ``(intro, say)``, and methods that it
    passes to `until`.
    """
    saved_version: ClassVar[int] = 1
    """The version of the game's saves. Increase `saved_version` when older saves no longer fit the
    game.
    """
    migrations: ClassVar[Mapping[int, Callable[[dict[str, Any]], dict[str, Any] | None]]] = {}
    """Functions that update the values of a save by one version: ``{1: from_1_to_2}``."""
    saves_folder: ClassVar[str | None] = None
    """The name of the game's folder in the user's data folder. None, the default, means the name of
    the class.
    """

    _overrides: Overrides
    _engine: GameEngine

    @renamed_options("Game", bar_color="letterbox_color", monitor="frame_stats")
    @other_options(
        _="write Game(size=(1280, 720), title='My game')",
        saves="Game.saves_folder names the folder of the saves; in a test on Linux, write "
        "monkeypatch.setenv('XDG_DATA_HOME', str(tmp_path))",
        out="write fw.run(MyGame, frames=60, screenshot='out.png')",
        frames="write fw.run(MyGame, frames=60)",
        screenshot="write fw.run(MyGame, frames=60, screenshot='out.png')",
    )
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
        max_fps: float | None = None,
        pacing: bool = True,
        resizable: bool = True,
        fullscreen: bool = False,
        borderless: bool = False,
        screen: int | None = None,
        min_size: tuple[int, int] | None = None,
        icon: ImageSource | Sequence[ImageSource] | None = None,
        physical_keys: bool = False,
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
        session: Session | None = None,
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
            max_fps=max_fps,
            pacing=pacing,
            resizable=resizable,
            fullscreen=fullscreen,
            borderless=borderless,
            screen=screen,
            min_size=min_size,
            icon=icon,
            physical_keys=physical_keys,
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
            session=session,
            overrides=self._overrides,
        )
        self._engine = GameEngine(self, options)

    timestep: Timestep = reading(
        "_engine.loop.timestep", "The object that decides which ticks are due."
    )
    tick: int = reading(
        "_engine.loop.tick",
        "The number of the current or last tick, or 0 before the first tick.",
    )
    exact: bool = reading(
        "_engine.loop.exact",
        "Whether ticks give the same bits on every machine; see the option ``exact``.",
    )
    view: ScreenMapping = reading(
        "_engine.stage.view",
        "The size of the screen in units, and its viewport on the framebuffer.",
    )
    drawing: bool = reading(
        "_engine.live.drawing", "Whether the game draws anything; see the option ``drawing``."
    )
    background: str | Sequence[float] = setting(
        "_engine.painter.background",
        rgb,
        "The color behind everything: red, green and blue in sRGB from 0 to 1, or a string such as '#123'.",
    )

    @property
    def game(self) -> Any:
        """The game itself, so that code can use ``scene.game`` for a game and for any other scene.
        `Scene.game` is the same property in scenes that are not the game.
        """
        return self

    @property
    def scene(self) -> Scene:
        """The scene on top of the stack, or the game itself if no other scene is on the stack."""
        return self._engine.scenes.top if self._engine.stage.on else self

    @property
    def players(self) -> tuple[Player, ...]:
        """The players, each with the attributes ``keys``, ``mouse`` and ``pads``. ``keys`` and
        ``mouse`` of the game itself belong to the first player.
        """
        return self._engine.stage.players

    @property
    def input(self) -> InputSource:
        """The source of the input of each tick: a `LocalInput` by default, or your own object with
        the method `InputSource.tick`. Set `input` to None to use the input of this machine again.

        In a game with a session, `input` is the session and cannot be set.
        """
        return self._engine.input

    @input.setter
    def input(self, value: InputSource | None) -> None:
        self._engine.input = value

    @property
    def session(self) -> Any:
        """The session of the game, or None: see the option ``session``. Values such as the ping are
        in ``game.session.stats``.
        """
        return self._engine.loop.session

    @property
    def testing(self) -> Testing:
        """Functions that make input from code: ``game.testing.press("space")``, `Testing.click`, …"""
        return self._engine.testing

    @property
    def recording(self) -> RecordingControl:
        """Functions that record the input to a file (`RecordingControl.start`), and the timeline
        (`RecordingControl.rewind`).
        """
        return self._engine.recording

    @property
    def display(self) -> Display:
        """The window and the mouse pointer, with settings such as `Display.fullscreen`."""
        return self._engine.display

    @property
    def picture(self) -> Picture:
        """Rendering settings such as `Picture.quality`, and the OpenGL context `Picture.ctx`."""
        return self._engine.picture

    @property
    def debug(self) -> Diagnostics:
        """The frame statistics (`Diagnostics.frame_stats`), and every value of the game's state
        with its path.
        """
        return self._engine.debug

    @property
    def saves(self) -> Saves:
        """The folder of save files (`Saves.path`), and an export to JSON (`Saves.export_json`)."""
        return self._engine.saves

    @property
    def audio(self) -> Audio:
        """The sound of the game: volume, buses, music and `Audio.capture`."""
        return self._engine.audio

    # -- saves -------------------------------------------------------------------------------------

    def save(self, slot: str | None = None, *, path: str | os.PathLike[str] | None = None) -> Path:
        """Write a save file: the attributes that the game and its scenes declare in ``saved``.
        Return the path of the save file.

        ``slot`` is a name, such as "slot 1". The file is then in the user's data folder, see
        `Saves.path`. If Windows does not allow the name for a file, `save` raises an error on every
        system, so that saves can be moved. To write to a file of your choice, pass its ``path``
        instead of a name. The new file replaces the old file in a single step, after the new file
        is completely on the disk. The old save file is kept in the same folder, with ``.bak`` at
        the end of its name.

        Raises
        ------
        ValueError
            If ``slot`` is a path, or a name that some operating system cannot have.
        FrameworkError
            For a value that cannot be saved (the message has its path), and within `draw`.
        AssetError
            If the save file cannot be written. If a new save file cannot be written, an old save
            file does not change.
        """
        return saving.save(self._engine.saves, slot, path)

    def load(self, slot: str | None = None, *, path: str | os.PathLike[str] | None = None) -> None:
        """Load the save ``slot``, or the save file ``path``, into the existing objects of the game.
        `Saves.exists` returns whether a slot has a save.

        The stack must have the same scenes as when the game was saved. At the end, the game calls
        ``after_load()`` of each object that has this method.

        Raises
        ------
        AssetError
            If the file is missing, damaged or from another game, or if it is from an older version
            and `migrations` are missing. The game is then unchanged.
        FrameworkError
            If `load` is called within `draw`.
        """
        saving.load(self._engine.saves, slot, path)

    def pack(self) -> bytes:
        """Return a save of the game as bytes, for example to send it to another computer. The bytes
        contain the attributes in ``saved``.

        The bytes are the content of a save file, but `pack` writes no file. Equal values give equal
        bytes, if the game runs on the same versions of Python, NumPy and Subtick. Raises
        `FrameworkError` for a value that cannot be saved, and within `draw`.
        """
        return saving.pack(self._engine.saves)

    def unpack(self, data: bytes) -> None:
        """Load the values that `pack` returned into the existing objects of the game.

        The game checks ``data`` like `load`, so it is safe to unpack bytes from a stranger. A
        recording does not contain ``data``.

        Raises
        ------
        AssetError
            If the bytes are damaged or from another game, or if they are from an older version and
            `migrations` are missing. The game is then unchanged.
        FrameworkError
            If `unpack` is called within `draw`.
        """
        saving.unpack(self._engine.saves, data)

    # -- scenes and subsystems ---------------------------------------------------------------------

    @other_options(_="write game.push(Pause(), transition=fw.Fade(0.4))")
    def push(self, scene: Scene, *, transition: Transition | None = None) -> None:
        """Put a scene on top of the stack of scenes. Within a tick or `draw`, the scene is added at
        the end of the tick or the frame.

        With a ``transition`` (``fw.Fade(0.4)``, `Wipe`, `Iris` or your own), the image of this tick
        blends into the new scene. During the
        transition, the new scene is already on the stack.
        """
        self._engine.switch(self._engine.scenes.push, scene, transition)

    def pop(self, *, transition: Transition | None = None) -> None:
        """Remove the top scene from the stack of scenes. Within a tick or `draw`, the scene is
        removed at the end of the tick or the frame. Raises `ValueError` if the game is the only
        scene on the stack. With a ``transition``, the image of this tick blends into the scene
        below; see `push`.
        """
        self._engine.switch(self._engine.scenes.pop, transition)

    def show(self, scene: Scene, *, transition: Transition | None = None) -> None:
        """Remove all scenes except the game from the stack, and push ``scene``. Within a tick or
        `draw`, this happens at the end of the tick or the frame. For ``transition`` see `push`.
        """
        self._engine.switch(self._engine.scenes.show, scene, transition)

    def add_subsystem(self, subsystem: P) -> P:
        """Add a subsystem and return it. The game calls the methods of a subsystem in each tick and
        frame. See `Subsystem`.

        Raises `TypeError` if the object has none of the methods of a subsystem.
        """
        self._engine.live  # noqa: B018 (raises an error if the game was closed)
        return self._engine.subsystems.add(checked_subsystem("subsystem", subsystem))

    # -- the loop ----------------------------------------------------------------------------------

    def run(self, frames: int | None = None) -> None:
        """Run the game until the window is closed, `exit` is called, or ``frames`` frames were
        drawn.

        Off screen, `run` draws frames as fast as possible. Frame k shows the game at the time k /
        ``frame_rate``. After `run`, the game is open until `close`, so that `pixels` can read the
        last frame. If the game raises an exception, `run` closes the game and raises the exception
        again.
        """
        self._engine.run(frames)

    def call_soon(self, function: Callable[[], object]) -> None:
        """Call ``function()`` in the game's thread, before the ticks of the next frame, or before
        the next tick of `run_ticks`.

        `call_soon` may be called from any thread. Use `call_soon` to change the game from a thread
        of your own, such as a network thread. If ``function`` raises an exception, `run`, `advance`
        or `run_ticks` raises the exception.
        """
        self._engine.call_soon(function)

    def exit(self) -> None:
        """End `run` after the current frame. If the game is not running, the next `run` ends at
        once.
        """
        self._engine.stage.exiting = True

    @other_options(_="write game.advance(1 / 60), or game.run_ticks(60)")
    def advance(self, frame_time: float | Fraction) -> float:
        """Advance the game by ``frame_time`` seconds: run the ticks of this time, and draw a frame.
        Return the alpha of the frame, from 0 to 1.

        If ``frame_time`` is longer than the timestep's ``max_frame_time``, or needs more than
        ``max_ticks`` ticks, the game skips the rest of the time. For a frame of half a second or
        more, `advance` then warns. To run a second of the game, write ``game.run_ticks(60)``.
        """
        return self._engine.drive.advance(frame_time)

    # -- state -------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Copy the whole state of the game between two ticks, and keep the copy in memory for
        `restore`.

        The state consists of all objects that the game refers to, directly or through other
        objects. You do not list these objects. To leave out some attributes of a class, write
        ``not_state = ("fps",)`` in the class. To leave out all its objects, write ``not_state =
        True``.

        `snapshot` raises `FrameworkError` within a tick or `draw`, and for an object that cannot be
        restored, such as a generator, a file or a thread. The error message contains the path of
        the object that cannot be restored.
        """
        return self._engine.state.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Restore the state of a snapshot into the existing objects. You may restore the same
        snapshot several times.

        References to objects stay valid, such as sprites, tasks, closures and targets of cameras.
        `restore` removes sprites that were added after the snapshot. It also restores the scene
        stack, but does not call `on_enter` or `on_exit`. The next frame shows the restored state
        without interpolation. At the end, the game calls ``after_restore()`` of each object that
        has this method.

        Raises
        ------
        FrameworkError
            For a snapshot of another game, and within a tick or `draw`.
        TypeError
            If the argument is not a `Snapshot`.
        """
        self._engine.state.restore(snapshot)

    def state_hash(self) -> int:
        """Return a hash of the game's state: 64 bits, computed with xxh3. Equal states give equal
        hashes, in every process and on every machine.

        The hash leaves out values that depend on the window or on the times of frames, and the
        attributes in ``not_state``.
        """
        return self._engine.state.hash()

    def run_ticks(self, ticks: int = 1) -> None:
        """Run ``ticks`` ticks at once, without waiting for the clock. Draw nothing.

        Before each tick, `run_ticks` calls the functions that were passed to `call_soon`.

        After a `restore`, ticks may run a second time. `RecordingControl.resimulating` is then
        True, and no effect happens twice (see `emit`). Raises `FrameworkError` within a tick or
        `draw`.
        """
        self._engine.run_ticks(ticks)

    # -- servers and clients -----------------------------------------------------------------------

    is_server: bool = reading(
        "_engine.replication.is_server",
        "Whether the rules of this game decide. False in a game whose session is a `Client`: there, "
        "the server decides. True in every other game, also without a session.",
    )
    local_player: int = reading(
        "_engine.stage.local_player",
        "The index of the player who uses this machine. Default: 0. Sessions set another index.",
    )

    def replicate(
        self,
        batch: Any,
        *,
        position: float = 1 / 8,
        angle: int = 8,
        changes: Sequence[str] = (),
        visible: Callable[[int], Any] | None = None,
        predict: Callable[[int], Any] | None = None,
        priority: Callable[[int], Any] | None = None,
        jump: float | None = None,
    ) -> None:
        """Send the rows of a batch from the server to its clients. Call `replicate` in `setup`, on
        the server and on the clients.

        In a game without a `Server` or `Client`, `replicate` has no effect. See docs/network.md.

        Parameters
        ----------
        batch
            A batch with positions, such as a `SpriteBatch`. Clients receive its rows, positions and
            angles. A row has the same id on all machines.
        position
            The precision of positions: they are rounded to multiples of this number of units.
            Default: 1/8.
        angle
            The number of bits for an angle. Default: 8 bits, so that a full turn has 256 steps.
        changes
            The names of further columns, such as ``("hp", "image")``. The server sends a value in
            these columns when it changes.
        visible
            A function that receives the index of a player, and returns a mask of rows. The mask is
            True for the rows that this player's client receives. Default: all rows.
        predict
            A function that receives the index of a player, and returns a mask of rows. The mask is
            True for the rows that this player's input moves. The client moves these rows at once,
            and the server corrects them.
        priority
            A function that receives the index of a player, and returns a number for each row. If
            the connection is too slow for all rows, the client receives rows with a high number
            more often. Default: 1.
        jump
            A distance in units. If a row moves farther between two states, the client draws it at
            its new position at once. Use ``jump`` for rows that teleport. Default: None, no row
            jumps.
        """
        self._engine.replication.add(
            checked_replica(batch, position, angle, changes, visible, predict, priority, jump)
        )

    def replicate_events(self, *names: str) -> None:
        """Send the events with these names from the server to all clients. Call `replicate_events`
        in `setup`.

        If the server's game calls ``emit(name, …)``, each client calls the functions that
        subscribed to the event, when it shows the tick of the event. The arguments are numbers,
        strings, or lists of them. Emit such an event only if `is_server` is True.
        """
        self._engine.replication.add_events(names)

    # -- effects -----------------------------------------------------------------------------------

    def emit(
        self,
        effect: Callable[..., object] | str,
        *arguments: Any,
        key: Any = None,
        when: str = "predicted",
        withdrawn: Callable[..., object] | None = None,
        **named: Any,
    ) -> None:
        """Run an effect once, after the tick. Examples are a sound, sparks and a print. Effects
        must not change the state of the game. Between ticks, `emit` runs the effect at once.

        A tick may run again, as in a rollback. If the two runs emit the same effect, it happens
        once. If only the second run emits it, it happens late. If only the first run emitted it, it
        is withdrawn. After a rewind, all later ticks are new, so their effects happen.

        Two effects are the same effect if they have the same tick, name and arguments. Numbers,
        text, arrays and lists are compared by content, rows of batches by their ids.

        Parameters
        ----------
        effect
            A function, which receives the arguments, or the name of an event for `subscribe`.
        key
            A value that identifies the effect, instead of its tick and arguments. An example is the
            number of a goal. The effect then happens once, even if the second run emits it in
            another tick or with other arguments.
        when
            "predicted", the default, runs the effect after its tick. "confirmed" waits until the
            input of all players in that tick is known, so that the effect is never withdrawn. In a
            game without other computers, both are the same. See `RecordingControl.confirm`.
        withdrawn
            A function that is called with the same arguments if the effect is withdrawn. If the
            effect returns a voice of a sound, you do not need such a function, because the voice
            fades out in 30 ms.
        """
        self._engine.effects.emit(effect, arguments, named, key, when, withdrawn)

    def subscribe(
        self,
        name: str,
        function: Callable[..., object],
        *,
        withdrawn: Callable[..., object] | None = None,
    ) -> None:
        """Call ``function`` with the arguments of each ``emit(name, …)``. The functions of one
        event are called in the order in which they subscribed.

        If the tick runs again and does not emit the effect, the game calls ``withdrawn`` with the
        same arguments. If ``function`` returned a voice, the voice fades out.

        Subscriptions are not part of the state: `restore` and a rewind do not change subscriptions.
        """
        self._engine.effects.subscribe(name, function, withdrawn)

    def unsubscribe(self, name: str, function: Callable[..., object]) -> None:
        """Stop calling ``function`` when the event ``name`` is emitted. Raises `ValueError` if
        ``function`` has not subscribed to the event.
        """
        self._engine.effects.unsubscribe(name, function)

    # -- pictures ----------------------------------------------------------------------------------

    def pixels(self) -> NDArray[np.uint8]:
        """Return the pixels of the last frame. The array is uint8 (height, width, 4), in
        framebuffer pixels, with row 0 at the top.

        If `run_ticks` has run ticks since the last frame, `pixels` first paints a frame.
        """
        engine = self._engine
        engine.live.needed("pixels")
        with engine.live.working():
            return engine.painter.pixels(engine.timestep)

    def screenshot(self, path: str | os.PathLike[str]) -> None:
        """Write the last frame to an image file, as `pixels` returns it. The extension of the file name selects the format.

        Within `update`, `draw` or a task, the file is written after the current frame and shows
        that frame. If writing the file after the frame fails, `run` or `advance` raises the error.
        Raises `AssetError` if the file cannot be written.
        """
        self._engine.screenshot(path, self.pixels)

    # -- beginning and end -------------------------------------------------------------------------

    def _begin(self) -> None:
        with chosen(self.exact):
            self._engine.scenes.start(self)
            self.on_enter()

    def close(self) -> None:
        """Close the window, and release the GPU memory and the subsystems. Within a frame or `run`,
        the game is closed only at the end of the frame.

        If the game is already closed, `close` does nothing. ``fw.run`` and a ``with`` block close
        the game without a call of `close`. If your program has no reference to the game any longer,
        the game is closed at the latest before another game is created or draws its next frame.
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
