"""The representative URL of a redirect: under which of its two addresses a page is known."""

from __future__ import annotations

from hyphe_core.parsers.url_rules.addresses import Address, MalformedUrl, domain_of, split_address


def choose_representative(source: str, target: str, *, temporary: bool) -> str:
    """One of the two URLs of a redirect.

    The target when it is of another registered domain. A permanent redirect keeps a source that is the root
    of its site. A temporary one keeps the root, whichever it is; of two pages of a host the one with fewer
    path segments, then the shorter; of two hosts the one with fewer labels. A tie keeps the source.

    In a chain of redirects the next hop compares the representative so far, not the last URL.
    """
    try:
        left, right = split_address(source), split_address(target)
    except MalformedUrl:
        return target
    if domain_of(left.host.lower()) != domain_of(right.host.lower()):
        return target
    if not temporary:
        return source if _is_root(left) else target
    if _is_root(left) != _is_root(right):
        return source if _is_root(left) else target
    if left.host == right.host and not _is_root(left):
        return source if _rank(left) <= _rank(right) else target
    return source if _n_labels(left) <= _n_labels(right) else target


def _is_root(address: Address) -> bool:
    return address.file in ("", "/")


def _n_labels(address: Address) -> int:
    return address.host.rstrip(".").count(".") + 1


def _rank(address: Address) -> tuple[int, int]:
    """Segments of path and query, empty ones at the end not counted, then characters."""
    return len(address.file.rstrip("/").split("/")), len(address.file)
