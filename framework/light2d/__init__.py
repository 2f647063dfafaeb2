"""2D light: lamps, shadows and normal maps.

Without graphics: light2d_math.
"""
