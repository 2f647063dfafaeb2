"""Drawing with OpenGL: buffers, textures, shader programs, effects and transitions.

No module of this package works without graphics.
"""
