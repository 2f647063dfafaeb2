"""Choose which rows and events of a game a server sends to its clients: `game.network`."""

from __future__ import annotations

__all__ = ["Network"]

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from .. import checks
from ..other_engines.other_names import Hinted
from .replication import Replication, checked_replica
from .reserved_names import kept
from .stage import Stage


@kept
class Network(Hinted, checks.Sealed):
    """The batches and events that a server sends to its clients. The attribute `Game.network` is an
    object of this class.

    In a game without a session, the methods have no effect, and `is_server` is True.
    """

    __slots__ = ("_replication", "_stage")
    not_state = True
    _advice: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("emit", "send", "rpc"), "write game.emit(name, …)"),
        **dict.fromkeys(("connect", "join", "host"), "write fw.run(MyGame, session=…)"),
        **dict.fromkeys(("ping", "stats", "status"), "write game.session.stats"),
    }

    def __init__(self, replication: Replication, stage: Stage) -> None:
        self._replication = replication
        self._stage = stage

    @property
    def is_server(self) -> bool:
        """Whether this game, and not a server on another machine, decides what happens. In a game
        with a `Client` as its session, the value is False, because the server decides what happens.
        In every other game, the value is True, even without a session.
        """
        return self._replication.is_server

    @property
    def local_player(self) -> int:
        """The index of the player who uses this machine. Default: 0. A session can set a different
        index.
        """
        return self._stage.local_player

    def replicate(
        self,
        batch: Any,
        *,
        position: float = 1 / 8,
        angle: int = 8,
        changes: Sequence[str] = (),
        visible: Callable[[int], Any] | None = None,
        predict: Callable[[int], Any] | None = None,
        priority: Callable[[int], Any] | None = None,
        jump: float | None = None,
    ) -> None:
        """Send the rows of a batch from the server to its clients. Call `replicate` in `setup`,
        both on the server and on the clients. Without a `Server` or `Client` session, `replicate`
        has no effect. See docs/network.md.

        Parameters
        ----------
        batch
            A batch with positions, such as a `SpriteBatch` or a `MeshBatch`. Clients receive the
            rows of the batch with their positions, and with their angles or rotations. A row has
            the same id on all machines.
        position
            The precision of the positions that the server sends, in units. Positions are rounded to
            multiples of this value. The default precision is 1/8.
        angle
            The number of bits that the server sends for each angle. With the default of 8 bits, a
            full turn has 256 steps. For a 3D rotation, ``angle`` is the number of bits for each
            component of the quaternion.
        changes
            The names of other columns that the server sends, such as ``("hp", "image")``. A value
            in these columns is sent only when it changes.
        visible
            A function that receives the index of a player, and returns an array with one bool per
            row. The bool is True for each row that the client of this player receives. By default,
            a client receives all rows.
        predict
            A function that receives the index of a player, and returns an array with one bool per
            row. The bool is True for each row that the input of this player moves. The client of
            this player moves such a row immediately, and the server corrects its position later.
        priority
            A function that receives the index of a player, and returns one number per row: the
            priority of the row. If the connection is too slow for all rows, the server sends rows
            with a high priority more often. By default, all rows have the priority 1.
        jump
            A distance in units, for rows that can teleport. If a row moves farther than ``jump``
            between two states, the client draws the row directly at its new position. With the
            default None, the client always draws a smooth motion.
        """
        self._replication.add(
            checked_replica(batch, position, angle, changes, visible, predict, priority, jump)
        )

    def replicate_events(self, *names: str) -> None:
        """Send events from the server to all clients. ``names`` are the names of the events to
        send. Call `replicate_events` in `setup`, on the server and on the clients.

        If the server calls ``game.emit(name, …)``, each client calls the functions that have
        subscribed to the event. The functions are called in the frame that shows the tick of the
        event. The arguments of the event can be numbers, strings, or lists of numbers and strings.
        Emit these events only on the server: first check that `is_server` is True.

        If the number of arguments is wrong, or an argument does not match the annotation of its
        parameter, such as ``points: int``, a client drops the event. The session counts it in
        ``dropped["malformed"]``.
        """
        self._replication.add_events(names)
