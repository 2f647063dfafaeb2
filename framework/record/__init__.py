"""The state of a game as data: snapshots in memory, state hashes, and save files.

All modules of this package work without graphics.
"""
