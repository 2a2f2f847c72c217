"""All entities of a corpus as columns, brought up to date from what changed.

Arrays are indexed by entity id: ids are dense and never used again. With the network, whose links take 34
bytes each, a catalogue takes about 2.2 KB an entity (110,000 entities, 850,000 links: 240 MB, by `python -m
benchmarks curation`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyphe_core.api.entity_catalogue.haystack import Haystack
from hyphe_core.api.entity_catalogue.tags import TagColumns
from hyphe_core.api.entity_catalogue.text_order import TextOrder
from memory_structure.columns import EntityRow
from memory_structure.lru import lru_to_url
from memory_structure.records import WebEntityStatus
from memory_structure.words import folded

Longs = NDArray[np.int64]
Mask = NDArray[np.bool_]

STATUSES: Final = tuple(WebEntityStatus)
_GONE: Final = -1
_NUMBERS: Final = {status.value: number for number, status in enumerate(STATUSES)}
_LEAST_SIZE: Final = 64
TEXT_FIELDS: Final = ("name", "prefixes", "startpages", "homepage", "tags", "note")
# Ranks of statuses by their names, as people sort them.
STATUS_RANKS: Final = np.array([sorted(STATUSES).index(status) for status in STATUSES], np.int64)


class StatusChange(NamedTuple):
    """A status before and after; None where there is no entity."""

    before: WebEntityStatus | None
    after: WebEntityStatus | None


class EntityColumns:
    """What filters and orders look at. Not safe to use from several threads at once."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.tags = TagColumns()
        self.by_name = TextOrder()
        self.by_homepage = TextOrder()
        self.texts = {field: Haystack() for field in TEXT_FIELDS}
        self._signatures: dict[int, int] = {}
        self.statuses: Longs = np.full(_LEAST_SIZE, _GONE, np.int64)
        self.created_at: Longs = np.zeros(_LEAST_SIZE, np.int64)
        self.modified_at: Longs = np.zeros(_LEAST_SIZE, np.int64)

    @property
    def size(self) -> int:
        """One more than the largest id there is room for."""
        return len(self.statuses)

    def load(self, rows: Iterable[EntityRow]) -> None:
        """Hold these entities alone; to be called on a new instance."""
        texts: dict[str, dict[int, str]] = {field: {} for field in TEXT_FIELDS}
        homepages: list[tuple[int, str]] = []
        for row in rows:
            self._put_figures(row)
            self._signatures[row.web_entity_id] = _signature(row)
            for field, text in _texts_of(row).items():
                if text:
                    texts[field][row.web_entity_id] = text
            if row.homepage:
                homepages.append((row.web_entity_id, row.homepage))
        self.by_name.load(self.names.items())
        self.by_homepage.load(homepages)
        for field, haystack in self.texts.items():
            haystack.load(texts[field])

    def update(self, ids: Iterable[int], rows: Iterable[EntityRow]) -> dict[int, StatusChange]:
        """Bring entities up to date; those of `ids` that no row tells of are gone. Whose status changed."""
        gone = set(ids)
        changed: dict[int, StatusChange] = {}
        for row in rows:
            entity_id = row.web_entity_id
            gone.discard(entity_id)
            before = self.status_of(entity_id)
            self._put_figures(row)
            self._put_texts(row)
            if before is not (after := self.status_of(entity_id)):
                changed[entity_id] = StatusChange(before, after)
        for entity_id in gone:
            before = self.status_of(entity_id)
            self._remove(entity_id)
            if before is not None:
                changed[entity_id] = StatusChange(before, None)
        return changed

    def status_of(self, entity_id: int) -> WebEntityStatus | None:
        """The status of an entity, None when there is none of that id."""
        number = int(self.statuses[entity_id]) if entity_id < self.size else _GONE
        return None if number == _GONE else STATUSES[number]

    def _put_texts(self, row: EntityRow) -> None:
        """Take texts over when one of them changed: most changes are of statuses."""
        entity_id, signature = row.web_entity_id, _signature(row)
        if self._signatures.get(entity_id) == signature:
            return
        self._signatures[entity_id] = signature
        self.by_name.put(entity_id, row.name)
        self.by_homepage.put(entity_id, row.homepage or "")
        for field, text in _texts_of(row).items():
            self.texts[field].put(entity_id, text)

    def _put_figures(self, row: EntityRow) -> None:
        entity_id = row.web_entity_id
        if entity_id >= self.size:
            self._grow(entity_id + 1)
        self.statuses[entity_id] = _NUMBERS[row.status]
        self.created_at[entity_id] = row.created_at_micros
        self.modified_at[entity_id] = row.modified_at_micros
        self.names[entity_id] = row.name
        self.tags.put(entity_id, row.tags)

    def _remove(self, entity_id: int) -> None:
        if self.names.pop(entity_id, None) is None:
            return
        self.statuses[entity_id] = _GONE
        del self._signatures[entity_id]
        self.tags.put(entity_id, ())
        self.by_name.put(entity_id, "")
        self.by_homepage.put(entity_id, "")
        for haystack in self.texts.values():
            haystack.put(entity_id, "")

    def _grow(self, least: int) -> None:
        size = max(least, self.size + self.size // 4)
        self.statuses = grown(self.statuses, size, _GONE)
        self.created_at = grown(self.created_at, size)
        self.modified_at = grown(self.modified_at, size)

    # -- masks by entity id

    def alive(self) -> Mask:
        """Entities that exist."""
        existing: Mask = self.statuses != _GONE
        return existing

    def of_statuses(self, statuses: Iterable[WebEntityStatus]) -> Mask:
        """Entities of some statuses."""
        chosen = np.zeros(len(STATUSES) + 1, np.bool_)  # the last one stands for no entity
        chosen[[_NUMBERS[status.value] for status in statuses]] = True
        mask: Mask = chosen[self.statuses]
        return mask

    def holding(self, word: str, fields: Iterable[str]) -> Mask:
        """Entities that hold a text, without case and accents, in one of the fields."""
        found = np.zeros(self.size, np.bool_)
        for field in fields:
            needle = _as_address(word) if field in _ADDRESSES else folded(word)
            if not needle and field in _ADDRESSES:
                return self.alive()  # a scheme alone: every address has one
            found |= self.texts[field].mask(needle, self.size)
        return found

    def holding_word(self, word: str) -> Mask:
        """Entities that hold a whole word, as `words_of` gives it, in any field."""
        found = np.zeros(self.size, np.bool_)
        for haystack in self.texts.values():
            found |= haystack.mask(word, self.size, whole=True)
        return found

    def named(self, name: str) -> Mask:
        """Entities of exactly that name."""
        found = np.zeros(self.size, np.bool_)
        found[[i for i in self.by_name.ids_of(folded(name)) if self.names[i] == name]] = True
        return found


def grown(column: Longs, size: int, filler: int = 0) -> Longs:
    """The column with room for `size` ids."""
    if len(column) >= size:
        return column
    return np.concatenate((column, np.full(size - len(column), filler, np.int64)))


# -- texts

_ADDRESSES: Final = frozenset({"prefixes", "startpages", "homepage"})


def _signature(row: EntityRow) -> int:
    """Tells whether anything of a row has changed that is searched or sorted as text."""
    return hash((row.name, row.homepage, row.start_pages, row.tags, row.note, row.prefixes))


def _texts_of(row: EntityRow) -> dict[str, str]:
    return {
        "name": _line(row.name),
        "prefixes": " ".join(dict.fromkeys(_bare(prefix) for prefix in _longest(row.prefixes))),
        "startpages": " ".join(_without_scheme(folded(page.url)) for page in row.start_pages),
        "homepage": _without_scheme(folded(row.homepage or "")),
        "tags": _line("\t".join(value for _, _, value in row.tags)),
        "note": _line(row.note),
    }


def _line(text: str) -> str:
    return folded(text).replace("\n", "\t")


def _longest(prefixes: tuple[str, ...]) -> list[str]:
    """One prefix of each set of variations: that with www, where there is one. All is found in it that could
    be found in the others, without their schemes."""
    with_www = {prefix.partition("|")[2].replace("h:www|", "") for prefix in prefixes if "h:www|" in prefix}
    return [p for p in prefixes if "h:www|" in p or p.partition("|")[2] not in with_www]


def _bare(prefix: str) -> str:
    return _without_scheme(folded(lru_to_url(prefix)))


def _without_scheme(url: str) -> str:
    return url.partition("://")[2] if "://" in url else url


def _as_address(word: str) -> str:
    """What was typed as it stands in texts of addresses: LRUs become URLs, schemes are dropped."""
    plain = folded(word)
    if "|" in plain:
        plain = _of_stems(plain)
    plain = _without_scheme(plain).rstrip("/")
    return "" if plain in ("http", "https", "http:", "https:") else plain


def _of_stems(lru: str) -> str:
    """The address that some stems stand for, also without scheme or last bar."""
    hosts: list[str] = []
    port = rest = ""
    for stem in lru.strip("|").split("|"):
        kind, _, text = stem.partition(":")
        if kind == "h":
            hosts.insert(0, text)
        elif not text:  # the end of a stem whose beginning was left out
            hosts.insert(0, kind)
        elif kind == "t":
            port = f":{text}"
        elif kind == "p":
            rest += f"/{text}"
        elif kind == "q":
            rest += f"?{text}"
    return ".".join(hosts) + port + rest
