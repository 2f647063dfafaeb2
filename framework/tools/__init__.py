"""Command line: the commands of `framework`, and a plugin for pytest.

The modules cli, doctor, gamefiles and pytest_plugin use no graphics.
"""
