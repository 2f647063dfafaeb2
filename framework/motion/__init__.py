"""Motion in ticks: tweens, sprite clips, state machines, velocities and camera controllers.

The modules in the next list do not import pyglet or moderngl.

Without graphics: all.
"""
