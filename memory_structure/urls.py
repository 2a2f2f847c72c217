"""URLs as text: taken apart, joined, typed by people, sent on the wire. Keys (LRUs) are made in `lru`.

Three forms of one address live here: *raw* as found, *fetch* as sent (`request_url`), and what a person typed
(`clean_user_url`). Only http and https addresses are pages; anything else is refused with a reason in words.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from memory_structure.errors import MemoryStructureError
from memory_structure.hosts import MAX_HOST, BadHost, canonical_host, is_single_stem
from memory_structure.suffixes import suffix_table

DEFAULT_PORTS: Final = {"http": 80, "https": 443}

_CONTROLS_AND_SPACE: Final = "".join(map(chr, range(33)))
_REMOVED_INSIDE: Final = str.maketrans("", "", "\t\r\n\0")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_BEFORE_QUERY: Final = re.compile(r"[^?#]*")
# Nothing to repair: printable ASCII without space and backslash.
_PLAIN_REFERENCE: Final = re.compile(r"[!-\[\]-~]*+")
_PLAIN_ABSOLUTE: Final = re.compile(r"https?://[!-\[\]-~]+")
_PLAIN_REQUEST: Final = re.compile(
    r"(https?://(?:[a-z0-9_\-]{1,63}\.)++[a-z][a-z0-9_\-]{0,62})"
    r"(/[!$-;=@-Z_a-z~]*+)(\?[!$-&(-;=?-Z_a-z~]++)?(?:#.*)?",
    re.DOTALL,
)
_UNSAFE_IN_PATH: Final = re.compile(r"[^!$-;=@-Z_a-z~]+")
_UNSAFE_IN_QUERY: Final = re.compile(r"[^!$-&(-;=?-Z_a-z~]+")
_ENCODED_DOTS: Final = re.compile(r"/(\.?%2[eE]|%2[eE]\.|%2[eE]%2[eE])(?=/|$)")
_ALPHANUMERIC: Final = frozenset(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LOOKS_LIKE_PORT: Final = re.compile(r"[^:/?#\s]+:[0-9]+(?:[/?#]|$)")
_TYPING_SLIP: Final = re.compile(r"[^\s/?#:.]*[a-z]\.[A-Z][a-z]+")
_USERINFO: Final = re.compile(r"((?:[A-Za-z][A-Za-z0-9+.\-]*:)?[/\\]{2,})[^/\\?#]*@")
_EMAIL: Final = re.compile(r"[^\s/?#:@]+@[^\s/?#:@]+")
_INVISIBLE: Final = "\u200b\u200c\u200d\u2060\ufeff\u00ad"


@dataclass(frozen=True, slots=True)
class UrlPolicy:
    """How a corpus turns addresses into keys. Recorded with the corpus: changing it changes identities.

    `drop_tracking`: tracking and session parameters are no part of the key. `private_suffixes`: each tenant
    of a blog host is its own registrant. `allow_single_label_hosts`: "http://intranet/" is a page.
    `max_length`: characters. `host_aliases`: groups of hosts, as host stems, whose prefixes are variations of
    each other; they change no key.
    """

    drop_tracking: bool = True
    private_suffixes: bool = True
    allow_single_label_hosts: bool = False
    max_length: int = 4096
    host_aliases: tuple[tuple[str, ...], ...] = ()


DEFAULT_POLICY: Final = UrlPolicy()


class BadUrl(MemoryStructureError, ValueError):
    """This text is not the address of a web page. `url` is the text, `reason` says why in words."""

    def __init__(self, url: str, reason: str) -> None:
        shown = url if len(url) <= 200 else url[:200] + "..."
        super().__init__(f"{shown!r} is not a usable web address: {reason}")
        self.url = url
        self.reason = reason


class UrlParts(NamedTuple):
    """A raw http(s) URL taken apart; a NamedTuple because millions are made. Path, query and fragment are
    raw.

    `host` is canonical, `port` None when it is the scheme's own; path "" or beginning with a slash.
    """

    scheme: str
    host: str
    port: int | None
    path: str
    query: str
    fragment: str

    @property
    def origin(self) -> str:
        """Scheme, host and port: "https://e.org:8443"."""
        return f"{self.scheme}://{self.host}" + (f":{self.port}" if self.port is not None else "")


def tidy(raw: str) -> str:
    """The text as browsers read an address: outer controls and spaces, inner tabs, line breaks and NULs
    removed; backslashes before the query are slashes; a lone surrogate is the replacement character."""
    text = raw.translate(_REMOVED_INSIDE).strip(_CONTROLS_AND_SPACE)
    if "\\" in text:
        before = _BEFORE_QUERY.match(text)
        end = before.end() if before else 0
        text = text[:end].replace("\\", "/") + text[end:]
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def split_url(raw: str, policy: UrlPolicy = DEFAULT_POLICY) -> UrlParts:
    """The parts of an absolute http(s) URL. Raises BadUrl with the reason."""
    if len(raw) > policy.max_length:
        raise BadUrl(raw, f"it has {len(raw)} characters, more than {policy.max_length}")
    text = tidy(raw)
    scheme = _scheme_of(raw, text)
    rest, _, fragment = text[len(scheme) + 3 :].partition("#")
    rest, _, query = rest.partition("?")
    authority, slash, path = rest.partition("/")
    try:
        host, port = split_authority(authority, scheme)
    except BadHost as error:
        raise BadUrl(raw, str(error)) from error
    _refuse_unwanted_host(raw, host, policy)
    return UrlParts(scheme, host, port, slash + path, query, fragment)


def _scheme_of(raw: str, text: str) -> str:
    found = _SCHEME.match(text)
    if not found:
        raise BadUrl(raw, "it does not begin with http:// or https://" if text else "it is empty")
    scheme = found[1].lower()
    if scheme not in DEFAULT_PORTS:
        raise BadUrl(raw, f"its scheme is {scheme}, only http and https are web pages")
    if not text.startswith("//", found.end()):
        raise BadUrl(raw, f"two slashes are missing after {scheme}:")
    return scheme


def without_userinfo(url: str) -> str:
    """The address without user and password, which are never stored; any other text as it is."""
    return _USERINFO.sub(r"\1", url, count=1) if "@" in url and _USERINFO.match(url) else url


def split_authority(authority: str, scheme: str) -> tuple[str, int | None]:
    """(canonical host, port unless the scheme's own) of "user:password@host:port"; user and password are
    dropped."""
    place = authority.rpartition("@")[2]
    host, port = place, ""
    if ":" in place and not place.endswith("]"):
        host, _, port = place.rpartition(":")
        if not host:
            raise BadHost("there is no host before the port")
    canonical = canonical_host(host)
    number = _port_number(port)
    return canonical, None if number == DEFAULT_PORTS[scheme] else number


def _port_number(port: str) -> int | None:
    if not port:
        return None
    if not (port.isascii() and port.isdigit()):
        raise BadHost(f"the port {port!r} is not a number")
    number = int(port[-20:])
    if not 0 < number < 65536 or len(port) > 20:
        raise BadHost(f"the port {port} is not between 1 and 65535")
    return number


def _refuse_unwanted_host(raw: str, host: str, policy: UrlPolicy) -> None:
    if "." in host or is_single_stem(host):
        return
    if suffix_table(policy.private_suffixes).is_known(host):
        raise BadUrl(raw, f"{host} is a top-level domain, not a site")
    if not policy.allow_single_label_hosts:
        raise BadUrl(raw, f"the host {host} has a single label: only private networks have such")


def remove_dot_segments(path: str) -> str:
    """A path ("" or beginning with a slash) with "." and ".." resolved as in RFC 3986 5.2.4; slash runs
    are kept."""
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            if kept:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    return "/" + "/".join(kept)


class _Base(NamedTuple):
    """What relative references need of a base URL; `itself` has no fragment, `folder` ends with a slash."""

    scheme: str
    origin: str
    folder: str
    before_query: str
    itself: str


@lru_cache(maxsize=512)
def _base(url: str) -> _Base:
    itself = _resolve_dots(tidy(url).partition("#")[0])
    before_query = itself.partition("?")[0]
    scheme, _, rest = before_query.partition("://")
    authority, _, path = rest.partition("/")
    origin = f"{scheme}://{authority}"
    folder = "/" + path.rpartition("/")[0] + "/" if "/" in path else "/"
    return _Base(scheme, origin, folder, before_query, itself)


def join_url(base: str, href: str) -> str:
    """The absolute URL of a link found on a page, resolved as RFC 3986 5 says and browsers do; the fragment
    is kept.

    `base` is an absolute URL. An empty reference is the base itself; "?x" keeps the base's path; "http:g" is
    not read as relative. Never fails: what comes out may be no page (mailto:, bad host), which `url_to_lru`
    refuses.
    """
    if _PLAIN_ABSOLUTE.fullmatch(href) and "/." not in href:
        return href
    if not _PLAIN_REFERENCE.fullmatch(href):
        href = tidy(href)
    first = href[:1]
    if not first:
        return _base(base).itself
    if first == "/":
        return _join_rooted(base, href)
    if first in "?#":
        kept = _base(base)
        return (kept.before_query if first == "?" else kept.itself) + href
    if _SCHEME.match(href):
        return _resolve_dots(href)
    kept = _base(base)
    return kept.origin + _path_resolved(kept.folder + href)


def _join_rooted(base: str, href: str) -> str:
    kept = _base(base)
    if href.startswith("//"):
        return _resolve_dots(f"{kept.scheme}:{href}")
    return kept.origin + _path_resolved(href)


def _path_resolved(path_and_rest: str) -> str:
    if "/." not in path_and_rest:
        return path_and_rest
    match = _BEFORE_QUERY.match(path_and_rest)
    end = match.end() if match else 0
    return remove_dot_segments(path_and_rest[:end]) + path_and_rest[end:]


def _resolve_dots(absolute: str) -> str:
    start, _, rest = absolute.partition("://")
    if "/." not in rest:
        return absolute
    authority, slash, path = rest.partition("/")
    if "?" in authority or "#" in authority:
        return absolute
    return f"{start}://{authority}{_path_resolved(slash + path)}"


def request_url(raw: str, encoding: str = "utf-8") -> str:
    """The fetch form of an absolute raw URL: what is sent, with nothing of its meaning changed. Raises
    BadUrl.

    Unsafe characters are encoded much as browsers do (the query in the page's `encoding`, the rest in UTF-8),
    existing escapes stay as they are, the host is in ASCII, dot segments are resolved; fragment, user and
    password dropped.
    """
    plain = _PLAIN_REQUEST.fullmatch(raw)
    if plain and "/." not in plain[2] and "%2" not in plain[2]:
        origin, path, query = plain.groups("")
        if len(raw) <= DEFAULT_POLICY.max_length and len(origin) <= MAX_HOST and "xn--" not in origin:
            return origin + path + query
    parts = split_url(raw, UrlPolicy(allow_single_label_hosts=True))
    path = remove_dot_segments(_ENCODED_DOTS.sub(_as_dots, parts.path)) or "/"
    url = parts.origin + _UNSAFE_IN_PATH.sub(_percent_utf8, path)
    return f"{url}?{_encode_query(parts.query, encoding)}" if parts.query else url


def _as_dots(match: re.Match[str]) -> str:
    return "/" + match[1].lower().replace("%2e", ".")


def _percent_utf8(match: re.Match[str]) -> str:
    return "".join([f"%{octet:02X}" for octet in match[0].encode("utf-8")])


def _encode_query(query: str, encoding: str) -> str:
    """Characters that the page's encoding lacks go as decimal references, as forms send them."""

    def percent(match: re.Match[str]) -> str:
        octets = match[0].encode(encoding, "xmlcharrefreplace")
        return "".join([chr(octet) if octet in _ALPHANUMERIC else f"%{octet:02X}" for octet in octets])

    return _UNSAFE_IN_QUERY.sub(percent, query)


def clean_user_url(text: str, policy: UrlPolicy = DEFAULT_POLICY) -> str:
    """The URL a person meant by what they typed or pasted: trimmed, with http:// when there is no scheme.

    Raises BadUrl for what is rather a mistake: several words, an e-mail address, two sentences run together
    ("end.Then"), another scheme, a scheme without its slashes or twice, a host that cannot be one.
    """
    url = text.strip().strip(_INVISIBLE + _CONTROLS_AND_SPACE).strip()
    if not url:
        raise BadUrl(text, "it is empty")
    if re.search(r"\s(?:https?:)?//", url):
        raise BadUrl(text, "there is more than one address")
    if url.startswith("//"):
        url = "http:" + url
    elif not _SCHEME.match(url) or _LOOKS_LIKE_PORT.match(url):
        url = "http://" + _without_typing_slip(text, url)
    split_url(url, policy)
    return without_userinfo(tidy(url))


def _without_typing_slip(text: str, url: str) -> str:
    if re.search(r"\s", url):
        raise BadUrl(text, "it has spaces and does not begin with http:// or https://")
    if _EMAIL.fullmatch(url):
        raise BadUrl(text, "it is an e-mail address")
    if _TYPING_SLIP.fullmatch(url):
        raise BadUrl(text, "it looks like two sentences run together; begin it with http:// if it is a site")
    if "://" in url.partition("?")[0]:
        raise BadUrl(text, "what stands before :// is not a scheme")
    return url
