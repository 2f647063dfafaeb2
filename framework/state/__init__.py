"""State: rows, handles and transforms. Arrays store the values of rows at the current tick and at
the previous tick.

The modules in the next list import neither pyglet nor moderngl.

Without graphics: all.
"""
