"""Motion in ticks: tweens, clips, state machines, velocity columns, cameras that follow.

Without graphics: all.
"""
