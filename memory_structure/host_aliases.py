"""Hosts that stand for another one, such as m.x.com for x.com: their prefixes are variations of each other.

People give pairs (host, host it stands for); `alias_groups` makes of them what `UrlPolicy` carries.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from memory_structure.errors import InvalidValue
from memory_structure.hosts import is_single_stem
from memory_structure.lru import head_of, host_of, url_to_lru
from memory_structure.urls import BadUrl, UrlPolicy

MAX_ALIASES: Final = 1_000
MAX_GROUP: Final = 50  # each entity made at one of the hosts owns the forms of all of them

Pairs = tuple[tuple[str, str], ...]
# Host stems of hosts that are one site, "h:com|h:x|" and "h:com|h:x|h:m|"; the one stood for first.
Groups = tuple[tuple[str, ...], ...]


def checked_aliases(pairs: Iterable[tuple[str, str]], private_suffixes: bool = True) -> Pairs:
    """The pairs in small letters, without www and doubles, sorted.

    Raises InvalidValue for what is no host, stands for itself or for two, or for one that stands for another;
    and for too many.
    """
    known: dict[str, str] = {}
    for alias, main in pairs:
        alias, main = (_host(name, private_suffixes) for name in (alias, main))
        if alias == main or known.get(alias, main) != main:
            raise InvalidValue(f"{alias} must stand for one other host")
        known[alias] = main
    if chained := sorted(set(known) & set(known.values())):
        raise InvalidValue(f"{chained[0]} stands for another host and is stood for")
    found = tuple(sorted(known.items()))
    if len(found) > MAX_ALIASES or any(len(group) > MAX_GROUP for group in alias_groups(found)):
        raise InvalidValue(f"at most {MAX_ALIASES} hosts, and {MAX_GROUP} of one site, are accepted")
    return found


def _host(name: str, private_suffixes: bool) -> str:
    name = name.strip()
    try:
        stems = _stems(name, private_suffixes)
    except BadUrl as error:
        raise InvalidValue(str(error)) from None
    host = host_of("s:http|" + stems)
    if is_single_stem(host) or stems.count("|") < 2 or set(name) & set("/?#@: "):
        raise InvalidValue(f"{name[:100]!r} is not the name of a host of the web")
    return host.removeprefix("www.") if stems.count("|") > 2 else host


def _stems(host: str, private_suffixes: bool) -> str:
    lru = url_to_lru(f"http://{host}/", UrlPolicy(private_suffixes=private_suffixes))
    return head_of(lru).partition("|")[2]


@lru_cache(maxsize=64)
def alias_groups(pairs: Pairs, private_suffixes: bool = True) -> Groups:
    """The groups of hosts, each with the one stood for first. Linear in the pairs."""
    groups: dict[str, list[str]] = {}
    for alias, main in pairs:
        groups.setdefault(main, [_stems(main, private_suffixes)]).append(_stems(alias, private_suffixes))
    return tuple(tuple(group) for group in groups.values())
