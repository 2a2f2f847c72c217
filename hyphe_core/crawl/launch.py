"""Launching crawl jobs: scope and settings are frozen, the job is stored and put into the queue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from hyphe_core.config import Config
from hyphe_core.crawl.hosts import host_key
from hyphe_core.crawl.start_pages import propose_start_pages
from hyphe_core.errors import UsageFault
from memory_structure.corpus_records import CorpusOptions
from memory_structure.records import (
    Job,
    JobSpec,
    WebEntityStatus,
)
from memory_structure.registry import HostKey, Registry
from memory_structure.structure import MemoryStructure
from memory_structure.urls import BadUrl, clean_user_url, request_url

__all__ = ["freeze_scope", "launch_crawl", "propose_start_pages", "start_hosts"]

_DEFAULT_MODES: Final = ("startpages", "default")


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
    """Store a crawl job of a web entity, PENDING, and offer it to the workers.

    What is not given is the corpus' option, else the configuration's. Start pages: the URLs given, else what
    the start
    modes propose, else those kept with the entity and the corpus' default modes. Raises UsageFault when none
    of them can
    be requested, NotFound for an unknown entity. `status` None leaves the entity's status.
    """
    structure = registry.open_structure(corpus_id)
    options = structure.options()
    urls = list(start_urls) or _proposed(structure, web_entity_id, start_modes or _DEFAULT_MODES)
    follow, nofollow = freeze_scope(structure, web_entity_id)
    spec = JobSpec(
        web_entity_id=web_entity_id,
        start_urls=_usable(urls, options),
        follow_prefixes=follow,
        nofollow_prefixes=nofollow,
        max_depth=depth,
        max_pages=max_pages,
        max_bytes=max_bytes,
        time_limit_seconds=time_limit_seconds,
        delay_seconds=options.delay_seconds if delay_seconds is None else delay_seconds,
        per_host=per_host or config.per_host,
        obey_robots=options.obey_robots if obey_robots is None else obey_robots,
        obey_crawl_delay=config.obey_crawl_delay if obey_crawl_delay is None else obey_crawl_delay,
        user_agent=user_agent or options.user_agent or config.user_agent,
        cookies=cookies,
        proxy=proxy or options.proxy or config.proxy,
        allow_private_networks=_allows_private(options, config, allow_private_networks),
        timeout_seconds=config.timeout_seconds,
        n_retries=config.n_retries,
        max_body_bytes=config.max_body_bytes,
    )
    return _enqueue(registry, corpus_id, structure, spec, status)


def _enqueue(
    registry: Registry,
    corpus_id: str,
    structure: MemoryStructure,
    spec: JobSpec,
    status: WebEntityStatus | None,
) -> Job:
    job = structure.create_job(spec)
    if status is not None and spec.web_entity_id is not None:
        structure.edit_web_entity(spec.web_entity_id, status=status)
    n_urls = len(spec.start_urls)
    pages = f"{n_urls} start page{'s' if n_urls > 1 else ''}"
    structure.add_log("CRAWL_ADDED", f"depth {spec.max_depth}, {pages}", job.job_id)
    registry.enqueue(corpus_id, job.job_id, start_hosts(spec))
    return job


def freeze_scope(structure: MemoryStructure, web_entity_id: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(follow, no-follow) prefixes of a crawl now: those of the entity, and those of other entities below
    them."""
    follow = structure.get_web_entity(web_entity_id).prefixes
    owners = structure.prefix_map()
    below = {
        prefix for above in follow for prefix, owner in owners.iter_under(above) if owner != web_entity_id
    }
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


def _proposed(structure: MemoryStructure, web_entity_id: int, modes: Sequence[str]) -> list[str]:
    found = propose_start_pages(structure, web_entity_id, modes)
    return list(dict.fromkeys(url for urls in found.values() for url in urls))


def _usable(urls: Iterable[str], options: CorpusOptions) -> tuple[str, ...]:
    policy = options.url_policy
    usable: dict[str, None] = {}
    faults: list[str] = []
    for url in urls:
        try:
            usable[clean_user_url(url, policy)] = None
        except BadUrl as error:
            faults.append(str(error))
    if not usable:
        raise UsageFault("no start page can be requested: " + ("; ".join(faults) or "none was given"))
    return tuple(usable)


def _allows_private(options: CorpusOptions, config: Config, given: bool | None) -> bool:
    return given if given is not None else options.allow_private_networks or config.allow_private_networks
