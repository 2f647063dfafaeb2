"""Assets: read files of images, sounds and clips into arrays.

The modules listed below do not import pyglet or moderngl.

Without graphics: all.
"""
