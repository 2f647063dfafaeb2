"""Time: ticks, display refreshes, schedules, systems and coroutines.

Without graphics: all.
"""
