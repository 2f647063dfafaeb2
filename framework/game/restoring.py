"""The state of a game: snapshots, hashes, and the hashes after each phase of a tick."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from ..checks import instance
from ..errors import FrameworkError

if TYPE_CHECKING:  # what never takes a snapshot need not load it
    from ..record.hashes import Listing
    from ..record.snapshots import Snapshot
    from ..timing.timestep import Tick
    from .backstage import Backstage
    from .loop import Loop
    from .playing import PlayedEngine
    from .stage import Stage
    from .subsystems import Subsystems


class Hashed(Protocol):
    """A game, as far as its hashes are compared."""

    @property
    def _engine(self) -> PlayedEngine: ...
    def run_ticks(self, ticks: int = 1) -> None: ...
    def state_hash(self) -> int: ...


class GameState:
    """The state of a game as a whole: takes snapshots, restores them, hashes and lists values."""

    not_state = True

    def __init__(
        self, stage: Stage, backstage: Backstage, loop: Loop, subsystems: Subsystems
    ) -> None:
        self._stage, self._backstage, self._loop = stage, backstage, loop
        self._subsystems = subsystems

    def snapshot(self) -> Snapshot:
        """Take a snapshot; see `Game.snapshot`."""
        stage, surface = self._stage, self._stage.live
        surface.begin_work()
        try:
            stage.check_between_ticks("snapshot")
            if stage.untouched:
                stage.use_touched()
            # Its random numbers are made now, if they were not asked for yet: what holds them later
            # is to be put back.
            game = stage.game
            roots = {"game": game, "game.backstage": self._backstage}
            scenes = [entry.scene for entry in stage.on]
            taken: Snapshot = _snapshots().Snapshot(
                game, roots, self._loop.tick, scenes, self._roots
            )
            return taken
        finally:
            surface.end_work()

    def restore(self, snapshot: Snapshot) -> None:
        """Restore a snapshot; see `Game.restore`."""
        stage, surface = self._stage, self._stage.live
        instance("snapshot", snapshot, _snapshots().Snapshot, hint="take one with game.snapshot()")
        if not _snapshots().is_of(snapshot, stage.game):
            raise FrameworkError(
                "restore: this snapshot is of another game, whose objects it would write to"
            )
        surface.begin_work()
        try:
            stage.check_between_ticks("restore")
            for tell in stage.past.restored if not stage.past.standing else ():
                tell()
            _put_back(stage, snapshot, False)
        finally:
            surface.end_work()

    def hash(self) -> int:
        """Return the hash of the state; see `Game.state_hash`."""
        found: int = _hashes().state_hash(self._roots(), self._not_state())
        return found

    def listing(self) -> Listing:
        """Return each value that `hash` goes by, by its path."""
        found: Listing = _hashes().listing(self._roots(), self._not_state())
        return found

    def _not_state(self) -> list[object]:
        """What scenes draw, but name as no state: batches and labels, by themselves or in lists."""
        found: list[object] = []
        for entry in self._stage.on:
            scene_class: Any = type(entry.scene)
            names = declared(scene_class)
            if names:
                from ..text.text import Label  # of games that name any

                drawn = {id(drawable) for drawable, _ in entry.contents.drawn}
                for value in [getattr(entry.scene, name, None) for name in names]:
                    things = value if isinstance(value, list | tuple) else [value]
                    found += [
                        thing for thing in things if id(thing) in drawn or isinstance(thing, Label)
                    ]
        return found

    def _roots(self) -> Mapping[str, Any]:
        stage = self._stage
        stage.live  # noqa: B018  (an error if it was closed)
        if stage.untouched and stage.between_ticks:
            stage.use_touched()
        roots: dict[str, Any] = {
            "game": stage.game,
            "game.tick": self._loop.tick,
            "game.random": stage.random,
        }
        for index, entry in enumerate(stage.on[1:], 1):
            roots[f"game.scenes[{index}]"] = entry.scene
        hooks = [*self._subsystems.begin_tick, *self._subsystems.end_tick]
        if hooks:
            things = {
                id(thing): thing for thing in [getattr(hook, "__self__", hook) for hook in hooks]
            }
            kept = [
                thing for thing in things.values() if not _attributes().left_alone(thing.__class__)
            ]
            roots |= {f"game.subsystems[{index}]": thing for index, thing in enumerate(kept)}
        return roots


# A statement that imports takes microseconds, even of what is loaded: a tenth of a small game's
# snapshot.


@functools.cache
def _snapshots() -> ModuleType:
    from ..record import snapshots

    return snapshots


@functools.cache
def _attributes() -> ModuleType:
    from ..record import attributes

    return attributes


@functools.cache
def _hashes() -> ModuleType:
    from ..record import hashes

    return hashes


@functools.cache
def declared(scene_class: type) -> tuple[str, ...]:
    """What a game's own classes name as no state; those of the framework are left out."""
    own = [kind for kind in scene_class.__mro__ if not kind.__module__.startswith("framework.")]
    given = [vars(kind).get("not_state") for kind in own]
    return tuple(
        dict.fromkeys(name for names in given if names and names is not True for name in names)
    )


def _put_back(stage: Stage, snapshot: Snapshot, stir: bool) -> None:
    stage.past.disturbed = True
    if not stage.past.standing:
        stage.past.reached = max(stage.past.reached, stage.game.tick)
    stage.take_off_all_but(_snapshots().scenes_of(snapshot))
    _snapshots().put_back(snapshot, stir)
    # What is attached anew may be laid out anew, as text is: then it is put back once more.
    if any([entry.contents.come_back(stage.graphics, stage.view) for entry in stage.on]):  # noqa: C419  (all of them)
        _snapshots().put_back(snapshot, stir)
    _snapshots().notify(snapshot)


def restore_stirred(game: Hashed, snapshot: Snapshot) -> None:
    """`Game.restore` with the members of sets in another order, as they are free to be."""
    from .playing import driven  # which loads what draws

    stage = driven(game).stage
    with stage.live.working():
        _put_back(stage, snapshot, True)


def hashes_by_phase(game: Hashed) -> list[tuple[str, int]]:
    """Run one tick by hand. Return the state's hash after its events and each of its phases and
    systems, in order.
    """
    from .playing import driven

    parts = driven(game)
    stage, subsystems = parts.stage, parts.subsystems
    probe = _Probe(game)
    before, stage.tick_times = stage.tick_times, probe
    subsystems.begin_tick.insert(0, probe.begin_tick)
    try:
        game.run_ticks(1)
    finally:
        stage.tick_times = before
        subsystems.remove(probe)
    return [*probe.hashes, ("update", game.state_hash())]


class _Probe:
    """Replaces a game's monitor during one tick: notes the state's hash at the end of each part."""

    not_state = True
    measuring = True

    def __init__(self, game: Hashed) -> None:
        self._game, self.hashes = game, list[tuple[str, int]]()

    def begin_tick(self, tick: Tick) -> None:
        """The tick's events were latched: their handlers and the callbacks of widgets have run."""
        self.hashes.append(("events", self._game.state_hash()))

    def span(self, name: str, start: int, end: int) -> None:
        self.hashes.append((name.removeprefix("update."), self._game.state_hash()))

    def detail(self, name: str, start: int, end: int) -> None:
        self.hashes.append((name, self._game.state_hash()))
