"""Multiplayer games over a network: sessions, servers, clients, and the connections between them.

Without graphics: acks conditioned_link conditions connection endpoint link
memory_network memory_relay online_room packets relay relay_link relay_messages relay_server
reliable udp_link websocket_client.
"""
