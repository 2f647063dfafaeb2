"""State: the rows of batches, such as sprites, with their values at the current tick and at the
previous tick.

The modules listed below do not import pyglet or moderngl.

Without graphics: all.
"""
