"""Reinforcement learning: use games as environments of Gymnasium and PettingZoo.

The list below names the modules that run without a window: they import neither pyglet nor moderngl.

Without graphics: agent_actions gymnasium_imports observations random_streams.
"""
