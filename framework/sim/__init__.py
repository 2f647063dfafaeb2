"""Games without a player: replays, tests of determinism, many runs at once, and servers.

Without graphics: fixtures matrix matrix_protocol report video.
"""
