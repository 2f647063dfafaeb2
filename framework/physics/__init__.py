"""Physics: rigid bodies for the sprites, meshes or models of a batch. `Physics2D` uses Rapier or
pymunk, `Physics3D` uses Rapier.

All modules of this package work without graphics: they do not import pyglet or moderngl.
"""
