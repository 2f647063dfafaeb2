"""Games without a player: replays, sync tests, farms of many games, servers.

Without graphics: fixtures matrix parcel report video.
"""
