"""Add a hint to the errors of game code, such as the right name of a misspelled attribute.

The hints are computed only after an error, so they do not slow down normal calls.
"""

from __future__ import annotations

from ..other_engines.explained_errors import Explained as Explained
from ..other_engines.explained_errors import explain
from ..other_engines.other_options import explain_call, explain_construction
from ..state.missing_columns import explain_missing


def advise(error: Explained) -> None:
    """Add a hint to the message of an error that the code of a game has raised.

    This function is called for errors in ticks, in event handlers and in constructors of games, and
    also for errors that end the program or a test.
    """
    if isinstance(error, TypeError) and explain_call(error):
        return
    if not isinstance(error, OverflowError) and explain_construction(error):
        return
    if isinstance(error, AttributeError) and explain_missing(error):
        return
    explain(error)
