"""Text: draw labels, with fonts, markup, line breaks and glyph images.

The next line lists the modules that import neither pyglet nor moderngl.

Without graphics: markup shaping.
"""
