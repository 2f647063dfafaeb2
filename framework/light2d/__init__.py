"""2D light: lights, shadows and normal maps.

Without graphics: light2d_math.
"""
