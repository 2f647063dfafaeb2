"""State: rows, handles and transforms. Arrays store the numbers of the previous and the current
tick.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: all.
"""
