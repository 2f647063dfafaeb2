"""Batches drawn by layers: the base of shapes and textured polygons."""

from __future__ import annotations

from typing import Any, TypeVar

from .. import checks
from ..checks import Sealed
from ..gpu.graphics import BLEND_MODES
from ..state.rows import Handle, Handled
from ..state.transforms2d import PoseTable2D
from ..state.works import Face

H = TypeVar("H", bound=Handle[Any])


class Layered(Handled[H], Face, Sealed):
    """Rows with the columns of `Transforms2D`, and ``layer``, drawn in one call."""

    __slots__ = ("_blend", "_table")

    _lasting_attributes = ("_blend",)

    def __init__(self, table: PoseTable2D, blend: str) -> None:
        self._works = None
        self._blend = checks.choice("blend", blend, BLEND_MODES)
        self._table: PoseTable2D = table
