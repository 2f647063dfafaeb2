"""The commands of the program `framework`, and a plugin for pytest.

The modules in the next line import neither pyglet nor moderngl.

Without graphics: cli doctor gamefiles new_game project pytest_plugin.
"""
