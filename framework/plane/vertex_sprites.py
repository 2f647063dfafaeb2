"""Sprites with your own vertex shader, such as grass in the wind."""

from __future__ import annotations

__all__ = ["VertexSprites"]

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ..assets.clips import Clips
from ..assets.images import ImageSource
from ..checks import named, shown, whole
from ..gpu import shaders
from ..state.columns import TableColumn
from ..state.own_columns import is_taken, make_properties
from .sprites import VERTEX, SpriteBatch, SpriteParts

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_MAX_ATTRIBUTES = 8  # OpenGL has 16 vertex attributes, and sprites use 8 of them


class VertexSprites(SpriteBatch):
    """A `SpriteBatch` with your own vertex shader. The shader can move the corners of each sprite.

        fw.VertexSprites("grass.png", 500, vertex="wind.vert")

    `VertexSprites` takes all parameters of `SpriteBatch`, and two more: ``vertex`` and
    ``attributes``.

    vertex
        The vertex shader: a file in the folder of the game, or GLSL code. The shader code must
        contain a function ``void vertex(vec2 place, vec2 corner, inout vec2 shift, inout vec4
        tint)``. See shaders/include/hook.glsl. The GPU calls ``vertex`` for each corner of a
        sprite. The function ``vertex`` can shift the corner and change its color. Positions, angles
        and scales are interpolated as in `SpriteBatch`. Set the uniforms of both shaders
        (``vertex`` and ``shader``) with the property ``uniforms``.
    attributes
        Your own columns for the shader. Pass a dict from column names to the number of values per
        sprite, 1 to 4. For ``{"phase": 1}``, declare ``in float in_phase;`` in the shader. In
        Python, ``batch.phase`` is the column, float32 (n,), and ``sprite.phase`` is a float. With 2
        to 4 values per sprite, the column has the shape (n, 2) to (n, 4). For two or more values,
        the property of a sprite is a tuple.

    `Lights2D` lights each sprite at its shifted corners, where the sprite is drawn. Normal maps,
    shadows and ``position`` ignore these shifts. If the shader does not compile, `ShaderError` is
    raised when you add the batch to a game.
    """

    __slots__ = ("_attributes", "_vertex")

    _transient_attributes: ClassVar[Any] = ("_attributes", "_vertex")

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
        widths = _checked_widths({} if attributes is None else attributes)
        super().__init__(image, count, **options)
        for name in widths:
            if not _NAME.fullmatch(name) or is_taken(self, self._table, name):
                raise ValueError(
                    f"attributes: {shown(name)} is not a valid name, or a batch of sprites "
                    "uses it already"
                )
        columns = [
            TableColumn(name, width, 0.0, interpolated=False) for name, width in widths.items()
        ]
        self._attributes = tuple(columns)
        self._table.add_columns(*columns)
        self._table.own |= {column.name: column for column in columns}
        if columns:
            make_properties(self, self._table, widths)

    def _parts(self) -> SpriteParts:
        vertex = self._vertex
        behind = vertex if shaders.is_source(vertex) else f'\n#include "{vertex}"\n'
        source = f'#include "{VERTEX}" {behind}\n'
        return super()._parts()._replace(vertex=source, own_columns=self._attributes)


def _checked_widths(attributes: Mapping[str, int]) -> dict[str, int]:
    """Check the names of the attributes and their numbers per sprite, and return them."""
    checked = named("attributes", attributes, "numbers per sprite, 1 to 4, by column name")
    widths = {name: whole(f"attributes[{name!r}]", width, 1, 4) for name, width in checked.items()}
    if len(widths) > _MAX_ATTRIBUTES:
        raise ValueError(
            f"attributes: expected at most {_MAX_ATTRIBUTES} attributes, got {len(widths)}"
        )
    return widths
