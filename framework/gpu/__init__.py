"""The GPU: buffers, textures, shader programs, effects and transitions.

Without graphics: none.
"""
