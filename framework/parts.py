"""What models are made of, whatever file they came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .animations import Animation
from .columns import Floats, Rows
from .materials import Material
from .mesh import Mesh
from .skins import Skin

MAX_NODES = 1 << 16
"""Nodes of one model."""
MAX_DEPTH = 512
"""Generations of them."""
MAX_PARTS = 4096
"""Meshes of one material each, of one model."""
MAX_CORNERS = 1 << 23
"""Vertices of a model, and corners of its triangles."""
MAX_BYTES = 1 << 29
"""Bytes of a model's file, and of the numbers and of the pixels in it, unpacked: 512 MiB each."""


@dataclass
class Part:
    """A mesh of a model, in one material, at one or more of its nodes."""

    mesh: Mesh
    material: Material
    nodes: list[int]
    skin: Skin | None = None
    """Its joints are numbered from 1 on: 0 is the node that an instance of the whole model hangs on."""


@dataclass
class Parts:
    """A whole model: nodes as columns in which parents may come after their children, and what hangs on them."""

    names: list[str] = field(default_factory=list)
    parent: Rows = field(default_factory=lambda: np.zeros(0, np.intp))
    position: Floats = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    rotation: Floats = field(default_factory=lambda: np.zeros((0, 4), np.float32))
    scale: Floats = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    parts: list[Part] = field(default_factory=list)
    animations: list[Animation] = field(default_factory=list)


class Budget:
    """What may still be unpacked: a small file can claim to hold more than any memory."""

    def __init__(self, what: str, most: int = MAX_BYTES) -> None:
        self._what = f"{most >> 20} MiB of {what}" if most == MAX_BYTES else f"{most:,} {what}"
        self._left = most

    def spend(self, count: int) -> None:
        """Raise `ValueError` when ``count`` more are too many."""
        self._left -= count
        if self._left < 0:
            raise ValueError(f"it has more than {self._what}; simplify it, or split it up")


def quaternion_lengths(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of (…, 4): (…,)."""
    lengths: NDArray[np.float32] = np.sqrt((values.astype(np.float32) ** 2).sum(axis=-1))
    return lengths


def beside(folder: Path, name: str, where: str) -> Path:
    """A file that a model names, in the model's own folder or below it."""
    path = Path(name.replace("\\", "/"))
    if "://" in name or path.is_absolute() or "\0" in name:
        raise ValueError(f"{where}: {shown(name)} is not a path beside the model")
    full = (folder / path).resolve()
    if not full.is_relative_to(folder.resolve()):
        raise ValueError(f"{where}: {shown(name)} leads out of the model's folder")
    if not full.is_file():
        raise ValueError(f"{where}: there is no file {shown(name)} beside the model")
    if full.stat().st_size > MAX_BYTES:
        raise ValueError(f"{where}: {shown(name)} has more than {MAX_BYTES >> 20} MiB")
    return full


def shown(value: object) -> str:
    """A value in an error."""
    text = repr(value)
    return text if len(text) < 80 else text[:77] + "…"
