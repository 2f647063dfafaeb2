"""The GPU: buffers, textures, shader programs, effects and transitions.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: none.
"""
