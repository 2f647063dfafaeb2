"""Input: keys, mouse, gamepads and actions. All values are constant during a tick.

Without graphics: all.
"""
