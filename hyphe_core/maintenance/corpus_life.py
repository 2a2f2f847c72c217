"""The end of corpora: crawls are ended first, then a corpus is emptied or destroyed; what was destroyed can
be brought back for a while."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from datetime import timedelta
from typing import Final

from hyphe_core.clock import monotonic, now
from hyphe_core.errors import UsageFault
from hyphe_core.maintenance.reaping import free_dead_workers
from memory_structure.errors import NotFound, StoreError, StoreUnreachable
from memory_structure.records import EndReason, JobState
from memory_structure.registry import Command, DestroyedCorpus, Registry

PATIENCE_SECONDS: Final = 30.0
_UNFINISHED: Final = (JobState.PENDING, JobState.RUNNING, JobState.PAUSED)
_LOOK_AGAIN_SECONDS: Final = 0.1
_log = logging.getLogger(__name__)


def end_crawls(
    registry: Registry, corpus_id: str, why: str, patience_seconds: float = PATIENCE_SECONDS
) -> list[int]:
    """Cancel every crawl job of a corpus that has not ended, and wait until no worker has one; their ids.

    Raises UsageFault when a worker does not let go in time: the orders stay, and one may try again.
    """
    structure = registry.open_structure(corpus_id)
    ids = [job.job_id for job in structure.list_jobs(states=_UNFINISHED)]
    registry.command_jobs(corpus_id, ids, Command.CANCEL)
    _wait_for_workers(registry, corpus_id, patience_seconds)
    ended = structure.move_jobs(ids, JobState.CANCELED, end=EndReason.CANCELED, reason=why)
    structure.add_logs([("CRAWL_CANCELED", why, job_id) for job_id in ended])
    registry.release_jobs(corpus_id, ids, "", done=True)
    return ids


def _wait_for_workers(registry: Registry, corpus_id: str, patience_seconds: float) -> None:
    end = monotonic() + patience_seconds
    while True:
        held = [entry for entry in registry.list_queue(corpus_id) if entry.worker_id]
        if not held:
            return
        free_dead_workers(registry)
        if monotonic() > end:
            raise UsageFault(
                f"crawl job {held[0].job_id} is still being ended by worker {held[0].worker_id}; try again"
            )
        time.sleep(_LOOK_AGAIN_SECONDS)


def empty_corpus(registry: Registry, corpus_id: str, restore_days: int) -> DestroyedCorpus | None:
    """End the crawls of a corpus and leave it with its settings alone. What it held, unless it is removed at
    once because `restore_days` is 0."""
    end_crawls(registry, corpus_id, "the corpus was emptied")
    return _kept(registry, registry.empty_corpus(corpus_id), restore_days)


def destroy_corpus(registry: Registry, corpus_id: str, restore_days: int) -> DestroyedCorpus | None:
    """End the crawls of a corpus and take it away. What can be brought back; None when nothing can: with
    `restore_days` 0 it is removed at once."""
    end_crawls(registry, corpus_id, "the corpus was destroyed")
    return _kept(registry, registry.trash_corpus(corpus_id), restore_days)


def force_destroy_corpus(registry: Registry, corpus_id: str, restore_days: int) -> DestroyedCorpus | None:
    """As `destroy_corpus`, also when its store cannot be read."""
    try:
        return destroy_corpus(registry, corpus_id, restore_days)
    except StoreUnreachable:
        raise
    except StoreError as error:
        _log.warning("corpus %s is destroyed although its store failed: %s", corpus_id, error)
    ids = [entry.job_id for entry in registry.list_queue(corpus_id)]
    registry.command_jobs(corpus_id, ids, Command.CANCEL)
    _wait_for_workers(registry, corpus_id, PATIENCE_SECONDS)
    return _kept(registry, registry.trash_corpus(corpus_id), restore_days)


def _kept(registry: Registry, destroyed: DestroyedCorpus, restore_days: int) -> DestroyedCorpus | None:
    if restore_days:
        return destroyed
    with suppress(NotFound):
        registry.purge_corpus(destroyed.destroyed_id)
    return None


def purge_due(registry: Registry, restore_days: int) -> list[DestroyedCorpus]:
    """Remove for good what was destroyed more than `restore_days` ago, and the remains of interrupted
    restores."""
    purged = registry.purge_destroyed(now() - timedelta(days=restore_days))
    for each in purged:
        _log.info("corpus %s, destroyed %s, is removed for good", each.name, each.destroyed_at.date())
    return purged
