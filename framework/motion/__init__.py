"""Motion in ticks: tweens, sprite clips, state machines, velocities and camera controllers.

The next line lists the modules that import neither pyglet nor moderngl.

All modules of this package work without graphics.
"""
