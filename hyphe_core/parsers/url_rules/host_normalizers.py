"""Normalisers driven by a table of hosts: another host, another scheme, a final slash or none.

They say nothing about URLs of hosts that are not in the table, and refuse malformed ones.
"""

from __future__ import annotations

from collections.abc import Mapping

from hyphe_core.parsers.url_rules.addresses import split_address
from hyphe_core.parsers.url_rules.steps import BadRules, Normalizer, Scope

# A dot among so many characters at the end of a path begins the suffix of a file.
_N_SUFFIX_CHARACTERS = 6


class HostNormalizer(Normalizer):
    """Replaces hosts. `*.x` stands for all hosts below `x`, not for `x` itself; an exact host counts before a
    wildcard, a wildcard for more hosts before one for fewer (`*.x.org` before `*.y.x.org`, `*.org` last)."""

    __slots__ = ("_hosts",)

    def __init__(self, hosts: Mapping[str, str]) -> None:
        self._hosts = {host.lower(): other for host, other in hosts.items()}

    def normalize(self, url: str, scope: Scope = Scope.DEFAULT) -> str:
        """The URL with its host replaced and nothing else changed."""
        address = split_address(url)
        if not address.host:
            return url
        other = self._other_host(address.host.lower())
        if other is None:
            return url
        authority = address.authority or ""
        before, at, place = authority.rpartition("@")
        return address._replace(authority=before + at + other + place[len(address.host) :]).text

    def _other_host(self, host: str) -> str | None:
        exact = self._hosts.get(host)
        if exact is not None:
            return exact
        labels = host.rstrip(".").split(".")
        for n_labels in (*range(2, len(labels)), 1):
            other = self._hosts.get("*." + ".".join(labels[-n_labels:])) if n_labels < len(labels) else None
            if other is not None:
                return other
        return None


class ProtocolNormalizer(Normalizer):
    """Replaces the scheme of hosts, unless the URL names a port. `*.x` stands for `x` and all hosts below.

    A URL that is rewritten loses its user and fragment.
    """

    __slots__ = ("_schemes",)

    def __init__(self, schemes: Mapping[str, str]) -> None:
        self._schemes = {host.lower(): scheme.lower() for host, scheme in schemes.items()}

    def normalize(self, url: str, scope: Scope = Scope.DEFAULT) -> str:
        """The URL with its scheme replaced."""
        address = split_address(url)
        if not address.host or address.port is not None:
            return url
        scheme = self._scheme_of(address.host.lower())
        if scheme is None or scheme == address.scheme:
            return url
        return address._replace(scheme=scheme, authority=address.host, fragment=None).text

    def _scheme_of(self, host: str) -> str | None:
        exact = self._schemes.get(host)
        while exact is None and host:
            exact = self._schemes.get("*." + host)
            host = host.partition(".")[2]
        return exact


class SlashNormalizer(Normalizer):
    """Adds (`+`) or removes (`-`) the slash at the end of the path, by exact host.

    The root stays as it is. None is added to what looks like a file: a path of six characters or more with a
    dot among the last six. A URL that is rewritten loses its port, user and fragment, as in Nutch: list only
    hosts on the scheme's own port.
    """

    __slots__ = ("_adds",)

    def __init__(self, signs: Mapping[str, str]) -> None:
        """Raises BadRules for a sign that is neither."""
        unknown = next((sign for sign in signs.values() if sign not in ("+", "-")), None)
        if unknown is not None:
            raise BadRules(f"a host's slash is '+' or '-', not {unknown!r}")
        self._adds = {host.lower(): sign == "+" for host, sign in signs.items()}

    def normalize(self, url: str, scope: Scope = Scope.DEFAULT) -> str:
        """The URL with its final slash as the host wants it."""
        address = split_address(url)
        path, adds = address.path, self._adds.get(address.host.lower())
        if adds is None or len(path) <= 1 or path.endswith("/") is adds:
            return url
        if not adds:
            path = path[:-1]
        elif len(path) < _N_SUFFIX_CHARACTERS or "." not in path[-_N_SUFFIX_CHARACTERS:]:
            path += "/"
        else:
            return url
        return address._replace(authority=address.host, path=path, fragment=None).text


def read_host_table(text: str) -> dict[str, str]:
    """Host -> value of a text with one pair a line, parted by white space; comments begin with a hash.

    Raises BadRules for a line that is not a pair.
    """
    table: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2:
            raise BadRules(f"line {number}: a host and its value, not {line.strip()!r}")
        table[words[0].lower()] = words[1]
    return table
