"""State: rows, handles and transforms. Arrays store the values of the current tick and of the
previous tick.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: all.
"""
