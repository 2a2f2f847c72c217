"""Proofs that start pages answer: each is asked now, its redirects are followed, and it is told whose pages
they lead to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from twisted.internet.defer import Deferred, DeferredSemaphore, ensureDeferred, gatherResults
from twisted.internet.threads import deferToThread

from hyphe_core.api.asking import UNREACHABLE
from hyphe_core.api.call import Call
from hyphe_core.api.failures import Refusal
from hyphe_core.api.lookup import answer_at
from hyphe_core.crawl.single_fetch import DocumentFetcher, spec_of_visit
from memory_structure.lru import lru_to_url
from memory_structure.prefixes import variations
from memory_structure.records import JobSpec, WebEntity
from memory_structure.url_cutter import cutter_for
from memory_structure.urls import BadUrl, clean_user_url

MOST_HOPS: Final = 6
_HOSTS_AT_ONCE: Final = 5
_OK: Final = 200
_REFUSED: Final = 400


class ProofVerdict(StrEnum):
    """What a start page came to."""

    ANSWERS = "answers"
    REDIRECTS_INSIDE = "redirects inside"
    LEAVES = "leaves the entity"
    FOREIGN = "belongs to another entity"
    UNOWNED = "belongs to no entity"
    FAILS = "fails"


class Hop(NamedTuple):
    """An address that was asked: its status (negative: no answer), and what went wrong in words."""

    url: str
    status: int
    words: str


class Owner(NamedTuple):
    """The web entity that owns an address."""

    web_entity_id: int
    name: str


class Walk(NamedTuple):
    """What was met on the way from an address: the owners of the first and the last address, and whether the
    redirects have no end."""

    url: str
    trail: tuple[Hop, ...]
    first: Owner | None
    last: Owner | None
    loops: bool


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found at a start page. `owner` owns the last address of the trail, None when nobody does yet.
    `use` is the address to begin at: this one, else another form of it (http or https, with or without www)
    that answers, None when there is none. `warning` is None when all is well."""

    url: str
    trail: tuple[Hop, ...]
    owner: Owner | None
    verdict: ProofVerdict
    warning: str | None
    use: str | None

    @property
    def is_good(self) -> bool:
        """Whether a crawl may begin there."""
        return self.verdict in (ProofVerdict.ANSWERS, ProofVerdict.REDIRECTS_INSIDE)


async def prove_start_pages(
    call: Call, entity: WebEntity, urls: Sequence[str], timeout_seconds: float
) -> list[Proof]:
    """Proofs in the order of the URLs. Hosts are asked a few at a time, each for one page after the other,
    and for its robots.txt before, where the corpus obeys that."""
    by_host: dict[str, list[str]] = {}
    for url in dict.fromkeys(urls):
        by_host.setdefault(urlsplit(url).netloc.lower().removeprefix("www."), []).append(url)
    semaphore = DeferredSemaphore(_HOSTS_AT_ONCE)
    spec = replace(spec_of_visit(call.config, call.options), timeout_seconds=timeout_seconds)
    async with _RobotsAsker(spec) as robots:
        prover = _Prover(call, entity, timeout_seconds, robots)
        runs = [semaphore.run(prover.prove_in_turn, host_urls) for host_urls in by_host.values()]
        gathered = await gatherResults(runs, consumeErrors=True)
    proofs = {proof.url: proof for found in gathered for proof in found}
    return [proofs[url] for url in dict.fromkeys(urls)]


class _RobotsAsker:
    """A fetcher of robots.txt, each once, for coroutines of Twisted."""

    def __init__(self, spec: JobSpec) -> None:
        self._fetcher = DocumentFetcher(spec)

    async def __aenter__(self) -> _RobotsAsker:
        await Deferred.fromFuture(asyncio.ensure_future(self._fetcher.__aenter__()))
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await Deferred.fromFuture(asyncio.ensure_future(self._fetcher.__aexit__(*raised)))

    async def find_refusal(self, url: str) -> str | None:
        """See `DocumentFetcher.find_refusal`; None for what is no address."""
        try:
            return await Deferred.fromFuture(asyncio.ensure_future(self._fetcher.find_refusal(url)))
        except BadUrl:
            return None


