"""Audio: voices, mixing, music and the sound device.

Without graphics: all.
"""
