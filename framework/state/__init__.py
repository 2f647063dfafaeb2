"""Columns of numbers with a previous and a current tick, rows, handles, transforms.

Without graphics: all.
"""
