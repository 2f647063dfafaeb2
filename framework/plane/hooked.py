"""Sprites whose corners a vertex shader of one's own moves and colours: grass in the wind, jelly,
waves.
"""

from __future__ import annotations

__all__ = ["HookedSprites"]

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from ..assets.clips import Clips
from ..assets.images import ImageSource
from ..checks import named, shown, whole
from ..gpu import shaders
from ..state.columns import Column, assign
from ..state.rows import Cell
from .sprites import VERTEX, Sprite, SpriteBatch, SpriteParts

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_MOST = 8  # of OpenGL's 16 inputs of a vertex shader, what sprites leave


class HookedSprites(SpriteBatch):
    """A `SpriteBatch` with a vertex shader of your own: ``fw.HookedSprites("grass.png", 500,
    vertex="wind.vert")``.

    Parameters are those of a `SpriteBatch`, and

    vertex
        A file, looked up beside the game, or GLSL: a function ``void vertex(vec2 place, vec2
        corner, inout vec2 shift, inout vec4 tint)``; see shaders/include/hook.glsl. It adds to
        where a corner is drawn, and multiplies or exchanges its colour; positions, angles, scales
        and what is drawn between two ticks stay as they are. Its uniforms, and those of ``shader``,
        are set by ``uniforms``.
    attributes
        Columns of your own that it reads, one value a sprite, by their names, with 1 to 4 numbers
        each: ``{"phase": 1}`` is ``in float in_phase;`` there, and here ``batch.phase``, float32
        (n,) (or (n, 2) to (n, 4)), and ``sprite.phase``, a float (or a tuple).

    `Lights2D` lights it as it is drawn, but the normals of a normal map and the shadows of its
    sprites lie where these would be without the hook; so does what asks where a sprite is. Raises
    `ShaderError` for what does not compile, when it is added to a game.
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
        self._vertex = shaders.given("vertex", vertex)
        attributes = {} if attributes is None else attributes
        given = named("attributes", attributes, "numbers a sprite, 1 to 4, by the names of columns")
        widths = {
            name: whole(f"attributes[{name!r}]", width, 1, 4) for name, width in given.items()
        }
        if len(widths) > _MOST:
            raise ValueError(f"attributes: expected at most {_MOST} of them, got {len(widths)}")
        self._attributes: tuple[Column, ...] = ()
        for name in widths:
            if not _NAME.fullmatch(name) or hasattr(type(self), name) or hasattr(Sprite, name):
                raise ValueError(
                    f"attributes: {shown(name)} is no name, or one that a batch of "
                    "sprites has already"
                )
        self._handle_class = _sprites_with(tuple(widths)) if widths else Sprite  # type: ignore[misc]  # a slot here
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
        """One more sprite, as of a `SpriteBatch`, with values for its own columns, too:
        ``add(phase=0.5)``.
        """
        given = [column for column in self._attributes if column.name in values]
        own: list[tuple[Column, object]] = [
            (column, column.checked(values.pop(column.name))) for column in given
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
        except AttributeError:  # it is being made
            return []


@lru_cache(maxsize=64)
def _sprites_with(names: tuple[str, ...]) -> type[Sprite]:
    """The class of the sprites of a batch with columns of these names."""
    cells = {name: Cell[Any]("A column of the batch's own.") for name in names}
    return type("HookedSprite", (Sprite,), {"__slots__": (), "__module__": __name__, **cells})
