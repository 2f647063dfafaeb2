"""Environments for agents that learn: Gymnasium, PettingZoo, and many games at once.

Without graphics: agent_actions gymnasium_imports observations random_streams.
"""
