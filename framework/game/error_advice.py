"""Error advice: add advice to errors of game code, such as the framework's name for an attribute.

The advice is computed only after an error, so that the calls themselves stay fast.
"""

from __future__ import annotations

from ..other_names import Explained as Explained
from ..other_names import explain
from ..other_options import explain_call
from ..state.missing_columns import explain_missing


def advise(error: Explained) -> None:
    """Add advice to the message of an error that game code raised.

    `advise` is called for errors in ticks, in events and in the constructors of games. `advise` is
    also called for an error that ends the program, and by the pytest plugin for an error that ends
    a test.
    """
    if isinstance(error, TypeError) and explain_call(error):
        return
    if isinstance(error, AttributeError) and explain_missing(error):
        return
    explain(error)
