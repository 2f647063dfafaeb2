"""Input: keys, mouse, gamepads and actions, with values that are constant during a tick.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: all.
"""
