"""Small made-up pages, links and fetches for tests of the store."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from memory_structure.records import (
    Area,
    Batch,
    Fetch,
    FetchedPage,
    FetchError,
    FoundLink,
    JobSpec,
    LinkKind,
)

MOMENT = datetime(2026, 3, 1, 12, 30, 5, 123456, tzinfo=UTC)
SPEC = JobSpec(None, ("http://a.com/",), ("s:http|h:com|h:a|",))


def lru(host: str, *path: str, scheme: str = "http") -> str:
    """The LRU of a page: lru("www.a.com", "x")."""
    labels = "".join(f"h:{label}|" for label in reversed(host.split(".")))
    return f"s:{scheme}|{labels}" + "".join(f"p:{segment}|" for segment in path)


def link(target: str, kind: LinkKind = LinkKind.HYPERLINK, **changes: Any) -> FoundLink:
    """A link, plain but for the changes."""
    return FoundLink(target, kind, 1, "", "", Area.MAIN, None)._replace(**changes)


def fetch(job_id: int = 1, **changes: Any) -> Fetch:
    """A good answer, but for the changes."""
    values: dict[str, Any] = {"fetched_at": MOMENT, "status": 200, **changes}
    if values.get("error") is not None:
        values["error"] = FetchError(values["error"])
    return Fetch(job_id, **values)


def page(key: str, *targets: str | FoundLink, attempts: Sequence[Fetch] = (), **changes: Any) -> FetchedPage:
    """A fetched page with links to these targets."""
    links = tuple(link(t) if isinstance(t, str) else t for t in targets)
    return FetchedPage(key, tuple(attempts) or (fetch(),), links, **changes)


def batch(*pages: FetchedPage) -> Batch:
    """A batch of these pages."""
    return Batch(tuple(pages))
