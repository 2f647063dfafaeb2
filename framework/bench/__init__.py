"""Benchmarks: measures the speed of the framework (`framework bench`), and compares how smoothly
different game loops move a sprite (`framework lab`).

The modules in the next list load neither pyglet nor moderngl.

Without graphics: displays lab lab_methods other_engines processes.
"""
