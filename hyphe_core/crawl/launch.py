"""Launching crawl jobs: scope and settings are frozen, the jobs are stored and put into the queue.

Many are launched in a few transactions: one for the jobs, one for the statuses of their entities, one for the
log, one for the queue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from hyphe_core.config import Config
from hyphe_core.crawl.hosts import host_key, public_proxy
from hyphe_core.crawl.resolver import is_private_literal
from hyphe_core.crawl.scope import Scope
from hyphe_core.crawl.start_pages import StartPageProposer, propose_start_pages, united
from hyphe_core.errors import UsageFault
from memory_structure.corpus_records import CorpusOptions
from memory_structure.parse_options import CrawlOrder
from memory_structure.prefixes import PrefixMap
from memory_structure.records import Job, JobSpec, WebEntity, WebEntityStatus
from memory_structure.registry import HostKey, Registry
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import cutter_for
from memory_structure.urls import BadUrl, clean_user_url, request_url

__all__ = [
    "CrawlChoices",
    "CrawlTarget",
    "FrozenScope",
    "freeze_scope",
    "launch_crawl",
    "launch_crawls",
    "propose_start_pages",
    "start_hosts",
]

_DEFAULT_MODES: Final = ("startpages", "default")
_JOBS_AT_ONCE: Final = 200  # keeps each write transaction short

FrozenScope = tuple[tuple[str, ...], tuple[str, ...]]
"""(follow, no-follow) prefixes."""


@dataclass(frozen=True, slots=True)
class CrawlTarget:
    """A web entity to crawl. Start pages: the URLs given, else what the start modes propose, else those kept
    with the entity and the corpus' default modes. `scope` None: the entity's prefixes of now."""

    web_entity_id: int
    start_urls: tuple[str, ...] = ()
    start_modes: tuple[str, ...] = ()
    max_pages: int | None = None
    scope: FrozenScope | None = None


@dataclass(frozen=True, slots=True)
class CrawlChoices:
    """How to crawl. What is None is the corpus' option, else the configuration's; budgets of None are without
    limit. `status` None leaves the entities' status. `trusts_proxy`: the operator chose it, so that it may
    lie at a private address; that of the configuration always may."""

    depth: int = 1
    max_bytes: int | None = None
    time_limit_seconds: float | None = None
    status: WebEntityStatus | None = WebEntityStatus.IN
    proxy: str | None = None
    cookies: str = ""
    user_agent: str | None = None
    delay_seconds: float | None = None
    per_host: int | None = None
    obey_robots: bool | None = None
    obey_crawl_delay: bool | None = None
    allow_private_networks: bool | None = None
    trusts_proxy: bool = False
    order: CrawlOrder | None = None


def launch_crawl(
    registry: Registry,
    corpus_id: str,
    web_entity_id: int,
    *,
    config: Config,
    depth: int = 1,
    start_urls: Sequence[str] = (),
    start_modes: Sequence[str] = (),
    max_pages: int | None = None,
    max_bytes: int | None = None,
    time_limit_seconds: float | None = None,
    status: WebEntityStatus | None = WebEntityStatus.IN,
    proxy: str | None = None,
    cookies: str = "",
    user_agent: str | None = None,
    delay_seconds: float | None = None,
    per_host: int | None = None,
    obey_robots: bool | None = None,
    obey_crawl_delay: bool | None = None,
    allow_private_networks: bool | None = None,
) -> Job:
    """Store a crawl job of one web entity, PENDING, and offer it to the workers; see `launch_crawls`."""
    choices = CrawlChoices(
        depth, max_bytes, time_limit_seconds, status, proxy, cookies, user_agent, delay_seconds, per_host,
        obey_robots, obey_crawl_delay, allow_private_networks,
    )  # fmt: skip
    target = CrawlTarget(web_entity_id, tuple(start_urls), tuple(start_modes), max_pages)
    return launch_crawls(registry, corpus_id, [target], config=config, choices=choices)[0]


def launch_crawls(
    registry: Registry,
    corpus_id: str,
    targets: Sequence[CrawlTarget],
    *,
    config: Config,
    choices: CrawlChoices = CrawlChoices(),
) -> list[Job]:
    """Store crawl jobs, PENDING, and offer them to the workers; in order.

    Raises UsageFault when none of the start pages of a target can be requested, or none lies in its scope;
    NotFound for an unknown entity. What was launched before the fault stays launched.
    """
    structure = registry.open_structure(corpus_id)
    launcher = _Launcher(structure, structure.options(), config, choices)
    jobs: list[Job] = []
    for start in range(0, len(targets), _JOBS_AT_ONCE):
        specs = launcher.specs(targets[start : start + _JOBS_AT_ONCE])
        jobs += _store(registry, corpus_id, structure, specs, choices.status)
    return jobs


def _store(
    registry: Registry,
    corpus_id: str,
    structure: MemoryStructure,
    specs: Sequence[JobSpec],
    status: WebEntityStatus | None,
) -> list[Job]:
    jobs = structure.create_jobs(specs)
    ids = list(dict.fromkeys(s.web_entity_id for s in specs if s.web_entity_id is not None))
    if status is not None and ids:
        structure.set_statuses(ids, status)
    structure.add_logs([("CRAWL_ADDED", _launch_words(job.spec), job.job_id) for job in jobs])
    registry.enqueue_many(corpus_id, [(job.job_id, start_hosts(job.spec)) for job in jobs])
    return jobs


def _launch_words(spec: JobSpec) -> str:
    n_urls = len(spec.start_urls)
    return f"depth {spec.max_depth}, {n_urls} start page{'s' if n_urls > 1 else ''}"


class _Launcher:
    """What the launches of one call share: options, and the prefixes of all entities, read once."""

    def __init__(
        self, structure: MemoryStructure, options: CorpusOptions, config: Config, choices: CrawlChoices
    ) -> None:
        self._structure = structure
        self._options = options
        self._config = config
        self._choices = choices
        self._owners: PrefixMap[int] | None = None

    def specs(self, targets: Sequence[CrawlTarget]) -> list[JobSpec]:
        """The jobs of some targets, whose web entities are read at once."""
        proposer = StartPageProposer(self._structure, [target.web_entity_id for target in targets])
        return [self._spec(target, proposer) for target in targets]

    def _spec(self, target: CrawlTarget, proposer: StartPageProposer) -> JobSpec:
        options, config, choices = self._options, self._config, self._choices
        follow, nofollow = target.scope or self._scope(proposer.entity(target.web_entity_id))
        modes = target.start_modes or _DEFAULT_MODES
        urls = target.start_urls or united(proposer.propose(target.web_entity_id, modes).values())
        robots, delay = choices.obey_robots, choices.delay_seconds
        crawl_delay, private = choices.obey_crawl_delay, choices.allow_private_networks
        private = _allows_private(options, config) if private is None else private
        proxy = choices.proxy or options.proxy or config.proxy
        guards_proxy = not choices.trusts_proxy and proxy != config.proxy
        if guards_proxy and not private:
            _refuse_private_proxy(proxy)
        return JobSpec(
            web_entity_id=target.web_entity_id,
            start_urls=_usable(urls, options, Scope(follow, nofollow)),
            follow_prefixes=follow,
            nofollow_prefixes=nofollow,
            max_depth=choices.depth,
            max_pages=target.max_pages,
            max_bytes=choices.max_bytes,
            time_limit_seconds=choices.time_limit_seconds,
            delay_seconds=options.delay_seconds if delay is None else delay,
            per_host=choices.per_host or config.per_host,
            obey_robots=options.obey_robots if robots is None else robots,
            obey_crawl_delay=config.obey_crawl_delay if crawl_delay is None else crawl_delay,
            user_agent=choices.user_agent or options.user_agent or config.user_agent,
            cookies=choices.cookies,
            proxy=proxy,
            guards_proxy=guards_proxy,
            allow_private_networks=private,
            timeout_seconds=config.timeout_seconds,
            n_retries=config.n_retries,
            max_body_bytes=config.max_body_bytes,
            follow_feeds=options.parsing.follow_feeds,
            order=choices.order or options.parsing.order,
        )

    def _scope(self, entity: WebEntity) -> FrozenScope:
        if self._owners is None:
            self._owners = self._structure.prefix_map()
        return _scope_of(entity, self._owners)


def freeze_scope(structure: MemoryStructure, web_entity_id: int) -> FrozenScope:
    """(follow, no-follow) prefixes of a crawl now: those of the entity, and those of other entities below
    them."""
    return _scope_of(structure.get_web_entity(web_entity_id), structure.prefix_map())


def _scope_of(entity: WebEntity, owners: PrefixMap[int]) -> FrozenScope:
    follow, own_id = entity.prefixes, entity.web_entity_id
    below = {prefix for above in follow for prefix, owner in owners.iter_under(above) if owner != own_id}
    return follow, tuple(sorted(below))


def start_hosts(spec: JobSpec) -> list[HostKey]:
    """The hosts of a job's start pages, each once."""
    hosts: dict[HostKey, None] = {}
    for url in spec.start_urls:
        try:
            hosts[host_key(request_url(url), spec.proxy)] = None
        except BadUrl:
            continue
    return list(hosts)


