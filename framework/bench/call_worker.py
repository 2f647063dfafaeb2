"""Call worker: a process that measures single calls. Its Python may have another version of the
framework, so that two versions can be compared.

`framework bench calls --beside` starts two such processes, one for each version.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import framework as fw

from .call_rows import MeasuredRows
from .worker_commands import answer_commands


def main(names: Sequence[str]) -> None:
    """Prepare the rows with these names, and answer commands."""
    rows = MeasuredRows(names)

    def prepared() -> dict[str, Any]:
        return {"version": fw.__version__, "names": rows.names, "errors": rows.errors}

    try:
        answer_commands({"prepared": prepared, "measure": rows.measure})
    finally:
        rows.close()
