"""Typing protocols with the attributes of games and scenes that other modules use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..audio.audio import Audio
    from ..input.tick_input import Event
    from ..record.hashes import Listing
    from ..record.snapshots import Snapshot
    from ..timing.timestep import Timestep
    from .scene_drawables import Camera


class HasOverlay(Protocol):
    """The attributes of `Game.debug` that other modules of this folder use. See `Diagnostics`."""

    overlay: bool

    def state_values(self) -> Listing: ...


class HasTimeline(Protocol):
    """The method of `Rewind` that other modules of this folder call."""

    def show(self) -> None: ...


class HasRewind(Protocol):
    """The attribute of `Game.recording` that other modules of this folder use. See
    `RecordingControl`.
    """

    @property
    def rewind(self) -> HasTimeline | None: ...


class RunningGame(Protocol):
    """The attributes of a `Game` that other modules of this folder use. Modules that cannot import
    `Game`, because `Game` imports them, use this protocol.
    """

    @property
    def tick(self) -> int: ...
    @property
    def timestep(self) -> Timestep: ...
    @property
    def audio(self) -> Audio: ...
    @property
    def debug(self) -> HasOverlay: ...
    @property
    def recording(self) -> HasRewind: ...
    @property
    def session(self) -> Any: ...
    @property
    def saved_classes(self) -> tuple[type, ...]: ...
    @property
    def saved_routines(self) -> tuple[Callable[..., Any], ...]: ...
    @property
    def saved_version(self) -> int: ...
    @property
    def migrations(
        self,
    ) -> Mapping[int, Callable[[dict[str, Any]], dict[str, Any] | None]]: ...
    @property
    def saves_folder(self) -> str | None: ...

    def snapshot(self) -> Snapshot: ...
    def restore(self, snapshot: Snapshot) -> None: ...
    def state_hash(self) -> int: ...
    def run_ticks(self, ticks: int = 1) -> None: ...
    def call_soon(self, function: Callable[[], object]) -> None: ...


class RunningScene(Protocol):
    """The attributes of a `Scene` that other modules of this folder use."""

    pauses_below: bool
    opaque: bool

    @property
    def _finished_work(self) -> Callable[[], list[Event]] | None: ...

    def update(self, dt: float) -> None: ...
    def draw(self, alpha: float) -> None: ...
    def default_listener(self, dimensions: int) -> Camera | None: ...
