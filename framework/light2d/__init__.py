"""2D light: light up 2D scenes with point lights and cones, and draw shadows and normal maps.

The modules listed below do not import pyglet or moderngl.

Without graphics: light2d_math.
"""
