"""Assets: read files of images, sounds and clips into arrays.

The next line lists the modules that import neither pyglet nor moderngl.

Without graphics: all.
"""
