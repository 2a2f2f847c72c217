"""Corpora that nobody uses are closed after the time that their option `keepalive` gives: what the service
keeps of them in memory is released, nothing of them is lost, and `start_corpus` opens them again."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import TYPE_CHECKING

from hyphe_core import clock
from hyphe_core.api.options import keepalive_seconds
from memory_structure.errors import MemoryStructureError
from memory_structure.registry import Command, CorpusEntry

if TYPE_CHECKING:
    from hyphe_core.api.service import Service

_log = logging.getLogger(__name__)
_SHARE_NOTED = 6  # a use is told to other processes when the last one told is that part of keepalive old


class Uses:
    """When corpora were last used through this service; one not used yet counts from `began_at`."""

    def __init__(self, began_at: datetime) -> None:
        self._began_at = began_at
        self._used_at: dict[str, datetime] = {}

    def note(self, corpus_id: str) -> None:
        """Somebody uses a corpus now."""
        self._used_at[corpus_id] = clock.now()

    def last(self, corpus_id: str) -> datetime:
        """When it was used last."""
        return self._used_at.get(corpus_id, self._began_at)

    def forget(self, corpus_id: str) -> None:
        """Drop a corpus that is gone."""
        self._used_at.pop(corpus_id, None)


def close_idle(service: Service) -> list[str]:
    """Close the corpora that were idle for too long; their ids.

    Idle is one without a call and without a crawl job that waits or runs. Uses are told to the registry now
    and then, for other services on it.
    """
    registry = service.registry
    working = {entry.corpus_id for entry in registry.list_queue() if entry.command is Command.RUN}
    closed: list[str] = []
    for entry in registry.list_corpora():
        if not entry.started:
            continue
        if entry.corpus_id in working:
            service.uses.note(entry.corpus_id)
        try:
            if _closes(service, entry):
                closed.append(entry.corpus_id)
        except MemoryStructureError as error:  # one broken corpus does not keep the others open
            _log.warning("corpus %s: %s", entry.corpus_id, error)
    return closed


def _closes(service: Service, entry: CorpusEntry) -> bool:
    corpus_id, registry = entry.corpus_id, service.registry
    keepalive = keepalive_seconds(registry.open_structure(corpus_id).options())
    if not keepalive:
        return False
    used_at = service.uses.last(corpus_id)
    idle = (clock.now() - max(used_at, entry.last_activity_at)).total_seconds()
    if idle > keepalive:
        registry.set_started(corpus_id, False)
        service.release_corpus(corpus_id)
        _log.info("corpus %s closed after %d seconds without a call", corpus_id, idle)
        return True
    if (used_at - entry.last_activity_at).total_seconds() > keepalive / _SHARE_NOTED:
        registry.touch_corpus(corpus_id)
    return False
