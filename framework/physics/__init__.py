"""Rigid bodies for the rows of batches: `Physics2D` (Rapier or pymunk), `Physics3D` (Rapier).

The modules in the next list load neither pyglet nor moderngl.

Without graphics: all.
"""
