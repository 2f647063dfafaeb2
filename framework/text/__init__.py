"""Labels in 2D games: fonts, markup, line breaks and the images of letters.

The modules in the next line import neither pyglet nor moderngl.

Without graphics: markup shaping.
"""
