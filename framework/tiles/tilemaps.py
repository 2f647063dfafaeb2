"""Tile maps from files: Tiled (.tmx, .tmj, .json) and LDtk (.ldtk), as plain data. Nothing here
needs OpenGL.
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
from .tiled_files import MapFiles
from .tiles import MapData, PictureLayer

ENDINGS = (".tmx", ".tmj", ".json", ".ldtk")


def load(
    path: str | os.PathLike[str],
    folders: Sequence[resources.Folder] = (),
    level: str | int | None = None,
) -> MapData:
    """The map in a file that is looked up in ``folders``, then in the working directory. Raises
    `AssetError`, which names the file and what is wrong in it, whatever it holds.

    ``level`` is the name or the number of a level of LDtk's; None is the first. What a map names
    (tilesets, templates, images) has to be in its own folder or below, or in the nearest folder
    above that has a Tiled project in it or is one of ``folders``. Images have to be such, of 2^27
    pixels in all; they are not decoded here.
    """
    found = resources.find(path, folders)
    if found.suffix.lower() not in ENDINGS:
        raise AssetError(
            f"The map {str(found)!r} is in no format that can be read: {', '.join(ENDINGS)}"
        )
    return guarded("map", found, lambda path: _read(path, MapFiles(path, folders), level))


def _read(path: Path, files: MapFiles, level: str | int | None) -> MapData:
    if path.suffix.lower() == ".ldtk":
        made = ldtk.read(path, files, level)
    elif level is not None:
        raise ValueError("there are levels in .ldtk only")
    else:
        made = tiled.read(path, files)
    _check_pictures(made)
    return made


def _check_pictures(data: MapData) -> None:
    """Whether there is room for all images, of which each is decoded once, however often it is
    named.
    """
    tiles = [info.picture for one in data.tilesets for info in one.tiles.values()]
    layers = [one.picture for one in data.layers if isinstance(one, PictureLayer)]
    named = [*(one.picture for one in data.tilesets), *tiles, *layers]
    left = Budget("pixels in its images", MAX_PIXELS)
    for width, height in images.sizes(
        list(dict.fromkeys(one.path for one in named if one is not None))
    ):
        left.spend(width * height)
