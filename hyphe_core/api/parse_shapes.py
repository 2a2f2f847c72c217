"""What `parse.check` and `hyphe parse` say of a document, as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.schemas import FLAG, INTEGER, NUMBER, TEXT, TEXTS, Schema, list_of, or_null, record
from hyphe_core.api.wire import milliseconds
from hyphe_core.crawl.stored_pages import StoredParse
from hyphe_core.parsers.base import Link, Metadatum, ParseMajor, ParseMinor, ParseResult, ParseStatus
from hyphe_core.parsers.inspection import Inspection
from hyphe_core.parsers.registry import name_of
from hyphe_core.parsers.statuses import describe
from memory_structure.lru import lru_to_url
from memory_structure.records import LinkKind, LinkRecord

_STATUS: Schema = record({"major": TEXT, "minor": INTEGER, "message": TEXT, "words": TEXT})
LINKS: Schema = list_of(record({"url": TEXT, "kind": TEXT, "anchor": TEXT, "rel": TEXT, "area": TEXT}))
_PAIRS: Schema = list_of(record({"name": TEXT, "value": TEXT}))
_COUNTED: Schema = list_of(record({"reason": TEXT, "count": INTEGER}))

EXPLANATION: Schema = record(
    {
        "url": TEXT,
        "size": INTEGER,
        "profile": TEXT,
        "status": _STATUS,
        "media_type": TEXT,
        "type_source": TEXT,
        "declared_type": TEXT,
        "sniffed_type": TEXT,
        "parser": TEXT,
        "why": TEXT,
        "asked": list_of(record({"parser": TEXT, "why": TEXT})),
        "encoding": TEXT,
        "encoding_source": TEXT,
        "links": INTEGER,
        "entries": INTEGER,
        "dropped": _COUNTED,
        "limits": TEXTS,
        "warnings": TEXTS,
    }
)
_ENTRY: dict[str, Schema] = {
    "url": TEXT,
    "status": _STATUS,
    "content_type": TEXT,
    "title": TEXT,
    "text": TEXT,
    "language": TEXT,
    "metadata": _PAIRS,
    "links": LINKS,
}
PARSE: Schema = record(
    {
        **_ENTRY,
        "base": TEXT,
        "canonical": or_null(TEXT),
        "robots": record({"index": FLAG, "follow": FLAG, "archive": FLAG, "snippet": FLAG}),
        "refresh": or_null(record({"url": TEXT, "delay": NUMBER})),
        "redirect": or_null(record({"url": TEXT, "representative": TEXT, "temporary": FLAG})),
        "alternates": list_of(record({"language": TEXT, "url": TEXT})),
        "signature": TEXT,
        "entries": list_of(record(_ENTRY)),
    }
)


OUTPUTS: Schema = record(
    {
        "text": record({"url": TEXT, "text": TEXT}),
        "data": record(
            {
                "url": TEXT,
                "status": _STATUS,
                "title": TEXT,
                "language": TEXT,
                "media_type": TEXT,
                "parser": TEXT,
                "metadata": _PAIRS,
                "links": LINKS,
                "dropped": _COUNTED,
                "entries": INTEGER,
            }
        ),
        "crawl": record(
            {
                "url": TEXT,
                "signature": TEXT,
                "text_profile": TEXT,
                "unchanged_since": or_null(INTEGER),
                "redirect": or_null(record({"url": TEXT, "delay": NUMBER, "representative": TEXT})),
                "score": or_null(NUMBER),
            }
        ),
    }
)


def shown_outputs(stored: StoredParse) -> JsonObject:
    """The three outputs of a stored parse."""
    url, parse, fetch = stored.page.url, stored.parse, stored.fetch
    status = ParseStatus(ParseMajor(parse.major), ParseMinor(parse.minor), parse.message)
    return {
        "text": {"url": url, "text": stored.text},
        "data": {
            "url": url,
            "status": shown_status(status),
            "title": fetch.title,
            "language": fetch.language,
            "media_type": parse.media_type or fetch.content_type,
            "parser": parse.parser,
            "metadata": [{"name": name, "value": value} for name, value in parse.metadata],
            "links": shown_links(map(_link_of, stored.links)),
            "dropped": [{"reason": reason, "count": n} for reason, n in parse.dropped],
            "entries": len(parse.entries),
        },
        "crawl": {
            "url": url,
            "signature": parse.signature,
            "text_profile": parse.text_profile,
            "unchanged_since": milliseconds(parse.unchanged_since) if parse.unchanged_since else None,
            "redirect": _shown_redirect(stored),
            "score": parse.score,
        },
    }


def _shown_redirect(stored: StoredParse) -> JsonObject | None:
    """The refresh of a page, or the redirect that was its answer, which waits for nothing."""
    target = stored.parse.refresh
    if target is None:
        urls = (_link_of(link).url for link in stored.links if link.kind is LinkKind.REDIRECT)
        target = next(((url, 0.0) for url in urls), None)
    if target is None:
        return None
    return {"url": target[0], "delay": target[1], "representative": stored.parse.representative}


def _link_of(link: LinkRecord) -> Link:
    return Link(link.raw or lru_to_url(link.target_lru), link.kind, link.anchor, link.rel, link.area)


def shown_explanation(inspection: Inspection) -> JsonObject:
    """How a document was read."""
    explanation, result = inspection.explanation, inspection.kept.result
    return {
        "url": inspection.document.url,
        "size": len(inspection.document.body),
        "profile": inspection.profile.value,
        "status": shown_status(result.status),
        "media_type": explanation.media_type,
        "type_source": inspection.type_source.value,
        "declared_type": explanation.declared_type,
        "sniffed_type": explanation.sniffed_type,
        "parser": explanation.read_by,
        "why": explanation.why,
        "asked": [{"parser": name_of(each.parser), "why": each.why} for each in explanation.candidates],
        "encoding": result.encoding,
        "encoding_source": str(result.encoding_source),
        "links": len(result.links),
        "entries": len(result.parses),
        "dropped": [{"reason": each.reason, "count": each.n} for each in inspection.omissions],
        "limits": list(inspection.limits),
        "warnings": list(dict.fromkeys(explanation.warnings)),
    }


def shown_parse(inspection: Inspection) -> JsonObject:
    """What a document gives."""
    kept, result = inspection.kept, inspection.kept.result
    redirect, refresh, robots = kept.redirect, result.refresh, result.robots
    return _shown_entry(result, inspection.document.url) | {
        "base": result.base_url,
        "canonical": result.canonical,
        "robots": {
            "index": robots.index,
            "follow": robots.follow,
            "archive": robots.archive,
            "snippet": robots.snippet,
        },
        "refresh": None if refresh is None else {"url": refresh.url, "delay": refresh.delay_seconds},
        "redirect": None
        if redirect is None
        else {
            "url": redirect.target,
            "representative": redirect.representative,
            "temporary": redirect.is_temporary,
        },
        "alternates": [{"language": each.language, "url": each.url} for each in result.alternates],
        "signature": result.signature,
        "entries": [_shown_entry(entry, entry.url) for entry in result.parses],
    }


def shown_status(status: ParseStatus) -> JsonObject:
    """A status with its words."""
    return {
        "major": status.major.name.lower(),
        "minor": int(status.minor),
        "message": status.message,
        "words": describe(status),
    }


def _shown_entry(result: ParseResult, url: str) -> JsonObject:
    return {
        "url": url,
        "status": shown_status(result.status),
        "content_type": result.content_type,
        "title": result.title,
        "text": result.text,
        "language": result.language,
        "metadata": _shown_pairs(result.metadata),
        "links": shown_links(result.links),
    }


def _shown_pairs(metadata: Iterable[Metadatum]) -> list[JsonObject]:
    return [{"name": name, "value": value} for name, value in metadata]


def shown_links(links: Iterable[Link]) -> list[JsonObject]:
    """Links in the order of the document."""
    return [
        {
            "url": link.url,
            "kind": link.kind.name.lower(),
            "anchor": link.anchor,
            "rel": link.rel,
            "area": link.area.name.lower(),
        }
        for link in links
    ]
