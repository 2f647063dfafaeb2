"""Games on several machines or in several processes: sessions, links, servers and clients.

Without graphics: acks conditioned_link conditions connection endpoint link memory_network packets
reliable udp_link.
"""
