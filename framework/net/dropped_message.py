"""The exception that is raised when a session rejects another machine's message."""

from __future__ import annotations


class DroppedMessage(Exception):
    """Raised while a message of another machine is handled, if the message must be dropped.
    ``reason`` is a key of the session's counter of dropped messages, such as `Rollback.dropped`.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
