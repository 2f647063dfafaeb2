"""Light in 2D scenes: point lights and cones, shadows and normal maps.

The modules in the next line import neither pyglet nor moderngl.

Without graphics: light2d_math.
"""
