"""A small corpus with one of everything that exports must tell apart, made of fixed batches.

`python -m tests.export_cases` writes the golden files of tests/golden/exports again.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hyphe_core.exports import FORMATS, ExportRequest, Format, Subject, write_export
from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.opening import open_registry
from memory_structure.parses import EntryLink, PageParse, ParsedEntry
from memory_structure.records import (
    Area,
    Batch,
    Fetch,
    FetchedPage,
    FetchError,
    FoundLink,
    JobSpec,
    LinkKind,
    StartPage,
    WebEntityStatus,
)
from memory_structure.registry import Registry
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import UrlCutter

GOLDEN = Path(__file__).parent / "golden" / "exports"

lru = UrlCutter().lru

AT = datetime(2026, 1, 31, 12, 0, 0, 250_000, UTC)
HOSTILE = 'He said "=1+1", a\ttab,\na line; & <b> \x00\x0b\x1f \ufffe café 💡'

ALL_REQUESTS = [(subject, each) for subject in Subject for each in FORMATS[subject]]


def link(url: str, kind: LinkKind = LinkKind.HYPERLINK, count: int = 1, **more: object) -> FoundLink:
    values = {"anchor": "", "rel": "", "area": Area.MAIN, "raw": None} | more
    return FoundLink(lru(url), kind, count, **values)  # type: ignore[arg-type]


def page(
    url: str,
    *links: FoundLink,
    body: bytes | None = None,
    minutes: int = 0,
    text: str = "",
    parse: PageParse | None = None,
    **more: object,
) -> FetchedPage:
    digest = hashlib.sha256(body).hexdigest() if body is not None else None
    given = {"status": 200, "content_type": "text/html; charset=utf-8", "n_links": len(links)} | more
    moment = AT + timedelta(minutes=minutes)
    fetch = Fetch(1, moment, 0.25, digest=digest, size_bytes=len(body or b""), **given)  # type: ignore[arg-type]
    return FetchedPage(lru(url), (fetch,), links, text=text, parse=parse)


BODIES = {
    "http://a.example.com": b"<html>caf\xc3\xa9 \x00</html>",
    "http://a.example.com/moved": b"",
    "http://b.example.org/x?q=1": b"<p>" + b"x" * 5000,
}

ENTRY_LINK = EntryLink("http://c.example.net/", HOSTILE)

BATCHES = (
    Batch(
        (
            page(
                "http://a.example.com",
                link("http://b.example.org", count=3, anchor=HOSTILE, rel="nofollow", area=Area.NAV),
                link("http://b.example.org", LinkKind.FRAME),
                link("http://b.example.org/x?q=1", anchor="=HYPERLINK(1)"),
                link("http://a.example.com/moved", raw="http://a.example.com/moved?utm_source=x"),
                link("http://a.example.com/style.css", LinkKind.HEAD),
                body=BODIES["http://a.example.com"],
                title=HOSTILE,
                language="fr",
                encoding="utf-8",
                text=HOSTILE + "\nsecond line",
                parse=PageParse(
                    signature="0a" * 16,
                    metadata=(("dc.creator", HOSTILE), ("metatag.keywords", "one, two"), ("", "no name")),
                    dropped=(("filtered", 2),),
                ),
            ),
            page(
                "http://a.example.com/moved",
                link("http://c.example.net/deep/er", LinkKind.REDIRECT),
                body=BODIES["http://a.example.com/moved"],
                minutes=1,
                depth=1,
                status=301,
                redirect_lru=lru("http://c.example.net/deep/er"),
                parse=PageParse(0, 100, representative="http://c.example.net/deep/er"),
            ),
        )
    ),
    Batch(
        (
            page(
                "http://b.example.org/x?q=1",
                link("http://a.example.com", count=2),
                body=BODIES["http://b.example.org/x?q=1"],
                minutes=2,
                title="-2+3",
                canonical="http://b.example.org/x",
                follow=False,
                text="words",
                parse=PageParse(
                    parser="rss",
                    media_type="application/rss+xml",
                    entries=(
                        ParsedEntry(
                            "http://b.example.org/1",
                            HOSTILE,
                            "entry",
                            "fr",
                            (("dc.date", "2026"),),
                            (ENTRY_LINK,),
                        ),
                    ),
                ),
            ),
            page(
                "http://slow.example.net",
                minutes=3,
                status=None,
                content_type="",
                error=FetchError.TIMEOUT,
                error_detail="no answer in 30 s",
            ),
            page("http://gone.example.net", minutes=4, status=404, depth=2),
        )
    ),
)


def fill(registry: Registry, name: str = "exports", precision_limit: int | None = 1) -> str:
    """Make the corpus in a registry; its id."""
    options = CorpusOptions(precision_limit=precision_limit)
    corpus_id = registry.create_corpus(name, options).corpus_id
    structure = registry.open_structure(corpus_id)
    structure.add_rule(CreationRule(lru("http://c.example.net"), Preset.parse("path-1")))
    structure.create_job(JobSpec(None, ("http://a.example.com",), (lru("http://a.example.com"),)))
    for batch in BATCHES:
        structure.write_batch(batch)
    blobs = registry.open_blobs(corpus_id)
    for body in BODIES.values():
        blobs.put(hashlib.sha256(body).hexdigest(), body)
    _judge(structure)
    return corpus_id


def _judge(structure: MemoryStructure) -> None:
    structure.declare_web_entity([lru("http://alone.example")], name=HOSTILE)
    entity = structure.find_owner(lru("http://a.example.com"))
    assert entity is not None
    structure.edit_web_entity(
        entity.web_entity_id,
        status=WebEntityStatus.IN,
        homepage="http://a.example.com/",
        note="=note",
        start_pages=[
            StartPage("http://a.example.com/", "user"),
            StartPage("http://a.example.com/moved", "auto"),
        ],
        tags=[("USER", "kind", "press | daily"), ("USER", "kind", "weekly"), ("TECHNICAL", "seen", "yes")],
    )
    other = structure.find_owner(lru("http://b.example.org"))
    assert other is not None
    structure.set_statuses([other.web_entity_id], WebEntityStatus.OUT)


def exported(registry: Registry, corpus_id: str, request: ExportRequest) -> bytes:
    """What an export writes."""
    stream = io.BytesIO()
    write_export(
        registry.open_structure(corpus_id),
        request,
        stream,
        blobs=registry.open_blobs(corpus_id),
        compress=False,
    )
    return stream.getvalue()


def golden_path(subject: Subject, form: Format) -> Path:
    """The file that holds what is expected of an export of the corpus."""
    return GOLDEN / f"{subject}.{form}"


def write_golden_files() -> None:
    """Write every golden file from the present code; read the differences before committing them."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        registry = open_registry(Path(folder))
        corpus_id = fill(registry)
        for subject, form in ALL_REQUESTS:
            golden_path(subject, form).write_bytes(
                exported(registry, corpus_id, ExportRequest(subject, form))
            )
        registry.close()


if __name__ == "__main__":
    write_golden_files()
