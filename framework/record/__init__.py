"""The state of a game: snapshots, hashes, history, and the files of saves.

Without graphics: all.
"""
