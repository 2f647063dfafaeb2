"""Create a game, run it and close it, with options from the command line."""

from __future__ import annotations

__all__ = ["run"]

import itertools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import checks
from ..assets.images import check_image_path
from ..errors import AssetError, FrameworkError
from ..moved_names import OPTIONS
from ..other_engines.other_options import other_options
from ..record.snapshots import SnapshotError
from .game import Game, make_game
from .game_options import Overrides
from .scene import Scene
from .session import checked_session

if TYPE_CHECKING:
    from .development_run import DevelopmentSession
    from .session import Session
    from .shipping import Shipped

# The number of frames of a run without a display, if the program sets no limit.
DEMO_FRAMES = 300


@dataclass(frozen=True)
class Launch:
    """Options from the command line that apply to every call to `fw.run`. These options override
    the arguments that the program passes to `fw.run`.
    """

    headless: bool | None = None
    frames: int | None = None
    screenshot: str | None = None
    name: str | None = None
    """The name of the image file that a game without a window writes. By default, the image file
    has the name of the game's class.
    """
    record: str | None = None
    """The path of the recording to write."""
    rewind: bool = False
    """Whether to add a `Rewind` to a game that has none, so that the F4 key opens a timeline."""
    develop: bool = False
    """Whether errors are shown in the game's window."""
    reload: str | None = None
    """The argument ``reload`` of `development_run.DevelopmentSession`: how to react when the game's
    files change.
    """
    replay: Callable[[Any, str], object] | None = None
    """A function that receives a game and the path of a recording, and runs all ticks of the
    recording in the game.
    """
    shipped: Shipped | None = None
    """The title, the version and the log file of a game that was packed for players. The window of
    a packed game shows errors, but has no development tools.
    """
    play: Callable[[type[Game], dict[str, Any]], None] | None = None
    """A function that is called with the game class and its options instead of running the game in
    the usual way.
    """
    started: set[str] = field(default_factory=set, compare=False)
    """The names of the game classes that the program has passed to `fw.run`."""


# The program calls `run` itself, in any thread and with its own options, so the launcher cannot
# pass this value as an argument.
_launches = [Launch()]


@contextmanager
def launching(launch: Launch) -> Iterator[None]:
    """A context manager in which every call to `fw.run` uses the options ``launch``. A call to
    `Game.run` without ``frames`` uses only the option ``frames``.
    """
    _launches.append(launch)
    games = type(Game)
    frames = games.default_frames
    games.default_frames = launch.frames
    try:
        yield
    finally:
        games.default_frames = frames
        _launches.pop()


@other_options(_="write fw.run(MyGame, size=(800, 600), title='My game')")
def run(
    game_class: type[Game],
    *,
    frames: int | None = None,
    screenshot: str | os.PathLike[str] | None = None,
    session: Session | None = None,
    **options: Any,
) -> None:
    """Create a game, run it until it ends, and close it. ``options`` are keyword arguments for the
    constructor of the game.

    With ``frames``, the game ends after this number of frames. If ``screenshot`` is a path, the
    last frame is written to this image file. The options of the command `framework run` override
    ``frames`` and ``screenshot``.

    A game without a window and without ``frames`` ends after 300 frames, and its last frame is
    written to a new image file in the working directory. A game with ``drawing=False`` has no such
    limit, and writes no image. If the command `framework run` starts a game without a window, the
    last frame is always written. If the working directory is read-only, no image file is written.

    ``session`` connects the game with other machines or processes. For example, a `Rollback` is a
    session. The game uses the session even if its ``__init__`` has no argument ``session``.
    """
    check_game(game_class)
    checked_session(session)
    _check_options(game_class, options)
    launch = _launches[-1]
    launch.started.add(game_class.__name__)
    if launch.play is not None:
        launch.play(game_class, options)
        return
    screenshot = _screenshot_path(screenshot, launch)
    if launch.headless is not None:
        options["headless"] = launch.headless
    frames = frames if launch.frames is None else launch.frames
    developing = _development_session(launch)
    if launch.shipped is not None:
        _check_display(options)
    try:
        make = partial(_new_game, game_class, options, session, developing)
        while _run_once(game_class, make, frames, screenshot, developing, launch):
            """Run the game again."""
    except KeyboardInterrupt:
        print(f"{game_class.__name__}: interrupted", file=sys.stderr)
        raise SystemExit(130) from None
    finally:
        if developing is not None:
            developing.close()


def _screenshot_path(screenshot: str | os.PathLike[str] | None, launch: Launch) -> str | None:
    """Return the path of the image file that the program or the command line asks for, or None."""
    if screenshot is not None:
        screenshot = checks.path("screenshot", screenshot)
        check_image_path(screenshot)
    if launch.screenshot is not None:
        check_image_path(launch.screenshot)
        return launch.screenshot
    return screenshot


def _development_session(launch: Launch) -> DevelopmentSession | None:
    """Return a session that shows errors in the window, or None if the launch needs none."""
    if not launch.develop and launch.reload is None and launch.shipped is None:
        return None
    # Imported here so that `python game.py` does not load it.
    from .development_run import DevelopmentSession

    return DevelopmentSession(launch.reload, launch.replay, launch.shipped)


def _new_game(
    game_class: type[Game],
    options: dict[str, Any],
    session: Session | None,
    developing: DevelopmentSession | None,
) -> Game:
    overrides: Overrides = {} if session is None else {"session": session}
    if developing is not None:
        return developing.made(game_class, options, overrides)
    game: Game = make_game(game_class, overrides, **options)
    return game


