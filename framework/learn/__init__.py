"""Reinforcement learning: use games as environments of Gymnasium and PettingZoo.

The modules listed below do not import pyglet or moderngl.

Without graphics: agent_actions gymnasium_imports observations random_streams.
"""
