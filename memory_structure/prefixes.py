"""Prefixes: an LRU that stands for everything under it. Their variations, and a map that finds the owner
of a page."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Generic, TypeVar

from memory_structure.hosts import MAX_HOST, is_single_stem
from memory_structure.lru import head_of, host_of, range_end, split_stems
from memory_structure.suffixes import suffix_table
from memory_structure.urls import DEFAULT_POLICY, DEFAULT_PORTS, UrlPolicy

V = TypeVar("V")


def variations(lru: str, policy: UrlPolicy = DEFAULT_POLICY) -> tuple[str, ...]:
    """The prefixes that mean the same site to people: [itself, other scheme, other www, both], at most four;
    then those of the hosts that the policy says are one site with this one.

    Only itself for IP addresses and localhost. No www forms for single labels, sites registered as "www", and
    wherever one form would be a bare public suffix. Asking for the variations of a variation gives the same
    set. Ports are kept.
    """
    forms = _forms(lru, policy)
    if not policy.host_aliases:
        return forms
    twins = _alias_twins(lru, policy)
    return tuple(dict.fromkeys([*forms, *(form for twin in twins for form in _forms(twin, policy))]))


def _alias_twins(lru: str, policy: UrlPolicy) -> list[str]:
    """The LRU at the other hosts of its group."""
    head = head_of(lru)
    start = head.find("h:")
    before, host, rest = head[:start], head[start:], lru[len(head) :]
    bare = host.removesuffix("h:www|") if host.count("|") > 2 else host
    return [
        before + other + rest
        for group in policy.host_aliases
        if bare in group
        for other in group
        if other != bare
    ]


def _forms(lru: str, policy: UrlPolicy) -> tuple[str, ...]:
    head = head_of(lru)
    if is_single_stem(host_of(head)):
        return (lru,)
    rest = lru[len(head) :]
    www = _www_twin(head, policy)
    ordered = [head, _other_scheme(head), www, _other_scheme(www)]
    return tuple([found + rest for found in ordered if found is not None])


def _other_scheme(head: str | None) -> str | None:
    """The head with the other scheme; None where its port is that scheme's own, so would not be written."""
    if head is None:
        return None
    scheme, _, rest = head.partition("|")
    other = "https" if scheme == "s:http" else "http"
    return None if rest.startswith(f"t:{DEFAULT_PORTS[other]}|") else f"s:{other}|{rest}"


def _www_twin(head: str, policy: UrlPolicy) -> str | None:
    host = host_of(head)
    labels = [stem for stem in split_stems(head) if stem.startswith("h:")]
    if len(labels) < 2:
        return None
    if labels[-1] != "h:www":
        twin_host, twin = "www." + host, head + "h:www|"
    elif len(labels) > 2 and labels[-2] != "h:www":
        twin_host, twin = host[4:], head[: -len("h:www|")]
    else:  # a site registered as "www", or www twice: nothing to add or take that could be undone
        return None
    suffixes = suffix_table(policy.private_suffixes)
    unfit = suffixes.is_suffix(host) or suffixes.is_suffix(twin_host) or len(twin_host) > MAX_HOST
    return None if unfit else twin


class PrefixMap(Generic[V]):
    """A map from LRU prefixes to values that answers, fast, which prefix owns an LRU. Works by whole stems.

    One flat dictionary, asked for an LRU and its parents from the longest on. Most hosts have no prefix with
    a path: those that have are counted, so that for the others the search begins at the host.
    """

    __slots__ = ("_items", "_n_below_head", "_order")

    def __init__(self) -> None:
        self._items: dict[str, tuple[str, V]] = {}
        self._n_below_head: dict[str, int] = {}
        self._order: list[str] | None = None  # the prefixes sorted; None: to be made again

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, prefix: object) -> bool:
        return prefix in self._items

    def __getitem__(self, prefix: str) -> V:
        return self._items[prefix][1]

    def __iter__(self) -> Iterator[str]:
        """The prefixes, in text order."""
        return iter(self._sorted())

    def __setitem__(self, prefix: str, value: V) -> None:
        if prefix not in self._items:
            self._order = None
            head = head_of(prefix)
            if head != prefix:
                self._n_below_head[head] = self._n_below_head.get(head, 0) + 1
        self._items[prefix] = (prefix, value)

    def __delitem__(self, prefix: str) -> None:
        del self._items[prefix]
        self._order = None
        head = head_of(prefix)
        if head != prefix:
            self._n_below_head[head] -= 1
            if not self._n_below_head[head]:
                del self._n_below_head[head]

    def get(self, prefix: str) -> V | None:
        """The value set for exactly this prefix, None when there is none."""
        item = self._items.get(prefix)
        return None if item is None else item[1]

    def find_owner(self, lru: str) -> tuple[str, V] | None:
        """(prefix, value) of the longest prefix that is the LRU or one of its parents, or None."""
        items = self._items
        end = lru.find("|", lru.rfind("|h:") + 1) + 1
        if lru[:end] in self._n_below_head:
            end = len(lru)
        while end > 0:
            item = items.get(lru[:end])
            if item is not None:
                return item
            end = lru.rfind("|", 0, end - 1) + 1
        return items.get("")

    def iter_over(self, lru: str) -> Iterator[tuple[str, V]]:
        """(prefix, value) of every prefix that is the LRU or one of its parents, shortest first."""
        return reversed(self.list_over(lru))

    def list_over(self, lru: str) -> list[tuple[str, V]]:
        """(prefix, value) of every prefix that is the LRU or one of its parents, longest first."""
        items = self._items
        found = []
        end = lru.find("|", lru.rfind("|h:") + 1) + 1
        if lru[:end] in self._n_below_head:
            end = len(lru)
        while end > 0:
            item = items.get(lru[:end])
            if item is not None:
                found.append(item)
            end = lru.rfind("|", 0, end - 1) + 1
        if "" in items:
            found.append(items[""])
        return found

    def iter_under(self, prefix: str) -> Iterator[tuple[str, V]]:
        """(prefix, value) of every prefix at or under the given one, in text order, as the map is now."""
        order = self._sorted()
        under = order[bisect_left(order, prefix) : bisect_left(order, range_end(prefix))]
        return iter([self._items[found] for found in under])

    def copy(self) -> "PrefixMap[V]":
        """An independent map with the same prefixes and the same value objects."""
        other: PrefixMap[V] = PrefixMap()
        other._items = self._items.copy()
        other._n_below_head = self._n_below_head.copy()
        return other

    def _sorted(self) -> list[str]:
        if self._order is None:
            self._order = sorted(self._items)
        return self._order
