"""Snapshots of a game, its hashes, and ticks that are run whatever the clock says: for rewinding,
replays and tests.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..checks import instance, whole
from ..errors import FrameworkError

if TYPE_CHECKING:  # what never takes a snapshot need not load it
    from ..record.hashes import Listing
    from ..record.snapshots import Snapshot
    from ..timing.timestep import Tick
    from .backstage import Backstage
    from .loop import Loop
    from .stage import Stage
    from .subsystems import Subsystems


class Restorable:
    """The part of a `Game` that deals with its state as a whole."""

    _home: Stage
    _backstage: Backstage
    _loop: Loop
    _subsystems: Subsystems
    _live: Any  # a `Surface`, of a game that is open

    def snapshot(self) -> Snapshot:
        """All that can be reached from the game, as it is between two ticks, in memory; `restore`
        puts it back.

        Nothing has to be declared for it. A class may name attributes that are to be left alone:
        ``not_state = ("fps",)``, or say ``not_state = True`` for all that its objects have. Raises
        `FrameworkError` within a tick or `draw`, and for what cannot be put back, such as a
        generator, a file or a thread, which it names by its path.
        """
        stage, surface = self._home, self._live
        surface.begin_work()
        try:
            stage.check_between_ticks("snapshot")
            if stage.untouched:
                stage.use_touched()
            # Its random numbers are made now, if they were not asked for yet: what holds them later
            # is to be put back.
            roots = {"game": self, "game.backstage": self._backstage}
            scenes = [entry.scene for entry in stage.on]
            taken: Snapshot = _snapshots().Snapshot(
                self, roots, self._loop.tick, scenes, self._state_roots
            )
            return taken
        finally:
            surface.end_work()

    def restore(self, snapshot: Snapshot) -> None:
        """Have everything as it was when the snapshot was taken, in the same objects; any number of
        times.

        References stay valid: sprites, tasks, closures, targets of cameras. Sprites that were made
        since then are removed. Scenes that were taken off since then are on again, and those that
        were put on are off, without `enter` or `leave`. The picture is that of then, at any alpha;
        an object's ``after_restore()`` is called in the end, where its class has one. Raises
        `FrameworkError` for a snapshot of another game, and within a tick or `draw`; `TypeError`
        for what is no snapshot.
        """
        surface = self._live
        instance("snapshot", snapshot, _snapshots().Snapshot, hint="take one with game.snapshot()")
        if not _snapshots().is_of(snapshot, self):
            raise FrameworkError(
                "restore: this snapshot is of another game, whose objects it would write to"
            )
        stage = self._home
        surface.begin_work()
        try:
            stage.check_between_ticks("restore")
            for tell in stage.past.restored if not stage.past.standing else ():
                tell()
            _put_back(stage, snapshot, False)
        finally:
            surface.end_work()

    def state_hash(self) -> int:
        """A hash (64 bits, xxh3) of the game's state: the same in every process and on every
        machine that has the same.

        It leaves out what depends on the window and on when frames are drawn, and what is
        ``not_state``.
        """
        found: int = _hashes().state_hash(self._state_roots(), self._not_state())
        return found

    def _listing(self) -> Listing:
        found: Listing = _hashes().listing(self._state_roots(), self._not_state())
        return found

    def run_ticks(self, ticks: int = 1) -> None:
        """Run ticks at once, whatever the clock says, and draw nothing.

        After a `restore` they are run again, as far as they had been run: `Recording.resimulating` is true,
        and effects that were delivered are not delivered again (see `emit`). Raises
        `FrameworkError` within a tick or `draw`.
        """
        ticks = whole("ticks", ticks, 0)
        with self._live.working():
            self._home.check_between_ticks("run_ticks")
            for _ in range(ticks):
                self._loop.run_tick_by_hand()

    def _not_state(self) -> list[object]:
        """What scenes draw, but name as no state: batches and labels, by themselves or in lists."""
        found: list[object] = []
        for entry in self._home.on:
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

    def _state_roots(self) -> Mapping[str, Any]:
        self._live  # noqa: B018  (an error if it was closed)
        stage = self._home
        if stage.untouched and stage.between_ticks:
            stage.use_touched()
        roots: dict[str, Any] = {
            "game": self,
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


def restore_stirred(game: Any, snapshot: Snapshot) -> None:
    """`Game.restore` with the members of sets in another order, as they are free to be."""
    with game._live.working():
        _put_back(game._home, snapshot, True)


def hashes_by_phase(game: Restorable) -> list[tuple[str, int]]:
    """Run one tick by hand. Return the state's hash after its events and each of its phases and
    systems, in order.
    """
    stage, subsystems = game._home, game._subsystems
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

    def __init__(self, game: Restorable) -> None:
        self._game, self.hashes = game, list[tuple[str, int]]()

    def begin_tick(self, tick: Tick) -> None:
        """The tick's events were latched: their handlers and the callbacks of widgets have run."""
        self.hashes.append(("events", self._game.state_hash()))

    def span(self, name: str, start: int, end: int) -> None:
        self.hashes.append((name.removeprefix("update."), self._game.state_hash()))

    def detail(self, name: str, start: int, end: int) -> None:
        self.hashes.append((name, self._game.state_hash()))
