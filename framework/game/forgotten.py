"""Batches that a game filled and never added: nothing of them was drawn, and nothing said so."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sized
from typing import Any

from ..gpu.drawable import added
from ..state.works import Face


def remark(scenes: Iterable[Any]) -> None:
    """A run has ended: warn of each batch with rows that one of these scenes has as an attribute,
    but never added.

    Not earlier, for a batch may be made long before it is added; and once for each.
    """
    for scene in scenes:
        for name, thing in vars(scene).items():
            if isinstance(thing, Face) and isinstance(thing, Sized) and thing not in added:
                added.add(thing)
                if len(thing):
                    kind, rows = (
                        type(thing).__name__,
                        f"{len(thing):,} {'row' if len(thing) == 1 else 'rows'}",
                    )
                    warnings.warn(
                        f"{type(scene).__name__}.{name}: a {kind} with {rows} that was "
                        "never added, so none of it was "
                        f"drawn; write self.{name} = self.add(fw.{kind}(…))",
                        RuntimeWarning,
                        stacklevel=3,
                    )
