"""What an act would do, told before it is done. All immutable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

MAX_SAMPLES: Final = 20


class OwnerChange(NamedTuple):
    """Pages that would go from one owner to another. `after` None: an entity that the rules would make."""

    before: int
    after: int | None
    n_pages: int


class MovedPage(NamedTuple):
    """A page that would change owner, and the prefix that would own it."""

    lru: str
    before: int
    after: int | None
    after_prefix: str


@dataclass(frozen=True, slots=True)
class OwnershipPreview:
    """What moving prefixes would do to pages.

    `changes` by falling number of pages; `samples` at most `MAX_SAMPLES`, in LRU order;
    `created_prefixes` those of each entity the rules would make; `dropped_prefixes` those that would say
    nothing any more; `removed_web_entity_ids` entities that would be gone, rising."""

    n_pages_moved: int
    changes: tuple[OwnerChange, ...]
    samples: tuple[MovedPage, ...]
    created_prefixes: tuple[tuple[str, ...], ...]
    dropped_prefixes: tuple[str, ...]
    removed_web_entity_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ForgetPreview:
    """What forgetting a web entity would take out.

    `n_pages` and `n_pages_fetched` of the entity; `n_pages_kept` of them are known by links of other
    entities' pages: they stay, as never fetched. `n_pages_brought`: pages of other entities, never fetched,
    that only its pages link to; `samples` are some of them. `n_links` page links leaving its pages.
    `removed_web_entity_ids`: entities left without page that nobody has judged, rising, itself when no page
    of its own stays."""

    n_pages: int
    n_pages_fetched: int
    n_pages_kept: int
    n_pages_brought: int
    n_links: int
    samples: tuple[str, ...]
    removed_web_entity_ids: tuple[int, ...]
