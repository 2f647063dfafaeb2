"""Reinforcement learning: games as environments of Gymnasium and PettingZoo.

These modules use no graphics: agent_actions, gymnasium_imports, observations, random_streams.
"""
