"""One game: its window, its scenes, its loop of ticks and frames.

Without graphics: art audible backstage clipboard debug effects gamepads names past pointer
restoring rules savefiles savelog saving script settings subsystems views.
"""
