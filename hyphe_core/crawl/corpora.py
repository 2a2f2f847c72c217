"""The corpora a worker has open: their stores, and what of their options a crawl needs."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from hyphe_core.crawl.page_work import Keeping
from memory_structure.blobs import BlobStore
from memory_structure.lru import UrlCutter
from memory_structure.registry import Registry
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import cutter_for


@dataclass(frozen=True, slots=True)
class OpenCorpus:
    """One corpus as a worker uses it."""

    corpus_id: str
    structure: MemoryStructure
    blobs: BlobStore
    cutter: UrlCutter
    keeping: Keeping


class OpenCorpora:
    """Corpora by id, opened when first asked for. Safe to use from several threads."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._open: dict[str, OpenCorpus] = {}
        self._lock = threading.Lock()

    def get(self, corpus_id: str) -> OpenCorpus:
        """The corpus; opens its store, so may block."""
        with self._lock:
            corpus = self._open.get(corpus_id)
            if corpus is None:
                corpus = self._open[corpus_id] = self._make(corpus_id)
            return corpus

    def reload(self, corpus_id: str) -> OpenCorpus:
        """The corpus with its options read again."""
        with self._lock:
            corpus = self._open[corpus_id] = self._make(corpus_id)
            return corpus

    def find(self, corpus_id: str) -> OpenCorpus | None:
        """The corpus if it is open; never blocks on the store."""
        return self._open.get(corpus_id)

    def _make(self, corpus_id: str) -> OpenCorpus:
        structure = self._registry.open_structure(corpus_id)
        options = structure.options()
        return OpenCorpus(
            corpus_id,
            structure,
            self._registry.open_blobs(corpus_id),
            cutter_for(options.url_policy),
            Keeping(options.keep_bodies, options.keep_text),
        )
