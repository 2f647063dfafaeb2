"""Subsystems: objects that run with a game's ticks and frames, and are released with the game."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from ..checks import wrong_type
from ..timing.timestep import Tick
from ..watch.frame_stats import Frame

P = TypeVar("P")


class Subsystem:
    """A base class for objects that run with the game's ticks and frames. All methods are optional.
    A class with one of these methods need not derive from `Subsystem`.
    """

    def begin_tick(self, tick: Tick) -> None:
        """Called when a tick begins: after its input was received, before objects move."""

    def end_tick(self, tick: Tick) -> None:
        """Called at the end of a tick, after objects have moved."""

    def frame(self, frame: Frame) -> None:
        """Called after a frame was shown, or skipped because the window is hidden. ``frame`` has
        the times of the frame.
        """

    def release(self) -> None:
        """Called when the game has ended."""


_METHODS = ("begin_tick", "end_tick", "frame", "release")


def checked_subsystem(name: str, thing: P) -> P:
    """Return ``thing`` if it is an object with at least one of a subsystem's methods. Otherwise, or
    for a class, raise `TypeError`.
    """
    if isinstance(thing, type) or not any(
        callable(getattr(thing, method, None)) for method in _METHODS
    ):
        raise wrong_type(name, f"an object with one of the methods {', '.join(_METHODS)}", thing)
    return thing


class Subsystems:
    """The subsystems of a game, in the order in which they were added. `release` releases the last
    one first.
    """

    not_state = True  # `EngineState` captures the part of it that is state

    def __init__(self) -> None:
        self.begin_tick: list[Callable[[Tick], object]] = []
        self.end_tick: list[Callable[[Tick], object]] = []
        self.frame: list[Callable[[Frame], object]] = []
        self.ending = ExitStack()
        """The functions that release the subsystems at the end of the game. The last one is called
        first.
        """
        self._kept: list[object] = []

    def keep(self, subsystem: P) -> P:
        """Add a subsystem that is not state: `Game.restore` does not remove the subsystem."""
        self._kept.append(subsystem)
        return self.add(subsystem)

    def after_restore(self) -> None:
        """Connect the subsystems that were added with `keep` again, after a snapshot was restored."""
        for subsystem in self._kept:
            self._hook(subsystem)

    def _hook(self, subsystem: object) -> None:
        for name, hooks in (
            ("begin_tick", self.begin_tick),
            ("end_tick", self.end_tick),
            ("frame", self.frame),
        ):
            hook: Any = getattr(subsystem, name, None)
            own = hook is not None and getattr(type(subsystem), name, None) is not getattr(
                Subsystem, name
            )
            if own and hook not in hooks:
                hooks.append(hook)

    def add(self, subsystem: P) -> P:
        """Connect a subsystem to the game, and return the subsystem."""
        self._hook(subsystem)
        release: Callable[[], object] | None = getattr(subsystem, "release", None)
        if release is not None:
            self.ending.callback(release)
        return subsystem

    def remove(self, subsystem: object) -> None:
        """Disconnect a subsystem. Its `release` is still called at the end of the game."""
        all_hooks: list[list[Any]] = [self.begin_tick, self.end_tick, self.frame]
        for hooks in all_hooks:
            hooks[:] = [hook for hook in hooks if getattr(hook, "__self__", None) is not subsystem]

    def release(self) -> None:
        """Release all subsystems, the last one first. An error in one release does not prevent the
        next release.
        """
        self.begin_tick = []
        self.end_tick = []
        self.frame = []
        self.ending.close()
