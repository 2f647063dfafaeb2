"""Simulation: replays, tests of determinism, many runs in parallel, and games on servers.

The list below names the modules that run without a window: they import neither pyglet nor moderngl.

Without graphics: fixtures matrix matrix_protocol report video.
"""
