"""Unadded batches: warn about batches with rows that were never added to a scene."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sized
from typing import Any

from ..gpu.drawable import added
from ..state.backend import Frontend
from ..state.rows import Handle


def remark(scenes: Iterable[Any]) -> None:
    """Warn about batches with rows that were never added to a scene. The function finds batches in
    the attributes of scenes, and batches whose rows are in these attributes.

    A game calls `remark` at the end of a run, because a game can add a batch at any time. There is
    only one warning for each batch that was never added.
    """
    for scene in scenes:
        for name, value in vars(scene).items():
            batch = value
            if isinstance(value, Handle):
                batch = None if value.removed else value.batch
            if _is_unadded(batch):
                added.add(batch)
                kind = type(batch).__name__
                add = f"self.add(fw.{kind}(…))"
                advice = f"write self.{name} = {add}" if value is batch else f"call {add}"
                warnings.warn(
                    f"{type(scene).__name__}.{name}: {_described(batch)} was never added, so it was "
                    f"not drawn; {advice}",
                    RuntimeWarning,
                    stacklevel=3,
                )


def remark_dropped(scene: object, created: list[tuple[Any, str, int]]) -> None:
    """Warn about batches with rows that ``setup`` of a scene created and did not store anywhere.
    Such a batch can never be added.

    ``created`` contains the batches, each with the file and the line. `remark_dropped` removes all
    items from ``created``.
    """
    while created:
        batch, file, line = created.pop(0)
        # the variable here and the argument of getrefcount are the only references
        if _is_unadded(batch) and sys.getrefcount(batch) <= 2:
            kind = type(batch).__name__
            warnings.warn_explicit(
                f"{type(scene).__name__}.setup: {_described(batch)} was never added, so it is not "
                f"drawn; write self.add(fw.{kind}(…))",
                RuntimeWarning,
                file,
                line,
            )


def _is_unadded(batch: Any) -> bool:
    return (
        isinstance(batch, Frontend)
        and isinstance(batch, Sized)
        and batch not in added
        and len(batch) > 0
    )


def _described(batch: Any) -> str:
    rows = f"{len(batch):,} {'row' if len(batch) == 1 else 'rows'}"
    return f"a {type(batch).__name__} with {rows}"
