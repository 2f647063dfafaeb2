"""Development tools: frame statistics, overlays, hot reload and garbage collection.

Without graphics: filewatch garbage livecode monitor notes quality referrers workload.
"""
