"""The batches and events of a game that a server sends to its clients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..errors import FrameworkError
from ..state.columns import Table
from ..state.rows import Handle, table_of

MAX_BATCHES = 64
"""The maximum number of batches that a game can replicate."""
_STEPS = 1e-6, 1e6  # units
_MAX_ANGLE_BITS = 16

MaskOf = Callable[[int], Any]
"""A function that receives the index of a player, and returns one value per row."""


class Replica(NamedTuple):
    """A batch that a server sends to its clients. `Network.replicate` creates a `Replica`."""

    batch: Any
    position: float
    angle: int
    changes: tuple[str, ...]
    visible: MaskOf | None
    predict: MaskOf | None
    priority: MaskOf | None
    jump: float | None

    @property
    def table(self) -> Table:
        """The table with the rows and columns of the batch."""
        table: Table | None = table_of(self.batch)
        assert table is not None
        table.close_holes()
        return table

    def mask(self, name: str, player: int) -> NDArray[np.bool_]:
        """Return which rows of the batch are visible to a player, or predicted for a player, as an
        array of bools with the shape (rows,). ``name`` is "visible" or "predict".
        """
        function: MaskOf | None = getattr(self, name)
        count = self.table.count
        if function is None:
            return np.zeros(count, bool)
        value = np.asarray(function(player))
        if value.dtype != np.bool_ or value.shape != (count,):
            raise ValueError(
                f"{name}: expected a function that returns a mask, bool of shape ({count},), one "
                f"value for each row, got {value.dtype} of shape {value.shape}"
            )
        return value

    def priorities(self, player: int) -> NDArray[np.float64]:
        """Return the priority of each row for a player, so that the server sends important rows
        more often. Negative priorities are replaced with 0.
        """
        assert self.priority is not None
        count = self.table.count
        value = np.asarray(self.priority(player))
        if value.dtype.kind not in "iufb" or value.shape != (count,):
            raise ValueError(
                f"priority: expected a function that returns numbers of shape ({count},), one for "
                f"each row, got {value.dtype} of shape {value.shape}"
            )
        numbers: NDArray[np.float64] = np.nan_to_num(value.astype(np.float64))
        return np.maximum(numbers, 0)


def checked_replica(
    batch: object,
    position: object,
    angle: object,
    changes: object,
    visible: object,
    predict: object,
    priority: object,
    jump: object,
) -> Replica:
    """Check the arguments of `Network.replicate`, and return a `Replica` for them."""
    table = table_of(batch)
    if table is None or isinstance(batch, Handle) or not table.has("position"):
        raise checks.wrong_type("batch", "a batch with positions, such as a SpriteBatch", batch)
    if not callable(getattr(batch, "extend", None)):
        raise TypeError(
            f"batch: clients cannot add rows to a {type(batch).__name__}; replicate a column, or "
            "send an event, and let each client set its own texts from them"
        )
    if isinstance(changes, str):
        raise TypeError(
            f"changes: expected a sequence of names, got {changes!r}; write ({changes!r},)"
        )
    low, high = _STEPS
    step = checks.number("position", position, least=low)
    if step > high:
        raise checks.wrong_value("position", f"a step of at most {high:,.0f} units", position)
    bits = checks.whole("angle", angle, 1, _MAX_ANGLE_BITS)
    names = tuple(
        [
            _checked_column(f"changes[{index}]", name, table)
            for index, name in enumerate(checks.items("changes", changes))
        ]
    )
    if len({*names}) != len(names):
        raise checks.wrong_value("changes", "each column once", changes)
    return Replica(
        batch,
        step,
        bits,
        names,
        _checked_function("visible", visible),
        _checked_function("predict", predict),
        _checked_function("priority", priority),
        None if jump is None else checks.number("jump", jump, above=0),
    )


def _checked_function(name: str, function: object) -> MaskOf | None:
    if function is None:
        return None
    checked: Any = checks.function(name, function, "a function of the player, or None")
    return cast("MaskOf", checked)


def _checked_column(name: str, column: object, table: Table) -> str:
    text = checks.text(name, column)
    if not table.has(text):
        raise ValueError(f"{name}: {table.missing(text)}")
    if text in ("position", "angle", "rotation") or table.column(text).data.dtype.hasobject:
        raise checks.wrong_value(
            name,
            "a column of numbers other than position, angle and rotation, which are sent always",
            column,
        )
    return text


class Replication:
    """The batches and events of a game that a server sends to its clients."""

    not_state = True

    def __init__(self, is_server: bool = True) -> None:
        self.replicas: list[Replica] = []
        self.events: list[str] = []
        self.is_server = is_server
        """Whether this game runs the rules itself. If `is_server` is False, a server on another
        machine runs the rules.
        """
        self.started = False
        """True after a session has started. No more batches can then be added."""

    def add(self, replica: Replica) -> None:
        """Add a batch that the server sends to its clients. Raises `FrameworkError` if a session
        has started, if the batch has already been added, or if there are too many batches.
        """
        self._check_open("replicate")
        if len(self.replicas) >= MAX_BATCHES:
            raise FrameworkError(f"replicate: expected at most {MAX_BATCHES} batches")
        if any(existing.batch is replica.batch for existing in self.replicas):
            raise FrameworkError("replicate: this batch is replicated already; call it once")
        self.replicas.append(replica)

    def add_events(self, names: Sequence[object]) -> None:
        """Add the names of events that the server sends to its clients. Raises `FrameworkError` if
        a session has started.
        """
        self._check_open("replicate_events")
        for index, name in enumerate(names):
            text = checks.text(f"names[{index}]", name)
            if text not in self.events:
                self.events.append(text)

    def _check_open(self, method: str) -> None:
        if self.started:
            raise FrameworkError(
                f"{method}: the server and its clients have agreed on the batches and events "
                "already; call it in setup()"
            )
