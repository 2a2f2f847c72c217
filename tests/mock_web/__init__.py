"""A misbehaving web on loopback, served by a child process."""
