"""Records as clients read them: the one place where our names and units become those of the wire.

Moments are whole milliseconds since 1970, ids numbers, LRUs canonical texts. Cookies never go out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from urllib.parse import urlsplit

from hyphe_core.api.json_values import JsonObject
from hyphe_core.clock import to_milliseconds
from memory_structure.columns import JobHead
from memory_structure.creation_rules import CreationRule
from memory_structure.jobs import NO_JOB, STATUSES
from memory_structure.lru import lru_to_url
from memory_structure.records import (
    Degrees,
    Fetch,
    Job,
    JobState,
    LogEntry,
    PageRecord,
    StartPage,
    WebEntity,
)

NO_DEGREES = Degrees(0, 0, 0)
DEFAULT_RULE_PREFIX = "DEFAULT_WEBENTITY_CREATION_RULE"
START_PAGES_NAMESPACE = "CORE-STARTPAGES"
HIDDEN = "[hidden]"


class Level(StrEnum):
    """How much of a web entity is shown."""

    LIGHT = "light"
    SEMILIGHT = "semilight"
    FULL = "full"
    CSV = "csv"


def milliseconds(moment: datetime | None) -> int | None:
    """A moment in milliseconds, None for none."""
    return None if moment is None else to_milliseconds(moment)


# -- web entities -----------------------------------------------------------------------------------------


def light_entity(entity: WebEntity, degrees: Degrees = NO_DEGREES) -> JsonObject:
    """Identity, prefixes and degrees."""
    return {
        "_id": entity.web_entity_id,
        "id": entity.web_entity_id,
        "name": entity.name,
        "status": entity.status.value,
        "prefixes": list(entity.prefixes),
        "undirected_degree": degrees.undirected,
        "indegree": degrees.indegree,
        "outdegree": degrees.outdegree,
    }


def semilight_entity(entity: WebEntity, degrees: Degrees, job: JobHead | None) -> JsonObject:
    """Light, with dates, counts, homepage, crawl statuses and the user's tags."""
    return {
        **light_entity(entity, degrees),
        "creation_date": milliseconds(entity.created_at),
        "last_modification_date": milliseconds(entity.modified_at),
        **job_statuses(job),
        "crawled": is_crawled(job),
        "pages_total": entity.n_pages,
        "pages_crawled": entity.n_pages_fetched,
        "homepage": entity.homepage,
        "tags": shown_tags(entity.tags, only="USER"),
    }


def full_entity(entity: WebEntity, degrees: Degrees, job: JobHead | None, homepage: str | None) -> JsonObject:
    """Everything; `homepage` is the one computed when none was chosen."""
    tags = shown_tags([*entity.tags, *start_page_tags(entity.start_pages)])
    return {
        **semilight_entity(entity, degrees, job),
        "homepage": homepage,
        "tags": tags,
        "startpages": [page.url for page in entity.start_pages],
        "note": entity.note,
    }


def csv_entity(entity: WebEntity) -> JsonObject:
    """One line of a table: lists joined by bars; of the tags those that the program sets, start pages too."""
    tags = [*entity.tags, *start_page_tags(entity.start_pages)]
    values = [value for namespace, _, value in tags if namespace.startswith("CORE")]
    return {
        "id": entity.web_entity_id,
        "name": entity.name,
        "status": entity.status.value,
        "prefixes": "|".join(lru_to_url(prefix) for prefix in entity.prefixes),
        "tags": "|".join(values),
    }


def shown_tags(
    tags: Iterable[tuple[str, str, str]], only: str | None = None
) -> dict[str, dict[str, list[str]]]:
    """namespace -> category -> values."""
    shown: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for namespace, category, value in tags:
        if only is None or namespace == only:
            shown[namespace][category].append(value)
    return {namespace: dict(categories) for namespace, categories in shown.items()}


def start_page_tags(pages: Iterable[StartPage]) -> list[tuple[str, str, str]]:
    """Where start pages come from, in the form of tags: clients group them by it."""
    return [(START_PAGES_NAMESPACE, page.source, page.url) for page in pages]


# -- jobs -------------------------------------------------------------------------------------------------


def job_statuses(job: Job | JobHead | None) -> JsonObject:
    """Crawling and indexing status. Pages are indexed as they come, so indexing ends with the crawl."""
    if job is None:
        crawling, indexing = NO_JOB
    else:
        n_pages = job.n_pages if isinstance(job, JobHead) else job.counters.n_pages
        crawling, indexing = STATUSES[job.state][n_pages > 0]
    return {"crawling_status": crawling.value, "indexing_status": indexing.value}


