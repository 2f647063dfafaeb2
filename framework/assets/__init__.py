"""Assets: read files of images, sounds and clips into arrays.

The modules in the next list do not import pyglet or moderngl.

Without graphics: all.
"""
