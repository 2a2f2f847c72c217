"""Acts: what people changed in a corpus, each as one record that can be read and undone.

Every write of curation is one transaction and one act. Crawling writes no acts: entities that batches make
are facts of the crawl. Moments are aware UTC."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

MAX_LISTED_IDS: Final = 100  # ids of web entities that an act names; `n_web_entities` counts them all

_actor: ContextVar[str] = ContextVar("actor", default="")


class ActKind(StrEnum):
    """What was done."""

    DECLARE = "declare"
    EDIT = "edit"
    STATUS = "status"
    TAGS = "tags"
    START_PAGES = "start pages"
    ADD_PREFIXES = "add prefixes"
    REMOVE_PREFIX = "remove prefix"
    MERGE = "merge"
    SPLIT = "split"
    DELETE = "delete"
    FORGET = "forget"
    ADD_RULE = "add rule"
    DELETE_RULE = "delete rule"
    APPLY_RULES = "apply rules"
    ADD_EXCEPTION = "add exception"
    DELETE_EXCEPTION = "delete exception"
    OPTIONS = "options"
    UNDO = "undo"


class Change(NamedTuple):
    """One field of one record before and after an act, readable; lists are JSON text.

    `subject` is "web entity 12", "prefix s:http|...", "rule s:http|...", "precision exception s:http|...",
    "crawl job 3" or "option max_depth". None: the record was not there."""

    subject: str
    field: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Act:
    """A recorded act. `actor` is "" for the program itself. `summary` is a sentence in words.

    `web_entity_ids` are those whose fields or prefixes changed, rising, at most `MAX_LISTED_IDS`. `undoes`:
    the act this one undid. `undone_by`: the act that undid this one, when that holds still. `changes` is
    empty in lists."""

    act_id: int
    acted_at: datetime
    actor: str
    kind: ActKind
    summary: str
    web_entity_ids: tuple[int, ...]
    n_web_entities: int
    undoes: int | None = None
    undone_by: int | None = None
    changes: tuple[Change, ...] = ()


@contextmanager
def acting(actor: str) -> Iterator[None]:
    """Acts of this thread or task inside the block are those of this actor; "" is the program itself."""
    token = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(token)


def current_actor() -> str:
    """Who acts in this thread or task."""
    return _actor.get()
