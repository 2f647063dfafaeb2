"""Recorded state: snapshots, hashes, history and save files.

Without graphics: all.
"""
