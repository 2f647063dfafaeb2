"""Motion in ticks: tweens, sprite clips, state machines, velocities and camera controllers.

Without graphics: all.
"""
