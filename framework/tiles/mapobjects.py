"""What is placed on a map: where the player starts, coins, doors, areas; in the world's units."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, overload

import numpy as np

from ..arrays import Doubles
from ..assets import images
from ..assets.clips import Clip, Clips
from ..assets.images import ImageSource
from ..errors import AssetError
from ..plane.sprites import SpriteBatch
from .tiles import FLIP_X, FLIP_Y, GID, MapData, MapObject, MapText, ObjectsLayer
from .tilesets import TileSets

# Where a tile object has its place, from its bottom left corner, as shares of its size.
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


class MapThing:
    """An object of a map: ``thing.position``, and what the map says of it: ``thing["value"]``."""

    not_state = True

    def __init__(
        self, said: MapObject, layer: ObjectsLayer, position: Doubles, points: Doubles | None
    ) -> None:
        self.name, self.layer = said.name, layer.name
        """Its name, and that of the layer that it is in."""
        self.class_name = said.class_name
        """In older maps its type; of a tile that has none itself, the tile's."""
        self.id = said.id
        self.kind = said.kind
        """rectangle, ellipse, capsule, point, polygon, polyline, text or tile."""
        x, y = position.tolist()
        self.position: tuple[float, float] = (x, y)
        """The middle of what it covers, where a sprite of it belongs: units, y up. Of a point, a
        polygon and a polyline the place itself."""
        self.size = said.width, said.height
        """Width and height, as they are before it is turned."""
        self.angle = -math.radians(said.rotation)
        """Radians, counter-clockwise."""
        self.points = points
        """Of what is no point, text or ellipse: its corners, turned as it is, float64 (n, 2), in
        the world.
        """
        self.text: MapText | None = said.text
        self.number = said.gid
        """Of a tile: its number, and how it lies."""
        self.visible, self.opacity = said.visible, said.opacity
        self.shown = said.visible and layer.visible
        """Whether it is visible, and its layer too."""
        red, green, blue, alpha = layer.tint
        self.color = red, green, blue, alpha * layer.opacity * said.opacity
        """What its layer tints it with, and how opaque both are: red, green, blue, alpha in
        0..1.
        """
        self.properties: dict[str, Any] = dict(said.properties)
        self.image: ImageSource | None = None
        """Of a tile: its picture, for a `SpriteBatch`."""

    def __getitem__(self, name: str) -> Any:
        """A property. Raises `KeyError` that names those that there are."""
        if name not in self.properties:
            there = ", ".join(map(repr, self.properties)) or "none"
            raise KeyError(
                f"{self.name or self.class_name or self.id}: it has no property "
                f"{name!r}; there are {there}"
            )
        return self.properties[name]

    def get(self, name: str, default: Any = None) -> Any:
        """A property, or ``default``."""
        return self.properties.get(name, default)

    def __contains__(self, name: str) -> bool:
        return name in self.properties

    def __repr__(self) -> str:
        x, y = self.position
        return (
            f"<MapThing {self.name or self.class_name or self.id!r}, a {self.kind} at "
            f"({x:g}, {y:g})>"
        )


