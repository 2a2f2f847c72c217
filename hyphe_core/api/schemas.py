"""JSON schemas of what methods answer: the shapes that several methods share, and what they are made of.

Objects may hold more members than their schema names. Moments are whole milliseconds since 1970.
"""

from __future__ import annotations

from hyphe_core.api.json_values import JsonObject
from memory_structure.records import WebEntityStatus

Schema = JsonObject

ANYTHING: Schema = {}
TEXT: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
NULL: Schema = {"type": "null"}
OBJECT: Schema = {"type": "object"}


def list_of(items: Schema) -> Schema:
    """A list of one kind of member."""
    return {"type": "array", "items": items}


def row_of(*members: Schema) -> Schema:
    """A list of exactly those members."""
    n_members = len(members)
    return {"type": "array", "prefixItems": list(members), "minItems": n_members, "maxItems": n_members}


def keyed(values: Schema) -> Schema:
    """An object whose keys are data."""
    return {"type": "object", "additionalProperties": values}


def either(*options: Schema) -> Schema:
    """One of several shapes."""
    return {"anyOf": list(options)}


def or_null(schema: Schema) -> Schema:
    """That, or null."""
    return either(schema, NULL)


def one_of_texts(*values: str) -> Schema:
    """One of those texts."""
    return {"enum": list(values)}


def constant(value: object) -> Schema:
    """That value alone."""
    return {"const": value}


