"""Audio: play sounds and music, mix them, and pass the mix to the sound device.

The next line lists the modules that import neither pyglet nor moderngl.

All modules of this package work without graphics.
"""
