"""LRUs: an address turned round, most general part first, so that string order keeps each site's pages
together.

`s:http|h:fr|h:sciences-po|h:medialab|p:hci|q:a=1|`: stems `s` scheme, `t` port (unless the scheme's own), `h`
host label (the public suffix is one stem), `p` path segment, `q` whole query, `f` fragment, each closed by a
bar that occurs nowhere else. LRUs are plain ASCII `str` on hot paths; `Lru` is the value type. A page's key
never has a fragment.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from memory_structure.hosts import unicode_host
from memory_structure.url_cutter import UrlCutter, cutter_for, url_to_lru
from memory_structure.urls import (
    DEFAULT_POLICY,
    BadUrl,
    UrlPolicy,
    clean_user_url,
    join_url,
    request_url,
)

__all__ = [
    "DEFAULT_POLICY",
    "BadLru",
    "BadUrl",
    "Lru",
    "UrlCutter",
    "UrlPolicy",
    "canonical_lru",
    "clean_user_url",
    "display_url",
    "entity_prefix",
    "head_of",
    "host_of",
    "is_under",
    "join_stems",
    "join_url",
    "lru_name",
    "lru_to_url",
    "parent_lrus",
    "range_end",
    "request_url",
    "split_stems",
    "url_to_lru",
]

_MEMO_SIZE: Final = 1 << 16  # heads whose origin is remembered, then begun again
_CLIENT_BORDER: Final = re.compile(r"\|(?=[shtpqf]:)")
_ILL_FORMED: Final = "its stems are not a scheme, a host, then path, query and fragment, each closed by a bar"
_KINDS_IN_ORDER: Final = re.compile(r"st?h+p*q?f?")


class BadLru(BadUrl):
    """This text is not the LRU of a web address. `url` is the text, `reason` says why in words."""


_origins: dict[str, str] = {}


def lru_to_url(lru: str) -> str:
    """The readable URL of a key, in ASCII, without the lone slash after the host: "http://x.com",
    "http://x.com?a=1".

    Cut again, it gives the same LRU. Raises BadLru when the text has no scheme and host.
    """
    end = lru.find("|", lru.rfind("|h:") + 1) + 1
    head = lru[:end]
    origin = _origins.get(head) or _remember_origin(lru, head)
    if end == len(lru):
        return origin
    if lru.startswith("p:", end):
        path, query_follows, query = lru[end + 2 : -1].partition("|q:")
        url = f"{origin}/{path.replace('|p:', '/')}"
        if query_follows:
            url = f"{url}?{query}"
    elif lru.startswith("q:", end):
        url = f"{origin}?{lru[end + 2 : -1]}"
    else:
        url = f"{origin}|{lru[end:-1]}"
    return _with_fragment(lru, url) if "|" in url else url


def _with_fragment(lru: str, url: str) -> str:
    """The only bar left in a URL is that before its fragment stem."""
    before, _, fragment = url.partition("|f:")
    if "|" in before or "|" in fragment:
        raise BadLru(lru, _ILL_FORMED)
    return f"{before}#{fragment}"


def _remember_origin(lru: str, head: str) -> str:
    kinds = "".join([stem[:1] for stem in split_stems(head)])
    if not re.fullmatch("st?h+", kinds):
        raise BadLru(lru, "it does not begin with a scheme, perhaps a port, and a host")
    stems = split_stems(head)
    port = f":{stems[1][2:]}" if kinds[1] == "t" else ""
    origin = f"{stems[0][2:]}://{host_of(head)}{port}"
    if len(_origins) >= _MEMO_SIZE:
        _origins.clear()
    _origins[head] = origin
    return origin


def split_stems(lru: str) -> tuple[str, ...]:
    """The stems with their letters, without bars: ("s:http", "h:com", "h:x")."""
    return tuple(lru[:-1].split("|")) if lru else ()


def join_stems(stems: Iterable[str]) -> str:
    """The LRU of these stems, each closed by a bar: the inverse of `split_stems`."""
    return "".join([stem + "|" for stem in stems])


def parent_lrus(lru: str) -> list[str]:
    """The LRUs above, longest first, down to the scheme; the LRU itself is not among them."""
    parents = []
    end = lru.rfind("|", 0, -1)
    while end > 0:
        parents.append(lru[: end + 1])
        end = lru.rfind("|", 0, end)
    return parents


def head_of(lru: str) -> str:
    """The scheme, port and host stems."""
    return lru[: lru.find("|", lru.rfind("|h:") + 1) + 1]


def host_of(lru: str) -> str:
    """The host in ASCII: "medialab.sciences-po.fr"."""
    labels = [stem[2:] for stem in split_stems(head_of(lru)) if stem[:2] == "h:"]
    return ".".join(labels[::-1])


def is_under(lru: str, prefix: str) -> bool:
    """Whether the prefix is the LRU itself or one of its parents. Both end with a bar; "" is above all."""
    return lru.startswith(prefix)


def range_end(prefix: str) -> str:
    """A text just after every LRU under a prefix: its subtree is `prefix <= lru <
    range_end(prefix)`."""
    return prefix[:-1] + "}" if prefix else "t"  # "}" follows the bar in ASCII; every LRU begins with "s"


def entity_prefix(lru: str) -> str:
    """The prefix an entity may own for this address: without final slash (empty path stems at the end)."""
    while lru.endswith("|p:|"):
        lru = lru[:-3]
    return lru


def canonical_lru(client_lru: str, policy: UrlPolicy = DEFAULT_POLICY) -> str:
    """The key for an LRU cut by someone else's rules: turned into a URL and cut again. Raises BadLru.

    Fragments, lone slashes, default ports, other escapes and suffixes in several stems disappear on the way.
    """
    stems = _CLIENT_BORDER.split(client_lru.strip().removesuffix("|"))
    kinds = "".join([stem[0] if stem[1:2] == ":" else "?" for stem in stems])
    if not _KINDS_IN_ORDER.fullmatch(kinds):
        raise BadLru(client_lru, _ILL_FORMED)
    try:
        return cutter_for(policy).lru(_url_of_client_stems(client_lru, stems))
    except BadLru:
        raise
    except BadUrl as error:
        raise BadLru(client_lru, error.reason) from error


def _url_of_client_stems(client_lru: str, stems: list[str]) -> str:
    def values(kind: str) -> list[str]:
        return [stem[2:] for stem in stems if stem[0] == kind]

    # No host has a bar: one at its end is an empty stem, of a client that wanted more stems than there are.
    labels = [label.rstrip("|") for label in values("h")]
    if any("." in label for label in labels[1:]):
        raise BadLru(client_lru, "a host label has a dot in it")
    port = "".join(f":{number}" for number in values("t"))
    url = f"{values('s')[0]}://{'.'.join(labels[::-1])}{port}"
    segments = [segment.replace("?", "%3F").replace("#", "%23") for segment in values("p")]
    if segments:
        url += "/" + "/".join(segments)
    return url + "".join("?" + query.replace("#", "%23") for query in values("q"))


def display_url(lru: str) -> str:
    """The URL for people's eyes: host and escapes in Unicode where they are text. Not meant to be parsed."""
    host = host_of(lru)
    url = lru_to_url(lru).replace(host, unicode_host(host), 1)
    return re.sub(r"(?:%[89A-F][0-9A-F])+", _as_text, url)


