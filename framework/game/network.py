"""Network: the part of a game that decides what a server sends to its clients."""

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
    """The batches and events that a server sends to its clients: `Game.network`.

    In a game without a session, `Network` has no effect: nothing is sent, and `is_server` is True.
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
        """Whether the rules of this game decide. False in a game whose session is a `Client`:
        there, the server decides. True in every other game, also without a session.
        """
        return self._replication.is_server

    @property
    def local_player(self) -> int:
        """The index of the player who uses this machine. Default: 0. Sessions set another index."""
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
        """Send the rows of a batch from the server to its clients. Call `replicate` in `setup`, on
        the server and on the clients. In a game without a `Server` or `Client`, `replicate` has no
        effect. See docs/network.md.

        Parameters
        ----------
        batch
            A batch with positions, such as a `SpriteBatch` or a `MeshBatch`. Clients receive its
            rows, positions, and angles or rotations. A row has the same id on all machines.
        position
            The precision of positions in units. Positions are rounded to multiples of this number.
            The default is 1/8.
        angle
            The number of bits for an angle. The default is 8 bits, so that a full turn has 256
            steps. For a rotation, the number of bits of each component of the quaternion.
        changes
            The names of more columns to send, such as ``("hp", "image")``. The server sends a value
            of a listed column when the value changes.
        visible
            A function that receives the index of a player, and returns a mask of rows. The mask is
            True for the rows that this player's client receives. By default, a client receives all
            rows.
        predict
            A function that receives the index of a player, and returns a mask of rows. The mask is
            True for the rows that this player's input moves. The client moves rows of its own
            player at once, and the server corrects them.
        priority
            A function that receives the index of a player, and returns a number for each row. If
            the connection is too slow for all rows, the client receives rows with a high number
            more often. The default is 1 for all rows.
        jump
            A distance in units, for rows that teleport. If a row moves farther than this between
            two states, the client draws it at its new position at once. With the default None, the
            client never does this.
        """
        self._replication.add(
            checked_replica(batch, position, angle, changes, visible, predict, priority, jump)
        )

    def replicate_events(self, *names: str) -> None:
        """Send events from the server to all clients. ``names`` are the names of the events. Call
        `replicate_events` in `setup`.

        When the server calls ``game.emit(name, …)``, each client calls the functions that
        subscribed to the event. A client calls the functions when it shows the tick of the event.
        The arguments can be numbers, strings, or lists of numbers and strings. Emit a replicated
        event only if `is_server` is True.
        """
        self._replication.add_events(names)
