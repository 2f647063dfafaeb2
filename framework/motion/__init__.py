"""Motion in ticks: tweens, sprite clips, state machines, velocities, cameras that follow.

Without graphics: all.
"""
