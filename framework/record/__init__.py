"""Recorded state: snapshots, hashes, history, and the files of saves.

No module of this package uses graphics.
"""
