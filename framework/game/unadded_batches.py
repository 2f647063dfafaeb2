"""Unadded batches: warns about batches that have rows but were never added to a scene."""

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
    """Warn about batches that have rows but were never added to a scene. The attributes of the
    scenes are searched for batches, and for sprites and other rows of batches.

    A game can add a batch at any time, so `remark` is called only at the end of a run and when the
    game is closed. There is at most one warning per batch. Attributes in ``own_names`` of a scene
    are ignored. `remark` also warns about a physics world with bodies that was never advanced.
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
    """Warn about batches with rows that the ``setup`` of a scene has made but not stored anywhere.
    A batch that is not stored can never be added.

    ``created`` is a list of tuples: the batch, the file and the line where it was made.
    `remark_dropped` empties this list.
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
    """Count the handles of a batch, such as sprites, that the game does not store anywhere."""
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
