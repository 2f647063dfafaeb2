"""Game: the base class of every game."""

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
from .network import Network
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

    from ..assets.images import ImageSource
    from ..audio.audio import Audio
    from ..gpu.transitions import Transition
    from ..input.input_source import InputSource
    from ..record.snapshots import Snapshot
    from .session import Session


class _GameType(WithMoved):
    """The metaclass of games. The metaclass calls ``setup`` after ``__init__`` has ended."""

    count = 0
    """The number of games that this process has made."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return make_game(cls, {}, *args, **kwargs)


def make_game(game_class: Any, overrides: Overrides, /, *args: Any, **options: Any) -> Any:
    """Make a game, and override some of its options. ``overrides`` replace the options that the
    game's ``__init__`` passes to `Game`.

    Replays, servers and environments need overrides, because the game's ``__init__`` may ignore its
    arguments. A game with overrides is never fullscreen and does not capture the mouse. The
    overrides do not apply to other games that this game makes.

    With the override ``separate_run``, the game uses a separate folder for its saves. Games that
    this game makes in `setup`, in a tick or in an event handler also get separate folders.
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
            engine.close_after_error()
        if isinstance(error, TypeError | AttributeError | OverflowError | ValueError):
            advise(error)
        raise
    finally:
        current_game.draw_again()  # another game's update may have created this game
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
    advice={"window": "self.width, self.height and self.size are the size of the game"},
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
        the operating system chooses. If there is no screen with this index, the game issues a
        warning and uses the default.
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
        frame, the garbage collector ignores all existing objects. The garbage collector usually
        runs while the loop waits for the next frame. At the end of `run`, the garbage collector
        gets its old settings. Off screen, ``manage_gc`` applies only to runs of at least 120
        frames, and to runs without a number of frames.
    exact
        Whether the framework's functions give the same bits on every machine, in `setup` and ticks.
        With ``exact``, the framework computes sines and similar functions with the module `exact`,
        not with NumPy.
    players
        The number of players, from 1 to 64. `Game.players` contains the keys and the mouse of each
        player.
    immediate_events
        Whether event handlers, such as ``on_key_press``, run at once, even between ticks. By
        default, event handlers run at the start of the next tick. Use True only if no event handler
        changes the state of the game.
    session
        A session that connects the ticks of the game with other machines or processes, such as
        `Rollback`. The default is None, a game on this machine alone.
    """

    _transient_attributes = ("_engine", "_overrides")
    saved_classes: ClassVar[tuple[type, ...]] = ()
    """The classes of which `load` may make new objects. For example, list ``Enemy`` here to save a
    list of enemies. Enums also belong here.
    """
    saved_routines: ClassVar[tuple[Callable[..., Any], ...]] = ()
    """The functions that a saved routine may run, such as ``(intro, say)``. Methods that a routine
    passes to `until` also belong here.
    """
    saved_version: ClassVar[int] = 1
    """The version of the game's saves. Increase `saved_version` when older saves no longer fit the
    game.
    """
    migrations: ClassVar[Mapping[int, Callable[[dict[str, Any]], dict[str, Any] | None]]] = {}
    """Functions that convert a save to the next version, such as ``{1: from_1_to_2}``. Each
    function receives a dict of values and returns a new dict.
    """
    saves_folder: ClassVar[str | None] = None
    """The name of the game's folder in the user's data folder. With the default None, the folder
    has the name of the class.
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
        "Whether ticks compute the same numbers on every machine; see the option ``exact``.",
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
        """The game itself. A game is also a scene, and ``scene.game`` works for every scene."""
        return self

    @property
    def scene(self) -> Scene:
        """The scene on top of the stack, or the game itself if no other scene is on the stack."""
        return self._engine.scenes.top if self._engine.stage.stack else self

    @property
    def players(self) -> tuple[Player, ...]:
        """The players of the game. Each player has ``keys``, a ``mouse`` and ``pads``.
        ``game.keys`` and ``game.mouse`` are those of the first player.
        """
        return self._engine.stage.players

    @property
    def input(self) -> InputSource:
        """The object that returns the input of each tick. The default is a `LocalInput`, which
        reads the devices of this machine. You can set `input` to your own object with the method
        `InputSource.tick`. If you set `input` to None, the game uses a `LocalInput` again.

        In a game with a network session, `input` is the session, and you cannot set it.
        """
        return self._engine.input

    @input.setter
    def input(self, value: InputSource | None) -> None:
        self._engine.input = value

    @property
    def session(self) -> Any:
        """The network session of the game, or None. Measurements such as the ping are in
        ``game.session.stats``.
        """
        return self._engine.loop.session

    @property
    def testing(self) -> Testing:
        """Methods that simulate input, such as ``game.testing.press("space")``."""
        return self._engine.testing

    @property
    def recording(self) -> RecordingControl:
        """Methods that record the game to a file, and that go back to earlier ticks. See
        `RecordingControl`.
        """
        return self._engine.recording

    @property
    def display(self) -> Display:
        """The window and the mouse pointer, with settings such as `Display.fullscreen`."""
        return self._engine.display

    @property
    def picture(self) -> Picture:
        """Settings for drawing, such as `Picture.quality`, and the OpenGL context `Picture.ctx`."""
        return self._engine.picture

    @property
    def debug(self) -> Diagnostics:
        """Frame statistics (`Diagnostics.frame_stats`) and all values of the game's state."""
        return self._engine.debug

    @property
    def saves(self) -> Saves:
        """The save files of the game: their paths (`Saves.path`), a save as bytes (`Saves.pack`),
        and an export to JSON (`Saves.export_json`).
        """
        return self._engine.saves

    @property
    def network(self) -> Network:
        """The batches and events that a server sends to its clients (`Network.replicate`), and the
        index of the player who uses this machine (`Network.local_player`). `Game.session` is the
        connection to other machines.
        """
        return self._engine.network

    @property
    def audio(self) -> Audio:
        """The sound of the game: volume, buses, music and `Audio.capture`."""
        return self._engine.audio

    # -- saves -------------------------------------------------------------------------------------

    def save(self, slot: str | None = None, *, path: str | os.PathLike[str] | None = None) -> Path:
        """Write a save file and return its path. The file contains the attributes that the game and
        its scenes list in ``saved``.

        ``slot`` is a name, such as "slot 1". The file is in the user's data folder (see
        `Saves.path`). If Windows does not allow a file with this name, `save` raises an error on
        every system. To write to another file, pass its ``path`` instead of a slot. The new file
        replaces the old file only when the new file is complete. The old file stays in the same
        folder, with ``.bak`` at the end of its name.

        Raises
        ------
        ValueError
            If ``slot`` is a path, or a name that some operating system does not allow.
        FrameworkError
            If a value cannot be saved, or if `save` is called in `draw`. The message has the path
            of the value.
        AssetError
            If the file cannot be written. An error does not change an old save file.
        """
        return saving.save(self._engine.saves, slot, path)

    def load(self, slot: str | None = None, *, path: str | os.PathLike[str] | None = None) -> None:
        """Load a save: the slot ``slot``, or the file ``path``. The values are written into the
        existing objects of the game. To find out whether a slot has a save, call `Saves.exists`.

        The scene stack must have the same scenes as when the game was saved. At the end, `load`
        calls the method ``after_load()`` of each object that has this method.

        Raises
        ------
        AssetError
            If the file is missing, damaged or from another game, or if it is from an older version
            and `migrations` are missing. The game is then unchanged.
        FrameworkError
            If `load` is called in `draw`.
        """
        saving.load(self._engine.saves, slot, path)

    # -- scenes and subsystems ---------------------------------------------------------------------

    @other_options(_="write game.push(Pause(), transition=fw.Fade(0.4))")
    def push(self, scene: Scene, *, transition: Transition | None = None) -> None:
        """Put a scene on top of the scene stack. If you call `push` in a tick or in `draw`, the
        scene is added at the end of the tick or the frame.

        With a ``transition``, such as ``fw.Fade(0.4)``, `Wipe` or `Iris`, the current image blends
        into the new scene. The new scene is already on the stack during the transition.
        """
        self._engine.switch(self._engine.scenes.push, scene, transition)

    def pop(self, *, transition: Transition | None = None) -> None:
        """Remove the top scene from the scene stack. If you call `pop` in a tick or in `draw`, the
        scene is removed at the end of the tick or the frame. With a ``transition``, the current
        image blends into the scene below (see `push`). Raises `ValueError` if the game is the only
        scene on the stack.
        """
        self._engine.switch(self._engine.scenes.pop, transition)

    def show(self, scene: Scene, *, transition: Transition | None = None) -> None:
        """Remove all scenes except the game from the scene stack, and push ``scene``. If you call
        `show` in a tick or in `draw`, this happens at the end of the tick or the frame. For
        ``transition``, see `push`.
        """
        self._engine.switch(self._engine.scenes.show, scene, transition)

    def add_subsystem(self, subsystem: P) -> P:
        """Add a subsystem and return it. The game calls the methods of the subsystem in each tick
        and each frame. See `Subsystem`.

        Raises `TypeError` if ``subsystem`` has none of the methods of a `Subsystem`.
        """
        self._engine.live  # noqa: B018 (raises an error if the game was closed)
        return self._engine.subsystems.add(checked_subsystem("subsystem", subsystem))

    # -- the loop ----------------------------------------------------------------------------------

    def run(self, frames: int | None = None) -> None:
        """Run the game until the player closes the window, the game calls `exit`, or ``frames``
        frames were drawn.

        Without a window, `run` draws frames as fast as possible. Without a window, frame k shows
        the game at the time k / ``frame_rate``. `run` does not close the game, so `pixels` can read
        the last frame. If the game raises an exception, `run` closes the game and raises the same
        exception.
        """
        self._engine.run(frames)

    def call_soon(self, function: Callable[[], object]) -> None:
        """Call ``function()`` later, in the thread of the game. The call happens before the ticks
        of the next frame, or before the next tick of `run_ticks`.

        You can call `call_soon` from any thread, for example to change the game from a network
        thread. If ``function`` raises an exception, `run`, `advance` or `run_ticks` raises the same
        exception.
        """
        self._engine.call_soon(function)

    def exit(self) -> None:
        """End `run` after the current frame. If `run` is not running, the next `run` ends at
        once.
        """
        self._engine.stage.exiting = True

    @other_options(_="write game.advance(1 / 60), or game.run_ticks(60)")
    def advance(self, frame_time: float | Fraction) -> float:
        """Advance the game by ``frame_time`` seconds. `advance` runs the ticks that are due, and
        draws a frame. Return the alpha of the frame, from 0 to 1.

        The timestep has two limits: ``max_frame_time`` and ``max_ticks``. If ``frame_time`` exceeds
        one of these limits, the game skips the rest of the time. If the game skips time and
        ``frame_time`` is half a second or more, `advance` issues a warning. To run one second of
        the game, write ``game.run_ticks(60)``.
        """
        return self._engine.drive.advance(frame_time)

    # -- state -------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return a copy of the whole state of the game. You can pass the copy to `restore`.

        The state is all objects that the game refers to, directly or through other objects. You do
        not have to list these objects. To leave out some attributes of a class, write ``not_state =
        ("fps",)`` in the class. To leave out all objects of a class, write ``not_state = True``.

        Raises `FrameworkError` if `snapshot` is called in a tick or in `draw`. An object that
        cannot be restored also raises `FrameworkError`, such as a generator, a file or a thread.
        The message has the path of this object.
        """
        return self._engine.state.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Restore the state of the game from a snapshot. You can restore the same snapshot several
        times.

        The state is written into the existing objects, so your references to sprites, tasks and
        other objects stay valid. `restore` removes sprites that were added after the snapshot.
        `restore` also restores the scene stack, but does not call `on_enter` or `on_exit`. The next
        frame shows the restored state without interpolation. At the end, `restore` calls the method
        ``after_restore()`` of each object that has this method.

        Raises
        ------
        FrameworkError
            If the snapshot is of another game, or if `restore` is called in a tick or in `draw`.
        TypeError
            If the argument is not a `Snapshot`.
        """
        self._engine.state.restore(snapshot)

    def state_hash(self) -> int:
        """Return a hash of the game's state. Equal states have equal hashes, in every process and
        on every machine. The hash is a number of 64 bits.

        The hash does not include attributes in ``not_state``, and values that depend on the window
        or on the times of frames.
        """
        return self._engine.state.hash()

    def run_ticks(self, ticks: int = 1) -> None:
        """Run ``ticks`` ticks at once, without waiting and without drawing.

        Functions that were passed to `call_soon` are called before the next tick.

        After a `restore`, ticks may run a second time. While a tick runs a second time,
        `RecordingControl.resimulating` is True, and no effect happens twice (see `emit`). Raises
        `FrameworkError` if `run_ticks` is called in a tick or in `draw`.
        """
        self._engine.run_ticks(ticks)

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
        """Run an effect once, after the tick. An effect is a function that plays a sound, shows
        sparks or prints a text, for example. An effect must not change the state of the game. If
        you call `emit` between two ticks, the effect runs at once.

        A tick may run a second time, for example after a rollback. If both runs emit the same
        effect, the effect happens only once. If only the second run emits the effect, the effect
        happens late. If only the first run emitted the effect, the effect is withdrawn. After a
        rewind, all later ticks are new, so their effects happen again.

        Two effects are the same if their tick, their name and their arguments are equal. Numbers,
        texts, arrays and lists are compared by content. Rows of batches are compared by their ids.

        Parameters
        ----------
        effect
            A function that receives the arguments, or the name of an event (see `subscribe`).
        key
            A value that identifies the effect, such as the number of a goal. Effects with the same
            key are the same effect, even in another tick or with other arguments.
        when
            "predicted", the default, runs the effect after its tick. "confirmed" waits until the
            input of all players in that tick is known, so that the effect is never withdrawn. In a
            game without other computers, both values have the same effect. See
            `RecordingControl.confirm`.
        withdrawn
            A function that is called with the same arguments if the effect is withdrawn. If the
            effect returns the voice of a sound, you do not need ``withdrawn``: the voice fades out
            in 30 ms.
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

        If the tick runs again and does not emit the event, the game calls ``withdrawn`` with the
        same arguments. If ``function`` has returned the voice of a sound, the voice fades out.

        Subscriptions are not part of the game's state, so `restore` and a rewind do not change
        them.
        """
        self._engine.effects.subscribe(name, function, withdrawn)

    def unsubscribe(self, name: str, function: Callable[..., object]) -> None:
        """Stop calling ``function`` when the event ``name`` is emitted. Raises `ValueError` if
        ``function`` has not subscribed to the event.
        """
        self._engine.effects.unsubscribe(name, function)

    # -- pictures ----------------------------------------------------------------------------------

    def pixels(self) -> NDArray[np.uint8]:
        """Return the pixels of the last frame. The array is uint8 and has the shape (height, width,
        4). Width and height are in framebuffer pixels. Row 0 is at the top.

        If ticks have run since the last frame, `pixels` first draws a new frame.
        """
        engine = self._engine
        engine.live.needed("pixels")
        with engine.live.working():
            return engine.painter.pixels(engine.timestep)

    def screenshot(self, path: str | os.PathLike[str]) -> None:
        """Write the last frame to an image file. The format depends on the extension of the file
        name, such as ``.png``.

        If you call `screenshot` in `update`, `draw` or a task, the file is written after the
        current frame and shows this frame. Raises `AssetError` if the file cannot be written. If
        the file is written after the frame, `run` or `advance` raises this error.
        """
        self._engine.screenshot(path, self.pixels)

    # -- beginning and end -------------------------------------------------------------------------

    def _begin(self) -> None:
        with chosen(self.exact):
            self._engine.scenes.start(self)
            self.on_enter()

    def close(self) -> None:
        """Close the window, and release the GPU memory and the subsystems. If you call `close`
        during a frame, the game is closed at the end of the frame.

        If the game is already closed, `close` does nothing. ``fw.run`` and a ``with`` block close
        the game automatically. If your program has no more references to a game, the game is closed
        before another game is made or draws a frame.
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
        self._engine.close_now()
