"""The command line, and the checks of `framework doctor`.

Without graphics: cli doctor gamefiles pytest_plugin.
"""
