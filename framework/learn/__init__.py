"""Environments for agents that learn: Gymnasium, PettingZoo, and many games at once.

Without graphics: acting gymnasiums observing streams.
"""
