"""Run games without a window: replays, determinism tests, simulations in parallel, and servers.

The modules in the next line import neither pyglet nor moderngl.

Without graphics: fixtures matrix matrix_protocol report video.
"""
