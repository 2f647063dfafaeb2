"""2D light: point lights, cones of light, shadows and normal maps.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: light2d_math.
"""
