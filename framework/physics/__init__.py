"""Physics: rigid bodies for the sprites, meshes or models of a batch. `Physics2D` uses Rapier or
pymunk, `Physics3D` uses Rapier.

The list below names the modules that run without a window: they import neither pyglet nor moderngl.

Without graphics: all.
"""
