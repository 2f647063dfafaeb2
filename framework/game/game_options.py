"""Check the options of a game, and override some of them, for example from the command line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypedDict

from .. import checks
from ..checks import flag, number, positive_fraction, whole
from ..input.tick_input import MAX_PLAYERS
from ..screen_mapping import SCALINGS, check_render_scale, check_samples
from ..timing.timestep import FixedTimestep, Timestep
from .part_properties import rgb
from .save_files import SeparateRun
from .session import checked_session
from .window_settings import frames_per_second, screen_index, smallest_size

# The game runs at full speed on a machine that draws at least this many frames per second. With
# fewer frames, time is dropped.
_MIN_FRAME_RATE = 15

# The maximum number of ticks in a frame. A frame with more ticks would take too long to be useful.
_MAX_TICKS = 100_000

_MAX_RATE = 10**9  # the maximum number of ticks per second; the inverse is the minimum
_MAX_PIXELS = 1024  # the maximum number of pixels along one side of a unit


_FLAGS = (
    *("vsync", "pacing", "resizable", "escape_closes", "frame_stats", "pause_when_hidden"),
    *("manage_gc", "exact", "immediate_events", "borderless", "physical_keys"),
)


class Overrides(TypedDict, total=False):
    """Options that override the options that a game passes to ``super().__init__``. See
    `make_game`.
    """

    size: tuple[int, int]
    pixel_ratio: float
    headless: bool | None
    drawing: bool
    seed: int
    players: int
    separate_run: SeparateRun
    session: Any


@dataclass
class GameOptions:
    """The options of a game. See `Game` for the meaning of each option. The constructor checks all
    options and applies ``overrides``.
    """

    size: tuple[int, int]
    title: str | None
    tick_rate: float | Fraction
    timestep: Timestep | None
    seed: int
    headless: bool | None
    drawing: bool
    vsync: bool
    max_fps: float | None
    pacing: bool
    resizable: bool
    fullscreen: bool
    borderless: bool
    screen: int | None
    min_size: tuple[int, int] | None
    icon: Any
    physical_keys: bool
    samples: int
    resolution: tuple[int, int] | None
    scaling: str
    pixel_art: bool
    background: str | Sequence[float]
    letterbox_color: str | Sequence[float]
    frame_rate: float | Fraction
    pixel_ratio: float
    escape_closes: bool
    frame_stats: bool
    pause_when_hidden: bool
    render_scale: float
    manage_gc: bool
    exact: bool
    players: int
    immediate_events: bool
    session: Any
    overrides: Overrides

    def __post_init__(self) -> None:
        overrides = self.overrides
        self.size = checks.size("size", self.size)
        resolution = self.resolution
        self.resolution = None if resolution is None else checks.size("resolution", resolution)
        pixel_art = flag("pixel_art", self.pixel_art)
        self.scaling = _scaling(self.scaling, pixel_art, self.resolution)
        self.colors = (
            rgb("background", self.background),
            rgb("letterbox_color", self.letterbox_color),
        )
        self.render_scale = check_render_scale("render_scale", self.render_scale)
        self.frame_time = 1 / _checked_rate(self.frame_rate)
        """The duration of a frame in a game without a window, in seconds."""
        self.loop = (
            _default_timestep(self.tick_rate, self.frame_time)
            if self.timestep is None
            else _fresh(self.timestep)
        )
        """The timestep of the game."""
        for name in _FLAGS:
            setattr(self, name, flag(name, getattr(self, name)))
        self.seed = whole("seed", overrides.get("seed", self.seed), 0)
        self.drawing = overrides.get("drawing", flag("drawing", self.drawing))
        self.size = overrides.get("size", self.size)
        self.title = None if self.title is None else checks.text("title", self.title)
        headless = None if self.headless is None else flag("headless", self.headless)
        self.headless = overrides.get("headless", headless)
        # A replay or a check of the game must not connect to other machines.
        own_session = None if "separate_run" in overrides else self.session
        self.session = checked_session(overrides.get("session", own_session))
        self.watched = bool(overrides.keys() - {"separate_run", "session"})
        """Whether other code runs the game, such as a replay or an AI agent. If `watched` is True,
        the game is never fullscreen and does not capture the mouse.
        """
        self.fullscreen = flag("fullscreen", self.fullscreen) and not self.watched
        self.max_fps = frames_per_second("max_fps", self.max_fps)
        self.screen = screen_index("screen", self.screen)
        self.min_size = smallest_size("min_size", self.min_size)
        self.samples = check_samples("samples", self.samples)
        pixel_ratio = number("pixel_ratio", self.pixel_ratio, above=0, most=_MAX_PIXELS)
        self.pixel_ratio = overrides.get("pixel_ratio", pixel_ratio)
        self.players = whole("players", overrides.get("players", self.players), 1, MAX_PLAYERS)


def _scaling(scaling: str, pixel_art: bool, resolution: tuple[int, int] | None) -> str:
    """Check the option ``scaling``, and return "letterbox", "integer" or "stretch". For "auto",
    return "integer" in a game with pixel art, and "letterbox" in other games.
    """
    checks.choice("scaling", scaling, ("auto", *SCALINGS))
    if pixel_art and resolution is None:
        raise ValueError(
            "pixel_art: expected a resolution too, such as resolution=(320, 180): its units are texels"
        )
    return scaling if scaling != "auto" else "integer" if pixel_art else "letterbox"


def _checked_rate(value: float | Fraction) -> Fraction:
    rate = positive_fraction("frame_rate", value)
    if not Fraction(1, _MAX_RATE) <= rate <= _MAX_RATE:
        raise checks.wrong_value("frame_rate", "1e-9 to 1e9 frames a second", value)
    return rate


def _default_timestep(tick_rate: float | Fraction, frame_time: Fraction) -> FixedTimestep:
    rate = positive_fraction("tick_rate", tick_rate)
    max_frame = max(Fraction(1, _MIN_FRAME_RATE), frame_time)
    if rate * max_frame > _MAX_TICKS:
        limit = f"at most {_MAX_TICKS:,} ticks in a frame (which may take {float(max_frame):g} s)"
        raise checks.wrong_value("tick_rate", limit, tick_rate)
    return FixedTimestep(
        tick_rate, max(0.25, 2 * float(frame_time)), max(8, math.ceil(rate * max_frame))
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
            f"timestep: expected a new one, got one that has run {timestep.tick} ticks; each game "
            "needs its own"
        )
    return timestep
