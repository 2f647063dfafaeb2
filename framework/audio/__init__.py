"""Sound: voices, mixing, music, and the device that plays them.

Without graphics: all.
"""
