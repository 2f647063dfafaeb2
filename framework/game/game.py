"""The base class of every game."""

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
from ..other_engines.game_names import game_options
from ..other_engines.other_options import other_options
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
    """The metaclass of all game classes. The metaclass calls ``setup`` after the ``__init__`` of
    the game has ended.
    """

    count = 0
    """The number of games that this process has created."""
    default_frames: int | None = None
    """The argument ``frames`` of `Game.run`, if a call has none. The command `framework run` sets
    this value.
    """

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return make_game(cls, {}, *args, **kwargs)


def make_game(game_class: Any, overrides: Overrides, /, *args: Any, **options: Any) -> Any:
    """Create a game with some of its options overridden. ``overrides`` have a higher priority than
    the options that the game's ``__init__`` passes to `Game`.

    Replays, servers and environments for AI agents need overrides, because the ``__init__`` of a
    game may ignore its own arguments. A game with overrides is never fullscreen and does not
    capture the mouse. The overrides do not apply to other games that the game creates.

    With the override ``separate_run``, the game has its own folder for saves, so it does not use
    the player's saves. Games that this game creates in `setup`, in a tick or in an event handler
    also get their own folders for saves.
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
    | {"monitor": "debug.frame_stats", "view": "picture.screen_mapping"},
    {name: f"display.{name}" for name in _DISPLAY}
    | {name: f"picture.{name}" for name in _PICTURE}
    | {"overlay": "debug.overlay", "bar_color": "picture.letterbox_color"},
    advice={"window": "self.width, self.height and self.size are the size of the game"},
)
@moved("game", {"save_path": "saves.path", "export_json": "saves.export_json"})
class Game(Scene, metaclass=_GameType):
    """The base class of every game.

    In your subclass, override `setup`, `update` and, if you need it, `draw`. Start the game with
    ``fw.run(MyGame)``.

    Parameters
    ----------
    size
        Width and height of the window in units (logical pixels).
    title
        The title of the window. The default title is the name of the class.
    tick_rate
        The number of ticks per second.
    timestep
        Your own timestep object, which decides when ticks run. The default timestep is a
        `FixedTimestep` with ``tick_rate`` ticks per second.
    seed
        The seed for the random numbers of `Game.random`. Two runs of the game with the same seed
        and the same input give the same results. Default: 0.
    headless
        If True, the game draws to an offscreen image, without a window. If False, the game opens a
        window. By default, the game opens a window if the machine has a display. Without a window,
        the game uses a virtual clock instead of real time, so every run is the same.
    drawing
        Whether the game draws. Pass False for a game without images, such as a server. With
        ``drawing=False``, the game does not load pyglet and OpenGL. Everything else works as in a
        game without a window. Default: True.
    vsync
        Whether each frame waits for the refresh of the display. Without vsync, the game draws as
        many frames as it can, which keeps a whole CPU core busy (see ``max_fps``).
    max_fps
        The maximum number of frames per second in a window. By default, there is no maximum.
    resizable, fullscreen, borderless
        ``resizable``: whether the player can resize the window. ``fullscreen``: whether the window
        fills its screen. ``borderless``: whether the window has no title bar and no border.
    screen
        The index of the screen (monitor) for the window, such as 1 for the second screen. By
        default, the operating system chooses the screen. If there is no screen with this index, the
        game issues a warning, and the operating system chooses the screen.
    min_size
        The smallest width and height to which the player can resize the window.
    icon
        The window's icon in the taskbar: one image, or a list of images in several sizes. `icon`
        accepts the same kinds of images as a `SpriteBatch`.
    physical_keys
        Whether key names mean positions on a US keyboard, such as "w" for the key above "s". With
        ``physical_keys``, "w", "a", "s" and "d" are the same four keys on every keyboard
        (docs/input.md).
    pacing
        Whether the game measures time by the refreshes of the display, so that motion is smooth.
        Without pacing, the game uses the computer's clock. On a busy CPU, this clock is read at irregular
        times, which makes motion less smooth (see `refresh_clock`). Pacing has no effect in a game
        without a window, and in a window without ``vsync``.
    samples
        The number of MSAA samples per pixel, a power of two, or 0 for no antialiasing.
    resolution
        A virtual size of the screen, as width and height in units. `size`, the cameras and the
        mouse use the units of the virtual size, even if the window has another size. By default,
        the virtual size is the size of the window.
    scaling
        How the virtual size is scaled to the window: ``"letterbox"``, ``"integer"`` (a whole number
        of pixels per unit) or ``"stretch"``. ``"auto"`` means ``"integer"`` in a game with pixel
        art, and ``"letterbox"`` in all other games.
    pixel_art
        Whether the game draws each unit of the resolution as a texel: a square of one color in the
        window (docs/views.md).
    background
        The color behind all drawables: red, green and blue from 0 to 1.
    letterbox_color
        The color of the bars at the edges of the window, if the game does not fill the window.
    frame_rate
        The number of frames per second in a game without a window.
    pixel_ratio
        The number of framebuffer pixels per unit in a game without a window. In a game with a
        window, the operating system sets the number of pixels per unit.
    escape_closes
        Whether the Escape key ends the game. If an ``on_key_press`` handler returns True, the
        Escape key does not end the game.
    frame_stats
        Whether `Diagnostics.frame_stats` measures all frames since the start of the game.
    pause_when_hidden
        Whether the game pauses while its window is hidden or minimized. A hidden window never draws
        anything, even if ``pause_when_hidden`` is False. The ticks skipped during this pause are
        not run later. If the game was already paused before, it stays paused when the window
        becomes visible again.
    render_scale
        The scale of the resolution at which the world is drawn. At 0.5, the game draws half as many
        pixels in each direction. See `Game.picture.render_scale`.
    manage_gc
        Whether `run` controls when Python's garbage collector runs (see `garbage`). With
        ``manage_gc``, the collector ignores all objects that already exist after the first frame,
        and usually runs while the loop is waiting for the next frame. At the end, `run` restores
        the collector's old settings. In a game without a window, ``manage_gc`` applies only to runs
        of at least 120 frames, and to runs without a frame limit.
    exact
        Whether the framework's functions give bit-for-bit the same results on every machine, in
        `setup` and in ticks. With ``exact``, sines and similar functions are computed by the
        framework's module `exact` instead of NumPy.
    players
        The number of players, from 1 to 64. The list `Game.players` contains the keys and the mouse
        of each player.
    immediate_events
        Whether event handlers, such as ``on_key_press``, are called immediately, even between
        ticks. By default, event handlers are called at the start of the next tick. Pass True only
        if none of your event handlers changes the state of the game.
    session
        A session that connects the ticks of the game with other machines or processes, such as
        `Rollback`. The default session is None, for a game that runs only on this machine.
    """

    _transient_attributes = ("_engine", "_overrides")
    saved_version: ClassVar[int] = 1
    """The version of the game's saves. Increase it when older saves no longer fit the game."""
    migrations: ClassVar[Mapping[int, Callable[[dict[str, Any]], dict[str, Any] | None]]] = {}
    """A dict of functions that convert a save to the next version, such as ``{1: from_1_to_2}``.
    Each function receives and returns a dict with the values of the save.
    """
    saves_folder: ClassVar[str | None] = None
    """The name of the game's folder in the user's data folder. With the default None, the folder is
    named after the game's class.
    """

    _overrides: Overrides
    _engine: GameEngine

    @renamed_options("Game", bar_color="letterbox_color", monitor="frame_stats")
    @game_options
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
        "Whether ticks compute the same numbers on every machine. See the option ``exact``.",
    )
    drawing: bool = reading(
        "_engine.live.drawing", "Whether the game draws anything. See the option ``drawing``."
    )
    background: str | Sequence[float] = setting(
        "_engine.painter.background",
        rgb,
        "The color behind everything: red, green and blue in sRGB from 0 to 1, or a string such as '#123'.",
    )

    @property
    def game(self) -> Any:
        """The game itself. A game is also a scene, so ``scene.game`` works for every scene, even
        for the game.
        """
        return self

    @property
    def scene(self) -> Scene:
        """The scene on top of the stack, or the game itself if there is no other scene."""
        return self._engine.scenes.top if self._engine.stage.stack else self

    @property
    def players(self) -> tuple[Player, ...]:
        """The players of the game. Each player has ``keys``, a ``mouse`` and ``pads``.
        ``game.keys`` and ``game.mouse`` are the keys and the mouse of the first player.
        """
        return self._engine.stage.players

    @property
    def input(self) -> InputSource:
        """The object that provides the input of each tick. The default is a `LocalInput`, which
        reads the keyboard, mouse and gamepads of this machine. You can set `input` to your own
        object with a method such as `InputSource.tick`. Set `input` to None to use a `LocalInput`
        again.

        In a game with a network session, `input` is this session, and you cannot change it.
        """
        return self._engine.input

    @input.setter
    def input(self, value: InputSource | None) -> None:
        self._engine.input = value

    @property
    def session(self) -> Any:
        """The network session of the game, or None. ``game.session.stats`` contains measured
        values, such as the ping.
        """
        return self._engine.loop.session

    @property
    def testing(self) -> Testing:
        """Methods for tests that simulate input, such as ``game.testing.press("space")``."""
        return self._engine.testing

    @property
    def recording(self) -> RecordingControl:
        """Methods for recording the game to a file, and for going back to earlier ticks. See
        `RecordingControl`.
        """
        return self._engine.recording

    @property
    def display(self) -> Display:
        """The window and the mouse pointer, with settings such as `Display.fullscreen`."""
        return self._engine.display

    @property
    def picture(self) -> Picture:
        """The drawing settings of the game, such as `Picture.quality`, and the OpenGL context
        `Picture.ctx`.
        """
        return self._engine.picture

    @property
    def debug(self) -> Diagnostics:
        """Diagnostics: frame statistics (`Diagnostics.frame_stats`), and all values of the game's
        state.
        """
        return self._engine.debug

    @property
    def saves(self) -> Saves:
        """The save files of the game. For example, `Saves.path` returns the path of a save,
        `Saves.pack` returns a save as bytes, and `Saves.export_json` writes a JSON file.
        """
        return self._engine.saves

    @property
    def network(self) -> Network:
        """The part of the game for servers and clients, such as `Network.replicate` and
        `Network.local_player`. The connection to other machines is in `Game.session`.
        """
        return self._engine.network

    @property
    def audio(self) -> Audio:
        """The audio of the game: volume, buses, music and `Audio.capture`."""
        return self._engine.audio

    # -- saves -------------------------------------------------------------------------------------

    @other_options(_="write saved = ('score',) in the class, then game.save('slot 1')")
    def save(self, slot: str | None = None, *, path: str | os.PathLike[str] | None = None) -> Path:
        """Write a save file, and return its path. The file contains the attributes that the game
        and its scenes list in ``saved``.

        ``slot`` is the name of the save, such as "slot 1". The save file is in the user's data
        folder (see `Saves.path`). If Windows would not allow a file named ``slot``, `save` raises
        an error on every system. To save to any other file, pass its ``path`` instead of a slot.
        The old save is replaced only once the new file is complete. The old save then stays in the
        same folder, with a name that ends with ``.bak``.

        Raises
        ------
        ValueError
            If ``slot`` is a path, or a name that is not allowed on some operating system.
        FrameworkError
            If a value cannot be saved, or if you call `save` in `draw`. The error message contains
            the path of the value, such as "game.player".
        AssetError
            If the file cannot be written. If `save` raises an error, the old save file stays
            unchanged.
        """
        return saving.save(self._engine.saves, slot, path)

    def load(self, slot: str | None = None, *, path: str | os.PathLike[str] | None = None) -> None:
        """Load the save named ``slot``, or the file at ``path``. The saved values are written to
        the existing objects of the game. To check whether a save exists, call `Saves.exists`.

        The scene stack must contain the same scenes as when the save was written. Finally, `load`
        calls ``after_load()`` on each object that has this method.

        Raises
        ------
        AssetError
            If the file is missing, damaged or from another game, or if it is from an older version
            and `migrations` does not cover that version. The game is then left unchanged.
        FrameworkError
            If you call `load` in `draw`.
        """
        saving.load(self._engine.saves, slot, path)

    # -- scenes and subsystems ---------------------------------------------------------------------

    @other_options(_="write game.push(Pause(), transition=fw.Fade(0.4))")
    def push(self, scene: Scene, *, transition: Transition | None = None) -> None:
        """Put a scene on top of the scene stack. If you call `push` in a tick or in `draw`, the
        scene is put on the stack at the end of the tick or the frame.

        With a ``transition``, such as ``fw.Fade(0.4)``, `Wipe` or `Iris`, the current image blends
        into the new scene. The new scene is on the stack as soon as the transition starts.
        """
        self._engine.switch(self._engine.scenes.push, scene, transition)

    def pop(self, *, transition: Transition | None = None) -> None:
        """Remove the top scene from the scene stack. If you call `pop` in a tick or in `draw`, the
        scene is removed at the end of the tick or the frame. With a ``transition``, the current
        image blends into the scene below it (see `push`). Raises `ValueError` if the game is the
        only scene on the stack.
        """
        self._engine.switch(self._engine.scenes.pop, transition)

    def show(self, scene: Scene, *, transition: Transition | None = None) -> None:
        """Remove all scenes except the game from the scene stack, and push ``scene``. If you call
        `show` in a tick or in `draw`, the stack changes at the end of the tick or the frame. For
        ``transition``, see `push`.
        """
        self._engine.switch(self._engine.scenes.show, scene, transition)

    def add_subsystem(self, subsystem: P) -> P:
        """Add a subsystem to the game, and return the subsystem. The game calls the methods of the
        subsystem in each tick and each frame. See `Subsystem`.

        Raises `TypeError` if ``subsystem`` has no method of a `Subsystem`.
        """
        self._engine.live  # noqa: B018 (raises an error if the game was closed)
        return self._engine.subsystems.add(checked_subsystem("subsystem", subsystem))

    # -- the loop ----------------------------------------------------------------------------------

    def run(self, frames: int | None = None) -> None:
        """Run the game until the player closes the window, the game calls `exit`, or ``frames``
        frames have been drawn.

        In a game without a window, `run` draws frames as fast as possible, and frame k shows the
        game at the time k / ``frame_rate``. `run` does not close the game, so you can read the last
        frame with `pixels` afterwards. If the game raises an exception, `run` closes the game and
        re-raises the exception.
        """
        self._engine.run(_GameType.default_frames if frames is None else frames)

    def call_soon(self, function: Callable[[], object]) -> None:
        """Call ``function()`` soon, in the thread of the game. The game calls ``function`` before
        the next frame runs its ticks, or before the next tick of `run_ticks`.

        You can call `call_soon` from any thread, for example to change the game from a network
        thread. If ``function`` raises an exception, `run`, `advance` or `run_ticks` passes it on.
        """
        self._engine.call_soon(function)

    def exit(self) -> None:
        """End `run` after the current frame. If `run` is not running, the next call to `run` ends
        immediately.
        """
        self._engine.stage.exiting = True

    @other_options(_="write game.advance(1 / 60), or game.run_ticks(60)")
    def advance(self, frame_time: float | Fraction) -> float:
        """Advance the clock of the game by ``frame_time`` seconds. `advance` runs all ticks that
        are due, and then draws a frame. Return the alpha of the frame: the fraction of a tick that
        has passed since the last tick.

        The options ``max_frame_time`` and ``max_ticks`` of the timestep limit the time of a frame.
        If ``frame_time`` is longer than these limits allow, the game skips the remaining time, and
        issues a warning if ``frame_time`` is at least half a second. To run a whole second of a
        game with 60 ticks per second, call ``game.run_ticks(60)``.
        """
        return self._engine.drive.advance(frame_time)

    # -- state -------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return a snapshot: a copy of the whole state of the game. To go back to this state later,
        pass the snapshot to `restore`.

        The state consists of all objects that the game refers to, directly or through other
        objects. You do not have to list them. If some attributes of a class do not belong to the
        state, list those attributes in the class: ``not_state = ("fps",)``. If the objects of a
        class never belong to the state, write ``not_state = True`` in the class.

        Raises `FrameworkError` if you call `snapshot` in a tick, in an event handler or in `draw`.
        Use `call_soon` there. Also raises
        `FrameworkError` if the state contains an object that cannot be restored, such as a
        generator, a file or a thread. The error message contains the path of that object.
        """
        return self._engine.state.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Restore the state of the game from a snapshot. You can restore the same snapshot several
        times.

        `restore` writes the state to the existing objects, so your references to sprites, tasks and
        other objects stay valid. Sprites that were added after the snapshot are removed. The scene
        stack is also restored, but without calling `on_enter` or `on_exit`. The next frame shows
        the restored state without interpolation. Finally, `restore` calls ``after_restore()`` on
        each object that has this method.

        Raises
        ------
        FrameworkError
            If the snapshot is of another game, or if `restore` is called in a tick, in an event
            handler or in `draw`. Use `call_soon` there.
        TypeError
            If the argument is not a `Snapshot`.
        """
        self._engine.state.restore(snapshot)

    def state_hash(self) -> int:
        """Return a hash of the game's state. Equal states have equal hashes, in every process and
        on every machine. The hash is an int of 64 bits.

        The hash includes neither the attributes in ``not_state`` nor values that depend on the
        window or on the real times of frames.
        """
        return self._engine.state.hash()

    def run_ticks(self, ticks: int = 1) -> None:
        """Run ``ticks`` ticks immediately, without waiting for their time and without drawing.

        Before each tick, the game calls the functions that were passed to `call_soon`.

        After a `restore`, ticks may run again. While a tick runs again,
        `RecordingControl.resimulating` is True, and effects are not repeated (see `emit`). Raises
        `FrameworkError` if you call `run_ticks` in a tick, in an event handler or in `draw`.
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
        """Run an effect once, after the current tick. An effect is a function that, for example,
        plays a sound, shows sparks or prints text. It must not change the state of the game. If you
        call `emit` between two ticks, the effect runs immediately.

        A tick may run again with other input, for example after a rollback. An effect that is
        emitted in both runs of the tick happens only once. If it is emitted only in the second run,
        it happens late. If it was emitted only in the first run, it is withdrawn. After a rewind,
        all later ticks count as new ticks, and their effects as new effects.

        Two effects are the same if they have the same tick, the same name and the same arguments.
        In the arguments, numbers, strings, arrays and lists are compared by content, and rows of
        batches by id.

        Parameters
        ----------
        effect
            A function that receives the arguments, or the name of an event (see `subscribe`).
        key
            A value that identifies the effect, such as the number of a goal. Two effects with the
            same key are the same, even if they have different ticks or arguments.
        when
            With the default "predicted", the effect runs after its tick. With "confirmed", it waits
            until the input of all players for its tick has arrived, and is never withdrawn. In a
            game without a network session, "predicted" and "confirmed" mean the same. See
            `RecordingControl.confirm`.
        withdrawn
            Called with the arguments of the effect if the effect is withdrawn. If the effect
            returns the voice of a sound, you do not need ``withdrawn``: the game fades out the
            sound in 30 ms.
        """
        self._engine.effects.emit(effect, arguments, named, key, when, withdrawn)

    def subscribe(
        self,
        name: str,
        function: Callable[..., object],
        *,
        withdrawn: Callable[..., object] | None = None,
    ) -> None:
        """Call ``function`` for each ``emit(name, …)``, with the same arguments. If several
        functions subscribe to an event, they are called in the order in which they subscribed.

        If a tick runs again and does not emit the event this time, the game calls ``withdrawn``
        with the arguments of the first run. If ``function`` returned the voice of a sound, the game
        also fades out that sound.

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
        """Return the pixels of the last frame, as a uint8 array of shape (height, width, 4). The
        width and height are in framebuffer pixels. Row 0 of the array is at the top.

        If ticks have run since the last frame, `pixels` first draws a new frame.
        """
        engine = self._engine
        engine.live.needed("pixels")
        with engine.live.working():
            return engine.painter.pixels(engine.timestep)

    def screenshot(self, path: str | os.PathLike[str]) -> None:
        """Write the last frame to an image file. The extension of the file name, such as ``.png``,
        determines the file format.

        If you call `screenshot` in `update`, `draw` or a task, the game writes the file after the
        current frame. The file then shows the current frame. Raises `AssetError` if the file cannot
        be written. If the game writes the file after the current frame, `run` or `advance` raises
        the error.
        """
        self._engine.screenshot(path, self.pixels)

    # -- beginning and end -------------------------------------------------------------------------

    def _begin(self) -> None:
        with chosen(self.exact):
            self._engine.scenes.start(self)
            self.on_enter()

    def close(self) -> None:
        """Close the window, free the GPU memory, and release the subsystems. If you call `close`
        during a frame, the game is closed at the end of the frame.

        If the game is already closed, `close` does nothing. ``fw.run`` closes the game when it
        ends. A game in a ``with`` block is closed at the end of the block. If your program no
        longer refers to a game, the framework closes that game before it creates or draws another
        one.
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
