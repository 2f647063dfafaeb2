"""Timing: ticks, refreshes of the screen, schedules, systems and coroutines.

Without graphics: all.
"""
