"""Read image files, sound files and animation clips into arrays.

All modules of this package work without graphics: they do not import pyglet or moderngl.
"""
