"""Measurements: the benchmarks of `framework bench`, and the timing lab of `framework lab`.

The modules displays, lab, lab_methods, other_engines and processes use no graphics.
"""
