"""Motion in ticks: tweens, sprite clips, state machines, velocities, cameras that follow.

All modules of this package work without graphics.
"""