def record(members: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """An object with those members, and perhaps the optional ones."""
    return {"type": "object", "properties": {**members, **(optional or {})}, "required": list(members)}


def _named(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


MESSAGE = TEXT
TEXTS = list_of(TEXT)
COUNTS = keyed(INTEGER)
WEB_ENTITY = _named("WebEntity")
WEB_ENTITIES = list_of(WEB_ENTITY)
ANY_WEB_ENTITY = _named("AnyWebEntity")
WEB_ENTITIES_PAGE = _named("WebEntitiesPage")
LISTING = either(WEB_ENTITIES_PAGE, list_of(ANY_WEB_ENTITY))
WEB_ENTITY_LINKS = list_of(row_of(INTEGER, INTEGER, INTEGER))
PAGES = list_of(_named("Page"))
PAGE_LINKS = list_of(row_of(TEXT, TEXT, INTEGER))
RULE = _named("CreationRule")
JOBS = list_of(_named("Job"))
CORPUS_STATE = _named("CorpusState")
CORPUS_SUMMARY = _named("CorpusSummary")
CORPUS_OPTIONS = _named("CorpusOptions")
STATUS = _named("Status")
TAG_COUNTS = keyed(keyed(INTEGER))
ALL_TAG_COUNTS = keyed(TAG_COUNTS)
ACT = _named("Act")
OWNERSHIP = _named("OwnershipPreview")
RULE_APPLICATION = _named("RuleApplication")
FORGETTING = _named("ForgetPreview")
LOG = list_of(record({"timestamp": INTEGER, "log": TEXT}, {"job": TEXT}))

_LIGHT: dict[str, Schema] = {
    "_id": INTEGER,
    "id": INTEGER,
    "name": TEXT,
    "status": _named("WebEntityStatus"),
    "prefixes": TEXTS,
    "undirected_degree": INTEGER,
    "indegree": INTEGER,
    "outdegree": INTEGER,
}
_STATUSES: dict[str, Schema] = {
    "crawling_status": _named("CrawlingStatus"),
    "indexing_status": _named("IndexingStatus"),
}
_SEMILIGHT: dict[str, Schema] = {
    **_LIGHT,
    **_STATUSES,
    "creation_date": INTEGER,
    "last_modification_date": INTEGER,
    "crawled": FLAG,
    "pages_total": INTEGER,
    "pages_crawled": INTEGER,
    "homepage": or_null(TEXT),
    "tags": _named("Tags"),
}
_WEIGHT: dict[str, Schema] = {"weight": INTEGER}

_WEB_ENTITIES: dict[str, Schema] = {
    "WebEntityStatus": one_of_texts(*WebEntityStatus),
    "CrawlingStatus": one_of_texts("UNCRAWLED", "PENDING", "RUNNING", "FINISHED", "CANCELED", "RETRIED"),
    "IndexingStatus": one_of_texts(
        "UNINDEXED", "PENDING", "BATCH_RUNNING", "BATCH_FINISHED", "BATCH_CRASHED", "FINISHED"
    ),
    "Tags": keyed(keyed(TEXTS)),
    "WebEntityLight": record(_LIGHT, {**_STATUSES, **_WEIGHT}),
    "WebEntitySemilight": record(_SEMILIGHT, _WEIGHT),
    "WebEntity": record({**_SEMILIGHT, "startpages": TEXTS, "note": TEXT}, {**_WEIGHT, "created": FLAG}),
    "WebEntityRow": record(
        {"id": INTEGER, "name": TEXT, "status": _named("WebEntityStatus"), "prefixes": TEXT, "tags": TEXT}
    ),
    "AnyWebEntity": either(
        WEB_ENTITY, _named("WebEntitySemilight"), _named("WebEntityLight"), _named("WebEntityRow")
    ),
    "WebEntitiesPage": record(
        {
            "total_results": INTEGER,
            "count": INTEGER,
            "page": INTEGER,
            "webentities": list_of(ANY_WEB_ENTITY),
            "token": or_null(TEXT),
            "last_page": INTEGER,
            "previous_page": or_null(INTEGER),
            "next_page": or_null(INTEGER),
        }
    ),
    "CreationRule": record({"prefix": TEXT, "regexp": TEXT, "name": TEXT}),
}

_PAGES: dict[str, Schema] = {
    "Page": record(
        {"lru": TEXT, "url": TEXT, "crawled": FLAG},
        {
            "linked": INTEGER,
            "status": INTEGER,
            "crawl_timestamp": TEXT,
            "depth": INTEGER,
            "content_type": or_null(TEXT),
            "size": INTEGER,
            "encoding": or_null(TEXT),
            "error": or_null(TEXT),
            "title": TEXT,
            "archive_url": or_null(TEXT),
            "archive_date_requested": or_null(TEXT),
            "archive_date_obtained": or_null(TEXT),
            "body": TEXT,
        },
    )
}

_JOBS: dict[str, Schema] = {
    "CrawlArguments": record(
        {"max_depth": INTEGER, "cookies": or_null(TEXT), "webarchives": OBJECT},
        {
            "spider": TEXT,
            "phantom": FLAG,
            "start_urls": TEXTS,
            "follow_prefixes": TEXTS,
            "nofollow_prefixes": TEXTS,
            "discover_prefixes": TEXTS,
            "ignore_internal_links": FLAG,
            "proxy": or_null(TEXT),
            "user_agent": TEXT,
            "max_pages": or_null(INTEGER),
            "max_bytes": or_null(INTEGER),
            "time_limit_seconds": or_null(NUMBER),
        },
    ),
    "Job": record(
        {
            "_id": TEXT,
            "crawljob_id": or_null(TEXT),
            "webentity_id": or_null(INTEGER),
            "nb_crawled_pages": INTEGER,
            "nb_crawled_pages_200": INTEGER,
            "nb_crawled_pages_3xx": INTEGER,
            "nb_unindexed_pages": INTEGER,
            "nb_pages": INTEGER,
            "nb_links": INTEGER,
            "crawl_arguments": _named("CrawlArguments"),
            **_STATUSES,
            "state": TEXT,
            "end": TEXT,
            "reason": TEXT,
            "created_at": INTEGER,
            "scheduled_at": or_null(INTEGER),
            "started_at": or_null(INTEGER),
            "crawled_at": or_null(INTEGER),
            "finished_at": or_null(INTEGER),
            "reviewed": FLAG,
        },
        {"previous_webentity_id": INTEGER, "previous_webentity_name": TEXT},
    ),
}

_STATE: dict[str, Schema] = {
    "corpus_id": or_null(TEXT),
    "ready": FLAG,
    "status": one_of_texts("ready", "starting", "missing", "stopped", "error"),
}
_TOTALS: dict[str, Schema] = {
    "total_crawls": INTEGER,
    "total_pages": INTEGER,
    "total_pages_crawled": INTEGER,
    "total_webentities": INTEGER,
    "webentities_in": INTEGER,
    "webentities_out": INTEGER,
    "webentities_undecided": INTEGER,
    "webentities_discovered": INTEGER,
    "created_at": INTEGER,
    "last_activity": INTEGER,
}

_CORPORA: dict[str, Schema] = {
    "CorpusState": record(_STATE, {"message": TEXT}),
    "CorpusOptions": record(
        {
            "keepalive": INTEGER,
            "max_depth": INTEGER,
            "obey_robots": FLAG,
            "ignore_internal_links": FLAG,
            "defaultStartpagesMode": TEXTS,
            "defaultCreationRule": TEXT,
            "follow_redirects": TEXTS,
            "proxy": record({"host": TEXT, "port": INTEGER}),
            "phantom": OBJECT,
            "webarchives_option": TEXT,
            "webarchives_date": TEXT,
            "webarchives_days_range": INTEGER,
        }
    ),
    "CorpusSummary": record(
        {**_STATE, "name": TEXT, "password": FLAG, **_TOTALS},
        {
            "message": TEXT,
            "crawls_pending": INTEGER,
            "crawls_running": INTEGER,
            "total_pages_queued": INTEGER,
            "last_index_loop": INTEGER,
            "last_links_loop": NUMBER,
            "links_duration": NUMBER,
            "options": CORPUS_OPTIONS,
        },
    ),
    "Status": record(
        {
            "hyphe": record(
                {
                    "corpus_running": INTEGER,
                    "crawls_running": INTEGER,
                    "crawls_pending": INTEGER,
                    "max_depth": INTEGER,
                    "available_archives": list_of(OBJECT),
                }
            ),
            "corpus": record(
                _STATE,
                {"name": TEXT, "options": CORPUS_OPTIONS, "creation_rules": list_of(RULE), "traph": OBJECT},
            ),
        }
    ),
}

_OWNER = or_null(record({"id": INTEGER, "name": TEXT}))

_CURATION: dict[str, Schema] = {
    "OwnershipPreview": record(
        {
            "nb_pages_moved": INTEGER,
            "changes": list_of(record({"before": _OWNER, "after": _OWNER, "nb_pages": INTEGER})),
            "samples": list_of(
                record({"lru": TEXT, "url": TEXT, "before": _OWNER, "after": _OWNER, "after_prefix": TEXT})
            ),
            "created_prefixes": list_of(TEXTS),
            "dropped_prefixes": TEXTS,
            "removed_webentities": list_of(_OWNER),
        }
    ),
    "ForgetPreview": record(
        {
            "nb_pages": INTEGER,
            "nb_pages_crawled": INTEGER,
            "nb_pages_kept": INTEGER,
            "nb_pages_brought": INTEGER,
            "nb_links": INTEGER,
            "samples": list_of(record({"lru": TEXT, "url": TEXT})),
            "removed_webentities": list_of(_OWNER),
        }
    ),
    "RuleApplication": record(
        {"prefixes": TEXTS, "nb_pages_moved": INTEGER, "webentity_ids": list_of(INTEGER), "dry_run": FLAG}
    ),
    "Act": record(
        {
            "id": INTEGER,
            "acted_at": INTEGER,
            "actor": TEXT,
            "kind": TEXT,
            "summary": TEXT,
            "webentity_ids": list_of(INTEGER),
            "nb_webentities": INTEGER,
            "undoes": or_null(INTEGER),
            "undone_by": or_null(INTEGER),
        },
        {
            "changes": list_of(
                record({"subject": TEXT, "field": TEXT, "before": or_null(TEXT), "after": or_null(TEXT)})
            )
        },
    ),
}

_ANSWERS: dict[str, Schema] = {
    "Failure": record(
        {"code": constant("fail"), "message": either(TEXT, CORPUS_STATE)},
        {"errors": TEXTS, "results": list_of(ANYTHING)},
    ),
}

COMPONENTS: dict[str, Schema] = {**_WEB_ENTITIES, **_PAGES, **_JOBS, **_CORPORA, **_CURATION, **_ANSWERS}


def success_of(result: Schema) -> Schema:
    """The answer to a call that succeeded."""
    return record({"code": constant("success"), "result": result})


FAILURE = _named("Failure")


def type_name(schema: Schema) -> str:
    """The JSON type of what a schema describes; "any" when it may have several."""
    named = schema.get("$ref")
    if isinstance(named, str):
        return type_name(COMPONENTS[named.rpartition("/")[2]])
    found = schema.get("type", "any")
    return found if isinstance(found, str) else "any"
