"""Written values are drawn in ticks and in pauses: by columns, views and handles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from drawings import drawing, driven
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from pictures import solid

import framework as fw
from framework.gpu.handover import in_cells
from framework.state import columns, previous
from framework.state.backend import placement_of
from framework.state.rows import Handled, table_of

WHITE = solid(2, 2)
MOTIONS = ["interpolate", "hermite", "extrapolate", "none"]
KINDS: dict[str, Callable[[], Any]] = {
    **{
        f"sprites, {motion}": lambda motion=motion: fw.SpriteBatch(WHITE, motion=motion)
        for motion in MOTIONS
    },
    **{
        f"meshes, {motion}": lambda motion=motion: fw.MeshBatch(fw.Mesh.cube(), motion=motion)
        for motion in MOTIONS
    },
    "meshes, large world": lambda: fw.MeshBatch(fw.Mesh.cube(), large_world=True),
    "billboards": lambda: fw.Billboards(WHITE),
    "nodes in the plane": lambda: fw.Nodes2D(),
    "nodes in the plane, extrapolate": lambda: fw.Nodes2D("extrapolate"),
    "nodes in space": lambda: fw.Nodes3D(),
    "nodes in space, hermite": lambda: fw.Nodes3D("hermite"),
}
small = st.integers(-9, 9)


class Drawn:
    """A batch in a game, and the states of the batch that are drawn."""

    game: fw.Game
    batch: Any
    table: Any

    def add(self, game: fw.Game, batch: Any) -> None:
        self.game = game
        self.batch = game.add(batch)
        self.table = table_of(batch)

    def discard(self) -> None:
        (self.game.world if placement_of(self.batch).in_world else self.game).remove(self.batch)

    def notice_writes(self) -> None:
        """Notice writes as in a frame without ticks."""
        driven(self.batch).notice_writes()

    def hand_over(self) -> None:
        """Upload as in a frame."""
        driven(self.batch).hand_over()

    @property
    def _handover(self) -> Any:
        backend = driven(self.batch)
        return backend.handover if hasattr(backend, "handover") else backend.gpu.handover

    def states(self) -> Iterator[tuple[str, tuple[Any, Any]]]:
        """Yield each column's name with its previous and current values, as drawn."""
        for buffer in self._handover.blended:
            numbers = 2 * buffer.column.width if buffer.in_cells else buffer.column.width
            size = len(self.batch) * numbers
            shape = (-1, numbers) if numbers > 1 else (-1,)
            slots = [buffer.slots[which] for which in (buffer.previous, buffer.current)]
            old, new = (
                np.frombuffer(slot.read(), np.float32)[:size].reshape(shape) for slot in slots
            )
            yield buffer.column.name, (old, new)


class BillboardsDrawn(Drawn):
    """Billboards in a game. Billboards write all drawn values as one array."""

    def add(self, game: fw.Game, batch: Any) -> None:
        super().add(game, batch)
        self.rows = np.zeros((0, 30), np.float32)
        uploaded = driven(batch)._rows
        write = uploaded.write

        def record_and_write(rows: Any, *options: Any) -> Any:
            self.rows = rows
            return write(rows, *options)

        uploaded.write = record_and_write

    def states(self) -> Iterator[tuple[str, tuple[Any, Any]]]:
        rows = self.rows
        yield "position", (rows[:, :6], rows[:, 6:12])
        yield "size", (rows[:, 12:14], rows[:, 15:17])
        yield "angle", (rows[:, 14], rows[:, 17])
        yield "color", (rows[:, 18:22], rows[:, 22:26])


class NodesDrawn(Drawn):
    """Nodes: matrices are computed in each frame from both states."""

    def add(self, game: fw.Game, batch: Any) -> None:
        self.batch = batch
        self.table = table_of(batch)

    def discard(self) -> None: ...

    def notice_writes(self) -> None:
        self.table.notice_writes()

    def hand_over(self) -> None: ...

    def states(self) -> Iterator[tuple[str, tuple[Any, Any]]]:
        names = [column.name for column in self.table.interpolated]
        return zip(names, zip(*self.table.states(slice(None)), strict=True), strict=True)


