"""Assets: read files of images, sounds and clips into arrays.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: all.
"""
