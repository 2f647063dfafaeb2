"""Timing: run ticks, schedules, systems and coroutines at the right time.

Without graphics: all.
"""
