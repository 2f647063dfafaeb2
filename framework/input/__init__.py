"""Input: read keys, mouse, gamepads and actions. The values of all input devices are constant
during a tick.

Without graphics: all.
"""
