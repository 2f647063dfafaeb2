"""Let handles such as a `Sprite` read and write their 2D poses directly in memory.

A handle reads its position and its angle many times in each tick. For one number, a memoryview of a
column takes half the time of a NumPy array. Therefore, all handles of a table share the same two
memoryviews.
"""

from __future__ import annotations

from typing import ClassVar, cast

from ..arrays import Rows
from .columns import TableColumn
from .interpolation import Extrapolation
from .transforms2d import PoseTable2D

_NO_MEMORY = cast("memoryview[float]", memoryview(b""))


class MappedPoses2D(PoseTable2D):
    """A table of 2D poses with direct access to the memory of positions and angles.

    While the memory is writable, each tick must search both columns for changes. The table
    therefore maps the memory only while handles exist. After a tick without changes, it makes the
    memory read-only. To write, a handle must then call `writable_xy` or `writable_angles`.
    """

    __slots__ = ("angles", "xy")

    not_state: ClassVar[tuple[str, ...]] = ("angles", "xy")

    xy: memoryview[float]
    """The coordinates of all rows: x of row 0, y of row 0, x of row 1 and so on."""
    angles: memoryview[float]
    """The angles of all rows in radians."""

    def __init__(self, motion: str | Extrapolation = "interpolate") -> None:
        self.xy = self.angles = _NO_MEMORY
        super().__init__(motion)

    def map_memory(self) -> None:
        if self.handles:
            self.writable_xy()
            self.writable_angles()
        else:
            self.release_memory()

    def writable_xy(self) -> memoryview[float]:
        """Make the memory of positions writable, and return it."""
        self.xy = self.column("position").memory()
        return self.xy

    def writable_angles(self) -> memoryview[float]:
        """Make the memory of angles writable, and return it."""
        self.angles = self.column("angle").memory()
        return self.angles

    def column_rests(self, column: TableColumn) -> None:
        if not self.handles:
            return
        if column.name == "position":
            if not self.xy.readonly:
                self.xy = column.watch_memory(self.xy)
        elif column.name == "angle" and not self.angles.readonly:
            self.angles = column.watch_memory(self.angles)

    def keep(self, rows: Rows) -> None:
        super().keep(rows)
        self.release_unused_memory()

    def release_unused_memory(self) -> None:
        """Release the memory if no handle exists."""
        if not self.handles:
            self.release_memory()

    def release_memory(self) -> None:
        if self.xy is not _NO_MEMORY:
            self.xy = self.angles = _NO_MEMORY
            # The memory must have no other references. Otherwise the reference count would not show
            # whether the game still has an array of the column.
            self.column("position").forget_memory()
            self.column("angle").forget_memory()
