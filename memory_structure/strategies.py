"""Hypothesis strategies for hosts, URLs, LRUs and prefixes. It alone imports hypothesis: for tests only.

Values are biased towards what breaks URL code: public suffixes with tenants, "www" everywhere, escapes in
every spelling, dot segments, empty segments, bars, default ports, text outside ASCII.
"""

from collections.abc import Callable

from hypothesis import strategies as st

from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.lru import entity_prefix, join_stems, split_stems, url_to_lru

# Each is a public suffix: ordinary, of two labels, private, under a wildcard, unknown to the list, non-ASCII.
PUBLIC_SUFFIXES = "com org fr co.uk gouv.fr github.io kobe.jp example.ck bzh zzz xn--p1ai".split()

_ODD_TEXT = (
    *("%41", "%2f", "%2F", "%c3%a9", "%C3%A9", "%E9", "%", "%%", "%2", "%zz", "%7C", "%2e", "%25", "%28x%29"),
    *(
        "|",
        "|h:",
        "|p:",
        "é",
        "東京",
        "\U0001f600",
        " ",
        "+",
        "&",
        "=",
        ";",
        "'",
        '"',
        "<",
        "[]",
        "{",
        "^",
        "`",
        "\x7f",
        ":",
        "@",
    ),
)
_TRACKED = ("utm_source=x", "fbclid=1", "gclid", "ref=fb", "ref=other", "s=20", "utm%5Fmedium=y")

labels = st.one_of(
    st.sampled_from(["www", "blog", "a", "x-1", "_dmarc", "m", "example", "xn--bcher-kva"]),
    st.from_regex(r"[a-z0-9][a-z0-9_-]{0,8}", fullmatch=True).filter(lambda label: "--" not in label),
)


def named_hosts(min_labels: int = 0, max_labels: int = 4) -> st.SearchStrategy[str]:
    """Canonical host names below a public suffix."""
    below = st.lists(labels, min_size=min_labels, max_size=max_labels)
    ahead = st.sampled_from([[], [], ["www"], ["www", "www"]])
    suffixes = st.sampled_from(PUBLIC_SUFFIXES)
    hosts = st.builds(lambda www, parts, suffix: ".".join([*www, *parts, suffix]), ahead, below, suffixes)
    return hosts.filter(lambda host: "." in host)


special_hosts = st.one_of(
    st.just("localhost"),
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).filter(lambda ip: "." not in str(ip)).map(lambda ip: f"[{ip}]"),
)


def hosts() -> st.SearchStrategy[str]:
    """Canonical hosts: names, IP addresses, localhost."""
    return st.one_of(named_hosts(), named_hosts(), special_hosts)


def _messy(alphabet: str) -> st.SearchStrategy[str]:
    piece = st.one_of(st.sampled_from(_ODD_TEXT), st.text(alphabet, max_size=4))
    return st.lists(piece, max_size=4).map("".join)


_segments = st.one_of(
    st.sampled_from([".", "..", "", "index.html", "a..a", "page:1", "%2e%2E", ".x"]),
    _messy("abcXYZ019-_~!$'()*,."),
)
_paths = st.lists(_segments, max_size=5).map(lambda parts: "".join("/" + part for part in parts))
_queries = st.lists(st.one_of(st.sampled_from(_TRACKED), _messy("abc=09/?")), max_size=4).map("&".join)
_ports = st.sampled_from(["", "", "", ":80", ":443", ":8080", ":", ":00080"])


@st.composite
def urls(draw: Callable[[st.SearchStrategy[str]], str]) -> str:
    """Raw http(s) URLs as found in pages: `url_to_lru` takes every one, few are in canonical form."""
    scheme = draw(st.sampled_from(["http", "https", "HTTP", "Https"]))
    user = draw(st.sampled_from(["", "", "", "user@", "user:pw@"]))
    host = draw(hosts().flatmap(_spelled))
    query = draw(st.one_of(st.just(""), _queries.map(lambda text: "?" + text)))
    fragment = draw(st.one_of(st.just(""), _messy("abc!/#?").map(lambda text: "#" + text)))
    outer = draw(st.sampled_from(["", "", " ", "\n\t"]))
    return f"{outer}{scheme}://{user}{host}{draw(_ports)}{draw(_paths)}{query}{fragment}{outer}"


def _spelled(host: str) -> st.SearchStrategy[str]:
    """The same host in other spellings."""
    if host.startswith("[") or host[-1].isdigit() or host == "localhost":
        return st.sampled_from([host, host.upper()])
    return st.sampled_from(
        [host, host, host.upper(), host + ".", host.replace(".", "\u3002"), host.replace("a", "%61")]
    )


def lrus() -> st.SearchStrategy[str]:
    """Canonical page LRUs."""
    return urls().map(url_to_lru)


def related_lrus(min_size: int = 2, max_size: int = 30) -> st.SearchStrategy[list[str]]:
    """Lists of LRUs of few sites, so that many lie under one another."""
    few = st.builds(
        lambda scheme, host, parts: url_to_lru(f"{scheme}://{host}{parts}"),
        st.sampled_from(["http", "https"]),
        st.sampled_from(
            [
                "e.org",
                "www.e.org",
                "blog.e.org",
                "e.org:8080",
                "e.com",
                "x.github.io",
                "github.io",
                "e.orga.org",
            ]
        ),
        st.lists(st.sampled_from(["/a", "/b", "/", "/art", "/article", "/a-b", "/é"]), max_size=4).map(
            "".join
        ),
    )
    return st.lists(st.one_of(few, few, lrus()), min_size=min_size, max_size=max_size)


@st.composite
def prefixes_of(draw: Callable[[st.SearchStrategy[int]], int], lru: str) -> str:
    """Entity prefixes of an LRU: itself or a parent, at least its first host stem, without final slash."""
    stems = split_stems(lru)
    shortest = 1 + next(at for at, stem in enumerate(stems) if stem.startswith("h:"))
    return entity_prefix(join_stems(stems[: draw(st.integers(shortest, len(stems)))]))


def prefixes() -> st.SearchStrategy[str]:
    """Entity prefixes."""
    return lrus().flatmap(prefixes_of)


presets = st.one_of(
    st.sampled_from(["domain", "subdomain", "page"]),
    st.builds("{}{}".format, st.sampled_from(["subdomain-", "path-", "prefix+"]), st.integers(1, 4)),
).map(Preset.parse)


def rules_for(lru: str) -> st.SearchStrategy[list[CreationRule]]:
    """Rules anchored on the path of an LRU, sometimes with a default rule."""
    anchored = st.builds(CreationRule, prefixes_of(lru), presets)
    default = st.builds(CreationRule, st.just(""), presets)
    return st.lists(st.one_of(anchored, anchored, default), max_size=4)
