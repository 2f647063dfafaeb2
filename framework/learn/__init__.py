"""Reinforcement learning: use games as environments of Gymnasium and PettingZoo.

The modules in the next line import neither pyglet nor moderngl.

Without graphics: agent_actions gymnasium_imports observations random_streams.
"""
