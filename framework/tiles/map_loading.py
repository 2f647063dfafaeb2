"""Tile map files: read Tiled (.tmx, .tmj, .json) and LDtk (.ldtk) as plain data.

This module needs no OpenGL.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from .. import resources
from ..assets import images
from ..assets.linked_files import Budget, guarded
from ..errors import AssetError
from ..models.parts import MAX_PIXELS
from . import ldtk, tiled
from .map_data import MapData, PictureLayer
from .tiled_files import MapFiles

ENDINGS = (".tmx", ".tmj", ".json", ".ldtk")


def load(
    path: str | os.PathLike[str],
    folders: Sequence[resources.Folder] = (),
    level: str | int | None = None,
) -> MapData:
    """Return the map in a file, searched in ``folders``, then in the working directory.

    ``level`` is the name or the index of a level in LDtk. None is the first. The files that a map
    names (tilesets, templates, images) must be in its own folder or below. They may also be in the
    highest folder above that contains a Tiled project or is one of ``folders``. Images may have
    2^27 pixels together. They are checked and not decoded.

    Raises `AssetError` that names the file and the problem.
    """
    file = resources.find(path, folders)
    if file.suffix.lower() not in ENDINGS:
        raise AssetError(
            f"The map {str(file)!r} is in no format that can be read: {', '.join(ENDINGS)}"
        )
    return guarded("map", file, lambda path: _read(path, MapFiles(path, folders), level))


def _read(path: Path, files: MapFiles, level: str | int | None) -> MapData:
    if path.suffix.lower() == ".ldtk":
        data = ldtk.read(path, files, level)
    elif level is not None:
        raise ValueError("there are levels in .ldtk only")
    else:
        data = tiled.read(path, files)
    _check_pictures(data)
    return data


def _check_pictures(data: MapData) -> None:
    """Check the pixels of all images. Each image is decoded once, even if it is named several
    times.
    """
    tiles = [info.picture for item in data.tilesets for info in item.tiles.values()]
    layers = [item.picture for item in data.layers if isinstance(item, PictureLayer)]
    named = [*(item.picture for item in data.tilesets), *tiles, *layers]
    left = Budget("pixels in its images", MAX_PIXELS)
    for width, height in images.sizes(
        list(dict.fromkeys(item.path for item in named if item is not None))
    ):
        left.spend(width * height)
