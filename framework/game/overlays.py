"""What is painted over a game's picture: the monitor's numbers, the strip of the past, what a
developer is shown.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

from ..gpu.gl import moderngl
from ..timing.timestep import Timestep
from .stage import Stage

if TYPE_CHECKING:
    from ..watch.overlay import Overlay
    from ..watch.strip import Strip
    from .painting import Painting


class Panel(Protocol):
    """What is painted over a picture, in pixels of the framebuffer."""

    def attach(self, ctx: moderngl.Context, scale: int) -> None: ...

    def draw(self, now: int, screen: tuple[int, int]) -> None: ...

    def release(self) -> None: ...


class Overlays:
    """Those over the picture of one game."""

    not_state = True

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.overlay: Overlay | None = None
        self._strip: Strip | None = None  # while the game stands at a tick of the past
        self.over: list[Panel] = []
        """What else is drawn over everything, while a game is being developed."""
        self.covered = False
        """Whether that covers all of it: the scenes are not painted then."""
        self.shown: list[Panel] = []
        """All of them, the lowest first."""

    def _attach(self, panel: Panel) -> None:
        surface = self._stage.surface
        with surface.working():
            panel.attach(surface.ctx, max(1, round(surface.pixel_ratio)))

    def _release(self, panel: Panel) -> None:
        with self._stage.surface.working():
            panel.release()

    def _order(self) -> None:
        self.shown = [
            panel for panel in (self._strip, self.overlay, *self.over) if panel is not None
        ]

    def show_overlay(self, shown: bool, timestep: Timestep) -> None:
        """Paint the monitor's numbers over the picture, or no longer."""
        before, monitor = self.overlay, self._stage.monitor
        if shown is (before is not None):
            return
        if before is not None:
            self.overlay = None
            self._release(before)
        else:
            from ..watch.overlay import Overlay  # most runs show none

            monitor.on = monitor.gpu = True
            overlay = Overlay(monitor, timestep)
            self._attach(overlay)
            self.overlay = overlay
        self._order()

    def show_strip(self, strip: Strip | None) -> None:
        """Paint a strip of ticks over the picture, or none."""
        before, self._strip = self._strip, strip
        if before is not None:
            self._release(before)
        if strip is not None:
            self._attach(strip)
        self._order()

    def put_over(self, panel: Panel) -> None:
        """Paint a panel over all else, until it is taken off."""
        self._attach(panel)
        self.over.append(panel)
        self._order()

    def take_off(self, panel: Panel) -> None:
        """Paint a panel no longer, and release it."""
        if panel in self.over:
            self.over.remove(panel)
            self._order()
            self._release(panel)

    def draw(self, target: moderngl.Framebuffer) -> None:
        """Paint them over the whole of ``target``, whatever part of it the picture has."""
        size = self._stage.surface.framebuffer_size
        scissor = target.scissor
        target.scissor = None  # type: ignore[assignment]  # the whole picture
        for panel in self.shown:
            target.viewport = (0, 0, *size)
            target.use()
            panel.draw(time.perf_counter_ns(), size)
        target.viewport = self._stage.view.viewport
        if scissor != (0, 0, *size):
            target.scissor = scissor

    def release(self) -> None:
        """The game has ended."""
        panels, self.shown, self.over = self.shown, [], []
        self.overlay = self._strip = None
        with ExitStack() as ending:  # one that fails does not keep the others from being released
            for panel in panels:
                ending.callback(panel.release)


class PanelsPass:
    """Paints the panels over the finished picture."""

    def __init__(self, painting: Painting, panels: Overlays) -> None:
        self._painting, self._panels = painting, panels

    def draw(self) -> None:
        self._painting.clear_depth()
        self._panels.draw(self._painting.target)
