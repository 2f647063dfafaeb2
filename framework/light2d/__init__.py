"""2D light: lamps, shadows and normal maps.

Without graphics: lamplight.
"""
