"""Unadded batches: warn about batches with rows that were never added to a scene."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sized
from typing import Any

from ..gpu.drawable import added
from ..other_engines.other_names import silenced_by
from ..state.backend import Frontend
from ..state.rows import Handle, table_of
from .misspelled_names import own_names


def remark(scenes: Iterable[Any]) -> None:
    """Warn about batches with rows that were never added to a scene. The function finds batches in
    the attributes of scenes, and batches whose rows are in these attributes.

    A game calls `remark` at the end of a run and when the game is closed, because a game can add a
    batch at any time. There is only one warning for each batch that was never added. The names in
    ``own_names`` of a scene get no warning. `remark` also warns about a physics world with bodies
    that no scene and no code of the game has ever advanced.
    """
    for scene in scenes:
        silenced = own_names(type(scene))
        for name, value in vars(scene).items():
            if name in silenced:
                continue
            if getattr(type(value), "_is_physics_world", False):
                _remark_physics(scene, name, value)
                continue
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
                    f"not drawn; {advice}. {silenced_by(name)}",
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
        # Besides the variable here and the argument of getrefcount, only handles of the batch that
        # the game has not stored refer to the batch.
        if _is_unadded(batch) and sys.getrefcount(batch) <= 2 + _unused_handles(batch):
            kind = type(batch).__name__
            warnings.warn_explicit(
                f"{type(scene).__name__}.setup: {_described(batch)} was never added, so it is not "
                f"drawn; write self.add(fw.{kind}(…))",
                RuntimeWarning,
                file,
                line,
            )


def _remark_physics(scene: object, name: str, world: Any) -> None:
    if not world._take_forgotten():
        return
    kind = type(world).__name__
    warnings.warn(
        f"{type(scene).__name__}.{name}: a {kind} with bodies has no scene, so its bodies did not "
        f"move; write fw.{kind}(self, …). {silenced_by(name)}",
        RuntimeWarning,
        stacklevel=4,
    )


def _unused_handles(batch: Any) -> int:
    """Return the number of the batch's handles, such as sprites, to which only the batch refers."""
    table = table_of(batch)
    handles = getattr(batch, "_labels", ()) if table is None else table.handles.values()
    # the references of the batch, of the loop variable, and of the argument of getrefcount
    return sum(sys.getrefcount(handle) <= 3 for handle in handles)


def _is_unadded(batch: Any) -> bool:
    if not isinstance(batch, Frontend) or batch in added:
        return False
    return len(batch) > 0 if isinstance(batch, Sized) else batch._has_no_rows


def _described(batch: Any) -> str:
    if not isinstance(batch, Sized):
        return f"a {type(batch).__name__}"
    rows = f"{len(batch):,} {'row' if len(batch) == 1 else 'rows'}"
    return f"a {type(batch).__name__} with {rows}"
