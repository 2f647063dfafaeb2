"""Games without a player: replays, tests of determinism, many runs at once, and servers.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: fixtures matrix matrix_protocol report video.
"""
