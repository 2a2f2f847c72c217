"""The precision limit: how fine the nodes are between which links are drawn. Pages themselves are always
kept."""

from collections.abc import Iterable

from memory_structure.errors import InvalidValue
from memory_structure.lru import head_of
from memory_structure.prefixes import PrefixMap


class PrecisionLimit:
    """`limit` stems are kept after the head of an LRU; None makes every page a node. Immutable.

    The head is the longest exception that prefixes the LRU, else its scheme, port and host stems.
    """

    __slots__ = ("_exceptions", "_limit")

    def __init__(self, limit: int | None = None, exceptions: Iterable[str] = ()) -> None:
        if limit is not None and limit < 0:
            raise InvalidValue(f"a precision limit is at least 0 stems, not {limit}")
        self._limit = limit
        self._exceptions: PrefixMap[None] = PrefixMap()
        for prefix in exceptions:
            self._exceptions[prefix] = None

    @property
    def limit(self) -> int | None:
        """Stems kept after the head; None: all."""
        return self._limit

    @property
    def exceptions(self) -> tuple[str, ...]:
        """The exceptions in text order."""
        return tuple(self._exceptions)

    def with_exceptions(self, *prefixes: str) -> "PrecisionLimit":
        """The same limit with these exceptions more."""
        return PrecisionLimit(self._limit, (*self.exceptions, *prefixes))

    def is_exception(self, lru: str) -> bool:
        """Whether full precision restarts exactly at this LRU."""
        return lru in self._exceptions

    def head(self, lru: str) -> str:
        """The part of the LRU that is never shortened and from which stems are counted."""
        if self._exceptions:
            found = self._exceptions.find_owner(lru)
            if found is not None:
                return found[0]
        return head_of(lru)

    def node(self, lru: str) -> str:
        """The LRU's node: itself when it has at most `limit` stems after its head, else head and first
        `limit` stems."""
        if self._limit is None:
            return lru
        end = len(self.head(lru))
        if lru.count("|", end) <= self._limit:
            return lru
        for _ in range(self._limit):
            end = lru.find("|", end) + 1
        return lru[:end]

    def is_node(self, lru: str) -> bool:
        """Whether links to this LRU are kept at its own precision."""
        return self.node(lru) == lru
