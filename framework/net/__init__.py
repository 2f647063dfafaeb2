"""Network games: connect several computers or processes, with sessions, servers, clients and links.

Without graphics: acks conditioned_link conditions connection endpoint link
memory_network memory_relay online_room packets relay relay_link relay_messages relay_server
reliable udp_link websocket_client.
"""
