"""Who owns which part of the web, by which rules: prefixes, creation rules and precision exceptions, kept in
step with the store."""

from __future__ import annotations

from collections.abc import Iterator

from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule, Decision, Preset, RuleSet
from memory_structure.lru import range_end
from memory_structure.precision import PrecisionLimit
from memory_structure.prefixes import PrefixMap, variations
from memory_structure.storage import Reader, Span
from memory_structure.stored.schema import EXCEPTIONS, PREFIXES, RULES
from memory_structure.stored.state import State
from memory_structure.urls import UrlPolicy


def read_rules(reader: Reader, policy: UrlPolicy) -> RuleSet:
    """The rules as stored."""
    return RuleSet(
        [CreationRule(prefix, Preset.parse(preset)) for prefix, preset in reader.scan(RULES)], policy
    )


def read_precision(reader: Reader, options: CorpusOptions) -> PrecisionLimit:
    """The precision limit with its exceptions, as stored."""
    return PrecisionLimit(options.precision_limit, [row[0] for row in reader.scan(EXCEPTIONS)])


class Territory:
    """A copy in memory of prefixes, rules and precision, validated by the prefix version."""

    def __init__(self) -> None:
        self.prefixes: PrefixMap[int] = PrefixMap()
        self.rules = RuleSet()
        self.precision = PrecisionLimit()
        self.policy = UrlPolicy()
        self._version = -1

    def refresh(self, reader: Reader, state: State, options: CorpusOptions) -> None:
        """Bring the copy to the state's prefix version: additions are read alone, anything else reads all."""
        if self._version == state.prefix_version:
            return
        if self._version < state.prefix_reset:
            self.prefixes = PrefixMap()
            self.reread_rules(reader, options)
            rows = reader.scan(PREFIXES, columns=("prefix", "entity_id"))
        else:
            span = Span("by_version", lower=self._version + 1)
            rows = reader.scan(PREFIXES, span, ("prefix", "entity_id"))
        for prefix, entity_id in rows:
            self.prefixes[prefix] = entity_id
        self._version = state.prefix_version

    def reread_rules(self, reader: Reader, options: CorpusOptions) -> None:
        """Bring rules and precision to what is stored, under these options."""
        self.policy = options.url_policy
        self.rules = read_rules(reader, self.policy)
        self.precision = read_precision(reader, options)

    def forget(self) -> None:
        """Trust nothing of it any more."""
        self._version = -1

    def moved_to(self, prefix_version: int) -> None:
        """Note that the changes made here have become this version."""
        self._version = prefix_version

    def copy(self) -> Territory:
        """An independent one to try changes of prefixes on."""
        other = Territory()
        other.prefixes = self.prefixes.copy()
        other.rules, other.precision, other.policy = self.rules, self.precision, self.policy
        return other

    def decide(self, lru: str) -> Decision:
        """The decision for a page as of now."""
        owner = self.prefixes.find_owner(lru)
        return self.rules.decide(lru, None if owner is None else owner[0])

    def variations(self, prefix: str) -> tuple[str, ...]:
        """The prefixes an entity made at this one takes, when they are free."""
        return variations(prefix, self.policy)

    def intervals(self, prefix: str) -> Iterator[tuple[str, str, int | None]]:
        """Cuts of a subtree in LRU order: (lower, upper, owner or None), each with one owner; together they
        are the subtree."""
        above = self.prefixes.find_owner(prefix)
        open_ends: list[tuple[str, int | None]] = [(range_end(prefix), None if above is None else above[1])]
        position = prefix
        for nested, owner in self.prefixes.iter_under(prefix):
            while open_ends[-1][0] <= nested:
                end, value = open_ends.pop()
                if position < end:
                    yield position, end, value
                position = end
            if position < nested:
                yield position, nested, open_ends[-1][1]
            position = nested
            open_ends.append((range_end(nested), owner))
        while open_ends:
            end, value = open_ends.pop()
            if position < end:
                yield position, end, value
            position = max(position, end)
