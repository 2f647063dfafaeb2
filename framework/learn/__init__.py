"""Reinforcement learning: games as environments of Gymnasium and PettingZoo.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: agent_actions gymnasium_imports observations random_streams.
"""
