"""Web entities and their prefixes: rows, making, the prefixes that change hands."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memory_structure.creation_rules import Decision
from memory_structure.errors import CorruptCorpus, InvalidValue, NotFound, PrefixTaken
from memory_structure.lru import lru_name
from memory_structure.precision import PrecisionLimit
from memory_structure.records import StartPage, Tag, WebEntity, WebEntityStatus
from memory_structure.storage import Reader, Row, Span
from memory_structure.stored.codec import clean_text
from memory_structure.stored.moments import from_micros
from memory_structure.stored.relabel import recut, renode, unowned_lrus
from memory_structure.stored.schema import ENTITIES, EXCEPTIONS, PREFIXES
from memory_structure.stored.session import Session
from memory_structure.stored.territory import Territory
from memory_structure.stored.weights import entity_counts
from memory_structure.urls import without_userinfo

_UNJUDGED: Final = (WebEntityStatus.DISCOVERED.value, None, "[]", "[]", "")  # status, homepage to note


@dataclass(frozen=True, slots=True)
class NewEntity:
    """What is known of a web entity to be made; no name: that of its first prefix."""

    prefixes: tuple[str, ...]
    name: str | None = None
    status: WebEntityStatus = WebEntityStatus.DISCOVERED
    start_pages: tuple[StartPage, ...] = ()
    tags: tuple[Tag, ...] = ()


# -- reading


def read_entities(reader: Reader, rows: Sequence[Row]) -> list[WebEntity]:
    """Web entities of those rows, in order, with prefixes and counters."""
    ids = [row[0] for row in rows]
    counts = entity_counts(reader, ids)
    prefixes = read_prefixes(reader, ids)
    return [_entity(row, prefixes.get(row[0], ()), counts.get(row[0], (0, 0))) for row in rows]


def read_prefixes(reader: Reader, entity_ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Entity id -> its prefixes in text order."""
    found: dict[int, list[str]] = {}
    for prefix, entity_id in reader.find(PREFIXES, "by_entity_id", entity_ids, ("prefix", "entity_id")):
        found.setdefault(entity_id, []).append(prefix)
    return {entity_id: tuple(sorted(prefixes)) for entity_id, prefixes in found.items()}


def _entity(row: Row, prefixes: tuple[str, ...], counts: tuple[int, int]) -> WebEntity:
    entity_id, name, status, created_at, modified_at, homepage, start_pages, tags, note = row
    return WebEntity(
        entity_id,
        name,
        WebEntityStatus(status),
        prefixes,
        from_micros(created_at),
        from_micros(modified_at),
        homepage,
        tuple(StartPage(*page) for page in json.loads(start_pages)),
        tuple((a, b, c) for a, b, c in json.loads(tags)),
        note,
        *counts,
    )


def entity_row(reader: Reader, entity_id: int) -> Row:
    """The row of a web entity. Raises NotFound."""
    row = reader.get(ENTITIES, (entity_id,)).get(entity_id)
    if row is None:
        raise NotFound(f"there is no web entity {entity_id}")
    return row


def get_entity(reader: Reader, entity_id: int) -> WebEntity:
    """A web entity. Raises NotFound."""
    return read_entities(reader, [entity_row(reader, entity_id)])[0]


def entity_texts(start_pages: Iterable[StartPage], tags: Iterable[Tag]) -> tuple[str, str]:
    """(start pages, tags) as stored: without doubles, tags sorted."""
    pages = list(dict.fromkeys((without_userinfo(page.url), page.source) for page in start_pages))
    return json.dumps(pages), json.dumps(sorted({tuple(tag) for tag in tags}))


def row_tags(row: Row) -> tuple[Tag, ...]:
    """The tags of a row."""
    return tuple((a, b, c) for a, b, c in json.loads(row[7]))


def is_unjudged(row: Row) -> bool:
    """Whether nobody has said anything of an entity."""
    return (row[2], *row[5:]) == _UNJUDGED


def plural(n: int) -> str:
    """So many web entities, in words."""
    return "1 web entity" if n == 1 else f"{n} web entities"


