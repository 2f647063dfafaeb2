"""Input from the keyboard, the mouse and gamepads, whose state does not change during a tick.

All modules of this package work without graphics.
"""
