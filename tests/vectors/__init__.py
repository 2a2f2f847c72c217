"""Behaviour of the parse stage as vectors: groups of an input, what it must give, and why."""