class History:
    """A batch of one kind, and arrays that follow the same rules as the batch."""

    def __init__(self, game: fw.Game, kind: str, count: int) -> None:
        self.kind = kind
        self.batch = KINDS[kind]()
        self.drawn: Drawn = (
            NodesDrawn() if isinstance(self.batch, (fw.Nodes2D, fw.Nodes3D)) else Drawn()
        )
        if isinstance(self.batch, fw.Billboards):
            self.drawn = BillboardsDrawn()
        self.drawn.add(game, self.batch)
        table = self.table = self.drawn.table
        self.names = [column.name for column in table.interpolated]
        self.now = {name: table.column(name).current(0).astype(float) for name in self.names}
        self.before = dict(self.now)
        self.snapping = np.zeros(0, bool)
        self.noticed: dict[str, Any] | None = None
        self.views: list[tuple[str, Any]] = []
        self.unnoticed: set[str] = set()
        self.in_tick = False
        self.add(count, 1)
        self.frame(1)

    def remove_from_game(self) -> None:
        self.views.clear()
        self.drawn.discard()

    # -- ticks and frames --------------------------------------------------------------------------

    def settle(self) -> None:
        if self.snapping.any():
            for name in self.names:
                self.before[name] = self.before[name].copy()
                self.before[name][self.snapping] = self.now[name][self.snapping]
            self.snapping[:] = False

    def begin_tick(self) -> None:
        driven(self.batch).begin_tick(1 / 60)
        self.settle()
        self.before = {name: values.copy() for name, values in self.now.items()}
        self.noticed = None
        self.unnoticed.clear()
        self.in_tick = True

    def end_tick(self) -> None:
        driven(self.batch).end_tick()
        self.settle()
        self.in_tick = False

    def frame(self, ticks: int) -> None:
        for _ in range(ticks):
            self.begin_tick()
            self.end_tick()
        self.drawn.hand_over()
        self.settle()
        self.compare()

    def paused_frame(self) -> None:
        self.drawn.notice_writes()
        if self.noticed is not None:
            for name in self.names:
                differs = self.noticed[name] != self.now[name]
                self.snapping |= differs if differs.ndim == 1 else differs.any(axis=1)
        self.noticed = {name: values.copy() for name, values in self.now.items()}
        self.unnoticed.clear()
        self.drawn.hand_over()
        self.settle()
        self.compare()

    def compare_states(self) -> None:
        """Compare the states that are computed on the CPU."""
        if not self.in_tick and not self.unnoticed:
            self.settle()
            old, new = self.table.states(slice(None))
            for name, previous, current in zip(self.names, old, new, strict=True):
                assert np.array_equal(previous, self.before[name]), (self.kind, name)
                assert np.array_equal(current, self.now[name]), (self.kind, name)

    # -- writes ------------------------------------------------------------------------------------

    def write(self, name: str, values: Any, value: int, step: int) -> None:
        values[::step] = value
        self.now[name][::step] = value

    def write_column(self, column: int, value: int, step: int) -> None:
        name = self.names[column % len(self.names)]
        self.write(name, getattr(self.batch, name), value, step)
        self.unnoticed.discard(name)

    def add_view(self, column: int) -> None:
        name = self.names[column % len(self.names)]
        view = getattr(self.batch, name)
        self.views.append((name, view[:] if column % 2 else view))
        self.unnoticed.discard(name)

    def write_view(self, at: int, value: int, step: int, drop: bool) -> None:
        name, view = self.views[at % len(self.views)]
        self.write(name, view, value, step)
        if not self.in_tick:
            self.unnoticed.add(name)
        if drop:
            self.drop_view(at)

    def drop_view(self, at: int) -> None:
        del self.views[at % len(self.views)]

    def write_handle(self, at: int, value: int) -> None:
        if not (len(self.batch) and isinstance(self.batch, Handled)):
            return
        at %= len(self.batch)
        handle = self.batch[at]
        old = handle.position
        handle.position = (value, *old[1:])
        self.now["position"][at, 0] = value
        if not self.in_tick:
            self.unnoticed.add("position")

    # -- rows --------------------------------------------------------------------------------------

    def add(self, count: int, value: int) -> None:
        self.views.clear()
        self.batch.extend(count, position=value)
        self.snapping = np.concatenate([self.snapping, np.ones(count, bool)])
        n = len(self.snapping) - count
        for name in self.names:
            new = np.array(self.table.column(name).current(n + count)[n:], float)
            for states in filter(None, (self.now, self.before, self.noticed)):
                states[name] = np.concatenate([states[name], new])

    def remove(self, start: int, step: int) -> None:
        self.views.clear()
        self.batch.remove(slice(start, None, step))
        remaining = np.ones(len(self.snapping), bool)
        remaining[start::step] = False
        self.snapping = self.snapping[remaining]
        for states in filter(None, (self.now, self.before, self.noticed)):
            for name in self.names:
                states[name] = states[name][remaining]

    def teleport(self, start: int, step: int) -> None:
        self.batch.teleport(slice(start, len(self.batch), step))
        self.snapping[start::step] = True

    def detach(self, start: int, step: int) -> None:
        if isinstance(self.drawn, NodesDrawn):
            self.batch.attach(slice(start, len(self.batch), step), None)
            self.snapping[start::step] = True

    # -- checks after a frame ----------------------------------------------------------------------

    def compare(self) -> None:
        if not len(self.batch):
            return
        for name, states in self.drawn.states():
            if name in self.unnoticed:
                continue
            for state, drawn, expected in zip(
                ("previous", "current"), states, (self.before, self.now), strict=True
            ):
                values = expected[name]
                if drawn.shape != values.shape:  # float64 is drawn as two float32
                    values = in_cells(values)
                assert np.array_equal(drawn, values), (self.kind, name, state)


