"""Development tools: show frame times and other panels, reload changed code, and adjust the
graphics quality.

The modules listed below do not import pyglet or moderngl.

Without graphics: debug_notes file_watch frame_stats garbage hot_reload quality referrers workload.
"""
