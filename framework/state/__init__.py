"""State: columns of numbers with a previous and a current tick, rows, handles and transforms.

Without graphics: all.
"""