class PausedMachine(RuleBasedStateMachine):
    """Random histories: each rule changes batches of several kinds and their models. The GPU copies
    the previous state of large batches. In this test, batches of four rows are large."""

    game: fw.Game
    kinds: list[str]
    histories: tuple[History, ...] = ()

    @initialize(count=st.integers(0, 9))
    def begin(self, count: int) -> None:
        self.histories = tuple(History(self.game, kind, count) for kind in self.kinds)

    def teardown(self) -> None:
        for history in self.histories:
            history.remove_from_game()
        assert self.game.picture.ctx.error == "GL_NO_ERROR"

    def each(self, method: str, *arguments: Any) -> None:
        for history in self.histories:
            getattr(history, method)(*arguments)

    @property
    def in_tick(self) -> bool:
        return self.histories[0].in_tick

    @precondition(lambda self: not self.in_tick)
    @rule()
    def begin_tick(self) -> None:
        self.each("begin_tick")

    @precondition(lambda self: self.in_tick)
    @rule()
    def end_tick(self) -> None:
        self.each("end_tick")

    @precondition(lambda self: not self.in_tick)
    @rule(ticks=st.integers(0, 3))
    def frame(self, ticks: int) -> None:
        self.each("frame", ticks)

    @precondition(lambda self: not self.in_tick)
    @rule(frames=st.integers(1, 3))
    def paused_frames(self, frames: int) -> None:
        for _ in range(frames):
            self.each("paused_frame")

    @rule()
    def compare_states(self) -> None:
        self.each("compare_states")

    @rule(column=st.integers(0, 9), value=small, step=st.integers(1, 3))
    def write_column(self, column: int, value: int, step: int) -> None:
        self.each("write_column", column, value, step)

    @rule(column=st.integers(0, 9))
    def add_view(self, column: int) -> None:
        self.each("add_view", column)

    @precondition(lambda self: self.histories[0].views)
    @rule(at=st.integers(0, 9), value=small, step=st.integers(1, 3), drop=st.booleans())
    def write_view(self, at: int, value: int, step: int, drop: bool) -> None:
        self.each("write_view", at, value, step, drop)

    @precondition(lambda self: self.histories[0].views)
    @rule(at=st.integers(0, 9))
    def drop_view(self, at: int) -> None:
        self.each("drop_view", at)

    @rule(at=st.integers(0, 99), value=small)
    def write_handle(self, at: int, value: int) -> None:
        self.each("write_handle", at, value)

    @rule(count=st.integers(0, 5), value=small)
    def add(self, count: int, value: int) -> None:
        self.each("add", count, value)

    @rule(start=st.integers(0, 9), step=st.integers(1, 3))
    def remove(self, start: int, step: int) -> None:
        self.each("remove", start, step)

    @rule(start=st.integers(0, 9), step=st.integers(1, 3))
    def teleport(self, start: int, step: int) -> None:
        self.each("teleport", start, step)

    @rule(start=st.integers(0, 9), step=st.integers(1, 3))
    def detach(self, start: int, step: int) -> None:
        self.each("detach", start, step)


