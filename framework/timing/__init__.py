"""Time: ticks, display refreshes, schedules, systems and coroutines.

The next line lists the modules that import neither pyglet nor moderngl.

Without graphics: all.
"""
