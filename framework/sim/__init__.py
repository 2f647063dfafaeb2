"""Simulation: replay recordings, test determinism, run many games in parallel, and run games on
servers.

The list below names the modules that run without a window: they import neither pyglet nor moderngl.

Without graphics: fixtures matrix matrix_protocol report video.
"""
