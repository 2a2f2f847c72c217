"""Methods that propose start pages and prove that they answer, before a crawl begins."""

from __future__ import annotations

from typing import Final, cast

from twisted.internet.threads import deferToThread

from hyphe_core.api.call import Call
from hyphe_core.api.entities import ENTITY_ID
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.launching import MODES
from hyphe_core.api.methods import CORPUS, MethodGroup, Role
from hyphe_core.api.parameters import Integer, ListOf, Number, Parameter, Text
from hyphe_core.api.proofs import Proof, prove_start_pages
from hyphe_core.api.schemas import FLAG, INTEGER, TEXT, TEXTS, list_of, or_null, record
from hyphe_core.api.wire import milliseconds
from hyphe_core.crawl.start_pages import propose_start_pages, united
from memory_structure.records import PageRecord, WebEntity

methods = MethodGroup("startpages")

_MOST_PROVED: Final = 100
_PROPOSED = record(
    {
        "url": TEXT,
        "modes": TEXTS,
        "known": FLAG,
        "status": or_null(INTEGER),
        "error": or_null(TEXT),
        "fetched_at": or_null(INTEGER),
        "startpage": FLAG,
    }
)
_PROOF = record(
    {
        "url": TEXT,
        "verdict": TEXT,
        "good": FLAG,
        "warning": or_null(TEXT),
        "use": or_null(TEXT),
        "status": INTEGER,
        "location": or_null(TEXT),
        "final_url": TEXT,
        "final_status": INTEGER,
        "owner_id": or_null(INTEGER),
        "owner_name": or_null(TEXT),
        "trail": list_of(record({"url": TEXT, "status": INTEGER, "message": TEXT})),
    }
)


@methods.method(
    ENTITY_ID,
    MODES,
    Parameter("count", Integer(1, 10_000), 200, "start pages at most"),
    CORPUS,
    result=list_of(_PROPOSED),
    returns="a list of start pages in the order of the modes, with what the store knows of each",
)
def propose(call: Call, web_entity_id: int, modes: list[str], count: int) -> list[JsonObject]:
    """Propose start pages of a web entity: by which modes each is proposed, whether it is one already, and
    how its last fetch ended. Nothing is fetched: see startpages.check."""
    by_mode = propose_start_pages(call.structure, web_entity_id, tuple(modes))
    structure = call.structure
    kept = {page.url for page in structure.get_web_entity(web_entity_id).start_pages}
    lrus = {url: call.lru_of_url(url) for url in united(by_mode.values())[:count]}
    pages = {page.lru: page for page in structure.find_pages(list(lrus.values()))}
    modes_of: dict[str, list[str]] = {}
    for mode, urls in by_mode.items():
        for url in urls:
            modes_of.setdefault(url, []).append(mode)
    return [_proposed(url, pages.get(lru), modes_of[url], url in kept) for url, lru in lrus.items()]


def _proposed(url: str, page: PageRecord | None, modes: list[str], is_kept: bool) -> JsonObject:
    fetch = page.fetch if page is not None else None
    return {
        "url": url,
        "modes": modes,
        "known": page is not None,
        "status": fetch.status if fetch else None,
        "error": fetch.error.value if fetch and fetch.error else None,
        "fetched_at": milliseconds(fetch.fetched_at) if fetch else None,
        "startpage": is_kept,
    }


@methods.method(
    ENTITY_ID,
    Parameter(
        "urls", ListOf(Text(max_chars=5000), or_one=True), None, "URLs; none for what the modes propose"
    ),
    MODES,
    Parameter("timeout", Number(0.1, 60), 10.0, "seconds to wait for each answer"),
    CORPUS,
    result=list_of(_PROOF),
    returns="a list of proofs, in the order of the URLs",
    role=Role.CURATOR,
)
async def check(
    call: Call, web_entity_id: int, urls: list[str] | None, modes: list[str], timeout_seconds: float
) -> list[JsonObject]:
    """Ask each start page now, by the crawler's rules (robots.txt among them, where the corpus obeys it), and
    follow its redirects: whether it answers, whose pages it leads to, and which form of its address to use.
    There is a warning only when it fails or leaves the entity."""
    entity, wanted = cast(
        "tuple[WebEntity, list[str]]", await deferToThread(_wanted, call, web_entity_id, urls, tuple(modes))
    )
    if len(wanted) > _MOST_PROVED:
        raise Refusal(f"at most {_MOST_PROVED} pages can be checked at once, not {len(wanted)}")
    return [_shown(proof) for proof in await prove_start_pages(call, entity, wanted, timeout_seconds)]


def _wanted(
    call: Call, web_entity_id: int, urls: list[str] | None, modes: tuple[str, ...]
) -> tuple[WebEntity, list[str]]:
    entity = call.structure.get_web_entity(web_entity_id)
    if urls is not None:
        return entity, list(dict.fromkeys(urls))
    return entity, united(propose_start_pages(call.structure, web_entity_id, modes).values())


def _shown(proof: Proof) -> JsonObject:
    first, last = proof.trail[0], proof.trail[-1]
    return {
        "url": proof.url,
        "verdict": proof.verdict.value,
        "good": proof.is_good,
        "warning": proof.warning,
        "use": proof.use,
        "status": first.status,
        "location": proof.trail[1].url if len(proof.trail) > 1 else None,
        "final_url": last.url,
        "final_status": last.status,
        "owner_id": proof.owner.web_entity_id if proof.owner else None,
        "owner_name": proof.owner.name if proof.owner else None,
        "trail": [{"url": hop.url, "status": hop.status, "message": hop.words} for hop in proof.trail],
    }
