"""Audio: voices, mixing, music and the sound device.

Each room lists its modules that load neither pyglet nor moderngl.

Without graphics: all.
"""
