"""Load Tiled maps (.tmx, .tmj, .json) and LDtk maps (.ldtk) without OpenGL."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import resources
from ..assets import images
from ..assets.linked_files import Budget, guarded
from ..errors import AssetError
from ..models.parts import MAX_PIXELS
from ..watch.garbage import paused_collection
from . import ldtk, tiled
from .map_data import ImageLayer, MapData
from .map_files import MapFiles

# opening an image file takes as much time as loading this number of pixels
_PIXELS_OF_A_FILE = 10_000
# For each file extension, the module that reads the format. Its function ``read`` returns `MapData`.
_READERS: dict[str, Any] = {
    **dict.fromkeys((".tmx", ".tmj", ".json"), tiled),
    ".ldtk": ldtk,
}
ENDINGS = (*_READERS,)


def load(
    path: str | os.PathLike[str],
    folders: Sequence[resources.Folder] = (),
    level: str | int | None = None,
) -> MapData:
    """Read a map file and the tilesets, templates and images that it uses. The map file is searched
    for in ``folders``, then in the working directory.

    ``level`` is the name or the index of a level in an LDtk file. By default, the first level is
    read. Usually, tilesets, templates and images must be in the folder of the map or in its
    subfolders. If a folder above the map contains a Tiled project, the files of the map may be
    anywhere in that folder. The same is true for each of ``folders`` that is above the map. If
    there are several such folders, the highest one is used. All images of a map together may have
    at most 2^27 pixels. Only the headers of the images are read, not their pixels.

    Raises an `AssetError` that names the file and the problem if a file is missing or has an error.
    """
    file = resources.find(path, folders)
    if file.suffix.lower() not in ENDINGS:
        raise AssetError(
            f"The map {str(file)!r} is in no format that can be read: {', '.join(ENDINGS)}"
        )
    with paused_collection():
        return guarded("map", file, lambda path: _read(path, MapFiles(path, folders), level))


def _read(path: Path, files: MapFiles, level: str | int | None) -> MapData:
    data: MapData = _READERS[path.suffix.lower()].read(path, files, level)
    _check_image_sizes(data, files)
    return data


def _check_image_sizes(data: MapData, files: MapFiles) -> None:
    """Raise an error if all images of a map together have too many pixels.

    An image that the map uses several times is counted only once. But an image with a transparent
    color is loaded and counted again for each tileset or image layer that uses it, and for each of
    its transparent colors there.
    """
    groups = [
        [item.image_file, *(info.image_file for info in item.tiles.values())]
        for item in data.tilesets
    ]
    groups += [[item.image_file] for item in data.layers if isinstance(item, ImageLayer)]
    paths = list(dict.fromkeys(item.path for group in groups for item in group if item is not None))
    pixels: dict[Path, int] = {}
    budget = Budget("pixels in its images", MAX_PIXELS, files.expense, (0.0, 4))
    for path, (width, height) in zip(paths, images.sizes(paths), strict=True):
        pixels[path] = width * height
        budget.spend(width * height)
    for group in groups:
        recolored = {(item.path, item.transparent) for item in group if item is not None}
        for path, color in recolored:
            if color is not None:
                files.recolored.spend(pixels[path] + _PIXELS_OF_A_FILE)
