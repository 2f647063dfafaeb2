"""Physics: rigid bodies for sprites, meshes and models.

`Physics2D` uses the library Rapier or pymunk, and `Physics3D` uses Rapier.

All modules of this package work without graphics: they do not import pyglet or moderngl.
"""
