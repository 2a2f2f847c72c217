"""Methods on pages and the links between them."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable, Iterator

from hyphe_core.api.call import Call
from hyphe_core.api.entities import ENTITY_ID
from hyphe_core.api.entity_pages import show_entities, show_entity
from hyphe_core.api.failures import Refusal, refuse_partial
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup, Role
from hyphe_core.api.parameters import Flag, Integer, ListOf, Parameter, Text
from hyphe_core.api.schemas import PAGE_LINKS, PAGES, TEXT, WEB_ENTITIES, WEB_ENTITY, or_null, record
from hyphe_core.api.wire import Level, shown_page
from memory_structure.errors import NotFound
from memory_structure.records import NETWORK_KINDS, LinkKind, LinkRecord, PageRecord

methods = MethodGroup("store")
root_methods = MethodGroup()

_TOKEN = Parameter("pagination_token", Text(max_chars=20_000), None, "token of the page before; none begins")
_DECLARED_AT_ONCE = 500  # pages of one transaction: others write meanwhile
_N_KINDS = len(LinkKind)


@root_methods.method(
    Parameter("url", Text(), doc="URL of a page"),
    CORPUS,
    result=WEB_ENTITY,
    returns="the entity that holds the page, with created",
    role=Role.CURATOR,
)
def declare_page(call: Call, url: str) -> JsonObject:
    """Make sure a page is known, and its web entity exists."""
    page, created = call.structure.declare_pages([call.lru_of_url(url)])[0]
    return show_entity(call, call.structure.get_web_entity(page.web_entity_id), created=created)


@root_methods.method(
    Parameter("list_urls", ListOf(Text(), or_one=True), doc="URLs of pages"),
    CORPUS,
    result=WEB_ENTITIES,
    returns="a list of entities; when some fail, a failure with errors and results",
    role=Role.CURATOR,
)
def declare_pages(call: Call, urls: list[str]) -> list[JsonObject]:
    """Make sure several pages are known; bad URLs are told, the others declared."""
    lrus: list[str] = []
    errors: list[str] = []
    for url in urls:
        try:
            lrus.append(call.lru_of_url(url))
        except Refusal as error:
            errors.append(str(error))
    results = _declare(call, lrus)
    refuse_partial(errors, results)
    return results


def _declare(call: Call, lrus: list[str]) -> list[JsonObject]:
    """Make pages known, many in one act; their entities in order, `created` with the first page of each."""
    made: set[int] = set()
    ids: list[int] = []
    for start in range(0, len(lrus), _DECLARED_AT_ONCE):
        for page, created in call.structure.declare_pages(lrus[start : start + _DECLARED_AT_ONCE]):
            made.update([page.web_entity_id] if created else ())
            ids.append(page.web_entity_id)
    entities = call.structure.list_web_entities(ids=list(dict.fromkeys(ids)))
    shown = {one["id"]: one for one in show_entities(call, entities, Level.FULL)}
    results = []
    for entity_id in ids:
        if entity_id in shown:  # nobody removed it meanwhile
            results.append(shown[entity_id] | {"created": entity_id in made})
            made.discard(entity_id)
    return results


# -- pages of an entity -----------------------------------------------------------------------------------


@methods.method(
    ENTITY_ID,
    Parameter("onlyCrawled", Flag(), True, "only pages that were fetched"),
    CORPUS,
    result=PAGES,
    returns="a list of pages",
)
def get_webentity_pages(call: Call, web_entity_id: int, only_crawled: bool) -> list[JsonObject]:
    """List all pages of a web entity by LRU. For large ones, ask page by page."""
    call.structure.get_web_entity(web_entity_id)
    return [shown_page(page) for page in call.structure.iter_pages(web_entity_id, only_fetched=only_crawled)]


@methods.method(
    ENTITY_ID,
    Parameter("count", Integer(1, 100_000), 5000, "pages at a time"),
    _TOKEN,
    Parameter("onlyCrawled", Flag(), False, "only pages that were fetched"),
    Parameter("include_page_metas", Flag(), False, "also what the last fetch of each page said"),
    Parameter("include_page_body", Flag(), False, "also the body, where one is kept"),
    Parameter("body_as_plain_text", Flag(), False, "the body as text instead of base64 of its zlib form"),
    CORPUS,
    result=record({"token": or_null(TEXT), "pages": PAGES}),
    returns="an object: token (null at the end) and pages",
)
def paginate_webentity_pages(
    call: Call,
    web_entity_id: int,
    count: int,
    token: str | None,
    only_crawled: bool,
    metas: bool,
    body: bool,
    plain: bool,
) -> JsonObject:
    """Give the pages of a web entity by LRU, some at a time."""
    call.structure.get_web_entity(web_entity_id)
    if body and not call.structure.options().keep_bodies:
        raise Refusal("this corpus keeps no bodies: its option keep_bodies is off")
    after = None if token is None else read_page_token(token)[0]
    found = call.structure.list_pages(web_entity_id, after=after, limit=count + 1, only_fetched=only_crawled)
    pages = found[:count]
    shown = [shown_page(page, metas) | (_body(call, page, plain) if body else {}) for page in pages]
    return {"token": page_token(pages[-1].lru) if len(found) > count else None, "pages": shown}


def _body(call: Call, page: PageRecord, plain: bool) -> JsonObject:
    if page.fetch is None or page.fetch.digest is None:
        return {}
    try:
        octets = call.registry.open_blobs(call.corpus.corpus_id).get(page.fetch.digest)
    except NotFound:
        return {}
    if plain:
        return {"body": _decoded(octets, page.fetch.encoding)}
    return {"body": base64.b64encode(zlib.compress(octets)).decode("ascii")}


def _decoded(octets: bytes, encoding: str) -> str:
    try:
        return octets.decode(encoding or "utf-8", "replace")
    except LookupError:
        return octets.decode("utf-8", "replace")


def page_token(*parts: str) -> str:
    """The token of a place in a long answer."""
    return base64.urlsafe_b64encode("\n".join(parts).encode()).decode("ascii")


def read_page_token(token: str) -> list[str]:
    """The parts of a token. Refuses what is none."""
    try:
        return base64.urlsafe_b64decode(token.encode("ascii")).decode().split("\n")
    except (binascii.Error, ValueError):
        raise Refusal("this pagination token is not one that this service gave") from None


@methods.method(
    ENTITY_ID,
    Parameter("npages", Integer(1, 10_000), 20, "number of pages"),
    Parameter("max_prefix_distance", Integer(0), None, "path segments and query below a prefix, at most"),
    CORPUS,
    result=PAGES,
    returns="a list of pages with linked, the number of distinct pages that link to each",
)
def get_webentity_mostlinked_pages(
    call: Call, web_entity_id: int, n_pages: int, max_distance: int | None
) -> list[JsonObject]:
    """List the pages of a web entity that most pages link to."""
    entity = call.structure.get_web_entity(web_entity_id)
    limit = n_pages if max_distance is None else 50 * n_pages
    found = call.structure.list_most_linked_pages(web_entity_id, limit)
    kept = [f for f in found if max_distance is None or _distance(f[0].lru, entity.prefixes) <= max_distance]
    return [shown_page(page) | {"linked": n_linking} for page, n_linking in kept[:n_pages]]


def _distance(lru: str, prefixes: Iterable[str]) -> int:
    return min((lru[len(prefix) :].count("|") for prefix in prefixes if lru.startswith(prefix)), default=0)


# -- links between pages ----------------------------------------------------------------------------------


@methods.method(
    Parameter("webentity_id", Integer(1), doc=ENTITY_ID.doc),
    Parameter("include_external_links", Flag(), False, "also links from and to pages of other entities"),
    CORPUS,
    result=PAGE_LINKS,
    returns="a list of [source LRU, target LRU, weight]",
)
def get_webentity_pagelinks_network(call: Call, web_entity_id: int, external: bool) -> list[list[object]]:
    """Give the links between the pages of a web entity. For large ones, ask page by page."""
    call.structure.get_web_entity(web_entity_id)
    links = call.structure.iter_links(web_entity_id)
    inside = (link for link in links if external or link.target_web_entity_id == web_entity_id)
    shown = _summed(inside)
    return shown + _summed(_arriving(call, web_entity_id)) if external else shown


def _arriving(call: Call, web_entity_id: int) -> Iterator[LinkRecord]:
    for referrer in call.structure.list_referrers(web_entity_id):
        for link in call.structure.iter_links(referrer.source_id):
            if link.target_web_entity_id == web_entity_id:
                yield link


def _summed(links: Iterable[LinkRecord]) -> list[list[object]]:
    """One row for each pair of pages, with how often the first links to the second; in the order found."""
    counts: dict[tuple[str, str], int] = {}
    for link in links:
        if link.kind in NETWORK_KINDS:
            pair = (link.source_lru, link.target_lru)
            counts[pair] = counts.get(pair, 0) + link.count
    return [[source, target, count] for (source, target), count in counts.items()]


@methods.method(
    Parameter("webentity_id", Integer(1), doc=ENTITY_ID.doc),
    Parameter("count", Integer(1, 100_000), 10, "links at a time"),
    _TOKEN,
    Parameter("include_external_outlinks", Flag(), False, "also links to pages of other entities"),
    CORPUS,
    result=record({"token": or_null(TEXT), "links": PAGE_LINKS}),
    returns="an object: token (null at the end) and links, [source LRU, target LRU, weight]",
)
def paginate_webentity_pagelinks_network(
    call: Call, web_entity_id: int, count: int, token: str | None, external: bool
) -> JsonObject:
    """Give the links that leave the pages of a web entity, some at a time."""
    call.structure.get_web_entity(web_entity_id)
    after = None if token is None else _link_position(token)
    limit = count + _N_KINDS
    rows = call.structure.list_links(web_entity_id, after=after, limit=limit, include_external=external)
    kept, more = _whole_pairs(rows, count, ended=len(rows) < limit)
    last = kept[-1] if kept and more else None
    token = None if last is None else page_token(last.source_lru, last.target_lru, str(int(last.kind)))
    return {"token": token, "links": _summed(kept)}


def _link_position(token: str) -> tuple[str, str, int]:
    parts = read_page_token(token)
    if len(parts) != 3 or not parts[2].isdecimal():
        raise Refusal("this pagination token is not one that this service gave")
    return parts[0], parts[1], int(parts[2])


def _whole_pairs(rows: list[LinkRecord], count: int, *, ended: bool) -> tuple[list[LinkRecord], bool]:
    """The rows of the first `count` pairs of pages, each pair with all its kinds; and whether more follow."""
    pairs = list(dict.fromkeys((row.source_lru, row.target_lru) for row in rows))
    if not ended:  # kinds of the last pair may lie behind the last row
        pairs = pairs[:-1]
    chosen = set(pairs[:count])
    kept = [row for row in rows if (row.source_lru, row.target_lru) in chosen]
    return kept, len(kept) < len(rows) or not ended
