"""Play sounds and music, mix them, and send the mix to the sound device.

All modules of this package work without graphics.
"""
