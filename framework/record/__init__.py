"""Recorded state: snapshots, hashes, history, and the files of saves.

Without graphics: all.
"""
