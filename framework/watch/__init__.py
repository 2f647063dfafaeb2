"""Development tools: frame times, overlays, hot reload, quality levels and garbage collection.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: debug_notes file_watch frame_stats garbage hot_reload quality referrers workload.
"""