def _as_text(match: re.Match[str]) -> str:
    text = unquote(match[0], errors="strict") if _is_utf8(match[0]) else match[0]
    return text if text.isprintable() else match[0]


def _is_utf8(escapes: str) -> bool:
    try:
        bytes.fromhex(escapes.replace("%", "")).decode()
    except UnicodeDecodeError:
        return False
    return True


def lru_name(lru: str) -> str:
    """The default name of an entity at this prefix: "maps.Google.com /.../b ?x=1 #t", in Unicode.

    The registered label is capitalised, a leading www left out; of a deep path only the last segment is told.
    """
    stems = split_stems(lru)
    labels = [unicode_host(stem[2:]) for stem in stems if stem[:2] == "h:"]
    parts = [_host_name(labels)]
    parts += [f":{stem[2:]}" for stem in stems if stem[:2] == "t:"]
    segments = [stem[2:] for stem in stems if stem[:2] == "p:" and stem != "p:"]
    if segments:
        parts.append(("/.../" if len(segments) > 1 else "/") + segments[-1])
    marks = {"q:": "?", "f:": "#"}
    parts += [marks[stem[:2]] + stem[2:] for stem in stems if stem[:2] in marks]
    return re.sub(r"(?:%[89A-F][0-9A-F])+", _as_text, " ".join(parts))


def _host_name(labels: list[str]) -> str:
    if len(labels) > 2 and labels[-1] == "www":
        labels = labels[:-1]
    if len(labels) > 1:
        labels = [labels[0], labels[1].title(), *labels[2:]]
    return ".".join(labels[::-1])


@dataclass(frozen=True, slots=True, order=True)
class Lru:
    """One LRU as a value; ordered as its text. Make it with `from_url` or `parse`."""

    text: str

    @classmethod
    def from_url(cls, url: str, policy: UrlPolicy = DEFAULT_POLICY) -> "Lru":
        """The key of the page at an absolute URL. Raises BadUrl."""
        return cls(url_to_lru(url, policy))

    @classmethod
    def parse(cls, text: str) -> "Lru":
        """The LRU of that text, which must be well formed: stems in order, each closed by a bar. Raises
        BadLru."""
        kinds = "".join([stem[0] if stem[1:2] == ":" else "?" for stem in split_stems(text)])
        if not text.endswith("|") or not _KINDS_IN_ORDER.fullmatch(kinds):
            raise BadLru(text, _ILL_FORMED)
        return cls(text)

    def __str__(self) -> str:
        return self.text

    @property
    def stems(self) -> tuple[str, ...]:
        """The stems with their letters, without bars."""
        return split_stems(self.text)

    @property
    def scheme(self) -> str:
        """The scheme: "http" or "https"."""
        return self.stems[0][2:]

    @property
    def port(self) -> int | None:
        """The port, None when it is the scheme's own."""
        second = self.stems[1]
        return int(second[2:]) if second.startswith("t:") else None

    @property
    def host_stems(self) -> tuple[str, ...]:
        """The host's stems with their letters, public suffix first."""
        return tuple(stem for stem in self.stems if stem.startswith("h:"))

    @property
    def url(self) -> str:
        """The readable URL, without the lone slash after the host."""
        return lru_to_url(self.text)

    @property
    def head(self) -> "Lru":
        """The scheme, port and host stems."""
        return Lru(head_of(self.text))

    def parents(self) -> "list[Lru]":
        """The LRUs above that have a host, longest first."""
        return [Lru(text) for text in parent_lrus(self.text) if "|h:" in text]

    def startswith_lru(self, prefix: "Lru") -> bool:
        """Whether the prefix is this LRU or one of its parents."""
        return self.text.startswith(prefix.text)
