"""The corpora a worker has open: their stores, and what of their options a crawl needs."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hyphe_core.clock import monotonic
from hyphe_core.crawl.link_targets import LinkTargets
from hyphe_core.crawl.page_work import Keeping
from hyphe_core.crawl.parse_work import ParserShelf, ParseWork, parse_work
from hyphe_core.crawl.redirect_rules import RedirectRules, redirect_rules
from memory_structure.blobs import BlobStore
from memory_structure.corpus_records import CorpusOptions
from memory_structure.errors import InvalidValue
from memory_structure.lru import UrlCutter
from memory_structure.registry import Registry
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import cutter_for

_RESOLUTIONS_GOOD_SECONDS: Final = 60.0


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

    def __init__(self, registry: Registry, shelf: ParserShelf | None = None) -> None:
        self._registry = registry
        self._shelf = shelf
        self._open: dict[str, OpenCorpus] = {}
        self._lock = threading.Lock()
        self._resolutions: Mapping[str, str] = {}
        self._read_resolutions_at = 0.0

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
            Keeping(options.keep_bodies, options.keep_text, self._targets(options), self._work(options)),
        )

    def _work(self, options: CorpusOptions) -> ParseWork:
        parsing = options.parsing
        parsers = None if self._shelf is None else self._shelf.get(parsing.stylesheets)
        try:
            return parse_work(parsing, parsers)
        except ValueError as error:  # they were judged when they were set, maybe by another version
            raise InvalidValue(f"the option parsing cannot be used: {error}") from error

    def _targets(self, options: CorpusOptions) -> LinkTargets | None:
        if not options.decode_redirects:
            return None
        rules = rules_of_corpus(self._registry, options)
        return LinkTargets(rules, cutter_for(options.url_policy).lru, self._resolved())

    def _resolved(self) -> Mapping[str, str]:
        """What is known of shorteners, read again now and then: each job of a corpus asks."""
        now = monotonic()
        if now >= self._read_resolutions_at:
            found = self._registry.find_resolutions()
            self._resolutions = {url: r.target_url for url, r in found.items() if r.target_url is not None}
            self._read_resolutions_at = now + _RESOLUTIONS_GOOD_SECONDS
        return self._resolutions


def rules_of_corpus(registry: Registry, options: CorpusOptions) -> RedirectRules:
    """The redirectors of a corpus: those of the program, with the changes of the operator, then its own."""
    hosts = json.loads(dict(options.extra).get("follow_redirects", "[]"))
    named = tuple(f"+{host}" for host in hosts)
    return redirect_rules(registry.redirect_changes(), named, options.redirects)
