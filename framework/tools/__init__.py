"""Command line: the commands of the program `framework`, and a plugin for pytest.

The modules listed below do not import pyglet or moderngl:

Without graphics: cli doctor gamefiles new_game project pytest_plugin.
"""
