"""The homepage shown for a web entity: computed for each answer, never stored by a read."""

from __future__ import annotations

from collections.abc import Sequence

from hyphe_core.crawl.start_pages import guess_homepage
from memory_structure.records import WebEntity
from memory_structure.structure import MemoryStructure


def homepage_of(structure: MemoryStructure, entity: WebEntity) -> str | None:
    """The homepage chosen, else the best guess; None for an entity without prefixes."""
    return homepages_of(structure, [entity])[0]


def homepages_of(structure: MemoryStructure, entities: Sequence[WebEntity]) -> list[str | None]:
    """The homepages of some entities, in order; pages of all their prefixes are looked up at once."""
    wanted = [prefix for entity in entities if not entity.homepage for prefix in entity.prefixes]
    known = {page.lru: page for page in structure.find_pages(wanted)}
    return [entity.homepage or guess_homepage(structure, entity, known) for entity in entities]
