"""What `get_status` says of the service and of a corpus."""

from __future__ import annotations

from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.options import shown_options
from hyphe_core.api.views import CorpusView
from hyphe_core.api.wire import milliseconds, shown_rule
from hyphe_core.config import Config
from memory_structure.registry import Command, CorpusEntry, Registry

# Clients look the archive of a corpus up in this list and fail without an entry for the live web.
LIVE_WEB: JsonObject = {
    "id": "",
    "label": "Live Web",
    "description": "Pages as they are on the web today",
    "url_prefix": "",
    "extra_prefixes": [],
    "permalinks_prefix": "",
    "proxy": "",
    "min_date": "",
}


def hyphe_status(config: Config, registry: Registry) -> JsonObject:
    """Corpora open, crawls running and waiting over all corpora, limits of the service."""
    queue = registry.list_queue()
    n_running = sum(1 for entry in queue if entry.worker_id)
    return {
        "corpus_running": sum(1 for entry in registry.list_corpora() if entry.started),
        "crawls_running": n_running,
        "crawls_pending": sum(1 for e in queue if not e.worker_id and e.command is Command.RUN),
        "max_depth": config.max_depth,
        "available_archives": [LIVE_WEB],
    }


def corpus_status(entry: CorpusEntry, view: CorpusView) -> JsonObject:
    """Name, options, rules, jobs and totals of an open corpus."""
    view.index_texts_later()
    structure = view.structure
    counters, jobs = structure.counters(), view.jobs()
    return {
        "name": entry.name,
        "idle": not jobs.n_running,
        "options": shown_options(structure.options()),
        "crawler": {
            "jobs_finished": jobs.n_finished,
            "jobs_pending": jobs.n_pending,
            "jobs_running": jobs.n_running,
            "pages_crawled": counters.n_pages_fetched,
            "pages_found": counters.n_pages,
            "links_found": counters.n_links,
        },
        "traph": _store_status(entry, view),
        "creation_rules": [shown_rule(rule) for rule in structure.rules().rules],
    }


def _store_status(entry: CorpusEntry, view: CorpusView) -> JsonObject:
    """Pages and links are indexed as they arrive: nothing ever waits, and the last change is the last
    activity."""
    counters, entities = view.structure.counters(), view.entities()
    last = milliseconds(entry.last_activity_at)
    return {
        "job_running": None,
        "job_running_since": 0,
        "last_index": last,
        "last_links": last,
        "links_duration": 0,
        "pages_to_index": 0,
        "webentities": {
            "total": counters.n_web_entities,
            "IN": counters.n_in,
            "IN_UNTAGGED": entities.n_in_untagged,
            "IN_UNCRAWLED": entities.n_in_uncrawled,
            "OUT": counters.n_out,
            "UNDECIDED": counters.n_undecided,
            "DISCOVERED": counters.n_discovered,
        },
    }
