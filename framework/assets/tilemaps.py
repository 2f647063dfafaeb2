"""Tile maps from files: Tiled (.tmx, .tmj, .json) and LDtk (.ldtk), as plain data. Nothing here needs OpenGL."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from .. import resources
from ..errors import AssetError
from . import ldtk, tiled
from .parts import guarded
from .tiled_files import MapFiles
from .tiles import MapData

ENDINGS = (".tmx", ".tmj", ".json", ".ldtk")


def load(
    path: str | os.PathLike[str], folders: Sequence[resources.Folder] = (), level: str | int | None = None
) -> MapData:
    """The map in a file that is looked up in ``folders``, then in the working directory. Raises `AssetError`, which
    names the file and what is wrong in it, whatever it holds.

    ``level`` is the name or the number of a level of LDtk's; None is the first. What a map names (tilesets, templates,
    images) has to be in its own folder or below, or in the nearest folder above that has a Tiled project in it or is
    one of ``folders``.
    """
    found = resources.find(path, folders)
    if found.suffix.lower() not in ENDINGS:
        raise AssetError(f"The map {str(found)!r} is in no format that can be read: {', '.join(ENDINGS)}")
    return guarded("map", found, lambda path: _read(path, MapFiles(path, folders), level))


def _read(path: Path, files: MapFiles, level: str | int | None) -> MapData:
    if path.suffix.lower() == ".ldtk":
        return ldtk.read(path, files, level)
    if level is not None:
        raise ValueError("there are levels in .ldtk only")
    return tiled.read(path, files)
