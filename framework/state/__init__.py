"""State: arrays of numbers for the previous and the current tick, rows, handles and transforms.

Without graphics: all.
"""
