"""Time: ticks, refreshes of the display, schedules, systems and coroutines.

Without graphics: all.
"""