# -- making, changing, removing


def change_row(session: Session, pairs: Sequence[tuple[Row, Row]]) -> None:
    """Put new rows of web entities in the place of old ones."""
    if not pairs:
        return
    session.tx.put(ENTITIES, [new for _, new in pairs])
    session.changed = True
    for old, new in pairs:
        if old[2] != new[2]:
            count_status(session, WebEntityStatus(old[2]), -1)
            count_status(session, WebEntityStatus(new[2]), 1)


def create_entity(session: Session, new: NewEntity) -> int:
    """Make a web entity that owns those prefixes, which must be free; pages below change hands."""
    entity_id, covered = _insert_entity(session, new)
    settle_prefixes(session, covered, new.prefixes)
    return entity_id


def _insert_entity(session: Session, new: NewEntity) -> tuple[int, list[str]]:
    """(id, prefixes that may cover pages of others): pages are not touched yet."""
    entity_id = session.state.next_entity
    session.state.next_entity += 1
    name = clean_text(new.name) if new.name else lru_name(new.prefixes[0])
    moment = session.moment
    start_pages, tags = entity_texts(new.start_pages, new.tags)
    row = (entity_id, name, new.status.value, moment, moment, None, start_pages, tags, "")
    session.tx.insert(ENTITIES, [row])
    count_status(session, new.status, 1)
    return entity_id, _set_owner(session, entity_id, new.prefixes)


def count_status(session: Session, status: WebEntityStatus, amount: int) -> None:
    """Keep the totals by status."""
    column = f"n_{status.value.lower()}"
    setattr(session.state, column, getattr(session.state, column) + amount)
    session.changed = True


def give_prefixes(session: Session, entity_id: int, prefixes: Sequence[str]) -> None:
    """Set the owner of prefixes, whoever had them; pages below change hands; finer ones become precision
    exceptions."""
    settle_prefixes(session, _set_owner(session, entity_id, prefixes), prefixes)


def _set_owner(session: Session, entity_id: int, prefixes: Sequence[str]) -> list[str]:
    """Those of the prefixes that lay under an owner. Elsewhere pages below have owners below: none of them
    changes."""
    owned = session.territory.prefixes
    covered = [prefix for prefix in prefixes if owned.find_owner(prefix) is not None]
    version = session.note_prefix_change()
    session.tx.put(PREFIXES, [(prefix, entity_id, version) for prefix in prefixes])
    for prefix in prefixes:
        owned[prefix] = entity_id
    return covered


def settle_prefixes(session: Session, covered: Sequence[str], prefixes: Iterable[str]) -> None:
    """Let pages follow prefixes that were given: one pass for all of them."""
    if covered:
        recut(session, covered)
    refine(session, prefixes)


def refine(session: Session, lrus: Iterable[str]) -> None:
    """Make precision exceptions of those LRUs that are finer than the limit."""
    if not session.has_nodes:
        return
    finer = sorted({lru for lru in lrus if not session.territory.precision.is_node(lru)})
    if finer:
        add_exceptions(session, finer)


def add_exceptions(session: Session, prefixes: Sequence[str]) -> None:
    """Restart full precision at those prefixes."""
    session.note_prefix_change(reset=True)
    session.tx.put(EXCEPTIONS, [(prefix,) for prefix in prefixes])
    territory = session.memory.territory
    territory.precision = territory.precision.with_exceptions(*prefixes)
    renode(session, prefixes)


def drop_exceptions(session: Session, prefixes: Sequence[str]) -> None:
    """Full precision does not restart at those prefixes any more."""
    session.note_prefix_change(reset=True)
    session.tx.delete(EXCEPTIONS, prefixes)
    territory = session.memory.territory
    kept = [p for p in territory.precision.exceptions if p not in set(prefixes)]
    territory.precision = PrecisionLimit(territory.precision.limit, kept)
    renode(session, prefixes)


