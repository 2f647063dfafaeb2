"""The objects of a tile map, such as starting points, coins, doors and areas, in world units."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, overload

import numpy as np

from .. import checks
from ..arrays import Doubles
from ..assets import images
from ..assets.clips import Clip, Clips
from ..assets.images import ImageSource
from ..errors import AssetError
from ..geometry import exact
from ..geometry.tilelayout import TileLayout
from ..plane.sprites import SpriteBatch
from .map_data import (
    FLIP_DIAGONAL,
    FLIP_X,
    FLIP_Y,
    GID,
    ROTATED_120,
    MapData,
    MapText,
    ObjectData,
    ObjectsLayer,
    TileInfo,
    Tileset,
)
from .tilesets import TileSets

# The point of a tile object that is at its position, in fractions of its size, from the bottom left
# corner.
_ALIGNMENTS = {
    "topleft": (0.0, 1.0),
    "top": (0.5, 1.0),
    "topright": (1.0, 1.0),
    "left": (0.0, 0.5),
    "center": (0.5, 0.5),
    "right": (1.0, 0.5),
    "bottomleft": (0.0, 0.0),
    "bottom": (0.5, 0.0),
    "bottomright": (1.0, 0.0),
}


_WITH_CORNERS = ("rectangle", "capsule")
# kinds of collision shapes that have an area
_SOLID = ("rectangle", "ellipse", "capsule", "polygon")
_ROUND_CORNERS = 24

_Placed = tuple[tuple[float, float], Doubles | None]
"""The position of an object, and its corners (n, 2). For an object without corners, the
second value is None.
"""


_Match = tuple[Tileset, int] | None
"""The tileset that contains a tile, and the tile's number in this tileset. None if no tileset
contains the tile.
"""


class MapObject:
    """An object of a tile map, such as a coin. For example, ``coin.position`` is its position, and
    ``coin["value"]`` is its custom property "value".
    """

    not_state = True

    def __init__(
        self,
        raw: ObjectData,
        layer: ObjectsLayer,
        position: tuple[float, float],
        points: Doubles | None,
        is_hexagonal: bool = False,
    ) -> None:
        self.name = raw.name
        """The name of the object in the map, which may be empty."""
        self.layer = layer.name
        """The name of the object's layer."""
        self.class_name = raw.class_name
        """The class of the object (in older maps: the type). If a tile object has no class,
        `class_name` is the class of its tile.
        """
        self.id = raw.id
        """The id of the object in the file."""
        self.kind = raw.kind
        """The kind of object: rectangle, ellipse, capsule, point, polygon, polyline, text or tile.
        """
        self.position = position
        """The center of the object in units, y up. You can use `position` as the position of a
        sprite.

        For a tile object, `position` includes the drawing offset of the tileset. For a point, a
        polygon or a polyline, `position` is the position in the file.
        """
        self.size = raw.width, raw.height
        """The width and height in units, before the rotation."""
        self.angle = -math.radians(raw.rotation)
        """The angle of the object in radians, counter-clockwise."""
        self.points = points
        """The corners of the object after its rotation, in world units: a float64 array (n, 2). For
        points, texts and ellipses, `points` is None.
        """
        self.text: MapText | None = raw.text
        """The text of a text object, with its font and color. For other objects, `text` is None."""
        self.number = raw.gid
        """The tile number of a tile object, with flags for flips. For all other objects, the tile
        number is 0.
        """
        self.visible = raw.visible
        """Whether the object itself is visible in Tiled. See `shown`, which also depends on the
        visibility of its layer.
        """
        self.opacity = raw.opacity
        self.shown = raw.visible and layer.visible
        """Whether both the object and its layer are visible in Tiled."""
        red, green, blue, alpha = layer.tint
        self.color = red, green, blue, alpha * layer.opacity * raw.opacity
        """The tint of the layer as red, green, blue and alpha, from 0 to 1. Alpha includes the
        opacity of the layer and of the object.
        """
        self.properties: dict[str, Any] = dict(raw.properties)
        """A dict from names to custom properties of the object.

        A tile object also has the properties of its tile.
        """
        self.image: ImageSource | None = None
        """The image of a tile object, for a `SpriteBatch`. For other objects, `image` is None."""
        turn, self._mirrored = _flips(raw.gid, is_hexagonal)
        self._sprite_angle = self.angle + turn
        self._keeps_shape = False  # whether the image of a tile object is not stretched
        # a tile, and the size of its image
        self._tile: tuple[TileInfo, tuple[int, int]] | None = None

    @property
    def tile_shapes(self) -> list[Doubles]:
        """The collision shapes of a tile object: a list of polygons (n, 2) in world units.

        The shapes are scaled, flipped and rotated like the object. The list is empty for objects
        that are not tile objects, and for tiles without collision shapes.
        """
        if self._tile is None or self.points is None:
            return []
        info, size = self._tile
        polygons = [polygon_of(shape) for shape in info.shapes if has_area(shape)]
        return [_on_tile(polygon, size, self.points, self.number) for polygon in polygons]

    def __getitem__(self, name: str) -> Any:
        """Return the value of the object's custom property ``name``.

        Raises a `KeyError` that lists its properties if there is no such property.
        """
        if name not in self.properties:
            names = ", ".join(map(repr, self.properties)) or "none"
            raise KeyError(
                f"{self.name or self.class_name or self.id}: this object has no property "
                f"{name!r}; there are {names}"
            )
        return self.properties[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of the object's custom property ``name``. If there is no such property,
        return ``default``.
        """
        return self.properties.get(name, default)

    def __contains__(self, name: str) -> bool:
        return name in self.properties

    def __repr__(self) -> str:
        x, y = self.position
        return (
            f"<MapObject {self.name or self.class_name or self.id!r}, a {self.kind} at "
            f"({x:g}, {y:g})>"
        )


class MapObjects(Sequence[MapObject]):
    """The objects of a tile map, or of one object layer, in the order of the file. For example,
    ``level.objects["start"]`` is the object with the name "start".
    """

    not_state = True

    def __init__(
        self, map_objects: Sequence[MapObject], sets: TileSets, layer: ObjectsLayer | None = None
    ) -> None:
        self._objects = list(map_objects)
        self._sets = sets
        self._y_order = (
            []
            if layer is None or layer.draw_order != "topdown"
            else [raw.y for raw in layer.objects]
        )
        self.parallax = (1.0, 1.0) if layer is None else layer.parallax
        """The parallax of the layer in Tiled: how fast its objects move on the screen, as factors
        for x and y.

        If you draw sprites for the objects, use a camera with the same parallax.
        """
        self.parallax_origin = 0.0, 0.0
        """The camera position for which the objects are drawn at their `position`."""
        self._blend = (layer.blend if layer is not None else None) or "alpha"
        self._warned: set[tuple[str, str]] = set()
        self._named: dict[str, MapObject] = {}
        for map_object in self._objects:
            self._named.setdefault(map_object.name, map_object)

    @overload
    def __getitem__(self, name: str | int) -> MapObject: ...
    @overload
    def __getitem__(self, name: slice) -> list[MapObject]: ...
    def __getitem__(self, name: str | int | slice) -> MapObject | list[MapObject]:
        """Return an object for a name or an index, or a list of objects for a slice. If several
        objects have the same name, return the first.

        Raises a `KeyError` that lists all names if no object has this name.
        """
        if not isinstance(name, str):
            return self._objects[name]
        if name not in self._named:
            names = ", ".join(map(repr, list(self._named)[:20])) or "none"
            raise KeyError(f"there is no object {name!r}; there are {names}")
        return self._named[name]

    def __contains__(self, name: object) -> bool:
        return name in self._named if isinstance(name, str) else name in self._objects

    def __len__(self) -> int:
        return len(self._objects)

    def __iter__(self) -> Iterator[MapObject]:
        return iter(self._objects)

    def of(self, class_name: str, *, optional: bool = False) -> list[MapObject]:
        """Return all objects of the class ``class_name``, in the order of the file. In files of
        older Tiled versions, the class of an object is called its type.

        The list is empty if the map has no object of this class. The first time that this happens
        for a class, a warning lists the classes of the map's objects. To turn off the warning, pass
        ``optional=True``.
        """
        class_name = checks.text("class_name", class_name)
        objects = [item for item in self._objects if item.class_name == class_name]
        if not checks.flag("optional", optional) and not objects:
            self._warn("of", "class", class_name, [item.class_name for item in self._objects])
        return objects

    def named(self, name: str, *, optional: bool = False) -> list[MapObject]:
        """Return all objects with the name ``name``, in the order of the file.

        The list is empty if the map has no object with this name. The first time that this happens
        for a name, a warning lists the names of the map's objects. To turn off the warning, pass
        ``optional=True``.
        """
        name = checks.text("name", name)
        objects = [item for item in self._objects if item.name == name]
        if not checks.flag("optional", optional) and not objects:
            self._warn("named", "name", name, list(self._named))
        return objects

    def _warn(self, method: str, what: str, value: str, names: Iterable[str]) -> None:
        if (method, value) in self._warned:
            return
        self._warned.add((method, value))
        present = sorted({*names} - {""})
        listed = f"there are {', '.join(map(repr, present[:20]))}" if present else "there are none"
        warnings.warn(
            f"objects.{method}: no object has the {what} {value!r}; {listed}. If the map may lack "
            f"them, write objects.{method}({value!r}, optional=True)",
            RuntimeWarning,
            stacklevel=3,
        )

    def sprites(self, **options: Any) -> SpriteBatch:
        """Return a `SpriteBatch` with one sprite per tile object.

        The sprites look like the map objects in Tiled.

            self.add(level["trees"].sprites(), layer=level["ground"])

        Each sprite has the size, rotation, flips, tint and opacity of its object. The sprites are
        drawn in the draw order of the object layer: sorted by y, or in the order of the file. The
        sprite of a hidden object has ``visible=False``. The sprite of an animated tile plays a
        clip. The name of a clip is the tile number of the object, such as "12". All other
        ``options`` are passed to `SpriteBatch`. By default, ``filter`` is "nearest", and
        ``blend`` is the blend mode of the layer in Tiled. Raises `AssetError` if the animations
        have more frames than clips allow.
        """
        tiles = [
            map_object
            for map_object in self._in_draw_order()
            if map_object.kind == "tile" and map_object.image is not None
        ]
        sources: dict[int, Any] = {
            map_object.number & GID: map_object.image for map_object in tiles
        }
        clips = self._clips(sources)
        batch = SpriteBatch(
            clips or [*sources.values()] or None,
            **{"filter": "nearest", "blend": self._blend, **options},
        )
        if not tiles:
            return batch
        indices = {number: index for index, number in enumerate(sources)}
        which = np.array([indices[map_object.number & GID] for map_object in tiles])
        image_sizes = np.array(images.sizes([*sources.values()]), np.float64)[which]
        batch.extend(
            len(tiles),
            which,
            position=[map_object.position for map_object in tiles],
            angle=[map_object._sprite_angle for map_object in tiles],
            scale=_sprite_scales(tiles, image_sizes),
            color=[map_object.color for map_object in tiles],
            visible=[map_object.shown for map_object in tiles],
        )
        for name in clips or ():
            batch.play(name, which == indices[int(name)])
        return batch

    def _in_draw_order(self) -> list[MapObject]:
        if not self._y_order:
            return self._objects
        order = sorted(range(len(self._objects)), key=self._y_order.__getitem__)
        return [self._objects[index] for index in order]

    def _clips(self, sources: dict[int, Any]) -> Clips | None:
        """Return the clips of all animated tiles. The name of each clip is the tile number. Return
        None if no tile is animated.

        ``sources`` is a dict from tile numbers to tile images. The images of all animation frames
        are added to it.
        """
        animations = {
            number: frames for number in sources if (frames := self._sets.animation(number))
        }
        for number in [number for frames in animations.values() for number, _ in frames]:
            if number not in sources:
                sources[number] = self._sets.image_of(number)
        indices = {number: tile for tile, number in enumerate(sources)}
        try:
            clips: dict[str, Any] = {
                str(number): Clip(
                    [indices[tile] for tile, _ in frames],
                    seconds=[Fraction(time, 1000) for _, time in frames],
                )
                for number, frames in animations.items()
            }
            return Clips([*sources.values()], **clips) if clips else None
        except ValueError as error:
            raise AssetError(f"a map's animated tiles: {error}") from None

    def __repr__(self) -> str:
        return f"<MapObjects: {len(self._objects)}>"


def _sprite_scales(tiles: Sequence[MapObject], image_sizes: Doubles) -> Doubles:
    """Return the scales of the sprites of tile objects: an array (n, 2). A negative scale flips the
    sprite. ``image_sizes`` are in pixels.
    """
    scales = np.array([map_object.size for map_object in tiles]) / image_sizes
    keeps_shape = np.array([map_object._keeps_shape for map_object in tiles])
    scales[keeps_shape] = scales[keeps_shape].min(axis=1, keepdims=True)
    flips = [map_object._mirrored for map_object in tiles]
    return scales * flips


def objects_of(
    data: MapData, layer: ObjectsLayer, sets: TileSets, position: tuple[float, float]
) -> MapObjects:
    """Return the objects of an object layer. ``position`` is the bottom left corner of the map in
    the world.
    """
    layout = data.layout
    offset = np.array(position) + np.array(layer.offset) * (1, -1)
    tiles = _TilesOfObjects(data, sets)
    placed = _positions_and_corners(layout, layer.objects, tiles, offset)
    map_objects = [
        _map_object(layer, raw, placed[index], tiles) for index, raw in enumerate(layer.objects)
    ]
    objects = MapObjects(map_objects, sets, layer)
    x, y = (layout.picture_points(data.parallax_origin) + position).tolist()
    objects.parallax_origin = x, y
    return objects


def _positions_and_corners(
    layout: TileLayout, raws: Sequence[ObjectData], tiles: _TilesOfObjects, offset: Doubles
) -> dict[int, _Placed]:
    """Return the position and the corners of each object, by its index in ``raws``. To save time,
    the positions of all tile objects are computed together, and then those of all other objects.
    """
    placed: dict[int, _Placed] = {}
    for is_tile, placing in ((True, _place_tiles), (False, _place_shapes)):
        chosen = {i: raw for i, raw in enumerate(raws) if (raw.kind == "tile") == is_tile}
        if chosen:
            results = placing(layout, [*chosen.values()], tiles, offset)
            placed.update(zip(chosen, results, strict=True))
    return placed


class _TilesOfObjects:
    """A cache for the tiles of map objects: their tilesets and images, by tile number. The tileset
    of each tile is searched for only once.
    """

    def __init__(self, data: MapData, sets: TileSets) -> None:
        self.data = data
        self._sets = sets
        self._matches: dict[int, _Match] = {}
        self._images: dict[int, ImageSource | None] = {}

    def match(self, gid: int) -> _Match:
        number = gid & GID
        if number not in self._matches:
            self._matches[number] = self.data.tileset_of(number)
        return self._matches[number]

    def image(self, gid: int) -> ImageSource | None:
        """Return the image of a tile. Return None if no tile has the number ``gid``."""
        number = gid & GID
        if number not in self._images:
            exists = self._sets.has(number)
            self._images[number] = self._sets.image_of(number) if exists else None
        return self._images[number]


def _map_object(
    layer: ObjectsLayer, raw: ObjectData, placed: _Placed, tiles: _TilesOfObjects
) -> MapObject:
    map_object = MapObject(raw, layer, *placed, tiles.data.orientation == "hexagonal")
    match = tiles.match(raw.gid) if raw.gid else None
    if match is not None:
        tileset, number = match
        map_object._keeps_shape = tileset.fill_mode != "stretch"
        info = tileset.tiles.get(number)
        if info is not None:
            map_object.class_name = map_object.class_name or info.class_name
            map_object.properties = {**info.properties, **map_object.properties}
            map_object._tile = info, tileset.size_of(number)
        map_object.image = tiles.image(raw.gid)
    return map_object


def has_area(shape: ObjectData) -> bool:
    """Return whether a collision shape has an area. A point, a text or a polyline has no area."""
    return shape.kind in _SOLID


def polygon_of(shape: ObjectData) -> Doubles:
    """Return the corners of a collision shape, as an array (n, 2). The corners are in pixels from
    the tile's top left corner, y down.
    """
    width = shape.width
    height = shape.height
    if shape.points is not None:
        points = shape.points
    elif shape.kind == "rectangle":
        points = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float64)
    else:
        points = _rounded_box(np.array((width, height)), shape.kind == "capsule")
    if shape.rotation:
        points = _turned(points, _turns([shape])[0])
    return points + (shape.x, shape.y)


def _rounded_box(size: Doubles, is_capsule: bool) -> Doubles:
    """Return the corners of an ellipse or capsule of this size, as an array (n, 2). Its top left
    corner is at (0, 0).
    """
    angles = (np.arange(_ROUND_CORNERS) + 0.5) * (2 * math.pi / _ROUND_CORNERS)
    circle = np.column_stack([exact.cos(angles), exact.sin(angles)])
    straight = size - size.min() if is_capsule else np.zeros(2)
    corners: Doubles = (circle * (size - straight) + np.sign(circle) * straight + size) / 2
    return corners


def _on_tile(polygon: Doubles, size: tuple[int, int], corners: Doubles, gid: int) -> Doubles:
    """Convert a polygon on a tile to world units. The tile belongs to an object with these
    ``corners``.

    ``polygon`` is in pixels of the tile, y down. ``size`` is the size of the tile in pixels.
    """
    shares = polygon / size
    if gid & FLIP_DIAGONAL:
        shares = shares[:, ::-1]
    across, down = shares.T
    across = 1 - across if gid & FLIP_X else across
    down = 1 - down if gid & FLIP_Y else down
    bottom_left, _, top_right, top_left = corners
    placed: Doubles = (
        top_left
        + across[:, None] * (top_right - top_left)
        + down[:, None] * (bottom_left - top_left)
    )
    return placed


def _turns(raws: Sequence[ObjectData]) -> Doubles:
    """Return the cosine and the sine of each object's rotation, as an array (n, 2)."""
    angles = [math.radians(raw.rotation) for raw in raws]
    return np.array([(math.cos(angle), math.sin(angle)) for angle in angles])


def _turned(points: Doubles, turns: Doubles) -> Doubles:
    """Rotate points clockwise. The points are an array (…, 2), y down.

    ``turns`` is an array (…, 2) with the cosine and the sine of each angle.
    """
    x = points[..., 0]
    y = points[..., 1]
    cos = turns[..., 0]
    sin = turns[..., 1]
    return np.stack([x * cos - y * sin, x * sin + y * cos], axis=-1)


def _place_shapes(
    layout: TileLayout, raws: Sequence[ObjectData], tiles: _TilesOfObjects, offset: Doubles
) -> Iterator[_Placed]:
    """Yield the position and the corners of each object that is not a tile.

    Each object is rotated in map pixels, as in Tiled, and only then are its corners converted to
    world units. In isometric and oblique maps, rotating after the conversion would give wrong
    corners.
    """
    starts = np.array([(raw.x, raw.y) for raw in raws])
    sizes = np.array([(raw.width, raw.height) for raw in raws])
    turns = _turns(raws)
    has_middle = np.array([raw.points is None and raw.kind != "point" for raw in raws])
    middles = starts + np.where(has_middle[:, None], _turned(sizes / 2, turns), 0.0)
    positions: list[list[float]] = (layout.points(middles) + offset).tolist()
    corners = _corners_of_shapes(raws, sizes)
    counts = [len(points) for points in corners]
    owners = np.repeat(np.arange(len(raws)), counts)
    in_map = starts[owners] + _turned(np.concatenate(corners), turns[owners])
    points = layout.points(in_map) + offset
    end = 0
    for raw, (x, y), count in zip(raws, positions, counts, strict=True):
        start = end
        end = end + count
        yield (x, y), points[start:end].copy() if _has_corners(raw) else None


def _has_corners(raw: ObjectData) -> bool:
    return raw.points is not None or raw.kind in _WITH_CORNERS


def _corners_of_shapes(raws: Sequence[ObjectData], sizes: Doubles) -> list[Doubles]:
    """Return the corners of each object before its rotation, relative to its position: arrays
    (k, 2) in pixels, y down. An array is empty for an object without corners.
    """
    boxes = sizes[:, None] * [(0, 0), (1, 0), (1, 1), (0, 1)]
    return [
        raw.points if raw.points is not None else box if _has_corners(raw) else box[:0]
        for raw, box in zip(raws, boxes, strict=True)
    ]


def _place_tiles(
    layout: TileLayout, raws: Sequence[ObjectData], tiles: _TilesOfObjects, offset: Doubles
) -> Iterator[_Placed]:
    """Yield the position and the corners of each tile object.

    Tile objects are drawn upright even in isometric maps.
    """
    orientation = tiles.data.orientation
    matches = [tiles.match(raw.gid) for raw in raws]
    file_sizes = np.array([(raw.width, raw.height) for raw in raws])
    # The bottom left corners of the objects, relative to the positions of the objects, y up.
    low = -_alignments(matches, orientation) * file_sizes + _drawing_offsets(matches, file_sizes)
    sizes = file_sizes
    if orientation != "hexagonal":
        # If x and y of an object are swapped, its bottom left corner stays the same, as in a tile
        # layer.
        swaps = np.array([bool(raw.gid & FLIP_DIAGONAL) for raw in raws])
        sizes = np.where(swaps[:, None], file_sizes[:, ::-1], file_sizes)
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0.5, 0.5)])
    corners = low[:, None] + unit * sizes[:, None]
    turned = _turned(corners * (1, -1), _turns(raws)[:, None]) * (1, -1)
    anchors = layout.points([(raw.x, raw.y) for raw in raws])
    placed = turned + anchors[:, None] + offset
    positions: list[list[float]] = placed[:, 4].tolist()
    for (x, y), points in zip(positions, placed, strict=True):
        yield (x, y), points[:4].copy()


