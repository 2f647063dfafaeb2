"""Development tools: frame statistics, overlays, hot reload and garbage collection.

Without graphics: file_watch garbage hot_reload monitor debug_notes quality referrers workload.
"""
