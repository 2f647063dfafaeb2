"""Text: labels, fonts, markup, line breaks and glyph images.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: markup shaping.
"""
