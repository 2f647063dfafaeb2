"""Assets: read image, sound and clip files into arrays.

All modules of this package work without graphics: they do not import pyglet or moderngl.
"""
