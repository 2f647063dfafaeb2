"""Light in the plane: lamps, shadows, normal maps.

Without graphics: lamplight.
"""