def drop_prefixes(session: Session, prefixes: Sequence[str]) -> tuple[int, ...]:
    """Free prefixes; their pages fall to the next owner up or to entities the rules make, whose ids are
    given."""
    session.note_prefix_change(reset=True)
    session.tx.delete(PREFIXES, list(prefixes))
    for prefix in prefixes:
        del session.territory.prefixes[prefix]
    created = create_by_rules(session, unowned_lrus(session.tx, session.territory, prefixes))
    recut(session, prefixes)
    return created


def remove_entity_row(session: Session, entity_id: int) -> None:
    """Forget a web entity that owns nothing any more."""
    status = WebEntityStatus(entity_row(session.tx, entity_id)[2])
    session.tx.delete(ENTITIES, [entity_id])
    count_status(session, status, -1)


def create_by_rules(
    session: Session, lrus: Iterable[str], decisions: Sequence[Decision] | None = None
) -> tuple[int, ...]:
    """Make the web entities that the rules ask for at those LRUs, from the longest prefix to the shortest;
    their ids."""
    created: list[int] = []
    covered: list[str] = []
    given: list[str] = []
    for free in iter_new_prefixes(session.territory, list(lrus), decisions):
        entity_id, over_others = _insert_entity(session, NewEntity(free))
        created.append(entity_id)
        covered += over_others
        given += free
    settle_prefixes(session, covered, given)
    return tuple(created)


def iter_new_prefixes(
    territory: Territory, lrus: Sequence[str], decisions: Sequence[Decision] | None = None
) -> Iterator[tuple[str, ...]]:
    """The prefixes of each web entity that the rules ask for at those LRUs, from the longest to the shortest.
    The caller gives them an owner in the map before the next ones are asked for.

    What an entity made just before covers needs none: the default rule speaks where nobody owns the page.
    """
    if decisions is None:
        decisions = [territory.decide(lru) for lru in lrus]
    pairs = [(d, lru) for d, lru in zip(decisions, lrus, strict=True) if d.creates and d.prefix is not None]
    pairs.sort(key=lambda pair: (-len(pair[0].prefix or ""), pair[0].prefix, pair[1]))
    for decision, lru in pairs:
        assert decision.prefix is not None
        owned = territory.prefixes
        if decision.prefix in owned or (_is_default(decision) and owned.find_owner(lru) is not None):
            continue
        yield tuple(p for p in territory.variations(decision.prefix) if p not in owned)


def _is_default(decision: Decision) -> bool:
    return decision.rule is not None and decision.rule.is_default


# -- prefixes asked for by people


def checked_prefixes(prefixes: Sequence[str]) -> tuple[str, ...]:
    """The prefixes without doubles. Raises InvalidValue when there is none, or one that is no whole LRU."""
    if not prefixes:
        raise InvalidValue("a web entity needs at least one prefix")
    for prefix in prefixes:
        if not prefix.startswith("s:") or not prefix.endswith("|") or "|h:" not in prefix:
            raise InvalidValue(f"{prefix!r} is not an LRU prefix with scheme and host")
    return tuple(dict.fromkeys(prefixes))


def refuse_taken(session: Session, prefixes: Sequence[str], except_id: int | None = None) -> None:
    """Raise PrefixTaken for the first prefix that another web entity owns."""
    for prefix in prefixes:
        owner = session.territory.prefixes.get(prefix)
        if owner is not None and owner != except_id:
            raise PrefixTaken(prefix, owner)


def entity_prefixes(reader: Reader, entity_id: int) -> tuple[str, ...]:
    """Prefixes of a web entity in text order. Raises NotFound."""
    entity_row(reader, entity_id)
    found = read_prefixes(reader, [entity_id]).get(entity_id)
    if not found:
        raise CorruptCorpus(f"web entity {entity_id} owns no prefix")
    return found


def prefix_rows(reader: Reader, prefix: str, upper: str) -> list[Row]:
    """(prefix, entity id) of owned prefixes in a range, in text order."""
    return list(reader.scan(PREFIXES, Span(lower=prefix, upper=upper), ("prefix", "entity_id")))
