"""Games on several machines or in several processes: sessions, links, servers and clients.

Without graphics: none.
"""
