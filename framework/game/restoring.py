"""Take and restore snapshots of a game, and compute hashes of its state."""

from __future__ import annotations

import functools
from _thread import get_ident
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from ..checks import instance
from ..current_game import draw_again, working
from ..errors import FrameworkError

if TYPE_CHECKING:  # only for type checkers: games without snapshots do not import it
    from ..current_game import CurrentGame
    from ..record.hashes import Listing
    from ..record.snapshots import Snapshot
    from ..timing.timestep import Tick
    from .driven_game import PlayedEngine
    from .engine_state import EngineState
    from .loop import Loop
    from .stage import Stage
    from .subsystems import Subsystems


class Hashed(Protocol):
    """The methods of a game that this module calls."""

    @property
    def _engine(self) -> PlayedEngine: ...
    def run_ticks(self, ticks: int = 1) -> None: ...
    def state_hash(self) -> int: ...


class GameState:
    """Takes and restores snapshots of a game, computes hashes of its state, and lists the values of
    its state.
    """

    not_state = True

    def __init__(
        self, stage: Stage, engine_state: EngineState, loop: Loop, subsystems: Subsystems
    ) -> None:
        self._stage = stage
        self._alone = (stage,)  # the list of running games if no other game runs this one
        self._engine_state = engine_state
        self._loop = loop
        self._subsystems = subsystems

    def snapshot(self) -> Snapshot:
        """Return a snapshot of the game. For details, see `Game.snapshot`."""
        stage = self._stage
        outer = self._begin_work()
        try:
            if stage.busy or stage.handling_input or stage.switching or stage.switches:
                stage.check_between_ticks("snapshot")
            if stage.untouched:
                stage.use_touched()
            # The random number generator must be in the snapshot. Otherwise, objects that later
            # refer to the generator could not be restored.
            game = stage.game
            roots = {"game": game, "game.backstage": self._engine_state}
            stack = stage.stack
            scenes = [entry.scene for entry in stack] if len(stack) > 1 else (game,)
            snapshot: Snapshot = _snapshots().Snapshot(
                game, roots, self._loop.tick, scenes, self._roots
            )
            return snapshot
        finally:
            self._end_work(outer)

    def restore(self, snapshot: Snapshot) -> None:
        """Restore the state in a snapshot. For details, see `Game.restore`."""
        stage = self._stage
        if stage.surface.game_closed:
            stage.live  # noqa: B018 (raises the error)
        snapshots = _snapshots()
        if snapshot.__class__ is not snapshots.Snapshot:
            instance("snapshot", snapshot, snapshots.Snapshot, hint="take one with game.snapshot()")
        if not snapshots.is_of(snapshot, stage.game):
            raise FrameworkError(
                "restore: expected a snapshot of this game, got one of another game"
            )
        outer = self._begin_work()
        try:
            if stage.busy or stage.handling_input or stage.switching or stage.switches:
                stage.check_between_ticks("restore")
            if not stage.resimulation.at_earlier_tick:
                for callback in stage.resimulation.restored:
                    callback()
            _restore(stage, snapshot, False)
        finally:
            self._end_work(outer)

    def _begin_work(self) -> tuple[CurrentGame, ...]:
        """Make the game the current game, and make its OpenGL context current, until `_end_work` is
        called. Return the games that were current before the call, because `_end_work` needs them.

        `GameSurface.begin_work` does the same with more function calls. In a small game, these
        additional calls took a tenth of the time of a snapshot.
        """
        stage = self._stage
        surface = stage.surface
        if surface.game_closed:
            stage.live  # noqa: B018 (raises the error)
        window = surface.window
        if (
            surface.gl is None
            or window is None
            or surface.forked
            or get_ident() != surface.thread
            or surface.gl.current_context is not window.context
        ):
            surface.make_current()
        outer = working.get()
        working.set(outer + self._alone if outer else self._alone)
        return outer

    def _end_work(self, outer: tuple[CurrentGame, ...]) -> None:
        working.set(outer)
        gl = self._stage.surface.gl
        if outer or gl is None or gl.current_context is None:
            draw_again()  # otherwise `draw_again` would keep the current context

    def hash(self) -> int:
        """Return the hash of the game's state. For details, see `Game.state_hash`."""
        result: int = _hashes().state_hash(self._roots(), self._not_state())
        return result

    def listing(self) -> Listing:
        """Return all values that are part of the state hash, as a dict. The keys of the dict are
        paths such as "game.score".
        """
        result: Listing = _hashes().listing(self._roots(), self._not_state())
        return result

    def _not_state(self) -> list[object]:
        """Return the batches and labels that are not part of the state. Scene classes list the
        names of attributes with such batches or labels in ``not_state``. An attribute may contain
        one batch or label, or a list of them.
        """
        excluded: list[object] = []
        for entry in self._stage.stack:
            names = declared(entry.scene.__class__)
            if names:
                # Imported here so that games that mark no labels do not load it.
                from ..text.text import Label

                drawn = {id(drawable) for drawable, _ in entry.drawables.drawn}
                for value in [getattr(entry.scene, name, None) for name in names]:
                    candidates = value if isinstance(value, list | tuple) else [value]
                    excluded += [
                        candidate
                        for candidate in candidates
                        if id(candidate) in drawn or isinstance(candidate, Label)
                    ]
        return excluded

    def _roots(self) -> Mapping[str, Any]:
        stage = self._stage
        if stage.surface.game_closed:
            stage.live  # noqa: B018 (raises the error)
        if stage.untouched and stage.between_ticks:
            stage.use_touched()
        roots: dict[str, Any] = {
            "game": stage.game,
            "game.tick": self._loop.tick,
            "game.random": stage.random,
        }
        if len(stage.stack) > 1:
            for index, entry in enumerate(stage.stack[1:], 1):
                roots[f"game.scenes[{index}]"] = entry.scene
        for index, owner in enumerate(_owners_of_hooks(self._subsystems)):
            roots[f"game.subsystems[{index}]"] = owner
        return roots


