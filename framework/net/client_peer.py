"""The server's data about one connected client: its input, and the states that were sent to it."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from ..input.tick_input import Event, TickInput
from .connection import Connection
from .row_sender import AckedStates, RowSender
from .server_messages import InputMessage

MAX_AHEAD = 240
"""The maximum number of ticks by which a client's input may be ahead of the server's tick."""
_MAX_SENT = 4096  # the maximum number of sent parts that the client has not confirmed
_MASK_BITS = 64
_MAX_EVENTS = 512  # the maximum number of events of a client in one tick


class ClientPeer:
    """The data that a server stores for one client, such as the client's input and the states that
    were sent to it.
    """

    def __init__(self, connection: Connection, player: int, name: str, batches: int) -> None:
        self.connection = connection
        self.player = player
        self.name = name
        self.acked: list[AckedStates] = []
        self.senders: list[RowSender] = []
        """A list with the sender of each batch. Clients that see all rows share a sender."""
        self.urgency: list[NDArray[np.float64]] = [np.zeros(0)] * batches
        """The priority of each block of rows, which grows in each tick until the server sends the
        block.
        """
        self.label = 0
        """The last tick whose input has arrived from this client."""
        self.newest_label = 0
        self.shown = 0.0
        """The server tick that the client's screen is showing, as a float. It never decreases."""
        self.has_gamepad = False
        self.dropped: Counter[str] = Counter()
        """The number of dropped messages for each reason."""
        self._inputs: dict[int, tuple[Event, ...]] = {}
        self._number = 0  # the number of the last part that was sent
        self._sent: dict[int, tuple[int, int, NDArray[np.intp]]] = {}
        self._allowance = 0.0  # the number of bytes that the server may send now

    # -- input -------------------------------------------------------------------------------------

    def receive_input(self, message: InputMessage, tick: int) -> None:
        """Handle a message with the input of this client. ``tick`` is the last tick that the server
        has run.
        """
        if message.label > tick + MAX_AHEAD:
            self.dropped["far ahead"] += 1
            return
        for events in message.inputs.values():
            if any(event[0][:7] == "on_pad_" and event[1] != self.player for event in events):
                self.dropped["another player"] += 1
                return
        # Messages may arrive in another order than the client sent them.
        self.shown = max(self.shown, min(message.shown, float(tick)))
        self._confirm(message.newest, message.mask, tick)
        for label, events in message.inputs.items():
            earlier = self._inputs.get(label)
            if earlier is not None and earlier != events:
                self.dropped["changed input"] += 1
            elif earlier is None and label > self.label:
                self._inputs[label] = events
        self.label = max(self.label, message.label)
        self.newest_label = max(self.newest_label, message.label)

    def take_input(self, tick: int) -> TickInput:
        """Return the client's input for this tick, and any earlier input that has arrived late."""
        due = sorted(label for label in self._inputs if label <= tick)
        events: list[Event] = []
        for label in due:
            if events and len(events) + len(self._inputs[label]) > _MAX_EVENTS:
                break  # the other events wait for the next tick
            events += self._inputs.pop(label)
        for event in events:
            if event[0] in ("on_pad_connect", "on_pad_disconnect"):
                self.has_gamepad = event[0] == "on_pad_connect"
        return TickInput(tuple(events))

    # -- parts of states ---------------------------------------------------------------------------

    def note_part(self, batch: int, tick: int, blocks: NDArray[np.intp]) -> int:
        """Record that the server is sending a part of a state, and return the number of this part."""
        self._number = (self._number + 1) & 0xFFFF
        self._sent[self._number] = batch, tick, blocks
        if len(self._sent) > _MAX_SENT:
            del self._sent[next(iter(self._sent))]
        return self._number

    def _confirm(self, newest: int, mask: int, tick: int) -> None:
        for number in [*self._sent]:
            behind = (newest - number) & 0xFFFF
            if behind >= 0x8000:
                # The server sent this part after the newest part that the client has received.
                break
            if behind >= _MASK_BITS:
                del self._sent[number]  # lost
            elif mask >> behind & 1:
                batch, sent_tick, blocks = self._sent.pop(number)
                self.acked[batch].confirm(sent_tick, blocks, tick + 1)

    def allow(self, size: float, most: float) -> int:
        """Allow the server to send ``size`` more bytes to this client, and return how many bytes it
        may now send.
        """
        self._allowance = min(self._allowance + size, most)
        return int(self._allowance)

    def spend(self, size: int) -> None:
        """Record that the server has sent ``size`` bytes to this client."""
        self._allowance -= size
