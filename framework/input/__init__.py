"""Input: read the keyboard, the mouse, gamepads and actions. Their values do not change during a
tick.

All modules of this package work without graphics.
"""
