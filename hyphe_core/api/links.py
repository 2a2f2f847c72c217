"""Methods on the page links behind the network: evidence of a link, networks of pages, clicks from start
pages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from hyphe_core.api.call import Call
from hyphe_core.api.entities import ENTITY_ID
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup
from hyphe_core.api.pages import page_token, read_page_token
from hyphe_core.api.parameters import Integer, ListOf, Parameter, Text
from hyphe_core.api.schemas import COUNTS, INTEGER, PAGE_LINKS, TEXT, TEXTS, list_of, or_null, record
from hyphe_core.api.wire import milliseconds
from memory_structure.link_evidence import EvidenceLink, PagePair
from memory_structure.lru import lru_to_url
from memory_structure.records import NETWORK_KINDS, LinkRecord

methods = MethodGroup("links")

_TOKEN = Parameter("token", Text(max_chars=20_000), None, "token of the answer before; none begins")
_EVIDENCE = record(
    {
        "source_url": TEXT,
        "target_url": TEXT,
        "source_lru": TEXT,
        "target_lru": TEXT,
        "source_title": TEXT,
        "kind": TEXT,
        "anchor": TEXT,
        "rel": TEXT,
        "area": TEXT,
        "count": INTEGER,
        "read_at": INTEGER,
        "found_as": or_null(TEXT),
    }
)
_CHUNK = 1000


@methods.method(
    Parameter("source_id", Integer(1), doc="id of the web entity that links"),
    Parameter("target_id", Integer(1), doc="id of the web entity linked to; the same for inner links"),
    Parameter("count", Integer(1, 10_000), 100, "pairs of pages at a time"),
    _TOKEN,
    CORPUS,
    result=record({"weight": INTEGER, "links": list_of(_EVIDENCE), "token": or_null(TEXT)}),
    returns="an object: weight (all pairs of pages), links, token (null at the end)",
)
def evidence(call: Call, source_id: int, target_id: int, count: int, token: str | None) -> JsonObject:
    """Show the hyperlinks behind a link between two web entities: pages, anchors, rel, area of the page,
    kind, and when the linking page was read."""
    after = None if token is None else _pair(token)
    found = call.structure.list_evidence(source_id, target_id, after=after, limit=count)
    return {
        "weight": found.n_pairs,
        "links": [_evidence(each) for each in found.links],
        "token": None if found.last is None else page_token(*map(str, found.last)),
    }


def _pair(token: str) -> PagePair:
    parts = read_page_token(token)
    if len(parts) != 2 or not all(part.isascii() and part.isdecimal() for part in parts):
        raise Refusal("this pagination token is not one that this service gave")
    source, target = (min(int(part), 2**31 - 1) for part in parts)
    return source, target


def _evidence(evidence: EvidenceLink) -> JsonObject:
    link = evidence.link
    return {
        "source_url": lru_to_url(link.source_lru),
        "target_url": lru_to_url(link.target_lru),
        "source_lru": link.source_lru,
        "target_lru": link.target_lru,
        "source_title": evidence.source_title,
        "kind": link.kind.name.lower(),
        "anchor": link.anchor,
        "rel": link.rel,
        "area": link.area.name.lower(),
        "count": link.count,
        "read_at": milliseconds(evidence.read_at),
        "found_as": link.raw,
    }


@methods.method(
    Parameter("webentity_ids", ListOf(Integer(1), or_one=True, max_length=10_000), doc="ids of web entities"),
    Parameter("count", Integer(1, 100_000), 1000, "links at a time"),
    _TOKEN,
    CORPUS,
    result=record({"links": PAGE_LINKS, "token": or_null(TEXT)}),
    returns="an object: links, [source LRU, target LRU, how often], and token (null at the end)",
)
def page_network(call: Call, ids: list[int], count: int, token: str | None) -> JsonObject:
    """Give the links among the pages of a web entity, or of several, some at a time: by entity in the order
    of their ids, then by source and target LRU."""
    wanted = sorted(set(ids))
    for web_entity_id in wanted:
        call.structure.get_web_entity(web_entity_id)
    start, after = (wanted[0] if wanted else 0, None) if token is None else _network_place(token)
    rows: list[list[object]] = []
    last: tuple[int, LinkRecord] | None = None
    for web_entity_id, link in _iter_inner(call, wanted, start, after):
        if rows and rows[-1][:2] == [link.source_lru, link.target_lru]:
            rows[-1][2] = int(str(rows[-1][2])) + link.count
        elif len(rows) == count:
            assert last is not None
            return {"links": rows, "token": _network_token(*last)}
        else:
            rows.append([link.source_lru, link.target_lru, link.count])
        last = (web_entity_id, link)
    return {"links": rows, "token": None}


def _iter_inner(
    call: Call, ids: list[int], start: int, after: tuple[str, str, int] | None
) -> Iterator[tuple[int, LinkRecord]]:
    """Links between pages of the entities, from a place on."""
    chosen = set(ids)
    for web_entity_id in (i for i in ids if i >= start):
        place = after if web_entity_id == start else None
        while True:
            links = call.structure.list_links(
                web_entity_id, after=place, limit=_CHUNK, include_external=len(chosen) > 1
            )
            for link in links:
                if link.target_web_entity_id in chosen and link.kind in NETWORK_KINDS:
                    yield web_entity_id, link
            if len(links) < _CHUNK:
                break
            place = (links[-1].source_lru, links[-1].target_lru, int(links[-1].kind))


def _network_token(web_entity_id: int, link: LinkRecord) -> str:
    return page_token(str(web_entity_id), link.source_lru, link.target_lru, str(int(link.kind)))


def _network_place(token: str) -> tuple[int, tuple[str, str, int]]:
    parts = read_page_token(token)
    if len(parts) != 4 or not (parts[0].isdecimal() and parts[3].isdecimal()):
        raise Refusal("this pagination token is not one that this service gave")
    return int(parts[0]), (parts[1], parts[2], int(parts[3]))


@methods.method(
    ENTITY_ID,
    Parameter("count", Integer(1, 10_000), 1000, "pages at a time"),
    _TOKEN,
    CORPUS,
    result=record(
        {
            "startpages": TEXTS,
            "pages_by_depth": COUNTS,
            "unreached": INTEGER,
            "pages": list_of(record({"url": TEXT, "lru": TEXT, "depth": or_null(INTEGER)})),
            "token": or_null(TEXT),
        }
    ),
    returns="an object: startpages, pages_by_depth, unreached, pages with depth (null: unreached), token",
)
def page_depths(call: Call, web_entity_id: int, count: int, token: str | None) -> JsonObject:
    """Tell how many clicks each page of a web entity lies from its start pages, by the links stored inside
    it."""
    after = None if token is None else read_page_token(token)[0]
    found = call.structure.list_page_depths(web_entity_id, after=after, limit=count + 1)
    depths = call.structure.page_depths(web_entity_id)
    shown = list(islice(found, count))
    return {
        "startpages": [lru_to_url(lru) for lru in depths.start_lrus],
        "pages_by_depth": {str(clicks): n for clicks, n in depths.n_by_depth},
        "unreached": depths.n_unreached,
        "pages": [{"url": page.url, "lru": page.lru, "depth": clicks} for page, clicks in shown],
        "token": page_token(shown[-1][0].lru) if len(found) > count else None,
    }
