"""Tools for development: frame statistics, other panels, hot reload, and automatic quality levels.

The modules in the next line import neither pyglet nor moderngl.

Without graphics: debug_notes file_watch frame_stats garbage hot_reload quality referrers workload.
"""
