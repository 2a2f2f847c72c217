"""Prefixes that say nothing, and those that nobody may own."""

from __future__ import annotations

from collections.abc import Iterable

from memory_structure.errors import InvalidValue
from memory_structure.hosts import is_single_stem
from memory_structure.lru import head_of, host_of, split_stems
from memory_structure.stored.relabel import outermost
from memory_structure.stored.territory import Territory
from memory_structure.suffixes import suffix_table
from memory_structure.urls import UrlPolicy


def drop_silent(territory: Territory, prefixes: Iterable[str]) -> list[str]:
    """Take prefixes that say nothing, among those at or under the given ones, out of the map; which they
    were. Pages keep their owners."""
    dropped = []
    for top in outermost(prefixes):
        for prefix, owner in list(territory.prefixes.iter_under(top)):
            if says_nothing(territory, prefix, owner):
                del territory.prefixes[prefix]
                dropped.append(prefix)
    return dropped


def says_nothing(territory: Territory, prefix: str, owner: int) -> bool:
    """Whether an owner would own the same without this prefix, of known pages and of those to come.

    Its next prefix above must be the same owner's, and no rule may make an entity between the two. The www
    form of the prefix above stays: the two are read together."""
    above = territory.prefixes.find_owner(parent_of(prefix))
    if above is None or above[1] != owner or above[0] in territory.variations(prefix):
        return False
    return not any(
        decision.creates and decision.prefix is not None and len(decision.prefix) <= len(prefix)
        for decision in (
            territory.rules.decide(lru, above[0]) for lru in (prefix, *territory.rules.anchors_under(prefix))
        )
    )


def parent_of(prefix: str) -> str:
    """The prefix without its last stem."""
    return prefix[: prefix.rfind("|", 0, -1) + 1]


def refuse_suffixes(prefixes: Iterable[str], policy: UrlPolicy) -> None:
    """Raise InvalidValue for a prefix whose host is one stem that belongs to many: a public suffix."""
    for prefix in prefixes:
        host = host_of(prefix)
        n_labels = sum(stem.startswith("h:") for stem in split_stems(head_of(prefix)))
        if n_labels > 1 or is_single_stem(host):
            continue
        suffixes = suffix_table(policy.private_suffixes)
        own_name = policy.allow_single_label_hosts and "." not in host and not suffixes.is_known(host)
        if not own_name and suffixes.is_suffix(host):
            raise InvalidValue(f"{prefix} is a public suffix: every site under .{host} would belong to it")
