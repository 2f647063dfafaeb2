"""Physics: rigid bodies for the sprites, meshes or models of a batch. `Physics2D` uses Rapier or
pymunk, `Physics3D` uses Rapier.

The modules listed below do not import pyglet or moderngl.

Without graphics: all.
"""
