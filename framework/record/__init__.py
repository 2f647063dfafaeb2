"""Recorded state: take snapshots of a game, compute hashes of its state, and write save files.

Without graphics: all.
"""
