"""Measure the speed of the framework, and compare it with other engines (`framework bench`).

The programs that measure other engines, such as `peer_arcade` and `peer_pyglet`, run in these
engines' own Python environments, without the framework. The modules in the next list import neither
pyglet nor moderngl.

Without graphics: cpu_time displays lab lab_methods other_engines peer_scene peer_table processes
worker_commands worker_process.
"""
