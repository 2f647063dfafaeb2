"""Development tools: frame statistics, overlays, hot reload and garbage collection.

Without graphics: debug_notes file_watch frame_stats garbage hot_reload quality referrers workload.
"""
