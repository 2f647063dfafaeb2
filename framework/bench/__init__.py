"""Benchmarks: measures the speed of the framework (`framework bench`), compares it with other
engines (`--vs`), and compares how smoothly different game loops move a sprite (`framework lab`).

Each module `peer_arcade`, `peer_pyglet` and so on runs in the environment of its engine, without
the framework. The modules in the next list load neither pyglet nor moderngl.

Without graphics: cpu_time displays lab lab_methods other_engines peer_scene peer_table processes
worker_commands worker_process.
"""
