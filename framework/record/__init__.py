"""Recorded state: take snapshots of a game, compute hashes of its state, and write save files.

All modules of this package work without graphics.
"""
