"""State: the rows of batches, such as sprites, with their values at the current tick and at the
previous tick.

The modules in the next list import neither pyglet nor moderngl.

Without graphics: all.
"""
