"""Input: keys, mouse, gamepads and actions, with values that are constant during a tick.

The next line lists the modules that import neither pyglet nor moderngl.

Without graphics: all.
"""
