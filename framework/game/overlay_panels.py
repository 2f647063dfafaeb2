"""Draw panels over a game, such as the frame statistics and the rewind timeline."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

from ..gpu.gl import moderngl
from ..timing.timestep import Timestep
from .session import session_numbers
from .stage import Stage

if TYPE_CHECKING:
    from ..watch.overlay import Overlay
    from ..watch.status_panel import StatusPanel
    from ..watch.tick_timeline import TickTimeline
    from .painter_interface import Painting


class Panel(Protocol):
    """The interface of a panel that is painted above the game. All positions are in framebuffer
    pixels.
    """

    def attach(self, ctx: moderngl.Context, scale: int) -> None: ...

    def draw(self, now: int, screen: tuple[int, int]) -> None: ...

    def release(self) -> None: ...


class Panels:
    """The panels that one game shows, such as the frame statistics and the inspector."""

    not_state = True

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.overlay: Overlay | None = None
        # The timeline that is shown while the game is paused at an earlier tick.
        self._strip: TickTimeline | None = None
        self._status: StatusPanel | None = None  # the panel with the status of the network session
        self.over: list[Panel] = []
        """The panels above the timeline and the frame statistics, such as the inspector and error
        messages.
        """
        self.covered = False
        """Whether a panel covers the whole game, for example an error message. If `covered` is
        True, scenes are not painted.
        """
        self.shown: list[Panel] = []
        """All visible panels, from the lowest to the topmost."""

    def _attach(self, panel: Panel) -> None:
        surface = self._stage.surface
        with surface.working():
            panel.attach(surface.ctx, max(1, round(surface.pixel_ratio)))

    def _release(self, panel: Panel) -> None:
        with self._stage.surface.working():
            panel.release()

    def _order(self) -> None:
        self.shown = [
            panel
            for panel in (self._status, self._strip, self.overlay, *self.over)
            if panel is not None
        ]

    def show_overlay(self, shown: bool, timestep: Timestep) -> None:
        """Show or hide the panel with the frame statistics."""
        before = self.overlay
        stats = self._stage.frame_stats
        if shown is (before is not None):
            return
        if before is not None:
            self.overlay = None
            self._release(before)
        else:
            from ..watch.overlay import Overlay  # imported here because most runs show no overlay

            stats.on = stats.gpu = True
            game = self._stage.game
            overlay = Overlay(stats, timestep, lambda: session_numbers(game.session))
            self._attach(overlay)
            self.overlay = overlay
        self._order()

    def show_strip(self, strip: TickTimeline | None) -> None:
        """Show the rewind timeline ``strip``. If ``strip`` is None, hide the timeline."""
        before = self._strip
        self._strip = strip
        if before is not None:
            self._release(before)
        if strip is not None:
            self._attach(strip)
        self._order()

    def show_status(self, text: str) -> None:
        """Show a sentence in the middle of the window. If ``text`` is empty, hide the sentence."""
        before = self._status
        if text == ("" if before is None else before.text):
            return
        if before is not None:
            self._status = None
            self._release(before)
        if text:
            # Imported here because only games with a session show it.
            from ..watch.status_panel import StatusPanel

            panel = StatusPanel(text)
            self._attach(panel)
            self._status = panel
        self._order()

    def put_over(self, panel: Panel) -> None:
        """Show a panel above all other panels, until `remove` is called."""
        self._attach(panel)
        self.over.append(panel)
        self._order()

    def remove(self, panel: Panel) -> None:
        """Hide a panel that was shown with `put_over`, and free its GPU memory. If the panel is
        already hidden, this method does nothing.
        """
        if panel in self.over:
            self.over.remove(panel)
            self._order()
            self._release(panel)

    def draw(self, target: moderngl.Framebuffer) -> None:
        """Paint the panels to the framebuffer ``target``. A panel may also cover the letterbox bars
        at the edges of the window.
        """
        size = self._stage.surface.framebuffer_size
        scissor = target.scissor
        target.scissor = None  # type: ignore[assignment] # the whole framebuffer
        for panel in self.shown:
            target.viewport = (0, 0, *size)
            target.use()
            panel.draw(time.perf_counter_ns(), size)
        target.viewport = self._stage.view.viewport
        if scissor != (0, 0, *size):
            target.scissor = scissor

    def release(self) -> None:
        """Called when the game ends. Free the GPU memory of all panels."""
        panels = self.shown
        self.shown = []
        self.over = []
        self.overlay = self._strip = self._status = None
        with ExitStack() as ending:  # an error in one `release` must not prevent the others
            for panel in panels:
                ending.callback(panel.release)


class PanelsPass:
    """The pass (drawing step) that paints all panels above the finished image of a frame."""

    def __init__(self, painting: Painting, panels: Panels) -> None:
        self._painting = painting
        self._panels = panels

    def draw(self) -> None:
        self._painting.clear_depth()
        self._panels.draw(self._painting.target)
