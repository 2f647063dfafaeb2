"""Load a Tiled or LDtk map from a file, and draw its layers."""

from __future__ import annotations

__all__ = ["TileMap"]

import functools
import math
import os
import warnings
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Doubles, Mask, Pixels
from ..assets import images
from ..assets.images import ImageSource, Region
from ..checks import Sealed, choice, flag, named, pair, path, shown, text, whole
from ..current_game import current_folders
from ..errors import AssetError
from ..geometry.tilelayout import TileLayout
from ..moved_names import HasMoved, moved
from ..other_engines.other_options import other_options
from ..other_engines.tile_names import tile_map_names
from ..resources import Reloadable
from ..state.backend import Frontend, Placement
from ..watch.garbage import paused_collection
from . import map_loading
from .autotile import autotile
from .backdrop import Backdrop, cropped_backdrop
from .map_data import (
    Color,
    ImageFile,
    ImageLayer,
    Layer,
    MapData,
    ObjectData,
    ObjectsLayer,
    TileInfo,
    Tileset,
    TilesLayer,
)
from .mapobjects import MapObject, MapObjects, has_area, objects_of, polygon_of
from .tilelayer import TileLayer, layer_of_map
from .tilesets import NUMBER, Frame, Numbers, TileImages, TileSets

_COVERED = 1 / 64
"""The fraction of a tile that a collision shape may leave free on each side, and still count as
covering the whole tile.
"""
_WHOLE = 0.95  # a shape with at least this fraction of the tile's area may cover the whole tile
_MIN_AREA = 1e-4  # minimum area of a collision shape, as a fraction of the tile
# a smaller fraction of a pixel is a rounding error of the program that wrote the file
_MIN_FRACTION = 1e-3

Part = TileLayer | Backdrop | MapObjects


