"""The tables of a corpus and of the registry. Moments are microseconds since 1970 UTC; lists and texts that
are only read back whole are JSON."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from memory_structure.storage import Column, ColumnKind, Index, Table

SCHEMA_VERSION: Final = 1
BLOCK: Final = 4096  # page ids a label block holds
SEGMENT_LINKS: Final = 4096  # links after which a segment is full


class Labels(IntEnum):
    """What a label block tells of page ids."""

    OWNER = 0
    NODE = 1


class Weights(IntEnum):
    """What a row of weights tells of its source."""

    FORWARD = 0  # entity -> entities it links to, itself included
    BACKWARD = 1  # entity -> entities that link to it
    NODES = 2  # node -> nodes it links to
    COUNTS = 3  # entity -> {N_PAGES: pages, N_FETCHED: fetched pages}


N_PAGES: Final = 0
N_FETCHED: Final = 1


def _table(name: str, columns: str, key: str, *indexes: Index) -> Table:
    """`columns` are words "name:kind", kind by its first letter, INTEGER when left out."""
    kinds = {"i": ColumnKind.INTEGER, "t": ColumnKind.TEXT, "b": ColumnKind.BLOB, "r": ColumnKind.REAL}
    made = []
    for word in columns.split():
        column, _, kind = word.partition(":")
        made.append(Column(column, kinds[kind or "i"]))
    return Table(name, tuple(made), tuple(key.split()), indexes)


def _index(columns: str, *, unique: bool = False) -> Index:
    return Index("by_" + columns.replace(" ", "_"), tuple(columns.split()), unique)


STATE: Final = _table(
    "state",
    "id schema version prefix_version prefix_reset label_version next_page next_node next_entity next_fetch"
    " next_job next_log next_delta segment n_delta_links n_delta_backward n_pages n_pages_fetched n_links"
    " n_in n_out n_undecided n_discovered",
    "id",
)
OPTIONS: Final = _table("options", "name:t value:t", "name")
PAGES: Final = _table(
    "pages", "id lru:t raw_url:t first_seen_at fetch_id links_id", "id", _index("lru", unique=True)
)
FETCHES: Final = _table(
    "fetches",
    "id page_id job_id attempt final fetched_at duration_seconds:r depth status error:t error_detail:t"
    " content_type:t encoding:t size_bytes digest:t title:t language:t canonical:t redirect_lru:t follow"
    " n_links n_self_links n_links_cut",
    "id",
    _index("page_id job_id attempt", unique=True),
    _index("job_id"),
)
TEXTS: Final = _table("texts", "page_id text:b", "page_id")
# The parse of a page's last answer; `status` is major * 1000 + minor, `details` what most pages have not.
PARSES: Final = _table(
    "parses",
    "page_id fetch_id parsed_at unchanged_since status parser:t signature:b text_profile:b score:r details:b",
    "page_id",
)
# Scores of pages by blocks of their ids; block -1 names the last row of gifts that is in them.
SCORES: Final = _table("scores", "block scores:b", "block")
# What pages of a batch gave to others, keyed by the last fetch of the batch.
SCORE_GIFTS: Final = _table("score_gifts", "id gifts:b", "id")
# Keyed by the fetch that found them: rows are appended, where page ids would scatter them over the whole
# table.
OUTLINKS: Final = _table("outlinks", "id page_id segment links:b", "id")
LABELS: Final = _table("labels", "kind block ids:b", "kind block")
SEGMENTS: Final = _table("segments", "id n_links links:b", "id")
ARRIVALS: Final = _table("arrivals", "run first_target pairs:b", "run first_target")
WEIGHTS: Final = _table("weights", "kind source targets:b", "kind source")
DELTAS: Final = _table("deltas", "id kind pairs:b", "id", _index("kind"))
NODES: Final = _table("nodes", "id lru:t", "id", _index("lru", unique=True))
ENTITIES: Final = _table(
    "web_entities",
    "id name:t status:t created_at modified_at homepage:t start_pages:t tags:t note:t",
    "id",
    _index("name"),
    _index("status"),
)
PREFIXES: Final = _table(
    "prefixes", "prefix:t entity_id version", "prefix", _index("entity_id"), _index("version")
)
RULES: Final = _table("rules", "prefix:t preset:t", "prefix")
EXCEPTIONS: Final = _table("precision_exceptions", "prefix:t", "prefix")
JOBS: Final = _table(
    "jobs",
    "id entity_id state:t end:t reason:t spec:t created_at started_at ended_at active_seconds:r reviewed"
    " previous_entity_id previous_entity_name:t",
    "id",
    _index("entity_id"),
    _index("state"),
)
JOB_COUNTERS: Final = _table(
    "job_counters",
    "job_id n_pages n_answers n_200 n_3xx n_errors n_robots n_links n_new_pages n_bytes max_depth_reached",
    "job_id",
)
JOB_REVIEWS: Final = _table("job_reviews", "job_id note:t actor:t reviewed_at", "job_id")
LOGS: Final = _table("logs", "id logged_at job_id kind:t message:t", "id", _index("job_id"))
# Where the original bytes lie: `length` bytes of a pack from `offset` on, compressed.
BODIES: Final = _table("bodies", "digest:b pack:t offset length", "digest")

# Acts of curation; `entity_ids` the first of them in JSON, `changes` rows before and after.
ACTS: Final = _table(
    "acts",
    "id acted_at actor:t kind:t summary:t n_entities entity_ids:t undoes undone_by",
    "id",
    _index("kind"),
)
ACT_CHANGES: Final = _table("act_changes", "act_id changes:b", "act_id")
# Which acts touched which web entities: packed ids, some hundred neighbours together, so that an act on ten
# thousand of them is some ten rows.
ACT_ENTITIES: Final = _table("acts_by_entity", "bucket act_id ids:b", "bucket act_id")
# Packed ids of the entities whose fields or prefixes a version of the corpus changed, gone ones too.
ENTITY_CHANGES: Final = _table("changed_entities", "version ids:b", "version")
# What an act of forgetting took out, compressed, chunk by chunk in the order of its transactions. Key (0, 0):
# the version of the corpus that took out pages last.
FORGOTTEN: Final = _table("forgotten", "act_id chunk rows:b", "act_id chunk")

# Numbers of entities by status as of the last change in a minute.
STATUS_POINTS: Final = _table(
    "status_points",
    "minute counted_at n_in n_out n_undecided n_discovered n_in_untagged n_in_uncrawled",
    "minute",
)

CORPUS_TABLES: Final = (
    STATE,
    OPTIONS,
    PAGES,
    FETCHES,
    TEXTS,
    PARSES,
    SCORES,
    SCORE_GIFTS,
    OUTLINKS,
    LABELS,
    SEGMENTS,
    ARRIVALS,
    WEIGHTS,
    DELTAS,
    NODES,
    ENTITIES,
    PREFIXES,
    RULES,
    EXCEPTIONS,
    JOBS,
    JOB_COUNTERS,
    JOB_REVIEWS,
    LOGS,
    BODIES,
    STATUS_POINTS,
    ACTS,
    ACT_CHANGES,
    ACT_ENTITIES,
    ENTITY_CHANGES,
    FORGOTTEN,
)

CORPORA: Final = _table(
    "corpora",
    "id:t name:t password_hash:t created_at last_activity_at started ready",
    "id",
    _index("name", unique=True),
)
QUEUE: Final = _table(
    "queue", "place corpus_id:t job_id command:t worker_id:t queued_at hosts:t", "corpus_id job_id"
)
WORKERS: Final = _table("workers", "id:t machine:t pid started_at expires_at", "id")
HOSTS: Final = _table(
    "hosts", "proxy:t host:t worker_id:t free_at wanted_by:t", "proxy host", _index("worker_id")
)
REGISTRY_STATE: Final = _table("registry_state", "id schema next_place", "id")

# Stores named otherwise than the corpus they hold, because that name was in use when they were made.
STORES: Final = _table("stores", "id:t store:t", "id")
# Corpora destroyed and not removed yet, by the name of their store.
TRASH: Final = _table(
    "trash", "store:t id:t name:t password_hash:t created_at last_activity_at destroyed_at", "store"
)
# Stores that are being made or removed, each with the last sign of life of who does it.
UNFINISHED: Final = _table("unfinished_stores", "store:t touched_at", "store")

REGISTRY_TABLES: Final = (REGISTRY_STATE, CORPORA, QUEUE, WORKERS, HOSTS, STORES, TRASH, UNFINISHED)
