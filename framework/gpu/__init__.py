"""Drawing with OpenGL: buffers, textures, shader programs, effects and transitions.

The modules listed below do not import pyglet or moderngl.

Without graphics: none.
"""