@moved("tile_map", {"said_of": "tile_properties"})
@tile_map_names
class TileMap(Frontend, HasMoved, Sealed):
    """A map from a Tiled file (.tmx, .tmj) or an LDtk file (.ldtk).

        level = self.add(fw.TileMap("levels/cave.tmx"))

    Parameters
    ----------
    path
        The path of the map file. The map file is searched for in the folders of the game's Python
        files, then in the working directory.
    level
        The name or the index of a level, for an LDtk file with several levels. By default, the
        first level is loaded.
    position
        The bottom left corner of the map, in units, y up. A pixel of the map is one unit in the
        world.
    layers
        A dict from names of map layers to the numbers of the scene layers in which they are drawn.
        All other map layers are drawn in the scene layer of the map itself. For example,
        ``{"roof": 1}`` draws the map layer "roof" over all sprites that you add without a layer.
    filter
        "nearest" for sharp pixels or "linear" for smooth pixels, for all images of the map.
    expect_solid
        Whether to warn if the map has no solid tile, but is used for collisions (`collide.move`).
        Without solid tiles, all bodies fall through the map. The warning appears only once.
        Default: True.
    warn_differences
        Whether to warn of layers and animated tiles that look different in Tiled, because of their
        blend modes or the sizes of their frames. Default: True.

    Map layers are drawn in the order of the file, the first layer at the bottom. For example,
    ``self.add(sprites, layer=level["ground"])`` draws sprites over the map layer "ground" and below
    the next map layer. Raises `AssetError` if a file of the map is missing or has an error.
    """

    __slots__ = (
        "_data",
        "_layout",
        "_level",
        "_lifted",
        "_named",
        "_reloading",
        "_tilesets",
        "background",
        "drawn",
        "levels",
        "name",
        "objects",
        "path",
        "position",
        "properties",
        "tile_layers",
    )

    _transient_attributes: ClassVar[Any] = (
        "_data",
        "_layout",
        "_level",
        "_lifted",
        "_named",
        "_reloading",
        "_tilesets",
        "objects",
        "path",
    )
    saved: ClassVar[tuple[str, ...]] = ("tile_layers",)

    @other_options(
        **dict.fromkeys(
            ("scale", "scaling"), "write self.camera.zoom = 2, or Game(resolution=(320, 180))"
        ),
    )
    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        level: str | int | None = None,
        position: tuple[float, float] = (0.0, 0.0),
        layers: Mapping[str, int] | None = None,
        filter: str = "nearest",
        expect_solid: bool = True,
        warn_differences: bool = True,
    ) -> None:
        folders = current_folders()
        level = level if level is None or isinstance(level, str) else whole("level", level, 0)
        data = self._data = map_loading.load(checked_path(path), folders, level)
        self._level = level
        blended = [layer for layer in data.layers if layer.blend is None]
        if flag("warn_differences", warn_differences) and blended:
            warnings.warn(_blend_remark(data, blended), RuntimeWarning, stacklevel=2)
        self._backend = None
        self._reloading = _Reloading(self)
        Reloadable.add(self._reloading, _Reloading.renew)
        self.path = str(data.path)
        """The path of the map file."""
        self.position = pair("position", position)
        """The bottom left corner of the map in units, y up."""
        filter = choice("filter", filter, ("nearest", "linear"))
        self._layout: TileLayout = data.layout
        self.properties: dict[str, Any] = dict(data.properties)
        """The custom properties of the map, as a dict."""
        self.name = data.name
        """The name of the LDtk level. For Tiled maps, the name is empty."""
        self.levels = list(data.levels)
        """The names of all levels in the LDtk file. For Tiled maps, the list is empty."""
        self.background = data.background
        """The background color of the map as red, green, blue and alpha, from 0 to 1.

        If the file has no background color, `background` is None.
        """
        self._tilesets = TileSets(
            [_tileset(data, tileset) for tileset in data.tilesets if _is_used(data, tileset)],
            filter,
        )
        self._tilesets.load(folders)
        if warn_differences and (other_frames := self._tilesets.tiles_with_other_frames()):
            warnings.warn(_frames_remark(other_frames), RuntimeWarning, stacklevel=2)
        if flag("expect_solid", expect_solid) and not self._tilesets.stops_bodies:
            self._tilesets.collision_remark = _nothing_solid(data)
        self.drawn: list[TileLayer | Backdrop] = []
        """The tile layers and backdrops of the map. The lowest layer is first. Object layers are
        not drawn.
        """
        self.tile_layers: list[TileLayer] = []
        """The tile layers of the map. The lowest layer is first."""
        self._named: dict[str, Part] = {}
        with paused_collection():
            map_objects = self._read_layers(filter)
        self.objects = MapObjects(map_objects, self._tilesets)
        """The objects of all object layers, in the order of the file.

        ``objects["start"]`` is the object with the name "start". ``objects.of("coin")`` is a list
        of all objects of the class "coin".
        """
        self._lifted = self._checked_layers({} if layers is None else layers)

    def _read_layers(self, filter: str) -> list[MapObject]:
        """Create a tile layer, a backdrop or a list of objects for each layer of the map. Return
        the objects of all object layers.
        """
        map_objects: list[MapObject] = []
        for layer in self._data.layers:
            part = self._drawable_of(layer, filter)
            if part is None:
                continue
            self._named.setdefault(layer.name, part)
            if isinstance(part, MapObjects):
                map_objects += part
            else:
                self.drawn.append(part)
        return map_objects

    def _reload(self, files: Set[str]) -> bool:
        """If the map's file is one of ``files``, reload the tiles and objects, and return True.

        Raises `AssetError` if the layers or their sizes are not the same as before. After an error,
        the map keeps its old tiles and objects.
        """
        if os.path.realpath(self.path) not in files:
            return False
        data = map_loading.load(self.path, (), self._level)
        tiles = [
            layer for layer in data.layers if isinstance(layer, TilesLayer) and layer.tiles.size
        ]
        self._check_same_structure(tiles)
        for drawn, read in zip(self.tile_layers, tiles, strict=True):
            drawn.tiles = read.tiles
            if read.shifts is not None:
                drawn._cells.replace_shifts(read.shifts)
        self._replace_objects(data)
        self._data = data
        self.properties = dict(data.properties)
        return True

    def _check_same_structure(self, layers: Sequence[TilesLayer]) -> None:
        """Raise `AssetError` if the new tile layers do not have the names, sizes and tilesets of
        the old layers.
        """
        sizes = [(layer.name, layer.tiles.shape, layer.shifts is None) for layer in layers]
        if sizes != [
            (layer.name, layer.tiles.shape, layer._cells.shifts is None)
            for layer in self.tile_layers
        ]:
            raise AssetError(
                f"The map {self.path!r} has other layers, or another size, than "
                "before; restart the game"
            )
        for layer in layers:
            numbers = layer.tiles[layer.tiles > 0] & NUMBER
            if (self._tilesets.indices(numbers) < 0).any():
                raise AssetError(
                    f"The map {self.path!r} has tiles of a tileset that it did not have "
                    "before; restart the game"
                )

    def _replace_objects(self, data: MapData) -> None:
        object_layers = [
            (layer.name, objects_of(data, layer, self._tilesets, self.position))
            for layer in data.layers
            if isinstance(layer, ObjectsLayer)
        ]
        self._named |= {
            name: part
            for name, part in reversed(object_layers)
            if isinstance(self._named.get(name), MapObjects)
        }
        self.objects = MapObjects(
            [map_object for _, part in object_layers for map_object in part], self._tilesets
        )

    def _drawable_of(self, layer: Layer, filter: str) -> Part | None:
        if isinstance(layer, ObjectsLayer):
            return objects_of(self._data, layer, self._tilesets, self.position)
        drawable: TileLayer | Backdrop
        if isinstance(layer, TilesLayer):
            if not layer.tiles.size:
                return None
            drawable = self._tile_layer(layer)
            self.tile_layers.append(drawable)
        elif isinstance(layer, ImageLayer) and layer.image_file is not None:
            drawable = self._backdrop(layer, filter)
        else:
            return None
        drawable.visible = layer.visible
        drawable.parallax = layer.parallax
        origin_in_file = layer.parallax_origin or self._data.parallax_origin
        origin = self._layout.picture_points(origin_in_file) + self.position
        drawable.parallax_origin = float(origin[0]), float(origin[1])
        drawable.properties = dict(layer.properties)
        return drawable

    def _tile_layer(self, layer: TilesLayer) -> TileLayer:
        data = self._data
        rows, columns = layer.tiles.shape
        layout = self._layout
        # each layer of an LDtk map may have its own tile size
        if layer.tile_size != layout.tile_size:
            layout = TileLayout(columns, rows, layer.tile_size)
        offset = layer.offset[0] * layer.scale, layer.offset[1] * layer.scale
        position = self._corner_of(offset, layout.size[1] * layer.scale)
        try:
            drawable = layer_of_map(
                self._tilesets,
                layout,
                layer.tiles,
                name=layer.name,
                position=position,
                color=_color(layer),
                order=data.render_order,
                shifts=layer.shifts,
                scale=layer.scale,
            )
            drawable._cells.blend = layer.blend or "alpha"
        except ValueError as error:
            raise AssetError(f"The map {self.path!r}, layer {layer.name!r}: {error}") from error
        if layer.values is not None:
            drawable.values = layer.values
            drawable.values.flags.writeable = False
        return drawable

    def _backdrop(self, layer: ImageLayer, filter: str) -> Backdrop:
        assert layer.image_file is not None
        box = None if layer.crop is None else _whole_pixels(layer.crop)
        source = _source(layer.image_file, box)
        size = images.sizes([source])[0]
        crop = None
        if layer.tiled_box is not None:
            crop = _crop_of_copies(layer.tiled_box, layer.tiled_pivot, size)
        if box is not None and layer.crop is not None:
            x, y, width, height = layer.crop
            crop = x - box[0], y - box[1], width, height
        drawn_height = (size[1] if crop is None else crop[3]) * layer.scale[1]
        corner: list[float] = (self._layout.picture_points(layer.offset) + self.position).tolist()
        left, top = corner
        drawable = cropped_backdrop(
            source,
            crop,
            (left, top - drawn_height),
            repeat=layer.repeat,
            scale=layer.scale,
            color=_color(layer),
            filter=filter,
        )
        drawable._image.blend = layer.blend or "alpha"
        drawable._image.is_tiled = layer.tiled_box is not None
        drawable.name = layer.name
        return drawable

    def _corner_of(self, offset: tuple[float, float], height: float) -> tuple[float, float]:
        """Return the position of a layer's bottom left corner in the world. ``offset`` is the
        position of the layer's top left corner relative to the map's top left corner. The y axis of
        the offset points down.
        """
        x, y = self.position
        return x + offset[0], y + self._layout.size[1] - height - offset[1]

    def _checked_layers(self, layers: Mapping[str, int]) -> dict[str, int]:
        checked = named("layers", layers, "numbers by the names of layers")
        lifted = {name: whole(f"layers[{name!r}]", number) for name, number in checked.items()}
        for name in lifted:
            if not isinstance(self[name], TileLayer | Backdrop):
                raise ValueError(f"layers: {name!r} is a layer of objects, which are not drawn")
        return lifted

    # -- contents ----------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        """Return the first layer with the name ``name``: a `TileLayer`, a `Backdrop`, or a
        `MapObjects`.

        Raises a `KeyError` that lists all names if no layer has this name.
        """
        if name not in self._named:
            names = ", ".join(map(repr, self._named)) or "none"
            raise KeyError(f"the map has no layer {name!r}; there are {names}")
        return self._named[name]

    def __contains__(self, name: object) -> bool:
        return name in self._named

    @property
    def names(self) -> list[str]:
        """The names of all map layers, the lowest first. The list includes the names of object
        layers.
        """
        return [*self._named]

    @property
    def size(self) -> tuple[float, float]:
        """The width and height of the map, in units."""
        return self._layout.size

    def tile_properties(self, number: int) -> Mapping[str, Any]:
        """Return the properties of a tile in its tileset, as a dict. ``number`` is the tile number.

        The key "class" contains the class of the tile, or "" if the tile has no class. The dict is
        empty if the tileset has no data for this tile. Flags for flips in ``number`` are ignored.
        """
        match = self._data.tileset_of(whole("number", number, 0, 0xFFFFFFFF))
        info = None if match is None else match[0].tiles.get(match[1])
        return {} if info is None else {"class": info.class_name, **info.properties}

    def autotile(self, mask: ArrayLike, name: str) -> Numbers:
        """Choose a tile for each cell of a terrain by the neighboring cells. Return the tile
        numbers: a uint32 array of shape (h, w).

        You can assign the returned array to `TileLayer.tiles`. ``name`` is the name of a terrain
        (wang set) in Tiled. ``mask`` is an array of bools (h, w), which are True for the cells of
        the terrain. Instead of bools, it may contain the color numbers of the terrain, with 0 for
        empty cells. Raises a `KeyError` that lists all terrains if none has this name.
        """
        name = text("name", name)
        terrains = [
            (tileset, wang_set) for tileset in self._data.tilesets for wang_set in tileset.wang_sets
        ]
        for tileset, wang_set in terrains:
            if wang_set.name == name:
                return autotile(mask, wang_set, tileset.first_gid)
        names = ", ".join(repr(wang_set.name) for _, wang_set in terrains) or "none"
        raise KeyError(f"the map has no terrain {name!r}; there are {names}")

    def __repr__(self) -> str:
        return f"<TileMap {self.path!r}: {', '.join(self._named)}>"

    @property
    def _placement(self) -> Placement:  # type: ignore[override]
        """The map layers that are drawn, and the number of the scene layer for each. None means the
        scene layer of the map itself.
        """
        return Placement(composed_of=[(part, self._lifted.get(part.name)) for part in self.drawn])


class _Reloading:
    """Reloads a map after its file has changed, in games with hot reload."""

    __slots__ = ("__weakref__", "_map")

    not_state = True

    def __init__(self, tile_map: TileMap) -> None:
        self._map = tile_map

    def renew(self, files: Set[str]) -> bool:
        """If the map's file is one of ``files``, reload the map, and return True."""
        return self._map._reload(files)


