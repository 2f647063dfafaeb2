"""Draw with OpenGL: buffers, textures, shader programs, screen effects and transitions.

No module of this package works without graphics.
"""
