"""The web entities of a corpus: their names for other exports, their table, their network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hyphe_core.exports.columns import (
    Column,
    ColumnType,
    Edge,
    Network,
    Node,
    Row,
    Table,
    integer,
)
from memory_structure.errors import NotFound
from memory_structure.records import LinkRecord, PageRecord, WebEntity, WebEntityStatus, WeightedLink
from memory_structure.structure import MemoryStructure

_AT_ONCE = 1000

TagCategory = tuple[str, str]


class WebEntityIndex:
    """Which web entities an export keeps (by status, and of a selection of ids), their names, pages and
    links. Names are read once; entities created later are looked up."""

    def __init__(
        self,
        structure: MemoryStructure,
        statuses: frozenset[WebEntityStatus] | None,
        selected: frozenset[int] | None = None,
    ) -> None:
        self._structure = structure
        self._statuses = statuses
        self._selected = selected
        self._known: dict[int, tuple[str, WebEntityStatus]] = {}
        for entity in iter_web_entities(structure):
            self._known[entity.web_entity_id] = (entity.name, entity.status)

    def name(self, web_entity_id: int) -> str:
        """The name of an entity, empty when it has gone meanwhile."""
        return self._entry(web_entity_id)[0]

    def keeps(self, web_entity_id: int) -> bool:
        """Whether it is exported."""
        if self._selected is not None and web_entity_id not in self._selected:
            return False
        return self._statuses is None or self._entry(web_entity_id)[1] in self._statuses

    def iter_pages(self) -> Iterator[PageRecord]:
        """Pages of what is exported, by LRU; of a selection entity after entity, without reading the
        others."""
        if self._selected is None:
            yield from (page for page in self._structure.iter_pages() if self.keeps(page.web_entity_id))
            return
        for web_entity_id in filter(self.keeps, sorted(self._selected)):
            yield from self._structure.iter_pages(web_entity_id)

    def iter_links(self) -> Iterator[LinkRecord]:
        """Page links that leave those pages, by source LRU, target LRU, kind; of a selection likewise."""
        if self._selected is None:
            links = self._structure.iter_links()
            yield from (link for link in links if self.keeps(link.source_web_entity_id))
            return
        for web_entity_id in filter(self.keeps, sorted(self._selected)):
            yield from self._structure.iter_links(web_entity_id)

    def _entry(self, web_entity_id: int) -> tuple[str, WebEntityStatus]:
        entry = self._known.get(web_entity_id)
        if entry is None:
            entry = self._known[web_entity_id] = self._look_up(web_entity_id)
        return entry

    def _look_up(self, web_entity_id: int) -> tuple[str, WebEntityStatus]:
        try:
            entity = self._structure.get_web_entity(web_entity_id)
        except NotFound:
            return "", WebEntityStatus.DISCOVERED
        return entity.name, entity.status


def iter_web_entities(
    structure: MemoryStructure, statuses: frozenset[WebEntityStatus] | None = None
) -> Iterator[WebEntity]:
    """Web entities by id, a page of them at a time."""
    after: int | None = None
    while True:
        page = structure.list_web_entities(after=after, limit=_AT_ONCE)
        yield from (entity for entity in page if statuses is None or entity.status in statuses)
        if len(page) < _AT_ONCE:
            return
        after = page[-1].web_entity_id


_NETWORK_COLUMNS = (
    Column("status"),
    Column("prefixes", ColumnType.LIST),
    integer("pages"),
    integer("pages_fetched"),
    integer("indegree"),
    integer("outdegree"),
    integer("weighted_indegree"),
    integer("weighted_outdegree"),
    integer("internal_links"),
    Column("homepage"),
    Column("start_pages", ColumnType.LIST),
    Column("note"),
    Column("tags", ColumnType.LIST, separator=" | "),
)


@dataclass(frozen=True, slots=True)
class _Degrees:
    """Neighbours and link weights of the exported entities, counted over the exported links alone."""

    indegree: Counter[int]
    outdegree: Counter[int]
    weighted_indegree: Counter[int]
    weighted_outdegree: Counter[int]
    internal: dict[int, int]

    def of(self, web_entity_id: int) -> Row:
        """The five numbers of an entity, in the order of the columns."""
        return (
            self.indegree[web_entity_id],
            self.outdegree[web_entity_id],
            self.weighted_indegree[web_entity_id],
            self.weighted_outdegree[web_entity_id],
            self.internal.get(web_entity_id, 0),
        )


def _count_degrees(links: Iterable[WeightedLink], internal: dict[int, int]) -> _Degrees:
    degrees = _Degrees(Counter(), Counter(), Counter(), Counter(), internal)
    for source, target, weight in links:
        degrees.outdegree[source] += 1
        degrees.indegree[target] += 1
        degrees.weighted_outdegree[source] += weight
        degrees.weighted_indegree[target] += weight
    return degrees


def _links_between_kept(structure: MemoryStructure, index: WebEntityIndex) -> list[WeightedLink]:
    return [
        link
        for link in structure.web_entity_links()
        if index.keeps(link.source_id) and index.keeps(link.target_id)
    ]


def _tag_categories(
    structure: MemoryStructure, statuses: frozenset[WebEntityStatus] | None
) -> tuple[TagCategory, ...]:
    found = {tag[:2] for entity in iter_web_entities(structure, statuses) for tag in entity.tags}
    return tuple(sorted(found))


def _category_columns(categories: Iterable[TagCategory]) -> tuple[Column, ...]:
    return tuple(
        Column(f"{namespace}:{category}", ColumnType.LIST, separator=" | ")
        for namespace, category in categories
    )


def _category_values(entity: WebEntity, categories: Iterable[TagCategory]) -> Row:
    return tuple(
        tuple(value for *category, value in entity.tags if tuple(category) == wanted) for wanted in categories
    )


def _attributes(entity: WebEntity, degrees: _Degrees, categories: Iterable[TagCategory]) -> Row:
    return (
        entity.status.value,
        entity.prefixes,
        entity.n_pages,
        entity.n_pages_fetched,
        *degrees.of(entity.web_entity_id),
        entity.homepage or None,
        tuple(page.url for page in entity.start_pages),
        entity.note or None,
        tuple(f"{namespace}:{category}={value}" for namespace, category, value in entity.tags),
        *_category_values(entity, categories),
    )


def web_entity_network(
    structure: MemoryStructure, index: WebEntityIndex, statuses: frozenset[WebEntityStatus] | None
) -> Network:
    """Web entities and the links between them. Node ids are entity ids; a weight counts page links."""
    categories = _tag_categories(structure, statuses)
    links = _links_between_kept(structure, index)
    degrees = _count_degrees(links, structure.internal_weights())
    seen: set[int] = set()

    def nodes() -> Iterator[Node]:
        for entity in iter_web_entities(structure, statuses):
            seen.add(entity.web_entity_id)
            yield Node(str(entity.web_entity_id), entity.name, _attributes(entity, degrees, categories))

    def edges() -> Iterator[Edge]:
        for source, target, weight in links:
            if source in seen and target in seen:
                yield Edge(str(source), str(target), weight)

    return Network((*_NETWORK_COLUMNS, *_category_columns(categories)), nodes(), edges())


def web_entity_table(
    structure: MemoryStructure, index: WebEntityIndex, statuses: frozenset[WebEntityStatus] | None
) -> Table:
    """One row for each web entity, by id. Degrees are those of the network of the same statuses."""
    categories = _tag_categories(structure, statuses)
    degrees = _count_degrees(_links_between_kept(structure, index), structure.internal_weights())
    columns = (integer("Id"), Column("Label"), *_NETWORK_COLUMNS, *_category_columns(categories))
    # No moments: the same crawl stored twice must give the same bytes.

    def rows() -> Iterator[Row]:
        for entity in iter_web_entities(structure, statuses):
            attributes = _attributes(entity, degrees, categories)
            yield (entity.web_entity_id, entity.name, *attributes)

    return Table(columns, rows())
