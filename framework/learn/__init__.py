"""Reinforcement learning: games as environments of Gymnasium and PettingZoo.

Without graphics: agent_actions gymnasium_imports observations random_streams.
"""
