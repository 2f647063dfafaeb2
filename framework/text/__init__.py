"""Text: draw labels, with fonts, markup, line breaks and glyph images.

The modules in the next line do not import pyglet or moderngl.

Without graphics: markup shaping.
"""
