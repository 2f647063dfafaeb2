"""Command line: the commands of the program `framework`, and a plugin for pytest.

The next line lists the modules that load neither pyglet nor moderngl.

Without graphics: cli doctor gamefiles new_game project pytest_plugin.
"""
