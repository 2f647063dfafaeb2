"""Games without a player: replays, sync tests, farms of many runs, and servers.

Without graphics: fixtures matrix matrix_protocol report video.
"""
