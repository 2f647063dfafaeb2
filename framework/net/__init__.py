"""Network games: sessions, servers, clients and links, for several computers or processes.

Without graphics: acks conditioned_link conditions connection endpoint link
memory_network memory_relay online_room packets relay relay_link relay_messages relay_server
reliable udp_link websocket_client.
"""
