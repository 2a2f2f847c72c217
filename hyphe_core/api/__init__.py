"""The JSON-RPC service: transport, access, the table of methods and their translation to and from the
wire."""
