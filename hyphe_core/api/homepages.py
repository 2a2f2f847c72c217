"""The homepage shown for a web entity: computed for each answer, never stored by a read."""

from __future__ import annotations

from hyphe_core.crawl.start_pages import guess_homepage
from memory_structure.records import WebEntity
from memory_structure.structure import MemoryStructure


def homepage_of(structure: MemoryStructure, entity: WebEntity) -> str | None:
    """The homepage chosen, else the best guess; None for an entity without prefixes."""
    return entity.homepage or guess_homepage(structure, entity)