def _nothing_solid(data: MapData) -> str:
    """Return the warning for a map without solid tiles."""
    repair = (
        "pass collide.TileGrid(layer.values == 1, layer.tile_size, layer.position) to use the "
        "IntGrid of a layer"
        if data.levels
        else "in Tiled, give tiles a collision shape or the property solid (a bool)"
    )
    return (
        f"The map {str(data.path)!r} has no solid tile, so its layers stop no body; {repair}. "
        "TileMap(…, expect_solid=False) silences this warning."
    )


def _blend_remark(data: MapData, layers: Sequence[Layer]) -> str:
    """Return the warning for layers with a blend mode that cannot be drawn."""
    modes = ", ".join(f"{shown(layer.name)} ({shown(layer.blend_mode)})" for layer in layers[:9])
    return (
        f"The map {str(data.path)!r} has layers with blend modes that cannot be drawn. They are "
        f"drawn with the mode Normal: {modes}. In Tiled, choose Normal, Add, Multiply, Screen or "
        "Exclusion. TileMap(…, warn_differences=False) silences this warning."
    )


def _frames_remark(tiles: Sequence[tuple[TileImages, int, int]]) -> str:
    """Return the warning for animated tiles that have frames of other sizes."""
    tileset, index, frame = tiles[0]
    remaining = (
        f" (more tiles of the map with such frames: {len(tiles) - 1})" if len(tiles) > 1 else ""
    )
    return (
        f"{tileset.name}: the animation of tile {index} shows tile {frame}, whose image has "
        f"another size{remaining}. Tiled scales each frame to the size of tile {index}, but here each "
        "frame has its own size. Give these images the same size. "
        "TileMap(…, warn_differences=False) silences this warning."
    )


