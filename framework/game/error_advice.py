"""Error advice: add advice to errors of game code, such as the framework's name for an attribute.

The advice is computed only after an error, so that the calls themselves stay fast.
"""

from __future__ import annotations

from ..other_names import explain
from ..state.own_columns import explain_missing


def advise(error: TypeError | AttributeError) -> None:
    """Add advice to the message of an error that game code raised in a tick or event."""
    explain(error)
    if isinstance(error, AttributeError):
        explain_missing(error)
