"""While a game runs: frame statistics, overlays, hot reload, garbage collection.

Without graphics: filewatch garbage livecode monitor notes quality referrers workload.
"""
