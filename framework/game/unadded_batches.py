"""Unadded batches: warn about batches with rows that were never added to a scene."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sized
from typing import Any

from ..gpu.drawable import added
from ..state.backend import Frontend


def remark(scenes: Iterable[Any]) -> None:
    """Warn about each batch with rows that is an attribute of a scene, but was never added to a
    scene.

    A game calls `remark` at the end of a run, because batches may be added late. There is only one
    warning for each batch that was never added.
    """
    for scene in scenes:
        for name, batch in vars(scene).items():
            if isinstance(batch, Frontend) and isinstance(batch, Sized) and batch not in added:
                added.add(batch)
                if len(batch):
                    kind = type(batch).__name__
                    rows = f"{len(batch):,} {'row' if len(batch) == 1 else 'rows'}"
                    warnings.warn(
                        f"{type(scene).__name__}.{name}: a {kind} with {rows} was never added, so it was "
                        f"not drawn; write self.{name} = self.add(fw.{kind}(…))",
                        RuntimeWarning,
                        stacklevel=3,
                    )