def checked_path(value: object) -> str:
    return path("path", value)


def _color(layer: Layer) -> Color:
    red, green, blue, alpha = layer.tint
    return red, green, blue, alpha * layer.opacity


def _source(
    image_file: ImageFile,
    box: tuple[int, int, int, int] | None = None,
    cached: dict[tuple[Path, Color], Pixels] | None = None,
) -> ImageSource:
    """Return an image of the map as a source for a texture.

    If the image has a transparent color, return its pixels, with alpha 0 for this color.

    ``box`` is the part of the image to return: x, y, width, height. ``cached`` is a dict from pairs
    (path, color) to the pixels of images with a transparent color.
    """
    source: ImageSource = image_file.path
    if image_file.transparent is not None:
        cached = {} if cached is None else cached
        key = image_file.path, image_file.transparent
        if key not in cached:
            cached[key] = _without_color(images.load(image_file.path), image_file.transparent)
        source = cached[key]
    return source if box is None else Region(source, box)


def _without_color(pixels: Pixels, color: Color) -> Pixels:
    """Make all pixels with this color transparent. ``pixels`` is overwritten."""
    hidden = np.rint(np.array(color[:3]) * 255)
    is_hidden: Mask = (pixels[..., :3] == hidden).all(axis=-1)
    pixels[is_hidden] = 0
    return pixels


