"""Drawing with OpenGL: buffers, textures, shader programs, effects and transitions.

The modules in the next list do not import pyglet or moderngl.

Without graphics: none.
"""
