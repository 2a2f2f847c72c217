"""URL -> LRU: the page key of an address. On the path of every link found, so made to be fast.

The head (scheme, port, host stems) of an origin is remembered, boundedly; a path or query that a precompiled
pattern finds in its one spelling is taken as it is. All else goes the careful way.
"""

import re
from functools import lru_cache
from typing import Final

from memory_structure.hosts import BadHost, is_single_stem
from memory_structure.recoding import is_plain_path, is_plain_query, recode_path, recode_query
from memory_structure.suffixes import SuffixTable, suffix_table
from memory_structure.tracking import Tracker, drop_tracking, tracker_for
from memory_structure.urls import DEFAULT_POLICY, UrlPolicy, remove_dot_segments, split_authority, split_url

_MEMO_SIZE: Final = 1 << 16  # origins; about 20 MB when full, then begun again
_URL: Final = re.compile(r"(https?://[^/?#\\@]+)(/[^?#]*)?(?:\?([^#]*))?(?:#.*)?", re.DOTALL).fullmatch
_NEEDS_TIDYING: Final = re.compile(r"[\x00-\x20\\\ud800-\udfff]").search


class UrlCutter:
    """Cuts URLs into page keys under one policy; remembers hosts, boundedly. Safe to share between
    threads."""

    __slots__ = ("_heads", "_policy", "_suffixes")

    def __init__(self, policy: UrlPolicy = DEFAULT_POLICY) -> None:
        self._policy = policy
        self._suffixes = suffix_table(policy.private_suffixes)
        self._heads: dict[str, tuple[str, Tracker]] = {}

    @property
    def policy(self) -> UrlPolicy:
        """The policy given at construction."""
        return self._policy

    def lru(self, url: str) -> str:
        """The key of the page at an absolute URL. Raises BadUrl with the reason in words."""
        match = _URL(url)
        if match is None or len(url) > self._policy.max_length:
            return self._careful_lru(url)
        origin, path, query = match.groups()
        known = self._heads.get(origin) or self._learned_head(origin)
        if known is None:
            return self._careful_lru(url)
        lru, tracker = known
        if path is not None and path != "/":
            if not is_plain_path(path):
                if _NEEDS_TIDYING(path):
                    return self._careful_lru(url)
                path = recode_path(path)
            if "/." in path:
                path = remove_dot_segments(path)
            if len(path) > 1:  # as _path_stems, without the call
                lru = f"{lru}p:{path[1:].replace('/', '|p:')}|"
        if query:
            if not is_plain_query(query):
                if _NEEDS_TIDYING(query):
                    return self._careful_lru(url)
                query = recode_query(query)
            return lru + self._query_stem(query, tracker)
        return lru

    def _careful_lru(self, url: str) -> str:
        parts = split_url(url, self._policy)
        head, tracker = self._head(parts.scheme, parts.host, parts.port)
        path = remove_dot_segments(recode_path(parts.path))
        return head + _path_stems(path) + self._query_stem(recode_query(parts.query), tracker)

    def _learned_head(self, origin: str) -> tuple[str, Tracker] | None:
        """What is known of an origin from now on, under that spelling; None leaves it to the careful way."""
        scheme, _, authority = origin.partition("://")
        try:
            host, port = split_authority(authority, scheme)
        except BadHost:
            return None
        if "." not in host and not is_single_stem(host):
            return None
        if len(self._heads) >= _MEMO_SIZE:
            self._heads.clear()
        known = self._heads[origin] = self._head(scheme, host, port)
        return known

    def _head(self, scheme: str, host: str, port: int | None) -> tuple[str, Tracker]:
        stems = _host_stems(host, self._suffixes)
        head = f"s:{scheme}|{stems}" if port is None else f"s:{scheme}|t:{port}|{stems}"
        return head, tracker_for(host)

    def _query_stem(self, query: str, tracker: Tracker) -> str:
        if query and self._policy.drop_tracking:
            query = drop_tracking(query, tracker)
        return f"q:{query}|" if query else ""


def _path_stems(path: str) -> str:
    """Stems of a recoded path; the lone slash after the host has none."""
    return "p:" + path[1:].replace("/", "|p:") + "|" if len(path) > 1 else ""


def _host_stems(host: str, suffixes: SuffixTable) -> str:
    """Stems of a canonical host. A host that is a public suffix is cut by the next shorter one: it owns no
    tenant."""
    if is_single_stem(host) or "." not in host:
        return f"h:{host}|"
    suffix = suffixes.suffix_of(host)
    if suffix == host:
        suffix = suffixes.suffix_of(host.partition(".")[2])
    labels = host[: -len(suffix) - 1].split(".")
    return f"h:{suffix}|h:" + "|h:".join(labels[::-1]) + "|"


@lru_cache(maxsize=16)
def cutter_for(policy: UrlPolicy) -> UrlCutter:
    """The process's shared cutter for a policy."""
    return UrlCutter(policy)


def url_to_lru(url: str, policy: UrlPolicy = DEFAULT_POLICY) -> str:
    """The key of the page at an absolute URL. Raises BadUrl with the reason in words."""
    return cutter_for(policy).lru(url)
