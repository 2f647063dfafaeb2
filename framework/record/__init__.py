"""Recorded state: snapshots, hashes, history, and the files of saves.

The next line lists the modules that import neither pyglet nor moderngl.

Without graphics: all.
"""