def _check_display(options: dict[str, Any]) -> None:
    """Raise `FrameworkError` if a packed game needs a window but the machine has no display."""
    from .window import display_reachable

    wants_window = options.get("headless") is not True and options.get("drawing", True)
    if wants_window and not display_reachable():
        raise FrameworkError(
            "The game needs a display, and none can be opened. On Linux, the variable DISPLAY "
            "names the display."
        )


def _run_once(
    game_class: type[Game],
    make: Callable[[], Game],
    frames: int | None,
    screenshot: str | None,
    developing: DevelopmentSession | None,
    launch: Launch,
) -> bool:
    """Create, run and close a game. Return True if the game must start again."""
    leaves_picture = False
    with make() as game:
        if developing is not None:
            developing.attach(game)
        if launch.record is not None:
            game.recording.start(launch.record)
        if launch.rewind and game.recording.rewind is None:
            _add_rewind(game)
        if not game.drawing:
            if screenshot is not None:
                # This call raises an error for a wrong path before the game starts.
                game.screenshot(screenshot)
        elif game.display.headless and (frames is None or launch.frames is not None):
            frames = DEMO_FRAMES if frames is None else frames
            leaves_picture = screenshot is None
            print(f"{game_class.__name__}: {frames} frames are drawn off screen")
        game.run(frames)
        if leaves_picture:
            screenshot = _leave_picture(game, launch.name or game_class.__name__.lower())
        elif screenshot is not None:
            game.screenshot(screenshot)
        if screenshot is not None:
            print(
                f"{game_class.__name__}: the picture after {game.debug.frames} frames is in "
                f"{screenshot}"
            )
    return developing is not None and developing.again


# Option names that other libraries use, and the names of the same options here.
_OTHER_OPTIONS = {
    **dict.fromkeys(("out", "output", "path", "image", "picture", "save_to"), "screenshot"),
    **dict.fromkeys(("steps", "ticks", "count", "n_frames", "max_frames"), "frames"),
    **dict.fromkeys(("width", "height", "window_size", "screen_size"), "size"),
    **dict.fromkeys(("caption", "name", "window_title"), "title"),
    **dict.fromkeys(("fps", "update_rate"), "tick_rate"),
    **dict.fromkeys(("background_color", "bg", "clear_color"), "background"),
    **dict.fromkeys(("full_screen",), "fullscreen"),
}


def _check_options(game_class: type[Game], options: dict[str, Any]) -> None:
    """Raise `TypeError` for an option that neither `run` nor the constructor of the game
    accepts.
    """
    accepted = {"frames", "screenshot", "session", *_accepted_options(game_class)}
    for name in options:
        if name not in accepted:
            meant = _OTHER_OPTIONS.get(name)
            hint = f"did you mean {meant}?" if meant in accepted else None
            near = checks.nearest(name, sorted(accepted - {"self", "options", *OPTIONS["Game"]}))
            raise TypeError(f"run: unknown option {name!r}; {hint or f'the nearest are {near}'}")


def _accepted_options(game_class: type[Game]) -> set[str]:
    """Return the names of all parameters of the game's constructor, also of the constructors of
    its base classes to which it passes options on.
    """
    import inspect

    accepted: set[str] = set()
    for base in game_class.__mro__:
        if "__init__" not in vars(base):
            continue
        parameters = inspect.signature(vars(base)["__init__"]).parameters.values()
        accepted.update(parameter.name for parameter in parameters)
        if base is Game:
            # An old name is allowed here because it raises its own error later.
            accepted.update(OPTIONS.get("Game", ()))
            break
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            break  # this constructor does not pass options on to its base class
    return accepted


def _add_rewind(game: Game) -> None:
    """Add a `Rewind` to the game. Raise `FrameworkError` if the state of the game cannot be
    restored later.
    """
    from .rewind import Rewind  # imported here because few games use the rewind

    try:
        game.snapshot()  # raises errors now, not at the first snapshot of the rewind
        game.recording.rewind = Rewind()
    except SnapshotError as error:
        kind = type(game).__name__
        raise FrameworkError(
            f"--rewind: {kind} cannot go back to an earlier tick: {error}"
        ) from None


def check_game(game_class: object) -> None:
    """Raise `TypeError` unless ``game_class`` is a subclass of `Game`. The error message contains
    hints for common mistakes.
    """
    if isinstance(game_class, type) and issubclass(game_class, Game):
        return
    expected = "a subclass of Game"
    if isinstance(game_class, Game):
        name = type(game_class).__name__
        raise TypeError(
            f"game_class: expected {expected}, got a game that exists already: call "
            f"its run(), or run({name})"
        )
    if isinstance(game_class, type) and issubclass(game_class, Scene):
        hint = "derive it from Game, or push it on a game"
        raise TypeError(
            f"game_class: expected {expected}, got the scene {game_class.__name__}; {hint}"
        )
    checks.instance("game_class", game_class, Game, what=expected)


def _leave_picture(game: Game, name: str) -> str | None:
    """Write the last frame to an image file with a new name. Return the name of the file, or None
    if the file cannot be written.
    """
    names = itertools.chain(
        [f"{name}.png"], (f"{name}-{number}.png" for number in itertools.count(2))
    )
    free = next(name for name in names if not os.path.lexists(name))
    try:
        game.screenshot(free)
    except AssetError as error:
        print(f"{type(game).__name__}: {error}", file=sys.stderr)
        return None
    return free
