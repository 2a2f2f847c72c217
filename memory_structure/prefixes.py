"""Prefixes: an LRU that stands for everything under it. Their variations, and a map that finds the owner
of a page."""

from collections.abc import Iterator
from typing import Any, Generic, TypeVar, cast

from memory_structure.hosts import is_single_stem
from memory_structure.lru import head_of, host_of, split_stems
from memory_structure.suffixes import suffix_table
from memory_structure.urls import DEFAULT_POLICY, UrlPolicy

V = TypeVar("V")


def variations(lru: str, policy: UrlPolicy = DEFAULT_POLICY) -> tuple[str, ...]:
    """The prefixes that mean the same site to people: [itself, other scheme, other www, both], at most four.

    Only itself for IP addresses and localhost. No www forms for single labels, sites registered as "www", and
    wherever one form would be a bare public suffix. Asking for the variations of a variation gives the same
    set. Ports are kept.
    """
    head = head_of(lru)
    if is_single_stem(host_of(head)):
        return (lru,)
    rest = lru[len(head) :]
    heads = [head]
    twin = _www_twin(head, policy)
    if twin is not None:
        heads.append(twin)
    twins = [_other_scheme(h) for h in heads]
    ordered = [heads[0], twins[0], *heads[1:], *twins[1:]]
    return tuple([h + rest for h in ordered])


def _other_scheme(head: str) -> str:
    name, _, rest = head.partition("|")
    return f"{'s:http' if name == 's:https' else 's:https'}|{rest}"


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
    return None if suffixes.is_suffix(host) or suffixes.is_suffix(twin_host) else twin


class PrefixMap(Generic[V]):
    """A map from LRU prefixes to values that answers, fast, which prefix owns an LRU. Works by whole stems.

    A tree of dictionaries: one level a stem; the item of a prefix lies under the key "|", which no stem can
    be.
    """

    __slots__ = ("_n", "_root")

    def __init__(self) -> None:
        self._root: dict[str, Any] = {}
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def __contains__(self, prefix: str) -> bool:
        return self._item(prefix) is not None

    def __getitem__(self, prefix: str) -> V:
        item = self._item(prefix)
        if item is None:
            raise KeyError(prefix)
        return item[1]

    def __iter__(self) -> Iterator[str]:
        """The prefixes, in text order."""
        return (prefix for prefix, _ in self.iter_under(""))

    def __setitem__(self, prefix: str, value: V) -> None:
        node = self._root
        for stem in split_stems(prefix):
            node = node.setdefault(stem, {})
        if "|" not in node:
            self._n += 1
        node["|"] = (prefix, value)

    def __delitem__(self, prefix: str) -> None:
        trail = [self._root]
        stems = split_stems(prefix)
        for stem in stems:
            trail.append(trail[-1].get(stem) or {})
        if "|" not in trail[-1]:
            raise KeyError(prefix)
        del trail[-1]["|"]
        self._n -= 1
        for stem, node in zip(reversed(stems), reversed(trail[:-1]), strict=True):
            if node[stem]:
                return
            del node[stem]

    def get(self, prefix: str) -> V | None:
        """The value set for exactly this prefix, None when there is none."""
        item = self._item(prefix)
        return None if item is None else item[1]

    def find_owner(self, lru: str) -> tuple[str, V] | None:
        """(prefix, value) of the longest prefix that is the LRU or one of its parents; None when there is
        none."""
        node = self._root
        item = node.get("|")
        for stem in lru[:-1].split("|"):
            node = node.get(stem)  # type: ignore[assignment]  # None ends the walk
            if node is None:
                break  # type: ignore[unreachable]
            item = node.get("|") or item
        return item

    def iter_over(self, lru: str) -> Iterator[tuple[str, V]]:
        """(prefix, value) of every prefix that is the LRU or one of its parents, shortest first."""
        node: dict[str, Any] | None = self._root
        for stem in ("", *split_stems(lru)):
            node = node.get(stem) if stem and node else node
            if node is None:
                return
            if "|" in node:
                yield node["|"]

    def iter_under(self, prefix: str) -> Iterator[tuple[str, V]]:
        """(prefix, value) of every prefix at or under the given one, in text order."""
        node = self._node(prefix)
        if node is not None:
            yield from _walk(node)

    def copy(self) -> "PrefixMap[V]":
        """An independent map with the same prefixes and the same value objects."""
        other: PrefixMap[V] = PrefixMap()
        for prefix, value in self.iter_under(""):
            other[prefix] = value
        return other

    def _node(self, prefix: str) -> dict[str, Any] | None:
        node: dict[str, Any] | None = self._root
        for stem in split_stems(prefix):
            node = node.get(stem) if node else None
        return node

    def _item(self, prefix: str) -> tuple[str, V] | None:
        node = self._node(prefix)
        return cast("tuple[str, V] | None", node.get("|")) if node else None


def _walk(node: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Items of a subtree in text order. Stems sort with their closing bar: it comes after letters, not
    before."""
    if "|" in node:
        yield node["|"]
    for stem in sorted(node, key=lambda stem: stem + "|"):
        if stem != "|":
            yield from _walk(node[stem])
