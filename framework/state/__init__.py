"""State: arrays of numbers for the previous and the current tick, rows, handles and transforms.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: all.
"""
