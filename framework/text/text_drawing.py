"""Write the changed labels of a `TextBatch` into sprite rows, and draw these rows."""

from __future__ import annotations

from collections.abc import Set

from ..gpu.graphics import Graphics
from ..plane.sprite_drawing import SpriteDrawing, drawing_of
from ..state.backend import Backend, drives
from .text import LabelWriter, TextBatch


class TextTicks(Backend[TextBatch]):
    """The backend of a `TextBatch` in a game without graphics.

    `TextTicks` measures text without drawing it.
    """

    __slots__ = ("writer",)

    def __init__(self, frontend: TextBatch, writer: LabelWriter, graphics: Graphics) -> None:
        super().__init__(frontend)
        self.writer = writer
        writer.begin(graphics)

    def begin_tick(self, dt: float) -> None:
        self.writer.flush()
        self.writer.table.begin_tick(dt)

    def end_tick(self) -> None:
        self.writer.flush()
        self.writer.table.end_tick()
        self.writer.end_tick()

    def notice_writes(self) -> None:
        self.writer.flush()
        self.writer.table.notice_writes()

    def renew(self, files: Set[str]) -> bool:
        return self.writer.renew(files)

    def release(self) -> None:
        self.writer.end()


@drives(TextBatch, unseen=TextTicks)
class TextDrawing(TextTicks):
    """The backend of a `TextBatch` in a game with graphics."""

    __slots__ = ("_sprites",)

    def __init__(self, frontend: TextBatch, writer: LabelWriter, graphics: Graphics) -> None:
        super().__init__(frontend, writer, graphics)
        sprites = drawing_of(writer.sprites)
        assert sprites is not None
        self._sprites: SpriteDrawing = sprites
        sprites.align_to_pixels()

    @property
    def uploaded_bytes(self) -> int:
        """The number of bytes that have been uploaded to the GPU since the batch was added to a
        game."""
        return self._sprites.uploaded_bytes

    def draw(self) -> None:
        self.writer.look(self._sprites.pixels_per_unit)
        self.writer.flush()
        self._sprites.draw()
