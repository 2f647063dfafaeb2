"""Warn about batches that contain rows, such as sprites, but were never added to a scene."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sized
from typing import Any

from ..gpu.drawable import added
from ..moved_names import HasMoved
from ..other_engines.other_names import silenced_by
from ..state.backend import Frontend
from ..state.rows import table_of
from .misspelled_names import own_names


def remark(scenes: Iterable[Any]) -> None:
    """Warn about batches that have rows but were never added to a scene. The function searches the
    attributes of the scenes for batches, and for sprites and other rows of batches.

    The framework calls this function only at the end of a run and when the game is closed, because
    the game can add batches until then. The function warns about each batch at most once, and
    ignores attributes that a scene lists in ``own_names``. It also warns about a physics world that
    has bodies but was never advanced.
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
            owner = getattr(value, "_batch", None) if isinstance(value, HasMoved) else None
            if isinstance(owner, Frontend):
                batch = owner  # the game has dropped a handle or a label; check its batch
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


def remark_dropped(
    owner: str, created: list[tuple[Any, str, int]], reported: set[tuple[str, int]]
) -> None:
    """Warn about drawables that the game's code has created but not stored anywhere. Such a
    drawable cannot be added to a scene later, because no code can find it.

    ``owner`` is the name of the scene or of its ``setup``. ``created`` is a list of drawables, each
    with the file and the line that created it. The function removes all items from the list
    ``created``. ``reported`` contains the files and lines of earlier warnings, which the function
    does not repeat.
    """
    while created:
        drawable, file, line = created.pop(0)
        # All references but those of this function must come from handles that the game has not
        # stored.
        if (
            _is_useless(drawable)
            and sys.getrefcount(drawable) <= _LOCAL_REFERENCES + _unused_handles(drawable)
            and (file, line) not in reported
        ):
            reported.add((file, line))
            kind = type(drawable).__name__
            warnings.warn_explicit(
                f"{owner}: {_described(drawable)} was never added, so it is not "
                f"drawn; write self.add(fw.{kind}(…)). To keep a {kind} that is never drawn, write "
                f"self.probe = fw.{kind}(…), and own_names = ('probe',) in the class",
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
    """Count the handles of a batch (such as sprites) that the game has not stored anywhere."""
    handles: Iterable[object] = getattr(batch, "_labels", ())
    table = table_of(batch)
    if table is not None and table.handles:
        handles = table.handles.values()
    # The batch has one reference to the handle, and the loop has `_LOCAL_REFERENCES`.
    return sum(sys.getrefcount(handle) <= 1 + _LOCAL_REFERENCES for handle in handles)


def _local_references() -> int:
    """Return the number of references that ``getrefcount`` counts if only a local variable refers
    to an object: the variable, and before Python 3.14 also the argument.
    """
    probe = object()
    return sys.getrefcount(probe)


_LOCAL_REFERENCES = _local_references()


def _is_useless(drawable: Any) -> bool:
    """Return whether a drawable would draw something, but was never added and cannot be found by
    any code.
    """
    if not isinstance(drawable, Frontend) or drawable in added:
        return False
    if drawable._is_only_drawn or drawable._has_no_rows:
        return True
    simulation = getattr(drawable, "_simulation", None)  # of particles
    return isinstance(drawable, Sized) and (
        len(drawable) > 0 or bool(getattr(simulation, "emitters", ()))
    )


def _is_unadded(batch: Any) -> bool:
    if not isinstance(batch, Frontend) or batch in added:
        return False
    return len(batch) > 0 if isinstance(batch, Sized) else batch._has_no_rows


def _described(batch: Any) -> str:
    if not isinstance(batch, Sized):
        return f"a {type(batch).__name__}"
    rows = f"{len(batch):,} {'row' if len(batch) == 1 else 'rows'}"
    return f"a {type(batch).__name__} with {rows}"