@dataclass(frozen=True, slots=True)
class _Prover:
    """Proves start pages of one entity."""

    call: Call
    entity: WebEntity
    timeout_seconds: float
    robots: _RobotsAsker

    def prove_in_turn(self, urls: Sequence[str]) -> Deferred[list[Proof]]:
        """Proofs in the order of the URLs, one after the other."""

        async def run() -> list[Proof]:
            return [await self._prove(url) for url in urls]

        return ensureDeferred(run())

    async def _prove(self, url: str) -> Proof:
        """The form given is preferred; only when it fails are the others asked."""
        proof = await self._prove_form(url)
        if proof.verdict is not ProofVerdict.FAILS:
            return proof
        for form in await deferToThread(_other_forms, self.call, self.entity, url):
            other = await self._prove_form(form)
            if other.is_good:
                warning = f"{proof.warning}; {form} answers"
                return Proof(url, proof.trail, proof.owner, proof.verdict, warning, form)
        return proof

    async def _prove_form(self, url: str) -> Proof:
        trail: list[Hop] = []
        here: str | None = url
        while here is not None and len(trail) < MOST_HOPS and here not in [hop.url for hop in trail]:
            hop, here = await self._ask(here)
            trail.append(hop)
        first, last = await deferToThread(_owners_of, self.call, [url, trail[-1].url])
        return _judged(self.entity, Walk(url, tuple(trail), first, last, here is not None))

    async def _ask(self, url: str) -> tuple[Hop, str | None]:
        """What there is at an address, and where it leads."""
        refusal = await self.robots.find_refusal(url)
        if refusal is not None:
            return Hop(url, UNREACHABLE, refusal), None
        try:
            answer = await answer_at(self.call, url, self.timeout_seconds)
        except Refusal as refused:
            return Hop(url, UNREACHABLE, str(refused.message)), None
        return Hop(url, answer.status, answer.words), answer.location


def _judged(entity: WebEntity, walk: Walk) -> Proof:
    url, trail, first, last, loops = walk
    end = trail[-1]
    if first is None and trail[0].status < 0:
        return Proof(url, trail, None, ProofVerdict.FAILS, f"{url}: {trail[0].words}", None)
    if first is None or first.web_entity_id != entity.web_entity_id:
        verdict = ProofVerdict.UNOWNED if first is None else ProofVerdict.FOREIGN
        return Proof(url, trail, first, verdict, f"{url} belongs to {_owner_words(first)}", None)
    if len(trail) > 1 and (last is None or last.web_entity_id != entity.web_entity_id):
        warning = f"the redirect leads to {end.url}, which belongs to {_owner_words(last)}"
        return Proof(url, trail, last, ProofVerdict.LEAVES, warning, None)
    if end.status < 0 or end.status >= _REFUSED or loops:
        words = "redirects without end" if loops else end.words or f"status {end.status}"
        return Proof(url, trail, last, ProofVerdict.FAILS, f"{end.url}: {words}", None)
    verdict = ProofVerdict.REDIRECTS_INSIDE if len(trail) > 1 else ProofVerdict.ANSWERS
    odd = None if end.status == _OK else f"status {end.status}"
    return Proof(url, trail, last, verdict, odd, url)


def _owner_words(owner: Owner | None) -> str:
    return "no web entity yet" if owner is None else f'web entity {owner.web_entity_id}, "{owner.name}"'


def _owners_of(call: Call, urls: Iterable[str]) -> list[Owner | None]:
    owners: list[Owner | None] = []
    for url in urls:
        lru = _find_lru(call, url)
        found = None if lru is None else call.structure.find_owner(lru)
        owners.append(None if found is None else Owner(found.web_entity_id, found.name))
    return owners


def _find_lru(call: Call, url: str) -> str | None:
    """The LRU of an address as a person writes it; None for what is none."""
    try:
        return cutter_for(call.policy).lru(clean_user_url(url, call.policy))
    except BadUrl:
        return None


def _other_forms(call: Call, entity: WebEntity, url: str) -> list[str]:
    """The page at http or https, with or without www, as far as the entity owns it."""
    lru = _find_lru(call, url)
    if lru is None:
        return []
    owners = call.structure.prefix_map()
    forms = [form for form in variations(lru) if form != lru]
    found = [(form, owners.find_owner(form)) for form in forms]
    return [lru_to_url(form) for form, owner in found if owner and owner[1] == entity.web_entity_id]
