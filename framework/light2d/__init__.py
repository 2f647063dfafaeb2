"""2D light: point lights, cones of light, shadows and normal maps.

Without graphics: light2d_math.
"""
