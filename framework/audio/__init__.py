"""Audio: voices, mixing, music and the sound device.

The next line lists the modules that load neither pyglet nor moderngl.

Without graphics: all.
"""