def _crop_of_copies(
    box: tuple[float, float], pivot: tuple[float, float], size: tuple[int, int]
) -> tuple[float, float, float, float]:
    """Return the part of an endlessly repeated image that fills a box: x, y, width and height in
    pixels. For ``pivot``, see `ImageLayer.tiled_pivot`. ``size`` is the size of one copy.
    """
    x, y = (
        share * (length - side) % length
        for share, length, side in zip(pivot, size, box, strict=True)
    )
    return x, y, *box


def _whole_pixels(crop: tuple[float, float, float, float]) -> tuple[int, int, int, int]:
    """Return the box of all pixels that a part of an image touches: x, y, width and height."""
    x, y, width, height = crop
    left, top = (math.floor(start + _MIN_FRACTION) for start in (x, y))
    right, bottom = (math.ceil(end - _MIN_FRACTION) for end in (x + width, y + height))
    if right <= left or bottom <= top:  # a strip so thin that it is only a rounding error
        left, top = (math.floor(start) for start in (x, y))
    return left, top, max(right - left, 1), max(bottom - top, 1)


def _is_used(data: MapData, tileset: Tileset) -> bool:
    """Return whether a tileset has images. Raises `AssetError` if it has tiles, but no image."""
    has_image = tileset.image_file is not None or any(
        info.image_file is not None for info in tileset.tiles.values()
    )
    if not has_image and tileset.count:
        raise AssetError(f"The map {str(data.path)!r}: its tileset {tileset.name!r} has no image")
    return has_image


def _tileset(data: MapData, tileset: Tileset) -> TileImages:
    """Return the `TileImages` for a tileset of a map: its images, collision properties and
    animations.
    """
    slopes = {number: _slope(info, *tileset.tile_size) for number, info in tileset.tiles.items()}
    part_solid = {
        number
        for number, info in tileset.tiles.items()
        if info.shapes and slopes[number] is None and _is_part_solid(info, *tileset.tile_size)
    }
    across, down = tileset.tile_offset
    return TileImages(
        tileset.first_gid,
        f"The map {str(data.path)!r}, tileset {tileset.name!r}",
        None if tileset.image_file is None else _source(tileset.image_file),
        tileset.tile_size,
        tileset.columns or None,
        tileset.count,
        tileset.margin,
        tileset.spacing,
        (float(across), float(-down)),
        cell=data.tile_size if tileset.render_size == "grid" else None,
        keeps_shape=tileset.fill_mode != "stretch",
        follows_image=not data.levels,  # in LDtk, tile numbers do not depend on the image's size
        may_end_outside=bool(data.levels),
        tile_images=_tile_images(tileset),
        solid=_tiles_with(tileset, _is_solid) - part_solid,
        one_way=_tiles_with(tileset, _is_one_way),
        slopes={number: slope for number, slope in slopes.items() if slope is not None},
        shapes={
            number: functools.partial(_part_shapes, tileset.tiles[number], *tileset.tile_size)
            for number in part_solid
        },
        animations={
            number: [Frame(int(tile), int(time)) for tile, time in info.frames]
            for number, info in tileset.tiles.items()
            if info.frames is not None
        },
    )