@pytest.mark.parametrize("kinds", ["sprites", "meshes", "billboards, nodes"])
def test_written_values_are_drawn_after_any_history(
    monkeypatch: pytest.MonkeyPatch, kinds: str
) -> None:
    monkeypatch.setattr(columns, "MIN_LAGGING_ROWS", 4)
    monkeypatch.setattr(previous, "_PATIENCE", 2)
    monkeypatch.setattr(previous, "_MAX_PATIENCE", 4)
    with fw.Game(headless=True, size=(16, 16)) as game:
        PausedMachine.game = game
        PausedMachine.kinds = [kind for kind in KINDS if kind.startswith(tuple(kinds.split(", ")))]
        options = settings(max_examples=settings().max_examples // 4, stateful_step_count=40)
        run_state_machine_as_test(PausedMachine, settings=options)


@pytest.fixture
def square(make: Callable[..., Any]) -> Any:
    game = make(size=(64, 64))
    game.batch = game.add(fw.SpriteBatch(solid(8, 8), 1))
    game.batch.position[:] = (10, 32)
    for _ in range(3):
        game.advance(1 / 60)
    return game


def left_edge(game: Any) -> int:
    return int(np.flatnonzero((game.pixels()[..., 0] > 128).any(axis=0))[0])


def test_a_view_written_after_drawing_sets_the_start_of_the_next_tick(
    square: Any,
) -> None:
    view = square.batch.position
    view[:] = (20, 32)
    drawing(square.batch).hand_over()
    view[:] = (40, 32)
    del view
    square.run(1)  # one tick, drawn at its beginning
    assert left_edge(square) == 36


def test_a_handle_written_just_before_a_pause_is_drawn_in_the_pause(square: Any) -> None:
    square.batch[0].position = 40, 32
    square.timestep.paused = True
    square.advance(1 / 60)
    position = drawing(square.batch).handover.blended[0]
    assert np.frombuffer(position.slots[position.current].read(), np.float32)[:2].tolist() == [
        40,
        32,
    ]


def test_a_view_written_just_before_a_pause_is_drawn_in_the_pause(square: Any) -> None:
    view = square.batch.position
    square.advance(1 / 60)
    view[:] = (40, 32)
    del view
    square.timestep.paused = True
    square.advance(1 / 60)
    # The sprite moved since the last tick, so it is drawn between two states.
    assert (
        drawing(square.batch).handover.blended[0].previous
        != drawing(square.batch).handover.blended[0].current
    )


def test_a_position_written_between_two_pauses_is_drawn(
    square: Any,
) -> None:
    square.timestep.paused = True
    for _ in range(2):
        square.advance(1 / 60)
    square.timestep.paused = False
    square.batch.position[:] = (40, 32)
    square.advance(0)
    square.timestep.paused = True
    square.advance(1 / 60)
    assert left_edge(square) == 36
