"""Benchmarks: measure the speed of the framework, and compare it with other engines.

The modules of other engines, such as `peer_arcade` and `peer_pyglet`, run in the Python
environments of these engines, without the framework. The modules in the next list do not
import pyglet or moderngl.

Without graphics: cpu_time displays lab lab_methods other_engines peer_scene peer_table processes
worker_commands worker_process.
"""
