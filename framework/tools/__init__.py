"""Command line: the commands of `framework`, and a plugin for pytest.

Without graphics: cli doctor gamefiles pytest_plugin.
"""