def _usable(urls: Iterable[str], options: CorpusOptions, scope: Scope) -> tuple[str, ...]:
    """The URLs that can be requested; at least one of them lies in the scope."""
    policy = options.url_policy
    cutter = cutter_for(policy)
    usable: dict[str, bool] = {}
    faults: list[str] = []
    for url in urls:
        try:
            cleaned = clean_user_url(url, policy)
            usable[cleaned] = scope.follows(cutter.lru(cleaned))
        except BadUrl as error:
            faults.append(str(error))
    if not usable:
        raise UsageFault("no start page can be requested: " + ("; ".join(faults) or "none was given"))
    if not any(usable.values()):
        some = ", ".join(list(usable)[:3])
        raise UsageFault(
            f"no start page lies within what is crawled ({some}): each belongs to another web entity; choose "
            "others, or give this entity their prefix"
        )
    return tuple(usable)


def _refuse_private_proxy(proxy: str | None) -> None:
    """Names are judged when the connection is made."""
    host = urlsplit(public_proxy(proxy)).hostname or ""
    if is_private_literal(host):
        raise UsageFault(f"the proxy {host} is at a private address: only the operator may choose one there")


def _allows_private(options: CorpusOptions, config: Config) -> bool:
    return options.allow_private_networks or config.allow_private_networks
