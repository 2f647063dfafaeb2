"""State: arrays of numbers for the previous and the current tick, rows, handles and transforms.

No module of this package uses graphics.
"""
