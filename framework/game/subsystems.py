"""Call methods of your own objects in each tick, in each frame and when the game ends."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from ..checks import wrong_type
from ..timing.timestep import Tick
from ..watch.frame_stats import FrameTimes

P = TypeVar("P")


class Subsystem:
    """A base class for objects whose methods a game calls in ticks and frames. Override only the
    methods that you need. You can also add an object of any other class that has at least one
    method of a `Subsystem`.
    """

    def begin_tick(self, tick: Tick) -> None:
        """The game calls this method at the start of a tick, after the tick has received its input
        and before objects move.
        """

    def end_tick(self, tick: Tick) -> None:
        """The game calls this method at the end of a tick, after objects have moved."""

    def frame(self, frame: FrameTimes) -> None:
        """The game calls this method after a frame has been shown, or has been skipped because the
        window is hidden. ``frame`` contains the measured times of the frame.
        """

    def release(self) -> None:
        """Called when the game ends. The subsystem can free its memory and close its files here."""


_METHODS = ("begin_tick", "end_tick", "frame", "release")


def checked_subsystem(name: str, thing: P) -> P:
    """Return ``thing`` if it is an object with at least one method of a subsystem. Raise
    `TypeError` for any other object, and for a class.
    """
    if isinstance(thing, type) or not any(
        callable(getattr(thing, method, None)) for method in _METHODS
    ):
        raise wrong_type(name, f"an object with one of the methods {', '.join(_METHODS)}", thing)
    return thing


class Subsystems:
    """The subsystems of a game, in the order in which they were added. `release` releases them in
    reverse order.
    """

    not_state = True  # `EngineState` captures only the attributes that are state

    def __init__(self) -> None:
        self.begin_tick: list[Callable[[Tick], object]] = []
        self.end_tick: list[Callable[[Tick], object]] = []
        self.frame: list[Callable[[FrameTimes], object]] = []
        self.ending = ExitStack()
        """The functions that release the subsystems at the end of the game, in reverse order."""
        self._permanent: list[object] = []

    def add_permanent(self, subsystem: P) -> P:
        """Add a subsystem that is not part of the game's state. `Game.restore` does not remove a
        permanent subsystem.
        """
        self._permanent.append(subsystem)
        return self.add(subsystem)

    def after_restore(self) -> None:
        """Called after a snapshot has been restored. Connect the permanent subsystems to the game
        again, because the snapshot may not contain them.
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
        """Connect a subsystem to the ticks and frames of the game, and return it."""
        self._hook(subsystem)
        release: Callable[[], object] | None = getattr(subsystem, "release", None)
        if release is not None:
            self.ending.callback(release)
        return subsystem

    def remove(self, subsystem: object) -> None:
        """Disconnect a subsystem from the ticks and frames of the game. At the end of the game, the
        method `release` of the subsystem is still called.
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
