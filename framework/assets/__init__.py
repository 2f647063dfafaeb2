"""Assets: read files of images, sounds and clips into arrays.

All modules of this package work without graphics: they do not import pyglet or moderngl.
"""
