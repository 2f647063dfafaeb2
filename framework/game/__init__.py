"""One game: its window, its scenes, its loop of ticks and frames.

Without graphics: art backstage clipboard effects gamepads names past pointer restoring rules
savelog saving script subsystems views.
"""
