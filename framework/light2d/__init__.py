"""2D light: point lights, cones of light, shadows and normal maps.

The module light2d_math works without graphics.
"""
