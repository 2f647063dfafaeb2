"""Audio: voices, mixing, music and the sound device.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: all.
"""
