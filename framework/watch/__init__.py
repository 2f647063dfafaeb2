"""Development tools: frame statistics, overlays, hot reload and garbage collection.

Without graphics: filewatch frame_stats garbage livecode notes quality referrers workload.
"""
