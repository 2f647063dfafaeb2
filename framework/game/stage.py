"""The stage: what a game's scenes and its window's events are given, without knowing the game."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import FrameworkError
from ..gpu.graphics import Graphics, check_thread
from ..input.keyboard import Keys
from ..input.mouse import Mouse
from ..view import View, fit
from ..watch.garbage import Collector
from ..watch.monitor import Monitor
from .contents import Contents
from .rules import Rules
from .window import Surface, key_names

# Switches of scenes that hooks ask for one after another: more would be without end.
_MOST_SWITCHES = 1000


class Entry(NamedTuple):
    """A scene that is on, with what it draws and what its ticks run."""

    scene: Any
    contents: Contents
    rules: Rules


class Stage:
    """Where scenes play: the picture, what the player did, the game's random numbers, and the scenes that are on.

    Parameters
    ----------
    game
        The game, for `Scene.game`.
    surface
        What is drawn to.
    folders
        Where the game's files are looked up.
    random
        The game's random numbers.
    monitor
        What the scenes' phases are timed by.
    resolution, scaling
        The virtual size of the picture, None for the window's own, and how it lies in the window.
    """

    not_state = (
        *("_resolution", "_scaling", "after_frame", "barred", "busy", "calls", "collector", "exiting", "graphics"),
        *("monitor", "pictures", "surface", "switches", "switching", "view"),
    )

    def __init__(
        self,
        game: Any,
        surface: Surface,
        folders: tuple[Path, ...],
        random: np.random.Generator,
        monitor: Monitor,
        resolution: tuple[int, int] | None,
        scaling: str,
    ) -> None:
        self.game = game
        self.surface = surface
        self.random = random
        self.monitor = monitor
        self.keys, self.mouse = Keys(key_names()), Mouse()
        self.devices = [self.keys, self.mouse]
        """What is latched when a tick begins, where something is pending."""
        self.collector = Collector()
        self.after_frame: Callable[[], object] | None = None
        """To be done after this frame, as a part of loading: no game time passes in it."""
        self._resolution, self._scaling = resolution, scaling
        self.barred = False
        """Whether the picture leaves some of the window free."""
        self.view = View(surface.size, (0, 0, *surface.framebuffer_size))
        self._fit()
        self.graphics = Graphics(surface.ctx, folders, max(self.view.pixels_per_unit))
        self.on: list[Entry] = []
        """The scenes that are on, the game itself first."""
        self.busy = False
        """In a tick or while painting: scenes are switched after it."""
        self.switches: list[Callable[[], None]] = []
        """Of scenes, that are still to be made."""
        self.switching = False
        """Scenes are being switched: others wait their turn."""
        self.pictures: list[Callable[[], object]] = []
        """To be written when the frame's picture is finished."""
        self.calls: deque[Callable[[], object]] = deque()
        """What other threads, or anybody, want done before the next frame."""
        self.exiting = False
        """Whether `Game.run` ends after this frame."""

    # -- the picture ---------------------------------------------------------------------------------------------

    def resized(self, width: int, height: int) -> None:
        """The window has another size, in units."""
        self.surface.resized(width, height)
        self._fit()
        for entry in self.on:
            entry.contents.look(self.view)

    def _fit(self) -> None:
        surface = self.surface
        if not surface.drawable:
            return
        if self._resolution is not None:
            self.view = fit(self._resolution, surface.framebuffer_size, self._scaling)
        else:
            self.view = View(surface.size, (0, 0, *surface.framebuffer_size))
        self.barred = self.view.viewport != (0, 0, *surface.framebuffer_size)

    def to_units(self, x: float, y: float) -> tuple[float, float]:
        """A place in the window, in the units of the picture."""
        left, bottom, _, _ = self.view.viewport
        ratio = self.surface.pixel_ratio
        kx, ky = self.view.pixels_per_unit
        return (x * ratio - left) / kx, (y * ratio - bottom) / ky

    def settle(self) -> int:
        """Do what was to be done after the frame. Returns the nanoseconds that it took."""
        start = time.perf_counter_ns()
        task, self.after_frame = self.after_frame, None
        if task is not None:
            task()
        return time.perf_counter_ns() - start

    def write_pictures(self) -> None:
        """Write those that were asked for in this frame."""
        pictures, self.pictures = self.pictures, []
        for write in pictures:
            write()

    def make_calls(self) -> None:
        """Make the calls that were asked for until now."""
        for _ in range(len(self.calls)):
            self.calls.popleft()()

    # -- the scenes ----------------------------------------------------------------------------------------------

    def dispatch(self, name: str, *args: Any) -> bool:
        """Give an event to the scene on top, then to the game; whether one of them kept it to itself."""
        top = self.on[-1].scene
        for scene in [top] if top is self.game else [top, self.game]:
            handler = getattr(scene, name, None)
            if handler is not None and handler(*args):
                return True
        return False

    def switch(self, change: Callable[[], None]) -> None:
        """Put a scene on or take one off: now, or when the tick or the picture is finished."""
        check_thread(self.surface.thread)
        self.switches.append(change)
        if not self.busy:
            with self.surface.working():
                self.make_switches()
            # The press whose event brought the scene is not one for the scene itself: it would end a pause at once.
            self.keys.forget()
            self.mouse.forget()

    def make_switches(self) -> None:
        """Make those that were put off."""
        if self.switching:  # asked for by a hook of a scene that is being switched: it comes next
            return
        self.switching = True
        try:
            for _ in range(_MOST_SWITCHES):
                if not self.switches:
                    return
                self.switches.pop(0)()
            raise FrameworkError(
                f"scenes: {_MOST_SWITCHES} were switched in a row; does each one's enter() push another?"
            )
        finally:
            self.switching = False
            self.switches.clear()

    def check_between_ticks(self, asked: str) -> None:
        """Raise `FrameworkError` within a tick or while a picture is painted, and between two scenes."""
        check_thread(self.surface.thread)
        if self.busy or self.switching or self.switches:
            raise FrameworkError(
                f"{asked}: a tick or a picture is not finished yet, and half of it is no state to go back to; "
                f"do it between frames, or have it done there: game.call_soon(lambda: game.{asked}(…))"
            )

    def take_off_all_but(self, scenes: Sequence[object]) -> None:
        """Take off the scenes that are not among these, without a word to them."""
        for entry in [entry for entry in self.on if all(entry.scene is not scene for scene in scenes)]:
            self.on.remove(entry)
            entry.scene._take_off()

    def first(self, attribute: str) -> int:
        """The index of the highest scene that pauses or hides what is below it; 0 when none does."""
        for index in range(len(self.on) - 1, 0, -1):
            if getattr(self.on[index].scene, attribute):
                return index
        return 0

    def release(self) -> None:
        """The game is over: it is referred to no longer, and need not wait for the garbage collector."""
        self.game = None
        self.on = []
        self.switches = []
        self.pictures = []
        self.calls.clear()
        self.after_frame = None
