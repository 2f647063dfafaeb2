"""Subsystems: objects that run with a game's ticks and frames, and are released with the game."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from ..checks import wrong_type
from ..timing.timestep import Tick
from ..watch.frame_stats import FrameTimes

P = TypeVar("P")


class Subsystem:
    """A base class for objects that run with the ticks and frames of a game. All methods of a
    subsystem are optional. Objects of other classes are accepted too, if they have at least one of
    these methods.
    """

    def begin_tick(self, tick: Tick) -> None:
        """Called when a tick begins: after the tick has received its input, and before objects
        move.
        """

    def end_tick(self, tick: Tick) -> None:
        """Called at the end of a tick, after objects have moved."""

    def frame(self, frame: FrameTimes) -> None:
        """Called after a frame was displayed, or skipped because the window is hidden. ``frame``
        contains the times of the frame.
        """

    def release(self) -> None:
        """Called when the game has ended, to release memory and files."""


_METHODS = ("begin_tick", "end_tick", "frame", "release")


def checked_subsystem(name: str, thing: P) -> P:
    """Return ``thing`` if it is an object with at least one method of a subsystem. Raise
    `TypeError` for a class, and for any other object.
    """
    if isinstance(thing, type) or not any(
        callable(getattr(thing, method, None)) for method in _METHODS
    ):
        raise wrong_type(name, f"an object with one of the methods {', '.join(_METHODS)}", thing)
    return thing


class Subsystems:
    """The subsystems of a game, in the order of their addition. `release` releases the subsystems
    in reverse order.
    """

    not_state = True  # `EngineState` captures the part of it that is state

    def __init__(self) -> None:
        self.begin_tick: list[Callable[[Tick], object]] = []
        self.end_tick: list[Callable[[Tick], object]] = []
        self.frame: list[Callable[[FrameTimes], object]] = []
        self.ending = ExitStack()
        """The functions that release the subsystems at the end of the game, the last one first."""
        self._permanent: list[object] = []

    def add_permanent(self, subsystem: P) -> P:
        """Add a subsystem that does not belong to the game's state. `Game.restore` does not remove
        such a subsystem.
        """
        self._permanent.append(subsystem)
        return self.add(subsystem)

    def after_restore(self) -> None:
        """Called after a snapshot was restored. Connect the permanent subsystems to the game again,
        because the snapshot may not contain them.
        """
        for subsystem in self._permanent:
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
        """Connect a subsystem to the ticks and frames of the game, and return the subsystem."""
        self._hook(subsystem)
        release: Callable[[], object] | None = getattr(subsystem, "release", None)
        if release is not None:
            self.ending.callback(release)
        return subsystem

    def remove(self, subsystem: object) -> None:
        """Disconnect a subsystem from the ticks and frames of the game. The method `release` of the
        subsystem is still called at the end of the game.
        """
        all_hooks: list[list[Any]] = [self.begin_tick, self.end_tick, self.frame]
        for hooks in all_hooks:
            hooks[:] = [hook for hook in hooks if getattr(hook, "__self__", None) is not subsystem]
        self._permanent = [item for item in self._permanent if item is not subsystem]

    def release(self) -> None:
        """Release all subsystems of the game, in reverse order. If one subsystem raises an error,
        the others are still released.
        """
        self.begin_tick = []
        self.end_tick = []
        self.frame = []
        self.ending.close()
