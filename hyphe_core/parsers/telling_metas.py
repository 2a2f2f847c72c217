"""Which meta elements of a page tell of its content; the others are for machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hyphe_core.parsers.base import MAX_TITLE_CHARACTERS, Metadatum
from hyphe_core.parsers.tree import fold

MAX_METADATA: Final = 200
_MAX_CHARACTERS: Final = 4096
_NAMES: Final = frozenset(
    "author creator keywords news_keywords subject description abstract publisher date last-modified rights"
    " copyright".split()
)
_BEGINNINGS: Final = ("dc.", "dcterms.", "citation_", "og:", "article:")
_TITLES: Final = frozenset({"metatag.dc.title", "metatag.citation_title"})


def metadatum_of(name: str, content: str) -> Metadatum | None:
    """The metadatum of a meta element of this lower-case name (or property); None for those for machines."""
    if name in _NAMES or name.startswith(_BEGINNINGS):
        return Metadatum(f"metatag.{name}", fold(content)[:_MAX_CHARACTERS])
    return None


def title_of(metadata: Sequence[Metadatum]) -> str:
    """The title of a page that has no title element, "" when none is told."""
    return next((value for name, value in metadata if name in _TITLES), "")[:MAX_TITLE_CHARACTERS]
