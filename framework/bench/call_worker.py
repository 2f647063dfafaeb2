"""Call worker: a process that measures function calls. The process may import another version of
the framework, so that two versions can be compared.

`framework bench calls --beside` starts two call workers, one for each version.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import framework as fw

from .call_rows import MeasuredRows
from .worker_commands import answer_commands


def main(names: Sequence[str]) -> None:
    """Prepare the rows whose names are in the arguments. After the preparation, execute commands
    from the parent process.
    """
    rows = MeasuredRows(names)

    def prepared() -> dict[str, Any]:
        return {"version": fw.__version__, "names": rows.names, "errors": rows.errors}

    try:
        answer_commands({"prepared": prepared, "measure": rows.measure})
    finally:
        rows.close()
