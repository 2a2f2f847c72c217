"""How clients cut addresses themselves, with the tree of suffixes that the service gives them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit


def suffix_length(labels: list[str], tree: dict[str, Any]) -> int:
    """Number of labels, the last ones, that make the public suffix; 0 when none is known."""
    length = 0
    for label in reversed(labels):
        if f"!{label}" in tree:
            return length
        branch = tree.get(label, tree.get("*"))
        if branch is None:
            break
        length, tree = length + 1, branch
    return length


def client_lru(url: str, tree: dict[str, Any]) -> str:
    """The LRU of a URL as a client makes it: port 80 dropped, fragment and lone slash kept."""
    parts = urlsplit(url)
    labels = (parts.hostname or "").split(".")
    n_suffix = suffix_length(labels, tree)
    suffix = [".".join(labels[len(labels) - n_suffix :])] if n_suffix else []
    stems = [f"s:{parts.scheme}"]
    if parts.port not in (None, 80):
        stems.append(f"t:{parts.port}")
    stems += [f"h:{label}" for label in [*suffix, *reversed(labels[: len(labels) - n_suffix])]]
    stems += [f"p:{segment}" for segment in parts.path.split("/")[1:]]
    stems += [f"q:{parts.query}"] if parts.query else []
    stems += [f"f:{parts.fragment}"] if parts.fragment else []
    return "|".join(stems) + "|"
