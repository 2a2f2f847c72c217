"""Robots directives of a page: meta elements and X-Robots-Tag headers, for all robots or naming us."""

from __future__ import annotations

import re

from hyphe_core.parsers.base import Document, RobotsDirectives

_SEPARATORS = re.compile(r"[\s,]+")
# A header value may begin with the token of the robot it speaks to; these words before a colon do not.
_DIRECTIVES_WITH_VALUE = frozenset(
    {"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"}
)
# Dates have colons too.
_ROBOT = re.compile(r"[a-z0-9._*\-]+")
_ALLOWED = RobotsDirectives()


def merge_robots(meta_values: list[str], document: Document) -> RobotsDirectives:
    """Directives of a page from the content of its meta elements (those that apply to us) and its headers.

    Tokens are compared whole and without case; a ban found anywhere holds, whatever else is allowed.
    """
    headers = [value for key, value in document.headers if key == "x-robots-tag"] if document.headers else []
    if not meta_values and not headers:
        return _ALLOWED
    tokens: set[str] = set()
    for value in meta_values:
        tokens.update(_SEPARATORS.split(value.lower()))
    for value in headers:
        tokens.update(_header_tokens(value.lower(), document.agent_token.lower()))
    banned = "none" in tokens
    return RobotsDirectives(
        index=not (banned or "noindex" in tokens),
        follow=not (banned or "nofollow" in tokens),
        archive=tokens.isdisjoint(("noarchive", "nocache")),
        snippet="nosnippet" not in tokens,
    )


def _header_tokens(value: str, agent_token: str) -> list[str]:
    """Tokens of one header value that apply to us: those before a robot's name are for all, others for it."""
    tokens: list[str] = []
    applies = True
    for part in value.split(","):
        name, colon, rest = part.partition(":")
        name = name.strip()
        if colon and name not in _DIRECTIVES_WITH_VALUE and _ROBOT.fullmatch(name):
            applies = name == agent_token and bool(agent_token)
            part = rest
        if applies:
            tokens.extend(_SEPARATORS.split(part.strip()))
    return tokens
