"""Time: ticks, display refreshes, schedules, systems and coroutines.

No module of this package uses graphics.
"""
