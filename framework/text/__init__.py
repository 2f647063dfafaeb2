"""Text: draw labels, with fonts, markup, line breaks and glyph images.

The modules listed below do not import pyglet or moderngl.

Without graphics: markup shaping.
"""
