"""Input: keys, mouse, gamepads and actions, latched for each tick.

Without graphics: all.
"""