def is_crawled(latest_job: JobHead | None) -> bool:
    """Whether an entity counts as crawled: its latest job was not called off."""
    return latest_job is not None and latest_job.state is not JobState.CANCELED


def shown_job(job: Job, light: bool = False) -> JsonObject:
    """A crawl job; `state`, `end` and `reason` say in our words what the two statuses cannot."""
    counters = job.counters
    shown: JsonObject = {
        "_id": str(job.job_id),
        "crawljob_id": str(job.job_id),
        "webentity_id": job.spec.web_entity_id,
        "nb_crawled_pages": counters.n_pages,
        "nb_crawled_pages_200": counters.n_200,
        "nb_crawled_pages_3xx": counters.n_3xx,
        "nb_unindexed_pages": 0,
        "nb_pages": max(counters.n_pages, counters.n_new_pages),
        "nb_links": counters.n_links,
        "crawl_arguments": _arguments(job, light),
        **job_statuses(job),
        "state": job.state.value,
        "end": job.end.value,
        "reason": job.reason,
        **_job_moments(job),
        "reviewed": job.reviewed,
    }
    if job.previous_web_entity_id is not None:
        shown["previous_webentity_id"] = job.previous_web_entity_id
        shown["previous_webentity_name"] = job.previous_web_entity_name
    return shown


def _job_moments(job: Job) -> JsonObject:
    return {
        "created_at": milliseconds(job.created_at),
        "scheduled_at": milliseconds(job.started_at),
        "started_at": milliseconds(job.started_at),
        "crawled_at": milliseconds(job.ended_at),
        "finished_at": milliseconds(job.ended_at),
    }


def _arguments(job: Job, light: bool) -> JsonObject:
    spec = job.spec
    few: JsonObject = {
        "max_depth": spec.max_depth,
        "cookies": HIDDEN if spec.cookies else None,
        "webarchives": {"option": "", "date": "", "days_range": 0},
    }
    if light:
        return few
    return few | {
        "spider": "web_entity",
        "phantom": False,
        "start_urls": list(spec.start_urls),
        "follow_prefixes": list(spec.follow_prefixes),
        "nofollow_prefixes": list(spec.nofollow_prefixes),
        "discover_prefixes": [],
        "ignore_internal_links": False,
        "proxy": _host_and_port(spec.proxy),
        "user_agent": spec.user_agent,
        "max_pages": spec.max_pages,
        "max_bytes": spec.max_bytes,
        "time_limit_seconds": spec.time_limit_seconds,
    }


def _host_and_port(proxy: str | None) -> str | None:
    parts = urlsplit(proxy or "")
    return f"{parts.hostname}:{parts.port}" if parts.hostname else None


def shown_log(entry: LogEntry, with_job: bool = False) -> JsonObject:
    """A line of the log; `job` only where lines of several jobs stand together."""
    shown: JsonObject = {
        "timestamp": milliseconds(entry.logged_at),
        "log": f"{entry.kind} {entry.message}".strip(),
    }
    return shown | {"job": str(entry.job_id or "")} if with_job else shown


# -- pages and links --------------------------------------------------------------------------------------


def shown_page(page: PageRecord, metas: bool = False) -> JsonObject:
    """A page: LRU, address, whether it was fetched; with `metas` what its last fetch said."""
    shown: JsonObject = {"lru": page.lru, "crawled": page.fetch is not None, "url": page.url}
    return shown | _page_metas(page.fetch) if metas and page.fetch is not None else shown


def _page_metas(fetch: Fetch) -> JsonObject:
    return {
        "status": fetch.status or 0,
        "crawl_timestamp": str(milliseconds(fetch.fetched_at)),
        "depth": fetch.depth,
        "content_type": fetch.content_type or None,
        "size": fetch.size_bytes,
        "encoding": fetch.encoding or None,
        "error": fetch.error.value if fetch.error else None,
        "title": fetch.title,
        "archive_url": None,
        "archive_date_requested": None,
        "archive_date_obtained": None,
    }


# -- rules ------------------------------------------------------------------------------------------------


def shown_rule(rule: CreationRule) -> JsonObject:
    """A creation rule with its preset's name and the pattern clients show for it."""
    return {
        "prefix": rule.prefix or DEFAULT_RULE_PREFIX,
        "regexp": rule.preset.regexp(rule.prefix),
        "name": str(rule.preset),
    }
