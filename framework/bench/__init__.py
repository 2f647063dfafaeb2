"""Measurements: the benchmarks of `framework bench`, and the timing lab of `framework lab`.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: displays lab lab_methods other_engines processes.
"""
