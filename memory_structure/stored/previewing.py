"""What moving prefixes would do, worked out on a copy of the prefixes: nothing is written, nobody waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from memory_structure.errors import NotFound, PrefixTaken
from memory_structure.previews import MAX_SAMPLES, MovedPage, OwnerChange, OwnershipPreview
from memory_structure.storage import Reader, Span
from memory_structure.stored.core import Core
from memory_structure.stored.entities import (
    checked_prefixes,
    entity_prefixes,
    entity_row,
    iter_new_prefixes,
    read_prefixes,
)
from memory_structure.stored.merging import merged_ids
from memory_structure.stored.minimal import drop_silent, refuse_suffixes
from memory_structure.stored.relabel import outermost, unowned_lrus
from memory_structure.stored.schema import PAGES
from memory_structure.stored.territory import Territory

Change = Callable[[Reader, Territory], list[str]]


class Previewing(Core):
    """Acts that are only tried."""

    def preview_add_prefixes(
        self, web_entity_id: int, prefixes: Sequence[str], *, take: bool = False
    ) -> OwnershipPreview:
        """What `add_prefixes` would do."""
        wanted = checked_prefixes(prefixes)

        def change(reader: Reader, territory: Territory) -> list[str]:
            entity_row(reader, web_entity_id)
            refuse_suffixes(wanted, territory.policy)
            for prefix in wanted:
                owner = territory.prefixes.get(prefix)
                if owner not in (None, web_entity_id) and not take:
                    raise PrefixTaken(prefix, owner)
                territory.prefixes[prefix] = web_entity_id
            return list(wanted)

        return self._preview(change)

    def preview_remove_prefix(self, web_entity_id: int, prefix: str) -> OwnershipPreview:
        """What `remove_prefix` would do."""

        def change(reader: Reader, territory: Territory) -> list[str]:
            entity_row(reader, web_entity_id)
            if territory.prefixes.get(prefix) != web_entity_id:
                raise NotFound(f"web entity {web_entity_id} does not own the prefix {prefix}")
            del territory.prefixes[prefix]
            return [prefix]

        return self._preview(change)

    def preview_merge(self, old_ids: int | Sequence[int], good_id: int) -> OwnershipPreview:
        """What `merge_web_entities` would do."""
        wanted = merged_ids(old_ids, good_id)

        def change(reader: Reader, territory: Territory) -> list[str]:
            entity_row(reader, good_id)
            prefixes = [prefix for old_id in wanted for prefix in entity_prefixes(reader, old_id)]
            for prefix in prefixes:
                territory.prefixes[prefix] = good_id
            return prefixes

        return self._preview(change)

    def preview_delete(self, web_entity_id: int) -> OwnershipPreview:
        """What `delete_web_entity` would do."""

        def change(reader: Reader, territory: Territory) -> list[str]:
            prefixes = list(entity_prefixes(reader, web_entity_id))
            for prefix in prefixes:
                del territory.prefixes[prefix]
            return prefixes

        return self._preview(change)

    def _preview(self, change: Change) -> OwnershipPreview:
        """What a change of prefixes, done on a copy, would do; it tells which prefixes it changed."""

        def read(reader: Reader) -> OwnershipPreview:
            with self._territory(reader) as territory:
                before, after = territory.copy(), territory.copy()
            return _seen(reader, before, after, change(reader, after))

        return self._at_one_moment(read)


def _seen(reader: Reader, before: Territory, after: Territory, changed: list[str]) -> OwnershipPreview:
    created = _create_by_rules(after, unowned_lrus(reader, after, changed))
    dropped = drop_silent(after, changed)
    losers = {owner for owner in map(before.prefixes.get, changed) if owner is not None}
    removed = [
        owner
        for owner, prefixes in read_prefixes(reader, sorted(losers)).items()
        if not any(after.prefixes.get(prefix) == owner for prefix in prefixes)
    ]
    counts: Counter[tuple[int, int | None]] = Counter()
    samples: list[MovedPage] = []
    ranges = [*changed, *(prefix for prefixes in created for prefix in prefixes)]
    for lower, upper, old, new in _moved_ranges(before, after, ranges):
        span = Span("by_lru", lower=lower, upper=upper)
        n_pages = reader.count(PAGES, span)
        if n_pages:
            counts[old, new] += n_pages
            samples += _samples(reader, after, span, (old, new), MAX_SAMPLES - len(samples))
    return OwnershipPreview(
        counts.total(),
        tuple(OwnerChange(old, new, n) for (old, new), n in counts.most_common()),
        tuple(samples),
        tuple(created),
        tuple(dropped),
        tuple(sorted(removed)),
    )


def _create_by_rules(territory: Territory, lrus: list[str]) -> list[tuple[str, ...]]:
    """Give a made-up owner, below 0, to what the rules would make; the prefixes of each."""
    created = []
    for prefixes in iter_new_prefixes(territory, lrus):
        created.append(prefixes)
        for prefix in prefixes:
            territory.prefixes[prefix] = -len(created)
    return created


def _moved_ranges(
    before: Territory, after: Territory, prefixes: Iterable[str]
) -> Iterator[tuple[str, str, int, int | None]]:
    """(lower, upper, owner before, owner after) of ranges of LRUs that change owner, in LRU order."""
    for prefix in outermost(prefixes):
        old, new = list(before.intervals(prefix)), list(after.intervals(prefix))
        i = j = 0
        while i < len(old) and j < len(new):
            lower, upper = max(old[i][0], new[j][0]), min(old[i][1], new[j][1])
            owner, next_owner = old[i][2], new[j][2]
            if owner is not None and owner != next_owner:
                made = next_owner is None or next_owner < 0
                yield lower, upper, owner, None if made else next_owner
            i, j = i + (old[i][1] == upper), j + (new[j][1] == upper)


def _samples(
    reader: Reader, after: Territory, span: Span, owners: tuple[int, int | None], n: int
) -> list[MovedPage]:
    found = []
    limited = Span(span.index, lower=span.lower, upper=span.upper, limit=n)
    for (lru,) in reader.scan(PAGES, limited, ("lru",)) if n else ():
        owner = after.prefixes.find_owner(lru)
        found.append(MovedPage(lru, *owners, "" if owner is None else owner[0]))
    return found
