"""The rows of batches, such as sprites, with their values at the current and the previous tick.

All modules of this package work without graphics: they do not import pyglet or moderngl.
"""
