"""Run ticks, scheduled functions, systems and coroutines at the right time.

All modules of this package work without graphics.
"""
