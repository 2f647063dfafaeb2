"""Physics: rigid bodies for the rows of batches. `Physics2D` uses Rapier or pymunk, `Physics3D`
uses Rapier.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: all.
"""
