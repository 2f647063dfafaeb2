"""The base class of panels that draw text to a texture, such as `StatusPanel`."""

from __future__ import annotations

from typing import ClassVar

from ..gpu.gl import moderngl
from .overlay_texture import OverlayTexture
from .panels import PanelText


class TextPanel:
    """A panel with a fixed text, which is drawn again when the size of the window changes.

    Each subclass implements `_write`.
    """

    not_state = True

    _letter_size: ClassVar[int] = 1
    """The height of the letters, as a multiple of the height in other panels."""

    _scale: int
    _panel_text: PanelText
    _screen = (0, 0)
    _texture: OverlayTexture | None = None

    def attach(self, ctx: moderngl.Context, scale: int) -> None:
        """Create the GPU objects of the panel. ``scale`` is the number of screen pixels per
        unit.
        """
        self._scale = scale
        self._panel_text = PanelText(self._letter_size * scale, all_scripts=True)
        self._texture = OverlayTexture(ctx)

    def release(self) -> None:
        """Release the GPU objects of the panel."""
        if self._texture is not None:
            self._texture.release()
        self._texture = None

    def draw(self, now: int, screen: tuple[int, int]) -> None:
        """Draw the panel to the current framebuffer. ``screen`` is the size of the framebuffer in
        pixels.
        """
        if self._texture is None:
            return
        if screen != self._screen:
            self._screen = screen
            self._write(self._texture, *screen)
        self._texture.draw()

    def _write(self, texture: OverlayTexture, width: int, height: int) -> None:
        """Draw the panel to ``texture``. The size of the framebuffer is ``width`` by ``height``
        pixels.
        """
        raise NotImplementedError
