"""Time: ticks, display refreshes, schedules, systems and coroutines.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: all.
"""
