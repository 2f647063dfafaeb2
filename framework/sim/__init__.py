"""Simulation: replays, tests of determinism, many runs in parallel, and games on servers.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: fixtures matrix matrix_protocol report video.
"""
