"""Benchmarks: measure the speed of the framework, and compare it with other engines.

Each module such as `peer_arcade` or `peer_pyglet` runs in the Python environment of its engine,
without the framework. The modules in the next list do not import pyglet or moderngl.

Without graphics: cpu_time displays lab lab_methods other_engines peer_scene peer_table processes
worker_commands worker_process.
"""
