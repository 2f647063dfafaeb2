"""Measurements: the benchmarks of `framework bench`, and the timing lab of `framework lab`.

Without graphics: displays lab lab_methods other_engines processes.
"""
