"""The subsystems of a game: what goes along with its ticks and frames, and is released with it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from ..checks import wrong_type
from ..timing.timestep import Tick
from ..watch.monitor import Frame

P = TypeVar("P")


class Subsystem:
    """What a subsystem need not say. Derive from it, or have any of these methods."""

    def begin_tick(self, tick: Tick) -> None:
        """A tick begins: input was latched, nothing has moved."""

    def end_tick(self, tick: Tick) -> None:
        """A tick is over: everything has moved."""

    def frame(self, frame: Frame) -> None:
        """A frame was shown, or passed by unseen. ``frame`` says what it took."""

    def release(self) -> None:
        """The game has ended."""


_METHODS = ("begin_tick", "end_tick", "frame", "release")


def checked_subsystem(name: str, thing: P) -> P:
    """What has one of a subsystem's methods. Raises `TypeError` for anything else, and for a
    class.
    """
    if isinstance(thing, type) or not any(
        callable(getattr(thing, method, None)) for method in _METHODS
    ):
        raise wrong_type(name, f"an object with one of the methods {', '.join(_METHODS)}", thing)
    return thing


class Subsystems:
    """All subsystems of a game, in the order in which they were added. They are released the other
    way round.
    """

    not_state = True  # what of it is state, `Backstage` sees to

    def __init__(self) -> None:
        self.begin_tick: list[Callable[[Tick], object]] = []
        self.end_tick: list[Callable[[Tick], object]] = []
        self.frame: list[Callable[[Frame], object]] = []
        self.ending = ExitStack()
        """What happens in the end, the last first."""
        self._kept: list[object] = []

    def keep(self, subsystem: P) -> P:
        """`add` what is no state: it goes along too when the game goes back to a tick before it was
        added.
        """
        self._kept.append(subsystem)
        return self.add(subsystem)

    def after_restore(self) -> None:
        """The game went back: what is to be kept goes along."""
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
        """From now on it goes along. Returns it."""
        self._hook(subsystem)
        release: Callable[[], object] | None = getattr(subsystem, "release", None)
        if release is not None:
            self.ending.callback(release)
        return subsystem

    def remove(self, subsystem: object) -> None:
        """It goes along no longer; it is released in the end all the same."""
        every: list[list[Any]] = [self.begin_tick, self.end_tick, self.frame]
        for hooks in every:
            hooks[:] = [hook for hook in hooks if getattr(hook, "__self__", None) is not subsystem]

    def release(self) -> None:
        """Release them all, the last one first. One that fails does not keep the others from being
        released.
        """
        self.begin_tick, self.end_tick, self.frame = [], [], []
        self.ending.close()
