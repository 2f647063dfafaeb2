"""Read the objects of a Tiled map, with default values from their template files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..assets.json_fields import Fields
from .map_data import FLAGS, GID, ObjectData
from .map_files import Document, MapFiles
from .tiled_objects import SHAPES, has_shape, object_of, properties_of
from .tiled_sets import Tilesets

_MAX_CHAIN = 16  # maximum number of templates that are made from each other in a chain


class Objects:
    """A reader for the objects of a map."""

    def __init__(self, files: MapFiles, tilesets: Tilesets) -> None:
        self._files = files
        self._tilesets = tilesets
        self._templates: dict[Path, tuple[dict[str, Any], dict[str, Any]]] = {}

    def read(self, document: Document, fields: Fields) -> ObjectData:
        """Return a map object of an object layer.

        Fields that the object does not set come from its template.
        """
        self._files.objects.spend(1)
        raw, properties = self._whole(document, fields, 0)
        result = object_of(self._files, Fields(raw, fields.where), properties)
        match = (
            self._tilesets.of(result.gid)
            if result.gid and not (result.width and result.height)
            else None
        )
        if match is not None:  # old files omit the size of tile objects
            width, height = match[0].size_of(match[1])
            result.width = result.width or width
            result.height = result.height or height
        return result

    def _whole(
        self, document: Document, fields: Fields, chain: int
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the fields and the properties of an object, including the values of its template.

        A template can use another template. ``chain`` is the number of templates already read for
        this object.
        """
        properties = properties_of(self._files, fields)
        name = fields.text("template")
        if not name:
            return fields.raw, properties
        path = self._files.find(document.path, name, fields.where)
        template = self._templates.get(path)
        if template is None:
            if chain >= _MAX_CHAIN:
                raise ValueError(
                    f"{fields.where}: its template is made from templates in a circle, "
                    "or from too many"
                )
            template = self._templates[path] = self._template(path, chain + 1)
        raw, template_properties = template
        self._files.properties.spend(len(template_properties))
        return _instance(raw, fields), {**template_properties, **properties}

    def _template(self, path: Path, chain: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the fields and the properties of the object in a template file.

        The tile number of a tile object is converted to the tile number in this map.
        """
        document = self._files.read(path, f"template {path.name!r}")
        inside = document.fields.part("object")
        if inside is None or document.kind not in ("template", ""):
            raise ValueError(f"{document.fields.where}: it is not a template with an object")
        raw, properties = self._whole(document, inside, chain)
        gid = inside.whole("gid", 0, most=0xFFFF_FFFF)
        tileset = document.fields.part("tileset")
        if gid and tileset is not None:
            number = max((gid & GID) - tileset.whole("firstgid", 1, 1), 0)
            own_tileset = self._tilesets.of_template(document, tileset)
            raw = {**raw, "gid": min(own_tileset.first_gid + number, GID) | (gid & FLAGS)}
        return raw, properties


def _instance(template: dict[str, Any], fields: Fields) -> dict[str, Any]:
    """Return all fields of an object that uses a template. The object's own fields override the
    fields of the template.
    """
    own = {key: value for key, value in fields.raw.items() if value is not None and value != ""}
    if not (fields.number("width", 0.0) and fields.number("height", 0.0)):
        own.pop("width", None)
        own.pop("height", None)
    if not fields.whole("gid", 0, most=0xFFFF_FFFF):
        own.pop("gid", None)
    replaced = SHAPES if any(has_shape(own, shape) for shape in SHAPES) else ()
    return {**{key: value for key, value in template.items() if key not in replaced}, **own}