# These functions cache the modules. Even for a loaded module, an import statement takes some
# microseconds, which is a tenth of the time for a small game's snapshot.


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
    """Return the names that the game's own classes list in ``not_state``. Names from the
    framework's classes are not included.
    """
    game_classes = [
        kind for kind in scene_class.__mro__ if not kind.__module__.startswith("framework.")
    ]
    declarations = [vars(kind).get("not_state") for kind in game_classes]
    return tuple(
        dict.fromkeys(
            name for names in declarations if names and names is not True for name in names
        )
    )


def _owners_of_hooks(subsystems: Subsystems) -> list[object]:
    """Return the objects whose methods run at the start or the end of each tick, if their
    attributes are part of the game's state.
    """
    hooks = [*subsystems.begin_tick, *subsystems.end_tick]
    if not hooks:
        return []
    owners = [getattr(hook, "__self__", hook) for hook in hooks]
    left_alone = _attributes().left_alone
    each_once = {id(owner): owner for owner in owners}.values()
    return [owner for owner in each_once if not left_alone(owner.__class__)]


def _restore(stage: Stage, snapshot: Snapshot, shuffle_sets: bool) -> None:
    resimulation = stage.resimulation
    resimulation.disturbed = True
    if not resimulation.at_earlier_tick:
        resimulation.reached = max(resimulation.reached, stage.game.tick)
    for _, _, backend in stage.stack:
        routines = backend.rules.routines
        if routines is not None:
            routines.drop()
    snapshots = _snapshots()
    stage.remove_all_but(snapshots.scenes_of(snapshot))
    waiting = snapshots.restore(snapshot, shuffle_sets)
    is_new = False
    for _, drawables, _ in stage.stack:
        is_new |= drawables.update_backends(stage.graphics, stage.view)
    if is_new:
        # Some drawables, such as text, change their layout when they are attached, so the snapshot
        # is restored a second time.
        waiting = snapshots.restore(snapshot, shuffle_sets)
    if waiting:
        snapshots.resume_routines(waiting)
    snapshots.notify(snapshot)


def restore_shuffled(game: Hashed, snapshot: Snapshot) -> None:
    """Restore a snapshot, but change the order of the elements in sets. `sync_test` uses this to
    find code whose results depend on the order of sets.
    """
    from .driven_game import driven  # imported here because it loads modules that draw

    stage = driven(game).stage
    with stage.live.working():
        _restore(stage, snapshot, True)


def hashes_by_phase(game: Hashed) -> list[tuple[str, int]]:
    """Run one tick, and compute several hashes of the state while it runs. Return a list of pairs.
    Each pair contains a name and a hash. The first hash is computed after the tick has handled its
    events, and the others after each system and after each phase.
    """
    from .driven_game import driven

    parts = driven(game)
    stage = parts.stage
    subsystems = parts.subsystems
    probe = _Probe(game)
    before = stage.tick_times
    stage.tick_times = probe
    subsystems.begin_tick.insert(0, probe.begin_tick)
    try:
        game.run_ticks(1)
    finally:
        stage.tick_times = before
        subsystems.remove(probe)
    return [*probe.hashes, ("update", game.state_hash())]


class _Probe:
    """Computes the hash of the state after each system and after each phase of one tick. During
    this tick, the probe replaces the object that measures the times of systems and phases.
    """

    not_state = True
    measuring = True

    def __init__(self, game: Hashed) -> None:
        self._game = game
        self.hashes = list[tuple[str, int]]()

    def begin_tick(self, tick: Tick) -> None:
        """Compute the hash at the start of the tick, after event handlers and the callbacks of
        widgets have run.
        """
        self.hashes.append(("events", self._game.state_hash()))

    def span(self, name: str, start: int, end: int) -> None:
        self.hashes.append((name.removeprefix("update."), self._game.state_hash()))

    def detail(self, name: str, start: int, end: int) -> None:
        self.hashes.append((name, self._game.state_hash()))
