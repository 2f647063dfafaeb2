"""2D light: point lights, cones of light, shadows and normal maps.

The modules in the next list do not import pyglet or moderngl.

Without graphics: light2d_math.
"""
