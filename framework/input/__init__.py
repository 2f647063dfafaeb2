"""Input: keys, mouse, gamepads and actions, with values that are constant during a tick.

Without graphics: all.
"""
