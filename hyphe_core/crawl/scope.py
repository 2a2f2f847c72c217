"""Which pages a job fetches: those whose longest matching prefix is a follow prefix. Frozen at launch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from memory_structure.lru import head_of
from memory_structure.prefixes import PrefixMap

_MEMO_SIZE: Final = 4096


class Scope:
    """Decides by prefixes alone. Remembers hosts without any prefix, boundedly: most links leave the site
    for few hosts."""

    __slots__ = ("_foreign", "_owners")

    def __init__(self, follow: Iterable[str], nofollow: Iterable[str] = ()) -> None:
        self._owners: PrefixMap[bool] = PrefixMap()
        for prefix in nofollow:
            self._owners[prefix] = False
        for prefix in follow:
            self._owners[prefix] = True
        self._foreign: dict[str, bool] = {}

    def follows(self, lru: str) -> bool:
        """Whether a page is fetched. A prefix in both lists is followed."""
        head = head_of(lru)
        foreign = self._foreign.get(head)
        if foreign is None:
            foreign = self._learn(head)
        if foreign:
            return False
        owner = self._owners.find_owner(lru)
        return owner is not None and owner[1]

    def _learn(self, head: str) -> bool:
        """Whether no prefix lies over or under a host, so that no page of it can be in scope."""
        foreign = next(self._owners.iter_over(head), None) is None
        foreign = foreign and next(self._owners.iter_under(head), None) is None
        if len(self._foreign) >= _MEMO_SIZE:
            self._foreign.clear()
        self._foreign[head] = foreign
        return foreign