def _alignments(matches: Sequence[_Match], orientation: str) -> Doubles:
    """Return the anchor of each tile object: the point of its image that is at its position, in
    fractions of the size from the bottom left corner. The array has the shape (n, 2).
    """
    unspecified = _ALIGNMENTS["bottom" if orientation == "isometric" else "bottomleft"]
    return np.array(
        [
            unspecified if match is None else _ALIGNMENTS.get(match[0].alignment, unspecified)
            for match in matches
        ]
    )


def _drawing_offsets(matches: Sequence[_Match], sizes: Doubles) -> Doubles:
    """For each tile object, return the drawing offset of its tileset, y up. Return an array of
    shape (n, 2). Add the offset to the object's position before rotating it. The offset is scaled
    like the object's image.
    """
    image_sizes = np.array(
        [(1, 1) if match is None else match[0].size_of(match[1]) for match in matches]
    )
    scales = sizes / np.maximum(image_sizes, 1)
    keeps_shape = np.array(
        [match is not None and match[0].fill_mode != "stretch" for match in matches]
    )
    scales[keeps_shape] = scales[keeps_shape].min(axis=1, keepdims=True)
    offsets = np.array([(0, 0) if match is None else match[0].tile_offset for match in matches])
    moved: Doubles = offsets * scales * (1, -1)
    return moved


def _flips(gid: int, is_hexagonal: bool) -> tuple[float, tuple[int, int]]:
    """Return the angle and the scale of a sprite that shows a flipped tile. The angle is in
    radians, counter-clockwise. The scale along x and along y is 1 or -1.
    """
    across = -1 if gid & FLIP_X else 1
    upright = -1 if gid & FLIP_Y else 1
    if is_hexagonal:
        degrees = 60 * bool(gid & FLIP_DIAGONAL) + 120 * bool(gid & ROTATED_120)
        return -math.radians(degrees), (across, upright)
    if gid & FLIP_DIAGONAL:  # a flip along the diagonal is the same as a quarter turn and a flip
        return -math.pi / 2, (upright, -across)
    return 0.0, (across, upright)