class MapObjects(Sequence[MapThing]):
    """The objects of a map, or of one of its layers, in the order of the file; by name,
    ``level.objects["start"]``.
    """

    not_state = True

    def __init__(
        self, things: Sequence[MapThing], sets: TileSets, layer: ObjectsLayer | None = None
    ) -> None:
        self._things, self._sets = list(things), sets
        self._places = (
            []
            if layer is None or layer.draw_order != "topdown"
            else [said.y for said in layer.objects]
        )
        self.parallax = (1.0, 1.0) if layer is None else layer.parallax
        """By how much of the camera's motion Tiled shows them go by: for a camera of their own."""
        self.parallax_origin = 0.0, 0.0
        """Where the camera's middle is when they are at their positions."""
        self._named: dict[str, MapThing] = {}
        for thing in self._things:
            self._named.setdefault(thing.name, thing)

    @overload
    def __getitem__(self, name: str | int) -> MapThing: ...
    @overload
    def __getitem__(self, name: slice) -> list[MapThing]: ...
    def __getitem__(self, name: str | int | slice) -> MapThing | list[MapThing]:
        """The first one of a name; by a number or a slice, as in a list. Raises `KeyError` that
        names what there is.
        """
        if not isinstance(name, str):
            return self._things[name]
        if name not in self._named:
            there = ", ".join(map(repr, list(self._named)[:20])) or "none"
            raise KeyError(f"there is no object {name!r}; there are {there}")
        return self._named[name]

    def __contains__(self, name: object) -> bool:
        return name in self._named if isinstance(name, str) else name in self._things

    def __len__(self) -> int:
        return len(self._things)

    def __iter__(self) -> Iterator[MapThing]:
        return iter(self._things)

    def of(self, class_name: str) -> list[MapThing]:
        """All that are of a class (in older maps a type), in the order of the file."""
        return [thing for thing in self._things if thing.class_name == class_name]

    def named(self, name: str) -> list[MapThing]:
        """All that have a name."""
        return [thing for thing in self._things if thing.name == name]

    def sprites(self, **options: Any) -> SpriteBatch:
        """A batch with a sprite for each tile object, as Tiled shows it: its size, turn, flips,
        tint and opacity, those further down over those further up, or in the order of the file, as
        the layer says.

        ``self.add(level["trees"].sprites(), layer=level["ground"])``. ``options`` are those of
        `SpriteBatch`; its filter is "nearest" unless one is given. Animated tiles play clips, named
        after the tiles' numbers. What is hidden is not ``visible``. Raises `AssetError` where they
        have more frames than clips can have.
        """
        order: Iterable[int] = range(len(self._things))
        if self._places:
            order = sorted(order, key=self._places.__getitem__)
        tiles = [
            thing
            for at in order
            if (thing := self._things[at]).kind == "tile" and thing.image is not None
        ]
        sources: dict[int, Any] = {thing.number & GID: thing.image for thing in tiles}
        clips = self._clips(sources)
        batch = SpriteBatch(
            clips or [*sources.values()] or None, **{"filter": "nearest", **options}
        )
        if tiles:
            place = {number: at for at, number in enumerate(sources)}
            which = np.array([place[thing.number & GID] for thing in tiles])
            sides = np.array(images.sizes([*sources.values()]), np.float64)[which]
            turned = [
                [-1 if thing.number & flip else 1 for flip in (FLIP_X, FLIP_Y)] for thing in tiles
            ]
            batch.extend(
                len(tiles),
                which,
                position=[thing.position for thing in tiles],
                angle=[thing.angle for thing in tiles],
                scale=np.array([thing.size for thing in tiles]) / sides * turned,
                color=[thing.color for thing in tiles],
                visible=[thing.shown for thing in tiles],
            )
            for name in clips or ():
                batch.play(name, which == place[int(name)])
        return batch

    def _clips(self, sources: dict[int, Any]) -> Clips | None:
        """What animated tiles play, by their numbers; ``sources`` has the pictures of the frames,
        too, then.
        """
        animations = {
            number: frames for number in sources if (frames := self._sets.animation(number))
        }
        for number in [number for frames in animations.values() for number, _ in frames]:
            if number not in sources:
                sources[number] = self._sets.picture(number)
        place = {number: at for at, number in enumerate(sources)}
        try:
            made: dict[str, Any] = {
                str(number): Clip(
                    [place[at] for at, _ in frames],
                    seconds=[Fraction(time, 1000) for _, time in frames],
                )
                for number, frames in animations.items()
            }
            return Clips([*sources.values()], **made) if made else None
        except ValueError as error:
            raise AssetError(f"a map's animated tiles: {error}") from None

    def __repr__(self) -> str:
        return f"<MapObjects: {len(self._things)}>"


def objects_of(
    data: MapData, layer: ObjectsLayer, sets: TileSets, position: tuple[float, float]
) -> MapObjects:
    """The objects of a layer of a map that is at ``position``."""
    moved = np.array(position) + np.array(layer.offset) * (1, -1)
    found = MapObjects(
        [_thing(data, layer, said, sets, moved) for said in layer.objects], sets, layer
    )
    x, y = (data.layout.picture_points(data.parallax_origin) + position).tolist()
    found.parallax_origin = x, y
    return found


def _thing(
    data: MapData, layer: ObjectsLayer, said: MapObject, sets: TileSets, moved: Doubles
) -> MapThing:
    place, points = (_tile if said.kind == "tile" else _shape)(data, said)
    thing = MapThing(said, layer, place + moved, None if points is None else points + moved)
    found = data.tileset_of(said.gid) if said.gid else None
    if found is not None:
        tileset, number = found
        info = tileset.tiles.get(number)
        if info is not None:
            thing.class_name = thing.class_name or info.class_name
            thing.properties = {**info.properties, **thing.properties}
        if sets.has(said.gid & GID):
            thing.image = sets.picture(said.gid)
    return thing


def _turned(points: Doubles, degrees: float) -> Doubles:
    """Clockwise, where y is down."""
    angle = math.radians(degrees)
    cos, sin = math.cos(angle), math.sin(angle)
    x, y = points[..., 0], points[..., 1]
    return np.stack([x * cos - y * sin, x * sin + y * cos], axis=-1)


def _shape(data: MapData, said: MapObject) -> tuple[Doubles, Doubles | None]:
    """Its place and its corners; turned in the map's own pixels, as Tiled does it in isometric maps
    too.
    """
    start, size = np.array([said.x, said.y]), np.array([said.width, said.height])
    corners = None
    if said.points is not None:
        corners = said.points
    elif said.kind in ("rectangle", "capsule"):
        corners = size * [(0, 0), (1, 0), (1, 1), (0, 1)]
    middle = (
        start
        if said.points is not None or said.kind == "point"
        else start + _turned(size / 2, said.rotation)
    )
    place = data.layout.points(middle)
    return place, None if corners is None else data.layout.points(
        start + _turned(corners, said.rotation)
    )


def _tile(data: MapData, said: MapObject) -> tuple[Doubles, Doubles | None]:
    """Tiles stand upright, whatever the map's orientation."""
    found = data.tileset_of(said.gid)
    alignment = "unspecified" if found is None else found[0].alignment
    if alignment == "unspecified":
        alignment = "bottom" if data.orientation == "isometric" else "bottomleft"
    size, share = np.array([said.width, said.height]), np.array(_ALIGNMENTS[alignment])
    corners = (np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0.5, 0.5)]) - share) * size
    corners = _turned(corners * (1, -1), said.rotation) * (1, -1) + data.layout.points(
        [said.x, said.y]
    )
    return corners[4], corners[:4]
