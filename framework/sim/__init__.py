"""Games without a player: replays, tests of determinism, many runs at once, and servers.

The modules fixtures, matrix, matrix_protocol, report and video use no graphics.
"""
