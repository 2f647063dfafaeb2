"""Motion in ticks: tweens, sprite clips, state machines, velocities and camera controllers.

All modules of this package work without graphics: they import neither pyglet nor moderngl.
"""
