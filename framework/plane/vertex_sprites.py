"""Vertex sprites: sprites with your own vertex shader, such as grass in the wind."""

from __future__ import annotations

__all__ = ["VertexSprites"]

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from ..assets.clips import Clips
from ..assets.images import ImageSource
from ..checks import named, shown, whole
from ..gpu import shaders
from ..state.columns import Column, assign
from ..state.rows import RowValue
from .sprites import VERTEX, Sprite, SpriteBatch, SpriteParts

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_MAX_ATTRIBUTES = 8  # OpenGL has 16 vertex attributes, and sprites use 8 of them


class VertexSprites(SpriteBatch):
    """A `SpriteBatch` with your own vertex shader, which can move the corners of sprites.

        fw.VertexSprites("grass.png", 500, vertex="wind.vert")

    `VertexSprites` has the parameters of a `SpriteBatch`, and also ``vertex`` and ``attributes``:

    vertex
        The shader: a file beside the game, or GLSL code with a function ``void vertex(vec2 place,
        vec2 corner, inout vec2 shift, inout vec4 tint)``. See shaders/include/hook.glsl. The
        function ``vertex`` shifts one corner of a sprite and can change the corner's color. The
        shader does not change how positions, angles and scales are interpolated. ``uniforms`` sets
        the uniforms of both ``vertex`` and ``shader``.
    attributes
        Your own columns for the shader: a dict from each column name to 1 to 4 numbers per sprite.
        With ``{"phase": 1}``, the shader declares ``in float in_phase;``. In Python, the column
        ``phase`` is ``batch.phase``, float32 (n,), and ``sprite.phase`` is a float. A column with 2
        to 4 numbers per sprite is an array (n, 2) to (n, 4), and a tuple for one sprite.

    `Lights2D` lights each sprite at its shifted corners. Normal maps, shadows and positions do not
    include the shift of the vertex shader. If the shader does not compile, adding the batch to a
    game raises `ShaderError`.
    """

    __slots__ = ("_attributes", "_handle_class", "_vertex")

    _transient_attributes: ClassVar[Any] = ("_attributes", "_vertex", "_handle_class")

    def __init__(
        self,
        image: ImageSource | Sequence[ImageSource] | Clips | None = None,
        count: int = 0,
        *,
        vertex: str,
        attributes: Mapping[str, int] | None = None,
        **options: Any,
    ) -> None:
        self._vertex = shaders.checked_shader("vertex", vertex)
        attributes = {} if attributes is None else attributes
        checked = named("attributes", attributes, "numbers per sprite, 1 to 4, by column name")
        widths = {
            name: whole(f"attributes[{name!r}]", width, 1, 4) for name, width in checked.items()
        }
        if len(widths) > _MAX_ATTRIBUTES:
            raise ValueError(
                f"attributes: expected at most {_MAX_ATTRIBUTES} attributes, got {len(widths)}"
            )
        self._attributes: tuple[Column, ...] = ()
        for name in widths:
            if not _NAME.fullmatch(name) or hasattr(type(self), name) or hasattr(Sprite, name):
                raise ValueError(
                    f"attributes: {shown(name)} is not a valid name, or a batch of sprites "
                    "uses it already"
                )
        self._handle_class = _sprite_class(tuple(widths)) if widths else Sprite  # type: ignore[misc]  # a slot here
        super().__init__(image, count, **options)
        columns = [Column(name, width, 0.0, interpolated=False) for name, width in widths.items()]
        self._table.add_columns(*columns)
        self._attributes = tuple(columns)

    def _parts(self) -> SpriteParts:
        vertex = self._vertex
        behind = vertex if shaders.is_source(vertex) else f'\n#include "{vertex}"\n'
        source = f'#include "{VERTEX}" {behind}\n'
        return super()._parts()._replace(vertex=source, own_columns=self._attributes)

    def add(self, image: ImageSource | int | None = None, **values: Any) -> Sprite:
        """Add a sprite, with values for your own columns.

        `add` takes the keywords of `SpriteBatch.add`, and the names of your own columns.

        Example: ``add(phase=0.5)``.
        """
        columns = [column for column in self._attributes if column.name in values]
        own: list[tuple[Column, object]] = [
            (column, column.checked(values.pop(column.name))) for column in columns
        ]
        sprite = super().add(image, **values)
        for column, value in own:
            column.put(sprite.row, value)
        return sprite

    def __getattr__(self, name: str) -> Any:
        if name in self._names():
            if self._table.holes:
                self._table.close_holes()
            return self._table.column(name).values(self._table.count)
        raise AttributeError(f"{type(self).__name__} has no attribute {shown(name)}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names():
            super().__setattr__(name, value)
            return
        if self._table.holes:
            self._table.close_holes()
        assign(self._table.column(name), self._table.count, value)

    def _names(self) -> list[str]:
        try:
            return [column.name for column in object.__getattribute__(self, "_attributes")]
        except AttributeError:  # called while the object is constructed
            return []


@lru_cache(maxsize=64)
def _sprite_class(names: tuple[str, ...]) -> type[Sprite]:
    """Return a subclass of `Sprite` with a property for each column of ``names``."""
    cells = {name: RowValue[Any]("The value of one of the batch's own columns.") for name in names}
    # The class has the name that hashes of earlier versions contain.
    return type("HookedSprite", (Sprite,), {"__slots__": (), "__module__": __name__, **cells})