def _tile_images(tileset: Tileset) -> dict[int, ImageSource]:
    cached: dict[tuple[Path, Color], Pixels] = {}
    return {
        number: _source(info.image_file, info.box, cached)
        for number, info in tileset.tiles.items()
        if info.image_file is not None
    }


def _tiles_with(tileset: Tileset, condition: Callable[[TileInfo], bool]) -> frozenset[int]:
    return frozenset(number for number, info in tileset.tiles.items() if condition(info))


def _is_solid(info: TileInfo) -> bool:
    """Return whether a tile is solid.

    If the tile has the custom property "solid", its value decides. Otherwise, a tile is solid if it
    has collision shapes and is not one-way. See `_is_part_solid` for tiles that are only partly
    solid.
    """
    raw = info.properties.get("solid")
    return raw if isinstance(raw, bool) else bool(info.shapes) and not _is_one_way(info)


def _is_one_way(info: TileInfo) -> bool:
    return info.properties.get("one_way") is True


def _is_part_solid(info: TileInfo, width: int, height: int) -> bool:
    """Return whether a tile is only partly solid: its collision shapes do not cover the whole tile.
    Slopes, one-way tiles and tiles with the property "solid" are never partly solid.
    """
    if isinstance(info.properties.get("solid"), bool) or not _is_solid(info):
        return False
    has_shape = False
    for shape in filter(has_area, info.shapes):
        left, top, right, bottom = _bounds(shape, width, height)
        if right <= left or bottom <= top:
            continue
        has_shape = True
        is_far = min(left, top) < -1 or max(right, bottom) > 2
        covers = max(left, top) <= _COVERED and min(right, bottom) >= 1 - _COVERED
        if is_far or (covers and _area_of(polygon_of(shape)) > _WHOLE * width * height):
            return False
    return has_shape


def _bounds(shape: ObjectData, width: int, height: int) -> tuple[float, float, float, float]:
    """Return the bounding box of a collision shape: left, top, right and bottom, in fractions of
    the tile, y down.
    """
    if shape.points is None and not shape.rotation:  # most tiles need no array
        left = shape.x
        top = shape.y
        right = shape.x + shape.width
        bottom = shape.y + shape.height
    else:
        points = polygon_of(shape)
        left, top = points.min(axis=0).tolist()
        right, bottom = points.max(axis=0).tolist()
    return left / width, top / height, right / width, bottom / height


def _part_shapes(info: TileInfo, width: int, height: int) -> list[Doubles]:
    """Return the collision shapes of a partly solid tile, as a list of polygons (k, 2). The
    polygons are in fractions of the tile from its top left corner, y down.
    """
    polygons = [polygon_of(shape) / (width, height) for shape in info.shapes if has_area(shape)]
    return [polygon for polygon in polygons if _area_of(polygon) > _MIN_AREA]


def _area_of(polygon: Doubles) -> float:
    x, y = (polygon - polygon[0]).T
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)


def _slope(info: TileInfo, width: int, height: int) -> tuple[float, float] | None:
    """Return the heights of the ground at the left and right edge of a slope, as fractions of the
    tile's height. Return None if the tile is not a slope.

    A slope has exactly one collision shape, which is a polygon. The lower corners of the polygon
    must be at the bottom of the tile. The upper corners of the polygon must be at the left or right
    edge of the tile.
    """
    if len(info.shapes) != 1:
        return None
    shape = info.shapes[0]
    if shape.kind != "polygon" or shape.points is None or len(shape.points) not in (3, 4):
        return None
    # Python numbers take less time here than NumPy, and a map may have tens of thousands of such
    # tiles.
    points: list[tuple[float, float]] = [
        (x + shape.x, y + shape.y) for x, y in shape.points.tolist()
    ]
    left = min(x for x, _ in points)
    right = max(x for x, _ in points)
    bottom = max(y for _, y in points)
    if abs(left) > 0.5 or abs(right - width) > 0.5 or abs(bottom - height) > 0.5:
        return None
    at_left = [y for x, y in points if x == left]
    at_right = [y for x, y in points if x == right]
    has_inner_corners = len(at_left) + len(at_right) != len(points)
    if has_inner_corners or max(at_left) != bottom or max(at_right) != bottom:
        return None
    start, end = (min(max((height - min(side)) / height, 0.0), 1.0) for side in (at_left, at_right))
    return None if start == end else (start, end)
