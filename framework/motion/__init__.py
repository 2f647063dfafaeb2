"""Motion in ticks: tweens, sprite clips, state machines, velocities, and cameras that follow a
sprite.

Without graphics: all.
"""
