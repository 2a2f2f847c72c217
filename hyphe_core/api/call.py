"""A call under way: who asks, for which corpus, and what the methods reach through it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hyphe_core.api.failures import Refusal
from hyphe_core.api.views import CorpusView
from hyphe_core.config import Config
from memory_structure.corpus_records import CorpusOptions
from memory_structure.lru import canonical_lru, entity_prefix
from memory_structure.registry import CorpusEntry, Registry
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import cutter_for
from memory_structure.urls import BadUrl, UrlPolicy, clean_user_url

if TYPE_CHECKING:
    from hyphe_core.api.service import Service


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request: the token that came along (of a session, or an access token), and from what
    address."""

    token: str | None = None
    address: str = ""


@dataclass(slots=True)
class Call:
    """One call. `corpus_id` is as asked for, None for no corpus; `entry` is set when the method needs one.

    `granted_token` is set by a method that opened a session for the caller, to "" by one that ended it.
    `beside` holds keys that go next to `result` in the answer.
    """

    service: Service
    caller: Caller
    corpus_id: str | None
    entry: CorpusEntry | None = None
    granted_token: str | None = None
    beside: dict[str, object] = field(default_factory=dict)
    _options: CorpusOptions | None = None
    _actor: str | None = None

    @property
    def config(self) -> Config:
        """The configuration of the service."""
        return self.service.config

    @property
    def registry(self) -> Registry:
        """The registry of corpora."""
        return self.service.registry

    @property
    def corpus(self) -> CorpusEntry:
        """The corpus of the call, whose existence was checked before."""
        if self.entry is None:
            raise LookupError("this method was declared without need of a corpus")
        return self.entry

    @property
    def actor(self) -> str:
        """How the caller signs what they do: a name, else "admin", "curator", "reader" or "anyone". Looked up
        once a call (before an async method starts)."""
        if self._actor is None:
            self._actor = self.service.rights.name_of(self.caller, self.entry)
        return self._actor

    @property
    def structure(self) -> MemoryStructure:
        """The memory structure of the corpus."""
        return self.view.structure

    @property
    def view(self) -> CorpusView:
        """The summaries of the corpus."""
        return self.service.view(self.corpus.corpus_id)

    @property
    def options(self) -> CorpusOptions:
        """The options of the corpus, read once a call (before an async method starts)."""
        if self._options is None:
            self._options = self.structure.options()
        return self._options

    @property
    def policy(self) -> UrlPolicy:
        """How the corpus cuts addresses."""
        return self.options.url_policy

    def lru_of_url(self, url: str) -> str:
        """The key of what a person typed. Refuses what is not an address."""
        policy = self.policy
        try:
            return cutter_for(policy).lru(clean_user_url(url, policy))
        except BadUrl as error:
            raise Refusal(str(error)) from None

    def lru_of_client(self, lru: str) -> str:
        """The canonical form of an LRU cut by a client. Refuses what is none."""
        try:
            return canonical_lru(lru, self.policy)
        except BadUrl as error:
            raise Refusal(str(error)) from None

    def prefixes_of_urls(self, urls: Iterable[str]) -> list[str]:
        """The entity prefixes of addresses, in order, each once."""
        return list(dict.fromkeys(entity_prefix(self.lru_of_url(url)) for url in urls))

    def prefixes_of_clients(self, lrus: Iterable[str]) -> list[str]:
        """The entity prefixes of clients' LRUs, in order, each once."""
        return list(dict.fromkeys(entity_prefix(self.lru_of_client(lru)) for lru in lrus))
