"""URLs that look like the work of a broken or endless site."""

from __future__ import annotations

from typing import Final

from memory_structure.lru import lru_to_url

MAX_URL_LENGTH: Final = 4096
MAX_SEGMENTS: Final = 25


def find_trap(lru: str) -> str | None:
    """Why a page should not be fetched, in words; None when it looks sound.

    A path segment three times in a row, more than 25 segments, or a URL of more than 4,096 characters
    (escapes make it longer than what was found).
    """
    if len(lru) > MAX_URL_LENGTH and len(lru_to_url(lru)) > MAX_URL_LENGTH:  # an LRU is the longer of the two
        return f"longer than {MAX_URL_LENGTH} characters"
    if lru.count("|p:") < 3:
        return None
    segments = [stem for stem in lru.split("|") if stem.startswith("p:")]
    if len(segments) > MAX_SEGMENTS:
        return f"more than {MAX_SEGMENTS} path segments"
    for first, second, third in zip(segments, segments[1:], segments[2:], strict=False):
        if first == second == third != "p:":
            return f"path segment {first[2:]!r} three times in a row"
    return None
