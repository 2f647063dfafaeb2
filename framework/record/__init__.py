"""Recorded state: snapshots, hashes, history, and the files of saves.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: all.
"""
